/* float_ssim and float_ms_ssim: their kernels at every level against a plain reading of the spec, the spec's
 * figures, scores, decibels, refusals. */
#include "formula_run.h"
#include "luma_run.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "features/float_ssim/means.h"
#include "plan_run.h"

/* ---- A plain reading of the spec, section 4 ---- */

enum { MOST = 200 * 200 };

typedef struct plane {
    int width, height;
    float at[MOST];
} plane;

static int mirror(int i, int n) {
    return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
}

static void to_float(const tally_format *f, const uint16_t *samples, plane *a) {
    a->width = (int)f->width;
    a->height = (int)f->height;
    for (int i = 0; i < a->width * a->height; i++)
        a->at[i] = (float)samples[i] / (float)(1 << (f->bit_depth - 8));
}

static void decimate(const plane *in, int f, plane *out) {
    const float k = 1.0f / (float)(f * f);
    out->width = in->width / f + (f > 1 ? in->width % 2 : 0);
    out->height = in->height / f + (f > 1 ? in->height % 2 : 0);
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            double sum = 0;
            for (int v = 0; v < f; v++)
                for (int u = 0; u < f; u++) {
                    const float term = in->at[mirror(y * f - f / 2 + v, in->height) * in->width +
                                              mirror(x * f - f / 2 + u, in->width)] *
                                       k;
                    sum += (double)term;
                }
            out->at[y * out->width + x] = (float)sum;
        }
}

static void halve(const plane *in, plane *out) {
    static const float table[5][5] = {{0.363505f, 0.160885f, -0.047149f, -0.010146f, 0.016114f},
                                      {0.160885f, 0.071207f, -0.020867f, -0.004490f, 0.007132f},
                                      {-0.047149f, -0.020867f, 0.006115f, 0.001316f, -0.002090f},
                                      {-0.010146f, -0.004490f, 0.001316f, 0.000283f, -0.000450f},
                                      {0.016114f, 0.007132f, -0.002090f, -0.000450f, 0.000714f}};
    out->width = in->width / 2 + in->width % 2;
    out->height = in->height / 2 + in->height % 2;
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            double sum = 0;
            for (int v = -4; v <= 4; v++)
                for (int u = -4; u <= 4; u++) {
                    const float term =
                        in->at[mirror(2 * y + v, in->height) * in->width + mirror(2 * x + u, in->width)] *
                        table[abs(v)][abs(u)];
                    sum += (double)term;
                }
            out->at[y * out->width + x] = (float)sum;
        }
}

static const float taps[11] = {0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f,
                               0.213006f, 0.109361f, 0.036001f, 0.007599f, 0.001028f};

/* Both passes over a x b, or over a alone. */
static void window(const plane *a, const plane *b, plane *out) {
    static float between[MOST];
    const int w = a->width - 10, h = a->height - 10;
    for (int y = 0; y < a->height; y++)
        for (int x = 0; x < w; x++) {
            double sum = 0;
            for (int k = 0; k < 11; k++) {
                const int at = y * a->width + x + k;
                const float sample = b ? a->at[at] * b->at[at] : a->at[at];
                const float term = sample * taps[k];
                sum += (double)term;
            }
            between[y * w + x] = (float)sum;
        }
    out->width = w;
    out->height = h;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double sum = 0;
            for (int k = 0; k < 11; k++) {
                const float term = between[(y + k) * w + x] * taps[k];
                sum += (double)term;
            }
            out->at[y * w + x] = (float)sum;
        }
}

typedef struct terms {
    plane mean_r, mean_d, rr, dd, rd;
} terms;

typedef struct term {
    float vr, vd, cv, g, variances, s;
    double l, c;
} term;

static void windows_of(const plane *r, const plane *d, terms *t) {
    window(r, NULL, &t->mean_r);
    window(d, NULL, &t->mean_d);
    window(r, r, &t->rr);
    window(d, d, &t->dd);
    window(r, d, &t->rd);
}

