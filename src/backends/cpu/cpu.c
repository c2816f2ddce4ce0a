/* The CPU as a backend: kernels are functions, memory is memory, and everything is done when a call returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/cpu/levels.h"
#include "exact/ordered_sum.h"

/* Wider than any vector, so that aligned rows stay aligned. */
#define ALIGNMENT 64

typedef struct block {
    struct block *next;
} block;

struct ty_device {
    const ty_level *level;
    uint32_t sample_bits;
    block *blocks; /* everything allocated, each headed by ALIGNMENT bytes */
};

struct ty_device_kernel {
    ty_cpu_kernel kernel;
};

static uint32_t count(char *reason, size_t reason_size) {
    (void)reason, (void)reason_size;
    return 1;
}

/* "model name : AMD EPYC …" from the kernel's list of processors. */
static void processor_name(char *name, size_t size) {
    char line[256];
    snprintf(name, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!value)
            continue;
        value += 1 + strspn(value + 1, " ");
        snprintf(name, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (file)
        fclose(file);
}

static tally_status inspect(uint32_t device, ty_device_info *info, ty_error *error) {
    *info = (ty_device_info){0};
    if (device != 0)
        return ty_fail(error, TALLY_DEVICE, "backend cpu has only device 0, not %u", device);
    processor_name(info->name, sizeof info->name);
    return TALLY_OK;
}

static tally_status open_device(const ty_device_request *request, ty_device **device, ty_error *error) {
    ty_device_info info;
    if (inspect(request->device, &info, error) != TALLY_OK)
        return error->status;
    const ty_level *level = ty_level_find(request->level);
    if (!level)
        return ty_fail(error, TALLY_DEVICE, "this build has no CPU level '%s'", request->level);
    if (!level->usable())
        return ty_fail(error, TALLY_DEVICE, "this CPU (%s) cannot run level %s", info.name, level->name);
    ty_device *made = calloc(1, sizeof *made);
    if (!made)
        return ty_fail_memory(error, "device");
    made->level = level;
    made->sample_bits = request->sample_bits;
    *device = made;
    return TALLY_OK;
}

static void close_device(ty_device *device) {
    for (block *next; device->blocks; device->blocks = next) {
        next = device->blocks->next;
        free(device->blocks);
    }
    free(device);
}

static const char *level_name(const ty_device *device) { return device->level->name; }

static tally_status find_kernel(ty_device *device, const char *room, const char *name,
                                const ty_device_kernel **kernel, ty_error *error) {
    const ty_cpu_kernel *found = ty_level_kernel(device->level, room, name, device->sample_bits);
    *kernel = (const ty_device_kernel *)found;
    if (found)
        return TALLY_OK;
    return ty_fail(error, TALLY_INTERNAL, "room %s has no kernel %s at level %s", room, name, device->level->name);
}

static tally_status allocate(ty_device *device, ty_memory_kind kind, size_t bytes, ty_memory *memory,
                             ty_error *error) {
    (void)kind;
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block *made = rounded < bytes ? NULL : aligned_alloc(ALIGNMENT, rounded + ALIGNMENT);
    if (!made)
        return ty_fail(error, TALLY_INTERNAL, "out of memory (%zu bytes)", bytes);
    made->next = device->blocks;
    device->blocks = made;
    *memory = (ty_memory){(char *)made + ALIGNMENT, 0, bytes};
    return TALLY_OK;
}

static void release(ty_device *device, ty_memory *memory) {
    block *gone = (block *)((char *)memory->host - ALIGNMENT);
    for (block **at = &device->blocks; *at; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            free(gone);
            break;
        }
    *memory = (ty_memory){0};
}

/* The queue has no state: any non-null pointer will do. */
static tally_status queue_create(ty_device *device, ty_queue **queue, ty_error *error) {
    (void)error;
    *queue = (ty_queue *)device;
    return TALLY_OK;
}

static void queue_destroy(ty_queue *queue) { (void)queue; }

static tally_status launch(ty_queue *queue, const ty_device_kernel *kernel, const ty_launch *launch,
                           ty_error *error) {
    (void)queue, (void)error;
    void *buffers[16];
    for (uint32_t b = 0; b < launch->buffer_count; b++)
        buffers[b] = launch->buffers[b]->host;
    const ty_group_range range = {0, launch->groups_x, launch->first_row, launch->first_row + launch->groups_y};
    kernel->kernel.run(buffers, launch->value, range);
    return TALLY_OK;
}

static tally_status ordered_sum(ty_queue *queue, const ty_memory *terms, size_t first, size_t count_,
                                const ty_memory *result, ty_error *error) {
    (void)queue, (void)error;
    float *sum = result->host;
    *sum = ty_ordered_sum(first == 0 ? 0.0f : *sum, (const float *)terms->host + first, count_);
    return TALLY_OK;
}

const ty_backend ty_backend_cpu = {.name = "cpu",
                                   .host_memory = true,
                                   .count = count,
                                   .inspect = inspect,
                                   .open = open_device,
                                   .close = close_device,
                                   .level = level_name,
                                   .find_kernel = find_kernel,
                                   .allocate = allocate,
                                   .release = release,
                                   .queue_create = queue_create,
                                   .queue_destroy = queue_destroy,
                                   .launch = launch,
                                   .ordered_sum = ordered_sum};
