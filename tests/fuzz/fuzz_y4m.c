/* libFuzzer target: any bytes as a y4m file, read lent, copied and through a pipe, which must agree.
 *
 * clang -g -O1 -fsanitize=fuzzer,address,undefined -std=c11 -D_GNU_SOURCE -Iinclude -Isrc
 * tests/fuzz/fuzz_y4m.c src/io/{file,mapping,raw,source,stored,y4m,y4m_header,no_libav}.c
 * src/core/{error,layout}.c -lpthread
 */
#include "core/layout.h"
#include "io/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

#define PIPE_MAX 65536        /* fits into a pipe at once, so that no thread is needed to feed it */
#define PICTURE_MAX (1 << 24) /* a pipe can promise any size; the caller would have to allocate it */

typedef struct outcome {
    tally_status opened;
    ty_read_result end;
    uint64_t frames;
    uint64_t sum; /* over all samples, in order */
} outcome;

static uint64_t add_plane(uint64_t sum, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(1099511628211);
    return sum;
}

static void read_frames(ty_source *source, bool lend, outcome *result, ty_error *error) {
    ty_layout layout;
    ty_error none = {0};
    void *planes[3] = {0};
    const void *lent[3];
    CHECK(ty_layout_init(&layout, &ty_source_describe(source)->format, "fuzz", &none) == TALLY_OK);
    if (layout.picture_bytes > PICTURE_MAX)
        return;
    for (uint32_t p = 0; p < layout.planes; p++)
        CHECK((planes[p] = malloc(layout.plane_bytes[p])) != NULL);
    while ((result->end = ty_source_read(source, planes, lent, error)) == TY_READ_FRAME) {
        CHECK(lend || !lent[0]);
        for (uint32_t p = 0; p < layout.planes; p++)
            result->sum = add_plane(result->sum, lent[0] ? lent[p] : planes[p], layout.plane_bytes[p]);
        if (result->frames % 3 != 2)
            ty_source_release(source, result->frames);
        result->frames++;
    }
    for (uint32_t p = 0; p < layout.planes; p++)
        free(planes[p]);
}

static outcome read_path(const char *path, bool lend) {
    outcome result = {.end = TY_READ_ERROR};
    ty_error error = {0};
    ty_source *source;
    result.opened = ty_source_open(path, NULL, lend, NULL, &source, &error);
    CHECK((result.opened == TALLY_OK) == (source != NULL));
    CHECK(result.opened == TALLY_OK || result.opened == TALLY_INPUT);
    if (source) {
        read_frames(source, lend, &result, &error);
        ty_source_close(source);
    }
    CHECK(memchr(error.text, 0, sizeof error.text) != NULL);
    return result;
}

static outcome read_pipe(const uint8_t *data, size_t size) {
    int ends[2];
    char path[40];
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], data, size) == (ssize_t)size);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    const outcome result = read_path(path, true);
    close(ends[0]);
    return result;
}

static void check_agreement(const outcome *a, const outcome *b) {
    CHECK(a->opened == b->opened);
    CHECK(a->end == b->end);
    CHECK(a->frames == b->frames);
    CHECK(a->sum == b->sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[40];
    const int descriptor = memfd_create("fuzz", 0);
    CHECK(descriptor >= 0);
    CHECK(write(descriptor, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    const outcome lent = read_path(path, true);
    const outcome copied = read_path(path, false);
    check_agreement(&lent, &copied);
    if (size > 0 && size <= PIPE_MAX) {
        const outcome piped = read_pipe(data, size);
        if (copied.opened == TALLY_OK)
            check_agreement(&copied, &piped);
    }
    close(descriptor);
    return 0;
}
