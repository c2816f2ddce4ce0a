#include "core/layout.h"

#include <string.h>

#define MAX_SIDE 65535u
#define MAX_SAMPLES (UINT64_C(1) << 29)

const char *ty_pixel_format_name(tally_pixel_format format) {
    static const char *const names[] = {"none", "400", "420", "422", "444"};
    return (unsigned)format < sizeof names / sizeof names[0] ? names[format] : "none";
}

bool ty_format_equal(const tally_format *a, const tally_format *b) {
    return a->width == b->width && a->height == b->height && a->bit_depth == b->bit_depth &&
           a->pixel_format == b->pixel_format;
}

tally_status ty_layout_init(ty_layout *layout, const tally_format *format, const char *what, ty_error *error) {
    *layout = (ty_layout){.format = *format};
    if (format->width < 1 || format->height < 1 || format->width > MAX_SIDE || format->height > MAX_SIDE ||
        (uint64_t)format->width * format->height > MAX_SAMPLES)
        return ty_fail(error, TALLY_USAGE,
                       "%s: size %ux%u is out of range (1 to %u a side, at most %llu samples)", what,
                       format->width, format->height, MAX_SIDE, (unsigned long long)MAX_SAMPLES);
    if (format->bit_depth < 8 || format->bit_depth > 16)
        return ty_fail(error, TALLY_USAGE, "%s: bit depth %u is out of range (8 to 16)", what, format->bit_depth);
    if (format->pixel_format < TALLY_PIXEL_FORMAT_400 || format->pixel_format > TALLY_PIXEL_FORMAT_444)
        return ty_fail(error, TALLY_USAGE, "%s: unknown pixel format %d", what, (int)format->pixel_format);

    const bool half_width =
        format->pixel_format == TALLY_PIXEL_FORMAT_420 || format->pixel_format == TALLY_PIXEL_FORMAT_422;
    const bool half_height = format->pixel_format == TALLY_PIXEL_FORMAT_420;
    layout->planes = format->pixel_format == TALLY_PIXEL_FORMAT_400 ? 1 : 3;
    layout->sample_bytes = format->bit_depth > 8 ? 2 : 1;
    for (uint32_t p = 0; p < layout->planes; p++) {
        const uint32_t x = p > 0 && half_width, y = p > 0 && half_height;
        layout->stored_width[p] = (format->width + x) >> x;
        layout->stored_height[p] = (format->height + y) >> y;
        layout->width[p] = format->width >> x;
        layout->height[p] = format->height >> y;
        layout->plane_bytes[p] =
            (size_t)layout->stored_width[p] * layout->stored_height[p] * layout->sample_bytes;
        layout->picture_bytes += layout->plane_bytes[p];
    }
    return TALLY_OK;
}

void ty_layout_copy(const ty_layout *layout, const tally_picture *picture, void *const planes[3]) {
    for (uint32_t p = 0; p < layout->planes; p++) {
        const size_t row_bytes = (size_t)layout->stored_width[p] * layout->sample_bytes;
        const uint8_t *from = picture->data[p];
        uint8_t *to = planes[p];
        if (picture->stride[p] == (ptrdiff_t)row_bytes) {
            memcpy(to, from, layout->plane_bytes[p]);
            continue;
        }
        for (uint32_t y = 0; y < layout->stored_height[p]; y++, from += picture->stride[p], to += row_bytes)
            memcpy(to, from, row_bytes);
    }
}
