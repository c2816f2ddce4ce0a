/* A kernel whose products and sums the compiler may contract: the guard must find it. */
#include "kernel/kernel.h"

#pragma OPENCL FP_CONTRACT ON

typedef struct planted_value {
    f32 factor;
} planted_value;

KERNEL2(planted, 32, IN(f32, in), OUT(f32, out), planted_value, value)
    PHASE(lane) out[lane] = in[lane] * value.factor + in[lane + 1];
END_KERNEL

KERNEL_LIST(planted, KERNEL_ENTRY(planted))
