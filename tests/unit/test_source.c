/* Sources: y4m and raw files, pipes, lending, damage of every kind, and what FFmpeg's libraries read. */
#include "core/layout.h"
#include "io/source.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Files of the tests ---- */

static char folder[64];

typedef struct blob {
    uint8_t *bytes;
    size_t size, capacity;
} blob;

static void append(blob *to, const void *bytes, size_t size) {
    if (to->size + size >= to->capacity) {
        to->capacity = 2 * (to->size + size) + 16;
        to->bytes = realloc(to->bytes, to->capacity);
        assert_non_null(to->bytes);
    }
    if (size > 0)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void append_text(blob *to, const char *text) {
    append(to, text, strlen(text));
}

/* Samples that differ from plane to plane, row to row and frame to frame, within the bit depth. */
static void append_picture(blob *to, const ty_layout *layout, unsigned frame) {
    const uint32_t mask = (1u << layout->format.bit_depth) - 1;
    for (uint32_t p = 0; p < layout->planes; p++)
        for (uint32_t y = 0; y < layout->stored_height[p]; y++)
            for (uint32_t x = 0; x < layout->stored_width[p]; x++) {
                const uint32_t value =
                    (x * 2654435761u + y * 40503u + p * 7919u + frame * 104729u) >> 3 & mask;
                const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
                append(to, bytes, layout->sample_bytes);
            }
}

static ty_layout layout_of(uint32_t width, uint32_t height, tally_pixel_format pixel_format,
                           uint32_t bit_depth) {
    const tally_format format = {width, height, bit_depth, pixel_format};
    ty_layout layout;
    ty_error error = {0};
    assert_int_equal(ty_layout_init(&layout, &format, "test", &error), TALLY_OK);
    return layout;
}

static const char *path_of(const char *name) {
    static char paths[4][160];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const void *bytes, size_t size) {
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *write_blob(const char *name, blob content) {
    return write_file(name, content.bytes, content.size);
}

static blob small_y4m(const char *header, const ty_layout *layout, const char *frame_line, unsigned frames) {
    blob file = {0};
    append_text(&file, header);
    for (unsigned f = 0; f < frames; f++) {
        append_text(&file, frame_line);
        append_picture(&file, layout, f);
    }
    return file;
}

/* ---- Reading ---- */

typedef struct reading {
    tally_status open_status;
    ty_source_info info;
    ty_read_result end;
    uint64_t frames, lent;
    blob samples;
    char text[1024]; /* of the failure */
} reading;

static void append_frame(reading *result, const ty_layout *layout, void *const planes[3],
                         const void *lent[3]) {
    const bool is_lent = lent && lent[0];
    for (uint32_t p = 0; p < layout->planes; p++) {
        const void *plane = is_lent ? lent[p] : planes[p];
        assert_int_equal((uintptr_t)plane % layout->sample_bytes, 0);
        append(&result->samples, plane, layout->plane_bytes[p]);
    }
    result->lent += is_lent;
    result->frames++;
}

static void read_all(ty_source *source, bool lend, reading *result, ty_error *error) {
    ty_layout layout;
    ty_error none = {0};
    void *planes[3] = {0};
    const void *lent[3];
    result->info = *ty_source_describe(source);
    assert_int_equal(ty_layout_init(&layout, &result->info.format, "test", &none), TALLY_OK);
    for (uint32_t p = 0; p < layout.planes; p++)
        assert_non_null(planes[p] = malloc(layout.plane_bytes[p]));
    while ((result->end = ty_source_read(source, planes, lend ? lent : NULL, error)) == TY_READ_FRAME) {
        append_frame(result, &layout, planes, lend ? lent : NULL);
        ty_source_release(source, result->frames - 1);
    }
    for (uint32_t p = 0; p < layout.planes; p++)
        free(planes[p]);
}

static reading read_path(const char *path, const tally_format *raw, bool lend) {
    reading result = {.end = TY_READ_ERROR};
    ty_error error = {0};
    ty_source *source;
    result.open_status = ty_source_open(path, raw, lend, NULL, &source, &error);
    if (result.open_status == TALLY_OK) {
        read_all(source, lend, &result, &error);
        ty_source_close(source);
    } else {
        assert_null(source);
    }
    result.info.path = NULL;
    assert_int_equal(result.end == TY_READ_ERROR, error.status != TALLY_OK);
    assert_int_equal(result.end == TY_READ_ERROR, error.text[0] != 0);
    memcpy(result.text, error.text, sizeof result.text);
    return result;
}

/* The same file read in every way there is must give the same: copied, lent, through a named pipe, as
 * standard input. */
static void feed_pipe(int descriptor, blob content, size_t step) {
    for (size_t at = 0; at < content.size;) {
        const size_t size = content.size - at < step ? content.size - at : step;
        const ssize_t written = write(descriptor, content.bytes + at, size);
        if (written < 0)
            break;
        at += (size_t)written;
    }
    close(descriptor);
}

typedef struct feeder {
    int descriptor;
    blob content;
    size_t step;
} feeder;

static void *run_feeder(void *opaque) {
    const feeder *job = opaque;
    feed_pipe(job->descriptor, job->content, job->step);
    return NULL;
}

static reading read_standard_input(blob content, const tally_format *raw, bool lend, size_t step) {
    int ends[2];
    pthread_t thread;
    assert_int_equal(pipe(ends), 0);
    const int saved = dup(STDIN_FILENO);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    close(ends[0]);
    feeder job = {ends[1], content, step};
    assert_int_equal(pthread_create(&thread, NULL, run_feeder, &job), 0);
    const reading result = read_path("-", raw, lend);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* a source leaves standard input open */
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    } else {
        close(STDIN_FILENO);
    }
    pthread_join(thread, NULL);
    return result;
}

static void assert_same(const reading *a, const reading *b) {
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->frames, b->frames);
    assert_int_equal(a->samples.size, b->samples.size);
    if (a->samples.size)
        assert_memory_equal(a->samples.bytes, b->samples.bytes, a->samples.size);
}

