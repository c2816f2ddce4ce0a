#include "log_first.h"
#include "math.h"
#include "wide.h"

/* The bits of log_b x where the quick step could not tell. A power of the base never comes to the wide
 * step: the first is close to an integer, far from a midpoint. */
TY_RARE uint64_t log_carefully(struct ty_split x, const struct ty_log_base *base, enum ty_wide_base wide)
{
    const struct ty_approx first = ty_log_first(ty_log_reduce(x), base);
    bool negative = first.negative;
    uint64_t result;
    if (!ty_round(first, TY_DOUBLE, &result))
        result = ty_wide_log(x, wide, TY_DOUBLE, &negative);
    return result | (uint64_t)negative << 63;
}

TY_SPECIALISED double log_any(double x, const struct ty_log_base *base, enum ty_wide_base wide)
{
    const uint64_t bits = ty_bits(x);
    if (bits - 1 >= TY_INF_BITS - 1) {
        if (bits << 1 == 0)
            return ty_from_bits(TY_INF_BITS | TY_SIGN_BIT);
        return ty_from_bits(bits == TY_INF_BITS ? TY_INF_BITS : TY_NAN_BITS);
    }
    if (bits == TY_ONE_BITS)
        return ty_from_bits(0);
    const struct ty_split s = ty_split_bits(bits);
    const struct ty_approx quick = ty_log_quick(ty_log_reduce(s), base);
    uint64_t result;
    if (!ty_round_first_word(quick, TY_DOUBLE, &result))
        return ty_from_bits(log_carefully(s, base, wide));
    return ty_from_bits(result | (uint64_t)quick.negative << 63);
}

double ty_log(double x)
{
    return log_any(x, &ty_base_e, TY_WIDE_E);
}

double ty_log2(double x)
{
    return log_any(x, &ty_base_2, TY_WIDE_2);
}

double ty_log10(double x)
{
    return log_any(x, &ty_base_10, TY_WIDE_10);
}
