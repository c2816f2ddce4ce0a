/* What the host code of ssim and its kernel text share. */
#ifndef TY_SSIM_STAGES_H
#define TY_SSIM_STAGES_H

#define SSIM_FIXED_TAPS 9
#define SSIM_FIXED_REACH 4
#define SSIM_FIXED_LANES 64 /* columns of a tile */
#define SSIM_FIXED_ROWS 64  /* of a tile */

/* Weights of the window, in rows and in columns; they add up to 256. */
#define SSIM_FIXED_WEIGHTS                                                                                   \
    { 2, 9, 28, 55, 68, 55, 28, 9, 2 }

/* Terms from one row to the next: whole tiles. */
#define SSIM_FIXED_PITCH(width) (((width) + SSIM_FIXED_LANES - 1) / SSIM_FIXED_LANES * SSIM_FIXED_LANES)

typedef struct ssim_fixed_plane {
    u32 width, height;
    u32 stride; /* samples from one row of the picture to the next */
    u32 pitch;  /* terms from one row to the next */
    u64 c1, c2; /* bits of doubles: the stabilising constants for a weight of 1 */
} ssim_fixed_plane;

#endif
