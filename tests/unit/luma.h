/* Luma pictures as plain arrays of numbers, in the layout that a plan or a run reads. */
#ifndef LUMA_H
#define LUMA_H

#include <stdlib.h>

#include "unit.h"

/* width * height samples in Tally's layout, for a format without chroma. The caller frees it. */
static inline void *luma_plane(const tally_format *format, const uint16_t *samples) {
    const size_t count = (size_t)format->width * format->height;
    uint16_t *plane = malloc(count * sizeof *plane);
    if (format->bit_depth > 8)
        memcpy(plane, samples, count * sizeof *plane);
    for (size_t i = 0; i < count && format->bit_depth == 8; i++)
        ((uint8_t *)plane)[i] = (uint8_t)samples[i];
    return plane;
}

static inline uint32_t luma_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Noise, extremes, a slope or a flat picture with few steps, by kind 0 to 3. */
static inline void luma_fill(const tally_format *format, uint16_t *samples, uint32_t kind, uint64_t *seed) {
    const uint32_t top = (1u << format->bit_depth) - 1;
    for (uint32_t y = 0, i = 0; y < format->height; y++)
        for (uint32_t x = 0; x < format->width; x++, i++) {
            const uint32_t random = luma_random(seed);
            const uint32_t slope = (x * 5 + y * 3) * (top + 1) / 1024 + random % 4;
            samples[i] = (uint16_t)(kind == 0   ? random % (top + 1)
                                    : kind == 1 ? (random % 2) * top
                                    : kind == 2 ? slope % (top + 1)
                                                : top / 2 + (random % 16 == 0));
        }
}

/* The picture "stage32" of the motion and vif specs, section 7, frame t. */
static inline uint16_t stage32_sample(uint32_t t, uint32_t x, uint32_t y) {
    return (uint16_t)(x >= 20 && y >= 20 ? 100 + (x + y + t) % 2
                                         : (x * x + 3 * y * y + 2 * x * y + 40 * t * x) % 251);
}

/* Mirrored about the edge sample. */
static inline int luma_mirror(int i, int count) {
    return i < 0 ? -i : i >= count ? 2 * count - 2 - i : i;
}

#endif
