/* What the host code of float_ssim and float_ms_ssim and their kernel text share. */
#ifndef TY_FLOAT_SSIM_STAGES_H
#define TY_FLOAT_SSIM_STAGES_H

#define SSIM_TAPS 11
#define SSIM_LANES 64       /* columns of a tile */
#define SSIM_ROWS 64        /* of a tile of windows */
#define SSIM_MAX_FACTOR 91  /* of decimation */
#define SSIM_BOX_LANES 128
#define SSIM_LOWPASS_ROWS 8 /* of a tile of half-size samples */

/* Planes of floats are this wide in memory: as wide as the tiles of windows reach. Columns behind the
 * plane hold zeros. */
#define SSIM_PITCH(width) (((width) - SSIM_TAPS + SSIM_LANES) / SSIM_LANES * SSIM_LANES + SSIM_LANES)

/* What is stored of each window, and the first three of them if the means are not asked for. */
#define SSIM_STRUCTURE 0     /* s */
#define SSIM_DEVIATIONS 1    /* g: product of both standard deviations */
#define SSIM_VARIANCES 2     /* denominator of c */
#define SSIM_WITHOUT_MEANS 3
#define SSIM_MEAN_REFERENCE 3
#define SSIM_MEAN_DISTORTED 4
#define SSIM_WITH_MEANS 5

#define SSIM_C1 0x1.a028f4p+2f
#define SSIM_C2 0x1.d42e12p+5f
#define SSIM_C3 0x1.d42e12p+4f

/* From a picture to a plane of floats. */
typedef struct ssim_picture {
    u32 width, height; /* of luma */
    u32 stride;        /* samples from one row of the picture to the next */
    u32 pitch;         /* floats from one row of the plane to the next */
    u32 factor;        /* of decimation */
    u32 plane_width;   /* after decimation */
    f32 scale;         /* 2^(8 - depth); of a decimated plane also the weight of a sample, times 2^23 */
} ssim_picture;

typedef struct ssim_halving {
    u32 width, height, pitch;       /* of the plane read */
    u32 half_width, half_height, half_pitch;
} ssim_halving;

typedef struct ssim_windows {
    u32 width, height; /* windows: 10 less than the planes have samples */
    u32 pitch;         /* floats from one row of the planes to the next */
    u32 stored;        /* values of a window: SSIM_WITH_MEANS or SSIM_WITHOUT_MEANS */
    u32 stored_pitch;  /* floats for each value of a row of windows: all of its first value, then its second, … */
} ssim_windows;

#endif
