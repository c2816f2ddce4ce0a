/* float_vif: source positions and weights for scaling the pictures first (spec: float_vif.md, 4.2). Host
 * code. */
#ifndef TY_FLOAT_VIF_RESAMPLING_H
#define TY_FLOAT_VIF_RESAMPLING_H

#include <math.h>
#include <string.h>

#include "exact/sin.h"
#include "kernel/types.h"

#include "features/float_vif/stages.h"

typedef enum float_vif_method {
    FLOAT_VIF_NEAREST,
    FLOAT_VIF_BILINEAR,
    FLOAT_VIF_BICUBIC,
    FLOAT_VIF_LANCZOS4,
    FLOAT_VIF_METHODS
} float_vif_method;

static const char *const float_vif_method_names[] = {"nearest", "bilinear", "bicubic", "lanczos4", NULL};

/* Taps in each direction, and the source samples that mirroring once needs. */
static const uint32_t float_vif_method_taps[] = {1, 2, 4, 9};
static const uint32_t float_vif_method_source[] = {1, 2, 3, 6};

static inline float_vif_method float_vif_method_of(const char *name) {
    uint32_t i = 0;
    while (i < FLOAT_VIF_METHODS - 1 && strcmp(name, float_vif_method_names[i]) != 0)
        i++;
    return (float_vif_method)i;
}

/* Columns (or rows) of the scaled picture. */
static inline uint32_t float_vif_scaled(uint32_t size, double prescale) {
    return (uint32_t)((double)size * prescale + 0.5);
}

typedef struct float_vif_tap {
    uint32_t at;
    float weight;
} float_vif_tap;

static inline uint32_t float_vif_reflect(int32_t i, uint32_t size) {
    const int32_t last = (int32_t)size - 1;
    return (uint32_t)(i < 0 ? -i : i > last ? 2 * last - i : i);
}

static inline float float_vif_cubic(float x) {
    const float t = fabsf(x);
    if (t < 1)
        return ((1.25f * t - 2.25f) * t * t) + 1;
    return t < 2 ? (((t - 5) * t + 8) * t - 4) * -0.75f : 0;
}

static inline float float_vif_lanczos(float x) {
    static const double pi = 3.14159265358979323846;
    const double t = (double)x;
    if (x == 0)
        return 1;
    if (!(x > -4 && x < 4))
        return 0;
    return (float)((4 * ty_sin(pi * t)) * ty_sin((pi * t) / 4) / (((pi * pi) * t) * t));
}

/* The taps of column (or row) number `i` of the scaled picture. */
static inline void float_vif_make_taps(float_vif_method method, uint32_t source, uint32_t size, uint32_t i,
                                       float_vif_tap taps[FLOAT_VIF_MAX_TAPS]) {
    const float ratio = (float)source / (float)size;
    const float position = (float)(((double)i + 0.5) * (double)ratio - 0.5);
    const int32_t low = (int32_t)floorf(position);
    const float offset = position - (float)low;
    switch (method) {
    case FLOAT_VIF_NEAREST: taps[0] = (float_vif_tap){(uint32_t)((float)i * ratio), 1}; break;
    case FLOAT_VIF_BILINEAR: {
        /* From the mirrored sample, even where that lies on the other side. */
        const uint32_t first = float_vif_reflect(low, source);
        const float part = position - (float)first;
        taps[0] = (float_vif_tap){first, 1 - part};
        taps[1] = (float_vif_tap){float_vif_reflect((int32_t)ceilf(position), source), part};
        break;
    }
    case FLOAT_VIF_BICUBIC:
        for (int32_t t = 0; t < 4; t++)
            taps[t] = (float_vif_tap){float_vif_reflect(low + t - 1, source),
                                      float_vif_cubic((float)(t - 1) - offset)};
        break;
    default:
        for (int32_t t = 0; t < 9; t++)
            taps[t] = (float_vif_tap){float_vif_reflect(low + t - 4, source),
                                      float_vif_lanczos((float)(t - 4) - offset)};
        break;
    }
}

#endif
