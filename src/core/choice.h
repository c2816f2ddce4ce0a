/* Which backend and device a run computes on. */
#ifndef TY_CHOICE_H
#define TY_CHOICE_H

#include "backends/backend.h"
#include "core/log.h"

typedef struct ty_choice {
    const ty_backend *backend;
    uint32_t device;
    ty_device_info info;
} ty_choice;

/* A backend by name: a missing one or a missing or unfit device is an error, never a reason to take another. "auto": the
 * fastest that is there; the CPU if there is no accelerator, or if `level` (a CPU level or "auto") names one. `device` is
 * the index within the backend. A device other than the CPU is named in the log. */
tally_status ty_choose(const char *name, const char *level, uint32_t device, ty_log *log, ty_choice *choice,
                       ty_error *error);

#endif
