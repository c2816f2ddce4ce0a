/* float_psnr: PSNR of luma on the 8-bit scale (spec: psnr.md; row form of the sum: decisions.md 1). */
#include "core/feature.h"
#include "exact/math.h"

#include "features/float_psnr/stages.h"
#include "features/float_psnr/total.h"

static const ty_metric metrics[] = {{.name = "float_psnr"}, {0}};

static uint32_t segments_of(const ty_layout *layout) {
    return (layout->width[0] + FLOAT_PSNR_SEGMENT - 1) / FLOAT_PSNR_SEGMENT;
}

static void plan(const void *options, ty_plan *plan) {
    (void)options;
    const float_psnr_plane plane = {plan->layout->width[0], plan->layout->stored_width[0], segments_of(plan->layout)};
    const uint32_t rows = plan->layout->height[0];
    const ty_buffer buffers[] = {ty_plan_plane(plan, TY_REFERENCE, 0, 0), ty_plan_plane(plan, TY_DISTORTED, 0, 0),
                                 ty_plan_partials(plan, (size_t)rows * plane.segments * sizeof(u64))};
    ty_plan_launch(plan, "float_psnr_rows", FLOAT_PSNR_LANES, plane.segments, rows, &plane, sizeof plane, 3, buffers);
}

typedef struct float_psnr_state {
    size_t segments;   /* of the whole plane */
    double samples;
    double unit;       /* squared sample step on the 8-bit scale: 1 / k^2, a power of two */
    double peak_squared;
    double cap;        /* dB */
} float_psnr_state;

static void start(void *state, const void *options, const ty_layout *layout) {
    (void)options;
    float_psnr_state *s = state;
    const uint32_t depth = layout->format.bit_depth;
    const double step = 1.0 / (double)(1u << (depth - 8)), peak = 256.0 - step;
    static const double caps[] = {[8] = 60, [10] = 72, [12] = 84, [16] = 108};
    *s = (float_psnr_state){.segments = (size_t)layout->height[0] * segments_of(layout),
                            .samples = (double)((uint64_t)layout->width[0] * layout->height[0]),
                            .unit = step * step,
                            .peak_squared = peak * peak,
                            .cap = caps[depth]};
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const float_psnr_state *s = state;
    double noise = float_psnr_total(frame->partials[0], s->segments, s->unit);
    noise = noise / s->samples;
    const double psnr = 10 * ty_log10(s->peak_squared / (noise > 1e-10 ? noise : 1e-10));
    ty_emit(emitter, 0, frame->number, psnr < s->cap ? psnr : s->cap);
}

const ty_feature ty_feature_float_psnr = {
    .name = "float_psnr",
    .summary = "peak signal-to-noise ratio of luma on the 8-bit scale, in dB",
    .room = "float_psnr",
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = 1,
    .min_height = 1,
    .plan = plan,
    .state_size = sizeof(float_psnr_state),
    .start = start,
    .tail = tail,
};
