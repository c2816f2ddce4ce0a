/* Kernel text: correctly rounded functions of doubles (as their bits, kernel_double.h), with integers only.
 *
 * Each value is formed in 128-bit fixed point with an error below 2^-115 of it (sine and cosine next to their zeros:
 * 2^-118, absolute), then rounded once. That decides the nearest double unless a midpoint lies that near: see
 * README.md. Ranges are narrow on purpose: they are what pictures need. */
#ifndef TY_KERNEL_MATH_H
#define TY_KERNEL_MATH_H

#include "exact/kernel_double.h"
#include "exact/kernel_tables.h"

/* ---- Logarithm and exponential ---- */

/* log2 of a mantissa m = 1 + … at 2^-52, at 2^-126: off by less than 2^-122. One short product makes it 1 +
 * z, 0 <= z < 2^-5.8, z exact in a word; 22 terms of the series of ln(1 + z) leave out less than 2^-127. */
RARE_FUNCTION(wide) exact_log2_mantissa(u64 m) {
    const u32 bin = (u32)(m >> 46) & 63;
    const u64 z = (m * exact_log_reciprocal[bin]) << 1; /* at 2^-64: the one wraps away */
    wide s = wide_at(exact_inverse, EXACT_LOG_TERMS - 1);
    for (u32 n = EXACT_LOG_TERMS - 1; n > 0; n--)
        s = wide_subtract(wide_at(exact_inverse, n - 1), wide_multiply_word(s, z));
    const wide ln = wide_add(wide_multiply_word(s, z), wide_at(exact_log_of_reciprocal, bin));
    return wide_multiply(ln, wide_of(EXACT_INVERSE_LN2_HIGH, EXACT_INVERSE_LN2_LOW));
}

/* 2 to a fraction at 2^-128, at 2^-126: off by less than 2^-121. */
RARE_FUNCTION(wide) exact_exp2_fraction(wide fraction) {
    const u32 step = (u32)(fraction.high >> 59);
    const wide rest = wide_of(fraction.high & (((u64)1 << 59) - 1), fraction.low);
    const wide x = wide_multiply(rest, wide_of(EXACT_LN2_HIGH, EXACT_LN2_LOW));
    wide s = wide_at(exact_inverse_factorial, EXACT_EXP_TERMS - 1);
    for (u32 n = EXACT_EXP_TERMS - 1; n > 0; n--)
        s = wide_add(wide_at(exact_inverse_factorial, n - 1), wide_multiply(s, x));
    return wide_multiply(s, wide_at(exact_exp2_steps, step));
}

/* 2 to the power of t * 2^-scale, or of minus that; scale from 65 to 127. */
FUNCTION(u64) exact_exp2(wide t, u32 scale, u32 negative) {
    i32 whole = (i32)(t.high >> (scale - 64));
    wide fraction = wide_shift_left(t, 128 - scale);
    if (negative) {
        whole = -whole;
        if (!wide_is_zero(fraction)) {
            whole -= 1;
            fraction = wide_subtract(wide_of(0, 0), fraction);
        }
    }
    return double_round_wide(0, exact_exp2_fraction(fraction), whole - 126);
}

/* x^y for x from 2^-15 to 2^15 and y from 2^-10 to 4 with |y log2 x| < 16. */
RARE_FUNCTION(u64) double_pow(u64 x, u64 y) {
    const i32 exponent = double_exponent(x) + 52;
    const wide log2 = wide_shift_right(exact_log2_mantissa(double_mantissa(x)), 2); /* at 2^-124 */
    const u32 negative = exponent < 0;
    const wide whole = wide_of((u64)(negative ? -exponent : exponent) << 60, 0);
    const wide size = negative ? wide_subtract(whole, log2) : wide_add(whole, log2);
    const wide product = wide_multiply_word(size, double_mantissa(y) << 11);
    const i32 up = double_exponent(y) + 53;
    const wide power = up >= 0 ? wide_shift_left(product, (u32)up) : wide_shift_right(product, (u32)-up);
    return exact_exp2(power, 124, negative);
}

/* e^x for -128 < x <= 0. */
RARE_FUNCTION(u64) double_exp(u64 x) {
    if (double_is_zero(x))
        return DOUBLE_ONE;
    /* x / ln 2 at 2^-120. */
    const wide inverse = wide_of(EXACT_INVERSE_LN2_HIGH, EXACT_INVERSE_LN2_LOW);
    const wide product = wide_multiply_word(inverse, double_mantissa(x) << 11);
    return exact_exp2(wide_shift_right(product, (u32)(-46 - double_exponent(x))), 120, 1);
}

/* ---- Sine and cosine ---- */

/* first - x (second - x (third - …)), x at 2^-128, of 1/n! for n from `from` in steps of two, at 2^-127. */
FUNCTION(wide) exact_alternating(wide x, u32 from) {
    wide s = wide_at(exact_inverse_factorial, from + 2 * (EXACT_SINE_TERMS - 1));
    for (u32 n = EXACT_SINE_TERMS - 1; n > 0; n--)
        s = wide_subtract(wide_at(exact_inverse_factorial, from + 2 * (n - 1)), wide_multiply(s, x));
    return s;
}

