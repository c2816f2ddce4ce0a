#include "core/engine.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Slots beyond one for each worker: one being filled and one read ahead. */
#define EXTRA_SLOTS 2

/* How often a waiting thread looks whether the run was cancelled (a signal handler cannot wake it). */
#define POLL_NANOSECONDS 50000000

typedef struct worker {
    ty_engine *engine;
    ty_executor executor;
    pthread_t thread;
    bool started;
} worker;

struct ty_engine {
    ty_engine_setup setup;
    ty_program program;
    worker *workers;
    ty_coupling coupling;

    pthread_mutex_t mutex;   /* guards what follows */
    pthread_cond_t changed;
    uint64_t first;          /* number of the first frame submitted */
    uint64_t submitted;      /* frames below this are submitted */
    uint64_t taken;          /* … have been taken by a worker */
    uint64_t tailed;         /* … have been through the tails: their partials are consumed */
    uint64_t released;       /* … have had their samples released */
    bool *computed;          /* [slot] */
    bool tail_running;
    bool closing;
    ty_error error;
    atomic_uint_fast64_t done;
};

struct ty_emitter {
    ty_engine *engine;
    const ty_instance *instance;
    ty_aggregates *aggregates; /* only at the end */
    ty_error *error;
};

/* ---- Emitting ----------------------------------------------------------------------------------------------------- */

void ty_emit(ty_emitter *emitter, uint32_t metric, uint64_t frame, double value) {
    const ty_engine_setup *setup = &emitter->engine->setup;
    const size_t column = emitter->instance->columns[metric];
    if (column == SIZE_MAX || frame < setup->from || frame > setup->to || frame % setup->every != 0)
        return;
    const char *name = ty_scores_name(setup->scores, column);
    if (isnan(value))
        ty_fail(emitter->error, TALLY_INTERNAL, "feature %s, frame %llu: metric %s is not a number",
                emitter->instance->feature->name, (unsigned long long)frame, name);
    else if (!ty_scores_set(setup->scores, column, frame, value))
        ty_fail_memory(emitter->error, "scores");
}

ty_error *ty_emitter_error(ty_emitter *emitter) {
    return emitter->error;
}

void ty_emit_aggregate(ty_emitter *emitter, const char *name, double value) {
    ty_aggregates *all = emitter->aggregates;
    if (!all || all->count == sizeof all->items / sizeof all->items[0]) {
        ty_fail(emitter->error, TALLY_INTERNAL, "feature %s: aggregate %s cannot be stored",
                emitter->instance->feature->name, name);
        return;
    }
    if (isnan(value))
        ty_fail(emitter->error, TALLY_INTERNAL, "feature %s: %s is not a number", emitter->instance->feature->name,
                name);
    all->items[all->count].name = name;
    all->items[all->count++].value = value;
}

/* ---- Waiting ------------------------------------------------------------------------------------------------------ */

/* With the mutex held: whether work should stop. Turns a cancellation into an error. */
static bool stopped(ty_engine *engine) {
    if (engine->error.status == TALLY_OK && atomic_load(engine->setup.cancelled))
        ty_fail(&engine->error, TALLY_CANCELLED, "cancelled");
    return engine->error.status != TALLY_OK;
}

/* With the mutex held: sleeps until something changes, or a moment at most. */
static void sleep_until_change(ty_engine *engine) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&engine->changed, &engine->mutex, &until);
}

static bool wait_for_counter(void *opaque, const atomic_uint *counter, uint32_t value) {
    ty_engine *engine = opaque;
    if (atomic_load(counter) >= value)
        return true;
    pthread_mutex_lock(&engine->mutex);
    while (atomic_load(counter) < value && !stopped(engine))
        sleep_until_change(engine);
    pthread_mutex_unlock(&engine->mutex);
    return atomic_load(counter) >= value;
}

static void wake(void *opaque) {
    ty_engine *engine = opaque;
    pthread_mutex_lock(&engine->mutex);
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->mutex);
}

static void record_error(ty_engine *engine, const ty_error *error) {
    if (engine->error.status == TALLY_OK)
        engine->error = *error;
    pthread_cond_broadcast(&engine->changed);
}

/* ---- Tails -------------------------------------------------------------------------------------------------------- */

