/* float_adm against the figures of its specification, and its kernels at every level against a plain reading of it. With
 * TALLY_TEST_DATA set, also against spec/tables and golden/stages/float_adm_*.csv. */
#include "formula_run.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "float_adm_pairs.h"
#include "plan_run.h"

#include "features/float_adm/csf.h"
#include "features/adm/geometry.h"
#include "features/float_adm/stages.h"

/* ---- Quotients and products --------------------------------------------------------------------------------------- */

static void seeds_are_nearest_integers(void **state) {
    (void)state;
    for (uint32_t d = 4097; d < 8192; d += 2) {
        const uint32_t k = ((1u << 26) + d) / (2 * d);
        assert_int_equal(float_adm_seed(d), k);
        for (uint32_t guess = k - 1; guess <= k + 1; guess++)
            assert_int_equal(float_adm_nearest(d, guess), k);
    }
}

static void reciprocals_are_one_step_from_the_seed(void **state) {
    (void)state;
    assert_true(float_adm_reciprocal(1e-30f) == 0x1.93e592p+99f);
    for (uint32_t bits = 0x0e000000; bits < 0x60000000; bits += 7919) {
        const float d = f32_of_bits(bits);
        const uint32_t divisor = 4097 + 2 * (bits >> 12 & 0x7ff);
        const float x = ldexpf((float)(((1u << 26) + divisor) / (2 * divisor)), 114 - (int)(bits >> 23));
        const float product = d * x, rest = 1.0f - product, step = x * rest, r = x + step;
        assert_true(float_adm_reciprocal(d) == r && float_adm_reciprocal(-d) == -r);
    }
}

static void integer_forms_equal_double_forms(void **state) {
    (void)state;
    static const uint32_t exponents[] = {0, 1, 2, 3, 5, 60, 127};
    for (uint32_t fraction = 0; fraction < 1u << 23; fraction++)
        if (!float_adm_around_agrees(f32_of_bits(120u << 23 | fraction)))
            fail_msg("fraction %x", fraction);
    for (uint32_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++)
        for (uint32_t fraction = 0; fraction < 1u << 23; fraction += 509)
            assert_true(float_adm_around_agrees(f32_of_bits(exponents[e] << 23 | fraction)));
    assert_int_equal(float_adm_differing(1000000, 1), 0);
    /* Rounding a product of more than 24 digits once instead of twice would show here. */
    assert_true(float_adm_centre_agrees(0x1.000002p+0f, 0x1.ep-21f) && float_adm_centre_agrees(0, 0));
}

/* ---- Contrast sensitivity ----------------------------------------------------------------------------------------- */

static void factors_are_the_specified_ones(void **state) {
    (void)state;
    static const float watson[4][2] = {{0x1.1cc774p-6f, 0x1.820d54p-8f},
                                       {0x1.06050cp-5f, 0x1.d48d46p-7f},
                                       {0x1.634f1p-5f, 0x1.8fb80cp-6f},
                                       {0x1.762816p-5f, 0x1.008392p-5f}};
    const adm_view view = {3, 1080};
    assert_true(adm_pixels_per_degree(view) == 0x1.c463acp+5f);
    for (uint32_t level = 0; level < 4; level++)
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            assert_true(float_adm_factor(0, view, level, diagonal, 2) == watson[level][diagonal]);
            assert_true(float_adm_factor(9, view, level, diagonal, 1) == watson[level][diagonal]);
        }
}

static FILE *open_table(const char *name) {
    char path[512], heading[512];
    const char *data = getenv("TALLY_TEST_DATA");
    if (!data) {
        print_message("NOT TESTED against %s: TALLY_TEST_DATA is not set\n", name);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/spec/tables/%s", data, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    assert_non_null(fgets(heading, sizeof heading, file));
    return file;
}

static void factors_of_the_table(void **state) {
    (void)state;
    FILE *file = open_table("float_adm_csf.csv");
    char line[512], rho[64], hv[64], d[64];
    unsigned mode, height, level, lines = 0;
    double distance, scale, diagonal_scale;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%u,%lf,%u,%lf,%lf,%u,%63[^,],%63[^,],%63[^,]", &mode, &distance, &height, &scale,
                   &diagonal_scale, &level, rho, hv, d) != 9)
            fail_msg("cannot read %s", line);
        const adm_view view = {distance, (int)height};
        if (adm_pixels_per_degree(view) != strtof(rho, NULL) ||
            float_adm_factor((int)mode, view, level, false, scale) != strtof(hv, NULL) ||
            float_adm_factor((int)mode, view, level, true, diagonal_scale) != strtof(d, NULL))
            fail_msg("%s", line);
        lines++;
    }
    if (file) {
        fclose(file);
        assert_int_equal(lines, 208);
    }
}

