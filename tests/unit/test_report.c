/* Reports: numbers, the four layouts byte for byte, names that need escaping, and what happens when a report
 * cannot be written. */
#include "report/report.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sysmacros.h> /* makedev() */
#endif

#include <cmocka.h>

#include <cjson/cJSON.h>

static const double inf = (double)INFINITY;

static const tally_report_format all_formats[] = {TALLY_REPORT_JSON, TALLY_REPORT_XML, TALLY_REPORT_CSV,
                                                  TALLY_REPORT_SUB};

/* ---- A directory of our own ---- */

static char directory[] = "/tmp/tally-test-report-XXXXXX";
static char path_text[4096];

static const char *path_of(const char *name) {
    snprintf(path_text, sizeof path_text, "%s/%s", directory, name);
    return path_text;
}

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    return rmdir(directory);
}

static size_t entries(void) {
    DIR *open_directory = opendir(directory);
    size_t count = 0;
    assert_non_null(open_directory);
    for (const struct dirent *entry; (entry = readdir(open_directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(open_directory);
    return count;
}

/* The whole of a file; NULL if it cannot be opened. The caller frees it. */
static char *content_of(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
    fclose(file);
    return text;
}

/* ---- Reports to write ---- */

static void set(ty_scores *scores, const char *name, uint64_t frame, double value) {
    if (ty_scores_find(scores, name) == SIZE_MAX)
        assert_true(ty_scores_add_column(scores, name));
    assert_true(ty_scores_set(scores, ty_scores_find(scores, name), frame, value));
}

static ty_report report_of(const ty_scores *scores) {
    return (ty_report){.scores = scores,
                       .format = {64, 48, 8, TALLY_PIXEL_FORMAT_420},
                       .frames = 2,
                       .fps = 81.25,
                       .first = 0,
                       .last = 1,
                       .every = 1,
                       .reference = "ref.y4m",
                       .backend = "cpu",
                       .device = "a processor",
                       .level = "v3",
                       .threads = 4};
}

/* The example of the specification: a score that is infinite at frame 0, and one that six places do not hold.
 */
static ty_scores *example(void) {
    ty_scores *scores = ty_scores_create();
    set(scores, "psnr_y", 0, 30.5);
    set(scores, "float_ssim", 0, inf);
    set(scores, "vmaf", 0, 88.1234567);
    set(scores, "psnr_y", 1, 41.25);
    set(scores, "float_ssim", 1, 12.0);
    set(scores, "vmaf", 1, 90.0000001);
    return scores;
}

static char *written(const ty_report *report, tally_report_format format, int precision) {
    ty_error error = {0};
    if (ty_report_write(report, path_of("report"), format, precision, &error) != TALLY_OK)
        fail_msg("%s", error.text);
    assert_true(entries() == 1); /* nothing temporary is left */
    char *text = content_of(path_of("report"));
    assert_non_null(text);
    unlink(path_of("report"));
    return text;
}

static char *written_json(const ty_report *report, int precision, cJSON **json) {
    char *text = written(report, TALLY_REPORT_JSON, precision);
    *json = cJSON_Parse(text);
    if (!*json)
        fail_msg("not JSON: %s", text);
    return text;
}

/* ---- Numbers ---- */

static void formatted(double value, int precision, const char *expected) {
    char text[64];
    ty_format_score(value, precision, text);
    assert_string_equal(text, expected);
}

static void default_precision(void **state) {
    (void)state;
    formatted(0.0, 0, "0.000000");
    formatted(-0.0, 0, "-0.000000");
    formatted(0.5, 0, "0.500000");
    formatted(100.0, 0, "100.000000");
    formatted(0.0000001, 0, "0.0000001000000000");
    formatted(100.0000001, 0, "100.0000000999999941");
    formatted(-100.0000001, 0, "-100.0000000999999941");
    formatted(0.000001, 0, "0.000001");
    formatted(88.123457, 0, "88.123457");
    formatted(1e-300, 0, "0.0000000000000000");
    formatted(2147483647.0000005, 0, "2147483647.0000004768371582");
    formatted(2147483648.0000005, 0, "2147483648.000000");
    formatted(1e54, 0, "1000000000000000078291540404596243842305360299886116864.000000");
    formatted(-1.7976931348623157e308, 0, "-1.7976931348623157e+308"); /* would not fit otherwise */
}

static void significant_digits(void **state) {
    (void)state;
    formatted(100.0, 1, "1e+02");
    formatted(30.5, 3, "30.5");
    formatted(0.1, 17, "0.10000000000000001");
    formatted(-0.0, 17, "-0");
    formatted(5e-324, 17, "4.9406564584124654e-324");
}

static void not_finite(void **state) {
    (void)state;
    for (int precision = 0; precision <= 17; precision++) {
        formatted(inf, precision, "inf");
        formatted(-inf, precision, "-inf");
        formatted((double)NAN, precision, "nan");
        formatted(-(double)NAN, precision, "nan");
    }
}

static void the_locale_plays_no_part(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") || strcmp(localeconv()->decimal_point, ",") != 0) {
        setlocale(LC_ALL, "C");
        print_message("SKIPPED: no locale de_DE.UTF-8 with a decimal comma on this machine\n");
        skip();
    }
    formatted(0.5, 0, "0.500000");
    formatted(0.1, 17, "0.10000000000000001");
    ty_scores *scores = example();
    const ty_report report = report_of(scores);
    for (size_t i = 0; i < sizeof all_formats / sizeof all_formats[0]; i++) {
        char *german = written(&report, all_formats[i], 0);
        setlocale(LC_ALL, "C");
        char *plain = written(&report, all_formats[i], 0);
        setlocale(LC_ALL, "de_DE.UTF-8");
        assert_string_equal(german, plain);
        free(german);
        free(plain);
    }
    setlocale(LC_ALL, "C");
    ty_scores_destroy(scores);
}

/* ---- Layouts ---- */

/* An "@" in the expected text stands for the version. */
static void layout(tally_report_format format, const char *pattern) {
    static const ty_aggregate aggregates[] = {{"apsnr_y", 34.5}};
    static const char *const features[] = {"psnr=enable_apsnr=true", "float_ssim=enable_db=true"};
    static const ty_report_model models[] = {{"vmaf", "m.json", "00ff"}, {"b", "a \"b\".json", "11"}};
    static const char *const left_out[] = {"cambi: takes no pictures below 64 columns"};
    ty_scores *scores = example();
    ty_report report = report_of(scores);
    report.aggregates = aggregates;
    report.aggregate_count = 1;
    report.features = features;
    report.feature_count = 2;
    report.left_out = left_out;
    report.left_out_count = 1;
    report.models = models;
    report.model_count = 2;
    char *text = written(&report, format, TALLY_PRECISION_DEFAULT);
    char expected[8192];
    size_t length = 0;
    for (const char *at = pattern; *at && length < sizeof expected - 1; at++) {
        const int put = snprintf(expected + length, sizeof expected - length, "%.*s", *at == '@' ? 99 : 1,
                                 *at == '@' ? tally_version() : at);
        length += (size_t)put;
    }
    assert_string_equal(text, expected);
    free(text);
    ty_scores_destroy(scores);
}

/* The specification's bytes, but for the mean of float_ssim, which leaves the infinite frame out and says so.
 */
static void xml_layout(void **state) {
    (void)state;
    layout(TALLY_REPORT_XML,
           "<VMAF version=\"@\">\n"
           "  <params qualityWidth=\"64\" qualityHeight=\"48\" />\n"
           "  <fyi fps=\"81.25\" />\n"
           "  <frames>\n"
           "    <frame frameNum=\"0\" psnr_y=\"30.500000\" float_ssim=\"inf\" vmaf=\"88.123457\" />\n"
           "    <frame frameNum=\"1\" psnr_y=\"41.250000\" float_ssim=\"12.000000\" "
           "vmaf=\"90.0000000999999941\" />\n"
           "  </frames>\n"
           "  <pooled_metrics>\n"
           "    <metric name=\"psnr_y\" min=\"30.500000\" max=\"41.250000\" mean=\"35.875000\" "
           "harmonic_mean=\"35.091525\" />\n"
           "    <metric name=\"float_ssim\" min=\"12.000000\" max=\"inf\" mean=\"12.000000\" "
           "harmonic_mean=\"12.000000\" left_out=\"1\" />\n"
           "    <metric name=\"vmaf\" min=\"88.123457\" max=\"90.0000000999999941\" mean=\"89.061728\" "
           "harmonic_mean=\"89.051953\" />\n"
           "  </pooled_metrics>\n"
           "  <aggregate_metrics apsnr_y=\"34.500000\" />\n"
           "</VMAF>\n");
}

static void json_layout(void **state) {
    (void)state;
    layout(TALLY_REPORT_JSON,
           "{\n  \"version\": \"@\",\n"
           "  \"fps\": 81.25,\n"
           "  \"frames\": [\n"
           "    {\n"
           "      \"frameNum\": 0,\n"
           "      \"metrics\": {\n"
           "        \"psnr_y\": 30.500000,\n"
           "        \"float_ssim\": null,        \"vmaf\": 88.123457\n"
           "      }\n"
           "    },\n"
           "    {\n"
           "      \"frameNum\": 1,\n"
           "      \"metrics\": {\n"
           "        \"psnr_y\": 41.250000,\n"
           "        \"float_ssim\": 12.000000,\n"
           "        \"vmaf\": 90.0000000999999941\n"
           "      }\n"
           "    }\n"
           "  ],\n"
           "  \"pooled_metrics\": {\n"
           "    \"psnr_y\": {\n"
           "      \"min\": 30.500000,\n"
           "      \"max\": 41.250000,\n"
           "      \"mean\": 35.875000,\n"
           "      \"harmonic_mean\": 35.091525\n"
           "    },\n"
           "    \"float_ssim\": {\n"
           "      \"min\": 12.000000,\n"
           "      \"max\": null,\n"
           "      \"mean\": 12.000000,\n"
           "      \"harmonic_mean\": 12.000000\n"
           "    },\n"
           "    \"vmaf\": {\n"
           "      \"min\": 88.123457,\n"
           "      \"max\": 90.0000000999999941,\n"
           "      \"mean\": 89.061728,\n"
           "      \"harmonic_mean\": 89.051953\n"
           "    }\n"
           "  },\n"
           "  \"aggregate_metrics\": {\n"
           "    \"apsnr_y\": 34.500000\n"
           "  },\n"
           "  \"tally\": {\n"
           "    \"version\": \"@\",\n"
           "    \"backend\": \"cpu\",\n"
           "    \"device\": \"a processor\",\n"
           "    \"level\": \"v3\",\n"
           "    \"threads\": 4,\n"
           "    \"reference\": \"ref.y4m\",\n"
           "    \"distorted\": null,\n"
           "    \"width\": 64,\n"
           "    \"height\": 48,\n"
           "    \"bit_depth\": 8,\n"
           "    \"pixel_format\": \"420\",\n"
           "    \"frames\": 2,\n"
           "    \"first\": 0,\n"
           "    \"last\": 1,\n"
           "    \"every\": 1,\n"
           "    \"features\": [\n"
           "      \"psnr=enable_apsnr=true\",\n"
           "      \"float_ssim=enable_db=true\"\n"
           "    ],\n"
           "    \"models\": [\n"
           "      {\"name\": \"vmaf\", \"file\": \"m.json\", \"sha256\": \"00ff\"},\n"
           "      {\"name\": \"b\", \"file\": \"a \\\"b\\\".json\", \"sha256\": \"11\"}\n"
           "    ],\n"
           "    \"left_out\": [\n"
           "      \"cambi: takes no pictures below 64 columns\"\n"
           "    ],\n"
           "    \"non_finite\": {\n"
           "      \"float_ssim\": 1\n"
           "    },\n"
           "    \"digest\": \"ecdb680db855955ec69ec8a7fb5c348ad4310d5916d42886f61575dbbeffe84c\"\n"
           "  }\n"
           "}\n");
}

static void csv_layout(void **state) {
    (void)state;
    layout(TALLY_REPORT_CSV, "Frame,psnr_y,float_ssim,vmaf,\n"
                             "0,30.500000,inf,88.123457,\n"
                             "1,41.250000,12.000000,90.0000000999999941,\n");
}

static void sub_layout(void **state) {
    (void)state;
    layout(TALLY_REPORT_SUB,
           "{0}{1}frame: 0|psnr_y: 30.500000|float_ssim: inf|vmaf: 88.123457|\n"
           "{1}{2}frame: 1|psnr_y: 41.250000|float_ssim: 12.000000|vmaf: 90.0000000999999941|\n");
}

static void nothing_to_report(void **state) {
    (void)state;
    ty_scores *scores = ty_scores_create();
    ty_report report = report_of(scores);
    report.fps = inf;
    char expected[512];
    char *text = written(&report, TALLY_REPORT_XML, 0);
    snprintf(expected, sizeof expected,
             "<VMAF version=\"%s\">\n  <params qualityWidth=\"64\" qualityHeight=\"48\" />\n  <fyi "
             "fps=\"0.00\" />\n"
             "  <frames>\n  </frames>\n  <pooled_metrics>\n  </pooled_metrics>\n  <aggregate_metrics "
             "/>\n</VMAF>\n",
             tally_version());
    assert_string_equal(text, expected);
    free(text);
    cJSON *json;
    text = written_json(&report, 0, &json);
    assert_non_null(strstr(text, "  \"fps\": null,\n  \"frames\": [\n  ],\n  \"pooled_metrics\": {\n  },\n"
                                 "  \"aggregate_metrics\": {\n  },\n  \"tally\": {\n"));
    assert_non_null(strstr(text, "    \"features\": [],\n    \"models\": [],\n    \"left_out\": [],\n    \"non_finite\": {},\n"));
    cJSON_Delete(json);
    free(text);
    ty_scores_destroy(scores);
}

/* Frame 1 has no score in any column, frame 2 lacks b, and c has none at all. */
static void missing_scores(void **state) {
    (void)state;
    ty_scores *scores = ty_scores_create();
    set(scores, "a", 0, 1.0);
    set(scores, "b", 0, 2.0);
    assert_true(ty_scores_add_column(scores, "c"));
    set(scores, "d", 2, 4.0);
    set(scores, "a", 2, 3.0);
    const ty_report report = report_of(scores);

    char *text = written(&report, TALLY_REPORT_CSV, 3);
    assert_string_equal(text, "Frame,a,b,c,d,\n0,1,2,,,\n2,3,,,4,\n");
    free(text);
    text = written(&report, TALLY_REPORT_SUB, 3);
    assert_string_equal(text, "{0}{1}frame: 0|a: 1|b: 2|\n{2}{3}frame: 2|a: 3|d: 4|\n");
    free(text);
    text = written(&report, TALLY_REPORT_XML, 3);
    assert_non_null(strstr(text, "  <frames>\n    <frame frameNum=\"0\" a=\"1\" b=\"2\" />\n"
                                 "    <frame frameNum=\"2\" a=\"3\" d=\"4\" />\n  </frames>\n"));
    assert_non_null(strstr(text,
                           "    <metric name=\"a\" min=\"1\" max=\"3\" mean=\"2\" harmonic_mean=\"1.67\" />\n"
                           "    <metric name=\"b\" min=\"2\" max=\"2\" mean=\"2\" harmonic_mean=\"2\" />\n"
                           "    <metric name=\"c\" />\n"));
    free(text);
    cJSON *json;
    text = written_json(&report, 3, &json);
    assert_non_null(
        strstr(text, "      \"frameNum\": 2,\n      \"metrics\": {\n        \"a\": 3,\n        \"d\": 4\n"));
    assert_non_null(strstr(text, "    \"c\": {\n    },\n    \"d\": {\n"));
    cJSON_Delete(json);
    free(text);
    ty_scores_destroy(scores);
}

/* The reference's own report of identical pictures: every frame infinite, so the means are. */
static void golden(tally_report_format format, const char *name, const char *suffix) {
    const char *shared = getenv("TALLY_TEST_DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/golden/reports/%s", shared ? shared : "../shared", name);
    char *expected = content_of(path);
    if (!expected) {
        print_message("SKIPPED: no %s (TALLY_TEST_DATA names the folder)\n", path);
        skip();
    }
    static const double sad[3] = {0.0, 1.0448414442274305, 0.5845887586805556};
    static const ty_aggregate aggregates[] = {{"apsnr_y", 104.0}, {"apsnr_cb", 98.0}, {"apsnr_cr", 98.0}};
    ty_scores *scores = ty_scores_create();
    for (uint64_t frame = 0; frame < 3; frame++) {
        set(scores, "psnr_y", frame, 60.0);
        set(scores, "psnr_cb", frame, 60.0);
        set(scores, "psnr_cr", frame, 60.0);
        set(scores, "float_ssim", frame, inf);
        set(scores, "VMAF_integer_feature_motion_sad_score", frame, sad[frame]);
        set(scores, "integer_motion2", frame, frame ? sad[2] : 0.0);
        set(scores, "integer_motion3", frame, frame ? sad[2] : sad[1]);
    }
    ty_report report = report_of(scores);
    report.format = (tally_format){320, 180, 8, TALLY_PIXEL_FORMAT_420};
    report.aggregates = aggregates;
    report.aggregate_count = 3;
    char *text = written(&report, format, TALLY_PRECISION_DEFAULT);

    char *const ours = suffix ? strstr(text, suffix) : text;
    char *const theirs = suffix ? strstr(expected, suffix) : expected;
    assert_non_null(ours);
    assert_non_null(theirs);
    char *const more = strstr(ours, ",\n  \"tally\": {");
    if (format == TALLY_REPORT_JSON) {
        assert_non_null(more);
        strcpy(more, "\n}\n");
    }
    assert_string_equal(ours, theirs);
    free(text);
    free(expected);
    ty_scores_destroy(scores);
}

static void golden_json(void **state) {
    (void)state;
    golden(TALLY_REPORT_JSON, "same320_features.json", "  \"frames\"");
}

static void golden_xml(void **state) {
    (void)state;
    golden(TALLY_REPORT_XML, "same320_features.xml", "  <frames>");
}

static void golden_csv(void **state) {
    (void)state;
    golden(TALLY_REPORT_CSV, "same320_features.csv", NULL);
}

static void golden_sub(void **state) {
    (void)state;
    golden(TALLY_REPORT_SUB, "same320_features.sub", NULL);
}

/* ---- Names ---- */

#define NASTY "a,\"b\"|{c}%<&>'\\\n\x01z"

static void names_are_escaped(void **state) {
    (void)state;
    ty_scores *scores = ty_scores_create();
    set(scores, NASTY, 0, 1.0);
    set(scores, "9-x_x0041_", 0, 2.0);
    set(scores, "\xc3\xa9\xf0\x9f\x8e\xac", 0, 3.0);
    const ty_report report = report_of(scores);

    char *text = written(&report, TALLY_REPORT_CSV, 3);
    assert_string_equal(
        text, "Frame,\"a,\"\"b\"\"|{c}%<&>'\\\n\x01z\",9-x_x0041_,\xc3\xa9\xf0\x9f\x8e\xac,\n0,1,2,3,\n");
    free(text);
    text = written(&report, TALLY_REPORT_SUB, 3);
    assert_string_equal(text, "{0}{1}frame: 0|a,\"b\"%7C%7Bc%7D%25<&>'\\%0A%01z: 1|9-x_x0041_: 2|"
                              "\xc3\xa9\xf0\x9f\x8e\xac: 3|\n");
    free(text);
    text = written(&report, TALLY_REPORT_XML, 3);
    assert_non_null(strstr(text,
                           "frameNum=\"0\" a_x002C__x0022_b_x0022__x007C__x007B_c_x007D__x0025__x003C__x0026_"
                           "_x003E__x0027__x005C__x000A__x0001_z=\"1\" _x0039_-x_x005F_x0041_=\"2\" "
                           "_x00E9__x0001F3AC_=\"3\" />"));
    assert_non_null(
        strstr(text, "<metric name=\"a,&#34;b&#34;|{c}%&#60;&#38;&#62;&#39;\\&#10;\xef\xbf\xbdz\" min"));
    assert_non_null(strstr(text, "<metric name=\"\xc3\xa9\xf0\x9f\x8e\xac\" min"));
    free(text);
    ty_scores_destroy(scores);
}

static void json_gives_names_back(void **state) {
    (void)state;
    static const char *const features[] = {NASTY,          "tab\t",    "bad\xff\xc3",
                                           "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"};
    static const char *const read_back[] = {NASTY,
                                            "tab\t",
                                            "bad\xef\xbf\xbd\xef\xbf\xbd",
                                            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
                                            "\xef\xbf\xbd\xef\xbf\xbd",
                                            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"};
    ty_scores *scores = ty_scores_create();
    set(scores, NASTY, 0, 1.0);
    ty_report report = report_of(scores);
    report.features = features;
    report.feature_count = 6;
    cJSON *json;
    char *text = written_json(&report, 0, &json);
    const cJSON *frame = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "frames"), 0);
    assert_string_equal(cJSON_GetObjectItem(frame, "metrics")->child->string, NASTY);
    const cJSON *list = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "tally"), "features");
    for (int i = 0; i < 6; i++)
        assert_string_equal(cJSON_GetArrayItem(list, i)->valuestring, read_back[i]);
    cJSON_Delete(json);
    free(text);
    ty_scores_destroy(scores);
}

