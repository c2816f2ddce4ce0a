/* float_ansnr: signal and noise of each row (spec: ansnr.md). Terms are formed with a lane a column, then
 * added with a lane a row, in the order of the columns. */
#include "kernel/kernel.h"

#include "features/float_ansnr/stages.h"

/* Rows and columns around a tile. */
#define ANSNR_HALO 2
#define ANSNR_TILE_ROWS (ANSNR_ROWS + 2 * ANSNR_HALO)
#define ANSNR_PITCH (ANSNR_LANES + 16)
#define ANSNR_TERMS_PITCH (ANSNR_ROWS + SHARED_PAD)

/* The low side mirrors without repeating the border sample, the high side repeats it. Indices further than a
 * kernel's radius outside belong to no sample of the picture, and are only kept inside of it. */
FUNCTION(u32) ansnr_mirror(i32 i, i32 size) {
    const i32 near = i < size + ANSNR_HALO - 1 ? i : size + ANSNR_HALO - 1;
    const i32 high = near < size ? near : 2 * size - 1 - near;
    return (u32)(high < 0 ? -high : high);
}

FUNCTION(f32) ansnr_sample(u32 sample, f32 scale) { return (f32)sample * scale - 128.0f; }

/* A row of the 5x5 kernel, from left to right. */
FUNCTION(f32) ansnr_row(SHARED_PTR(f32) g, f32 outer, f32 inner, f32 centre) {
    return (((outer * g[0] + inner * g[1]) + centre * g[2]) + inner * g[3]) + outer * g[4];
}

/* Its weights are integers divided by 571: 2 7 12 7 2, 7 31 52 31 7 and 12 52 127 52 12. */
FUNCTION(f32) ansnr_outer(SHARED_PTR(f32) g) {
    return ansnr_row(g, 0x1.cb18a8p-9f, 0x1.91b594p-7f, 0x1.58527ep-6f);
}
FUNCTION(f32) ansnr_inner(SHARED_PTR(f32) g) {
    return ansnr_row(g, 0x1.91b594p-7f, 0x1.bcbfe4p-5f, 0x1.750408p-4f);
}
FUNCTION(f32) ansnr_centre(SHARED_PTR(f32) g) {
    return ansnr_row(g, 0x1.58527ep-6f, 0x1.750408p-4f, 0x1.c78278p-3f);
}

/* A smoothed distorted sample; g: its upper left neighbour two rows and columns away. Kernel rows from top to
 * bottom; those that neighbouring outputs share are formed once by any compiler. Leaving out the sums' start,
 * 0 + first term, can only change the sign of a zero, which the squares drop. */
FUNCTION(f32) ansnr_distorted(SHARED_PTR(f32) g) {
    return (((ansnr_outer(g) + ansnr_inner(g + ANSNR_PITCH)) + ansnr_centre(g + 2 * ANSNR_PITCH)) +
            ansnr_inner(g + 3 * ANSNR_PITCH)) + ansnr_outer(g + 4 * ANSNR_PITCH);
}

/* A smoothed reference sample; g: its upper left neighbour. Exact in any order: at most 20 significant bits.
 * */
FUNCTION(f32) ansnr_121(SHARED_PTR(f32) g) { return (g[0] + g[2]) + 2.0f * g[1]; }
FUNCTION(f32) ansnr_reference(SHARED_PTR(f32) g) {
    return ((ansnr_121(g) + ansnr_121(g + 2 * ANSNR_PITCH)) + 2.0f * ansnr_121(g + ANSNR_PITCH)) * 0.0625f;
}

FUNCTION(GLOBAL_IN(SAMPLE)) ansnr_row_at(GLOBAL_IN(SAMPLE) picture, ansnr_plane plane, i32 y) {
    return picture + (u64)ansnr_mirror(y, (i32)plane.height) * plane.stride;
}

/* Samples of a tile and of the rows and columns around it: rows as far as a kernel of that radius reaches. */
#define ANSNR_LOAD(tile, picture, radius)                                                                 \
    for (u32 i = ANSNR_HALO - radius; i < ANSNR_HALO + ANSNR_ROWS + radius; i++) {                        \
        GLOBAL_IN(SAMPLE) row = ansnr_row_at(picture, plane, top + (i32)i);                               \
        if (left >= 0 && left + LANES <= (i32)plane.width)                                                \
            EACH(lane) tile[i * ANSNR_PITCH + lane] = ansnr_sample(row[left + lane], plane.scale);        \
        else                                                                                              \
            EACH(lane) tile[i * ANSNR_PITCH + lane] =                                                     \
                ansnr_sample(row[ansnr_mirror(left + lane, (i32)plane.width)], plane.scale);              \
    }                                                                                                     \
    FIRST(lane, 2 * ANSNR_HALO) {                                                                         \
        const u32 column = ansnr_mirror(left + LANES + lane, (i32)plane.width);                           \
        for (u32 i = ANSNR_HALO - radius; i < ANSNR_HALO + ANSNR_ROWS + radius; i++)                      \
            tile[i * ANSNR_PITCH + LANES + lane] =                                                        \
                ansnr_sample(ansnr_row_at(picture, plane, top + (i32)i)[column], plane.scale);            \
    }

KERNEL3(float_ansnr_rows, ANSNR_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted), OUT(f32, sums),
        ansnr_plane, plane)
    SHARED(f32, r, ANSNR_TILE_ROWS * ANSNR_PITCH);
    SHARED(f32, d, ANSNR_TILE_ROWS * ANSNR_PITCH);
    SHARED(f32, signal, LANES * ANSNR_TERMS_PITCH); /* [column][row] */
    SHARED(f32, noise, LANES * ANSNR_TERMS_PITCH);
    SHARED(f32, sum, ANSNR_SUMS);
    const i32 top = (i32)(GROUP_Y * ANSNR_ROWS) - ANSNR_HALO;

    FIRST(lane, ANSNR_SUMS) sum[lane] = 0.0f;
    for (u32 x = 0; x < plane.width; x += LANES) {
        const i32 left = (i32)x - ANSNR_HALO;
        const u32 columns = plane.width - x < LANES ? plane.width - x : LANES;
        ANSNR_LOAD(r, reference, 1)
        ANSNR_LOAD(d, distorted, 2)
        PHASE(lane) {
            UNROLL(8)
            for (u32 i = 0; i < ANSNR_ROWS; i++) {
                const f32 u = ansnr_reference(r + (i + 1) * ANSNR_PITCH + 1 + lane);
                const f32 e = u - ansnr_distorted(d + i * ANSNR_PITCH + lane);
                signal[lane * ANSNR_TERMS_PITCH + i] = u * u;
                noise[lane * ANSNR_TERMS_PITCH + i] = e * e;
            }
        }
        FIRST(lane, ANSNR_ROWS) {
            f32 s = sum[lane], n = sum[ANSNR_ROWS + lane];
            u32 column = 0;
            do {
                s = s + signal[column * ANSNR_TERMS_PITCH + lane];
                n = n + noise[column * ANSNR_TERMS_PITCH + lane];
            } while (++column < columns);
            sum[lane] = s;
            sum[ANSNR_ROWS + lane] = n;
        }
    }
    FIRST(lane, ANSNR_SUMS) sums[GROUP_Y * ANSNR_SUMS + lane] = sum[lane];
END_KERNEL

KERNEL_LIST(float_ansnr, KERNEL_ENTRY(float_ansnr_rows))
