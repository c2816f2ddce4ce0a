/* What a kind of source (y4m, raw, libav) provides. */
#ifndef TY_SOURCE_INTERNAL_H
#define TY_SOURCE_INTERNAL_H

#include "core/layout.h"
#include "io/file.h"
#include "io/source.h"

typedef struct ty_source_functions {
    /* Contracts as in source.h; source->next_frame is the number of the frame to read and is advanced by the
     * caller. */
    ty_read_result (*read)(ty_source *source, void *const planes[3], const void *lent[3], ty_error *error);
    ty_read_result (*skip)(ty_source *source, ty_error *error);
    void (*release)(ty_source *source, uint64_t frame); /* NULL if the kind never lends */
    void (*close)(ty_source *source);                   /* frees all but the ty_source's own path */
} ty_source_functions;

/* The first member of each kind's own struct. */
struct ty_source {
    const ty_source_functions *functions;
    char *path;
    ty_source_info info;
    ty_layout layout;
    uint64_t next_frame;
    ty_error failure; /* the first failure while reading; later reads return it again */
};

/* Each takes over `file`, on failure too. */
tally_status ty_y4m_open(ty_file *file, ty_lending lending, ty_source **source, ty_error *error);
tally_status ty_raw_open(ty_file *file, const tally_format *format, ty_lending lending, ty_source **source,
                         ty_error *error);
tally_status ty_libav_open(ty_file *file, ty_source **source, ty_error *error);

/* Checks a format that a file states and fills the source's info and layout: TALLY_INPUT if it is out of
 * range. */
tally_status ty_source_set_format(ty_source *source, const tally_format *format, const char *name,
                                  ty_error *error);

#endif
