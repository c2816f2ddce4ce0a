/* What float_ansnr's host code and its kernel text share. */
#ifndef TY_FLOAT_ANSNR_STAGES_H
#define TY_FLOAT_ANSNR_STAGES_H

/* A group scores this many rows, a tile of as many columns as it has lanes at a time. */
#define ANSNR_ROWS 8
#define ANSNR_LANES 64

/* Sums of a group: the signal of each of its rows, then the noise of each. */
#define ANSNR_SUMS (2 * ANSNR_ROWS)

typedef struct ansnr_plane {
    u32 width, height; /* at least 3 */
    u32 stride;        /* samples from one row to the next */
    f32 scale;         /* 2^(8 - depth): samples on the scale of 8 bits */
} ansnr_plane;

#endif
