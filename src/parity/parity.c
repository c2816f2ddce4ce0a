#include "parity/parity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/run.h"

/* Requests that can share a run: no two of them write the same metric. */
typedef struct batch {
    ty_instances instances;  /* to find out which requests get along */
    const char **requests;
    size_t count;
} batch;

static const ty_parity_way definition = {.backend = "cpu", .level = "scalar", .threads = 1, .label = "scalar"};

/* ---- Batches ------------------------------------------------------------------------------------------------------- */

/* Whether the request's options are different by name from those of all instances of its feature in the batch. */
static bool gets_along(const batch *b, const ty_instance *candidate) {
    for (uint32_t i = 0; i < b->instances.count; i++) {
        const ty_instance *there = &b->instances.items[i];
        if (there->feature == candidate->feature &&
            ty_options_compare(there->feature->options, there->options, candidate->options) != TY_OPTIONS_DISTINCT)
            return false;
    }
    return true;
}

static tally_status make_batches(const ty_parity *parity, batch *batches, size_t *count, ty_error *error) {
    for (size_t r = 0; r < parity->request_count; r++) {
        ty_instances alone = {0};
        if (ty_instances_request(&alone, parity->requests[r], error) != TALLY_OK)
            return error->status;
        size_t b = 0;
        while (b < *count && !gets_along(&batches[b], &alone.items[0]))
            b++;
        ty_instances_free(&alone);
        if (b == *count) {
            batches[b].requests = calloc(parity->request_count, sizeof *batches[b].requests);
            if (!batches[b].requests)
                return ty_fail_memory(error, "requests");
            (*count)++;
        }
        if (ty_instances_request(&batches[b].instances, parity->requests[r], error) != TALLY_OK)
            return error->status;
        batches[b].requests[batches[b].count++] = parity->requests[r];
    }
    return TALLY_OK;
}

/* ---- One run ------------------------------------------------------------------------------------------------------- */

static tally_status submit_synthetic(tally_run *run, const synth_clip *clip) {
    const ty_layout *layout = &run->layout;
    if (tally_run_start(run, &clip->format) != TALLY_OK)
        return run->error.status;
    for (uint32_t t = 0; t < clip->frames; t++) {
        ty_slot *slot = ty_engine_acquire(run->engine, t);
        if (!slot)
            return ty_engine_error(run->engine, &run->error);
        synth_picture(clip, layout, false, t, slot->own[TY_REFERENCE]);
        synth_picture(clip, layout, true, t, slot->own[TY_DISTORTED]);
        ty_engine_submit(run->engine, slot);
        run->frames++;
    }
    return tally_run_finish(run);
}

/* The finished run, or NULL with the reason. */
static tally_run *compute(const batch *b, const ty_parity_clip *clip, const ty_parity_way *way, char reason[320]) {
    const tally_config config = {.threads = way->threads,
                                 .backend = way->backend,
                                 .level = way->level[0] ? way->level : NULL,
                                 .device = way->device,
                                 .skip_unsupported = true};
    tally_run *run = NULL;
    tally_status status = tally_run_create(&config, &run);
    if (status != TALLY_OK) {
        snprintf(reason, 320, "%s cannot be used here", way->label);
        return NULL;
    }
    for (size_t r = 0; r < b->count && status == TALLY_OK; r++)
        status = tally_run_add_feature(run, b->requests[r]);
    if (status == TALLY_OK)
        status = clip->reference ? tally_run_score_files(run, clip->reference, clip->distorted, NULL)
                                 : submit_synthetic(run, &clip->synthetic);
    if (status == TALLY_OK)
        return run;
    snprintf(reason, 320, "%.319s", tally_run_error(run));
    tally_run_destroy(run);
    return NULL;
}

