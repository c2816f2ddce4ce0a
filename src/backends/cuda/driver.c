#include "backends/cuda/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/device_sum.h"

#define STREAM_NON_BLOCKING 1u /* does not order itself after the default stream */
#define EVENT_DISABLE_TIMING 2u
#define HOST_PORTABLE 1u
#define MAX_GROUPS_Y 65535u

typedef struct block {
    struct block *next;
    gpu_address device;
    void *host; /* pinned memory; NULL: device memory */
} block;

typedef struct module {
    struct module *next;
    const char *room;
    gpu_module loaded;
} module;

struct ty_device_kernel {
    ty_device_kernel *next;
    const module *from;
    char name[64];
    gpu_function function;
};

struct ty_device {
    const ty_gpu *gpu;
    gpu_device id;
    gpu_context context;
    uint32_t sample_bits;
    pthread_mutex_t mutex; /* guards what follows */
    block *blocks;
    module *modules;
    ty_device_kernel *kernels;
};

struct ty_queue {
    ty_device *device;
    gpu_stream stream;
    ty_device_sum sum;
};

struct ty_mark {
    ty_device *device;
    gpu_event event;
};

/* "CUDA: allocating: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory" */
static tally_status fail(const ty_gpu *gpu, ty_error *error, const char *what, gpu_result code) {
    const char *name = NULL, *text = NULL;
    gpu->describe(code, &name, &text);
    return ty_fail(error, TALLY_DEVICE, "%s: %s: %s (%d): %s", gpu->title, what, name ? name : "unknown error", code,
                   text ? text : "");
}

/* ---- Devices ------------------------------------------------------------------------------------------------------ */

void ty_gpu_start(ty_gpu *gpu, const char *const *libraries, const ty_library_symbol *symbols) {
    ty_error error = {0};
    int count = 0;
    if (!gpu->codes[0].room) {
        snprintf(gpu->reason, sizeof gpu->reason, "%s", gpu->no_codes);
        return;
    }
    while (!ty_library_open(*libraries, symbols, gpu->reason, sizeof gpu->reason))
        if (!*++libraries)
            return;
    gpu_result code = gpu->api.init(0);
    if (code == 0)
        code = gpu->api.device_count(&count);
    gpu->device_count = code == 0 && count > 0 ? (uint32_t)count : 0;
    if (code != 0)
        fail(gpu, &error, "starting the driver", code);
    if (gpu->device_count == 0)
        snprintf(gpu->reason, sizeof gpu->reason, "%.250s", code != 0 ? error.text : "the driver lists no device");
}

tally_status ty_gpu_inspect(const ty_gpu *gpu, uint32_t index, ty_device_info *info, ty_error *error) {
    gpu_device device;
    int version = 0;
    size_t bytes = 0;
    *info = (ty_device_info){0};
    if (gpu->device_count == 0)
        return ty_fail(error, TALLY_DEVICE, "backend %s has no device: %s", gpu->backend->name, gpu->reason);
    if (index >= gpu->device_count)
        return ty_fail(error, TALLY_DEVICE, "backend %s has %u device%s; there is no device %u", gpu->backend->name,
                       gpu->device_count, gpu->device_count == 1 ? "" : "s", index);
    gpu_result code = gpu->api.device_get(&device, (int)index);
    if (code == 0)
        code = gpu->api.device_name(info->name, sizeof info->name, device);
    if (code == 0)
        code = gpu->api.device_memory(&bytes, device);
    if (code == 0)
        code = gpu->api.driver_version(&version);
    if (code != 0)
        return fail(gpu, error, "looking at the device", code);
    snprintf(info->driver, sizeof info->driver, "%s %d.%d", gpu->title, version / 1000, version % 1000 / 10);
    info->memory = bytes;
    info->accelerator = true;
    gpu->check(gpu, device, info);
    return TALLY_OK;
}

