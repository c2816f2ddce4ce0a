/* adm: the two decisions that the method words as float and double expressions, and the reciprocal. Each has a form in
 * doubles, for targets that have them, and one in integers; README.md has the proofs that they are the same. */
#ifndef TY_ADM_PRODUCTS_H
#define TY_ADM_PRODUCTS_H

/* One step of a bit count: moves `rest` down by `step` if anything lies there. */
#define ADM_COUNT_STEP(rest, length, step)                                                                            \
    {                                                                                                                 \
        const u32 above = rest >> step != 0 ? step : 0;                                                               \
        rest >>= above;                                                                                               \
        length += above;                                                                                              \
    }

/* Bits of x: 0 for 0. */
FUNCTION(u32) adm_bit_length(u64 x) {
    u32 length = 0;
    ADM_COUNT_STEP(x, length, 32)
    ADM_COUNT_STEP(x, length, 16)
    ADM_COUNT_STEP(x, length, 8)
    ADM_COUNT_STEP(x, length, 4)
    ADM_COUNT_STEP(x, length, 2)
    ADM_COUNT_STEP(x, length, 1)
    return length + (u32)x;
}

/* min(trunc(f64(f64(a) * g)), bound), g = mantissa * 2^-shift >= 1, a <= 2^31. */
FUNCTION(u32) adm_gain_integer(u32 a, u64 mantissa, u32 shift, u32 bound) {
    const u64 low = (u64)a * (u32)mantissa;
    const u64 high = (u64)a * (mantissa >> 32) + (low >> 32);
    const u64 whole = high >> (shift - 32);
    const u64 one = (u64)1 << shift;
    const u64 fraction = ((high & (((u64)1 << (shift - 32)) - 1)) << 32) | (u32)low;
    const u32 length = shift + adm_bit_length(whole);
    const u64 half_spacing = length >= 54 ? (u64)1 << (length - 54) : 0;
    const u64 product = whole + (u64)(one - fraction <= half_spacing);
    return product < bound ? (u32)product : bound;
}

/* x rounded to 24 significant bits, ties to even: significand * 2^exponent, 2^23 <= significand < 2^24; 0 < x < 2^63. */
typedef struct adm_rounded {
    u32 significand;
    i32 exponent;
} adm_rounded;

FUNCTION(adm_rounded) adm_round24(u64 x) {
    const i32 exponent = (i32)adm_bit_length(x) - 24;
    adm_rounded r;
    if (exponent <= 0) {
        r.significand = (u32)(x << -exponent);
        r.exponent = exponent;
        return r;
    }
    const u64 kept = x >> exponent;
    const u64 rounded = (x + (((u64)1 << (exponent - 1)) - 1) + (kept & 1)) >> exponent;
    const u32 carried = (u32)(rounded >> 24);
    r.significand = (u32)(rounded >> carried);
    r.exponent = exponent + (i32)carried;
    return r;
}

#define ADM_COSINE 16772106u /* f32(cos(1 degree)^2) * 2^24 */

/* The angle test for dot > 0, reference > 0, distorted > 0: two 72-bit numbers as high part and low 24 bits. */
FUNCTION(u32) adm_angle_products(u64 dot, u64 reference, u64 distorted) {
    const adm_rounded p = adm_round24(dot), o = adm_round24(reference), t = adm_round24(distorted);
    const i32 shift = o.exponent + t.exponent - 2 * p.exponent;
    const u64 square = (u64)p.significand * p.significand;
    const u64 product = (u64)o.significand * t.significand;
    const u64 low = (product & 0xffffff) * ADM_COSINE;
    u64 right_high = (product >> 24) * ADM_COSINE + (low >> 24), right_low = low & 0xffffff;
    u64 left_high = square, left_low = (u64)1 << (adm_bit_length(square) - 30);
    if (shift > 3)
        return 0;
    if (shift < -3)
        return 1;
    if (shift > 0) {
        right_high = (right_high << shift) | (right_low >> (24 - shift));
        right_low = (right_low << shift) & 0xffffff;
    }
    if (shift < 0) {
        left_high = (left_high << -shift) | (left_low >> (24 + shift));
        left_low = (left_low << -shift) & 0xffffff;
    }
    return right_high < left_high || (right_high == left_high && right_low <= left_low);
}

