/* float_adm: detail loss and additive impairment in single precision (spec: float_adm.md). */
#include <string.h>

#include "core/feature.h"
#include "features/adm/geometry.h"
#include "features/float_adm/csf.h"
#include "features/float_adm/stages.h"

typedef struct float_adm_options {
    bool debug, adm3_apply_hm, skip_scale0;
    int bypass_cm, csf_mode, ref_display_height, skip_aim_scale;
    double csf_diag_scale, csf_scale, dlm_weight, enhn_gain_limit, min_val, noise_weight, norm_view_dist, p_norm;
    double f1s0, f1s1, f1s2, f1s3, f2s0, f2s1, f2s2, f2s3;
} float_adm_options;

#define OPTION(name, alias, type) \
    "adm_" #name, alias, TY_OPTION_##type, TY_OPTION_NAMED, offsetof(float_adm_options, name)
#define FACTOR(name, help) {OPTION(name, #name, DOUBLE), -1.0, NULL, -1, 10, NULL, help}
static const ty_option options[] = {
    {"debug", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(float_adm_options, debug), 0, NULL, 0, 1, NULL,
     "add adm and the numerators and denominators"},
    {OPTION(adm3_apply_hm, "aah", BOOL), 0, NULL, 0, 1, NULL, "adm3 is the harmonic mean of adm2 and aim"},
    {OPTION(bypass_cm, "bcm", INT), 0, NULL, 0, 1, NULL, "1: no contrast masking"},
    {OPTION(csf_diag_scale, "scfd", DOUBLE), 1.0, NULL, 0, 50, NULL, "factor on the weight of d (adm_csf_mode=1 only)"},
    {OPTION(csf_mode, "csf", INT), 0, NULL, 0, 9, NULL,
     "contrast sensitivity: 1 Barten, 2 the method's paper, everything else Watson"},
    {OPTION(csf_scale, "scf", DOUBLE), 1.0, NULL, 0, 50, NULL,
     "factor on the weights of h and v (adm_csf_mode=1 only)"},
    {OPTION(dlm_weight, "dlmw", DOUBLE), 0.5, NULL, 0, 1, NULL, "share of adm2 in adm3"},
    {OPTION(enhn_gain_limit, "egl", DOUBLE), 100.0, NULL, 1, 100, NULL,
     "how far a restored coefficient may exceed the reference's; 1: enhancement is never rewarded"},
    FACTOR(f1s0, "weight of h and v at scale 0; negative: as adm_csf_mode says"),
    FACTOR(f1s1, "weight of h and v at scale 1; negative: as adm_csf_mode says"),
    FACTOR(f1s2, "weight of h and v at scale 2; negative: as adm_csf_mode says"),
    FACTOR(f1s3, "weight of h and v at scale 3; negative: as adm_csf_mode says"),
    FACTOR(f2s0, "weight of d at scale 0; negative: as adm_csf_mode says"),
    FACTOR(f2s1, "weight of d at scale 1; negative: as adm_csf_mode says"),
    FACTOR(f2s2, "weight of d at scale 2; negative: as adm_csf_mode says"),
    FACTOR(f2s3, "weight of d at scale 3; negative: as adm_csf_mode says"),
    {OPTION(min_val, "min", DOUBLE), 0.0, NULL, 0, 1, NULL, "lower bound of adm3"},
    {OPTION(noise_weight, "nw", DOUBLE), 0.03125, NULL, 0, 1500, NULL,
     "energy per coefficient added to numerators and denominators"},
    {OPTION(norm_view_dist, "nvd", DOUBLE), 3.0, NULL, 0.75, 24, NULL, "viewing distance in display heights"},
    {OPTION(p_norm, "apn", DOUBLE), 3.0, NULL, 1, 20, NULL, "exponent of the pooling; 1, 2 and 3 are the fastest"},
    {OPTION(ref_display_height, "rdf", INT), 1080, NULL, 1, 4320, NULL, "display height in pixels"},
    {OPTION(skip_aim_scale, "sasc", INT), -1, NULL, 0, 3, NULL, "leave this scale out of aim; by default none"},
    {OPTION(skip_scale0, "ssz", BOOL), 0, NULL, 0, 1, NULL, "leave the finest level out"},
    {0}};

