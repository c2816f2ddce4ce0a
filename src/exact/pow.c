#include "exp_first.h"
#include "log_first.h"
#include "math.h"
#include "wide.h"

enum parity { NOT_INTEGER, EVEN, ODD };

/* magnitude is the bits of a positive finite double. */
static enum parity parity_of(uint64_t magnitude)
{
    const int exponent = (int)(magnitude >> 52) - 1023;
    if (exponent < 0)
        return NOT_INTEGER;
    if (exponent > 52)
        return EVEN;
    const uint64_t mantissa = magnitude | UINT64_C(1) << 52, unit = UINT64_C(1) << (52 - exponent);
    if (mantissa & (unit - 1))
        return NOT_INTEGER;
    return mantissa & unit ? ODD : EVEN;
}

/* The square root of a, rounded down, for a < 2^54. */
static uint64_t root(uint64_t a)
{
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 26; bit; bit >>= 1) {
        if ((r + bit) * (r + bit) <= a)
            r += bit;
    }
    return r;
}

/* Whether x^(+-y) is an integer below 2^64 times a power of 2, which is then stored. Write x = a 2^p and y
 * = b 2^g with a and b odd. If x^y is such a number, then a = 1, or y is positive and, for g < 0, a is a
 * 2^-g-th power and p a multiple of 2^-g. Every number of the format and every midpoint is such a number. x
 * is not 1, and |y ln x| < 2^11. */
static bool exact_power(struct ty_split x, struct ty_split y, bool y_negative, struct ty_approx *result)
{
    const int x_zeros = __builtin_ctzll(x.mantissa), y_zeros = __builtin_ctzll(y.mantissa);
    uint64_t a = x.mantissa >> x_zeros;
    int64_t p = x.exponent - 52 + x_zeros;
    const uint64_t b = y.mantissa >> y_zeros;
    int g = y.exponent - 52 + y_zeros;
    if (a != 1 && y_negative)
        return false;
    for (; g < 0; g++) {
        const uint64_t r = root(a);
        if (p % 2 != 0 || r * r != a)
            return false;
        a = r;
        p /= 2;
    }
    /* From here y is the integer b 2^g; 3^41 > 2^64, and for a = 1 the bound on y ln x keeps it low. */
    if (g >= 12 || b >> (12 - g) != 0)
        return false;
    const int64_t n = (int64_t)(b << g);
    ty_u128 power = 1;
    for (int64_t i = 0; i < n && a != 1; i++) {
        power *= a;
        if (power >> 64)
            return false;
    }
    *result = (struct ty_approx){power, 0, (int)(y_negative ? p * n : -p * n), false};
    return true;
}

/* y ln x at 2^-116, off by at most error units. Returns false where it is beyond the formats, 2^10 or more;
 * what it gives is below 2^11. */
TY_SPECIALISED bool exponent(const struct ty_approx ln, struct ty_split y, bool negative, ty_i128 *w,
                             ty_u128 *error)
{
    /* The product is at least 2^126; its error is that of ln x, shifted, and 1 for the cut. */
    const int up = ty_leading_zeros(ln.magnitude);
    const ty_u128 product = ty_mul_high_word(ln.magnitude << up, y.mantissa << 11);
    const int down = ln.scale + up - y.exponent - 1 - 116;
    if (down <= 0)
        return false;
    *w = down < 128 ? (ty_i128)ty_negate_if(product >> down, negative) : 0;
    *error = (down < 128 ? (((ty_u128)ln.error << up) + 1) >> down : 0) + 2;
    return true;
}

static uint64_t beyond(bool negative, struct ty_format format)
{
    return negative ? 0 : format.infinity_bits;
}

/* The bits of x^(+-y) where the quick step could not tell. */
TY_RARE uint64_t pow_carefully(struct ty_split x, struct ty_split y, bool y_negative, struct ty_format format)
{
    const struct ty_approx ln = ty_log_first(ty_log_reduce(x), &ty_base_e);
    const bool negative = ln.negative != y_negative;
    ty_i128 w;
    ty_u128 error;
    uint64_t bits;
    if (!exponent(ln, y, negative, &w, &error))
        return beyond(negative, format);
    if (ty_round(ty_exp_first(ty_exp_reduce(w), (uint64_t)error), format, &bits))
        return bits;
    struct ty_approx exact;
    if (exact_power(x, y, y_negative, &exact) && ty_round(exact, format, &bits))
        return bits;
    return ty_wide_pow(x, y, y_negative, format);
}

/* The bits of x^(+-y) for positive finite x != 1 and y. The quick logarithm is enough for float: away from
 * 1 its error is below 2^-38 of it. */
TY_SPECIALISED uint64_t pow_positive(struct ty_split x, struct ty_split y, bool y_negative,
                                     struct ty_format format)
{
    const struct ty_log_reduced reduced = ty_log_reduce(x);
    const bool quick = format.digits == 24 && !reduced.near_one;
    const struct ty_approx ln = quick ? ty_log_quick(reduced, &ty_base_e) : ty_log_first(reduced, &ty_base_e);
    const bool negative = ln.negative != y_negative;
    ty_i128 w;
    ty_u128 error;
    if (!exponent(ln, y, negative, &w, &error))
        return beyond(negative, format);
    uint64_t bits;
    if (!ty_exp_quick(ty_exp_reduce(w), error, format, &bits))
        bits = pow_carefully(x, y, y_negative, format);
    return bits;
}

/* The bits of x^y in the given format, sign in bit 63. */
TY_SPECIALISED uint64_t pow_bits(uint64_t x, uint64_t y, struct ty_format format)
{
    const uint64_t size_x = x & ~TY_SIGN_BIT, size_y = y & ~TY_SIGN_BIT;
    const bool y_negative = y != size_y;
    const uint64_t one = format.digits == 53 ? TY_ONE_BITS : UINT64_C(0x3f800000);
    if (size_y == 0 || x == TY_ONE_BITS)
        return one;
    if (size_x > TY_INF_BITS || size_y > TY_INF_BITS)
        return TY_NAN_BITS;
    if (size_y == TY_INF_BITS) {
        if (size_x == TY_ONE_BITS)
            return one;
        return (size_x < TY_ONE_BITS) == y_negative ? format.infinity_bits : 0;
    }
    uint64_t sign = 0;
    if (size_x != x) {
        const enum parity parity = parity_of(size_y);
        if (parity == NOT_INTEGER && size_x != 0 && size_x != TY_INF_BITS)
            return TY_NAN_BITS;
        sign = parity == ODD ? TY_SIGN_BIT : 0;
    }
    if (size_x == 0 || size_x == TY_INF_BITS)
        return sign | ((size_x == 0) == y_negative ? format.infinity_bits : 0);
    if (size_x == TY_ONE_BITS)
        return sign | one;
    return sign | pow_positive(ty_split_bits(size_x), ty_split_bits(size_y), y_negative, format);
}

double ty_pow(double x, double y)
{
    return ty_from_bits(pow_bits(ty_bits(x), ty_bits(y), TY_DOUBLE));
}

float ty_powf(float x, float y)
{
    const uint64_t bits = pow_bits(ty_widen_bits(ty_bits_f(x)), ty_widen_bits(ty_bits_f(y)), TY_FLOAT);
    if (bits == TY_NAN_BITS)
        return ty_from_bits_f(UINT32_C(0x7fc00000));
    return ty_from_bits_f((uint32_t)bits | (uint32_t)(bits >> 32));
}
