/* float_vif: visual information fidelity of luma at four scales, in floats (spec: float_vif.md). */
#include "core/feature.h"

#include <stdlib.h>

#include "features/float_vif/filter.h"
#include "features/float_vif/resampling.h"

typedef struct float_vif_options {
    bool debug;
    bool skip_scale0;
    double gain_limit;
    double kernelscale;
    double prescale;
    double minimum[3]; /* of scales 1 to 3 */
    double noise;
    char method[TY_OPTION_STRING_SIZE];
} float_vif_options;

static const ty_option options[] = {
    {.name = "debug",
     .type = TY_OPTION_BOOL,
     .effect = TY_OPTION_ADDS,
     .offset = offsetof(float_vif_options, debug),
     .help = "also the score of all scales together, and every numerator and denominator"},
    {.name = "vif_enhn_gain_limit",
     .alias = "egl",
     .type = TY_OPTION_DOUBLE,
     .offset = offsetof(float_vif_options, gain_limit),
     .default_number = 100,
     .min = 1,
     .max = 100,
     .help = "most gain that is credited; 1 credits no enhancement"},
    {.name = "vif_kernelscale",
     .alias = "ks",
     .type = TY_OPTION_DOUBLE,
     .offset = offsetof(float_vif_options, kernelscale),
     .default_number = 1,
     .min = 0.1,
     .max = 4,
     .help = "widens the filters; one of 21 values between 0.444444 and 3.71134"},
    {.name = "vif_prescale",
     .alias = "ps",
     .type = TY_OPTION_DOUBLE,
     .offset = offsetof(float_vif_options, prescale),
     .default_number = 1,
     .min = 0.1,
     .max = 4,
     .help = "scales both pictures first"},
    {.name = "vif_prescale_method",
     .alias = "pm",
     .type = TY_OPTION_STRING,
     .offset = offsetof(float_vif_options, method),
     .default_string = "nearest",
     .choices = float_vif_method_names,
     .help = "how pictures are scaled first"},
    {.name = "vif_scale1_min_val",
     .alias = "s1miv",
     .type = TY_OPTION_DOUBLE,
     .offset = offsetof(float_vif_options, minimum[0]),
     .max = 1,
     .help = "least score of scale 1"},
    {.name = "vif_scale2_min_val",
     .alias = "s2miv",
     .type = TY_OPTION_DOUBLE,
     .offset = offsetof(float_vif_options, minimum[1]),
     .max = 1,
     .help = "least score of scale 2"},
    {.name = "vif_scale3_min_val",
     .alias = "s3miv",
     .type = TY_OPTION_DOUBLE,
     .offset = offsetof(float_vif_options, minimum[2]),
     .max = 1,
     .help = "least score of scale 3"},
    {.name = "vif_sigma_nsq",
     .alias = "snsq",
     .type = TY_OPTION_DOUBLE,
     .offset = offsetof(float_vif_options, noise),
     .default_number = 2,
     .max = 5,
     .help = "variance of the neural noise"},
    {.name = "vif_skip_scale0",
     .alias = "ssclz",
     .type = TY_OPTION_BOOL,
     .offset = offsetof(float_vif_options, skip_scale0),
     .help = "leaves scale 0 out; its score is 0"},
    {0}};

enum { SCALE0, VIF = 4, VIF_NUM, VIF_DEN, NUM_SCALE0, DEN_SCALE0 };
static const ty_metric metrics[] = {{.name = "VMAF_feature_vif_scale0_score", .short_name = "vif_scale0"},
                                    {.name = "VMAF_feature_vif_scale1_score", .short_name = "vif_scale1"},
                                    {.name = "VMAF_feature_vif_scale2_score", .short_name = "vif_scale2"},
                                    {.name = "VMAF_feature_vif_scale3_score", .short_name = "vif_scale3"},
                                    {.name = "vif"},
                                    {.name = "vif_num"},
                                    {.name = "vif_den"},
                                    {.name = "vif_num_scale0"},
                                    {.name = "vif_den_scale0"},
                                    {.name = "vif_num_scale1"},
                                    {.name = "vif_den_scale1"},
                                    {.name = "vif_num_scale2"},
                                    {.name = "vif_den_scale2"},
                                    {.name = "vif_num_scale3"},
                                    {.name = "vif_den_scale3"},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t i) {
    (void)layout;
    const float_vif_options *o = options_;
    return i < VIF || o->debug;
}

