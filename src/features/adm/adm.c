/* adm: detail loss and additive impairment in integers (spec: adm.md). */
#include "core/feature.h"
#include "features/adm/csf.h"
#include "features/adm/geometry.h"
#include "features/adm/roots.h"
#include "features/adm/stages.h"

typedef struct adm_options {
    bool debug, skip_aim, skip_scale0;
    int csf_mode, ref_display_height;
    double csf_scale, csf_diag_scale, dlm_weight, enhn_gain_limit, norm_view_dist, noise_weight, min_val;
} adm_options;

#define OPTION(name, alias, type, effect) "adm_" #name, alias, TY_OPTION_##type, effect, offsetof(adm_options, name)
static const ty_option options[] = {
    {"debug", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(adm_options, debug), 0, NULL, 0, 1, NULL,
     "add the numerators and denominators"},
    {OPTION(csf_scale, "scf", DOUBLE, TY_OPTION_NAMED), 1.0, NULL, 0, 50, NULL,
     "factor on the weights of h and v (adm_csf_mode=1 only)"},
    {OPTION(csf_diag_scale, "scfd", DOUBLE, TY_OPTION_NAMED), 1.0, NULL, 0, 50, NULL,
     "factor on the weight of d (adm_csf_mode=1 only)"},
    {OPTION(dlm_weight, "dlmw", DOUBLE, TY_OPTION_NAMED), 0.5, NULL, 0, 1, NULL, "share of adm2 in adm3"},
    {OPTION(enhn_gain_limit, "egl", DOUBLE, TY_OPTION_NAMED), 100.0, NULL, 1, 100, NULL,
     "how far a restored coefficient may exceed the reference's; 1: enhancement is never rewarded"},
    {OPTION(norm_view_dist, "nvd", DOUBLE, TY_OPTION_NAMED), 3.0, NULL, 0.75, 24, NULL,
     "viewing distance in display heights"},
    {OPTION(ref_display_height, "rdh", INT, TY_OPTION_NAMED), 1080, NULL, 1, 4320, NULL, "display height in pixels"},
    {OPTION(csf_mode, "csf", INT, TY_OPTION_NAMED), ADM_CSF_WATSON, NULL, 0, 3, NULL,
     "contrast sensitivity: 0 Watson, 1 Barten, 2 blend, 3 corrected blend"},
    {OPTION(noise_weight, "nw", DOUBLE, TY_OPTION_NAMED), 0.03125, NULL, 0, 1500, NULL,
     "energy per coefficient added to numerators and denominators"},
    {OPTION(skip_aim, NULL, BOOL, TY_OPTION_UNNAMED), 0, NULL, 0, 1, NULL, "aim reads 0, also in adm3"},
    {OPTION(skip_scale0, "ssz", BOOL, TY_OPTION_NAMED), 0, NULL, 0, 1, NULL, "leave the finest level out"},
    {OPTION(min_val, "min", DOUBLE, TY_OPTION_NAMED), 0.0, NULL, 0, 1, NULL, "lower bound of adm3"},
    {0}};

enum { ADM2, AIM, ADM3, SCALE0, ADM = SCALE0 + ADM_LEVELS, NUM, DEN, NUM_SCALE0 };
static const ty_metric metrics[] = {{"VMAF_integer_feature_adm2_score", "integer_adm2", TY_WITH_FRAME_0},
                                    {"VMAF_integer_feature_aim_score", "integer_aim", TY_WITH_FRAME_0},
                                    {"VMAF_integer_feature_adm3_score", "integer_adm3", TY_WITH_FRAME_0},
                                    {.name = "integer_adm_scale0"},
                                    {.name = "integer_adm_scale1"},
                                    {.name = "integer_adm_scale2"},
                                    {.name = "integer_adm_scale3"},
                                    {.name = "integer_adm"},
                                    {.name = "integer_adm_num"},
                                    {.name = "integer_adm_den"},
                                    {.name = "integer_adm_num_scale0"},
                                    {.name = "integer_adm_den_scale0"},
                                    {.name = "integer_adm_num_scale1"},
                                    {.name = "integer_adm_den_scale1"},
                                    {.name = "integer_adm_num_scale2"},
                                    {.name = "integer_adm_den_scale2"},
                                    {.name = "integer_adm_num_scale3"},
                                    {.name = "integer_adm_den_scale3"},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    (void)layout;
    return metric < ADM || ((const adm_options *)options_)->debug;
}

