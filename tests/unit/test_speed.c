/* speed_chroma and speed_temporal: their kernels at every level against a plain reading of the spec, the
 * spec's figures, scores, refusals. */
#include "formula_run.h"
#include "luma.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "features/speed_chroma/entropy.h"
#include "features/speed_chroma/filters.h"
#include "features/speed_chroma/prescale.h"
#include "features/speed_chroma/sides.h"
#include "plan_run.h"

#include "speed_reference.h"

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#include "kernel/kernel.h"

#include "exact/kernel_double.h"
#include "exact/kernel_sqrt.h"
#include "features/speed_chroma/mixed.h"

/* ---- The forms without fp64 ---- */

static void every_inverse_root(void **state) {
    (void)state;
    uint64_t direct = 0, integer = 0;
    for (u32 bits = f32_bits(1.0f); bits <= f32_bits(2.0f); bits++) {
        direct += f32_bits(speed_inverse_root(f32_of_bits(bits)));
        integer += f32_bits(speed_inverse_root_integer(f32_of_bits(bits)));
        if (speed_inverse_root(f32_of_bits(bits)) != speed_inverse_root_integer(f32_of_bits(bits)))
            fail_msg("1 / sqrt(%a)", (double)f32_of_bits(bits));
    }
    assert_true(direct == 8912684837926263 && integer == 8912684837926263);
}

/* Seven floats around EPS t, for significands of t that go through all with a step, at many exponents. */
static void comparisons_with_eps(void **state) {
    (void)state;
    for (u32 significand = 0; significand < 1u << 23; significand += 127)
        for (u32 exponent = 30; exponent < 250; exponent += 73) {
            const f32 t = f32_of_bits(exponent << 23 | significand);
            const u32 middle = f32_bits((f32)(1e-6 * (f64)t));
            for (u32 a = middle - 3; a <= middle + 3; a++)
                if (speed_under_eps_integer(f32_of_bits(a), t) != speed_under_eps(f32_of_bits(a), t))
                    fail_msg("%a < EPS %a", (double)f32_of_bits(a), (double)t);
        }
    assert_false(speed_under_eps_integer(0.0f, 0.0f));
    assert_true(speed_under_eps_integer(0.0f, 1.0f));
    assert_true((f64)SPEED_EPS_FLOAT < 1e-6 && (f64)f32_of_bits(f32_bits(SPEED_EPS_FLOAT) + 1) >= 1e-6);
}

static void subnormal_roots(void **state) {
    (void)state;
    for (u32 bits = 0; bits < 0x0f000000; bits += bits < 100 ? 1 : 54321)
        assert_true(speed_sqrt(f32_of_bits(bits)) == sqrtf(f32_of_bits(bits)));
}

/* ---- The kernels ---- */

static uint16_t pictures[3][2][3][SPEED_MOST]; /* frame, role, plane */
static plane source;
static side reference_side;

static plane *converted(const ty_layout *layout, uint32_t p, const uint16_t *samples,
                        const uint16_t *subtrahend) {
    const float scale = 1.0f / (float)(1u << (layout->format.bit_depth - 8));
    source.w = (int)layout->width[p];
    source.h = (int)layout->height[p];
    for (int y = 0; y < source.h; y++)
        for (int x = 0; x < source.w; x++) {
            const uint32_t at = (uint32_t)y * layout->stored_width[p] + (uint32_t)x;
            source.at[y * source.w + x] =
                subtrahend ? ((float)samples[at] * scale - 128) - ((float)subtrahend[at] * scale - 128)
                           : (float)samples[at] * scale - 128;
        }
    return &source;
}

static const float *buffer_of(const plan_run *run, ty_buffer_kind kind, uint32_t number) {
    for (uint32_t b = 0; b < run->plan.buffer_count; b++)
        if (run->plan.buffers[b].kind == kind && number-- == 0)
            return (const float *)(const void *)run->buffers[b];
    fail_msg("the plan has no such buffer");
    return NULL;
}

static bool same(float a, float b) {
    return a == b || (isnan(a) && isnan(b));
}

static void assert_rows(const float *got, int pitch, const float *expected, int w, int h, const char *what,
                        const char *stage) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            if (!same(got[y * pitch + x], expected[y * w + x]))
                fail_msg("%s: %s %d,%d is %a, not %a", what, stage, y, x, (double)got[y * pitch + x],
                         (double)expected[y * w + x]);
}

