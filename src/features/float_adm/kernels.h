/* float_adm: wavelet of both pictures, then for each level one stage that decouples, weights, masks and adds up rows. */
#define KERNEL_USES_F64
#include "kernel/kernel.h"

#include "exact/kernel_power.h"
#include "features/float_adm/stages.h"

#include "features/float_adm/products.h"

#include "features/float_adm/wavelet.h"

#include "features/float_adm/score.h"

KERNEL_LIST(float_adm, KERNEL_ENTRY(float_adm_wavelet_picture) KERNEL_ENTRY(float_adm_wavelet_band)
            KERNEL_ENTRY(float_adm_score))
