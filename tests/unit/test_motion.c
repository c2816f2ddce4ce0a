/* motion: its kernel at every level against a plain reading of the spec, the spec's figures, ranges against
 * the whole run, refusals. */
#include "formula_run.h"
#include "luma_run.h"

#include "backends/cpu/levels.h"
#include "parity/synth.h"
#include "plan_run.h"

static const int kernel[5] = {3571, 16004, 26386, 16004, 3571};

/* ---- A plain reading of the spec, 4.2 ---- */

static int64_t vertical(const tally_format *f, const uint16_t *a, const uint16_t *b, int x, int y) {
    int64_t sum = (int64_t)1 << (f->bit_depth - 1);
    for (int k = 0; k < 5; k++) {
        const size_t at = (size_t)luma_mirror(y - 2 + k, (int)f->height) * f->width + (size_t)x;
        sum += (int64_t)kernel[k] * (a[at] - b[at]);
    }
    return sum >> f->bit_depth;
}

static int64_t horizontal(const tally_format *f, const uint16_t *a, const uint16_t *b, int x, int y) {
    int64_t sum = 1 << 15;
    for (int k = 0; k < 5; k++)
        sum += kernel[k] * vertical(f, a, b, luma_mirror(x - 2 + k, (int)f->width), y);
    return sum >> 16;
}

static uint64_t plain_sum(const tally_format *f, const uint16_t *a, const uint16_t *b) {
    uint64_t sum = 0;
    for (int y = 0; y < (int)f->height; y++)
        for (int x = 0; x < (int)f->width; x++)
            sum += (uint64_t)llabs(horizontal(f, a, b, x, y));
    return sum;
}

/* ---- The kernel ---- */

static uint64_t kernel_sum(const tally_format *f, const uint16_t *a, const uint16_t *b, const char *level) {
    plan_run run;
    assert_true(plan_run_init(&run, "motion", f));
    void *pictures[2] = {luma_plane(f, a), luma_plane(f, b)};
    for (int i = 0; i < 2; i++) {
        const void *const planes[2][3] = {{pictures[i]}, {pictures[i]}};
        plan_run_frame(&run, level, planes, 0x5a);
    }
    assert_true(plan_run_damaged(&run) == UINT32_MAX);
    uint64_t sum = 0;
    for (uint32_t p = 0; p < run.plan.buffer_count; p++)
        if (run.plan.buffers[p].kind == TY_BUFFER_PARTIALS)
            for (size_t i = 0; i < run.plan.buffers[p].bytes / sizeof(uint32_t); i++)
                sum += ((const uint32_t *)(const void *)run.buffers[p])[i];
    plan_run_free(&run);
    free(pictures[0]);
    free(pictures[1]);
    return sum;
}

static void check_levels(const tally_format *f, const uint16_t *a, const uint16_t *b, uint64_t expected) {
    for (const ty_level *level = ty_levels; level->name; level++) {
        const uint64_t sum = level->usable() ? kernel_sum(f, a, b, level->name) : expected;
        if (sum != expected)
            fail_msg("%ux%u, %u bits, level %s: %llu is not %llu", f->width, f->height, f->bit_depth,
                     level->name, (unsigned long long)sum, (unsigned long long)expected);
    }
}

static void check_pictures(tally_format f, uint32_t kind, uint64_t *seed) {
    uint16_t *a = calloc((size_t)f.width * f.height, sizeof *a),
             *b = calloc((size_t)f.width * f.height, sizeof *b);
    luma_fill(&f, a, kind, seed);
    luma_fill(&f, b, kind == 3 ? 2 : kind, seed);
    check_levels(&f, a, b, plain_sum(&f, a, b));
    free(a);
    free(b);
}

static void the_kernel_is_the_spec(void **state) {
    (void)state;
    /* Around one and two tiles, and the smallest. */
    static const uint32_t widths[] = {3,   4,   5,   31,  123, 124, 125, 126, 127,
                                      128, 129, 130, 247, 248, 249, 253, 300};
    static const uint32_t heights[] = {3, 4, 15, 16, 17, 18, 35};
    uint64_t seed = 1;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++)
            for (uint32_t kind = 0; kind < 4; kind++)
                check_pictures((tally_format){widths[w], heights[h], 8 + (uint32_t)(w + h + kind) % 9,
                                              TALLY_PIXEL_FORMAT_400},
                               kind, &seed);
}

