/* Options of features: declared once in a table, parsed from "name=value:name=value" text. */
#ifndef TY_OPTIONS_H
#define TY_OPTIONS_H

#include "core/error.h"

typedef enum ty_option_type { TY_OPTION_BOOL, TY_OPTION_INT, TY_OPTION_DOUBLE, TY_OPTION_STRING } ty_option_type;

#define TY_OPTION_STRING_SIZE 256

/* What a change of the option means for metric names. */
typedef enum ty_option_effect {
    TY_OPTION_NAMED,   /* a value other than the default becomes part of every metric name */
    TY_OPTION_UNNAMED, /* changes numbers but not names: two different values cannot share a run */
    TY_OPTION_ADDS     /* a bool that only adds metrics when true, or a string that only adds files when not "": requests
                        * are merged */
} ty_option_effect;

/* One option; a table ends with a NULL name. */
typedef struct ty_option {
    const char *name;
    const char *alias; /* used in metric names only; NULL: the name */
    ty_option_type type;
    ty_option_effect effect;
    size_t offset; /* of a bool, int, double or char[TY_OPTION_STRING_SIZE] in the feature's struct of options */
    double default_number;      /* also bool (0, 1) and int */
    const char *default_string; /* TY_OPTION_STRING */
    double min, max;            /* inclusive, for numbers */
    const char *const *choices; /* TY_OPTION_STRING: the allowed values, NULL-terminated; NULL: any */
    const char *help;
} ty_option;

void ty_options_set_defaults(const ty_option *table, void *options);

/* Sets one option from text. The error names feature, option, value and what is allowed. */
tally_status ty_options_set(const ty_option *table, void *options, const char *feature, const char *name,
                            const char *value, ty_error *error);

/* Parses "name=value:name=value" (or "") on top of what `options` holds. */
tally_status ty_options_parse(const ty_option *table, void *options, const char *feature, const char *text,
                              ty_error *error);

/* Appends to `text` (of `size` bytes) the suffix for metric names: for each named option that differs from its default,
 * in byte order of the options' names, "_alias" (bool) or "_alias_value". */
void ty_options_suffix(const ty_option *table, const void *options, char *text, size_t size);

/* The request in full: "name" or "name=option=value:…" with the options that differ from their defaults. */
void ty_options_print(const ty_option *table, const void *options, const char *feature, char *text, size_t size);

/* Compares two sets: equal if all values are; mergeable if they differ in TY_OPTION_ADDS options only; in conflict if
 * their metric names are the same but their numbers may differ; else distinct. */
typedef enum ty_options_relation {
    TY_OPTIONS_EQUAL,
    TY_OPTIONS_MERGEABLE,
    TY_OPTIONS_CONFLICT,
    TY_OPTIONS_DISTINCT
} ty_options_relation;
ty_options_relation ty_options_compare(const ty_option *table, const void *a, const void *b);

/* Whether both write the same files: a string that adds files is equal and not "" in both. */
bool ty_options_share_files(const ty_option *table, const void *a, const void *b);

/* Sets in `into` every TY_OPTION_ADDS option that is true, or a string, in `from`. */
void ty_options_merge(const ty_option *table, void *into, const void *from);

#endif
