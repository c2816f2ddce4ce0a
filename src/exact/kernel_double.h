/* Kernel text: IEEE doubles as their bits, computed with integers, for targets without fp64 and wherever
 * speed is no matter.
 *
 * Operands and results must be 0 or normal: nothing here makes or takes infinities, NaNs or subnormal
 * doubles. Every result is that of the IEEE operation, to nearest, ties to even. */
#ifndef TY_KERNEL_DOUBLE_H
#define TY_KERNEL_DOUBLE_H

#include "exact/kernel_wide.h"

#define DOUBLE_SIGN ((u64)1 << 63)
#define DOUBLE_ONE ((u64)0x3ff << 52)

FUNCTION(u64) double_negate(u64 a) {
    return a ^ DOUBLE_SIGN;
}
FUNCTION(u64) double_magnitude(u64 a) {
    return a & ~DOUBLE_SIGN;
}
FUNCTION(u32) double_is_zero(u64 a) {
    return double_magnitude(a) == 0;
}
FUNCTION(u32) double_is_negative(u64 a) {
    return !double_is_zero(a) && (a >> 63) != 0;
}

/* |a| = mantissa * 2^exponent, 2^52 <= mantissa < 2^53; for a other than 0. */
FUNCTION(u64) double_mantissa(u64 a) {
    return (a & (((u64)1 << 52) - 1)) | (u64)1 << 52;
}
FUNCTION(i32) double_exponent(u64 a) {
    return (i32)(a >> 52 & 0x7ff) - 1075;
}

/* m * 2^exponent rounded, with the given sign bit. m is not 0; what is below its lowest bit has been merged
 * into that bit, which is right as long as m has at least 55 bits, or nothing was below. */
RARE_FUNCTION(u64) double_round(u64 sign, u64 m, i32 exponent) {
    const u32 up = leading_zeros(m);
    m <<= up;
    const u64 rest = m & 0x7ff, kept = m >> 11;
    const u64 rounded = kept + (rest > 0x400 || (rest == 0x400 && (kept & 1) != 0) ? 1 : 0);
    /* Adding lets both the leading bit and a carry go into the exponent. */
    return sign + ((u64)(exponent - (i32)up + 11 + 1074) << 52) + rounded;
}

/* The same of m * 2^exponent with two words, not 0. */
RARE_FUNCTION(u64) double_round_wide(u64 sign, wide m, i32 exponent) {
    const u32 up = wide_leading_zeros(m);
    m = wide_shift_left(m, up);
    return double_round(sign, m.high | (m.low != 0 ? 1 : 0), exponent - (i32)up + 64);
}

RARE_FUNCTION(u64) double_add(u64 a, u64 b) {
    if (double_magnitude(a) < double_magnitude(b)) {
        const u64 swap = a;
        a = b;
        b = swap;
    }
    if (double_is_zero(b))
        return double_is_zero(a) ? a & b : a;
    const i32 exponent = double_exponent(a);
    const u32 apart = (u32)(exponent - double_exponent(b));
    const u64 m = double_mantissa(a) << 10, n = double_mantissa(b) << 10;
    const u64 shifted = apart < 64 ? n >> apart | ((n & (((u64)1 << apart) - 1)) != 0 ? 1 : 0) : 1;
    const u64 sum = (a ^ b) >> 63 != 0 ? m - shifted : m + shifted;
    return sum == 0 ? 0 : double_round(a & DOUBLE_SIGN, sum, exponent - 10);
}

FUNCTION(u64) double_subtract(u64 a, u64 b) {
    return double_add(a, double_negate(b));
}

RARE_FUNCTION(u64) double_multiply(u64 a, u64 b) {
    const u64 sign = (a ^ b) & DOUBLE_SIGN;
    if (double_is_zero(a) || double_is_zero(b))
        return sign;
    const wide product = wide_product(double_mantissa(a) << 11, double_mantissa(b) << 11);
    return double_round(sign, product.high | (product.low != 0 ? 1 : 0),
                        double_exponent(a) + double_exponent(b) + 42);
}

/* b must not be 0. */
RARE_FUNCTION(u64) double_divide(u64 a, u64 b) {
    const u64 sign = (a ^ b) & DOUBLE_SIGN;
    if (double_is_zero(a))
        return sign;
    const u64 divisor = double_mantissa(b);
    u64 rest = double_mantissa(a), quotient = 0;
    for (u32 i = 0; i < 63; i++) {
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
        rest <<= 1;
    }
    return double_round(sign, quotient | (rest != 0 ? 1 : 0), double_exponent(a) - double_exponent(b) - 62);
}

/* a must not be negative. The root of m * 2^58 bit by bit, two bits of it a step: 56 bits and whether it is
 * exact. */
RARE_FUNCTION(u64) double_sqrt(u64 a) {
    if (double_is_zero(a))
        return a;
    i32 exponent = double_exponent(a);
    u64 m = double_mantissa(a) << 10;
    if ((exponent & 1) != 0) {
        m <<= 1;
        exponent -= 1;
    }
    u64 root = 0, rest = 0;
    for (u32 i = 0; i < 56; i++) {
        rest = rest << 2 | m >> 62;
        m <<= 2;
        const u64 trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    return double_round(0, root << 1 | (rest != 0 ? 1 : 0), (exponent - 58) / 2 - 1);
}

FUNCTION(u32) double_less(u64 a, u64 b) {
    const u32 a_negative = double_is_negative(a), b_negative = double_is_negative(b);
    if (a_negative != b_negative)
        return a_negative;
    return a_negative ? double_magnitude(a) > double_magnitude(b) : double_magnitude(a) < double_magnitude(b);
}

FUNCTION(u64) double_of_int(i32 x) {
    return x == 0 ? 0 : double_round(x < 0 ? DOUBLE_SIGN : 0, (u64)(x < 0 ? -(i64)x : (i64)x), 0);
}

/* Exact, subnormal floats included. */
FUNCTION(u64) double_of_float(f32 x) {
    const u32 bits = f32_bits(x), field = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    const u64 sign = (u64)(bits >> 31) << 63;
    if (field == 0)
        return fraction == 0 ? sign : double_round(sign, fraction, -149);
    return sign | (u64)(field + 896) << 52 | (u64)fraction << 29;
}

/* Rounded, gradually below the normal floats; |a| must be below 2^127. */
RARE_FUNCTION(f32) float_of_double(u64 a) {
    const u32 sign = (u32)(a >> 63) << 31;
    if (double_is_zero(a))
        return f32_of_bits(sign);
    const i32 field = double_exponent(a) + 1075 - 896;
    const u64 m = double_mantissa(a);
    const u32 drop = field > 0 ? 29 : (u32)(30 - field);
    if (drop > 54)
        return f32_of_bits(sign);
    const u64 kept = m >> drop, rest = m & (((u64)1 << drop) - 1), midpoint = (u64)1 << (drop - 1);
    const u32 rounded = (u32)kept + (rest > midpoint || (rest == midpoint && (kept & 1) != 0) ? 1 : 0);
    return f32_of_bits(sign + (field > 0 ? (u32)(field - 1) << 23 : 0) + rounded);
}

#endif
