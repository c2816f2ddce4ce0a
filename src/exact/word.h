/* 128-bit integers and the bits of floating-point numbers.
 *
 * Everything in src/exact is integer arithmetic. Signed right shifts are taken to be arithmetic, as gcc and
 * clang define them; unsigned arithmetic wraps, and several reductions rely on that. */
#ifndef TY_EXACT_WORD_H
#define TY_EXACT_WORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 ty_u128;
__extension__ typedef __int128 ty_i128;

/* A function compiled anew for each constant argument, and one kept out of its caller's way because it runs
 * rarely. */
#define TY_SPECIALISED static inline __attribute__((always_inline))
#define TY_RARE static __attribute__((noinline, cold))

#define TY_U128(high, low) (((ty_u128)(high) << 64) | (low))

/* The canonical quiet NaN: every invalid argument gives these bits, on every processor. */
#define TY_NAN_BITS UINT64_C(0x7ff8000000000000)
#define TY_INF_BITS UINT64_C(0x7ff0000000000000)
#define TY_ONE_BITS UINT64_C(0x3ff0000000000000)
#define TY_SIGN_BIT UINT64_C(0x8000000000000000)

static inline uint64_t ty_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double ty_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t ty_bits_f(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float ty_from_bits_f(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* -x where negate, else x: without a branch, since signs are as good as random. */
static inline ty_u128 ty_negate_if(ty_u128 x, bool negate)
{
    const ty_u128 mask = -(ty_u128)negate;
    return (x ^ mask) - mask;
}

/* x must not be 0. */
static inline int ty_leading_zeros(ty_u128 x)
{
    const uint64_t high = (uint64_t)(x >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
}

/* a * b / 2^128, below the true quotient by less than 3. */
static inline ty_u128 ty_mul_high(ty_u128 a, ty_u128 b)
{
    const uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a;
    const uint64_t b1 = (uint64_t)(b >> 64), b0 = (uint64_t)b;
    return (ty_u128)a1 * b1 + (((ty_u128)a1 * b0) >> 64) + (((ty_u128)a0 * b1) >> 64);
}

/* a * b / 2^64 for a one-word b, below the true quotient by less than 1. */
static inline ty_u128 ty_mul_high_word(ty_u128 a, uint64_t b)
{
    return (a >> 64) * b + (((a & UINT64_MAX) * b) >> 64);
}

/* a * b / 2^shift, rounded down. */
static inline int64_t ty_mul_shift(int64_t a, int64_t b, int shift)
{
    return (int64_t)(((ty_i128)a * b) >> shift);
}

/* A finite positive double as mantissa * 2^(exponent - 52), 2^52 <= mantissa < 2^53. */
struct ty_split {
    uint64_t mantissa;
    int exponent;
};

static inline struct ty_split ty_split_bits(uint64_t magnitude_bits)
{
    const int field = (int)(magnitude_bits >> 52);
    if (field == 0) {
        const int shift = __builtin_clzll(magnitude_bits) - 11;
        return (struct ty_split){magnitude_bits << shift, -1022 - shift};
    }
    return (struct ty_split){(magnitude_bits & (UINT64_MAX >> 12)) | (UINT64_C(1) << 52), field - 1023};
}

/* The bits of a float as those of the same double. In integers, since a processor set to flush subnormals
 * to zero does not convert them. */
static inline uint64_t ty_widen_bits(uint32_t bits)
{
    const uint64_t sign = (uint64_t)(bits >> 31) << 63, size = bits & UINT32_C(0x7fffffff);
    if (size >= UINT32_C(0x7f800000))
        return sign | TY_INF_BITS | (size & UINT32_C(0x007fffff)) << 29;
    if (size >= UINT32_C(0x00800000))
        return sign | ((size << 29) + ((uint64_t)(1023 - 127) << 52));
    if (size == 0)
        return sign;
    const int shift = __builtin_clzll(size) - 11;
    return sign | ((size << shift) + ((uint64_t)(1023 - 149 + 51 - shift) << 52));
}

#endif
