#include "features/speed_chroma/score.h"

#include <math.h>

#include "exact/math.h"

void ty_speed_scorer_init(speed_scorer *scorer, const speed_options *o, const ty_layout *layout,
                          uint32_t plane, int mode) {
    ty_speed_log_table(&scorer->logs);
    scorer->shape = ty_speed_shape(o, layout, plane);
    scorer->sigma = (float)o->sigma_nn;
    scorer->floor = (float)o->nn_floor;
    const float noise = (1 + scorer->floor) * scorer->sigma;
    scorer->base = (float)(25.0 * (ty_log2((double)noise) + SPEED_LOG2_2PIE));
    scorer->mode = mode;
}

bool ty_speed_is_singular(const float *side) {
    return side[SPEED_SINGULAR] != 0;
}

typedef struct weights {
    double reference, distorted;
} weights;

/* The sum is a float here, and a double in mixed_weight(). */
static double own_weight(float variance) {
    return ty_log2((double)(1 + variance));
}

static double mixed_weight(double variance) {
    return ty_log2(1.0 + variance);
}

static weights weights_of(int mode, float r, float d) {
    switch (mode) {
    case 1:
        return (weights){own_weight(r), own_weight(r)};
    case 2:
        return (weights){own_weight(d), own_weight(d)};
    case 3: {
        const float sum = r + d;
        const double mixed = mixed_weight((double)sum / 2.0);
        return (weights){mixed, mixed};
    }
    case 4: {
        const float sum = r + d;
        return (weights){own_weight(r), mixed_weight((double)sum / 2.0)};
    }
    case 5:
        return (weights){own_weight(r), mixed_weight(0.75 * (double)r + 0.25 * (double)d)};
    case 6:
        return (weights){own_weight(r), mixed_weight(0.25 * (double)r + 0.75 * (double)d)};
    default:
        return (weights){own_weight(r), own_weight(d)};
    }
}

float ty_speed_score(const speed_scorer *s, const float *reference, const float *distorted) {
    if (ty_speed_is_singular(reference) != ty_speed_is_singular(distorted))
        return 0;
    float sum = 0;
    for (uint32_t b = 0; b < s->shape.blocks; b++) {
        const float vr = reference[SPEED_VARIANCES + b], vd = distorted[SPEED_VARIANCES + b];
        const float hr = ty_speed_entropy(&s->logs, reference, vr, s->sigma);
        const float hd = ty_speed_entropy(&s->logs, distorted, vd, s->sigma);
        if (hr < s->base && hd < s->base)
            continue;
        const weights w = weights_of(s->mode, vr, vd);
        const float p = (float)((double)hr * w.reference), q = (float)((double)hd * w.distorted);
        sum = sum + fabsf(p - q);
    }
    return sum / (float)s->shape.blocks;
}
