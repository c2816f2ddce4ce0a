/* ciede against the figures of its spec, its quick form against the exact one, and its ordered sum against
 * the plain loop. */
#include "formula_run.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "exact/math.h"
#include "exact/word.h"
#include "plan_run.h"

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#define KERNEL_USES_F64
#include "kernel/kernel.h"

#include "features/ciede/exact.h"
#include "features/ciede/quick.h"
#include "features/ciede/sum.h"

static uint64_t random_state = 1;

static uint64_t random64(void) {
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(double low, double high) {
    return low + (high - low) * ((double)(random64() >> 11) * 0x1p-53);
}

static void assert_same_float(float value, float expected) {
    if (f32_bits(value) != f32_bits(expected))
        fail_msg("%a is not %a", value, expected);
}

/* ---- Pictures ---- */

typedef struct pictures {
    plan_run run;
    void *planes[2][3];
} pictures;

static void open_pictures(pictures *p, const char *request, const tally_format *format) {
    assert_true(plan_run_init(&p->run, request, format));
    for (u32 r = 0; r < 2; r++)
        for (u32 i = 0; i < 3; i++)
            p->planes[r][i] = calloc(1, p->run.layout.plane_bytes[i]);
}

static void close_pictures(pictures *p) {
    for (u32 r = 0; r < 2; r++)
        for (u32 i = 0; i < 3; i++)
            free(p->planes[r][i]);
    plan_run_free(&p->run);
}

static void set_sample(pictures *p, u32 r, u32 i, u32 x, u32 y, u32 value) {
    const size_t at = (size_t)y * p->run.layout.stored_width[i] + x;
    if (p->run.layout.sample_bytes == 1)
        ((u8 *)p->planes[r][i])[at] = (u8)value;
    else
        ((u16 *)p->planes[r][i])[at] = (u16)value;
}

static u32 sample_at(const pictures *p, u32 r, u32 i, u32 x, u32 y) {
    const size_t at = (size_t)y * p->run.layout.stored_width[i] + x;
    return p->run.layout.sample_bytes == 1 ? ((const u8 *)p->planes[r][i])[at]
                                           : ((const u16 *)p->planes[r][i])[at];
}

/* Noise; every fourth sample of the distorted picture is near that of the reference. */
static void fill_with_noise(pictures *p) {
    const u32 peak = (1u << p->run.layout.format.bit_depth) - 1;
    for (u32 i = 0; i < 3; i++)
        for (u32 y = 0; y < p->run.layout.stored_height[i]; y++)
            for (u32 x = 0; x < p->run.layout.stored_width[i]; x++) {
                const u32 r = (u32)random64() & peak, d = (u32)random64();
                set_sample(p, 0, i, x, y, r);
                set_sample(p, 1, i, x, y, d % 4 == 0 ? r ^ (d >> 8 & 1) : d >> 8 & peak);
            }
}

static u8 *buffer_of(const pictures *p, ty_buffer_kind kind) {
    for (u32 b = 0; b < p->run.plan.buffer_count; b++)
        if (p->run.plan.buffers[b].kind == kind)
            return p->run.buffers[b];
    return NULL;
}

/* The difference of every pixel; the first scratch buffer. */
static const float *run_pictures(pictures *p, const char *level) {
    plan_run_frame(&p->run, level, (const void *const(*)[3])p->planes, 0x5b);
    assert_int_equal(plan_run_damaged(&p->run), UINT32_MAX);
    return (const float *)(void *)buffer_of(p, TY_BUFFER_SCRATCH);
}

static double total_of(const pictures *p) {
    double total;
    memcpy(&total, buffer_of(p, TY_BUFFER_PARTIALS), sizeof total);
    return total;
}

static double plain_sum(const float *terms, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum + (double)terms[i];
    return sum;
}

/* ---- Constants ---- */

static void bits_of_constants(void **state) {
    (void)state;
#define CHECK(name) assert_true(bits_of_double(CIEDE_##name) == CIEDE_##name##_BITS);
    CHECK(LUMA)
    CHECK(CHROMA) CHECK(V_TO_R) CHECK(U_TO_G) CHECK(V_TO_G) CHECK(U_TO_B) CHECK(BEND) CHECK(OFFSET)
        CHECK(BY_OFFSET) CHECK(SLOPE) CHECK(GAMMA) CHECK(R_TO_X) CHECK(G_TO_X) CHECK(B_TO_X) CHECK(R_TO_Y)
            CHECK(G_TO_Y) CHECK(B_TO_Y) CHECK(R_TO_Z) CHECK(G_TO_Z) CHECK(B_TO_Z) CHECK(WHITE_X)
                CHECK(WHITE_Z) CHECK(LAB_BEND) CHECK(LAB_SLOPE) CHECK(BY_116) CHECK(THIRD) CHECK(TWO_PI)
                    CHECK(PI) CHECK(POW_25_7) CHECK(PI_6) CHECK(PI_30) CHECK(SEVEN_PI_20) CHECK(T1) CHECK(T2)
                        CHECK(T3) CHECK(T4) CHECK(WEIGHT_LH) CHECK(WEIGHT_C) CHECK(DEGREE) CHECK(BY_25)
                            CHECK(RADIAN)
#undef CHECK
}

/* ---- Stage vectors of spec 7 ---- */

static const tally_format stage_format = {8, 8, 8, TALLY_PIXEL_FORMAT_444};

static void open_stage_pictures(pictures *p) {
    open_pictures(p, "ciede", &stage_format);
    for (u32 y = 0; y < 8; y++)
        for (u32 x = 0; x < 8; x++) {
            const u32 luma = (31 * x + 17 * y) % 256, u = (73 * x + 29 * y + 128) % 256,
                      v = (19 * x + 97 * y + 128) % 256;
            const u32 more_luma = luma + 3 * ((x + y) % 4), more_u = u + 5 * (x * y % 3);
            set_sample(p, 0, 0, x, y, luma);
            set_sample(p, 0, 1, x, y, u);
            set_sample(p, 0, 2, x, y, v);
            set_sample(p, 1, 0, x, y, more_luma < 255 ? more_luma : 255);
            set_sample(p, 1, 1, x, y, more_u < 255 ? more_u : 255);
            set_sample(p, 1, 2, x, y, (x + y) % 7 == 0 ? 255 - v : v);
        }
}

static void figures_of_the_spec(void **state) {
    (void)state;
    pictures p;
    open_stage_pictures(&p);
    for (const ty_level *level = ty_levels; level->name; level++) {
        if (!level->usable())
            continue;
        const float *terms = run_pictures(&p, level->name);
        assert_same_float(terms[1], 0x1.1ad85ap+0f);
        assert_same_float(terms[7], 0x1.661f1p+4f);
        assert_same_float(terms[4], 0.0f);
        assert_same_double(total_of(&p), 0x1.c9de3c71p+7);
    }
    close_pictures(&p);
    /* Pixel (1,0). */
    const float hm = 0x1.57f84ap+2f, d1 = 0x1.b37c74p+6f, d2 = 0x1.b53298p+6f;
    assert_same_float(ciede_exact_t(hm), 0x1.459b6ep-1f);
    assert_same_float(ciede_exact_root_sine(2, d1 * d2, -0x1.314p-11f), -0x1.04248cp-3f);
    assert_same_float(ciede_exact_rotation(hm, (d1 + d2) * 0.5f), -0x1.77d9fap-2f);
    /* Pixel (0,0): a grey has no hue. */
    assert_same_float(ciede_exact_hue(0, 0), 0);
}

static ciede_samples samples_of(const pictures *p, u32 r, u32 x, u32 y) {
    return (ciede_samples){(i32)sample_at(p, r, 0, x, y), (i32)sample_at(p, r, 1, x, y),
                           (i32)sample_at(p, r, 2, x, y)};
}

static ciede_picture scale_of(u32 depth) {
    return (ciede_picture){
        .step = 1.0f / (float)(1u << (depth - 8)), .black = 16 << (depth - 8), .grey = 128 << (depth - 8)};
}

static void lab_of_the_instrumented_reference(void **state) {
    (void)state;
    FILE *file = open_stage("ciede_lab8x8.csv");
    char line[1024];
    u32 checked = 0;
    while (file && fgets(line, sizeof line, file)) {
        ciede_samples s;
        double v[15];
        assert_int_equal(
            sscanf(line,
                   "%*d,%*d,%*[^,],%d,%d,%d,%la,%la,%la,%la,%la,%la,%la,%la,%la,%la,%la,%la,%la,%la,%la",
                   &s.y, &s.u, &s.v, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10,
                   v + 11, v + 12, v + 13, v + 14),
            18);
        for (u32 i = 0; i < 3; i++) {
            assert_true(ciede_exact_linear(bits_of_double(v[i])) == bits_of_double(v[3 + i]));
            assert_same_float(ciede_exact_f(bits_of_double(v[6 + i])), (float)v[9 + i]);
        }
        const ciede_lab lab = ciede_exact_lab(s, scale_of(8));
        assert_same_float(lab.l, (float)v[12]);
        assert_same_float(lab.a, (float)v[13]);
        assert_same_float(lab.b, (float)v[14]);
        checked++;
    }
    assert_int_equal(checked, file ? 128 : 0);
    if (file)
        fclose(file);
}

static void differences_of_the_instrumented_reference(void **state) {
    (void)state;
    FILE *file = open_stage("ciede_delta8x8.csv");
    char line[1024];
    enum { C1, C2, A1, A2, D1, D2, H1, H2, DH, DHUE, HM, T, SL, SC, SH, RT, TL, TC, TH, DE, SUM, COLUMNS };
    pictures p;
    open_stage_pictures(&p);
    const float *terms = run_pictures(&p, "auto");
    double sum = 0;
    u32 checked = 0;
    while (file && fgets(line, sizeof line, file)) {
        double v[COLUMNS];
        char *at = line;
        const u32 x = (u32)strtoul(at, &at, 10), y = (u32)strtoul(at + 1, &at, 10);
        for (u32 i = 0; i < COLUMNS; i++)
            v[i] = strtod(at + 1, &at);
        const ciede_lab one = ciede_exact_lab(samples_of(&p, 0, x, y), scale_of(8));
        const ciede_lab two = ciede_exact_lab(samples_of(&p, 1, x, y), scale_of(8));
        assert_same_float(ciede_exact_length(one.a, one.b), (float)v[C1]);
        assert_same_float(ciede_exact_length((float)v[A2], two.b), (float)v[D2]);
        assert_same_float(ciede_exact_hue(one.b, (float)v[A1]), (float)v[H1]);
        assert_same_float(ciede_exact_hue(two.b, (float)v[A2]), (float)v[H2]);
        assert_same_float(ciede_exact_t((float)v[HM]), (float)v[T]);
        const float pr = (float)v[D1] * (float)v[D2], dm = ((float)v[D1] + (float)v[D2]) * 0.5f;
        assert_same_float(ciede_exact_root_sine(2, pr, (float)v[DH] * 0.5f), (float)v[DHUE]);
        assert_same_float(ciede_exact_rotation((float)v[HM], dm), (float)v[RT]);
        assert_same_float(terms[8 * y + x], (float)v[DE]);
        sum = sum + (double)terms[8 * y + x];
        assert_same_double(sum, v[SUM]);
        checked++;
    }
    assert_int_equal(checked, file ? 64 : 0);
    if (file)
        fclose(file);
    close_pictures(&p);
}

/* ---- The quick form ---- */

/* Every float of the range (in steps of `step`): e of quick.h is below 2^-20. */
static void check_seed(float low, float high, u32 step, float (*seed)(float), int root) {
    for (u32 bits = f32_bits(low); bits <= f32_bits(high); bits += step) {
        const double x = f32_of_bits(bits), y = seed(f32_of_bits(bits));
        const double e = 1 - (root == 5 ? x * y * y * y * y * y : x * y * y * y);
        if (fabs(e) > 0x1p-20)
            fail_msg("%a: 1 - x y^%d is %a", x, root, e);
    }
}

static float fifth(float x) {
    return ciede_inverse_fifth_root(x);
}
static float third(float x) {
    return ciede_inverse_cube_root(x);
}

static void estimates_of_roots(void **state) {
    (void)state;
    check_seed(0.0892f, 2.26f, 3, fifth, 5);
    check_seed(0.0088f, 6.3f, 5, third, 3);
}

static void assert_close(double value, u64 exact, double bound) {
    if (!(fabs(value - ty_from_bits(exact)) <= bound))
        fail_msg("%a is farther than %a from %a", value, bound, ty_from_bits(exact));
}

/* The errors against the margins that README.md adds them up to; the exact functions are the reference. */
static void error_bounds(void **state) {
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const double g = uniform(0.0892, 2.26), t = uniform(0.0088, 6.25);
        const u64 gamma = double_pow(bits_of_double(g), CIEDE_GAMMA_BITS),
                  root = double_pow(bits_of_double(t), CIEDE_THIRD_BITS);
        assert_close(ciede_quick_gamma(g), gamma, ty_from_bits(gamma) * CIEDE_F_MARGIN / 128);
        assert_close(ciede_quick_cube_root(t), root, ty_from_bits(root) * CIEDE_F_MARGIN / 256);
        const float b = (float)ldexp(uniform(-181, 181), -(int)(random64() % 20)),
                    a = (float)uniform(-165, 165);
        const u64 angle = double_atan2(b, a);
        assert_close(ciede_quick_angle(b, a), angle, fabs(ty_from_bits(angle)) * CIEDE_MARGIN / 8);
        const float x = (float)uniform(0, 80), s = (float)uniform(-1.5707963, 1.5707963);
        const u64 decay = double_exp(bits_of_double(-x)), sine = double_sin(bits_of_double(s));
        assert_close(ciede_quick_decay(x), decay, ty_from_bits(decay) * CIEDE_MARGIN / 2);
        assert_close(ciede_quick_sine(s), sine, fabs(ty_from_bits(sine)) * CIEDE_MARGIN / 64);
    }
}