/* The calling thread's context. Cheap; done by each function that threads of the caller may enter. */
static gpu_result enter(const ty_device *device) { return device->gpu->api.context_set(device->context); }

void ty_gpu_close(ty_device *device) {
    const ty_gpu_api *api = &device->gpu->api;
    enter(device);
    for (ty_device_kernel *next; device->kernels; device->kernels = next) {
        next = device->kernels->next;
        free(device->kernels);
    }
    for (module *next; device->modules; device->modules = next) {
        next = device->modules->next;
        api->module_unload(device->modules->loaded);
        free(device->modules);
    }
    for (block *next; device->blocks; device->blocks = next) {
        next = device->blocks->next;
        if (device->blocks->host)
            api->host_release(device->blocks->host);
        else
            api->release(device->blocks->device);
        free(device->blocks);
    }
    api->context_set(NULL);
    api->context_release(device->id);
    pthread_mutex_destroy(&device->mutex);
    free(device);
}

tally_status ty_gpu_open(const ty_gpu *gpu, const ty_device_request *request, ty_device **out, ty_error *error) {
    ty_device_info info;
    if (ty_gpu_inspect(gpu, request->device, &info, error) != TALLY_OK)
        return error->status;
    if (info.unfit[0])
        return ty_fail(error, TALLY_DEVICE, "%s device %u (%s) cannot be used: %s", gpu->title, request->device,
                       info.name, info.unfit);
    ty_device *device = calloc(1, sizeof *device);
    if (!device)
        return ty_fail_memory(error, "device");
    device->gpu = gpu;
    device->sample_bits = request->sample_bits;
    gpu_result code = gpu->api.device_get(&device->id, (int)request->device);
    if (code == 0)
        code = gpu->api.context_retain(&device->context, device->id);
    if (code != 0) {
        free(device);
        return fail(gpu, error, "opening the device", code);
    }
    pthread_mutex_init(&device->mutex, NULL);
    *out = device;
    return TALLY_OK;
}

const char *ty_gpu_level(const ty_device *device) {
    (void)device;
    return "";
}

/* ---- Kernels ------------------------------------------------------------------------------------------------------ */

static const module *find_module(ty_device *device, const char *room, ty_error *error) {
    for (module *m = device->modules; m; m = m->next)
        if (strcmp(m->room, room) == 0)
            return m;
    const ty_embedded *code = ty_embedded_find(device->gpu->codes, room, device->sample_bits);
    if (!code) {
        ty_fail(error, TALLY_INTERNAL, "there is no %s code for %s", device->gpu->title, room);
        return NULL;
    }
    module *made = calloc(1, sizeof *made);
    if (!made) {
        ty_fail_memory(error, "kernels");
        return NULL;
    }
    const gpu_result result = device->gpu->api.module_load(&made->loaded, code->data);
    if (result != 0) {
        free(made);
        char what[80];
        snprintf(what, sizeof what, "loading the kernels of %s", room);
        fail(device->gpu, error, what, result);
        return NULL;
    }
    made->room = code->room;
    made->next = device->modules;
    return device->modules = made;
}

static ty_device_kernel *make_kernel(ty_device *device, const module *from, const char *name, ty_error *error) {
    ty_device_kernel *made = calloc(1, sizeof *made);
    if (!made) {
        ty_fail_memory(error, "kernels");
        return NULL;
    }
    const gpu_result code = device->gpu->api.module_function(&made->function, from->loaded, name);
    if (code != 0) {
        free(made);
        char what[160];
        snprintf(what, sizeof what, "finding kernel %s of %s", name, from->room);
        fail(device->gpu, error, what, code);
        return NULL;
    }
    made->from = from;
    snprintf(made->name, sizeof made->name, "%s", name);
    made->next = device->kernels;
    return device->kernels = made;
}

