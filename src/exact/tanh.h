#ifndef TY_EXACT_TANH_H
#define TY_EXACT_TANH_H

/* Hyperbolic tangent, correctly rounded (math.h tells what that promises). +-0 gives +-0, +-inf gives +-1, NaN gives
 * the canonical NaN. Some microseconds a call. */
double ty_tanh(double x);

#endif
