/* Rounding an approximation to the nearest floating-point number, if its error bound allows (Ziv's test). */
#ifndef TY_EXACT_ROUND_H
#define TY_EXACT_ROUND_H

#include <stdbool.h>

#include "word.h"

/* The positive number magnitude * 2^-scale, known up to error * 2^-scale either way; error 0 means exact.
 * The sign stands apart. magnitude may be 0 only where error is 0. */
struct ty_approx {
    ty_u128 magnitude;
    uint64_t error;
    int scale;
    bool negative;
};

/* A binary format: its digits, and the exponent of its least positive number. */
struct ty_format {
    int digits;
    int least_exponent;
    uint64_t infinity_bits;
};

#define TY_DOUBLE ((struct ty_format){53, -1074, TY_INF_BITS})
#define TY_FLOAT ((struct ty_format){24, -149, UINT64_C(0x7f800000)})

/* Rounds to nearest, ties to even, with gradual underflow and overflow to infinity, and stores the bits of
 * the magnitude. Returns false, storing nothing, when a midpoint lies no farther than the error: then only
 * a better approximation can tell. An exact value is always decided. The error must be below 2^-70 of the
 * magnitude. */
static inline bool ty_round(const struct ty_approx a, const struct ty_format f, uint64_t *bits)
{
    if (a.magnitude == 0) {
        *bits = 0;
        return true;
    }
    /* Highest bit to bit 126, so that half of any quantum up to 2^127 is still a positive ty_i128. */
    const int up = ty_leading_zeros(a.magnitude) - 1;
    ty_u128 m = up >= 0 ? a.magnitude << up : (a.magnitude >> 1) | (a.magnitude & 1);
    ty_u128 error = up >= 0 ? (ty_u128)a.error << up : (ty_u128)a.error + (a.error != 0);
    const int top = 126 - a.scale - up;
    int quantum = top - (f.digits - 1);
    if (quantum < f.least_exponent)
        quantum = f.least_exponent;
    int drop = quantum - top + 126;
    if (drop > 127) {
        /* Below half the least number; the lowest bit stands for what is shifted out. */
        const int shift = drop - 127 < 127 ? drop - 127 : 127;
        m = (m >> shift) | ((m & (((ty_u128)1 << shift) - 1)) != 0);
        error = error != 0 ? (error >> shift) + 2 : 0;
        drop = 127;
    }
    const ty_u128 half = (ty_u128)1 << (drop - 1);
    uint64_t n = (uint64_t)(m >> drop);
    const ty_i128 above = (ty_i128)(m & (2 * half - 1)) - (ty_i128)half;
    if (error != 0 && (above < 0 ? (ty_u128)-above : (ty_u128)above) <= error)
        return false;
    n += above > 0 || (above == 0 && (n & 1));
    /* A carry out of the mantissa lands in the exponent field, which is what it should do. */
    const int step = quantum - f.least_exponent;
    const uint64_t limit = f.infinity_bits >> (f.digits - 1);
    const uint64_t raw = (uint64_t)step >= limit ? f.infinity_bits : ((uint64_t)step << (f.digits - 1)) + n;
    *bits = raw < f.infinity_bits ? raw : f.infinity_bits;
    return true;
}

/* ty_round for a one-word magnitude * 2^-scale: fast, and false more often, also where the result is not
 * normal. The error may be large: where a midpoint is sure to lie inside it, nothing is decided. */
TY_SPECIALISED bool ty_round_quick(uint64_t magnitude, uint64_t error, int scale, struct ty_format f,
                                   uint64_t *bits)
{
    if (magnitude == 0)
        return false;
    const int up = __builtin_clzll(magnitude), below = 64 - f.digits;
    const uint64_t m = magnitude << up, half = UINT64_C(1) << (below - 1), rest = m & (2 * half - 1);
    const int step = 63 - scale - up - (f.digits - 1) - f.least_exponent;
    const int limit = (int)(f.infinity_bits >> (f.digits - 1)) - 2;
    if (error >= half >> up || (unsigned)step >= (unsigned)limit)
        return false;
    const uint64_t margin = error << up;
    if (rest - (half - margin) <= 2 * margin)
        return false;
    *bits = ((uint64_t)step << (f.digits - 1)) + (m >> below) + (rest >= half);
    return true;
}

/* ty_round_quick of the first 64 bits of an approximation: they leave out less than 1 unit, and the error
 * 1. */
TY_SPECIALISED bool ty_round_first_word(const struct ty_approx a, const struct ty_format f, uint64_t *bits)
{
    const uint64_t high = (uint64_t)(a.magnitude >> 64), low = (uint64_t)a.magnitude;
    if (high == 0)
        return false;
    const int up = __builtin_clzll(high);
    const uint64_t magnitude = high << up | low >> 1 >> (63 - up), error = (a.error >> 1 >> (63 - up)) + 2;
    return ty_round_quick(magnitude, error, a.scale + up - 64, f, bits);
}

#endif
