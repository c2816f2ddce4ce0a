/* float_vif: its kernels at every level against a plain reading of the spec, and that against the figures
 * of the spec and the stage files of the instrumented reference. */
#include "formula_run.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "exact/math.h"
#include "exact/sin.h"
#include "features/float_vif/stages.h"
#include "plan_run.h"

/* ---- A plain reading of the spec, section 4 ---------------------------------------------------------- */

typedef struct image {
    int w, h;
    float *at;
} image;

static image new_image(int w, int h) {
    return (image){w, h, malloc(sizeof(float) * (size_t)w * (size_t)h)};
}

static float pixel(image p, int x, int y) {
    return p.at[(size_t)y * (size_t)p.w + (size_t)x];
}

static int mirror(int i, int n) {
    return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
}

static image image_of_samples(const ty_layout *layout, const void *plane) {
    image p = new_image((int)layout->width[0], (int)layout->height[0]);
    for (int y = 0; y < p.h; y++)
        for (int x = 0; x < p.w; x++) {
            const size_t from = (size_t)y * layout->stored_width[0] + (size_t)x;
            const unsigned s =
                layout->sample_bytes == 1 ? ((const uint8_t *)plane)[from] : ((const uint16_t *)plane)[from];
            p.at[y * p.w + x] = (float)s / (float)(1u << (layout->format.bit_depth - 8)) - 128;
        }
    return p;
}

static float cubic_weight(float t) {
    t = fabsf(t);
    return t < 1 ? ((1.25f * t - 2.25f) * t * t) + 1 : t < 2 ? (((t - 5) * t + 8) * t - 4) * (-0.75f) : 0;
}

static float lanczos_weight(float t) {
    const double pi = 3.14159265358979323846, T = (double)t;
    if (t == 0)
        return 1;
    return t > -4 && t < 4 ? (float)((4 * ty_sin(pi * T)) * ty_sin((pi * T) / 4) / (((pi * pi) * T) * T)) : 0;
}

static float resampled(image s, const char *method, float rx, float ry, int X, int Y) {
    if (strcmp(method, "nearest") == 0)
        return pixel(s, (int)((float)X * rx), (int)((float)Y * ry));
    const float u = (float)((X + 0.5) * (double)rx - 0.5), v = (float)((Y + 0.5) * (double)ry - 0.5);
    const int x0 = (int)floorf(u), y0 = (int)floorf(v);
    if (strcmp(method, "bilinear") == 0) {
        const int x1 = mirror(x0, s.w), x2 = mirror((int)ceilf(u), s.w);
        const int y1 = mirror(y0, s.h), y2 = mirror((int)ceilf(v), s.h);
        const float dx = u - (float)x1, dy = v - (float)y1, ex = 1 - dx, ey = 1 - dy;
        return ey * ex * pixel(s, x1, y1) + ey * dx * pixel(s, x2, y1) + dy * ex * pixel(s, x1, y2) +
               dy * dx * pixel(s, x2, y2);
    }
    const bool cubic = strcmp(method, "bicubic") == 0;
    const float dx = u - (float)x0, dy = v - (float)y0;
    float acc = 0, sum = 0;
    for (int j = cubic ? -1 : -4; j <= (cubic ? 2 : 4); j++)
        for (int i = cubic ? -1 : -4; i <= (cubic ? 2 : 4); i++) {
            const float a = cubic ? cubic_weight((float)i - dx) : lanczos_weight((float)i - dx);
            const float b = cubic ? cubic_weight((float)j - dy) : lanczos_weight((float)j - dy);
            const float w = a * b;
            sum = sum + w;
            acc = acc + pixel(s, mirror(x0 + i, s.w), mirror(y0 + j, s.h)) * w;
        }
    return cubic ? acc : acc / sum;
}

