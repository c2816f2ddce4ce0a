/* Where the samples of a prescaled axis come from (spec: speed.md, 4.3). */
#ifndef TY_SPEED_PRESCALE_H
#define TY_SPEED_PRESCALE_H

#include <stdbool.h>
#include <stdint.h>

/* Samples that one sample of a prescaled axis is made of: 1, 2, 4 or 9. `method`: see ty_speed_methods. */
uint32_t ty_speed_resampling_taps(const char *method);

/* Whether the sum of the weights divides the weighted sum. */
bool ty_speed_resampling_is_normalised(const char *method);

/* places[tap * to + i] and weights[tap * to + i] for sample i of an axis that is resampled from `from` to
 * `to` samples. */
void ty_speed_resampling(const char *method, uint32_t from, uint32_t to, uint32_t *places, float *weights);

#endif