/* Spec 6 proves its bounds for sides up to this. */
#define MAX_SIDE 32768u

static adm_view view_of(const adm_options *o) { return (adm_view){o->norm_view_dist, o->ref_display_height}; }

static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    const adm_options *o = options_;
    const tally_format *format = &layout->format;
    if (format->width > MAX_SIDE || format->height > MAX_SIDE)
        return ty_fail(error, TALLY_USAGE, "feature adm cannot score a size of %ux%u; it takes at most %u a side",
                       format->width, format->height, MAX_SIDE);
    if (o->norm_view_dist * o->ref_display_height < 3240.0)
        return ty_fail(error, TALLY_USAGE,
                       "feature adm: adm_norm_view_dist=%g times adm_ref_display_height=%d is below 3240 (3 * 1080): "
                       "the weights are not defined for so few pixels",
                       o->norm_view_dist, o->ref_display_height);
    if (o->csf_mode >= ADM_CSF_BLEND && !adm_find_blend(o->csf_mode, view_of(o)))
        return ty_fail(error, TALLY_USAGE,
                       "feature adm: adm_csf_mode=%d has no weights for adm_norm_view_dist=%g and "
                       "adm_ref_display_height=%d; it has 3 x 1080, 5 x 1080, 1.5 x 2160, 3 x 2160, 5 x 2160, 5 x 720",
                       o->csf_mode, o->norm_view_dist, o->ref_display_height);
    return TALLY_OK;
}

/* ---- Geometry ----------------------------------------------------------------------------------------------------- */

/* Smallest k with 2^k >= n. */
static uint32_t ceil_log2(uint64_t n) {
    uint32_t k = 0;
    while ((UINT64_C(1) << k) < n)
        k++;
    return k;
}

typedef struct adm_band {
    uint32_t width, height;
    adm_window counted, window; /* geometry.h */
    uint32_t stride, plane;
    uint32_t tile, groups;                /* of the scoring stage: columns of a group, groups of a row */
    uint32_t energy_shift, energy_row_shift, energy_total_shift, energy_scale; /* z, gamma, tau or eta, E of spec 4.4 */
    uint32_t shift_hv, shift_d, total_shift;                                   /* gamma, eta of spec 4.6 */
    int scale_hv, scale_d;                                                     /* E of spec 4.6 */
} adm_band;

static void find_shifts(adm_band *b, uint32_t level) {
    static const uint32_t z[] = {0, 31, 30, 31};
    static const uint32_t energy[] = {18, 32, 27, 23};
    static const int cube[] = {0, 45, 39, 36};
    const uint32_t columns = b->counted.x1 - b->counted.x0, rows = b->counted.y1 - b->counted.y0;
    const uint32_t width = ceil_log2(b->width);
    b->total_shift = ceil_log2(b->height);
    if (level == 0) {
        b->energy_total_shift = adm_at_least_0(ceil_log2((uint64_t)columns * rows), 20);
        b->shift_hv = adm_at_least_0(width, 4);
        b->shift_d = adm_at_least_0(width, 3);
        b->scale_hv = 52 - (int)(b->shift_hv + b->total_shift);
        b->scale_d = 57 - (int)(b->shift_d + b->total_shift);
    } else {
        b->energy_shift = z[level];
        b->energy_row_shift = ceil_log2(columns);
        b->energy_total_shift = ceil_log2(rows);
        b->shift_hv = b->shift_d = width;
        b->scale_hv = b->scale_d = cube[level] - (int)(width + b->total_shift);
    }
    b->energy_scale = energy[level] - b->energy_row_shift - b->energy_total_shift;
}

