/* A plan: what a feature computes for each frame, as kernel launches over buffers. Built once at the start of a run;
 * the engine carries it out on whatever backend was chosen, for every frame alike. */
#ifndef TY_PLAN_H
#define TY_PLAN_H

#include "core/layout.h"
#include "kernel/types.h"

#define TY_MAX_KERNEL_BUFFERS 12

typedef enum ty_picture_role { TY_REFERENCE = 0, TY_DISTORTED = 1 } ty_picture_role;

typedef enum ty_buffer_kind {
    TY_BUFFER_PLANE,    /* samples of a picture of this frame or of an earlier one; read only */
    TY_BUFFER_TABLE,    /* constant data, made once; read only */
    TY_BUFFER_SCRATCH,  /* contents undefined at the start of a frame, gone after it */
    TY_BUFFER_KEPT,     /* like scratch, but later frames may read it */
    TY_BUFFER_PREVIOUS, /* a kept buffer of an earlier frame; read only */
    TY_BUFFER_PARTIALS  /* handed to the feature's tail */
} ty_buffer_kind;

/* A buffer of a plan, by number. */
typedef uint32_t ty_buffer;

typedef struct ty_buffer_spec {
    ty_buffer_kind kind;
    size_t bytes;
    ty_picture_role picture; /* PLANE */
    uint32_t plane;          /* PLANE */
    uint32_t lag;            /* PLANE, PREVIOUS: frames back; 0 is this frame. SCRATCH: of the stages that use it */
    ty_buffer kept;          /* PREVIOUS: which buffer of that frame */
    uint32_t ready_after;    /* KEPT: stages of the plan after which it holds its final contents */
    const void *data;        /* TABLE: owned by the plan */
} ty_buffer_spec;

/* One launch: `groups_x` x `groups_y` groups of `lanes` lanes. If `summed` is set, the last buffer receives
 * terms_per_row floats from each row of groups (at index row * terms_per_row), and `result` (a buffer of partials) the float
 * that adding all of them one after the other to 0.0f gives (spec: ordered sum). */
typedef struct ty_stage {
    const char *kernel;
    uint32_t lanes, groups_x, groups_y;
    uint32_t buffer_count;
    ty_buffer buffers[TY_MAX_KERNEL_BUFFERS];
    const void *value; /* owned by the plan */
    size_t value_size;
    uint32_t lag; /* the largest lag among its buffers, or of an earlier stage whose scratch it uses: skipped for frames
                   * that have no such predecessor */
    bool summed;
    uint32_t terms_per_row;
    ty_buffer result;
} ty_stage;

typedef struct ty_plan {
    const char *room; /* which folder's kernels it launches */
    const ty_layout *layout;
    ty_buffer_spec *buffers;
    uint32_t buffer_count;
    ty_stage *stages;
    uint32_t stage_count;
    uint32_t max_lag;
    bool out_of_memory; /* checked once, after building */
} ty_plan;

void ty_plan_init(ty_plan *plan, const char *room, const ty_layout *layout);
void ty_plan_free(ty_plan *plan);

/* A plane of the frame `lag` frames back. Its rows lie layout->stored_width[plane] samples apart. */
ty_buffer ty_plan_plane(ty_plan *plan, ty_picture_role picture, uint32_t plane, uint32_t lag);
ty_buffer ty_plan_table(ty_plan *plan, const void *data, size_t bytes); /* copies the data */
ty_buffer ty_plan_scratch(ty_plan *plan, size_t bytes);
ty_buffer ty_plan_kept(ty_plan *plan, size_t bytes);
ty_buffer ty_plan_previous(ty_plan *plan, ty_buffer kept, uint32_t lag);
ty_buffer ty_plan_partials(ty_plan *plan, size_t bytes); /* the tail gets them in the order of these calls */

/* Adds a launch. `buffers` in the order of the kernel's parameters; `value` is copied. Stages run in the order added; a
 * stage sees everything that earlier ones wrote. */
void ty_plan_launch(ty_plan *plan, const char *kernel, uint32_t lanes, uint32_t groups_x, uint32_t groups_y,
                    const void *value, size_t value_size, uint32_t buffer_count, const ty_buffer *buffers);

/* The same, followed by the ordered sum of what it wrote to its last buffer (see ty_stage). */
void ty_plan_launch_summed(ty_plan *plan, const char *kernel, uint32_t lanes, uint32_t groups_x,
                           uint32_t groups_y, const void *value, size_t value_size, uint32_t buffer_count,
                           const ty_buffer *buffers, uint32_t terms_per_row, ty_buffer result);

#endif
