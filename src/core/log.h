/* Messages to the caller's log function, one at a time. */
#ifndef TY_LOG_H
#define TY_LOG_H

#include <pthread.h>

#include "tally/tally.h"

typedef struct ty_log {
    tally_log_function function; /* NULL: silent */
    void *opaque;
    pthread_mutex_t mutex;
} ty_log;

void ty_log_message(ty_log *log, tally_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
