/* The checksums of FFV1 slices. FFmpeg's decoder checks them too, but hides a damaged slice behind the frame
 * before. */
#ifndef TY_FFV1_H
#define TY_FFV1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of one stream; begins zeroed. Whether slices have checksums is not said where it is easy to
 * read, so it is learnt from the first packet that can be cut into slices in one of the two ways only. */
typedef struct ty_ffv1_checker {
    enum { TY_FFV1_UNKNOWN, TY_FFV1_PLAIN, TY_FFV1_CHECKSUMS } kind;
} ty_ffv1_checker;

/* For streams of version 3 or later: those with extradata. False if the packet is damaged. */
bool ty_ffv1_check(ty_ffv1_checker *checker, const uint8_t *packet, size_t size);

#endif