static uint32_t round_up(uint32_t n, uint32_t multiple) { return (n + multiple - 1) / multiple * multiple; }

static void find_bands(adm_band bands[ADM_LEVELS], uint32_t width, uint32_t height) {
    adm_geometry geometry[ADM_LEVELS];
    adm_find_geometry(geometry, width, height);
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        const adm_geometry *g = &geometry[level];
        adm_band *b = &bands[level];
        *b = (adm_band){.width = g->width, .height = g->height, .counted = g->counted, .window = g->window};
        const uint32_t columns = g->counted.x1 - g->counted.x0;
        b->groups = (columns + ADM_SCORE_LANES - 3) / (ADM_SCORE_LANES - 2);
        b->tile = (columns + b->groups - 1) / b->groups;
        b->stride = round_up(g->window.x1 - g->window.x0, 32);
        b->plane = b->stride * (g->window.y1 - g->window.y0);
        find_shifts(b, level);
    }
}

/* ---- Plan --------------------------------------------------------------------------------------------------------- */

static adm_weights weights_of(const adm_options *o, uint32_t level) {
    return adm_find_weights(o->csf_mode, view_of(o), level, o->csf_scale, o->csf_diag_scale);
}

static void plan_wavelet(ty_plan *plan, const adm_band *band, const adm_wavelet *v, const char *kernel,
                         uint32_t buffer_count, const ty_buffer *buffers) {
    const uint32_t columns = band->window.x1 - band->window.x0, rows = band->window.y1 - band->window.y0;
    ty_plan_launch(plan, kernel, ADM_WAVELET_LANES, round_up(columns, ADM_WAVELET_LANES) / ADM_WAVELET_LANES,
                   round_up(rows, ADM_WAVELET_ROWS) / ADM_WAVELET_ROWS, v, sizeof *v, buffer_count, buffers);
}

static adm_wavelet wavelet_values(const adm_band bands[], uint32_t level, const ty_layout *layout) {
    static const u32 vertical[] = {0, 0, 16, 16}, horizontal[] = {16, 15, 16, 15};
    const adm_band *band = &bands[level], *finer = level > 0 ? &band[-1] : NULL;
    adm_wavelet v = {.window = band->window,
                     .stride = band->stride,
                     .plane = band->plane,
                     .vertical_shift = level > 0 ? vertical[level] : layout->format.bit_depth,
                     .horizontal_shift = horizontal[level],
                     .narrow = level == 3 && layout->width[0] <= 32};
    v.in_width = finer ? finer->width : layout->width[0];
    v.in_height = finer ? finer->height : layout->height[0];
    v.in_x0 = finer ? finer->window.x0 : 0;
    v.in_y0 = finer ? finer->window.y0 : 0;
    v.in_stride = finer ? finer->stride : layout->stored_width[0];
    v.in_plane = finer ? finer->plane : 0;
    return v;
}

static void plan_score(const adm_options *o, ty_plan *plan, const adm_band *b, uint32_t level, ty_buffer bands) {
    const adm_weights weights = weights_of(o, level);
    int exponent;
    const double mantissa = frexp(o->enhn_gain_limit, &exponent);
    const adm_level v = {.width = b->width,
                         .height = b->height,
                         .x0 = b->window.x0,
                         .y0 = b->window.y0,
                         .stride = b->stride,
                         .plane = b->plane,
                         .counted = b->counted,
                         .tile = b->tile,
                         .groups = b->groups,
                         .weight_hv = weights.fixed_hv,
                         .weight_d = weights.fixed_d,
                         .gain_shift = (u32)(53 - exponent),
                         .gain_mantissa = (u64)ldexp(mantissa, 53),
                         .energy_shift = b->energy_shift,
                         .energy_row_shift = b->energy_row_shift,
                         .shift_hv = b->shift_hv,
                         .shift_d = b->shift_d};
    const uint32_t rows = b->counted.y1 - b->counted.y0;
    const ty_buffer buffers[] = {
        bands, ty_plan_partials(plan, (size_t)rows * b->groups * ADM_SUMS * sizeof(u64))};
    ty_plan_launch(plan, level == 0 ? "adm_score16" : "adm_score32", ADM_SCORE_LANES, b->groups,
                   round_up(rows, ADM_SCORE_ROWS) / ADM_SCORE_ROWS, &v, sizeof v, 2, buffers);
}