/* ---- What is not finite ---- */

static void means_where_nothing_is_finite(void **state) {
    (void)state;
    ty_scores *scores = ty_scores_create();
    set(scores, "plus", 0, inf);
    set(scores, "minus", 0, -inf);
    set(scores, "both", 0, inf);
    set(scores, "both", 1, -inf);
    const ty_report report = report_of(scores);
    char *text = written(&report, TALLY_REPORT_XML, 0);
    assert_non_null(strstr(text, "\"plus\" min=\"inf\" max=\"inf\" mean=\"inf\" harmonic_mean=\"inf\" />"));
    assert_non_null(
        strstr(text, "\"minus\" min=\"-inf\" max=\"-inf\" mean=\"-inf\" harmonic_mean=\"-inf\" />"));
    assert_non_null(strstr(text, "\"both\" min=\"-inf\" max=\"inf\" mean=\"nan\" harmonic_mean=\"nan\" />"));
    free(text);
    cJSON *json;
    text = written_json(&report, 0, &json);
    assert_non_null(strstr(
        text, "    \"non_finite\": {\n      \"plus\": 1,\n      \"minus\": 1,\n      \"both\": 2\n    },\n"));
    cJSON_Delete(json);
    free(text);
    ty_scores_destroy(scores);
}

/* ---- Files ---- */

