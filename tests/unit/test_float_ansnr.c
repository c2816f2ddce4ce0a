/* float_ansnr against the figures of its spec, and its kernel at every level against a plain reading of the
 * spec. */
#include "formula_run.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "features/float_ansnr/stages.h"
#include "plan_run.h"

/* ---- A plain reading of the spec, section 4 ---- */

static const ty_layout *layout_now;
static void *pictures[2][3];

static float sample(int picture, int x, int y) {
    const int w = (int)layout_now->width[0], h = (int)layout_now->height[0];
    const int mx = x < 0 ? -x : x >= w ? 2 * w - 1 - x : x, my = y < 0 ? -y : y >= h ? 2 * h - 1 - y : y;
    const size_t at = (size_t)my * layout_now->stored_width[0] + (size_t)mx;
    const unsigned s = layout_now->sample_bytes == 1 ? ((const uint8_t *)pictures[picture][0])[at]
                                                     : ((const uint16_t *)pictures[picture][0])[at];
    return (float)s / (float)(1 << (layout_now->format.bit_depth - 8)) + (-128);
}

static float filter(int picture, int x, int y, int radius) {
    static const int narrow[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    static const int wide[5][5] = {
        {2, 7, 12, 7, 2}, {7, 31, 52, 31, 7}, {12, 52, 127, 52, 12}, {7, 31, 52, 31, 7}, {2, 7, 12, 7, 2}};
    float sum = 0;
    for (int a = -radius; a <= radius; a++) {
        float inner = 0;
        for (int b = -radius; b <= radius; b++) {
            const double c = radius == 1 ? narrow[a + 1][b + 1] / 16.0 : wide[a + 2][b + 2] / 571.0;
            inner = inner + (float)c * sample(picture, x + b, y + a);
        }
        sum = sum + inner;
    }
    return sum;
}

static void row_sums(int y, float *signal, float *noise) {
    *signal = *noise = 0;
    for (int x = 0; x < (int)layout_now->width[0]; x++) {
        const float u = filter(0, x, y, 1), v = filter(1, x, y, 2);
        const float e = u - v;
        *signal = *signal + u * u;
        *noise = *noise + e * e;
    }
}

/* ---- The kernel ---- */

static void open_run(plan_run *run, const tally_format *format) {
    assert_true(plan_run_init(run, "float_ansnr", format));
    layout_now = &run->layout;
    formula_picture(layout_now, false, 0, pictures[0]);
    formula_picture(layout_now, true, 0, pictures[1]);
}

static void close_run(plan_run *run) {
    plan_run_free(run);
    formula_free(pictures[0]);
    formula_free(pictures[1]);
}

static void noise_in_pictures(unsigned random) {
    const size_t samples = layout_now->plane_bytes[0] / layout_now->sample_bytes;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < samples; k++) {
            random = random * 1664525 + 1013904223;
            const unsigned value = (random >> 15) % (1u << layout_now->format.bit_depth);
            if (layout_now->sample_bytes == 1)
                ((uint8_t *)pictures[i][0])[k] = (uint8_t)value;
            else
                ((uint16_t *)pictures[i][0])[k] = (uint16_t)value;
        }
}

static const float *run_kernel(plan_run *run, const char *level) {
    const void *const planes[2][3] = {{pictures[0][0], pictures[0][1], pictures[0][2]},
                                      {pictures[1][0], pictures[1][1], pictures[1][2]}};
    plan_run_frame(run, level, planes, 0xff);
    assert_int_equal(plan_run_damaged(run), UINT32_MAX);
    return (const float *)run->buffers[2];
}

static float signal_of(const float *sums, uint32_t y) {
    return sums[y / ANSNR_ROWS * ANSNR_SUMS + y % ANSNR_ROWS];
}
static float noise_of(const float *sums, uint32_t y) {
    return sums[y / ANSNR_ROWS * ANSNR_SUMS + ANSNR_ROWS + y % ANSNR_ROWS];
}

