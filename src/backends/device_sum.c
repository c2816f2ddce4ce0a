#include "backends/device_sum.h"

#include "exact/ordered_sum/stages.h"

static tally_status prepare(ty_device_sum *sum, const ty_backend *backend, ty_device *device, ty_error *error) {
    if (sum->tail)
        return TALLY_OK;
    const struct {
        const char *name;
        const ty_device_kernel **kernel;
    } kernels[] = {{"ordered_sum_chunks", &sum->chunks},
                   {"ordered_sum_guess", &sum->guess},
                   {"ordered_sum_steps", &sum->steps},
                   {"ordered_sum_tail", &sum->tail}};
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        if (backend->find_kernel(device, "ordered_sum", kernels[k].name, kernels[k].kernel, error) != TALLY_OK)
            return error->status;
    return TALLY_OK;
}

/* Makes the scratch memory larger, once the work that may still use it is done. */
static tally_status make_room(ty_device_sum *sum, const ty_backend *backend, ty_device *device, ty_queue *queue,
                              size_t chunks, ty_error *error) {
    if (chunks <= sum->capacity)
        return TALLY_OK;
    if (sum->capacity > 0) {
        if (backend->finish(queue, error) != TALLY_OK)
            return error->status;
        sum->capacity = 0;
        backend->release(device, &sum->amounts);
        backend->release(device, &sum->units);
        backend->release(device, &sum->step_memory);
    }
    const size_t steps = (size_t)2 * ORDERED_SUM_UNITS * chunks;
    if (backend->allocate(device, TY_MEMORY_DEVICE, chunks * sizeof(f32), &sum->amounts, error) != TALLY_OK ||
        backend->allocate(device, TY_MEMORY_DEVICE, chunks * sizeof(u32), &sum->units, error) != TALLY_OK ||
        backend->allocate(device, TY_MEMORY_DEVICE, steps * sizeof(u32), &sum->step_memory, error) != TALLY_OK)
        return error->status;
    sum->capacity = chunks;
    return TALLY_OK;
}

tally_status ty_device_sum_enqueue(ty_device_sum *sum, const ty_backend *backend, ty_device *device, ty_queue *queue,
                                   const ty_memory *terms, size_t first, size_t count, uint32_t sums,
                                   const ty_memory *result, ty_error *error) {
    if (count > (size_t)1 << 31)
        return ty_fail(error, TALLY_DEVICE, "backend %s cannot add %zu terms in order; at most 2^31", backend->name,
                       count);
    const uint32_t chunks = (uint32_t)((count + ORDERED_SUM_CHUNK - 1) / ORDERED_SUM_CHUNK);
    if (prepare(sum, backend, device, error) != TALLY_OK ||
        make_room(sum, backend, device, queue, (size_t)chunks * sums, error) != TALLY_OK)
        return error->status;
    const ordered_sum_shape shape = {first, (u32)count, chunks, first > 0, 0};
    const ty_memory *const for_chunks[] = {terms, &sum->amounts};
    const ty_memory *const for_guess[] = {&sum->amounts, result, &sum->units};
    const ty_memory *const for_steps[] = {terms, &sum->units, &sum->step_memory};
    const ty_memory *const for_tail[] = {terms, &sum->units, &sum->step_memory, result};
    const struct {
        const ty_device_kernel *kernel;
        uint32_t groups, buffers;
        const ty_memory *const *memory;
    } launches[] = {{sum->chunks, chunks, 2, for_chunks},
                    {sum->guess, 1, 3, for_guess},
                    {sum->steps, chunks, 3, for_steps},
                    {sum->tail, 1, 4, for_tail}};
    for (size_t k = 0; k < sizeof launches / sizeof launches[0]; k++) {
        const ty_launch launch = {.lanes = ORDERED_SUM_LANES,
                                  .groups_x = launches[k].groups,
                                  .groups_y = sums,
                                  .buffer_count = launches[k].buffers,
                                  .buffers = launches[k].memory,
                                  .value = &shape,
                                  .value_size = sizeof shape};
        if (backend->launch(queue, launches[k].kernel, &launch, error) != TALLY_OK)
            return error->status;
    }
    return TALLY_OK;
}