static void forget(reading *result) {
    free(result->samples.bytes);
}

static reading read_every_way(const char *name, blob content, const tally_format *raw) {
    const char *path = write_blob(name, content);
    reading copied = read_path(path, raw, false);
    reading lent = read_path(path, raw, true);
    reading piped = read_standard_input(content, raw, true, 1);
    reading piped_fast = read_standard_input(content, raw, false, 100000);
    assert_same(&copied, &lent);
    if (copied.end == TY_READ_END)
        assert_same(&copied, &piped);
    assert_same(&piped, &piped_fast);
    assert_int_equal(copied.lent, 0);
    assert_int_equal(piped.lent, 0);
    copied.lent = lent.lent;
    forget(&lent);
    forget(&piped);
    forget(&piped_fast);
    return copied;
}

/* What is in the file is what comes out. Machines with the high byte first swap 16-bit samples. */
static void assert_samples(const reading *result, const ty_layout *layout, unsigned frames) {
    blob wanted = {0};
    for (unsigned f = 0; f < frames; f++)
        append_picture(&wanted, layout, f);
    const uint16_t probe = 1;
    if (layout->sample_bytes == 2 && *(const uint8_t *)&probe == 0)
        for (size_t i = 0; i + 1 < wanted.size; i += 2) {
            const uint8_t low = wanted.bytes[i];
            wanted.bytes[i] = wanted.bytes[i + 1];
            wanted.bytes[i + 1] = low;
        }
    assert_int_equal(result->end, TY_READ_END);
    assert_int_equal(result->frames, frames);
    assert_int_equal(result->samples.size, wanted.size);
    assert_memory_equal(result->samples.bytes, wanted.bytes, wanted.size);
    free(wanted.bytes);
}

static void assert_failure(const reading *result, tally_status status, const char *words) {
    if (result->end != TY_READ_ERROR)
        fail_msg("no failure where \"%s\" was due", words);
    if (!strstr(result->text, words))
        fail_msg("\"%s\" lacks \"%s\"", result->text, words);
    if (result->open_status != TALLY_OK)
        assert_int_equal(result->open_status, status);
}

/* ---- y4m ---- */

static void test_y4m_formats(void **state) {
    (void)state;
    static const char *const stems[] = {"mono", "420p", "422p", "444p"};
    static const uint32_t sizes[][2] = {{1, 1}, {2, 2}, {6, 4}, {7, 4}, {6, 5}, {7, 5}, {17, 33}};
    for (unsigned s = 0; s < 4; s++)
        for (uint32_t depth = 8; depth <= 16; depth++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                char header[80], suffix[8] = "";
                if (depth > 8)
                    snprintf(suffix, sizeof suffix, "%u", depth);
                snprintf(header, sizeof header, "YUV4MPEG2 W%u H%u C%.*s%s Ip\n", sizes[i][0], sizes[i][1],
                         depth > 8 || s == 0 ? 4 : 3, stems[s], suffix);
                const ty_layout layout = layout_of(sizes[i][0], sizes[i][1],
                                                   (tally_pixel_format)(TALLY_PIXEL_FORMAT_400 + s), depth);
                blob file = small_y4m(header, &layout, "FRAME\n", 3);
                reading result = read_every_way("formats.y4m", file, NULL);
                assert_true(ty_format_equal(&result.info.format, &layout.format));
                assert_int_equal(result.info.frames, 3);
                assert_samples(&result, &layout, 3);
                forget(&result);
                free(file.bytes);
            }
}

/* A header of odd or even length puts 16-bit samples at odd or even addresses; odd ones cannot be lent. */
static void test_y4m_alignment(void **state) {
    (void)state;
    const ty_layout layout = layout_of(6, 4, TALLY_PIXEL_FORMAT_420, 10);
    for (unsigned pad = 0; pad < 2; pad++) {
        blob file = small_y4m(pad ? "YUV4MPEG2 W6 H4 C420p10 \n" : "YUV4MPEG2 W6 H4 C420p10\n", &layout,
                              "FRAME\n", 4);
        reading result = read_every_way("alignment.y4m", file, NULL);
        const size_t first = strlen("YUV4MPEG2 W6 H4 C420p10\n") + pad + 6;
        const uint16_t probe = 1;
        if (*(const uint8_t *)&probe == 1)
            assert_int_equal(result.lent, first % 2 == 0 ? 4 : 0);
        assert_samples(&result, &layout, 4);
        forget(&result);
        free(file.bytes);
    }
    /* Frame parameters shift each frame: lent and copied ones take turns. */
    blob file = {0};
    append_text(&file, "YUV4MPEG2 W6 H4 C420p10\n");
    for (unsigned f = 0; f < 6; f++) {
        append_text(&file, f % 2 ? "FRAME Ip\n" : "FRAME\n");
        append_picture(&file, &layout, f);
    }
    reading result = read_every_way("alternating.y4m", file, NULL);
    assert_samples(&result, &layout, 6);
    assert_int_equal(result.info.frames, 0); /* parameters make the count unknown */
    forget(&result);
    free(file.bytes);
}

static void test_y4m_alpha_is_skipped(void **state) {
    (void)state;
    const ty_layout layout = layout_of(5, 3, TALLY_PIXEL_FORMAT_444, 8);
    blob file = {0};
    append_text(&file, "YUV4MPEG2 W5 H3 C444alpha\n");
    for (unsigned f = 0; f < 3; f++) {
        append_text(&file, "FRAME\n");
        append_picture(&file, &layout, f);
        append_text(&file, "FRAME\nalpha...."); /* 15 samples */
    }
    reading result = read_every_way("alpha.y4m", file, NULL);
    assert_samples(&result, &layout, 3);
    assert_int_equal(result.info.frames, 3);
    forget(&result);
    file.size--;
    result = read_every_way("alpha_cut.y4m", file, NULL);
    assert_failure(&result, TALLY_INPUT, "frame 2 is not whole");
    assert_int_equal(result.frames, 2);
    forget(&result);
    free(file.bytes);
}

