#include "io/mapping.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22 /* Linux 5.14; older headers lack the name */
#endif

typedef struct ty_loan {
    uint64_t frame;
    uint64_t begin, end; /* bytes of the file */
    bool released;
} ty_loan;

struct ty_mapping {
    uint8_t *base;
    uint64_t size;
    uint64_t page;
    bool load; /* lent frames are brought into memory first */
    pthread_mutex_t lock; /* over all below */
    ty_loan *loans;       /* in order of `begin`; the first is not released */
    size_t count, capacity;
    uint64_t dropped; /* pages before this byte have left the process's memory */
};

ty_mapping *ty_mapping_create(const ty_file *file, bool load) {
    ty_error ignored = {0};
    uint64_t size;
    const long page = sysconf(_SC_PAGESIZE);
    if (!file->regular || page <= 0 || ty_file_size(file, &size, &ignored) != TALLY_OK || size == 0 ||
        size > SIZE_MAX)
        return NULL;
    ty_mapping *mapping = calloc(1, sizeof *mapping);
    if (!mapping)
        return NULL;
    void *base = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file->descriptor, 0);
    if (base == MAP_FAILED) {
        free(mapping);
        return NULL;
    }
    if (pthread_mutex_init(&mapping->lock, NULL) != 0) {
        munmap(base, (size_t)size);
        free(mapping);
        return NULL;
    }
    mapping->base = base;
    mapping->size = size;
    mapping->page = (uint64_t)page;
    mapping->load = load;
    return mapping;
}

void ty_mapping_destroy(ty_mapping *mapping) {
    if (!mapping)
        return;
    munmap(mapping->base, (size_t)mapping->size);
    pthread_mutex_destroy(&mapping->lock);
    free(mapping->loans);
    free(mapping);
}

/* False if the bytes cannot be brought into memory: a failing disk, or a file cut a moment ago. Reading them
 * then says what is wrong, where touching the mapping would end the process. */
static bool load(const ty_mapping *mapping, uint64_t begin, uint64_t end) {
    const uint64_t first = begin / mapping->page * mapping->page;
    void *const start = mapping->base + first;
    const size_t length = (size_t)(end - first);
#ifdef MADV_POPULATE_READ
    if (madvise(start, length, MADV_POPULATE_READ) == 0)
        return true;
    if (errno != EINVAL)
        return errno == ENOMEM || errno == EAGAIN || errno == EINTR;
#endif
    (void)posix_madvise(start, length, POSIX_MADV_WILLNEED);
    return true;
}

const uint8_t *ty_mapping_lend(ty_mapping *mapping, uint64_t frame, uint64_t begin, uint64_t end) {
    if (end > mapping->size || (mapping->load && !load(mapping, begin, end)))
        return NULL;
    const uint8_t *lent = mapping->base + begin;
    pthread_mutex_lock(&mapping->lock);
    if (mapping->count == mapping->capacity) {
        const size_t capacity = mapping->capacity ? 2 * mapping->capacity : 16;
        ty_loan *larger = realloc(mapping->loans, capacity * sizeof *larger);
        if (larger) {
            mapping->loans = larger;
            mapping->capacity = capacity;
        } else {
            lent = NULL;
        }
    }
    if (lent)
        mapping->loans[mapping->count++] = (ty_loan){.frame = frame, .begin = begin, .end = end};
    pthread_mutex_unlock(&mapping->lock);
    return lent;
}

/* Lets go of the whole pages before `end`: all loans that used them are released. */
static void drop_before(ty_mapping *mapping, uint64_t end) {
    const uint64_t last = end / mapping->page * mapping->page;
    if (last <= mapping->dropped)
        return;
    (void)madvise(mapping->base + mapping->dropped, (size_t)(last - mapping->dropped), MADV_DONTNEED);
    mapping->dropped = last;
}

void ty_mapping_release(ty_mapping *mapping, uint64_t frame) {
    pthread_mutex_lock(&mapping->lock);
    for (size_t i = 0; i < mapping->count; i++)
        if (mapping->loans[i].frame == frame)
            mapping->loans[i].released = true;
    size_t gone = 0;
    while (gone < mapping->count && mapping->loans[gone].released)
        gone++;
    if (gone > 0) {
        drop_before(mapping, mapping->loans[gone - 1].end);
        mapping->count -= gone;
        memmove(mapping->loans, mapping->loans + gone, mapping->count * sizeof *mapping->loans);
    }
    pthread_mutex_unlock(&mapping->lock);
}
