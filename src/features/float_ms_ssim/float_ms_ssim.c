/* float_ms_ssim: structural similarity of luma on five scales (spec: ssim.md). */
#include <math.h>

#include "core/feature.h"
#include "exact/math.h"

#include "features/float_ssim/means.h"
#include "features/float_ssim/stages.h"

#define SCALES 5

typedef struct ms_ssim_options {
    bool enable_lcs, enable_db, clip_db;
} ms_ssim_options;

static const ty_option options[] = {
    {"enable_lcs", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(ms_ssim_options, enable_lcs), 0, NULL, 0, 1,
     NULL, "add the means of luminance, contrast and structure of each scale"},
    {"enable_db", NULL, TY_OPTION_BOOL, TY_OPTION_UNNAMED, offsetof(ms_ssim_options, enable_db), 0, NULL, 0,
     1, NULL, "score as -10 log10(1 - score)"},
    {"clip_db", NULL, TY_OPTION_BOOL, TY_OPTION_UNNAMED, offsetof(ms_ssim_options, clip_db), 0, NULL, 0, 1,
     NULL, "bound the decibels by what one error in the picture would give"},
    {0}};

enum { SCORE, LUMINANCE, CONTRAST = LUMINANCE + SCALES, STRUCTURE = CONTRAST + SCALES };
static const ty_metric metrics[] = {{.name = "float_ms_ssim"},
                                    {.name = "float_ms_ssim_l_scale0"},
                                    {.name = "float_ms_ssim_l_scale1"},
                                    {.name = "float_ms_ssim_l_scale2"},
                                    {.name = "float_ms_ssim_l_scale3"},
                                    {.name = "float_ms_ssim_l_scale4"},
                                    {.name = "float_ms_ssim_c_scale0"},
                                    {.name = "float_ms_ssim_c_scale1"},
                                    {.name = "float_ms_ssim_c_scale2"},
                                    {.name = "float_ms_ssim_c_scale3"},
                                    {.name = "float_ms_ssim_c_scale4"},
                                    {.name = "float_ms_ssim_s_scale0"},
                                    {.name = "float_ms_ssim_s_scale1"},
                                    {.name = "float_ms_ssim_s_scale2"},
                                    {.name = "float_ms_ssim_s_scale3"},
                                    {.name = "float_ms_ssim_s_scale4"},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    const ms_ssim_options *o = options_;
    (void)layout;
    return metric == SCORE || o->enable_lcs;
}

/* The size of a scale: halved and rounded up each time. */
static uint32_t scaled(uint32_t size, uint32_t scale) {
    return (size + (1u << scale) - 1) >> scale;
}

/* The luminance of a scale has a part in the score only at the last one. */
static ssim_windows shape_of(const ms_ssim_options *o, const ty_layout *layout, uint32_t scale) {
    return ty_ssim_windows(scaled(layout->width[0], scale), scaled(layout->height[0], scale),
                           o->enable_lcs || scale == SCALES - 1);
}

/* The plane of the scale after `scale`. */
static ty_buffer plan_halving(ty_plan *plan, ty_buffer plane, uint32_t scale) {
    const uint32_t w = plan->layout->width[0], h = plan->layout->height[0];
    const ssim_halving halving = {.width = scaled(w, scale),
                                  .height = scaled(h, scale),
                                  .pitch = SSIM_PITCH(scaled(w, scale)),
                                  .half_width = scaled(w, scale + 1),
                                  .half_height = scaled(h, scale + 1),
                                  .half_pitch = SSIM_PITCH(scaled(w, scale + 1))};
    const ty_buffer half =
        ty_plan_scratch(plan, (size_t)halving.half_pitch * halving.half_height * sizeof(float));
    const ty_buffer buffers[] = {plane, half};
    ty_plan_launch(plan, "float_ssim_lowpass", SSIM_LANES, halving.half_pitch / SSIM_LANES,
                   (halving.half_height + SSIM_LOWPASS_ROWS - 1) / SSIM_LOWPASS_ROWS, &halving,
                   sizeof halving, 2, buffers);
    return half;
}

static void plan(const void *options_, ty_plan *plan) {
    ty_buffer planes[2] = {ty_ssim_plan_plane(plan, TY_REFERENCE), ty_ssim_plan_plane(plan, TY_DISTORTED)};
    for (uint32_t k = 0; k < SCALES; k++) {
        const ssim_windows shape = shape_of(options_, plan->layout, k);
        ty_ssim_plan_windows(plan, &shape, planes[0], planes[1],
                             ty_plan_partials(plan, ty_ssim_windows_bytes(&shape)));
        for (int role = 0; role < 2 && k + 1 < SCALES; role++)
            planes[role] = plan_halving(plan, planes[role], k);
    }
}

typedef struct ms_ssim_state {
    ms_ssim_options options;
    ssim_windows shapes[SCALES];
    double cap; /* dB */
} ms_ssim_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    ms_ssim_state *s = state;
    s->options = *(const ms_ssim_options *)options_;
    for (uint32_t k = 0; k < SCALES; k++)
        s->shapes[k] = shape_of(&s->options, layout, k);
    s->cap = s->options.clip_db ? ty_ssim_cap(layout) : INFINITY;
}

/* What the means of a scale contribute to the score. A power of 0 is 1. */
static double factor(const ssim_means *means, uint32_t scale) {
    static const float exponents[SCALES] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};
    const double exponent = (double)exponents[scale];
    const double l = scale == SCALES - 1 ? ty_pow((double)means->l, exponent) : 1.0;
    return l * ty_pow((double)means->c, exponent) * ty_pow((double)means->s, exponent);
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const ms_ssim_state *s = state;
    double score = 1.0;
    for (uint32_t k = 0; k < SCALES; k++) {
        const ssim_means means = ty_ssim_means(frame->partials[k], &s->shapes[k]);
        score = score * factor(&means, k);
        ty_emit(emitter, LUMINANCE + k, frame->number, (double)means.l);
        ty_emit(emitter, CONTRAST + k, frame->number, (double)means.c);
        ty_emit(emitter, STRUCTURE + k, frame->number, (double)means.s);
    }
    ty_emit(emitter, SCORE, frame->number, s->options.enable_db ? ty_ssim_decibels(score, s->cap) : score);
}

const ty_feature ty_feature_float_ms_ssim = {
    .name = "float_ms_ssim",
    .summary = "structural similarity of luma on five scales",
    .room = "float_ssim",
    .options = options,
    .options_size = sizeof(ms_ssim_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = SSIM_TAPS << (SCALES - 1),
    .min_height = SSIM_TAPS << (SCALES - 1),
    .has_metric = has_metric,
    .plan = plan,
    .state_size = sizeof(ms_ssim_state),
    .start = start,
    .tail = tail,
};