enum { ADM2, AIM, ADM3, SCALE0, ADM = SCALE0 + ADM_LEVELS, NUM, DEN, NUM_SCALE0 };
static const ty_metric metrics[] = {{.name = "VMAF_feature_adm2_score", .short_name = "adm2"},
                                    {.name = "VMAF_feature_aim_score", .short_name = "aim"},
                                    {.name = "VMAF_feature_adm3_score", .short_name = "adm3"},
                                    {.name = "VMAF_feature_adm_scale0_score", .short_name = "adm_scale0"},
                                    {.name = "VMAF_feature_adm_scale1_score", .short_name = "adm_scale1"},
                                    {.name = "VMAF_feature_adm_scale2_score", .short_name = "adm_scale2"},
                                    {.name = "VMAF_feature_adm_scale3_score", .short_name = "adm_scale3"},
                                    {.name = "adm"},
                                    {.name = "adm_num"},
                                    {.name = "adm_den"},
                                    {.name = "adm_num_scale0"},
                                    {.name = "adm_den_scale0"},
                                    {.name = "adm_num_scale1"},
                                    {.name = "adm_den_scale1"},
                                    {.name = "adm_num_scale2"},
                                    {.name = "adm_den_scale2"},
                                    {.name = "adm_num_scale3"},
                                    {.name = "adm_den_scale3"},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    (void)layout;
    return metric < ADM || ((const float_adm_options *)options_)->debug;
}

/* ---- Geometry ----------------------------------------------------------------------------------------------------- */

static uint32_t parts(uint32_t n, uint32_t size) { return (n + size - 1) / size; }

typedef struct float_adm_band {
    uint32_t width, height;
    adm_window counted, window; /* geometry.h */
    uint32_t stride, plane;
    uint32_t strips, tiles; /* of the scoring stage */
} float_adm_band;

static void find_bands(float_adm_band bands[ADM_LEVELS], uint32_t width, uint32_t height) {
    adm_geometry geometry[ADM_LEVELS];
    adm_find_geometry(geometry, width, height);
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        const adm_geometry *g = &geometry[level];
        float_adm_band *b = &bands[level];
        *b = (float_adm_band){
            .width = g->width, .height = g->height, .counted = g->counted, .window = g->window};
        b->strips = parts(g->counted.y1 - g->counted.y0, FLOAT_ADM_STRIP_ROWS);
        b->tiles = parts(g->counted.x1 - g->counted.x0 + 2, FLOAT_ADM_TILE);
        b->stride = g->window.x1 - g->window.x0;
        b->plane = b->stride * (g->window.y1 - g->window.y0);
    }
}

/* ---- Plan --------------------------------------------------------------------------------------------------------- */

/* The power of spec 4.7 as the kernel names it: 0 if it only hands out the terms. powf(x, 1) is x and powf(x, 2) is x * x. */
static u32 power_of(const float_adm_options *o) {
    const float p = (float)o->p_norm;
    return p == 1.0f ? 1 : p == 2.0f ? 2 : o->p_norm == 3.0 ? 3 : 0;
}

static size_t result_floats(const float_adm_options *o, const float_adm_band *b) {
    const size_t per_sum = power_of(o) ? FLOAT_ADM_STRIP : (size_t)b->tiles * FLOAT_ADM_SCORE_LANES;
    return (size_t)b->strips * FLOAT_ADM_SUMS * per_sum;
}

