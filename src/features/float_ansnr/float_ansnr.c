/* float_ansnr: anti-noise SNR of luma (spec: ansnr.md). */
#include "core/feature.h"
#include "exact/math.h"

#include "features/float_ansnr/stages.h"

static const ty_option options[] = {{0}};

enum { ANSNR, ANPSNR };
static const ty_metric metrics[] = {{.name = "float_ansnr"}, {.name = "float_anpsnr"}, {0}};

static uint32_t bands(const ty_layout *layout) {
    return (layout->height[0] + ANSNR_ROWS - 1) / ANSNR_ROWS;
}

static float scale_to_8_bits(uint32_t depth) {
    return 1.0f / (float)(1u << (depth - 8));
}

static void plan(const void *options_, ty_plan *plan) {
    (void)options_;
    const ty_layout *layout = plan->layout;
    const ansnr_plane plane = {layout->width[0], layout->height[0], layout->stored_width[0],
                               scale_to_8_bits(layout->format.bit_depth)};
    const ty_buffer buffers[] = {ty_plan_plane(plan, TY_REFERENCE, 0, 0),
                                 ty_plan_plane(plan, TY_DISTORTED, 0, 0),
                                 ty_plan_partials(plan, (size_t)bands(layout) * ANSNR_SUMS * sizeof(float))};
    ty_plan_launch(plan, "float_ansnr_rows", ANSNR_LANES, 1, bands(layout), &plane, sizeof plane, 3, buffers);
}

typedef struct ansnr_state {
    uint32_t rows;
    double peak_energy; /* of all samples, on the scale of 8 bits */
    double cap;         /* dB */
} ansnr_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    (void)options_;
    ansnr_state *s = state;
    const uint32_t depth = layout->format.bit_depth;
    const double peak = (double)((1u << depth) - 1) * (double)scale_to_8_bits(depth);
    s->rows = layout->height[0];
    s->peak_energy = ((peak * peak) * (double)layout->width[0]) * (double)layout->height[0];
    s->cap = 6.0 * depth + 12.0;
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const ansnr_state *s = state;
    const float *sums = frame->partials[0];
    float signal = 0, noise = 0;
    for (uint32_t y = 0; y < s->rows; y++) {
        const float *band = sums + y / ANSNR_ROWS * ANSNR_SUMS;
        signal = signal + band[y % ANSNR_ROWS];
        noise = noise + band[ANSNR_ROWS + y % ANSNR_ROWS];
    }
    const float ratio = signal / noise;
    ty_emit(emitter, ANSNR, frame->number, noise == 0 ? s->cap : 10.0 * ty_log10((double)ratio));
    const double clamped = (double)noise > 1e-10 ? (double)noise : 1e-10;
    const double anpsnr = 10 * ty_log10(s->peak_energy / clamped);
    ty_emit(emitter, ANPSNR, frame->number, anpsnr < s->cap ? anpsnr : s->cap);
}

const ty_feature ty_feature_float_ansnr = {
    .name = "float_ansnr",
    .summary = "anti-noise SNR of luma: signal and noise after low-pass filtering, in dB",
    .room = "float_ansnr",
    .options = options,
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = 3,
    .min_height = 3,
    .plan = plan,
    .state_size = sizeof(ansnr_state),
    .start = start,
    .tail = tail,
};
