/* speed_chroma: difference of the information in the chroma planes (spec: speed.md). */
#include "core/feature.h"

#include "features/speed_chroma/score.h"

static const ty_option options[] = {SPEED_COMMON_OPTIONS,
                                    SPEED_NUMBER(max_val, "mxv", 1000, 0, 1000, "cap on every score"),
                                    {"speed_weight_var_mode", "wvm", TY_OPTION_INT, TY_OPTION_NAMED,
                                     offsetof(speed_options, weight_var_mode), 0, NULL, 0, 6, NULL,
                                     "which variances weight the entropies of a block"},
                                    {0}};

enum { U, V, UV };
static const ty_metric metrics[] = {
    {"Speed_chroma_feature_speed_chroma_u_score", "speed_chroma_u", TY_WITH_FRAME_0},
    {"Speed_chroma_feature_speed_chroma_v_score", "speed_chroma_v", TY_WITH_FRAME_0},
    {"Speed_chroma_feature_speed_chroma_uv_score", "speed_chroma_uv", TY_WITH_FRAME_0},
    {0}};

static tally_status validate(const void *options_, ty_error *error) {
    return ty_speed_validate("speed_chroma", options_, error);
}

static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    return ty_speed_check("speed_chroma", options_, layout, 1, error);
}

/* Sides: U and V, of each the reference and then the distorted plane. */
static void plan(const void *options_, ty_plan *plan) {
    const ty_buffer planes[] = {
        ty_plan_plane(plan, TY_REFERENCE, 1, 0), ty_plan_plane(plan, TY_DISTORTED, 1, 0),
        ty_plan_plane(plan, TY_REFERENCE, 2, 0), ty_plan_plane(plan, TY_DISTORTED, 2, 0)};
    ty_speed_plan(plan, options_, 1, 4, false, planes);
}

typedef struct speed_chroma_state {
    speed_scorer scorer;
    double max_val;
} speed_chroma_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    speed_chroma_state *s = state;
    const speed_options *o = options_;
    ty_speed_scorer_init(&s->scorer, o, layout, 1, o->weight_var_mode);
    s->max_val = o->max_val;
}

/* A NaN is capped too. */
static double capped(const speed_chroma_state *s, float score) {
    return (double)score < s->max_val ? (double)score : s->max_val;
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const speed_chroma_state *s = state;
    const uint32_t size = s->scorer.shape.partials;
    float score[2];
    bool singular[2];
    for (uint32_t i = 0; i < 2; i++) {
        const float *reference = (const float *)frame->partials[0] + 2 * i * size,
                    *distorted = reference + size;
        score[i] = ty_speed_score(&s->scorer, reference, distorted);
        singular[i] = ty_speed_is_singular(reference) || ty_speed_is_singular(distorted);
    }
    const float both = singular[U] && !singular[V]   ? score[V]
                       : singular[V] && !singular[U] ? score[U]
                                                     : (score[U] + score[V]) / 2;
    ty_emit(emitter, U, frame->number, capped(s, score[U]));
    ty_emit(emitter, V, frame->number, capped(s, score[V]));
    ty_emit(emitter, UV, frame->number, capped(s, both));
}

const ty_feature ty_feature_speed_chroma = {
    .name = "speed_chroma",
    .summary = "difference of the information in the chroma planes (SpEED)",
    .room = "speed_chroma",
    .options = options,
    .options_size = sizeof(speed_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_CHROMA,
    .min_width = 20,
    .min_height = 20,
    .more_limits = "chroma planes of 80x80 or more after prescaling",
    .validate = validate,
    .check = check,
    .plan = plan,
    .state_size = sizeof(speed_chroma_state),
    .start = start,
    .tail = tail,
};
