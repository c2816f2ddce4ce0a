/* tally verify: do two reports tally? */
#include <stdio.h>
#include <string.h>

#include "report/verify.h"
#include "tool.h"

static const char help[] =
    "usage: tally verify A.json B.json\n"
    "\n"
    "Compares the scores of two JSON reports bit for bit. If they differ, names the first metric and frame with both bit\n"
    "patterns. Write the reports with --precision max (or compare their digests, which do not depend on the precision).\n"
    "\n"
    "  tally score ref.y4m dis.y4m --level scalar --precision max -o a.json\n"
    "  tally score ref.y4m dis.y4m --level auto   --precision max -o b.json\n"
    "  tally verify a.json b.json\n"
    "\n"
    "Exit status: 0 they tally, 6 a bit differs, 2 a report cannot be read, 1 usage.\n";

int tool_verify(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return TALLY_OK;
        }
    if (argc != 3)
        return tool_usage("verify", "verify takes two reports, not %d", argc - 1);
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1])
            return tool_usage("verify", "there is no option '%s'", argv[i]);
    ty_error error = {0};
    const tally_status status = ty_verify(argv[1], argv[2], stdout, &error);
    return error.status != TALLY_OK ? tool_fail(error.status, "%s", error.text) : (int)status;
}
