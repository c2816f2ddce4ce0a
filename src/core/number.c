#include "core/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The decimal point of the current locale may be several bytes long. */
static const char *point(void) {
    const struct lconv *conventions = localeconv();
    return conventions->decimal_point[0] ? conventions->decimal_point : ".";
}

static size_t digits(const char *text) { return strspn(text, "0123456789"); }

/* Length of the decimal number that text begins with, 0 if none. */
static size_t number_length(const char *text) {
    const char *at = text;
    at += *at == '+' || *at == '-';
    const size_t whole = digits(at);
    at += whole;
    size_t fraction = 0;
    if (*at == '.') {
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1;
        exponent += *exponent == '+' || *exponent == '-';
        if (digits(exponent))
            at = exponent + digits(exponent);
    }
    return (size_t)(at - text);
}

bool ty_parse_double(const char *text, double *value) {
    const size_t length = strlen(text);
    char copy[512];
    const char *decimal = point();
    if (length == 0 || number_length(text) != length || length + strlen(decimal) >= sizeof copy)
        return false;
    const char *dot = strchr(text, '.');
    const size_t whole = dot ? (size_t)(dot - text) : length;
    memcpy(copy, text, whole);
    copy[whole] = 0;
    if (dot) {
        strcat(copy, decimal);
        strcat(copy, dot + 1);
    }
    *value = strtod(copy, NULL);
    return true;
}

bool ty_parse_unsigned(const char *text, uint64_t max, uint64_t *value) {
    if (!*text || digits(text) != strlen(text))
        return false;
    uint64_t sum = 0;
    for (; *text; text++) {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (sum > (max - digit) / 10 || digit > max)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

/* Puts a '.' where the locale's decimal point is. */
static void restore_point(char *text) {
    const char *decimal = point();
    char *found = strcmp(decimal, ".") != 0 ? strstr(text, decimal) : NULL;
    if (!found)
        return;
    *found = '.';
    memmove(found + 1, found + strlen(decimal), strlen(found + strlen(decimal)) + 1);
}

void ty_print_double(double value, int significant, char *text, size_t size) {
    snprintf(text, size, "%.*g", significant, value);
    restore_point(text);
}

void ty_print_fixed(double value, int places, char *text, size_t size) {
    snprintf(text, size, "%.*f", places, value);
    restore_point(text);
}

void ty_print_shortest(double value, char *text, size_t size) {
    for (int significant = 6; significant <= 17; significant++) { /* %g leaves out zeros, but writes 50 with one digit as 5e+01 */
        double again;
        ty_print_double(value, significant, text, size);
        if (ty_parse_double(text, &again) && again == value)
            return;
    }
}
