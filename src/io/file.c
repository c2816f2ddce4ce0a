#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_AHEAD 64 /* bytes: enough for most header lines, little to copy when a frame follows */
#define POLL_MILLISECONDS 100
#define READ_MAX ((size_t)1 << 30) /* one system call; some systems refuse more than INT_MAX */

static tally_status read_failed(const ty_file *file, ty_error *error) {
    if (errno == ECANCELED)
        return ty_fail(error, TALLY_CANCELLED, "cancelled");
    return ty_fail(error, TALLY_INPUT, "%s: cannot be read at byte %llu: %s", file->name,
                   (unsigned long long)file->offset, strerror(errno));
}

static tally_status classify(ty_file *file, ty_error *error) {
    struct stat about;
    if (fstat(file->descriptor, &about) != 0)
        return ty_fail(error, TALLY_INPUT, "%s: cannot be examined: %s", file->name, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return ty_fail(error, TALLY_INPUT, "%s: is a directory", file->name);
    file->regular = S_ISREG(about.st_mode) && file->close_descriptor;
#ifdef POSIX_FADV_SEQUENTIAL
    if (file->regular)
        (void)posix_fadvise(file->descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
#ifdef F_SETPIPE_SZ
    if (S_ISFIFO(about.st_mode)) /* fewer switches between writer and reader; may be refused without harm */
        (void)fcntl(file->descriptor, F_SETPIPE_SZ, 1 << 20);
#endif
    return TALLY_OK;
}

tally_status ty_file_open(const char *path, const atomic_bool *cancelled, ty_file **file, ty_error *error) {
    *file = NULL;
    const bool standard_input = strcmp(path, "-") == 0;
    ty_file *opened = calloc(1, sizeof *opened);
    if (!opened)
        return ty_fail_memory(error, "file");
    opened->descriptor = -1;
    opened->cancelled = cancelled;
    opened->name = strdup(standard_input ? "standard input" : path);
    if (!opened->name) {
        ty_file_close(opened);
        return ty_fail_memory(error, "file name");
    }
    if (standard_input) {
        opened->descriptor = STDIN_FILENO;
    } else {
        do
            opened->descriptor = open(path, O_RDONLY | O_CLOEXEC);
        while (opened->descriptor < 0 && errno == EINTR);
        opened->close_descriptor = opened->descriptor >= 0;
        if (opened->descriptor < 0)
            ty_fail(error, TALLY_INPUT, "%s: cannot be opened: %s", opened->name, strerror(errno));
    }
    if (error->status != TALLY_OK || classify(opened, error) != TALLY_OK) {
        ty_file_close(opened);
        return error->status;
    }
    *file = opened;
    return TALLY_OK;
}

void ty_file_close(ty_file *file) {
    if (!file)
        return;
    if (file->close_descriptor)
        close(file->descriptor);
    free(file->buffer);
    free(file->name);
    free(file);
}

tally_status ty_file_size(const ty_file *file, uint64_t *size, ty_error *error) {
    struct stat about;
    if (fstat(file->descriptor, &about) != 0)
        return ty_fail(error, TALLY_INPUT, "%s: cannot be examined: %s", file->name, strerror(errno));
    *size = (uint64_t)about.st_size;
    return TALLY_OK;
}

/* Waits until a pipe has something to read. False with ECANCELED if the run is cancelled meanwhile: a signal handler
 * cannot wake a thread that sleeps in read(). */
static bool wait_for_pipe(const ty_file *file) {
    struct pollfd waiting = {.fd = file->descriptor, .events = POLLIN};
    while (poll(&waiting, 1, POLL_MILLISECONDS) <= 0)
        if (atomic_load(file->cancelled)) {
            errno = ECANCELED;
            return false;
        }
    return true;
}

/* One successful system call: 0 at the end of the file, -1 on failure. `ahead` bytes after `offset` are
 * buffered already. */
static ssize_t read_some(const ty_file *file, void *to, size_t bytes, size_t ahead) {
    const size_t most = bytes < READ_MAX ? bytes : READ_MAX;
    for (;;) {
        if (!file->regular && file->cancelled && !wait_for_pipe(file))
            return -1;
        const ssize_t got = file->regular ? pread(file->descriptor, to, most, (off_t)(file->offset + ahead))
                                          : read(file->descriptor, to, most);
        if (got >= 0 || errno != EINTR)
            return got;
    }
}

/* Makes room for `bytes` buffered bytes, counted from the next one to be given out. */
static tally_status reserve(ty_file *file, size_t bytes, ty_error *error) {
    if (file->capacity - file->taken >= bytes)
        return TALLY_OK;
    if (file->taken > 0) {
        memmove(file->buffer, file->buffer + file->taken, file->filled - file->taken);
        file->filled -= file->taken;
        file->taken = 0;
    }
    if (file->capacity >= bytes)
        return TALLY_OK;
    uint8_t *larger = realloc(file->buffer, bytes);
    if (!larger)
        return ty_fail_memory(error, "read-ahead buffer");
    file->buffer = larger;
    file->capacity = bytes;
    return TALLY_OK;
}

/* Reads ahead with one system call, towards `wanted` buffered bytes. *more is false at the end of the file.
 */
static tally_status fill(ty_file *file, size_t wanted, bool *more, ty_error *error) {
    if (reserve(file, wanted, error) != TALLY_OK)
        return error->status;
    const size_t ahead = file->filled - file->taken;
    const ssize_t got = read_some(file, file->buffer + file->filled, wanted - ahead, ahead);
    if (got < 0)
        return read_failed(file, error);
    file->filled += (size_t)got;
    *more = got > 0;
    return TALLY_OK;
}

tally_status ty_file_peek(ty_file *file, size_t wanted, const uint8_t **bytes, size_t *got, ty_error *error) {
    bool more = true;
    while (more && file->filled - file->taken < wanted)
        if (fill(file, wanted < LOOK_AHEAD ? LOOK_AHEAD : wanted, &more, error) != TALLY_OK)
            return error->status;
    const size_t ahead = file->filled - file->taken;
    *bytes = file->buffer + file->taken;
    *got = ahead < wanted ? ahead : wanted;
    return TALLY_OK;
}

tally_status ty_file_peek_line(ty_file *file, size_t limit, const char **line, size_t *length, bool *found,
                               ty_error *error) {
    bool more = true;
    size_t searched = 0;
    for (;;) {
        const size_t ahead = file->filled - file->taken;
        const size_t within = ahead < limit ? ahead : limit;
        const uint8_t *const start = file->buffer + file->taken;
        const uint8_t *const end =
            within > searched ? memchr(start + searched, '\n', within - searched) : NULL;
        *line = (const char *)start;
        *length = end ? (size_t)(end - start) : within;
        *found = end != NULL;
        if (*found || within == limit || !more)
            return TALLY_OK;
        searched = within;
        const size_t wanted = ahead < LOOK_AHEAD ? LOOK_AHEAD : 2 * ahead;
        if (fill(file, wanted, &more, error) != TALLY_OK)
            return error->status;
    }
}

void ty_file_take(ty_file *file, size_t bytes) {
    file->taken += bytes;
    file->offset += bytes;
    if (file->taken == file->filled)
        file->taken = file->filled = 0;
}

static size_t take_buffered(ty_file *file, void *to, size_t bytes) {
    const size_t ahead = file->filled - file->taken;
    const size_t part = ahead < bytes ? ahead : bytes;
    if (part > 0) {
        memcpy(to, file->buffer + file->taken, part);
        ty_file_take(file, part);
    }
    return part;
}

tally_status ty_file_read(ty_file *file, void *to, size_t bytes, size_t *got, ty_error *error) {
    *got = take_buffered(file, to, bytes);
    while (*got < bytes) {
        const ssize_t part = read_some(file, (uint8_t *)to + *got, bytes - *got, 0);
        if (part < 0)
            return read_failed(file, error);
        if (part == 0)
            break;
        *got += (size_t)part;
        file->offset += (size_t)part;
    }
    return TALLY_OK;
}

static tally_status skip_in_place(ty_file *file, uint64_t bytes, uint64_t *passed, ty_error *error) {
    uint64_t size;
    if (ty_file_size(file, &size, error) != TALLY_OK)
        return error->status;
    const uint64_t left = size > file->offset ? size - file->offset : 0;
    *passed = left < bytes ? left : bytes;
    ty_file_seek(file, file->offset + *passed);
    return TALLY_OK;
}

tally_status ty_file_skip(ty_file *file, uint64_t bytes, uint64_t *passed, ty_error *error) {
    *passed = 0;
    if (file->regular)
        return skip_in_place(file, bytes, passed, error);
    uint8_t sink[16384];
    while (*passed < bytes) {
        const uint64_t left = bytes - *passed;
        size_t got;
        if (ty_file_read(file, sink, left < sizeof sink ? (size_t)left : sizeof sink, &got, error) !=
            TALLY_OK)
            return error->status;
        if (got == 0)
            break;
        *passed += got;
    }
    return TALLY_OK;
}

void ty_file_seek(ty_file *file, uint64_t offset) {
    file->taken = file->filled = 0;
    file->offset = offset;
}