static void test_y4m_tags(void **state) {
    (void)state;
    const ty_layout layout = layout_of(6, 4, TALLY_PIXEL_FORMAT_420, 8);
    blob file = small_y4m("YUV4MPEG2 H4 XCOLORRANGE=FULL W6 It\n", &layout, "FRAME\n", 1);
    reading result = read_every_way("tags.y4m", file, NULL);
    assert_string_equal(result.info.tags.range, "full");
    assert_string_equal(result.info.tags.interlacing, "top first");
    assert_string_equal(result.info.tags.transfer, "");
    forget(&result);
    free(file.bytes);
}

static void test_y4m_long_lines(void **state) {
    (void)state;
    const ty_layout layout = layout_of(6, 4, TALLY_PIXEL_FORMAT_420, 8);
    static const size_t lengths[] = {60, 63, 64, 65, 254, 255, 1000, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (unsigned which = 0; which < 2; which++) {
            const char *start = which ? "FRAME X" : "YUV4MPEG2 W6 H4 X";
            char *line = malloc(lengths[i] + 2);
            assert_non_null(line);
            memset(line, 'x', lengths[i]);
            memcpy(line, start, strlen(start));
            memcpy(line + lengths[i], "\n", 2);
            blob file = small_y4m(which ? "YUV4MPEG2 W6 H4\n" : line, &layout, which ? line : "FRAME\n", 2);
            reading result = read_every_way("long.y4m", file, NULL);
            if (lengths[i] <= 65536)
                assert_samples(&result, &layout, 2);
            else
                assert_failure(&result, TALLY_INPUT, "is longer than 65536 bytes");
            forget(&result);
            free(file.bytes);
            free(line);
        }
}

/* Cut after every byte: an error that names the file, or a clip that is shorter by whole frames. */
static void cut_everywhere(const char *header, const ty_layout *layout, const char *frame_line) {
    blob whole = small_y4m(header, layout, frame_line, 2);
    const size_t frame_bytes = strlen(frame_line) + layout->picture_bytes;
    for (size_t size = 0; size < whole.size; size++) {
        const blob part = {whole.bytes, size, 0};
        reading result = read_every_way("cut.y4m", part, NULL);
        if (size == strlen(header) + frame_bytes) {
            assert_samples(&result, layout, 1);
        } else {
            assert_failure(&result, TALLY_INPUT, "cut.y4m: ");
            assert_int_equal(result.frames, size > strlen(header) + frame_bytes ? 1 : 0);
            if (result.frames == 1)
                assert_failure(&result, TALLY_INPUT, "frame 1 ");
            if (result.frames == 1)
                assert_failure(&result, TALLY_INPUT, "byte ");
        }
        forget(&result);
        /* A pipe that ends after the header is no error here: it is a video without frames. */
        reading piped = read_standard_input(part, NULL, false, 7);
        if (size == strlen(header) || size == strlen(header) + frame_bytes)
            assert_int_equal(piped.end, TY_READ_END);
        else
            assert_failure(&piped, TALLY_INPUT, "standard input: ");
        forget(&piped);
    }
    free(whole.bytes);
}

static void test_y4m_cut_everywhere(void **state) {
    (void)state;
    const ty_layout narrow = layout_of(6, 4, TALLY_PIXEL_FORMAT_420, 8);
    const ty_layout odd = layout_of(5, 3, TALLY_PIXEL_FORMAT_420, 8);
    const ty_layout deep = layout_of(5, 3, TALLY_PIXEL_FORMAT_422, 12);
    cut_everywhere("YUV4MPEG2 W6 H4 F25:1 Ip\n", &narrow, "FRAME\n");
    cut_everywhere("YUV4MPEG2 W5 H3\n", &odd, "FRAME Ip\n");
    cut_everywhere("YUV4MPEG2 W5 H3 C422p12\n", &deep, "FRAME\n");
}

static void test_y4m_damage(void **state) {
    (void)state;
    static const struct {
        const char *header, *line, *words;
    } cases[] = {
        {"YUV4MPEG2 W6 H4\n", "FRAMX\n", "\"FRAMX\" stands at byte 16 instead of a frame header"},
        {"YUV4MPEG2 W6 H4\n", "FRAMEX\n", "frame 0: \"FRAMEX\" stands at byte 16"},
        {"YUV4MPEG2 W6 H4\n", "FRAME\r\n", "carriage return"},
        {"YUV4MPEG2 W6 H4\n", "FRAME Ip\r\n", "carriage return"},
        {"YUV4MPEG2 W6 H4\r\n", "FRAME\n", "carriage return"},
        {"YUV4MPEG1 W6 H4\n", "FRAME\n", "\"YUV4MPEG1\""},
        {"YUV4MPEG2 W0 H4\n", "FRAME\n", "width of \"0\""},
        {"YUV4MPEG2 W6 H-4\n", "FRAME\n", "height of \"-4\""},
        {"YUV4MPEG2 W65536 H65536\n", "FRAME\n", "width of \"65536\""},
        {"YUV4MPEG2 W65535 H65535\n", "FRAME\n", "size 65535x65535 is out of range"},
        {"YUV4MPEG2 W16384 H32768 C444p16\n", "FRAME\n", "frame 0 is not whole"},
        {"YUV4MPEG2 W6\n", "FRAME\n", "tag H"},
        {"YUV4MPEG2 W6 H4 C411\n", "FRAME\n", "4:1:1"},
        {"YUV4MPEG2 W6 H4 C440\n", "FRAME\n", "4:4:0"},
        {"YUV4MPEG2 W6 H4 C420p10x\n", "FRAME\n", "unknown y4m colour space"},
    };
    const ty_layout layout = layout_of(6, 4, TALLY_PIXEL_FORMAT_420, 8);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        blob file = small_y4m(cases[i].header, &layout, cases[i].line, 2);
        reading result = read_every_way("damage.y4m", file, NULL);
        assert_failure(&result, TALLY_INPUT, cases[i].words);
        assert_failure(&result, TALLY_INPUT, "damage.y4m: ");
        assert_int_equal(result.frames, 0);
        forget(&result);
        free(file.bytes);
    }
}