/* The sine of x plus `turns` right angles, |x| < 31. */
RARE_FUNCTION(u64) exact_sine(u64 x, u32 turns) {
    u64 sign = x & DOUBLE_SIGN;
    if (double_magnitude(x) < (u64)(0x3ff - 27) << 52) /* the nearest double to sin x is x, to cos x 1 */
        return turns == 0 ? x : DOUBLE_ONE;
    if (turns == 1)
        sign = 0;
    /* At 2^-123: exact. Less the nearest multiple of pi/2, off by less than 20 * 2^-124; 0.7854 and a little
     * is left. */
    const wide angle = wide_shift_left(wide_of(0, double_mantissa(x)), (u32)(123 + double_exponent(x)));
    const u32 quarter = (u32)((wide_product(angle.high, EXACT_TWO_OVER_PI).high + ((u64)1 << 58)) >> 59);
    const wide multiple = wide_times(wide_of(EXACT_HALF_PI_123_HIGH, EXACT_HALF_PI_123_LOW), quarter);
    const u32 below = wide_less(angle, multiple);
    const wide rest = below ? wide_subtract(multiple, angle) : wide_subtract(angle, multiple);
    const wide scaled = wide_shift_left(rest, 5);
    const wide square = wide_multiply(scaled, scaled);
    const u32 quadrant = (quarter + turns) & 3;
    if (quadrant >= 2)
        sign ^= DOUBLE_SIGN;
    if ((quadrant & 1) != 0)
        return double_round_wide(sign, exact_alternating(square, 0), -127);
    if (below)
        sign ^= DOUBLE_SIGN;
    const u32 up = wide_leading_zeros(rest);
    const wide sine = wide_multiply(wide_shift_left(rest, up), exact_alternating(square, 1));
    return double_round_wide(sign, sine, -122 - (i32)up);
}

FUNCTION(u64) double_sin(u64 x) {
    return exact_sine(x, 0);
}
FUNCTION(u64) double_cos(u64 x) {
    return exact_sine(x, 1);
}

/* ---- Arc tangent of two floats ---- */

/* The angle of the point (x, y), not both 0; y = -0 counts as +0. The quotient of the smaller by the larger
 * coordinate is turned back by atan(i/32), so that |z| <= 1/63 is left; z has 128 digits, so its error and
 * that of atan z are relative. */
RARE_FUNCTION(u64) double_atan2(f32 y, f32 x) {
    const u64 dy = double_magnitude(double_of_float(y)), dx = double_of_float(x);
    const u32 left = double_is_negative(dx), steep = double_magnitude(dx) < dy;
    const u64 larger = steep ? dy : double_magnitude(dx), smaller = steep ? double_magnitude(dx) : dy;
    const u64 sign = y < 0.0f ? DOUBLE_SIGN : 0;
    wide angle = wide_of(0, 0); /* at 2^-126 */
    if (smaller != 0) {
        const u64 m = double_mantissa(smaller) >> 29, n = double_mantissa(larger) >> 29; /* 24 bits */
        const u32 apart = (u32)(double_exponent(larger) - double_exponent(smaller));
        u64 step = 0, numerator = m, denominator = n;
        u32 down = apart, below = 0;
        if (apart <= 8) {
            const u64 long_n = n << apart;
            step = (64 * m + long_n) / (2 * long_n);
            below = 32 * m < step * long_n;
            numerator = below ? step * long_n - 32 * m : 32 * m - step * long_n;
            denominator = 32 * long_n + step * m;
            down = 0;
        }
        wide z = wide_of(0, 0);
        if (numerator != 0) {
            while (numerator < denominator) {
                numerator <<= 1;
                down++;
            }
            for (u32 i = 0; i < 128; i++) {
                z = wide_shift_left(z, 1);
                if (numerator >= denominator) {
                    numerator -= denominator;
                    z.low |= 1;
                }
                numerator <<= 1;
            }
            /* z * 2^-(127 + down) */
            const wide fixed = wide_shift_right(z, down - 1), square = wide_multiply(fixed, fixed);
            wide s = wide_at(exact_inverse, 2 * (EXACT_ATAN_TERMS - 1));
            for (u32 k = EXACT_ATAN_TERMS - 1; k > 0; k--)
                s = wide_subtract(wide_at(exact_inverse, 2 * (k - 1)), wide_multiply(s, square));
            z = wide_multiply(z, s);
            if (step == 0 && !steep && !left)
                return double_round_wide(sign, z, -126 - (i32)down);
            z = wide_shift_right(z, down);
        }
        angle = wide_at(exact_atan, (u32)step);
        angle = below ? wide_subtract(angle, z) : wide_add(angle, z);
    }
    if (steep)
        angle = wide_subtract(wide_of(EXACT_HALF_PI_HIGH, EXACT_HALF_PI_LOW), angle);
    if (left)
        angle = wide_subtract(wide_of(EXACT_PI_HIGH, EXACT_PI_LOW), angle);
    return wide_is_zero(angle) ? sign : double_round_wide(sign, angle, -126);
}

/* ---- Seventh power of a float ---- */

/* Exact in six limbs of 32 bits (the mantissa has 24), then rounded. x must not be negative nor its power
 * below 2^-1022. */
RARE_FUNCTION(u64) double_pow7(f32 x) {
    const u64 wide_x = double_of_float(x);
    if (double_is_zero(wide_x))
        return 0;
    const u64 m = double_mantissa(wide_x) >> 29;
    u32 limb[6] = {1, 0, 0, 0, 0, 0};
    for (u32 i = 0; i < 7; i++) {
        u64 carry = 0;
        for (u32 k = 0; k < 6; k++) {
            carry += limb[k] * m;
            limb[k] = (u32)carry;
            carry >>= 32;
        }
    }
    /* At least 2^161: the upper two words hold 97 bits or more. */
    const wide upper = wide_of((u64)limb[5] << 32 | limb[4],
                               (u64)limb[3] << 32 | limb[2] | ((limb[1] | limb[0]) != 0 ? 1 : 0));
    return double_round_wide(0, upper, 64 + 7 * (double_exponent(wide_x) + 29));
}

#endif