static void kernel_at_every_level(void **state) {
    (void)state;
    static const uint32_t widths[] = {3,  4,  5,   17,  61,  62,  63,  64,  65, 66,
                                      67, 68, 127, 128, 129, 130, 131, 192, 200};
    static const uint32_t depths[] = {8, 10, 12, 16};
    for (const ty_level *level = ty_levels; level->name; level++)
        for (uint32_t w = 0; w < sizeof widths / sizeof widths[0] && level->usable(); w++)
            for (uint32_t d = 0; d < 4; d++) {
                const tally_format format = {widths[w], 3 + (w + d) % 17, depths[d], TALLY_PIXEL_FORMAT_400};
                plan_run run;
                open_run(&run, &format);
                noise_in_pictures(w * 4 + d);
                const float *sums = run_kernel(&run, level->name);
                for (uint32_t y = 0; y < format.height; y++) {
                    float signal, noise;
                    row_sums((int)y, &signal, &noise);
                    if (signal_of(sums, y) != signal || noise_of(sums, y) != noise)
                        fail_msg("%ux%u, depth %u, level %s, row %u: %a %a, not %a %a", format.width,
                                 format.height, format.bit_depth, level->name, y, (double)signal_of(sums, y),
                                 (double)noise_of(sums, y), (double)signal, (double)noise);
                }
                close_run(&run);
            }
}

/* ---- Figures of the spec, section 7 ---- */

static void formula_picture_rows(void **state) {
    (void)state;
    static const struct {
        uint32_t row;
        float signal, noise, signal_after, noise_after;
    } expected[] = {{0, 0x1.dddba8p+15f, 0x1.9cf7d2p+5f, 0x1.dddba8p+15f, 0x1.9cf7d2p+5f},
                    {1, 0x1.cae04p+15f, 0x1.567d0ap+5f, 0x1.d45df4p+16f, 0x1.79ba6ep+6f},
                    {2, 0x1.aedd54p+15f, 0x1.9d5686p+4f, 0x1.55e65p+17f, 0x1.e1101p+6f},
                    {23, 0x1.d3e7eap+15f, 0x1.a5263cp+6f, 0x1.21dd7ap+20f, 0x1.72827p+9f}};
    const tally_format format = {32, 24, 8, TALLY_PIXEL_FORMAT_420};
    plan_run run;
    open_run(&run, &format);
    const float *sums = run_kernel(&run, "auto");
    float signal = 0, noise = 0;
    for (uint32_t y = 0, i = 0; y < 24; y++) {
        signal = signal + signal_of(sums, y);
        noise = noise + noise_of(sums, y);
        if (y != expected[i].row)
            continue;
        assert_true(signal_of(sums, y) == expected[i].signal && noise_of(sums, y) == expected[i].noise);
        assert_true(signal == expected[i].signal_after && noise == expected[i].noise_after);
        i++;
    }
    assert_true(filter(0, 0, 0, 1) == -0x1.53p+6f && filter(1, 0, 0, 2) == -0x1.4fbf7p+6f);
    assert_true(filter(0, 1, 0, 1) == -0x1.4ap+6f && filter(1, 1, 0, 2) == -0x1.42aedap+6f);
    assert_true(filter(0, 2, 0, 1) == -0x1.38p+6f && filter(1, 2, 0, 2) == -0x1.3ac46p+6f);
    close_run(&run);
}

static void check_rows_file(const char *name, uint32_t depth) {
    const tally_format format = {32, 24, depth, TALLY_PIXEL_FORMAT_420};
    FILE *file = open_stage(name);
    char line[256], signal[64], noise[64];
    plan_run run;
    open_run(&run, &format);
    const float *sums = run_kernel(&run, "auto");
    while (file && fgets(line, sizeof line, file)) {
        unsigned y;
        if (sscanf(line, "%u,%63[^,],%63[^,]", &y, signal, noise) != 3)
            fail_msg("%s: cannot read %s", name, line);
        assert_true(signal_of(sums, y) == strtof(signal, NULL) && noise_of(sums, y) == strtof(noise, NULL));
    }
    if (file)
        fclose(file);
    close_run(&run);
}

static void rows_of_the_instrumented_reference(void **state) {
    (void)state;
    check_rows_file("ansnr_F32x24_8_rows.csv", 8);
    check_rows_file("ansnr_F32x24_12_rows.csv", 12);
}

/* ---- Scores ---- */

