/* The text lines of y4m files: every tag, every colour space, every malformed line. */
#include "io/y4m_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ty_y4m_header accepted(const char *line) {
    ty_y4m_header header;
    ty_error error = {0};
    if (ty_y4m_parse_header(line, strlen(line), "clip.y4m", &header, &error) != TALLY_OK)
        fail_msg("\"%s\" was refused: %s", line, error.text);
    assert_string_equal(error.text, "");
    return header;
}

/* The message must name the file and hold `words`. */
static void refused(const char *line, const char *words) {
    ty_y4m_header header;
    ty_error error = {0};
    if (ty_y4m_parse_header(line, strlen(line), "clip.y4m", &header, &error) != TALLY_INPUT)
        fail_msg("\"%s\" was accepted", line);
    assert_int_equal(error.status, TALLY_INPUT);
    if (strncmp(error.text, "clip.y4m: ", 10) != 0 || !strstr(error.text, words))
        fail_msg("\"%s\" gave \"%s\", which lacks \"%s\"", line, error.text, words);
}

static void colour_space(const char *name, tally_pixel_format pixel_format, uint32_t bit_depth, bool alpha) {
    char line[64];
    snprintf(line, sizeof line, "YUV4MPEG2 W64 H48 C%s", name);
    const ty_y4m_header header = accepted(line);
    assert_int_equal(header.format.pixel_format, pixel_format);
    assert_int_equal(header.format.bit_depth, bit_depth);
    assert_int_equal(header.alpha, alpha);
}

static void test_colour_spaces(void **state) {
    (void)state;
    static const struct {
        const char *stem;
        tally_pixel_format pixel_format;
    } deep[] = {{"420p", TALLY_PIXEL_FORMAT_420},
                {"422p", TALLY_PIXEL_FORMAT_422},
                {"444p", TALLY_PIXEL_FORMAT_444},
                {"mono", TALLY_PIXEL_FORMAT_400}};
    colour_space("420", TALLY_PIXEL_FORMAT_420, 8, false);
    colour_space("420jpeg", TALLY_PIXEL_FORMAT_420, 8, false);
    colour_space("420mpeg2", TALLY_PIXEL_FORMAT_420, 8, false);
    colour_space("420paldv", TALLY_PIXEL_FORMAT_420, 8, false);
    colour_space("422", TALLY_PIXEL_FORMAT_422, 8, false);
    colour_space("444", TALLY_PIXEL_FORMAT_444, 8, false);
    colour_space("444alpha", TALLY_PIXEL_FORMAT_444, 8, true);
    colour_space("mono", TALLY_PIXEL_FORMAT_400, 8, false);
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++)
        for (uint32_t depth = 0; depth <= 99; depth++) {
            char name[16], line[64];
            snprintf(name, sizeof name, "%s%u", deep[i].stem, depth);
            snprintf(line, sizeof line, "YUV4MPEG2 W64 H48 C%s", name);
            if (depth >= 9 && depth <= 16)
                colour_space(name, deep[i].pixel_format, depth, false);
            else
                refused(line, "unknown y4m colour space");
        }
}

static void test_refused_colour_spaces(void **state) {
    (void)state;
    static const char *const unknown[] = {"",        "420p",      "420p010",  "420p1",   "420P10",
                                          "420p10x", "420mpeg",   "422alpha", "mono7",   "mono08",
                                          "mono1o",  "444alphaX", "Mono",     "410",     "rgb",
                                          "42",      "420p-9",    "420p+9",   "420p10le"};
    refused("YUV4MPEG2 W64 H48 C411", "4:1:1");
    refused("YUV4MPEG2 W64 H48 C411", "ffmpeg -i IN -pix_fmt yuv444p");
    refused("YUV4MPEG2 W64 H48 C440", "4:4:0");
    refused("YUV4MPEG2 W64 H48 C440p10", "\"440p10\" (4:4:0)");
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "YUV4MPEG2 W64 H48 C%s", unknown[i]);
        refused(line, "unknown y4m colour space");
    }
    refused("YUV4MPEG2 W64 H48 C0123456789012345678901234567890123456789012345678901234567890123456789",
            "\"01234567890123456789012345678901234567890123...\"");
    refused("YUV4MPEG2 W64 H48 C4\x01\x80\x1b[31m", "\"4???[31m\"");
}

