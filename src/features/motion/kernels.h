/* motion: sum of the absolute values of the blurred difference of two luma planes. One group a tile.
 *
 * A tile reads LANES neighbouring columns, blurs them vertically into on-chip memory, and from there
 * horizontally. It always reads whole columns of the picture: at the left and right edge it moves inwards and
 * the columns that the border rule mirrors are copied on chip. Columns that belong to a neighbouring tile are
 * blurred but not counted. */
#include "kernel/kernel.h"

#include "features/motion/stages.h"

/* Where the border rule reads for index i of an axis of `count` samples; i reaches at most 2 beyond it. */
FUNCTION(i32) motion_mirror(i32 i, i32 count) {
    const i32 positive = i < 0 ? -i : i;
    return positive >= count ? 2 * count - 2 - positive : positive;
}

/* floor((3571 (a + e) + 16004 (b + d) + 26386 c + 2^(shift - 1)) / 2^shift) for terms of at most 65535 in
 * absolute value. Each product fits 31 bits and a sign, their sum may not: quotients and remainders are added
 * apart. */
FUNCTION(i32) motion_blur(i32 a, i32 b, i32 c, i32 d, i32 e, u32 shift) {
    const i32 low = (1 << shift) - 1;
    const i32 outer = 3571 * (a + e);
    const i32 inner = 16004 * (b + d);
    const i32 middle = 26386 * c;
    const i32 remainder = (outer & low) + (inner & low) + (middle & low) + (1 << (shift - 1));
    return (outer >> shift) + (inner >> shift) + (middle >> shift) + (remainder >> shift);
}

/* The vertical step: the earlier picture minus the later one, blurred. */
#define MOTION_VERTICAL(at)                                                                                  \
    motion_blur((i32)e0[at] - (i32)l0[at], (i32)e1[at] - (i32)l1[at], (i32)e2[at] - (i32)l2[at],             \
                (i32)e3[at] - (i32)l3[at], (i32)e4[at] - (i32)l4[at], plane.depth)

KERNEL3(motion_tiles, MOTION_LANES, IN(SAMPLE, earlier), IN(SAMPLE, later), OUT(u32, sums), motion_plane,
        plane)
    SHARED(i32, blurred, LANES + 4); /* index i: column start - 2 + i */
    SHARED(u32, total, LANES);
    const i32 width = (i32)plane.width;
    const i32 height = (i32)plane.height;
    const i32 left = (i32)GROUP_X * MOTION_TILE_COLUMNS;
    const i32 right = left + MOTION_TILE_COLUMNS < width ? left + MOTION_TILE_COLUMNS : width;
    const i32 top = (i32)GROUP_Y * MOTION_ROWS;
    const i32 bottom = top + MOTION_ROWS < height ? top + MOTION_ROWS : height;
    const i32 last_start = width > LANES ? width - LANES : 0;
    const i32 inner_start = left > 2 ? left - 2 : 0;
    const i32 start = inner_start < last_start ? inner_start : last_start;
    const i32 whole = start + LANES <= width;

    EACH(lane) total[lane] = 0;
    EACH_FIRST(lane, 2) { /* read by lanes that are not counted */
        blurred[lane] = 0;
        blurred[LANES + 2 + lane] = 0;
    }
    for (i32 y = top; y < bottom; y++) {
        const u32 r0 = (u32)motion_mirror(y - 2, height) * plane.stride + (u32)start;
        const u32 r1 = (u32)motion_mirror(y - 1, height) * plane.stride + (u32)start;
        const u32 r2 = (u32)y * plane.stride + (u32)start;
        const u32 r3 = (u32)motion_mirror(y + 1, height) * plane.stride + (u32)start;
        const u32 r4 = (u32)motion_mirror(y + 2, height) * plane.stride + (u32)start;
        GLOBAL_IN(SAMPLE) e0 = earlier + r0;
        GLOBAL_IN(SAMPLE) e1 = earlier + r1;
        GLOBAL_IN(SAMPLE) e2 = earlier + r2;
        GLOBAL_IN(SAMPLE) e3 = earlier + r3;
        GLOBAL_IN(SAMPLE) e4 = earlier + r4;
        GLOBAL_IN(SAMPLE) l0 = later + r0;
        GLOBAL_IN(SAMPLE) l1 = later + r1;
        GLOBAL_IN(SAMPLE) l2 = later + r2;
        GLOBAL_IN(SAMPLE) l3 = later + r3;
        GLOBAL_IN(SAMPLE) l4 = later + r4;
        if (whole) {
            PHASE(lane) blurred[lane + 2] = MOTION_VERTICAL(lane);
        } else {
            PHASE(lane) {
                const i32 column = lane < width ? lane : width - 1;
                blurred[lane + 2] = MOTION_VERTICAL(column);
            }
        }
        if (start == 0 || width - start <= LANES) {
            FIRST(lane, 2) {
                const i32 beyond = width - start + lane; /* column `width + lane` at index `beyond + 2` */
                if (start == 0)
                    blurred[1 - lane] = blurred[3 + lane];
                if (beyond < LANES + 2)
                    blurred[beyond + 2] = blurred[beyond - 2 * lane];
            }
        }
        PHASE(lane) {
            const i32 x = start + lane;
            const i32 q = motion_blur(blurred[lane], blurred[lane + 1], blurred[lane + 2], blurred[lane + 3],
                                      blurred[lane + 4], 16);
            total[lane] += x >= left && x < right ? (u32)(q < 0 ? -q : q) : 0u;
        }
    }
    SUM_OVER_LANES(total) /* at most 16 * 124 * 65535 */
    ONCE sums[GROUP_Y * plane.groups_x + GROUP_X] = total[0];
END_KERNEL

KERNEL_LIST(motion, KERNEL_ENTRY(motion_tiles))
