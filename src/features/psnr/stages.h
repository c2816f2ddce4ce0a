/* What psnr's host code and its kernel text share. */
#ifndef TY_PSNR_STAGES_H
#define TY_PSNR_STAGES_H

#define PSNR_LANES 128

typedef struct psnr_plane {
    u32 width;
    u32 stride; /* samples from one row to the next */
} psnr_plane;

#endif