static void seeds_of_the_table(void **state) {
    (void)state;
    FILE *file = open_table("x86_rcp_seed.csv");
    unsigned index, k;
    while (file && fscanf(file, "%u,%u", &index, &k) == 2)
        assert_int_equal(float_adm_seed(4097 + 2 * index), k);
    if (file)
        fclose(file);
}

/* ---- Buffers of a plan -------------------------------------------------------------------------------------------- */

/* As plan() makes them: the pictures' planes lie between the first level's bands and its result. */
static uint32_t buffer_of(uint32_t level, uint32_t i) { return level == 0 ? (i < 2 ? i : 4) : 2 + 3 * level + i; }

static const float *buffer(const plan_run *run, uint32_t level, uint32_t i) {
    return (const float *)run->buffers[buffer_of(level, i)];
}

typedef struct geometry {
    float_adm_wavelet wavelet;
    float_adm_level level;
} geometry;

static geometry geometry_of(const plan_run *run, uint32_t level) {
    geometry g;
    memcpy(&g.wavelet, run->plan.stages[2 * level].value, sizeof g.wavelet);
    memcpy(&g.level, run->plan.stages[2 * level + 1].value, sizeof g.level);
    return g;
}

/* A band's sample; c: 0 a, 1 to 3 h, v, d. */
static float band_at(const plan_run *run, const geometry *g, uint32_t level, int picture, int c, uint32_t i, uint32_t j) {
    const adm_window *w = &g->wavelet.window;
    const size_t at = (size_t)(i - w->y0) * g->wavelet.stride + (j - w->x0);
    return c == 0 ? buffer(run, level, 0)[(size_t)picture * g->wavelet.plane + at]
                  : buffer(run, level, 1)[(size_t)(3 * picture + c - 1) * g->wavelet.plane + at];
}

/* Sum c of row i, in a run whose kernel adds rows. */
static float row_at(const plan_run *run, const geometry *g, uint32_t level, uint32_t c, uint32_t i) {
    const uint32_t y = i - g->level.counted.y0, strip = y / FLOAT_ADM_STRIP_ROWS;
    return buffer(run, level, 2)[(strip * FLOAT_ADM_SUMS + c) * FLOAT_ADM_STRIP + 1 + y % FLOAT_ADM_STRIP_ROWS];
}

/* Term c of a sample, in a run whose kernel leaves adding to the tail. */
/* To the power 2.5, which is what the run is asked for. */
static float term_at(const plan_run *run, const geometry *g, uint32_t level, uint32_t c, uint32_t i, uint32_t j) {
    const uint32_t y = i - g->level.counted.y0, x = j - g->level.counted.x0 + (c < 3 ? 1 : 2);
    const size_t sum = (size_t)(y / FLOAT_ADM_STRIP_ROWS) * FLOAT_ADM_SUMS + c;
    const float term = buffer(run, level, 2)[sum * g->level.tiles * FLOAT_ADM_SCORE_LANES + x * FLOAT_ADM_STRIP + 1 +
                                             y % FLOAT_ADM_STRIP_ROWS];
    return term < 0 ? ty_powf(-term, 2.5f) : term;
}

static void open_run(plan_run *run, const char *request, const tally_format *format) {
    if (!plan_run_init(run, request, format))
        fail_msg("%s is refused", request);
}

static void run_plan(plan_run *run, const char *level, const void *reference, const void *distorted) {
    const void *const planes[2][3] = {{reference}, {distorted}};
    plan_run_frame(run, level, planes, 0xff);
    assert_int_equal(plan_run_damaged(run), UINT32_MAX);
}

/* ---- A plain reading of the spec, sections 4.1 to 4.7 --------------------------------------------------------------- */

enum { LARGEST = 160 };

