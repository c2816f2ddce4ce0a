/* What psnr_hvs's host code and its kernel text share. */
#ifndef TY_PSNR_HVS_STAGES_H
#define TY_PSNR_HVS_STAGES_H

/* Blocks of one group: consecutive ones of a row of blocks, a lane each. */
#define PSNR_HVS_LANES 32

/* Blocks start every 7 samples and rows, so neighbours share a column or row. */
#define PSNR_HVS_STEP 7

#define PSNR_HVS_TERMS 64 /* of a block */

/* The table of a plane: contrast sensitivities C[v][h], then masking weights K[v][h]. */
#define PSNR_HVS_CSF 0
#define PSNR_HVS_MASK 64
#define PSNR_HVS_TABLE 128

typedef struct psnr_hvs_plane {
    u32 stride; /* samples from one row to the next */
    u32 blocks; /* in a row of blocks, at least 1 */
} psnr_hvs_plane;

#endif
