/* sin x = x - x^3/3! + x^5/5! - ... in fixed point of as many words as it takes; no reduction by pi, since
 * |x| < 16. */
#include "sin.h"

#include "word.h"

/* Fixed point: limb[0] to limb[n - 1] hold the fraction, least first, limb[n] the integer part. */
enum { FIRST_LIMBS = 4, MAX_LIMBS = 32 };

struct fixed {
    uint64_t limb[MAX_LIMBS + 1];
};

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

/* Modulo 2^64; returns whether b was larger. */
static bool subtract(struct fixed *a, const struct fixed *b, int n)
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
static void divide_word(struct fixed *a, uint64_t b, int n)
{
    ty_u128 rest = 0;
    for (int i = n; i >= 0; i--) {
        rest = rest << 64 | a->limb[i];
        a->limb[i] = (uint64_t)(rest / b);
        rest %= b;
    }
}

/* Short by less than one unit. a * b < 2^64. */
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

/* The bits of a positive number below 2, not near the subnormals, rounded as if it were exact. */
static uint64_t rounded(const struct fixed *a, int n)
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

/* |sin x| for x = mantissa * 2^(exponent - 52) in [2^-27, 16), off by less than 2^33 units. x is exact: its
 * last bit is 2^-79 at least. Terms grow to at most 16^15 / 15! < 2^20, x^2 < 2^8 is short by one unit: e
 * units of error of a term become less than (2^8 e + 2^20 + 1) / ((k + 1) (k + 2)) + 1 in the next. That is
 * never more than 2^28, less than 2^32 in all while it exceeds 2, and less than 2 for each of the fewer
 * than 2^10 terms that follow. */
static struct fixed sine(uint64_t mantissa, int exponent, int n, bool *negative)
{
    struct fixed x = {{0}};
    const int lowest = 64 * n + exponent - 52;
    x.limb[lowest / 64] = mantissa << lowest % 64;
    if (lowest % 64 != 0)
        x.limb[lowest / 64 + 1] = mantissa >> (64 - lowest % 64);

    struct fixed square = x, term = x, plus = {{0}}, minus = {{0}};
    multiply(&square, &x, n);
    for (uint64_t k = 1; !is_zero(&term, n); k += 2) {
        add(k % 4 == 1 ? &plus : &minus, &term, n);
        multiply(&term, &square, n);
        divide_word(&term, (k + 1) * (k + 2), n);
    }
    struct fixed sum = plus;
    *negative = subtract(&sum, &minus, n);
    if (*negative) {
        sum = minus;
        subtract(&sum, &plus, n);
    }
    return sum;
}

#define ERROR_UNITS (UINT64_C(1) << 33)

/* sin x is transcendental for x other than 0, so no midpoint stops the loop. No double below 16 comes
 * nearer to a multiple of pi than 2^-60, so 4 limbs leave at least 2^-160 relative. */
static uint64_t sine_bits(uint64_t mantissa, int exponent, bool *negative)
{
    for (int n = FIRST_LIMBS;; n *= 2) {
        struct fixed low = sine(mantissa, exponent, n, negative), high = low;
        const struct fixed error = {{ERROR_UNITS}};
        add(&high, &error, n);
        subtract(&low, &error, n);
        const uint64_t bits = rounded(&low, n);
        if (bits == rounded(&high, n) || n == MAX_LIMBS)
            return bits;
    }
}

double ty_sin(double x)
{
    const uint64_t bits = ty_bits(x), magnitude = bits & ~TY_SIGN_BIT, sign = bits & TY_SIGN_BIT;
    /* Below 2^-27 x^3/6 is less than half the distance to the next number. */
    if (magnitude < (uint64_t)(1023 - 27) << 52)
        return x;
    if (magnitude >= UINT64_C(0x4030000000000000))
        return ty_from_bits(TY_NAN_BITS);
    const struct ty_split s = ty_split_bits(magnitude);
    bool negative;
    const uint64_t result = sine_bits(s.mantissa, s.exponent, &negative);
    return ty_from_bits(result | (negative ? sign ^ TY_SIGN_BIT : sign));
}