static void run_tails(ty_engine *engine, ty_slot *slot, ty_error *error) {
    ty_instances *instances = engine->setup.instances;
    for (uint32_t i = 0; i < instances->count; i++) {
        const ty_instance *instance = &instances->items[i];
        if (!ty_instance_runs(instance, slot->frame))
            continue;
        ty_emitter emitter = {engine, instance, NULL, error};
        const ty_frame frame = {slot->frame, slot->frame - instance->first,
                                (const void *const *)slot->partials[i]};
        instance->feature->tail(instance->state, &frame, &emitter);
    }
}

/* With the mutex held: runs the tails of all frames that are next in order. One worker at a time does this, for all. */
static void drain_tails(ty_engine *engine) {
    if (engine->tail_running)
        return;
    engine->tail_running = true;
    while (engine->tailed < engine->submitted && engine->computed[engine->tailed % engine->program.slot_count] &&
           engine->error.status == TALLY_OK) {
        ty_slot *slot = &engine->program.slots[engine->tailed % engine->program.slot_count];
        ty_error error = {0};
        pthread_mutex_unlock(&engine->mutex);
        run_tails(engine, slot, &error);
        pthread_mutex_lock(&engine->mutex);
        if (error.status != TALLY_OK)
            record_error(engine, &error);
        engine->tailed++;
        atomic_fetch_add(&engine->done, 1);
        pthread_cond_broadcast(&engine->changed);
    }
    engine->tail_running = false;
}

/* ---- Workers ------------------------------------------------------------------------------------------------------ */

/* With the mutex held: the next frame to compute, or NULL when there will be none. */
static ty_slot *take(ty_engine *engine) {
    while (engine->taken == engine->submitted && !engine->closing && !stopped(engine))
        sleep_until_change(engine);
    if (engine->taken == engine->submitted || stopped(engine))
        return NULL;
    return &engine->program.slots[engine->taken++ % engine->program.slot_count];
}

static void *work(void *opaque) {
    worker *self = opaque;
    ty_engine *engine = self->engine;
    pthread_mutex_lock(&engine->mutex);
    for (ty_slot *slot; (slot = take(engine));) {
        ty_error error = {0};
        pthread_mutex_unlock(&engine->mutex);
        const tally_status status = ty_execute(&self->executor, slot, &engine->coupling, &error);
        pthread_mutex_lock(&engine->mutex);
        if (error.status != TALLY_OK)
            record_error(engine, &error);
        if (status != TALLY_OK)
            break;
        engine->computed[slot->frame % engine->program.slot_count] = true;
        drain_tails(engine);
    }
    pthread_mutex_unlock(&engine->mutex);
    return NULL;
}

static tally_status start_workers(ty_engine *engine, ty_error *error) {
    if (!(engine->workers = calloc(engine->setup.threads, sizeof *engine->workers)))
        return ty_fail_memory(error, "workers");
    for (uint32_t w = 0; w < engine->setup.threads; w++) {
        engine->workers[w].engine = engine;
        if (ty_executor_init(&engine->workers[w].executor, &engine->program, error) != TALLY_OK)
            return error->status;
    }
    for (uint32_t w = 0; w < engine->setup.threads; w++) {
        const int failed = pthread_create(&engine->workers[w].thread, NULL, work, &engine->workers[w]);
        if (failed)
            return ty_fail(error, TALLY_INTERNAL, "worker thread %u of %u cannot be started: %s", w + 1,
                           engine->setup.threads, strerror(failed));
        engine->workers[w].started = true;
    }
    return TALLY_OK;
}

static void stop_workers(ty_engine *engine) {
    pthread_mutex_lock(&engine->mutex);
    engine->closing = true;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->mutex);
    for (uint32_t w = 0; engine->workers && w < engine->setup.threads; w++) {
        if (engine->workers[w].started)
            pthread_join(engine->workers[w].thread, NULL);
        engine->workers[w].started = false;
    }
}

/* ---- Life --------------------------------------------------------------------------------------------------------- */

static void init_locks(ty_engine *engine) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&engine->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&engine->mutex, NULL);
}

tally_status ty_engine_create(const ty_engine_setup *setup, ty_engine **out, ty_error *error) {
    ty_engine *engine = *out = calloc(1, sizeof *engine);
    if (!engine)
        return ty_fail_memory(error, "engine");
    engine->setup = *setup;
    engine->coupling = (ty_coupling){wait_for_counter, wake, engine};
    init_locks(engine);
    if (ty_program_init(&engine->program, setup->backend, setup->device, setup->layout, setup->instances,
                        setup->threads + EXTRA_SLOTS, error) != TALLY_OK)
        return error->status;
    if (!(engine->computed = calloc(engine->program.slot_count, sizeof *engine->computed)))
        return ty_fail_memory(error, "engine");
    return start_workers(engine, error);
}