/* Whether the angle between both pictures' (h, v) is at most about one degree. dot is their product, the others are their
 * squared lengths, all below 2^63 in magnitude. */
FUNCTION(u32) adm_angle_integer(i64 dot, i64 reference, i64 distorted) {
    if (dot < 0)
        return 0;
    if (reference == 0 || distorted == 0)
        return 1;
    return dot > 0 ? adm_angle_products((u64)dot, (u64)reference, (u64)distorted) : 0;
}

#if TY_HAS_F64

FUNCTION(u32) adm_gain_double(u32 a, f64 limit, u32 bound) {
    const f64 product = (f64)(i32)a * limit;
    return (u32)(i32)(product < (f64)(i32)bound ? product : (f64)(i32)bound);
}

/* The same for a <= 2^15, whose products with limits up to 100 fit 32 bits. */
FUNCTION(u32) adm_gain_double_small(u32 a, f64 limit, u32 bound) {
    const i32 product = (i32)((f64)(i32)a * limit);
    return (u32)(product < (i32)bound ? product : (i32)bound);
}

FUNCTION(u32) adm_angle_double(f32 dot, f32 reference, f32 distorted) {
    const f64 p = dot, o = reference, t = distorted;
    const f64 cosine = (f64)ADM_COSINE / 16777216;
    const u32 within = p * p >= cosine * o * t ? 1 : 0;
    return p >= 0 ? within : 0;
}

#endif

/* The gain limit in the form that adm_gain() takes. */
#if TY_HAS_F64
typedef f64 adm_limit;
#define ADM_LIMIT(v) ((f64)(i64)v.gain_mantissa / (f64)((i64)1 << v.gain_shift))
FUNCTION(u32) adm_gain(u32 a, adm_limit limit, u32 bound) { return adm_gain_double(a, limit, bound); }
FUNCTION(u32) adm_gain_small(u32 a, adm_limit limit, u32 bound) { return adm_gain_double_small(a, limit, bound); }
#else
typedef struct adm_limit {
    u64 mantissa;
    u32 shift;
} adm_limit;
#define ADM_LIMIT(v) {v.gain_mantissa, v.gain_shift}
FUNCTION(u32) adm_gain(u32 a, adm_limit limit, u32 bound) {
    return adm_gain_integer(a, limit.mantissa, limit.shift, bound);
}
#define adm_gain_small adm_gain
#endif

/* floor(2^30 / u); anything for u = 0. The double quotient, if no integer, is at least 2^-15 away from one, and doubles below
 * 2^30 are at most 2^-23 apart: rounding never reaches the next integer. */
FUNCTION(u32) adm_reciprocal(u32 u) {
    const u32 divisor = u > 0 ? u : 1;
#if TY_HAS_F64
    return (u32)(i32)(1073741824.0 / (f64)(i32)divisor);
#else
    return 1073741824u / divisor;
#endif
}

/* Bits of u beyond the lowest 15: 0 below 32768. */
FUNCTION(u32) adm_bits_above_15(u32 u) {
    u32 rest = u >> 15, length = 0;
    ADM_COUNT_STEP(rest, length, 16)
    ADM_COUNT_STEP(rest, length, 8)
    ADM_COUNT_STEP(rest, length, 4)
    ADM_COUNT_STEP(rest, length, 2)
    ADM_COUNT_STEP(rest, length, 1)
    return length + rest;
}

FUNCTION(u32) adm_round_up(u32 n) { return (n + 31) & ~31u; }
FUNCTION(u32) adm_least(u32 a, u32 b) { return a < b ? a : b; }

#endif