typedef struct plain_band {
    int w, h;
    float at[4][LARGEST * LARGEST];
} plain_band;

typedef struct plain {
    float factor[3]; /* h, v, d */
    double gain;
    bool masked;
    plain_band band[2];
    float part[2][3][LARGEST * LARGEST]; /* restored, additive */
} plain;

static int plain_tap(int k, int n) { return k < 0 ? -k : k >= n ? 2 * n - 1 - k : k; }

static float plain_dot(bool high, const float s[4]) {
    static const float c[2][4] = {{0.482962913144690f, 0.836516303737469f, 0.224143868041857f, -0.129409522550921f},
                                  {-0.129409522550921f, -0.224143868041857f, 0.836516303737469f, -0.482962913144690f}};
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        const float product = c[high][i] * s[i];
        sum = sum + product;
    }
    return sum;
}

static void plain_wavelet(const float *p, int w, int h, plain_band *out) {
    static float vertical[2][LARGEST * LARGEST];
    out->w = (w + 1) / 2;
    out->h = (h + 1) / 2;
    for (int i = 0; i < out->h; i++)
        for (int x = 0; x < w; x++)
            for (int high = 0; high < 2; high++) {
                float s[4];
                for (int k = 0; k < 4; k++)
                    s[k] = p[plain_tap(2 * i - 1 + k, h) * w + x];
                vertical[high][i * w + x] = plain_dot(high, s);
            }
    for (int i = 0; i < out->h; i++)
        for (int j = 0; j < out->w; j++)
            for (int c = 0; c < 4; c++) { /* a: L by lo; h: U by lo; v: L by hi; d: U by hi */
                float s[4];
                for (int k = 0; k < 4; k++)
                    s[k] = vertical[c & 1][i * w + plain_tap(2 * j - 1 + k, w)];
                out->at[c][i * out->w + j] = plain_dot(c >> 1, s);
            }
}

static float plain_reciprocal(float d) {
    const uint32_t bits = f32_bits(d), divisor = 4097 + 2 * (bits >> 12 & 0x7ff);
    const float k = (float)(((1u << 26) + divisor) / (2 * divisor));
    const float x = copysignf(ldexpf(k, 114 - (int)(bits >> 23 & 255)), d);
    const float product = d * x, rest = 1 - product, step = x * rest;
    return x + step;
}

static bool plain_near(float oh, float ov, float th, float tv) {
    const float hh = oh * th, vv = ov * tv, p = hh + vv, o1 = oh * oh, o2 = ov * ov, a = o1 + o2;
    const float t1 = th * th, t2 = tv * tv, b = t1 + t2, c = 0x1.ffd814p-1f, ca = c * a, right = ca * b, left = p * p;
    return p >= 0 && left >= right;
}

static void plain_decouple(plain *s) {
    const plain_band *o = &s->band[0], *t = &s->band[1];
    for (int i = 0; i < o->w * o->h; i++) {
        const bool near = plain_near(o->at[1][i], o->at[2][i], t->at[1][i], t->at[2][i]);
        for (int c = 0; c < 3; c++) {
            const float oc = o->at[c + 1][i], tc = t->at[c + 1][i], d = oc + 1e-30f;
            float k = tc * plain_reciprocal(d);
            k = k < 0 ? 0 : k > 1 ? 1 : k;
            float q = k * oc;
            const double gained = (double)q * s->gain;
            if (near && q > 0)
                q = (float)(gained < (double)tc ? gained : (double)tc);
            else if (near && q < 0)
                q = (float)(gained > (double)tc ? gained : (double)tc);
            s->part[0][c][i] = q;
            s->part[1][c][i] = tc - q;
        }
    }
}

static int plain_inside(int i, int n) { return i < 0 ? 1 : i < n ? i : n - 1; }

static float plain_threshold(const plain *s, int masker, int i, int j) {
    const int w = s->band[0].w, h = s->band[0].h;
    float threshold = 0;
    for (int c = 0; c < 3; c++) {
        float sum = 0;
        for (int di = -1; di <= 1; di++)
            for (int dj = -1; dj <= 1; dj++) {
                const int at = plain_inside(i + di, h) * w + plain_inside(j + dj, w);
                const float weighted = fabsf(s->factor[c] * s->part[masker][c][at]);
                if (di == 0 && dj == 0) {
                    const double product = 0x1.111111fd00e7dp-4 * (double)weighted;
                    sum = (float)((double)sum + product);
                } else {
                    const float around = (float)(0x1.11111203e01fcp-5 * (double)weighted);
                    sum = sum + around;
                }
            }
        threshold = threshold + sum;
    }
    return s->masked ? threshold : 0;
}