static void test_sizes(void **state) {
    (void)state;
    const ty_y4m_header header = accepted("YUV4MPEG2 W1 H65535");
    assert_int_equal(header.format.width, 1);
    assert_int_equal(header.format.height, 65535);
    assert_int_equal(header.format.bit_depth, 8);
    assert_int_equal(header.format.pixel_format, TALLY_PIXEL_FORMAT_420);
    static const char *const wrong[] = {"",           "0",   "00",   "-64",   "+64",
                                        "64x",        "x64", "065",  "65536", "99999999999999999999999",
                                        "4294967297", "1e2", "0x40", "1.5",   "\t64"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[80];
        snprintf(line, sizeof line, "YUV4MPEG2 H48 W%s", wrong[i]);
        refused(line, "width of \"");
        snprintf(line, sizeof line, "YUV4MPEG2 W48 H%s", wrong[i]);
        refused(line, "height of \"");
    }
    refused("YUV4MPEG2 H48", "tag W (width) is missing");
    refused("YUV4MPEG2 W48", "tag H (height) is missing");
    refused("YUV4MPEG2", "is missing");
}

static void test_interlacing(void **state) {
    (void)state;
    assert_string_equal(accepted("YUV4MPEG2 W4 H4").tags.interlacing, "");
    assert_string_equal(accepted("YUV4MPEG2 W4 H4 I?").tags.interlacing, "");
    assert_string_equal(accepted("YUV4MPEG2 W4 H4 Ip").tags.interlacing, "progressive");
    assert_string_equal(accepted("YUV4MPEG2 W4 H4 It").tags.interlacing, "top first");
    assert_string_equal(accepted("YUV4MPEG2 W4 H4 Ib").tags.interlacing, "bottom first");
    assert_string_equal(accepted("YUV4MPEG2 W4 H4 Im").tags.interlacing, "mixed");
    refused("YUV4MPEG2 W4 H4 I", "interlacing");
    refused("YUV4MPEG2 W4 H4 Ix", "interlacing \"x\"");
    refused("YUV4MPEG2 W4 H4 Ipp", "interlacing \"pp\"");
    refused("YUV4MPEG2 W4 H4 IP", "interlacing \"P\"");
}

static void test_range(void **state) {
    (void)state;
    assert_string_equal(accepted("YUV4MPEG2 W4 H4").tags.range, "");
    assert_string_equal(accepted("YUV4MPEG2 W4 H4 XCOLORRANGE=FULL").tags.range, "full");
    assert_string_equal(accepted("YUV4MPEG2 XCOLORRANGE=LIMITED W4 H4").tags.range, "limited");
    assert_string_equal(accepted("YUV4MPEG2 W4 H4 XCOLORRANGE=LIMITED XCOLORRANGE=FULL").tags.range, "full");
    assert_string_equal(accepted("YUV4MPEG2 W4 H4 XCOLORRANGE=OTHER XYSCSS=444P10 X").tags.range, "");
}

static void test_other_tags_and_order(void **state) {
    (void)state;
    const ty_y4m_header header = accepted("YUV4MPEG2  C422p10 XFOO=BAR   H48 A0:0 Ip F0:0 Z? W64  ");
    assert_int_equal(header.format.width, 64);
    assert_int_equal(header.format.height, 48);
    assert_int_equal(header.format.bit_depth, 10);
    accepted("YUV4MPEG2 W64 H48 F A F1 F2 A?");
    refused("YUV4MPEG2 W64 H48 W64", "tag W stands twice");
    refused("YUV4MPEG2 W64 H48 H49", "tag H stands twice");
    refused("YUV4MPEG2 W64 H48 C420 C420", "tag C stands twice");
    refused("YUV4MPEG2 W64 H48 Ip Ip", "tag I stands twice");
    refused("YUV4MPEG2 W64 H48 I? Ip", "tag I stands twice");
}

