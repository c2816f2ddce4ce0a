#include "report/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT UINT32_C(0xfffd)

static bool continues(unsigned char byte) {
    return (byte & 0xc0) == 0x80;
}

/* Reads one code point of UTF-8 and returns what follows. A byte that begins none gives U+FFFD. */
static const char *next_code(const char *text, uint32_t *code) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *const s = (const unsigned char *)text;
    const int length = s[0] < 0x80   ? 1
                       : s[0] < 0xc0 ? 0
                       : s[0] < 0xe0 ? 2
                       : s[0] < 0xf0 ? 3
                       : s[0] < 0xf8 ? 4
                                     : 0;
    uint32_t c = length > 1 ? s[0] & (0x7fu >> length) : s[0];
    *code = REPLACEMENT;
    if (length == 0)
        return text + 1;
    for (int i = 1; i < length; i++) {
        if (!continues(s[i])) /* also at the terminating zero */
            return text + 1;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return text + 1;
    *code = c;
    return text + length;
}

/* Prints a code point that was read from [from, to). */
static void put_code(FILE *out, uint32_t code, const char *from, const char *to) {
    if (code == REPLACEMENT)
        fputs("\xef\xbf\xbd", out);
    else
        fwrite(from, 1, (size_t)(to - from), out);
}

void ty_put_json(FILE *out, const char *text) {
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    while (*text) {
        uint32_t code;
        const char *const next = next_code(text, &code);
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (code < 0x20)
            fprintf(out, "\\u%04x", (unsigned)code);
        else
            put_code(out, code, text, next);
        text = next;
    }
    fputc('"', out);
}

void ty_put_xml(FILE *out, const char *text) {
    while (*text) {
        uint32_t code;
        const char *const next = next_code(text, &code);
        if (code == '"' || code == '\'' || code == '&' || code == '<' || code == '>' || code == '\t' ||
            code == '\n' || code == '\r')
            fprintf(out, "&#%u;", (unsigned)code);
        else
            put_code(out, code < 0x20 || code == 0xfffe || code == 0xffff ? REPLACEMENT : code, text, next);
        text = next;
    }
}

static bool in_range(uint32_t code, char first, char last) {
    return code >= (uint32_t)first && code <= (uint32_t)last;
}

static bool names_may_hold(uint32_t code, bool first) {
    if (in_range(code, 'a', 'z') || in_range(code, 'A', 'Z') || code == '_')
        return true;
    return !first && (in_range(code, '0', '9') || code == '-' || code == '.');
}

/* "_xHHHH_" in a name itself would read as an escape. */
static bool looks_escaped(const char *name) {
    return name[0] == '_' && name[1] == 'x' && strspn(name + 2, "0123456789abcdefABCDEF") >= 4;
}

void ty_put_xml_name(FILE *out, const char *name) {
    if (!*name)
        fputc('_', out);
    for (bool first = true; *name; first = false) {
        uint32_t code;
        const char *const next = next_code(name, &code);
        if (!names_may_hold(code, first) || looks_escaped(name))
            fprintf(out, code > 0xffff ? "_x%08X_" : "_x%04X_", (unsigned)code);
        else
            fputc((int)code, out);
        name = next;
    }
}

void ty_put_csv(FILE *out, const char *text) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static bool is_control(char c) {
    return (unsigned char)c < 0x20 || c == 0x7f;
}

void ty_put_sub(FILE *out, const char *text) {
    for (; *text; text++) {
        if (is_control(*text) || strchr("|{}%", *text))
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
    }
}

void ty_put_plain(FILE *out, const char *text) {
    for (; *text; text++)
        fputc(is_control(*text) ? '?' : *text, out);
}