static void test_y4m_garbage_after_frames(void **state) {
    (void)state;
    static const char *const tails[] = {"\n",      "x",       "F", "FRAM", "FRAME", "FRAMES and more\n",
                                        "FRAME\n", "12345678"};
    const ty_layout layout = layout_of(6, 4, TALLY_PIXEL_FORMAT_420, 8);
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        blob file = small_y4m("YUV4MPEG2 W6 H4\n", &layout, "FRAME\n", 2);
        append_text(&file, tails[i]);
        reading result = read_every_way("tail.y4m", file, NULL);
        assert_failure(&result, TALLY_INPUT, "frame 2");
        assert_int_equal(result.frames, 2);
        forget(&result);
        free(file.bytes);
    }
}

static void test_failures_stay(void **state) {
    (void)state;
    const ty_layout layout = layout_of(6, 4, TALLY_PIXEL_FORMAT_420, 8);
    blob file = small_y4m("YUV4MPEG2 W6 H4\n", &layout, "FRAME\n", 3);
    file.bytes[16 + 42] = 'f'; /* the second frame's marker */
    ty_source *source;
    ty_error error = {0}, again = {0};
    uint8_t y[24], cb[6], cr[6];
    void *const planes[3] = {y, cb, cr};
    assert_int_equal(ty_source_open(write_blob("stay.y4m", file), NULL, false, NULL, &source, &error), TALLY_OK);
    assert_int_equal(ty_source_read(source, planes, NULL, &error), TY_READ_FRAME);
    assert_int_equal(ty_source_read(source, planes, NULL, &error), TY_READ_ERROR);
    assert_int_equal(ty_source_skip(source, &again), TY_READ_ERROR);
    assert_string_equal(error.text, again.text);
    ty_source_close(source);
    free(file.bytes);
}

/* ---- Skipping and lending ---- */

static void test_skip(void **state) {
    (void)state;
    const ty_layout layout = layout_of(7, 5, TALLY_PIXEL_FORMAT_420, 8);
    blob file = small_y4m("YUV4MPEG2 W7 H5\n", &layout, "FRAME\n", 5);
    const char *path = write_blob("skip.y4m", file);
    for (unsigned lend = 0; lend < 2; lend++) {
        ty_source *source;
        ty_error error = {0};
        uint8_t y[35], cb[12], cr[12];
        void *const planes[3] = {y, cb, cr};
        const void *lent[3];
        blob wanted = {0};
        append_picture(&wanted, &layout, 3);
        assert_int_equal(ty_source_open(path, NULL, lend, NULL, &source, &error), TALLY_OK);
        assert_string_equal(ty_source_describe(source)->path, path);
        for (int i = 0; i < 3; i++)
            assert_int_equal(ty_source_skip(source, &error), TY_READ_FRAME);
        assert_int_equal(ty_source_read(source, planes, lent, &error), TY_READ_FRAME);
        assert_int_equal(lent[0] != NULL, lend);
        assert_memory_equal(lend ? lent[0] : y, wanted.bytes, 35);
        assert_memory_equal(lend ? lent[2] : cr, wanted.bytes + 47, 12);
        assert_int_equal(ty_source_skip(source, &error), TY_READ_FRAME);
        assert_int_equal(ty_source_skip(source, &error), TY_READ_END);
        assert_int_equal(ty_source_skip(source, &error), TY_READ_END);
        assert_int_equal(ty_source_read(source, planes, lent, &error), TY_READ_END);
        ty_source_close(source);
        free(wanted.bytes);
    }
    file.size -= 1;
    ty_source *source;
    ty_error error = {0};
    assert_int_equal(ty_source_open(write_blob("skip_cut.y4m", file), NULL, true, NULL, &source, &error), TALLY_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ty_source_skip(source, &error), TY_READ_FRAME);
    assert_int_equal(ty_source_skip(source, &error), TY_READ_ERROR);
    assert_non_null(strstr(error.text, "frame 4 is not whole"));
    ty_source_close(source);
    free(file.bytes);
}

/* Bytes of the file that are in this process's memory, or -1 where the system does not say. */
static long resident_bytes(const char *name) {
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false;
    long bytes = -1;
    while (maps && fgets(line, sizeof line, maps)) {
        if (strstr(line, name))
            inside = true;
        else if (inside && strncmp(line, "Rss:", 4) == 0) {
            bytes = 1024 * strtol(line + 4, NULL, 10);
            break;
        }
    }
    if (maps)
        fclose(maps);
    return bytes;
}

/* Frames are held a while and released out of order; what is in memory is bounded by the frames held, not by
 * the file. */
