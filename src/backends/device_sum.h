/* The ordered sum on a device (exact/ordered_sum/kernels.h), through the backend's own launches. */
#ifndef TY_DEVICE_SUM_H
#define TY_DEVICE_SUM_H

#include "backends/backend.h"

/* What one queue needs for it. Zero-initialise; its memory goes with the device. */
typedef struct ty_device_sum {
    const ty_device_kernel *chunks, *guess, *steps, *tail;
    ty_memory amounts, units, step_memory;
    size_t capacity; /* chunks that the three have room for */
} ty_device_sum;

/* Enqueues `sums` sums side by side: sum y adds `count` terms from terms[first + y * count] on, starting at 0.0f if first is
 * 0, else at result[y], and goes to result[y]. A sum has at most 2^31 terms. */
tally_status ty_device_sum_enqueue(ty_device_sum *sum, const ty_backend *backend, ty_device *device, ty_queue *queue,
                                   const ty_memory *terms, size_t first, size_t count, uint32_t sums,
                                   const ty_memory *result, ty_error *error);

#endif
