/* HIP: AMD's library, opened at run time, and the kernels that hipcc compiled into this build. The host side is CUDA's. */
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

static ty_gpu gpu = {.title = "HIP",
                     .backend = &ty_backend_hip,
                     .codes = ty_hip_codes,
                     .no_codes = "this build has no HIP kernels (hipcc was not there when it was built)",
                     .describe = describe,
                     .check = check};

static void start(void) {
#define SYMBOL(member, cuda_name, hip_name, parameters) {hip_name, &gpu.api.member},
    const ty_library_symbol symbols[] = {TY_GPU_FUNCTIONS(SYMBOL){"hipGetErrorName", &error_name},
                                         {"hipGetErrorString", &error_string},
                                         {NULL, NULL}};
#undef SYMBOL
    static const char *const libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL};
    ty_gpu_start(&gpu, libraries, symbols);
}

#define TY_GPU_NAME "hip"
#define TY_GPU_TABLE ty_backend_hip
#include "backends/cuda/table.h"
