/* Models in a run: requests, shared features, columns and their order, frames without scores, errors; and
 * where models are looked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/run.h"
#include "model/find.h"
#include "model/known.h"
#include "model/request.h"
#include "model_text.h"

#define DATA TALLY_TESTS_DIR "/data"
#define WIDTH 32
#define HEIGHT 24

static char folder[64];
static char warnings[4096];

static void log_message(void *opaque, tally_log_level level, const char *message) {
    (void)opaque;
    (void)level;
    snprintf(warnings + strlen(warnings), sizeof warnings - strlen(warnings), "%s\n", message);
}

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/tally-models-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static void write_file(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void write_model(const char *name, const char *key, const char *value) {
    char *text = model_text(key, value);
    write_file(name, text);
    free(text);
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"a.json", "b.json", "vmaf_v0.6.1.json"};
    for (size_t i = 0; i < 3; i++)
        remove_file(names[i]);
    return rmdir(folder);
}

static tally_run *new_run(tally_config config) {
    tally_run *run;
    config.log = log_message;
    config.threads = 2;
    warnings[0] = 0;
    assert_int_equal(tally_run_create(&config, &run), TALLY_OK);
    return run;
}

static void add(tally_run *run, const char *request) {
    if (tally_run_add_model(run, request) != TALLY_OK)
        fail_msg("%s: %s", request, tally_run_error(run));
}

static void refused(const char *request, tally_status status, const char *words) {
    tally_run *run = new_run((tally_config){.model_dir = folder});
    assert_int_equal(tally_run_add_model(run, request), status);
    if (!strstr(tally_run_error(run), words))
        fail_msg("%s: the message '%s' lacks '%s'", request, tally_run_error(run), words);
    /* The run stays failed. */
    assert_int_equal(tally_run_add_model(run, DATA "/psnr_model.json"), status);
    tally_run_destroy(run);
}

/* Frames of 4:2:0 whose distortion grows with their number; `frames` of them. */
static void feed(tally_run *run, unsigned frames) {
    static uint8_t planes[2][3][WIDTH * HEIGHT];
    const tally_format format = {WIDTH, HEIGHT, 8, TALLY_PIXEL_FORMAT_420};
    if (tally_run_start(run, &format) != TALLY_OK)
        fail_msg("%s", tally_run_error(run));
    for (unsigned frame = 0; frame < frames; frame++) {
        for (unsigned p = 0; p < 3; p++)
            for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
                planes[0][p][i] = (uint8_t)(50 + (i * 7 + frame * 3 + p) % 100);
                planes[1][p][i] = (uint8_t)(planes[0][p][i] + (i * (i + 3)) % (2 + frame));
            }
        const tally_picture pictures[2] = {
            {{planes[0][0], planes[0][1], planes[0][2]}, {WIDTH, WIDTH / 2, WIDTH / 2}},
            {{planes[1][0], planes[1][1], planes[1][2]}, {WIDTH, WIDTH / 2, WIDTH / 2}}};
        assert_int_equal(tally_run_submit(run, &pictures[0], &pictures[1]), TALLY_OK);
    }
}

static void finish(tally_run *run) {
    if (tally_run_finish(run) != TALLY_OK)
        fail_msg("%s", tally_run_error(run));
}

static double score(const tally_run *run, const char *metric, uint64_t frame) {
    double value;
    if (tally_run_score(run, metric, frame, &value) != TALLY_OK)
        fail_msg("no score of %s at frame %u", metric, (unsigned)frame);
    return value;
}

static void columns(const tally_run *run, const char *const *names) {
    size_t count = 0;
    for (; names[count]; count++) {
        assert_non_null(tally_run_metric_name(run, count));
        assert_string_equal(tally_run_metric_name(run, count), names[count]);
    }
    assert_int_equal(tally_run_metric_count(run), count);
}

/* The score that the model in `path` gives for the run's own features. */
static double predicted(const tally_run *run, const char *path, uint64_t frame, bool clip, bool transform) {
    ty_error error = {0};
    ty_model *model;
    assert_int_equal(ty_model_load(path, &model, &error), TALLY_OK);
    if (!clip)
        ty_model_disable_clip(model);
    if (transform)
        ty_model_enable_transform(model);
    const double features[3] = {score(run, "psnr_y", frame), score(run, "psnr_cb", frame),
                                score(run, "psnr_cr", frame)};
    const ty_member *m = ty_model_member(model, 0);
    const double result = ty_member_finish(m, ty_member_predict(m, features));
    ty_model_free(model);
    return result;
}