/* X of the three sums: kind 0 den, 1 num, 2 aim. */
static float plain_term(const plain *s, int kind, int c, int i, int j, float threshold) {
    const int at = i * s->band[0].w + j;
    const float weighted = fabsf(s->factor[c] * (kind == 0 ? s->band[0].at[c + 1][at] : s->part[kind - 1][c][at]));
    const float above = weighted - threshold;
    return kind == 0 ? weighted : above < 0 ? 0 : above;
}

static float plain_row(const plain *s, int kind, int c, int i, int from, int to) {
    float sum = 0;
    for (int j = from; j < to; j++) {
        const float x = plain_term(s, kind, c, i, j, kind == 0 ? 0 : plain_threshold(s, 2 - kind, i, j));
        const float square = x * x, cube = square * x;
        sum = sum + cube;
    }
    return sum;
}

static void compare_level(const plan_run *run, const geometry *g, const plain *s, uint32_t level, const char *name) {
    const adm_window *w = &g->wavelet.window, *n = &g->level.counted;
    const int width = s->band[0].w;
    assert_true(n->x0 == (uint32_t)(width < 5 ? 0 : (width - 5) / 10) && n->x1 == (uint32_t)width - n->x0);
    for (uint32_t i = w->y0; i < w->y1; i++)
        for (uint32_t j = w->x0; j < w->x1; j++)
            for (int c = 0; c < 8; c++) {
                const float expected = s->band[c / 4].at[c % 4][i * (uint32_t)width + j];
                if (band_at(run, g, level, c / 4, c % 4, i, j) != expected)
                    fail_msg("%s, %ux%u, level %u, band %d (%u,%u)", name, run->layout.width[0], run->layout.height[0],
                             level, c, i, j);
            }
    for (uint32_t i = n->y0; i < n->y1; i++)
        for (uint32_t c = 0; c < FLOAT_ADM_SUMS; c++) {
            const float expected = plain_row(s, (int)c / 3, (int)c % 3, (int)i, (int)n->x0, (int)n->x1);
            if (row_at(run, g, level, c, i) != expected)
                fail_msg("%s, %ux%u, level %u, row %u, sum %u: %a, not %a", name, run->layout.width[0],
                         run->layout.height[0], level, i, c, (double)row_at(run, g, level, c, i), (double)expected);
        }
}

static void plain_samples(const ty_layout *layout, const void *plane, float *samples) {
    const uint32_t w = layout->width[0], h = layout->height[0];
    for (uint32_t k = 0; k < w * h; k++) {
        const size_t at = (size_t)(k / w) * layout->stored_width[0] + k % w;
        const unsigned value = layout->sample_bytes == 1 ? ((const uint8_t *)plane)[at] : ((const uint16_t *)plane)[at];
        samples[k] = (float)value / (float)(1u << (layout->format.bit_depth - 8)) - 128;
    }
}

static void compare_with_plain(const char *options, double gain, bool masked, const tally_format *format,
                               const void *reference, const void *distorted) {
    static plain s;
    static float input[2][LARGEST * LARGEST];
    plan_run run;
    char request[256];
    snprintf(request, sizeof request, "float_adm%s", options);
    for (const ty_level *level = ty_levels; level->name; level++) {
        if (!level->usable())
            continue;
        open_run(&run, request, format);
        run_plan(&run, level->name, reference, distorted);
        plain_samples(&run.layout, reference, input[0]);
        plain_samples(&run.layout, distorted, input[1]);
        int w = (int)format->width, h = (int)format->height;
        for (uint32_t l = 0; l < ADM_LEVELS; l++) {
            const geometry g = geometry_of(&run, l);
            s.factor[0] = s.factor[1] = g.level.weight_hv;
            s.factor[2] = g.level.weight_d;
            s.gain = gain;
            s.masked = masked;
            for (int p = 0; p < 2; p++)
                plain_wavelet(input[p], w, h, &s.band[p]);
            plain_decouple(&s);
            compare_level(&run, &g, &s, l, level->name);
            w = s.band[0].w;
            h = s.band[0].h;
            for (int p = 0; p < 2; p++)
                memcpy(input[p], s.band[p].at[0], (size_t)(w * h) * sizeof(float));
        }
        plan_run_free(&run);
    }
}

