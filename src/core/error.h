/* A status with the words for it. Passed down as `ty_error *error`; never NULL inside the library. */
#ifndef TY_ERROR_H
#define TY_ERROR_H

#include "tally/tally.h"

typedef struct ty_error {
    tally_status status;
    char text[1024];
} ty_error;

/* Records the failure and returns its status, so that `return ty_fail(error, TALLY_INPUT, "%s: …", path);` reads well.
 * The first failure is kept: a later one does not overwrite it. */
tally_status ty_fail(ty_error *error, tally_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* TALLY_INTERNAL "out of memory (what)". */
tally_status ty_fail_memory(ty_error *error, const char *what);

#endif
