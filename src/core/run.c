/* The public interface of a run: its life from creation to the last frame. */
#include "core/run.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/choice.h"

#define MAX_THREADS 1024

double ty_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint32_t usable_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    const int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (uint32_t)count;
}

/* ---- Creation ----------------------------------------------------------------------------------------------------- */

static tally_status copy_name(char to[32], const char *from, const char *what, ty_error *error) {
    if (!from)
        from = "auto";
    if (strlen(from) >= 32)
        return ty_fail(error, TALLY_USAGE, "there is no %s '%.40s'", what, from);
    strcpy(to, from);
    return TALLY_OK;
}

/* Queues of a device: one frame's copies run beside another's kernels, whatever the number of processors. */
#define DEVICE_QUEUES 3

static tally_status choose_backend(tally_run *run) {
    ty_choice choice;
    if (ty_choose(run->backend_name, run->level_name, run->config.device, &run->log, &choice, &run->error) != TALLY_OK)
        return run->error.status;
    run->backend = choice.backend;
    run->device_info = choice.info;
    run->config.device = choice.device;
    strcpy(run->backend_name, choice.backend->name);
    if (run->config.threads == 0)
        run->config.threads = choice.backend->host_memory ? usable_processors() : DEVICE_QUEUES;
    return TALLY_OK;
}

static tally_status check_level(const char *name, ty_error *error) {
    char known[128] = "auto";
    if (strcmp(name, "auto") == 0)
        return TALLY_OK;
    for (size_t i = 0; tally_level_name(i); i++) {
        if (strcmp(tally_level_name(i), name) == 0)
            return tally_level_usable(name)
                       ? TALLY_OK
                       : ty_fail(error, TALLY_DEVICE, "this CPU cannot run level %s", name);
        snprintf(known + strlen(known), sizeof known - strlen(known), ", %s", tally_level_name(i));
    }
    return ty_fail(error, TALLY_USAGE, "there is no CPU level '%s' in this build; there are: %s", name, known);
}

static tally_status configure(tally_run *run, const tally_config *config) {
    if (config)
        run->config = *config;
    run->log.function = run->config.log;
    run->log.opaque = run->config.log_opaque;
    ty_error *error = &run->error;
    if (copy_name(run->backend_name, run->config.backend, "backend", error) != TALLY_OK ||
        copy_name(run->level_name, run->config.level, "CPU level", error) != TALLY_OK ||
        check_level(run->level_name, error) != TALLY_OK)
        return error->status;
    if (run->config.model_dir && !(run->model_dir = strdup(run->config.model_dir)))
        return ty_fail_memory(error, "model folder");
    run->config.backend = run->backend_name;
    run->config.level = run->level_name;
    run->config.model_dir = run->model_dir;
    if (run->config.threads > MAX_THREADS)
        return ty_fail(error, TALLY_USAGE, "%u threads are too many; at most %d", run->config.threads, MAX_THREADS);
    if (run->config.every == 0)
        run->config.every = 1;
    if (run->config.to == 0)
        run->config.to = UINT64_MAX;
    if (run->config.from > run->config.to)
        return ty_fail(error, TALLY_USAGE, "the range from frame %llu to %llu is empty",
                       (unsigned long long)run->config.from, (unsigned long long)run->config.to);
    return choose_backend(run);
}

tally_status tally_run_create(const tally_config *config, tally_run **out) {
    if (!out)
        return TALLY_USAGE;
    *out = NULL;
    tally_run *run = calloc(1, sizeof *run);
    if (!run)
        return TALLY_INTERNAL;
    pthread_mutex_init(&run->log.mutex, NULL);
    if (!(run->scores = ty_scores_create()))
        ty_fail_memory(&run->error, "scores");
    if (run->error.status == TALLY_OK)
        configure(run, config);
    const tally_status status = run->error.status;
    if (status == TALLY_OK)
        *out = run;
    else {
        ty_log_message(&run->log, TALLY_LOG_ERROR, "%s", run->error.text);
        tally_run_destroy(run);
    }
    return status;
}