static void assert_side(const plan_run *run, int n, const side *s, const speed_shape *shape,
                        const char *what) {
    enum { LOW, CENTRED, MEANS, COVARIANCE, FACTORS };
    const int pitch = (int)shape->pitch;
    const float *factors = buffer_of(run, TY_BUFFER_SCRATCH, FACTORS) + n * 1250;
    const float *partials = buffer_of(run, TY_BUFFER_PARTIALS, 0) + n * (int)shape->partials;
    assert_rows(buffer_of(run, TY_BUFFER_SCRATCH, LOW) + n * s->h * pitch, pitch, s->low, s->w, s->h, what,
                "low");
    assert_rows(buffer_of(run, TY_BUFFER_SCRATCH, CENTRED) + n * s->h * pitch, pitch, s->cen, s->w, s->h,
                what, "centred");
    assert_rows(buffer_of(run, TY_BUFFER_SCRATCH, MEANS) + n * SPEED_MEANS, SPEED_WINDOW_LANES, s->mean, 5, 5,
                what, "mean");
    assert_rows(buffer_of(run, TY_BUFFER_SCRATCH, COVARIANCE) + n * 625, 25, s->k[0], 25, 25, what,
                "covariance");
    assert_rows(partials, 25, s->lam, 25, 1, what, "eigenvalue");
    assert_true((partials[SPEED_SINGULAR] != 0) == s->singular);
    assert_rows(partials + SPEED_VARIANCES, s->blocks, s->v, s->blocks, 1, what, "variance");
    if (s->under_eps)
        return;
    assert_rows(factors, 25, s->q[0], 25, 25, what, "Q");
    assert_rows(factors + 625, 25, s->r[0], 25, 25, what, "R");
}

typedef struct request {
    const char *feature;
    double ks, ps;
    const char *method;
    bool ref_diff;
} request;

static void request_text(const request *r, char *text, size_t size) {
    const bool chroma = strcmp(r->feature, "speed_chroma") == 0;
    snprintf(text, size, "%s=speed_kernelscale=%.9g:speed_prescale=%.9g:speed_prescale_method=%s%s",
             r->feature, r->ks, r->ps, r->method,
             chroma        ? ""
             : r->ref_diff ? ":speed_use_ref_diff=true"
                           : ":speed_use_ref_diff=false");
}

static void *stored(const ty_layout *layout, uint32_t p, const uint16_t *samples) {
    const tally_format whole = {layout->stored_width[p], layout->stored_height[p], layout->format.bit_depth,
                                TALLY_PIXEL_FORMAT_400};
    return luma_plane(&whole, samples);
}

/* The sides of the second frame at every level. Returns how many of them are regular. */
static int check_frame(const request *r, const tally_format *f) {
    ty_layout layout;
    ty_error error = {0};
    char text[200], what[300];
    void *planes[2][2][3] = {{{NULL}}};
    const bool chroma = strcmp(r->feature, "speed_chroma") == 0;
    int regular = 0;
    assert_int_equal(ty_layout_init(&layout, f, "picture", &error), TALLY_OK);
    request_text(r, text, sizeof text);
    for (int t = 0; t < 2; t++)
        for (int role = 0; role < 2; role++)
            for (uint32_t p = 0; p < layout.planes; p++)
                planes[t][role][p] = stored(&layout, p, pictures[t][role][p]);
    for (int n = 0; n < (chroma ? 4 : 2); n++) {
        const uint32_t p = chroma ? 1 + (uint32_t)n / 2 : 0;
        const uint16_t *subtrahend = pictures[1][r->ref_diff ? 0 : n % 2][0];
        speed_side(chroma ? converted(&layout, p, pictures[1][n % 2][p], NULL)
                          : converted(&layout, p, pictures[0][n][0], subtrahend),
                   r->ks, r->ps, r->method, &reference_side);
        regular += !reference_side.singular;
        for (const ty_level *level = ty_levels; level->name; level++) {
            plan_run run;
            if (!level->usable())
                continue;
            snprintf(what, sizeof what, "%s, %ux%u, %u bits, %s, side %d, level %s", text, f->width,
                     f->height, f->bit_depth, ty_pixel_format_name(f->pixel_format), n, level->name);
            assert_true(plan_run_init(&run, text, f));
            for (int t = 0; t < 2; t++)
                plan_run_frame(&run, level->name, (const void *const(*)[3])planes[t], 0xff);
            assert_true(plan_run_damaged(&run) == UINT32_MAX);
            const speed_shape shape = ty_speed_shape(run.options, &layout, p);
            assert_side(&run, n, &reference_side, &shape, what);
            plan_run_free(&run);
        }
    }
    for (int t = 0; t < 2; t++)
        for (int role = 0; role < 2; role++)
            for (uint32_t p = 0; p < layout.planes; p++)
                free(planes[t][role][p]);
    return regular;
}

static void fill_pictures(const tally_format *f, uint64_t *seed, uint32_t kind) {
    const tally_format whole = {f->width, f->height, f->bit_depth, TALLY_PIXEL_FORMAT_400};
    for (int t = 0; t < 2; t++)
        for (int role = 0; role < 2; role++)
            for (int p = 0; p < 3; p++)
                luma_fill(&whole, pictures[t][role][p], (kind + (uint32_t)role) % 4, seed);
}

/* Sizes around the edges of tiles: a tile of the low-pass is 256 columns, windows are summed 32 positions at
 * a time. */
