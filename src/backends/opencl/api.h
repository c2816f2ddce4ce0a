/* The part of OpenCL 1.2 that the backend uses, by its published binary interface. */
#ifndef TY_OPENCL_API_H
#define TY_OPENCL_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool;
typedef uint64_t cl_ulong, cl_bitfield;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;

enum {
    CL_SUCCESS = 0,
    CL_DEVICE_NOT_FOUND = -1,
    CL_TRUE = 1,
    CL_FALSE = 0,
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101b,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101f,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102b,
    CL_DRIVER_VERSION = 0x102d,
    CL_DEVICE_VERSION = 0x102f,
    CL_DEVICE_ENDIAN_LITTLE = 0x1026,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_MAP_READ_WRITE = 3,
    CL_MEM_READ_WRITE = 1,
    CL_MEM_ALLOC_HOST_PTR = 16,
    CL_FP_DENORM = 1,
    CL_FP_ROUND_TO_NEAREST = 4,
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 128,
    CL_DEVICE_TYPE_CPU = 2
};
#define CL_DEVICE_TYPE_ALL 0xffffffffu

/* X(result, name, parameters) for every function. */
#define TY_OPENCL_FUNCTIONS(X)                                                                                        \
    X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                                               \
    X(cl_int, clGetPlatformInfo, (cl_platform_id, cl_uint, size_t, void *, size_t *))                                 \
    X(cl_int, clGetDeviceIDs, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))                      \
    X(cl_int, clGetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))                                     \
    X(cl_context, clCreateContext,                                                                                    \
      (const intptr_t *, cl_uint, const cl_device_id *, void (*)(const char *, const void *, size_t, void *), void *, \
       cl_int *))                                                                                                     \
    X(cl_int, clReleaseContext, (cl_context))                                                                         \
    X(cl_command_queue, clCreateCommandQueue, (cl_context, cl_device_id, cl_bitfield, cl_int *))                      \
    X(cl_int, clReleaseCommandQueue, (cl_command_queue))                                                              \
    X(cl_mem, clCreateBuffer, (cl_context, cl_bitfield, size_t, void *, cl_int *))                                    \
    X(cl_int, clReleaseMemObject, (cl_mem))                                                                           \
    X(cl_program, clCreateProgramWithSource, (cl_context, cl_uint, const char **, const size_t *, cl_int *))          \
    X(cl_program, clCreateProgramWithBinary,                                                                          \
      (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *))        \
    X(cl_int, clBuildProgram,                                                                                         \
      (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *))                \
    X(cl_int, clGetProgramInfo, (cl_program, cl_uint, size_t, void *, size_t *))                                      \
    X(cl_int, clGetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))                   \
    X(cl_int, clReleaseProgram, (cl_program))                                                                         \
    X(cl_kernel, clCreateKernel, (cl_program, const char *, cl_int *))                                                \
    X(cl_int, clReleaseKernel, (cl_kernel))                                                                           \
    X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                                             \
    X(cl_int, clEnqueueNDRangeKernel,                                                                                 \
      (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,                 \
       const cl_event *, cl_event *))                                                                                 \
    X(cl_int, clEnqueueWriteBuffer,                                                                                   \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *))       \
    X(cl_int, clEnqueueReadBuffer,                                                                                    \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *))             \
    X(void *, clEnqueueMapBuffer,                                                                                     \
      (cl_command_queue, cl_mem, cl_bool, cl_bitfield, size_t, size_t, cl_uint, const cl_event *, cl_event *,         \
       cl_int *))                                                                                                     \
    X(cl_int, clEnqueueUnmapMemObject, (cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *))     \
    X(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue, cl_uint, const cl_event *, cl_event *))                 \
    X(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue, cl_uint, const cl_event *, cl_event *))                \
    X(cl_int, clRetainEvent, (cl_event))                                                                              \
    X(cl_int, clReleaseEvent, (cl_event))                                                                             \
    X(cl_int, clFlush, (cl_command_queue))                                                                            \
    X(cl_int, clFinish, (cl_command_queue))

#define TY_DECLARE(result, name, parameters) result(*name) parameters;
typedef struct ty_opencl_api {
    TY_OPENCL_FUNCTIONS(TY_DECLARE)
} ty_opencl_api;
#undef TY_DECLARE

/* The functions of the installed loader, opened on the first call; NULL, with the reason, if there is none. */
const ty_opencl_api *ty_opencl(char *reason, size_t reason_size);

/* "CL_OUT_OF_RESOURCES (-5)": never NULL; valid until the thread's next call. */
const char *ty_opencl_error(cl_int error);

#endif