/* ---- Comparing ----------------------------------------------------------------------------------------------------- */

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Doubles in order as integers, so that their distance counts the doubles between them. */
static int64_t place(double value) {
    const int64_t bits = (int64_t)bits_of(value);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static void note_difference(ty_parity_cell *cell, const char *clip, uint64_t frame, const char *metric, double expected,
                            double got) {
    const uint64_t ulps = place(expected) > place(got) ? (uint64_t)place(expected) - (uint64_t)place(got)
                                                       : (uint64_t)place(got) - (uint64_t)place(expected);
    if (cell->differing++ == 0)
        snprintf(cell->first, sizeof cell->first, "%s, frame %llu, %s: %016llx here, %016llx at level scalar, %llu ULPs",
                 clip, (unsigned long long)frame, metric, (unsigned long long)bits_of(got),
                 (unsigned long long)bits_of(expected), (unsigned long long)ulps);
}

static void compare_column(const tally_run *expected, const tally_run *got, const char *metric, const char *clip,
                           ty_parity_cell *cell) {
    const size_t a = ty_scores_find(expected->scores, metric), b = ty_scores_find(got->scores, metric);
    for (uint64_t frame = 0; frame < expected->frames; frame++) {
        double x = 0, y = 0;
        if (!ty_scores_get(expected->scores, a, frame, &x))
            continue;
        cell->values++;
        const bool there = b != SIZE_MAX && ty_scores_get(got->scores, b, frame, &y);
        if (!there || bits_of(x) != bits_of(y))
            note_difference(cell, clip, frame, metric, x, y);
    }
}

static const char *clip_name(const ty_parity_clip *clip) {
    return clip->reference ? clip->distorted : clip->synthetic.name;
}

/* The rows of a batch: an instance of the run belongs to the request that prints like it. */
static void compare(const ty_parity *parity, const tally_run *expected, const tally_run *got, const ty_parity_clip *clip,
                    size_t way) {
    char of_instance[1024], of_request[1024];
    for (uint32_t i = 0; i < expected->instances.count; i++) {
        const ty_instance *instance = &expected->instances.items[i];
        ty_options_print(instance->feature->options, instance->options, instance->feature->name, of_instance,
                         sizeof of_instance);
        for (size_t r = 0; r < parity->request_count; r++) {
            ty_instances alone = {0};
            ty_error ignored = {0};
            if (ty_instances_request(&alone, parity->requests[r], &ignored) != TALLY_OK)
                continue;
            ty_options_print(alone.items[0].feature->options, alone.items[0].options, alone.items[0].feature->name,
                             of_request, sizeof of_request);
            ty_instances_free(&alone);
            if (strcmp(of_instance, of_request) != 0)
                continue;
            for (uint32_t m = 0; instance->feature->metrics[m].name; m++)
                if (instance->columns[m] != SIZE_MAX)
                    compare_column(expected, got, ty_scores_name(expected->scores, instance->columns[m]),
                                   clip_name(clip), &parity->cells[r * parity->way_count + way]);
        }
    }
}

/* A batch that could not be computed in this way leaves the reason in the cells of all its requests. */
static void note_failure(const ty_parity *parity, const batch *b, size_t way, const char *reason) {
    for (size_t r = 0; r < parity->request_count; r++)
        for (size_t i = 0; i < b->count; i++)
            if (parity->requests[r] == b->requests[i])
                snprintf(parity->cells[r * parity->way_count + way].failure, 320, "%s", reason);
}

static tally_status run_clip(const ty_parity *parity, const batch *b, const ty_parity_clip *clip, ty_error *error);

/* A clip that the definition refuses: one request may be the cause (a score that is not a number, say), so each is tried alone. A
 * request that is refused alone has no bits to compare on this clip; files that cannot be scored are an error. */
static tally_status run_apart(const ty_parity *parity, const batch *b, const ty_parity_clip *clip, const char *reason,
                              ty_error *error) {
    if (b->count == 1)
        return clip->reference ? ty_fail(error, TALLY_INPUT, "%s", reason) : TALLY_OK;
    for (size_t r = 0; r < b->count; r++) {
        const batch alone = {.requests = &b->requests[r], .count = 1};
        if (run_clip(parity, &alone, clip, error) != TALLY_OK)
            return error->status;
    }
    return TALLY_OK;
}

static tally_status run_clip(const ty_parity *parity, const batch *b, const ty_parity_clip *clip, ty_error *error) {
    char reason[320] = "";
    tally_run *expected = compute(b, clip, &definition, reason);
    if (!expected)
        return run_apart(parity, b, clip, reason, error);
    for (size_t w = 0; w < parity->way_count; w++) {
        tally_run *got = compute(b, clip, &parity->ways[w], reason);
        if (got)
            compare(parity, expected, got, clip, w);
        else
            note_failure(parity, b, w, reason);
        tally_run_destroy(got);
    }
    tally_run_destroy(expected);
    return TALLY_OK;
}

tally_status ty_parity_run(ty_parity *parity, ty_error *error) {
    size_t batch_count = 0;
    batch *batches = calloc(parity->request_count + 1, sizeof *batches);
    parity->cells = calloc(parity->request_count * parity->way_count + 1, sizeof *parity->cells);
    if (!batches || !parity->cells)
        ty_fail_memory(error, "parity");
    else
        make_batches(parity, batches, &batch_count, error);
    for (size_t b = 0; b < batch_count && error->status == TALLY_OK; b++)
        for (size_t c = 0; c < parity->clip_count && error->status == TALLY_OK; c++) {
            if (parity->progress)
                parity->progress(parity->progress_opaque, b * parity->clip_count + c, batch_count * parity->clip_count);
            run_clip(parity, &batches[b], &parity->clips[c], error);
        }
    for (size_t b = 0; b < batch_count; b++) {
        ty_instances_free(&batches[b].instances);
        free(batches[b].requests);
    }
    free(batches);
    return error->status;
}

void ty_parity_free(ty_parity *parity) {
    free(parity->cells);
    parity->cells = NULL;
}
