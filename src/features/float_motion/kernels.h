/* float_motion: the blurred plane of each frame, and the sums of its absolute differences from the one
 * before, row by row (spec: motion.md, float form). */
#include "kernel/kernel.h"

#include "features/float_motion/stages.h"

/* Where the border rule reads for index i of an axis of `count` samples; i reaches at most 2 beyond it.
 * With two samples a tap two beyond is one of weight 0, and only kept inside of the plane. */
FUNCTION(i32) float_motion_mirror(i32 i, i32 count) {
    const i32 positive = i < 0 ? -i : i;
    const i32 mirrored = positive >= count ? 2 * count - 2 - positive : positive;
    return mirrored < 0 ? 0 : mirrored;
}

/* The taps in ascending order. Leaving out the sum's start, 0 + first product, can only change the sign of
 * a zero. */
FUNCTION(f32) float_motion_taps(f32 a, f32 b, f32 c, f32 d, f32 e, float_motion_plane plane) {
    return (((plane.outer * a + plane.inner * b) + plane.middle * c) + plane.inner * d) + plane.outer * e;
}

/* Rows around a tile, and columns around it; the pitch keeps rows of whole vectors. */
#define FLOAT_MOTION_TILE_ROWS (FLOAT_MOTION_BLUR_ROWS + 2 * FLOAT_MOTION_REACH)
#define FLOAT_MOTION_PITCH (FLOAT_MOTION_BLUR_LANES + 16)

/* A tile reads LANES neighbouring columns, blurs them vertically, each lane its own, and from there
 * horizontally. At the edges of the picture it moves inwards, and the columns that the border rule mirrors
 * are copied on chip. */
KERNEL2(float_motion_blur, FLOAT_MOTION_BLUR_LANES, IN(SAMPLE, picture), OUT(f32, blurred),
        float_motion_plane, plane)
    SHARED(f32, a, FLOAT_MOTION_TILE_ROWS * LANES);
    SHARED(f32, b, FLOAT_MOTION_BLUR_ROWS * FLOAT_MOTION_PITCH); /* column start - 2 + i at index i */
    const i32 width = (i32)plane.width;
    const i32 height = (i32)plane.height;
    const i32 left = (i32)GROUP_X * FLOAT_MOTION_BLUR_COLUMNS;
    const i32 columns = width - left < FLOAT_MOTION_BLUR_COLUMNS ? width - left : FLOAT_MOTION_BLUR_COLUMNS;
    const i32 top = (i32)GROUP_Y * FLOAT_MOTION_BLUR_ROWS;
    const i32 rows = height - top < FLOAT_MOTION_BLUR_ROWS ? height - top : FLOAT_MOTION_BLUR_ROWS;
    const i32 last_start = width > LANES ? width - LANES : 0;
    const i32 inner_start = left > FLOAT_MOTION_REACH ? left - FLOAT_MOTION_REACH : 0;
    const i32 start = inner_start < last_start ? inner_start : last_start;
    const i32 end = width - start < LANES ? width - start : LANES; /* columns of the picture from start */

    for (i32 i = 0; i < rows + 2 * FLOAT_MOTION_REACH; i++) {
        const i32 y = float_motion_mirror(top + i - FLOAT_MOTION_REACH, height);
        GLOBAL_IN(SAMPLE) row = picture + (u64)(u32)y * plane.stride + (u32)start;
        if (end == LANES)
            EACH(lane) a[i * LANES + lane] = (f32)row[lane] * plane.scale - 128.0f;
        else
            EACH(lane) a[i * LANES + lane] = (f32)row[lane < end ? lane : end - 1] * plane.scale - 128.0f;
    }
    for (i32 i = 0; i < rows; i++)
        EACH(lane) {
            SHARED_PTR(f32) at = a + i * LANES + lane;
            b[i * FLOAT_MOTION_PITCH + FLOAT_MOTION_REACH + lane] =
                float_motion_taps(at[0], at[LANES], at[2 * LANES], at[3 * LANES], at[4 * LANES], plane);
        }
    BARRIER;
    if (start == 0 || start + end == width) {
        FIRST(lane, FLOAT_MOTION_BLUR_ROWS) {
            SHARED_PTR(f32) row = b + lane * FLOAT_MOTION_PITCH + FLOAT_MOTION_REACH;
            UNROLL(2)
            for (i32 n = 1; n <= FLOAT_MOTION_REACH; n++) {
                if (start == 0)
                    row[-n] = row[float_motion_mirror(-n, width)];
                if (start + end == width)
                    row[end - 1 + n] = row[float_motion_mirror(width - 1 + n, width) - start];
            }
        }
    }
    for (i32 i = 0; i < rows; i++) {
        SHARED_PTR(f32) row = b + i * FLOAT_MOTION_PITCH + (left - start);
        GLOBAL_OUT(f32) out = blurred + (u64)(u32)(top + i) * plane.pitch + (u32)left;
        FIRST(lane, columns) {
            out[lane] = float_motion_taps(row[lane], row[lane + 1], row[lane + 2], row[lane + 3],
                                          row[lane + 4], plane);
        }
    }
END_KERNEL

#define FLOAT_MOTION_TERMS_PITCH (FLOAT_MOTION_ROWS + SHARED_PAD)

FUNCTION(f32) float_motion_distance(f32 p, f32 q) {
    const f32 difference = p - q;
    return difference < 0.0f ? -difference : difference;
}

/* Terms lie as [column][row]: formed with a lane a column, added with a lane a row, in the order of the
 * columns. */
