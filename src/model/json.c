#include "model/json.h"

#include <locale.h>
#include <string.h>

typedef struct scan {
    const char *data;
    size_t size, at;
    uint32_t depth, values;
    const char *problem; /* at byte `at` */
} scan;

static bool value(scan *s);

static bool fail(scan *s, const char *problem) {
    if (!s->problem)
        s->problem = problem;
    return false;
}

/* The next byte, or 0 at the end (which is no byte that JSON allows outside of strings). */
static unsigned char peek(const scan *s) {
    return s->at < s->size ? (unsigned char)s->data[s->at] : 0;
}

static bool take(scan *s, char c) {
    if (s->at == s->size || s->data[s->at] != c)
        return false;
    s->at++;
    return true;
}

static void space(scan *s) {
    while (peek(s) == ' ' || peek(s) == '\t' || peek(s) == '\n' || peek(s) == '\r')
        s->at++;
}

static bool is_digit(unsigned char c) {
    return c >= '0' && c <= '9';
}

static bool digits(scan *s) {
    if (!is_digit(peek(s)))
        return fail(s, s->at == s->size ? "the file ends inside a number" : "a digit is missing");
    while (is_digit(peek(s)))
        s->at++;
    return true;
}

static bool number(scan *s) {
    const size_t start = s->at;
    take(s, '-');
    if (!take(s, '0') && !digits(s))
        return false;
    if (take(s, '.') && !digits(s))
        return false;
    if (peek(s) == 'e' || peek(s) == 'E') {
        s->at++;
        if (!take(s, '+'))
            take(s, '-');
        if (!digits(s))
            return false;
    }
    if (s->at - start > TY_JSON_MAX_NUMBER) {
        s->at = start;
        return fail(s, "a number of more than 63 characters");
    }
    return true;
}

static bool literal(scan *s, const char *word) {
    for (; *word; word++)
        if (!take(s, *word))
            return fail(s, "no JSON value (true, false and null are the only words)");
    return true;
}

static bool is_hex(unsigned char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool escape(scan *s) {
    const unsigned char c = peek(s);
    if (c != 'u') {
        if (c == 0 || !strchr("\"\\/bfnrt", c))
            return fail(s, "an unknown escape in a string");
        s->at++;
        return true;
    }
    const size_t start = s->at++;
    for (int i = 0; i < 4; i++, s->at++)
        if (!is_hex(peek(s)))
            return fail(s, "\\u wants four hexadecimal digits");
    if (memcmp(s->data + start, "u0000", 5) == 0)
        return fail(s, "a zero character in a string");
    return true;
}

static bool string(scan *s) {
    s->at++;
    while (s->at < s->size) {
        const unsigned char c = (unsigned char)s->data[s->at];
        if (c == '"') {
            s->at++;
            return true;
        }
        if (c < 0x20)
            return fail(s, "a control character in a string");
        s->at++;
        if (c == '\\' && !escape(s))
            return false;
    }
    return fail(s, "the file ends inside a string");
}

/* The members of an object or array, up to `close`. */
static bool members(scan *s, char close, bool keys) {
    if (++s->depth > TY_JSON_MAX_DEPTH)
        return fail(s, "nested more than 32 deep");
    s->at++;
    space(s);
    if (take(s, close)) {
        s->depth--;
        return true;
    }
    do {
        space(s);
        if (keys) {
            if (peek(s) != '"')
                return fail(s, s->at == s->size ? "the file ends inside an object"
                                                : "a key in quotes is missing");
            if (!string(s))
                return false;
            space(s);
            if (!take(s, ':'))
                return fail(s, "':' is missing after a key");
        }
        if (!value(s))
            return false;
        space(s);
    } while (take(s, ','));
    if (!take(s, close))
        return fail(s, s->at == s->size ? "the file ends too early" : "',' or a closing bracket is missing");
    s->depth--;
    return true;
}

/* Recursion ends at TY_JSON_MAX_DEPTH. */
static bool value(scan *s) {
    if (++s->values > TY_JSON_MAX_VALUES)
        return fail(s, "more than 1000000 values");
    space(s);
    switch (peek(s)) {
    case '{':
        return members(s, '}', true);
    case '[':
        return members(s, ']', false);
    case '"':
        return string(s);
    case 't':
        return literal(s, "true");
    case 'f':
        return literal(s, "false");
    case 'n':
        return literal(s, "null");
    default:
        if (peek(s) == '-' || is_digit(peek(s)))
            return number(s);
        return fail(s, s->at == s->size ? "the file ends too early" : "no JSON value");
    }
}

static cJSON *parse_in_c_locale(const char *data, size_t size) {
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return NULL;
    const locale_t before = uselocale(c);
    cJSON *root = cJSON_ParseWithLength(data, size);
    uselocale(before);
    freelocale(c);
    return root;
}

tally_status ty_json_read(const char *data, size_t size, const char *file, cJSON **root, ty_error *error) {
    *root = NULL;
    if (size > TY_JSON_MAX_BYTES)
        return ty_fail(error, TALLY_INPUT, "%s: too large for a model: %zu bytes, at most %u", file, size,
                       TY_JSON_MAX_BYTES);
    scan s = {.data = data, .size = size};
    space(&s);
    if (peek(&s) != '{')
        return ty_fail(error, TALLY_INPUT, "%s: byte %zu: a model file begins with '{'", file, s.at);
    if (!value(&s))
        return ty_fail(error, TALLY_INPUT, "%s: byte %zu: not valid JSON: %s", file, s.at, s.problem);
    /* What passed the scan is well-formed, so only memory can be short now. */
    if (!(*root = parse_in_c_locale(data, s.at)))
        return ty_fail_memory(error, "model file");
    return TALLY_OK;
}

tally_status ty_json_member(const cJSON *object, const char *key, const char *file, const char *where,
                            const cJSON **member, ty_error *error) {
    *member = NULL;
    for (const cJSON *m = object->child; m; m = m->next) {
        if (strcmp(m->string, key) != 0)
            continue;
        if (*member)
            return ty_fail(error, TALLY_INPUT, "%s: %s%s%s: the key occurs twice", file, where,
                           *where ? "." : "", key);
        *member = m;
    }
    return TALLY_OK;
}

const char *ty_json_kind(const cJSON *v) {
    return cJSON_IsNull(v)     ? "null"
           : cJSON_IsBool(v)   ? "a boolean"
           : cJSON_IsNumber(v) ? "a number"
           : cJSON_IsString(v) ? "a string"
           : cJSON_IsArray(v)  ? "an array"
                               : "an object";
}
