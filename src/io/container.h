/* Whether a container file was cut. FFmpeg's demuxers end such files quietly, some in the middle of a frame.
 */
#ifndef TY_CONTAINER_H
#define TY_CONTAINER_H

#include "io/file.h"

/* Follows the lengths that Matroska/WebM, MP4/MOV, AVI and MPEG-TS files state about their outermost parts.
 * *wanted is the size that the file should at least have, not above `size` if the file is whole or of another
 * kind. Moves the place in the file, which is regular. */
tally_status ty_container_wanted_size(ty_file *file, uint64_t size, uint64_t *wanted, ty_error *error);

#endif