static void sides_are_the_spec(void **state) {
    (void)state;
    static const struct {
        request request;
        tally_format format;
    } cases[] = {
        {{"speed_chroma", 1, 1, "nearest", false}, {160, 160, 8, TALLY_PIXEL_FORMAT_420}},
        {{"speed_chroma", 1, 1, "nearest", false}, {323, 325, 8, TALLY_PIXEL_FORMAT_420}},
        {{"speed_chroma", 1, 1, "nearest", false}, {511, 170, 10, TALLY_PIXEL_FORMAT_422}},
        {{"speed_chroma", 1, 1, "nearest", false}, {273, 255, 12, TALLY_PIXEL_FORMAT_444}},
        {{"speed_chroma", 3.711340206, 1, "nearest", false}, {257, 182, 16, TALLY_PIXEL_FORMAT_444}},
        {{"speed_chroma", 0.5, 1, "nearest", false}, {256, 160, 8, TALLY_PIXEL_FORMAT_444}},
        {{"speed_chroma", 2, 0.9991, "nearest", false}, {640, 176, 8, TALLY_PIXEL_FORMAT_444}},
        {{"speed_chroma", 1, 0.5, "bilinear", false}, {480, 321, 8, TALLY_PIXEL_FORMAT_444}},
        {{"speed_chroma", 1, 2, "bilinear", false}, {176, 161, 16, TALLY_PIXEL_FORMAT_420}},
        {{"speed_chroma", 3, 3.3, "bicubic", false}, {99, 64, 10, TALLY_PIXEL_FORMAT_420}},
        {{"speed_chroma", 1.6, 1.37, "nearest", false}, {161, 160, 8, TALLY_PIXEL_FORMAT_444}},
        {{"speed_chroma", 1, 4, "lanczos4", false}, {40, 44, 8, TALLY_PIXEL_FORMAT_444}},
        {{"speed_temporal", 1, 1, "nearest", false}, {80, 80, 8, TALLY_PIXEL_FORMAT_400}},
        {{"speed_temporal", 1, 1, "nearest", true}, {641, 161, 8, TALLY_PIXEL_FORMAT_400}},
        {{"speed_temporal", 1, 1, "nearest", false}, {270, 250, 16, TALLY_PIXEL_FORMAT_420}},
        {{"speed_temporal", 1.5, 0.75, "bicubic", false}, {333, 220, 10, TALLY_PIXEL_FORMAT_422}},
        {{"speed_temporal", 1, 1.37, "lanczos4", true}, {131, 120, 12, TALLY_PIXEL_FORMAT_400}},
        {{"speed_temporal", 2.4, 2, "bilinear", false}, {177, 99, 8, TALLY_PIXEL_FORMAT_444}},
    };
    uint64_t seed = 7;
    int regular = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fill_pictures(&cases[i].format, &seed, (uint32_t)i);
        regular += check_frame(&cases[i].request, &cases[i].format);
        if (i % 4 == 1) { /* noise, so that the planes have variances */
            fill_pictures(&cases[i].format, &seed, 0);
            regular += check_frame(&cases[i].request, &cases[i].format);
        }
    }
    assert_true(regular >= 20);
}

/* ---- Figures of the spec, section 7 ---- */

typedef enum spec_clip { FORMULA240, SPECIAL560 } spec_clip;

static const tally_format spec_formats[] = {{240, 160, 8, TALLY_PIXEL_FORMAT_444},
                                            {560, 80, 8, TALLY_PIXEL_FORMAT_444}};
static const uint32_t spec_frames[] = {3, 5};

static void plane_or_grey(int number, uint16_t *out) {
    if (number > 0)
        formula_plane((uint32_t)number, 560, 80, out);
    for (int i = 0; i < 560 * 80 && number <= 0; i++)
        out[i] = (uint16_t)-number;
}

/* Negative: a flat plane. */
static const int special[5][3][2] = {{{1, 2}, {1, 2}, {6, 9}},
                                     {{-128, -128}, {-128, 2}, {6, 9}},
                                     {{6, 4}, {2, 6}, {-128, -128}},
                                     {{-128, -128}, {2, -128}, {-128, -64}},
                                     {{9, 10}, {1, 2}, {6, 4}}};

static void spec_plane(spec_clip clip, uint32_t t, int role, uint32_t p, uint16_t *out) {
    static uint16_t other[240 * 160];
    if (clip == SPECIAL560) {
        plane_or_grey(special[t][p][role], out);
        return;
    }
    const uint32_t seed = 100 * p + 10 * t + 1;
    formula_plane(seed, 240, 160, out);
    formula_plane(seed + 5, 240, 160, other);
    for (int i = 0; i < 240 * 160 && role == 1; i++)
        out[i] = (uint16_t)((3 * out[i] + other[i] + 2) / 4);
}

static uint64_t sum_of(const uint16_t *samples, int count) {
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += samples[i];
    return sum;
}

static void the_clips_are_the_spec(void **state) {
    (void)state;
    uint16_t *p = pictures[0][0][0];
    spec_plane(FORMULA240, 0, 0, 1, p);
    assert_true(sum_of(p, 240 * 160) == 4899542 && p[0] == 118 && p[1] == 128 && p[2] == 138 && p[3] == 148);
    spec_plane(FORMULA240, 0, 1, 1, p);
    assert_true(sum_of(p, 240 * 160) == 4901329 && p[0] == 130 && p[1] == 137 && p[2] == 144 && p[3] == 151);
    plane_or_grey(1, p);
    assert_true(sum_of(p, 560 * 80) == 5721129);
    plane_or_grey(2, p);
    assert_true(sum_of(p, 560 * 80) == 5716824);
}

