/* speed_chroma and speed_temporal: from the planes of both pictures to the eigenvalues of each side and the
 * variances of its blocks (spec: speed.md, 4.1 to 4.11). The planes that are scored, reference and distorted,
 * are the "sides": each stage takes all of them in one launch. */
#define KERNEL_USES_F64
#include "kernel/kernel.h"

#include "exact/kernel_double.h"
#include "exact/kernel_sqrt.h"

#include "features/speed_chroma/stages.h"

#include "features/speed_chroma/mixed.h"

#include "features/speed_chroma/lowpass.h"

#include "features/speed_chroma/resampled.h"

#include "features/speed_chroma/centre.h"

#include "features/speed_chroma/covariance.h"

#include "features/speed_chroma/eigenvalues.h"

#include "features/speed_chroma/solve.h"

KERNEL_LIST(speed_chroma, KERNEL_ENTRY(speed_lowpass) KERNEL_ENTRY(speed_lowpass_resampled)
                              KERNEL_ENTRY(speed_centre) KERNEL_ENTRY(speed_means)
                                  KERNEL_ENTRY(speed_covariance) KERNEL_ENTRY(speed_eigenvalues)
                                      KERNEL_ENTRY(speed_factor) KERNEL_ENTRY(speed_solve))
