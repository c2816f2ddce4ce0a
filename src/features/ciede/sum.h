/* ciede: the sum of all differences as if added one after the other in double (spec 4.6), in integers: kernel
 * text.
 *
 * The sum is an integer in units of 2^-44, of at most 53 significant digits. Sums that need no more are exact
 * in any order; else rows are composed as in the spec of ordered sums, section 7. */
#ifndef TY_CIEDE_SUM_H
#define TY_CIEDE_SUM_H

#include "exact/kernel_wide.h"

#include "features/ciede/stages.h"

#define CIEDE_DIGITS 53
#define CIEDE_LIMIT ((u64)1 << CIEDE_DIGITS)

/* The float's field where its last digit is the unit, and that of 2^8. */
#define CIEDE_LOWEST_FIELD (150 - CIEDE_UNIT)
#define CIEDE_HIGHEST_FIELD 135

/* A non-negative float in units; 0 with `odd` set if it does not fit. */
FUNCTION(u64) ciede_units(f32 x) {
    const u32 field = f32_bits(x) >> 23;
    const u64 mantissa = (f32_bits(x) & 0x7fffff) | 0x800000;
    return field >= CIEDE_LOWEST_FIELD && field < CIEDE_HIGHEST_FIELD
               ? mantissa << (field - CIEDE_LOWEST_FIELD)
               : 0;
}

FUNCTION(u32) ciede_is_odd(f32 x) {
    return ciede_units(x) == 0 && f32_bits(x) != 0;
}

FUNCTION(u32) ciede_digits(wide x) {
    return wide_is_zero(x) ? 0 : 128 - wide_leading_zeros(x);
}

/* The exponent of the unit of a double of this value. */
FUNCTION(u32) ciede_exponent(wide sum) {
    const u32 digits = ciede_digits(sum);
    return digits > CIEDE_DIGITS ? digits - CIEDE_DIGITS : 0;
}

/* Whether a sum of terms with these bits is exact in double. */
FUNCTION(u32) ciede_is_exact(wide sum, u64 bits) {
    u32 low = 0;
    while (low < 63 && (bits >> low & 1) == 0)
        low++;
    return !wide_less(wide_shift_left(wide_of(0, CIEDE_LIMIT), low), sum);
}

/* How adding a term below 2^52 changes an even (parity 0) or odd multiple of 2^exponent: to nearest, ties to
 * even. The exponent is below 63. */
FUNCTION(u64) ciede_increment(u64 term, u32 exponent, u64 parity) {
    const u64 quotient = term >> exponent, rest = term - (quotient << exponent);
    const u64 midpoint = ((u64)1 << exponent) >> 1;
    const u64 tie = (quotient + parity) & 1;
    return quotient + (exponent == 0 || rest < midpoint ? 0 : rest > midpoint ? 1 : tie);
}

/* Steps are counted up to here; more leaves the binade anyhow. */
FUNCTION(u64) ciede_capped(u64 step) {
    return step < 2 * CIEDE_LIMIT ? step : 2 * CIEDE_LIMIT;
}

/* A sum rounded to 53 significant digits, ties to even. */
FUNCTION(wide) ciede_round(wide sum) {
    const u32 exponent = ciede_exponent(sum);
    const u64 kept = wide_shift_right(sum, exponent).low;
    const wide rest = wide_subtract(sum, wide_shift_left(wide_of(0, kept), exponent));
    const wide midpoint = wide_of(0, ((u64)1 << exponent) >> 1);
    const u32 up =
        exponent > 0 && (wide_less(midpoint, rest) || (!wide_less(rest, midpoint) && (kept & 1) != 0));
    return wide_shift_left(wide_of(0, kept + up), exponent);
}

#endif
