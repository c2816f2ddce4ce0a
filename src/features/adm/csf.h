/* adm: contrast sensitivity weights (spec 4.1). Host only. */
#ifndef TY_ADM_CSF_H
#define TY_ADM_CSF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "exact/math.h"

/* Distance in display heights, height in pixels. */
typedef struct adm_view {
    double distance;
    int height;
} adm_view;

/* Weights of one level: as floats, and in the fixed point of that level. */
typedef struct adm_weights {
    float hv, d;
    uint32_t fixed_hv, fixed_d;
} adm_weights;

enum { ADM_CSF_WATSON, ADM_CSF_BARTEN, ADM_CSF_BLEND, ADM_CSF_BLEND_CORRECTED };

/* Pixels per degree. */
static inline float adm_pixels_per_degree(adm_view view) {
    return (float)(((view.distance * view.height) * 3.14159265358979323846) / 180.0);
}

static inline float adm_watson(adm_view view, uint32_t level, bool diagonal) {
    static const float amplitude[2][4] = {{0.67234f, 0.41317f, 0.22727f, 0.11792f},
                                          {0.72709f, 0.49428f, 0.28688f, 0.15214f}};
    const double a = 0.495f, f0 = 0.401f, g = diagonal ? 0.534f : 1.0f;
    const float k = 0.466f;
    const double scale = (double)(2u << level);
    const float t = (float)ty_log10(((scale * f0) * g) / adm_pixels_per_degree(view));
    const float kt = k * t;
    const float z = kt * t;
    const float q = (float)(((2.0 * a) * ty_pow(10.0, z)) / amplitude[diagonal][level]);
    return 1.0f / q;
}

/* At a luminance of 100 cd/m2, for which the model's p and c are constants. */
static inline float adm_barten(adm_view view, uint32_t level, double scale) {
    static const float a[4] = {0.424838596301290f, 0.572435103936480f, 0.000167576239164937f, 0.00255872352306433f};
    static const float b[4] = {0.028f, 0.37f, 37.0f, 360.0f};
    const float p0 = 0x1.8795e4p-2f, p1 = 0x1.7d88fp+1f, p2 = 0x1.25ac04p+0f, p3 = 0x1.d06f56p+2f, c = 0x1.e1f384p+4f;
    const float f = adm_pixels_per_degree(view) / (float)(2u << level);
    const float p0f = p0 * f, f7 = f / 7.0f;
    const float alpha = (float)(1.0 + ty_pow(p0f, p1));
    const float beta = (float)(1.0 / ty_pow(1.0 - ty_exp(-ty_pow(f7, 2.0)), p2));
    const float product = alpha * beta;
    const float n = (float)(p3 / ty_pow(product, 0.5));
    float mtf = 0;
    for (int i = 0; i < 4; i++) {
        const float exponent = -b[i] * f;
        mtf = (float)(mtf + a[i] * ty_exp(exponent));
    }
    const float nm = n * mtf, nmc = nm * c;
    return (float)(nmc * scale);
}

typedef struct adm_blend {
    int mode;
    double distance;
    int height;
    float hv[4], d[4];
} adm_blend;

/* The row of the table for a view, or NULL. Views below 3240 pixels of distance are refused before, so the table has none. */
static inline const adm_blend *adm_find_blend(int mode, adm_view view) {
    static const adm_blend rows[] = {
        {2, 3.0, 1080, {0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.004302f, 0.011778f, 0.023918f, 0.035901f}},
        {2, 1.5, 2160, {0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.004302f, 0.011778f, 0.023918f, 0.035901f}},
        {2, 5.0, 1080, {0.004212f, 0.014809f, 0.029642f, 0.047464f}, {0.000984f, 0.005852f, 0.0146f, 0.027574f}},
        {2, 3.0, 2160, {0.00226f, 0.01183f, 0.025026f, 0.04295f}, {0.000479f, 0.004302f, 0.011778f, 0.023918f}},
        {2, 5.0, 2160, {0.000092f, 0.004212f, 0.014809f, 0.029642f}, {0.000050f, 0.000984f, 0.005852f, 0.0146f}},
        {2, 5.0, 720, {0.010144f, 0.022561f, 0.040309f, 0.05672f}, {0.003463f, 0.010282f, 0.021839f, 0.034641f}},
        {3, 3.0, 1080, {0.011249f, 0.022606f, 0.035930f, 0.045673f}, {0.004097f, 0.010921f, 0.021430f, 0.031313f}},
        {3, 1.5, 2160, {0.011249f, 0.022606f, 0.035930f, 0.045673f}, {0.004097f, 0.010921f, 0.021430f, 0.031313f}},
        {3, 5.0, 1080, {0.004052f, 0.013939f, 0.026298f, 0.038833f}, {0.000927f, 0.005544f, 0.013415f, 0.024515f}},
        {3, 3.0, 2160, {0.002166f, 0.011249f, 0.022606f, 0.035930f}, {0.000447f, 0.004097f, 0.010921f, 0.021430f}},
        {3, 5.0, 2160, {0.000077f, 0.004052f, 0.013939f, 0.026298f}, {0.000045f, 0.000927f, 0.005544f, 0.013415f}},
        {3, 5.0, 720, {0.009689f, 0.020577f, 0.034162f, 0.044523f}, {0.003302f, 0.009579f, 0.019661f, 0.030318f}}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mode == mode && rows[i].distance == view.distance && rows[i].height == view.height)
            return &rows[i];
    return NULL;
}

/* floor(weight * 2^shift) modulo 2^bits: weights that are too large wrap, as they always did. */
static inline uint32_t adm_fixed(float weight, int shift, uint32_t mask) {
    return (uint32_t)(uint64_t)floor(ldexp(weight, shift)) & mask;
}

/* `scale_hv` and `scale_d` matter to the Barten model only; a blend's view must be in its table. */
static inline adm_weights adm_find_weights(int mode, adm_view view, uint32_t level, double scale_hv, double scale_d) {
    adm_weights w = {0};
    if (mode == ADM_CSF_WATSON) {
        w.hv = adm_watson(view, level, false);
        w.d = adm_watson(view, level, true);
    } else if (mode == ADM_CSF_BARTEN) {
        w.hv = adm_barten(view, level, scale_hv);
        w.d = adm_barten(view, level, scale_d);
    } else {
        const adm_blend *blend = adm_find_blend(mode, view);
        w.hv = blend->hv[level];
        w.d = blend->d[level];
    }
    if (level > 0) {
        w.fixed_hv = adm_fixed(w.hv, 32, UINT32_MAX);
        w.fixed_d = adm_fixed(w.d, 32, UINT32_MAX);
    } else if (mode == ADM_CSF_WATSON && fabs(view.distance * view.height - 3240.0) < 1.0e-8) {
        w.fixed_hv = 36453; /* not what the formula gives: 36451 and 49414 */
        w.fixed_d = 49417;
    } else {
        w.fixed_hv = adm_fixed(w.hv, 21, 0xffff);
        w.fixed_d = adm_fixed(w.d, 23, 0xffff);
    }
    return w;
}

#endif