static void plan(const void *options_, ty_plan *plan) {
    const adm_options *o = options_;
    adm_band bands[ADM_LEVELS];
    find_bands(bands, plan->layout->width[0], plan->layout->height[0]);
    ty_buffer low = 0;
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        const adm_band *b = &bands[level];
        const adm_wavelet v = wavelet_values(bands, level, plan->layout);
        const ty_buffer next = ty_plan_scratch(plan, 2 * (size_t)b->plane * sizeof(i32));
        const ty_buffer detail = ty_plan_scratch(plan, 6 * (size_t)b->plane * (level > 0 ? sizeof(i32) : sizeof(i16)));
        if (level == 0) {
            const ty_buffer buffers[] = {ty_plan_plane(plan, TY_REFERENCE, 0, 0),
                                         ty_plan_plane(plan, TY_DISTORTED, 0, 0), next, detail};
            plan_wavelet(plan, b, &v, "adm_wavelet_picture", 4, buffers);
        } else {
            const ty_buffer buffers[] = {low, next, detail};
            plan_wavelet(plan, b, &v, "adm_wavelet_band", 3, buffers);
        }
        if (level > 0 || !o->skip_scale0)
            plan_score(o, plan, b, level, detail);
        low = next;
    }
}

/* ---- Tail --------------------------------------------------------------------------------------------------------- */

typedef struct adm_state {
    adm_options options;
    adm_band bands[ADM_LEVELS];
    double cubed[ADM_LEVELS][3]; /* cubes of the weights of h, v, d */
    float noise[ADM_LEVELS];     /* root of the noise energy */
    double limit;                /* sums below it count as 0 */
} adm_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    adm_state *s = state;
    s->options = *(const adm_options *)options_;
    const uint32_t width = layout->width[0], height = layout->height[0];
    find_bands(s->bands, width, height);
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        const adm_weights w = weights_of(&s->options, level);
        const adm_window *c = &s->bands[level].counted;
        const uint64_t count = (uint64_t)(c->x1 - c->x0) * (c->y1 - c->y0);
        const double hv = w.hv, d = w.d;
        s->cubed[level][0] = s->cubed[level][1] = hv * hv * hv;
        s->cubed[level][2] = d * d * d;
        s->noise[level] = adm_root((float)((double)count * s->options.noise_weight));
    }
    s->limit = (1e-10 * (double)((uint64_t)width * height)) / (1920.0 * 1080.0);
}

/* All modulo 2^64. Energies are never negative and shift as unsigned numbers, the cubes as signed ones. */
static void sum_rows(const adm_band *b, const uint64_t *rows, uint64_t sums[ADM_SUMS]) {
    const uint64_t energy_half = (UINT64_C(1) << b->energy_total_shift) >> 1;
    const uint64_t half = (UINT64_C(1) << b->total_shift) >> 1;
    for (uint32_t c = 0; c < ADM_SUMS; c++)
        sums[c] = 0;
    for (uint32_t y = b->counted.y0; y < b->counted.y1; y++) {
        uint64_t row[ADM_SUMS] = {0};
        for (uint32_t group = 0; group < b->groups; group++, rows += ADM_SUMS)
            for (uint32_t c = 0; c < ADM_SUMS; c++)
                row[c] += rows[c];
        for (uint32_t c = 0; c < 3; c++)
            sums[c] += (row[c] + energy_half) >> b->energy_total_shift;
        for (uint32_t c = 3; c < ADM_SUMS; c++)
            sums[c] += (uint64_t)((int64_t)(row[c] + half) >> b->total_shift);
    }
}

