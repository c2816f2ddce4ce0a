/* Moments of two planes in a Gaussian window of 11x11 samples, and what SSIM makes of them (spec: ssim.md,
 * 4.2). */
#ifndef TY_SSIM_WINDOWS_H
#define TY_SSIM_WINDOWS_H

#include "exact/kernel_sqrt.h"

TABLE(f32, ssim_taps, SSIM_TAPS) = {0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f,
                                    0.213006f, 0.109361f, 0.036001f, 0.007599f, 0.001028f};

/* Sums of eleven weighted terms of both planes, their squares and their product. */
#define SSIM_MOMENTS 5
typedef struct ssim_sums {
    twofold r, d, rr, dd, rd;
    f32 size_r, size_d; /* of the absolute values */
} ssim_sums;

FUNCTION(f32) ssim_size(f32 x) { return x < 0.0f ? -x : x; }

FUNCTION(ssim_sums) ssim_first(f32 r, f32 d, f32 rr, f32 dd, f32 rd, f32 weight) {
    ssim_sums s;
    s.r = twofold_of(r * weight);
    s.d = twofold_of(d * weight);
    s.rr = twofold_of(rr * weight);
    s.dd = twofold_of(dd * weight);
    s.rd = twofold_of(rd * weight);
    s.size_r = ssim_size(r * weight);
    s.size_d = ssim_size(d * weight);
    return s;
}

FUNCTION(ssim_sums) ssim_add(ssim_sums s, f32 r, f32 d, f32 rr, f32 dd, f32 rd, f32 weight) {
    s.r = twofold_add(s.r, r * weight);
    s.d = twofold_add(s.d, d * weight);
    s.rr = twofold_add(s.rr, rr * weight);
    s.dd = twofold_add(s.dd, dd * weight);
    s.rd = twofold_add(s.rd, rd * weight);
    s.size_r = s.size_r + ssim_size(r * weight);
    s.size_d = s.size_d + ssim_size(d * weight);
    return s;
}

/* Stores the five sums LANES apart; bit m is set if sum m is in doubt. With B the sum of the absolute
 * terms, `low` and the double sum of the specification are off by less than 2^-41 B together. |rd| <=
 * max(rr, dd), and so are the rounded ones. */
FUNCTION(u32) ssim_store(ssim_sums s, SHARED_PTR(f32) out) {
    out[0] = twofold_float(s.r);
    out[SSIM_LANES] = twofold_float(s.d);
    out[2 * SSIM_LANES] = twofold_float(s.rr);
    out[3 * SSIM_LANES] = twofold_float(s.dd);
    out[4 * SSIM_LANES] = twofold_float(s.rd);
    return twofold_in_doubt(s.r, s.size_r * 0x1p-41f) | twofold_in_doubt(s.d, s.size_d * 0x1p-41f) << 1 |
           twofold_in_doubt(s.rr, s.rr.high * 0x1p-41f) << 2 |
           twofold_in_doubt(s.dd, s.dd.high * 0x1p-41f) << 3 |
           twofold_in_doubt(s.rd, (s.rr.high + s.dd.high) * 0x1p-41f) << 4;
}

/* Moment m of a sample: r, d, rr, dd, rd. */
FUNCTION(f32) ssim_moment(u32 m, f32 r, f32 d) {
    return m == 0 ? r : m == 1 ? d : m == 2 ? r * r : m == 3 ? d * d : r * d;
}

/* The slot of the ring that holds row i of the tile. */
#define SSIM_SLOT(i) ((i) % SSIM_TAPS * (SSIM_MOMENTS * LANES))

/* A lane is a column of the tile. It goes down its rows, and keeps the horizontal sums of the last eleven
 * in the ring: nothing passes from lane to lane. */
