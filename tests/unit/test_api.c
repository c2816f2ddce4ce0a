/* Every public function with wrong arguments, in the wrong order, and across threads. */
#include "unit.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "parity/synth.h"

static const tally_format small = {16, 16, 8, TALLY_PIXEL_FORMAT_400};
static uint8_t samples[16 * 16];
static const tally_picture picture = {{samples}, {16}};

static tally_run *new_run(void) {
    tally_run *run;
    const tally_config config = {.threads = 2};
    assert_int_equal(tally_run_create(&config, &run), TALLY_OK);
    return run;
}

static tally_run *started_run(const char *feature) {
    tally_run *run = new_run();
    assert_int_equal(tally_run_add_feature(run, feature), TALLY_OK);
    assert_int_equal(tally_run_start(run, &small), TALLY_OK);
    return run;
}

static void null_everywhere(void **state) {
    (void)state;
    tally_pooled pooled;
    double value;
    const char *name;
    char digest[65];
    tally_run *run = new_run();
    assert_int_equal(tally_run_create(NULL, NULL), TALLY_USAGE);
    tally_run_destroy(NULL);
    tally_run_cancel(NULL);
    assert_int_equal(tally_run_add_feature(NULL, "psnr"), TALLY_USAGE);
    assert_int_equal(tally_run_start(NULL, &small), TALLY_USAGE);
    assert_int_equal(tally_run_submit(NULL, &picture, &picture), TALLY_USAGE);
    assert_int_equal(tally_run_finish(NULL), TALLY_USAGE);
    assert_int_equal(tally_run_score_files(NULL, "a", "b", NULL), TALLY_USAGE);
    assert_int_equal(tally_run_metric_count(NULL), 0);
    assert_null(tally_run_metric_name(NULL, 0));
    assert_int_equal(tally_run_frame_count(NULL), 0);
    assert_int_equal(tally_run_progress(NULL), 0);
    assert_int_equal(tally_run_score(NULL, "psnr_y", 0, &value), TALLY_USAGE);
    assert_int_equal(tally_run_score(run, NULL, 0, &value), TALLY_USAGE);
    assert_int_equal(tally_run_pool(NULL, "psnr_y", &pooled), TALLY_USAGE);
    assert_int_equal(tally_run_pool(run, "psnr_y", NULL), TALLY_USAGE);
    assert_int_equal(tally_run_aggregate_count(NULL), 0);
    assert_int_equal(tally_run_aggregate(NULL, 0, &name, &value), TALLY_USAGE);
    assert_int_equal(tally_run_aggregate(run, 0, &name, &value), TALLY_USAGE);
    assert_int_equal(tally_run_digest(NULL, digest), TALLY_USAGE);
    assert_int_equal(tally_run_digest(run, NULL), TALLY_USAGE);
    assert_int_equal(tally_run_write_report(NULL, "x", TALLY_REPORT_JSON, 0), TALLY_USAGE);
    assert_non_null(tally_run_error(NULL));
    assert_string_equal(tally_run_error(run), "");
    assert_false(tally_level_usable(NULL));
    assert_false(tally_level_usable("v9"));
    assert_true(tally_level_usable("scalar"));
    assert_null(tally_feature_name(1000));
    assert_null(tally_level_name(1000));
    assert_null(tally_backend_name(1000));
    assert_string_equal(tally_status_name((tally_status)99), "unknown");
    tally_run_destroy(run);
}

static void fails(tally_run *run, tally_status got, tally_status expected, const char *word) {
    assert_int_equal(got, expected);
    if (!strstr(tally_run_error(run), word))
        fail_msg("'%s' does not say '%s'", tally_run_error(run), word);
    /* The failure stays, in words and in kind. */
    assert_int_equal(tally_run_finish(run), expected);
    assert_int_equal(tally_run_add_feature(run, "psnr"), expected);
    tally_run_destroy(run);
}

