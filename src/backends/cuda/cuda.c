/* CUDA: the driver's library, opened at run time, and the kernels that nvcc compiled into this build. */
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

static ty_gpu gpu = {.title = "CUDA",
                     .backend = &ty_backend_cuda,
                     .codes = ty_cuda_codes,
                     .no_codes = "this build has no CUDA kernels (nvcc was not there when it was built)",
                     .describe = describe,
                     .check = check};

static void start(void) {
#define SYMBOL(member, cuda_name, hip_name, parameters) {cuda_name, &gpu.api.member},
    const ty_library_symbol symbols[] = {TY_GPU_FUNCTIONS(SYMBOL){"cuGetErrorName", &error_name},
                                         {"cuGetErrorString", &error_string},
                                         {NULL, NULL}};
#undef SYMBOL
    static const char *const libraries[] = {"libcuda.so.1", NULL};
    ty_gpu_start(&gpu, libraries, symbols);
}

#define TY_GPU_NAME "cuda"
#define TY_GPU_TABLE ty_backend_cuda
#include "backends/cuda/table.h"