/* The largest sums, where 16 bits need 33: white against black both ways. */
static void flat_pictures_give_their_difference(void **state) {
    (void)state;
    enum { WIDTH = 150, HEIGHT = 19 };
    for (uint32_t depth = 8; depth <= 16; depth++) {
        const tally_format f = {WIDTH, HEIGHT, depth, TALLY_PIXEL_FORMAT_400};
        static uint16_t black[WIDTH * HEIGHT], white[WIDTH * HEIGHT];
        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            white[i] = (uint16_t)((1u << depth) - 1);
        const uint64_t expected = (uint64_t)WIDTH * HEIGHT * white[0] << (16 - depth);
        check_levels(&f, black, white, expected);
        check_levels(&f, white, black, expected);
    }
}

/* ---- Figures of the spec, section 7 ---- */

static void fill_stage32(uint32_t t, uint32_t depth, uint16_t *samples) {
    for (uint32_t y = 0; y < 32; y++)
        for (uint32_t x = 0; x < 32; x++)
            samples[32 * y + x] = (uint16_t)(depth == 8 ? stage32_sample(t, x, y)
                                                        : 4 * stage32_sample(t, x, y) + (x + 2 * y) % 4);
}

static void stage32_frame(const tally_format *f, uint32_t t, uint16_t *samples) {
    fill_stage32(t, f->bit_depth, samples);
}

static tally_run *stage32_run(const char *feature, const tally_config *config, uint32_t depth) {
    const tally_format f = {32, 32, depth, TALLY_PIXEL_FORMAT_400};
    return luma_run(feature, config, &f, 3, stage32_frame);
}

static void assert_scores(const tally_run *run, const char *metric, double a, double b, double c) {
    assert_same_double(score_of(run, metric, 0), a);
    assert_same_double(score_of(run, metric, 1), b);
    assert_same_double(score_of(run, metric, 2), c);
}

static void figures_of_stage32(void **state) {
    (void)state;
    for (uint32_t depth = 8; depth <= 10; depth += 2) {
        const tally_format f = {32, 32, depth, TALLY_PIXEL_FORMAT_400};
        uint16_t r[3][32 * 32];
        for (uint32_t t = 0; t < 3; t++)
            fill_stage32(t, depth, r[t]);
        check_levels(&f, r[0], r[1], 4181987);
        check_levels(&f, r[1], r[2], 3819807);
        tally_run *run = stage32_run("motion=debug=true", NULL, depth);
        assert_scores(run, "VMAF_integer_feature_motion_sad_score", 0, 0x1.fe7f18p+3, 0x1.d248f8p+3);
        assert_scores(run, "integer_motion", 0, 0x1.fe7f18p+3, 0x1.d248f8p+3);
        assert_scores(run, "integer_motion2", 0, 14.571407318115234, 14.571407318115234);
        assert_scores(run, "integer_motion3", 15.953014373779297, 14.571407318115234, 14.571407318115234);
        tally_run_destroy(run);
    }
    tally_run *run = stage32_run("motion=motion_five_frame_window=true", NULL, 8);
    assert_scores(run, "VMAF_integer_feature_motion_sad_score_mffw", 0, 0, 15.055942535400391);
    tally_run_destroy(run);
    run = stage32_run("motion=motion_blend_factor=0.5:motion_blend_offset=10:motion_moving_average=true",
                      NULL, 8);
    assert_scores(run, "integer_motion3_mbf_0.5_mbo_10_mma", 12.976507186889648, 12.631105422973633,
                  12.285703659057617);
    tally_run_destroy(run);
    run = stage32_run("motion=motion_force_zero=true:motion_blend_factor=0.5", NULL, 8);
    assert_scores(run, "integer_motion3_mbf_0.5_force_0", 0, 0, 0);
    assert_true(tally_run_metric_count(run) == 3);
    tally_run_destroy(run);
}

static void steps_of_stage32(void **state) {
    (void)state;
    const tally_format f = {32, 32, 8, TALLY_PIXEL_FORMAT_400};
    FILE *file = open_stage("motion_stage32.csv");
    uint16_t r[3][32 * 32];
    for (uint32_t t = 0; t < 3; t++)
        fill_stage32(t, 8, r[t]);
    unsigned lines = 0;
    int pair, y, x, v, q;
    while (file && fscanf(file, "%d,%d,%d,%d,%d", &pair, &y, &x, &v, &q) == 5) {
        assert_true(vertical(&f, r[pair], r[pair + 1], x, y) == v);
        assert_true(horizontal(&f, r[pair], r[pair + 1], x, y) == q);
        lines++;
    }
    assert_true(!file || lines == 2 * 32 * 32);
    if (file)
        fclose(file);
}