/* ---- Scores ---- */

static void one_model(void **state) {
    (void)state;
    tally_run *run = new_run((tally_config){0});
    add(run, DATA "/psnr_model.json");
    feed(run, 5);
    finish(run);
    columns(run, (const char *const[]){"psnr_y", "psnr_cb", "psnr_cr", "vmaf", NULL});
    for (uint64_t frame = 0; frame < 5; frame++)
        assert_true(score(run, "vmaf", frame) == predicted(run, DATA "/psnr_model.json", frame, true, false));
    assert_true(score(run, "vmaf", 4) < score(run, "vmaf", 0));
    tally_pooled pooled;
    assert_int_equal(tally_run_pool(run, "vmaf", &pooled), TALLY_OK);
    assert_int_equal(pooled.count, 5);
    tally_run_destroy(run);
}

static void several_models_share_their_features(void **state) {
    (void)state;
    tally_run *run = new_run((tally_config){.model_dir = DATA});
    add(run, "psnr_collection:name=c");
    add(run, "psnr_model:name=t:enable_transform:disable_clip=true");
    add(run, "psnr_model:name=plain:disable_clip=false:enable_transform=false");
    assert_int_equal(tally_run_add_feature(run, "psnr=enable_mse=true"), TALLY_OK);
    assert_int_equal(run->instances.count, 1);
    feed(run, 4);
    finish(run);
    columns(run, (const char *const[]){"psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr", "c", "t",
                                       "plain", "c_0001", "c_0002", "c_0003", "c_0004", "c_bagging",
                                       "c_stddev", "c_ci_p95_lo", "c_ci_p95_hi", NULL});
    for (uint64_t frame = 0; frame < 4; frame++) {
        assert_true(score(run, "t", frame) == predicted(run, DATA "/psnr_model.json", frame, false, true));
        assert_true(score(run, "plain", frame) ==
                    predicted(run, DATA "/psnr_model.json", frame, true, false));
        assert_true(score(run, "c", frame) == score(run, "plain", frame));
        assert_true(score(run, "c_ci_p95_lo", frame) <= score(run, "c_bagging", frame));
        assert_true(score(run, "c_bagging", frame) <= score(run, "c_ci_p95_hi", frame));
    }
    tally_run_destroy(run);
}

static void a_range_and_a_step(void **state) {
    (void)state;
    tally_run *run = new_run((tally_config){.from = 2, .to = 8, .every = 3});
    add(run, DATA "/psnr_model.json");
    feed(run, 10);
    finish(run);
    double value;
    for (uint64_t frame = 0; frame < 10; frame++)
        assert_int_equal(tally_run_score(run, "vmaf", frame, &value),
                         frame == 3 || frame == 6 ? TALLY_OK : TALLY_USAGE);
    tally_run_destroy(run);
}

static void a_score_that_is_not_a_number(void **state) {
    (void)state;
    /* The slopes overflow: infinity less infinity. */
    write_model("a.json", "slopes", "[1e-300, 1e308, -1e308]");
    remove_file("b.json");
    char *text =
        model_text("model", "\"svm_type nu_svr\\nkernel_type linear\\nnr_class 2\\ntotal_sv 1\\nrho 0\\nSV\\n"
                            "1 1:1e300 2:1e300\\n\"");
    char *slopes = strstr(text, "[0.012, 0.03, 0.02]");
    memcpy(slopes, "[1, 1e308 , -1e308]", 19);
    write_file("b.json", text);
    free(text);
    tally_run *run = new_run((tally_config){.model_dir = folder});
    add(run, "b:name=odd");
    feed(run, 2);
    assert_int_equal(tally_run_finish(run), TALLY_INTERNAL);
    assert_non_null(strstr(tally_run_error(run), "model odd ("));
    assert_non_null(strstr(tally_run_error(run), "frame 0: the score odd is not a number"));
    tally_run_destroy(run);
}

