#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_NAMES 100

static tally_status fail(const ty_output *output, int cause, ty_error *error) {
    return ty_fail(error, TALLY_INPUT, "%s: cannot be written: %s",
                   output->file == stdout ? "standard output" : output->path, strerror(cause ? cause : EIO));
}

/* Creates ".tally-PID-N.tmp" beside the target: short, so that it fits wherever the target's own name does.
 * Not mkstemp(), which would keep the report from everyone but its owner whatever the umask says. */
static int create_temporary(ty_output *output) {
    const char *const slash = strrchr(output->target, '/');
    const int directory = slash ? (int)(slash + 1 - output->target) : 0;
    const size_t size = (size_t)directory + 64;
    output->temporary = malloc(size);
    int fd = -1;
    for (int n = 0; output->temporary && fd < 0 && n < TEMPORARY_NAMES; n++) {
        snprintf(output->temporary, size, "%.*s.tally-%ld-%d.tmp", directory, output->target, (long)getpid(),
                 n);
        fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* A report that replaces an older one keeps its permissions. */
static int open_descriptor(ty_output *output) {
    struct stat old;
    const bool exists = stat(output->path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        return open(output->path, O_WRONLY | O_CLOEXEC);
    output->target = exists ? realpath(output->path, NULL) : strdup(output->path);
    if (!output->target)
        return -1;
    const int fd = create_temporary(output);
    if (fd >= 0 && exists && fchmod(fd, old.st_mode & 07777) != 0)
        errno = 0; /* a file system without permissions */
    return fd;
}

static void release(ty_output *output, bool unlinking) {
    if (unlinking && output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    *output = (ty_output){0};
}

tally_status ty_output_open(ty_output *output, const char *path, ty_error *error) {
    *output = (ty_output){.path = path};
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
        errno = 0;
        return TALLY_OK;
    }
    const int fd = open_descriptor(output);
    output->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!output->file) {
        const tally_status status = fail(output, errno, error);
        if (fd >= 0)
            close(fd);
        release(output, fd >= 0);
        return status;
    }
    errno = 0; /* so that it tells why a write failed, if one does */
    return TALLY_OK;
}

/* Returns what went wrong since the file was opened, as an errno value, or 0. */
static int flush_and_close(FILE *file) {
    int cause = ferror(file) ? (errno ? errno : EIO) : 0;
    if (fflush(file) != 0 && !cause)
        cause = errno;
    if (file != stdout && fclose(file) != 0 && !cause)
        cause = errno;
    return cause;
}

tally_status ty_output_close(ty_output *output, ty_error *error) {
    const int cause = flush_and_close(output->file);
    tally_status status = cause ? fail(output, cause, error) : TALLY_OK;
    bool placed = false;
    if (!cause && output->temporary) {
        placed = rename(output->temporary, output->target) == 0;
        if (!placed)
            status = fail(output, errno, error);
    }
    release(output, !placed);
    return status;
}
