/* float_adm: the products that the method forms in double precision and rounds to float. Each has a form in doubles, for
 * targets that have them, and one in integers; README.md tells why they are the same. */
#ifndef TY_FLOAT_ADM_PRODUCTS_H
#define TY_FLOAT_ADM_PRODUCTS_H

/* Doubles, about 1/30 and 1/15 (spec 4.6, 4.7). */
#define FLOAT_ADM_AROUND ((u64)0x3fa11111203e01fc)
#define FLOAT_ADM_CENTRE ((u64)0x3fb111111fd00e7d)

/* ---- In integers ---- */

/* mantissa * 2^exponent; mantissa = 0 or at least 2^63. Its lowest bit is also set for anything that lies below it. */
typedef struct float_adm_number {
    u64 mantissa;
    i32 exponent;
} float_adm_number;

/* A float that is not negative. */
FUNCTION(float_adm_number) float_adm_number_of(u32 bits) {
    const u32 field = bits >> 23;
    const u32 significand = field ? (bits & 0x7fffff) | 0x800000 : bits;
    const u32 up = significand ? 64 - BIT_LENGTH(significand) : 0;
    float_adm_number x;
    x.mantissa = (u64)significand << up;
    x.exponent = (i32)(field ? field : 1) - 150 - (i32)up;
    return x;
}

/* Rounds to 53 digits, ties to even. */
FUNCTION(float_adm_number) float_adm_round53(float_adm_number x) {
    const u64 up = (x.mantissa >> 10) & ((x.mantissa & 0xbff) != 0 ? 1 : 0);
    const u64 rounded = (x.mantissa >> 11) + up;
    const u32 carried = (u32)(rounded >> 53);
    x.mantissa = carried ? (u64)1 << 63 : rounded << 11;
    x.exponent += (i32)carried;
    return x;
}

/* The double product of a float's magnitude and a normal double, both given by their bits. */
FUNCTION(float_adm_number) float_adm_product(u32 bits, u64 factor_bits) {
    const float_adm_number x = float_adm_number_of(bits);
    const u64 factor = ((factor_bits & 0xfffffffffffff) | (u64)1 << 52) << 11;
    const u64 upper = x.mantissa >> 32; /* all of it: 24 digits */
    const u64 low = upper * (factor & 0xffffffff);
    const u64 high = upper * (factor >> 32) + (low >> 32);
    const u32 rest = (u32)low;
    const u32 shift = high >> 63 ? 0 : 1; /* at most that: both factors have their highest bit set */
    float_adm_number p;
    p.mantissa = shift ? (high << 1) | (rest >> 31) | ((rest << 1) != 0 ? 1 : 0) : high | (rest != 0 ? 1 : 0);
    p.exponent = x.exponent + (i32)(factor_bits >> 52) - 1075 - 11 + 64 - (i32)shift;
    return float_adm_round53(p);
}

/* The double sum. */
FUNCTION(float_adm_number) float_adm_add(float_adm_number x, float_adm_number y) {
    const u32 swapped = x.mantissa == 0 || (y.mantissa != 0 && y.exponent > x.exponent) ? 1 : 0;
    const u64 large = swapped ? y.mantissa : x.mantissa, small = swapped ? x.mantissa : y.mantissa;
    const i32 exponent = swapped ? y.exponent : x.exponent;
    const i32 apart = exponent - (swapped ? x.exponent : y.exponent);
    const u32 down = small == 0 || apart > 63 ? 63 : (u32)apart;
    const u64 below = small & (((u64)1 << down) - 1);
    const u64 kept = (small >> down) | (below != 0 ? 1 : 0);
    const u64 sum = large + kept;
    const u32 carried = sum < kept ? 1 : 0;
    float_adm_number r;
    r.mantissa = carried ? (sum >> 1) | (sum & 1) | (u64)1 << 63 : sum;
    r.exponent = exponent + (i32)carried;
    return float_adm_round53(r);
}

