/* OpenCL: kernels are compiled by the device's driver from the text in the library, and the result is kept on disk. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/device_sum.h"
#include "backends/embedded.h"
#include "backends/opencl/api.h"
#include "backends/opencl/cache.h"
#include "core/sha256.h"

#define MAX_PLATFORMS 16
#define MAX_DEVICES 64
#define LARGEST_GROUP 256
#define OPTIONS "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"

typedef struct block {
    struct block *next;
    cl_mem memory;
    void *mapped; /* staging memory: its address for the host */
} block;

typedef struct program {
    struct program *next;
    const char *room;
    cl_program built;
} program;

struct ty_device_kernel {
    ty_device_kernel *next;
    const program *from;
    char name[64];
    cl_kernel kernel;
    pthread_mutex_t mutex; /* its arguments are set and taken by a launch as one */
};

struct ty_device {
    cl_device_id id;
    cl_context context;
    cl_command_queue mapping; /* for mapping staging memory */
    uint32_t sample_bits;
    char identity[512]; /* device and driver, for the cache */
    pthread_mutex_t mutex; /* guards the blocks */
    block *blocks;
    program *programs;
    ty_device_kernel *kernels;
};

struct ty_queue {
    ty_device *device;
    cl_command_queue queue;
    ty_device_sum sum;
};

/* One thread may set a mark again while another waits for what it was: the mutex guards the event. */
struct ty_mark {
    pthread_mutex_t mutex;
    cl_event event;
};

extern const ty_backend ty_backend_opencl;

static const ty_opencl_api *cl;

static tally_status fail(ty_error *error, const char *what, cl_int code) {
    return ty_fail(error, TALLY_DEVICE, "OpenCL: %s: %s", what, ty_opencl_error(code));
}

/* ---- Devices ------------------------------------------------------------------------------------------------------ */

static cl_device_id devices[MAX_DEVICES];
static uint32_t device_count;
static char no_devices[256];

static void find_devices(void) {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    if (!(cl = ty_opencl(no_devices, sizeof no_devices)))
        return;
    cl_int code = cl->clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);
    if (platform_count > MAX_PLATFORMS)
        platform_count = MAX_PLATFORMS;
    for (cl_uint p = 0; code == CL_SUCCESS && p < platform_count; p++) {
        cl_uint found = 0;
        const cl_int listed = cl->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES - device_count,
                                                 devices + device_count, &found);
        if (listed != CL_SUCCESS)
            continue;
        device_count += found < MAX_DEVICES - device_count ? found : MAX_DEVICES - device_count;
        if (device_count == MAX_DEVICES)
            break;
    }
    if (device_count == 0)
        snprintf(no_devices, sizeof no_devices, "libOpenCL.so.1 lists no device (%s)",
                 code != CL_SUCCESS ? ty_opencl_error(code) : platform_count ? "its platforms have none" : "no platform");
}

static uint32_t count(char *reason, size_t reason_size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_devices);
    if (device_count == 0)
        snprintf(reason, reason_size, "%s", no_devices);
    return device_count;
}

static void text_of(cl_device_id id, cl_uint what, char *text, size_t size) {
    if (cl->clGetDeviceInfo(id, what, size, text, NULL) != CL_SUCCESS)
        text[0] = 0;
    text[size - 1] = 0;
}

static uint64_t number_of(cl_device_id id, cl_uint what) {
    uint64_t number = 0; /* the shorter types fill its low bytes */
    if (cl->clGetDeviceInfo(id, what, sizeof number, &number, NULL) != CL_SUCCESS)
        return 0;
    return number;
}

/* Scores must have the same bits everywhere: refuses devices that do not promise IEEE arithmetic on floats. */
static void check_fitness(cl_device_id id, ty_device_info *info) {
    const uint64_t floats = number_of(id, CL_DEVICE_SINGLE_FP_CONFIG);
    const char *lack = NULL;
    if (!(cl_bool)number_of(id, CL_DEVICE_AVAILABLE))
        lack = "it is not available";
    else if (!(cl_bool)number_of(id, CL_DEVICE_COMPILER_AVAILABLE))
        lack = "its driver has no compiler";
    else if (!(cl_bool)number_of(id, CL_DEVICE_ENDIAN_LITTLE))
        lack = "its byte order differs";
    else if (!(floats & CL_FP_DENORM))
        lack = "it flushes subnormal floats to zero";
    else if (!(floats & CL_FP_ROUND_TO_NEAREST))
        lack = "it does not round to nearest";
    else if (!(floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT))
        lack = "its division and square root are not correctly rounded";
    else if (number_of(id, CL_DEVICE_MAX_WORK_GROUP_SIZE) < LARGEST_GROUP)
        lack = "its work-groups are smaller than 256";
    if (lack)
        snprintf(info->unfit, sizeof info->unfit, "%s", lack);
}