/* Side of frame t of a clip: chroma plane p, or for p = 0 the difference to the frame before. */
static void spec_side(spec_clip clip, uint32_t t, int role, uint32_t p) {
    ty_layout layout;
    ty_error error = {0};
    ty_layout_init(&layout, &spec_formats[clip], "picture", &error);
    spec_plane(clip, t, role, p, pictures[1][role][p]);
    if (p == 0)
        spec_plane(clip, t - 1, role, p, pictures[0][role][p]);
    speed_side(p == 0 ? converted(&layout, 0, pictures[0][role][0], pictures[1][role][0])
                      : converted(&layout, p, pictures[1][role][p], NULL),
               1, 1, "nearest", &reference_side);
}

static void the_plain_reading_has_the_figures(void **state) {
    (void)state;
    const side *s = &reference_side;
    spec_side(FORMULA240, 0, 0, 1);
    assert_true(s->w == 15 && s->h == 10 && s->blocks == 6 && s->window_x == 11 && s->window_y == 6);
    assert_true(s->low[0] == 0x1.a759cap+4f && s->low[1] == -0x1.4a5834p+3f && s->low[3] == 0x1.0804c2p+4f);
    assert_true(s->cen[0] == 0x1.485218p+4f && s->cen[1] == -0x1.6c0d64p+2f && s->cen[3] == 0x1.7a4fa4p+2f);
    assert_true(s->mean[0] == 0x1.61718cp-3f && s->mean[3] == 0x1.b2762ep-4f);
    assert_true(s->k[0][0] == 0x1.b699d8p+6f && s->k[1][0] == -0x1.243bfap+5f &&
                s->k[2][0] == -0x1.163cb8p+6f);
    assert_true(s->tau[0] == 0x1.2c2a52p+0f && s->tau[3] == 0x1.001fd2p+0f && s->om[3] == -0x1.c21a2ap+8f);
    assert_true(s->tri_d[3] == 0x1.770262p+10f && s->tri_e[3] == -0x1.a5828cp+9f);
    assert_true(s->trace[0].shift == 0x1.e07aecp-7f && s->trace[2].shift == 0x1.b7e52p-7f && s->steps == 28);
    assert_true(s->lam[0] == 0x1.0c3e54p+11f && s->lam[3] == 0x1.6824bp+8f);
    assert_true(s->r[0][0] == -0x1.dce43p+7f && s->r[0][3] == -0x1.99a59ep+8f);
    assert_true(s->x[0][0] == 0x1.40e4a4p+0f && s->x[0][3] == -0x1.9a8f1p-1f);
    assert_true(s->v[0] == 0x1.efca52p+0f && s->v[3] == 0x1.97b4b8p+0f);
    speed_log_table logs;
    ty_speed_log_table(&logs);
    assert_true(ty_speed_entropy(&logs, s->lam, s->v[0], 0.29f) == 0x1.6f7662p+7f);
    assert_true(ty_speed_entropy(&logs, s->lam, s->v[3], 0.29f) == 0x1.648acp+7f);
}

/* The same clips through the kernels. */
static void sides_of_the_spec(void **state) {
    (void)state;
    for (int clip = FORMULA240; clip <= SPECIAL560; clip++)
        for (uint32_t t = 1; t < spec_frames[clip]; t++) {
            for (int role = 0; role < 2; role++)
                for (uint32_t p = 0; p < 3; p++) {
                    spec_plane((spec_clip)clip, t - 1, role, p, pictures[0][role][p]);
                    spec_plane((spec_clip)clip, t, role, p, pictures[1][role][p]);
                }
            check_frame(&(request){"speed_chroma", 1, 1, "nearest", false}, &spec_formats[clip]);
            check_frame(&(request){"speed_temporal", 1, 1, "nearest", t % 2 == 0}, &spec_formats[clip]);
        }
}

/* ---- Vectors of the instrumented reference ---- */

static float traced(const side *s, const char *stage, int row, int col) {
    const struct {
        const char *name;
        float value;
    } values[] = {
        {"decimated", s->low[row * s->w + col]},
        {"centred", s->cen[row * s->w + col]},
        {"mean", s->mean[row % 25]},
        {"cov", s->k[row % 25][col % 25]},
        {"hh_tau", s->tau[row % 23]},
        {"hh_alpha", s->om[row % 23]},
        {"tri_d", s->tri_d[row % 25]},
        {"tri_e", s->tri_e[row % 24]},
        {"qr_ab", (float)(col ? s->trace[row % 3].b : s->trace[row % 3].a)},
        {"qr_mu", s->trace[row % 3].shift},
        {"qr_d", s->trace[row % 3].d[col % 25]},
        {"qr_e", s->trace[row % 3].e[col % 24]},
        {"qr_steps", (float)s->steps},
        {"eigenvalue", s->lam[row % 25]},
        {"qrd_R", s->r[row % 25][col % 25]},
        {"qrd_Q", s->q[row % 25][col % 25]},
        {"X", s->x[row % 25][col % SPEED_MOST_BLOCKS]},
        {"variance", s->v[col % SPEED_MOST_BLOCKS]},
        {"singular", s->singular},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(stage, values[i].name) == 0)
            return values[i].value;
    fail_msg("there is no stage %s", stage);
    return 0;
}

/* Vectors lie in a row or in a column. */
static bool is_vector(const char *stage) {
    static const char *const vectors[] = {"mean",  "hh_tau", "hh_alpha",  "tri_d",
                                          "tri_e", "qr_mu",  "eigenvalue"};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if (strcmp(stage, vectors[i]) == 0)
            return true;
    return false;
}

