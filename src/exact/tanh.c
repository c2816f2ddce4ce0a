/* tanh x = (1 - t) / (1 + t) with t = e^(-2x), in fixed point of as many words as it takes. */
#include "tanh.h"

#include "word.h"

/* Fixed point: limb[0] to limb[n - 1] hold the fraction, least first, limb[n] the integer part. */
enum { FIRST_LIMBS = 4, MAX_LIMBS = 32 };

struct fixed {
    uint64_t limb[MAX_LIMBS + 1];
};

static struct fixed one(int n)
{
    struct fixed r = {{0}};
    r.limb[n] = 1;
    return r;
}

static bool is_zero(const struct fixed *a, int n)
{
    uint64_t any = 0;
    for (int i = 0; i <= n; i++)
        any |= a->limb[i];
    return any == 0;
}

static void add(struct fixed *a, const struct fixed *b, int n)
{
    ty_u128 carry = 0;
    for (int i = 0; i <= n; i++) {
        carry += (ty_u128)a->limb[i] + b->limb[i];
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void add_word(struct fixed *a, uint64_t units, int n)
{
    ty_u128 carry = units;
    for (int i = 0; i <= n; i++) {
        carry += a->limb[i];
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* a >= b. */
static void subtract(struct fixed *a, const struct fixed *b, int n)
{
    uint64_t borrow = 0;
    for (int i = 0; i <= n; i++) {
        const ty_u128 d = (ty_u128)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) != 0;
    }
}

static bool less(const struct fixed *a, const struct fixed *b, int n)
{
    for (int i = n; i >= 0; i--) {
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    }
    return false;
}

static void twice(struct fixed *a, int n)
{
    for (int i = n; i > 0; i--)
        a->limb[i] = a->limb[i] << 1 | a->limb[i - 1] >> 63;
    a->limb[0] <<= 1;
}

/* Short by less than one unit. */
static void divide_word(struct fixed *a, uint64_t b, int n)
{
    ty_u128 rest = 0;
    for (int i = n; i >= 0; i--) {
        rest = rest << 64 | a->limb[i];
        a->limb[i] = (uint64_t)(rest / b);
        rest %= b;
    }
}

/* Short by less than one unit. */
static void multiply(struct fixed *a, const struct fixed *b, int n)
{
    uint64_t product[2 * MAX_LIMBS + 2] = {0};
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

/* a / b for a < b, b < 2: short by less than one unit. */
static struct fixed quotient(struct fixed a, const struct fixed *b, int n)
{
    struct fixed q = {{0}};
    for (int i = 64 * n - 1; i >= 0; i--) {
        twice(&a, n);
        if (!less(&a, b, n)) {
            subtract(&a, b, n);
            q.limb[i / 64] |= UINT64_C(1) << i % 64;
        }
    }
    return q;
}

/* The argument is divided by 2^HALVINGS for the series, whose sum is squared as often. */
enum { HALVINGS = 12 };

/* e^-w, w = mantissa * 2^(exponent - 52) in [2^-26, 40), off by less than 2^23 units: y = w / 2^12 < 2^-6 is exact,
 * since its last bit is 2^-(26 + 52 + 12) at least; the fewer than 11 n + 4 <= 356 terms of the series are short by
 * less than 2.1 units each, together 2^10; and each of 12 squarings of a number of at most 1 doubles the error and adds
 * one unit. */
static struct fixed exp_minus(uint64_t mantissa, int exponent, int n)
{
    struct fixed y = {{0}};
    const int lowest = 64 * n + exponent - 52 - HALVINGS;
    y.limb[lowest / 64] = mantissa << lowest % 64;
    if (lowest % 64 != 0)
        y.limb[lowest / 64 + 1] = mantissa >> (64 - lowest % 64);

    struct fixed even = one(n), odd = {{0}}, term = y;
    for (uint64_t k = 1; !is_zero(&term, n); k++) {
        add(k % 2 ? &odd : &even, &term, n);
        multiply(&term, &y, n);
        divide_word(&term, k + 1, n);
    }
    subtract(&even, &odd, n);
    for (int i = 0; i < HALVINGS; i++) {
        const struct fixed root = even;
        multiply(&even, &root, n);
    }
    return even;
}

/* The bits of a number in (0, 1], which is not near the subnormals, rounded as if it were exact. */
static uint64_t rounded(const struct fixed *a, int n)
{
    if (a->limb[n] != 0)
        return TY_ONE_BITS;
    int top = n - 1;
    while (a->limb[top] == 0)
        top--;
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

/* The 2^23 units of t become less than 2^24 in the quotient, whose derivative by t is at most 2. */
#define ERROR_UNITS (UINT64_C(1) << 25)

/* tanh x is transcendental for x other than 0, so no midpoint stops the loop; 4 limbs leave 2^-203 relative. */
static uint64_t tanh_bits(uint64_t mantissa, int exponent)
{
    for (int n = FIRST_LIMBS;; n *= 2) {
        const struct fixed t = exp_minus(mantissa, exponent + 1, n);
        struct fixed over = one(n), under = one(n);
        subtract(&over, &t, n);
        add(&under, &t, n);
        struct fixed low = quotient(over, &under, n), high = low;
        struct fixed error = {{ERROR_UNITS}};
        add_word(&high, ERROR_UNITS, n);
        subtract(&low, &error, n);
        const uint64_t bits = rounded(&low, n);
        if (bits == rounded(&high, n) || n == MAX_LIMBS)
            return bits;
    }
}

double ty_tanh(double x)
{
    const uint64_t bits = ty_bits(x), magnitude = bits & ~TY_SIGN_BIT, sign = bits & TY_SIGN_BIT;
    if (magnitude > TY_INF_BITS)
        return ty_from_bits(TY_NAN_BITS);
    /* Below 2^-27 x^3/3 is less than half the distance to the next number; from 20 on 1 - tanh x < 2^-56. */
    if (magnitude < (uint64_t)(1023 - 27) << 52)
        return x;
    if (magnitude >= UINT64_C(0x4034000000000000))
        return ty_from_bits(sign | TY_ONE_BITS);
    const struct ty_split s = ty_split_bits(magnitude);
    return ty_from_bits(sign | tanh_bits(s.mantissa, s.exponent));
}
