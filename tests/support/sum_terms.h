/* Sequences of non-negative floats that are hard to add in another way than one after the other: the twelve kinds of the
 * ordered sum's spec, and its plain loop. */
#ifndef SUM_TERMS_H
#define SUM_TERMS_H

#include <stdint.h>
#include <string.h>

#define SUM_KINDS 12

static inline uint32_t sum_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static inline float sum_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t sum_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The unit in the last place of a finite float times 2^shift, or the closest thing that is a float. */
static inline float sum_unit(float of, int shift) {
    const int field = (int)(sum_bits(of) >> 23), exponent = (field ? field : 1) - 23 + shift;
    if (exponent > 254)
        return sum_float(0x7f000000);
    if (exponent > 0)
        return sum_float((uint32_t)exponent << 23);
    return exponent < -22 ? 0.0f : sum_float(1u << (exponent + 22));
}

/* What is left from `sum` to the end of its binade. */
static inline float sum_left(float sum) {
    const uint32_t bits = sum_bits(sum);
    return bits >= 0x7f000000 ? 0.0f : sum_float(((bits >> 23) + 1) << 23) - sum;
}

/* Steers by the running sum: halves of its unit and their neighbours, to the top of the binade and around it. */
static inline float sum_adversary(float sum, uint32_t r) {
    const float half = sum_unit(sum, -1), left = sum_left(sum);
    switch (r % 10) {
    case 0: return half;
    case 1: return sum_float(sum_bits(half) + 1);
    case 2: return half > 0 ? sum_float(sum_bits(half) - 1) : 0.0f;
    case 3: return left;
    case 4: return left > half ? left - half : half;
    case 5: return left + half;
    case 6: return left + sum_unit(sum, 0);
    case 7: return sum_unit(sum, (int)(r >> 8) % 24);
    case 8: return half * 3;
    default: return sum_unit(sum, 0) * (float)((r >> 8) & 255);
    }
}

static inline float sum_term(uint32_t kind, float sum, size_t i, uint32_t r, uint32_t constant) {
    switch (kind % SUM_KINDS) {
    case 0: return (float)(r >> 8) * 0x1p-24f;
    case 1: return sum_float(r % 0x7f800000);
    case 2: return i == 0 ? 1.0f + (float)(r >> 9) * 0x1p-23f : sum_unit(sum, -1) * (float)(r & 3);
    case 3: return i == 0 ? 0x1.ffff00p+3f : sum_unit(sum, -2) * (float)(r & 7);
    case 4: return sum_float(r & 0x00ffffff);
    case 5: return r % 50 ? 0.0f : sum_float(((r >> 8) % 200 + 20) << 23 | (r & 0x7fffff));
    case 6: return sum_float(constant % 0x7f800000);
    case 7: return sum_float(0x7b000000 + (r >> 10));
    case 8: return sum_float((uint32_t)(i * 254 / 4000 + 1) % 254 << 23 | (r & 0x7fffff));
    case 9: return sum_adversary(sum, r);
    case 10: return (float)((r >> 28) + 16) * sum_float(((r & 31) + 100) << 23);
    default: return i == 0 ? 0x1p23f : (r & 1 ? 0.5f : 1.5f);
    }
}

/* Fills terms[0 … count - 1] and returns start + terms[0] + … as the plain loop forms it. */
static inline float sum_terms(uint32_t kind, uint64_t seed, float start, float *terms, size_t count) {
    uint64_t state = seed * SUM_KINDS + kind;
    const uint32_t constant = sum_random(&state);
    float sum = start;
    for (size_t i = 0; i < count; i++) {
        terms[i] = sum_term(kind, sum, i, sum_random(&state), constant);
        sum = sum + terms[i];
    }
    return sum;
}

#endif