static void check_trace(const char *name, spec_clip clip, uint32_t t, uint32_t p) {
    static side sides[2];
    FILE *file = open_stage(name);
    char line[256], role[8], stage[32], value[40];
    int row, col, lines = 0;
    for (int i = 0; i < 2; i++) {
        spec_side(clip, t, i, p);
        sides[i] = reference_side;
    }
    speed_log_table logs;
    ty_speed_log_table(&logs);
    while (file && fgets(line, sizeof line, file)) {
        assert_int_equal(sscanf(line, "%7[^,],%31[^,],%d,%d,%39s", role, stage, &row, &col, value), 5);
        if (strcmp(role, "both") == 0 || strcmp(stage, "spatial") == 0)
            continue;
        const side *s = &sides[strcmp(role, "dis") == 0];
        const float got = strcmp(stage, "entropy") == 0
                              ? ty_speed_entropy(&logs, s->lam, s->v[row > col ? row : col], 0.29f)
                          : is_vector(stage) ? traced(s, stage, row > col ? row : col, 0)
                                             : traced(s, stage, row, col);
        if (!same(got, strtof(value, NULL)))
            fail_msg("%s: %s %s %d,%d is %a, not %s", name, role, stage, row, col, (double)got, value);
        lines++;
    }
    assert_true(!file || lines > 1000);
    if (file)
        fclose(file);
}

static void sides_of_the_instrumented_reference(void **state) {
    (void)state;
    check_trace("speed_formula240_t0_u.csv", FORMULA240, 0, 1);
    check_trace("speed_formula240_t1_temporal.csv", FORMULA240, 1, 0);
    check_trace("speed_special560_t0_u.csv", SPECIAL560, 0, 1);
}

/* The tables of the kernel, applied as it does. */
static float sample_by_tables(const plane *in, const char *method, int w, int h, int x, int y) {
    uint32_t columns[9 * 20], rows[9 * 20];
    float weights_x[9 * 20], weights_y[9 * 20], sum = 0, weights = 0;
    const int taps = (int)ty_speed_resampling_taps(method);
    ty_speed_resampling(method, (uint32_t)in->w, (uint32_t)w, columns, weights_x);
    ty_speed_resampling(method, (uint32_t)in->h, (uint32_t)h, rows, weights_y);
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++) {
            const float weight = weights_x[i * w + x] * weights_y[j * h + y];
            weights = weights + weight;
            sum = sum + in->at[rows[j * h + y] * (uint32_t)in->w + columns[i * w + x]] * weight;
        }
    return ty_speed_resampling_is_normalised(method) ? sum / weights : sum;
}

static void prescaling_of_the_instrumented_reference(void **state) {
    (void)state;
    static plane in, out;
    FILE *file = open_stage("speed_prescale12x10.csv");
    char line[256], method[16], value[40];
    double ps;
    int x, y, lines = 0;
    in.w = 12;
    in.h = 10;
    formula_plane(1, 12, 10, pictures[0][0][0]);
    for (int i = 0; i < 120; i++)
        in.at[i] = (float)pictures[0][0][0][i] - 128;
    while (file && fgets(line, sizeof line, file)) {
        assert_int_equal(sscanf(line, "%15[^,],%lf,%d,%d,%39s", method, &ps, &y, &x, value), 5);
        prescale(&in, ps, method, &out);
        assert_true(out.at[y * out.w + x] == strtof(value, NULL));
        assert_true(sample_by_tables(&in, method, out.w, out.h, x, y) == strtof(value, NULL));
        lines++;
    }
    assert_true(!file || lines == 4 * (18 * 15 + 9 * 8));
    if (file)
        fclose(file);
}

static void weights_of_the_spec(void **state) {
    (void)state;
    static const float cubic[] = {-0x1.638e4p-4f, 0x1.e2f684p-1f, 0x1.497b4p-3f, -0x1.1c73p-6f};
    static const float lanczos[] = {0,
                                    -0x1.931bf6p-7f,
                                    0x1.5e981cp-5f,
                                    -0x1.e3cc1ap-4f,
                                    0x1.e78766p-1f,
                                    0x1.6bce62p-3f,
                                    -0x1.e9ac46p-5f,
                                    0x1.481c9ap-6f,
                                    -0x1.d7dcb2p-10f};
    uint32_t places[9 * 18];
    float weights[9 * 18];
    ty_speed_resampling("bilinear", 12, 18, places, weights);
    assert_true(places[0] == 1 && places[18] == 0 && weights[18] == -0x1.2aaaaap+0f);
    assert_true(places[17] == 11 && places[18 + 17] == 10 && weights[18 + 17] == 0x1.55558p-3f);
    ty_speed_resampling("bicubic", 12, 18, places, weights);
    for (int i = 0; i < 4; i++)
        assert_true(weights[i * 18 + 2] == cubic[i]);
    ty_speed_resampling("lanczos4", 12, 18, places, weights);
    for (int i = 0; i < 9; i++)
        assert_true(weights[i * 18 + 2] == lanczos[i]);
}

/* ---- Filters ---- */