static void *random_plane(const tally_format *format, uint64_t *seed, const void *near) {
    const size_t count = (size_t)format->width * format->height;
    const uint32_t top = (1u << format->bit_depth) - 1;
    void *plane = test_malloc(count * 2);
    for (size_t k = 0; k < count; k++) {
        const uint32_t noise = (uint32_t)float_adm_random(seed);
        uint32_t value = noise & top;
        if (near) {
            const uint32_t r = format->bit_depth > 8 ? ((const uint16_t *)near)[k] : ((const uint8_t *)near)[k];
            value = noise >> 20 & 1 ? r * 3 / 4 : r + (noise % (top / 8 + 1)) < top ? r + noise % (top / 8 + 1) : top;
        }
        if (format->bit_depth > 8)
            ((uint16_t *)plane)[k] = (uint16_t)value;
        else
            ((uint8_t *)plane)[k] = (uint8_t)value;
    }
    return plane;
}

static void kernels_at_every_level(void **state) {
    (void)state;
    static const struct {
        const char *options;
        double gain;
        bool masked;
    } cases[] = {{"", 100, true},
                 {"=adm_enhn_gain_limit=1.2", 1.2, true},
                 {"=adm_enhn_gain_limit=1:adm_bypass_cm=1", 1, false},
                 {"=adm_csf_mode=1:adm_enhn_gain_limit=1.5", 1.5, true}};
    static const uint32_t sizes[][2] = {{17, 17}, {18, 33}, {29, 17}, {32, 20}, {33, 160}, {47, 40}, {64, 129}, {150, 67}};
    static const uint32_t depths[] = {8, 10, 12, 16};
    uint64_t seed = 5;
    for (uint32_t i = 0; i < 16; i++) {
        const tally_format format = {sizes[i % 8][0], sizes[i % 8][1], depths[(i + i / 8) % 4], TALLY_PIXEL_FORMAT_400};
        void *reference = random_plane(&format, &seed, NULL);
        void *distorted = random_plane(&format, &seed, i % 3 ? reference : NULL);
        const uint32_t c = (i + i / 4) % 4;
        compare_with_plain(cases[c].options, cases[c].gain, cases[c].masked, &format, reference, distorted);
        test_free(reference);
        test_free(distorted);
    }
}

/* ---- Stage vectors of the spec, section 9 --------------------------------------------------------------------------- */

static const tally_format stage_format = {32, 32, 8, TALLY_PIXEL_FORMAT_400};
static uint8_t stage_planes[2][32 * 32];

static void make_stage_picture(void) {
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++) {
            const int t = (7 * x + 13 * y + 3 * (x * y / 4) + 4 * ((x ^ y) & 15)) % 512, r = t < 256 ? t : 511 - t;
            const int noisy = r + (5 * x + 3 * y) % 17 - 8, d = x < 16 ? noisy : (3 * r + 128) / 4;
            stage_planes[0][y * 32 + x] = (uint8_t)r;
            stage_planes[1][y * 32 + x] = (uint8_t)(d < 0 ? 0 : d > 255 ? 255 : d);
        }
}

static void open_stage_run(plan_run *run, const char *request) {
    make_stage_picture();
    open_run(run, request, &stage_format);
    run_plan(run, "auto", stage_planes[0], stage_planes[1]);
}

static void bands_of_the_spec(void **state) {
    (void)state;
    static const float expected[2][4] = {{-0x1.e4eecep+7f, -0x1.611e3p+3f, -0x1.1ad74p+3f, -0x1.c21112p+2f},
                                         {-0x1.ef97d4p+7f, -0x1.b441aep+3f, -0x1.8567bp+3f, -0x1.a85802p+2f}};
    plan_run run;
    open_stage_run(&run, "float_adm");
    const geometry g = geometry_of(&run, 0);
    for (int p = 0; p < 2; p++)
        for (int c = 0; c < 4; c++)
            assert_true(band_at(&run, &g, 0, p, c, 0, 0) == expected[p][c]);
    plan_run_free(&run);
}