static void seventeen_digits_read_back(void **state) {
    (void)state;
    static const double values[] = {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, 88.1234567890123456,
                                    -0.0};
    ty_scores *scores = ty_scores_create();
    for (uint64_t i = 0; i < 6; i++)
        set(scores, "m", i, values[i]);
    const ty_report report = report_of(scores);
    cJSON *json;
    char *text = written_json(&report, TALLY_PRECISION_MAX, &json);
    for (int i = 0; i < 6; i++) {
        const cJSON *frame = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "frames"), i);
        const double read = cJSON_GetObjectItem(frame, "metrics")->child->valuedouble;
        assert_memory_equal(&read, &values[i], sizeof read);
    }
    cJSON_Delete(json);
    free(text);
    ty_scores_destroy(scores);
}

static void refused(const char *path, tally_report_format format, int precision, tally_status status,
                    const char *words) {
    ty_scores *scores = example();
    const ty_report report = report_of(scores);
    ty_error error = {0};
    assert_int_equal(ty_report_write(&report, path, format, precision, &error), status);
    assert_int_equal(error.status, status);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" lacks \"%s\"", error.text, words);
    ty_scores_destroy(scores);
}

static void wrong_arguments(void **state) {
    (void)state;
    refused(path_of("r"), TALLY_REPORT_JSON, 18, TALLY_USAGE, "18");
    refused(path_of("r"), TALLY_REPORT_JSON, -1, TALLY_USAGE, "-1");
    refused(path_of("r"), (tally_report_format)0, 0, TALLY_USAGE, "format 0");
    refused(path_of("r"), (tally_report_format)5, 0, TALLY_USAGE, "format 5");
    assert_true(entries() == 0);
}