static float weight_of(const float_adm_options *o, uint32_t level, bool diagonal) {
    const double given[2][ADM_LEVELS] = {{o->f1s0, o->f1s1, o->f1s2, o->f1s3},
                                               {o->f2s0, o->f2s1, o->f2s2, o->f2s3}};
    const adm_view view = {o->norm_view_dist, o->ref_display_height};
    if (given[diagonal][level] >= 0)
        return (float)given[diagonal][level];
    return float_adm_factor(o->csf_mode, view, level, diagonal, diagonal ? o->csf_diag_scale : o->csf_scale);
}

static float_adm_wavelet wavelet_values(const float_adm_band bands[], uint32_t level, const ty_layout *layout) {
    const float_adm_band *band = &bands[level], *finer = level > 0 ? &band[-1] : NULL;
    float_adm_wavelet v = {.window = band->window, .stride = band->stride, .plane = band->plane};
    v.in_width = finer ? finer->width : layout->width[0];
    v.in_height = finer ? finer->height : layout->height[0];
    v.in_x0 = finer ? finer->window.x0 : 0;
    v.in_y0 = finer ? finer->window.y0 : 0;
    v.in_stride = finer ? finer->stride : layout->stored_width[0];
    v.in_plane = finer ? finer->plane : 0;
    v.scale = 1.0f / (float)(1u << (layout->format.bit_depth - 8));
    return v;
}

static void plan_wavelet(ty_plan *plan, const float_adm_band bands[], uint32_t level, ty_buffer finer, ty_buffer low,
                         ty_buffer detail) {
    const float_adm_band *b = &bands[level];
    const float_adm_wavelet v = wavelet_values(bands, level, plan->layout);
    const uint32_t groups_x = parts(b->stride, FLOAT_ADM_WAVELET_LANES);
    const uint32_t groups_y = parts(b->window.y1 - b->window.y0, FLOAT_ADM_WAVELET_ROWS);
    if (level == 0) {
        const ty_buffer buffers[] = {ty_plan_plane(plan, TY_REFERENCE, 0, 0),
                                     ty_plan_plane(plan, TY_DISTORTED, 0, 0), low, detail};
        ty_plan_launch(plan, "float_adm_wavelet_picture", FLOAT_ADM_WAVELET_LANES, groups_x, groups_y, &v, sizeof v, 4,
                       buffers);
    } else {
        const ty_buffer buffers[] = {finer, low, detail};
        ty_plan_launch(plan, "float_adm_wavelet_band", FLOAT_ADM_WAVELET_LANES, groups_x, groups_y, &v, sizeof v, 3,
                       buffers);
    }
}

static void plan_score(const float_adm_options *o, ty_plan *plan, const float_adm_band *b, uint32_t level,
                       ty_buffer detail) {
    float_adm_level v = {.window = b->window,
                         .stride = b->stride,
                         .plane = b->plane,
                         .counted = b->counted,
                         .tiles = b->tiles,
                         .weight_hv = weight_of(o, level, false),
                         .weight_d = weight_of(o, level, true),
                         .masking = o->bypass_cm ? 0 : UINT32_MAX,
                         .power = power_of(o)};
    const double p = (double)(float)o->p_norm;
    memcpy(&v.p_bits, &p, sizeof v.p_bits);
    memcpy(&v.gain_bits, &o->enhn_gain_limit, sizeof v.gain_bits);
    v.gain = (float)o->enhn_gain_limit == o->enhn_gain_limit ? (float)o->enhn_gain_limit : 0.0f;
    const ty_buffer buffers[] = {detail, ty_plan_partials(plan, result_floats(o, b) * sizeof(float))};
    ty_plan_launch(plan, "float_adm_score", FLOAT_ADM_SCORE_LANES, 1, b->strips, &v, sizeof v, 2, buffers);
}

