/* A backend: a processor that runs kernels. The engine (core/executor.c) drives all backends through this table; a
 * backend never knows which feature it runs, a feature never knows where it runs. */
#ifndef TY_BACKEND_H
#define TY_BACKEND_H

#include "core/error.h"
#include "kernel/types.h"

typedef struct ty_device ty_device; /* an opened device; each backend defines its own */
typedef struct ty_queue ty_queue;   /* work in order; one thread uses a queue at a time */
typedef struct ty_mark ty_mark;     /* a point in a queue that other queues can wait for */

/* Memory that kernels can use. */
typedef struct ty_memory {
    void *host;      /* address for the host if it can see it, else NULL */
    uint64_t device; /* address or handle for the device; backends with host_memory leave it 0 */
    size_t bytes;
} ty_memory;

typedef enum ty_memory_kind {
    TY_MEMORY_DEVICE, /* for kernels */
    TY_MEMORY_STAGING /* for the host, in the form that copies fastest (pinned) */
} ty_memory_kind;

typedef struct ty_device_request {
    uint32_t device;   /* index within the backend */
    const char *level; /* CPU level, or NULL for the best */
    uint32_t sample_bits; /* 8 or 16: which compilation of the kernels the run needs */
} ty_device_request;

/* One launch, with its buffers resolved. */
typedef struct ty_launch {
    uint32_t lanes, groups_x, groups_y;
    uint32_t first_row; /* GROUP_Y of the first row of groups; always 0 unless the backend has host_memory */
    uint32_t buffer_count;
    const ty_memory *const *buffers;
    const void *value;
    size_t value_size;
} ty_launch;

/* A kernel of an opened device. Owned by the device. */
typedef struct ty_device_kernel ty_device_kernel;

typedef struct ty_device_info {
    char name[128];   /* e.g. "NVIDIA H200", "AMD EPYC" */
    char driver[128]; /* version of driver or "" */
    uint64_t memory;  /* bytes, 0 if unknown */
    bool accelerator; /* not the CPU under another name */
    char unfit[256];  /* why Tally cannot compute on it; "" if it can */
} ty_device_info;

typedef struct ty_backend {
    const char *name;
    bool host_memory; /* kernels work on ordinary memory; upload, download and marks are never called */

    /* How many devices there are. If none, `reason` says why in one line. */
    uint32_t (*count)(char *reason, size_t reason_size);
    tally_status (*inspect)(uint32_t device, ty_device_info *info, ty_error *error);

    tally_status (*open)(const ty_device_request *request, ty_device **device, ty_error *error);
    void (*close)(ty_device *device); /* releases all memory allocated on it; its queues and marks must be gone */
    const char *(*level)(const ty_device *device); /* CPU level in use; "" elsewhere */

    tally_status (*find_kernel)(ty_device *device, const char *room, const char *name,
                                const ty_device_kernel **kernel, ty_error *error);

    tally_status (*allocate)(ty_device *device, ty_memory_kind kind, size_t bytes, ty_memory *memory,
                             ty_error *error);
    void (*release)(ty_device *device, ty_memory *memory);

    tally_status (*queue_create)(ty_device *device, ty_queue **queue, ty_error *error);
    void (*queue_destroy)(ty_queue *queue);

    /* In the order of calls; all but finish() may return before the work is done. */
    tally_status (*launch)(ty_queue *queue, const ty_device_kernel *kernel, const ty_launch *launch, ty_error *error);
    /* Adds terms[first] … terms[first + count - 1], non-negative floats, in this order; the sum starts at 0.0f if first is 0,
     * else at the float in `result`, and goes to `result`. The bits are those of the plain loop. */
    tally_status (*ordered_sum)(ty_queue *queue, const ty_memory *terms, size_t first, size_t count,
                                const ty_memory *result, ty_error *error);
    tally_status (*upload)(ty_queue *queue, const ty_memory *to, const void *from, size_t bytes, ty_error *error);
    tally_status (*download)(ty_queue *queue, void *to, const ty_memory *from, size_t bytes, ty_error *error);
    tally_status (*mark_create)(ty_device *device, ty_mark **mark, ty_error *error);
    void (*mark_destroy)(ty_mark *mark);
    tally_status (*mark_set)(ty_queue *queue, ty_mark *mark, ty_error *error);
    tally_status (*mark_wait)(ty_queue *queue, ty_mark *mark, ty_error *error); /* the queue waits, not the host */
    tally_status (*finish)(ty_queue *queue, ty_error *error); /* the host waits for everything in the queue */
} ty_backend;

/* The backends built in, best last, NULL-terminated. */
extern const ty_backend *const ty_backends[];

#endif
