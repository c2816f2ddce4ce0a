#include "io/stored.h"

#include <stdlib.h>

/* Files hold 16-bit samples with the low byte first. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const bool swap_bytes = true;
#else
static const bool swap_bytes = false;
#endif

ty_stored *ty_stored_create(ty_file *file, const ty_source_functions *functions, ty_error *error) {
    ty_stored *stored = calloc(1, sizeof *stored);
    if (!stored) {
        ty_file_close(file);
        ty_fail_memory(error, "source");
        return NULL;
    }
    stored->source.functions = functions;
    stored->file = file;
    return stored;
}

void ty_stored_allow_lending(ty_stored *stored, ty_lending lending) {
    if (lending != TY_COPY && (stored->source.layout.sample_bytes == 1 || !swap_bytes))
        stored->mapping = ty_mapping_create(stored->file, lending == TY_LEND);
}

uint64_t ty_stored_picture_bytes(const ty_stored *stored) {
    return stored->source.layout.picture_bytes + stored->alpha_bytes;
}

static ty_read_result cut(const ty_stored *stored, uint64_t begin, uint64_t end, ty_error *error) {
    const unsigned long long bytes = ty_stored_picture_bytes(stored), first = begin, last = end;
    ty_fail(error, TALLY_INPUT,
            "%s: frame %llu is not whole: the file ends at byte %llu, after %llu of the %llu bytes of the "
            "picture that begins at byte %llu",
            stored->file->name, (unsigned long long)stored->source.next_frame, last, last - first, bytes,
            first);
    return TY_READ_ERROR;
}

/* Whether the file is still long enough. Files that are mapped must be asked before they are touched. */
static ty_read_result check_whole(const ty_stored *stored, ty_error *error) {
    const uint64_t begin = stored->file->offset;
    uint64_t size;
    if (ty_file_size(stored->file, &size, error) != TALLY_OK)
        return TY_READ_ERROR;
    if (size < begin + ty_stored_picture_bytes(stored))
        return cut(stored, begin, size > begin ? size : begin, error);
    return TY_READ_FRAME;
}

/* True if the picture at the file's place was lent. */
static bool lend(ty_stored *stored, const void *lent[3]) {
    const ty_layout *layout = &stored->source.layout;
    const uint64_t begin = stored->file->offset;
    if (begin % layout->sample_bytes != 0)
        return false;
    const uint8_t *at =
        ty_mapping_lend(stored->mapping, stored->source.next_frame, begin, begin + layout->picture_bytes);
    if (!at)
        return false;
    for (uint32_t p = 0; p < layout->planes; p++) {
        lent[p] = at;
        at += layout->plane_bytes[p];
    }
    ty_file_seek(stored->file, begin + ty_stored_picture_bytes(stored));
    return true;
}

static void swap_samples(void *plane, size_t bytes) {
    uint16_t *samples = plane;
    for (size_t i = 0; i < bytes / 2; i++)
        samples[i] = (uint16_t)(samples[i] << 8 | samples[i] >> 8);
}

/* The rest of a picture that began at `begin` and is not wanted. */
static ty_read_result pass(ty_stored *stored, uint64_t begin, uint64_t bytes, ty_error *error) {
    uint64_t passed = 0;
    if (bytes > 0 && ty_file_skip(stored->file, bytes, &passed, error) != TALLY_OK)
        return TY_READ_ERROR;
    return passed < bytes ? cut(stored, begin, stored->file->offset, error) : TY_READ_FRAME;
}

static ty_read_result copy(ty_stored *stored, void *const planes[3], ty_error *error) {
    const ty_layout *layout = &stored->source.layout;
    const uint64_t begin = stored->file->offset;
    for (uint32_t p = 0; p < layout->planes; p++) {
        size_t got;
        if (ty_file_read(stored->file, planes[p], layout->plane_bytes[p], &got, error) != TALLY_OK)
            return TY_READ_ERROR;
        if (got < layout->plane_bytes[p])
            return cut(stored, begin, stored->file->offset, error);
        if (swap_bytes && layout->sample_bytes == 2)
            swap_samples(planes[p], layout->plane_bytes[p]);
    }
    return pass(stored, begin, stored->alpha_bytes, error);
}

ty_read_result ty_stored_read(ty_stored *stored, void *const planes[3], const void *lent[3],
                              ty_error *error) {
    if (stored->mapping && lent) {
        if (check_whole(stored, error) == TY_READ_ERROR)
            return TY_READ_ERROR;
        if (lend(stored, lent))
            return TY_READ_FRAME;
    }
    return copy(stored, planes, error);
}

ty_read_result ty_stored_skip(ty_stored *stored, ty_error *error) {
    return pass(stored, stored->file->offset, ty_stored_picture_bytes(stored), error);
}

void ty_stored_release(ty_source *source, uint64_t frame) {
    ty_stored *stored = (ty_stored *)source;
    if (stored->mapping)
        ty_mapping_release(stored->mapping, frame);
}

void ty_stored_close(ty_source *source) {
    ty_stored *stored = (ty_stored *)source;
    ty_mapping_destroy(stored->mapping);
    ty_file_close(stored->file);
    free(stored);
}