static term term_of(const terms *t, int at) {
    const float e1 = 0.01f * 255, e2 = 0.03f * 255, c1 = e1 * e1, c2 = e2 * e2, c3 = c2 / 2;
    const float r = t->mean_r.at[at], d = t->mean_d.at[at];
    const float square_r = r * r, square_d = d * d, product = r * d;
    term m;
    m.vr = t->rr.at[at] - square_r;
    m.vd = t->dd.at[at] - square_d;
    m.vr = m.vr < 0 ? 0 : m.vr;
    m.vd = m.vd < 0 ? 0 : m.vd;
    m.cv = t->rd.at[at] - product;
    m.g = sqrtf(m.vr * m.vd);
    const float squares = square_r + square_d, variances = m.vr + m.vd, z = m.cv < 0 && m.g <= 0 ? 0 : m.cv;
    m.variances = variances + c2;
    m.l = (2 * (double)r * (double)d + (double)c1) / (double)(squares + c1);
    m.c = (2 * (double)m.g + (double)c2) / (double)m.variances;
    const float upper = z + c3, lower = m.g + c3;
    m.s = upper / lower;
    return m;
}

static ssim_means means_of(const terms *t) {
    double score = 0, l = 0, c = 0, s = 0;
    const int count = t->rr.width * t->rr.height;
    for (int i = 0; i < count; i++) {
        const term m = term_of(t, i);
        score += m.l * m.c * (double)m.s;
        l += m.l;
        c += m.c;
        s += (double)m.s;
    }
    return (ssim_means){(float)(score / count), (float)(l / count), (float)(c / count), (float)(s / count)};
}

/* ---- The kernels ---- */

static const float *buffer_of(const plan_run *run, ty_buffer_kind kind, uint32_t number) {
    for (uint32_t b = 0; b < run->plan.buffer_count; b++)
        if (run->plan.buffers[b].kind == kind && number-- == 0)
            return (const float *)(const void *)run->buffers[b];
    fail_msg("the plan has no such buffer");
    return NULL;
}

static void assert_plane(const plane *p, const float *got, const char *what) {
    const int pitch = (int)SSIM_PITCH(p->width);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            if (got[y * pitch + x] != p->at[y * p->width + x])
                fail_msg("%s, %d,%d of %dx%d: %a, not %a", what, x, y, p->width, p->height,
                         (double)got[y * pitch + x], (double)p->at[y * p->width + x]);
}

static void assert_windows(const terms *t, const float *got, bool with_means, const char *what) {
    const ssim_windows shape =
        ty_ssim_windows((uint32_t)t->rr.width + 10, (uint32_t)t->rr.height + 10, with_means);
    const uint32_t pitch = shape.stored_pitch;
    for (uint32_t y = 0; y < shape.height; y++)
        for (uint32_t x = 0; x < shape.width; x++) {
            const int at = (int)(y * shape.width + x);
            const term m = term_of(t, at);
            const float *row = got + y * shape.stored * pitch + x;
            bool same = row[SSIM_STRUCTURE * pitch] == m.s && row[SSIM_DEVIATIONS * pitch] == m.g &&
                        row[SSIM_VARIANCES * pitch] == m.variances;
            if (with_means)
                same = same && row[SSIM_MEAN_REFERENCE * pitch] == t->mean_r.at[at] &&
                       row[SSIM_MEAN_DISTORTED * pitch] == t->mean_d.at[at];
            if (!same)
                fail_msg("%s, window %u,%u of %ux%u", what, x, y, shape.width, shape.height);
        }
}

static void run_plan(plan_run *run, const char *request, const tally_format *f,
                     const uint16_t *const samples[2], const char *level) {
    void *pictures[2] = {luma_plane(f, samples[0]), luma_plane(f, samples[1])};
    const void *const planes[2][3] = {{pictures[0]}, {pictures[1]}};
    assert_true(plan_run_init(run, request, f));
    plan_run_frame(run, level, planes, 0xff);
    assert_true(plan_run_damaged(run) == UINT32_MAX);
    free(pictures[0]);
    free(pictures[1]);
}

static uint16_t samples_r[MOST], samples_d[MOST];
static const uint16_t *const both[2] = {samples_r, samples_d};