/* ---- Limits ------------------------------------------------------------------------------------------ */

static uint32_t first_scale(const float_vif_options *o) {
    return o->skip_scale0 ? 1 : 0;
}

/* Mirroring once needs more samples than the radius at every scale that is computed. */
static tally_status check_scales(const float_vif_options *o, uint32_t width, uint32_t height,
                                 ty_error *error) {
    uint32_t least = 0;
    for (uint32_t s = first_scale(o); s < FLOAT_VIF_SCALES; s++) {
        const uint32_t needed = (float_vif_filter_of((float)o->kernelscale, s).radius + 1) << s;
        least = needed > least ? needed : least;
    }
    if (width >= least && height >= least)
        return TALLY_OK;
    return ty_fail(
        error, TALLY_USAGE,
        "feature float_vif cannot score a size of %ux%u%s; with these options it needs at least %ux%u", width,
        height, o->prescale != 1 ? " (after vif_prescale)" : "", least, least);
}

static tally_status validate(const void *options_, ty_error *error) {
    const float_vif_options *o = options_;
    if (!float_vif_kernelscale_is_known((float)o->kernelscale))
        return ty_fail(error, TALLY_USAGE,
                       "feature float_vif: option vif_kernelscale=%g: must be 1/2.25, 1/2, 2/3, 0.711111, "
                       "0.74074, 1, 1.06667, 1.111111, 3.5/3, 1.25, 4/3, 4.25/3, 1.4746, 1.5, 1.54, 1.6, "
                       "5/3, 2, 2.4, 3 or 360/97, or less than 0.001 away from one",
                       o->kernelscale);
    return TALLY_OK;
}

static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    const float_vif_options *o = options_;
    const uint32_t width = layout->width[0], height = layout->height[0];
    const uint32_t scaled_width = float_vif_scaled(width, o->prescale);
    const uint32_t scaled_height = float_vif_scaled(height, o->prescale);
    const uint32_t source = float_vif_method_source[float_vif_method_of(o->method)];
    if ((scaled_width != width || scaled_height != height) && (width < source || height < source))
        return ty_fail(
            error, TALLY_USAGE,
            "feature float_vif cannot scale a size of %ux%u with vif_prescale_method=%s; it needs at least "
            "%ux%u",
            width, height, o->method, source, source);
    return check_scales(o, scaled_width, scaled_height, error);
}

/* ---- Plan -------------------------------------------------------------------------------------------- */

/* What the scale at hand is made of. */
typedef struct pyramid {
    ty_plan *plan;
    const float_vif_options *options;
    ty_buffer samples[2], planes[2];
    float_vif_source source;
} pyramid;

static uint32_t groups(uint32_t size, uint32_t each) {
    return (size + each - 1) / each;
}

static ty_buffer plane(ty_plan *plan, uint32_t width, uint32_t height) {
    return ty_plan_scratch(plan, (size_t)width * height * sizeof(float));
}

/* Positions and weights of all columns [tap][column], or of all rows [row][tap]. */
static void add_taps(ty_plan *plan, float_vif_method method, uint32_t source, uint32_t size, bool of_columns,
                     ty_buffer tables[2]) {
    const uint32_t taps = float_vif_method_taps[method];
    const size_t count = (size_t)taps * size;
    uint32_t *at = malloc(count * sizeof *at);
    float *weights = malloc(count * sizeof *weights);
    for (uint32_t i = 0; at && weights && i < size; i++) {
        float_vif_tap made[FLOAT_VIF_MAX_TAPS];
        float_vif_make_taps(method, source, size, i, made);
        for (uint32_t t = 0; t < taps; t++) {
            const size_t k = of_columns ? (size_t)t * size + i : (size_t)i * taps + t;
            at[k] = made[t].at;
            weights[k] = made[t].weight;
        }
    }
    if (at && weights) {
        tables[0] = ty_plan_table(plan, at, count * sizeof *at);
        tables[1] = ty_plan_table(plan, weights, count * sizeof *weights);
    } else {
        plan->out_of_memory = true;
    }
    free(at);
    free(weights);
}

