/* The backend over one of the two interfaces, CUDA's or HIP's. The file that includes this has a ty_gpu named
 * `gpu`, a function start() that calls ty_gpu_start() with it, and defines TY_GPU_TABLE, the backend's
 * symbol, and TY_GPU_NAME. */
#include <pthread.h>
#include <stdio.h>

static const ty_gpu *started(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return &gpu;
}

static uint32_t count(char *reason, size_t reason_size) {
    if (started()->device_count == 0)
        snprintf(reason, reason_size, "%s", gpu.reason);
    return gpu.device_count;
}

static tally_status inspect(uint32_t device, ty_device_info *info, ty_error *error) {
    return ty_gpu_inspect(started(), device, info, error);
}

static tally_status open_device(const ty_device_request *request, ty_device **device, ty_error *error) {
    return ty_gpu_open(started(), request, device, error);
}

const ty_backend TY_GPU_TABLE = {.name = TY_GPU_NAME,
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
