/* A file that appears whole or not at all. */
#ifndef TY_OUTPUT_H
#define TY_OUTPUT_H

#include <stdio.h>

#include "core/error.h"

typedef struct ty_output {
    FILE *file;
    const char *path; /* as the caller named it */
    char *target;     /* what is replaced: path, with symbolic links followed; NULL if written in place */
    char *temporary;  /* in the target's directory */
} ty_output;

/* Opens `path` for writing by way of a temporary file. "-" (standard output) and what is no regular file,
 * such as a pipe or a device, is written in place. TALLY_INPUT if that fails; then nothing needs to be
 * closed. */
tally_status ty_output_open(ty_output *output, const char *path, ty_error *error);

/* Puts the file in its place if every write succeeded, else removes it (TALLY_INPUT). */
tally_status ty_output_close(ty_output *output, ty_error *error);

#endif
