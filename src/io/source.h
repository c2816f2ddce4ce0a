/* A source: a video that is read frame by frame. One thread at a time uses a source, except
 * ty_source_release(). */
#ifndef TY_SOURCE_H
#define TY_SOURCE_H

#include <stdatomic.h>

#include "core/error.h"

typedef struct ty_source ty_source;

/* Whether frames may stay in the source's own memory. */
typedef enum ty_lending {
    TY_COPY,      /* every frame is copied */
    TY_LEND,      /* lent where that is possible, and brought into memory before */
    TY_LEND_COLD  /* lent as it lies in the file: for takers that copy it themselves, several side by side */
} ty_lending;

/* Tags that do not change how samples are read, but that two inputs should share. "" is "not stated" for all.
 */
typedef struct ty_source_tags {
    char range[16];       /* "limited", "full" */
    char transfer[32];    /* the name FFmpeg gives, e.g. "bt709", "smpte2084" */
    char interlacing[16]; /* "progressive", "top first", "bottom first", "mixed" */
} ty_source_tags;

typedef struct ty_source_info {
    const char *path; /* as given; "-" is standard input. Lives as long as the source */
    tally_format format;
    ty_source_tags tags;
    uint64_t frames; /* how many the file's size or container says there are, 0 if it does not say. For
                      * showing progress: only TY_READ_END says where a video ends */
} ty_source_info;

/* Opens a file: raw YUV if raw is given and raw->width is not 0 (then all of raw is needed), y4m if it begins
 * with YUV4MPEG, else through FFmpeg's libraries. On failure *source is NULL. What a file says wrongly is TALLY_INPUT; what
 * `raw` says wrongly is TALLY_USAGE. Waiting for a pipe ends with TALLY_CANCELLED once *cancelled is true; NULL: it
 * waits for ever. */
tally_status ty_source_open(const char *path, const tally_format *raw, ty_lending lending, const atomic_bool *cancelled,
                            ty_source **source, ty_error *error);
const ty_source_info *ty_source_describe(const ty_source *source);

typedef enum ty_read_result { TY_READ_FRAME, TY_READ_END, TY_READ_ERROR } ty_read_result;

/* Reads the next frame whole, in the layout of ty_layout: either into `planes` (plane p has the layout's
 * plane_bytes[p]), or, if the source was opened to lend, by pointing lent[p] at its own memory; else
 * lent[0] is NULL. `lent` may be NULL if the source was opened with TY_COPY. Lent memory stays valid until
 * ty_source_release() of that frame (frames are numbered from 0 as they are read or skipped). 16-bit samples
 * are in the machine's byte order and aligned. A frame that is not whole is an error that names file, frame
 * and byte offset; every later call then returns it again.
 *
 * Lent memory may be the file itself, mapped. A file that was cut before a frame is read is an error; one
 * that another program cuts while the frame is lent ends the process with SIGBUS, as for every program that
 * maps files. */
ty_read_result ty_source_read(ty_source *source, void *const planes[3], const void *lent[3], ty_error *error);

/* Drops the next frame without converting it where that is cheaper. */
ty_read_result ty_source_skip(ty_source *source, ty_error *error);

/* Ends the use of a lent frame. Any thread. Does nothing for frames that were not lent. */
void ty_source_release(ty_source *source, uint64_t frame);

/* Ends the use of all lent frames, too. NULL is allowed. */
void ty_source_close(ty_source *source);

#endif