static tally_run *stage_scores(const char *request) {
    make_stage_picture();
    const tally_picture reference = {{stage_planes[0]}, {32}}, distorted = {{stage_planes[1]}, {32}};
    tally_run *run = started_run(request, &stage_format);
    assert_int_equal(tally_run_submit(run, &reference, &distorted), TALLY_OK);
    if (tally_run_finish(run) != TALLY_OK)
        fail_msg("%s", tally_run_error(run));
    return run;
}

static void scores_of_the_spec(void **state) {
    (void)state;
    static const struct {
        const char *metric;
        double value;
    } expected[] = {{"adm2", 0x1.c2a502c2b8770p-1},
                    {"aim", 0x1.9025d914764f5p-9},
                    {"adm3", 0x1.e08a6e74d2006p-1},
                    {"adm_scale0", 0x1.d67792de5a234p-1},
                    {"adm_scale1", 0x1.b428c4eb1ecd0p-1},
                    {"adm_scale2", 0x1.b0f08d07707b3p-1},
                    {"adm_scale3", 0x1.d3ae69cec383fp-1},
                    {"adm_den_scale0", 0x1.2b8598p+3},
                    {"adm_den_scale1", 0x1.2de4cap+4},
                    {"adm_den_scale2", 0x1.9ea1f4p+5},
                    {"adm_den_scale3", 0x1.d81c8p+5},
                    {"adm_num_scale0", 0x1.133996p+3},
                    {"adm_num_scale1", 0x1.012cdep+4},
                    {"adm_num_scale2", 0x1.5e9b74p+5},
                    {"adm_num_scale3", 0x1.af3ed2p+5}};
    tally_run *run = stage_scores("float_adm=debug=true");
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_same_double(score_of(run, expected[i].metric, 0), expected[i].value);
    assert_same_double(score_of(run, "adm", 0), 0x1.c2a502c2b8770p-1);
    tally_run_destroy(run);
}

/* The float that a field of a csv line holds. */
static float field_value(const char *field) { return strtof(field, NULL); }

static uint32_t split(char *line, char *fields[], uint32_t size) {
    uint32_t count = 0;
    for (char *at = strtok(line, ",\n"); at && count < size; at = strtok(NULL, ",\n"))
        fields[count++] = at;
    return count;
}

/* Restored and additive coefficients are seen as terms of a run without masking. */
static void bands_of_the_instrumented_reference(void **state) {
    (void)state;
    FILE *file = open_stage("float_adm_bands.csv");
    char line[512], *f[20];
    unsigned bands = 0, parts = 0;
    plan_run run;
    open_stage_run(&run, "float_adm=adm_p_norm=2.5:adm_bypass_cm=1");
    while (file && fgets(line, sizeof line, file)) {
        assert_int_equal(split(line, f, 20), 17);
        const uint32_t level = (uint32_t)atoi(f[0]), i = (uint32_t)atoi(f[1]), j = (uint32_t)atoi(f[2]);
        const geometry g = geometry_of(&run, level);
        const adm_window *w = &g.wavelet.window, *n = &g.level.counted;
        if (i < w->y0 || i >= w->y1 || j < w->x0 || j >= w->x1)
            continue;
        for (int c = 0; c < 8; c++, bands++)
            assert_true(band_at(&run, &g, level, c / 4, c % 4, i, j) == field_value(f[3 + c]));
        if (i < n->y0 || i >= n->y1 || j < n->x0 || j >= n->x1)
            continue;
        for (uint32_t c = 0; c < 6; c++, parts++) {
            const float factor = c % 3 == 2 ? g.level.weight_d : g.level.weight_hv;
            const float weighted = fabsf(field_value(f[11 + c]) * factor);
            assert_true(term_at(&run, &g, level, 3 + c, i, j) == ty_powf(weighted, 2.5f));
        }
    }
    if (file) {
        fclose(file);
        assert_true(bands >= 8 * 340 - 8 && parts == 6 * 280);
    }
    plan_run_free(&run);
}

