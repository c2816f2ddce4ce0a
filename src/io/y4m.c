/* YUV4MPEG2: a header line, then for each frame a line that begins with FRAME, and the picture. */
#include "io/stored.h"
#include "io/y4m_header.h"

static tally_status read_header(ty_file *file, ty_y4m_header *header, ty_error *error) {
    const char *line;
    size_t length;
    bool found;
    if (ty_file_peek_line(file, TY_Y4M_LINE_MAX + 1, &line, &length, &found, error) != TALLY_OK)
        return error->status;
    if (!found && length > TY_Y4M_LINE_MAX)
        return ty_fail(error, TALLY_INPUT, "%s: the y4m header is longer than %u bytes", file->name,
                       TY_Y4M_LINE_MAX);
    if (!found)
        return ty_fail(error, TALLY_INPUT, "%s: the file ends at byte %llu, inside the y4m header",
                       file->name, (unsigned long long)(file->offset + length));
    if (ty_y4m_parse_header(line, length, file->name, header, error) != TALLY_OK)
        return error->status;
    ty_file_take(file, length + 1);
    return TALLY_OK;
}

/* The file ends, or goes on without a line end, after `length` bytes of what should be a frame's line. */
static ty_read_result bad_frame_line(const ty_stored *y4m, const char *line, size_t length, ty_error *error) {
    const char *const name = y4m->file->name;
    const unsigned long long frame = y4m->source.next_frame, offset = y4m->file->offset;
    static const char marker[] = "FRAME";
    size_t same = 0;
    while (same < length && same < 5 && line[same] == marker[same])
        same++;
    if (same < length && same < 5)
        ty_y4m_parse_frame(line, length, name, frame, offset, error);
    else if (length > TY_Y4M_LINE_MAX)
        ty_fail(error, TALLY_INPUT, "%s: frame %llu: the frame header at byte %llu is longer than %u bytes",
                name, frame, offset, TY_Y4M_LINE_MAX);
    else
        ty_fail(error, TALLY_INPUT,
                "%s: frame %llu is not whole: the file ends at byte %llu, inside the frame header that "
                "begins at byte %llu",
                name, frame, offset + length, offset);
    return TY_READ_ERROR;
}

/* Reads up to the picture. */
static ty_read_result read_frame_line(ty_stored *y4m, ty_error *error) {
    ty_file *file = y4m->file;
    const char *line;
    const uint8_t *bytes;
    size_t length;
    bool found;
    /* Only what begins like a frame is searched for a line end, so that damage shows at once. */
    if (ty_file_peek(file, 6, &bytes, &length, error) != TALLY_OK)
        return TY_READ_ERROR;
    if (length == 0)
        return TY_READ_END;
    if (length < 6)
        return bad_frame_line(y4m, (const char *)bytes, length, error);
    if (bytes[5] != '\n' && ty_y4m_parse_frame((const char *)bytes, 6, file->name, y4m->source.next_frame,
                                               file->offset, error) != TALLY_OK)
        return TY_READ_ERROR;
    if (ty_file_peek_line(file, TY_Y4M_LINE_MAX + 1, &line, &length, &found, error) != TALLY_OK)
        return TY_READ_ERROR;
    if (!found)
        return bad_frame_line(y4m, line, length, error);
    if (ty_y4m_parse_frame(line, length, file->name, y4m->source.next_frame, file->offset, error) != TALLY_OK)
        return TY_READ_ERROR;
    ty_file_take(file, length + 1);
    return TY_READ_FRAME;
}

static ty_read_result read_frame(ty_source *source, void *const planes[3], const void *lent[3],
                                 ty_error *error) {
    ty_stored *y4m = (ty_stored *)source;
    const ty_read_result next = read_frame_line(y4m, error);
    return next == TY_READ_FRAME ? ty_stored_read(y4m, planes, lent, error) : next;
}

static ty_read_result skip_frame(ty_source *source, ty_error *error) {
    ty_stored *y4m = (ty_stored *)source;
    const ty_read_result next = read_frame_line(y4m, error);
    return next == TY_READ_FRAME ? ty_stored_skip(y4m, error) : next;
}

static const ty_source_functions functions = {
    .read = read_frame, .skip = skip_frame, .release = ty_stored_release, .close = ty_stored_close};

/* Compares what the header promises with the file's size, before anyone allocates memory for a picture. */
static tally_status check_size(ty_stored *y4m, ty_error *error) {
    const uint64_t frame_bytes = 6 + ty_stored_picture_bytes(y4m); /* with a bare "FRAME\n" */
    const tally_format *format = &y4m->source.info.format;
    uint64_t size;
    if (!y4m->file->regular)
        return TALLY_OK;
    if (ty_file_size(y4m->file, &size, error) != TALLY_OK)
        return error->status;
    const uint64_t left = size > y4m->file->offset ? size - y4m->file->offset : 0;
    if (left == 0)
        return ty_fail(error, TALLY_INPUT, "%s: holds a y4m header but no frames", y4m->file->name);
    if (left < frame_bytes)
        return ty_fail(
            error, TALLY_INPUT,
            "%s: frame 0 is not whole: the file ends at byte %llu, after %llu of the %llu bytes of a frame "
            "of %ux%u that begins at byte %llu",
            y4m->file->name, (unsigned long long)size, (unsigned long long)left,
            (unsigned long long)frame_bytes, format->width, format->height,
            (unsigned long long)y4m->file->offset);
    if (left % frame_bytes == 0)
        y4m->source.info.frames = left / frame_bytes;
    return TALLY_OK;
}

tally_status ty_y4m_open(ty_file *file, ty_lending lending, ty_source **source, ty_error *error) {
    ty_stored *y4m = ty_stored_create(file, &functions, error);
    if (!y4m)
        return error->status;
    ty_y4m_header header;
    if (read_header(file, &header, error) == TALLY_OK &&
        ty_source_set_format(&y4m->source, &header.format, file->name, error) == TALLY_OK) {
        y4m->source.info.tags = header.tags;
        y4m->alpha_bytes = header.alpha ? y4m->source.layout.plane_bytes[0] : 0;
        check_size(y4m, error);
    }
    if (error->status != TALLY_OK) {
        ty_stored_close(&y4m->source);
        return error->status;
    }
    ty_stored_allow_lending(y4m, lending);
    *source = &y4m->source;
    return TALLY_OK;
}
