/* Comparing two reports: the verdict, the words for it, and files that are no reports. */
#include "report/verify.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/report.h"

static const double inf = (double)INFINITY;

/* ---- Two reports in a directory of our own ---- */

static char directory[] = "/tmp/tally-test-verify-XXXXXX";
static char path_a[256], path_b[256];

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path_a, sizeof path_a, "%s/a.json", directory);
    snprintf(path_b, sizeof path_b, "%s/b.json", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    unlink(path_a);
    unlink(path_b);
    return rmdir(directory);
}

/* Three metrics whose numbers need all their digits. */
static ty_scores *some_scores(void) {
    ty_scores *scores = ty_scores_create();
    assert_non_null(scores);
    assert_true(ty_scores_add_column(scores, "vmaf"));
    assert_true(ty_scores_add_column(scores, "psnr_y"));
    assert_true(ty_scores_add_column(scores, "ssim"));
    for (uint64_t frame = 0; frame < 12; frame++) {
        assert_true(ty_scores_set(scores, 0, frame, 90.0 + 1.0 / (double)(frame + 3)));
        assert_true(ty_scores_set(scores, 1, frame, 30.0 + 1.0 / (double)(frame + 7)));
        assert_true(ty_scores_set(scores, 2, frame, 1.0 / (double)(frame + 1)));
    }
    return scores;
}

static void write_report(const ty_scores *scores, const char *path, int precision, double apsnr) {
    const ty_aggregate aggregates[] = {{"apsnr_y", apsnr}};
    const ty_report report = {.scores = scores,
                              .aggregates = aggregates,
                              .aggregate_count = 1,
                              .format = {64, 48, 8, TALLY_PIXEL_FORMAT_420},
                              .fps = 1.0,
                              .backend = "cpu",
                              .device = "",
                              .level = ""};
    ty_error error = {0};
    if (ty_report_write(&report, path, TALLY_REPORT_JSON, precision, &error) != TALLY_OK)
        fail_msg("%s", error.text);
}

static void write_text(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(text, 1, size, file) == size);
    assert_int_equal(fclose(file), 0);
}

