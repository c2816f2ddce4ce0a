/* float_motion: mean absolute difference of neighbouring blurred reference frames (spec: motion.md, float
 * form). */
#include <math.h>
#include <stdlib.h>

#include "core/feature.h"

#include "features/float_motion/stages.h"

typedef struct float_motion_options {
    double fps_weight, blend_factor, blend_offset, max_val;
    int filter_size;
    bool debug, force_zero, add_scale1, add_uv;
} float_motion_options;

#define BOOL(name, alias, help)                                                                              \
    {                                                                                                        \
        "motion_" #name, alias, TY_OPTION_BOOL, TY_OPTION_NAMED, offsetof(float_motion_options, name), 0,    \
            NULL, 0, 1, NULL, help                                                                           \
    }
#define NUMBER(name, alias, standard, max, help)                                                             \
    {                                                                                                        \
        "motion_" #name, alias, TY_OPTION_DOUBLE, TY_OPTION_NAMED, offsetof(float_motion_options, name),     \
            standard, NULL, 0, max, NULL, help                                                               \
    }
static const ty_option options[] = {
    {"debug", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(float_motion_options, debug), 1, NULL, 0, 1,
     NULL, "add the score named motion"},
    BOOL(force_zero, "force_0", "every score is 0"),
    NUMBER(fps_weight, "mfw", 1, 5, "factor on every score"),
    NUMBER(blend_factor, "mbf", 1, 1, "slope of motion3 above the knee"),
    NUMBER(blend_offset, "mbo", 40, 1000, "where the knee of motion3 is"),
    BOOL(add_scale1, "mdc", "add the score of the pictures at half size"),
    {"motion_filter_size", "mfs", TY_OPTION_INT, TY_OPTION_NAMED, offsetof(float_motion_options, filter_size),
     5, NULL, 0, 9, NULL, "1: no blur; 3: three taps; every other value: five taps"},
    BOOL(add_uv, "mau", "add the scores of the two chroma planes"),
    NUMBER(max_val, "mmxv", 10000, 10000, "cap on every score"),
    {0}};

enum { MOTION2, MOTION3, MOTION };
static const ty_metric metrics[] = {{"VMAF_feature_motion2_score", "motion2", TY_WITH_FRAME_0},
                                    {"VMAF_feature_motion3_score", "motion3", TY_WITH_FRAME_1},
                                    {"VMAF_feature_motion_score", "motion", TY_WITH_FRAME_0},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    const float_motion_options *o = options_;
    (void)layout;
    return metric != MOTION || o->debug;
}

/* Without pictures to compare, nothing is waited for. */
static bool at_once(const void *options_) {
    const float_motion_options *o = options_;
    return o->force_zero;
}

/* motion2 of a frame looks at the frame before and at the one after. */
static uint32_t neighbours(const void *options_) {
    const float_motion_options *o = options_;
    return o->force_zero ? 0 : 1;
}

static uint32_t scored_planes(const float_motion_options *o) {
    return o->add_uv ? 3 : 1;
}

/* The mirror of the border rule must stay inside of the plane. */
static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    const float_motion_options *o = options_;
    const uint32_t least = o->filter_size == 3 ? 2 : 3;
    if (scored_planes(o) > layout->planes)
        return ty_fail(
            error, TALLY_USAGE,
            "feature float_motion cannot take motion_add_uv=true with pixel format %s: it has no chroma",
            ty_pixel_format_name(layout->format.pixel_format));
    for (uint32_t p = 0; p < scored_planes(o); p++)
        if (layout->width[p] < least || layout->height[p] < least)
            return ty_fail(
                error, TALLY_USAGE,
                "feature float_motion cannot score a size of %ux%u: its %s plane is %ux%u and needs at least "
                "%ux%u",
                layout->format.width, layout->format.height, p == 0 ? "luma" : "chroma", layout->width[p],
                layout->height[p], least, least);
    return TALLY_OK;
}

static uint32_t divided(uint32_t size, uint32_t by) {
    return (size + by - 1) / by;
}
static uint32_t half(uint32_t size) {
    return (size + 1) / 2;
}

