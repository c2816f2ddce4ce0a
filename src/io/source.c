#include "io/source_internal.h"

#include <stdlib.h>
#include <string.h>

static tally_status open_by_content(ty_file *file, ty_lending lending, ty_source **source, ty_error *error) {
    static const char magic[] = "YUV4MPEG";
    const size_t length = sizeof magic - 1;
    const uint8_t *bytes;
    size_t got;
    if (ty_file_peek(file, length, &bytes, &got, error) != TALLY_OK) {
        ty_file_close(file);
        return error->status;
    }
    if (got == 0) {
        ty_fail(error, TALLY_INPUT, "%s: is empty", file->name);
        ty_file_close(file);
        return error->status;
    }
    if (got == length && memcmp(bytes, magic, length) == 0)
        return ty_y4m_open(file, lending, source, error);
    return ty_libav_open(file, source, error);
}

tally_status ty_source_open(const char *path, const tally_format *raw, ty_lending lending, const atomic_bool *cancelled,
                            ty_source **source, ty_error *error) {
    *source = NULL;
    char *copy = strdup(path);
    if (!copy)
        return ty_fail_memory(error, "path");
    ty_file *file;
    tally_status status = ty_file_open(path, cancelled, &file, error);
    if (status == TALLY_OK)
        status = raw && raw->width ? ty_raw_open(file, raw, lending, source, error)
                                   : open_by_content(file, lending, source, error);
    if (status != TALLY_OK) {
        *source = NULL;
        free(copy);
        return status;
    }
    (*source)->path = copy;
    (*source)->info.path = copy;
    return TALLY_OK;
}

tally_status ty_source_set_format(ty_source *source, const tally_format *format, const char *name,
                                  ty_error *error) {
    ty_error reason = {0};
    if (ty_layout_init(&source->layout, format, name, &reason) != TALLY_OK)
        return ty_fail(error, TALLY_INPUT, "%s", reason.text);
    source->info.format = *format;
    return TALLY_OK;
}

const ty_source_info *ty_source_describe(const ty_source *source) {
    return &source->info;
}

/* Numbers the frames and makes failures final: after one, a y4m's place in the file is unknown. */
static ty_read_result finish(ty_source *source, ty_read_result result, ty_error *error) {
    if (result == TY_READ_FRAME)
        source->next_frame++;
    if (result == TY_READ_ERROR)
        ty_fail(error, source->failure.status, "%s", source->failure.text);
    return result;
}

ty_read_result ty_source_read(ty_source *source, void *const planes[3], const void *lent[3],
                              ty_error *error) {
    if (lent)
        lent[0] = lent[1] = lent[2] = NULL;
    if (source->failure.status != TALLY_OK)
        return finish(source, TY_READ_ERROR, error);
    return finish(source, source->functions->read(source, planes, lent, &source->failure), error);
}

ty_read_result ty_source_skip(ty_source *source, ty_error *error) {
    if (source->failure.status != TALLY_OK)
        return finish(source, TY_READ_ERROR, error);
    return finish(source, source->functions->skip(source, &source->failure), error);
}

void ty_source_release(ty_source *source, uint64_t frame) {
    if (source->functions->release)
        source->functions->release(source, frame);
}

void ty_source_close(ty_source *source) {
    if (!source)
        return;
    char *path = source->path;
    source->functions->close(source);
    free(path);
}
