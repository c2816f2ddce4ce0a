/* What vif's host code and its kernel text share. */
#ifndef TY_VIF_STAGES_H
#define TY_VIF_STAGES_H

#define VIF_SCALES 4

/* Statistics: a tile is VIF_ROWS high and reads VIF_LANES columns. */
#define VIF_LANES 256
#define VIF_ROWS 8

#define VIF_TAPS_0 17
#define VIF_TAPS_1 9
#define VIF_TAPS_2 5
#define VIF_TAPS_3 3

/* Columns that a tile of a scale with so many taps counts. */
#define VIF_TILE_COLUMNS(taps) (VIF_LANES - (taps) + 1)

/* Halving: a row of output a group, from VIF_HALF_LANES pairs of columns. */
#define VIF_HALF_LANES 128
#define VIF_HALF_REACH 2 /* pairs beyond both ends, for up to 9 taps */
#define VIF_HALF_COLUMNS (VIF_HALF_LANES - 2 * VIF_HALF_REACH)

/* The noise variance 2.0 in units of s1, s2 and s12. */
#define VIF_NOISE 131072

/* Sums of a group, in this order: NL, DL, NN, DN of the spec. */
#define VIF_SUMS 4

/* L(VIF_NOISE), what the log of the denominator starts from. */
#define VIF_LOG_NOISE 34816

/* The table of logs: entry i covers T[32768 + 16 i] and the 15 values after it. Bits 0-15: the first value;
 * bits 16-20 and 21-25: the places, 1 to 15, from which the value is larger by one and by two; 31 for
 * none. */
#define VIF_LOG_ENTRIES 2048

typedef struct vif_plane {
    u32 width;
    u32 height;
    u32 stride;     /* samples from one row to the next */
    u32 readable;   /* columns that may be read: more than width where rows are padded */
    u32 shift;      /* c in the spec */
    u32 square_shift; /* d in the spec */
    u32 groups_x;
    u64 gain_limit; /* bits of the double */
} vif_plane;

typedef struct vif_halving {
    u32 width;      /* of the larger scale */
    u32 height;
    u32 stride;
    u32 readable;
    u32 half_width; /* of the smaller scale */
    u32 half_stride;
    u32 shift;
} vif_halving;

#endif
