/* cambi: the picture at five scales with its mask, the contrast of each sample with what lies around it,
 * and the sum of the strongest contrasts (spec: cambi.md). */
#include "kernel/kernel.h"

#include "features/cambi/stages.h"

/* A choice by masks: loops over lanes with jumps do not become vectors. */
FUNCTION(u16) cambi_choice(u32 condition, u16 yes, u16 no) {
    const u16 mask = (u16)(0u - condition);
    return (u16)((yes & mask) | (no & ~mask));
}

#include "features/cambi/prepare.h"

#include "features/cambi/mask.h"

/* The value that occurs at least twice, else the smallest. */
FUNCTION(u16) cambi_mode(u16 a, u16 b, u16 c) {
    const u16 low = a < b ? a : b;
    const u16 smallest = low < c ? low : c;
    const u16 same_bc = cambi_choice(b == c, b, smallest);
    return cambi_choice((a == b ? 1u : 0u) | (a == c ? 1u : 0u), a, same_bc);
}

/* For kernels whose name is itself a macro. */
#define CAMBI_KERNEL4(name, lanes, p0, p1, p2, p3, V, value) KERNEL4(name, lanes, p0, p1, p2, p3, V, value)

#define CAMBI_SCALE cambi_scale
#define CAMBI_STEP 1
#include "features/cambi/scale.h"

#define CAMBI_SCALE cambi_halve
#define CAMBI_STEP 2
#include "features/cambi/scale.h"

#include "features/cambi/contrast.h"

#include "features/cambi/pooling.h"

KERNEL_LIST(cambi, KERNEL_ENTRY(cambi_peaks) KERNEL_ENTRY(cambi_prepare) KERNEL_ENTRY(cambi_mask)
                   KERNEL_ENTRY(cambi_scale) KERNEL_ENTRY(cambi_halve) KERNEL_ENTRY(cambi_contrasts)
                   KERNEL_ENTRY(cambi_rank) KERNEL_ENTRY(cambi_histogram) KERNEL_ENTRY(cambi_choose)
                   KERNEL_ENTRY(cambi_sum))
