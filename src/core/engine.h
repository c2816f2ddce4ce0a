/* The engine: frames flow through a ring of slots; workers compute them side by side, tails run in frame order. */
#ifndef TY_ENGINE_H
#define TY_ENGINE_H

#include "core/executor.h"

typedef struct ty_engine ty_engine;

typedef struct ty_engine_setup {
    const ty_backend *backend;
    ty_device *device;
    const ty_layout *layout;
    ty_instances *instances;
    ty_scores *scores;
    uint32_t threads;
    uint64_t from, to, every; /* what is reported; UINT64_MAX: to the end */
    const atomic_bool *cancelled;
    /* Called when a slot's samples are no longer read, with the pointer given to ty_engine_submit(). */
    void (*release)(void *opaque, uint64_t frame);
    void *release_opaque;
} ty_engine_setup;

/* Whole-sequence values. */
typedef struct ty_aggregates {
    struct {
        const char *name;
        double value;
    } items[16];
    uint32_t count;
} ty_aggregates;

/* Allocates everything and starts the workers. The setup's objects must outlive the engine. */
tally_status ty_engine_create(const ty_engine_setup *setup, ty_engine **engine, ty_error *error);

/* Waits for a free slot for frame `frame` (ascending by one). NULL: the run has failed or was cancelled. The caller fills
 * slot->own, or points slot->samples elsewhere, then calls ty_engine_submit(). */
ty_slot *ty_engine_acquire(ty_engine *engine, uint64_t frame);
void ty_engine_submit(ty_engine *engine, ty_slot *slot);

/* Waits until every submitted frame is through, then forms the scores of the end. */
tally_status ty_engine_finish(ty_engine *engine, ty_aggregates *aggregates, ty_error *error);

/* Frames whose tails have run. */
uint64_t ty_engine_done(const ty_engine *engine);

/* Makes the run fail with this error, if it has not failed yet. */
void ty_engine_fail(ty_engine *engine, const ty_error *error);
tally_status ty_engine_error(ty_engine *engine, ty_error *error);

void ty_engine_destroy(ty_engine *engine); /* NULL is allowed */

#endif