static void test_lent_memory_goes_back(void **state) {
    (void)state;
    enum { HELD = 4, FRAMES = 200, SIDE = 256 };
    const ty_layout layout = layout_of(SIDE, SIDE, TALLY_PIXEL_FORMAT_444, 8);
    blob file = small_y4m("YUV4MPEG2 W256 H256 C444\n", &layout, "FRAME\n", 2);
    const blob frame = {file.bytes + file.size - layout.picture_bytes - 6, layout.picture_bytes + 6, 0};
    FILE *out = fopen(path_of("memory.y4m"), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite("YUV4MPEG2 W256 H256 C444\n", 1, 25, out), 25);
    for (int f = 0; f < FRAMES; f++)
        assert_int_equal(fwrite(frame.bytes, 1, frame.size, out), frame.size);
    assert_int_equal(fclose(out), 0);
    ty_source *source;
    ty_error error = {0};
    const void *lent[3], *held[FRAMES][3];
    void *const planes[3] = {NULL, NULL, NULL};
    long most = 0;
    assert_int_equal(ty_source_open(path_of("memory.y4m"), NULL, true, NULL, &source, &error), TALLY_OK);
    for (int f = 0; f < FRAMES; f++) {
        assert_int_equal(ty_source_read(source, planes, lent, &error), TY_READ_FRAME);
        memcpy(held[f], lent, sizeof lent);
        if (f % HELD == HELD - 1)
            for (int i = 0; i < HELD; i++) { /* the newest first, while the older ones are still in use */
                assert_memory_equal(held[f - HELD + 1][0], frame.bytes + 6, layout.plane_bytes[0]);
                ty_source_release(source, (uint64_t)(f - i));
            }
        const long now = resident_bytes("memory.y4m");
        most = now > most ? now : most;
    }
    ty_source_release(source, 5); /* once more, and one that never was */
    ty_source_release(source, 1000000);
    ty_source_close(source);
    if (most <= 0)
        print_message("resident memory is not visible here: not checked\n");
    else if (most > (long)((HELD + 3) * layout.picture_bytes))
        fail_msg("%ld bytes in memory, %d frames are %zu", most, HELD + 3, (HELD + 3) * layout.picture_bytes);
    free(file.bytes);
}

static void *release_all(void *opaque) {
    for (uint64_t f = 0; f < 2000; f++)
        ty_source_release(opaque, f);
    return NULL;
}

static void test_release_from_other_threads(void **state) {
    (void)state;
    const ty_layout layout = layout_of(64, 48, TALLY_PIXEL_FORMAT_420, 8);
    blob file = small_y4m("YUV4MPEG2 W64 H48\n", &layout, "FRAME\n", 300);
    ty_source *source;
    ty_error error = {0};
    pthread_t threads[2];
    const void *lent[3];
    void *const planes[3] = {NULL, NULL, NULL};
    assert_int_equal(ty_source_open(write_blob("threads.y4m", file), NULL, true, NULL, &source, &error), TALLY_OK);
    for (int t = 0; t < 2; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, release_all, source), 0);
    for (int f = 0; f < 300; f++) {
        assert_int_equal(ty_source_read(source, planes, lent, &error), TY_READ_FRAME);
        assert_non_null(lent[0]);
    }
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    assert_int_equal(ty_source_read(source, planes, lent, &error), TY_READ_END);
    ty_source_close(source);
    free(file.bytes);
}

/* A file cut by someone else between two reads is an error, not a SIGBUS. */
static void test_file_cut_while_open(void **state) {
    (void)state;
    const ty_layout layout = layout_of(64, 48, TALLY_PIXEL_FORMAT_420, 8);
    for (unsigned lend = 0; lend < 2; lend++)
        for (unsigned is_raw = 0; is_raw < 2; is_raw++) {
            blob file = small_y4m(is_raw ? "" : "YUV4MPEG2 W64 H48\n", &layout, is_raw ? "" : "FRAME\n", 8);
            const char *path = write_blob("shrinks", file);
            ty_source *source;
            ty_error error = {0};
            const void *lent[3];
            uint8_t *picture = malloc(layout.picture_bytes);
            assert_non_null(picture);
            void *const planes[3] = {picture, picture + 3072, picture + 3840};
            assert_int_equal(ty_source_open(path, is_raw ? &layout.format : NULL, lend, NULL, &source, &error),
                             TALLY_OK);
            for (int f = 0; f < 3; f++)
                assert_int_equal(ty_source_read(source, planes, lent, &error), TY_READ_FRAME);
            assert_int_equal(truncate(path, (off_t)(file.size - 4 * layout.picture_bytes - 1000)), 0);
            assert_int_equal(ty_source_read(source, planes, lent, &error), TY_READ_ERROR);
            assert_non_null(strstr(error.text, "frame 3 is not whole"));
            assert_int_equal(error.status, TALLY_INPUT);
            ty_source_close(source);
            free(picture);
            free(file.bytes);
        }
}

/* ---- Raw ---- */

static void test_raw(void **state) {
    (void)state;
    for (uint32_t depth = 8; depth <= 16; depth += 4)
        for (int p = TALLY_PIXEL_FORMAT_400; p <= TALLY_PIXEL_FORMAT_444; p++) {
            const ty_layout layout = layout_of(7, 5, (tally_pixel_format)p, depth);
            blob file = small_y4m("", &layout, "", 4);
            reading result = read_every_way("clip.yuv", file, &layout.format);
            assert_samples(&result, &layout, 4);
            assert_int_equal(result.info.frames, 4);
            assert_true(ty_format_equal(&result.info.format, &layout.format));
            forget(&result);
            free(file.bytes);
        }
}

static void test_raw_cut_everywhere(void **state) {
    (void)state;
    const ty_layout layout = layout_of(5, 3, TALLY_PIXEL_FORMAT_420, 8);
    blob whole = small_y4m("", &layout, "", 2);
    for (size_t size = 0; size < whole.size; size++) {
        const blob part = {whole.bytes, size, 0};
        reading result = read_every_way("cut.yuv", part, &layout.format);
        if (size == layout.picture_bytes)
            assert_samples(&result, &layout, 1);
        else
            assert_failure(&result, TALLY_INPUT, size ? "size of" : "is empty");
        forget(&result);
        reading piped = read_standard_input(part, &layout.format, false, 5);
        if (size == layout.picture_bytes)
            assert_samples(&piped, &layout, 1);
        else
            assert_failure(&piped, TALLY_INPUT, size ? "is not whole: the file ends at byte" : "is empty");
        forget(&piped);
    }
    free(whole.bytes);
}

