/* float_motion: its kernels at every level against a plain reading of the spec, the spec's figures, the tail,
 * ranges against the whole run, refusals. */
#include "formula_run.h"
#include "luma_run.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "plan_run.h"

/* ---- A plain reading of the spec, 4.6 and 4.7 ---- */

enum { MOST = 160 * 50 };

typedef struct plane {
    int width, height;
    float at[MOST];
} plane;

static int taps_of(int filter_size, float taps[5]) {
    static const float five[5] = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f, 0.054488685f};
    static const float three[3] = {0.166378498f, 0.667243004f, 0.166378498f};
    static const float none[5] = {0, 0, 1, 0, 0};
    memcpy(taps,
           filter_size == 3   ? three
           : filter_size == 1 ? none
                              : five,
           (filter_size == 3 ? 3 : 5) * sizeof *taps);
    return filter_size == 3 ? 3 : 5;
}

static void prepare(const tally_format *f, const uint16_t *samples, plane *a) {
    a->width = (int)f->width;
    a->height = (int)f->height;
    for (int i = 0; i < a->width * a->height; i++)
        a->at[i] = (float)samples[i] / (float)(1 << (f->bit_depth - 8)) - 128;
}

static void filter(const plane *from, plane *to, int filter_size, bool vertically) {
    float taps[5];
    const int count = taps_of(filter_size, taps), w = from->width, h = from->height;
    to->width = w;
    to->height = h;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int k = 0; k < count; k++) {
                const int row = vertically ? luma_mirror(y - count / 2 + k, h) : y;
                const int column = vertically ? x : luma_mirror(x - count / 2 + k, w);
                sum = sum + taps[k] * from->at[row * w + column];
            }
            to->at[y * w + x] = sum;
        }
}

static void blur(const tally_format *f, const uint16_t *samples, int filter_size, plane *c) {
    static plane a, b;
    prepare(f, samples, &a);
    filter(&a, &b, filter_size, true);
    filter(&b, c, filter_size, false);
}

static float place(int whole, int i, int *first, int *second) {
    const float ratio = (float)whole / (float)((whole + 1) / 2);
    const float at = (float)(((double)i + 0.5) * (double)ratio - 0.5);
    *first = (int)floorf(at);
    *second = (int)ceilf(at);
    return at - (float)*first;
}

static void halve(const plane *p, plane *half) {
    half->width = (p->width + 1) / 2;
    half->height = (p->height + 1) / 2;
    for (int y = 0; y < half->height; y++)
        for (int x = 0; x < half->width; x++) {
            int x1, x2, y1, y2;
            const float fx = place(p->width, x, &x1, &x2), fy = place(p->height, y, &y1, &y2);
            const float gx = 1 - fx, gy = 1 - fy;
            float sum = gy * gx * p->at[y1 * p->width + x1] + gy * fx * p->at[y1 * p->width + x2];
            sum = sum + fy * gx * p->at[y2 * p->width + x1];
            half->at[y * half->width + x] = sum + fy * fx * p->at[y2 * p->width + x2];
        }
}

static float row_sum(const plane *p, const plane *q, int y) {
    float sum = 0;
    for (int x = 0; x < p->width; x++)
        sum = sum + fabsf(p->at[y * p->width + x] - q->at[y * p->width + x]);
    return sum;
}

static float mean(const plane *p, const plane *q) {
    float total = 0;
    for (int y = 0; y < p->height; y++)
        total = total + row_sum(p, q, y);
    return total / (float)(p->width * p->height);
}

/* ---- The kernels ---- */

static const float *partials_of(const plan_run *run, uint32_t number) {
    for (uint32_t b = 0; b < run->plan.buffer_count; b++)
        if (run->plan.buffers[b].kind == TY_BUFFER_PARTIALS && number-- == 0)
            return (const float *)(const void *)run->buffers[b];
    fail_msg("the plan has no such partials");
    return NULL;
}

