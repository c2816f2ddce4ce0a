/* Kernel text: the correctly rounded float of x^p where a quick approximation in doubles can tell; where it
 * cannot, -x, so that the host raises it (ty_powf of math.h).
 *
 * Domain: x is 0 or positive and finite, p a double from 1 to 20. In doubt are subnormal x, about one in 2^16
 * of the others, and on targets without fp64 all but 0. */
#ifndef TY_KERNEL_POWER_H
#define TY_KERNEL_POWER_H

#if TY_HAS_F64

/* log2 x = k + log2 m, m from 0.707 to 1.415 and |s| = |m - 1| / (m + 1) < 0.1716: log2 m = 2 / ln 2 * (s +
 * s^3/3 + … + s^17/17), of which less than 2^-50 is left out. With the roundings of s and of the sum: 2^-48
 * of log2 m. */
FUNCTION(f64) power_log2(u32 bits) {
    const i32 k = (i32)(bits - 0x3f3504f3u) >> 23;
    const f64 m = (f64)f32_of_bits(bits - ((u32)k << 23));
    const f64 s = (m - 1.0) / (m + 1.0), s2 = s * s;
    f64 sum = 0x1.5b9ac9b743f0dp-3;
    sum = 0x1.89f3b1694cffep-3 + s2 * sum;
    sum = 0x1.c68f568d31760p-3 + s2 * sum;
    sum = 0x1.0c9a84994022dp-2 + s2 * sum;
    sum = 0x1.484b13d7c02a9p-2 + s2 * sum;
    sum = 0x1.a61762a7aded9p-2 + s2 * sum;
    sum = 0x1.2776c50ef9bfep-1 + s2 * sum;
    sum = 0x1.ec709dc3a03fdp-1 + s2 * sum;
    sum = 0x1.71547652b82fep+1 + s2 * sum;
    return (f64)k + s * sum;
}

/* 2^y = 2^n 2^f, |f| <= 1/2, |y| <= 200: n by an addition that rounds to whole numbers, 2^f by its series to
 * f^11, of which less than 2^-46 is left out. */
FUNCTION(f64) power_exp2(f64 y) {
    const f64 n = (y + 0x1.8p52) - 0x1.8p52, f = y - n;
    f64 sum = 0x1.e8cac7351bb25p-32;
    sum = 0x1.e4cf5158b8ecap-28 + f * sum;
    sum = 0x1.b5253d395e7c4p-24 + f * sum;
    sum = 0x1.62c0223a5c824p-20 + f * sum;
    sum = 0x1.ffcbfc588b0c7p-17 + f * sum;
    sum = 0x1.430912f86c787p-13 + f * sum;
    sum = 0x1.5d87fe78a6731p-10 + f * sum;
    sum = 0x1.3b2ab6fba4e77p-7 + f * sum;
    sum = 0x1.c6b08d704a0c0p-5 + f * sum;
    sum = 0x1.ebfbdff82c58fp-3 + f * sum;
    sum = 0x1.62e42fefa39efp-1 + f * sum;
    sum = 1.0 + f * sum;
    return sum * F64_OF_BITS((u64)(u32)((i32)n + 1023) << 52);
}

/* Where x^p is a float, |p log2 x| <= 152: rounding k + log2 m and the product with p cost 2^-45.7 and 2^-46,
 * and p times the error of log2 m 20 * 2^-49, together less than 2^-43.6. So the power is off by less than
 * 2^-43.7 of itself, and the margin is six times that. Beyond, the exponents are off by less than 1, and the
 * results 0 and infinity for sure. */
#define POWER_MARGIN 0x1p-41

FUNCTION(f32) power_or_doubt(f32 x, u64 p_bits) {
    const u32 bits = f32_bits(x);
    const f64 y = F64_OF_BITS(p_bits) * power_log2(bits);
    const f64 least = y < -200.0 ? -200.0 : y;
    const f64 power = power_exp2(least > 200.0 ? 200.0 : least);
    const f32 low = (f32)(power * (1.0 - POWER_MARGIN)), high = (f32)(power * (1.0 + POWER_MARGIN));
    const f32 normal = low == high ? high : -x;
    return bits >= 0x00800000u ? normal : bits == 0 ? 0.0f : -x;
}

#else

FUNCTION(f32) power_or_doubt(f32 x, u64 p_bits) {
    (void)p_bits;
    return x > 0.0f ? -x : 0.0f;
}

#endif

#endif