/* Spec 4.4. */
static float denominator(const adm_state *s, uint32_t level, const uint64_t sums[3]) {
    float q[3];
    for (int c = 0; c < 3; c++) {
        const double energy = ldexp((double)sums[c], -(int)s->bands[level].energy_scale) * s->cubed[level][c];
        q[c] = adm_root((float)energy) + s->noise[level];
    }
    return (q[0] + q[1]) + q[2];
}

/* Spec 4.6. */
static float numerator(const adm_state *s, uint32_t level, const uint64_t sums[3], float noise) {
    const adm_band *b = &s->bands[level];
    float q[3];
    for (int c = 0; c < 3; c++) {
        q[c] = adm_root(adm_cubic_energy((int64_t)sums[c], c == 2 ? b->scale_d : b->scale_hv, level)) + noise;
    }
    return (q[0] + q[1]) + q[2];
}

typedef struct adm_level_scores {
    float numerator, denominator, added;
} adm_level_scores;

static adm_level_scores score_level(const adm_state *s, uint32_t level, const uint64_t *rows) {
    uint64_t sums[ADM_SUMS];
    adm_level_scores scores;
    sum_rows(&s->bands[level], rows, sums);
    scores.denominator = denominator(s, level, sums);
    scores.numerator = numerator(s, level, sums + 3, s->noise[level]);
    scores.added = s->options.skip_aim ? 0.0f : numerator(s, level, sums + 6, adm_root(0.0f));
    return scores;
}

/* Spec 4.7. */
static void emit_frame(const adm_state *s, const adm_level_scores levels[], uint64_t frame, ty_emitter *emitter) {
    double num = 0, den = 0, aim = 0, adm2 = 1;
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        num += levels[level].numerator;
        den += levels[level].denominator;
        aim += levels[level].added;
    }
    num = num < s->limit ? 0.0 : num;
    den = den < s->limit ? 0.0 : den;
    if (den == 0.0) {
        aim = 0;
    } else {
        aim = aim / den;
        adm2 = num / den;
    }
    const double weight = s->options.dlm_weight;
    const double adm3 = adm2 * weight + (1 - aim) * (1 - weight);
    ty_emit(emitter, ADM2, frame, adm2);
    ty_emit(emitter, AIM, frame, aim);
    ty_emit(emitter, ADM3, frame, adm3 > s->options.min_val ? adm3 : s->options.min_val);
    ty_emit(emitter, ADM, frame, adm2);
    ty_emit(emitter, NUM, frame, num);
    ty_emit(emitter, DEN, frame, den);
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const adm_state *s = state;
    adm_level_scores levels[ADM_LEVELS] = {{0.0f, 1e-10f, 0.0f}}; /* level 0 if it is skipped */
    const uint32_t first = s->options.skip_scale0 ? 1 : 0;
    for (uint32_t level = first; level < ADM_LEVELS; level++)
        levels[level] = score_level(s, level, frame->partials[level - first]);
    emit_frame(s, levels, frame->number, emitter);
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        const double num = levels[level].numerator, den = levels[level].denominator;
        ty_emit(emitter, SCALE0 + level, frame->number, num / den);
        ty_emit(emitter, NUM_SCALE0 + 2 * level, frame->number, num);
        ty_emit(emitter, NUM_SCALE0 + 2 * level + 1, frame->number, den);
    }
}

const ty_feature ty_feature_adm = {
    .name = "adm",
    .summary = "detail loss (adm2), additive impairment (aim) and their blend (adm3), in integers",
    .room = "adm",
    .options = options,
    .options_size = sizeof(adm_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_ALL,
    .formats = TY_FORMATS_ALL,
    .min_width = 17,
    .min_height = 33,
    .check = check,
    .has_metric = has_metric,
    .plan = plan,
    .state_size = sizeof(adm_state),
    .start = start,
    .tail = tail,
};