static float_motion_plane blur_of(const float_motion_options *o, const ty_layout *layout, uint32_t p) {
    float_motion_plane plane = {.width = layout->width[p],
                                .height = layout->height[p],
                                .stride = layout->stored_width[p],
                                .pitch = divided(layout->width[p], 16) * 16,
                                .scale = 1.0f / (float)(1u << (layout->format.bit_depth - 8))};
    if (o->filter_size == 1) {
        plane.middle = 1.0f;
    } else if (o->filter_size == 3) {
        plane.inner = 0x1.54be4p-3f;
        plane.middle = 0x1.55a0ep-1f;
    } else {
        plane.outer = 0x1.be5f0ep-5f;
        plane.inner = 0x1.f41fd6p-3f;
        plane.middle = 0x1.9c4868p-2f;
    }
    return plane;
}

/* Where the samples of an axis at half size lie on the whole one: between first[i] and second[i], fraction[i]
 * behind first[i]. */
static void place(uint32_t whole, uint32_t *first, uint32_t *second, float *fraction) {
    const uint32_t count = half(whole);
    const float ratio = (float)whole / (float)count;
    for (uint32_t i = 0; i < count; i++) {
        const float at = (float)(((double)i + 0.5) * (double)ratio - 0.5);
        first[i] = (uint32_t)floorf(at);
        second[i] = (uint32_t)ceilf(at);
        fraction[i] = at - (float)first[i];
    }
}

/* Tables of the kernel float_motion_half, in the order it wants. */
static void add_places(ty_plan *plan, uint32_t width, uint32_t height, ty_buffer tables[2]) {
    const uint32_t w = half(width), h = half(height);
    uint32_t *places = malloc(((size_t)w + h) * 2 * sizeof *places);
    float *fractions = malloc(((size_t)w + h) * sizeof *fractions);
    if (places && fractions) {
        place(width, places, places + w, fractions);
        place(height, places + 2 * w, places + 2 * w + h, fractions + w);
        tables[0] = ty_plan_table(plan, places, ((size_t)w + h) * 2 * sizeof *places);
        tables[1] = ty_plan_table(plan, fractions, ((size_t)w + h) * sizeof *fractions);
    } else {
        plan->out_of_memory = true;
    }
    free(places);
    free(fractions);
}

static void plan_half(ty_plan *plan, const float_motion_plane *blur, ty_buffer now, ty_buffer before) {
    const float_motion_rows rows = {half(blur->width), half(blur->height), blur->pitch};
    ty_buffer tables[2] = {0};
    add_places(plan, blur->width, blur->height, tables);
    const ty_buffer buffers[] = {now, before, tables[0], tables[1],
                                 ty_plan_partials(plan, rows.height * sizeof(float))};
    ty_plan_launch(plan, "float_motion_half", FLOAT_MOTION_LANES, 1, divided(rows.height, FLOAT_MOTION_ROWS),
                   &rows, sizeof rows, 5, buffers);
}

static void plan_plane(const float_motion_options *o, ty_plan *plan, uint32_t p) {
    const float_motion_plane blur = blur_of(o, plan->layout, p);
    const ty_buffer now = ty_plan_kept(plan, (size_t)blur.pitch * blur.height * sizeof(float));
    const ty_buffer before = ty_plan_previous(plan, now, 1);
    const ty_buffer blurring[] = {ty_plan_plane(plan, TY_REFERENCE, p, 0), now};
    ty_plan_launch(plan, "float_motion_blur", FLOAT_MOTION_BLUR_LANES,
                   divided(blur.width, FLOAT_MOTION_BLUR_COLUMNS),
                   divided(blur.height, FLOAT_MOTION_BLUR_ROWS), &blur, sizeof blur, 2, blurring);
    const float_motion_rows rows = {blur.width, blur.height, blur.pitch};
    const ty_buffer comparing[] = {now, before, ty_plan_partials(plan, rows.height * sizeof(float))};
    ty_plan_launch(plan, "float_motion_full", FLOAT_MOTION_LANES, 1, divided(rows.height, FLOAT_MOTION_ROWS),
                   &rows, sizeof rows, 3, comparing);
    if (o->add_scale1)
        plan_half(plan, &blur, now, before);
}

