#include "features/speed_chroma/filters.h"

#include <math.h>

#include "exact/math.h"

bool ty_speed_scale_is_valid(double kernelscale) {
    static const float scales[] = {
        1.0f,        1.0f / 2.0f, 3.0f / 2.0f,  2.0f,         2.0f / 3.0f, 2.4f,     360.0f / 97,
        4.0f / 3.0f, 3.5f / 3.0f, 3.75f / 3.0f, 4.25f / 3.0f, 5.0f / 3.0f, 3.0f,     1.0f / 2.25f,
        1.4746f,     1.54f,       1.6f,         1.06667f,     0.711111f,   0.74074f, 1.111111f};
    for (unsigned i = 0; i < sizeof scales / sizeof scales[0]; i++)
        if ((double)fabsf((float)kernelscale - scales[i]) < 0.001)
            return true;
    return false;
}

static uint32_t width(float samples, double kernelscale) {
    const uint32_t whole = (uint32_t)ceilf(samples * (float)kernelscale);
    const uint32_t odd = whole | 1;
    return odd < 3 ? 3 : odd;
}

uint32_t ty_speed_lowpass_width(double kernelscale) {
    return width(9, kernelscale);
}

uint32_t ty_speed_mean_width(double kernelscale) {
    return width(2, kernelscale);
}

/* Normal densities, each rounded to float, divided by their sum. */
static void gaussian(uint32_t width, float deviation, float *taps) {
    const double t = (double)deviation, root_of_two_pi = 0x1.40d931ff62705p+1;
    const float denominator = (float)(1.0 / (t * root_of_two_pi));
    float sum = 0;
    for (uint32_t i = 0; i < width; i++) {
        const double x = (double)((int)i - (int)(width - 1) / 2);
        /* What multiplies the exponential is the reciprocal of what the density has: dividing by the sum
         * undoes it, but for rounding. */
        taps[i] = (float)ty_exp((((-0.5 * x) / t) * x) / t) / denominator;
        sum = sum + taps[i];
    }
    for (uint32_t i = 0; i < width; i++)
        taps[i] = taps[i] / sum;
}

void ty_speed_lowpass_taps(uint32_t width, float *taps) {
    gaussian(width, (float)((2.0 * (double)width) / 5.0), taps);
}

void ty_speed_mean_taps(uint32_t width, float *taps) {
    gaussian(width, (float)width / 5.0f, taps);
}
