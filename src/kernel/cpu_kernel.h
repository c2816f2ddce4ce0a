/* What the C lowering makes of a kernel: one function that runs a rectangle of groups. */
#ifndef TY_CPU_KERNEL_H
#define TY_CPU_KERNEL_H

#include "kernel/types.h"

/* Groups x0 <= GROUP_X < x1, y0 <= GROUP_Y < y1, row by row. */
typedef struct ty_group_range {
    u32 x0, x1, y0, y1;
} ty_group_range;

/* buffers: the kernel's buffers in the order of its parameters; value: its struct of plain values. Buffers of one launch
 * never overlap unless both are read only. */
typedef void (*ty_cpu_function)(void *const *buffers, const void *value, ty_group_range range);

typedef struct ty_cpu_kernel {
    const char *name; /* NULL ends a list */
    ty_cpu_function run;
} ty_cpu_kernel;

#endif
