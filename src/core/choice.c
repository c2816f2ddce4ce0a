#include "core/choice.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static tally_status named(const char *name, uint32_t device, ty_choice *choice, ty_error *error) {
    char known[128] = "";
    for (const ty_backend *const *b = ty_backends; *b; b++) {
        if (strcmp((*b)->name, name) == 0)
            choice->backend = *b;
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", b == ty_backends ? "" : ", ", (*b)->name);
    }
    if (!choice->backend)
        return ty_fail(error, TALLY_USAGE, "there is no backend '%s' in this build; there is: %s", name, known);
    choice->device = device;
    if (choice->backend->inspect(device, &choice->info, error) != TALLY_OK)
        return error->status;
    if (choice->info.unfit[0])
        return ty_fail(error, TALLY_DEVICE, "device %u of backend %s (%s) cannot be used: %s", device, name,
                       choice->info.name, choice->info.unfit);
    return TALLY_OK;
}

/* Starting GPU drivers takes a while, and theirs is not the only code behind an OpenCL loader: on a machine without a GPU,
 * "auto" leaves them alone. Every driver for Linux has one of these files. */
static bool machine_has_gpu(void) {
    static const char *const nodes[] = {"/dev/nvidiactl", "/dev/dxg", "/dev/kfd", "/dev/dri", "/dev/mali0",
                                        "/dev/kgsl-3d0"};
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        if (access(nodes[i], F_OK) == 0)
            return true;
    return false;
}

/* The first usable accelerator of a backend at or after index `first`. */
static bool find_accelerator(const ty_backend *backend, uint32_t first, ty_choice *choice) {
    char reason[256];
    const uint32_t count = backend->host_memory ? 0 : backend->count(reason, sizeof reason);
    for (uint32_t d = first; d < count; d++) {
        ty_error error = {0};
        ty_device_info info;
        if (backend->inspect(d, &info, &error) != TALLY_OK || !info.accelerator || info.unfit[0])
            continue;
        *choice = (ty_choice){backend, d, info};
        return true;
    }
    return false;
}

static tally_status fastest(const char *level, uint32_t device, ty_choice *choice, ty_error *error) {
    uint32_t last = 0;
    while (ty_backends[last])
        last++;
    if (strcmp(level, "auto") == 0 && machine_has_gpu())
        while (last-- > 0)
            if (find_accelerator(ty_backends[last], device, choice))
                return TALLY_OK;
    return named("cpu", device, choice, error);
}

tally_status ty_choose(const char *name, const char *level, uint32_t device, ty_log *log, ty_choice *choice,
                       ty_error *error) {
    *choice = (ty_choice){0};
    const bool automatic = strcmp(name, "auto") == 0;
    const tally_status status =
        automatic ? fastest(level, device, choice, error) : named(name, device, choice, error);
    if (status == TALLY_OK && !choice->backend->host_memory)
        ty_log_message(log, TALLY_LOG_INFO, "backend %s%s: device %u, %s%s%s", choice->backend->name,
                       automatic ? " (chosen as the fastest)" : "", choice->device, choice->info.name,
                       choice->info.driver[0] ? ", driver " : "", choice->info.driver);
    return status;
}
