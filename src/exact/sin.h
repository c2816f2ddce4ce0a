#ifndef TY_EXACT_SIN_H
#define TY_EXACT_SIN_H

/* Sine of |x| < 16, correctly rounded (math.h tells what that promises). +-0 gives +-0, any other argument,
 * NaN included, the canonical NaN. Some microseconds a call. */
double ty_sin(double x);

#endif