static void plan(const void *options_, ty_plan *plan) {
    const float_motion_options *o = options_;
    for (uint32_t p = 0; p < scored_planes(o) && !o->force_zero; p++)
        plan_plane(o, plan, p);
}

typedef struct float_motion_state {
    float_motion_options options;
    uint32_t planes;
    uint32_t width[3], height[3];
    uint64_t frames; /* frames of the video up to the last one seen */
    double before;   /* difference of the last frame from the one before it, if it has one */
} float_motion_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    float_motion_state *s = state;
    s->options = *(const float_motion_options *)options_;
    s->planes = scored_planes(&s->options);
    for (uint32_t p = 0; p < s->planes; p++) {
        s->width[p] = layout->width[p];
        s->height[p] = layout->height[p];
    }
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static float mean(const float *rows, uint32_t width, uint32_t height) {
    float total = 0;
    for (uint32_t y = 0; y < height; y++)
        total = total + rows[y];
    return total / (float)((uint64_t)width * height);
}

/* e in the spec. */
static double difference(const float_motion_state *s, const void *const *partials) {
    double sum = 0;
    for (uint32_t p = 0; p < s->planes; p++) {
        float plane = mean(*partials++, s->width[p], s->height[p]);
        if (s->options.add_scale1)
            plane = plane + mean(*partials++, half(s->width[p]), half(s->height[p]));
        sum = sum + (double)plane;
    }
    return sum;
}

static double motion3_of(const float_motion_options *o, double e) {
    const double z = e * o->fps_weight;
    const double above = z * o->blend_factor;
    const double below = (1.0 - o->blend_factor) * smaller(o->blend_offset, z);
    return smaller(above + below, o->max_val);
}

static double capped(const float_motion_options *o, double e) {
    return smaller(e * o->fps_weight, o->max_val);
}

/* motion2 and motion3 of a frame after the first. */
static void emit_later(const float_motion_state *s, uint64_t frame, double least, ty_emitter *emitter) {
    ty_emit(emitter, MOTION2, frame, capped(&s->options, least));
    ty_emit(emitter, MOTION3, frame, motion3_of(&s->options, least));
}

/* In a run that starts later than frame 0 its first frame has no difference. Nothing of the range looks at
 * it. */
static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    float_motion_state *s = state;
    const uint64_t t = frame->number;
    const bool compared = frame->predecessors >= 1 && !s->options.force_zero;
    const double e = compared ? difference(s, frame->partials) : 0.0;
    if (t == 0)
        ty_emit(emitter, MOTION2, 0, 0.0);
    ty_emit(emitter, MOTION, t, capped(&s->options, e));
    if (t == 1)
        ty_emit(emitter, MOTION3, 0, motion3_of(&s->options, e));
    if (t > 1)
        emit_later(s, t - 1, smaller(s->before, e), emitter);
    s->before = e;
    s->frames = t + 1;
}

static void end(void *state, ty_emitter *emitter) {
    const float_motion_state *s = state;
    if (s->frames == 1)
        ty_emit(emitter, MOTION3, 0, 0.0);
    else
        emit_later(s, s->frames - 1, s->before, emitter);
}

const ty_feature ty_feature_float_motion = {
    .name = "float_motion",
    .summary = "how much the reference video moves: difference of neighbouring blurred frames, in float",
    .room = "float_motion",
    .options = options,
    .options_size = sizeof(float_motion_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = 2,
    .min_height = 2,
    .every_frame = true,
    .check = check,
    .has_metric = has_metric,
    .at_once = at_once,
    .lead_in = neighbours,
    .lead_out = neighbours,
    .plan = plan,
    .state_size = sizeof(float_motion_state),
    .start = start,
    .tail = tail,
    .end = end,
};
