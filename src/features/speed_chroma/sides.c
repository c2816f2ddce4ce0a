#include "features/speed_chroma/sides.h"

#include <math.h>
#include <stdlib.h>

#include "features/speed_chroma/filters.h"
#include "features/speed_chroma/prescale.h"

#define LEAST (SPEED_DECIMATION * SPEED_BLOCK) /* one block */

typedef struct size {
    uint32_t width, height;
} size;

static size plane_size(const ty_layout *layout, uint32_t plane) {
    return (size){layout->width[plane], layout->height[plane]};
}

static uint32_t scaled(uint32_t samples, double prescale) {
    return (uint32_t)((double)samples * prescale + 0.5);
}

static bool is_one(double prescale) {
    return fabs(prescale - 1) < 0.001;
}

/* A factor near 1 does not resample: it can only cut off the last columns and rows. */
static size prescaled(const speed_options *o, size from) {
    const size to = {scaled(from.width, o->prescale), scaled(from.height, o->prescale)};
    return is_one(o->prescale) && o->prescale > 1 ? from : to;
}

static bool resamples(const speed_options *o, size from) {
    const size to = prescaled(o, from);
    return !is_one(o->prescale) && (to.width != from.width || to.height != from.height);
}

tally_status ty_speed_validate(const char *feature, const speed_options *o, ty_error *error) {
    if (!ty_speed_scale_is_valid(o->kernelscale))
        return ty_fail(
            error, TALLY_USAGE,
            "feature %s has no filters for speed_kernelscale=%g: scales are 1, 1/2, 3/2, 2, 2/3, 2.4, "
            "360/97, "
            "4/3, 3.5/3, 3.75/3, 4.25/3, 5/3, 3, 1/2.25, 1.4746, 1.54, 1.6, 1.06667, 0.711111, 0.74074 and "
            "1.111111",
            feature, o->kernelscale);
    return TALLY_OK;
}

tally_status ty_speed_check(const char *feature, const speed_options *o, const ty_layout *layout,
                            uint32_t plane, ty_error *error) {
    const size to = prescaled(o, plane_size(layout, plane));
    if (to.width < LEAST || to.height < LEAST)
        return ty_fail(
            error, TALLY_USAGE,
            "feature %s cannot score a size of %ux%u: its %s plane, prescaled by %g, is %ux%u and needs at "
            "least %ux%u",
            feature, layout->format.width, layout->format.height, plane == 0 ? "luma" : "chroma", o->prescale,
            to.width, to.height, LEAST, LEAST);
    return TALLY_OK;
}

static uint32_t divided(uint32_t count, uint32_t by) {
    return (count + by - 1) / by;
}

speed_shape ty_speed_shape(const speed_options *o, const ty_layout *layout, uint32_t plane) {
    const size to = prescaled(o, plane_size(layout, plane));
    const uint32_t width = to.width / SPEED_DECIMATION, height = to.height / SPEED_DECIMATION;
    const uint32_t blocks_x = width / SPEED_BLOCK, blocks_y = height / SPEED_BLOCK;
    return (speed_shape){.width = width,
                         .height = height,
                         .pitch = SPEED_PITCH(width),
                         .taps = ty_speed_mean_width(o->kernelscale),
                         .window_x = blocks_x * SPEED_BLOCK - (SPEED_BLOCK - 1),
                         .window_y = blocks_y * SPEED_BLOCK - (SPEED_BLOCK - 1),
                         .blocks_x = blocks_x,
                         .blocks = blocks_x * blocks_y,
                         .partials = SPEED_VARIANCES + divided(blocks_x * blocks_y, 8) * 8};
}

static ty_buffer taps_table(ty_plan *plan, uint32_t width, void (*fill)(uint32_t, float *)) {
    float taps[2 * SPEED_LOWPASS_REACH + 1];
    fill(width, taps);
    return ty_plan_table(plan, taps, width * sizeof(float));
}

/* Places and weights of one axis. */
typedef struct axis {
    size_t count;
    uint32_t *places;
    float *weights;
} axis;

/* Free it, also after a failure. */
static bool make_axis(axis *a, const char *method, uint32_t from, uint32_t to) {
    a->count = (size_t)ty_speed_resampling_taps(method) * to;
    a->places = malloc(a->count * sizeof *a->places);
    a->weights = malloc(a->count * sizeof *a->weights);
    if (!a->places || !a->weights)
        return false;
    ty_speed_resampling(method, from, to, a->places, a->weights);
    return true;
}

static void free_axis(axis *a) {
    free(a->places);
    free(a->weights);
}

/* Whether tap i of sample x lies at 2x + i, for all of them. */
static bool is_halving(const axis *a, uint32_t to) {
    for (size_t n = 0; n < a->count; n++)
        if (a->places[n] != 2 * (n % to) + n / to)
            return false;
    return true;
}

static void add_axis(ty_plan *plan, const axis *a, ty_buffer tables[2]) {
    tables[0] = ty_plan_table(plan, a->places, a->count * sizeof *a->places);
    tables[1] = ty_plan_table(plan, a->weights, a->count * sizeof *a->weights);
}

/* The launch of a low-pass; `buffers` begin with the four planes and the taps, and end with the result. */
static void launch_lowpass(ty_plan *plan, const char *kernel, const speed_lowpass_shape *lowpass,
                           uint32_t count, uint32_t buffer_count, const ty_buffer *buffers) {
    ty_plan_launch(plan, kernel, SPEED_LOWPASS_LANES, divided(lowpass->low_width, SPEED_LOWPASS_OUTPUTS),
                   lowpass->low_height * count, lowpass, sizeof *lowpass, buffer_count, buffers);
}

