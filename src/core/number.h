/* Numbers to and from text, whatever the process's locale. */
#ifndef TY_NUMBER_H
#define TY_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text must be one decimal number (digits with optional sign, point and exponent); rounded correctly. */
bool ty_parse_double(const char *text, double *value);

/* The whole text must be decimal digits, at most `max`. */
bool ty_parse_unsigned(const char *text, uint64_t max, uint64_t *value);

/* "%.{digits}g". */
void ty_print_double(double value, int digits, char *text, size_t size);

/* "%.{places}f". */
void ty_print_fixed(double value, int places, char *text, size_t size);

/* The fewest significant digits (up to 17) that read back as the same double; an exponent only from 1e+06 on and below 1e-4. */
void ty_print_shortest(double value, char *text, size_t size);

#endif
