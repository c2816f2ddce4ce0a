/* Sums that the specification forms in double, for kernel text without doubles. features/float_ssim/README.md
 * tells the bounds.
 *
 * A twofold number is an unevaluated sum high + low of floats. Adding floats to it one after the other loses
 * only what rounding `low` loses, so that almost always the float nearest to the double sum is known; where
 * it is not, the same sum is formed again by integer arithmetic on the bits of doubles. */
#ifndef TY_KERNEL_DOUBLE_H
#define TY_KERNEL_DOUBLE_H

typedef struct twofold {
    f32 high, low;
} twofold;

FUNCTION(twofold) twofold_of(f32 x) {
    twofold t;
    t.high = x;
    t.low = 0.0f;
    return t;
}

/* Knuth's two-sum: high + x is kept whole, its rounding error goes to low. */
FUNCTION(twofold) twofold_add(twofold s, f32 x) {
    twofold t;
    t.high = s.high + x;
    const f32 added = t.high - s.high;
    t.low = s.low + ((s.high - (t.high - added)) + (x - added));
    return t;
}

FUNCTION(f32) twofold_float(twofold s) {
    return s.high + s.low;
}

/* 1 if a sum within `error` of s might round to another float than s, else 0. */
FUNCTION(u32) twofold_in_doubt(twofold s, f32 error) {
    return s.high + (s.low + error) != s.high + (s.low - error) ? 1u : 0u;
}

/* The bits of the double equal to a float that is finite; zeros lose their sign. */
FUNCTION(u64) f64_bits_of_f32(f32 x) {
    const u32 bits = f32_bits(x);
    const u64 sign = (u64)(bits >> 31) << 63;
    u32 exponent = bits >> 23 & 255, fraction = bits & 0x7fffff;
    if ((bits & 0x7fffffff) == 0)
        return 0;
    if (exponent == 0) { /* subnormal in float, normal in double */
        exponent = 1;
        while (fraction < 0x800000) {
            fraction <<= 1;
            exponent--;
        }
    }
    return sign | (u64)(exponent + 1023 - 127) << 52 | (u64)(fraction & 0x7fffff) << 29;
}

/* a / 2^shift with the last bit set if anything was lost: enough to round by later. shift > 0. */
FUNCTION(u64) shift_and_stick(u64 a, u32 shift) {
    return shift > 63 ? (u64)(a != 0) : (a >> shift | (u64)(a << (64 - shift) != 0));
}

/* The bits of the double a + b, to nearest, ties to even. Neither they nor the sum may be subnormal or
 * infinite; there is no negative zero. */
FUNCTION(u64) f64_bits_add(u64 a, u64 b) {
    const u64 magnitude = 0x7fffffffffffffffu;
    const u64 large = (a & magnitude) >= (b & magnitude) ? a : b;
    const u64 small = (a & magnitude) >= (b & magnitude) ? b : a;
    u32 exponent = (u32)(large >> 52) & 2047;
    const u32 apart = exponent - ((u32)(small >> 52) & 2047);
    if ((small & magnitude) == 0)
        return large;
    /* The leading bit at 62: room for a carry above, ten bits below the last one of the result. */
    const u64 m = ((large & 0xfffffffffffffu) | 0x10000000000000u) << 10;
    const u64 aligned = ((small & 0xfffffffffffffu) | 0x10000000000000u) << 10;
    const u64 n = apart > 0 ? shift_and_stick(aligned, apart) : aligned;
    u64 sum = (large ^ small) >> 63 ? m - n : m + n;
    if (sum == 0)
        return 0;
    if (sum >> 63) {
        sum = shift_and_stick(sum, 1);
        exponent++;
    }
    while (!(sum >> 62)) {
        sum <<= 1;
        exponent--;
    }
    /* Adding lets a significand of 2^53 carry into the exponent. */
    const u64 rounded = (sum + 511 + (sum >> 10 & 1)) >> 10;
    return (large >> 63 << 63 | ((u64)exponent - 1) << 52) + rounded;
}

/* The float nearest to a double, ties to even. It may be subnormal, but not infinite. */
FUNCTION(f32) f32_of_f64_bits(u64 a) {
    const u32 sign = (u32)(a >> 63) << 31;
    const i32 exponent = (i32)((u32)(a >> 52) & 2047) - 1023 + 127;
    if (a << 1 == 0)
        return 0.0f;
    u64 m = (a & 0xfffffffffffffu) | 0x10000000000000u;
    if (exponent <= 0)
        m = shift_and_stick(m, (u32)(1 - exponent));
    const u32 rounded = (u32)((m + 0xfffffff + (m >> 29 & 1)) >> 29);
    return f32_of_bits(sign | ((exponent > 0 ? (u32)(exponent - 1) << 23 : 0) + rounded));
}

#endif
