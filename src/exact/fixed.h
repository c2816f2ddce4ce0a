/* Fixed point of as many words as it takes, for functions that are called seldom. */
#ifndef TY_EXACT_FIXED_H
#define TY_EXACT_FIXED_H

#include "word.h"

/* Fixed point: limb[0] to limb[n - 1] hold the fraction, least first, limb[n] the integer part. */
enum { TY_FIXED_FIRST = 4, TY_FIXED_MOST = 32 };

struct ty_fixed {
    uint64_t limb[TY_FIXED_MOST + 1];
};

static inline bool ty_fixed_is_zero(const struct ty_fixed *a, int n)
{
    uint64_t any = 0;
    for (int i = 0; i <= n; i++)
        any |= a->limb[i];
    return any == 0;
}

static inline void ty_fixed_add(struct ty_fixed *a, const struct ty_fixed *b, int n)
{
    ty_u128 carry = 0;
    for (int i = 0; i <= n; i++) {
        carry += (ty_u128)a->limb[i] + b->limb[i];
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* Modulo 2^64; returns whether b was larger. */
static inline bool ty_fixed_subtract(struct ty_fixed *a, const struct ty_fixed *b, int n)
{
    uint64_t borrow = 0;
    for (int i = 0; i <= n; i++) {
        const ty_u128 d = (ty_u128)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) != 0;
    }
    return borrow != 0;
}

/* Short by less than one unit. */
static inline void ty_fixed_divide_word(struct ty_fixed *a, uint64_t b, int n)
{
    ty_u128 rest = 0;
    for (int i = n; i >= 0; i--) {
        rest = rest << 64 | a->limb[i];
        a->limb[i] = (uint64_t)(rest / b);
        rest %= b;
    }
}

/* Short by less than one unit. a * b < 2^64. */
static inline void ty_fixed_multiply(struct ty_fixed *a, const struct ty_fixed *b, int n)
{
    uint64_t product[2 * TY_FIXED_MOST + 2] = {0};
    for (int i = 0; i <= n; i++) {
        ty_u128 carry = 0;
        for (int j = 0; j <= n; j++) {
            carry += (ty_u128)a->limb[i] * b->limb[j] + product[i + j];
            product[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        product[i + n + 1] = (uint64_t)carry;
    }
    memcpy(a->limb, product + n, (size_t)(n + 1) * sizeof *product);
}

/* The bits of a positive number below 2, not near the subnormals, rounded as if it were exact. */
static inline uint64_t ty_fixed_round(const struct ty_fixed *a, int n)
{
    int top = n;
    while (top > 0 && a->limb[top] == 0)
        top--;
    if (top == 0)
        return 0;
    const int zeros = __builtin_clzll(a->limb[top]);
    const ty_u128 both = TY_U128(a->limb[top], a->limb[top - 1]) << zeros;
    bool rest = (uint64_t)both != 0;
    for (int i = 0; i < top - 1; i++)
        rest |= a->limb[i] != 0;
    const uint64_t m = (uint64_t)(both >> 64), half = UINT64_C(1) << 10, below = m & (2 * half - 1);
    const bool up = below > half || (below == half && (rest || (m >> 11 & 1)));
    const int exponent = 64 * (top - n) + 63 - zeros;
    /* The leading bit adds one to the exponent field, and a carry of the rounding another. */
    return ((uint64_t)(exponent + 1022) << 52) + (m >> 11) + up;
}

/* mantissa * 2^(exponent - 52), which must be a multiple of the unit. */
static inline struct ty_fixed ty_fixed_of(uint64_t mantissa, int exponent, int n)
{
    struct ty_fixed x = {{0}};
    const int lowest = 64 * n + exponent - 52;
    x.limb[lowest / 64] = mantissa << lowest % 64;
    if (lowest % 64 != 0)
        x.limb[lowest / 64 + 1] = mantissa >> (64 - lowest % 64);
    return x;
}

/* Rounds a number that is off by less than `units` either way; false where that leaves two choices, of which
 * *bits is the lower. */
static inline bool ty_fixed_decide(const struct ty_fixed *a, uint64_t units, int n, uint64_t *bits)
{
    const struct ty_fixed error = {{units}};
    struct ty_fixed low = *a, high = *a;
    ty_fixed_add(&high, &error, n);
    ty_fixed_subtract(&low, &error, n);
    *bits = ty_fixed_round(&low, n);
    return *bits == ty_fixed_round(&high, n);
}

#endif
