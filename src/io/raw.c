/* Raw YUV: pictures back to back, nothing else. */
#include "io/stored.h"

#include <string.h>

/* Frames can only end where a picture ends. */
static ty_read_result at_end(ty_stored *stored, ty_error *error) {
    const uint8_t *bytes;
    size_t got;
    if (ty_file_peek(stored->file, 1, &bytes, &got, error) != TALLY_OK)
        return TY_READ_ERROR;
    return got == 0 ? TY_READ_END : TY_READ_FRAME;
}

static ty_read_result read_frame(ty_source *source, void *const planes[3], const void *lent[3],
                                 ty_error *error) {
    ty_stored *stored = (ty_stored *)source;
    const ty_read_result next = at_end(stored, error);
    return next == TY_READ_FRAME ? ty_stored_read(stored, planes, lent, error) : next;
}

static ty_read_result skip_frame(ty_source *source, ty_error *error) {
    ty_stored *stored = (ty_stored *)source;
    const ty_read_result next = at_end(stored, error);
    return next == TY_READ_FRAME ? ty_stored_skip(stored, error) : next;
}

static const ty_source_functions functions = {
    .read = read_frame, .skip = skip_frame, .release = ty_stored_release, .close = ty_stored_close};

static tally_status check_not_y4m(ty_file *file, ty_error *error) {
    static const char magic[] = "YUV4MPEG2";
    const size_t length = sizeof magic - 1;
    const uint8_t *bytes;
    size_t got;
    if (ty_file_peek(file, length, &bytes, &got, error) != TALLY_OK)
        return error->status;
    if (got == length && memcmp(bytes, magic, length) == 0)
        return ty_fail(
            error, TALLY_INPUT,
            "%s: is a y4m file, which states its own format, but a raw format was given: leave out the "
            "size, pixel format and bit depth (--size …)",
            file->name);
    if (got == 0)
        return ty_fail(error, TALLY_INPUT, "%s: is empty", file->name);
    return TALLY_OK;
}

static tally_status check_size(ty_stored *raw, ty_error *error) {
    const tally_format *format = &raw->source.info.format;
    const uint64_t bytes = ty_stored_picture_bytes(raw);
    uint64_t size;
    if (!raw->file->regular)
        return TALLY_OK;
    if (ty_file_size(raw->file, &size, error) != TALLY_OK)
        return error->status;
    if (size % bytes != 0)
        return ty_fail(
            error, TALLY_INPUT,
            "%s: its size of %llu bytes is no multiple of the frame size of %llu bytes (%ux%u, %s, %u bits "
            "a sample): %llu frames and %llu bytes. The size or format given is probably wrong, or the "
            "file is cut",
            raw->file->name, (unsigned long long)size, (unsigned long long)bytes, format->width,
            format->height, ty_pixel_format_name(format->pixel_format), format->bit_depth,
            (unsigned long long)(size / bytes), (unsigned long long)(size % bytes));
    raw->source.info.frames = size / bytes;
    return TALLY_OK;
}

tally_status ty_raw_open(ty_file *file, const tally_format *format, ty_lending lending, ty_source **source,
                         ty_error *error) {
    ty_stored *raw = ty_stored_create(file, &functions, error);
    if (!raw)
        return error->status;
    raw->source.info.format = *format;
    if (ty_layout_init(&raw->source.layout, format, file->name, error) != TALLY_OK ||
        check_not_y4m(file, error) != TALLY_OK || check_size(raw, error) != TALLY_OK) {
        ty_stored_close(&raw->source);
        return error->status;
    }
    ty_stored_allow_lending(raw, lending);
    *source = &raw->source;
    return TALLY_OK;
}