static image prescaled(image s, double ps, const char *method) {
    const int w = (int)(s.w * ps + 0.5), h = (int)(s.h * ps + 0.5);
    if (w == s.w && h == s.h)
        return s;
    image p = new_image(w, h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            p.at[y * w + x] = resampled(s, method, (float)s.w / (float)w, (float)s.h / (float)h, x, y);
    free(s.at);
    return p;
}

static int filter_of(float kernelscale, int scale, float f[65]) {
    const float n = (float)((1 << (4 - scale)) + 1);
    int N = (int)ceilf(n * kernelscale);
    N += N % 2 == 0;
    N = N < 3 ? 3 : N;
    const float sigma = (float)N / 5;
    float S = 0;
    for (int i = 0; i < N; i++) {
        const double T = i - (N - 1) / 2, e = ((-0.5 * T) / (double)sigma) * T / (double)sigma;
        const float a = (float)ty_exp(e), b = (float)(1 / ((double)sigma * 0x1.40d931ff62705p+1));
        f[i] = a / b;
        S = S + f[i];
    }
    for (int i = 0; i < N; i++)
        f[i] = f[i] / S;
    return N;
}

/* Of the product of two images, or of a alone where b has no pixels. */
static image convolved(image a, image b, const float *f, int N) {
    image v = new_image(a.w, a.h), c = new_image(a.w, a.h);
    const int R = (N - 1) / 2;
    for (int y = 0; y < a.h; y++)
        for (int x = 0; x < a.w; x++) {
            float s = 0;
            for (int k = 0; k < N; k++) {
                const int from = mirror(y - R + k, a.h);
                const float p = b.at ? pixel(a, x, from) * pixel(b, x, from) : pixel(a, x, from);
                s = s + f[k] * p;
            }
            v.at[y * a.w + x] = s;
        }
    for (int y = 0; y < a.h; y++)
        for (int x = 0; x < a.w; x++) {
            float s = 0;
            for (int k = 0; k < N; k++)
                s = s + f[k] * pixel(v, mirror(x - R + k, a.w), y);
            c.at[y * a.w + x] = s;
        }
    free(v.at);
    return c;
}

static image halved(image a, const float *f, int N) {
    const image c = convolved(a, (image){0}, f, N);
    image half = new_image(a.w / 2, a.h / 2);
    for (int y = 0; y < half.h; y++)
        for (int x = 0; x < half.w; x++)
            half.at[y * half.w + x] = pixel(c, 2 * x, 2 * y);
    free(a.at);
    free(c.at);
    return half;
}

static float lg(float x) {
    static const float coefficients[] = {-0.012671635276421f, 0.064841182402670f,  -0.157048836463065f,
                                         0.257167726303123f,  -0.353800560300520f, 0.480131410397451f,
                                         -0.721314327952201f, 1.442694803896991f,  0};
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int e = (int)(bits >> 23) - 127;
    bits = (bits & 0x7fffff) | 0x3f800000;
    memcpy(&x, &bits, sizeof x);
    const float m = x - 1;
    float p = 0;
    for (int i = 0; i < 9; i++)
        p = p * m + coefficients[i];
    return (float)e + p;
}

static void statistics(float M1, float M2, float Q11, float Q22, float Q12, float limit, double nu, float *N,
                       float *M) {
    const float eps = (float)1e-10, kappa = (float)((double)((float)nu * (float)nu) / 65025.0);
    float v1 = Q11 - M1 * M1, v2 = Q22 - M2 * M2;
    const float c = Q12 - M1 * M2;
    v1 = v1 > 0 ? v1 : 0;
    v2 = v2 > 0 ? v2 : 0;
    float g = c / (v1 + eps), n = v2 - g * c;
    if (v1 < eps)
        g = 0, n = v2, v1 = 0;
    if (v2 < eps)
        g = 0, n = 0;
    if (g < 0)
        n = v2, g = 0;
    n = n > eps ? n : eps;
    g = g < limit ? g : limit;
    const float numerator = (g * g) * v1;
    *N = lg((float)(1 + (double)numerator / ((double)n + nu)));
    *M = nu == 0 && v1 == 0 ? 0x1.012b8p+7f : lg((float)(1 + (double)v1 / nu));
    if (c < 0)
        *N = 0;
    if ((double)v1 < nu)
        *N = 1 - v2 * kappa, *M = 1;
}

/* Everything the spec has for one scale. */
typedef struct scale_of {
    image r, d, m1, m2, q11, q22, q12, n, m;
} scale_of;

static scale_of measured(image r, image d, const float *f, int N, float limit, double nu) {
    const image none = {0};
    scale_of s = {r,
                  d,
                  convolved(r, none, f, N),
                  convolved(d, none, f, N),
                  convolved(r, r, f, N),
                  convolved(d, d, f, N),
                  convolved(r, d, f, N),
                  new_image(r.w, r.h),
                  new_image(r.w, r.h)};
    for (int i = 0; i < r.w * r.h; i++)
        statistics(s.m1.at[i], s.m2.at[i], s.q11.at[i], s.q22.at[i], s.q12.at[i], limit, nu, &s.n.at[i],
                   &s.m.at[i]);
    return s;
}

static void free_scale(scale_of *s) {
    const image all[] = {s->m1, s->m2, s->q11, s->q22, s->q12, s->n, s->m};
    for (int i = 0; i < 7; i++)
        free(all[i].at);
}

static float row_sum(image p, int y) {
    float sum = 0;
    for (int x = 0; x < p.w; x++)
        sum = sum + pixel(p, x, y);
    return sum;
}

/* ---- The kernels ------------------------------------------------------------------------------------- */

typedef struct option_set {
    const char *request;
    float kernelscale, limit;
    double nu, prescale;
    const char *method;
    int first;
} option_set;

static void *pictures[2];

static void make_pictures(const ty_layout *layout, unsigned (*sample)(bool, unsigned, unsigned)) {
    for (int i = 0; i < 2; i++) {
        pictures[i] = malloc(layout->plane_bytes[0]);
        for (unsigned y = 0; y < layout->height[0]; y++)
            for (unsigned x = 0; x < layout->width[0]; x++) {
                const size_t to = (size_t)y * layout->stored_width[0] + x;
                if (layout->sample_bytes == 1)
                    ((uint8_t *)pictures[i])[to] = (uint8_t)sample(i == 1, x, y);
                else
                    ((uint16_t *)pictures[i])[to] = (uint16_t)sample(i == 1, x, y);
            }
    }
}

static void free_pictures(void) {
    free(pictures[0]);
    free(pictures[1]);
}

static void run_level(plan_run *run, const char *level) {
    const void *const planes[2][3] = {{pictures[0]}, {pictures[1]}};
    plan_run_frame(run, level, planes, 0xff);
    assert_int_equal(plan_run_damaged(run), UINT32_MAX);
}

/* The sums of scale number `index` of those computed. */
static const float *sums_of(const plan_run *run, int index) {
    for (uint32_t b = 0; b < run->plan.buffer_count; b++)
        if (run->plan.buffers[b].kind == TY_BUFFER_PARTIALS && index-- == 0)
            return (const float *)run->buffers[b];
    fail_msg("there is no such scale");
    return NULL;
}

static float num_of(const float *sums, int y) {
    return sums[y / FLOAT_VIF_ROWS * FLOAT_VIF_SUMS + y % FLOAT_VIF_ROWS];
}
static float den_of(const float *sums, int y) {
    return num_of(sums + FLOAT_VIF_ROWS, y);
}

static void check_sums(const plan_run *run, const option_set *o, const char *level, const scale_of *s,
                       int scale) {
    const float *sums = sums_of(run, scale - o->first);
    for (int y = 0; y < s->r.h; y++) {
        const float num = row_sum(s->n, y), den = row_sum(s->m, y);
        if (num_of(sums, y) != num || den_of(sums, y) != den)
            fail_msg("%s, %ux%u, depth %u, level %s, scale %d, row %d: %a %a, not %a %a", o->request,
                     run->layout.format.width, run->layout.format.height, run->layout.format.bit_depth, level,
                     scale, y, (double)num_of(sums, y), (double)den_of(sums, y), (double)num, (double)den);
    }
}

/* Every level's row sums of every scale against the plain reading. */
static void check_levels(const option_set *o, const tally_format *format,
                         unsigned (*sample)(bool, unsigned, unsigned)) {
    plan_run runs[8] = {0};
    const char *names[8];
    int count = 0;
    for (const ty_level *level = ty_levels; level->name; level++) {
        if (!level->usable())
            continue;
        names[count] = level->name;
        assert_true(plan_run_init(&runs[count++], o->request, format));
    }
    assert_true(count > 0);
    make_pictures(&runs[0].layout, sample);
    for (int i = 0; i < count; i++)
        run_level(&runs[i], names[i]);
    image r = prescaled(image_of_samples(&runs[0].layout, pictures[0]), o->prescale, o->method);
    image d = prescaled(image_of_samples(&runs[0].layout, pictures[1]), o->prescale, o->method);
    for (int scale = o->first; scale < 4; scale++) {
        float f[65];
        const int N = filter_of(o->kernelscale, scale, f);
        if (scale > 0) {
            r = halved(r, f, N);
            d = halved(d, f, N);
        }
        scale_of s = measured(r, d, f, N, o->limit, o->nu);
        for (int i = 0; i < count; i++)
            check_sums(&runs[i], o, names[i], &s, scale);
        free_scale(&s);
    }
    free(r.at);
    free(d.at);
    for (int i = 0; i < count; i++)
        plan_run_free(&runs[i]);
    free_pictures();
}

static unsigned random_state = 1, peak = 255;

/* Texture and noise, flat areas, an inverted and a contrast-scaled part: every branch of the statistics. */
static unsigned hostile_sample(bool distorted, unsigned x, unsigned y) {
    random_state = random_state * 1664525 + 1013904223;
    const unsigned noise = random_state >> 16, wave = (x * 37 + y * 91 + (x ^ y) * 5) * (peak / 255) & peak;
    switch ((x / 24 + y / 20 * 3) % 7) {
    case 0: return distorted ? peak - wave : wave;
    case 1: return peak;
    case 2: return distorted ? wave / 3 : wave;
    case 3: return distorted ? noise & peak : 7;
    case 4: return distorted ? (wave * 2 < peak ? wave * 2 : peak) : wave;
    case 5: return noise & peak;
    default: return distorted ? wave ^ (noise & 3) : wave;
    }
}

static void kernels_at_every_width(void **state) {
    (void)state;
    static const option_set defaults = {"float_vif", 1, 100, 2, 1, "nearest", 0};
    static const uint32_t widths[] = {16, 17, 18, 31, 33,  56,  57,  63,  64,  65,
                                      71, 72, 73, 79, 127, 128, 129, 136, 145, 200};
    static const uint32_t depths[] = {8, 10, 12, 16};
    for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const tally_format format = {widths[i], 16 + i * 5 % 23, depths[i % 4], TALLY_PIXEL_FORMAT_400};
        peak = (1u << format.bit_depth) - 1;
        check_levels(&defaults, &format, hostile_sample);
    }
}

