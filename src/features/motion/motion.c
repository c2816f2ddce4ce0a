/* motion: mean absolute difference of neighbouring blurred reference frames (spec: motion.md, integer
 * form). */
#include "core/feature.h"

#include "features/motion/stages.h"

typedef struct motion_options {
    double blend_factor, blend_offset, fps_weight, max_val;
    bool five_frame_window, force_zero, moving_average, debug;
} motion_options;

#define BOOL(name, alias, help)                                                                              \
    {                                                                                                        \
        "motion_" #name, alias, TY_OPTION_BOOL, TY_OPTION_NAMED, offsetof(motion_options, name), 0, NULL, 0, \
            1, NULL, help                                                                                    \
    }
#define NUMBER(name, alias, standard, max, help)                                                             \
    {                                                                                                        \
        "motion_" #name, alias, TY_OPTION_DOUBLE, TY_OPTION_NAMED, offsetof(motion_options, name), standard, \
            NULL, 0, max, NULL, help                                                                         \
    }
static const ty_option options[] = {
    BOOL(force_zero, "force_0", "every score is 0"),
    NUMBER(blend_factor, "mbf", 1, 1, "slope of motion3 above the knee"),
    NUMBER(blend_offset, "mbo", 40, 1000, "where the knee of motion3 is"),
    NUMBER(fps_weight, "mfw", 1, 5, "factor on every score"),
    NUMBER(max_val, "mmxv", 10000, 10000, "cap on every score"),
    BOOL(five_frame_window, "mffw", "compare with the frame before the last one"),
    BOOL(moving_average, "mma", "average motion3 with the value of the frame before"),
    {"debug", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(motion_options, debug), 0, NULL, 0, 1, NULL,
     "add the score named motion"},
    {0}};

enum { SAD, MOTION, MOTION2, MOTION3 };
static const ty_metric metrics[] = {{"VMAF_integer_feature_motion_sad_score", NULL, TY_WITH_FRAME_0},
                                    {"VMAF_integer_feature_motion_score", "integer_motion", TY_WITH_FRAME_0},
                                    {"VMAF_integer_feature_motion2_score", "integer_motion2", TY_AT_END},
                                    {"VMAF_integer_feature_motion3_score", "integer_motion3", TY_AT_END},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    const motion_options *o = options_;
    (void)layout;
    return metric != MOTION || o->debug;
}

/* d in the spec: how many frames lie between the two that are compared. */
static uint32_t lag(const motion_options *o) {
    return o->five_frame_window ? 2 : 1;
}

/* motion2 of frame t looks at sad of t - (d - 1), which looks at frame t - (d - 1) - d; the average at one
 * frame more. */
static uint32_t lead_in(const void *options_) {
    const motion_options *o = options_;
    return o->force_zero ? 0 : 2 * lag(o) - 1 + o->moving_average;
}

/* motion2 looks at sad of t + 1; motion3 of the first d frames at sad of frame d. */
static uint32_t lead_out(const void *options_) {
    const motion_options *o = options_;
    return o->force_zero ? 0 : lag(o);
}

static uint32_t tiles_x(const ty_layout *layout) {
    return (layout->width[0] + MOTION_TILE_COLUMNS - 1) / MOTION_TILE_COLUMNS;
}

static uint32_t tiles_y(const ty_layout *layout) {
    return (layout->height[0] + MOTION_ROWS - 1) / MOTION_ROWS;
}

static void plan(const void *options_, ty_plan *plan) {
    const motion_options *o = options_;
    const ty_layout *layout = plan->layout;
    const uint32_t x = tiles_x(layout), y = tiles_y(layout);
    if (o->force_zero)
        return;
    const motion_plane plane = {layout->width[0], layout->height[0], layout->stored_width[0],
                                layout->format.bit_depth, x};
    const ty_buffer buffers[] = {ty_plan_plane(plan, TY_REFERENCE, 0, lag(o)),
                                 ty_plan_plane(plan, TY_REFERENCE, 0, 0),
                                 ty_plan_partials(plan, (size_t)x * y * sizeof(u32))};
    ty_plan_launch(plan, "motion_tiles", MOTION_LANES, x, y, &plane, sizeof plane, 3, buffers);
}