/* With the mutex held: gives back the samples of every frame that no later frame can read any more. */
static void release_samples(ty_engine *engine, uint64_t below) {
    for (; engine->released < below; engine->released++)
        if (engine->setup.release)
            engine->setup.release(engine->setup.release_opaque, engine->released);
}

ty_slot *ty_engine_acquire(ty_engine *engine, uint64_t frame) {
    const uint32_t slots = engine->program.slot_count, lag = engine->program.max_lag;
    pthread_mutex_lock(&engine->mutex);
    if (engine->submitted == 0)
        engine->first = engine->submitted = engine->taken = engine->tailed = engine->released = frame;
    /* The slot's last frame is frame - slots; the frames that may read it end at frame - slots + lag. */
    while (!stopped(engine) && frame >= engine->first + slots && engine->tailed + slots <= frame + lag)
        sleep_until_change(engine);
    ty_slot *slot = stopped(engine) ? NULL : &engine->program.slots[frame % slots];
    if (slot)
        release_samples(engine, engine->tailed > engine->first + lag ? engine->tailed - lag : engine->first);
    pthread_mutex_unlock(&engine->mutex);
    if (slot) {
        slot->frame = frame;
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t p = 0; p < 3; p++)
                slot->samples[r][p] = slot->own[r][p];
    }
    return slot;
}

void ty_engine_submit(ty_engine *engine, ty_slot *slot) {
    ty_slot_begin(&engine->program, slot, slot->frame);
    pthread_mutex_lock(&engine->mutex);
    engine->computed[slot->frame % engine->program.slot_count] = false;
    engine->submitted = slot->frame + 1;
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&engine->mutex);
}

static void run_ends(ty_engine *engine, ty_aggregates *aggregates) {
    ty_error error = {0};
    for (uint32_t i = 0; i < engine->setup.instances->count; i++) {
        const ty_instance *instance = &engine->setup.instances->items[i];
        ty_emitter emitter = {engine, instance, aggregates, &error};
        if (instance->feature->end)
            instance->feature->end(instance->state, &emitter);
    }
    if (error.status != TALLY_OK)
        record_error(engine, &error);
}

tally_status ty_engine_finish(ty_engine *engine, ty_aggregates *aggregates, ty_error *error) {
    pthread_mutex_lock(&engine->mutex);
    while (!stopped(engine) && engine->tailed < engine->submitted)
        sleep_until_change(engine);
    pthread_mutex_unlock(&engine->mutex);
    stop_workers(engine);
    if (engine->error.status == TALLY_OK)
        run_ends(engine, aggregates);
    release_samples(engine, engine->submitted);
    return ty_engine_error(engine, error);
}

uint64_t ty_engine_done(const ty_engine *engine) {
    return atomic_load(&((ty_engine *)(uintptr_t)engine)->done);
}

void ty_engine_fail(ty_engine *engine, const ty_error *error) {
    pthread_mutex_lock(&engine->mutex);
    record_error(engine, error);
    pthread_mutex_unlock(&engine->mutex);
}

tally_status ty_engine_error(ty_engine *engine, ty_error *error) {
    pthread_mutex_lock(&engine->mutex);
    if (stopped(engine))
        ty_fail(error, engine->error.status, "%s", engine->error.text);
    pthread_mutex_unlock(&engine->mutex);
    return error->status;
}

void ty_engine_destroy(ty_engine *engine) {
    if (!engine)
        return;
    const ty_error ended = {.status = TALLY_CANCELLED, .text = "the run was destroyed"};
    ty_engine_fail(engine, &ended);
    stop_workers(engine);
    release_samples(engine, engine->submitted);
    for (uint32_t w = 0; engine->workers && w < engine->setup.threads; w++)
        ty_executor_free(&engine->workers[w].executor);
    free(engine->workers);
    ty_program_free(&engine->program);
    free(engine->computed);
    pthread_cond_destroy(&engine->changed);
    pthread_mutex_destroy(&engine->mutex);
    free(engine);
}