KERNEL3(float_ssim_windows, SSIM_LANES, IN(f32, reference), IN(f32, distorted), OUT(f32, windows),
        ssim_windows, plane)
    SHARED(f32, ring, SSIM_TAPS * SSIM_MOMENTS * LANES);
    SHARED(f32, moments, SSIM_MOMENTS * LANES);
    PRIVATE(u32, doubt);
    const u32 left = GROUP_X * LANES;
    const u32 top = GROUP_Y * SSIM_ROWS;
    const u32 rows = plane.height - top < SSIM_ROWS ? plane.height - top : SSIM_ROWS;

    for (u32 i = 0; i < rows + SSIM_TAPS - 1; i++) {
        GLOBAL_IN(f32) r = reference + (u64)(top + i) * plane.pitch + left;
        GLOBAL_IN(f32) d = distorted + (u64)(top + i) * plane.pitch + left;
        SHARED_PTR(f32) now = ring + SSIM_SLOT(i);
        EACH(lane) {
            const f32 r0 = r[lane], d0 = d[lane];
            ssim_sums s = ssim_first(r0, d0, r0 * r0, d0 * d0, r0 * d0, ssim_taps[0]);
            UNROLL(11)
            for (u32 k = 1; k < SSIM_TAPS; k++) {
                const f32 a = r[lane + k], b = d[lane + k];
                s = ssim_add(s, a, b, a * a, b * b, a * b, ssim_taps[k]);
            }
            MY(doubt) = ssim_store(s, now + lane);
        }
        EACH_WHERE(lane, doubt) {
            for (u32 m = 0; m < SSIM_MOMENTS; m++) {
                if (!(MY(doubt) >> m & 1))
                    continue;
                u64 sum = 0;
                for (u32 k = 0; k < SSIM_TAPS; k++) {
                    const f32 term = ssim_moment(m, r[lane + k], d[lane + k]) * ssim_taps[k];
                    sum = double_add(sum, double_of_float(term));
                }
                now[m * LANES + lane] = float_of_double(sum);
            }
        }
        if (i < SSIM_TAPS - 1)
            continue;
        EACH(lane) {
            SHARED_PTR(f32) first = ring + SSIM_SLOT(i + 1) + lane;
            ssim_sums s = ssim_first(first[0], first[LANES], first[2 * LANES], first[3 * LANES],
                                     first[4 * LANES], ssim_taps[0]);
            UNROLL(11)
            for (u32 k = 1; k < SSIM_TAPS; k++) {
                SHARED_PTR(f32) t = ring + SSIM_SLOT(i + 1 + k) + lane;
                s = ssim_add(s, t[0], t[LANES], t[2 * LANES], t[3 * LANES], t[4 * LANES], ssim_taps[k]);
            }
            MY(doubt) = ssim_store(s, moments + lane);
        }
        EACH_WHERE(lane, doubt) {
            for (u32 m = 0; m < SSIM_MOMENTS; m++) {
                if (!(MY(doubt) >> m & 1))
                    continue;
                u64 sum = 0;
                for (u32 k = 0; k < SSIM_TAPS; k++) {
                    const f32 term = ring[SSIM_SLOT(i + 1 + k) + m * LANES + (u32)lane] * ssim_taps[k];
                    sum = double_add(sum, double_of_float(term));
                }
                moments[m * LANES + lane] = float_of_double(sum);
            }
        }
        const u32 y = top + i + 1 - SSIM_TAPS;
        GLOBAL_OUT(f32) out = windows + (u64)y * plane.stored * plane.stored_pitch + left;
        GLOBAL_OUT(f32) structure = out + SSIM_STRUCTURE * plane.stored_pitch;
        GLOBAL_OUT(f32) deviations = out + SSIM_DEVIATIONS * plane.stored_pitch;
        GLOBAL_OUT(f32) variances = out + SSIM_VARIANCES * plane.stored_pitch;
        EACH(lane) {
            const f32 mean_r = moments[lane], mean_d = moments[LANES + lane];
            const f32 var_r = moments[2 * LANES + lane] - mean_r * mean_r;
            const f32 var_d = moments[3 * LANES + lane] - mean_d * mean_d;
            const f32 vr = var_r < 0.0f ? 0.0f : var_r, vd = var_d < 0.0f ? 0.0f : var_d;
            const f32 covariance = moments[4 * LANES + lane] - mean_r * mean_d;
            const f32 g = exact_sqrt(vr * vd);
            const f32 z = g <= 0.0f && covariance < 0.0f ? 0.0f : covariance;
            structure[lane] = (z + SSIM_C3) / (g + SSIM_C3);
            deviations[lane] = g;
            variances[lane] = (vr + vd) + SSIM_C2;
        }
        if (plane.stored == SSIM_WITH_MEANS) {
            GLOBAL_OUT(f32) reference_means = out + SSIM_MEAN_REFERENCE * plane.stored_pitch;
            GLOBAL_OUT(f32) distorted_means = out + SSIM_MEAN_DISTORTED * plane.stored_pitch;
            EACH(lane) {
                reference_means[lane] = moments[lane];
                distorted_means[lane] = moments[LANES + lane];
            }
        }
    }
END_KERNEL

#endif
