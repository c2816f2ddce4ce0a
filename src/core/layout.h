/* How a picture lies in memory, everywhere inside Tally: as in a y4m file, planes back to back without padding. */
#ifndef TY_LAYOUT_H
#define TY_LAYOUT_H

#include "core/error.h"

typedef struct ty_layout {
    tally_format format;
    uint32_t planes;           /* 1 or 3 */
    uint32_t sample_bytes;     /* 1 or 2 */
    uint32_t stored_width[3];  /* columns in memory; also the distance of two rows, in samples */
    uint32_t stored_height[3]; /* rows in memory */
    uint32_t width[3];         /* columns that metrics see: rounded down for odd-sized 4:2:0 and 4:2:2 */
    uint32_t height[3];
    size_t plane_bytes[3];
    size_t picture_bytes;
} ty_layout;

/* Checks a format against the limits of tally.h (TALLY_USAGE) and fills the layout. `what` names the picture in messages. */
tally_status ty_layout_init(ty_layout *layout, const tally_format *format, const char *what, ty_error *error);

/* Copies a caller's picture into a picture of this layout. */
void ty_layout_copy(const ty_layout *layout, const tally_picture *picture, void *const planes[3]);

bool ty_format_equal(const tally_format *a, const tally_format *b);

/* "400", "420", "422", "444", "none". */
const char *ty_pixel_format_name(tally_pixel_format format);

#endif
