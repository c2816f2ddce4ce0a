/* psnr: squared error of each row. One group a row. */
#include "kernel/kernel.h"

#include "features/psnr/stages.h"

FUNCTION(u32) psnr_square(u32 reference, u32 distorted) {
    const i32 difference = (i32)reference - (i32)distorted;
    return (u32)difference * (u32)difference; /* at most 65535^2 < 2^32 */
}

#if SAMPLE_BITS == 8
/* A lane of 8-bit samples adds at most 65535 / 128 terms of at most 2^16: 32 bits. */
#define psnr_lane_sum u32
#else
#define psnr_lane_sum u64
#endif

KERNEL3(psnr_rows, PSNR_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted), OUT(u64, sums), psnr_plane, plane)
    PRIVATE(psnr_lane_sum, sum);
    SHARED(u64, lane_sums, LANES);
    GLOBAL_IN(SAMPLE) r = reference + (u64)GROUP_Y * plane.stride;
    GLOBAL_IN(SAMPLE) d = distorted + (u64)GROUP_Y * plane.stride;
    const u32 whole = plane.width / LANES * LANES;

    EACH(lane) MY(sum) = 0;
    for (u32 x = 0; x < whole; x += LANES)
        EACH(lane) MY(sum) += psnr_square(r[x + lane], d[x + lane]);
    if (whole < plane.width)
        EACH(lane) {
            if (whole + (u32)lane < plane.width)
                MY(sum) += psnr_square(r[whole + lane], d[whole + lane]);
        }
    PHASE(lane) lane_sums[lane] = MY(sum);
    SUM_OVER_LANES(lane_sums)
    ONCE sums[GROUP_Y] = lane_sums[0];
END_KERNEL

KERNEL_LIST(psnr, KERNEL_ENTRY(psnr_rows))