/* Sums of all frames of the synthetic clips, at both lags. */
static uint64_t sum_of_frame(const synth_clip *clip, uint32_t lag, uint32_t frame) {
    plan_run run;
    void *planes[3][3] = {{NULL}};
    uint64_t sum = 0;
    assert_true(
        plan_run_init(&run, lag == 2 ? "motion=motion_five_frame_window=true" : "motion", &clip->format));
    for (uint32_t t = 0; t <= lag; t++) {
        for (uint32_t p = 0; p < run.layout.planes; p++)
            planes[t][p] = malloc(run.layout.plane_bytes[p]);
        synth_picture(clip, &run.layout, false, frame - lag + t, planes[t]);
        const void *const pair[2][3] = {{planes[t][0]}, {planes[t][0]}};
        plan_run_frame(&run, "auto", pair, 0x5a);
    }
    for (uint32_t b = 0; b < run.plan.buffer_count; b++)
        if (run.plan.buffers[b].kind == TY_BUFFER_PARTIALS)
            for (size_t i = 0; i < run.plan.buffers[b].bytes / sizeof(uint32_t); i++)
                sum += ((const uint32_t *)(const void *)run.buffers[b])[i];
    for (uint32_t i = 0; i < 9; i++)
        free(planes[i / 3][i % 3]);
    plan_run_free(&run);
    return sum;
}

static void sums_of_the_synthetic_clips(void **state) {
    (void)state;
    FILE *file = open_stage("motion_sad.csv");
    char name[64];
    unsigned lag, frame, checked = 0;
    unsigned long long sum;
    while (file && fscanf(file, "%63[^,],%u,%u,%llu\n", name, &lag, &frame, &sum) == 4) {
        const synth_clip *clip = synth_find(name);
        if (!clip)
            continue; /* a real clip */
        assert_true(sum_of_frame(clip, lag, frame) == sum);
        checked++;
    }
    assert_true(!file || checked == 27);
    if (file)
        fclose(file);
}

/* ---- The tail against the spec's formulas, and ranges against the whole run ---- */

enum { FRAMES = 9, SIDE = 20 };

static const tally_format sequence_format = {SIDE, SIDE, 8, TALLY_PIXEL_FORMAT_400};

static void sequence_frame(const tally_format *f, uint32_t t, uint16_t *samples) {
    static const uint32_t spread[FRAMES] = {3, 40, 9, 90, 5, 60, 20, 2, 70};
    uint64_t seed = 77 + t;
    for (uint32_t i = 0; i < f->width * f->height; i++)
        samples[i] = (uint16_t)(100 + luma_random(&seed) % spread[t]);
}

static tally_run *sequence_run(const char *feature, uint32_t frames) {
    const tally_config config = {.threads = 2};
    return luma_run(feature, &config, &sequence_format, frames, sequence_frame);
}

typedef struct settings {
    bool average, window, blended;
    double bf, bo, weight, cap;
    char request[256];
} settings;

static settings settings_of(unsigned i) {
    settings s = {i & 1, i & 2, i & 4, 1.0, 40.0, 1.0, 10000.0, ""};
    if (s.blended) {
        s.bf = 0.5;
        s.bo = 7.0;
        s.weight = 1.25;
        s.cap = 11.0;
    }
    snprintf(s.request, sizeof s.request, "motion=motion_moving_average=%s:motion_five_frame_window=%s%s",
             s.average ? "true" : "false", s.window ? "true" : "false",
             s.blended
                 ? ":motion_blend_factor=0.5:motion_blend_offset=7:motion_fps_weight=1.25:motion_max_val=11"
                 : "");
    return s;
}

/* Spec 4.3 and 4.4, written down from the end of the sequence. */
static void expected_scores(const settings *s, uint32_t n, double *sad, double *motion2, double *motion3) {
    static uint16_t frames[FRAMES][SIDE * SIDE];
    const tally_format f = {SIDE, SIDE, 8, TALLY_PIXEL_FORMAT_400};
    const uint32_t d = s->window ? 2 : 1;
    double z[FRAMES] = {0}, stamp = 0.0;
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define BLEND(v) MIN((v)*s->bf + (1.0 - s->bf) * MIN(s->bo, (v)), s->cap)
    for (uint32_t t = 0; t < n; t++) {
        sequence_frame(&f, t, frames[t]);
        sad[t] =
            t < d ? 0.0
                  : MIN((double)plain_sum(&f, frames[t - d], frames[t]) / 256.0 / (SIDE * SIDE) * s->weight,
                        s->cap);
    }
    if (n > d)
        stamp = BLEND(sad[d]);
    for (uint32_t t = 0; t < n; t++) {
        const uint32_t low = t - (d - 1);
        motion2[t] = t < d ? 0.0 : t == n - 1 ? sad[t] : low >= d ? MIN(sad[low], sad[t + 1]) : sad[t + 1];
        z[t] = t < d ? stamp : BLEND(motion2[t]);
        motion3[t] = t < d ? stamp : s->average ? (z[t] + z[t - 1]) / 2.0 : z[t];
    }
#undef MIN
#undef BLEND
}