static void plan(const void *options_, ty_plan *plan) {
    const float_adm_options *o = options_;
    float_adm_band bands[ADM_LEVELS];
    find_bands(bands, plan->layout->width[0], plan->layout->height[0]);
    ty_buffer finer = 0;
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        const float_adm_band *b = &bands[level];
        const ty_buffer low = ty_plan_scratch(plan, 2 * (size_t)b->plane * sizeof(float));
        const ty_buffer detail = ty_plan_scratch(plan, 6 * (size_t)b->plane * sizeof(float));
        plan_wavelet(plan, bands, level, finer, low, detail);
        if (level > 0 || !o->skip_scale0)
            plan_score(o, plan, b, level, detail);
        finer = low;
    }
}

/* ---- Tail --------------------------------------------------------------------------------------------------------- */

typedef struct float_adm_state {
    float_adm_options options;
    float_adm_band bands[ADM_LEVELS];
    float root;                    /* exponent of the root */
    float noise[ADM_LEVELS]; /* root of the noise energy */
    double limit;                  /* sums below it count as 0 */
} float_adm_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    float_adm_state *s = state;
    s->options = *(const float_adm_options *)options_;
    const uint32_t width = layout->width[0], height = layout->height[0];
    find_bands(s->bands, width, height);
    s->root = (float)(1.0 / s->options.p_norm);
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        const adm_window *c = &s->bands[level].counted;
        const uint64_t count = (uint64_t)(c->x1 - c->x0) * (c->y1 - c->y0);
        s->noise[level] = ty_powf((float)((double)count * s->options.noise_weight), s->root);
    }
    s->limit = (1e-10 * (double)((uint64_t)width * height)) / 2073600.0;
}

/* Adds a column of terms to the sums of its rows; those that the kernel could not raise are raised here. */
static void add_column(float sums[FLOAT_ADM_STRIP_ROWS], const float column[FLOAT_ADM_STRIP_ROWS], float p) {
    uint32_t doubts = 0;
    for (int row = 0; row < FLOAT_ADM_STRIP_ROWS; row++)
        doubts += column[row] < 0;
    for (int row = 0; row < FLOAT_ADM_STRIP_ROWS && doubts > 0; row++)
        sums[row] = sums[row] + (column[row] < 0 ? ty_powf(-column[row], p) : column[row]);
    for (int row = 0; row < FLOAT_ADM_STRIP_ROWS && doubts == 0; row++)
        sums[row] = sums[row] + column[row];
}

/* The sums of a strip's rows, from its terms. Those of the reference's energy start one column before the
 * counted ones, the others two. Rows behind the last counted one are summed as well, and not used. */
static void sum_terms(const float_adm_state *s, const float_adm_band *b, uint32_t c, const float *terms,
                      float sums[FLOAT_ADM_STRIP_ROWS]) {
    const uint32_t first = c < 3 ? 1 : 2, count = b->counted.x1 - b->counted.x0;
    memset(sums, 0, FLOAT_ADM_STRIP_ROWS * sizeof *sums);
    for (uint32_t x = first; x < first + count; x++)
        add_column(sums, terms + x * FLOAT_ADM_STRIP + 1, (float)s->options.p_norm);
}

static void sum_rows(const float_adm_state *s, const float_adm_band *b, const float *result, float sums[FLOAT_ADM_SUMS]) {
    const u32 power = power_of(&s->options);
    const size_t pitch = power ? FLOAT_ADM_STRIP : (size_t)b->tiles * FLOAT_ADM_SCORE_LANES;
    const uint32_t rows = b->counted.y1 - b->counted.y0;
    for (uint32_t c = 0; c < FLOAT_ADM_SUMS; c++) {
        sums[c] = 0;
        for (uint32_t y = 0; y < rows; y += FLOAT_ADM_STRIP_ROWS) {
            const float *strip = result + (y / FLOAT_ADM_STRIP_ROWS * FLOAT_ADM_SUMS + c) * pitch;
            const float *row_sums = strip + 1;
            float raised[FLOAT_ADM_STRIP_ROWS];
            if (!power) {
                sum_terms(s, b, c, strip, raised);
                row_sums = raised;
            }
            for (uint32_t row = 0; row < FLOAT_ADM_STRIP_ROWS && y + row < rows; row++)
                sums[c] = sums[c] + row_sums[row];
        }
    }
}