static void assert_rows(const plane *p, const plane *q, const float *sums, const tally_format *f,
                        const char *level) {
    for (int y = 0; y < p->height; y++)
        if (sums[y] != row_sum(p, q, y))
            fail_msg("%ux%u, %u bits, level %s, row %d of %d: %a, not %a", f->width, f->height, f->bit_depth,
                     level, y, p->height, (double)sums[y], (double)row_sum(p, q, y));
}

static void check_level(const tally_format *f, const uint16_t *const samples[2], int filter_size,
                        const char *level) {
    static plane blurred[2], half[2];
    char request[100];
    plan_run run;
    snprintf(request, sizeof request, "float_motion=motion_filter_size=%d:motion_add_scale1=true",
             filter_size);
    assert_true(plan_run_init(&run, request, f));
    void *pictures[2];
    for (int i = 0; i < 2; i++) {
        pictures[i] = luma_plane(f, samples[i]);
        const void *const planes[2][3] = {{pictures[i]}, {pictures[i]}};
        plan_run_frame(&run, level, planes, 0xff);
        blur(f, samples[i], filter_size, &blurred[i]);
        halve(&blurred[i], &half[i]);
    }
    assert_true(plan_run_damaged(&run) == UINT32_MAX);
    assert_rows(&blurred[0], &blurred[1], partials_of(&run, 0), f, level);
    assert_rows(&half[0], &half[1], partials_of(&run, 1), f, level);
    plan_run_free(&run);
    free(pictures[0]);
    free(pictures[1]);
}

static void the_kernels_are_the_spec(void **state) {
    (void)state;
    /* Around one and two tiles, and the smallest. */
    static const uint32_t widths[] = {2,   3,   4,   5,   31,  63,  64,  65,  123,
                                      124, 125, 126, 127, 128, 129, 130, 131, 160};
    static const uint32_t heights[] = {2, 3, 4, 15, 16, 17, 18, 33, 50};
    static const uint32_t depths[] = {8, 10, 12, 16};
    static const int sizes[] = {5, 3, 1, 0};
    uint64_t seed = 1;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++) {
            static uint16_t a[MOST], b[MOST];
            const uint16_t *const samples[2] = {a, b};
            const tally_format f = {widths[w], heights[h], depths[(w + h) % 4], TALLY_PIXEL_FORMAT_400};
            const int size = f.width == 2 || f.height == 2 ? 3 : sizes[(w + 2 * h) % 4];
            luma_fill(&f, a, (uint32_t)(w + h) % 4, &seed);
            luma_fill(&f, b, (uint32_t)(w + h) % 3, &seed);
            for (const ty_level *level = ty_levels; level->name; level++)
                if (level->usable())
                    check_level(&f, samples, size, level->name);
        }
}

/* ---- Figures of the spec, section 7 ---- */

static const tally_format stage32 = {32, 32, 8, TALLY_PIXEL_FORMAT_400};

static void stage32_blurred(plane planes[3]) {
    for (uint32_t t = 0; t < 3; t++) {
        uint16_t samples[32 * 32];
        for (uint32_t i = 0; i < 32 * 32; i++)
            samples[i] = stage32_sample(t, i % 32, i / 32);
        blur(&stage32, samples, 5, &planes[t]);
    }
}

static void the_plain_reading_has_the_figures(void **state) {
    (void)state;
    static plane c[3], half[2];
    stage32_blurred(c);
    assert_true(c[0].at[0] == -0x1.ed383p+6f && c[1].at[17 * 32 + 2] == -0x1.df2312p+2f);
    assert_true(row_sum(&c[0], &c[1], 0) == 0x1.477a74p+10f);
    assert_true(mean(&c[0], &c[1]) == 0x1.fe7fb4p+3f);
    halve(&c[0], &half[0]);
    halve(&c[1], &half[1]);
    assert_true(mean(&half[0], &half[1]) == 0x1.c2d0d4p+3f);
}

