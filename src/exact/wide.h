/* Second step: the same functions in fixed point of n words, n as large as it takes.
 *
 * It runs about once in 2^30 calls, so it is plain and not fast: series whose terms need only products and
 * quotients by one word. The error bounds are in units of the last place, 2^-(64 (n - 1)). */
#ifndef TY_EXACT_WIDE_H
#define TY_EXACT_WIDE_H

#include "round.h"

/* ln, log2 or log10 of a positive x, rounded; returns the bits of the magnitude and stores the sign. x must
 * not be a power of the base; for every other double log_b x is irrational, hence no midpoint, and the loop
 * over n ends. */
enum ty_wide_base { TY_WIDE_E, TY_WIDE_2, TY_WIDE_10 };
uint64_t ty_wide_log(struct ty_split x, enum ty_wide_base base, struct ty_format format, bool *negative);

/* e^(+-x) for 2^-60 <= x < 2^10, rounded. */
uint64_t ty_wide_exp(struct ty_split x, bool negative, struct ty_format format);

/* x^(+-y) for |y ln x| < 2^11, where x^y is neither a number of the format nor a midpoint. */
uint64_t ty_wide_pow(struct ty_split x, struct ty_split y, bool y_negative, struct ty_format format);

#endif