static void check_noise(const tally_format *format, const char *request) {
    pictures p;
    open_pictures(&p, request, format);
    fill_with_noise(&p);
    float *exact = malloc((size_t)format->width * format->height * sizeof *exact);
    for (u32 y = 0; y < format->height; y++)
        for (u32 x = 0; x < format->width; x++)
            exact[y * format->width + x] =
                ciede_exact(samples_of(&p, 0, x, y), samples_of(&p, 1, x, y), scale_of(format->bit_depth));
    for (const ty_level *level = ty_levels; level->name; level++) {
        if (!level->usable())
            continue;
        const float *terms = run_pictures(&p, level->name);
        for (u32 i = 0; i < format->width * format->height; i++)
            assert_same_float(terms[i], exact[i]);
        assert_same_double(total_of(&p), plain_sum(exact, (size_t)format->width * format->height));
    }
    free(exact);
    close_pictures(&p);
}

static void kernel_at_every_level(void **state) {
    (void)state;
    static const u32 depths[] = {8, 10, 12, 16};
    for (u32 i = 0; i < 4; i++)
        check_noise(&(tally_format){300, 40, depths[i], TALLY_PIXEL_FORMAT_444}, "ciede");
}

/* ---- Chroma ---- */

/* Spec 2 word by word: an index into rows of Q samples; compat of what lies outside is never asked for here.
 */
