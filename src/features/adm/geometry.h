/* adm and float_adm: sizes of the wavelet's bands, and which parts of them take part. Host only. */
#ifndef TY_ADM_GEOMETRY_H
#define TY_ADM_GEOMETRY_H

#include <stdint.h>

#include "kernel/types.h"

#include "features/adm/window.h"

#define ADM_LEVELS 4

typedef struct adm_geometry {
    uint32_t width, height; /* of the band */
    adm_window counted;     /* without the border that the specs leave out */
    adm_window window;      /* what is computed: counted, its neighbours, and what the next level reads */
} adm_geometry;

static inline uint32_t adm_at_least_0(uint32_t a, uint32_t b) {
    return a > b ? a - b : 0;
}

static inline uint32_t adm_border(uint32_t size) {
    return size < 5 ? 0 : (size - 5) / 10;
}

/* Grows one side of a window to the neighbours of what is counted and to what the coarser level's window
 * reads: taps 2j - 1 to 2j + 2 of each of its outputs j (mirrored ones lie inside of that, but for size 1 to
 * 3: then all is taken). */
static inline void adm_cover(uint32_t *from, uint32_t *to, uint32_t size, uint32_t counted_from,
                             uint32_t counted_to, const uint32_t *coarser) {
    *from = adm_at_least_0(counted_from, 1);
    *to = counted_to < size ? counted_to + 1 : size;
    if (!coarser)
        return;
    const uint32_t first = adm_at_least_0(2 * coarser[0], 1), last = 2 * coarser[1] + 1;
    *from = first < *from ? first : *from;
    *to = last > *to ? last : *to;
    *to = *to < size ? *to : size;
}

/* Of a picture of that size. */
static inline void adm_find_geometry(adm_geometry levels[ADM_LEVELS], uint32_t width, uint32_t height) {
    for (uint32_t level = 0; level < ADM_LEVELS; level++) {
        width = (width + 1) / 2;
        height = (height + 1) / 2;
        const uint32_t x = adm_border(width), y = adm_border(height);
        levels[level] = (adm_geometry){width, height, {x, width - x, y, height - y}, {0, 0, 0, 0}};
    }
    for (uint32_t level = ADM_LEVELS; level-- > 0;) {
        adm_geometry *g = &levels[level];
        const adm_window *next = level + 1 < ADM_LEVELS ? &g[1].window : NULL;
        adm_cover(&g->window.x0, &g->window.x1, g->width, g->counted.x0, g->counted.x1,
                  next ? &next->x0 : NULL);
        adm_cover(&g->window.y0, &g->window.y1, g->height, g->counted.y0, g->counted.y1,
                  next ? &next->y0 : NULL);
    }
}

#endif
