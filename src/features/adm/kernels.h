/* adm: wavelet of both pictures, then for each level one stage that decouples, weights, masks and adds up. */
#define KERNEL_USES_F64
#include "kernel/kernel.h"

#include "features/adm/stages.h"

#include "features/adm/products.h"
#include "features/adm/wavelet.h"

#include "features/adm/tile.h"

#include "features/adm/bands16.h"
#include "features/adm/bands32.h"

#define ADM_BAND_BITS 16
#include "features/adm/score.h"
#undef ADM_BAND_BITS

#define ADM_BAND_BITS 32
#include "features/adm/score.h"
#undef ADM_BAND_BITS

KERNEL_LIST(adm, KERNEL_ENTRY(adm_wavelet_picture) KERNEL_ENTRY(adm_wavelet_band) KERNEL_ENTRY(adm_score16)
            KERNEL_ENTRY(adm_score32))