static void check_ssim(const tally_format *f, int factor) {
    static plane whole[2], small[2];
    static terms t;
    char request[60], what[100];
    snprintf(request, sizeof request, "float_ssim=scale=%d", factor);
    for (int i = 0; i < 2; i++) {
        to_float(f, both[i], &whole[i]);
        decimate(&whole[i], factor, &small[i]);
    }
    windows_of(&small[0], &small[1], &t);
    for (const ty_level *level = ty_levels; level->name; level++) {
        plan_run run;
        if (!level->usable())
            continue;
        snprintf(what, sizeof what, "%ux%u, %u bits, factor %d, level %s", f->width, f->height, f->bit_depth,
                 factor, level->name);
        run_plan(&run, request, f, both, level->name);
        assert_plane(&small[0], buffer_of(&run, TY_BUFFER_SCRATCH, 0), what);
        assert_plane(&small[1], buffer_of(&run, TY_BUFFER_SCRATCH, 1), what);
        assert_windows(&t, buffer_of(&run, TY_BUFFER_PARTIALS, 0), true, what);
        plan_run_free(&run);
    }
}

static void windows_are_the_spec(void **state) {
    (void)state;
    static const uint32_t sides[] = {11, 12, 13, 33, 63, 64, 73, 74, 75, 76, 100, 127, 138, 139, 151};
    static const uint32_t depths[] = {8, 10, 12, 16};
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
        for (int n = 0; n < 6; n++) {
            const tally_format f = {sides[i], sides[(i * 4 + (size_t)n * 7) % 15],
                                    depths[(i + (size_t)n) % 4], TALLY_PIXEL_FORMAT_400};
            luma_fill(&f, samples_r, (uint32_t)n % 4, &seed);
            luma_fill(&f, samples_d, n == 5 ? 0 : (uint32_t)n % 4, &seed);
            check_ssim(&f, 1);
        }
}

static void decimation_is_the_spec(void **state) {
    (void)state;
    static const uint32_t depths[] = {8, 10, 12, 16};
    uint64_t seed = 9;
    for (int factor = 2; factor <= 10; factor++)
        for (uint32_t n = 0; n < 8; n++) {
            const tally_format f = {11 * (uint32_t)factor + n * 3, 11 * (uint32_t)factor + n * 5,
                                    depths[n % 4], TALLY_PIXEL_FORMAT_400};
            luma_fill(&f, samples_r, n % 3, &seed);
            luma_fill(&f, samples_d, n % 4, &seed);
            check_ssim(&f, factor);
        }
}

static void check_scales(const tally_format *f) {
    static plane scales[5][2];
    static terms t;
    for (int i = 0; i < 2; i++) {
        to_float(f, both[i], &scales[0][i]);
        for (int k = 1; k < 5; k++)
            halve(&scales[k - 1][i], &scales[k][i]);
    }
    for (const ty_level *level = ty_levels; level->name; level++) {
        plan_run run;
        if (!level->usable())
            continue;
        run_plan(&run, "float_ms_ssim", f, both, level->name);
        for (uint32_t k = 0; k < 5; k++) {
            char what[100];
            snprintf(what, sizeof what, "%ux%u, %u bits, scale %u, level %s", f->width, f->height,
                     f->bit_depth, k, level->name);
            assert_plane(&scales[k][0], buffer_of(&run, TY_BUFFER_SCRATCH, 2 * k), what);
            assert_plane(&scales[k][1], buffer_of(&run, TY_BUFFER_SCRATCH, 2 * k + 1), what);
            windows_of(&scales[k][0], &scales[k][1], &t);
            assert_windows(&t, buffer_of(&run, TY_BUFFER_PARTIALS, k), k == 4, what);
        }
        plan_run_free(&run);
    }
}

static void scales_are_the_spec(void **state) {
    (void)state;
    static const uint32_t depths[] = {8, 10, 12, 16};
    uint64_t seed = 3;
    for (uint32_t n = 0; n < 8; n++) {
        const tally_format f = {176 + n * 3, 197 - n * 3, depths[n % 4], TALLY_PIXEL_FORMAT_400};
        luma_fill(&f, samples_r, n % 4, &seed);
        luma_fill(&f, samples_d, (n + n / 4) % 4, &seed);
        check_scales(&f);
    }
}

/* Samples of all sizes, so that sums have more bits than two floats keep in order. */
static uint16_t wide_sample(uint64_t *seed) {
    const uint32_t random = luma_random(seed);
    return (uint16_t)((random & 65535) >> (random >> 16) % 16);
}

/* In these pictures a sum of two floats rounds otherwise than the double sum, and it shows: they were
 * searched for. */
