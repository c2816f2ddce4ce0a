#include "io/container.h"

#include <string.h>

#define HEAD 16 /* bytes: the longest head of a part, and enough to tell the kinds of files apart */
#define UNKNOWN UINT64_MAX

typedef struct ty_part {
    uint64_t head;    /* bytes before the content; 0: this is no part, stop */
    uint64_t content; /* bytes, or UNKNOWN: the parts within follow as if they were outermost */
} ty_part;

/* Reads the head of a part of which `got` bytes are there; the rest of `bytes` is zero. */
typedef ty_part (*ty_read_part)(const uint8_t bytes[HEAD], size_t got);

static uint64_t big_endian(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* ---- Matroska and WebM: an id, a length of 1 to 8 bytes whose first set bit says how many; all ones is
 * unknown ---- */

static int ebml_length(uint8_t first) {
    int length = 1;
    while (length <= 8 && !(first & 0x80 >> (length - 1)))
        length++;
    return length; /* 9: not valid */
}

static ty_part matroska_part(const uint8_t bytes[HEAD], size_t got) {
    const int id = ebml_length(bytes[0]);
    if (id > 4)
        return (ty_part){0, 0};
    const int length = ebml_length(bytes[id]);
    if ((size_t)id >= got || length > 8)
        return (ty_part){0, 0};
    const uint64_t all_ones = (UINT64_C(1) << 7 * length) - 1;
    const uint64_t content = big_endian(bytes + id, length) & all_ones;
    return (ty_part){(uint64_t)(id + length), content == all_ones ? UNKNOWN : content};
}

/* ---- MP4 and MOV: a length of 4 bytes, a name of 4, and for a length of 1 a length of 8; 0 is up to the end
 * ---- */

static ty_part mp4_part(const uint8_t bytes[HEAD], size_t got) {
    const uint64_t length = big_endian(bytes, 4);
    if (got < 8 || length == 0)
        return (ty_part){0, 0};
    for (int i = 4; i < 8; i++)
        if (bytes[i] < 0x20 || (bytes[i] > 0x7e && bytes[i] != 0xa9))
            return (ty_part){0, 0};
    if (length == 1) {
        const uint64_t longer = big_endian(bytes + 8, 8);
        return longer < 16 ? (ty_part){0, 0} : (ty_part){16, longer - 16};
    }
    return length < 8 ? (ty_part){0, 0} : (ty_part){8, length - 8};
}

/* ---- AVI: RIFF, a length of 4 bytes, low byte first; writers that could not go back leave 0 or all ones
 * ---- */

static ty_part avi_part(const uint8_t bytes[HEAD], size_t got) {
    const uint64_t length =
        bytes[4] | (uint64_t)bytes[5] << 8 | (uint64_t)bytes[6] << 16 | (uint64_t)bytes[7] << 24;
    if (got < 8 || memcmp(bytes, "RIFF", 4) != 0 || length == 0 || length == UINT32_MAX)
        return (ty_part){0, 0};
    return (ty_part){8, length};
}

static ty_read_part kind_of(const uint8_t bytes[HEAD]) {
    static const char mp4_names[][5] = {"ftyp", "moov", "mdat", "wide", "free", "skip", "styp"};
    if (memcmp(bytes, "\x1a\x45\xdf\xa3", 4) == 0)
        return matroska_part;
    if (memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "AVI ", 4) == 0)
        return avi_part;
    for (size_t i = 0; i < sizeof mp4_names / sizeof mp4_names[0]; i++)
        if (memcmp(bytes + 4, mp4_names[i], 4) == 0)
            return mp4_part;
    return NULL;
}

static tally_status read_head(ty_file *file, uint64_t offset, uint8_t bytes[HEAD], size_t *got,
                              ty_error *error) {
    const uint8_t *seen;
    memset(bytes, 0, HEAD);
    ty_file_seek(file, offset);
    if (ty_file_peek(file, HEAD, &seen, got, error) != TALLY_OK)
        return error->status;
    if (*got > 0)
        memcpy(bytes, seen, *got);
    return TALLY_OK;
}

/* MPEG transport streams: packets of 188 bytes that begin with 0x47. */
static tally_status transport_wanted_size(ty_file *file, uint64_t size, uint64_t *wanted, ty_error *error) {
    const uint64_t packet = 188;
    uint8_t bytes[HEAD];
    size_t got;
    for (uint64_t i = 1; i < 4; i++)
        if (read_head(file, i * packet, bytes, &got, error) != TALLY_OK)
            return error->status;
        else if (got == 0 || bytes[0] != 0x47)
            return TALLY_OK;
    *wanted = (size + packet - 1) / packet * packet;
    return TALLY_OK;
}

tally_status ty_container_wanted_size(ty_file *file, uint64_t size, uint64_t *wanted, ty_error *error) {
    uint8_t bytes[HEAD];
    size_t got;
    uint64_t offset = 0;
    *wanted = 0;
    if (read_head(file, 0, bytes, &got, error) != TALLY_OK)
        return error->status;
    const ty_read_part read_part = kind_of(bytes);
    if (!read_part && bytes[0] == 0x47)
        return transport_wanted_size(file, size, wanted, error);
    while (read_part && offset < size) {
        if (read_head(file, offset, bytes, &got, error) != TALLY_OK)
            return error->status;
        const ty_part part = read_part(bytes, got);
        if (part.head == 0)
            return TALLY_OK;
        offset += part.head;
        if (part.content == UNKNOWN)
            continue;
        if (part.content > UINT64_MAX / 2)
            return TALLY_OK;
        offset += part.content;
        *wanted = offset;
    }
    return TALLY_OK;
}
