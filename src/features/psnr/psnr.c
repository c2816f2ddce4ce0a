/* psnr: integer PSNR of luma and chroma (spec: psnr.md). */
#include <float.h>
#include <math.h>

#include "core/feature.h"
#include "exact/math.h"

#include "features/psnr/stages.h"

typedef struct psnr_options {
    bool enable_chroma, enable_mse, enable_apsnr, reduced_hbd_peak;
    double min_sse;
} psnr_options;

#define OPTION(name) #name, NULL
static const ty_option options[] = {
    {OPTION(enable_chroma), TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(psnr_options, enable_chroma), 1, NULL, 0, 1, NULL,
     "score the chroma planes too"},
    {OPTION(enable_mse), TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(psnr_options, enable_mse), 0, NULL, 0, 1, NULL,
     "add the mean squared errors mse_y, mse_cb, mse_cr"},
    {OPTION(enable_apsnr), TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(psnr_options, enable_apsnr), 0, NULL, 0, 1, NULL,
     "add the whole-sequence values apsnr_y, apsnr_cb, apsnr_cr"},
    {OPTION(reduced_hbd_peak), TY_OPTION_BOOL, TY_OPTION_UNNAMED, offsetof(psnr_options, reduced_hbd_peak), 0, NULL, 0,
     1, NULL, "above 8 bits take 255 * 2^(depth - 8) as the peak instead of 2^depth - 1"},
    {OPTION(min_sse), TY_OPTION_DOUBLE, TY_OPTION_UNNAMED, offsetof(psnr_options, min_sse), 0, NULL, 0, DBL_MAX, NULL,
     "if not 0: the squared error whose PSNR, rounded up, is the highest score"},
    {0}};

enum { PSNR_Y, MSE_Y, PSNR_CB, MSE_CB, PSNR_CR, MSE_CR };
static const ty_metric metrics[] = {{.name = "psnr_y"},  {.name = "mse_y"},   {.name = "psnr_cb"},
                                    {.name = "mse_cb"},  {.name = "psnr_cr"}, {.name = "mse_cr"},
                                    {0}};

static uint32_t scored_planes(const psnr_options *o, const ty_layout *layout) {
    return o->enable_chroma ? layout->planes : 1;
}

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    const psnr_options *o = options_;
    const bool is_mse = metric % 2 == 1;
    const uint32_t plane = metric / 2;
    return (!is_mse || o->enable_mse) && (layout ? plane < scored_planes(o, layout) : plane == 0 || o->enable_chroma);
}

/* A 4:2:0 picture one sample wide or high has no chroma samples; its chroma cannot be scored. */
static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    const uint32_t planes = scored_planes(options_, layout);
    if (planes == 1 || (layout->width[1] > 0 && layout->height[1] > 0))
        return TALLY_OK;
    return ty_fail(error, TALLY_USAGE,
                   "feature psnr cannot score the chroma planes of a %ux%u picture with pixel format %s: they have no "
                   "samples; use psnr=enable_chroma=false",
                   layout->format.width, layout->format.height, ty_pixel_format_name(layout->format.pixel_format));
}

static void plan(const void *options_, ty_plan *plan) {
    const uint32_t planes = scored_planes(options_, plan->layout);
    for (uint32_t p = 0; p < planes; p++) {
        const psnr_plane plane = {plan->layout->width[p], plan->layout->stored_width[p]};
        const uint32_t rows = plan->layout->height[p];
        const ty_buffer buffers[] = {ty_plan_plane(plan, TY_REFERENCE, p, 0), ty_plan_plane(plan, TY_DISTORTED, p, 0),
                                     ty_plan_partials(plan, rows * sizeof(u64))};
        ty_plan_launch(plan, "psnr_rows", PSNR_LANES, 1, rows, &plane, sizeof plane, 3, buffers);
    }
}

