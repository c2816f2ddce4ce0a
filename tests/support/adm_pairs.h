/* adm: the integer forms of the gain limit and of the angle test against their double forms, on pairs made to be hard. */
#ifndef ADM_PAIRS_H
#define ADM_PAIRS_H

#include <math.h>
#include <stdio.h>

#ifndef SAMPLE_BITS
#define SAMPLE_BITS 8
#define TY_LEVEL test
#define TY_TARGET_C
#endif
#include "kernel/kernel.h"

#include "features/adm/products.h"

typedef struct adm_random {
    uint64_t state;
} adm_random;

static inline uint64_t adm_next(adm_random *r) {
    uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* A number of 1 to `bits` bits, all lengths alike. */
static inline uint64_t adm_any_length(adm_random *r, uint32_t bits) {
    const uint64_t length = 1 + adm_next(r) % bits;
    return adm_next(r) >> (64 - length);
}

static inline double adm_any_limit(adm_random *r, uint32_t a) {
    static const double fixed[] = {1, 1.1, 1.2, 1.25, 1.5, 1.7, 2, 3, 10, 63.99, 64, 64.01, 99.99, 100, 4.0 / 3, 5.0 / 3};
    const uint64_t kind = adm_next(r);
    double limit = fixed[(kind >> 8) % (sizeof fixed / sizeof fixed[0])];
    if (kind % 4 == 1)
        limit = 1 + 99 * (double)(adm_next(r) >> 11) * 0x1p-53;
    else if (kind % 4 == 2 && a > 0) /* a * limit lies next to a whole number */
        limit = (double)(a + adm_next(r) % (99 * (uint64_t)a)) / a;
    for (uint64_t steps = kind >> 16 & 3; steps > 0; steps--)
        limit = nextafter(limit, kind & 64 ? 0 : 200);
    return fmin(fmax(limit, 1), 100);
}

static inline bool adm_gain_agrees(uint32_t a, double limit, uint32_t bound) {
    int exponent;
    const double mantissa = frexp(limit, &exponent);
    const uint32_t integer = adm_gain_integer(a, (uint64_t)ldexp(mantissa, 53), (uint32_t)(53 - exponent), bound);
    return integer == adm_gain_double(a, limit, bound) && (a > 32768 || integer == adm_gain_double_small(a, limit, bound));
}

static inline bool adm_angle_agrees(int64_t dot, int64_t reference, int64_t distorted) {
    return adm_angle_integer(dot, reference, distorted) == adm_angle_double((float)dot, (float)reference, (float)distorted);
}

/* Two vectors, the second turned by about one degree against the first. */
static inline bool adm_turned_agree(adm_random *r) {
    const double angle = (double)(adm_next(r) % 1024 == 0 ? 0 : 1) * (3.14159265358979323846 / 180);
    const int64_t h = (int64_t)adm_any_length(r, 30) - (1 << 29), v = (int64_t)adm_any_length(r, 30) - (1 << 29);
    const double length = 0.5 + (double)(adm_next(r) >> 11) * 0x1p-53, sine = sin(angle), cosine = cos(angle);
    const int64_t th = (int64_t)(length * ((double)h * cosine - (double)v * sine)) + (int64_t)(adm_next(r) % 3) - 1;
    const int64_t tv = (int64_t)(length * ((double)h * sine + (double)v * cosine)) + (int64_t)(adm_next(r) % 3) - 1;
    return adm_angle_agrees(h * th + v * tv, h * h + v * v, th * th + tv * tv);
}

/* dot^2 next to cos^2 * reference * distorted: where rounding decides. */
static inline bool adm_edge_agrees(adm_random *r) {
    const uint64_t o = adm_any_length(r, 62), t = adm_any_length(r, 62);
    const double edge = sqrt(0x1.ffd814p-1 * (double)(float)o * (double)(float)t);
    const int64_t dot = (int64_t)fmin(edge, 0x1p62) + (int64_t)(adm_next(r) % 65) - 32;
    const int64_t coarse = (int64_t)((float)dot * (1.0f + (float)((int)(adm_next(r) % 7) - 3) * 0x1p-24f));
    return adm_angle_agrees(dot, (int64_t)o, (int64_t)t) && adm_angle_agrees(coarse, (int64_t)o, (int64_t)t);
}

/* How many of `count` gain products and of `count` angles differ. Prints the first differing gain product. */
static inline uint64_t adm_differing_pairs(uint64_t count, uint64_t seed) {
    adm_random r = {seed};
    uint64_t differing = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t a = i < 65536 ? (uint32_t)i : (uint32_t)adm_any_length(&r, 31);
        const double limit = adm_any_limit(&r, a);
        const uint32_t bound = i % 2 ? INT32_MAX : (uint32_t)adm_any_length(&r, 31);
        if (!adm_gain_agrees(a, limit, bound) && differing++ == 0)
            fprintf(stderr, "gain: %u * %a, at most %u\n", a, limit, bound);
        differing += !(i % 2 ? adm_turned_agree(&r) : adm_edge_agrees(&r));
    }
    return differing;
}

#endif
