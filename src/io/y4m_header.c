#include "io/y4m_header.h"

#include <stdio.h>
#include <string.h>

typedef struct ty_token {
    const char *text;
    size_t length;
} ty_token;

/* Text of a file made fit for a message: short and printable. */
typedef struct ty_shown {
    char text[48];
} ty_shown;

static ty_shown show(ty_token token) {
    ty_shown shown;
    const size_t room = sizeof shown.text - 4;
    const size_t length = token.length < room ? token.length : room;
    for (size_t i = 0; i < length; i++)
        shown.text[i] = token.text[i] >= 0x20 && token.text[i] < 0x7f ? token.text[i] : '?';
    memcpy(shown.text + length, token.length > room ? "..." : "", token.length > room ? 4 : 1);
    return shown;
}

static bool equals(ty_token token, const char *text) {
    return token.length == strlen(text) && memcmp(token.text, text, token.length) == 0;
}

static bool begins(ty_token token, const char *text) {
    return token.length >= strlen(text) && memcmp(token.text, text, strlen(text)) == 0;
}

static ty_token after(ty_token token, size_t count) {
    return (ty_token){token.text + count, token.length - count};
}

/* Decimal digits only, no leading zero, at most `most`: else 0. */
static uint32_t number(ty_token token, uint32_t most) {
    uint32_t value = 0;
    if (token.length == 0 || token.text[0] == '0')
        return 0;
    for (size_t i = 0; i < token.length; i++) {
        if (token.text[i] < '0' || token.text[i] > '9')
            return 0;
        value = 10 * value + (uint32_t)(token.text[i] - '0');
        if (value > most)
            return 0;
    }
    return value;
}

static tally_status parse_side(ty_token value, char tag, const char *name, uint32_t *side, ty_error *error) {
    if (*side != 0)
        return ty_fail(error, TALLY_INPUT, "%s: y4m header: the tag %c stands twice", name, tag);
    *side = number(value, 65535);
    if (*side == 0)
        return ty_fail(error, TALLY_INPUT, "%s: y4m header: %s of \"%s\" is not a number from 1 to 65535",
                       name, tag == 'W' ? "width" : "height", show(value).text);
    return TALLY_OK;
}

typedef struct ty_colour_space {
    const char *name;
    tally_pixel_format pixel_format;
    bool deep; /* the name is followed by a bit depth of 9 to 16 */
    bool alpha;
} ty_colour_space;

static const ty_colour_space colour_spaces[] = {
    {"420", TALLY_PIXEL_FORMAT_420, false, false},      {"420jpeg", TALLY_PIXEL_FORMAT_420, false, false},
    {"420mpeg2", TALLY_PIXEL_FORMAT_420, false, false}, {"420paldv", TALLY_PIXEL_FORMAT_420, false, false},
    {"422", TALLY_PIXEL_FORMAT_422, false, false},      {"444", TALLY_PIXEL_FORMAT_444, false, false},
    {"444alpha", TALLY_PIXEL_FORMAT_444, false, true},  {"mono", TALLY_PIXEL_FORMAT_400, false, false},
    {"420p", TALLY_PIXEL_FORMAT_420, true, false},      {"422p", TALLY_PIXEL_FORMAT_422, true, false},
    {"444p", TALLY_PIXEL_FORMAT_444, true, false},      {"mono", TALLY_PIXEL_FORMAT_400, true, false},
};

static bool match_colour_space(const ty_colour_space *space, ty_token value, uint32_t *bit_depth) {
    if (!space->deep) {
        *bit_depth = 8;
        return equals(value, space->name);
    }
    if (!begins(value, space->name))
        return false;
    *bit_depth = number(after(value, strlen(space->name)), 16);
    return *bit_depth > 8;
}

static tally_status parse_colour_space(ty_token value, const char *name, ty_y4m_header *header,
                                       ty_error *error) {
    if (header->format.bit_depth != 0)
        return ty_fail(error, TALLY_INPUT, "%s: y4m header: the tag C stands twice", name);
    for (size_t i = 0; i < sizeof colour_spaces / sizeof colour_spaces[0]; i++) {
        if (!match_colour_space(&colour_spaces[i], value, &header->format.bit_depth))
            continue;
        header->format.pixel_format = colour_spaces[i].pixel_format;
        header->alpha = colour_spaces[i].alpha;
        return TALLY_OK;
    }
    if (begins(value, "411") || begins(value, "440"))
        return ty_fail(
            error, TALLY_INPUT,
            "%s: y4m colour space \"%s\" (4:%c:%c) is not supported: convert both videos, e.g. with "
            "ffmpeg -i IN -pix_fmt yuv444p OUT.y4m",
            name, show(value).text, value.text[1], value.text[2]);
    return ty_fail(
        error, TALLY_INPUT,
        "%s: unknown y4m colour space \"%s\" (known: 420, 420jpeg, 420mpeg2, 420paldv, 422, 444, 444alpha, "
        "mono, and 420pN, 422pN, 444pN, monoN with N from 9 to 16)",
        name, show(value).text);
}

