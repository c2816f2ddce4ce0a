/* float_vif: the Gaussian filters of the scales (spec: float_vif.md, 4.3). Host code. */
#ifndef TY_FLOAT_VIF_FILTER_H
#define TY_FLOAT_VIF_FILTER_H

#include <math.h>

#include "exact/math.h"
#include "kernel/types.h"

#include "features/float_vif/stages.h"

#define FLOAT_VIF_WEIGHTS (FLOAT_VIF_REACH + FLOAT_VIF_STEP)

/* Kernel scales that are taken, and values less than 1e-3 away from them. */
static inline bool float_vif_kernelscale_is_known(float scale) {
    static const float known[] = {1.0f,     1.0f / 2, 3.0f / 2,  2.0f,      2.0f / 3,  2.4f,     360.0f / 97,
                                  4.0f / 3, 3.5f / 3, 3.75f / 3, 4.25f / 3, 5.0f / 3,  3.0f,     1.0f / 2.25f,
                                  1.4746f,  1.54f,    1.6f,      1.06667f,  0.711111f, 0.74074f, 1.111111f};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if ((double)fabsf(scale - known[i]) < 1e-3)
            return true;
    return false;
}

/* Taps at a scale: odd, at least 3, at most 65. */
static inline uint32_t float_vif_taps(float kernelscale, uint32_t scale) {
    const uint32_t taps = (uint32_t)ceilf((float)((1u << (4 - scale)) + 1) * kernelscale);
    const uint32_t odd = taps | 1;
    return odd > 3 ? odd : 3;
}

static inline float_vif_filter float_vif_filter_of(float kernelscale, uint32_t scale) {
    const uint32_t taps = float_vif_taps(kernelscale, scale);
    return (float_vif_filter){(taps - 1) / 2, (taps + 2) / 4};
}

/* Fills `weights` with the taps, then zeros. */
static inline void float_vif_make_weights(float kernelscale, uint32_t scale,
                                          float weights[FLOAT_VIF_WEIGHTS]) {
    const uint32_t taps = float_vif_taps(kernelscale, scale);
    const float sigma = (float)taps / 5.0f;
    const float norm = (float)(1.0 / ((double)sigma * 0x1.40d931ff62705p+1)); /* by sqrt(2 pi) */
    float sum = 0;
    for (uint32_t i = 0; i < FLOAT_VIF_WEIGHTS; i++)
        weights[i] = 0;
    for (uint32_t i = 0; i < taps; i++) {
        const double t = (double)i - (taps - 1) / 2;
        const double exponent = ((-0.5 * t) / (double)sigma) * t / (double)sigma;
        weights[i] = (float)ty_exp(exponent) / norm;
        sum = sum + weights[i];
    }
    for (uint32_t i = 0; i < taps; i++)
        weights[i] = weights[i] / sum;
}

#endif
