/* A regular file in memory, lent out piece by piece. Pages stay in memory only while a piece that uses them
 * is lent. */
#ifndef TY_MAPPING_H
#define TY_MAPPING_H

#include "io/file.h"

typedef struct ty_mapping ty_mapping;

/* NULL if the file cannot be mapped (not regular, a file system without mapping, address space used up): not
 * an error, since the file can still be read. */
ty_mapping *ty_mapping_create(const ty_file *file, bool load);

/* Nothing may be lent any more. NULL is allowed. */
void ty_mapping_destroy(ty_mapping *mapping);

/* Lends bytes `begin` to `end` (exclusive) of the file as frame `frame`, loaded into memory so that whoever
 * uses them meets no page fault. The caller has checked that the file is that long; pieces are lent in the
 * order in which they lie in the file. NULL if they cannot be lent: read them instead. */
const uint8_t *ty_mapping_lend(ty_mapping *mapping, uint64_t frame, uint64_t begin, uint64_t end);

/* Ends the lending of a frame; does nothing for frames that are not lent. Any thread, also during
 * ty_mapping_lend(). */
void ty_mapping_release(ty_mapping *mapping, uint64_t frame);

#endif