void tally_run_destroy(tally_run *run) {
    if (!run)
        return;
    ty_engine_destroy(run->engine);
    if (run->device)
        run->backend->close(run->device);
    ty_models_free(&run->models);
    ty_instances_free(&run->instances);
    ty_scores_destroy(run->scores);
    pthread_mutex_destroy(&run->log.mutex);
    free(run->reference);
    free(run->distorted);
    free(run->model_dir);
    free(run);
}

tally_status tally_run_add_feature(tally_run *run, const char *feature) {
    if (!run)
        return TALLY_USAGE;
    if (!feature)
        return ty_fail(&run->error, TALLY_USAGE, "the feature is NULL");
    if (run->error.status != TALLY_OK)
        return run->error.status;
    if (run->stage != TY_RUN_OPEN)
        return ty_fail(&run->error, TALLY_USAGE, "feature %s was asked for after the run had started", feature);
    return ty_instances_request(&run->instances, feature, &run->error);
}

/* ---- Start -------------------------------------------------------------------------------------------------------- */

static tally_status open_device(tally_run *run) {
    const ty_device_request request = {run->config.device, run->level_name, run->layout.sample_bytes * 8};
    return run->backend->open(&request, &run->device, &run->error);
}

static tally_status create_engine(tally_run *run, void (*release)(void *, uint64_t), void *release_opaque) {
    const ty_engine_setup setup = {.backend = run->backend,
                                   .device = run->device,
                                   .layout = &run->layout,
                                   .instances = &run->instances,
                                   .scores = run->scores,
                                   .threads = run->config.threads,
                                   .from = run->config.from,
                                   .to = run->config.to,
                                   .every = run->config.every,
                                   .cancelled = &run->cancelled,
                                   .release = release,
                                   .release_opaque = release_opaque};
    return ty_engine_create(&setup, &run->engine, &run->error);
}

tally_status ty_run_start(tally_run *run, const tally_format *format, uint64_t frames,
                          void (*release)(void *opaque, uint64_t frame), void *release_opaque) {
    ty_error *error = &run->error;
    if (error->status != TALLY_OK)
        return error->status;
    if (run->stage != TY_RUN_OPEN)
        return ty_fail(error, TALLY_USAGE, "the run has been started already");
    if (ty_layout_init(&run->layout, format, "picture", error) != TALLY_OK ||
        ty_instances_prepare(&run->instances, &run->layout, run->config.skip_unsupported, &run->log, error) !=
            TALLY_OK)
        return error->status;
    ty_instances_set_range(&run->instances, run->config.from, run->config.to, run->config.every);
    if (ty_instances_add_columns(&run->instances, &run->layout, run->scores, frames, error) != TALLY_OK ||
        ty_models_add_columns(&run->models, &run->instances, run->scores, run->config.skip_unsupported, &run->log,
                              error) != TALLY_OK ||
        open_device(run) != TALLY_OK)
        return error->status;
    if (frames && !ty_scores_reserve(run->scores, frames))
        return ty_fail_memory(error, "scores");
    if (create_engine(run, release, release_opaque) != TALLY_OK)
        return error->status;
    run->stage = TY_RUN_STARTED;
    run->started = ty_seconds();
    return TALLY_OK;
}

tally_status tally_run_start(tally_run *run, const tally_format *format) {
    if (!run)
        return TALLY_USAGE;
    if (!format)
        return ty_fail(&run->error, TALLY_USAGE, "the format is NULL");
    return ty_run_start(run, format, 0, NULL, NULL);
}

uint64_t ty_run_first_needed(const tally_run *run) {
    uint64_t first = run->config.from;
    for (uint32_t i = 0; i < run->instances.count; i++)
        if (run->instances.items[i].first < first)
            first = run->instances.items[i].first;
    return first;
}