static void resample(pyramid *p, uint32_t width, uint32_t height) {
    const float_vif_method method = float_vif_method_of(p->options->method);
    const float_vif_resampling value = {p->source, width, height, float_vif_method_taps[method],
                                        method == FLOAT_VIF_LANCZOS4};
    ty_buffer columns[2] = {0}, rows[2] = {0};
    add_taps(p->plan, method, p->source.width, width, true, columns);
    add_taps(p->plan, method, p->source.height, height, false, rows);
    for (uint32_t i = 0; i < 2; i++)
        p->planes[i] = plane(p->plan, width, height);
    const ty_buffer buffers[] = {p->samples[0], p->samples[1], columns[0],   columns[1],
                                 rows[0],       rows[1],       p->planes[0], p->planes[1]};
    ty_plan_launch(p->plan, "float_vif_resample", FLOAT_VIF_LANES, groups(width, FLOAT_VIF_LANES), height,
                   &value, sizeof value, 8, buffers);
    p->source = (float_vif_source){.width = width, .height = height, .stride = width};
}

static void halve(pyramid *p, float_vif_filter filter, ty_buffer weights) {
    const uint32_t width = p->source.width / 2, height = p->source.height / 2;
    const float_vif_halving value = {p->source, filter, width, height};
    for (uint32_t i = 0; i < 2; i++) {
        const ty_buffer half = plane(p->plan, width, height);
        const ty_buffer from = p->source.from_samples ? weights : p->planes[i];
        const ty_buffer buffers[] = {p->samples[i], from, weights, half};
        ty_plan_launch(p->plan, "float_vif_halve", FLOAT_VIF_LANES, groups(width, FLOAT_VIF_LANES),
                       groups(height, FLOAT_VIF_ROWS), &value, sizeof value, 4, buffers);
        p->planes[i] = half;
    }
    p->source = (float_vif_source){.width = width, .height = height, .stride = width};
}

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The smallest float >= the variance. The signal's variances that are compared with it are 0 or at least
 * 1e-10, so a subnormal limit may be raised to a normal one. */
static float noise_threshold(double noise) {
    if (noise > 0 && noise < 0x1p-126)
        return 0x1p-126f;
    float limit = (float)noise;
    uint32_t bits;
    memcpy(&bits, &limit, sizeof bits);
    bits += (double)limit < noise;
    memcpy(&limit, &bits, sizeof bits);
    return limit;
}

static void measure(const pyramid *p, float_vif_filter filter, ty_buffer weights) {
    const float_vif_options *o = p->options;
    const float noise = (float)o->noise;
    const float_vif_statistics value = {
        .source = p->source,
        .filter = filter,
        .gain_limit = (float)o->gain_limit,
        .threshold = noise_threshold(o->noise),
        .flat_loss = (float)((double)(noise * noise) / 65025.0),
        .noiseless = o->noise == 0 ? UINT32_MAX : 0,
        .no_divisor = o->noise == 0 ? 1 : 0,
        /* Any smaller variance also makes every ratio infinite. */
        .noise = double_bits(o->noise > 0 && o->noise < 0x1p-200 ? 0x1p-200 : o->noise),
    };
    const uint32_t bands = groups(p->source.height, FLOAT_VIF_ROWS);
    const ty_buffer sums = ty_plan_partials(p->plan, (size_t)bands * FLOAT_VIF_SUMS * sizeof(float));
    const ty_buffer from[2] = {p->source.from_samples ? weights : p->planes[0],
                               p->source.from_samples ? weights : p->planes[1]};
    const ty_buffer buffers[] = {p->samples[0], p->samples[1], from[0], from[1], weights, sums};
    ty_plan_launch(p->plan, "float_vif_rows", FLOAT_VIF_LANES, 1, bands, &value, sizeof value, 6, buffers);
}