/* Replaces the first `old` in a file by `new`. */
static void edit(const char *path, const char *old, const char *new) {
    char text[1 << 16], edited[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *at = strstr(text, old);
    if (!at)
        fail_msg("%s lacks \"%s\"", path, old);
    const int size =
        snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    write_text(path, edited, (size_t)size);
}

/* ---- Verdicts ---- */

static char said[1 << 14];
static ty_error failure;

static tally_status verify(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    failure = (ty_error){0};
    const tally_status status = ty_verify(path_a, path_b, out, &failure);
    fclose(out);
    snprintf(said, sizeof said, "%s", text);
    free(text);
    if (status == TALLY_OK || status == TALLY_DIFFERENT)
        assert_string_equal(failure.text, "");
    else
        assert_string_equal(said, ""); /* a verdict or an error, never both */
    return status;
}

static void expect(tally_status status, const char *words) {
    const tally_status got = verify();
    if (got != status || !strstr(status == TALLY_INPUT ? failure.text : said, words))
        fail_msg("status %d, said \"%s\", error \"%s\"; expected %d, \"%s\"", (int)got, said, failure.text,
                 (int)status, words);
}

static void also(const char *words) {
    if (!strstr(said, words))
        fail_msg("\"%s\" lacks \"%s\"", said, words);
}

/* Writes a and b with one score changed in b. */
static void write_pair(int precision_a, int precision_b, size_t column, uint64_t frame, double value) {
    ty_scores *scores = some_scores();
    write_report(scores, path_a, precision_a, 34.5);
    assert_true(ty_scores_set(scores, column, frame, value));
    write_report(scores, path_b, precision_b, 34.5);
    ty_scores_destroy(scores);
}

static void write_equal_pair(int precision_a, int precision_b) {
    ty_scores *scores = some_scores();
    write_report(scores, path_a, precision_a, 34.5);
    write_report(scores, path_b, precision_b, 34.5);
    ty_scores_destroy(scores);
}

static void equal_reports(void **state) {
    (void)state;
    ty_scores *scores = some_scores();
    char digest[65], expected[512];
    assert_true(ty_scores_digest(scores, digest));
    write_equal_pair(17, 17);
    snprintf(expected, sizeof expected, "a.json and %s tally: 36 values, digest %s\n", path_b, digest);
    expect(TALLY_OK, expected);
    ty_scores_destroy(scores);
}

static void one_bit(void **state) {
    (void)state;
    write_pair(17, 17, 1, 10, nextafter(30.0 + 1.0 / 17.0, 100.0));
    expect(TALLY_DIFFERENT, " differ at metric psnr_y, frame 10:\n");
    also("a.json: 30.058823529411764 (403e0f0f0f0f0f0f)\n");
    also("b.json: 30.058823529411768 (403e0f0f0f0f0f10)\n");
    also("\n1 values differ, 0 are only in the first, 0 only in the second; 35 are equal\n");
}

/* Byte order of metrics, then frames as numbers: 2 before 10. */
static void the_first_difference_is_named(void **state) {
    (void)state;
    ty_scores *scores = some_scores();
    write_report(scores, path_a, 17, 34.5);
    assert_true(ty_scores_set(scores, 0, 0, 1.0));
    assert_true(ty_scores_set(scores, 2, 10, 2.0));
    assert_true(ty_scores_set(scores, 2, 2, 3.0));
    write_report(scores, path_b, 17, 34.5);
    ty_scores_destroy(scores);
    expect(TALLY_DIFFERENT, " differ at metric ssim, frame 2:\n");
    also("\n3 values differ, ");
}

static void the_sign_of_zero_counts(void **state) {
    (void)state;
    ty_scores *scores = some_scores();
    assert_true(ty_scores_set(scores, 0, 0, 0.0));
    write_report(scores, path_a, 17, 34.5);
    assert_true(ty_scores_set(scores, 0, 0, -0.0));
    write_report(scores, path_b, 17, 34.5);
    ty_scores_destroy(scores);
    expect(TALLY_DIFFERENT, "metric vmaf, frame 0");
    also("b.json: -0 (8000000000000000)");
}

static void missing_metrics_and_frames(void **state) {
    (void)state;
    ty_scores *scores = some_scores();
    write_report(scores, path_a, 17, 34.5);
    assert_true(ty_scores_add_column(scores, "cambi"));
    assert_true(ty_scores_set(scores, 3, 4, 0.5));
    write_report(scores, path_b, 17, 34.5);
    expect(TALLY_DIFFERENT, " differ at metric cambi, frame 4:\n");
    also("a.json: no such metric\n");
    also("b.json: 0.5 (3fe0000000000000)\n");
    also("\n0 values differ, 0 are only in the first, 1 only in the second; 36 are equal\n");

    assert_true(ty_scores_set(scores, 3, 5, 0.5));
    write_report(scores, path_a, 17, 34.5);
    expect(TALLY_DIFFERENT, " differ at metric cambi, frame 5:\n");
    also("b.json: no score at this frame\n");
    ty_scores_destroy(scores);
}

static void aggregates_are_compared(void **state) {
    (void)state;
    ty_scores *scores = some_scores();
    write_report(scores, path_a, 17, 34.5);
    write_report(scores, path_b, 17, nextafter(34.5, 99.0));
    ty_scores_destroy(scores);
    expect(TALLY_DIFFERENT, " differ at aggregate apsnr_y:\n");
    also("b.json: 34.500000000000007 (4041400000000001)\n");
}

/* ---- Infinite scores, which JSON cannot say ---- */

static void infinite_scores(void **state) {
    (void)state;
    write_pair(17, 17, 0, 3, 1.0);
    ty_scores *scores = some_scores();
    assert_true(ty_scores_set(scores, 0, 3, inf));
    write_report(scores, path_b, 17, 34.5);
    expect(TALLY_DIFFERENT, " differ at metric vmaf, frame 3:\n");
    also("b.json: inf (7ff0000000000000)\n");
    write_report(scores, path_a, 17, 34.5);
    expect(TALLY_OK, " tally: 36 values");
    assert_true(ty_scores_set(scores, 0, 3, -inf)); /* the digest tells the sign */
    write_report(scores, path_a, 17, 34.5);
    expect(TALLY_DIFFERENT, " differ at metric vmaf, frame 3:\n");
    also("a.json: -inf (fff0000000000000)\n");
    assert_true(ty_scores_set(scores, 1, 3, inf)); /* both signs: only the digests can decide */
    write_report(scores, path_a, 17, 34.5);
    write_report(scores, path_b, 17, 34.5);
    expect(TALLY_OK, " tally: 36 values");
    ty_scores_destroy(scores);
}

/* ---- Fewer digits ---- */

static void digests_decide_where_digits_are_missing(void **state) {
    (void)state;
    write_equal_pair(17, 0);
    expect(TALLY_OK, " tally: 36 values, digest ");
    also("b.json was written with fewer than 17 digits or edited");
    write_equal_pair(3, 17);
    expect(TALLY_OK, " tally: 36 values, digest ");
    also("a.json was written with fewer than 17 digits or edited");
    write_equal_pair(0, 0);
    expect(TALLY_OK, " tally: 36 values, digest ");
}

static void a_difference_hidden_by_the_digits(void **state) {
    (void)state;
    write_pair(6, 6, 1, 10, nextafter(30.0 + 1.0 / 17.0, 100.0));
    expect(TALLY_DIFFERENT, " differ, but not in the digits printed: digests ");
}

static void a_difference_seen_in_few_digits(void **state) {
    (void)state;
    write_pair(6, 6, 1, 10, 31.0);
    expect(TALLY_DIFFERENT, " differ at metric psnr_y, frame 10:\n");
    also("a.json: 30.058800000000002 (403e0f0d844d013b)\n");
    also("a.json was written with fewer than 17 digits or edited");
}

static void without_a_digest(void **state) {
    (void)state;
    write_equal_pair(17, 17);
    edit(path_b, "\"digest\"", "\"other\"");
    expect(TALLY_OK, " tally: 36 values, digest ");
    also("b.json states no digest: only its printed numbers were compared");
    edit(path_a, "\"digest\"", "\"other\"");
    expect(TALLY_INPUT, "neither ");
    write_equal_pair(6, 17);
    edit(path_b, "\"digest\"", "\"other\"");
    expect(TALLY_INPUT,
           "a.json: its digest is not that of its numbers: written with fewer than 17 digits (use "
           "--precision max)");
    write_equal_pair(17, 6);
    edit(path_b, "\"tally\"", "\"other\"");
    expect(TALLY_DIFFERENT, "b.json states no digest");
}

static void edited_reports(void **state) {
    (void)state;
    write_equal_pair(17, 17);
    edit(path_b, "90.333333333333329", "91.333333333333329");
    expect(TALLY_INPUT, "b.json: its numbers are not those of its digest: edited or damaged");
    write_equal_pair(17, 17);
    edit(path_a, "\"frameNum\": 11", "\"frameNum\": 12");
    expect(TALLY_INPUT, "a.json: its numbers are not those of its digest: edited or damaged");
}

static void the_locale_plays_no_part(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") || strcmp(localeconv()->decimal_point, ",") != 0) {
        setlocale(LC_ALL, "C");
        print_message("SKIPPED: no locale de_DE.UTF-8 with a decimal comma on this machine\n");
        skip();
    }
    write_equal_pair(17, 4);
    expect(TALLY_OK, " tally: 36 values");
    write_pair(17, 17, 0, 1, 90.5);
    expect(TALLY_DIFFERENT, "b.json: 90.5 (4056a00000000000)");
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
}