static void places_of_half_size_samples(void **state) {
    (void)state;
    static const struct {
        int whole, i, first, second;
        float fraction;
    } expected[] = {{7, 0, 0, 1, 0x1.8p-2f},           {7, 1, 2, 3, 0x1p-3f},
                    {7, 2, 3, 4, 0x1.cp-1f},           {7, 3, 5, 6, 0x1.4p-1f},
                    {5, 0, 0, 1, 0x1.555554p-2f},      {5, 1, 2, 2, 0},
                    {5, 2, 3, 4, 0x1.55555p-1f},       {175, 1, 2, 3, 0x1.ee8bap-2f},
                    {175, 86, 171, 172, 0x1.08bap-1f}, {175, 87, 173, 174, 0x1.02e8p-1f}};
    for (size_t n = 0; n < sizeof expected / sizeof expected[0]; n++) {
        const tally_format f = {(uint32_t)expected[n].whole, 3, 8, TALLY_PIXEL_FORMAT_400};
        plan_run run;
        assert_true(plan_run_init(&run, "float_motion=motion_add_scale1=true", &f));
        const uint32_t *places = NULL;
        const float *fractions = NULL;
        for (uint32_t b = 0; b < run.plan.buffer_count; b++)
            if (run.plan.buffers[b].kind == TY_BUFFER_TABLE) {
                fractions = (const float *)(const void *)run.buffers[b];
                places = places ? places : (const uint32_t *)(const void *)run.buffers[b];
            }
        const int half = (expected[n].whole + 1) / 2;
        assert_true(places[expected[n].i] == (uint32_t)expected[n].first);
        assert_true(places[half + expected[n].i] == (uint32_t)expected[n].second);
        assert_true(fractions[expected[n].i] == expected[n].fraction);
        plan_run_free(&run);
    }
}

static void rows_of_the_instrumented_reference(void **state) {
    (void)state;
    static plane c[3], half[2];
    FILE *file = open_stage("float_motion_stage32_rows.csv");
    char line[256], grid[16], sum[64];
    int row;
    stage32_blurred(c);
    halve(&c[0], &half[0]);
    halve(&c[1], &half[1]);
    unsigned lines = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%15[^,],%d,%63[^,]", grid, &row, sum) != 3)
            continue; /* a mean */
        const bool full = strcmp(grid, "full") == 0;
        assert_true(row_sum(full ? &c[0] : &half[0], full ? &c[1] : &half[1], row) == strtof(sum, NULL));
        lines++;
    }
    assert_true(!file || lines == 48);
    if (file)
        fclose(file);
}

static void samples_of_the_instrumented_reference(void **state) {
    (void)state;
    static plane c[3], half;
    char line[256], value[64];
    int t, y, x;
    stage32_blurred(c);
    FILE *file = open_stage("float_motion_stage32.csv");
    while (file && fgets(line, sizeof line, file)) {
        assert_int_equal(sscanf(line, "%d,%d,%d,%*[^,],%*[^,],%63s", &t, &y, &x, value), 4);
        assert_true(c[t].at[y * 32 + x] == strtof(value, NULL));
    }
    if (file)
        fclose(file);
    file = open_stage("float_motion_stage32_half.csv");
    while (file && fgets(line, sizeof line, file)) {
        assert_int_equal(sscanf(line, "%d,%d,%d,%*d,%*d,%*[^,],%*d,%*d,%*[^,],%63s", &t, &y, &x, value), 4);
        halve(&c[t], &half);
        assert_true(half.at[y * 16 + x] == strtof(value, NULL));
    }
    if (file)
        fclose(file);
}

/* ---- Runs ---- */

static void stage32_frame(const tally_format *f, uint32_t t, uint16_t *samples) {
    for (uint32_t i = 0; i < f->width * f->height; i++)
        samples[i] = stage32_sample(t, i % f->width, i / f->width);
}