static u32 mapped_chroma(const pictures *p, u32 r, u32 i, u32 x, u32 y, bool compat) {
    const ty_layout *layout = &p->run.layout;
    const u32 cw = layout->width[1], ch = layout->height[1];
    const bool is_420 = layout->format.pixel_format == TALLY_PIXEL_FORMAT_420;
    u32 row = is_420 ? y / 2 : y, column = x / 2;
    if (compat) {
        const u32 q = 32 * ((cw + 31) / 32), at = y / 2 * q + (is_420 ? x / 2 : x);
        row = at / q;
        column = at % q;
        return column < cw ? sample_at(p, r, i, column, row) : 0;
    }
    return sample_at(p, r, i, column < cw ? column : cw - 1, row < ch ? row : ch - 1);
}

static void check_mapping(u32 width, u32 height, tally_pixel_format pixel_format, bool compat) {
    const tally_format format = {width, height, 8, pixel_format},
                       full = {width, height, 8, TALLY_PIXEL_FORMAT_444};
    pictures p, q;
    open_pictures(&p, compat ? "ciede=chroma=compat" : "ciede", &format);
    open_pictures(&q, "ciede", &full);
    fill_with_noise(&p);
    for (u32 r = 0; r < 2; r++)
        for (u32 y = 0; y < height; y++)
            for (u32 x = 0; x < width; x++) {
                set_sample(&q, r, 0, x, y, sample_at(&p, r, 0, x, y));
                set_sample(&q, r, 1, x, y, mapped_chroma(&p, r, 1, x, y, compat));
                set_sample(&q, r, 2, x, y, mapped_chroma(&p, r, 2, x, y, compat));
            }
    const float *terms = run_pictures(&p, "auto"), *expected = run_pictures(&q, "auto");
    for (u32 i = 0; i < width * height; i++)
        assert_same_float(terms[i], expected[i]);
    close_pictures(&p);
    close_pictures(&q);
}

