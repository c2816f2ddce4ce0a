/* psnr_hvs against the figures of its spec, and its kernel at every level against a plain reading of the
 * spec. */
#include "formula_run.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "plan_run.h"

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#include "kernel/kernel.h"

#include "features/psnr_hvs/dct.h"
#include "features/psnr_hvs/stages.h"
#include "features/psnr_hvs/tables.h"

/* ---- The transform ---- */

static void transform_of_eight_values(void **state) {
    (void)state;
    static const struct {
        i32 in[8], out[8];
    } vectors[] = {
        {{10, 20, 35, 50, 70, 60, 30, 5}, {99, -10, -56, 21, -3, -6, 0, 3}},
        {{-7, 100, -255, 4, 0, 33, -1, 250}, {44, -165, 171, 25, 130, -146, -102, -174}},
        {{255, 255, 255, 255, 255, 255, 255, 255}, {721, 0, 0, 0, 0, 0, 0, 0}},
        {{255, 0, 255, 0, 255, 0, 255, 0}, {361, 65, 0, 76, -1, 115, 1, 327}},
        {{4095, 4095, 4095, 4095, 0, 0, 0, 0}, {5792, 5247, 0, -1843, -1, 1232, 1, -1043}},
        {{1, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 0, 1, 0, 0, 0}},
        {{0, 0, 0, 0, 0, 0, 0, 1}, {0, -1, 0, 0, 0, 0, 0, 0}},
        {{-1000, 999, -998, 997, -996, 995, -994, 993}, {-2, -510, -3, -598, -4, -896, -6, -2552}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        i32 x[16] = {0};
        for (u32 k = 0; k < 8; k++)
            x[2 * k] = vectors[i].in[k];
        psnr_hvs_dct(x, 2);
        for (u32 k = 0; k < 8; k++) {
            assert_int_equal(x[2 * k], vectors[i].out[k]);
            assert_int_equal(x[2 * k + 1], 0);
        }
    }
}

static void tables_are_those_of_the_spec(void **state) {
    (void)state;
    for (u32 p = 0; p < 3; p++)
        for (u32 v = 0; v < 8; v++)
            for (u32 h = 0; h < 8; h++) {
                const float c = psnr_hvs_tables[p][PSNR_HVS_CSF + v * 8 + h];
                const double g = (double)c * 0.3885746225901003;
                assert_true(psnr_hvs_tables[p][PSNR_HVS_MASK + v * 8 + h] == (float)(g * g));
                assert_true(psnr_hvs_tables[p][PSNR_HVS_CSF + h * 8 + v] == c);
            }
    assert_true(psnr_hvs_tables[0][PSNR_HVS_CSF] == 1.6193873005f);
    assert_true(psnr_hvs_tables[1][PSNR_HVS_CSF + 1] == 2.46074210438f);
    assert_true(psnr_hvs_tables[2][PSNR_HVS_CSF] == 2.03871978502f);
}

/* ---- A plain reading of the spec, section 4 ---- */

typedef struct picture_pair {
    plan_run run;
    void *planes[2][3];
} picture_pair;

static i32 sample(const picture_pair *pair, u32 picture, u32 plane, u32 x, u32 y) {
    const size_t at = (size_t)y * pair->run.layout.stored_width[plane] + x;
    return pair->run.layout.sample_bytes == 1 ? ((const u8 *)pair->planes[picture][plane])[at]
                                              : ((const u16 *)pair->planes[picture][plane])[at];
}

static float variance_ratio(i32 s[8][8]) {
    float whole_mean = 0, mean[4] = {0}, whole = 0, part[4] = {0};
    for (u32 i = 0; i < 8; i++)
        for (u32 j = 0; j < 8; j++) {
            whole_mean += (float)s[i][j];
            mean[(i >= 4) + 2 * (j >= 4)] += (float)s[i][j];
        }
    for (u32 i = 0; i < 8; i++)
        for (u32 j = 0; j < 8; j++) {
            const u32 k = (i >= 4) + 2 * (j >= 4);
            const float a = (float)s[i][j] - whole_mean / 64.0f, b = (float)s[i][j] - mean[k] / 16.0f;
            whole = whole + a * a;
            part[k] = part[k] + b * b;
        }
    whole = whole * ((float)1 / 63 * 64);
    for (u32 k = 0; k < 4; k++)
        part[k] = part[k] * ((float)1 / 15 * 16);
    return whole > 0 ? (((part[0] + part[1]) + part[2]) + part[3]) / whole : 0;
}

/* Replaces samples by coefficients; returns the masking threshold. */
static float transform(i32 s[8][8], const float *mask) {
    const float ratio = variance_ratio(s);
    float energy = 0;
    for (u32 j = 0; j < 8; j++)
        psnr_hvs_dct(&s[0][j], 8);
    for (u32 v = 0; v < 8; v++)
        psnr_hvs_dct(s[v], 1);
    for (u32 k = 1; k < 64; k++)
        energy = energy + (float)(s[k / 8][k % 8] * s[k / 8][k % 8]) * mask[k];
    const float product = energy * ratio;
    return (float)(sqrt((double)product) / 32.0);
}

static void block_terms(const picture_pair *pair, u32 plane, u32 x, u32 y, float terms[64]) {
    const float *csf = psnr_hvs_tables[plane] + PSNR_HVS_CSF, *mask = psnr_hvs_tables[plane] + PSNR_HVS_MASK;
    i32 s[2][8][8];
    for (u32 picture = 0; picture < 2; picture++)
        for (u32 i = 0; i < 8; i++)
            for (u32 j = 0; j < 8; j++)
                s[picture][i][j] = sample(pair, picture, plane, x + j, y + i);
    const float first = transform(s[0], mask), second = transform(s[1], mask);
    const float threshold = second > first ? second : first;
    for (u32 k = 0; k < 64; k++) {
        float e = (float)abs(s[0][k / 8][k % 8] - s[1][k / 8][k % 8]);
        if (k > 0) {
            const float z = threshold / mask[k];
            e = e < z ? 0 : e - z;
        }
        const float g = e * csf[k];
        terms[k] = g * g;
    }
}

/* ---- The kernel ---- */

static void open_pair(picture_pair *pair, const tally_format *format) {
    assert_true(plan_run_init(&pair->run, "psnr_hvs", format));
    formula_picture(&pair->run.layout, false, 0, pair->planes[0]);
    formula_picture(&pair->run.layout, true, 0, pair->planes[1]);
}

static void close_pair(picture_pair *pair) {
    plan_run_free(&pair->run);
    formula_free(pair->planes[0]);
    formula_free(pair->planes[1]);
}

/* The terms of one plane. They stay in the plan's buffer until the next call. */
static const float *plane_terms(picture_pair *pair, const char *level, u32 plane) {
    const ty_plan *plan = &pair->run.plan;
    const ty_stage *stage = &plan->stages[plane];
    const ty_cpu_kernel *kernel =
        ty_level_kernel(ty_level_find(level), plan->room, stage->kernel, pair->run.layout.sample_bytes * 8);
    void *buffers[] = {pair->planes[0][plane], pair->planes[1][plane], pair->run.buffers[stage->buffers[2]],
                       pair->run.buffers[stage->buffers[3]]};
    memset(buffers[3], 0xff, plan->buffers[stage->buffers[3]].bytes);
    kernel->run(buffers, stage->value, (ty_group_range){0, stage->groups_x, 0, stage->groups_y});
    assert_int_equal(plan_run_damaged(&pair->run), UINT32_MAX);
    return buffers[3];
}

static u32 blocks_along(u32 samples) {
    return (samples - 8) / 7 + 1;
}

static void check_planes(picture_pair *pair, const char *level) {
    const ty_layout *layout = &pair->run.layout;
    for (u32 p = 0; p < 3; p++) {
        const float *terms = plane_terms(pair, level, p);
        for (u32 y = 0; y < blocks_along(layout->height[p]); y++)
            for (u32 x = 0; x < blocks_along(layout->width[p]); x++, terms += 64) {
                float expected[64];
                block_terms(pair, p, 7 * x, 7 * y, expected);
                if (memcmp(terms, expected, sizeof expected) != 0)
                    fail_msg("%ux%u, depth %u, level %s, plane %u, block %u,%u differs", layout->format.width,
                             layout->format.height, layout->format.bit_depth, level, p, x, y);
            }
    }
}

/* Kinds of content: noise, extremes, nearly flat with some blocks flat, quadrants that are flat but
 * different. */
static void fill_pair(picture_pair *pair, u32 kind) {
    const ty_layout *layout = &pair->run.layout;
    const u32 peak = (1u << layout->format.bit_depth) - 1;
    u32 random = 12345 + kind;
    for (u32 i = 0; i < 2; i++)
        for (u32 p = 0; p < 3; p++)
            for (u32 at = 0; at < layout->stored_width[p] * layout->stored_height[p]; at++) {
                const u32 x = at % layout->stored_width[p], y = at / layout->stored_width[p];
                random = random * 1664525 + 1013904223;
                const u32 value = kind == 0   ? (random >> 8) % (peak + 1)
                                  : kind == 1 ? random >> 31 ? peak : 0
                                  : kind == 2 ? 100 + (random >> 28 == 0)
                                              : 50 + 9 * (x / 4 % 3) + 5 * (y / 4 % 3) + i;
                if (layout->sample_bytes == 1)
                    ((u8 *)pair->planes[i][p])[at] = (u8)value;
                else
                    ((u16 *)pair->planes[i][p])[at] = (u16)value;
            }
}

static void kernel_at_every_level(void **state) {
    (void)state;
    /* Luma of 1, 2, 31, 32, 33, 64 and 65 blocks a row, chroma of half as many; also sizes with a rest. */
    static const u32 widths[] = {16, 18, 218, 225, 232, 449, 456, 463};
    for (const ty_level *level = ty_levels; level->name; level++)
        for (u32 w = 0; w < 8 && level->usable(); w++)
            for (u32 depth = 8; depth <= 12; depth += 2)
                for (u32 kind = 0; kind < 4; kind++) {
                    const tally_format format = {widths[w], 16 + w, depth, TALLY_PIXEL_FORMAT_420};
                    picture_pair pair;
                    open_pair(&pair, &format);
                    fill_pair(&pair, kind);
                    check_planes(&pair, level->name);
                    close_pair(&pair);
                }
}

/* ---- Figures of the spec, section 7 ---- */

static void formula_picture_terms(void **state) {
    (void)state;
    static const float row[8] = {0x1.4fab4cp+1f, 0x1.0ae2c8p+4f, 0x1.d8e336p-2f};
    static const float after[3] = {0x1.23b2b2p+6f, 0x1.5f9238p+7f, 0x1.1ad76ep+8f};
    static const float at_end[3] = {0x1.523566p+10f, 0x1.9a7196p+8f, 0x1.ac77bp+7f};
    static const u32 counts[3] = {768, 128, 128};
    const tally_format format = {32, 24, 8, TALLY_PIXEL_FORMAT_420};
    for (const ty_level *level = ty_levels; level->name; level++) {
        picture_pair pair;
        if (!level->usable())
            continue;
        open_pair(&pair, &format);
        for (u32 p = 0; p < 3; p++) {
            const float *terms = plane_terms(&pair, level->name, p);
            float sum = 0;
            if (p == 0)
                assert_memory_equal(terms, row, sizeof row);
            for (u32 i = 0; i < counts[p]; i++) {
                sum = sum + terms[i];
                if (p == 0 && i % 64 == 63 && i < 192)
                    assert_true(sum == after[i / 64]);
            }
            assert_true(sum == at_end[p]);
        }
        close_pair(&pair);
    }
}

static void check_terms_file(const char *name, u32 depth) {
    const tally_format format = {32, 24, depth, TALLY_PIXEL_FORMAT_420};
    FILE *file = open_stage(name);
    picture_pair pair;
    char line[256];
    u32 current = 3;
    const float *terms = NULL;
    open_pair(&pair, &format);
    while (file && fgets(line, sizeof line, file)) {
        u32 p, y, x, v, h;
        char value[64];
        if (sscanf(line, "%u,%u,%u,%u,%u,%*d,%*d,%63s", &p, &y, &x, &v, &h, value) != 6)
            fail_msg("%s: cannot read %s", name, line);
        if (p != current)
            terms = plane_terms(&pair, "auto", current = p);
        const u32 block = y / 7 * blocks_along(pair.run.layout.width[p]) + x / 7;
        assert_true(terms[block * 64 + v * 8 + h] == strtof(value, NULL));
    }
    if (file)
        fclose(file);
    close_pair(&pair);
}

static void terms_of_the_instrumented_reference(void **state) {
    (void)state;
    check_terms_file("psnr_hvs_F32x24_8_coefs.csv", 8);
    check_terms_file("psnr_hvs_F32x24_12_coefs.csv", 12);
}

/* ---- Scores ---- */

static const char *const metrics[] = {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};

static void assert_scores(tally_run *run, const double expected[4]) {
    for (u32 m = 0; m < 4; m++)
        assert_same_double(score_of(run, metrics[m], 0), expected[m]);
    tally_run_destroy(run);
}

static void scores_of_the_spec(void **state) {
    (void)state;
    const tally_format formula = {32, 24, 8, TALLY_PIXEL_FORMAT_420};
    const tally_format flat = {32, 32, 8, TALLY_PIXEL_FORMAT_420};
    static const double of_formula[] = {45.671969438417896, 43.070367569525452, 45.894024033701001,
                                        45.349599760266635};
    static const double of_extremes[] = {-4.1827554370058042, -5.6215504129688529, -6.1828915977456163,
                                         -4.5878742345351373};
    static const double of_one_step[] = {42.92073961284121, 41.481943395362975, 40.920602409089,
                                         42.515620507209384};
    assert_scores(formula_run("psnr_hvs", &formula), of_formula);
    assert_scores(flat_run("psnr_hvs", &flat, 0, 255), of_extremes);
    assert_scores(flat_run("psnr_hvs", &flat, 100, 101), of_one_step);
}

static void identical_pictures_are_infinitely_good(void **state) {
    (void)state;
    const tally_format format = {40, 30, 11, TALLY_PIXEL_FORMAT_422};
    static const double infinite[] = {INFINITY, INFINITY, INFINITY, INFINITY};
    assert_scores(flat_run("psnr_hvs", &format, 77, 77), infinite);
}

static bool is_scored(const tally_format *f) {
    const uint32_t x = f->pixel_format != TALLY_PIXEL_FORMAT_444;
    const uint32_t y = f->pixel_format == TALLY_PIXEL_FORMAT_420;
    return f->width >> x >= 8 && f->height >> y >= 8;
}

static void scores_of_formula_pictures(void **state) {
    (void)state;
    if (getenv("TALLY_TEST_DATA"))
        assert_int_equal(check_formula_scores("psnr_hvs", "psnr_hvs_formula_scores.csv", is_scored), 216);
    else
        open_stage("psnr_hvs_formula_scores.csv");
}

/* ---- Refusals ---- */

static void refusals(void **state) {
    (void)state;
    static const struct {
        tally_format format;
        const char *words[5]; /* NULL-terminated */
    } cases[] = {
        {{64, 64, 8, TALLY_PIXEL_FORMAT_400}, {"psnr_hvs", "400"}},
        {{64, 64, 13, TALLY_PIXEL_FORMAT_420}, {"psnr_hvs", "13"}},
        {{64, 64, 16, TALLY_PIXEL_FORMAT_444}, {"psnr_hvs", "16"}},
        {{15, 16, 8, TALLY_PIXEL_FORMAT_420}, {"psnr_hvs", "chroma", "15x16", "7x8"}},
        {{16, 15, 8, TALLY_PIXEL_FORMAT_420}, {"psnr_hvs", "chroma", "8x7"}},
        {{14, 9, 10, TALLY_PIXEL_FORMAT_422}, {"psnr_hvs", "chroma", "7x9"}},
        {{7, 8, 8, TALLY_PIXEL_FORMAT_444}, {"psnr_hvs", "7x8", "8x8"}},
        {{8, 7, 8, TALLY_PIXEL_FORMAT_444}, {"psnr_hvs", "8x7", "8x8"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused("psnr_hvs", &cases[i].format, cases[i].words);
    }
    const tally_format smallest = {8, 8, 9, TALLY_PIXEL_FORMAT_444};
    tally_run_destroy(flat_run("psnr_hvs", &smallest, 1, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transform_of_eight_values),
        cmocka_unit_test(tables_are_those_of_the_spec),
        cmocka_unit_test(kernel_at_every_level),
        cmocka_unit_test(formula_picture_terms),
        cmocka_unit_test(terms_of_the_instrumented_reference),
        cmocka_unit_test(scores_of_the_spec),
        cmocka_unit_test(identical_pictures_are_infinitely_good),
        cmocka_unit_test(scores_of_formula_pictures),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("psnr_hvs", tests, NULL, NULL);
}