static void format_names(void **state) {
    (void)state;
    assert_int_equal(ty_report_format_from_name("json"), TALLY_REPORT_JSON);
    assert_int_equal(ty_report_format_from_name("xml"), TALLY_REPORT_XML);
    assert_int_equal(ty_report_format_from_name("csv"), TALLY_REPORT_CSV);
    assert_int_equal(ty_report_format_from_name("sub"), TALLY_REPORT_SUB);
    assert_int_equal(ty_report_format_from_name("JSON"), 0);
    assert_int_equal(ty_report_format_from_name(""), 0);
}

/* A device that is always full. Root gets one of its own: should the writer ever replace a device by a file,
 * it must not be the machine's. NULL if there is none that can be opened. */
static const char *full_device(void) {
    if (geteuid() != 0)
        return access("/dev/full", W_OK) == 0 ? "/dev/full" : NULL;
    const char *path = path_of("full");
    const int fd = mknod(path, S_IFCHR | 0600, makedev(1, 7)) == 0 ? open(path, O_WRONLY) : -1;
    if (fd < 0) {
        unlink(path);
        return NULL;
    }
    close(fd);
    return path;
}

static void a_full_device(void **state) {
    (void)state;
    char path[4096];
    const char *device = full_device();
    if (!device) {
        print_message("SKIPPED: no device that is always full\n");
        skip();
    }
    snprintf(path, sizeof path, "%s", device);
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    for (size_t i = 0; i < sizeof all_formats / sizeof all_formats[0]; i++)
        refused(path, all_formats[i], 0, TALLY_INPUT, "full: cannot be written: No space left");
    assert_int_equal(stat(path, &after), 0);
    assert_true(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino); /* written in place, not replaced */
    unlink(path_of("full"));
}

