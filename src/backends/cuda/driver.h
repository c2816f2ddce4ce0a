/* CUDA's driver interface and HIP's module interface have the same shape under different names. This is the host side of
 * both: a table of functions, and the backend over it. */
#ifndef TY_GPU_DRIVER_H
#define TY_GPU_DRIVER_H

#include "backends/backend.h"
#include "backends/embedded.h"
#include "backends/library.h"

typedef int gpu_result, gpu_device; /* result 0: success */
typedef uint64_t gpu_address;       /* in device memory */
typedef struct gpu_context_ *gpu_context;
typedef struct gpu_module_ *gpu_module;
typedef struct gpu_function_ *gpu_function;
typedef struct gpu_stream_ *gpu_stream;
typedef struct gpu_event_ *gpu_event;

/* X(member, name in CUDA, name in HIP, parameters) for every function. All return a gpu_result. */
#define TY_GPU_FUNCTIONS(X)                                                                                           \
    X(init, "cuInit", "hipInit", (unsigned flags))                                                                    \
    X(driver_version, "cuDriverGetVersion", "hipDriverGetVersion", (int *version))                                    \
    X(device_count, "cuDeviceGetCount", "hipGetDeviceCount", (int *count))                                            \
    X(device_get, "cuDeviceGet", "hipDeviceGet", (gpu_device *, int index))                                           \
    X(device_name, "cuDeviceGetName", "hipDeviceGetName", (char *name, int size, gpu_device))                         \
    X(device_memory, "cuDeviceTotalMem_v2", "hipDeviceTotalMem", (size_t *bytes, gpu_device))                         \
    X(device_attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute", (int *value, int attribute, gpu_device))     \
    X(context_retain, "cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain", (gpu_context *, gpu_device))           \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", "hipDevicePrimaryCtxRelease", (gpu_device))                    \
    X(context_set, "cuCtxSetCurrent", "hipCtxSetCurrent", (gpu_context))                                              \
    X(module_load, "cuModuleLoadData", "hipModuleLoadData", (gpu_module *, const void *image))                        \
    X(module_unload, "cuModuleUnload", "hipModuleUnload", (gpu_module))                                               \
    X(module_function, "cuModuleGetFunction", "hipModuleGetFunction", (gpu_function *, gpu_module, const char *name)) \
    X(allocate, "cuMemAlloc_v2", "hipMalloc", (gpu_address *, size_t bytes))                                          \
    X(release, "cuMemFree_v2", "hipFree", (gpu_address))                                                              \
    X(host_allocate, "cuMemHostAlloc", "hipHostMalloc", (void **, size_t bytes, unsigned flags))                      \
    X(host_release, "cuMemFreeHost", "hipHostFree", (void *))                                                         \
    X(stream_create, "cuStreamCreate", "hipStreamCreateWithFlags", (gpu_stream *, unsigned flags))                    \
    X(stream_destroy, "cuStreamDestroy_v2", "hipStreamDestroy", (gpu_stream))                                         \
    X(stream_finish, "cuStreamSynchronize", "hipStreamSynchronize", (gpu_stream))                                     \
    X(stream_wait, "cuStreamWaitEvent", "hipStreamWaitEvent", (gpu_stream, gpu_event, unsigned flags))                \
    X(event_create, "cuEventCreate", "hipEventCreateWithFlags", (gpu_event *, unsigned flags))                        \
    X(event_destroy, "cuEventDestroy_v2", "hipEventDestroy", (gpu_event))                                             \
    X(event_record, "cuEventRecord", "hipEventRecord", (gpu_event, gpu_stream))                                       \
    X(upload, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync", (gpu_address, const void *, size_t bytes, gpu_stream))    \
    X(download, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync", (void *, gpu_address, size_t bytes, gpu_stream))        \
    X(launch, "cuLaunchKernel", "hipModuleLaunchKernel",                                                              \
      (gpu_function, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned lanes_x, unsigned lanes_y,     \
       unsigned lanes_z, unsigned shared_bytes, gpu_stream, void **parameters, void **extra))

#define TY_DECLARE(member, cuda, hip, parameters) gpu_result(*member) parameters;
typedef struct ty_gpu_api {
    TY_GPU_FUNCTIONS(TY_DECLARE)
} ty_gpu_api;
#undef TY_DECLARE

/* One of the two. */
typedef struct ty_gpu {
    const char *title;          /* "CUDA" */
    const ty_backend *backend;
    const ty_embedded *codes;   /* the kernels in this build */
    const char *no_codes;       /* said if there are none */
    ty_gpu_api api;
    uint32_t device_count;
    char reason[256];           /* why there is no device */
    /* The driver's words for an error; either may stay NULL. */
    void (*describe)(gpu_result code, const char **name, const char **text);
    /* Whether this build's kernels run on the device; else says why not. */
    void (*check)(const struct ty_gpu *gpu, gpu_device device, ty_device_info *info);
} ty_gpu;

/* Opens the driver library, the first of `libraries` (NULL-terminated) that is there, and counts its devices. `symbols` fill
 * gpu->api. Called once. */
void ty_gpu_start(ty_gpu *gpu, const char *const *libraries, const ty_library_symbol *symbols);

tally_status ty_gpu_inspect(const ty_gpu *gpu, uint32_t device, ty_device_info *info, ty_error *error);
tally_status ty_gpu_open(const ty_gpu *gpu, const ty_device_request *request, ty_device **device, ty_error *error);

/* The other members of ty_backend. */
void ty_gpu_close(ty_device *device);
const char *ty_gpu_level(const ty_device *device);
tally_status ty_gpu_find_kernel(ty_device *device, const char *room, const char *name,
                                const ty_device_kernel **kernel, ty_error *error);
tally_status ty_gpu_allocate(ty_device *device, ty_memory_kind kind, size_t bytes, ty_memory *memory,
                             ty_error *error);
void ty_gpu_release(ty_device *device, ty_memory *memory);
tally_status ty_gpu_queue_create(ty_device *device, ty_queue **queue, ty_error *error);
void ty_gpu_queue_destroy(ty_queue *queue);
tally_status ty_gpu_launch(ty_queue *queue, const ty_device_kernel *kernel, const ty_launch *launch, ty_error *error);
tally_status ty_gpu_ordered_sum(ty_queue *queue, const ty_memory *terms, size_t first, size_t count,
                                const ty_memory *result, ty_error *error);
tally_status ty_gpu_upload(ty_queue *queue, const ty_memory *to, const void *from, size_t bytes, ty_error *error);
tally_status ty_gpu_download(ty_queue *queue, void *to, const ty_memory *from, size_t bytes, ty_error *error);
tally_status ty_gpu_mark_create(ty_device *device, ty_mark **mark, ty_error *error);
void ty_gpu_mark_destroy(ty_mark *mark);
tally_status ty_gpu_mark_set(ty_queue *queue, ty_mark *mark, ty_error *error);
tally_status ty_gpu_mark_wait(ty_queue *queue, ty_mark *mark, ty_error *error);
tally_status ty_gpu_finish(ty_queue *queue, ty_error *error);

#endif
