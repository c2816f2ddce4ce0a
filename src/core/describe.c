/* What the library knows about itself. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/cpu/levels.h"
#include "core/feature.h"
#include "core/number.h"

const char *tally_feature_name(size_t index) {
    for (size_t i = 0; ty_features[i]; i++)
        if (i == index)
            return ty_features[i]->name;
    return NULL;
}

const char *tally_backend_name(size_t index) {
    for (size_t i = 0; ty_backends[i]; i++)
        if (i == index)
            return ty_backends[i]->name;
    return NULL;
}

const char *tally_level_name(size_t index) {
    for (size_t i = 0; ty_levels[i].name; i++)
        if (i == index)
            return ty_levels[i].name;
    return NULL;
}

bool tally_level_usable(const char *level) {
    const ty_level *found = level ? ty_level_find(level) : NULL;
    return found && found->usable();
}

/* ---- The features as JSON ----------------------------------------------------------------------------------------- */

typedef struct text {
    char *data;
    size_t length, size;
} text;

static void add(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (t->length + (size_t)more + 1 > t->size) {
        t->size = 2 * (t->length + (size_t)more + 1);
        if (!(t->data = realloc(t->data, t->size)))
            abort();
    }
    va_start(arguments, format);
    t->length += (size_t)vsnprintf(t->data + t->length, t->size - t->length, format, arguments);
    va_end(arguments);
}

static const char *type_name(ty_option_type type) {
    static const char *const names[] = {"bool", "int", "double", "string"};
    return names[type];
}

static void add_number(text *t, const char *key, double value) {
    char number[40];
    ty_print_shortest(value, number, sizeof number);
    add(t, ", \"%s\": %s", key, number);
}

static void add_option(text *t, const ty_option *o) {
    add(t, "        {\"name\": \"%s\", \"type\": \"%s\"", o->name, type_name(o->type));
    if (o->alias)
        add(t, ", \"alias\": \"%s\"", o->alias);
    if (o->type == TY_OPTION_STRING)
        add(t, ", \"default\": \"%s\"", o->default_string ? o->default_string : "");
    else if (o->type == TY_OPTION_BOOL)
        add(t, ", \"default\": %s", o->default_number != 0 ? "true" : "false");
    else {
        add_number(t, "default", o->default_number);
        add_number(t, "min", o->min);
        add_number(t, "max", o->max);
    }
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        add(t, "%s\"%s\"", i ? ", " : ", \"choices\": [", o->choices[i]);
    add(t, "%s, \"in_name\": %s, \"help\": \"%s\"}", o->choices ? "]" : "",
        o->effect == TY_OPTION_NAMED ? "true" : "false", o->help);
}

static void add_feature(text *t, const ty_feature *f) {
    add(t, "    {\n      \"name\": \"%s\",\n      \"summary\": \"%s\",\n      \"options\": [", f->name, f->summary);
    for (const ty_option *o = f->options; o && o->name; o++) {
        add(t, o == f->options ? "\n" : ",\n");
        add_option(t, o);
    }
    add(t, "%s],\n      \"metrics\": [", f->options && f->options[0].name ? "\n      " : "");
    for (const ty_metric *m = f->metrics; m->name; m++)
        add(t, "%s\"%s\"", m == f->metrics ? "" : ", ", m->short_name ? m->short_name : m->name);
    add(t, "],\n      \"bit_depths\": [");
    for (unsigned depth = 8, first = 1; depth <= 16; depth++)
        if (f->depths & TY_DEPTH(depth)) {
            add(t, "%s%u", first ? "" : ", ", depth);
            first = 0;
        }
    add(t, "],\n      \"pixel_formats\": [");
    for (tally_pixel_format p = TALLY_PIXEL_FORMAT_400, first = 1; p <= TALLY_PIXEL_FORMAT_444; p++)
        if (f->formats & TY_FORMAT(p)) {
            add(t, "%s\"%s\"", first ? "" : ", ", ty_pixel_format_name(p));
            first = 0;
        }
    add(t, "],\n      \"min_width\": %u,\n      \"min_height\": %u,\n      \"every_frame\": %s\n    }", f->min_width,
        f->min_height, f->every_frame ? "true" : "false");
}

static text features_text;

static void build_features_text(void) {
    add(&features_text, "{\n  \"version\": \"%s\",\n  \"features\": [\n", tally_version());
    for (const ty_feature *const *f = ty_features; *f; f++) {
        add_feature(&features_text, *f);
        add(&features_text, f[1] ? ",\n" : "\n");
    }
    add(&features_text, "  ]\n}\n");
}

const char *tally_features_json(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_features_text);
    return features_text.data;
}
