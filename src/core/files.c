/* Scores two files: opens, compares, reads ahead of the workers, finishes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/run.h"
#include "io/source.h"

typedef struct pair {
    tally_run *run;
    const tally_file_options *options;
    ty_source *sources[2];
    const ty_source_info *info[2];
    uint64_t skipped[2];   /* frames dropped at the start of each source, to translate frame numbers */
    bool ended[2];
    double next_progress;
} pair;

static const char *const role_names[2] = {"reference", "distorted"};

static tally_status open_both(pair *p, const char *const paths[2]) {
    ty_error *error = &p->run->error;
    /* Workers copy samples to pinned memory for a device, side by side; a CPU reads them where they are. */
    const ty_lending lending = p->run->backend->host_memory ? TY_LEND : TY_LEND_COLD;
    const tally_format *raw = p->options->raw.width ? &p->options->raw : NULL;
    if (strcmp(paths[0], "-") == 0 && strcmp(paths[1], "-") == 0)
        return ty_fail(error, TALLY_USAGE, "only one of the two inputs can be standard input ('-')");
    for (int i = 0; i < 2; i++) {
        if (ty_source_open(paths[i], raw, lending, &p->run->cancelled, &p->sources[i], error) != TALLY_OK)
            return error->status;
        p->info[i] = ty_source_describe(p->sources[i]);
    }
    return TALLY_OK;
}

/* ---- Do the two match? -------------------------------------------------------------------------------------------- */

static tally_status compare_formats(pair *p) {
    const tally_format *a = &p->info[0]->format, *b = &p->info[1]->format;
    const char *r = p->info[0]->path, *d = p->info[1]->path;
    ty_error *error = &p->run->error;
    if (a->width != b->width || a->height != b->height)
        return ty_fail(error, TALLY_MISMATCH, "the sizes do not match: %s is %ux%u, %s is %ux%u", r, a->width,
                       a->height, d, b->width, b->height);
    if (a->pixel_format != b->pixel_format)
        return ty_fail(error, TALLY_MISMATCH, "the pixel formats do not match: %s is %s, %s is %s", r,
                       ty_pixel_format_name(a->pixel_format), d, ty_pixel_format_name(b->pixel_format));
    if (a->bit_depth != b->bit_depth)
        return ty_fail(error, TALLY_MISMATCH, "the bit depths do not match: %s has %u bits, %s has %u", r,
                       a->bit_depth, d, b->bit_depth);
    return TALLY_OK;
}

static void compare_tag(pair *p, const char *what, const char *a, const char *b) {
    if (strcmp(a, b) != 0 && a[0] && b[0])
        ty_log_message(&p->run->log, TALLY_LOG_WARNING, "the %s differs: %s says %s, %s says %s", what,
                       p->info[0]->path, a, p->info[1]->path, b);
}

static void compare_tags(pair *p) {
    const ty_source_tags *a = &p->info[0]->tags, *b = &p->info[1]->tags;
    compare_tag(p, "colour range", a->range, b->range);
    compare_tag(p, "transfer characteristic", a->transfer, b->transfer);
    compare_tag(p, "interlacing", a->interlacing, b->interlacing);
}

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

static tally_status skip_frames(pair *p, int i, uint64_t count) {
    for (uint64_t n = 0; n < count && !p->ended[i]; n++) {
        const ty_read_result result = ty_source_skip(p->sources[i], &p->run->error);
        if (result == TY_READ_ERROR)
            return p->run->error.status;
        if (result == TY_READ_END)
            p->ended[i] = true;
        else
            p->skipped[i]++;
    }
    return TALLY_OK;
}

