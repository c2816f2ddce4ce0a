/* CPU levels: the instruction sets that kernels are compiled for. */
#ifndef TY_LEVELS_H
#define TY_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/cpu_kernel.h"

typedef struct ty_room_kernels {
    const char *room; /* NULL ends a list */
    const ty_cpu_kernel *for_bits[2]; /* samples of 8 and of 16 bits */
} ty_room_kernels;

typedef struct ty_level {
    const char *name;
    const ty_room_kernels *rooms;
    bool (*usable)(void);
} ty_level;

/* The levels of this build, worst first; the first is "scalar". NULL name at the end. */
extern const ty_level ty_levels[];

/* A level by name; "auto" and NULL: the best usable one. NULL if there is none of that name. */
const ty_level *ty_level_find(const char *name);

/* A kernel of a room, or NULL. */
const ty_cpu_kernel *ty_level_kernel(const ty_level *level, const char *room, const char *kernel, unsigned sample_bits);

#endif