static void standard_output_that_is_full(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        print_message("SKIPPED: no /dev/full\n");
        skip();
    }
    fflush(stdout);
    const int saved = dup(1);
    assert_non_null(freopen("/dev/full", "w", stdout));
    ty_scores *scores = example();
    const ty_report report = report_of(scores);
    ty_error error = {0};
    const tally_status status = ty_report_write(&report, "-", TALLY_REPORT_JSON, 0, &error);
    const bool table = ty_report_table(&report, 0, stdout);
    clearerr(stdout);
    assert_int_equal(dup2(saved, 1), 1);
    close(saved);
    assert_int_equal(status, TALLY_INPUT);
    assert_non_null(strstr(error.text, "standard output: cannot be written"));
    assert_false(table);
    ty_scores_destroy(scores);
}

static void paths_that_cannot_be_written(void **state) {
    (void)state;
    refused(path_of("absent/report.json"), TALLY_REPORT_JSON, 0, TALLY_INPUT,
            "absent/report.json: cannot be written");
    refused(directory, TALLY_REPORT_JSON, 0, TALLY_INPUT, "cannot be written");
    refused("", TALLY_REPORT_JSON, 0, TALLY_INPUT, "cannot be written");
    assert_true(entries() == 0);
    if (geteuid() == 0) {
        print_message("note: root may write everywhere, so a read-only directory is not tried\n");
        return;
    }
    assert_int_equal(chmod(directory, 0500), 0);
    refused(path_of("report.json"), TALLY_REPORT_JSON, 0, TALLY_INPUT, "report.json: cannot be written");
    assert_int_equal(chmod(directory, 0700), 0);
    assert_true(entries() == 0);
}

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A limit on file sizes makes a write fail half-way: the older report stays, and nothing temporary does. */
static void a_write_that_fails_half_way(void **state) {
    (void)state;
    char target[4096];
    snprintf(target, sizeof target, "%s", path_of("report"));
    put_file(target, "old");
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    small = (struct rlimit){100, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ty_scores *scores = example();
    const ty_report report = report_of(scores);
    ty_error error = {0};
    const tally_status status = ty_report_write(&report, target, TALLY_REPORT_JSON, 0, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, TALLY_INPUT);
    assert_non_null(strstr(error.text, "File too large"));
    assert_true(entries() == 1);
    char *text = content_of(target);
    assert_string_equal(text, "old");
    free(text);
    unlink(target);
    ty_scores_destroy(scores);
}

static void an_older_report_is_replaced(void **state) {
    (void)state;
    char target[4096], link[4096];
    snprintf(target, sizeof target, "%s", path_of("target"));
    snprintf(link, sizeof link, "%s", path_of("link"));
    put_file(target, "old");
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(symlink("target", link), 0);
    ty_scores *scores = example();
    const ty_report report = report_of(scores);
    ty_error error = {0};
    assert_int_equal(ty_report_write(&report, link, TALLY_REPORT_SUB, 0, &error), TALLY_OK);
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode)); /* the link stays one */
    assert_int_equal(stat(target, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    char *text = content_of(target);
    assert_memory_equal(text, "{0}{1}frame", 11);
    free(text);
    unlink(link);
    unlink(target);
    assert_true(entries() == 0);
    ty_scores_destroy(scores);
}

static void a_new_report_follows_the_umask(void **state) {
    (void)state;
    ty_scores *scores = example();
    const ty_report report = report_of(scores);
    ty_error error = {0};
    struct stat about;
    const mode_t mask = umask(027);
    assert_int_equal(ty_report_write(&report, path_of("report"), TALLY_REPORT_CSV, 0, &error), TALLY_OK);
    umask(mask);
    assert_int_equal(stat(path_of("report"), &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    unlink(path_of("report"));
    ty_scores_destroy(scores);
}

/* ---- The table ---- */

static char *table_of(const ty_report *report, int precision) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(ty_report_table(report, precision, out));
    fclose(out);
    return text;
}

static void the_table(void **state) {
    (void)state;
    static const ty_aggregate aggregates[] = {{"apsnr_y", 34.5}};
    ty_scores *scores = ty_scores_create();
    set(scores, "psnr_y", 0, 41.5);
    set(scores, "psnr_y", 1, 30.5);
    set(scores, "psnr_hvs", 0, inf);
    set(scores, "psnr_hvs", 1, 12.0);
    assert_true(ty_scores_add_column(scores, "none"));
    ty_report report = report_of(scores);
    report.aggregates = aggregates;
    report.aggregate_count = 1;
    char *text = table_of(&report, 4);
    assert_string_equal(text, "metric    mean  min (@frame)   max  harmonic mean     p1     p5\n"
                              "psnr_y      36       30.5 @1  41.5          35.18  30.61  31.05\n"
                              "psnr_hvs    12         12 @1   inf             12     12     12\n"
                              "none         -             -     -              -      -      -\n"
                              "not finite, left out of means and percentiles: psnr_hvs 1 of 2\n"
                              "\n"
                              "whole sequence\n"
                              "apsnr_y   34.5\n"
                              "\n"
                              "digest 3922ce3d721cb5fa0bfea00fdd59b6281bf327db8bbca59e79ace670bd329d87\n");
    free(text);
    ty_scores_destroy(scores);
}

static void a_table_without_extras(void **state) {
    (void)state;
    ty_scores *scores = ty_scores_create();
    set(scores, "\x1b[1mx", 0, 1.0);
    const ty_report report = report_of(scores);
    char *text = table_of(&report, 0);
    assert_memory_equal(text, "metric      mean", 16);
    assert_non_null(strstr(
        text, "\n?[1mx   1.000000   1.000000 @0  1.000000       1.000000  1.000000  1.000000\n\ndigest "));
    free(text);
    assert_false(ty_report_table(&report, 99, stdout));
    ty_scores_destroy(scores);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_precision),
        cmocka_unit_test(significant_digits),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(the_locale_plays_no_part),
        cmocka_unit_test(xml_layout),
        cmocka_unit_test(json_layout),
        cmocka_unit_test(csv_layout),
        cmocka_unit_test(sub_layout),
        cmocka_unit_test(nothing_to_report),
        cmocka_unit_test(missing_scores),
        cmocka_unit_test(golden_json),
        cmocka_unit_test(golden_xml),
        cmocka_unit_test(golden_csv),
        cmocka_unit_test(golden_sub),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(json_gives_names_back),
        cmocka_unit_test(means_where_nothing_is_finite),
        cmocka_unit_test(seventeen_digits_read_back),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(format_names),
        cmocka_unit_test(a_full_device),
        cmocka_unit_test(standard_output_that_is_full),
        cmocka_unit_test(paths_that_cannot_be_written),
        cmocka_unit_test(a_write_that_fails_half_way),
        cmocka_unit_test(an_older_report_is_replaced),
        cmocka_unit_test(a_new_report_follows_the_umask),
        cmocka_unit_test(the_table),
        cmocka_unit_test(a_table_without_extras),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