static void widths_of_the_spec(void **state) {
    (void)state;
    static const struct {
        double scale;
        uint32_t lowpass, mean;
    } widths[] = {{1, 9, 3},        {0.5, 5, 3},      {1.5, 15, 3},     {2, 19, 5},       {0.666667, 7, 3},
                  {2.4, 23, 5},     {3.71134, 35, 9}, {1.33333, 13, 3}, {1.16667, 11, 3}, {1.25, 13, 3},
                  {1.41667, 13, 3}, {1.66667, 17, 5}, {3, 27, 7},       {0.444444, 5, 3}, {1.4746, 15, 3},
                  {1.54, 15, 5},    {1.6, 15, 5},     {1.06667, 11, 3}, {0.711111, 7, 3}, {0.74074, 7, 3},
                  {1.11111, 11, 3}, {1.0009, 11, 3},  {1.66666, 15, 5}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        assert_true(ty_speed_scale_is_valid(widths[i].scale));
        assert_int_equal(ty_speed_lowpass_width(widths[i].scale), widths[i].lowpass);
        assert_int_equal(ty_speed_mean_width(widths[i].scale), widths[i].mean);
    }
    static const double invalid[] = {0.1, 0.99, 1.002, 1.7, 2.5, 3.5, 4};
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        assert_false(ty_speed_scale_is_valid(invalid[i]));
}

static void taps_of_the_spec(void **state) {
    (void)state;
    FILE *file = open_stage("../../spec/tables/speed_filters.csv");
    char line[256], kind[20], value[40];
    uint32_t width, index;
    float taps[35];
    int lines = 0;
    while (file && fgets(line, sizeof line, file)) {
        assert_int_equal(sscanf(line, "%19[^,],%u,%u,%39[^,]", kind, &width, &index, value), 4);
        if (strcmp(kind, "mean") == 0)
            ty_speed_mean_taps(width, taps);
        else
            ty_speed_lowpass_taps(width, taps);
        assert_true(taps[index] == strtof(value, NULL));
        lines++;
    }
    assert_true(!file || lines > 150);
    if (file)
        fclose(file);
    ty_speed_lowpass_taps(5, taps);
    static const float narrowest[] = {0x1.3841bep-3f, 0x1.c654bcp-3f, 0x1.016988p-2f, 0x1.c654bcp-3f, 0x1.3841bep-3f};
    for (int i = 0; i < 5; i++)
        assert_true(taps[i] == narrowest[i]);
}

/* ---- Entropies: the near logarithm never decides otherwise than the exact one ---- */

/* All significands without an exponent, and exponents with some significands. */
static void near_logarithms(void **state) {
    (void)state;
    speed_log_table logs;
    ty_speed_log_table(&logs);
    for (u32 bits = f32_bits(1.0f); bits < f32_bits(2.0f); bits++) {
        const f32 x = f32_of_bits(bits);
        assert_true(fabs(ty_speed_near_log2(&logs, x) - ty_log2((double)x)) < 0x1p-51);
    }
    for (u32 bits = f32_bits(0x1p-126f); bits < f32_bits(0x1p126f); bits += 5432) {
        const f32 x = f32_of_bits(bits);
        assert_true(fabs(ty_speed_near_log2(&logs, x) - ty_log2((double)x)) < 0x1p-45);
    }
}

static float plain_entropy(const float *lam, float v, float sigma) {
    float h = 0;
    for (int r = 0; r < 25; r++) {
        const float l = lam[r] < 0 ? 0 : lam[r], z = l * v + sigma;
        h = (float)((double)h + (ty_log2((double)z) + 4.094191170361282));
    }
    return h;
}

static void entropies_are_the_spec(void **state) {
    (void)state;
    speed_log_table logs;
    ty_speed_log_table(&logs);
    uint64_t seed = 11;
    float lam[25];
    for (int n = 0; n < 20000; n++) {
        for (int r = 0; r < 25; r++) {
            lam[r] = ldexpf((float)(luma_random(&seed) & 0xffffff), (int)(luma_random(&seed) % 60) - 50);
            if (n % 7 == 0 && r == n % 25)
                lam[r] = -lam[r];
        }
        const float v = ldexpf((float)(luma_random(&seed) & 0xffffff), (int)(luma_random(&seed) % 40) - 40);
        const float sigma = 0.1f + (float)(luma_random(&seed) % 1000) * 0.0019f,
                    signed_v = n % 11 == 0 ? -v : v;
        assert_true(same(ty_speed_entropy(&logs, lam, signed_v, sigma), plain_entropy(lam, signed_v, sigma)));
    }
    for (int r = 0; r < 25; r++)
        lam[r] = 1;
    assert_true(ty_speed_entropy(&logs, lam, INFINITY, 1) == INFINITY);
    assert_true(ty_speed_entropy(&logs, lam, -1, 1) == -INFINITY);
    assert_true(isnan(ty_speed_entropy(&logs, lam, -2, 1)));
}

/* ---- Scores ---- */

