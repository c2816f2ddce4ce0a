/* Ordered sums: the bits of adding floats one after the other, formed faster. Method and proof: spec, ordered sum. */
#ifndef TY_ORDERED_SUM_H
#define TY_ORDERED_SUM_H

#include <stddef.h>

/* start + terms[0] + terms[1] + …, each addition rounded to float, for non-negative terms (NaN excluded) and start: the same
 * bits as the plain loop for every such input. */
float ty_ordered_sum(float start, const float *terms, size_t count);

#endif
