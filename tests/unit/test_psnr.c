/* psnr, float_psnr and float_moment against the figures of their specs: formula pictures, and the large 16-bit picture on
 * which the order of additions shows. */
#include "unit.h"

#include "formula.h"
#include "plan_run.h"

#include "features/float_psnr/total.h"

static const tally_pixel_format formats[] = {TALLY_PIXEL_FORMAT_400, TALLY_PIXEL_FORMAT_420, TALLY_PIXEL_FORMAT_422,
                                             TALLY_PIXEL_FORMAT_444};

/* A run over `frames` formula pictures with these features, finished. */
static tally_run *formula_run(const tally_format *format, uint32_t frames, const char *const *features) {
    tally_run *run;
    ty_layout layout;
    ty_error error = {0};
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    for (; *features; features++)
        assert_int_equal(tally_run_add_feature(run, *features), TALLY_OK);
    assert_int_equal(ty_layout_init(&layout, format, "picture", &error), TALLY_OK);
    assert_int_equal(tally_run_start(run, format), TALLY_OK);
    for (uint32_t f = 0; f < frames; f++) {
        void *reference[3], *distorted[3];
        formula_picture(&layout, false, f, reference);
        formula_picture(&layout, true, f, distorted);
        const tally_picture r = picture_of(&layout, reference), d = picture_of(&layout, distorted);
        assert_int_equal(tally_run_submit(run, &r, &d), TALLY_OK);
        formula_free(reference);
        formula_free(distorted);
    }
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    return run;
}

static void psnr_of_formula_pictures(void **state) {
    (void)state;
    static const struct {
        uint32_t depth;
        double mse_y, psnr_y;
    } expected[] = {{8, 60.1875, 30.335740563993006},
                    {10, 963, 30.361249802997857},
                    {12, 15408, 30.367615424124153},
                    {16, 3944448, 30.369603724381907}};
    for (size_t i = 0; i < 4; i++) {
        const tally_format format = {32, 24, expected[i].depth, TALLY_PIXEL_FORMAT_420};
        tally_run *run = formula_run(&format, 1, (const char *[]){"psnr=enable_mse=true", NULL});
        assert_same_double(score_of(run, "mse_y", 0), expected[i].mse_y);
        assert_same_double(score_of(run, "psnr_y", 0), expected[i].psnr_y);
        tally_run_destroy(run);
    }
}

static void psnr_rows_of_the_formula_picture(void **state) {
    (void)state;
    static const struct {
        uint32_t depth;
        uint64_t sse[3];
    } expected[] = {{8, {46224, 11448, 11556}},
                    {10, {739584, 183168, 184896}},
                    {12, {11833344, 2930688, 2958336}},
                    {16, {3029336064, 750256128, 757334016}}};
    for (size_t i = 0; i < 4; i++) {
        const tally_format format = {32, 24, expected[i].depth, TALLY_PIXEL_FORMAT_420};
        plan_run run;
        void *reference[3], *distorted[3];
        assert_true(plan_run_init(&run, "psnr", &format));
        formula_picture(&run.layout, false, 0, reference);
        formula_picture(&run.layout, true, 0, distorted);
        const void *const planes[2][3] = {{reference[0], reference[1], reference[2]},
                                          {distorted[0], distorted[1], distorted[2]}};
        plan_run_frame(&run, "auto", planes, 0xcc);
        for (uint32_t p = 0; p < 3; p++) {
            const uint64_t *rows = (const uint64_t *)run.buffers[3 * p + 2];
            uint64_t sse = 0;
            for (uint32_t y = 0; y < run.layout.height[p]; y++)
                sse += rows[y];
            assert_true(sse == expected[i].sse[p]);
        }
        formula_free(reference);
        formula_free(distorted);
        plan_run_free(&run);
    }
}