static void sums_in_doubt_are_the_spec(void **state) {
    (void)state;
    static const uint64_t window_seeds[] = {513457, 23560733}, lowpass_seeds[] = {3243, 8421};
    const tally_format small = {11, 11, 16, TALLY_PIXEL_FORMAT_400},
                       large = {176, 176, 16, TALLY_PIXEL_FORMAT_400};
    for (int i = 0; i < 2; i++) {
        uint64_t seed = window_seeds[i];
        for (int k = 0; k < 11 * 11; k++) {
            samples_r[k] = wide_sample(&seed);
            samples_d[k] = wide_sample(&seed);
        }
        check_ssim(&small, 1);
        seed = lowpass_seeds[i];
        for (int k = 0; k < 176 * 176; k++)
            samples_d[k] = samples_r[k] = wide_sample(&seed);
        check_scales(&large);
    }
}

/* ---- Figures of the spec, section 7 ---- */

static void spec_pictures(uint32_t width, uint32_t height) {
    for (uint32_t y = 0, i = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++, i++) {
            samples_r[i] = (uint16_t)((7 * x + 13 * y + 5 * (x * y % 11)) % 256);
            samples_d[i] = (uint16_t)((15 * samples_r[i] + 16 * ((x + 2 * y) % 5)) / 16);
        }
}

static const tally_format format16 = {16, 16, 8, TALLY_PIXEL_FORMAT_400};

static void the_plain_reading_has_the_figures(void **state) {
    (void)state;
    static plane p[2];
    static terms t;
    spec_pictures(16, 16);
    to_float(&format16, samples_r, &p[0]);
    to_float(&format16, samples_d, &p[1]);
    windows_of(&p[0], &p[1], &t);
    const term m = term_of(&t, 0);
    assert_true(t.mean_r.at[0] == 0x1.fd8762p+6f && t.rr.at[0] == 0x1.08e364p+14f);
    assert_true(m.vr == 0x1.6b4f6p+9f && m.cv == 0x1.559e4p+9f && m.g == 0x1.56376ep+9f);
    assert_true(m.l == 0x1.ff4c5d826dc73p-1 && m.c == 0x1.ff1f7964fffa3p-1 && m.s == 0x1.ff2438p-1f);
    const ssim_means means = means_of(&t);
    assert_true(means.score == 0x1.fd5faep-1f && means.l == 0x1.ff3a9p-1f);
    assert_true(means.c == 0x1.fee658p-1f && means.s == 0x1.ff3da6p-1f);
}

static tally_run *spec_run(const char *request, uint32_t width, uint32_t height) {
    const tally_format f = {width, height, 8, TALLY_PIXEL_FORMAT_400};
    spec_pictures(width, height);
    return luma_pair_run(request, &f, samples_r, samples_d);
}

static void assert_score(const char *request, uint32_t width, uint32_t height, const char *metric,
                         double expected) {
    tally_run *run = spec_run(request, width, height);
    assert_same_double(score_of(run, metric, 0), expected);
    tally_run_destroy(run);
}

static void scores_of_the_spec(void **state) {
    (void)state;
    assert_score("float_ssim=enable_lcs=true", 16, 16, "float_ssim", 0.99487060308456421);
    assert_score("float_ssim=enable_lcs=true", 16, 16, "float_ssim_l", 0x1.ff3a9p-1);
    assert_score("float_ssim=enable_lcs=true", 16, 16, "float_ssim_c", 0x1.fee658p-1);
    assert_score("float_ssim=enable_lcs=true", 16, 16, "float_ssim_s", 0x1.ff3da6p-1);
    assert_score("float_ssim=enable_db=true", 16, 16, "float_ssim", 22.899336936981349);
    assert_score("float_ssim", 178, 181, "float_ssim", 0.99584805965423584);
    assert_score("float_ms_ssim", 178, 181, "float_ms_ssim", 0x1.fef0573f407d5p-1);
    assert_score("float_ms_ssim=enable_db=true", 178, 181, "float_ms_ssim", 26.834855230930348);
}

