/* A kernel with a double that it does not declare: the guard must find it. */
#include "kernel/kernel.h"

typedef struct planted_value {
    u32 count;
} planted_value;

KERNEL1(planted, 32, OUT(f32, out), planted_value, value)
    PHASE(lane) out[lane] = (f32)((double)value.count / 3.0);
END_KERNEL

KERNEL_LIST(planted, KERNEL_ENTRY(planted))