static void test_raw_mistakes(void **state) {
    (void)state;
    const ty_layout layout = layout_of(6, 4, TALLY_PIXEL_FORMAT_420, 8);
    blob file = small_y4m("YUV4MPEG2 W6 H4\n", &layout, "FRAME\n", 6);
    reading result = read_every_way("mistake.y4m", file, &layout.format);
    assert_failure(&result, TALLY_INPUT, "leave out the size");
    free(file.bytes);
    file = small_y4m("", &layout, "", 2);
    append_text(&file, "x");
    const char *path = write_blob("odd.yuv", file);
    result = read_path(path, &layout.format, true);
    assert_failure(
        &result, TALLY_INPUT,
        "its size of 73 bytes is no multiple of the frame size of 36 bytes (6x4, 420, 8 bits a sample): 2 "
        "frames and 1 bytes. The size or format given is probably wrong");
    const tally_format wrong[] = {{6, 4, 7, TALLY_PIXEL_FORMAT_420},
                                  {6, 4, 17, TALLY_PIXEL_FORMAT_420},
                                  {6, 0, 8, TALLY_PIXEL_FORMAT_420},
                                  {65536, 4, 8, TALLY_PIXEL_FORMAT_420},
                                  {6, 4, 8, TALLY_PIXEL_FORMAT_NONE}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        result = read_path(path, &wrong[i], true);
        assert_failure(&result, TALLY_USAGE, "odd.yuv: ");
    }
    free(file.bytes);
}

/* ---- What cannot be opened ---- */

static void test_cannot_be_opened(void **state) {
    (void)state;
    reading result = read_path(path_of("absent.y4m"), NULL, true);
    assert_failure(&result, TALLY_INPUT, "absent.y4m: cannot be opened");
    result = read_path(folder, NULL, true);
    assert_failure(&result, TALLY_INPUT, "is a directory");
    result = read_path(write_file("empty.mp4", "", 0), NULL, false);
    assert_failure(&result, TALLY_INPUT, "empty.mp4: is empty");
    result = read_path("", NULL, false);
    assert_failure(&result, TALLY_INPUT, "cannot be opened");
}

static void test_named_pipe(void **state) {
    (void)state;
    const ty_layout layout = layout_of(33, 17, TALLY_PIXEL_FORMAT_422, 10);
    blob file = small_y4m("YUV4MPEG2 W33 H17 C422p10\n", &layout, "FRAME\n", 5);
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    pthread_t thread;
    const int held = open(path_of("fifo"), O_RDWR); /* lets both sides open without waiting */
    feeder job = {open(path_of("fifo"), O_WRONLY), file, 333};
    assert_true(held >= 0 && job.descriptor >= 0);
    ty_source *source;
    ty_error error = {0};
    assert_int_equal(pthread_create(&thread, NULL, run_feeder, &job), 0);
    assert_int_equal(ty_source_open(path_of("fifo"), NULL, true, NULL, &source, &error), TALLY_OK);
    close(held);
    reading result = {.end = TY_READ_ERROR};
    read_all(source, true, &result, &error);
    pthread_join(thread, NULL);
    assert_samples(&result, &layout, 5);
    ty_source_close(source);
    forget(&result);
    free(file.bytes);
}

/* ---- Through FFmpeg's libraries: files are made by the ffmpeg program, if there is one ---- */

static bool make(const char *arguments, const char *name) {
    char command[512];
    snprintf(command, sizeof command, "cd %s && ffmpeg -nostdin -v quiet -y -i %s %s", folder, arguments,
             name);
    if (system(command) == 0)
        return true;
    print_message("SKIPPED: ffmpeg cannot make %s (%s)\n", name, command);
    return false;
}

static bool have_ffmpeg(void) {
    if (system("ffmpeg -version >/dev/null 2>&1") == 0)
        return true;
    print_message("SKIPPED: no ffmpeg program here, files of other kinds are NOT tested\n");
    return false;
}

/* A picture that compresses, so that lossy and lossless coders all take it. */
static ty_layout write_source_clip(const char *name, const char *colour_space,
                                   tally_pixel_format pixel_format, uint32_t bit_depth) {
    const ty_layout layout = layout_of(66, 50, pixel_format, bit_depth);
    char header[80];
    snprintf(header, sizeof header, "YUV4MPEG2 W66 H50 F25:1 Ip C%s XCOLORRANGE=LIMITED\n", colour_space);
    blob file = small_y4m(header, &layout, "FRAME\n", 12);
    write_blob(name, file);
    free(file.bytes);
    return layout;
}

