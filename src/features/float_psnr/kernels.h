/* float_psnr: squared error of each row segment, as an integer in units of the squared sample step. */
#include "kernel/kernel.h"

#include "features/float_psnr/stages.h"

/* The square rounded to float, as an integer: exact below 2^24, else a multiple of up to 256 below 2^32. */
FUNCTION(u32) float_psnr_square(u32 reference, u32 distorted) {
    const f32 difference = (f32)((i32)reference - (i32)distorted);
    return (u32)(difference * difference);
}

#if SAMPLE_BITS == 8
/* At most 32768 / 128 terms of at most 2^16 for each lane. */
#define float_psnr_lane_sum u32
#else
#define float_psnr_lane_sum u64
#endif

KERNEL3(float_psnr_rows, FLOAT_PSNR_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted), OUT(u64, sums),
        float_psnr_plane, plane)
    PRIVATE(float_psnr_lane_sum, sum);
    SHARED(u64, lane_sums, LANES);
    const u64 first = (u64)GROUP_Y * plane.stride + (u64)GROUP_X * FLOAT_PSNR_SEGMENT;
    GLOBAL_IN(SAMPLE) r = reference + first;
    GLOBAL_IN(SAMPLE) d = distorted + first;
    const u32 left = plane.width - GROUP_X * FLOAT_PSNR_SEGMENT;
    const u32 count = left < FLOAT_PSNR_SEGMENT ? left : FLOAT_PSNR_SEGMENT;
    const u32 whole = count / LANES * LANES;

    EACH(lane) MY(sum) = 0;
    for (u32 x = 0; x < whole; x += LANES)
        EACH(lane) MY(sum) += float_psnr_square(r[x + lane], d[x + lane]);
    if (whole < count)
        EACH(lane) {
            if (whole + (u32)lane < count)
                MY(sum) += float_psnr_square(r[whole + lane], d[whole + lane]);
        }
    PHASE(lane) lane_sums[lane] = MY(sum);
    SUM_OVER_LANES(lane_sums)
    ONCE sums[GROUP_Y * plane.segments + GROUP_X] = lane_sums[0];
END_KERNEL

KERNEL_LIST(float_psnr, KERNEL_ENTRY(float_psnr_rows))
