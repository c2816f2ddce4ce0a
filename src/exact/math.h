/* Correctly rounded elementary functions: the floating-point number nearest to the true value, ties to
 * even.
 *
 * Only integer instructions compute the result, so it has the same bits with any compiler, C library,
 * processor, rounding mode and flush-to-zero setting. Three steps in fixed point, of 64, of 128, and of at
 * least 384 bits, each give an approximation and a proven error bound; the next one runs when a midpoint
 * between two numbers lies inside that bound. README.md tells the method, the bounds and what is proven.
 *
 * Subnormal arguments and results are full citizens; overflow gives infinity and underflow rounds gradually
 * to 0. Special values are those of C11 Annex F. Where Annex F says NaN, the result is always the canonical
 * quiet NaN (0x7ff8000000000000, in float 0x7fc00000), whatever NaN came in. No function touches errno or
 * the floating-point flags. All are pure: any thread, no locks, no allocation. */
#ifndef TY_EXACT_MATH_H
#define TY_EXACT_MATH_H

/* Natural, binary and decimal logarithm. The 128-bit step is good to 2^-87 relative.
 * +-0 gives -inf, 1 gives +0, +inf gives +inf, a negative argument or NaN gives NaN. */
double ty_log(double x);
double ty_log2(double x);
double ty_log10(double x);

/* e^x. The 128-bit step is good to 2^-92 relative. +-0 gives 1, -inf gives +0, +inf gives +inf, NaN gives
 * NaN. Above 709.78... the result is +inf, below -745.13... 0. */
double ty_exp(double x);

/* x^y. The 128-bit step is good to 2^-74 relative; exact results and exact midpoints are found by integer
 * arithmetic.
 *   y = +-0, or x = 1: 1, even when the other is NaN; otherwise a NaN gives NaN
 *   x < 0 finite, y finite and no integer: NaN;  x < 0 and y an odd integer: -(|x|^y)
 *   x = -1, y = +-inf: 1
 *   |x| < 1: y = -inf gives +inf, y = +inf gives +0;  |x| > 1: the reverse
 *   x = +-0: y < 0 gives infinity, y > 0 gives zero, signed as x when y is an odd integer, else positive
 *   x = +-inf: y < 0 gives zero, y > 0 gives infinity, signed likewise */
double ty_pow(double x, double y);

/* Binary logarithm of a float, as ty_log2; one step of 64 bits, proven over all 2^32 arguments. */
float ty_log2f(float x);

/* x^y of floats, rounded once to float; special values as ty_pow. */
float ty_powf(float x, float y);

#endif