static tally_status parse_interlacing(ty_token value, const char *name, bool *seen, ty_source_tags *tags,
                                      ty_error *error) {
    static const struct {
        char letter;
        const char *meaning;
    } kinds[] = {{'p', "progressive"}, {'t', "top first"}, {'b', "bottom first"}, {'m', "mixed"}, {'?', ""}};
    if (*seen)
        return ty_fail(error, TALLY_INPUT, "%s: y4m header: the tag I stands twice", name);
    *seen = true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (value.length == 1 && value.text[0] == kinds[i].letter) {
            snprintf(tags->interlacing, sizeof tags->interlacing, "%s", kinds[i].meaning);
            return TALLY_OK;
        }
    return ty_fail(error, TALLY_INPUT, "%s: y4m header: unknown interlacing \"%s\" (known: p, t, b, m, ?)",
                   name, show(value).text);
}

static void parse_extension(ty_token value, ty_source_tags *tags) {
    if (equals(value, "COLORRANGE=FULL"))
        snprintf(tags->range, sizeof tags->range, "full");
    else if (equals(value, "COLORRANGE=LIMITED"))
        snprintf(tags->range, sizeof tags->range, "limited");
}

static tally_status parse_tag(ty_token token, const char *name, bool *interlacing_seen, ty_y4m_header *header,
                              ty_error *error) {
    const ty_token value = after(token, 1);
    switch (token.text[0]) {
    case 'W':
        return parse_side(value, 'W', name, &header->format.width, error);
    case 'H':
        return parse_side(value, 'H', name, &header->format.height, error);
    case 'C':
        return parse_colour_space(value, name, header, error);
    case 'I':
        return parse_interlacing(value, name, interlacing_seen, &header->tags, error);
    case 'X':
        parse_extension(value, &header->tags);
        return TALLY_OK;
    default:
        return TALLY_OK;
    }
}

/* Takes the next word off the front of `rest`; false at the end. */
static bool next_token(ty_token *rest, ty_token *token) {
    while (rest->length > 0 && rest->text[0] == ' ')
        *rest = after(*rest, 1);
    const char *end = rest->length > 0 ? memchr(rest->text, ' ', rest->length) : NULL;
    *token = (ty_token){rest->text, end ? (size_t)(end - rest->text) : rest->length};
    *rest = after(*rest, token->length);
    return token->length > 0;
}

static tally_status check_magic(ty_token line, const char *name, ty_error *error) {
    if (!begins(line, "YUV4MPEG2"))
        return ty_fail(error, TALLY_INPUT,
                       "%s: begins with \"%s\" instead of \"YUV4MPEG2\": no y4m file that Tally reads", name,
                       show((ty_token){line.text, line.length < 9 ? line.length : 9}).text);
    if (line.text[line.length - 1] == '\r')
        return ty_fail(
            error, TALLY_INPUT,
            "%s: the y4m header ends in carriage return and line feed: the file was changed as if it were "
            "text and is damaged",
            name);
    if (line.length > 9 && line.text[9] != ' ')
        return ty_fail(error, TALLY_INPUT, "%s: y4m header: no blank after \"YUV4MPEG2\" but \"%s\"", name,
                       show((ty_token){line.text + 9, 1}).text);
    return TALLY_OK;
}

tally_status ty_y4m_parse_header(const char *line, size_t length, const char *name, ty_y4m_header *header,
                                 ty_error *error) {
    *header = (ty_y4m_header){0};
    ty_token rest = {line, length}, token;
    bool interlacing_seen = false;
    if (check_magic(rest, name, error) != TALLY_OK)
        return error->status;
    rest = after(rest, 9);
    while (next_token(&rest, &token))
        if (parse_tag(token, name, &interlacing_seen, header, error) != TALLY_OK)
            return error->status;
    if (header->format.width == 0 || header->format.height == 0)
        return ty_fail(error, TALLY_INPUT, "%s: y4m header: the tag %c (%s) is missing", name,
                       header->format.width == 0 ? 'W' : 'H', header->format.width == 0 ? "width" : "height");
    if (header->format.bit_depth == 0) {
        header->format.bit_depth = 8;
        header->format.pixel_format = TALLY_PIXEL_FORMAT_420;
    }
    return TALLY_OK;
}

tally_status ty_y4m_parse_frame(const char *line, size_t length, const char *name, uint64_t frame,
                                uint64_t offset, ty_error *error) {
    const ty_token token = {line, length};
    const unsigned long long number_shown = frame, offset_shown = offset;
    if (begins(token, "FRAME") && line[length - 1] == '\r')
        return ty_fail(
            error, TALLY_INPUT,
            "%s: frame %llu, byte %llu: the frame header ends in carriage return and line feed: the file "
            "was changed as if it were text and is damaged",
            name, number_shown, offset_shown);
    if (!begins(token, "FRAME") || (length > 5 && line[5] != ' '))
        return ty_fail(
            error, TALLY_INPUT,
            "%s: frame %llu: \"%s\" stands at byte %llu instead of a frame header (\"FRAME\"): the file is "
            "damaged, or its header gives a wrong size or colour space",
            name, number_shown, show((ty_token){line, length < 6 ? length : 6}).text, offset_shown);
    return TALLY_OK;
}
