/* The regression of one picture on another at one sample, as vif needs it: gain, noise and signal variance.
 * Kernel text.
 *
 * s1, s2 and s12 are the variances of reference and distorted picture and their covariance, as integers. In
 * doubles, each operation rounded by itself:
 *
 * g      = s12 / (s1 + 6.5536e-6) noise  = trunc(s2 - g * s12), but 0 if negative signal = trunc((g * g) *
 * s1), after g was limited
 *
 * ty_gain_f64() says it so, ty_gain_integer() gives the same integers without any floating-point number.
 *
 * Domain: 2^17 <= s1 < 2^31, 0 <= s12 < 2^31, 0 <= s2 < 2^31, s12 = 0 where s2 = 0, and signal < 2^31, which
 * holds wherever s12^2 / s1 < 2^31. The limit is a double from 1 to 100, given by its bits. */
#ifndef TY_EXACT_GAIN_H
#define TY_EXACT_GAIN_H

#include "kernel/kernel.h"

typedef struct ty_gain {
    i32 noise;
    i32 signal;
} ty_gain;

#if TY_HAS_F64
FUNCTION(ty_gain) ty_gain_f64(i32 s1, i32 s2, i32 s12, u64 limit_bits) {
    const f64 limit = F64_OF_BITS(limit_bits);
    const f64 g = (f64)s12 / ((f64)s1 + 0x1.b7cdfd9d7bdbbp-18);
    const f64 explained = g * (f64)s12;
    const i32 noise = (i32)((f64)s2 - explained); /* above -2^31: s12^2 / s1 is */
    const f64 limited = g < limit ? g : limit;
    const f64 square = limited * limited;
    ty_gain gain;
    gain.noise = noise < 0 ? 0 : noise;
    gain.signal = (i32)(square * (f64)s1);
    return gain;
}
#endif

/* A positive number mantissa * 2^exponent, 2^52 <= mantissa <= 2^53. */
typedef struct ty_gain_number {
    u64 mantissa;
    i32 exponent;
} ty_gain_number;

/* 6.5536e-6 * 2^(52 - e), rounded, for e = 17 … 30: what it adds to the mantissa of a number of e + 1 binary
 * digits. */
TABLE(u32, ty_gain_offset, 14) = {225180, 112590, 56295, 28147, 14074, 7037, 3518,
                                  1759,   880,    440,   220,   110,   55,   27};

/* a * b * 2^exponent rounded to 53 digits, ties to even. 2^52 <= a * b < 2^107. */
FUNCTION(ty_gain_number) ty_gain_product(u64 a, u64 b, i32 exponent) {
    const u64 a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    const u64 middle = a1 * b0 + (a0 * b0 >> 32);
    const u64 other = a0 * b1 + (middle & 0xffffffffu);
    const u64 low = a * b;
    const u64 high = a1 * b1 + (middle >> 32) + (other >> 32);
    const u32 high_digits = high >> 32 ? 32 + BIT_LENGTH((u32)(high >> 32))
                            : high     ? BIT_LENGTH((u32)high)
                                       : 0u;
    const u32 digits = high ? 64 + high_digits : 32 + (low >> 32 ? BIT_LENGTH((u32)(low >> 32)) : 0u);
    const u32 cut = digits - 53;
    ty_gain_number product;
    product.mantissa = a * b;
    product.exponent = exponent;
    if (cut > 0) {
        const u64 half = (u64)1 << (cut - 1);
        const u64 rest = low & (2 * half - 1);
        const u64 kept = (low >> cut) | (high << (64 - cut));
        product.mantissa = kept + (rest > half || (rest == half && (kept & 1)) ? 1u : 0u);
        product.exponent = exponent + (i32)cut;
    }
    return product;
}

/* s12 / (s1 + 6.5536e-6) rounded to 53 digits: long division, eleven digits a step. s12 > 0. */
FUNCTION(ty_gain_number) ty_gain_quotient(u32 s1, u32 s12) {
    const i32 e = (i32)BIT_LENGTH(s1) - 1;
    const i32 f = (i32)BIT_LENGTH(s12) - 1;
    const u64 divisor = ((u64)s1 << (52 - e)) + ty_gain_offset[e - 17]; /* below 2^53 */
    u64 rest = (u64)s12 << (52 - f);
    u64 quotient = rest >= divisor ? 1u : 0u;
    i32 digits = rest >= divisor ? 52 : 53;
    rest -= quotient ? divisor : 0u;
    for (i32 left = digits; left > 0;) {
        const i32 step = left < 11 ? left : 11;
        rest <<= step;
        quotient = (quotient << step) + rest / divisor;
        rest %= divisor;
        left -= step;
    }
    quotient += 2 * rest > divisor ? 1u : 0u;
    ty_gain_number g;
    g.mantissa = quotient; /* 2^53 stays as it is */
    g.exponent = f - e - digits;
    return g;
}

/* s2 - t rounded to 53 digits, its whole part, but 0 if negative. */
FUNCTION(i32) ty_gain_noise(u32 s2, ty_gain_number t) {
    const i32 places = -t.exponent; /* from 21 to 83 */
    const u64 whole = places < 64 ? t.mantissa >> places : 0u;
    const u64 fraction = places < 64 ? t.mantissa - (whole << places) : t.mantissa;
    i32 noise = (i32)(s2 - (u32)whole);
    if (fraction != 0) {
        noise -= 1;
        /* The difference lies between noise and noise + 1; near the upper end it rounds up to it. */
        const i32 reach = noise > 0 ? places + (i32)BIT_LENGTH((u32)noise) - 54 : places - 54;
        noise += noise >= 0 && reach >= 0 && fraction <= (u64)1 << reach ? 1 : 0;
    }
    return noise < 0 ? 0 : noise;
}

FUNCTION(ty_gain_number) ty_gain_limited(ty_gain_number g, u64 limit_bits) {
    ty_gain_number limit;
    limit.mantissa = (limit_bits & (((u64)1 << 52) - 1)) | (u64)1 << 52;
    limit.exponent = (i32)(limit_bits >> 52) - 1075;
    const i32 above =
        g.exponent > limit.exponent || (g.exponent == limit.exponent && g.mantissa > limit.mantissa);
    return above ? limit : g;
}

FUNCTION(ty_gain) ty_gain_integer(i32 s1, i32 s2, i32 s12, u64 limit_bits) {
    ty_gain gain;
    gain.noise = s2;
    gain.signal = 0;
    if (s12 > 0) {
        const ty_gain_number g = ty_gain_quotient((u32)s1, (u32)s12);
        const ty_gain_number limited = ty_gain_limited(g, limit_bits);
        const ty_gain_number square =
            ty_gain_product(limited.mantissa, limited.mantissa, 2 * limited.exponent);
        const ty_gain_number signal = ty_gain_product(square.mantissa, (u64)s1, square.exponent);
        gain.noise = ty_gain_noise((u32)s2, ty_gain_product(g.mantissa, (u64)s12, g.exponent));
        gain.signal = -signal.exponent < 64 ? (i32)(signal.mantissa >> -signal.exponent) : 0;
    }
    return gain;
}

#if TY_HAS_F64
#define TY_GAIN(s1, s2, s12, limit_bits) ty_gain_f64(s1, s2, s12, limit_bits)
#else
#define TY_GAIN(s1, s2, s12, limit_bits) ty_gain_integer(s1, s2, s12, limit_bits)
#endif

#endif
