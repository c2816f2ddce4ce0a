#include "backends/opencl/cache.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sha256.h"

#define PATH_SIZE 4096
#define DIGEST_SIZE 64 /* hex digits of the contents' SHA-256, before the contents */
#define LARGEST ((long)1 << 30)

/* $XDG_CACHE_HOME/tally, else ~/.cache/tally. */
static bool folder(char path[PATH_SIZE], bool make) {
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool given = base && base[0] == '/';
    if (!given && (!home || home[0] != '/'))
        return false;
    const int length =
        given ? snprintf(path, PATH_SIZE, "%s", base) : snprintf(path, PATH_SIZE, "%s/.cache", home);
    if (length < 0 || length > PATH_SIZE - 200)
        return false;
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
        return false;
    strcat(path, "/tally");
    return !make || mkdir(path, 0700) == 0 || errno == EEXIST;
}

static void digest_of(const void *data, size_t size, char hex[65]) {
    ty_sha256 sha;
    ty_sha256_start(&sha);
    ty_sha256_add(&sha, data, size);
    ty_sha256_finish(&sha, hex);
}

static char *read_whole(FILE *file, size_t *size) {
    if (fseek(file, 0, SEEK_END) != 0)
        return NULL;
    const long length = ftell(file);
    if (length <= DIGEST_SIZE || length > LARGEST || fseek(file, 0, SEEK_SET) != 0)
        return NULL;
    char *data = malloc((size_t)length);
    if (data && fread(data, 1, (size_t)length, file) != (size_t)length) {
        free(data);
        return NULL;
    }
    *size = (size_t)length;
    return data;
}

void *ty_cache_read(const char key[65], size_t *size) {
    char path[PATH_SIZE], digest[65];
    if (!folder(path, false))
        return NULL;
    strcat(strcat(path, "/opencl-"), key);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *data = read_whole(file, size);
    fclose(file);
    if (!data)
        return NULL;
    *size -= DIGEST_SIZE;
    digest_of(data + DIGEST_SIZE, *size, digest);
    if (memcmp(digest, data, DIGEST_SIZE) != 0) {
        free(data);
        return NULL;
    }
    memmove(data, data + DIGEST_SIZE, *size);
    return data;
}

void ty_cache_write(const char key[65], const void *data, size_t size) {
    char path[PATH_SIZE], temporary[PATH_SIZE + 8], digest[65];
    if (!folder(path, true))
        return;
    strcat(strcat(path, "/opencl-"), key);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int descriptor = mkstemp(temporary);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!file)
        return;
    digest_of(data, size, digest);
    const bool written = fwrite(digest, 1, DIGEST_SIZE, file) == DIGEST_SIZE && fwrite(data, 1, size, file) == size;
    if (fclose(file) != 0 || !written || rename(temporary, path) != 0)
        unlink(temporary);
}