static void chroma_mappings(void **state) {
    (void)state;
    static const struct {
        u32 width, height;
    } sizes[] = {{2, 2},   {3, 2},  {10, 6},  {211, 118}, {256, 8},
                 {128, 6}, {66, 5}, {131, 7}, {259, 3},   {300, 3}};
    for (u32 i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const u32 w = sizes[i].width, h = sizes[i].height;
        check_mapping(w, h, TALLY_PIXEL_FORMAT_420, false);
        check_mapping(w, h, TALLY_PIXEL_FORMAT_422, false);
        if (h >= 4)
            check_mapping(w, h, TALLY_PIXEL_FORMAT_422, true);
        if (h % 2 == 0 && w % 64 != 1)
            check_mapping(w, h, TALLY_PIXEL_FORMAT_420, true);
    }
}

/* ---- The ordered sum ---- */

typedef enum terms_kind { TYPICAL, FINE, TIES, TINY, SPARSE, KINDS } terms_kind;

static float any_term(terms_kind kind) {
    const u32 digits = (u32)random64() & 0x7fffff;
    switch (kind) {
    case TYPICAL:
        return f32_of_bits((u32)(122 + random64() % 10) << 23 | digits);
    case FINE:
        return f32_of_bits((u32)(107 + random64() % 27) << 23 | digits); /* 2^-20 to 2^7 */
    case TIES:
        return random64() % 4 ? f32_of_bits(133u << 23 | (digits & 3))
                              : 0x1p-20f * (float)(1 + random64() % 3);
    case TINY:
        return f32_of_bits((u32)(90 + random64() % 30) << 23 | digits); /* below the unit too */
    case SPARSE:
        return random64() % 8 ? 0.0f : f32_of_bits((u32)(120 + random64() % 14) << 23 | digits);
    case KINDS:
        break;
    }
    return 0;
}

