/* First steps of the logarithms, in fixed point: a quick one of 64 bits, and one of 128, about 2^-87
 * relative.
 *
 * x = 2^e m. Two table steps bring m to 1 + z with |z| < 2^-14.5, and exactly: m has 52 fraction bits, the
 * coarse reciprocal 9, the fine one 16, so that z has 77 and fits a word. Then
 *     ln m = coarse log + fine log + z - z^2/2 + z^3 (1/3 - z/4 + z^2/5 - z^3/6 + z^4/7),
 * where what is left out is below z^8/8 < 2^-119. */
#ifndef TY_EXACT_LOG_FIRST_H
#define TY_EXACT_LOG_FIRST_H

#include "round.h"
#include "tables.h"

/* A base b: 1/ln b at 2^-inverse_scale, and log_b 2 at 2^-(inverse_scale - 12). */
struct ty_log_base {
    ty_u128 inverse;
    ty_u128 log_of_2;
    int inverse_scale;
};

static const struct ty_log_base ty_base_e = {TY_U128(UINT64_C(1) << 63, 0), TY_LN2_115, 127};
static const struct ty_log_base ty_base_2 = {TY_INVERSE_LN2_127, TY_U128(UINT64_C(1) << 51, 0), 127};
static const struct ty_log_base ty_base_10 = {TY_INVERSE_LN10_129, TY_LOG10_2_117, 129};

/* 1/3 - z/4 + z^2/5 - z^3/6 + z^4/7 at 2^-63 for z at 2^-77: off by less than 2^-61, remainder included. */
static inline int64_t ty_log_tail(int64_t z)
{
    int64_t c = INT64_MAX / 6 - ty_mul_shift(z, INT64_MAX / 7, 77);
    c = INT64_MAX / 5 - ty_mul_shift(z, c, 77);
    c = INT64_MAX / 4 - ty_mul_shift(z, c, 77);
    return INT64_MAX / 3 - ty_mul_shift(z, c, 77);
}

/* log_b (1 + z), z at 2^-77 and not 0, |z| <= 2^-15, to a relative 2^-88: as z (1 - z/2 + z^2 tail). The
 * bracket u is at 2^-126: z^2 is short by 2^-90, which the tail multiplies by 1/3, and the tail is off by
 * less than 2^-61, which z^2 multiplies by 2^-30: together less than 2^-90, or 2^36 units, of u and so of
 * the result. */
static inline struct ty_approx ty_log_near_one(int64_t z, const struct ty_log_base *base)
{
    const bool negative = z < 0;
    const uint64_t size = negative ? -(uint64_t)z : (uint64_t)z;
    const int shift = __builtin_clzll(size);
    const int64_t square = (int64_t)(((ty_i128)z * z) >> 64);
    const ty_i128 tail = ((ty_i128)square * ty_log_tail(z)) >> 27;
    const ty_u128 u = ((ty_u128)1 << 126) - ((ty_u128)(ty_i128)z << 48) + (ty_u128)tail;
    const ty_u128 ln = ty_mul_high_word(u, size << shift);
    return (struct ty_approx){ty_mul_high(ln, base->inverse), (UINT64_C(1) << 36) + 8,
                              139 + shift + base->inverse_scale - 128, negative};
}

/* x reduced: ln x = e ln 2 + coarse log + fine log + ln(1 + z), z at 2^-77. */
struct ty_log_reduced {
    ty_u128 logs; /* the two table logarithms at 2^-116, two's complement */
    int64_t z;
    int e;
    bool near_one; /* nothing but ln(1 + z) is left */
};