static void plan(const void *options_, ty_plan *plan) {
    const float_vif_options *o = options_;
    const ty_layout *layout = plan->layout;
    const uint32_t width = float_vif_scaled(layout->width[0], o->prescale);
    const uint32_t height = float_vif_scaled(layout->height[0], o->prescale);
    pyramid p = {
        .plan = plan,
        .options = o,
        .samples = {ty_plan_plane(plan, TY_REFERENCE, 0, 0), ty_plan_plane(plan, TY_DISTORTED, 0, 0)},
        .source = {layout->width[0], layout->height[0], layout->stored_width[0], 1,
                   1.0f / (float)(1u << (layout->format.bit_depth - 8))}};
    if (width != p.source.width || height != p.source.height)
        resample(&p, width, height);
    for (uint32_t s = first_scale(o); s < FLOAT_VIF_SCALES; s++) {
        const float_vif_filter filter = float_vif_filter_of((float)o->kernelscale, s);
        float taps[FLOAT_VIF_WEIGHTS];
        float_vif_make_weights((float)o->kernelscale, s, taps);
        const ty_buffer weights = ty_plan_table(plan, taps, sizeof taps);
        if (s > 0)
            halve(&p, filter, weights);
        measure(&p, filter, weights);
    }
}

/* ---- Tail -------------------------------------------------------------------------------------------- */

typedef struct float_vif_state {
    uint32_t first, rows[FLOAT_VIF_SCALES];
    double minimum[FLOAT_VIF_SCALES];
} float_vif_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    float_vif_state *s = state;
    const float_vif_options *o = options_;
    const uint32_t height = float_vif_scaled(layout->height[0], o->prescale);
    s->first = first_scale(o);
    for (uint32_t i = 0; i < FLOAT_VIF_SCALES; i++) {
        s->rows[i] = height >> i;
        s->minimum[i] = i > 0 ? o->minimum[i - 1] : 0;
    }
}

/* Adds the sums of the rows from top to bottom. */
static void add_rows(const float *sums, uint32_t rows, float *num, float *den) {
    *num = *den = 0;
    for (uint32_t y = 0; y < rows; y++) {
        const float *band = sums + y / FLOAT_VIF_ROWS * FLOAT_VIF_SUMS;
        *num = *num + band[y % FLOAT_VIF_ROWS];
        *den = *den + band[FLOAT_VIF_ROWS + y % FLOAT_VIF_ROWS];
    }
}

static void emit_scale(ty_emitter *emitter, uint64_t frame, uint32_t scale, double score, double num,
                       double den) {
    ty_emit(emitter, SCALE0 + scale, frame, score);
    ty_emit(emitter, NUM_SCALE0 + 2 * scale, frame, num);
    ty_emit(emitter, DEN_SCALE0 + 2 * scale, frame, den);
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    const float_vif_state *s = state;
    double all_num = 0, all_den = 0;
    if (s->first > 0)
        emit_scale(emitter, frame->number, 0, 0, 0, -1);
    for (uint32_t i = s->first; i < FLOAT_VIF_SCALES; i++) {
        float num, den;
        add_rows(frame->partials[i - s->first], s->rows[i], &num, &den);
        const double ratio = (double)num / (double)den;
        emit_scale(emitter, frame->number, i, i == 0 || ratio > s->minimum[i] ? ratio : s->minimum[i],
                   (double)num, (double)den);
        all_num = all_num + (double)num;
        all_den = all_den + (double)den;
    }
    ty_emit(emitter, VIF, frame->number, all_den == 0 ? 1 : all_num / all_den);
    ty_emit(emitter, VIF_NUM, frame->number, all_num);
    ty_emit(emitter, VIF_DEN, frame->number, all_den);
}

const ty_feature ty_feature_float_vif = {
    .name = "float_vif",
    .summary = "visual information fidelity of luma at four scales, in floats",
    .room = "float_vif",
    .options = options,
    .options_size = sizeof(float_vif_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_ALL,
    .min_width = 4,
    .min_height = 4,
    .has_metric = has_metric,
    .validate = validate,
    .check = check,
    .plan = plan,
    .state_size = sizeof(float_vif_state),
    .start = start,
    .tail = tail,
};