static void means_of_each_scale(void **state) {
    (void)state;
    static const double l[] = {0x1.ff5cf4p-1, 0x1.ff545ep-1, 0x1.ff506ep-1, 0x1.ff5048p-1, 0x1.ff5034p-1};
    static const double c[] = {0x1.fefd8ap-1, 0x1.fef3b4p-1, 0x1.fef2a2p-1, 0x1.fef412p-1, 0x1.ffb484p-1};
    static const double s[] = {0x1.ff8498p-1, 0x1.ffff14p-1, 0x1.ffffep-1, 0x1.fffff8p-1, 0x1.000004p+0};
    tally_run *run = spec_run("float_ms_ssim=enable_lcs=true", 178, 181);
    assert_true(tally_run_metric_count(run) == 16);
    for (int k = 0; k < 5; k++) {
        char name[40];
        snprintf(name, sizeof name, "float_ms_ssim_l_scale%d", k);
        assert_same_double(score_of(run, name, 0), l[k]);
        snprintf(name, sizeof name, "float_ms_ssim_c_scale%d", k);
        assert_same_double(score_of(run, name, 0), c[k]);
        snprintf(name, sizeof name, "float_ms_ssim_s_scale%d", k);
        assert_same_double(score_of(run, name, 0), s[k]);
    }
    assert_same_double(score_of(run, "float_ms_ssim", 0), 0x1.fef0573f407d5p-1);
    tally_run_destroy(run);
}

static void windows_of_the_instrumented_reference(void **state) {
    (void)state;
    static plane p[2];
    static terms t;
    FILE *file = open_stage("ssim_window16.csv");
    char line[512], v[10][40];
    int x, y;
    spec_pictures(16, 16);
    to_float(&format16, samples_r, &p[0]);
    to_float(&format16, samples_d, &p[1]);
    windows_of(&p[0], &p[1], &t);
    unsigned lines = 0;
    while (file && fgets(line, sizeof line, file)) {
        const int got =
            sscanf(line,
                   "%d,%d,%39[^,],%39[^,],%39[^,],%39[^,],%39[^,],%*[^,],%*[^,],%*[^,],%39[^,],%39[^,],"
                   "%39[^,],%39[^,]",
                   &x, &y, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]);
        assert_int_equal(got, 11);
        const int at = y * 6 + x;
        const term m = term_of(&t, at);
        assert_true(t.mean_r.at[at] == strtof(v[0], NULL) && t.mean_d.at[at] == strtof(v[1], NULL));
        assert_true(t.rr.at[at] == strtof(v[2], NULL) && t.dd.at[at] == strtof(v[3], NULL));
        assert_true(t.rd.at[at] == strtof(v[4], NULL) && m.g == strtof(v[5], NULL));
        assert_true(m.l == strtod(v[6], NULL) && m.c == strtod(v[7], NULL) && m.s == strtof(v[8], NULL));
        lines++;
    }
    assert_true(!file || lines == 36);
    if (file)
        fclose(file);
}

static void decimation_of_the_instrumented_reference(void **state) {
    (void)state;
    static plane p, small;
    FILE *file = open_stage("ssim_decimate.csv");
    char line[256], kind[16], value[40];
    int factor, w, h, x, y;
    unsigned lines = 0;
    while (file && fgets(line, sizeof line, file)) {
        assert_int_equal(
            sscanf(line, "%15[^,],%d,%d,%d,%*d,%*d,%d,%d,%39s", kind, &factor, &w, &h, &x, &y, value), 7);
        const tally_format f = {(uint32_t)w, (uint32_t)h, 8, TALLY_PIXEL_FORMAT_400};
        spec_pictures((uint32_t)w, (uint32_t)h);
        to_float(&f, samples_r, &p);
        if (strcmp(kind, "box") == 0)
            decimate(&p, factor, &small);
        else
            halve(&p, &small);
        assert_true(small.at[y * small.width + x] == strtof(value, NULL));
        lines++;
    }
    assert_true(!file || lines == 194);
    if (file)
        fclose(file);
}

/* ---- Decibels and special values ---- */

static void caps_of_the_spec(void **state) {
    (void)state;
    static const struct {
        tally_format format;
        double cap;
    } expected[] = {
        {{576, 324, 8, TALLY_PIXEL_FORMAT_420}, 104},   {{320, 240, 10, TALLY_PIXEL_FORMAT_420}, 113},
        {{200, 150, 12, TALLY_PIXEL_FORMAT_420}, 121},  {{160, 90, 16, TALLY_PIXEL_FORMAT_420}, 141},
        {{1920, 1080, 8, TALLY_PIXEL_FORMAT_420}, 115}, {{3840, 2160, 8, TALLY_PIXEL_FORMAT_420}, 121}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        ty_layout layout;
        ty_error error = {0};
        assert_int_equal(ty_layout_init(&layout, &expected[i].format, "picture", &error), TALLY_OK);
        assert_same_double(ty_ssim_cap(&layout), expected[i].cap);
    }
}

