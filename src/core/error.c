#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

/* Words from files may stand in a message, and a message may go to a terminal. */
static void mask_control_characters(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

tally_status ty_fail(ty_error *error, tally_status status, const char *format, ...) {
    if (error->status != TALLY_OK)
        return error->status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    mask_control_characters(error->text);
    error->status = status;
    return status;
}

tally_status ty_fail_memory(ty_error *error, const char *what) {
    return ty_fail(error, TALLY_INTERNAL, "out of memory (%s)", what);
}

const char *tally_status_name(tally_status status) {
    static const char *const names[] = {"ok",     "usage",    "input",     "mismatch",
                                        "device", "internal", "different", "cancelled"};
    return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "unknown";
}
