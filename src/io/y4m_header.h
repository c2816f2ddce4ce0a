/* The text lines of a y4m file, parsed without a file. */
#ifndef TY_Y4M_HEADER_H
#define TY_Y4M_HEADER_H

#include "io/source.h"

#define TY_Y4M_LINE_MAX 65536u /* bytes before the '\n', for both kinds of lines; FFmpeg writes long X tags  \
                                */

typedef struct ty_y4m_header {
    tally_format format; /* width and height 1 to 65535; their product is not checked */
    bool alpha;          /* each picture is followed by a plane of the luma's size */
    ty_source_tags tags; /* range and interlacing */
} ty_y4m_header;

/* Parses the header line, given without its '\n'. W and H are required; a missing C is 420; F, A and unknown
 * tags are not looked at. A second W, H, C or I is refused: readers would differ on which counts. Failures
 * are TALLY_INPUT and begin with `name`. */
tally_status ty_y4m_parse_header(const char *line, size_t length, const char *name, ty_y4m_header *header,
                                 ty_error *error);

/* Checks a frame's line, given without its '\n': FRAME, then nothing or a blank and parameters, which are
 * ignored. */
tally_status ty_y4m_parse_frame(const char *line, size_t length, const char *name, uint64_t frame,
                                uint64_t offset, ty_error *error);

#endif