TY_SPECIALISED struct ty_log_reduced ty_log_reduce(struct ty_split x)
{
    const unsigned bin = (unsigned)(x.mantissa >> 45) & 127;
    const struct ty_log_step *coarse = &ty_log_coarse[bin];
    const uint64_t reduced = x.mantissa * coarse->reciprocal; /* 1 + z at 2^-61 */
    const int64_t coarse_z = (int64_t)(reduced - (UINT64_C(1) << 61));
    const int64_t j = (coarse_z + (INT64_C(1) << 46)) >> 47;
    const struct ty_log_step *fine = &ty_log_fine[TY_LOG_FINE_ZERO + j];
    const int e = x.exponent + (bin >= TY_LOG_FOLD);
    /* (1 + z) at 2^-77: the one is a multiple of 2^64 and wraps away. */
    return (struct ty_log_reduced){coarse->log + fine->log, (int64_t)(reduced * fine->reciprocal), e,
                                   e == 0 && j == 0 && coarse->log == 0};
}

/* Quick step. The logarithm of the mantissa is one word at 2^-63, off by 1 unit each for the tables, z,
 * z^2/2 (twice) and z^3 (1/3 - z/4), and by 1 for 1/ln b cut to 63 bits. These 7 units make less than 7 *
 * 2^53 units of the sum, and log_b 2, cut to its upper bits, |e| * 2^53 more. The magnitude may be 0, or
 * all of it error, next to 1. */
TY_SPECIALISED struct ty_approx ty_log_quick(const struct ty_log_reduced x, const struct ty_log_base *base)
{
    const int64_t square = ty_mul_shift(x.z, x.z, 64);                      /* 2^-90 */
    const int64_t cube = ty_mul_shift(square, x.z, 64);                     /* 2^-103 */
    const int64_t ln = (int64_t)((ty_i128)x.logs >> 53) + (x.z >> 14) - (square >> 28)
                       + ty_mul_shift(cube, INT64_MAX / 3 - (x.z >> 16), 103);
    const ty_i128 part = (ty_i128)ln * (int64_t)(base->inverse >> 65);
    const ty_i128 twos = (ty_i128)x.e * (int64_t)(base->log_of_2 >> 53);
    const ty_u128 sum = ((ty_u128)twos << 53) + (ty_u128)(part >> 10);
    const bool negative = (ty_i128)sum < 0;
    return (struct ty_approx){ty_negate_if(sum, negative), (uint64_t)(7 + (x.e < 0 ? -x.e : x.e)) << 53,
                              base->inverse_scale - 12, negative};
}

/* log_b x for x != 1. Far from 1 the error is, in units of 2^-116 and before the change of base: z^2 short
 * by 2^-90 times |z|/3, 966 units; z^3 short by 2^-103 times 1/3, 2731; the tail 2^-61 times |z^3|, 1; two
 * table entries, three shifts and the remainder 4 more. Each inverse is below 0.87 * 2^128, and e log_b 2
 * adds 1075/2 units: less than 2^12 in all. |ln x| is at least 2^-15.1 there, since z and j cover all
 * nearer to 1. */
static inline struct ty_approx ty_log_first(const struct ty_log_reduced x, const struct ty_log_base *base)
{
    if (x.near_one)
        return ty_log_near_one(x.z, base);

    const ty_i128 square = (ty_i128)x.z * x.z;                             /* 2^-154 */
    const int64_t cube = ty_mul_shift((int64_t)(square >> 64), x.z, 64);   /* 2^-103 */
    const ty_i128 high = ((ty_i128)cube * ty_log_tail(x.z)) >> 50;         /* 2^-116 */
    const ty_u128 ln = x.logs + ((ty_u128)(ty_i128)x.z << 39) - (ty_u128)(square >> 39) + (ty_u128)high;

    const bool ln_negative = (ty_i128)ln < 0;
    const ty_u128 part = ty_mul_high(ty_negate_if(ln, ln_negative), base->inverse);
    const ty_u128 sum = (ty_u128)(ty_i128)x.e * base->log_of_2 + ty_negate_if(part, ln_negative);
    const bool negative = (ty_i128)sum < 0;
    return (struct ty_approx){ty_negate_if(sum, negative), UINT64_C(1) << 12, base->inverse_scale - 12,
                              negative};
}

#endif
