#include "backends/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool ty_library_open(const char *file, const ty_library_symbol *symbols, char *reason, size_t reason_size) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(reason, reason_size, "%s", dlerror());
        return false;
    }
    for (const ty_library_symbol *s = symbols; s->name; s++) {
        void *found = dlsym(library, s->name);
        if (!found) {
            snprintf(reason, reason_size, "%s has no function %s", file, s->name);
            dlclose(library);
            return false;
        }
        memcpy(s->address, &found, sizeof found);
    }
    return true;
}