#define FLOAT_MOTION_ADD_ROWS                                                                                \
    FIRST(lane, FLOAT_MOTION_ROWS) {                                                                         \
        f32 s = sum[lane];                                                                                   \
        u32 column = 0;                                                                                      \
        do {                                                                                                 \
            s = s + terms[column * FLOAT_MOTION_TERMS_PITCH + lane];                                         \
        } while (++column < columns);                                                                        \
        sum[lane] = s;                                                                                       \
    }

/* Rows of the last band that are not there repeat its last one, and their sums go nowhere. */
KERNEL3(float_motion_full, FLOAT_MOTION_LANES, IN(f32, now), IN(f32, before), OUT(f32, sums),
        float_motion_rows, plane)
    SHARED(f32, terms, LANES * FLOAT_MOTION_TERMS_PITCH);
    SHARED(f32, sum, FLOAT_MOTION_ROWS);
    const u32 top = GROUP_Y * FLOAT_MOTION_ROWS;
    const u32 rows = plane.height - top < FLOAT_MOTION_ROWS ? plane.height - top : FLOAT_MOTION_ROWS;

    FIRST(lane, FLOAT_MOTION_ROWS) sum[lane] = 0.0f;
    for (u32 x = 0; x < plane.width; x += LANES) {
        const u32 columns = plane.width - x < LANES ? plane.width - x : LANES;
        GLOBAL_IN(f32) p = now + (u64)top * plane.pitch + x;
        GLOBAL_IN(f32) q = before + (u64)top * plane.pitch + x;
        if (columns == LANES && rows == FLOAT_MOTION_ROWS) {
            PHASE(lane) {
                UNROLL(16)
                for (u32 i = 0; i < FLOAT_MOTION_ROWS; i++)
                    terms[lane * FLOAT_MOTION_TERMS_PITCH + i] =
                        float_motion_distance(p[i * plane.pitch + lane], q[i * plane.pitch + lane]);
            }
        } else {
            FIRST(lane, columns) {
                UNROLL(16)
                for (u32 i = 0; i < FLOAT_MOTION_ROWS; i++) {
                    const u32 at = (i < rows ? i : rows - 1) * plane.pitch + (u32)lane;
                    terms[lane * FLOAT_MOTION_TERMS_PITCH + i] = float_motion_distance(p[at], q[at]);
                }
            }
        }
        FLOAT_MOTION_ADD_ROWS
    }
    FIRST(lane, rows) sums[top + lane] = sum[lane];
END_KERNEL

/* A sample of the half-size plane between the samples of two rows of the blurred plane. */
FUNCTION(f32) float_motion_between(GLOBAL_IN(f32) upper, GLOBAL_IN(f32) lower, u32 x1, u32 x2,
                                   f32 fx, f32 fy) {
    const f32 gx = 1.0f - fx, gy = 1.0f - fy;
    return (((gy * gx) * upper[x1] + (gy * fx) * upper[x2]) + (fy * gx) * lower[x1]) + (fy * fx) * lower[x2];
}

/* `places`: for each column of the half-size plane the column x1 of the blurred one, then all x2, then the
 * rows y1 and y2; `fractions`: fx of each column, then fy of each row. plane.width and plane.height are
 * those of the half-size plane. */
KERNEL5(float_motion_half, FLOAT_MOTION_LANES, IN(f32, now), IN(f32, before), IN(u32, places),
        IN(f32, fractions), OUT(f32, sums), float_motion_rows, plane)
    SHARED(f32, terms, LANES * FLOAT_MOTION_TERMS_PITCH);
    SHARED(f32, sum, FLOAT_MOTION_ROWS);
    const u32 top = GROUP_Y * FLOAT_MOTION_ROWS;
    const u32 rows = plane.height - top < FLOAT_MOTION_ROWS ? plane.height - top : FLOAT_MOTION_ROWS;
    GLOBAL_IN(u32) x1 = places;
    GLOBAL_IN(u32) x2 = x1 + plane.width;
    GLOBAL_IN(u32) y1 = x2 + plane.width;
    GLOBAL_IN(u32) y2 = y1 + plane.height;

    FIRST(lane, FLOAT_MOTION_ROWS) sum[lane] = 0.0f;
    for (u32 x = 0; x < plane.width; x += LANES) {
        const u32 columns = plane.width - x < LANES ? plane.width - x : LANES;
        for (u32 i = 0; i < FLOAT_MOTION_ROWS; i++) {
            const u32 y = top + (i < rows ? i : rows - 1);
            const u64 upper = (u64)y1[y] * plane.pitch, lower = (u64)y2[y] * plane.pitch;
            const f32 fy = fractions[plane.width + y];
            EACH(lane) {
                const u32 column = x + ((u32)lane < columns ? (u32)lane : columns - 1);
                const u32 c1 = x1[column], c2 = x2[column];
                const f32 fx = fractions[column];
                const f32 p = float_motion_between(now + upper, now + lower, c1, c2, fx, fy);
                const f32 q = float_motion_between(before + upper, before + lower, c1, c2, fx, fy);
                terms[lane * FLOAT_MOTION_TERMS_PITCH + i] = float_motion_distance(p, q);
            }
        }
        BARRIER;
        FLOAT_MOTION_ADD_ROWS
    }
    FIRST(lane, rows) sums[top + lane] = sum[lane];
END_KERNEL

KERNEL_LIST(float_motion, KERNEL_ENTRY(float_motion_blur) KERNEL_ENTRY(float_motion_full)
                              KERNEL_ENTRY(float_motion_half))
