/* Kernels that the build put into the library: text for drivers that compile, code for those that load. */
#ifndef TY_EMBEDDED_H
#define TY_EMBEDDED_H

#include <stddef.h>

typedef struct ty_embedded {
    const char *room;     /* NULL ends a list */
    unsigned sample_bits; /* 8 or 16; 0: serves both */
    const void *data;     /* text ends with a zero that is not counted in size */
    size_t size;
} ty_embedded;

extern const ty_embedded ty_opencl_texts[];
extern const ty_embedded ty_cuda_codes[]; /* fatbins; empty if the build had no nvcc */
extern const ty_embedded ty_hip_codes[];  /* code object bundles; empty if the build had no hipcc */

/* A room's entry, or NULL. */
const ty_embedded *ty_embedded_find(const ty_embedded *list, const char *room, unsigned sample_bits);

#endif