static void kernels_with_options(void **state) {
    (void)state;
    static const option_set sets[] = {
        {"float_vif=vif_kernelscale=0.444444", 0.444444f, 100, 2, 1, "nearest", 0},
        {"float_vif=vif_kernelscale=0.5", 0.5f, 100, 2, 1, "nearest", 0},
        {"float_vif=vif_kernelscale=0.711111", 0.711111f, 100, 2, 1, "nearest", 0},
        {"float_vif=vif_kernelscale=1.0009", 1.0009f, 100, 2, 1, "nearest", 0},
        {"float_vif=vif_kernelscale=1.5", 1.5f, 100, 2, 1, "nearest", 0},
        {"float_vif=vif_kernelscale=2.4", 2.4f, 100, 2, 1, "nearest", 0},
        {"float_vif=vif_kernelscale=3.71134", 3.71134f, 100, 2, 1, "nearest", 0},
        {"float_vif=vif_enhn_gain_limit=1", 1, 1, 2, 1, "nearest", 0},
        {"float_vif=vif_enhn_gain_limit=1.1", 1, 1.1f, 2, 1, "nearest", 0},
        {"float_vif=vif_sigma_nsq=0", 1, 100, 0, 1, "nearest", 0},
        {"float_vif=vif_sigma_nsq=1e-320", 1, 100, 1e-320, 1, "nearest", 0},
        {"float_vif=vif_sigma_nsq=1e-60", 1, 100, 1e-60, 1, "nearest", 0},
        {"float_vif=vif_sigma_nsq=0.123456", 1, 100, 0.123456, 1, "nearest", 0},
        {"float_vif=vif_sigma_nsq=5", 1, 100, 5, 1, "nearest", 0},
        {"float_vif=vif_skip_scale0=true", 1, 100, 2, 1, "nearest", 1},
        {"float_vif=vif_prescale=0.5", 1, 100, 2, 0.5, "nearest", 0},
        {"float_vif=vif_prescale=0.6:vif_prescale_method=bilinear", 1, 100, 2, 0.6, "bilinear", 0},
        {"float_vif=vif_prescale=1.37:vif_prescale_method=bilinear", 1, 100, 2, 1.37, "bilinear", 0},
        {"float_vif=vif_prescale=0.7:vif_prescale_method=bicubic:vif_skip_scale0=true", 1, 100, 2, 0.7,
         "bicubic", 1},
        {"float_vif=vif_prescale=2:vif_prescale_method=bicubic", 1, 100, 2, 2, "bicubic", 0},
        {"float_vif=vif_prescale=0.5:vif_prescale_method=lanczos4", 1, 100, 2, 0.5, "lanczos4", 0},
        {"float_vif=vif_prescale=1.3:vif_prescale_method=lanczos4", 1, 100, 2, 1.3, "lanczos4", 0},
        {"float_vif=vif_prescale_method=lanczos4", 1, 100, 2, 1, "lanczos4", 0},
    };
    for (uint32_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        const tally_format format = {70 + i % 5, 57 + i % 3, i % 2 ? 10 : 8, TALLY_PIXEL_FORMAT_400};
        peak = (1u << format.bit_depth) - 1;
        check_levels(&sets[i], &format, hostile_sample);
    }
}