static void test_lossless_files(void **state) {
    (void)state;
    if (!have_ffmpeg())
        skip();
    static const struct {
        const char *colour_space;
        tally_pixel_format pixel_format;
        uint32_t bit_depth;
        const char *options, *name;
    } cases[] = {
        {"420jpeg", TALLY_PIXEL_FORMAT_420, 8, "-c:v libx264 -qp 0 -preset ultrafast", "x264.mp4"},
        {"420jpeg", TALLY_PIXEL_FORMAT_420, 8, "-c:v libx264 -qp 0 -preset medium -bf 3", "b_frames.mkv"},
        {"420p10", TALLY_PIXEL_FORMAT_420, 10, "-c:v libx264 -qp 0 -preset ultrafast", "x264_10.mov"},
        {"420jpeg", TALLY_PIXEL_FORMAT_420, 8, "-c:v ffv1 -level 3 -slicecrc 1", "ffv1.mkv"},
        {"420jpeg", TALLY_PIXEL_FORMAT_420, 8, "-c:v ffv1 -level 0", "ffv1_oldest.avi"},
        {"420jpeg", TALLY_PIXEL_FORMAT_420, 8, "-c:v ffv1 -level 1", "ffv1_old.mkv"},
        {"420jpeg", TALLY_PIXEL_FORMAT_420, 8, "-c:v ffv1 -level 3 -slices 24", "ffv1_slices.mkv"},
        {"420jpeg", TALLY_PIXEL_FORMAT_420, 8, "-c:v ffv1 -level 3 -slicecrc 0", "ffv1_plain.mkv"},
        {"422p10", TALLY_PIXEL_FORMAT_422, 10, "-c:v ffv1", "ffv1_10.mkv"},
        {"444p12", TALLY_PIXEL_FORMAT_444, 12, "-c:v ffv1", "ffv1_12.mkv"},
        {"444p16", TALLY_PIXEL_FORMAT_444, 16, "-strict -1 -c:v ffv1", "ffv1_16.mkv"},
        {"mono", TALLY_PIXEL_FORMAT_400, 8, "-c:v ffv1", "ffv1_gray.mkv"},
        {"422", TALLY_PIXEL_FORMAT_422, 8, "-c:v rawvideo -pix_fmt uyvy422", "packed.avi"},
        {"420jpeg", TALLY_PIXEL_FORMAT_420, 8, "-c:v rawvideo -pix_fmt nv12", "nv12.nut"},
        {"420p16", TALLY_PIXEL_FORMAT_420, 16, "-c:v rawvideo -pix_fmt yuv420p16be", "big_endian.nut"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char arguments[200];
        const ty_layout layout =
            write_source_clip("source.y4m", cases[i].colour_space, cases[i].pixel_format, cases[i].bit_depth);
        snprintf(arguments, sizeof arguments, "source.y4m %s", cases[i].options);
        if (!make(arguments, cases[i].name))
            continue;
        reading result = read_path(path_of(cases[i].name), NULL, true);
        if (result.end != TY_READ_END)
            fail_msg("%s", result.text);
        assert_true(ty_format_equal(&result.info.format, &layout.format));
        assert_samples(&result, &layout, 12);
        forget(&result);
    }
}

static blob read_file(const char *path) {
    blob content = {0};
    uint8_t bytes[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        append(&content, bytes, got);
    fclose(file);
    return content;
}

/* Cut at many places: never a quietly shorter clip. */
static void test_cut_containers(void **state) {
    (void)state;
    if (!have_ffmpeg())
        skip();
    static const char *const cases[][2] = {
        {"-c:v libx264 -preset ultrafast", "cut.mp4"},
        {"-c:v libx264 -preset ultrafast -movflags +faststart", "cut_faststart.mp4"},
        {"-c:v libx264 -preset ultrafast -movflags frag_keyframe+empty_moov -g 4", "cut_fragments.mp4"},
        {"-c:v ffv1", "cut.mkv"},
        {"-c:v ffv1 -f matroska -live 1", "cut_live.mkv"},
        {"-c:v mjpeg -pix_fmt yuvj420p", "cut.avi"},
    };
    write_source_clip("source.y4m", "420jpeg", TALLY_PIXEL_FORMAT_420, 8);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "source.y4m %s", cases[i][0]);
        if (!make(arguments, cases[i][1]))
            continue;
        blob whole = read_file(path_of(cases[i][1]));
        reading result = read_path(path_of(cases[i][1]), NULL, false);
        assert_int_equal(result.end, TY_READ_END);
        assert_int_equal(result.frames, 12);
        forget(&result);
        for (size_t part = 1; part <= 32; part++) {
            const size_t size = part <= 24 ? whole.size * part / 25 : whole.size - (size_t)1 * (33 - part);
            char name[80];
            snprintf(name, sizeof name, "part_%s", cases[i][1]);
            write_file(name, whole.bytes, size);
            result = read_path(path_of(name), NULL, false);
            if (result.end != TY_READ_ERROR)
                fail_msg("%s cut to %zu of %zu bytes gave %llu frames and no error", name, size, whole.size,
                         (unsigned long long)result.frames);
            assert_non_null(strstr(result.text, name));
            assert_true(result.frames <= 12);
            forget(&result);
        }
        free(whole.bytes);
    }
}

static void test_refused_files(void **state) {
    (void)state;
    if (!have_ffmpeg())
        skip();
    static const char *const cases[][3] = {
        {"-c:v png -pix_fmt rgb24", "rgb.mkv", "pixel format rgb24 is not supported"},
        {"-frames:v 1 -pix_fmt rgb24", "still.png", "pixel format rgb24 is not supported"},
        {"-c:v png -pix_fmt monob", "bits.mkv", "pixel format monob is not supported"},
        {"-c:v gif -frames:v 1", "palette.gif", "is not supported"},
        {"-c:v ffv1 -pix_fmt yuv440p", "440.mkv", "pixel format yuv440p is not supported"},
        {"-c:v ffv1 -pix_fmt yuv411p", "411.mkv", "pixel format yuv411p is not supported"},
        {"-c:v ffv1 -pix_fmt yuv410p", "410.mkv", "pixel format yuv410p is not supported"},
    };
    write_source_clip("source.y4m", "444", TALLY_PIXEL_FORMAT_444, 8);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "source.y4m %s", cases[i][0]);
        if (!make(arguments, cases[i][1]))
            continue;
        reading result = read_path(path_of(cases[i][1]), NULL, false);
        assert_failure(&result, TALLY_INPUT, cases[i][2]);
        assert_failure(&result, TALLY_INPUT, "ffmpeg -i IN -pix_fmt");
    }
    if (make("source.y4m -f lavfi -i anullsrc -t 0.1 -map 1:a -c:a pcm_s16le", "sound.wav")) {
        reading result = read_path(path_of("sound.wav"), NULL, false);
        assert_failure(&result, TALLY_INPUT, "holds no video");
    }
}