/* The parts that ciede_differences would have made of these terms. */
static void make_parts(ciede_part *parts, const float *terms, const ciede_picture *p) {
    for (u32 y = 0; y < p->height; y++)
        for (u32 g = 0; g < p->groups; g++) {
            ciede_part part = {0, 0, 0};
            for (u32 x = g * CIEDE_LANES; x < p->width && x < (g + 1) * CIEDE_LANES; x++) {
                part.sum += ciede_units(terms[y * p->width + x]);
                part.bits |= ciede_units(terms[y * p->width + x]);
                part.odd += ciede_is_odd(terms[y * p->width + x]);
            }
            parts[y * p->groups + g] = part;
        }
}

static void launch(const ty_level *level, const char *name, void *a, void *b, void *c, const ciede_picture *p,
                   u32 rows) {
    void *buffers[] = {a, b, c};
    ty_level_kernel(level, "ciede", name, 8)->run(buffers, p, (ty_group_range){0, 1, 0, rows});
}

static double kernel_sum(const ty_level *level, float *terms, const ciede_picture *p) {
    ciede_part *parts = calloc((size_t)p->groups * p->height, sizeof *parts);
    ciede_steps *rows = calloc(p->height, sizeof *rows);
    double total;
    make_parts(parts, terms, p);
    launch(level, "ciede_guess", parts, rows, NULL, p, 1);
    launch(level, "ciede_compose", terms, rows, NULL, p, p->height);
    launch(level, "ciede_total", terms, rows, &total, p, 1);
    free(parts);
    free(rows);
    return total;
}