typedef struct psnr_state {
    psnr_options options;
    uint32_t planes;
    uint32_t rows[3];
    uint64_t samples[3];      /* of one frame */
    uint32_t peak_squared;    /* at most 65535^2 */
    double cap[3];            /* dB */
    uint64_t total_sse[3];    /* over all frames, of the scored planes */
    uint64_t total_samples[3];
} psnr_state;

/* Spec 4.2. The third factor of the cap's argument is formed once, so this order of operations is part of the score. */
static double cap(const psnr_state *s, uint32_t bit_depth, uint64_t samples) {
    if (s->options.min_sse == 0)
        return 6.0 * bit_depth + 12.0;
    return ceil(10.0 * ty_log10((double)s->peak_squared / (s->options.min_sse / (double)samples)));
}

static void start(void *state, const void *options_, const ty_layout *layout) {
    psnr_state *s = state;
    s->options = *(const psnr_options *)options_;
    s->planes = scored_planes(&s->options, layout);
    const uint32_t depth = layout->format.bit_depth;
    const uint32_t peak = s->options.reduced_hbd_peak ? 255u << (depth - 8) : (1u << depth) - 1;
    s->peak_squared = peak * peak;
    for (uint32_t p = 0; p < s->planes; p++) {
        s->rows[p] = layout->height[p];
        s->samples[p] = (uint64_t)layout->width[p] * layout->height[p];
        s->cap[p] = cap(s, depth, s->samples[p]);
    }
}

static uint64_t sum_rows(const uint64_t *rows, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t y = 0; y < count; y++)
        sum += rows[y];
    return sum;
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    psnr_state *s = state;
    for (uint32_t p = 0; p < s->planes; p++) {
        const uint64_t sse = sum_rows(frame->partials[p], s->rows[p]);
        const double mse = (double)sse / (double)s->samples[p];
        const double clamped = mse > 1e-16 ? mse : 1e-16;
        const double psnr = 10.0 * ty_log10((double)s->peak_squared / clamped);
        ty_emit(emitter, PSNR_Y + 2 * p, frame->number, psnr < s->cap[p] ? psnr : s->cap[p]);
        ty_emit(emitter, MSE_Y + 2 * p, frame->number, mse);
        s->total_sse[p] += sse;
        s->total_samples[p] += s->samples[p];
    }
}

__extension__ typedef unsigned __int128 u128;

/* Spec 4.3. Without chroma the sums are empty, log10(0) is -inf and so is the result. */
static double apsnr(const psnr_state *s, uint32_t plane) {
    if (plane >= s->planes)
        return -INFINITY;
    const double samples = (double)s->total_samples[plane];
    const double a = 10.0 * ((ty_log10((double)s->peak_squared) + ty_log10(samples)) -
                             ty_log10((double)s->total_sse[plane]));
    /* The product may pass 64 bits, where the reference wraps; here it is exact and rounded once. */
    const u128 doubled = (u128)s->peak_squared * s->total_samples[plane] * 2;
    const double b = ceil(10.0 * ty_log10((double)doubled));
    return a < b ? a : b;
}

static void end(void *state, ty_emitter *emitter) {
    const psnr_state *s = state;
    if (!s->options.enable_apsnr)
        return;
    ty_emit_aggregate(emitter, "apsnr_y", apsnr(s, 0));
    ty_emit_aggregate(emitter, "apsnr_cb", apsnr(s, 1));
    ty_emit_aggregate(emitter, "apsnr_cr", apsnr(s, 2));
}

const ty_feature ty_feature_psnr = {
    .name = "psnr",
    .summary = "peak signal-to-noise ratio of luma and chroma, in dB",
    .room = "psnr",
    .options = options,
    .options_size = sizeof(psnr_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = 1,
    .min_height = 1,
    .every_frame = true,
    .check = check,
    .has_metric = has_metric,
    .plan = plan,
    .state_size = sizeof(psnr_state),
    .start = start,
    .tail = tail,
    .end = end,
};
