/* First steps of the exponential, in fixed point: a quick one of 64 bits, and one of 128, about 2^-92
 * relative.
 *
 * w = k ln 2 / 2^14 + r with |r| < 2^-15.5, and k = 2^14 K + 2^7 j + i, so that
 *     e^w = 2^K 2^(j/128) 2^(i/16384) (1 + r + r^2/2 + r^3 (1/6 + r/24 + r^2/120)),
 * where what is left out is below r^6/719 < 2^-102. */
#ifndef TY_EXACT_EXP_FIRST_H
#define TY_EXACT_EXP_FIRST_H

#include "round.h"
#include "tables.h"

/* e^w - 1 at 2^-125 for w at 2^-125, |w| < 2^-15.5. The word r that the higher terms use is short by 2^-78:
 * times |r|, that is 2^-93.5 in r^2/2; the other terms, the remainder and the shifts stay below 2^-101. */
static inline ty_i128 ty_expm1_small(ty_i128 w)
{
    const int64_t r = (int64_t)(w >> 47); /* 2^-78 */
    const ty_i128 square = (ty_i128)r * r; /* 2^-156 */
    const int64_t cube = ty_mul_shift((int64_t)(square >> 64), r, 64); /* 2^-106 */
    int64_t c = INT64_MAX / 24 + ty_mul_shift(r, INT64_MAX / 120, 78);
    c = INT64_MAX / 6 + ty_mul_shift(r, c, 78);
    return w + (square >> 32) + (((ty_i128)cube * c) >> 44);
}

/* w = k ln 2 / 2^14 + r, r at 2^-125, off by k/2 units: less than 2^-101. */
struct ty_exp_reduced {
    ty_i128 r;
    int64_t k;
};

/* w at 2^-116, |w| < 2^11. */
TY_SPECIALISED struct ty_exp_reduced ty_exp_reduce(ty_i128 w)
{
    const ty_i128 steps = (ty_i128)(int64_t)(w >> 64) * TY_STEPS_PER_UNIT_48;
    const int64_t k = (int64_t)((steps + ((ty_i128)1 << 99)) >> 100);
    /* Both terms wrap; their difference is small and right. */
    const ty_u128 r = ((ty_u128)w << 9) - (ty_u128)(ty_i128)k * TY_UNITS_PER_STEP_125;
    return (struct ty_exp_reduced){(ty_i128)r, k};
}

/* Quick step: the bits of e^w, or false, for a w off by at most w_error units of 2^-116. In units of 2^-62:
 * e^r - 1 is off by less than 2^-66.5, most of it the r^4/24 left out, 0.1 units; each table entry is cut
 * by 2^-63, and with the other factor that makes 1.51; the two products are cut, 2; and w makes 2^-52.9
 * times w_error. */
TY_SPECIALISED bool ty_exp_quick(const struct ty_exp_reduced x, ty_u128 w_error, struct ty_format format,
                                 uint64_t *bits)
{
    const int64_t r = (int64_t)(x.r >> 47);            /* 2^-78 */
    const int64_t square = ty_mul_shift(r, r, 64);     /* 2^-92 */
    const int64_t cube = ty_mul_shift(square, r, 64);  /* 2^-106 */
    const int64_t p = r + (square >> 15) + ty_mul_shift(cube, INT64_MAX / 6, 91);
    const ty_u128 power = (ty_u128)(uint64_t)(ty_exp2_coarse[(x.k >> 7) & 127] >> 64)
                          * (uint64_t)(ty_exp2_fine[x.k & 127] >> 64); /* 2^-126 */
    const int64_t high = (int64_t)(power >> 64);
    const uint64_t result = (uint64_t)(high + ty_mul_shift(high, p, 78));
    return ty_round_quick(result, 5 + (uint64_t)(w_error >> 52), 62 - (int)(x.k >> 14), format, bits);
}

/* The 128-bit step, likewise. The error of r, of ty_expm1_small, the two tables and the products make less
 * than 2^-93.4 relative; the magnitude, at 2^-126, is below 2^127.1, so 2^34 units cover it. One unit of w
 * is 2^-116 relative, 2^11.1 units of the magnitude. */
static inline struct ty_approx ty_exp_first(const struct ty_exp_reduced x, uint64_t w_error)
{
    const ty_i128 p = ty_expm1_small(x.r);
    const ty_u128 power = ty_mul_high(ty_exp2_coarse[(x.k >> 7) & 127], ty_exp2_fine[x.k & 127]);
    const ty_u128 change = ty_mul_high(power, ty_negate_if((ty_u128)p, p < 0) << 3);
    return (struct ty_approx){power + ty_negate_if(change, p < 0), (UINT64_C(1) << 34) + (w_error << 12),
                              126 - (int)(x.k >> 14), false};
}

#endif
