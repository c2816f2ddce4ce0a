/* Compiled programs on disk, so that only a machine's first run waits for its driver's compiler. */
#ifndef TY_OPENCL_CACHE_H
#define TY_OPENCL_CACHE_H

#include <stddef.h>

/* The bytes stored under a key (64 hex digits), to be freed by the caller; NULL if there are none or they are damaged. */
void *ty_cache_read(const char key[65], size_t *size);

/* Stores bytes under a key, replacing what is there at once. Does nothing if no cache folder can be had. */
void ty_cache_write(const char key[65], const void *data, size_t size);

#endif
