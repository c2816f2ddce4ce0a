/* The mean of a scale's strongest contrasts (spec: cambi.md 4.7 and 6). */
#ifndef TY_CAMBI_POOL_H
#define TY_CAMBI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the sum of the strongest contrasts, `sum` * 2^-24, is the same in any order when none but zeros is
 * smaller than the float with the bits `smallest`. */
bool ty_cambi_any_order(uint64_t sum, uint32_t smallest);

/* The sum of the k first of `count` contrasts after the selection that puts the k largest in front, added in
 * its order. The contrasts are rearranged. 1 <= k <= count. */
double ty_cambi_ordered_sum(float *contrasts, size_t count, size_t k);

#endif
