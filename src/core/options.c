#include "core/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

static void *field(const ty_option *option, void *options) { return (char *)options + option->offset; }
static const void *field_of(const ty_option *option, const void *options) {
    return (const char *)options + option->offset;
}

static double number_of(const ty_option *option, const void *options) {
    const void *at = field_of(option, options);
    switch (option->type) {
    case TY_OPTION_BOOL: return *(const bool *)at;
    case TY_OPTION_INT: return *(const int *)at;
    default: return *(const double *)at;
    }
}

static void store_number(const ty_option *option, void *options, double value) {
    void *at = field(option, options);
    switch (option->type) {
    case TY_OPTION_BOOL: *(bool *)at = value != 0; break;
    case TY_OPTION_INT: *(int *)at = (int)value; break;
    default: *(double *)at = value; break;
    }
}

static void store_string(const ty_option *option, void *options, const char *text) {
    snprintf(field(option, options), TY_OPTION_STRING_SIZE, "%s", text);
}

void ty_options_set_defaults(const ty_option *table, void *options) {
    for (const ty_option *o = table; o && o->name; o++) {
        if (o->type == TY_OPTION_STRING)
            store_string(o, options, o->default_string ? o->default_string : "");
        else
            store_number(o, options, o->default_number);
    }
}

static tally_status set_bool(const ty_option *o, void *options, const char *feature, const char *value,
                             ty_error *error) {
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        return ty_fail(error, TALLY_USAGE, "feature %s: option %s=%s: must be true or false", feature, o->name,
                       value);
    store_number(o, options, value[0] == 't');
    return TALLY_OK;
}

static tally_status set_number(const ty_option *o, void *options, const char *feature, const char *value,
                               ty_error *error) {
    double number;
    const char *kind = o->type == TY_OPTION_INT ? "a whole number" : "a number";
    if (!ty_parse_double(value, &number) || !isfinite(number) ||
        (o->type == TY_OPTION_INT && number != floor(number)))
        return ty_fail(error, TALLY_USAGE, "feature %s: option %s=%s: must be %s", feature, o->name, value, kind);
    if (!(number >= o->min && number <= o->max))
        return ty_fail(error, TALLY_USAGE, "feature %s: option %s=%s: must be %s from %g to %g", feature, o->name,
                       value, kind, o->min, o->max);
    store_number(o, options, number);
    return TALLY_OK;
}

static tally_status set_string(const ty_option *o, void *options, const char *feature, const char *value,
                               ty_error *error) {
    if (strlen(value) >= TY_OPTION_STRING_SIZE)
        return ty_fail(error, TALLY_USAGE, "feature %s: option %s: value is longer than %d characters", feature,
                       o->name, TY_OPTION_STRING_SIZE - 1);
    bool allowed = !o->choices;
    char choices[512] = "";
    for (size_t i = 0; o->choices && o->choices[i]; i++) {
        allowed |= strcmp(o->choices[i], value) == 0;
        snprintf(choices + strlen(choices), sizeof choices - strlen(choices), "%s%s", i ? ", " : "", o->choices[i]);
    }
    if (!allowed)
        return ty_fail(error, TALLY_USAGE, "feature %s: option %s=%s: must be one of %s", feature, o->name, value,
                       choices);
    store_string(o, options, value);
    return TALLY_OK;
}

