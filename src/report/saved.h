/* A JSON report read back: its scores, exactly as printed. */
#ifndef TY_SAVED_H
#define TY_SAVED_H

#include "core/error.h"

typedef struct ty_saved_score {
    const char *metric;
    uint64_t frame;
    double value; /* +infinity for null, until something better is known */
    bool null;
} ty_saved_score;

typedef struct ty_saved_list {
    ty_saved_score *scores; /* by metric in byte order, then by frame; none twice */
    size_t count;
} ty_saved_list;

typedef struct ty_saved {
    const char *path;
    void *json;
    ty_saved_list scores;
    ty_saved_list aggregates; /* frame 0 */
    const char *digest;       /* as the report states it; NULL if it states none */
    bool exact;               /* the digest is that of `scores` */
} ty_saved;

/* Reads a report; "-" is standard input. TALLY_INPUT names the file and the byte or the member that is wrong.
 * Release with ty_saved_close(), also after a failure.
 *
 * JSON has no infinities, so the digest of a report with nulls is tried with all of them +infinity, then with
 * all of them -infinity; the one that fits becomes their value. A report that mixes both signs is not
 * recognised as exact. */
tally_status ty_saved_open(ty_saved *saved, const char *path, ty_error *error);
void ty_saved_close(ty_saved *saved);

#endif
