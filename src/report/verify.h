/* Compares the scores of two JSON reports bit for bit. */
#ifndef TY_VERIFY_H
#define TY_VERIFY_H

#include <stdio.h>

#include "core/error.h"

/* Reads both reports ("-" is standard input for one of them) and writes the verdict to `out`: that they tally (with the number of
 * values and the digest), or the first metric in byte order and the frame where they do not, with both values and both bit
 * patterns, and how many values differ or are missing on one side. TALLY_OK, TALLY_DIFFERENT, or TALLY_INPUT if a file
 * cannot be read, is no report, or was written with too few digits to compare (its digest does not match its numbers). */
tally_status ty_verify(const char *path_a, const char *path_b, FILE *out, ty_error *error);

#endif
