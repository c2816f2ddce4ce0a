#include "backends/backend.h"

extern const ty_backend ty_backend_cpu, ty_backend_opencl, ty_backend_hip, ty_backend_cuda;

const ty_backend *const ty_backends[] = {&ty_backend_cpu, &ty_backend_opencl, &ty_backend_hip, &ty_backend_cuda, NULL};
