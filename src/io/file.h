/* A file or pipe read in order, with a small buffer for looking ahead. Regular files can also be placed anew.
 */
#ifndef TY_FILE_H
#define TY_FILE_H

#include <stdatomic.h>

#include "core/error.h"

typedef struct ty_file {
    char *name; /* for messages */
    int descriptor;
    bool close_descriptor; /* standard input stays open */
    bool regular;          /* has a size, can be placed and mapped */
    const atomic_bool *cancelled; /* ends a wait for a pipe; NULL: never */
    uint64_t offset;       /* of the next byte to be given out */
    uint8_t *buffer;       /* bytes read ahead: buffer[taken] lies at `offset` */
    size_t taken, filled, capacity;
} ty_file;

/* "-" is standard input, always read as a pipe is. Directories are refused. On failure *file is NULL. */
tally_status ty_file_open(const char *path, const atomic_bool *cancelled, ty_file **file, ty_error *error);
void ty_file_close(ty_file *file); /* NULL is allowed */

/* The present size of a regular file. */
tally_status ty_file_size(const ty_file *file, uint64_t *size, ty_error *error);

/* Shows the next `wanted` bytes (at most a few thousand) without taking them; *got is less only at the end of
 * the file. */
tally_status ty_file_peek(ty_file *file, size_t wanted, const uint8_t **bytes, size_t *got, ty_error *error);

/* Shows what comes before the next '\n'. *found is false if the file ends first or `limit` bytes hold none:
 * *length is then what was seen. Takes nothing. Never waits for more of a pipe than the line. */
tally_status ty_file_peek_line(ty_file *file, size_t limit, const char **line, size_t *length, bool *found,
                               ty_error *error);

/* Takes bytes that were shown. */
void ty_file_take(ty_file *file, size_t bytes);

/* Reads `bytes` bytes; *got is less only at the end of the file. */
tally_status ty_file_read(ty_file *file, void *to, size_t bytes, size_t *got, ty_error *error);

/* Passes over `bytes` bytes; *passed is less only at the end of the file. */
tally_status ty_file_skip(ty_file *file, uint64_t bytes, uint64_t *passed, ty_error *error);

/* Regular files only. May lie beyond the end. */
void ty_file_seek(ty_file *file, uint64_t offset);

#endif
