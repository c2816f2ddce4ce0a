/* What the commands of the `tally` program share. */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "tally/tally.h"

/* One command: `tally NAME …`. argv[0] is the command's name. Returns the exit status. */
typedef struct tool_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} tool_command;

int tool_score(int argc, char **argv);
int tool_devices(int argc, char **argv);
int tool_features(int argc, char **argv);
int tool_models(int argc, char **argv);
int tool_parity(int argc, char **argv);
int tool_verify(int argc, char **argv);

/* "tally: text" to standard error; returns the status, to end a command with. */
int tool_fail(tally_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for wrong usage of a command, with a line that points to its --help. */
int tool_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads an unsigned decimal number of at most `max`; false with a message naming the option. */
bool tool_unsigned(const char *command, const char *option, const char *text, uint64_t max, uint64_t *value);

/* Flushes and closes standard output; a write error there is TALLY_INPUT. */
int tool_finish_output(int status);

#endif
