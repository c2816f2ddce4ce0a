/* CUDA: the driver's library, opened at run time, and the kernels that nvcc compiled into this build. */
#include <pthread.h>
#include <stdio.h>

#include "backends/cuda/driver.h"
#include "backends/library.h"

#define COMPUTE_CAPABILITY_MAJOR 75
#define COMPUTE_CAPABILITY_MINOR 76

extern const ty_backend ty_backend_cuda;

static gpu_result (*error_name)(gpu_result code, const char **name);
static gpu_result (*error_string)(gpu_result code, const char **text);

static void describe(gpu_result code, const char **name, const char **text) {
    error_name(code, name);
    error_string(code, text);
}

static void check(const ty_gpu *gpu, gpu_device device, ty_device_info *info) {
    int major = 0, minor = 0;
    gpu->api.device_attribute(&major, COMPUTE_CAPABILITY_MAJOR, device);
    gpu->api.device_attribute(&minor, COMPUTE_CAPABILITY_MINOR, device);
    if (major * 10 + minor < 75)
        snprintf(info->unfit, sizeof info->unfit, "its compute capability is %d.%d; the kernels are for 7.5 and later",
                 major, minor);
}

static ty_gpu cuda = {.title = "CUDA",
                      .backend = &ty_backend_cuda,
                      .codes = ty_cuda_codes,
                      .no_codes = "this build has no CUDA kernels (nvcc was not there when it was built)",
                      .describe = describe,
                      .check = check};

static void start(void) {
#define SYMBOL(member, cuda_name, hip_name, parameters) {cuda_name, &cuda.api.member},
    const ty_library_symbol symbols[] = {TY_GPU_FUNCTIONS(SYMBOL){"cuGetErrorName", &error_name},
                                         {"cuGetErrorString", &error_string},
                                         {NULL, NULL}};
#undef SYMBOL
    static const char *const libraries[] = {"libcuda.so.1", NULL};
    ty_gpu_start(&cuda, libraries, symbols);
}

static const ty_gpu *started(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return &cuda;
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

const ty_backend ty_backend_cuda = {.name = "cuda",
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
