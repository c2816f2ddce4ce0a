/* Every pixel format that FFmpeg's libraries know: refused, or its samples are those that libavutil's own
 * slow reader gives. Includes libav.c to reach its static functions; link with the other files of src/io. */
#include "io/libav.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static AVFrame *random_frame(enum AVPixelFormat pixel_format, int width, int height) {
    uint32_t seed = 1;
    AVFrame *frame = av_frame_alloc();
    assert_non_null(frame);
    frame->format = pixel_format;
    frame->width = width;
    frame->height = height;
    if (av_frame_get_buffer(frame, 0) < 0) {
        av_frame_free(&frame);
        return NULL;
    }
    for (int b = 0; b < AV_NUM_DATA_POINTERS && frame->buf[b]; b++)
        for (size_t i = 0; i < (size_t)frame->buf[b]->size; i++)
            frame->buf[b]->data[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    return frame;
}

/* Planar samples with unused high bits: as a decoder leaves them, zero. */
static void clear_unused_bits(AVFrame *frame, const AVPixFmtDescriptor *layout) {
    for (int c = 0; c < layout->nb_components; c++) {
        const AVComponentDescriptor component = layout->comp[c];
        if (component.depth + component.shift <= 8 || component.shift != 0 || component.step != 2)
            continue;
        const int high = layout->flags & AV_PIX_FMT_FLAG_BE ? 0 : 1;
        const bool chroma = c == 1 || c == 2;
        const int rows = chroma ? AV_CEIL_RSHIFT(frame->height, layout->log2_chroma_h) : frame->height;
        for (int y = 0; y < rows; y++)
            for (int x = 0; 2 * x + 1 < frame->linesize[component.plane]; x++)
                frame->data[component.plane][y * frame->linesize[component.plane] + 2 * x + high] &=
                    (uint8_t)((1 << (component.depth - 8)) - 1);
    }
}

static void compare(const AVFrame *frame, const AVPixFmtDescriptor *format, const ty_layout *layout) {
    uint16_t row[64];
    for (uint32_t p = 0; p < layout->planes; p++) {
        uint8_t *plane = malloc(layout->plane_bytes[p]);
        assert_non_null(plane);
        copy_plane(layout, frame, p, plane);
        for (uint32_t y = 0; y < layout->stored_height[p]; y++) {
            av_read_image_line2(row, (const uint8_t **)frame->data, frame->linesize, format, 0, (int)y,
                                (int)p, (int)layout->stored_width[p], 0, 2);
            for (uint32_t x = 0; x < layout->stored_width[p]; x++) {
                const size_t at = (size_t)y * layout->stored_width[p] + x;
                const uint32_t got =
                    layout->sample_bytes == 1 ? plane[at] : ((const uint16_t *)(void *)plane)[at];
                if (got != row[x])
                    fail_msg("%s plane %u (%u,%u): %u, libavutil has %u", format->name, p, x, y, got, row[x]);
            }
        }
        free(plane);
    }
}

static unsigned check_format(const AVPixFmtDescriptor *format) {
    unsigned accepted = 0;
    static const int sizes[][2] = {{32, 16}, {33, 17}, {1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        AVFrame *frame = random_frame(av_pix_fmt_desc_get_id(format), sizes[i][0], sizes[i][1]);
        tally_format mapped;
        ty_layout layout;
        ty_error error = {0};
        if (frame && map_format(frame, &mapped)) {
            assert_int_equal(ty_layout_init(&layout, &mapped, format->name, &error), TALLY_OK);
            clear_unused_bits(frame, format);
            compare(frame, format, &layout);
            accepted = 1;
        }
        av_frame_free(&frame);
    }
    return accepted;
}

static void test_all_formats(void **state) {
    (void)state;
    unsigned accepted = 0, all = 0;
    for (const AVPixFmtDescriptor *format = NULL; (format = av_pix_fmt_desc_next(format)); all++)
        accepted += check_format(format);
    print_message("%u of %u pixel formats are read\n", accepted, all);
    assert_true(accepted >= 80);
}

static bool is_read(enum AVPixelFormat pixel_format, tally_pixel_format wanted, uint32_t bit_depth) {
    tally_format format;
    AVFrame *frame = random_frame(pixel_format, 32, 16);
    assert_non_null(frame);
    const bool mapped = map_format(frame, &format);
    av_frame_free(&frame);
    return mapped && format.pixel_format == wanted && format.bit_depth == bit_depth;
}

static void test_named_formats(void **state) {
    (void)state;
    static const enum AVPixelFormat refused[] = {
        AV_PIX_FMT_RGB24,     AV_PIX_FMT_GBRP,        AV_PIX_FMT_GBRP10LE, AV_PIX_FMT_PAL8,
        AV_PIX_FMT_MONOBLACK, AV_PIX_FMT_YUV410P,     AV_PIX_FMT_YUV411P,  AV_PIX_FMT_UYYVYY411,
        AV_PIX_FMT_YUV440P,   AV_PIX_FMT_YUV440P10LE, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_XYZ12LE,
        AV_PIX_FMT_GRAYF32LE, AV_PIX_FMT_BAYER_BGGR8, AV_PIX_FMT_RGB565LE};
    tally_format format;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        AVFrame frame = {.format = refused[i], .width = 32, .height = 16};
        if (map_format(&frame, &format))
            fail_msg("%s is not refused", av_get_pix_fmt_name(refused[i]));
    }
    assert_true(is_read(AV_PIX_FMT_YUV420P, TALLY_PIXEL_FORMAT_420, 8));
    assert_true(is_read(AV_PIX_FMT_YUVJ422P, TALLY_PIXEL_FORMAT_422, 8));
    assert_true(is_read(AV_PIX_FMT_YUVA444P16BE, TALLY_PIXEL_FORMAT_444, 16));
    assert_true(is_read(AV_PIX_FMT_YUV420P9BE, TALLY_PIXEL_FORMAT_420, 9));
    assert_true(is_read(AV_PIX_FMT_NV12, TALLY_PIXEL_FORMAT_420, 8));
    assert_true(is_read(AV_PIX_FMT_NV21, TALLY_PIXEL_FORMAT_420, 8));
    assert_true(is_read(AV_PIX_FMT_P010LE, TALLY_PIXEL_FORMAT_420, 10));
    assert_true(is_read(AV_PIX_FMT_P016BE, TALLY_PIXEL_FORMAT_420, 16));
    assert_true(is_read(AV_PIX_FMT_P210LE, TALLY_PIXEL_FORMAT_422, 10));
    assert_true(is_read(AV_PIX_FMT_NV24, TALLY_PIXEL_FORMAT_444, 8));
    assert_true(is_read(AV_PIX_FMT_YUYV422, TALLY_PIXEL_FORMAT_422, 8));
    assert_true(is_read(AV_PIX_FMT_GRAY8, TALLY_PIXEL_FORMAT_400, 8));
    assert_true(is_read(AV_PIX_FMT_GRAY12BE, TALLY_PIXEL_FORMAT_400, 12));
    assert_true(is_read(AV_PIX_FMT_YA8, TALLY_PIXEL_FORMAT_400, 8));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_formats),
                                       cmocka_unit_test(test_named_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