static tally_status skip_starts(pair *p) {
    const uint64_t skips[2] = {p->options->skip_reference, p->options->skip_distorted};
    for (int i = 0; i < 2; i++) {
        if (skip_frames(p, i, skips[i]) != TALLY_OK)
            return p->run->error.status;
        if (p->ended[i])
            return ty_fail(&p->run->error, TALLY_INPUT, "%s has only %" PRIu64 " frames; %" PRIu64 " were to be skipped",
                           p->info[i]->path, p->skipped[i], skips[i]);
    }
    return TALLY_OK;
}

/* Pairs that the run can have, as far as the files say; 0: unknown. */
static uint64_t expected_pairs(const pair *p) {
    uint64_t pairs = UINT64_MAX;
    const uint64_t skips[2] = {p->options->skip_reference, p->options->skip_distorted};
    for (int i = 0; i < 2; i++) {
        if (!p->info[i]->frames)
            return 0;
        const uint64_t left = p->info[i]->frames > skips[i] ? p->info[i]->frames - skips[i] : 0;
        pairs = left < pairs ? left : pairs;
    }
    return p->options->frames && p->options->frames < pairs ? p->options->frames : pairs;
}

static void report_progress(pair *p, uint64_t total, bool now) {
    if (!p->options->progress || (!now && ty_seconds() < p->next_progress))
        return;
    p->next_progress = ty_seconds() + 0.1;
    p->options->progress(p->options->progress_opaque, ty_engine_done(p->run->engine), total);
}

/* Reads one picture into the slot, or notes that the source has ended. */
static tally_status read_picture(pair *p, int i, ty_slot *slot) {
    const void *lent[3] = {NULL, NULL, NULL};
    const ty_read_result result = ty_source_read(p->sources[i], slot->own[i], lent, &p->run->error);
    if (result == TY_READ_ERROR)
        return p->run->error.status;
    p->ended[i] = result == TY_READ_END;
    for (uint32_t plane = 0; plane < 3; plane++)
        slot->samples[i][plane] = lent[0] ? lent[plane] : slot->own[i][plane];
    return TALLY_OK;
}

static void release(void *opaque, uint64_t frame) {
    pair *p = opaque;
    for (int i = 0; i < 2; i++)
        if (p->sources[i])
            ty_source_release(p->sources[i], frame + p->skipped[i]);
}

static tally_status read_all(pair *p, uint64_t total) {
    tally_run *run = p->run;
    const uint64_t limit = p->options->frames ? p->options->frames : UINT64_MAX;
    const uint64_t last = ty_run_last_needed(run);
    while (run->frames < limit && run->frames <= last) {
        ty_slot *slot = ty_engine_acquire(run->engine, run->frames);
        if (!slot)
            return ty_engine_error(run->engine, &run->error);
        for (int i = 0; i < 2; i++)
            if (read_picture(p, i, slot) != TALLY_OK)
                return run->error.status;
        if (p->ended[0] || p->ended[1])
            break;
        ty_engine_submit(run->engine, slot);
        run->frames++;
        report_progress(p, total, false);
    }
    return TALLY_OK;
}

/* Both sources are dropped up to the first frame that the range needs; frame numbers go on from there. */
static tally_status skip_to_range(pair *p) {
    tally_run *run = p->run;
    const uint64_t first = ty_run_first_needed(run);
    if (p->options->frames && first >= p->options->frames)
        return ty_fail(&run->error, TALLY_USAGE, "the range begins at frame %" PRIu64 ", but only %" PRIu64
                       " frames are to be read", first, p->options->frames);
    const uint64_t before[2] = {p->skipped[0], p->skipped[1]};
    for (int i = 0; i < 2; i++)
        if (skip_frames(p, i, first) != TALLY_OK)
            return run->error.status;
    if (p->ended[0] || p->ended[1]) {
        const int i = p->ended[0] ? 0 : 1;
        return ty_fail(&run->error, TALLY_INPUT, "%s has only %" PRIu64 " frames; the range to score begins at frame %"
                       PRIu64, p->info[i]->path, p->skipped[i] - before[i], run->config.from);
    }
    run->frames = first;
    /* Source frame numbers, as release() forms them, count from the first frame of the file. */
    for (int i = 0; i < 2; i++)
        p->skipped[i] = before[i];
    return TALLY_OK;
}

