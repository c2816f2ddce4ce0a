/* The correctly rounded square root for kernel text (spec: psnr_hvs.md, claim 2). For 0 and normal positive floats. */
#ifndef TY_KERNEL_SQRT_H
#define TY_KERNEL_SQRT_H

/* x = m * 2^e with 2^23 <= m < 2^24. Taking s = 25 or 26 so that e - s is even, n = m * 2^s lies in [2^48, 2^50) and
 * r = floor(sqrt(n)) in [2^24, 2^25): one bit more than the result has. A midpoint between floats would be sqrt(n) = r with
 * odd r, but n is even; so no root is a tie, and the bit below the last one alone decides. */
FUNCTION(f32) exact_sqrt_integer(f32 x) {
    const u32 bits = f32_bits(x);
    const i32 e = (i32)(bits >> 23) - 150;
    const i32 s = 25 + ((e - 25) & 1);
    const u64 n = (u64)((bits & 0x7fffff) | 0x800000) << s;
    u32 r = 1u << 24;
    for (u32 bit = 1u << 23; bit > 0; bit >>= 1) {
        const u32 t = r | bit;
        r = (u64)t * t <= n ? t : r;
    }
    /* (r + 1) / 2 in [2^23, 2^24] times 2^((e - s) / 2 + 1); adding lets 2^24 carry into the exponent. */
    const u32 exponent = (u32)((e - s) / 2 + 1 + 150 - 1);
    return bits == 0 ? 0.0f : f32_of_bits((exponent << 23) + ((r + 1) >> 1));
}

/* The target's own square root where it is IEEE's. */
#if defined(TY_TARGET_C)
FUNCTION(f32) exact_sqrt(f32 x) { return __builtin_sqrtf(x); }
#elif defined(TY_TARGET_OPENCL) /* built with -cl-fp32-correctly-rounded-divide-sqrt */
FUNCTION(f32) exact_sqrt(f32 x) { return sqrt(x); }
#elif defined(TY_TARGET_CUDA) || defined(TY_TARGET_HIP)
FUNCTION(f32) exact_sqrt(f32 x) { return __fsqrt_rn(x); }
#else
FUNCTION(f32) exact_sqrt(f32 x) { return exact_sqrt_integer(x); }
#endif

#endif
