/* ssim: the term of each sample, from exact moments of its window (spec: ssim.md, 4.4). */
#define KERNEL_USES_F64
#include "kernel/kernel.h"

#include "exact/kernel_double.h"
#include "features/ssim/stages.h"
#include "features/ssim/term.h"

TABLE(u32, ssim_fixed_weights, SSIM_FIXED_TAPS) = SSIM_FIXED_WEIGHTS;

/* What is summed of each sample: r, d, rr, rd, dd. Products of samples of 16 bits as their upper and lower
 * halves, so that 256 * 256 times any of them stays below 2^32. */
#if SAMPLE_BITS == 8
#define SSIM_FIXED_MOMENTS 5
#else
#define SSIM_FIXED_MOMENTS 8
#endif

#define SSIM_FIXED_INPUT (SSIM_FIXED_LANES + 2 * SSIM_FIXED_REACH)

FUNCTION(void) ssim_fixed_store(SHARED_PTR(u32) out, u32 r, u32 d) {
    out[0] = r;
    out[SSIM_FIXED_INPUT] = d;
#if SAMPLE_BITS == 8
    out[2 * SSIM_FIXED_INPUT] = r * r;
    out[3 * SSIM_FIXED_INPUT] = r * d;
    out[4 * SSIM_FIXED_INPUT] = d * d;
#else
    out[2 * SSIM_FIXED_INPUT] = r * r & 0xffff;
    out[3 * SSIM_FIXED_INPUT] = r * d & 0xffff;
    out[4 * SSIM_FIXED_INPUT] = d * d & 0xffff;
    out[5 * SSIM_FIXED_INPUT] = r * r >> 16;
    out[6 * SSIM_FIXED_INPUT] = r * d >> 16;
    out[7 * SSIM_FIXED_INPUT] = d * d >> 16;
#endif
}

/* The sum of nine values weighted, from the outside in. */
FUNCTION(u32) ssim_fixed_weighted(u32 four, u32 three, u32 two, u32 one, u32 centre) {
    return 2 * four + 9 * three + 28 * two + 55 * one + 68 * centre;
}

/* The weights that fall inside of a side of `size` samples, around sample `at` of it. */
FUNCTION(u32) ssim_fixed_weight(i32 at, i32 size) {
    u32 sum = 0;
    UNROLL(9)
    for (i32 k = 0; k < SSIM_FIXED_TAPS; k++) {
        const i32 tap = at + k - SSIM_FIXED_REACH;
        sum += tap >= 0 && tap < size ? ssim_fixed_weights[k] : 0;
    }
    return sum;
}

/* The slot of the ring that holds row i of the tile. */
#define SSIM_FIXED_SLOT(i) ((i) % SSIM_FIXED_TAPS * (SSIM_FIXED_MOMENTS * LANES))

/* A lane is a column of the tile. It goes down its rows and keeps the horizontal sums of the last nine.
 * Samples outside of the picture are zeros, whose weight does not count. */
