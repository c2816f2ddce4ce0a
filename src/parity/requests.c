#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/instance.h"
#include "core/number.h"
#include "parity/parity.h"

typedef struct list {
    char **items;
    size_t count;
    bool failed;
} list;

static void add(list *l, const char *text) {
    char **larger = realloc(l->items, (l->count + 2) * sizeof *larger);
    if (!larger) {
        l->failed = true;
        return;
    }
    l->items = larger;
    larger[l->count] = strdup(text);
    l->failed |= !larger[l->count];
    larger[++l->count] = NULL;
}

/* Some ends of ranges are values that the feature never takes. */
static bool is_valid(const char *request) {
    ty_instances instances = {0};
    ty_error error = {0};
    const bool valid = ty_instances_request(&instances, request, &error) == TALLY_OK;
    ty_instances_free(&instances);
    return valid;
}

static void add_value(list *l, const ty_feature *feature, const ty_option *o, const char *value) {
    char request[TY_OPTION_STRING_SIZE + 256];
    snprintf(request, sizeof request, "%s=%s=%s", feature->name, o->name, value);
    if (is_valid(request))
        add(l, request);
}

static void add_numbers(list *l, const ty_feature *feature, const ty_option *o) {
    const double ends[2] = {o->min, o->max};
    char value[40];
    for (int i = 0; i < 2; i++) {
        if (ends[i] == o->default_number)
            continue;
        ty_print_shortest(ends[i], value, sizeof value);
        add_value(l, feature, o, value);
    }
}

/* Values that no end of a range shows: options that count only with another, and some of a few that are taken. */
static const char *const more[] = {
    "cambi=enc_width=300:enc_height=160",
    "cambi=enc_width=230:enc_height=170:enc_bitdepth=10:full_ref=true",
    "cambi=src_width=480:src_height=320:full_ref=true",
    "cambi=eotf=pq:cambi_vis_lum_threshold=2:max_log_contrast=3",
    "speed_chroma=speed_kernelscale=0.5",
    "speed_chroma=speed_kernelscale=3.711340206",
    "speed_chroma=speed_prescale=2:speed_prescale_method=bilinear",
    "speed_chroma=speed_prescale=2:speed_prescale_method=bicubic",
    "speed_chroma=speed_prescale=2:speed_prescale_method=lanczos4",
    "speed_temporal=speed_kernelscale=2",
    "speed_temporal=speed_prescale=0.75:speed_prescale_method=bilinear",
    "speed_temporal=speed_prescale=1.37:speed_prescale_method=lanczos4:speed_use_ref_diff=true",
    NULL,
};

static void add_feature(list *l, const ty_feature *feature) {
    add(l, feature->name);
    for (const ty_option *o = feature->options; o && o->name; o++) {
        if (o->type == TY_OPTION_BOOL)
            add_value(l, feature, o, o->default_number != 0 ? "false" : "true");
        else if (o->type != TY_OPTION_STRING)
            add_numbers(l, feature, o);
        for (size_t i = 0; o->choices && o->choices[i]; i++)
            if (strcmp(o->choices[i], o->default_string ? o->default_string : "") != 0)
                add_value(l, feature, o, o->choices[i]);
    }
}

char **ty_parity_all_requests(void) {
    list l = {0};
    for (const ty_feature *const *f = ty_features; *f; f++)
        add_feature(&l, *f);
    for (const char *const *request = more; *request; request++)
        add(&l, *request);
    if (!l.failed)
        return l.items;
    ty_parity_free_requests(l.items);
    return NULL;
}

void ty_parity_free_requests(char **requests) {
    for (size_t i = 0; requests && requests[i]; i++)
        free(requests[i]);
    free(requests);
}