static void decibels(void **state) {
    (void)state;
    assert_same_double(ty_ssim_decibels(1.0, INFINITY), INFINITY);
    assert_same_double(ty_ssim_decibels(1.0, 104), 104);
    assert_same_double(ty_ssim_decibels(1.0000001, 104), 104); /* not a number: the cap */
    assert_same_double(ty_ssim_decibels(NAN, 104), 104);
    assert_true(ty_ssim_decibels(0.0, 104) == 0);
    assert_true(ty_ssim_decibels(-0.5, 104) < 0);
}

/* An inverted picture has a negative structure, whose power is not a number: the run fails and says which
 * metric. */
static void a_score_that_is_no_number_fails(void **state) {
    (void)state;
    const tally_format f = {176, 176, 8, TALLY_PIXEL_FORMAT_400};
    uint64_t seed = 1;
    luma_fill(&f, samples_r, 0, &seed);
    for (uint32_t i = 0; i < 176 * 176; i++)
        samples_d[i] = 255 - samples_r[i];
    tally_run *run = started_run("float_ms_ssim", &f);
    luma_submit(run, &f, samples_r, samples_d);
    assert_true(tally_run_finish(run) != TALLY_OK);
    assert_non_null(strstr(tally_run_error(run), "float_ms_ssim"));
    tally_run_destroy(run);
    run = luma_pair_run("float_ssim", &f, samples_r, samples_d);
    assert_true(score_of(run, "float_ssim", 0) < 0);
    tally_run_destroy(run);
}

/* ---- Refusals ---- */

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *request;
        tally_format format;
        const char *words[4]; /* NULL-terminated */
    } cases[] = {
        {"float_ssim", {10, 40, 8, TALLY_PIXEL_FORMAT_420}, {"float_ssim", "10x40", "11x11"}},
        {"float_ssim", {40, 10, 8, TALLY_PIXEL_FORMAT_400}, {"float_ssim", "40x10", "11x11"}},
        {"float_ssim=scale=4", {44, 42, 8, TALLY_PIXEL_FORMAT_400}, {"float_ssim", "44x42", "by 4"}},
        {"float_ssim=scale=3", {32, 34, 8, TALLY_PIXEL_FORMAT_420}, {"float_ssim", "10x11"}},
        {"float_ssim", {64, 64, 9, TALLY_PIXEL_FORMAT_420}, {"float_ssim", "9", "8, 10, 12"}},
        {"float_ms_ssim", {175, 200, 8, TALLY_PIXEL_FORMAT_420}, {"float_ms_ssim", "175x200", "176x176"}},
        {"float_ms_ssim", {200, 175, 8, TALLY_PIXEL_FORMAT_420}, {"float_ms_ssim", "200x175", "176x176"}},
        {"float_ms_ssim", {200, 200, 11, TALLY_PIXEL_FORMAT_420}, {"float_ms_ssim", "11", "8, 10, 12"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].request, &cases[i].format, cases[i].words);
    /* An odd side counts one sample more. */
    const tally_format odd = {44, 41, 8, TALLY_PIXEL_FORMAT_400};
    tally_run_destroy(started_run("float_ssim=scale=4", &odd));
    static const char *const wrong[] = {"float_ssim=scale=11", "float_ssim=scale=nan",
                                        "float_ssim=enable_db=1", "float_ms_ssim=scale=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tally_run *run;
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        assert_int_equal(tally_run_add_feature(run, wrong[i]), TALLY_USAGE);
        tally_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_the_spec),
        cmocka_unit_test(decimation_is_the_spec),
        cmocka_unit_test(sums_in_doubt_are_the_spec),
        cmocka_unit_test(scales_are_the_spec),
        cmocka_unit_test(the_plain_reading_has_the_figures),
        cmocka_unit_test(scores_of_the_spec),
        cmocka_unit_test(means_of_each_scale),
        cmocka_unit_test(windows_of_the_instrumented_reference),
        cmocka_unit_test(decimation_of_the_instrumented_reference),
        cmocka_unit_test(caps_of_the_spec),
        cmocka_unit_test(decibels),
        cmocka_unit_test(a_score_that_is_no_number_fails),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("float_ssim", tests, NULL, NULL);
}