typedef struct float_adm_level_scores {
    float numerator, denominator, added;
} float_adm_level_scores;

static float pooled(const float_adm_state *s, const float sums[3], float noise) {
    float v[3];
    for (int c = 0; c < 3; c++)
        v[c] = ty_powf(sums[c], s->root) + noise;
    return (v[0] + v[1]) + v[2];
}

static float_adm_level_scores score_level(const float_adm_state *s, uint32_t level, const float *result) {
    float sums[FLOAT_ADM_SUMS];
    float_adm_level_scores scores;
    sum_rows(s, &s->bands[level], result, sums);
    scores.denominator = pooled(s, sums, s->noise[level]);
    scores.numerator = pooled(s, sums + 3, s->noise[level]);
    scores.added = pooled(s, sums + 6, 0.0f);
    return scores;
}

/* Of adm2 and aim themselves: an undistorted picture gets 0. */
static double harmonic_mean(double adm2, double aim) { return ((2 * adm2) * aim) / (adm2 + aim); }

/* Spec 4.8. */
static void emit_frame(const float_adm_state *s, const float_adm_level_scores levels[], uint64_t frame,
                       ty_emitter *emitter) {
    const float_adm_options *o = &s->options;
    double num = 0, den = 0, added = 0, added_den = 0, adm2 = 1, aim = 0;
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        num += (double)levels[level].numerator;
        den += (double)levels[level].denominator;
        if (o->skip_aim_scale == (int)level)
            continue;
        added += (double)levels[level].added;
        added_den += (double)levels[level].denominator;
    }
    num = num < s->limit ? 0.0 : num;
    den = den < s->limit ? 0.0 : den;
    if (den != 0) {
        const double ratio = added / added_den;
        adm2 = num / den;
        aim = ratio < 1 ? ratio : 1;
    }
    const double weight = o->dlm_weight;
    const double mean = adm2 * weight + (1 - aim) * (1 - weight);
    const double adm3 = o->adm3_apply_hm ? harmonic_mean(adm2, aim) : mean;
    ty_emit(emitter, ADM2, frame, adm2);
    ty_emit(emitter, AIM, frame, aim);
    ty_emit(emitter, ADM3, frame, adm3 > o->min_val ? adm3 : o->min_val);
    ty_emit(emitter, ADM, frame, adm2);
    ty_emit(emitter, NUM, frame, num);
    ty_emit(emitter, DEN, frame, den);
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const float_adm_state *s = state;
    float_adm_level_scores levels[ADM_LEVELS] = {{0.0f, 1e-10f, 0.0f}}; /* level 0 if it is skipped */
    const uint32_t first = s->options.skip_scale0 ? 1 : 0;
    for (uint32_t level = first; level < ADM_LEVELS; level++)
        levels[level] = score_level(s, level, frame->partials[level - first]);
    emit_frame(s, levels, frame->number, emitter);
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        const double num = (double)levels[level].numerator, den = (double)levels[level].denominator;
        ty_emit(emitter, SCALE0 + level, frame->number, num / den);
        ty_emit(emitter, NUM_SCALE0 + 2 * level, frame->number, num);
        ty_emit(emitter, NUM_SCALE0 + 2 * level + 1, frame->number, den);
    }
}

const ty_feature ty_feature_float_adm = {
    .name = "float_adm",
    .summary = "detail loss (adm2), additive impairment (aim) and their blend (adm3), in single precision",
    .room = "float_adm",
    .options = options,
    .options_size = sizeof(float_adm_options),
    .metrics = metrics,
    .no_suffix = 1u << ADM,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = 17,
    .min_height = 17,
    .has_metric = has_metric,
    .plan = plan,
    .state_size = sizeof(float_adm_state),
    .start = start,
    .tail = tail,
};