static const ty_device_kernel *find_kernel_locked(ty_device *device, const char *room, const char *name,
                                                  ty_error *error) {
    const module *from = find_module(device, room, error);
    for (const ty_device_kernel *k = from ? device->kernels : NULL; k; k = k->next)
        if (k->from == from && strcmp(k->name, name) == 0)
            return k;
    return from ? make_kernel(device, from, name, error) : NULL;
}

tally_status ty_gpu_find_kernel(ty_device *device, const char *room, const char *name,
                                const ty_device_kernel **kernel, ty_error *error) {
    enter(device);
    pthread_mutex_lock(&device->mutex);
    *kernel = find_kernel_locked(device, room, name, error);
    pthread_mutex_unlock(&device->mutex);
    return *kernel ? TALLY_OK : error->status;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

tally_status ty_gpu_allocate(ty_device *device, ty_memory_kind kind, size_t bytes, ty_memory *memory,
                             ty_error *error) {
    const ty_gpu_api *api = &device->gpu->api;
    const size_t size = bytes ? bytes : 1;
    block *made = calloc(1, sizeof *made);
    if (!made)
        return ty_fail_memory(error, "device memory");
    gpu_result code = enter(device);
    if (code == 0)
        code = kind == TY_MEMORY_STAGING ? api->host_allocate(&made->host, size, HOST_PORTABLE)
                                         : api->allocate(&made->device, size);
    if (code != 0) {
        free(made);
        char what[80];
        snprintf(what, sizeof what, "%zu bytes of %s memory", bytes, kind == TY_MEMORY_STAGING ? "pinned" : "device");
        return fail(device->gpu, error, what, code);
    }
    *memory = (ty_memory){made->host, made->device, bytes};
    pthread_mutex_lock(&device->mutex);
    made->next = device->blocks;
    device->blocks = made;
    pthread_mutex_unlock(&device->mutex);
    return TALLY_OK;
}

static block *take_block(ty_device *device, const ty_memory *memory) {
    block *taken = NULL;
    pthread_mutex_lock(&device->mutex);
    for (block **at = &device->blocks; *at; at = &(*at)->next)
        if ((*at)->device == memory->device && (*at)->host == memory->host) {
            taken = *at;
            *at = taken->next;
            break;
        }
    pthread_mutex_unlock(&device->mutex);
    return taken;
}

void ty_gpu_release(ty_device *device, ty_memory *memory) {
    block *gone = take_block(device, memory);
    if (gone) {
        enter(device);
        if (gone->host)
            device->gpu->api.host_release(gone->host);
        else
            device->gpu->api.release(gone->device);
        free(gone);
    }
    *memory = (ty_memory){0};
}

/* ---- Queues ------------------------------------------------------------------------------------------------------- */

tally_status ty_gpu_queue_create(ty_device *device, ty_queue **queue, ty_error *error) {
    ty_queue *made = calloc(1, sizeof *made);
    if (!made)
        return ty_fail_memory(error, "queue");
    made->device = device;
    gpu_result code = enter(device);
    if (code == 0)
        code = device->gpu->api.stream_create(&made->stream, STREAM_NON_BLOCKING);
    if (code != 0) {
        free(made);
        return fail(device->gpu, error, "making a stream", code);
    }
    *queue = made;
    return TALLY_OK;
}

void ty_gpu_queue_destroy(ty_queue *queue) {
    const ty_gpu_api *api = &queue->device->gpu->api;
    enter(queue->device);
    api->stream_finish(queue->stream);
    api->stream_destroy(queue->stream);
    free(queue);
}

tally_status ty_gpu_launch(ty_queue *queue, const ty_device_kernel *kernel, const ty_launch *launch, ty_error *error) {
    const ty_gpu *gpu = queue->device->gpu;
    char what[160];
    void *parameters[16 + 1];
    if (launch->groups_x == 0 || launch->groups_y == 0)
        return TALLY_OK;
    if (launch->groups_y > MAX_GROUPS_Y)
        return ty_fail(error, TALLY_DEVICE, "%s: kernel %s needs %u rows of groups; at most %u are possible",
                       gpu->title, kernel->name, launch->groups_y, MAX_GROUPS_Y);
    for (uint32_t b = 0; b < launch->buffer_count; b++)
        parameters[b] = (void *)(uintptr_t)&launch->buffers[b]->device;
    parameters[launch->buffer_count] = (void *)(uintptr_t)launch->value;
    gpu_result code = enter(queue->device);
    if (code == 0)
        code = gpu->api.launch(kernel->function, launch->groups_x, launch->groups_y, 1, launch->lanes, 1, 1, 0,
                               queue->stream, parameters, NULL);
    if (code == 0)
        return TALLY_OK;
    snprintf(what, sizeof what, "launching %s on %u x %u groups of %u", kernel->name, launch->groups_x,
             launch->groups_y, launch->lanes);
    return fail(gpu, error, what, code);
}

tally_status ty_gpu_ordered_sum(ty_queue *queue, const ty_memory *terms, size_t first, size_t count,
                                const ty_memory *result, ty_error *error) {
    return ty_device_sum_enqueue(&queue->sum, queue->device->gpu->backend, queue->device, queue, terms, first, count, 1,
                                 result, error);
}

tally_status ty_gpu_upload(ty_queue *queue, const ty_memory *to, const void *from, size_t bytes, ty_error *error) {
    const ty_gpu *gpu = queue->device->gpu;
    gpu_result code = enter(queue->device);
    if (code == 0 && bytes > 0)
        code = gpu->api.upload(to->device, from, bytes, queue->stream);
    return code == 0 ? TALLY_OK : fail(gpu, error, "copying to the device", code);
}

tally_status ty_gpu_download(ty_queue *queue, void *to, const ty_memory *from, size_t bytes, ty_error *error) {
    const ty_gpu *gpu = queue->device->gpu;
    gpu_result code = enter(queue->device);
    if (code == 0 && bytes > 0)
        code = gpu->api.download(to, from->device, bytes, queue->stream);
    return code == 0 ? TALLY_OK : fail(gpu, error, "copying from the device", code);
}

tally_status ty_gpu_mark_create(ty_device *device, ty_mark **mark, ty_error *error) {
    ty_mark *made = calloc(1, sizeof *made);
    if (!made)
        return ty_fail_memory(error, "mark");
    made->device = device;
    gpu_result code = enter(device);
    if (code == 0)
        code = device->gpu->api.event_create(&made->event, EVENT_DISABLE_TIMING);
    if (code != 0) {
        free(made);
        return fail(device->gpu, error, "making an event", code);
    }
    *mark = made;
    return TALLY_OK;
}

void ty_gpu_mark_destroy(ty_mark *mark) {
    enter(mark->device);
    mark->device->gpu->api.event_destroy(mark->event);
    free(mark);
}

tally_status ty_gpu_mark_set(ty_queue *queue, ty_mark *mark, ty_error *error) {
    const ty_gpu *gpu = queue->device->gpu;
    gpu_result code = enter(queue->device);
    if (code == 0)
        code = gpu->api.event_record(mark->event, queue->stream);
    return code == 0 ? TALLY_OK : fail(gpu, error, "marking a stream", code);
}

tally_status ty_gpu_mark_wait(ty_queue *queue, ty_mark *mark, ty_error *error) {
    const ty_gpu *gpu = queue->device->gpu;
    gpu_result code = enter(queue->device);
    if (code == 0)
        code = gpu->api.stream_wait(queue->stream, mark->event, 0);
    return code == 0 ? TALLY_OK : fail(gpu, error, "waiting for a stream", code);
}

tally_status ty_gpu_finish(ty_queue *queue, ty_error *error) {
    const ty_gpu *gpu = queue->device->gpu;
    gpu_result code = enter(queue->device);
    if (code == 0)
        code = gpu->api.stream_finish(queue->stream);
    return code == 0 ? TALLY_OK : fail(gpu, error, "computing", code);
}
