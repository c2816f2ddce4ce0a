#include "backends/opencl/api.h"

#include <pthread.h>
#include <stdio.h>

#include "backends/library.h"

static ty_opencl_api api;
static bool opened;
static char why_not[256];

static void open_loader(void) {
#define SYMBOL(result, name, parameters) {#name, &api.name},
    const ty_library_symbol symbols[] = {TY_OPENCL_FUNCTIONS(SYMBOL){NULL, NULL}};
#undef SYMBOL
    opened = ty_library_open("libOpenCL.so.1", symbols, why_not, sizeof why_not);
}

const ty_opencl_api *ty_opencl(char *reason, size_t reason_size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_loader);
    if (!opened)
        snprintf(reason, reason_size, "%s", why_not);
    return opened ? &api : NULL;
}

static const char *error_name(cl_int error) {
    static const char *const from_0[] = {"CL_SUCCESS",
                                         "CL_DEVICE_NOT_FOUND",
                                         "CL_DEVICE_NOT_AVAILABLE",
                                         "CL_COMPILER_NOT_AVAILABLE",
                                         "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                         "CL_OUT_OF_RESOURCES",
                                         "CL_OUT_OF_HOST_MEMORY",
                                         "CL_PROFILING_INFO_NOT_AVAILABLE",
                                         "CL_MEM_COPY_OVERLAP",
                                         "CL_IMAGE_FORMAT_MISMATCH",
                                         "CL_IMAGE_FORMAT_NOT_SUPPORTED",
                                         "CL_BUILD_PROGRAM_FAILURE",
                                         "CL_MAP_FAILURE",
                                         "CL_MISALIGNED_SUB_BUFFER_OFFSET",
                                         "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"};
    static const char *const from_30[] = {"CL_INVALID_VALUE",
                                          "CL_INVALID_DEVICE_TYPE",
                                          "CL_INVALID_PLATFORM",
                                          "CL_INVALID_DEVICE",
                                          "CL_INVALID_CONTEXT",
                                          "CL_INVALID_QUEUE_PROPERTIES",
                                          "CL_INVALID_COMMAND_QUEUE",
                                          "CL_INVALID_HOST_PTR",
                                          "CL_INVALID_MEM_OBJECT",
                                          "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
                                          "CL_INVALID_IMAGE_SIZE",
                                          "CL_INVALID_SAMPLER",
                                          "CL_INVALID_BINARY",
                                          "CL_INVALID_BUILD_OPTIONS",
                                          "CL_INVALID_PROGRAM",
                                          "CL_INVALID_PROGRAM_EXECUTABLE",
                                          "CL_INVALID_KERNEL_NAME",
                                          "CL_INVALID_KERNEL_DEFINITION",
                                          "CL_INVALID_KERNEL",
                                          "CL_INVALID_ARG_INDEX",
                                          "CL_INVALID_ARG_VALUE",
                                          "CL_INVALID_ARG_SIZE",
                                          "CL_INVALID_KERNEL_ARGS",
                                          "CL_INVALID_WORK_DIMENSION",
                                          "CL_INVALID_WORK_GROUP_SIZE",
                                          "CL_INVALID_WORK_ITEM_SIZE",
                                          "CL_INVALID_GLOBAL_OFFSET",
                                          "CL_INVALID_EVENT_WAIT_LIST",
                                          "CL_INVALID_EVENT",
                                          "CL_INVALID_OPERATION",
                                          "CL_INVALID_GL_OBJECT",
                                          "CL_INVALID_BUFFER_SIZE"};
    if (error == -1001)
        return "CL_PLATFORM_NOT_FOUND_KHR";
    if (error <= 0 && -error < (cl_int)(sizeof from_0 / sizeof from_0[0]))
        return from_0[-error];
    if (error <= -30 && -error - 30 < (cl_int)(sizeof from_30 / sizeof from_30[0]))
        return from_30[-error - 30];
    return "OpenCL error";
}

const char *ty_opencl_error(cl_int error) {
    static _Thread_local char text[80];
    snprintf(text, sizeof text, "%s (%d)", error_name(error), error);
    return text;
}
