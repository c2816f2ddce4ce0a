/* What float_motion's host code and its kernel text share. */
#ifndef TY_FLOAT_MOTION_STAGES_H
#define TY_FLOAT_MOTION_STAGES_H

/* The filter reaches 2 samples to each side. */
#define FLOAT_MOTION_REACH 2

/* Blurring: tiles of columns, and rows. */
#define FLOAT_MOTION_BLUR_LANES 128
#define FLOAT_MOTION_BLUR_COLUMNS (FLOAT_MOTION_BLUR_LANES - 2 * FLOAT_MOTION_REACH)
#define FLOAT_MOTION_BLUR_ROWS 16

/* Adding differences: a group adds this many rows, a tile of as many columns as it has lanes at a time. */
#define FLOAT_MOTION_ROWS 16
#define FLOAT_MOTION_LANES 64

typedef struct float_motion_plane {
    u32 width, height;        /* at least 2 */
    u32 stride;               /* samples from one row of the picture to the next */
    u32 pitch;                /* floats from one row of the blurred plane to the next */
    f32 scale;                /* 2^(8 - depth): samples on the scale of 8 bits */
    f32 outer, inner, middle; /* taps 0 and 4, 1 and 3, 2 */
} float_motion_plane;

typedef struct float_motion_rows {
    u32 width, height; /* of the planes that are compared */
    u32 pitch;         /* floats from one row of the blurred planes to the next */
} float_motion_rows;

#endif