static void reports_name_the_models(void **state) {
    (void)state;
    tally_run *run = new_run((tally_config){.model_dir = DATA});
    add(run, "psnr_model:name=x");
    feed(run, 2);
    finish(run);
    ty_report report;
    assert_int_equal(ty_run_report(run, &report), TALLY_OK);
    assert_int_equal(report.model_count, 1);
    assert_string_equal(report.models[0].name, "x");
    assert_string_equal(report.models[0].file, DATA "/psnr_model.json");
    assert_int_equal(strlen(report.models[0].sha256), 64);
    ty_run_report_free(&report);
    tally_run_destroy(run);
}

static void formats_without_a_feature(void **state) {
    (void)state;
    const tally_format luma = {WIDTH, HEIGHT, 8, TALLY_PIXEL_FORMAT_400};
    tally_run *run = new_run((tally_config){.model_dir = DATA});
    add(run, "psnr_model");
    assert_int_equal(tally_run_start(run, &luma), TALLY_USAGE);
    assert_non_null(strstr(tally_run_error(run), "model vmaf cannot score this format: it needs psnr_cb"));
    tally_run_destroy(run);

    run = new_run((tally_config){.model_dir = DATA, .skip_unsupported = true});
    add(run, "psnr_model");
    assert_int_equal(tally_run_start(run, &luma), TALLY_OK);
    columns(run, (const char *const[]){"psnr_y", NULL});
    assert_int_equal(run->instances.left_out_count, 1);
    assert_non_null(strstr(warnings, "left out: model vmaf cannot score this format"));
    tally_run_destroy(run);
}

/* ---- Requests ---- */