KERNEL3(ssim_fixed_terms, SSIM_FIXED_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted),
        OUT(SSIM_FIXED_TERM, terms), ssim_fixed_plane, plane)
    SHARED(u32, input, SSIM_FIXED_MOMENTS * SSIM_FIXED_INPUT);
    SHARED(u32, ring, SSIM_FIXED_TAPS * SSIM_FIXED_MOMENTS * LANES);
    SHARED(u32, moments, SSIM_FIXED_MOMENTS * LANES);
    PRIVATE(u32, columns_weight);
    const i32 width = (i32)plane.width, height = (i32)plane.height;
    const i32 left = (i32)(GROUP_X * LANES);
    const i32 top = (i32)(GROUP_Y * SSIM_FIXED_ROWS);
    const i32 rows = height - top < SSIM_FIXED_ROWS ? height - top : SSIM_FIXED_ROWS;
    const i32 inside = left >= SSIM_FIXED_REACH && left + LANES + SSIM_FIXED_REACH <= width;

    /* Lanes behind the picture repeat its last column's weight, which keeps their terms finite. */
    EACH(lane) MY(columns_weight) = ssim_fixed_weight(left + lane < width ? left + lane : width - 1, width);
    for (i32 i = 0; i < rows + 2 * SSIM_FIXED_REACH; i++) {
        const i32 y = top + i - SSIM_FIXED_REACH;
        const i32 first = left - SSIM_FIXED_REACH;
        SHARED_PTR(u32) now = ring + SSIM_FIXED_SLOT((u32)i);
        if (y < 0 || y >= height) {
            EACH(lane) {
                UNROLL(8)
                for (u32 m = 0; m < SSIM_FIXED_MOMENTS; m++)
                    now[m * LANES + lane] = 0;
            }
        } else {
            GLOBAL_IN(SAMPLE) r = reference + (u64)(u32)y * plane.stride;
            GLOBAL_IN(SAMPLE) d = distorted + (u64)(u32)y * plane.stride;
            if (inside) {
                EACH(lane) ssim_fixed_store(input + lane, r[first + lane], d[first + lane]);
                FIRST(lane, 2 * SSIM_FIXED_REACH) {
                    const i32 x = first + LANES + lane;
                    ssim_fixed_store(input + LANES + lane, r[x], d[x]);
                }
            } else {
                EACH(lane) {
                    const i32 x = first + lane;
                    const u32 there = x >= 0 && x < width;
                    ssim_fixed_store(input + lane, there ? r[x] : 0, there ? d[x] : 0);
                }
                FIRST(lane, 2 * SSIM_FIXED_REACH) {
                    const i32 x = first + LANES + lane;
                    const u32 there = x < width;
                    ssim_fixed_store(input + LANES + lane, there ? r[x] : 0, there ? d[x] : 0);
                }
            }
            for (u32 m = 0; m < SSIM_FIXED_MOMENTS; m++) {
                SHARED_PTR(u32) of = input + m * SSIM_FIXED_INPUT;
                EACH(lane)
                    now[m * LANES + lane] = ssim_fixed_weighted(
                        of[lane] + of[lane + 8], of[lane + 1] + of[lane + 7], of[lane + 2] + of[lane + 6],
                        of[lane + 3] + of[lane + 5], of[lane + 4]);
            }
            BARRIER;
        }
        if (i < 2 * SSIM_FIXED_REACH)
            continue;
        const u32 oldest = (u32)i + 1;
        SHARED_PTR(u32) t0 = ring + SSIM_FIXED_SLOT(oldest);
        SHARED_PTR(u32) t1 = ring + SSIM_FIXED_SLOT(oldest + 1);
        SHARED_PTR(u32) t2 = ring + SSIM_FIXED_SLOT(oldest + 2);
        SHARED_PTR(u32) t3 = ring + SSIM_FIXED_SLOT(oldest + 3);
        SHARED_PTR(u32) t4 = ring + SSIM_FIXED_SLOT(oldest + 4);
        SHARED_PTR(u32) t5 = ring + SSIM_FIXED_SLOT(oldest + 5);
        SHARED_PTR(u32) t6 = ring + SSIM_FIXED_SLOT(oldest + 6);
        SHARED_PTR(u32) t7 = ring + SSIM_FIXED_SLOT(oldest + 7);
        SHARED_PTR(u32) t8 = ring + SSIM_FIXED_SLOT(oldest + 8);
        for (i32 k = 0; k < SSIM_FIXED_MOMENTS * LANES; k += LANES)
            EACH(lane)
                moments[k + lane] = ssim_fixed_weighted(
                    t0[k + lane] + t8[k + lane], t1[k + lane] + t7[k + lane], t2[k + lane] + t6[k + lane],
                    t3[k + lane] + t5[k + lane], t4[k + lane]);
        const u32 row = (u32)(y - SSIM_FIXED_REACH);
        const u32 rows_weight = ssim_fixed_weight((i32)row, height);
        GLOBAL_OUT(SSIM_FIXED_TERM) out = terms + (u64)row * plane.pitch + (u32)left;
        EACH(lane) {
            SHARED_PTR(u32) my = moments + lane;
            ssim_fixed_sums s;
            s.weight = MY(columns_weight) * rows_weight;
            s.r = my[0];
            s.d = my[LANES];
            s.rr = my[2 * LANES];
            s.rd = my[3 * LANES];
            s.dd = my[4 * LANES];
#if SAMPLE_BITS == 8
            s.rr_upper = s.rd_upper = s.dd_upper = 0;
#else
            s.rr_upper = my[5 * LANES];
            s.rd_upper = my[6 * LANES];
            s.dd_upper = my[7 * LANES];
#endif
            out[lane] = ssim_fixed_term(s, plane.c1, plane.c2);
        }
    }
END_KERNEL

KERNEL_LIST(ssim, KERNEL_ENTRY(ssim_fixed_terms))
