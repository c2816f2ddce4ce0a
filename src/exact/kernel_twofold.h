/* Sums that the specification forms in double, for kernel text without doubles.
 * features/float_ssim/README.md tells the bounds.
 *
 * A twofold number is an unevaluated sum high + low of floats. Adding floats to it one after the other
 * loses only what rounding `low` loses, so that almost always the float nearest to the double sum is
 * known; where it is not, the same sum is formed again by integer arithmetic on the bits of doubles. */
#ifndef TY_KERNEL_TWOFOLD_H
#define TY_KERNEL_TWOFOLD_H

#include "exact/kernel_double.h"

typedef struct twofold {
    f32 high, low;
} twofold;

FUNCTION(twofold) twofold_of(f32 x) {
    twofold t;
    t.high = x;
    t.low = 0.0f;
    return t;
}

/* Knuth's two-sum: high + x is kept whole, its rounding error goes to low. */
FUNCTION(twofold) twofold_add(twofold s, f32 x) {
    twofold t;
    t.high = s.high + x;
    const f32 added = t.high - s.high;
    t.low = s.low + ((s.high - (t.high - added)) + (x - added));
    return t;
}

FUNCTION(f32) twofold_float(twofold s) { return s.high + s.low; }

/* 1 if a sum within `error` of s might round to another float than s, else 0. */
FUNCTION(u32) twofold_in_doubt(twofold s, f32 error) {
    return s.high + (s.low + error) != s.high + (s.low - error) ? 1u : 0u;
}

#endif
