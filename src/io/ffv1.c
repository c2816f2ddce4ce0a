#include "io/ffv1.h"

#include <libavutil/crc.h>

/* Each slice ends in its length (3 bytes, without this trailer) and, in streams with checksums, a status byte
 * and a checksum of 4 bytes that makes the checksum of the whole slice zero. Slices are found from the
 * packet's end. */
#define PLAIN_TRAILER 3
#define CHECKSUM_TRAILER 8

/* The length of the slice that ends where the packet does, with its trailer; 0 if it does not fit. */
static size_t last_slice(const uint8_t *packet, size_t size, size_t trailer_bytes) {
    if (size < trailer_bytes)
        return 0;
    const uint8_t *trailer = packet + size - trailer_bytes;
    const size_t slice = trailer_bytes + ((size_t)trailer[0] << 16 | (size_t)trailer[1] << 8 | trailer[2]);
    return slice <= size ? slice : 0;
}

static bool can_be_cut(const uint8_t *packet, size_t size, size_t trailer_bytes) {
    while (size > 0) {
        const size_t slice = last_slice(packet, size, trailer_bytes);
        if (slice == 0)
            return false;
        size -= slice;
    }
    return true;
}

static bool checksums_are_right(const uint8_t *packet, size_t size) {
    const AVCRC *table = av_crc_get_table(AV_CRC_32_IEEE);
    while (size > 0) {
        const size_t slice = last_slice(packet, size, CHECKSUM_TRAILER);
        if (slice == 0 || av_crc(table, 0, packet + size - slice, slice) != 0)
            return false;
        size -= slice;
    }
    return true;
}

bool ty_ffv1_check(ty_ffv1_checker *checker, const uint8_t *packet, size_t size) {
    if (checker->kind == TY_FFV1_UNKNOWN) {
        const bool plain = can_be_cut(packet, size, PLAIN_TRAILER);
        const bool with_checksums = can_be_cut(packet, size, CHECKSUM_TRAILER);
        if (!plain && !with_checksums)
            return false;
        if (plain != with_checksums)
            checker->kind = plain ? TY_FFV1_PLAIN : TY_FFV1_CHECKSUMS;
    }
    if (checker->kind == TY_FFV1_CHECKSUMS)
        return checksums_are_right(packet, size);
    return checker->kind == TY_FFV1_UNKNOWN || can_be_cut(packet, size, PLAIN_TRAILER);
}