uint64_t ty_run_last_needed(const tally_run *run) {
    uint64_t last = run->config.to;
    for (uint32_t i = 0; i < run->instances.count; i++)
        if (run->instances.items[i].last > last)
            last = run->instances.items[i].last;
    return last;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------- */

static tally_status check_picture(tally_run *run, const tally_picture *picture, const char *which) {
    const ty_layout *layout = &run->layout;
    if (!picture)
        return ty_fail(&run->error, TALLY_USAGE, "frame %llu: the %s picture is NULL",
                       (unsigned long long)run->frames, which);
    for (uint32_t p = 0; p < layout->planes; p++) {
        const ptrdiff_t row = (ptrdiff_t)layout->stored_width[p] * layout->sample_bytes;
        const ptrdiff_t stride = picture->stride[p] < 0 ? -picture->stride[p] : picture->stride[p];
        if (!picture->data[p])
            return ty_fail(&run->error, TALLY_USAGE, "frame %llu: plane %u of the %s picture is NULL",
                           (unsigned long long)run->frames, p, which);
        if (stride < row)
            return ty_fail(&run->error, TALLY_USAGE,
                           "frame %llu: the stride of plane %u of the %s picture, %td bytes, is less than a row of %td",
                           (unsigned long long)run->frames, p, which, picture->stride[p], row);
    }
    return TALLY_OK;
}

tally_status tally_run_submit(tally_run *run, const tally_picture *reference, const tally_picture *distorted) {
    if (!run)
        return TALLY_USAGE;
    if (run->error.status != TALLY_OK)
        return run->error.status;
    if (run->stage != TY_RUN_STARTED)
        return ty_fail(&run->error, TALLY_USAGE, "a frame was submitted to a run that is not between start and finish");
    if (check_picture(run, reference, "reference") != TALLY_OK ||
        check_picture(run, distorted, "distorted") != TALLY_OK)
        return run->error.status;
    const uint64_t frame = run->frames++;
    if (frame < ty_run_first_needed(run) || frame > ty_run_last_needed(run))
        return TALLY_OK;
    ty_slot *slot = ty_engine_acquire(run->engine, frame);
    if (!slot)
        return ty_engine_error(run->engine, &run->error);
    ty_layout_copy(&run->layout, reference, slot->own[TY_REFERENCE]);
    ty_layout_copy(&run->layout, distorted, slot->own[TY_DISTORTED]);
    ty_engine_submit(run->engine, slot);
    return TALLY_OK;
}

tally_status tally_run_finish(tally_run *run) {
    if (!run)
        return TALLY_USAGE;
    if (run->error.status != TALLY_OK)
        return run->error.status;
    if (run->stage != TY_RUN_STARTED)
        return ty_fail(&run->error, TALLY_USAGE, "finish was called on a run that is not started, or twice");
    run->stage = TY_RUN_FINISHED;
    ty_engine_finish(run->engine, &run->aggregates, &run->error);
    if (run->error.status == TALLY_OK && run->frames == 0)
        ty_fail(&run->error, TALLY_INPUT, "there are no frames to score");
    else if (run->error.status == TALLY_OK && run->frames <= run->config.from)
        ty_fail(&run->error, TALLY_INPUT, "there are only %llu frames; the range to score begins at frame %llu",
                (unsigned long long)run->frames, (unsigned long long)run->config.from);
    if (run->error.status == TALLY_OK)
        ty_models_score(&run->models, run->scores, &run->cancelled, &run->error);
    run->seconds = ty_seconds() - run->started;
    return run->error.status;
}

void tally_run_cancel(tally_run *run) {
    if (run)
        atomic_store(&run->cancelled, true);
}

uint64_t tally_run_progress(const tally_run *run) { return run && run->engine ? ty_engine_done(run->engine) : 0; }

const char *tally_run_error(const tally_run *run) { return run ? run->error.text : "the run is NULL"; }