static void test_alpha_range_and_skip(void **state) {
    (void)state;
    if (!have_ffmpeg())
        skip();
    const ty_layout layout = write_source_clip("source.y4m", "444", TALLY_PIXEL_FORMAT_444, 8);
    if (make("source.y4m -c:v ffv1 -pix_fmt yuva444p -color_trc smpte2084", "alpha.mkv")) {
        reading result = read_path(path_of("alpha.mkv"), NULL, false);
        assert_samples(&result, &layout, 12);
        assert_string_equal(result.info.tags.range, "limited");
        assert_string_equal(result.info.tags.transfer, "smpte2084");
        forget(&result);
        ty_source *source;
        ty_error error = {0};
        blob wanted = {0};
        uint8_t *picture = malloc(layout.picture_bytes);
        assert_non_null(picture);
        void *const planes[3] = {picture, picture + 3300, picture + 6600};
        append_picture(&wanted, &layout, 11);
        assert_int_equal(ty_source_open(path_of("alpha.mkv"), NULL, true, NULL, &source, &error), TALLY_OK);
        for (int f = 0; f < 11; f++)
            assert_int_equal(ty_source_skip(source, &error), TY_READ_FRAME);
        assert_int_equal(ty_source_read(source, planes, NULL, &error), TY_READ_FRAME);
        assert_memory_equal(picture, wanted.bytes, wanted.size);
        assert_int_equal(ty_source_skip(source, &error), TY_READ_END);
        ty_source_release(source, 11);
        ty_source_close(source);
        free(picture);
        free(wanted.bytes);
    }
    if (make("source.y4m -c:v mjpeg -pix_fmt yuvj422p", "full.avi")) {
        reading result = read_path(path_of("full.avi"), NULL, false);
        assert_int_equal(result.info.format.pixel_format, TALLY_PIXEL_FORMAT_422);
        assert_string_equal(result.info.tags.range, "full");
        assert_int_equal(result.frames, 12);
        forget(&result);
    }
}

/* Two sizes in one stream: plain H.264 streams can simply be put one after the other. */
static void test_change_of_size(void **state) {
    (void)state;
    if (!have_ffmpeg())
        skip();
    write_source_clip("source.y4m", "420jpeg", TALLY_PIXEL_FORMAT_420, 8);
    if (!make("source.y4m -c:v libx264 -preset ultrafast", "a.h264") ||
        !make("source.y4m -c:v libx264 -preset ultrafast -vf scale=128:96", "b.h264"))
        skip();
    blob joined = read_file(path_of("a.h264"));
    blob second = read_file(path_of("b.h264"));
    append(&joined, second.bytes, second.size);
    reading result = read_path(write_blob("joined.h264", joined), NULL, false);
    assert_failure(&result, TALLY_INPUT,
                   "frame 12 is 128x96 yuv420p, but the video began as 66x50 420 with 8 bits");
    assert_int_equal(result.frames, 12);
    forget(&result);
    free(joined.bytes);
    free(second.bytes);
}

/* Every byte of a checksummed stream matters: a changed one in the frames' data is an error with the frame's
 * number. */
static void test_damaged_frames(void **state) {
    (void)state;
    if (!have_ffmpeg())
        skip();
    write_source_clip("source.y4m", "420jpeg", TALLY_PIXEL_FORMAT_420, 8);
    if (!make("source.y4m -c:v ffv1 -level 3 -slicecrc 1", "damaged.mkv"))
        skip();
    blob whole = read_file(path_of("damaged.mkv"));
    for (size_t part = 5; part < 9; part++) {
        uint8_t *at = &whole.bytes[whole.size * part / 10];
        *at ^= 0x55;
        reading result = read_path(write_blob("damaged.mkv", whole), NULL, false);
        assert_failure(&result, TALLY_INPUT, "damaged.mkv: frame ");
        assert_true(result.frames > 0 && result.frames < 12);
        forget(&result);
        *at ^= 0x55;
    }
    free(whole.bytes);
}

static void test_not_videos(void **state) {
    (void)state;
    uint8_t noise[5000];
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    reading result = read_path(write_file("noise.mp4", noise, sizeof noise), NULL, false);
    assert_failure(&result, TALLY_INPUT, "noise.mp4: is neither y4m nor a video");
    result = read_path(write_file("short.mp4", "x", 1), NULL, false);
    assert_failure(&result, TALLY_INPUT, "short.mp4: ");
}

/* Lists of other files are not followed, though the files are there and could be read. */
static void test_lists_of_files(void **state) {
    (void)state;
    if (!have_ffmpeg())
        skip();
    write_source_clip("source.y4m", "420jpeg", TALLY_PIXEL_FORMAT_420, 8);
    if (!make("source.y4m -c:v libx264 -preset ultrafast", "listed.ts"))
        skip();
    char list[300];
    snprintf(list, sizeof list,
             "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n%s/listed.ts\n#EXT-X-ENDLIST\n", folder);
    reading result = read_path(write_file("list.m3u8", list, strlen(list)), NULL, false);
    assert_failure(&result, TALLY_INPUT, "list.m3u8: ");
    snprintf(list, sizeof list, "ffconcat version 1.0\nfile listed.ts\n");
    result = read_path(write_file("list.ffconcat", list, strlen(list)), NULL, false);
    assert_failure(&result, TALLY_INPUT, "list.ffconcat: ");
}

/* ---- */

static int make_folder(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tally_source_XXXXXX", base && strlen(base) < 40 ? base : "/tmp");
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_y4m_formats),
        cmocka_unit_test(test_y4m_alignment),
        cmocka_unit_test(test_y4m_alpha_is_skipped),
        cmocka_unit_test(test_y4m_tags),
        cmocka_unit_test(test_y4m_long_lines),
        cmocka_unit_test(test_y4m_cut_everywhere),
        cmocka_unit_test(test_y4m_damage),
        cmocka_unit_test(test_y4m_garbage_after_frames),
        cmocka_unit_test(test_failures_stay),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_lent_memory_goes_back),
        cmocka_unit_test(test_release_from_other_threads),
        cmocka_unit_test(test_file_cut_while_open),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_raw_cut_everywhere),
        cmocka_unit_test(test_raw_mistakes),
        cmocka_unit_test(test_cannot_be_opened),
        cmocka_unit_test(test_named_pipe),
        cmocka_unit_test(test_lossless_files),
        cmocka_unit_test(test_cut_containers),
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_alpha_range_and_skip),
        cmocka_unit_test(test_change_of_size),
        cmocka_unit_test(test_damaged_frames),
        cmocka_unit_test(test_not_videos),
        cmocka_unit_test(test_lists_of_files),
    };
    signal(SIGPIPE, SIG_IGN); /* feeders of pipes whose reader gave up */
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
