/* What the host code of speed_chroma and speed_temporal and their kernel text share. */
#ifndef TY_SPEED_STAGES_H
#define TY_SPEED_STAGES_H

#define SPEED_DECIMATION 16
#define SPEED_BLOCK 5     /* samples of a side of a block */
#define SPEED_ELEMENTS 25 /* of a block: the order of every matrix */

#define SPEED_LOWPASS_LANES 128
#define SPEED_LOWPASS_OUTPUTS 16 /* of a tile */
#define SPEED_LOWPASS_REACH 17   /* most taps on each side of the middle one: a kernel scale of 3.71134 */
#define SPEED_LOWPASS_COLUMNS 384 /* of a tile, 275 at most, as whole groups of lanes */

#define SPEED_CENTRE_LANES 64

/* Rows of five windows lie eight floats apart, the lanes that step through them together. */
#define SPEED_WINDOW_LANES 8
#define SPEED_MEANS (SPEED_BLOCK * SPEED_WINDOW_LANES)
#define SPEED_CHAIN_LANES 32
#define SPEED_BLOCK_ROW_PAIRS 15 /* of the five rows of a block, i >= j */

/* The lanes of windows 5 to 7 of a row, which nobody asks for, read up to 3 columns behind the plane. */
#define SPEED_PITCH(width) (((width) + 3 + 15) / 16 * 16)

#define SPEED_MATRIX_LANES 32
#define SPEED_FACTOR_LANES 64 /* columns of two matrices side by side, 32 each */
#define SPEED_SOLVE_LANES 64  /* blocks of a group */

/* The partials of a side: eigenvalues, whether it is singular, a variance for each block. */
#define SPEED_SINGULAR SPEED_ELEMENTS
#define SPEED_VARIANCES 32

/* From pictures to the decimated plane. */
typedef struct speed_lowpass_shape {
    u32 stride;                /* samples from one row of the picture to the next */
    u32 width, height;         /* of the plane that is filtered, after prescaling */
    u32 low_width, low_height; /* of the decimated one */
    u32 pitch;                 /* floats from one row of it to the next */
    u32 taps;
    u32 difference;            /* 1: each side is the difference of two planes; 0: sides are planes */
    u32 resampling_taps;       /* of each axis */
    u32 normalised;            /* 1: the sum of the resampling weights divides */
    u32 halves;                /* 1: tap i of column x lies in column 2x + i of the picture */
    i32 grey;                  /* the sample in the middle */
    f32 scale;                 /* 2^(8 - depth) */
} speed_lowpass_shape;

/* The decimated plane and its windows. */
typedef struct speed_shape {
    u32 width, height, pitch;
    u32 taps;                    /* of the local mean */
    u32 window_x, window_y;      /* size of a window */
    u32 blocks_x, blocks;        /* in a row, in all */
    u32 partials;                /* floats of a side */
} speed_shape;

#endif
