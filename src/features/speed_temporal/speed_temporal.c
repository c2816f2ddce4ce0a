/* speed_temporal: difference of the information in the change from frame to frame (spec: speed.md). */
#include "core/feature.h"

#include "features/speed_chroma/score.h"

static const ty_option options[] = {
    SPEED_COMMON_OPTIONS,
    SPEED_NUMBER(max_val, "mxv", 1000, 0, 1000, "part of the name, without effect"),
    {"speed_use_ref_diff", "urd", TY_OPTION_BOOL, TY_OPTION_NAMED, offsetof(speed_options, use_ref_diff), 0,
     NULL, 0, 1, NULL, "take the distorted picture's change to the reference picture"},
    {0}};

static const ty_metric metrics[] = {
    {"Speed_temporal_feature_speed_temporal_score", "speed_temporal", TY_WITH_FRAME_0}, {0}};

static tally_status validate(const void *options_, ty_error *error) {
    return ty_speed_validate("speed_temporal", options_, error);
}

static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    return ty_speed_check("speed_temporal", options_, layout, 0, error);
}

static const char *remark(const void *options_, const ty_layout *layout) {
    const speed_options *o = options_;
    (void)layout;
    return o->max_val < 1000 ? "speed_max_val has no effect, but is part of the metric's name" : NULL;
}

static uint32_t lead_in(const void *options_) {
    (void)options_;
    return 1;
}

/* Sides: the previous luma less this one, of the reference and of the distorted video. */
static void plan(const void *options_, ty_plan *plan) {
    const speed_options *o = options_;
    const ty_buffer reference = ty_plan_plane(plan, TY_REFERENCE, 0, 0);
    const ty_buffer planes[] = {ty_plan_plane(plan, TY_REFERENCE, 0, 1), reference,
                                ty_plan_plane(plan, TY_DISTORTED, 0, 1),
                                o->use_ref_diff ? reference : ty_plan_plane(plan, TY_DISTORTED, 0, 0)};
    ty_speed_plan(plan, o, 0, 2, true, planes);
}

static void start(void *state, const void *options_, const ty_layout *layout) {
    ty_speed_scorer_init(state, options_, layout, 0, 0);
}

/* The first frame has nothing to change from. If it is not the video's first, it leads in, and its score is
 * not asked for. */
static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const speed_scorer *s = state;
    const float *sides = frame->partials[0];
    ty_emit(emitter, 0, frame->number,
            frame->predecessors > 0 ? (double)ty_speed_score(s, sides, sides + s->shape.partials) : 0.0);
}

const ty_feature ty_feature_speed_temporal = {
    .name = "speed_temporal",
    .summary = "difference of the information in the change of luma from frame to frame (SpEED)",
    .room = "speed_chroma",
    .options = options,
    .options_size = sizeof(speed_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = 20,
    .min_height = 20,
    .more_limits = "80x80 or more after prescaling",
    .every_frame = true,
    .validate = validate,
    .check = check,
    .remark = remark,
    .lead_in = lead_in,
    .plan = plan,
    .state_size = sizeof(speed_scorer),
    .start = start,
    .tail = tail,
};
