/* The float of 1 + a / (b + c), each operation rounded to double first, as float_vif's logarithms take it.
 * Kernel text.
 *
 * exact_one_plus_ratio_f64() says it so, exact_one_plus_ratio_integer() gives the same bits without fp64.
 *
 * Domain: a and b are 0 or positive normal floats (a subnormal a is fine too where b + c is at least 2^-60:
 * the result is 1); c, a double given by its bits, is 0 or at least 2^-200, below 2^10; b + c is not 0. The
 * result is at least 1, infinity where it exceeds the floats.
 */
#ifndef TY_EXACT_ONE_PLUS_RATIO_H
#define TY_EXACT_ONE_PLUS_RATIO_H

#if TY_HAS_F64
FUNCTION(f32) exact_one_plus_ratio_f64(f32 a, f32 b, u64 c_bits) {
    return (f32)(1.0 + (f64)a / ((f64)b + F64_OF_BITS(c_bits)));
}
#endif

/* mantissa * 2^exponent with 2^52 <= mantissa < 2^53, or 0. */
typedef struct exact_number {
    u64 mantissa;
    i32 exponent;
} exact_number;

FUNCTION(exact_number) exact_number_of_float(f32 x) {
    const u32 bits = f32_bits(x);
    exact_number r;
    r.mantissa = bits == 0 ? 0u : (u64)((bits & 0x7fffffu) | 0x800000u) << 29;
    r.exponent = (i32)(bits >> 23) - 127 - 52;
    return r;
}

FUNCTION(exact_number) exact_number_of_double(u64 bits) {
    exact_number r;
    r.mantissa = bits == 0 ? 0u : (bits & (((u64)1 << 52) - 1)) | (u64)1 << 52;
    r.exponent = (i32)(bits >> 52) - 1023 - 52;
    return r;
}

/* m / 2^cut rounded to nearest, ties to even; the lowest bit of m stands for all that was lost below. 1 <=
 * cut <= 63. */
FUNCTION(u64) exact_round_off(u64 m, i32 cut) {
    const u64 middle = (u64)1 << (cut - 1);
    const u64 kept = m >> cut;
    const u64 rest = m & (2 * middle - 1);
    return kept + (rest > middle || (rest == middle && (kept & 1)) ? 1u : 0u);
}

/* The sum rounded to 53 digits, which are aligned at bit 62 before. */
FUNCTION(exact_number) exact_number_sum(exact_number x, exact_number y) {
    const i32 swap = y.mantissa != 0 && (x.mantissa == 0 || y.exponent > x.exponent);
    const u64 large = (swap ? y.mantissa : x.mantissa) << 10;
    const u64 small = (swap ? x.mantissa : y.mantissa) << 10;
    const i32 exponent = swap ? y.exponent : x.exponent;
    const i32 distance = small == 0 ? 0 : exponent - (swap ? x.exponent : y.exponent);
    const u64 shifted = distance < 63 ? small >> distance : 0u;
    const u64 lost = distance < 63 ? small & (((u64)1 << distance) - 1) : small;
    const u64 sum = large + (shifted | (lost != 0 ? 1u : 0u));
    const i32 cut = sum >> 63 ? 11 : 10;
    exact_number r;
    r.mantissa = exact_round_off(sum, cut);
    r.exponent = exponent + cut - 10;
    if (r.mantissa >> 53) {
        r.mantissa >>= 1;
        r.exponent++;
    }
    return r;
}

/* x / y rounded to 53 digits: long division, eleven digits a step. y is not 0. */
FUNCTION(exact_number) exact_number_quotient(exact_number x, exact_number y) {
    const i32 below = x.mantissa < y.mantissa;
    u64 rest = x.mantissa << below;
    u64 quotient = rest / y.mantissa; /* 1, or 0 if x is */
    exact_number r;
    rest -= quotient * y.mantissa;
    for (i32 step = 0; step < 5; step++) {
        rest <<= 11;
        quotient = (quotient << 11) + rest / y.mantissa;
        rest %= y.mantissa;
    }
    /* 56 digits, of which the last three are rounded off. */
    r.mantissa = exact_round_off(quotient | (rest != 0 ? 1u : 0u), 3);
    r.exponent = x.exponent - y.exponent - below - 52;
    if (r.mantissa >> 53) {
        r.mantissa >>= 1;
        r.exponent++;
    }
    return r;
}

FUNCTION(f32) exact_one_plus_ratio_integer(f32 a, f32 b, u64 c_bits) {
    exact_number one;
    one.mantissa = (u64)1 << 52;
    one.exponent = -52;
    const exact_number divisor = exact_number_sum(exact_number_of_float(b), exact_number_of_double(c_bits));
    const exact_number ratio = exact_number_quotient(exact_number_of_float(a), divisor);
    const exact_number sum = exact_number_sum(one, ratio);
    /* Adding lets a carry of the rounding, and the leading bit, into the exponent. */
    const u64 bits = ((u64)(sum.exponent + 52 + 127 - 1) << 23) + exact_round_off(sum.mantissa, 29);
    return f32_of_bits(bits < 0x7f800000u ? (u32)bits : 0x7f800000u);
}

#if TY_HAS_F64
#define EXACT_ONE_PLUS_RATIO(a, b, c_bits) exact_one_plus_ratio_f64(a, b, c_bits)
#else
#define EXACT_ONE_PLUS_RATIO(a, b, c_bits) exact_one_plus_ratio_integer(a, b, c_bits)
#endif

#endif