/* ---- The picture of the spec, section 9 -------------------------------------------------------------- */

static const tally_format stage_format = {32, 32, 8, TALLY_PIXEL_FORMAT_400};

static unsigned stage_sample(bool distorted, unsigned x, unsigned y) {
    const unsigned t = (7 * x + 13 * y + 3 * (x * y / 4) + 4 * ((x ^ y) & 15)) % 512,
                   ref = t < 256 ? t : 511 - t;
    const int moved = (int)ref + (int)((5 * x + 3 * y) % 17) - 8;
    if (!distorted)
        return ref;
    return x < 16 ? (unsigned)(moved < 0 ? 0 : moved > 255 ? 255 : moved) : (3 * ref + 128) / 4;
}

static void plain_scales(scale_of scales[4]) {
    ty_layout layout;
    ty_error error = {0};
    assert_int_equal(ty_layout_init(&layout, &stage_format, "picture", &error), TALLY_OK);
    make_pictures(&layout, stage_sample);
    image r = image_of_samples(&layout, pictures[0]), d = image_of_samples(&layout, pictures[1]);
    for (int s = 0; s < 4; s++) {
        float f[65];
        const int N = filter_of(1, s, f);
        if (s > 0) {
            image from[2] = {new_image(r.w, r.h), new_image(d.w, d.h)};
            memcpy(from[0].at, r.at, sizeof(float) * (size_t)(r.w * r.h));
            memcpy(from[1].at, d.at, sizeof(float) * (size_t)(d.w * d.h));
            r = halved(from[0], f, N);
            d = halved(from[1], f, N);
        }
        scales[s] = measured(r, d, f, N, 100, 2);
    }
    free_pictures();
}

