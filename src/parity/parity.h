/* Parity: the same requests on the same clips, computed in every way that was asked for, compared bit for bit with the definition
 * (CPU, level scalar, one thread). */
#ifndef TY_PARITY_H
#define TY_PARITY_H

#include "core/error.h"
#include "parity/synth.h"

/* One way to compute. */
typedef struct ty_parity_way {
    char backend[16];
    char level[16]; /* CPU level, or "" */
    uint32_t device;
    uint32_t threads;
    char label[48]; /* "v4/2", "opencl:0" */
} ty_parity_way;

/* What is scored: a synthetic clip, or two files. */
typedef struct ty_parity_clip {
    synth_clip synthetic; /* if reference is NULL */
    const char *reference, *distorted;
} ty_parity_clip;

/* One request computed in one way, over all clips. */
typedef struct ty_parity_cell {
    uint64_t values;      /* compared */
    uint64_t differing;
    char first[320];      /* the first difference: clip, frame, metric, both bit patterns, ULPs */
    char failure[320];    /* why it could not be computed; "" if it could */
} ty_parity_cell;

typedef struct ty_parity {
    const char **requests; /* rows */
    size_t request_count;
    ty_parity_way *ways; /* columns */
    size_t way_count;
    const ty_parity_clip *clips;
    size_t clip_count;
    ty_parity_cell *cells; /* [request * way_count + way]; made by ty_parity_run() */
    void (*progress)(void *opaque, size_t done, size_t total);
    void *progress_opaque;
} ty_parity;

/* Computes all cells. Requests that cannot take a clip's format are left out for that clip. TALLY_OK even if bits differ: that is
 * in the cells. */
tally_status ty_parity_run(ty_parity *parity, ty_error *error);
void ty_parity_free(ty_parity *parity); /* the cells only */

/* The requests that cover every feature: defaults, and each option at both ends of its range. NULL-terminated list, to be freed
 * with ty_parity_free_requests(). NULL: out of memory. */
char **ty_parity_all_requests(void);
void ty_parity_free_requests(char **requests);

/* Clips of every bit depth and pixel format, odd sizes, noise, extremes, pictures. */
extern const ty_parity_clip ty_parity_clips[];
extern const size_t ty_parity_clip_count;

#endif
