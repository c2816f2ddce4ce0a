#include "core/number.h"

#include <math.h>
#include <stdio.h>

#include "report/report.h"

/* Below this "%.6f" fits the caller's 64 bytes: sign, 55 digits, point, 6 digits, zero. */
#define FIXED_LIMIT 1e55

/* The reference's way to see whether six places lose value: how often the fraction must be multiplied by ten
 * to reach one (or to vanish). Its own conversion to int is undefined from 2^31 on; there no fraction is
 * printed but zeros. */
static bool needs_sixteen_places(double value) {
    const double magnitude = fabs(value);
    if (magnitude >= 2147483648.0)
        return false;
    double fraction = magnitude - (double)(int)magnitude;
    int steps = 0;
    for (; fraction < 1.0 && fraction != 0.0; steps++)
        fraction = fraction * 10.0;
    return steps > 6;
}

void ty_format_score(double value, int precision, char text[64]) {
    if (isnan(value))
        snprintf(text, 64, "nan");
    else if (isinf(value))
        snprintf(text, 64, value < 0.0 ? "-inf" : "inf");
    else if (precision != TALLY_PRECISION_DEFAULT)
        ty_print_double(value, precision, text, 64);
    else if (fabs(value) >= FIXED_LIMIT)
        ty_print_double(value, TALLY_PRECISION_MAX, text, 64);
    else
        ty_print_fixed(value, needs_sixteen_places(value) ? 16 : 6, text, 64);
}
