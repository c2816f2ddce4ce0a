/* The published models that Tally knows by name. The files themselves are no part of Tally. */
#ifndef TY_KNOWN_H
#define TY_KNOWN_H

#include <stddef.h>

typedef struct ty_known_model {
    const char *name;   /* the file's name is NAME.json */
    const char *sha256; /* of the published file, 64 hex digits */
} ty_known_model;

/* Sorted by name; ends with a NULL name. */
extern const ty_known_model ty_known_models[];

/* Where NAME.json is published. */
#define TY_KNOWN_URL "https://raw.githubusercontent.com/Netflix/vmaf/master/model/"

const ty_known_model *ty_known_find(const char *name); /* NULL: none */

#endif