/* ---- Files that are no reports ---- */

static void not_a_report(const char *text, const char *words) {
    char expected[512];
    write_equal_pair(17, 17);
    write_text(path_b, text, strlen(text));
    snprintf(expected, sizeof expected, "%s: %s", path_b, words);
    expect(TALLY_INPUT, expected);
    char other[256]; /* the same in the place of the first */
    memcpy(other, path_a, sizeof other);
    memcpy(path_a, path_b, sizeof path_a);
    memcpy(path_b, other, sizeof path_b);
    expect(TALLY_INPUT, expected);
    memcpy(path_b, path_a, sizeof path_b);
    memcpy(path_a, other, sizeof path_a);
}

static void malformed_json(void **state) {
    (void)state;
    not_a_report("", "not JSON at byte 0");
    not_a_report("<VMAF version=\"1\">", "not JSON at byte 0");
    not_a_report("{\"frames\": [}", "not JSON at byte 12");
    not_a_report("{\"frames\": []", "not JSON at byte ");
    not_a_report("{\"frames\": []} more", "not JSON at byte 15");
    not_a_report("{\"frames\": \"abc", "not JSON at byte ");
}

static void zero_bytes(void **state) {
    (void)state;
    write_equal_pair(17, 17);
    write_text(path_b, "{\"frames\": []}\0{}", 17);
    expect(TALLY_INPUT, "b.json: not JSON at byte 14");
}

