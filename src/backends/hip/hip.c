/* HIP: AMD's library, opened at run time, and the kernels that hipcc compiled into this build. The host side is CUDA's. */
#include <pthread.h>
#include <stdio.h>

#include "backends/cuda/driver.h"
#include "backends/library.h"

extern const ty_backend ty_backend_hip;

static const char *(*error_name)(gpu_result code);
static const char *(*error_string)(gpu_result code);

static void describe(gpu_result code, const char **name, const char **text) {
    *name = error_name(code);
    *text = error_string(code);
}

/* Whether there is code for the device shows when it is loaded. */
static void check(const ty_gpu *gpu, gpu_device device, ty_device_info *info) { (void)gpu, (void)device, (void)info; }

static ty_gpu hip = {.title = "HIP",
                     .backend = &ty_backend_hip,
                     .codes = ty_hip_codes,
                     .no_codes = "this build has no HIP kernels (hipcc was not there when it was built)",
                     .describe = describe,
                     .check = check};

static void start(void) {
#define SYMBOL(member, cuda_name, hip_name, parameters) {hip_name, &hip.api.member},
    const ty_library_symbol symbols[] = {TY_GPU_FUNCTIONS(SYMBOL){"hipGetErrorName", &error_name},
                                         {"hipGetErrorString", &error_string},
                                         {NULL, NULL}};
#undef SYMBOL
    static const char *const libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL};
    ty_gpu_start(&hip, libraries, symbols);
}

static const ty_gpu *started(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return &hip;
}

static uint32_t count(char *reason, size_t reason_size) {
    const ty_gpu *gpu = started();
    if (gpu->device_count == 0)
        snprintf(reason, reason_size, "%s", gpu->reason);
    return gpu->device_count;
}

static tally_status inspect(uint32_t device, ty_device_info *info, ty_error *error) {
    return ty_gpu_inspect(started(), device, info, error);
}

static tally_status open_device(const ty_device_request *request, ty_device **device, ty_error *error) {
    return ty_gpu_open(started(), request, device, error);
}

const ty_backend ty_backend_hip = {.name = "hip",
                                   .count = count,
                                   .inspect = inspect,
                                   .open = open_device,
                                   .close = ty_gpu_close,
                                   .level = ty_gpu_level,
                                   .find_kernel = ty_gpu_find_kernel,
                                   .allocate = ty_gpu_allocate,
                                   .release = ty_gpu_release,
                                   .queue_create = ty_gpu_queue_create,
                                   .queue_destroy = ty_gpu_queue_destroy,
                                   .launch = ty_gpu_launch,
                                   .ordered_sum = ty_gpu_ordered_sum,
                                   .upload = ty_gpu_upload,
                                   .download = ty_gpu_download,
                                   .mark_create = ty_gpu_mark_create,
                                   .mark_destroy = ty_gpu_mark_destroy,
                                   .mark_set = ty_gpu_mark_set,
                                   .mark_wait = ty_gpu_mark_wait,
                                   .finish = ty_gpu_finish};