static void the_tail_is_the_spec(void **state) {
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        for (uint32_t n = 1; n <= FRAMES; n++) {
            const settings s = settings_of(i);
            double expected[3][FRAMES];
            expected_scores(&s, n, expected[0], expected[1], expected[2]);
            tally_run *run = sequence_run(s.request, n);
            assert_true(tally_run_metric_count(run) == 3);
            for (uint32_t m = 0; m < 3; m++)
                for (uint32_t t = 0; t < n; t++)
                    assert_same_double(score_of(run, tally_run_metric_name(run, m), t), expected[m][t]);
            tally_run_destroy(run);
        }
}

static void check_range(const tally_run *whole, const char *request, uint64_t from, uint64_t to, uint64_t every) {
    const tally_config config = {.threads = 2, .from = from, .to = to, .every = every};
    assert_luma_range(whole, request, &config, &sequence_format, FRAMES, sequence_frame);
}

static void ranges_give_the_whole_runs_bits(void **state) {
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const settings s = settings_of(i);
        tally_run *whole = sequence_run(s.request, FRAMES);
        for (uint64_t from = 0; from < FRAMES; from++)
            for (uint64_t to = from > 0 ? from : 1; to < FRAMES; to++) /* to = 0 means the end */
                check_range(whole, s.request, from, to, 1);
        check_range(whole, s.request, 0, FRAMES - 1, 3);
        check_range(whole, s.request, 2, 7, 2);
        tally_run_destroy(whole);
    }
}

/* ---- Names and refusals ---- */

static void names_in_the_output(void **state) {
    (void)state;
    tally_run *run = sequence_run("motion=debug=true", 2);
    assert_true(tally_run_metric_count(run) == 4);
    assert_string_equal(tally_run_metric_name(run, 0), "VMAF_integer_feature_motion_sad_score");
    assert_string_equal(tally_run_metric_name(run, 1), "integer_motion");
    assert_string_equal(tally_run_metric_name(run, 2), "integer_motion2");
    assert_string_equal(tally_run_metric_name(run, 3), "integer_motion3");
    tally_run_destroy(run);
    run = sequence_run("motion=motion_max_val=18:motion_five_frame_window=true:motion_moving_average=true", 2);
    assert_string_equal(tally_run_metric_name(run, 0),
                        "VMAF_integer_feature_motion_sad_score_mffw_mmxv_18_mma");
    assert_string_equal(tally_run_metric_name(run, 2), "integer_motion3_mffw_mmxv_18_mma");
    tally_run_destroy(run);
}

static void refusals(void **state) {
    (void)state;
    assert_refused("motion", &(tally_format){2, 9, 8, TALLY_PIXEL_FORMAT_420},
                   (const char *const[]){"motion", "2x9", "3x3", NULL});
    assert_refused("motion", &(tally_format){9, 2, 8, TALLY_PIXEL_FORMAT_420},
                   (const char *const[]){"motion", "9x2", "3x3", NULL});
    static const char *const wrong[] = {
        "motion=motion_fps_weight=nan",         "motion=motion_blend_factor=1.1",
        "motion=motion_blend_offset=-1",        "motion=motion_max_val=10001",
        "motion=motion_moving_average=perhaps", "motion=mma=true"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tally_run *run;
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        assert_int_equal(tally_run_add_feature(run, wrong[i]), TALLY_USAGE);
        tally_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_is_the_spec),
        cmocka_unit_test(flat_pictures_give_their_difference),
        cmocka_unit_test(figures_of_stage32),
        cmocka_unit_test(steps_of_stage32),
        cmocka_unit_test(sums_of_the_synthetic_clips),
        cmocka_unit_test(the_tail_is_the_spec),
        cmocka_unit_test(ranges_give_the_whole_runs_bits),
        cmocka_unit_test(names_in_the_output),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