static tally_run *spec_run(const char *text, spec_clip clip, uint32_t first, uint32_t count,
                           tally_status *status) {
    const tally_format *f = &spec_formats[clip];
    ty_layout layout;
    ty_error error = {0};
    ty_layout_init(&layout, f, "picture", &error);
    tally_run *run = started_run(text, f);
    *status = TALLY_OK;
    for (uint32_t t = first; t < first + count && *status == TALLY_OK; t++) {
        void *planes[2][3];
        for (int role = 0; role < 2; role++)
            for (uint32_t p = 0; p < 3; p++) {
                spec_plane(clip, t, role, p, pictures[0][role][p]);
                planes[role][p] = stored(&layout, p, pictures[0][role][p]);
            }
        const tally_picture r = picture_of(&layout, planes[0]), d = picture_of(&layout, planes[1]);
        *status = tally_run_submit(run, &r, &d);
        for (uint32_t p = 0; p < 3; p++) {
            free(planes[0][p]);
            free(planes[1][p]);
        }
    }
    if (*status == TALLY_OK)
        *status = tally_run_finish(run);
    return run;
}

#define MODEL "speed_chroma=speed_nn_floor=0.1:speed_sigma_nn=0.19:speed_weight_var_mode=5:speed_max_val=45"
#define MODEL_SUFFIX "_mxv_45_nnf_0.1_snn_0.19_wvm_5"
static const struct {
    const char *request;
    spec_clip clip;
    const char *metric;
    double scores[5];
} spec_scores[] = {
    {"speed_chroma",
     FORMULA240,
     "speed_chroma_u",
     {37.492893218994141, 45.43133544921875, 44.398975372314453}},
    {"speed_chroma",
     FORMULA240,
     "speed_chroma_uv",
     {31.481086730957031, 40.402435302734375, 36.618675231933594}},
    {"speed_chroma",
     FORMULA240,
     "speed_chroma_v",
     {25.469278335571289, 35.373531341552734, 28.838371276855469}},
    {"speed_chroma", SPECIAL560, "speed_chroma_u", {1000, 0, 18.757549285888672, 0, 1000}},
    {"speed_chroma", SPECIAL560, "speed_chroma_uv", {1000, 17.603403091430664, 18.757549285888672, 0, 1000}},
    {"speed_chroma", SPECIAL560, "speed_chroma_v", {17.603403091430664, 17.603403091430664, 0, 0, 0}},
    {MODEL,
     FORMULA240,
     "speed_chroma_u" MODEL_SUFFIX,
     {21.106359481811523, 14.368217468261719, 19.788469314575195}},
    {MODEL,
     FORMULA240,
     "speed_chroma_uv" MODEL_SUFFIX,
     {17.31010627746582, 15.317212104797363, 16.926872253417969}},
    {MODEL,
     FORMULA240,
     "speed_chroma_v" MODEL_SUFFIX,
     {13.513852119445801, 16.266206741333008, 14.065274238586426}},
    {MODEL, SPECIAL560, "speed_chroma_u" MODEL_SUFFIX, {45, 0, 11.161324501037598, 0, 45}},
    {MODEL, SPECIAL560, "speed_chroma_uv" MODEL_SUFFIX, {45, 12.10590648651123, 11.161324501037598, 0, 45}},
    {MODEL, SPECIAL560, "speed_chroma_v" MODEL_SUFFIX, {12.10590648651123, 12.10590648651123, 0, 0, 0}},
    {"speed_chroma=speed_weight_var_mode=3",
     FORMULA240,
     "speed_chroma_u_wvm_3",
     {26.443244934082031, 9.9804534912109375, 11.700478553771973}},
    {"speed_chroma=speed_weight_var_mode=3",
     FORMULA240,
     "speed_chroma_uv_wvm_3",
     {17.524423599243164, 15.584351539611816, 11.254420280456543}},
    {"speed_chroma=speed_weight_var_mode=3",
     FORMULA240,
     "speed_chroma_v_wvm_3",
     {8.6056032180786133, 21.188249588012695, 10.808362007141113}},
    {"speed_chroma=speed_weight_var_mode=3",
     SPECIAL560,
     "speed_chroma_uv_wvm_3",
     {1000, 9.4390363693237305, 10.156685829162598, 0, 1000}},
    {"speed_temporal", FORMULA240, "speed_temporal", {0, 54.39031982421875, 78.658538818359375}},
    {"speed_temporal=speed_use_ref_diff=true",
     FORMULA240,
     "speed_temporal_urd",
     {0, 43.411785125732422, 57.544994354248047}},
};

static void scores_of_the_spec(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof spec_scores / sizeof spec_scores[0]; i++) {
        tally_status status;
        tally_run *run = spec_run(spec_scores[i].request, spec_scores[i].clip, 0,
                                  spec_frames[spec_scores[i].clip], &status);
        assert_int_equal(status, TALLY_OK);
        for (uint32_t t = 0; t < spec_frames[spec_scores[i].clip]; t++)
            assert_same_double(score_of(run, spec_scores[i].metric, t), spec_scores[i].scores[t]);
        tally_run_destroy(run);
    }
}