static void moments_of_the_formula_picture(void **state) {
    (void)state;
    static const struct {
        uint32_t depth;
        double sums[4]; /* A ref, A dis, B ref, B dis after 768 samples */
    } expected[] = {{8, {0x1.7e5fp+16, 0x1.7e5fp+16, 0x1.a1819ap+23, 0x1.a325a6p+23}},
                    {10, {0x1.7f7fp+16, 0x1.7f7fp+16, 0x1.a3c39cp+23, 0x1.a567fp+23}},
                    {12, {0x1.7fc7p+16, 0x1.7fc7p+16, 0x1.a4512080p+23, 0x1.a5f53e8p+23}},
                    {16, {0x1.7ed28p+16, 0x1.7ed28p+16, 0x1.a280d5ee8p+23, 0x1.a424f74c4p+23}}};
    static const char *const names[4] = {"float_moment_ref1st", "float_moment_dis1st", "float_moment_ref2nd",
                                         "float_moment_dis2nd"};
    for (size_t i = 0; i < 4; i++) {
        const tally_format format = {32, 24, expected[i].depth, TALLY_PIXEL_FORMAT_400};
        tally_run *run = formula_run(&format, 1, (const char *[]){"float_moment", NULL});
        for (int m = 0; m < 4; m++)
            assert_same_double(score_of(run, names[m], 0), expected[i].sums[m] / 768);
        tally_run_destroy(run);
    }
}

/* 3840x2160, 16 bits: totals past 2^53, so that rounding at every addition shows (psnr and moment specs, section 7). float_psnr adds
 * whole rows by decisions.md 1, which is the spec's "row sums added" figure. */
static void large_picture(void **state) {
    (void)state;
    const uint32_t width = 3840, height = 2160, count = width * height;
    uint16_t *reference = malloc(count * sizeof *reference), *distorted = malloc(count * sizeof *distorted);
    uint32_t a = 1, b = 2;
    for (uint32_t i = 0; i < count; i++) {
        a = a * 1664525 + 1013904223;
        b = b * 1664525 + 1013904223;
        const uint32_t r = a >> 16, t = b >> 14 & 65535;
        reference[i] = (uint16_t)r;
        distorted[i] = (uint16_t)(b >> 30 == 0 ? t : r < 32768 ? 65535 - (t & 4095) : t & 4095);
    }
    const tally_format format = {width, height, 16, TALLY_PIXEL_FORMAT_400};
    const tally_picture r = {{reference}, {2 * (ptrdiff_t)width}}, d = {{distorted}, {2 * (ptrdiff_t)width}};
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "psnr=enable_mse=true:enable_apsnr=true"), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "float_psnr"), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "float_moment"), TALLY_OK);
    assert_int_equal(tally_run_start(run, &format), TALLY_OK);
    assert_int_equal(tally_run_submit(run, &r, &d), TALLY_OK);
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    assert_same_double(score_of(run, "psnr_y", 0), 3.5140421129284141);
    assert_same_double(score_of(run, "mse_y", 0), 1912239990.1677334);
    assert_same_double(score_of(run, "float_moment_ref1st", 0), 128.02860206038864);
    assert_same_double(score_of(run, "float_moment_dis1st", 0), 127.92866924662648);
    assert_same_double(score_of(run, "float_moment_ref2nd", 0), 0x1.51aa8bc0d5a1cp+37 / count);
    assert_same_double(score_of(run, "float_moment_dis2nd", 0), 0x1.b916bbe9df94p+37 / count);
    const char *name;
    double apsnr;
    assert_int_equal(tally_run_aggregate(run, 0, &name, &apsnr), TALLY_OK);
    assert_string_equal(name, "apsnr_y");
    assert_same_double(apsnr, 3.514042112928415);
    tally_run_destroy(run);

    plan_run rows;
    const void *const planes[2][3] = {{reference}, {distorted}};
    assert_true(plan_run_init(&rows, "float_psnr", &format));
    plan_run_frame(&rows, "auto", planes, 0);
    assert_same_double(float_psnr_total((const uint64_t *)rows.buffers[2], height, 0x1p-16), 0x1.c2cb1d83faeaap+37);
    plan_run_free(&rows);
    free(reference);
    free(distorted);
}

