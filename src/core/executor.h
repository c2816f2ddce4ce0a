/* Carries out the plans of a run on a backend, one frame at a time for each executor. */
#ifndef TY_EXECUTOR_H
#define TY_EXECUTOR_H

#include <stdatomic.h>

#include "backends/backend.h"
#include "core/instance.h"

/* Memory of one frame in flight. */
typedef struct ty_slot {
    uint64_t frame;
    void *own[2][3];            /* host memory for the samples, where the reader writes */
    const void *samples[2][3];  /* where the samples are: own memory or lent */
    ty_memory planes[2][3];     /* what kernels read */
    ty_memory **kept;           /* [instance][buffer]: kept buffers and partials */
    void **partials;            /* [instance]: host copies of the partials, array of pointers for the tail */
    atomic_uint uploads_done;   /* devices only: 1 when all uploads are in the queue */
    ty_mark *uploaded;          /* devices only: set after the uploads */
    atomic_uint *stages_done;   /* [instance]: stages in the queue, counted where a kept buffer is finished */
    ty_mark **written;          /* [instance], devices only: set after each stage that finishes a kept buffer */
} ty_slot;

/* What all executors of a run share. */
typedef struct ty_program {
    const ty_backend *backend;
    ty_device *device;
    const ty_layout *layout;
    ty_instances *instances;
    const ty_device_kernel ***kernels; /* [instance][stage] */
    ty_memory **tables;                /* [instance][buffer] */
    bool plane_used[2][3];
    ty_slot *slots;
    uint32_t slot_count;
    uint32_t max_lag;
} ty_program;

typedef struct ty_executor {
    ty_program *program;
    ty_queue *queue;
    ty_memory *scratch; /* the k-th scratch buffer of each instance shares the k-th of these */
    uint32_t scratch_count;
} ty_executor;

/* Looks up kernels, fills tables, allocates the slots. */
tally_status ty_program_init(ty_program *program, const ty_backend *backend, ty_device *device,
                             const ty_layout *layout, ty_instances *instances, uint32_t slots, ty_error *error);
void ty_program_free(ty_program *program);

tally_status ty_executor_init(ty_executor *executor, ty_program *program, ty_error *error);
void ty_executor_free(ty_executor *executor);

/* Makes a slot ready for a new frame whose samples are in slot->samples. */
void ty_slot_begin(const ty_program *program, ty_slot *slot, uint64_t frame);

/* How frames wait for earlier ones: `wait` returns when *counter has reached `value`, or false if the run has failed;
 * `wake` is called after a counter went up. */
typedef struct ty_coupling {
    bool (*wait)(void *opaque, const atomic_uint *counter, uint32_t value);
    void (*wake)(void *opaque);
    void *opaque;
} ty_coupling;

/* Runs every stage of the slot's frame and returns when the partials are in host memory. Stages that read an earlier
 * frame's kept buffer wait for it through `coupling`. */
tally_status ty_execute(ty_executor *executor, ty_slot *slot, const ty_coupling *coupling, ty_error *error);

#endif
