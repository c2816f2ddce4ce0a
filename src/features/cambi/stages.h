/* What cambi's host code and its kernel text share. */
#ifndef TY_CAMBI_STAGES_H
#define TY_CAMBI_STAGES_H

#define CAMBI_SCALES 5

/* ---- Images of 16-bit samples ----
 * Row 0 begins CAMBI_MARGIN samples into its buffer, rows lie CAMBI_STRIDE apart, and CAMBI_SLACK samples
 * follow the last one: a tile of CAMBI_COLUMNS may read some columns beyond both ends of a row. */
#define CAMBI_COLUMNS 128
#define CAMBI_MARGIN 64
#define CAMBI_SLACK 512
#define CAMBI_STRIDE(width) (((width) + CAMBI_COLUMNS - 1) / CAMBI_COLUMNS * CAMBI_COLUMNS + CAMBI_MARGIN)

/* What a counted image holds where the mask is 0, and right of the picture. */
#define CAMBI_NONE 0xffffu

typedef struct cambi_peak {
    u32 width, stride;
} cambi_peak;

/* From the samples of a plane to the prepared picture. */
typedef struct cambi_conversion {
    u32 width, height, stride; /* prepared */
    u32 plane_stride;
    u32 left, right; /* shifts to 10 bits; one of them is 0 */
    u32 half;        /* added between them: rounds */
    u32 resized, smooth;
} cambi_conversion;

/* The spatial mask: rows of a tile. */
#define CAMBI_MASK_ROWS 32
#define CAMBI_MASK_REACH 3

typedef struct cambi_masking {
    u32 width, height, stride;
    u32 threshold;
} cambi_masking;

/* Halving and the mode filter: rows of a tile. */
#define CAMBI_SCALE_ROWS 32

typedef struct cambi_scaling {
    u32 width, height, stride; /* of the result */
    u32 from_stride;
} cambi_scaling;

/* ---- Counting ----
 * A tile is CAMBI_LANES columns wide; lane by lane it knows how often each value occurs in the window around
 * the current row. It holds CAMBI_VALUES values at a time, and one more row for what is not counted. */
#define CAMBI_LANES 32
#define CAMBI_VALUES 400
#define CAMBI_MOST_STEPS 32
#define CAMBI_USUAL_STEPS 4 /* 2^max_log_contrast by default */
#define CAMBI_MOST_REACH 32 /* half a window of 65 */
#define CAMBI_MOST_AREA 4225
#define CAMBI_HIGHEST 1024 /* sample: full scale of 11 bits and more rounds up to it */
#define CAMBI_CONTRAST_STRIDE(width) (((width) + CAMBI_LANES - 1) / CAMBI_LANES * CAMBI_LANES)

typedef struct cambi_counting {
    u32 width[CAMBI_SCALES], height[CAMBI_SCALES], stride[CAMBI_SCALES];
    u32 contrasts[CAMBI_SCALES]; /* where the scale begins in the buffer of contrasts */
    u32 groups[CAMBI_SCALES];    /* its first group */
    u32 rows;                    /* of a tile */
    u32 reach;                   /* p of the spec: columns and rows on each side of a sample */
    u32 steps;                   /* D of the spec */
    u32 lowest, highest;         /* samples outside of these have contrast 0 */
} cambi_counting;

/* What a tile tells the tail, two words of 64 bits: the sum of its contrasts in units of 2^-24; how many are
 * not 0 (low half) and the bits of the smallest of these (high half; all ones if there is none). */
#define CAMBI_TILE_WORDS 2

/* ---- Pooling ----
 * A contrast that is not 0 is at least 0.5 and below 2^14: its bits less those of 0.5 are a key of 27 bits,
 * found nine by nine. */
#define CAMBI_POOL_LANES 128
#define CAMBI_BITS_OF_HALF 0x3f000000u
#define CAMBI_KEY_SHIFT 9
#define CAMBI_BINS (1u << CAMBI_KEY_SHIFT)
#define CAMBI_CHUNK 8192 /* contrasts of a group: below 2^16 for each lane and bin */

typedef struct cambi_pooling {
    u32 count[CAMBI_SCALES];     /* contrasts, the padding of rows (which is 0) included */
    u32 contrasts[CAMBI_SCALES]; /* where the scale begins */
    u32 chunks[CAMBI_SCALES];    /* its first chunk */
    u32 tiles[CAMBI_SCALES + 1]; /* its first tile, and the end */
    u32 most[CAMBI_SCALES];      /* k of the spec: contrasts that are pooled */
    u32 shift;                   /* of the key's bits that this pass looks at */
} cambi_pooling;

/* A scale's choice: how many of the contrasts whose keys begin as `key` are still pooled (0: fewer than k
 * contrasts are not 0, and nothing needs to be chosen); the leading bits of the k-th largest contrast's key.
 */
#define CAMBI_CHOICE_WORDS 2

#endif
