/* What y4m and raw files share: pictures that lie in the file as they lie in memory. */
#ifndef TY_STORED_H
#define TY_STORED_H

#include "io/mapping.h"
#include "io/source_internal.h"

typedef struct ty_stored {
    ty_source source;
    ty_file *file;
    ty_mapping *mapping;  /* NULL: nothing is lent */
    uint64_t alpha_bytes; /* after each picture, passed over */
} ty_stored;

/* Takes over `file`, on failure too. */
ty_stored *ty_stored_create(ty_file *file, const ty_source_functions *functions, ty_error *error);

/* To be called once the format is known. */
void ty_stored_allow_lending(ty_stored *stored, ty_lending lending);

/* The picture at the file's current place: a cut one is an error. */
ty_read_result ty_stored_read(ty_stored *stored, void *const planes[3], const void *lent[3], ty_error *error);
ty_read_result ty_stored_skip(ty_stored *stored, ty_error *error);

/* Bytes of one picture in the file. */
uint64_t ty_stored_picture_bytes(const ty_stored *stored);

void ty_stored_release(ty_source *source, uint64_t frame);
void ty_stored_close(ty_source *source);

#endif
