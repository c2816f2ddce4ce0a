/* float_ssim: structural similarity of luma (spec: ssim.md). */
#include <math.h>

#include "core/feature.h"

#include "features/float_ssim/means.h"
#include "features/float_ssim/stages.h"

typedef struct ssim_options {
    int scale;
    bool enable_lcs, enable_db, clip_db;
} ssim_options;

static const ty_option options[] = {
    {"enable_lcs", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(ssim_options, enable_lcs), 0, NULL, 0, 1,
     NULL, "add the means of luminance, contrast and structure"},
    {"enable_db", NULL, TY_OPTION_BOOL, TY_OPTION_UNNAMED, offsetof(ssim_options, enable_db), 0, NULL, 0, 1,
     NULL, "score as -10 log10(1 - score)"},
    {"clip_db", NULL, TY_OPTION_BOOL, TY_OPTION_UNNAMED, offsetof(ssim_options, clip_db), 0, NULL, 0, 1, NULL,
     "bound the decibels by what one error in the picture would give"},
    {"scale", NULL, TY_OPTION_INT, TY_OPTION_UNNAMED, offsetof(ssim_options, scale), 0, NULL, 0, 10, NULL,
     "decimate by this factor; 0: by the shorter side divided by 256"},
    {0}};

enum { SCORE, LUMINANCE, CONTRAST, STRUCTURE };
static const ty_metric metrics[] = {{.name = "float_ssim"},
                                    {.name = "float_ssim_l"},
                                    {.name = "float_ssim_c"},
                                    {.name = "float_ssim_s"},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    const ssim_options *o = options_;
    (void)layout;
    return metric == SCORE || o->enable_lcs;
}

/* The shorter side divided by 256, rounded half up, at least 1. */
static uint32_t factor_of(const ssim_options *o, const ty_layout *layout) {
    const uint32_t w = layout->width[0], h = layout->height[0];
    const uint32_t automatic = ((w < h ? w : h) + 128) / 256;
    return o->scale > 0 ? (uint32_t)o->scale : automatic > 1 ? automatic : 1;
}

/* An odd side gives one more sample than its whole boxes. */
static uint32_t decimated(uint32_t size, uint32_t factor) {
    return factor > 1 ? size / factor + size % 2 : size;
}

static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    const uint32_t factor = factor_of(options_, layout);
    const uint32_t width = decimated(layout->width[0], factor), height = decimated(layout->height[0], factor);
    if (width >= SSIM_TAPS && height >= SSIM_TAPS && factor <= SSIM_MAX_FACTOR)
        return TALLY_OK;
    return ty_fail(
        error, TALLY_USAGE,
        "feature float_ssim cannot score a size of %ux%u: decimated by %u it is %ux%u, and it needs at least "
        "%ux%u",
        layout->format.width, layout->format.height, factor, width, height, SSIM_TAPS, SSIM_TAPS);
}

static ty_buffer plan_box(ty_plan *plan, ty_picture_role role, uint32_t factor) {
    const ty_layout *layout = plan->layout;
    const uint32_t width = decimated(layout->width[0], factor), height = decimated(layout->height[0], factor);
    const float weight = 1.0f / (float)(factor * factor);
    const ssim_picture picture = {.width = layout->width[0],
                                  .height = layout->height[0],
                                  .stride = layout->stored_width[0],
                                  .pitch = SSIM_PITCH(width),
                                  .factor = factor,
                                  .plane_width = width,
                                  .scale = ldexpf(weight, 23 + 8 - (int)layout->format.bit_depth)};
    const uint32_t per_tile = SSIM_BOX_LANES / factor;
    const ty_buffer plane = ty_plan_scratch(plan, (size_t)picture.pitch * height * sizeof(float));
    const ty_buffer buffers[] = {ty_plan_plane(plan, role, 0, 0), plane};
    ty_plan_launch(plan, "float_ssim_box", SSIM_BOX_LANES, (picture.pitch + per_tile - 1) / per_tile, height,
                   &picture, sizeof picture, 2, buffers);
    return plane;
}

static ssim_windows shape_of(const ssim_options *o, const ty_layout *layout) {
    const uint32_t factor = factor_of(o, layout);
    return ty_ssim_windows(decimated(layout->width[0], factor), decimated(layout->height[0], factor), true);
}

static void plan(const void *options_, ty_plan *plan) {
    const uint32_t factor = factor_of(options_, plan->layout);
    const ssim_windows shape = shape_of(options_, plan->layout);
    ty_buffer planes[2];
    for (int role = TY_REFERENCE; role <= TY_DISTORTED; role++)
        planes[role] = factor > 1 ? plan_box(plan, (ty_picture_role)role, factor)
                                  : ty_ssim_plan_plane(plan, (ty_picture_role)role);
    ty_ssim_plan_windows(plan, &shape, planes[0], planes[1],
                         ty_plan_partials(plan, ty_ssim_windows_bytes(&shape)));
}

typedef struct ssim_state {
    ssim_options options;
    ssim_windows shape;
    double cap; /* dB */
} ssim_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    ssim_state *s = state;
    s->options = *(const ssim_options *)options_;
    s->shape = shape_of(&s->options, layout);
    s->cap = s->options.clip_db ? ty_ssim_cap(layout) : INFINITY;
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const ssim_state *s = state;
    const ssim_means means = ty_ssim_means(frame->partials[0], &s->shape);
    const double score = (double)means.score;
    ty_emit(emitter, SCORE, frame->number, s->options.enable_db ? ty_ssim_decibels(score, s->cap) : score);
    ty_emit(emitter, LUMINANCE, frame->number, (double)means.l);
    ty_emit(emitter, CONTRAST, frame->number, (double)means.c);
    ty_emit(emitter, STRUCTURE, frame->number, (double)means.s);
}

const ty_feature ty_feature_float_ssim = {
    .name = "float_ssim",
    .summary = "structural similarity of luma",
    .room = "float_ssim",
    .options = options,
    .options_size = sizeof(ssim_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = SSIM_TAPS,
    .min_height = SSIM_TAPS,
    .check = check,
    .has_metric = has_metric,
    .plan = plan,
    .state_size = sizeof(ssim_state),
    .start = start,
    .tail = tail,
};
