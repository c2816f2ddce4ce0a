#include "exp_first.h"
#include "math.h"
#include "wide.h"

/* |x| < 2^10 at 2^-116, cut: off by less than 1. */
static inline ty_u128 fixed_point(struct ty_split x)
{
    const int shift = 116 - 52 + x.exponent;
    if (shift >= 0)
        return (ty_u128)x.mantissa << shift;
    return shift > -64 ? x.mantissa >> -shift : 0;
}

/* The bits of e^x where the quick step could not tell. */
TY_RARE uint64_t exp_carefully(struct ty_split x, struct ty_exp_reduced reduced, bool negative)
{
    uint64_t result;
    if (!ty_round(ty_exp_first(reduced, 1), TY_DOUBLE, &result))
        result = ty_wide_exp(x, negative, TY_DOUBLE);
    return result;
}

double ty_exp(double x)
{
    const uint64_t bits = ty_bits(x);
    const uint64_t magnitude = bits & ~TY_SIGN_BIT;
    const bool negative = bits != magnitude;
    if (magnitude > TY_INF_BITS)
        return ty_from_bits(TY_NAN_BITS);
    if (magnitude == 0)
        return ty_from_bits(TY_ONE_BITS);
    const struct ty_split s = ty_split_bits(magnitude);
    if (s.exponent >= 10)
        return ty_from_bits(negative ? 0 : TY_INF_BITS);
    const ty_u128 w = fixed_point(s);
    const struct ty_exp_reduced reduced = ty_exp_reduce((ty_i128)ty_negate_if(w, negative));
    uint64_t result;
    if (!ty_exp_quick(reduced, 1, TY_DOUBLE, &result))
        result = exp_carefully(s, reduced, negative);
    return ty_from_bits(result);
}
