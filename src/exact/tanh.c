/* tanh x = (1 - t) / (1 + t) with t = e^(-2x), in fixed point of as many words as it takes. */
#include "tanh.h"

#include "fixed.h"

static struct ty_fixed one(int n)
{
    struct ty_fixed r = {{0}};
    r.limb[n] = 1;
    return r;
}

static bool less(const struct ty_fixed *a, const struct ty_fixed *b, int n)
{
    for (int i = n; i >= 0; i--) {
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    }
    return false;
}

static void twice(struct ty_fixed *a, int n)
{
    for (int i = n; i > 0; i--)
        a->limb[i] = a->limb[i] << 1 | a->limb[i - 1] >> 63;
    a->limb[0] <<= 1;
}

/* a / b for a < b, b < 2: short by less than one unit. */
static struct ty_fixed quotient(struct ty_fixed a, const struct ty_fixed *b, int n)
{
    struct ty_fixed q = {{0}};
    for (int i = 64 * n - 1; i >= 0; i--) {
        twice(&a, n);
        if (!less(&a, b, n)) {
            ty_fixed_subtract(&a, b, n);
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
static struct ty_fixed exp_minus(uint64_t mantissa, int exponent, int n)
{
    const struct ty_fixed y = ty_fixed_of(mantissa, exponent - HALVINGS, n);
    struct ty_fixed even = one(n), odd = {{0}}, term = y;
    for (uint64_t k = 1; !ty_fixed_is_zero(&term, n); k++) {
        ty_fixed_add(k % 2 ? &odd : &even, &term, n);
        ty_fixed_multiply(&term, &y, n);
        ty_fixed_divide_word(&term, k + 1, n);
    }
    ty_fixed_subtract(&even, &odd, n);
    for (int i = 0; i < HALVINGS; i++) {
        const struct ty_fixed root = even;
        ty_fixed_multiply(&even, &root, n);
    }
    return even;
}

/* The 2^23 units of t become less than 2^24 in the quotient, whose derivative by t is at most 2. */
#define ERROR_UNITS (UINT64_C(1) << 25)

/* tanh x is transcendental for x other than 0, so no midpoint stops the loop; 4 limbs leave 2^-203 relative. */
static uint64_t tanh_bits(uint64_t mantissa, int exponent)
{
    for (int n = TY_FIXED_FIRST;; n *= 2) {
        const struct ty_fixed t = exp_minus(mantissa, exponent + 1, n);
        struct ty_fixed over = one(n), under = one(n);
        ty_fixed_subtract(&over, &t, n);
        ty_fixed_add(&under, &t, n);
        const struct ty_fixed ratio = quotient(over, &under, n);
        uint64_t bits;
        if (ty_fixed_decide(&ratio, ERROR_UNITS, n, &bits) || n == TY_FIXED_MOST)
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