/* From the third frame on, special560 has numbers again: a run that starts there has no frame before. */
static void temporal_scores_that_are_no_numbers(void **state) {
    (void)state;
    tally_status status;
    tally_run *run = spec_run("speed_temporal", SPECIAL560, 0, 5, &status);
    assert_true(status != TALLY_OK);
    assert_non_null(strstr(tally_run_error(run), "speed_temporal"));
    assert_non_null(strstr(tally_run_error(run), "frame 1"));
    tally_run_destroy(run);
    run = spec_run("speed_temporal", SPECIAL560, 2, 3, &status);
    assert_int_equal(status, TALLY_OK);
    assert_same_double(score_of(run, "speed_temporal", 0), 0);
    assert_same_double(score_of(run, "speed_temporal", 1), 0);
    assert_same_double(score_of(run, "speed_temporal", 2), 43.348457336425781);
    tally_run_destroy(run);
    run = spec_run("speed_temporal=speed_use_ref_diff=true", SPECIAL560, 2, 3, &status);
    assert_int_equal(status, TALLY_OK);
    assert_same_double(score_of(run, "speed_temporal_urd", 2), 0);
    tally_run_destroy(run);
}

/* ---- Refusals ---- */

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *request;
        tally_format format;
        const char *words[5]; /* NULL-terminated */
    } cases[] = {
        {"speed_chroma",
         {158, 160, 8, TALLY_PIXEL_FORMAT_420},
         {"speed_chroma", "158x160", "79x80", "80x80"}},
        {"speed_chroma",
         {161, 159, 8, TALLY_PIXEL_FORMAT_420},
         {"speed_chroma", "161x159", "80x79", "80x80"}},
        {"speed_chroma", {176, 79, 8, TALLY_PIXEL_FORMAT_422}, {"speed_chroma", "88x79"}},
        {"speed_chroma", {352, 288, 8, TALLY_PIXEL_FORMAT_400}, {"speed_chroma", "400"}},
        {"speed_chroma", {352, 288, 9, TALLY_PIXEL_FORMAT_420}, {"speed_chroma", "9", "8, 10, 12"}},
        {"speed_chroma=speed_prescale=0.5",
         {316, 320, 8, TALLY_PIXEL_FORMAT_420},
         {"prescaled by 0.5", "80x80"}},
        {"speed_chroma=speed_kernelscale=1.7",
         {352, 288, 8, TALLY_PIXEL_FORMAT_420},
         {"speed_kernelscale=1.7"}},
        {"speed_temporal", {79, 90, 8, TALLY_PIXEL_FORMAT_400}, {"speed_temporal", "79x90", "80x80"}},
        {"speed_temporal", {90, 90, 14, TALLY_PIXEL_FORMAT_400}, {"speed_temporal", "14", "8, 10, 12"}},
        {"speed_temporal=speed_prescale=4", {19, 40, 8, TALLY_PIXEL_FORMAT_400}, {"speed_temporal", "19x40"}},
        {"speed_temporal=speed_kernelscale=4", {90, 90, 8, TALLY_PIXEL_FORMAT_400}, {"speed_kernelscale=4"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].request, &cases[i].format, cases[i].words);
    static const struct {
        const char *request;
        tally_format format;
    } taken[] = {
        {"speed_chroma", {160, 160, 8, TALLY_PIXEL_FORMAT_420}},
        {"speed_chroma", {161, 80, 8, TALLY_PIXEL_FORMAT_422}},
        {"speed_chroma=speed_prescale=4", {20, 20, 8, TALLY_PIXEL_FORMAT_444}},
        {"speed_temporal=speed_prescale=4", {20, 20, 16, TALLY_PIXEL_FORMAT_400}},
        {"speed_temporal=speed_prescale=1.0009", {1200, 80, 8, TALLY_PIXEL_FORMAT_400}},
    };
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        tally_run_destroy(started_run(taken[i].request, &taken[i].format));
    static const char *const wrong[] = {"speed_chroma=speed_kernelscale=0.09",
                                        "speed_chroma=speed_prescale=4.1",
                                        "speed_chroma=speed_sigma_nn=nan",
                                        "speed_chroma=speed_nn_floor=-0.1",
                                        "speed_chroma=speed_max_val=1001",
                                        "speed_chroma=speed_weight_var_mode=7",
                                        "speed_chroma=speed_prescale_method=lanczos",
                                        "speed_chroma=speed_use_ref_diff=true",
                                        "speed_temporal=speed_weight_var_mode=0",
                                        "speed_temporal=speed_use_ref_diff=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tally_run *run;
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        assert_int_equal(tally_run_add_feature(run, wrong[i]), TALLY_USAGE);
        tally_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_inverse_root),
        cmocka_unit_test(comparisons_with_eps),
        cmocka_unit_test(subnormal_roots),
        cmocka_unit_test(sides_are_the_spec),
        cmocka_unit_test(the_clips_are_the_spec),
        cmocka_unit_test(the_plain_reading_has_the_figures),
        cmocka_unit_test(sides_of_the_spec),
        cmocka_unit_test(sides_of_the_instrumented_reference),
        cmocka_unit_test(prescaling_of_the_instrumented_reference),
        cmocka_unit_test(weights_of_the_spec),
        cmocka_unit_test(widths_of_the_spec),
        cmocka_unit_test(taps_of_the_spec),
        cmocka_unit_test(near_logarithms),
        cmocka_unit_test(entropies_are_the_spec),
        cmocka_unit_test(scores_of_the_spec),
        cmocka_unit_test(temporal_scores_that_are_no_numbers),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("speed", tests, NULL, NULL);
}
