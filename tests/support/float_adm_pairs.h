/* float_adm: the integer forms of its double products against the double forms. */
#ifndef FLOAT_ADM_PAIRS_H
#define FLOAT_ADM_PAIRS_H

#include <stdbool.h>
#include <string.h>

#ifndef SAMPLE_BITS
#define SAMPLE_BITS 8
#define TY_LEVEL test
#define TY_TARGET_C
#endif
#include "kernel/kernel.h"

#include "features/float_adm/products.h"

static inline uint64_t float_adm_random(uint64_t *state) {
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline bool float_adm_around_agrees(float weighted) {
    return f32_bits(float_adm_around_integer(weighted)) == f32_bits(float_adm_around_double(weighted));
}

static inline bool float_adm_centre_agrees(float sum, float weighted) {
    return f32_bits(float_adm_centre_integer(sum, weighted)) == f32_bits(float_adm_centre_double(sum, weighted));
}

static inline bool float_adm_gained_agrees(float restored, double limit) {
    uint64_t bits;
    memcpy(&bits, &limit, sizeof bits);
    return f32_bits(float_adm_gained_integer(restored, bits)) == f32_bits(float_adm_gained_double(restored, bits));
}

/* A float that is not negative and below 2^20: often with few digits, sometimes 0 or subnormal. */
static inline float float_adm_any(uint64_t *state) {
    const uint64_t r = float_adm_random(state);
    const uint32_t exponent = (r >> 40 & 15) == 0 ? (uint32_t)(r >> 44) % 147 : 100 + (uint32_t)(r >> 44) % 47;
    const uint32_t fraction = (uint32_t)r & 0x7fffff & (r >> 36 & 1 ? 0x7ff000 : 0x7fffff);
    return (r >> 37 & 31) == 0 ? 0 : f32_of_bits(exponent << 23 | fraction);
}

/* A sum for which sum + weighted / 15 lies close to the middle of two floats, where rounding twice shows. */
static inline float float_adm_tied(uint64_t *state, float weighted) {
    const float product = (float)((double)weighted * F64_OF_BITS(FLOAT_ADM_CENTRE));
    const uint32_t exponent = f32_bits(product) >> 23;
    const uint64_t r = float_adm_random(state);
    const uint32_t up = (uint32_t)(r & 31);
    return f32_of_bits((exponent + up < 200 ? exponent + up : exponent) << 23 | (uint32_t)(r >> 40 & 0x7fffff));
}

/* How many of `count` random cases differ. */
static inline uint64_t float_adm_differing(uint64_t count, uint64_t seed) {
    uint64_t differing = 0;
    for (uint64_t i = 0; i < count; i++) {
        const float w = float_adm_any(&seed), sum = i & 1 ? float_adm_any(&seed) : float_adm_tied(&seed, w);
        const double limit = 1 + 99 * (double)(float_adm_random(&seed) >> 11) * 0x1p-53;
        differing += !float_adm_around_agrees(w);
        differing += !float_adm_centre_agrees(sum, w);
        differing += !float_adm_gained_agrees(i & 2 ? w : -w, limit);
    }
    return differing;
}

#endif
