/* The `tally` program: finds the command and runs it. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "tool.h"

static const tool_command commands[] = {
    {"score", "score a video against its reference", tool_score},
    {"verify", "say whether two reports hold the same bits", tool_verify},
    {"features", "list the features with their options and metrics", tool_features},
    {"parity", "compare the bits of every processor of this machine", tool_parity},
    {"devices", "list what can compute: backends, devices, what runs there", tool_devices},
    {"models", "list the models, and download published ones", tool_models},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void print_help(FILE *out) {
    fputs("Tally measures how close a video is to its reference, with the same bits on every processor.\n"
          "\n"
          "usage: tally COMMAND [ARGUMENTS]\n"
          "\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n"
          "  tally COMMAND --help    how to use a command, with examples\n"
          "  tally --version         the version\n"
          "\n"
          "Score two files with every feature, and see a table:\n"
          "  tally score reference.mp4 distorted.mp4\n"
          "\n"
          "Exit status: 0 scored whole, 1 usage, 2 an input cannot be read or is damaged (or a report not written),\n"
          "3 the inputs do not match, 4 device, 5 internal or out of memory, 6 bits differ.\n",
          out);
}

int tool_fail(tally_status status, const char *format, ...) {
    va_list arguments;
    fputs("tally: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return (int)status;
}

int tool_usage(const char *command, const char *format, ...) {
    va_list arguments;
    fputs("tally: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'tally%s%s --help'.\n", command[0] ? " " : "", command);
    return TALLY_USAGE;
}

bool tool_unsigned(const char *command, const char *option, const char *text, uint64_t max, uint64_t *value) {
    if (ty_parse_unsigned(text, max, value))
        return true;
    tool_usage(command, "%s %s: must be a whole number from 0 to %llu", option, text, (unsigned long long)max);
    return false;
}

int tool_finish_output(int status) {
    const bool failed = ferror(stdout) | (fclose(stdout) != 0);
    if (failed && (status == TALLY_OK || status == TALLY_DIFFERENT))
        return tool_fail(TALLY_INPUT, "standard output cannot be written: %s", strerror(errno));
    return status;
}

/* A mapped input that another program truncates while it is read. */
static void input_vanished(int signal_number) {
    (void)signal_number;
    static const char message[] = "tally: an input file was cut short while it was being read\n";
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) {
    }
    _exit(TALLY_INPUT);
}

int main(int argc, char **argv) {
    setlocale(LC_ALL, "C");
    signal(SIGBUS, input_vanished);
    if (argc < 2) {
        print_help(stderr);
        return TALLY_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return tool_finish_output(TALLY_OK);
    }
    if (strcmp(name, "--version") == 0) {
        printf("tally %s\n", tally_version());
        return tool_finish_output(TALLY_OK);
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return tool_finish_output(commands[i].run(argc - 1, argv + 1));
    return tool_usage("", "there is no command '%s'", name);
}
