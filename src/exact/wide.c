#include "wide.h"

#include "tables.h"

/* Limbs from least to most; of n in use, the last is the integer part. Negative numbers are two's
 * complement. */
struct wide {
    uint64_t limb[TY_WIDE_LIMBS];
};

enum { FIRST_LIMBS = 6, MORE_LIMBS = 9 };

static struct wide wide_integer(uint64_t value, int n)
{
    struct wide r = {{0}};
    r.limb[n - 1] = value;
    return r;
}

/* The constant cut to n limbs: short by less than one unit. */
static struct wide wide_constant(const uint64_t *limbs, int n)
{
    struct wide r = {{0}};
    memcpy(r.limb, limbs + (TY_WIDE_LIMBS - n), (size_t)n * sizeof *limbs);
    return r;
}

static bool is_negative(const struct wide *a, int n)
{
    return a->limb[n - 1] >> 63;
}

static bool is_zero(const struct wide *a, int n)
{
    uint64_t any = 0;
    for (int i = 0; i < n; i++)
        any |= a->limb[i];
    return any == 0;
}

static void add(struct wide *a, const struct wide *b, int n)
{
    ty_u128 carry = 0;
    for (int i = 0; i < n; i++) {
        carry += (ty_u128)a->limb[i] + b->limb[i];
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void negate(struct wide *a, int n)
{
    ty_u128 carry = 1;
    for (int i = 0; i < n; i++) {
        carry += ~a->limb[i];
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void subtract(struct wide *a, const struct wide *b, int n)
{
    struct wide c = *b;
    negate(&c, n);
    add(a, &c, n);
}

/* Exact modulo the range. */
static void multiply_word(struct wide *a, uint64_t b, int n)
{
    ty_u128 carry = 0;
    for (int i = 0; i < n; i++) {
        carry += (ty_u128)a->limb[i] * b;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* Short by less than one unit; a >= 0. */
static void divide_word(struct wide *a, uint64_t b, int n)
{
    ty_u128 rest = 0;
    for (int i = n - 1; i >= 0; i--) {
        rest = (rest << 64) | a->limb[i];
        a->limb[i] = (uint64_t)(rest / b);
        rest %= b;
    }
}

/* Short by less than one unit; a, b >= 0. */
static void multiply(struct wide *a, const struct wide *b, int n)
{
    uint64_t product[2 * TY_WIDE_LIMBS] = {0};
    for (int i = 0; i < n; i++) {
        ty_u128 carry = 0;
        for (int j = 0; j < n; j++) {
            carry += (ty_u128)a->limb[i] * b->limb[j] + product[i + j];
            product[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        product[i + n] = (uint64_t)carry;
    }
    memcpy(a->limb, product + (n - 1), (size_t)n * sizeof *product);
}

/* a / 2^bits, short by less than one unit; a >= 0. */
static void shift_right(struct wide *a, int bits, int n)
{
    const int words = bits / 64, rest = bits % 64;
    for (int i = 0; i < n; i++) {
        const uint64_t low = i + words < n ? a->limb[i + words] : 0;
        const uint64_t high = i + words + 1 < n ? a->limb[i + words + 1] : 0;
        a->limb[i] = rest ? low >> rest | high << (64 - rest) : low;
    }
}

/* The bits of a * 2^exponent, a >= 0, rounded as an exact number. */
static uint64_t round_exactly(const struct wide *a, int n, int exponent, struct ty_format format)
{
    int top = n - 1;
    while (top > 1 && a->limb[top] == 0)
        top--;
    const ty_u128 magnitude = TY_U128(a->limb[top], a->limb[top - 1]);
    struct ty_approx r = {magnitude, 0, 64 * (n - top) - exponent, false};
    bool rest = false;
    for (int i = 0; i < top - 1; i++)
        rest |= a->limb[i] != 0;
    if (magnitude != 0) {
        /* Room for the bit that stands for all lower ones. */
        const int up = ty_leading_zeros(magnitude);
        const uint64_t below = top >= 2 ? a->limb[top - 2] : 0;
        r.magnitude = magnitude << up | (up ? below >> 1 >> (63 - up % 64) : 0);
        r.scale += up;
    }
    r.magnitude |= rest;
    uint64_t bits = 0;
    (void)ty_round(r, format, &bits);
    return bits;
}

/* Whether every number of a +- 2^error_bits units, times 2^exponent, rounds to the same bits. */
static bool round_interval(const struct wide *a, int error_bits, int n, int exponent, struct ty_format format,
                           uint64_t *bits)
{
    struct wide error = {{0}}, low = *a, high = *a;
    error.limb[error_bits / 64] = UINT64_C(1) << error_bits % 64;
    add(&high, &error, n);
    subtract(&low, &error, n);
    if (is_negative(&low, n))
        low = wide_integer(0, n);
    *bits = round_exactly(&low, n, exponent, format);
    return *bits == round_exactly(&high, n, exponent, format);
}

/* ln x, off by less than 2^12 units. m = x / 2^e lies in [3/4, 3/2), and ln m = 2 atanh t = 2 (t + t^3/3 +
 * ...) with t = (m - 1) / (m + 1), |t| <= 1/5, a quotient of words. Each power is short by less than 2.1
 * units and each term by 2.1 / (2k + 1) + 1; there are less than 14 n + 2 terms, 464 of them at most; e ln
 * 2 is short by less than 1075. */
static struct wide ln_wide(struct ty_split x, int n)
{
    const uint64_t one = UINT64_C(1) << 52;
    const bool fold = x.mantissa >= one + one / 2;
    const uint64_t centre = fold ? 2 * one : one;
    const bool below = x.mantissa < centre;
    const uint64_t a = below ? centre - x.mantissa : x.mantissa - centre, b = x.mantissa + centre;
    const int e = x.exponent + fold;

    struct wide sum = wide_integer(0, n), power = wide_integer(2 * a, n);
    divide_word(&power, b, n);
    for (uint64_t k = 1; !is_zero(&power, n); k += 2) {
        struct wide term = power;
        divide_word(&term, k, n);
        add(&sum, &term, n);
        for (int i = 0; i < 2; i++) {
            multiply_word(&power, a, n);
            divide_word(&power, b, n);
        }
    }
    if (below)
        negate(&sum, n);
    struct wide twos = wide_constant(ty_wide_ln2, n);
    multiply_word(&twos, (uint64_t)(e < 0 ? -e : e), n);
    if (e < 0)
        subtract(&sum, &twos, n);
    else
        add(&sum, &twos, n);
    return sum;
}

/* e^r for 0 <= r < 3/4, short by less than 2^12 units if r is exact: each of the less than 20 n terms of
 * the Taylor series is short by less than 3. */
static struct wide exp_series(const struct wide *r, int n)
{
    struct wide sum = wide_integer(0, n), term = wide_integer(1, n);
    for (uint64_t k = 1; !is_zero(&term, n); k++) {
        add(&sum, &term, n);
        multiply(&term, r, n);
        divide_word(&term, k, n);
    }
    return sum;
}

/* Whether e^w, w known up to 2^error_bits units, |w| < 2^11, could be rounded. error_bits is at least 12: k
 * ln 2 adds less than 2^12 units and the series 2^12; e^r < 2.2 multiplies the error of w: 2^(error_bits +
 * 3) covers all. */
static bool exp_wide(const struct wide *w, int error_bits, int n, struct ty_format format, uint64_t *bits)
{
    const struct wide ln2 = wide_constant(ty_wide_ln2, n);
    /* floor(w / ln 2) from the integer part and 32 bits more, perhaps one too low or too high. */
    const int64_t coarse = (int64_t)(w->limb[n - 1] << 32 | w->limb[n - 2] >> 32);
    int k = (int)(((ty_i128)coarse * INT64_C(6196328018)) >> 64);
    struct wide r = *w, steps = ln2;
    multiply_word(&steps, (uint64_t)(k < 0 ? -k : k), n);
    if (k < 0)
        add(&r, &steps, n);
    else
        subtract(&r, &steps, n);
    if (is_negative(&r, n)) {
        add(&r, &ln2, n);
        k--;
    }
    const struct wide e = exp_series(&r, n);
    return round_interval(&e, error_bits + 3, n, k, format, bits);
}

/* The last n, 2048 fraction bits, ends the loops whatever happens; no double comes near to needing it. */
uint64_t ty_wide_log(struct ty_split x, enum ty_wide_base base, struct ty_format format, bool *negative)
{
    for (int n = FIRST_LIMBS;; n += MORE_LIMBS) {
        struct wide v = ln_wide(x, n);
        *negative = is_negative(&v, n);
        if (*negative)
            negate(&v, n);
        if (base != TY_WIDE_E) {
            /* The error grows by 1.45, and by |ln x| < 2^10 times the constant's unit, and by one: below
             * 2^13. */
            const struct wide inverse =
                wide_constant(base == TY_WIDE_2 ? ty_wide_inverse_ln2 : ty_wide_inverse_ln10, n);
            multiply(&v, &inverse, n);
        }
        uint64_t bits;
        if (round_interval(&v, 13, n, 0, format, &bits) || n == TY_WIDE_LIMBS)
            return bits;
    }
}

uint64_t ty_wide_exp(struct ty_split x, bool negative, struct ty_format format)
{
    for (int n = FIRST_LIMBS;; n += MORE_LIMBS) {
        struct wide w = wide_integer(x.mantissa << 11, n);
        shift_right(&w, 63 - x.exponent, n);
        if (negative)
            negate(&w, n);
        uint64_t bits;
        if (exp_wide(&w, 12, n, format, &bits) || n == TY_WIDE_LIMBS)
            return bits;
    }
}

/* |y| < 2^64, as |ln x| > 2^-54: the 2^12 units of ln x become less than 2^76. */
uint64_t ty_wide_pow(struct ty_split x, struct ty_split y, bool y_negative, struct ty_format format)
{
    for (int n = FIRST_LIMBS;; n += MORE_LIMBS) {
        struct wide w = ln_wide(x, n);
        const bool negative = is_negative(&w, n);
        if (negative)
            negate(&w, n);
        multiply_word(&w, y.mantissa, n);
        if (y.exponent <= 52)
            shift_right(&w, 52 - y.exponent, n);
        else
            multiply_word(&w, UINT64_C(1) << (y.exponent - 52), n);
        if (negative != y_negative)
            negate(&w, n);
        uint64_t bits;
        if (exp_wide(&w, 76, n, format, &bits) || n == TY_WIDE_LIMBS)
            return bits;
    }
}