static void truncated_anywhere(void **state) {
    (void)state;
    write_equal_pair(17, 17);
    char text[1 << 14];
    FILE *file = fopen(path_b, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_true(size < sizeof text);
    for (size_t cut = 0; cut < size - 2; cut++) { /* without the last line end it still is whole */
        write_text(path_b, text, cut);
        expect(TALLY_INPUT, "b.json: not JSON at byte ");
    }
}

static void deep_nesting(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    write_equal_pair(17, 17);
    write_text(path_b, text, 2 * DEPTH);
    free(text);
    expect(TALLY_INPUT, "b.json: not JSON at byte ");
}

static void wrong_types(void **state) {
    (void)state;
    not_a_report("[]", "no report: not a JSON object");
    not_a_report("5", "no report: not a JSON object");
    not_a_report("{}", "no report: \"frames\" is missing or no array");
    not_a_report("{\"frames\": {}}", "no report: \"frames\" is missing or no array");
    not_a_report("{\"frames\": []}", "holds no scores");
    not_a_report("{\"frames\": [1]}", "frames[0].frameNum is missing or no frame number");
    not_a_report("{\"frames\": [{\"frameNum\": -1, \"metrics\": {}}]}", "frames[0].frameNum");
    not_a_report("{\"frames\": [{\"frameNum\": 0.5, \"metrics\": {}}]}", "frames[0].frameNum");
    not_a_report("{\"frames\": [{\"frameNum\": 1e300, \"metrics\": {}}]}", "frames[0].frameNum");
    not_a_report("{\"frames\": [{\"frameNum\": 0, \"metrics\": {}}, {\"frameNum\": \"1\"}]}",
                 "frames[1].frameNum");
    not_a_report("{\"frames\": [{\"frameNum\": 0}]}", "frames[0].metrics is missing or no object");
    not_a_report("{\"frames\": [{\"frameNum\": 0, \"metrics\": [1]}]}",
                 "frames[0].metrics is missing or no object");
    not_a_report("{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": \"1\"}}]}",
                 "frames[0].metrics: \"a\" is no finite number and not null");
    not_a_report("{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": 1e999}}]}",
                 "frames[0].metrics: \"a\"");
    not_a_report("{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": {}}}]}", "frames[0].metrics: \"a\"");
    not_a_report("{\"frames\": [{\"frameNum\": 7, \"metrics\": {\"a\": 1, \"a\": 1}}]}",
                 "\"a\" stands twice at frame 7");
}

static void wrong_types_behind_the_scores(void **state) {
    (void)state;
#define FRAMES "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": 1}}], "
    not_a_report(FRAMES "\"aggregate_metrics\": []}", "\"aggregate_metrics\" is no object");
    not_a_report(FRAMES "\"aggregate_metrics\": {\"x\": true}}",
                 "aggregate_metrics: \"x\" is no finite number");
    not_a_report(FRAMES "\"tally\": 1}", "\"tally\" is no object");
    not_a_report(FRAMES "\"tally\": {\"digest\": 1}}", "tally.digest is not 64 hex digits");
    not_a_report(FRAMES "\"tally\": {\"digest\": \"abc\"}}", "tally.digest is not 64 hex digits");
}

/* Frame numbers up to 2^53 cost nothing. */
static void far_frames(void **state) {
    (void)state;
    write_equal_pair(17, 17);
    const char *text = "{\"frames\": [{\"frameNum\": 9007199254740992, \"metrics\": {\"a\": 1}}]}";
    write_text(path_b, text, strlen(text));
    expect(TALLY_DIFFERENT, "metric a, frame 9007199254740992:");
}

static void files_that_cannot_be_read(void **state) {
    (void)state;
    write_equal_pair(17, 17);
    unlink(path_b);
    expect(TALLY_INPUT, "b.json: cannot be opened: ");
    ty_error error = {0};
    assert_int_equal(ty_verify(path_a, directory, stdout, &error), TALLY_INPUT);
    assert_non_null(strstr(error.text, "cannot be read: "));
    error = (ty_error){0};
    assert_int_equal(ty_verify("-", "-", stdout, &error), TALLY_USAGE);
}

static void a_verdict_that_cannot_be_written(void **state) {
    (void)state;
    FILE *out = fopen("/dev/full", "w");
    if (!out) {
        print_message("SKIPPED: no /dev/full\n");
        skip();
    }
    write_equal_pair(17, 17);
    ty_error error = {0};
    assert_int_equal(ty_verify(path_a, path_b, out, &error), TALLY_INPUT);
    assert_non_null(strstr(error.text, "the verdict cannot be written: No space left"));
    fclose(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_reports),
        cmocka_unit_test(one_bit),
        cmocka_unit_test(the_first_difference_is_named),
        cmocka_unit_test(the_sign_of_zero_counts),
        cmocka_unit_test(missing_metrics_and_frames),
        cmocka_unit_test(aggregates_are_compared),
        cmocka_unit_test(infinite_scores),
        cmocka_unit_test(digests_decide_where_digits_are_missing),
        cmocka_unit_test(a_difference_hidden_by_the_digits),
        cmocka_unit_test(a_difference_seen_in_few_digits),
        cmocka_unit_test(without_a_digest),
        cmocka_unit_test(edited_reports),
        cmocka_unit_test(the_locale_plays_no_part),
        cmocka_unit_test(malformed_json),
        cmocka_unit_test(zero_bytes),
        cmocka_unit_test(truncated_anywhere),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(wrong_types_behind_the_scores),
        cmocka_unit_test(far_frames),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(a_verdict_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