/* The same of a plane that is prescaled from the size `from`. */
static void launch_resampled(ty_plan *plan, const char *method, size from, speed_lowpass_shape lowpass,
                             uint32_t count, const ty_buffer buffers[6]) {
    axis x = {0}, y = {0};
    ty_buffer all[10] = {buffers[0], buffers[1], buffers[2], buffers[3], buffers[4]};
    if (make_axis(&x, method, from.width, lowpass.width) &&
        make_axis(&y, method, from.height, lowpass.height)) {
        lowpass.resampling_taps = ty_speed_resampling_taps(method);
        lowpass.normalised = ty_speed_resampling_is_normalised(method);
        lowpass.halves = is_halving(&x, lowpass.width);
        add_axis(plan, &x, all + 5);
        add_axis(plan, &y, all + 7);
        all[9] = buffers[5];
        launch_lowpass(plan, "speed_lowpass_resampled", &lowpass, count, 10, all);
    } else {
        plan->out_of_memory = true;
    }
    free_axis(&x);
    free_axis(&y);
}

/* Returns the decimated planes of all sides, one below the other. */
static ty_buffer plan_lowpass(ty_plan *plan, const speed_options *o, uint32_t plane, const speed_shape *shape,
                              uint32_t count, bool difference, const ty_buffer planes[4]) {
    const size from = plane_size(plan->layout, plane), to = prescaled(o, from);
    const uint32_t taps = ty_speed_lowpass_width(o->kernelscale);
    const speed_lowpass_shape lowpass = {.stride = plan->layout->stored_width[plane],
                                         .width = to.width,
                                         .height = to.height,
                                         .low_width = shape->width,
                                         .low_height = shape->height,
                                         .pitch = shape->pitch,
                                         .taps = taps,
                                         .difference = difference,
                                         .grey = 1 << (plan->layout->format.bit_depth - 1),
                                         .scale = 1.0f / (float)(1u << (plan->layout->format.bit_depth - 8))};
    const ty_buffer low = ty_plan_scratch(plan, (size_t)shape->pitch * shape->height * count * sizeof(float));
    const ty_buffer buffers[] = {
        planes[0], planes[1], planes[2], planes[3], taps_table(plan, taps, ty_speed_lowpass_taps), low};
    if (resamples(o, from))
        launch_resampled(plan, o->prescale_method, from, lowpass, count, buffers);
    else
        launch_lowpass(plan, "speed_lowpass", &lowpass, count, 6, buffers);
    return low;
}

static ty_buffer plan_centre(ty_plan *plan, const speed_shape *shape, uint32_t count, ty_buffer low) {
    const ty_buffer centred =
        ty_plan_scratch(plan, (size_t)shape->pitch * shape->height * count * sizeof(float));
    const ty_buffer buffers[] = {taps_table(plan, shape->taps, ty_speed_mean_taps), low, centred};
    ty_plan_launch(plan, "speed_centre", SPEED_CENTRE_LANES, divided(shape->pitch, SPEED_CENTRE_LANES),
                   shape->height * count, shape, sizeof *shape, 3, buffers);
    return centred;
}

static ty_buffer plan_covariance(ty_plan *plan, const speed_shape *shape, uint32_t count, ty_buffer centred) {
    const ty_buffer means = ty_plan_scratch(plan, (size_t)SPEED_MEANS * count * sizeof(float));
    const ty_buffer covariance =
        ty_plan_scratch(plan, (size_t)SPEED_ELEMENTS * SPEED_ELEMENTS * count * sizeof(float));
    const ty_buffer mean_buffers[] = {centred, means}, buffers[] = {centred, means, covariance};
    ty_plan_launch(plan, "speed_means", SPEED_CHAIN_LANES, SPEED_BLOCK, count, shape, sizeof *shape, 2,
                   mean_buffers);
    ty_plan_launch(plan, "speed_covariance", SPEED_CHAIN_LANES, SPEED_BLOCK_ROW_PAIRS, count, shape,
                   sizeof *shape, 3, buffers);
    return covariance;
}

static void plan_variances(ty_plan *plan, const speed_shape *shape, uint32_t count, ty_buffer centred,
                           ty_buffer covariance) {
    const ty_buffer factors =
        ty_plan_scratch(plan, (size_t)2 * SPEED_ELEMENTS * SPEED_ELEMENTS * count * sizeof(float));
    const ty_buffer partials = ty_plan_partials(plan, (size_t)shape->partials * count * sizeof(float));
    const ty_buffer eigen_buffers[] = {covariance, partials},
                    factor_buffers[] = {covariance, factors, partials},
                    solve_buffers[] = {centred, factors, partials};
    ty_plan_launch(plan, "speed_eigenvalues", SPEED_MATRIX_LANES, 1, count, shape, sizeof *shape, 2,
                   eigen_buffers);
    ty_plan_launch(plan, "speed_factor", SPEED_FACTOR_LANES, 1, count, shape, sizeof *shape, 3,
                   factor_buffers);
    ty_plan_launch(plan, "speed_solve", SPEED_SOLVE_LANES, divided(shape->blocks, SPEED_SOLVE_LANES), count,
                   shape, sizeof *shape, 3, solve_buffers);
}

void ty_speed_plan(ty_plan *plan, const speed_options *o, uint32_t plane, uint32_t count, bool difference,
                   const ty_buffer planes[4]) {
    const speed_shape shape = ty_speed_shape(o, plan->layout, plane);
    const ty_buffer low = plan_lowpass(plan, o, plane, &shape, count, difference, planes);
    const ty_buffer centred = plan_centre(plan, &shape, count, low);
    plan_variances(plan, &shape, count, centred, plan_covariance(plan, &shape, count, centred));
}
