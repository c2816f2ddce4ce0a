/* tally devices: what there is to compute with. */
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "core/instance.h"
#include "tool.h"

static const char help[] =
    "usage: tally devices\n"
    "\n"
    "Lists the backends of this build with the devices found: name, driver, memory, and the features that run there. For\n"
    "what is missing it says why. The scores are the same bits on all of them.\n"
    "\n"
    "  tally score ref.y4m dis.y4m --backend opencl --device 1\n"
    "\n"
    "The first call on a machine takes longer: OpenCL drivers compile the kernels then.\n";

/* A picture that every feature takes. */
static const tally_format sample_format = {640, 480, 8, TALLY_PIXEL_FORMAT_420};

/* Whether the device has every kernel of the feature's plan. */
static bool runs(const ty_backend *backend, ty_device *device, const char *feature, ty_error *error) {
    ty_instances instances = {0};
    ty_layout layout;
    ty_log silent = {0};
    if (ty_layout_init(&layout, &sample_format, "picture", error) == TALLY_OK &&
        ty_instances_request(&instances, feature, error) == TALLY_OK)
        ty_instances_prepare(&instances, &layout, false, &silent, error);
    const ty_plan *plan = error->status == TALLY_OK ? &instances.items[0].plan : NULL;
    for (uint32_t s = 0; plan && s < plan->stage_count && error->status == TALLY_OK; s++) {
        const ty_device_kernel *kernel;
        backend->find_kernel(device, plan->room, plan->stages[s].kernel, &kernel, error);
    }
    ty_instances_free(&instances);
    return error->status == TALLY_OK;
}

static void print_features(const ty_backend *backend, ty_device *device) {
    printf("      runs:");
    for (size_t f = 0; tally_feature_name(f); f++) {
        ty_error error = {0};
        if (runs(backend, device, tally_feature_name(f), &error))
            printf(" %s", tally_feature_name(f));
    }
    putchar('\n');
    for (size_t f = 0; tally_feature_name(f); f++) {
        ty_error error = {0};
        if (!runs(backend, device, tally_feature_name(f), &error))
            printf("      not %s: %.*s\n", tally_feature_name(f), (int)strcspn(error.text, "\n"), error.text);
    }
}

static void print_device(const ty_backend *backend, uint32_t index) {
    ty_device_info info;
    ty_error error = {0};
    if (backend->inspect(index, &info, &error) != TALLY_OK) {
        printf("  %u: %s\n", index, error.text);
        return;
    }
    printf("  %u: %s", index, info.name);
    if (info.driver[0])
        printf(", driver %s", info.driver);
    if (info.memory)
        printf(", %.1f GiB", (double)info.memory / 0x1p30);
    putchar('\n');
    if (info.unfit[0]) {
        printf("      cannot be used: %s\n", info.unfit);
        return;
    }
    const ty_device_request request = {index, NULL, 8};
    ty_device *device;
    if (backend->open(&request, &device, &error) != TALLY_OK) {
        printf("      cannot be opened: %s\n", error.text);
        return;
    }
    if (backend->level(device)[0])
        printf("      level: %s\n", backend->level(device));
    print_features(backend, device);
    backend->close(device);
}

int tool_devices(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0)
            return tool_usage("devices", "'%s' is not understood", argv[i]);
        fputs(help, stdout);
        return TALLY_OK;
    }
    for (const ty_backend *const *b = ty_backends; *b; b++) {
        char reason[256] = "";
        const uint32_t count = (*b)->count(reason, sizeof reason);
        printf("%s%s%s\n", (*b)->name, count ? "" : ": none: ", reason);
        for (uint32_t d = 0; d < count; d++)
            print_device(*b, d);
    }
    return TALLY_OK;
}
