#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>

void ty_log_message(ty_log *log, tally_log_level level, const char *format, ...) {
    if (!log->function)
        return;
    char text[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&log->mutex);
    log->function(log->opaque, level, text);
    pthread_mutex_unlock(&log->mutex);
}