static void terms_of_the_instrumented_reference(void **state) {
    (void)state;
    FILE *file = open_stage("float_adm_masked.csv");
    char line[512], *f[10];
    unsigned lines = 0;
    plan_run run;
    open_stage_run(&run, "float_adm=adm_p_norm=2.5");
    for (; file && fgets(line, sizeof line, file); lines++) {
        assert_int_equal(split(line, f, 10), 8);
        const uint32_t level = (uint32_t)atoi(f[1]), i = (uint32_t)atoi(f[2]), j = (uint32_t)atoi(f[3]);
        const geometry g = geometry_of(&run, level);
        for (uint32_t c = 0; c < 3; c++)
            assert_true(term_at(&run, &g, level, (strcmp(f[0], "dlm") == 0 ? 3 : 6) + c, i, j) ==
                        ty_powf(field_value(f[5 + c]), 2.5f));
    }
    if (file) {
        fclose(file);
        assert_int_equal(lines, 560);
    }
    plan_run_free(&run);
}

static void rows_of_the_instrumented_reference(void **state) {
    (void)state;
    FILE *file = open_stage("float_adm_rows.csv");
    char line[512], *f[10];
    unsigned lines = 0;
    float total[ADM_LEVELS][FLOAT_ADM_SUMS] = {{0}};
    plan_run run;
    open_stage_run(&run, "float_adm");
    for (; file && fgets(line, sizeof line, file); lines++) {
        assert_int_equal(split(line, f, 10), 9);
        const uint32_t kind = f[0][0] == 'a' ? 2 : f[0][1] == 'l' ? 1 : 0;
        const uint32_t level = (uint32_t)atoi(f[1]), i = (uint32_t)atoi(f[2]);
        const geometry g = geometry_of(&run, level);
        for (uint32_t c = 0; c < 3; c++) {
            const float row = row_at(&run, &g, level, 3 * kind + c, i);
            total[level][3 * kind + c] = total[level][3 * kind + c] + row;
            assert_true(row == field_value(f[3 + c]) && total[level][3 * kind + c] == field_value(f[6 + c]));
        }
    }
    if (file) {
        fclose(file);
        assert_int_equal(lines, 84);
    }
    plan_run_free(&run);
}

/* ---- Names, special values, refusals ---------------------------------------------------------------------------------- */

static void names_of_options(void **state) {
    (void)state;
    tally_run *run = stage_scores("float_adm=adm_bypass_cm=1:debug=true:adm_csf_scale=0.5:adm_csf_diag_scale=2:"
                                  "adm_skip_scale0=true:adm_adm3_apply_hm=true:adm_skip_aim_scale=2:adm_f1s2=0.25");
    score_of(run, "adm3_aah_bcm_1_scfd_2_scf_0.5_f1s2_0.25_sasc_2_ssz", 0);
    score_of(run, "adm_den_scale2_aah_bcm_1_scfd_2_scf_0.5_f1s2_0.25_sasc_2_ssz", 0);
    score_of(run, "adm", 0);
    assert_same_double(score_of(run, "adm_num_scale0_aah_bcm_1_scfd_2_scf_0.5_f1s2_0.25_sasc_2_ssz", 0), 0);
    assert_same_double(score_of(run, "adm_den_scale0_aah_bcm_1_scfd_2_scf_0.5_f1s2_0.25_sasc_2_ssz", 0), (double)1e-10f);
    tally_run_destroy(run);
}

static void flat_pictures(void **state) {
    (void)state;
    const tally_format format = {40, 24, 8, TALLY_PIXEL_FORMAT_420};
    tally_run *run = flat_run("float_adm", &format, 128, 128);
    assert_same_double(score_of(run, "adm2", 0), 1);
    assert_same_double(score_of(run, "aim", 0), 0);
    assert_same_double(score_of(run, "adm3", 0), 1);
    tally_run_destroy(run);
    /* An undistorted picture by the harmonic mean. */
    run = flat_run("float_adm=adm_adm3_apply_hm=true:adm_min_val=0.25", &format, 128, 128);
    assert_same_double(score_of(run, "adm3_aah_min_0.25", 0), 0.25);
    tally_run_destroy(run);
}

