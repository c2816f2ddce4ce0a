/* The kernel dialect in HIP: CUDA's words. */
#ifndef TY_KERNEL_HIP_H
#define TY_KERNEL_HIP_H

#include <hip/hip_runtime.h>

#include "kernel/cuda.h"

#endif