static void test_magic(void **state) {
    (void)state;
    refused("YUV4MPEG1 W64 H48", "\"YUV4MPEG1\"");
    refused("YUV4MPEG", "\"YUV4MPEG\"");
    refused("", "\"\"");
    refused("YUV4MPEG2W64 H48", "no blank");
    refused("YUV4MPEG2\tW64 H48", "no blank");
    refused("YUV4MPEG2 W64 H48 C420\r", "carriage return");
    refused("YUV4MPEG2\r", "carriage return");
}

static void test_long_header(void **state) {
    (void)state;
    char *line = malloc(TY_Y4M_LINE_MAX + 1);
    assert_non_null(line);
    const int length = snprintf(line, TY_Y4M_LINE_MAX, "YUV4MPEG2 W64 H48 X");
    memset(line + length, 'y', TY_Y4M_LINE_MAX - (size_t)length);
    memcpy(line + TY_Y4M_LINE_MAX - 7, " Cmono9", 8);
    assert_int_equal(accepted(line).format.bit_depth, 9);
    free(line);
}

/* Every beginning of a good line is either refused or has the size that its text says; no byte after it is
 * touched (the copies end where malloc's block ends, which the address sanitizer watches). */
static void test_cut_anywhere(void **state) {
    (void)state;
    static const char line[] = "YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C420p10 XYSCSS=420P10 XCOLORRANGE=LIMITED";
    for (size_t length = 0; length < sizeof line; length++) {
        char *copy = malloc(length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, line, length);
        ty_y4m_header header;
        ty_error error = {0};
        const tally_status status = ty_y4m_parse_header(copy, length, "x", &header, &error);
        assert_true(status == TALLY_OK || status == TALLY_INPUT);
        assert_int_equal(status == TALLY_OK, error.text[0] == 0);
        if (length < strlen("YUV4MPEG2 W64 H4"))
            assert_int_equal(status, TALLY_INPUT);
        free(copy);
    }
}

static void frame_line(const char *line, const char *words) {
    ty_error error = {0};
    const tally_status status = ty_y4m_parse_frame(line, strlen(line), "clip.y4m", 7, 1234, &error);
    if ((status == TALLY_OK) != (words == NULL))
        fail_msg("\"%s\" gave status %d", line, status);
    if (words && (!strstr(error.text, words) || !strstr(error.text, "clip.y4m") ||
                  !strstr(error.text, "frame 7") || !strstr(error.text, "byte 1234")))
        fail_msg("\"%s\" gave \"%s\", which lacks \"%s\" or its place", line, error.text, words);
}

static void test_frame_lines(void **state) {
    (void)state;
    frame_line("FRAME", NULL);
    frame_line("FRAME ", NULL);
    frame_line("FRAME Ip XFOO=1", NULL);
    frame_line("FRAMEX", "\"FRAMEX\"");
    frame_line("FRAM", "\"FRAM\"");
    frame_line("", "\"\"");
    frame_line("frame", "\"frame\"");
    frame_line("YUV4MPEG2 W64 H48", "\"YUV4MP\"");
    frame_line("FRAME\r", "carriage return");
    frame_line("FRAME Ip\r", "carriage return");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colour_spaces), cmocka_unit_test(test_refused_colour_spaces),
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_interlacing),
        cmocka_unit_test(test_range),         cmocka_unit_test(test_other_tags_and_order),
        cmocka_unit_test(test_magic),         cmocka_unit_test(test_long_header),
        cmocka_unit_test(test_cut_anywhere),  cmocka_unit_test(test_frame_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
