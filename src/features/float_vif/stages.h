/* What float_vif's host code and its kernel text share. */
#ifndef TY_FLOAT_VIF_STAGES_H
#define TY_FLOAT_VIF_STAGES_H

#define FLOAT_VIF_SCALES 4

/* A group works on this many rows (of what it makes), a tile of as many columns as it has lanes at a time. */
#define FLOAT_VIF_ROWS 4
#define FLOAT_VIF_LANES 64

/* Taps are taken four at a time after the first: a filter of N taps has 4 m + 1 >= N weights, the added
 * ones 0, which change no sum. At most 65 taps (kernel scale 3.71134 at scale 0), so 4 m <= 64; the table
 * holds 4 m + 4 weights. */
#define FLOAT_VIF_STEP 4
#define FLOAT_VIF_REACH 64

/* Sums of a group: N of each of its rows, then M of each. */
#define FLOAT_VIF_SUMS (2 * FLOAT_VIF_ROWS)

/* What a stage reads: samples of a picture, or a plane of floats. */
typedef struct float_vif_source {
    u32 width, height;
    u32 stride;       /* from one row to the next */
    u32 from_samples; /* 1: of the picture, 0: of the plane */
    f32 scale;        /* 2^(8 - depth): samples on the scale of 8 bits */
} float_vif_source;

typedef struct float_vif_filter {
    u32 radius;
    u32 steps; /* m */
} float_vif_filter;

typedef struct float_vif_statistics {
    float_vif_source source;
    float_vif_filter filter;
    f32 gain_limit;
    f32 threshold; /* the smallest float >= the noise variance */
    f32 flat_loss; /* noise variance^2 / 65025 */
    u32 noiseless; /* all bits set if the noise variance is 0, else 0 */
    f32 no_divisor; /* keeps the divisor from being 0 if it is: then 1, else 0 */
    u64 noise;     /* bits of the noise variance as a double */
} float_vif_statistics;

/* Smooths and keeps every second column and row. */
typedef struct float_vif_halving {
    float_vif_source source;
    float_vif_filter filter;
    u32 width, height; /* of the result; also its stride */
} float_vif_halving;

/* Resampling: `taps` weights for each column and each row, [tap][column] and [row][tap]. */
#define FLOAT_VIF_MAX_TAPS 9
typedef struct float_vif_resampling {
    float_vif_source source;
    u32 width, height; /* of the result; also its stride */
    u32 taps;
    u32 divided; /* by the sum of the weights */
} float_vif_resampling;

#endif
