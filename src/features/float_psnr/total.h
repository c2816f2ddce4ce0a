/* The frame's squared error from its row segments. */
#ifndef TY_FLOAT_PSNR_TOTAL_H
#define TY_FLOAT_PSNR_TOTAL_H

#include "kernel/types.h"

/* Adds `count` segments, top to bottom, into one double that is rounded after each (decisions.md 1). `unit` is a power of two.
 * A segment is below 2^47, so only the additions round, and only once the total is past 2^53 units. */
static inline double float_psnr_total(const u64 *segments, u64 count, double unit) {
    double total = 0;
    for (u64 i = 0; i < count; i++)
        total = total + (double)segments[i] * unit;
    return total;
}

#endif