static void ordered_sums(void **state) {
    (void)state;
    static const u32 sizes[][2] = {{1, 1}, {5, 400}, {128, 30}, {1000, 900}, {4099, 70}};
    for (u32 s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (terms_kind kind = 0; kind < KINDS; kind++) {
            const ciede_picture p = {.width = sizes[s][0],
                                     .height = sizes[s][1],
                                     .groups = (sizes[s][0] + CIEDE_LANES - 1) / CIEDE_LANES};
            const size_t count = (size_t)p.width * p.height;
            float *terms = malloc(count * sizeof *terms);
            for (size_t i = 0; i < count; i++)
                terms[i] = any_term(kind);
            const double expected = plain_sum(terms, count);
            for (const ty_level *level = ty_levels; level->name; level++)
                if (level->usable())
                    assert_same_double(kernel_sum(level, terms, &p), expected);
            free(terms);
        }
}

/* The sum rounds at each of the last steps: 2^53 units and then single ones, three quarters, ties on both
 * parities. */
static void sums_beyond_53_digits(void **state) {
    (void)state;
    const ciede_picture p = {.width = 1024, .height = 40, .groups = 8};
    float *terms = calloc(1024 * 40, sizeof *terms);
    for (u32 i = 0; i < 1024 * 20; i++)
        terms[i] = 0x1.fffffep+6f; /* 2^21.3 in all, with the low digits taken below */
    for (u32 i = 1024 * 20; i < 1024 * 40; i++)
        terms[i] = (float)(1 + i % 7) * 0x1p-33f * (i % 3 == 0 ? 0x1p-4f : 1.0f);
    for (const ty_level *level = ty_levels; level->name; level++)
        if (level->usable())
            assert_same_double(kernel_sum(level, terms, &p), plain_sum(terms, 1024 * 40));
    free(terms);
}

/* ---- The seventh power in float: three rounded products ---- */

static void seventh_power_of_every_significand(void **state) {
    (void)state;
    for (u32 bits = f32_bits(1.0f); bits < f32_bits(2.0f); bits += 3) {
        const float x = f32_of_bits(bits);
        const double d = (double)x, d2 = d * d;
        assert_same_float((float)(((d2 * d2) * d2) * d), ty_powf(x, 7.0f));
    }
}

/* ---- Scores and refusals ---- */

static void score_of_the_spec(void **state) {
    (void)state;
    pictures p;
    ty_layout layout;
    ty_error error = {0};
    open_stage_pictures(&p);
    assert_int_equal(ty_layout_init(&layout, &stage_format, "picture", &error), TALLY_OK);
    tally_run *run = started_run("ciede", &stage_format);
    const tally_picture r = picture_of(&layout, p.planes[0]), d = picture_of(&layout, p.planes[1]);
    assert_int_equal(tally_run_submit(run, &r, &d), TALLY_OK);
    assert_int_equal(tally_run_submit(run, &r, &r), TALLY_OK);
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    assert_same_double(score_of(run, "ciede2000", 0), 33.92939146830436);
    assert_same_double(score_of(run, "ciede2000", 1), INFINITY);
    tally_run_destroy(run);
    close_pictures(&p);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *request;
        tally_format format;
        const char *words[4]; /* NULL-terminated */
    } cases[] = {
        {"ciede", {64, 64, 8, TALLY_PIXEL_FORMAT_400}, {"ciede", "400"}},
        {"ciede", {64, 64, 9, TALLY_PIXEL_FORMAT_420}, {"ciede", "9"}},
        {"ciede", {64, 64, 14, TALLY_PIXEL_FORMAT_444}, {"ciede", "14"}},
        {"ciede", {1, 4, 8, TALLY_PIXEL_FORMAT_420}, {"ciede", "chroma", "1x4"}},
        {"ciede", {1, 4, 8, TALLY_PIXEL_FORMAT_422}, {"ciede", "chroma", "1x4"}},
        {"ciede", {4, 1, 8, TALLY_PIXEL_FORMAT_420}, {"ciede", "chroma", "4x1"}},
        {"ciede=chroma=compat", {64, 63, 8, TALLY_PIXEL_FORMAT_420}, {"ciede", "64x63", "nearest"}},
        {"ciede=chroma=compat", {65, 64, 8, TALLY_PIXEL_FORMAT_420}, {"ciede", "65x64", "nearest"}},
        {"ciede=chroma=compat", {64, 1, 8, TALLY_PIXEL_FORMAT_422}, {"ciede", "64x1", "nearest"}},
        {"ciede=chroma=compat", {129, 3, 8, TALLY_PIXEL_FORMAT_422}, {"ciede", "129x3", "nearest"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].request, &cases[i].format, cases[i].words);
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    assert_int_not_equal(tally_run_add_feature(run, "ciede=chroma=bilinear"), TALLY_OK);
    assert_int_not_equal(tally_run_add_feature(run, "ciede=colour=true"), TALLY_OK);
    tally_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_constants),
        cmocka_unit_test(figures_of_the_spec),
        cmocka_unit_test(lab_of_the_instrumented_reference),
        cmocka_unit_test(differences_of_the_instrumented_reference),
        cmocka_unit_test(estimates_of_roots),
        cmocka_unit_test(error_bounds),
        cmocka_unit_test(kernel_at_every_level),
        cmocka_unit_test(chroma_mappings),
        cmocka_unit_test(ordered_sums),
        cmocka_unit_test(sums_beyond_53_digits),
        cmocka_unit_test(seventh_power_of_every_significand),
        cmocka_unit_test(score_of_the_spec),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("ciede", tests, NULL, NULL);
}