static void free_plain_scales(scale_of scales[4]) {
    for (int s = 0; s < 4; s++) {
        free(scales[s].r.at);
        free(scales[s].d.at);
        free_scale(&scales[s]);
    }
}

static void figures_of_the_spec(void **state) {
    (void)state;
    scale_of scales[4];
    plain_scales(scales);
    static const float first[] = {-0x1p+7f,        -0x1p+7f,        -0x1.d160e8p+5f,
                                  -0x1.d0609ap+5f, 0x1.36576ap+12f, 0x1.367512p+12f,
                                  0x1.35b1f8p+12f, 0x1.81cf34p+2f,  0x1.341f8cp+3f};
    const image all[] = {scales[0].r,   scales[0].d,   scales[0].m1, scales[0].m2, scales[0].q11,
                         scales[0].q22, scales[0].q12, scales[0].n,  scales[0].m};
    for (int i = 0; i < 9; i++)
        assert_true(all[i].at[0] == first[i]);
    static const float num_rows[] = {0x1.a6ebaep+7f, 0x1.d9a1c6p+6f, 0x1.c8b76cp+5f, 0x1.c76478p+4f};
    static const float den_rows[] = {0x1.44478cp+8f, 0x1.2d67b4p+7f, 0x1.252f3ap+6f, 0x1.2a09cep+5f};
    for (int s = 0; s < 4; s++)
        assert_true(row_sum(scales[s].n, 0) == num_rows[s] && row_sum(scales[s].m, 0) == den_rows[s]);
    free_plain_scales(scales);
}

/* Half of each filter, of kernel scale 1, and the sums of their weights. */
static void filters_of_the_spec(void **state) {
    (void)state;
    static const float taps[4][9] = {
        {0x1.e8a77p-8f, 0x1.d373b2p-7f, 0x1.9a1cf6p-6f, 0x1.49fd9ep-5f, 0x1.e7092ap-5f, 0x1.49a042p-4f,
         0x1.99350cp-4f, 0x1.d1e766p-4f, 0x1.e67f64p-4f},
        {0x1.36efd8p-6f, 0x1.c9eaf6p-5f, 0x1.ef4ac4p-4f, 0x1.897426p-3f, 0x1.cb1b82p-3f},
        {0x1.be5f0cp-5f, 0x1.f41fd4p-3f, 0x1.9c4866p-2f},
        {0x1.54be42p-3f, 0x1.55a0dep-1f}};
    static const float sums[] = {0x1.fffffcp-1f, 1, 0x1.fffffcp-1f, 0x1.fffffep-1f};
    plan_run run;
    assert_true(plan_run_init(&run, "float_vif", &stage_format));
    for (uint32_t b = 0, s = 0; b < run.plan.buffer_count; b++) {
        if (run.plan.buffers[b].kind != TY_BUFFER_TABLE)
            continue;
        const float *f = (const float *)run.buffers[b];
        const int N = (16 >> s) + 1;
        float sum = 0;
        for (int i = 0; i < N; i++) {
            assert_true(f[i] == taps[s][i <= N / 2 ? i : N - 1 - i]);
            sum = sum + f[i];
        }
        assert_true(sum == sums[s++] && f[N] == 0);
    }
    plan_run_free(&run);
}

