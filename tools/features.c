/* tally features: what there is to score with. */
#include <stdio.h>
#include <string.h>

#include "core/feature.h"
#include "core/number.h"
#include "tool.h"

static const char help[] =
    "usage: tally features [--json] [NAME]\n"
    "\n"
    "Lists the features (or the one named) with their options, metrics and limits.\n"
    "\n"
    "  --json    the same as JSON\n"
    "\n"
    "An option is given with the feature:  tally score ref.y4m dis.y4m -f psnr=enable_mse=true:min_sse=0.5\n";

static void print_default(const ty_option *o) {
    char low[40], high[40], value[40];
    ty_print_shortest(o->min, low, sizeof low);
    ty_print_shortest(o->max, high, sizeof high);
    ty_print_shortest(o->default_number, value, sizeof value);
    switch (o->type) {
    case TY_OPTION_BOOL: printf("true|false (default %s)", o->default_number != 0 ? "true" : "false"); break;
    case TY_OPTION_INT: printf("whole number %s to %s (default %s)", low, high, value); break;
    case TY_OPTION_DOUBLE: printf("number %s to %s (default %s)", low, high, value); break;
    case TY_OPTION_STRING:
        for (size_t i = 0; o->choices && o->choices[i]; i++)
            printf("%s%s", i ? "|" : "", o->choices[i]);
        printf("%s (default %s)", o->choices ? "" : "text", o->default_string ? o->default_string : "none");
        break;
    }
}

static void print_limits(const ty_feature *f) {
    printf("    takes: bit depth");
    for (unsigned depth = 8; depth <= 16; depth++)
        if (f->depths & TY_DEPTH(depth))
            printf(" %u", depth);
    printf("; pixel format");
    for (tally_pixel_format p = TALLY_PIXEL_FORMAT_400; p <= TALLY_PIXEL_FORMAT_444; p++)
        if (f->formats & TY_FORMAT(p))
            printf(" %s", ty_pixel_format_name(p));
    printf("; size from %ux%u%s%s\n", f->min_width, f->min_height, f->more_limits ? ", " : "",
           f->more_limits ? f->more_limits : "");
}

static void print_feature(const ty_feature *f) {
    printf("%s: %s\n    metrics:", f->name, f->summary);
    for (const ty_metric *m = f->metrics; m->name; m++)
        printf(" %s", m->short_name ? m->short_name : m->name);
    putchar('\n');
    print_limits(f);
    for (const ty_option *o = f->options; o && o->name; o++) {
        printf("    %s=", o->name);
        print_default(o);
        printf("\n        %s", o->help);
        if (o->effect == TY_OPTION_NAMED)
            printf("; in metric names as _%s", o->alias ? o->alias : o->name);
        putchar('\n');
    }
}

int tool_features(int argc, char **argv) {
    bool json = false;
    const char *name = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return TALLY_OK;
        }
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (argv[i][0] == '-' || name)
            return tool_usage("features", "'%s' is not understood", argv[i]);
        else
            name = argv[i];
    }
    if (name && !ty_feature_find(name))
        return tool_usage("features", "there is no feature '%s'", name);
    if (json && name)
        return tool_usage("features", "--json lists all features; leave '%s' out", name);
    if (json)
        fputs(tally_features_json(), stdout);
    else if (name)
        print_feature(ty_feature_find(name));
    for (const ty_feature *const *f = ty_features; *f && !json && !name; f++)
        print_feature(*f);
    return TALLY_OK;
}
