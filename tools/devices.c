/* tally devices: what there is to compute with. */
#include <stdio.h>
#include <string.h>

#include "survey.h"
#include "tally/tally.h"
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

static void print_features(const survey *s) {
    printf("      runs:");
    for (size_t f = 0; tally_feature_name(f) && f < SURVEY_FEATURES; f++)
        if (s->features[f].runs)
            printf(" %s", tally_feature_name(f));
    putchar('\n');
    for (size_t f = 0; tally_feature_name(f) && f < SURVEY_FEATURES; f++)
        if (!s->features[f].runs)
            printf("      not %s: %s\n", tally_feature_name(f), s->features[f].reason);
}

static void print_device(const ty_backend *backend, uint32_t index) {
    survey s;
    survey_device(backend, index, &s);
    if (!s.info.name[0]) {
        printf("  %u: %s\n", index, s.trouble);
        return;
    }
    printf("  %u: %s", index, s.info.name);
    if (s.info.driver[0])
        printf(", driver %s", s.info.driver);
    if (s.info.memory)
        printf(", %.1f GiB", (double)s.info.memory / 0x1p30);
    putchar('\n');
    if (s.trouble[0]) {
        printf("      %s\n", s.trouble);
        return;
    }
    if (s.level[0])
        printf("      level: %s\n", s.level);
    print_features(&s);
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
        const uint32_t count = survey_count(*b, reason, sizeof reason);
        printf("%s%s%s\n", (*b)->name, count ? "" : ": none: ", reason);
        for (uint32_t d = 0; d < count; d++)
            print_device(*b, d);
    }
    return TALLY_OK;
}