/* ---- Lengths ------------------------------------------------------------------------------------------------------ */

/* Frames of a source, of which `read` have been read: counted to the end unless its header says more than that. */
static uint64_t count_frames(ty_source *source, uint64_t read, bool *whole) {
    const ty_source_info *info = ty_source_describe(source);
    ty_error error = {0};
    if (info->frames >= read)
        return info->frames;
    while (ty_source_skip(source, &error) == TY_READ_FRAME)
        read++;
    *whole = error.status == TALLY_OK;
    return read;
}

/* After the pairs have been scored: if one file ended early, name both lengths. */
static tally_status compare_lengths(pair *p) {
    tally_run *run = p->run;
    if (p->ended[0] == p->ended[1])
        return TALLY_OK; /* both at the same frame, or stopped by --frames or --to */
    const int shorter = p->ended[0] ? 0 : 1, longer = 1 - shorter;
    bool whole = true;
    /* One frame of the longer file beyond the pairs has been read already. */
    const uint64_t length = count_frames(p->sources[longer], run->frames + p->skipped[longer] + 1, &whole);
    ty_error message = {0};
    ty_fail(&message, TALLY_MISMATCH,
            "%s ended before %s: the %s file has %" PRIu64 " frames, the %s file %s%" PRIu64 "; %" PRIu64
            " pairs were scored", p->info[shorter]->path, p->info[longer]->path, role_names[shorter],
            run->frames + p->skipped[shorter], role_names[longer], whole ? "" : "at least ", length, run->frames);
    if (p->options->allow_short) {
        ty_log_message(&run->log, TALLY_LOG_WARNING, "%s", message.text);
        return TALLY_OK;
    }
    run->error = message;
    return TALLY_MISMATCH;
}

static tally_status score(pair *p) {
    tally_run *run = p->run;
    compare_tags(p);
    if (skip_starts(p) != TALLY_OK)
        return run->error.status;
    const uint64_t total = expected_pairs(p);
    if (ty_run_start(run, &p->info[0]->format, total, release, p) != TALLY_OK || skip_to_range(p) != TALLY_OK ||
        read_all(p, total) != TALLY_OK || tally_run_finish(run) != TALLY_OK)
        return run->error.status;
    report_progress(p, total ? total : run->frames, true);
    return compare_lengths(p);
}

tally_status tally_run_score_files(tally_run *run, const char *reference, const char *distorted,
                                   const tally_file_options *options) {
    static const tally_file_options defaults = {0};
    if (!run)
        return TALLY_USAGE;
    if (run->error.status != TALLY_OK)
        return run->error.status;
    if (!reference || !distorted)
        return ty_fail(&run->error, TALLY_USAGE, "the %s file's name is NULL", reference ? "distorted" : "reference");
    if (run->stage != TY_RUN_OPEN)
        return ty_fail(&run->error, TALLY_USAGE, "the run has been started already");
    pair p = {.run = run, .options = options ? options : &defaults};
    const char *const paths[2] = {reference, distorted};
    run->reference = strdup(reference);
    run->distorted = strdup(distorted);
    if (!run->reference || !run->distorted)
        return ty_fail_memory(&run->error, "file names");
    tally_status status = open_both(&p, paths);
    if (status == TALLY_OK)
        status = compare_formats(&p);
    if (status == TALLY_OK)
        status = score(&p);
    /* A failed run still has workers that may read lent samples: they end before the sources do. */
    if (status != TALLY_OK && run->engine && run->stage != TY_RUN_FINISHED) {
        ty_engine_destroy(run->engine);
        run->engine = NULL;
    }
    for (int i = 0; i < 2; i++)
        ty_source_close(p.sources[i]);
    return status;
}