static float next_number(char **text) {
    char *comma = strchr(*text, ',');
    if (comma)
        *comma = 0;
    const float value = strtof(*text, NULL);
    *text = comma ? comma + 1 : *text + strlen(*text);
    return value;
}

static void check_pixels_file(const char *name, const scale_of scales[4]) {
    FILE *file = open_stage(name);
    char line[512];
    while (file && fgets(line, sizeof line, file)) {
        char *text = line;
        const int s = (int)next_number(&text), y = (int)next_number(&text), x = (int)next_number(&text);
        const scale_of *of = &scales[s];
        const image all[] = {of->r, of->d, of->m1, of->m2, of->q11, of->q22, of->q12, of->n, of->m};
        for (int i = 0; i < 9; i++)
            if (pixel(all[i], x, y) != next_number(&text))
                fail_msg("%s: scale %d, row %d, column %d, value %d differs", name, s, y, x, i);
    }
    if (file)
        fclose(file);
}

static void check_rows_file(void) {
    FILE *file = open_stage("float_vif_rows.csv");
    char line[512];
    plan_run run;
    assert_true(plan_run_init(&run, "float_vif", &stage_format));
    make_pictures(&run.layout, stage_sample);
    run_level(&run, "auto");
    while (file && fgets(line, sizeof line, file)) {
        char *text = line;
        const int s = (int)next_number(&text), y = (int)next_number(&text);
        const float num = next_number(&text), den = next_number(&text);
        assert_true(num_of(sums_of(&run, s), y) == num && den_of(sums_of(&run, s), y) == den);
    }
    if (file)
        fclose(file);
    plan_run_free(&run);
    free_pictures();
}

/* The kernel's scaled reference; the planes are the scratch buffers written by the first stage. */
static void check_prescale_file(int column, const char *method) {
    FILE *file = open_stage("float_vif_prescale.csv");
    char line[512], request[128];
    plan_run run;
    snprintf(request, sizeof request, "float_vif=vif_prescale=0.625:vif_prescale_method=%s", method);
    assert_true(plan_run_init(&run, request, &stage_format));
    make_pictures(&run.layout, stage_sample);
    run_level(&run, "auto");
    const float *plane = (const float *)run.buffers[run.plan.stages[0].buffers[6]];
    while (file && fgets(line, sizeof line, file)) {
        char *text = line;
        const int y = (int)next_number(&text), x = (int)next_number(&text);
        for (int i = 0; i < column; i++)
            next_number(&text);
        const float expected = next_number(&text);
        if (plane[y * 20 + x] != expected)
            fail_msg("%s: row %d, column %d: %a, not %a", method, y, x, (double)plane[y * 20 + x],
                     (double)expected);
    }
    if (file)
        fclose(file);
    plan_run_free(&run);
    free_pictures();
}

static void files_of_the_instrumented_reference(void **state) {
    (void)state;
    scale_of scales[4];
    plain_scales(scales);
    check_pixels_file("float_vif_scale0.csv", scales);
    check_pixels_file("float_vif_scale123.csv", scales);
    free_plain_scales(scales);
    check_rows_file();
    check_prescale_file(0, "nearest");
    check_prescale_file(1, "bilinear");
    check_prescale_file(2, "bicubic");
    check_prescale_file(3, "lanczos4");
}

/* Every tap of the spec's table of filters. */
static void filters_of_every_kernelscale(void **state) {
    (void)state;
    const char *data = getenv("TALLY_TEST_DATA");
    char path[512], line[256], last[32] = "";
    plan_run run = {0};
    if (!data) {
        print_message("NOT TESTED against float_vif_kernels.csv: TALLY_TEST_DATA is not set\n");
        return;
    }
    snprintf(path, sizeof path, "%s/spec/tables/float_vif_kernels.csv", data);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    const tally_format format = {64, 64, 8, TALLY_PIXEL_FORMAT_400};
    while (fgets(line, sizeof line, file)) {
        char name[32], hex[64], request[128];
        int scale, width, tap;
        assert_int_equal(sscanf(line, "%31[^,],%d,%d,%d,%63[^,]", name, &scale, &width, &tap, hex), 5);
        if (strcmp(name, last) != 0) {
            if (last[0])
                plan_run_free(&run);
            snprintf(request, sizeof request, "float_vif=vif_kernelscale=%s", name);
            assert_true(plan_run_init(&run, request, &format));
            memcpy(last, name, sizeof last);
        }
        const float *f = NULL;
        for (uint32_t b = 0; b < run.plan.buffer_count && !f; b++)
            if (run.plan.buffers[b].kind == TY_BUFFER_TABLE && scale-- == 0)
                f = (const float *)run.buffers[b];
        assert_true(f[tap] == strtof(hex, NULL) && f[width - 1 - tap] == f[tap] && f[width] == 0);
    }
    fclose(file);
    plan_run_free(&run);
}

