/* What float_psnr's host code and its kernel text share. */
#ifndef TY_FLOAT_PSNR_STAGES_H
#define TY_FLOAT_PSNR_STAGES_H

#define FLOAT_PSNR_LANES 128

/* A row is added up in segments of so many samples, from the left. */
#define FLOAT_PSNR_SEGMENT 32768u

typedef struct float_psnr_plane {
    u32 width;
    u32 stride;   /* samples from one row to the next */
    u32 segments; /* in a row */
} float_psnr_plane;

#endif
