/* The formula pictures "F" of the psnr spec, section 7: small pictures whose intermediate values the spec lists. */
#ifndef FORMULA_H
#define FORMULA_H

#include <stdlib.h>

#include "core/layout.h"

static inline uint32_t formula_sample(uint32_t depth, bool distorted, uint32_t f, uint32_t p, uint32_t x, uint32_t y) {
    const uint32_t s = 1u << (depth - 8);
    const uint32_t r = s * (40 + 4 * x + 2 * y + 5 * p + f + x * y % 7) + (x + 2 * y) % s;
    return distorted ? r + 3 * s * ((5 * x + 3 * y + p) % 9) - 12 * s : r;
}

/* Fills planes that the caller frees with formula_free(). */
static inline void formula_picture(const ty_layout *layout, bool distorted, uint32_t frame, void *planes[3]) {
    for (uint32_t p = 0; p < 3; p++)
        planes[p] = NULL;
    for (uint32_t p = 0; p < layout->planes; p++) {
        planes[p] = malloc(layout->plane_bytes[p] + 1);
        for (uint32_t y = 0, i = 0; y < layout->stored_height[p]; y++)
            for (uint32_t x = 0; x < layout->stored_width[p]; x++, i++) {
                const uint32_t sample = formula_sample(layout->format.bit_depth, distorted, frame, p, x, y);
                if (layout->sample_bytes == 1)
                    ((uint8_t *)planes[p])[i] = (uint8_t)sample;
                else
                    ((uint16_t *)planes[p])[i] = (uint16_t)sample;
            }
    }
}

static inline void formula_free(void *planes[3]) {
    for (uint32_t p = 0; p < 3; p++)
        free(planes[p]);
}

#endif
