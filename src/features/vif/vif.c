/* vif: visual information fidelity at four scales (spec: vif.md). */
#include "core/feature.h"

#include "features/vif/log_table.h"
#include "features/vif/stages.h"

typedef struct vif_options {
    double gain_limit;
    bool skip_scale0, debug;
} vif_options;

static const ty_option options[] = {
    {"vif_enhn_gain_limit", "egl", TY_OPTION_DOUBLE, TY_OPTION_NAMED, offsetof(vif_options, gain_limit), 100,
     NULL, 1, 100, NULL, "upper limit of the gain; 1 does not reward enhancement"},
    {"vif_skip_scale0", "ssclz", TY_OPTION_BOOL, TY_OPTION_NAMED, offsetof(vif_options, skip_scale0), 0, NULL,
     0, 1, NULL, "leave out scale 0: its score is 0"},
    {"debug", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(vif_options, debug), 0, NULL, 0, 1, NULL,
     "add the score of all scales together, numerators and denominators"},
    {0}};

enum { SCORE, VIF = VIF_SCALES, NUM, DEN, PARTS };
static const ty_metric metrics[] = {{.name = "VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0"},
                                    {.name = "VMAF_integer_feature_vif_scale1_score", "integer_vif_scale1"},
                                    {.name = "VMAF_integer_feature_vif_scale2_score", "integer_vif_scale2"},
                                    {.name = "VMAF_integer_feature_vif_scale3_score", "integer_vif_scale3"},
                                    {.name = "integer_vif"},
                                    {.name = "integer_vif_num"},
                                    {.name = "integer_vif_den"},
                                    {.name = "integer_vif_num_scale0"},
                                    {.name = "integer_vif_den_scale0"},
                                    {.name = "integer_vif_num_scale1"},
                                    {.name = "integer_vif_den_scale1"},
                                    {.name = "integer_vif_num_scale2"},
                                    {.name = "integer_vif_den_scale2"},
                                    {.name = "integer_vif_num_scale3"},
                                    {.name = "integer_vif_den_scale3"},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    const vif_options *o = options_;
    (void)layout;
    return metric < VIF || o->debug;
}

/* ---- Plan ---- */

static uint32_t divide_up(uint32_t a, uint32_t b) {
    return (a + b - 1) / b;
}

/* Rows of scales 1 to 3 are padded so that a tile can always read all its columns. */
static uint32_t padded(uint32_t width) {
    return width < 256 ? 256 : divide_up(width, 32) * 32;
}

static uint32_t taps_of(uint32_t scale) {
    static const uint32_t taps[VIF_SCALES] = {VIF_TAPS_0, VIF_TAPS_1, VIF_TAPS_2, VIF_TAPS_3};
    return taps[scale];
}

static uint32_t tiles_x(uint32_t width, uint32_t scale) {
    return divide_up(width >> scale, VIF_TILE_COLUMNS(taps_of(scale)));
}

static uint32_t tiles_y(uint32_t height, uint32_t scale) {
    return divide_up(height >> scale, VIF_ROWS);
}

static vif_plane plane_of(const vif_options *o, const ty_layout *layout, uint32_t scale) {
    const uint32_t width = layout->width[0] >> scale, depth = layout->format.bit_depth;
    union {
        double value;
        uint64_t bits;
    } limit = {o->gain_limit};
    return (vif_plane){.width = width,
                       .height = layout->height[0] >> scale,
                       .stride = scale == 0 ? layout->stored_width[0] : padded(width),
                       .readable = scale == 0 ? width : padded(width),
                       .shift = scale == 0 ? depth : 16,
                       .square_shift = scale == 0 ? 2 * (depth - 8) : 16,
                       .groups_x = tiles_x(layout->width[0], scale),
                       .gain_limit = limit.bits};
}

static void plan_statistics(const vif_options *o, ty_plan *plan, uint32_t scale, ty_buffer reference,
                            ty_buffer distorted, ty_buffer logs) {
    static const char *const kernels[] = {"vif_statistics_0", "vif_statistics_1", "vif_statistics_2",
                                          "vif_statistics_3"};
    const vif_plane plane = plane_of(o, plan->layout, scale);
    const uint32_t x = plane.groups_x, y = tiles_y(plan->layout->height[0], scale);
    const ty_buffer buffers[] = {reference, distorted, logs,
                                 ty_plan_partials(plan, (size_t)x * y * VIF_SUMS * sizeof(u64))};
    ty_plan_launch(plan, kernels[scale], VIF_LANES, x, y, &plane, sizeof plane, 4, buffers);
}

