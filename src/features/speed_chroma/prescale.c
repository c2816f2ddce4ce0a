#include "features/speed_chroma/prescale.h"

#include <math.h>
#include <string.h>

#include "exact/sin.h"
#include "features/speed_chroma/options.h"

const char *const ty_speed_methods[] = {"nearest", "bilinear", "bicubic", "lanczos4", NULL};

uint32_t ty_speed_resampling_taps(const char *method) {
    return strcmp(method, "lanczos4") == 0   ? 9
           : strcmp(method, "bicubic") == 0  ? 4
           : strcmp(method, "bilinear") == 0 ? 2
                                             : 1;
}

bool ty_speed_resampling_is_normalised(const char *method) {
    return strcmp(method, "lanczos4") == 0;
}

/* One reflection, without repeating the sample at the border. */
static uint32_t reflect(int i, uint32_t count) {
    const int last = (int)count - 1;
    return (uint32_t)(i < 0 ? -i : i > last ? 2 * last - i : i);
}

static float cubic(float z) {
    const float t = fabsf(z);
    if (t < 1) {
        float u = 1.25f * t;
        u = u - 2.25f;
        u = u * t;
        u = u * t;
        return u + 1;
    }
    if (t < 2) {
        float u = t - 5;
        u = u * t;
        u = u + 8;
        u = u * t;
        u = u - 4;
        return u * -0.75f;
    }
    return 0;
}

static float lanczos(float z) {
    const double pi = 0x1.921fb54442d18p+1, x = (double)z;
    if (z == 0)
        return 1;
    if (!(z > -4 && z < 4))
        return 0;
    return (float)(((4 * ty_sin(pi * x)) * ty_sin((pi * x) / 4)) / (((pi * pi) * x) * x));
}

/* Weights of the samples around `at`, from tap `first` relative to the one before it. */
static void kernel(float (*weight)(float), int first, uint32_t taps, float at, uint32_t from, uint32_t to,
                   uint32_t *places, float *weights) {
    const float whole = floorf(at), fraction = at - whole;
    for (uint32_t k = 0; k < taps; k++) {
        const int tap = first + (int)k;
        places[k * to] = reflect((int)whole + tap, from);
        weights[k * to] = weight((float)tap - fraction);
    }
}

/* Left of the first sample's centre this extrapolates. */
static void bilinear(float at, uint32_t from, uint32_t to, uint32_t *places, float *weights) {
    places[0] = reflect((int)floorf(at), from);
    places[to] = reflect((int)ceilf(at), from);
    weights[to] = at - (float)places[0];
    weights[0] = 1 - weights[to];
}

void ty_speed_resampling(const char *method, uint32_t from, uint32_t to, uint32_t *places, float *weights) {
    const uint32_t taps = ty_speed_resampling_taps(method);
    const float ratio = (float)from / (float)to;
    for (uint32_t i = 0; i < to; i++) {
        const float at = (float)(((double)i + 0.5) * (double)ratio - 0.5);
        if (taps == 9) {
            kernel(lanczos, -4, taps, at, from, to, places + i, weights + i);
        } else if (taps == 4) {
            kernel(cubic, -1, taps, at, from, to, places + i, weights + i);
        } else if (taps == 2) {
            bilinear(at, from, to, places + i, weights + i);
        } else {
            places[i] = (uint32_t)((float)i * ratio);
            weights[i] = 1;
        }
    }
}
