#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/run.h"

static double began;
static bool shown;

static void print_time(double seconds) {
    const unsigned whole = (unsigned)(seconds + 0.5);
    if (whole >= 3600)
        fprintf(stderr, "%u:%02u:%02u", whole / 3600, whole / 60 % 60, whole % 60);
    else
        fprintf(stderr, "%u:%02u", whole / 60, whole % 60);
}

static void show(void *opaque, uint64_t done, uint64_t total) {
    (void)opaque;
    const double elapsed = ty_seconds() - began;
    const double rate = elapsed > 0 ? (double)done / elapsed : 0;
    fprintf(stderr, "\r%" PRIu64, done);
    if (total)
        fprintf(stderr, " of %" PRIu64, total);
    fprintf(stderr, " frames, %.1f frames/s", rate);
    if (total > done && rate > 0) {
        fputs(", ", stderr);
        print_time((double)(total - done) / rate);
        fputs(" left", stderr);
    }
    fputs("\033[K", stderr);
    shown = true;
}

void progress_start(bool quiet, tally_file_options *options) {
    began = ty_seconds();
    if (!quiet && isatty(STDERR_FILENO))
        options->progress = show;
}

void progress_clear(void) {
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