/* From `scale` to the next. */
static ty_buffer plan_halving(const vif_options *o, ty_plan *plan, uint32_t scale, ty_buffer picture) {
    static const char *const kernels[] = {"vif_halve_0", "vif_halve_1", "vif_halve_2"};
    const vif_plane from = plane_of(o, plan->layout, scale), to = plane_of(o, plan->layout, scale + 1);
    const vif_halving step = {from.width, from.height, from.stride, from.readable,
                              to.width,   to.stride,   from.shift};
    const ty_buffer halved = ty_plan_scratch(plan, (size_t)to.stride * to.height * sizeof(u16));
    const ty_buffer buffers[] = {picture, halved};
    ty_plan_launch(plan, kernels[scale], VIF_HALF_LANES, divide_up(to.width, VIF_HALF_COLUMNS), to.height,
                   &step, sizeof step, 2, buffers);
    return halved;
}

static void plan(const void *options_, ty_plan *plan) {
    const vif_options *o = options_;
    uint32_t entries[VIF_LOG_ENTRIES];
    ty_vif_log_table(entries);
    const ty_buffer logs = ty_plan_table(plan, entries, sizeof entries);
    ty_buffer reference = ty_plan_plane(plan, TY_REFERENCE, 0, 0);
    ty_buffer distorted = ty_plan_plane(plan, TY_DISTORTED, 0, 0);
    for (uint32_t scale = 0; scale < VIF_SCALES; scale++) {
        if (scale > 0) {
            reference = plan_halving(o, plan, scale - 1, reference);
            distorted = plan_halving(o, plan, scale - 1, distorted);
        }
        if (scale > 0 || !o->skip_scale0)
            plan_statistics(o, plan, scale, reference, distorted, logs);
    }
}

/* ---- Tail ---- */

typedef struct vif_state {
    uint32_t first_scale;
    uint32_t tiles[VIF_SCALES];
} vif_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    vif_state *s = state;
    s->first_scale = ((const vif_options *)options_)->skip_scale0 ? 1 : 0;
    for (uint32_t scale = 0; scale < VIF_SCALES; scale++)
        s->tiles[scale] = tiles_x(layout->width[0], scale) * tiles_y(layout->height[0], scale);
}

typedef struct fraction {
    float num, den;
} fraction;

/* Spec 4.6. */
static fraction fraction_of(const uint64_t *sums, uint32_t tiles) {
    uint64_t total[VIF_SUMS] = {0};
    for (uint32_t i = 0; i < tiles; i++)
        for (uint32_t j = 0; j < VIF_SUMS; j++)
            total[j] += sums[i * VIF_SUMS + j];
    const double log_num = (double)total[0] / 2048.0, log_den = (double)total[1] / 2048.0;
    const double flat_variance = (double)total[2] / 16384.0 / 65025.0;
    const double flat_count = (double)total[3];
    const double flat_num = flat_count - flat_variance;
    return (fraction){(float)(log_num + flat_num), (float)(log_den + flat_count)};
}

static void emit_debug(const vif_state *s, const fraction *scales, uint64_t frame, ty_emitter *emitter) {
    double num = scales[s->first_scale].num, den = scales[s->first_scale].den;
    for (uint32_t scale = s->first_scale + 1; scale < VIF_SCALES; scale++) {
        num += scales[scale].num;
        den += scales[scale].den;
    }
    ty_emit(emitter, VIF, frame, den == 0.0 ? 1.0 : num / den);
    ty_emit(emitter, NUM, frame, num);
    ty_emit(emitter, DEN, frame, den);
    for (uint32_t scale = 0; scale < VIF_SCALES; scale++) {
        ty_emit(emitter, PARTS + 2 * scale, frame, scales[scale].num);
        ty_emit(emitter, PARTS + 2 * scale + 1, frame, scales[scale].den);
    }
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const vif_state *s = state;
    fraction scales[VIF_SCALES] = {{0.0f, -1.0f}}; /* what a skipped scale 0 reports */
    for (uint32_t scale = s->first_scale; scale < VIF_SCALES; scale++)
        scales[scale] = fraction_of(frame->partials[scale - s->first_scale], s->tiles[scale]);
    for (uint32_t scale = 0; scale < VIF_SCALES; scale++)
        ty_emit(emitter, SCORE + scale, frame->number,
                scale < s->first_scale ? 0.0 : (double)(scales[scale].num / scales[scale].den));
    emit_debug(s, scales, frame->number, emitter);
}

const ty_feature ty_feature_vif = {
    .name = "vif",
    .summary = "visual information fidelity at four scales",
    .room = "vif",
    .options = options,
    .options_size = sizeof(vif_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_ALL,
    .formats = TY_FORMATS_ALL,
    .min_width = 16,
    .min_height = 16,
    .has_metric = has_metric,
    .plan = plan,
    .state_size = sizeof(vif_state),
    .start = start,
    .tail = tail,
};