/* Rounds to a float's bits, ties to even. The number lies below 2^127. */
FUNCTION(u32) float_adm_to_float(float_adm_number x) {
    const i32 field = x.exponent + 63 + 127; /* 0 and less: subnormal */
    const i32 cut = field > 0 ? 40 : 41 - field;
    if (x.mantissa == 0 || cut > 64)
        return 0;
    const u64 kept = cut < 64 ? x.mantissa >> cut : 0;
    const u64 rest = cut < 64 ? x.mantissa << (64 - cut) : x.mantissa;
    const u64 middle = (u64)1 << 63;
    const u32 up = rest > middle || (rest == middle && (kept & 1)) ? 1 : 0;
    return (field > 0 ? (u32)(field - 1) << 23 : 0u) + (u32)kept + up;
}

FUNCTION(f32) float_adm_around_integer(f32 weighted) {
    return f32_of_bits(float_adm_to_float(float_adm_product(f32_bits(weighted), FLOAT_ADM_AROUND)));
}

FUNCTION(f32) float_adm_centre_integer(f32 sum, f32 weighted) {
    const float_adm_number product = float_adm_product(f32_bits(weighted), FLOAT_ADM_CENTRE);
    return f32_of_bits(float_adm_to_float(float_adm_add(float_adm_number_of(f32_bits(sum)), product)));
}

FUNCTION(f32) float_adm_gained_integer(f32 restored, u64 limit_bits) {
    const u32 sign = f32_bits(restored) & 0x80000000u;
    return f32_of_bits(sign | float_adm_to_float(float_adm_product(f32_bits(restored) ^ sign, limit_bits)));
}

/* ---- In doubles ---- */

#if TY_HAS_F64

FUNCTION(f32) float_adm_around_double(f32 weighted) { return (f32)((f64)weighted * F64_OF_BITS(FLOAT_ADM_AROUND)); }

FUNCTION(f32) float_adm_centre_double(f32 sum, f32 weighted) {
    return (f32)((f64)sum + (f64)weighted * F64_OF_BITS(FLOAT_ADM_CENTRE));
}

FUNCTION(f32) float_adm_gained_double(f32 restored, u64 limit_bits) {
    return (f32)((f64)restored * F64_OF_BITS(limit_bits));
}

#define float_adm_around float_adm_around_double
#define float_adm_centre float_adm_centre_double
#define float_adm_gained float_adm_gained_double
#else
#define float_adm_around float_adm_around_integer
#define float_adm_centre float_adm_centre_integer
#define float_adm_gained float_adm_gained_integer
#endif

/* ---- The quotient of spec 4.4 ---- */

/* The integer nearest to 2^25 / d, from a guess that is at most 1 away. */
FUNCTION(u32) float_adm_nearest(u32 d, u32 guess) {
    const i32 rest = (i32)(67108864u + d - 2 * d * guess);
    return rest < 0 ? guess - 1 : (u32)rest >= 2 * d ? guess + 1 : guess;
}

/* The integer nearest to 2^25 / d for odd d from 4097 to 8191; there are no ties. The dividend is 2^25 - 2: for 2^25 itself one
 * of the 2048 quotients would round up to the middle between two integers. */
FUNCTION(u32) float_adm_seed(u32 d) {
    const u32 k = (u32)(i32)(33554430.0f / (f32)(i32)d + 0.5f);
#if defined(TY_TARGET_C)
    return k; /* with IEEE's division there is nothing to correct: all 2048 divisors are tested */
#else
    return float_adm_nearest(d, k);
#endif
}

/* About 1 / d, for 2^-100 <= |d| < 2^100. */
FUNCTION(f32) float_adm_reciprocal(f32 d) {
    const u32 bits = f32_bits(d);
    const f32 k = (f32)(i32)float_adm_seed(4097 + 2 * ((bits >> 12) & 0x7ff));
    const f32 power = f32_of_bits((bits & 0x80000000u) | (241 - ((bits >> 23) & 0xff)) << 23);
    const f32 x = k * power;
    return x + x * (1.0f - d * x);
}

#endif
