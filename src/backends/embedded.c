#include "backends/embedded.h"

#include <string.h>

const ty_embedded *ty_embedded_find(const ty_embedded *list, const char *room, unsigned sample_bits) {
    for (const ty_embedded *e = list; e->room; e++)
        if (strcmp(e->room, room) == 0 && (e->sample_bits == 0 || e->sample_bits == sample_bits))
            return e;
    return NULL;
}