static tally_status unknown_option(const ty_option *table, const char *feature, const char *name, ty_error *error) {
    char known[768] = "";
    for (const ty_option *o = table; o && o->name; o++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", o == table ? "" : ", ", o->name);
    if (!known[0])
        return ty_fail(error, TALLY_USAGE, "feature %s has no options, but option '%s' was given", feature, name);
    return ty_fail(error, TALLY_USAGE, "feature %s has no option '%s'; it has: %s", feature, name, known);
}

tally_status ty_options_set(const ty_option *table, void *options, const char *feature, const char *name,
                            const char *value, ty_error *error) {
    for (const ty_option *o = table; o && o->name; o++) {
        if (strcmp(o->name, name) != 0)
            continue;
        switch (o->type) {
        case TY_OPTION_BOOL: return set_bool(o, options, feature, value, error);
        case TY_OPTION_STRING: return set_string(o, options, feature, value, error);
        default: return set_number(o, options, feature, value, error);
        }
    }
    return unknown_option(table, feature, name, error);
}

tally_status ty_options_parse(const ty_option *table, void *options, const char *feature, const char *text,
                              ty_error *error) {
    char item[TY_OPTION_STRING_SIZE + 128];
    while (*text) {
        const size_t length = strcspn(text, ":");
        if (length >= sizeof item)
            return ty_fail(error, TALLY_USAGE, "feature %s: an option is longer than %zu characters", feature,
                           sizeof item - 1);
        memcpy(item, text, length);
        item[length] = 0;
        char *value = strchr(item, '=');
        if (!value)
            return ty_fail(error, TALLY_USAGE, "feature %s: option '%s' has no value; write option=value", feature,
                           item);
        *value++ = 0;
        const tally_status status = ty_options_set(table, options, feature, item, value, error);
        if (status != TALLY_OK)
            return status;
        text += length;
        if (*text == ':' && !*++text)
            return ty_fail(error, TALLY_USAGE, "feature %s: nothing follows the last ':'", feature);
    }
    return TALLY_OK;
}

static bool same_value(const ty_option *o, const void *a, const void *b) {
    if (o->type == TY_OPTION_STRING)
        return strcmp(field_of(o, a), field_of(o, b)) == 0;
    return number_of(o, a) == number_of(o, b);
}

static bool is_default(const ty_option *o, const void *options) {
    if (o->type == TY_OPTION_STRING)
        return strcmp(field_of(o, options), o->default_string ? o->default_string : "") == 0;
    return number_of(o, options) == o->default_number;
}

/* The option of the table that follows `after` in byte order of names; NULL at the end. */
static const ty_option *next_by_name(const ty_option *table, const ty_option *after) {
    const ty_option *best = NULL;
    for (const ty_option *o = table; o && o->name; o++)
        if ((!after || strcmp(o->name, after->name) > 0) && (!best || strcmp(o->name, best->name) < 0))
            best = o;
    return best;
}

static void append(char *text, size_t size, const char *part) {
    const size_t length = strlen(text);
    if (length + 1 < size)
        snprintf(text + length, size - length, "%s", part);
}

static void value_text(const ty_option *o, const void *options, char *text, size_t size) {
    switch (o->type) {
    case TY_OPTION_BOOL: snprintf(text, size, "%s", number_of(o, options) != 0 ? "true" : "false"); break;
    case TY_OPTION_INT: snprintf(text, size, "%d", *(const int *)field_of(o, options)); break;
    case TY_OPTION_DOUBLE: ty_print_double(number_of(o, options), 6, text, size); break;
    case TY_OPTION_STRING: snprintf(text, size, "%s", (const char *)field_of(o, options)); break;
    }
}

void ty_options_suffix(const ty_option *table, const void *options, char *text, size_t size) {
    char value[TY_OPTION_STRING_SIZE];
    for (const ty_option *o = next_by_name(table, NULL); o; o = next_by_name(table, o)) {
        if (o->effect != TY_OPTION_NAMED || is_default(o, options))
            continue;
        append(text, size, "_");
        append(text, size, o->alias ? o->alias : o->name);
        if (o->type == TY_OPTION_BOOL)
            continue;
        value_text(o, options, value, sizeof value);
        append(text, size, "_");
        append(text, size, value);
    }
}

void ty_options_print(const ty_option *table, const void *options, const char *feature, char *text, size_t size) {
    char value[TY_OPTION_STRING_SIZE];
    char separator[2] = "=";
    snprintf(text, size, "%s", feature);
    for (const ty_option *o = table; o && o->name; o++) {
        if (is_default(o, options))
            continue;
        if (o->type == TY_OPTION_DOUBLE)
            ty_print_shortest(number_of(o, options), value, sizeof value);
        else
            value_text(o, options, value, sizeof value);
        append(text, size, separator);
        append(text, size, o->name);
        append(text, size, "=");
        append(text, size, value);
        separator[0] = ':';
    }
}

/* Of two values that differ: whether one is the default. Always so for a bool; two different strings exclude each other. */
static bool only_one_set(const ty_option *o, const void *a, const void *b) {
    return is_default(o, a) || is_default(o, b);
}

ty_options_relation ty_options_compare(const ty_option *table, const void *a, const void *b) {
    bool equal = true, unnamed_equal = true;
    for (const ty_option *o = table; o && o->name; o++) {
        if (same_value(o, a, b))
            continue;
        equal = false;
        unnamed_equal &= o->effect == TY_OPTION_ADDS && only_one_set(o, a, b);
    }
    if (equal)
        return TY_OPTIONS_EQUAL;
    if (unnamed_equal)
        return TY_OPTIONS_MERGEABLE;
    /* Names carry six digits of a value, so two values may still share a name. */
    char suffix_a[1024] = "", suffix_b[1024] = "";
    ty_options_suffix(table, a, suffix_a, sizeof suffix_a);
    ty_options_suffix(table, b, suffix_b, sizeof suffix_b);
    return strcmp(suffix_a, suffix_b) == 0 ? TY_OPTIONS_CONFLICT : TY_OPTIONS_DISTINCT;
}

bool ty_options_share_files(const ty_option *table, const void *a, const void *b) {
    for (const ty_option *o = table; o && o->name; o++)
        if (o->effect == TY_OPTION_ADDS && o->type == TY_OPTION_STRING && same_value(o, a, b) && !is_default(o, a))
            return true;
    return false;
}

void ty_options_merge(const ty_option *table, void *into, const void *from) {
    for (const ty_option *o = table; o && o->name; o++)
        if (o->effect != TY_OPTION_ADDS || is_default(o, from))
            continue;
        else if (o->type == TY_OPTION_STRING)
            store_string(o, into, field_of(o, from));
        else
            store_number(o, into, 1);
}
