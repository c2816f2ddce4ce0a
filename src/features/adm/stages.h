/* What adm's host code and its kernel text share. */
#ifndef TY_ADM_STAGES_H
#define TY_ADM_STAGES_H

#include "features/adm/window.h"

/* Output columns of a group of the wavelet, and rows. */
#define ADM_WAVELET_LANES 256
#define ADM_WAVELET_ROWS 16

/* Columns that a group of the scoring stage looks at (two of them are only neighbours), and rows that it counts. */
#define ADM_SCORE_LANES 256
#define ADM_SCORE_ROWS 16

/* Sums of one row: three each (h, v, d) of the reference's energy, of the restored and of the added part. */
#define ADM_SUMS 9

/* One level's transform of both pictures. Bands lie one after the other, plane_size elements apart: a of the reference
 * and a of the distorted picture in one buffer; h, v, d of the reference, h, v, d of the distorted one in another. */
typedef struct adm_wavelet {
    u32 in_width, in_height; /* whole input */
    u32 in_x0, in_y0;        /* where the stored part of the input starts */
    u32 in_stride, in_plane; /* elements; in_plane is of levels 1 to 3 */
    adm_window window;       /* of the output */
    u32 stride, plane;
    u32 vertical_shift, horizontal_shift;
    u32 narrow; /* spec 4.2, narrow rule: 1 at level 3 of pictures at most 32 wide */
} adm_wavelet;

/* One level's scoring. */
typedef struct adm_level {
    u32 width, height; /* whole band */
    u32 x0, y0;        /* where the stored part starts */
    u32 stride, plane;
    adm_window counted;
    u32 tile, groups; /* columns that a group counts, at most ADM_SCORE_LANES - 2; groups of a row */
    u32 weight_hv, weight_d;
    u32 gain_shift; /* the gain limit is gain_mantissa * 2^-gain_shift, 2^52 <= gain_mantissa < 2^53 */
    u64 gain_mantissa;
    u32 energy_shift, energy_row_shift; /* levels 1 to 3: z and gamma of spec 4.4 */
    u32 shift_hv, shift_d;              /* gamma of spec 4.6 */
} adm_level;

#endif
