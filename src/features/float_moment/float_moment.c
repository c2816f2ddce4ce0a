/* float_moment: mean and mean square of the luma samples of both pictures (spec: moment.md). */
#include "core/feature.h"

#include "features/float_moment/stages.h"

enum { REF_1ST, DIS_1ST, REF_2ND, DIS_2ND };
static const ty_metric metrics[] = {{.name = "float_moment_ref1st"},
                                    {.name = "float_moment_dis1st"},
                                    {.name = "float_moment_ref2nd"},
                                    {.name = "float_moment_dis2nd"},
                                    {0}};

static uint64_t sample_count(const ty_layout *layout) {
    return (uint64_t)layout->width[0] * layout->height[0];
}

/* Squares are below 2^32, so that their sum stays exact in a double up to 2^21 samples, and at 12 bits for any picture. */
static bool may_round(const ty_layout *layout) {
    return layout->format.bit_depth > 12 && sample_count(layout) > UINT64_C(1) << 21;
}

static void plan_totals(ty_plan *plan, const float_moment_plane *plane, ty_buffer reference, ty_buffer distorted,
                        ty_buffer rows) {
    const ty_buffer steps = ty_plan_scratch(plan, 2 * (size_t)plane->height * sizeof(float_moment_steps));
    const ty_buffer totals = ty_plan_partials(plan, 2 * sizeof(u64));
    ty_plan_launch(plan, "float_moment_guess", 32, 1, 1, plane, sizeof *plane, 2, (const ty_buffer[]){rows, steps});
    ty_plan_launch(plan, "float_moment_compose", FLOAT_MOMENT_LANES, 2, plane->height, plane, sizeof *plane, 3,
                   (const ty_buffer[]){reference, distorted, steps});
    ty_plan_launch(plan, "float_moment_total", 32, 1, 1, plane, sizeof *plane, 5,
                   (const ty_buffer[]){reference, distorted, rows, steps, totals});
}

static void plan(const void *options, ty_plan *plan) {
    (void)options;
    const ty_layout *layout = plan->layout;
    const float_moment_plane plane = {layout->width[0], layout->height[0], layout->stored_width[0]};
    const ty_buffer reference = ty_plan_plane(plan, TY_REFERENCE, 0, 0);
    const ty_buffer distorted = ty_plan_plane(plan, TY_DISTORTED, 0, 0);
    const ty_buffer rows = ty_plan_partials(plan, plane.height * sizeof(float_moment_row));
    ty_plan_launch(plan, "float_moment_rows", FLOAT_MOMENT_LANES, 1, plane.height, &plane, sizeof plane, 3,
                   (const ty_buffer[]){reference, distorted, rows});
    if (may_round(layout))
        plan_totals(plan, &plane, reference, distorted, rows);
}

typedef struct float_moment_state {
    uint32_t rows;
    bool ordered;   /* the second moments come from the ordered sum */
    double samples;
    double step;    /* of a sample on the 8-bit scale: a power of two */
} float_moment_state;

static void start(void *state, const void *options, const ty_layout *layout) {
    (void)options;
    *(float_moment_state *)state = (float_moment_state){.rows = layout->height[0],
                                                        .ordered = may_round(layout),
                                                        .samples = (double)sample_count(layout),
                                                        .step = 1.0 / (double)(1u << (layout->format.bit_depth - 8))};
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const float_moment_state *s = state;
    const float_moment_row *rows = frame->partials[0];
    for (uint32_t picture = 0; picture < 2; picture++) {
        uint64_t first = 0, second = 0;
        for (uint32_t y = 0; y < s->rows; y++) {
            first += rows[y].first[picture];
            second += rows[y].second[picture];
        }
        if (s->ordered)
            second = ((const uint64_t *)frame->partials[1])[picture];
        /* Both sums have at most 53 significant bits: the conversions and the scaling are exact. */
        ty_emit(emitter, REF_1ST + picture, frame->number, (double)first * s->step / s->samples);
        ty_emit(emitter, REF_2ND + picture, frame->number, (double)second * (s->step * s->step) / s->samples);
    }
}

const ty_feature ty_feature_float_moment = {
    .name = "float_moment",
    .summary = "mean and mean square of the luma samples of both pictures, on the 8-bit scale",
    .room = "float_moment",
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = 1,
    .min_height = 1,
    .plan = plan,
    .state_size = sizeof(float_moment_state),
    .start = start,
    .tail = tail,
};