static void null_arguments(void **state) {
    (void)state;
    tally_run *run = new_run();
    fails(run, tally_run_add_feature(run, NULL), TALLY_USAGE, "NULL");
    run = new_run();
    fails(run, tally_run_start(run, NULL), TALLY_USAGE, "NULL");
    run = started_run("psnr");
    fails(run, tally_run_submit(run, NULL, &picture), TALLY_USAGE, "reference picture is NULL");
    run = started_run("psnr");
    fails(run, tally_run_submit(run, &picture, NULL), TALLY_USAGE, "distorted picture is NULL");
    run = started_run("psnr");
    const tally_picture empty = {{NULL}, {16}};
    fails(run, tally_run_submit(run, &picture, &empty), TALLY_USAGE, "plane 0");
    run = started_run("psnr");
    const tally_picture narrow = {{samples}, {15}};
    fails(run, tally_run_submit(run, &narrow, &picture), TALLY_USAGE, "stride");
    run = new_run();
    fails(run, tally_run_score_files(run, NULL, "b", NULL), TALLY_USAGE, "reference file");
    run = new_run();
    fails(run, tally_run_score_files(run, "a", NULL, NULL), TALLY_USAGE, "distorted file");
}

static void wrong_order(void **state) {
    (void)state;
    tally_run *run = new_run();
    fails(run, tally_run_submit(run, &picture, &picture), TALLY_USAGE, "start");
    run = new_run();
    fails(run, tally_run_finish(run), TALLY_USAGE, "not started");
    run = started_run("psnr");
    fails(run, tally_run_start(run, &small), TALLY_USAGE, "already");
    run = started_run("psnr");
    fails(run, tally_run_add_feature(run, "psnr_hvs"), TALLY_USAGE, "after the run had started");
    run = started_run("psnr");
    fails(run, tally_run_score_files(run, "a", "b", NULL), TALLY_USAGE, "already");
    run = started_run("psnr");
    fails(run, tally_run_finish(run), TALLY_INPUT, "no frames");
    run = started_run("psnr");
    fails(run, tally_run_write_report(run, "x", TALLY_REPORT_JSON, 0), TALLY_USAGE, "before the run was finished");
}

