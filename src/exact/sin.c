/* sin x = x - x^3/3! + x^5/5! - ... in fixed point of as many words as it takes; no reduction by pi, since
 * |x| < 16. */
#include "sin.h"

#include "fixed.h"

/* |sin x| for x = mantissa * 2^(exponent - 52) in [2^-27, 16), off by less than 2^33 units. x is exact: its
 * last bit is 2^-79 at least. Terms grow to at most 16^15 / 15! < 2^20, x^2 < 2^8 is short by one unit: e
 * units of error of a term become less than (2^8 e + 2^20 + 1) / ((k + 1) (k + 2)) + 1 in the next. That is
 * never more than 2^28, less than 2^32 in all while it exceeds 2, and less than 2 for each of the fewer
 * than 2^10 terms that follow. */
static struct ty_fixed sine(uint64_t mantissa, int exponent, int n, bool *negative)
{
    const struct ty_fixed x = ty_fixed_of(mantissa, exponent, n);
    struct ty_fixed square = x, term = x, plus = {{0}}, minus = {{0}};
    ty_fixed_multiply(&square, &x, n);
    for (uint64_t k = 1; !ty_fixed_is_zero(&term, n); k += 2) {
        ty_fixed_add(k % 4 == 1 ? &plus : &minus, &term, n);
        ty_fixed_multiply(&term, &square, n);
        ty_fixed_divide_word(&term, (k + 1) * (k + 2), n);
    }
    struct ty_fixed sum = plus;
    *negative = ty_fixed_subtract(&sum, &minus, n);
    if (*negative) {
        sum = minus;
        ty_fixed_subtract(&sum, &plus, n);
    }
    return sum;
}

#define ERROR_UNITS (UINT64_C(1) << 33)

/* sin x is transcendental for x other than 0, so no midpoint stops the loop. No double below 16 comes
 * nearer to a multiple of pi than 2^-60, so 4 limbs leave at least 2^-160 relative. */
static uint64_t sine_bits(uint64_t mantissa, int exponent, bool *negative)
{
    for (int n = TY_FIXED_FIRST;; n *= 2) {
        const struct ty_fixed sum = sine(mantissa, exponent, n, negative);
        uint64_t bits;
        if (ty_fixed_decide(&sum, ERROR_UNITS, n, &bits) || n == TY_FIXED_MOST)
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
