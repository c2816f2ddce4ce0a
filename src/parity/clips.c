#include "parity/parity.h"

#define CLIP(kind, w, h, bits, f, frames)                                                                             \
    {{#kind " " #w "x" #h ", " #bits " bits, " #f, SYNTH_##kind, {w, h, bits, TALLY_PIXEL_FORMAT_##f}, frames}, NULL, NULL}

/* Small, because each is scored in every way; 352x288 for metrics that halve the picture five times, 400x272 for
 * chroma planes with more blocks than SpEED has elements in one, bands for metrics that look for them. */
const ty_parity_clip ty_parity_clips[] = {
    CLIP(PICTURE, 352, 288, 8, 420, 4),  CLIP(PICTURE, 177, 99, 12, 444, 3), CLIP(PICTURE, 160, 90, 16, 420, 3),
    CLIP(PICTURE, 131, 75, 8, 400, 3),   CLIP(PICTURE, 181, 103, 10, 422, 3), CLIP(PICTURE, 65, 67, 8, 444, 2),
    CLIP(PICTURE, 67, 53, 8, 422, 2),    CLIP(PICTURE, 53, 67, 10, 400, 2),  CLIP(PICTURE, 49, 47, 10, 444, 2),
    CLIP(PICTURE, 64, 48, 12, 420, 2),   CLIP(PICTURE, 71, 45, 12, 400, 2),  CLIP(PICTURE, 47, 61, 12, 422, 2),
    CLIP(PICTURE, 59, 43, 16, 400, 2),   CLIP(PICTURE, 45, 71, 16, 422, 2),  CLIP(PICTURE, 33, 35, 8, 420, 3),
    CLIP(NOISE, 64, 48, 16, 444, 2),     CLIP(NOISE, 128, 96, 8, 420, 2),    CLIP(NOISE, 97, 63, 10, 420, 2),
    CLIP(CHECKERS, 160, 120, 8, 420, 3), CLIP(CHECKERS, 330, 40, 16, 444, 2), CLIP(CHECKERS, 64, 48, 12, 420, 2),
    CLIP(PICTURE, 400, 272, 8, 444, 2),  CLIP(FLAT, 96, 64, 10, 420, 2),      CLIP(FLAT, 48, 48, 8, 420, 2),
    CLIP(BANDS, 333, 219, 10, 400, 1),   CLIP(BANDS, 217, 131, 8, 420, 1),    CLIP(BANDS, 301, 170, 16, 400, 1),
};

const size_t ty_parity_clip_count = sizeof ty_parity_clips / sizeof ty_parity_clips[0];
