/* adm: how sums become energies and energies become roots (spec 4.4, 4.6). Host only. */
#ifndef TY_ADM_ROOTS_H
#define TY_ADM_ROOTS_H

#include <math.h>
#include <stdint.h>

#include "exact/math.h"

/* A power with the float nearest to 1/3, which is not the cube root. */
static inline float adm_root(float x) { return ty_powf(x, 0.333333343f); }

/* sum / 2^scale. At level 0 the sum is rounded to double and then to float, elsewhere to float directly. */
static inline float adm_cubic_energy(int64_t sum, int scale, uint32_t level) {
    const double rounded = level == 0 ? (double)sum : (double)(float)sum;
    return (float)ldexp(rounded, -scale);
}

#endif