/* Rows of sum 1 after a total at the edge of what a double counts exactly. */
static void row_form_at_2_to_the_53(void **state) {
    (void)state;
    uint64_t rows[260];
    for (int i = 0; i < 256; i++)
        rows[i] = UINT64_C(1) << 45; /* 32768 squares of 2^15 */
    assert_same_double(float_psnr_total(rows, 256, 1), 0x1p53);
    rows[256] = rows[257] = rows[258] = 1;
    assert_same_double(float_psnr_total(rows, 259, 1), 0x1p53); /* each 1 is half a unit and goes to the even side */
    rows[255]--;
    assert_same_double(float_psnr_total(rows, 256, 1), 0x1p53 - 1);
    assert_same_double(float_psnr_total(rows, 257, 1), 0x1p53);
    assert_same_double(float_psnr_total(rows, 259, 1), 0x1p53);
    rows[257] = 3; /* 2^53 + 3 lies between 2^53 + 2 and 2^53 + 4: ties to even */
    assert_same_double(float_psnr_total(rows, 258, 1), 0x1p53 + 4);
    assert_same_double(float_psnr_total(rows, 258, 0x1p-16), 0x1p37 + 0x1p-14);
}

/* A row of more than 2^15 samples is two segments, left one first. */
static void wide_rows_are_cut_into_segments(void **state) {
    (void)state;
    const tally_format format = {32768 + 100, 2, 8, TALLY_PIXEL_FORMAT_400};
    const size_t samples = (size_t)format.width * format.height;
    uint8_t *zeros = calloc(samples, 1), *errors = calloc(samples, 1);
    errors[0] = 2;
    errors[32767] = 3;
    errors[32768] = 5;
    errors[samples - 1] = 7;
    plan_run rows;
    const void *const planes[2][3] = {{zeros}, {errors}};
    assert_true(plan_run_init(&rows, "float_psnr", &format));
    plan_run_frame(&rows, "auto", planes, 0);
    const uint64_t expected[4] = {4 + 9, 25, 0, 49};
    assert_memory_equal(rows.buffers[2], expected, sizeof expected);
    plan_run_free(&rows);
    free(zeros);
    free(errors);
}

static void identical_pictures_reach_the_cap(void **state) {
    (void)state;
    static const double caps[] = {60, 72, 84, 108};
    static const uint32_t depths[] = {8, 10, 12, 16};
    static uint16_t samples[16 * 16 * 3] = {1, 2, 3};
    for (size_t i = 0; i < 4; i++)
        for (size_t f = 0; f < 4; f++) {
            const tally_format format = {16, 16, depths[i], formats[f]};
            ty_layout layout;
            ty_error error = {0};
            tally_run *run;
            ty_layout_init(&layout, &format, "picture", &error);
            void *planes[3] = {samples, samples, samples};
            const tally_picture picture = picture_of(&layout, planes);
            assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
            assert_int_equal(tally_run_add_feature(run, "psnr"), TALLY_OK);
            assert_int_equal(tally_run_add_feature(run, "float_psnr"), TALLY_OK);
            assert_int_equal(tally_run_start(run, &format), TALLY_OK);
            assert_int_equal(tally_run_submit(run, &picture, &picture), TALLY_OK);
            assert_int_equal(tally_run_finish(run), TALLY_OK);
            for (size_t m = 0; m < tally_run_metric_count(run); m++)
                assert_same_double(score_of(run, tally_run_metric_name(run, m), 0), caps[i]);
            assert_int_equal(tally_run_metric_count(run), f == 0 ? 2 : 4);
            tally_run_destroy(run);
        }
}

static void chroma_without_samples_is_refused(void **state) {
    (void)state;
    const tally_format format = {1, 8, 8, TALLY_PIXEL_FORMAT_420};
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "psnr"), TALLY_OK);
    assert_int_equal(tally_run_start(run, &format), TALLY_USAGE);
    assert_non_null(strstr(tally_run_error(run), "1x8"));
    tally_run_destroy(run);
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "psnr=enable_chroma=false"), TALLY_OK);
    assert_int_equal(tally_run_start(run, &format), TALLY_OK);
    tally_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(psnr_of_formula_pictures),
        cmocka_unit_test(psnr_rows_of_the_formula_picture),
        cmocka_unit_test(moments_of_the_formula_picture),
        cmocka_unit_test(large_picture),
        cmocka_unit_test(row_form_at_2_to_the_53),
        cmocka_unit_test(wide_rows_are_cut_into_segments),
        cmocka_unit_test(identical_pictures_reach_the_cap),
        cmocka_unit_test(chroma_without_samples_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