static tally_status inspect(uint32_t device, ty_device_info *info, ty_error *error) {
    char reason[256];
    *info = (ty_device_info){0};
    const uint32_t known = count(reason, sizeof reason);
    if (known == 0)
        return ty_fail(error, TALLY_DEVICE, "backend opencl has no device: %s", reason);
    if (device >= known)
        return ty_fail(error, TALLY_DEVICE, "backend opencl has %u device%s; there is no device %u", known,
                       known == 1 ? "" : "s", device);
    text_of(devices[device], CL_DEVICE_NAME, info->name, sizeof info->name);
    text_of(devices[device], CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    info->memory = number_of(devices[device], CL_DEVICE_GLOBAL_MEM_SIZE);
    info->accelerator = !(number_of(devices[device], CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU);
    check_fitness(devices[device], info);
    return TALLY_OK;
}

static void close_device(ty_device *device) {
    for (ty_device_kernel *next; device->kernels; device->kernels = next) {
        next = device->kernels->next;
        cl->clReleaseKernel(device->kernels->kernel);
        pthread_mutex_destroy(&device->kernels->mutex);
        free(device->kernels);
    }
    for (program *next; device->programs; device->programs = next) {
        next = device->programs->next;
        cl->clReleaseProgram(device->programs->built);
        free(device->programs);
    }
    for (block *next; device->blocks; device->blocks = next) {
        next = device->blocks->next;
        if (device->blocks->mapped)
            cl->clEnqueueUnmapMemObject(device->mapping, device->blocks->memory, device->blocks->mapped, 0, NULL, NULL);
        cl->clReleaseMemObject(device->blocks->memory);
        free(device->blocks);
    }
    if (device->mapping) {
        cl->clFinish(device->mapping);
        cl->clReleaseCommandQueue(device->mapping);
    }
    if (device->context)
        cl->clReleaseContext(device->context);
    pthread_mutex_destroy(&device->mutex);
    free(device);
}

static tally_status open_device(const ty_device_request *request, ty_device **out, ty_error *error) {
    ty_device_info info;
    if (inspect(request->device, &info, error) != TALLY_OK)
        return error->status;
    if (info.unfit[0])
        return ty_fail(error, TALLY_DEVICE, "OpenCL device %u (%s) cannot be used: %s", request->device, info.name,
                       info.unfit);
    ty_device *device = calloc(1, sizeof *device);
    if (!device)
        return ty_fail_memory(error, "device");
    cl_int code;
    char version[128];
    pthread_mutex_init(&device->mutex, NULL);
    device->id = devices[request->device];
    device->sample_bits = request->sample_bits;
    text_of(device->id, CL_DEVICE_VERSION, version, sizeof version);
    snprintf(device->identity, sizeof device->identity, "%s\n%s\n%s\n", info.name, info.driver, version);
    device->context = cl->clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    if (device->context)
        device->mapping = cl->clCreateCommandQueue(device->context, device->id, 0, &code);
    if (!device->mapping) {
        close_device(device);
        return fail(error, "opening the device", code);
    }
    *out = device;
    return TALLY_OK;
}

static const char *level_name(const ty_device *device) {
    (void)device;
    return "";
}

/* ---- Programs ----------------------------------------------------------------------------------------------------- */

static void key_of(const ty_device *device, const char *options, const ty_embedded *text, char key[65]) {
    ty_sha256 sha;
    ty_sha256_start(&sha);
    ty_sha256_add(&sha, device->identity, strlen(device->identity) + 1);
    ty_sha256_add(&sha, options, strlen(options) + 1);
    ty_sha256_add(&sha, text->data, text->size);
    ty_sha256_finish(&sha, key);
}

static cl_program load_cached(ty_device *device, const char *options, const char *key) {
    size_t size;
    cl_int code, status;
    unsigned char *binary = ty_cache_read(key, &size);
    if (!binary)
        return NULL;
    cl_program loaded = cl->clCreateProgramWithBinary(device->context, 1, &device->id, &size,
                                                      (const unsigned char **)&binary, &status, &code);
    free(binary);
    if (loaded && cl->clBuildProgram(loaded, 1, &device->id, options, NULL, NULL) != CL_SUCCESS) {
        cl->clReleaseProgram(loaded);
        return NULL;
    }
    return loaded;
}

static void store_cached(cl_program built, const char *key) {
    size_t size = 0;
    if (cl->clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS || size == 0)
        return;
    unsigned char *binary = malloc(size);
    if (binary && cl->clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        ty_cache_write(key, binary, size);
    free(binary);
}

/* The driver's words, as far as they fit into an error. */
static tally_status fail_build(ty_device *device, cl_program failed, const char *room, cl_int code, ty_error *error) {
    size_t size = 0;
    cl->clGetProgramBuildInfo(failed, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(1, size + 1);
    if (log)
        cl->clGetProgramBuildInfo(failed, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    ty_fail(error, TALLY_DEVICE, "OpenCL: the driver does not compile the kernels of %s: %s: %.800s", room,
            ty_opencl_error(code), log ? log : "");
    free(log);
    return error->status;
}

static tally_status build(ty_device *device, const char *room, cl_program *built, ty_error *error) {
    const ty_embedded *text = ty_embedded_find(ty_opencl_texts, room, device->sample_bits);
    if (!text)
        return ty_fail(error, TALLY_INTERNAL, "there is no OpenCL text for %s", room);
    char options[128], key[65];
    snprintf(options, sizeof options, OPTIONS " -DSAMPLE_BITS=%u", device->sample_bits);
    key_of(device, options, text, key);
    if ((*built = load_cached(device, options, key)))
        return TALLY_OK;
    cl_int code;
    const char *source = text->data;
    *built = cl->clCreateProgramWithSource(device->context, 1, &source, &text->size, &code);
    if (!*built)
        return fail(error, "making a program", code);
    code = cl->clBuildProgram(*built, 1, &device->id, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        fail_build(device, *built, room, code, error);
        cl->clReleaseProgram(*built);
        return error->status;
    }
    store_cached(*built, key);
    return TALLY_OK;
}

static const program *find_program(ty_device *device, const char *room, ty_error *error) {
    for (program *p = device->programs; p; p = p->next)
        if (strcmp(p->room, room) == 0)
            return p;
    program *made = calloc(1, sizeof *made);
    if (!made) {
        ty_fail_memory(error, "kernels");
        return NULL;
    }
    if (build(device, room, &made->built, error) != TALLY_OK) {
        free(made);
        return NULL;
    }
    made->room = room;
    made->next = device->programs;
    return device->programs = made;
}

static ty_device_kernel *make_kernel(ty_device *device, const program *from, const char *name, ty_error *error) {
    ty_device_kernel *made = calloc(1, sizeof *made);
    if (!made) {
        ty_fail_memory(error, "kernels");
        return NULL;
    }
    cl_int code;
    made->from = from;
    snprintf(made->name, sizeof made->name, "%s", name);
    made->kernel = cl->clCreateKernel(from->built, name, &code);
    if (!made->kernel) {
        free(made);
        ty_fail(error, TALLY_DEVICE, "OpenCL: kernel %s of %s: %s", name, from->room, ty_opencl_error(code));
        return NULL;
    }
    pthread_mutex_init(&made->mutex, NULL);
    made->next = device->kernels;
    return device->kernels = made;
}

static const ty_device_kernel *find_kernel_locked(ty_device *device, const char *room, const char *name,
                                                  ty_error *error) {
    const program *from = find_program(device, room, error);
    for (const ty_device_kernel *k = from ? device->kernels : NULL; k; k = k->next)
        if (k->from == from && strcmp(k->name, name) == 0)
            return k;
    return from ? make_kernel(device, from, name, error) : NULL;
}

static tally_status find_kernel(ty_device *device, const char *room, const char *name,
                                const ty_device_kernel **kernel, ty_error *error) {
    pthread_mutex_lock(&device->mutex);
    *kernel = find_kernel_locked(device, room, name, error);
    pthread_mutex_unlock(&device->mutex);
    return *kernel ? TALLY_OK : error->status;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

static tally_status allocate(ty_device *device, ty_memory_kind kind, size_t bytes, ty_memory *memory,
                             ty_error *error) {
    const bool staging = kind == TY_MEMORY_STAGING;
    const size_t size = bytes ? bytes : 1;
    cl_int code;
    block *made = calloc(1, sizeof *made);
    if (!made)
        return ty_fail_memory(error, "device memory");
    made->memory = cl->clCreateBuffer(device->context, CL_MEM_READ_WRITE | (staging ? CL_MEM_ALLOC_HOST_PTR : 0), size,
                                      NULL, &code);
    if (made->memory && staging)
        made->mapped = cl->clEnqueueMapBuffer(device->mapping, made->memory, CL_TRUE, CL_MAP_READ_WRITE, 0, size, 0,
                                              NULL, NULL, &code);
    if (!made->memory || (staging && !made->mapped)) {
        if (made->memory)
            cl->clReleaseMemObject(made->memory);
        free(made);
        return ty_fail(error, TALLY_DEVICE, "OpenCL: %zu bytes of %s memory: %s", bytes,
                       staging ? "pinned" : "device", ty_opencl_error(code));
    }
    *memory = (ty_memory){made->mapped, (uint64_t)(uintptr_t)made->memory, bytes};
    pthread_mutex_lock(&device->mutex);
    made->next = device->blocks;
    device->blocks = made;
    pthread_mutex_unlock(&device->mutex);
    return TALLY_OK;
}

static block *take_block(ty_device *device, cl_mem memory) {
    block *taken = NULL;
    pthread_mutex_lock(&device->mutex);
    for (block **at = &device->blocks; *at && !taken; at = taken ? at : &(*at)->next)
        if ((*at)->memory == memory) {
            taken = *at;
            *at = taken->next;
        }
    pthread_mutex_unlock(&device->mutex);
    return taken;
}

static void release(ty_device *device, ty_memory *memory) {
    block *gone = take_block(device, (cl_mem)(uintptr_t)memory->device);
    if (gone) {
        if (gone->mapped)
            cl->clEnqueueUnmapMemObject(device->mapping, gone->memory, gone->mapped, 0, NULL, NULL);
        cl->clReleaseMemObject(gone->memory);
        free(gone);
    }
    *memory = (ty_memory){0};
}

/* ---- Queues ------------------------------------------------------------------------------------------------------- */

static tally_status queue_create(ty_device *device, ty_queue **queue, ty_error *error) {
    cl_int code;
    ty_queue *made = calloc(1, sizeof *made);
    if (!made)
        return ty_fail_memory(error, "queue");
    made->device = device;
    made->queue = cl->clCreateCommandQueue(device->context, device->id, 0, &code);
    if (!made->queue) {
        free(made);
        return fail(error, "making a queue", code);
    }
    *queue = made;
    return TALLY_OK;
}

static void queue_destroy(ty_queue *queue) {
    cl->clFinish(queue->queue);
    cl->clReleaseCommandQueue(queue->queue);
    free(queue);
}

static tally_status launch_locked(ty_queue *queue, const ty_device_kernel *kernel, const ty_launch *launch,
                                  ty_error *error) {
    cl_int code = CL_SUCCESS;
    cl_uint argument = 0;
    for (; argument < launch->buffer_count && code == CL_SUCCESS; argument++) {
        const cl_mem memory = (cl_mem)(uintptr_t)launch->buffers[argument]->device;
        code = cl->clSetKernelArg(kernel->kernel, argument, sizeof memory, &memory);
    }
    if (code == CL_SUCCESS)
        code = cl->clSetKernelArg(kernel->kernel, argument, launch->value_size, launch->value);
    const size_t local[] = {launch->lanes, 1};
    const size_t global[] = {(size_t)launch->lanes * launch->groups_x, launch->groups_y};
    if (code == CL_SUCCESS)
        code = cl->clEnqueueNDRangeKernel(queue->queue, kernel->kernel, 2, NULL, global, local, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        return TALLY_OK;
    return ty_fail(error, TALLY_DEVICE, "OpenCL: launching %s on %u x %u groups of %u: %s", kernel->name,
                   launch->groups_x, launch->groups_y, launch->lanes, ty_opencl_error(code));
}

static tally_status launch(ty_queue *queue, const ty_device_kernel *kernel, const ty_launch *launch,
                           ty_error *error) {
    if (launch->groups_x == 0 || launch->groups_y == 0)
        return TALLY_OK;
    ty_device_kernel *locked = (ty_device_kernel *)(uintptr_t)kernel;
    pthread_mutex_lock(&locked->mutex);
    const tally_status status = launch_locked(queue, kernel, launch, error);
    pthread_mutex_unlock(&locked->mutex);
    return status;
}

static tally_status ordered_sum(ty_queue *queue, const ty_memory *terms, size_t first, size_t count_,
                                const ty_memory *result, ty_error *error) {
    return ty_device_sum_enqueue(&queue->sum, &ty_backend_opencl, queue->device, queue, terms, first, count_, 1, result, error);
}

static tally_status upload(ty_queue *queue, const ty_memory *to, const void *from, size_t bytes, ty_error *error) {
    const cl_int code = bytes == 0 ? CL_SUCCESS
                                   : cl->clEnqueueWriteBuffer(queue->queue, (cl_mem)(uintptr_t)to->device, CL_FALSE, 0,
                                                              bytes, from, 0, NULL, NULL);
    return code == CL_SUCCESS ? TALLY_OK : fail(error, "copying to the device", code);
}

static tally_status download(ty_queue *queue, void *to, const ty_memory *from, size_t bytes, ty_error *error) {
    const cl_int code = bytes == 0 ? CL_SUCCESS
                                   : cl->clEnqueueReadBuffer(queue->queue, (cl_mem)(uintptr_t)from->device, CL_FALSE,
                                                             0, bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS ? TALLY_OK : fail(error, "copying from the device", code);
}

static tally_status mark_create(ty_device *device, ty_mark **mark, ty_error *error) {
    (void)device;
    if (!(*mark = calloc(1, sizeof **mark)))
        return ty_fail_memory(error, "mark");
    pthread_mutex_init(&(*mark)->mutex, NULL);
    return TALLY_OK;
}

static void mark_destroy(ty_mark *mark) {
    if (mark->event)
        cl->clReleaseEvent(mark->event);
    pthread_mutex_destroy(&mark->mutex);
    free(mark);
}

/* Flushed: another queue's wait must not depend on this queue's next call. */
static tally_status mark_set(ty_queue *queue, ty_mark *mark, ty_error *error) {
    cl_event event = NULL;
    cl_int code = cl->clEnqueueMarkerWithWaitList(queue->queue, 0, NULL, &event);
    if (code == CL_SUCCESS)
        code = cl->clFlush(queue->queue);
    pthread_mutex_lock(&mark->mutex);
    const cl_event before = mark->event;
    mark->event = event;
    pthread_mutex_unlock(&mark->mutex);
    if (before)
        cl->clReleaseEvent(before);
    return code == CL_SUCCESS ? TALLY_OK : fail(error, "marking a queue", code);
}

static tally_status mark_wait(ty_queue *queue, ty_mark *mark, ty_error *error) {
    pthread_mutex_lock(&mark->mutex);
    const cl_event event = mark->event;
    if (event)
        cl->clRetainEvent(event);
    pthread_mutex_unlock(&mark->mutex);
    if (!event)
        return TALLY_OK;
    const cl_int code = cl->clEnqueueBarrierWithWaitList(queue->queue, 1, &event, NULL);
    cl->clReleaseEvent(event);
    return code == CL_SUCCESS ? TALLY_OK : fail(error, "waiting for a queue", code);
}

static tally_status finish(ty_queue *queue, ty_error *error) {
    const cl_int code = cl->clFinish(queue->queue);
    return code == CL_SUCCESS ? TALLY_OK : fail(error, "computing", code);
}

const ty_backend ty_backend_opencl = {.name = "opencl",
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
                                      .ordered_sum = ordered_sum,
                                      .upload = upload,
                                      .download = download,
                                      .mark_create = mark_create,
                                      .mark_destroy = mark_destroy,
                                      .mark_set = mark_set,
                                      .mark_wait = mark_wait,
                                      .finish = finish};
