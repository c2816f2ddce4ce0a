/* A driver's library, opened at run time: Tally runs on machines with and without it. */
#ifndef TY_LIBRARY_H
#define TY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* One function of the library and where its address goes. */
typedef struct ty_library_symbol {
    const char *name; /* NULL ends a list */
    void *address;    /* a function pointer's address */
} ty_library_symbol;

/* Opens the library and finds every symbol. On failure says why in one line. The library stays open for good: drivers do
 * not take well to being unloaded. */
bool ty_library_open(const char *file, const ty_library_symbol *symbols, char *reason, size_t reason_size);

#endif
