/* ssim: structural similarity of luma from integer moments (spec: ssim.md, 4.4). */
#include <string.h>

#include "core/feature.h"

#include "features/ssim/stages.h"

static const ty_option options[] = {{0}};
static const ty_metric metrics[] = {{.name = "ssim"}, {0}};

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void plan(const void *options_, ty_plan *plan) {
    (void)options_;
    const ty_layout *layout = plan->layout;
    const double peak = (double)((1u << layout->format.bit_depth) - 1);
    const ssim_fixed_plane plane = {.width = layout->width[0],
                                    .height = layout->height[0],
                                    .stride = layout->stored_width[0],
                                    .pitch = SSIM_FIXED_PITCH(layout->width[0]),
                                    .c1 = bits_of(peak * peak * 0x1.a36e2eb1c432dp-14),  /* 0.01 * 0.01 */
                                    .c2 = bits_of(peak * peak * 0x1.d7dbf487fcb92p-11)}; /* 0.03 * 0.03 */
    const ty_buffer buffers[] = {ty_plan_plane(plan, TY_REFERENCE, 0, 0),
                                 ty_plan_plane(plan, TY_DISTORTED, 0, 0),
                                 ty_plan_partials(plan, (size_t)plane.pitch * plane.height * sizeof(double))};
    ty_plan_launch(plan, "ssim_fixed_terms", SSIM_FIXED_LANES, plane.pitch / SSIM_FIXED_LANES,
                   (plane.height + SSIM_FIXED_ROWS - 1) / SSIM_FIXED_ROWS, &plane, sizeof plane, 3, buffers);
}

typedef struct ssim_fixed_state {
    uint32_t width, height;
    double weights; /* of all windows */
} ssim_fixed_state;

/* The weights of all windows along a side of `size` samples. */
static uint64_t weights_along(uint32_t size) {
    static const uint32_t weights[] = SSIM_FIXED_WEIGHTS;
    uint64_t sum = 0;
    for (int k = 0; k < SSIM_FIXED_TAPS; k++) {
        const uint32_t off = (uint32_t)(k < SSIM_FIXED_REACH ? SSIM_FIXED_REACH - k : k - SSIM_FIXED_REACH);
        sum += (uint64_t)weights[k] * (size > off ? size - off : 0);
    }
    return sum;
}

/* The weight of a window is a product, and so is the sum of all: below 2^48, which a double sum holds in any
 * order. */
static void start(void *state, const void *options_, const ty_layout *layout) {
    (void)options_;
    *(ssim_fixed_state *)state =
        (ssim_fixed_state){layout->width[0], layout->height[0],
                           (double)(weights_along(layout->width[0]) * weights_along(layout->height[0]))};
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const ssim_fixed_state *s = state;
    const double *terms = frame->partials[0];
    const uint32_t pitch = SSIM_FIXED_PITCH(s->width);
    double sum = 0;
    for (uint32_t y = 0; y < s->height; y++)
        for (uint32_t x = 0; x < s->width; x++)
            sum += terms[(size_t)y * pitch + x];
    ty_emit(emitter, 0, frame->number, sum / s->weights);
}

const ty_feature ty_feature_ssim = {
    .name = "ssim",
    .summary = "structural similarity of luma from integer moments, windows cut off at the picture's edge",
    .room = "ssim",
    .options = options,
    .metrics = metrics,
    .depths = TY_DEPTHS_ALL,
    .formats = TY_FORMATS_ALL,
    .min_width = 1,
    .min_height = 1,
    .plan = plan,
    .state_size = sizeof(ssim_fixed_state),
    .start = start,
    .tail = tail,
};