static void scores_of_the_spec(void **state) {
    (void)state;
    static const struct {
        const char *request, *metric;
        double e[2];
    } expected[] = {
        {"float_motion", "motion", {15.953088760375977, 14.571490287780762}},
        {"float_motion=motion_filter_size=3", "motion_mfs_3", {30.066961288452148, 27.740745544433594}},
        {"float_motion=motion_filter_size=1", "motion_mfs_1", {69.1474609375, 71.517578125}},
        {"float_motion=motion_add_scale1=true", "motion_mdc", {30.041080474853516, 27.227199554443359}}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        tally_run *run = luma_run(expected[i].request, NULL, &stage32, 3, stage32_frame);
        assert_same_double(score_of(run, expected[i].metric, 0), 0);
        assert_same_double(score_of(run, expected[i].metric, 1), expected[i].e[0]);
        assert_same_double(score_of(run, expected[i].metric, 2), expected[i].e[1]);
        tally_run_destroy(run);
    }
}

enum { FRAMES = 7 };
static const tally_format small = {20, 12, 8, TALLY_PIXEL_FORMAT_400};

static void uneven_frame(const tally_format *f, uint32_t t, uint16_t *samples) {
    static const uint32_t spread[FRAMES] = {3, 40, 9, 90, 5, 60, 20};
    for (uint32_t i = 0, y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < f->width; x++, i++)
            samples[i] = (uint16_t)(100 + (x * 31 + y * 17 + x * y * 7 + t * 5) % spread[t]);
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* Spec 4.8, written down from the end of the sequence, for weight 1.25, knee 0.5 at 3 and cap 11. */
static void expected_scores(uint32_t n, double *motion2, double *motion, double *motion3) {
    static plane blurred[FRAMES];
    double e[FRAMES] = {0};
#define BLEND(z) MIN((z)*0.5 + (1.0 - 0.5) * MIN(3.0, (z)), 11.0)
    for (uint32_t t = 0; t < n; t++) {
        uint16_t samples[20 * 12];
        uneven_frame(&small, t, samples);
        blur(&small, samples, 5, &blurred[t]);
        e[t] = t > 0 ? (double)mean(&blurred[t - 1], &blurred[t]) : 0;
    }
    for (uint32_t t = 1; t < n; t++) {
        const double m = t == n - 1 ? e[t] : MIN(e[t], e[t + 1]);
        motion[t] = MIN(e[t] * 1.25, 11.0);
        motion2[t] = MIN(m * 1.25, 11.0);
        motion3[t] = BLEND(m * 1.25);
    }
    motion[0] = motion2[0] = 0;
    motion3[0] = n > 1 ? BLEND(e[1] * 1.25) : 0;
}

#define TAIL_REQUEST                                                                                         \
    "float_motion=motion_fps_weight=1.25:motion_blend_factor=0.5:motion_blend_offset=3:motion_max_val=11"

static void the_tail_is_the_spec(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= FRAMES; n++) {
        double expected[3][FRAMES];
        expected_scores(n, expected[0], expected[1], expected[2]);
        tally_run *run = luma_run(TAIL_REQUEST, NULL, &small, n, uneven_frame);
        assert_true(tally_run_metric_count(run) == 3);
        for (uint32_t m = 0; m < 3; m++)
            for (uint32_t t = 0; t < n; t++)
                assert_same_double(score_of(run, tally_run_metric_name(run, m), t), expected[m][t]);
        tally_run_destroy(run);
    }
}

static void ranges_give_the_whole_runs_bits(void **state) {
    (void)state;
    tally_run *whole = luma_run(TAIL_REQUEST, NULL, &small, FRAMES, uneven_frame);
    for (uint64_t from = 0; from < FRAMES; from++)
        for (uint64_t to = from > 0 ? from : 1; to < FRAMES; to++)
            for (uint64_t every = 1; every <= 3; every += 2) {
                const tally_config config = {.threads = 2, .from = from, .to = to, .every = every};
                assert_luma_range(whole, TAIL_REQUEST, &config, &small, FRAMES, uneven_frame);
            }
    tally_run_destroy(whole);
}

