/* psnr_hvs: PSNR-HVS-M of luma and chroma (spec: psnr_hvs.md). */
#include "core/feature.h"
#include "exact/math.h"

#include "features/psnr_hvs/stages.h"
#include "features/psnr_hvs/tables.h"

#define BLOCK 8

static const ty_option options[] = {{0}};

enum { PSNR_HVS_Y, PSNR_HVS_CB, PSNR_HVS_CR, PSNR_HVS };
static const ty_metric metrics[] = {
    {.name = "psnr_hvs_y"}, {.name = "psnr_hvs_cb"}, {.name = "psnr_hvs_cr"}, {.name = "psnr_hvs"}, {0}};

static uint32_t blocks_along(uint32_t samples) {
    return (samples - BLOCK) / PSNR_HVS_STEP + 1;
}

static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    (void)options_;
    for (uint32_t p = 0; p < layout->planes; p++)
        if (layout->width[p] < BLOCK || layout->height[p] < BLOCK)
            return ty_fail(error, TALLY_USAGE,
                           "feature psnr_hvs needs planes of at least 8x8 samples: the %s planes of a %ux%u "
                           "picture with pixel format %s are %ux%u",
                           p > 0 ? "chroma" : "luma", layout->format.width, layout->format.height,
                           ty_pixel_format_name(layout->format.pixel_format), layout->width[p],
                           layout->height[p]);
    return TALLY_OK;
}

/* The planes take turns in one buffer of terms; luma's are the most. */
static void plan(const void *options_, ty_plan *plan) {
    (void)options_;
    const ty_layout *layout = plan->layout;
    const ty_buffer terms =
        ty_plan_scratch(plan, (size_t)blocks_along(layout->width[0]) * blocks_along(layout->height[0]) *
                                  PSNR_HVS_TERMS * sizeof(float));
    for (uint32_t p = 0; p < layout->planes; p++) {
        const psnr_hvs_plane plane = {layout->stored_width[p], blocks_along(layout->width[p])};
        const uint32_t groups = (plane.blocks + PSNR_HVS_LANES - 1) / PSNR_HVS_LANES;
        const uint32_t rows = blocks_along(layout->height[p]);
        const ty_buffer sum = ty_plan_partials(plan, sizeof(float));
        const ty_buffer buffers[] = {
            ty_plan_plane(plan, TY_REFERENCE, p, 0), ty_plan_plane(plan, TY_DISTORTED, p, 0),
            ty_plan_table(plan, psnr_hvs_tables[p], sizeof psnr_hvs_tables[p]), terms};
        ty_plan_launch_summed(plan, "psnr_hvs_terms", PSNR_HVS_LANES, groups, rows, &plane, sizeof plane, 4,
                              buffers, plane.blocks * PSNR_HVS_TERMS, sum);
    }
}

typedef struct psnr_hvs_state {
    float terms[3];     /* per plane: exact up to 2^24 blocks */
    float peak_squared; /* at most 4095^2 < 2^24 */
} psnr_hvs_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    (void)options_;
    psnr_hvs_state *s = state;
    const uint32_t peak = (1u << layout->format.bit_depth) - 1;
    s->peak_squared = (float)(peak * peak);
    for (uint32_t p = 0; p < layout->planes; p++)
        s->terms[p] = (float)((uint64_t)blocks_along(layout->width[p]) * blocks_along(layout->height[p]) *
                              PSNR_HVS_TERMS);
}

static double decibels(double error) {
    return 10 * (-1 * ty_log10(error));
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const psnr_hvs_state *s = state;
    double error[3];
    for (uint32_t p = 0; p < 3; p++) {
        const float mean = *(const float *)frame->partials[p] / s->terms[p];
        const float relative = mean / s->peak_squared;
        error[p] = (double)relative;
        ty_emit(emitter, PSNR_HVS_Y + p, frame->number, decibels(error[p]));
    }
    ty_emit(emitter, PSNR_HVS, frame->number, decibels(error[0] * 0.8 + 0.1 * (error[1] + error[2])));
}

const ty_feature ty_feature_psnr_hvs = {
    .name = "psnr_hvs",
    .summary = "PSNR-HVS-M: error weighted by contrast sensitivity and masking, of luma and chroma, in dB",
    .room = "psnr_hvs",
    .options = options,
    .options_size = 0,
    .metrics = metrics,
    .depths = TY_DEPTH(8) | TY_DEPTH(9) | TY_DEPTH(10) | TY_DEPTH(11) | TY_DEPTH(12),
    .formats = TY_FORMATS_CHROMA,
    .min_width = 8,
    .min_height = 8,
    .check = check,
    .plan = plan,
    .state_size = sizeof(psnr_hvs_state),
    .start = start,
    .tail = tail,
};
