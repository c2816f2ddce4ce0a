/* vif: local statistics of two pictures at four scales, what they contribute to the scores, and halving
 * between scales. */
#define KERNEL_USES_F64
#include "kernel/kernel.h"

#include "exact/gain.h"

#include "features/vif/stages.h"

#if defined(TY_TARGET_C) && defined(TY_SIMD) && defined(__AVX2__) && (defined(__clang__) || __GNUC__ >= 12)
#define VIF_X86
#include "features/vif/x86.h"
#endif

TABLE(u32, vif_kernel_0, VIF_TAPS_0) = {489,  935,  1640, 2640, 3896, 5274, 6547, 7455, 7784,
                                        7455, 6547, 5274, 3896, 2640, 1640, 935,  489};
TABLE(u32, vif_kernel_1, VIF_TAPS_1) = {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244};
TABLE(u32, vif_kernel_2, VIF_TAPS_2) = {3571, 16004, 26386, 16004, 3571};
TABLE(u32, vif_kernel_3, VIF_TAPS_3) = {10904, 43728, 10904};

/* Where the border rule reads for index i of an axis of `count` samples; one reflection is enough. */
FUNCTION(i32) vif_mirror(i32 i, i32 count) {
    const i32 positive = i < 0 ? -i : i;
    return positive >= count ? 2 * count - 2 - positive : positive;
}

/* First of `reading` columns for a tile that needs those from `wanted` on: it moves inwards at the edges. */
FUNCTION(i32) vif_start(i32 wanted, i32 reading, i32 width) {
    const i32 last = width > reading ? width - reading : 0;
    const i32 inner = wanted > 0 ? wanted : 0;
    return inner < last ? inner : last;
}

/* L of the spec: 2048 log2(v), 2^17 <= v < 2^31, from the entry at its place in the table. */
FUNCTION(u32) vif_log_place(u32 v) { return (v >> (BIT_LENGTH(v) - 12)) - 2048; }
FUNCTION(i32) vif_log(u32 v, u32 entry) {
    const u32 k = BIT_LENGTH(v) - 16;
    const u32 place = v >> k & 15;
    const u32 steps = (place >= (entry >> 16 & 31) ? 1u : 0u) + (place >= (entry >> 21 & 31) ? 1u : 0u);
    return (i32)((entry & 0xffff) + steps + 2048 * k);
}

/* For kernels whose name is itself a macro. */
#define VIF_KERNEL2(name, lanes, p0, p1, V, value) KERNEL2(name, lanes, p0, p1, V, value)
#define VIF_KERNEL4(name, lanes, p0, p1, p2, p3, V, value) KERNEL4(name, lanes, p0, p1, p2, p3, V, value)

#define VIF_STATISTICS vif_statistics_0
#define VIF_TYPE SAMPLE
#define VIF_TYPE_BITS SAMPLE_BITS
#define VIF_TAPS VIF_TAPS_0
#define VIF_KERNEL vif_kernel_0
#include "features/vif/statistics.h"

#define VIF_STATISTICS vif_statistics_1
#define VIF_TYPE u16
#define VIF_TYPE_BITS 16
#define VIF_TAPS VIF_TAPS_1
#define VIF_KERNEL vif_kernel_1
#include "features/vif/statistics.h"

#define VIF_STATISTICS vif_statistics_2
#define VIF_TYPE u16
#define VIF_TYPE_BITS 16
#define VIF_TAPS VIF_TAPS_2
#define VIF_KERNEL vif_kernel_2
#include "features/vif/statistics.h"

#define VIF_STATISTICS vif_statistics_3
#define VIF_TYPE u16
#define VIF_TYPE_BITS 16
#define VIF_TAPS VIF_TAPS_3
#define VIF_KERNEL vif_kernel_3
#include "features/vif/statistics.h"

#define VIF_HALVE vif_halve_0
#define VIF_TYPE SAMPLE
#define VIF_TAPS VIF_TAPS_1
#define VIF_KERNEL vif_kernel_1
#include "features/vif/halve.h"

#define VIF_HALVE vif_halve_1
#define VIF_TYPE u16
#define VIF_TAPS VIF_TAPS_2
#define VIF_KERNEL vif_kernel_2
#include "features/vif/halve.h"

#define VIF_HALVE vif_halve_2
#define VIF_TYPE u16
#define VIF_TAPS VIF_TAPS_3
#define VIF_KERNEL vif_kernel_3
#include "features/vif/halve.h"

KERNEL_LIST(vif, KERNEL_ENTRY(vif_statistics_0) KERNEL_ENTRY(vif_statistics_1) KERNEL_ENTRY(vif_statistics_2)
                 KERNEL_ENTRY(vif_statistics_3) KERNEL_ENTRY(vif_halve_0) KERNEL_ENTRY(vif_halve_1)
                 KERNEL_ENTRY(vif_halve_2))
