#include "backends/backend.h"

extern const ty_backend ty_backend_cpu;

const ty_backend *const ty_backends[] = {&ty_backend_cpu, NULL};