static void requests_are_cut_into_parts(void **state) {
    (void)state;
    const struct {
        const char *text, *model, *name;
        bool disable_clip, enable_transform;
        size_t overrides;
    } cases[] = {
        {"m", "m", "vmaf", false, false, 0},
        {"/a/b:c/d.json", "/a/b:c/d.json", "vmaf", false, false, 0},
        {"C:/x.json:name=n", "C:/x.json", "n", false, false, 0},
        {"m:disable_clip", "m", "vmaf", true, false, 0},
        {"m:disable_clip:enable_transform=true", "m", "vmaf", true, true, 0},
        {"m:disable_clip=true:disable_clip=false", "m", "vmaf", false, false, 0},
        {"./disable_clip:x:enable_transform:vif.a=1:adm.b=x=y", "./disable_clip:x", "vmaf", false, true, 2},
        {"a:b:c", "a:b:c", "vmaf", false, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ty_error error = {0};
        ty_model_request r;
        assert_int_equal(ty_model_request_parse(cases[i].text, &r, &error), TALLY_OK);
        assert_string_equal(r.model, cases[i].model);
        assert_string_equal(r.name, cases[i].name);
        assert_true(r.disable_clip == cases[i].disable_clip &&
                    r.enable_transform == cases[i].enable_transform);
        assert_int_equal(r.override_count, cases[i].overrides);
        if (r.override_count == 2) {
            assert_string_equal(r.overrides[1].feature, "adm");
            assert_string_equal(r.overrides[1].option, "b");
            assert_string_equal(r.overrides[1].value, "x=y");
        }
        ty_model_request_free(&r);
    }
}

static void wrong_requests(void **state) {
    (void)state;
    char name[200];
    memset(name, 'n', sizeof name);
    memcpy(name, "m:name=", 7);
    name[sizeof name - 1] = 0;
    refused("", TALLY_USAGE, "the model's name is empty");
    refused(":name=x", TALLY_USAGE, "the model's name is empty");
    refused("m:name=", TALLY_USAGE, "must have 1 to 128 characters");
    refused("m:name=a\nb", TALLY_USAGE, "no control characters");
    refused(name, TALLY_USAGE, "must have 1 to 128 characters");
    refused("m:disable_clip=yes", TALLY_USAGE, "disable_clip=yes: must be true or false");
    refused("m:nam=x", TALLY_USAGE, "there is no model option 'nam'");
    refused("m:name=x:foo", TALLY_USAGE, "model option 'foo' has no value");
    refused("m:name=x:", TALLY_USAGE, "nothing follows the last ':'");
    refused(DATA "/psnr_model.json:psnr.enable_mze=true", TALLY_USAGE,
            "feature psnr has no option 'enable_mze'");
    refused(DATA "/psnr_model.json:psnr.min_sse=x", TALLY_USAGE, "option min_sse=x: must be a number");
    refused(DATA "/psnr_model.json:pnsr.min_sse=1", TALLY_USAGE, "there is no feature 'pnsr'");
    refused(DATA "/psnr_model.json:psnr.enable_chroma=false", TALLY_INPUT, "feature psnr gives no psnr_cb");
    refused("./no_such.json", TALLY_INPUT, "./no_such.json: the model cannot be opened");
    write_model("a.json", "feature_names", "[\"psnr_y\", \"no_such_metric\"]");
    refused("a", TALLY_INPUT, "feature_names[1]: no feature of this build gives 'no_such_metric'");
    write_model("a.json", "feature_opts_dicts", "[{}, {\"min_sze\": 1}]");
    refused("a", TALLY_INPUT, "a.json: feature_opts_dicts[1]: feature psnr has no option 'min_sze'");
    write_model("a.json", "feature_opts_dicts", "[{}, {\"min_sse\": 1}]");
    refused("a", TALLY_USAGE, "no metric name tells what they differ in");
}

static void overrides(void **state) {
    (void)state;
    tally_run *run = new_run((tally_config){.model_dir = DATA});
    add(run, "psnr_model:psnr.reduced_hbd_peak=true");
    assert_string_equal(warnings, "");
    feed(run, 1);
    finish(run);
    ty_report report;
    assert_int_equal(ty_run_report(run, &report), TALLY_OK);
    assert_string_equal(report.features[0], "psnr=reduced_hbd_peak=true");
    ty_run_report_free(&report);
    tally_run_destroy(run);
}

static void names_must_differ(void **state) {
    (void)state;
    tally_run *run = new_run((tally_config){.model_dir = DATA});
    add(run, "psnr_model");
    assert_int_equal(tally_run_add_model(run, "psnr_collection"), TALLY_USAGE);
    assert_non_null(strstr(tally_run_error(run), "two models would both write the score vmaf"));
    tally_run_destroy(run);
    const tally_format format = {WIDTH, HEIGHT, 8, TALLY_PIXEL_FORMAT_420};
    static const char *const clashes[][2] = {{"psnr_model:name=psnr_y", NULL},
                                             {"psnr_model:name=c_0002", "psnr_collection:name=c"},
                                             {"psnr_model:name=c_stddev", "psnr_collection:name=c"}};
    for (size_t i = 0; i < 3; i++) {
        run = new_run((tally_config){.model_dir = DATA});
        add(run, clashes[i][0]);
        if (clashes[i][1])
            add(run, clashes[i][1]);
        assert_int_equal(tally_run_start(run, &format), TALLY_USAGE);
        assert_non_null(strstr(tally_run_error(run), "would both write the metric"));
        tally_run_destroy(run);
    }
}

static void knots_that_do_not_ascend_are_warned_of(void **state) {
    (void)state;
    write_model("a.json", "score_transform", "{\"enabled\": true, \"knots\": [[0, 0], [50, 60], [40, 70]]}");
    tally_run *run = new_run((tally_config){.model_dir = folder});
    add(run, "a");
    assert_non_null(
        strstr(warnings, "score_transform.knots do not ascend: those after the first 2 have no effect"));
    tally_run_destroy(run);
}

static void calls_out_of_order(void **state) {
    (void)state;
    tally_run *run = new_run((tally_config){.model_dir = DATA});
    assert_int_equal(tally_run_add_model(NULL, "x"), TALLY_USAGE);
    add(run, "psnr_model");
    feed(run, 1);
    assert_int_equal(tally_run_add_model(run, "psnr_model:name=x"), TALLY_USAGE);
    assert_non_null(strstr(tally_run_error(run), "after the run had started"));
    tally_run_destroy(run);
    run = new_run((tally_config){0});
    assert_int_equal(tally_run_add_model(run, NULL), TALLY_USAGE);
    tally_run_destroy(run);
}

/* ---- Finding ---- */

static void folders_in_order(void **state) {
    (void)state;
    char path[256];
    ty_error error = {0};
    ty_model_folders folders;
    snprintf(path, sizeof path, "/nonexistent/x::%s", folder);
    setenv("TALLY_MODEL_PATH", path, 1);
    setenv("XDG_DATA_HOME", "/nonexistent/data", 1);
    assert_int_equal(ty_model_folders_list("/first", &folders, &error), TALLY_OK);
    const char *const expected[] = {"/first",
                                    "/nonexistent/x",
                                    folder,
                                    "/nonexistent/data/tally/model",
                                    "/usr/local/share/tally/model",
                                    "/usr/share/tally/model",
                                    "/usr/local/share/model",
                                    "/usr/share/model"};
    assert_int_equal(folders.count, 8);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(folders.paths[i], expected[i]);
    ty_model_folders_free(&folders);
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", "/nonexistent/home", 1);
    char *user = ty_model_user_folder();
    assert_string_equal(user, "/nonexistent/home/.local/share/tally/model");
    free(user);
    unsetenv("HOME");
    assert_null(ty_model_user_folder());

    write_model("vmaf_v0.6.1.json", NULL, NULL);
    char *found;
    assert_int_equal(ty_model_find("vmaf_v0.6.1", NULL, &found, &error), TALLY_OK);
    snprintf(path, sizeof path, "%s/vmaf_v0.6.1.json", folder);
    assert_string_equal(found, path);
    free(found);
    assert_int_equal(ty_model_find("vmaf_v0.6.1", "/nonexistent", &found, &error), TALLY_OK);
    assert_string_equal(found, path);
    free(found);
    remove_file("vmaf_v0.6.1.json");
    assert_int_equal(ty_model_find("vmaf_v0.6.1", "/first", &found, &error), TALLY_USAGE);
    assert_null(found);
    assert_non_null(strstr(
        error.text, "'tally models get vmaf_v0.6.1' downloads it. Looked in: /first, /nonexistent/x, "));
    error = (ty_error){0};
    assert_int_equal(ty_model_find("my_model", NULL, &found, &error), TALLY_USAGE);
    assert_non_null(strstr(error.text, "there is no model 'my_model'"));
    unsetenv("TALLY_MODEL_PATH");
}

static void paths_and_names(void **state) {
    (void)state;
    assert_true(ty_model_is_path("a/b") && ty_model_is_path("./a") && ty_model_is_path("a.json"));
    assert_false(ty_model_is_path("a") || ty_model_is_path(".json") || ty_model_is_path("vmaf_v0.6.1"));
}

static void known_models(void **state) {
    (void)state;
    size_t count = 0;
    for (const ty_known_model *k = ty_known_models; k->name; k++, count++) {
        assert_int_equal(strlen(k->sha256), 64);
        assert_int_equal(strspn(k->sha256, "0123456789abcdef"), 64);
        assert_true(count == 0 || strcmp(k[-1].name, k->name) < 0);
        assert_ptr_equal(ty_known_find(k->name), k);
    }
    assert_int_equal(count, 17);
    assert_null(ty_known_find("vmaf"));
}

static void known_models_have_their_hashes(void **state) {
    (void)state;
    const char *data = getenv("TALLY_TEST_DATA");
    if (!data) {
        print_message("TALLY_TEST_DATA is not set: no published models to test\n");
        skip();
    }
    for (const ty_known_model *k = ty_known_models; k->name; k++) {
        char path[1024];
        ty_error error = {0};
        ty_model *model;
        snprintf(path, sizeof path, "%s/models/%s.json", data, k->name);
        assert_int_equal(ty_model_load(path, &model, &error), TALLY_OK);
        assert_string_equal(ty_model_sha256(model), k->sha256);
        ty_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_model),
        cmocka_unit_test(several_models_share_their_features),
        cmocka_unit_test(a_range_and_a_step),
        cmocka_unit_test(a_score_that_is_not_a_number),
        cmocka_unit_test(reports_name_the_models),
        cmocka_unit_test(formats_without_a_feature),
        cmocka_unit_test(requests_are_cut_into_parts),
        cmocka_unit_test(wrong_requests),
        cmocka_unit_test(overrides),
        cmocka_unit_test(names_must_differ),
        cmocka_unit_test(knots_that_do_not_ascend_are_warned_of),
        cmocka_unit_test(calls_out_of_order),
        cmocka_unit_test(folders_in_order),
        cmocka_unit_test(paths_and_names),
        cmocka_unit_test(known_models),
        cmocka_unit_test(known_models_have_their_hashes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
