/* What motion's host code and its kernel text share. */
#ifndef TY_MOTION_STAGES_H
#define TY_MOTION_STAGES_H

#define MOTION_LANES 128
#define MOTION_ROWS 16 /* of a tile */
#define MOTION_TAPS_REACH 2
#define MOTION_TILE_COLUMNS (MOTION_LANES - 2 * MOTION_TAPS_REACH)

typedef struct motion_plane {
    u32 width;
    u32 height;
    u32 stride;   /* samples from one row to the next */
    u32 depth;    /* bits of a sample */
    u32 groups_x; /* tiles in a row of tiles */
} motion_plane;

#endif