typedef struct motion_state {
    motion_options options;
    uint32_t tiles;
    double samples;
    uint64_t frames; /* frames of the video up to the last one seen */
    double sad[3];   /* of frame t at [t % 3], for the last three frames */
    double before;   /* z of the last frame that has one: motion3 before averaging */
} motion_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    motion_state *s = state;
    s->options = *(const motion_options *)options_;
    s->tiles = tiles_x(layout) * tiles_y(layout);
    s->samples = (double)((uint64_t)layout->width[0] * layout->height[0]);
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double blend(const motion_options *o, double z) {
    const double above = z * o->blend_factor;
    const double below = (1.0 - o->blend_factor) * smaller(o->blend_offset, z);
    return smaller(above + below, o->max_val);
}

/* Spec 4.3. The total stays below 2^16 * 2^29, so its conversion and the division by 256 are exact. */
static double sad_of(const motion_state *s, const uint32_t *sums) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < s->tiles; i++)
        total += sums[i];
    return smaller(((double)total / 256.0) / s->samples * s->options.fps_weight, s->options.max_val);
}

/* motion2 and motion3 of frame t >= d. */
static void emit_later(motion_state *s, uint64_t t, double motion2, ty_emitter *emitter) {
    const double z = blend(&s->options, motion2);
    ty_emit(emitter, MOTION2, t, motion2);
    ty_emit(emitter, MOTION3, t, s->options.moving_average ? (z + s->before) / 2.0 : z);
    s->before = z;
}

/* motion2 and motion3 of the first d frames, of which `frames` exist. */
static void emit_first(motion_state *s, uint64_t frames, double stamp, ty_emitter *emitter) {
    for (uint64_t t = 0; t < frames; t++) {
        ty_emit(emitter, MOTION2, t, 0.0);
        ty_emit(emitter, MOTION3, t, stamp);
    }
    s->before = stamp;
}

/* In a run that starts later than frame 0 the first frames have no sad. Nothing of the range looks at it: see
 * lead_in(). */
static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    motion_state *s = state;
    const uint64_t t = frame->number, d = lag(&s->options);
    const bool compared = frame->predecessors >= d && !s->options.force_zero;
    const double sad = compared ? sad_of(s, frame->partials[0]) : 0.0;
    ty_emit(emitter, SAD, t, sad);
    ty_emit(emitter, MOTION, t, sad);
    if (t == d)
        emit_first(s, d, blend(&s->options, sad), emitter);
    if (t > d) {
        const uint64_t low = t - d;
        emit_later(s, t - 1, low < d ? sad : smaller(s->sad[low % 3], sad), emitter);
    }
    s->sad[t % 3] = sad;
    s->frames = t + 1;
}

static void end(void *state, ty_emitter *emitter) {
    motion_state *s = state;
    const uint64_t d = lag(&s->options);
    if (s->frames <= d)
        emit_first(s, s->frames, 0.0, emitter);
    else
        emit_later(s, s->frames - 1, s->sad[(s->frames - 1) % 3], emitter);
}

const ty_feature ty_feature_motion = {
    .name = "motion",
    .summary = "how much the reference video moves: difference of neighbouring blurred frames",
    .room = "motion",
    .options = options,
    .options_size = sizeof(motion_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_ALL,
    .formats = TY_FORMATS_ALL,
    .min_width = 3,
    .min_height = 3,
    .every_frame = true,
    .has_metric = has_metric,
    .lead_in = lead_in,
    .lead_out = lead_out,
    .plan = plan,
    .state_size = sizeof(motion_state),
    .start = start,
    .tail = tail,
    .end = end,
};
