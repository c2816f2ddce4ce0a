/* float_ssim and float_ms_ssim: planes of floats from pictures, decimated ones, and windows over them
 * (spec: ssim.md). */
#include "kernel/kernel.h"

#include "exact/kernel_twofold.h"
#include "features/float_ssim/stages.h"
#include "features/float_ssim/windows.h"

/* The samples as they are, on the scale of 8 bits. */
KERNEL2(float_ssim_plane, SSIM_LANES, IN(SAMPLE, picture), OUT(f32, plane_out), ssim_picture, plane)
    const u32 left = GROUP_X * LANES;
    GLOBAL_IN(SAMPLE) row = picture + (u64)GROUP_Y * plane.stride;
    GLOBAL_OUT(f32) out = plane_out + (u64)GROUP_Y * plane.pitch + left;
    if (left + LANES <= plane.width)
        EACH(lane) out[lane] = (f32)row[left + (u32)lane] * plane.scale;
    else
        EACH(lane) {
            const u32 x = left + (u32)lane;
            out[lane] = x < plane.width ? (f32)row[x] * plane.scale : 0.0f;
        }
END_KERNEL

/* Mirrors at an edge and repeats its sample. One reflection is enough for what samples of the plane are
 * made of; what would still lie outside belongs to columns behind it, and is only kept inside of the
 * picture. */
FUNCTION(i32) ssim_mirror(i32 i, i32 count) {
    const i32 low = i < 0 ? -1 - i : i;
    const i32 mirrored = low >= count ? 2 * count - 1 - low : low;
    return mirrored < 0 ? 0 : mirrored;
}

/* Means of factor x factor samples. A weighted sample times 2^23 is a multiple of 2^-22 (spec: its weight
 * is at least 2^-14 and has 24 bits, and samples are multiples of 2^-8): its whole part and the rest times
 * 2^22 are integers, and so the sum is exact. So is the double sum of the specification: 2^-45 is its
 * unit, and it is below 2^8. First a lane is a column of the picture, then one of the plane. */
KERNEL2(float_ssim_box, SSIM_BOX_LANES, IN(SAMPLE, picture), OUT(f32, plane_out), ssim_picture, plane)
    SHARED(u32, wholes, LANES);
    SHARED(u32, rests, LANES);
    PRIVATE(u32, column);
    PRIVATE(f32, sample);
    const u32 per_tile = LANES / plane.factor;
    const u32 first = GROUP_X * per_tile;
    const u32 tile = plane.pitch - first < per_tile ? plane.pitch - first : per_tile;
    const u32 rows = first < plane.plane_width ? plane.factor : 0; /* behind the plane: none, so zeros */
    const i32 left = (i32)(first * plane.factor) - (i32)(plane.factor / 2);
    const i32 top = (i32)(GROUP_Y * plane.factor) - (i32)(plane.factor / 2);
    const i32 width = (i32)plane.width;
    const i32 inside = left >= 0 && left + LANES <= width;
    GLOBAL_OUT(f32) out = plane_out + (u64)GROUP_Y * plane.pitch + first;

    EACH(lane) {
        wholes[lane] = 0;
        rests[lane] = 0;
        MY(column) = (u32)ssim_mirror(left + lane, width);
    }
    for (u32 v = 0; v < rows; v++) {
        const u32 y = (u32)ssim_mirror(top + (i32)v, (i32)plane.height);
        GLOBAL_IN(SAMPLE) row = picture + (u64)y * plane.stride;
        if (inside)
            EACH(lane) MY(sample) = (f32)row[left + lane];
        else
            EACH(lane) MY(sample) = (f32)row[MY(column)];
        EACH(lane) {
            const f32 weighted = MY(sample) * plane.scale;
            const i32 whole = (i32)weighted;
            wholes[lane] += (u32)whole;
            rests[lane] += (u32)(i32)((weighted - (f32)whole) * 0x1p22f);
        }
    }
    PHASE(lane) {
        wholes[lane] += rests[lane] >> 22;
        rests[lane] &= 0x3fffff;
    }
    FIRST(lane, tile) {
        u32 whole = 0, rest = 0; /* below 257 * 2^23, and 91 * 2^22 */
        for (u32 u = 0; u < plane.factor; u++) {
            whole += wholes[(u32)lane * plane.factor + u];
            rest += rests[(u32)lane * plane.factor + u];
        }
        const u64 sum = ((u64)whole << 22) + rest;
        out[lane] = first + (u32)lane < plane.plane_width ? (f32)sum * 0x1p-45f : 0.0f;
    }
END_KERNEL

#include "features/float_ssim/lowpass.h"

KERNEL_LIST(float_ssim, KERNEL_ENTRY(float_ssim_plane) KERNEL_ENTRY(float_ssim_box)
                            KERNEL_ENTRY(float_ssim_lowpass) KERNEL_ENTRY(float_ssim_windows))
