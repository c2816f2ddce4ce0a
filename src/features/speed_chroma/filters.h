/* Taps of the low-pass filter and of the local mean (spec: speed.md, 4.4). */
#ifndef TY_SPEED_FILTERS_H
#define TY_SPEED_FILTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether filters exist at this scale: it is one of 21, to 0.001. */
bool ty_speed_scale_is_valid(double kernelscale);

uint32_t ty_speed_lowpass_width(double kernelscale); /* at most 35 */
uint32_t ty_speed_mean_width(double kernelscale);    /* at most 9 */

/* Fills `width` taps. */
void ty_speed_lowpass_taps(uint32_t width, float *taps);
void ty_speed_mean_taps(uint32_t width, float *taps);

#endif