static void bad_configurations(void **state) {
    (void)state;
    static const tally_config bad[] = {{.threads = 5000},       {.backend = "abacus"}, {.level = "v9"},
                                       {.from = 5, .to = 4},    {.device = 7},
                                       {.level = "a name that is much too long to be the name of a level"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tally_run *run = (tally_run *)&picture;
        assert_int_not_equal(tally_run_create(&bad[i], &run), TALLY_OK);
        assert_null(run);
    }
}

static void bad_formats(void **state) {
    (void)state;
    static const tally_format bad[] = {{0, 16, 8, TALLY_PIXEL_FORMAT_420},
                                       {16, 0, 8, TALLY_PIXEL_FORMAT_420},
                                       {65536, 16, 8, TALLY_PIXEL_FORMAT_420},
                                       {65535, 65535, 8, TALLY_PIXEL_FORMAT_420},
                                       {16, 16, 7, TALLY_PIXEL_FORMAT_420},
                                       {16, 16, 17, TALLY_PIXEL_FORMAT_420},
                                       {16, 16, 8, TALLY_PIXEL_FORMAT_NONE},
                                       {16, 16, 8, (tally_pixel_format)9}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tally_run *run = new_run();
        assert_int_equal(tally_run_start(run, &bad[i]), TALLY_USAGE);
        assert_int_not_equal(strlen(tally_run_error(run)), 0);
        tally_run_destroy(run);
    }
}

static void scores_that_are_not_there(void **state) {
    (void)state;
    double value;
    tally_pooled pooled;
    tally_run *run = started_run("psnr");
    assert_int_equal(tally_run_submit(run, &picture, &picture), TALLY_OK);
    assert_int_equal(tally_run_score(run, "psnr_y", 0, &value), TALLY_USAGE); /* not finished */
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    assert_int_equal(tally_run_score(run, "psnr_y", 0, &value), TALLY_OK);
    assert_int_equal(tally_run_score(run, "psnr_y", 1, &value), TALLY_USAGE);
    assert_int_equal(tally_run_score(run, "nonsense", 0, &value), TALLY_USAGE);
    assert_int_equal(tally_run_pool(run, "nonsense", &pooled), TALLY_USAGE);
    assert_string_equal(tally_run_error(run), ""); /* asking is no failure */
    assert_int_equal(tally_run_write_report(run, "/no/such/folder/report", TALLY_REPORT_JSON, 0), TALLY_INPUT);
    assert_int_equal(tally_run_score(run, "psnr_y", 0, &value), TALLY_OK); /* the scores survive it */
    tally_run_destroy(run);
}

static void destroying_at_any_moment(void **state) {
    (void)state;
    tally_run_destroy(new_run());
    tally_run_destroy(started_run("psnr"));
    for (int frames = 1; frames < 12; frames++) {
        tally_run *run = started_run("float_moment");
        for (int i = 0; i < frames; i++)
            assert_int_equal(tally_run_submit(run, &picture, &picture), TALLY_OK);
        tally_run_destroy(run);
    }
}

static void *cancel_soon(void *run) {
    usleep(20000);
    tally_run_cancel(run);
    return NULL;
}

static void cancelling_ends_a_run(void **state) {
    (void)state;
    pthread_t thread;
    tally_run *run = started_run("psnr");
    pthread_create(&thread, NULL, cancel_soon, run);
    tally_status status = TALLY_OK;
    while (status == TALLY_OK)
        status = tally_run_submit(run, &picture, &picture);
    pthread_join(thread, NULL);
    fails(run, status, TALLY_CANCELLED, "cancelled");
}

/* The same clip with negative strides (bottom row first in memory) and with padded rows gives the same bits. */
static void strides(void **state) {
    (void)state;
    const synth_clip *clip = synth_find("s_pic181_8_420");
    ty_layout layout;
    ty_error error = {0};
    char digests[3][65];
    assert_int_equal(ty_layout_init(&layout, &clip->format, "clip", &error), TALLY_OK);
    for (int variant = 0; variant < 3; variant++) {
        tally_run *run = new_run();
        assert_int_equal(tally_run_start(run, &clip->format), TALLY_OK);
        void *tight[2][3], *spread[2][3];
        tally_picture pictures[2];
        for (int d = 0; d < 2; d++) {
            for (uint32_t p = 0; p < 3; p++) {
                tight[d][p] = malloc(layout.plane_bytes[p]);
                spread[d][p] = malloc(2 * layout.plane_bytes[p]);
            }
            synth_picture(clip, &layout, d, 0, tight[d]);
            pictures[d] = picture_of(&layout, tight[d]);
            for (uint32_t p = 0; p < 3 && variant > 0; p++) {
                const ptrdiff_t row = layout.stored_width[p], rows = layout.stored_height[p];
                for (ptrdiff_t y = 0; y < rows; y++)
                    memcpy((uint8_t *)spread[d][p] + (variant == 1 ? 2 * y : rows - 1 - y) * row,
                           (uint8_t *)tight[d][p] + y * row, (size_t)row);
                pictures[d].data[p] = (uint8_t *)spread[d][p] + (variant == 1 ? 0 : (rows - 1) * row);
                pictures[d].stride[p] = variant == 1 ? 2 * row : -row;
            }
        }
        assert_int_equal(tally_run_submit(run, &pictures[0], &pictures[1]), TALLY_OK);
        assert_int_equal(tally_run_finish(run), TALLY_OK);
        assert_int_equal(tally_run_digest(run, digests[variant]), TALLY_OK);
        tally_run_destroy(run);
        for (int d = 0; d < 2; d++)
            for (uint32_t p = 0; p < 3; p++) {
                free(tight[d][p]);
                free(spread[d][p]);
            }
    }
    assert_string_equal(digests[0], digests[1]);
    assert_string_equal(digests[0], digests[2]);
}

static void *score_in_thread(void *digest) {
    char path[2][4096];
    tally_run *run;
    snprintf(path[0], sizeof path[0], "%s/s_pic200_10_422_ref.y4m", getenv("TALLY_CLIPS"));
    snprintf(path[1], sizeof path[1], "%s/s_pic200_10_422_dis.y4m", getenv("TALLY_CLIPS"));
    if (tally_run_create(NULL, &run) == TALLY_OK && tally_run_score_files(run, path[0], path[1], NULL) == TALLY_OK)
        tally_run_digest(run, digest);
    tally_run_destroy(run);
    return NULL;
}

static void runs_in_several_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    char digests[4][65] = {{0}};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, score_in_thread, digests[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(strlen(digests[0]), 64);
    for (int i = 1; i < 4; i++)
        assert_string_equal(digests[0], digests[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_everywhere),          cmocka_unit_test(null_arguments),
        cmocka_unit_test(wrong_order),              cmocka_unit_test(bad_configurations),
        cmocka_unit_test(bad_formats),              cmocka_unit_test(scores_that_are_not_there),
        cmocka_unit_test(destroying_at_any_moment), cmocka_unit_test(cancelling_ends_a_run),
        cmocka_unit_test(strides),                  cmocka_unit_test(runs_in_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
