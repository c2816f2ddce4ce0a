/* digest [LEVEL [THREADS]]: scores every synthetic clip from memory with every feature that takes it and prints one digest a
 * clip, so that two builds, compilers or processors can be compared by comparing text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parity/synth.h"

static int submit_frames(tally_run *run, const synth_clip *clip, const ty_layout *layout) {
    uint8_t *samples[2] = {malloc(layout->picture_bytes), malloc(layout->picture_bytes)};
    tally_picture pictures[2] = {{{0}, {0}}, {{0}, {0}}};
    tally_status status = TALLY_OK;
    for (uint32_t t = 0; t < clip->frames && status == TALLY_OK; t++) {
        for (int d = 0; d < 2; d++) {
            void *planes[3] = {0};
            size_t offset = 0;
            for (uint32_t p = 0; p < layout->planes; p++) {
                planes[p] = samples[d] + offset;
                pictures[d].data[p] = planes[p];
                pictures[d].stride[p] = (ptrdiff_t)layout->stored_width[p] * layout->sample_bytes;
                offset += layout->plane_bytes[p];
            }
            synth_picture(clip, layout, d == 1, t, planes);
        }
        status = tally_run_submit(run, &pictures[0], &pictures[1]);
    }
    free(samples[0]);
    free(samples[1]);
    return (int)status;
}

static void log_error(void *opaque, tally_log_level level, const char *message) {
    (void)opaque;
    if (level == TALLY_LOG_ERROR)
        fprintf(stderr, "%s\n", message);
}

static int print_digest(const synth_clip *clip, const char *level, uint32_t threads) {
    const tally_config config = {.level = level, .threads = threads, .skip_unsupported = true, .log = log_error};
    tally_run *run;
    ty_layout layout;
    ty_error error = {0};
    char digest[65];
    if (tally_run_create(&config, &run) != TALLY_OK)
        return 1;
    const bool done = ty_layout_init(&layout, &clip->format, clip->name, &error) == TALLY_OK &&
                      tally_run_start(run, &clip->format) == TALLY_OK && submit_frames(run, clip, &layout) == 0 &&
                      tally_run_finish(run) == TALLY_OK && tally_run_digest(run, digest) == TALLY_OK;
    /* Depths in between are refused by most features; a clip that no feature takes is no failure. */
    if (done)
        printf("%s %zu %s\n", clip->name, tally_run_metric_count(run), digest);
    else
        printf("%s %s\n", clip->name, tally_run_error(run));
    tally_run_destroy(run);
    return 0;
}

int main(int argc, char **argv) {
    const char *level = argc > 1 ? argv[1] : "auto";
    const uint32_t threads = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    for (const synth_clip *clip = synth_clips; clip->name; clip++)
        if (print_digest(clip, level, threads))
            return 1;
    return 0;
}