static void assert_scores(tally_run *run, double ansnr, double anpsnr) {
    assert_same_double(score_of(run, "float_ansnr", 0), ansnr);
    assert_same_double(score_of(run, "float_anpsnr", 0), anpsnr);
    tally_run_destroy(run);
}

static void scores_of_the_spec(void **state) {
    (void)state;
    const tally_format formula = {32, 24, 8, TALLY_PIXEL_FORMAT_420};
    const tally_format flat = {32, 32, 8, TALLY_PIXEL_FORMAT_420};
    assert_scores(formula_run("float_ansnr", &formula), 32.047265744391581, 48.286122121238996);
    assert_scores(flat_run("float_ansnr", &flat, 0, 255), -5.98660422076179, 0);
    assert_scores(flat_run("float_ansnr", &flat, 0, 0), 60, 60);
    assert_scores(flat_run("float_ansnr", &flat, 128, 128), 60, 60);
}

static void reference_without_signal(void **state) {
    (void)state;
    const tally_format format = {20, 20, 8, TALLY_PIXEL_FORMAT_400};
    tally_run *run = flat_run("float_ansnr", &format, 128, 200);
    assert_same_double(score_of(run, "float_ansnr", 0), -INFINITY);
    assert_true(isfinite(score_of(run, "float_anpsnr", 0)));
    tally_run_destroy(run);
}

/* The picture of psnr.md, section 7, on which the order of additions shows. */
static void large_picture(void **state) {
    (void)state;
    const tally_format format = {3840, 2160, 16, TALLY_PIXEL_FORMAT_400};
    const size_t samples = 3840 * 2160;
    uint16_t *r = test_malloc(samples * 2), *d = test_malloc(samples * 2);
    uint32_t a = 1, b = 2;
    for (size_t i = 0; i < samples; i++) {
        a = a * 1664525u + 1013904223u;
        b = b * 1664525u + 1013904223u;
        const uint32_t t = b >> 14 & 65535;
        r[i] = (uint16_t)(a >> 16);
        d[i] = (uint16_t)(b >> 30 == 0 ? t : r[i] < 32768 ? 65535 - (t & 4095) : t & 4095);
    }
    const tally_picture reference = {{r}, {3840 * 2}}, distorted = {{d}, {3840 * 2}};
    tally_run *run = started_run("float_ansnr", &format);
    assert_int_equal(tally_run_submit(run, &reference, &distorted), TALLY_OK);
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    assert_scores(run, -6.2963678096302331, 13.009324833048503);
    test_free(r);
    test_free(d);
}

static bool is_scored(const tally_format *format) {
    return format->width >= 3 && format->height >= 3;
}

static void scores_of_formula_pictures(void **state) {
    (void)state;
    if (getenv("TALLY_TEST_DATA"))
        assert_int_equal(check_formula_scores("float_ansnr", "ansnr_formula_scores.csv", is_scored), 256);
    else
        open_stage("ansnr_formula_scores.csv");
}

/* ---- Refusals ---- */

static void refusals(void **state) {
    (void)state;
    static const struct {
        tally_format format;
        const char *words[4]; /* NULL-terminated */
    } cases[] = {
        {{2, 3, 8, TALLY_PIXEL_FORMAT_420}, {"float_ansnr", "2x3", "3x3"}},
        {{100, 2, 8, TALLY_PIXEL_FORMAT_400}, {"float_ansnr", "100x2", "3x3"}},
        {{1, 1, 8, TALLY_PIXEL_FORMAT_444}, {"float_ansnr", "1x1", "3x3"}},
        {{16, 16, 9, TALLY_PIXEL_FORMAT_420}, {"float_ansnr", "9", "8, 10, 12"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused("float_ansnr", &cases[i].format, cases[i].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_at_every_level),
        cmocka_unit_test(formula_picture_rows),
        cmocka_unit_test(rows_of_the_instrumented_reference),
        cmocka_unit_test(scores_of_the_spec),
        cmocka_unit_test(reference_without_signal),
        cmocka_unit_test(large_picture),
        cmocka_unit_test(scores_of_formula_pictures),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("float_ansnr", tests, NULL, NULL);
}