/* No energy at all: adm2 is 1 and aim 0, but the ratio of a level, 0 / 0, is no score. */
static void nothing_to_compare(void **state) {
    (void)state;
    static uint8_t grey[24 * 40];
    const tally_format format = {40, 24, 8, TALLY_PIXEL_FORMAT_400};
    memset(grey, 128, sizeof grey);
    const tally_picture picture = {{grey}, {40}};
    tally_run *run = started_run("float_adm=adm_noise_weight=0", &format);
    tally_status status = tally_run_submit(run, &picture, &picture);
    status = status == TALLY_OK ? tally_run_finish(run) : status;
    assert_int_not_equal(status, TALLY_OK);
    assert_non_null(strstr(tally_run_error(run), "adm_scale0_nw_0"));
    tally_run_destroy(run);
}

static void refused_formats(void **state) {
    (void)state;
    static const struct {
        tally_format format;
        const char *words[4]; /* NULL-terminated */
    } cases[] = {{{16, 17, 8, TALLY_PIXEL_FORMAT_420}, {"float_adm", "16x17", "17x17"}},
                 {{17, 16, 8, TALLY_PIXEL_FORMAT_400}, {"float_adm", "17x16", "17x17"}},
                 {{1, 1, 16, TALLY_PIXEL_FORMAT_444}, {"float_adm", "1x1", "17x17"}},
                 {{64, 64, 9, TALLY_PIXEL_FORMAT_420}, {"float_adm", "9", "8, 10, 12"}},
                 {{64, 64, 14, TALLY_PIXEL_FORMAT_420}, {"float_adm", "14", "8, 10, 12"}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused("float_adm", &cases[i].format, cases[i].words);
}

static void refused_options(void **state) {
    (void)state;
    static const char *const cases[] = {
        "adm_csf_mode=10",         "adm_csf_mode=-1",       "adm_enhn_gain_limit=0.9", "adm_enhn_gain_limit=nan",
        "adm_norm_view_dist=0.5",  "adm_skip_aim_scale=-1", "adm_skip_aim_scale=4",    "adm_p_norm=0.5",
        "adm_p_norm=21",           "adm_bypass_cm=2",       "adm_noise_weight=-1",     "adm_noise_weight=1501",
        "adm_ref_display_height=0", "adm_f1s0=-2",          "adm_f2s3=11",             "adm_dlm_weight=1.5",
        "adm_skip_scale0=1",       "adm_min_val=inf",       "adm_csf_scale=51",        "adm_csf_diag_scale=51"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char request[128], name[64];
        tally_run *run;
        snprintf(request, sizeof request, "float_adm=%s", cases[i]);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(cases[i], "="), cases[i]);
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        if (tally_run_add_feature(run, request) != TALLY_USAGE)
            fail_msg("%s is taken", request);
        if (!strstr(tally_run_error(run), name))
            fail_msg("\"%s\" does not say %s", tally_run_error(run), name);
        tally_run_destroy(run);
    }
}

/* The metric adm has the same name with any options. */
static void two_debug_runs_collide(void **state) {
    (void)state;
    const tally_format format = {64, 64, 8, TALLY_PIXEL_FORMAT_420};
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "float_adm=debug=true"), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "float_adm=debug=true:adm_bypass_cm=1"), TALLY_OK);
    assert_int_equal(tally_run_start(run, &format), TALLY_USAGE);
    assert_non_null(strstr(tally_run_error(run), "metric adm"));
    tally_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_are_nearest_integers),
        cmocka_unit_test(reciprocals_are_one_step_from_the_seed),
        cmocka_unit_test(integer_forms_equal_double_forms),
        cmocka_unit_test(factors_are_the_specified_ones),
        cmocka_unit_test(factors_of_the_table),
        cmocka_unit_test(seeds_of_the_table),
        cmocka_unit_test(kernels_at_every_level),
        cmocka_unit_test(bands_of_the_spec),
        cmocka_unit_test(scores_of_the_spec),
        cmocka_unit_test(bands_of_the_instrumented_reference),
        cmocka_unit_test(terms_of_the_instrumented_reference),
        cmocka_unit_test(rows_of_the_instrumented_reference),
        cmocka_unit_test(names_of_options),
        cmocka_unit_test(flat_pictures),
        cmocka_unit_test(nothing_to_compare),
        cmocka_unit_test(refused_formats),
        cmocka_unit_test(refused_options),
        cmocka_unit_test(two_debug_runs_collide),
    };
    return cmocka_run_group_tests_name("float_adm", tests, NULL, NULL);
}
