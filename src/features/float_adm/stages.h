/* What float_adm's host code and its kernel text share. */
#ifndef TY_FLOAT_ADM_STAGES_H
#define TY_FLOAT_ADM_STAGES_H

#include "features/adm/window.h"

/* Output columns of a group of the wavelet, and rows. */
#define FLOAT_ADM_WAVELET_LANES 256
#define FLOAT_ADM_WAVELET_ROWS 16

/* A group of the scoring stage walks along a strip of rows, a tile of columns at a time. A lane is a sample of the tile, and
 * lanes next to each other lie below each other: lane = column * STRIP + row. The first and the last row of a strip are only
 * neighbours. */
#define FLOAT_ADM_STRIP 32
#define FLOAT_ADM_STRIP_ROWS (FLOAT_ADM_STRIP - 2)
#define FLOAT_ADM_TILE 8
#define FLOAT_ADM_SCORE_LANES (FLOAT_ADM_STRIP * FLOAT_ADM_TILE)

/* Sums of one row: three each (h, v, d) of the reference's energy, of the restored and of the added part. */
#define FLOAT_ADM_SUMS 9

/* One level's transform of both pictures. Bands lie one after the other, `plane` elements apart: a of the reference and a of
 * the distorted picture in one buffer; h, v, d of the reference, h, v, d of the distorted one in another. */
typedef struct float_adm_wavelet {
    u32 in_width, in_height; /* whole input */
    u32 in_x0, in_y0;        /* where the stored part of the input starts */
    u32 in_stride, in_plane; /* elements; in_plane is of levels 1 to 3 */
    adm_window window; /* of the output */
    u32 stride, plane;
    f32 scale; /* 2^(8 - depth): samples on the scale of 8 bits */
} float_adm_wavelet;

/* One level's scoring. */
typedef struct float_adm_level {
    adm_window window; /* the stored part */
    u32 stride, plane;
    adm_window counted;
    u32 tiles; /* of a strip */
    f32 weight_hv, weight_d;
    u32 masking;   /* all bits set; 0: no contrast masking */
    u64 gain_bits; /* the gain limit, the bits of a double from 1 to 100 */
    f32 gain;      /* the same where it is a float, else 0 */
    u32 power;     /* 1 to 3: of the terms before they are summed; 0: the terms to the power p are the result,
                    * or minus the terms where only the host can raise them */
    u64 p_bits;    /* the bits of p as a double, where power is 0 */
} float_adm_level;

#endif