/* ---- Scores ------------------------------------------------------------------------------------------ */

static tally_run *scored(const char *request, const tally_format *format,
                         unsigned (*sample)(bool, unsigned, unsigned)) {
    ty_layout layout;
    ty_error error = {0};
    tally_run *run = started_run(request, format);
    assert_int_equal(ty_layout_init(&layout, format, "picture", &error), TALLY_OK);
    make_pictures(&layout, sample);
    const tally_picture r = {{pictures[0]}, {(ptrdiff_t)layout.stored_width[0] * layout.sample_bytes}};
    const tally_picture d = {{pictures[1]}, {(ptrdiff_t)layout.stored_width[0] * layout.sample_bytes}};
    assert_int_equal(tally_run_submit(run, &r, &d), TALLY_OK);
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    free_pictures();
    return run;
}

static void scores_of_the_spec(void **state) {
    (void)state;
    tally_run *run = scored("float_vif=debug=true", &stage_format, stage_sample);
    static const struct {
        const char *name;
        double score;
    } expected[] = {
        {"vif_scale0", 0x1.5dcf987af9b6bp-1},   {"vif_scale1", 0x1.a30a4336a07eap-1},
        {"vif_scale2", 0x1.a3db56b6ffccep-1},   {"vif_scale3", 0x1.a79190ef97df5p-1},
        {"vif", 0x1.6de65f7d8f5abp-1},          {"vif_num_scale0", 7623.41845703125},
        {"vif_num_scale1", 2127.35888671875},   {"vif_num_scale2", 500.95535278320312},
        {"vif_num_scale3", 120.95742797851562}, {"vif_den_scale0", 11158},
        {"vif_den_scale1", 2599.29248046875},   {"vif_den_scale2", 610.896728515625},
        {"vif_den_scale3", 146.21055603027344},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_same_double(score_of(run, expected[i].name, 0), expected[i].score);
    tally_run_destroy(run);
}

static void options_of_the_tail(void **state) {
    (void)state;
    tally_run *run =
        scored("float_vif=debug=true:vif_skip_scale0=true:vif_scale1_min_val=0.9:vif_scale2_min_val=0.5",
               &stage_format, stage_sample);
    assert_same_double(score_of(run, "vif_scale0_s1miv_0.9_s2miv_0.5_ssclz", 0), 0);
    assert_same_double(score_of(run, "vif_scale1_s1miv_0.9_s2miv_0.5_ssclz", 0), 0.9);
    assert_same_double(score_of(run, "vif_scale2_s1miv_0.9_s2miv_0.5_ssclz", 0), 0x1.a3db56b6ffccep-1);
    assert_same_double(score_of(run, "vif_num_scale0_s1miv_0.9_s2miv_0.5_ssclz", 0), 0);
    assert_same_double(score_of(run, "vif_den_scale0_s1miv_0.9_s2miv_0.5_ssclz", 0), -1);
    tally_run_destroy(run);
}

static void option_names_in_order(void **state) {
    (void)state;
    tally_run *run =
        scored("float_vif=vif_sigma_nsq=0.2:vif_prescale_method=bicubic:vif_prescale=0.5:vif_kernelscale=0.5:"
               "vif_enhn_gain_limit=1",
               &stage_format, stage_sample);
    assert_true(score_of(run, "vif_scale0_egl_1_ks_0.5_ps_0.5_pm_bicubic_snsq_0.2", 0) > 0);
    tally_run_destroy(run);
}

/* ---- Refusals ---------------------------------------------------------------------------------------- */

static void refused_sizes(void **state) {
    (void)state;
    static const struct {
        const char *request;
        tally_format format;
        const char *words[5]; /* NULL-terminated */
    } cases[] = {
        {"float_vif", {15, 16, 8, TALLY_PIXEL_FORMAT_420}, {"float_vif", "15x16", "16x16"}},
        {"float_vif", {100, 15, 8, TALLY_PIXEL_FORMAT_400}, {"float_vif", "100x15", "16x16"}},
        {"float_vif", {1, 1, 8, TALLY_PIXEL_FORMAT_444}, {"float_vif", "1x1"}},
        {"float_vif", {64, 64, 9, TALLY_PIXEL_FORMAT_420}, {"float_vif", "9", "8, 10, 12"}},
        {"float_vif", {64, 64, 14, TALLY_PIXEL_FORMAT_420}, {"float_vif", "14", "8, 10, 12"}},
        {"float_vif=vif_skip_scale0=true",
         {15, 16, 8, TALLY_PIXEL_FORMAT_420},
         {"float_vif", "15x16", "16x16"}},
        {"float_vif=vif_kernelscale=3.71134",
         {56, 55, 8, TALLY_PIXEL_FORMAT_420},
         {"float_vif", "56x55", "56x56"}},
        {"float_vif=vif_prescale=0.5",
         {30, 64, 8, TALLY_PIXEL_FORMAT_420},
         {"float_vif", "15x32", "vif_prescale", "16x16"}},
        {"float_vif=vif_prescale=4:vif_prescale_method=lanczos4",
         {5, 6, 8, TALLY_PIXEL_FORMAT_420},
         {"float_vif", "5x6", "lanczos4", "6x6"}},
        {"float_vif=vif_prescale=0.1", {4, 4, 8, TALLY_PIXEL_FORMAT_400}, {"float_vif", "0x0", "16x16"}},
        {"float_vif=vif_kernelscale=1.01",
         {64, 64, 8, TALLY_PIXEL_FORMAT_420},
         {"float_vif", "vif_kernelscale=1.01"}},
        {"float_vif=vif_kernelscale=1.001",
         {64, 64, 8, TALLY_PIXEL_FORMAT_420},
         {"float_vif", "vif_kernelscale=1.001"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].request, &cases[i].format, cases[i].words);
}

/* The smallest sizes of several option sets, which are taken. */
static void least_sizes(void **state) {
    (void)state;
    static const struct {
        const char *request;
        tally_format format;
    } cases[] = {
        {"float_vif", {16, 16, 8, TALLY_PIXEL_FORMAT_420}},
        {"float_vif=vif_kernelscale=3.71134", {56, 56, 8, TALLY_PIXEL_FORMAT_420}},
        {"float_vif=vif_prescale=0.5", {31, 31, 8, TALLY_PIXEL_FORMAT_420}},
        {"float_vif=vif_prescale=4:vif_prescale_method=lanczos4", {6, 6, 8, TALLY_PIXEL_FORMAT_420}},
        {"float_vif=vif_prescale=4:vif_prescale_method=bicubic", {4, 4, 8, TALLY_PIXEL_FORMAT_420}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        tally_run_destroy(started_run(cases[i].request, &cases[i].format));
}

static void refused_options(void **state) {
    (void)state;
    static const char *const requests[] = {
        "float_vif=vif_enhn_gain_limit=0.5",
        "float_vif=vif_enhn_gain_limit=101",
        "float_vif=vif_sigma_nsq=5.1",
        "float_vif=vif_sigma_nsq=nan",
        "float_vif=vif_prescale=nan",
        "float_vif=vif_kernelscale=nan",
        "float_vif=vif_sigma_nsq=-1",
        "float_vif=vif_prescale=0.09",
        "float_vif=vif_prescale=4.1",
        "float_vif=vif_kernelscale=4.1",
        "float_vif=vif_scale1_min_val=1.5",
        "float_vif=vif_prescale_method=nope",
        "float_vif=egl=1",
        "float_vif=debug=1",
        "float_vif=vif_skip_scale0=yes",
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        tally_run *run;
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        if (tally_run_add_feature(run, requests[i]) != TALLY_USAGE)
            fail_msg("%s was taken", requests[i]);
        tally_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_at_every_width),
        cmocka_unit_test(kernels_with_options),
        cmocka_unit_test(figures_of_the_spec),
        cmocka_unit_test(filters_of_the_spec),
        cmocka_unit_test(files_of_the_instrumented_reference),
        cmocka_unit_test(filters_of_every_kernelscale),
        cmocka_unit_test(scores_of_the_spec),
        cmocka_unit_test(options_of_the_tail),
        cmocka_unit_test(option_names_in_order),
        cmocka_unit_test(refused_sizes),
        cmocka_unit_test(least_sizes),
        cmocka_unit_test(refused_options),
    };
    return cmocka_run_group_tests_name("float_vif", tests, NULL, NULL);
}