static void names_in_the_output(void **state) {
    (void)state;
    tally_run *run = luma_run("float_motion=motion_filter_size=3:motion_add_scale1=true:debug=false", NULL,
                                &small, 2, uneven_frame);
    assert_true(tally_run_metric_count(run) == 2);
    assert_string_equal(tally_run_metric_name(run, 0), "motion2_mdc_mfs_3");
    assert_string_equal(tally_run_metric_name(run, 1), "motion3_mdc_mfs_3");
    tally_run_destroy(run);
    run = luma_run("float_motion=motion_force_zero=true", NULL, &small, 3, uneven_frame);
    for (uint64_t t = 0; t < 3; t++)
        assert_same_double(score_of(run, "motion3_force_0", t), 0);
    tally_run_destroy(run);
}

static void assert_columns(const char *request, const char *const names[3]) {
    for (uint32_t frames = 1; frames <= 3; frames++) {
        tally_run *run = luma_run(request, NULL, &small, frames, uneven_frame);
        assert_true(tally_run_metric_count(run) == 3);
        for (size_t m = 0; m < 3; m++)
            assert_string_equal(tally_run_metric_name(run, m), names[m]);
        tally_run_destroy(run);
    }
}

/* Spec 3: by the frame that a metric is first written with. */
static void order_of_the_columns(void **state) {
    (void)state;
    assert_columns("float_motion=debug=true", (const char *const[3]){"motion2", "motion", "motion3"});
    assert_columns("float_motion=debug=true:motion_force_zero=true",
                   (const char *const[3]){"motion2_force_0", "motion3_force_0", "motion_force_0"});
}

/* ---- Refusals ---- */

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *request;
        tally_format format;
        const char *words[4]; /* NULL-terminated */
    } cases[] = {
        {"float_motion", {2, 9, 8, TALLY_PIXEL_FORMAT_420}, {"float_motion", "2x9", "3x3"}},
        {"float_motion", {9, 2, 8, TALLY_PIXEL_FORMAT_420}, {"float_motion", "9x2", "3x3"}},
        {"float_motion=motion_filter_size=3",
         {1, 2, 8, TALLY_PIXEL_FORMAT_400},
         {"float_motion", "1x2", "2x2"}},
        {"float_motion", {16, 16, 9, TALLY_PIXEL_FORMAT_420}, {"float_motion", "9", "8, 10, 12"}},
        {"float_motion=motion_add_uv=true",
         {16, 16, 8, TALLY_PIXEL_FORMAT_400},
         {"float_motion", "400", "chroma"}},
        {"float_motion=motion_add_uv=true", {5, 16, 8, TALLY_PIXEL_FORMAT_422}, {"5x16", "chroma", "2x16"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].request, &cases[i].format, cases[i].words);
    static const char *const wrong[] = {"float_motion=motion_fps_weight=nan",
                                        "float_motion=motion_blend_factor=1.1",
                                        "float_motion=motion_filter_size=10", "float_motion=mfs=3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tally_run *run;
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        assert_int_equal(tally_run_add_feature(run, wrong[i]), TALLY_USAGE);
        tally_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernels_are_the_spec),
        cmocka_unit_test(the_plain_reading_has_the_figures),
        cmocka_unit_test(places_of_half_size_samples),
        cmocka_unit_test(rows_of_the_instrumented_reference),
        cmocka_unit_test(samples_of_the_instrumented_reference),
        cmocka_unit_test(scores_of_the_spec),
        cmocka_unit_test(the_tail_is_the_spec),
        cmocka_unit_test(ranges_give_the_whole_runs_bits),
        cmocka_unit_test(names_in_the_output),
        cmocka_unit_test(order_of_the_columns),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("float_motion", tests, NULL, NULL);
}
