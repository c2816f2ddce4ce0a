/* A feature: the descriptor that each room src/features/<name>/ exports. */
#ifndef TY_FEATURE_H
#define TY_FEATURE_H

#include "core/options.h"
#include "core/plan.h"

/* When a metric's first value is formed; it decides the order of columns in reports. */
typedef enum ty_appearance { TY_WITH_FRAME_0, TY_WITH_FRAME_1, TY_AT_END } ty_appearance;

/* One metric; a table ends with a NULL name. */
typedef struct ty_metric {
    const char *name;       /* what models and the C interface of others call it */
    const char *short_name; /* what reports call it; NULL: the same */
    ty_appearance appears;
} ty_metric;

/* What the tail gets for one frame. */
typedef struct ty_frame {
    uint64_t number;             /* in the video, from 0 */
    uint64_t predecessors;       /* frames of this run directly before it: stages with a larger lag did not run */
    const void *const *partials; /* in the order of ty_plan_partials() */
} ty_frame;

/* Where the tail puts its scores. */
typedef struct ty_emitter ty_emitter;

/* Emits metric number `metric` of the feature's table. Metrics that has_metric() denies are ignored, and so are frames
 * outside of what the run reports. A NaN makes the run fail, naming metric and frame. */
void ty_emit(ty_emitter *emitter, uint32_t metric, uint64_t frame, double value);

/* Where a tail records why a frame cannot be scored, naming feature and frame: the run fails with that. */
ty_error *ty_emitter_error(ty_emitter *emitter);

/* Emits a whole-sequence value. `name` must be a string literal. */
void ty_emit_aggregate(ty_emitter *emitter, const char *name, double value);

#define TY_DEPTH(n) (1u << (n))
#define TY_DEPTHS_FLOAT (TY_DEPTH(8) | TY_DEPTH(10) | TY_DEPTH(12) | TY_DEPTH(16))
#define TY_DEPTHS_ALL 0x1ff00u /* 8 to 16 */
#define TY_FORMAT(f) (1u << (f))
#define TY_FORMATS_ALL 0x1eu
#define TY_FORMATS_CHROMA (TY_FORMATS_ALL & ~TY_FORMAT(TALLY_PIXEL_FORMAT_400))

typedef struct ty_feature {
    const char *name;
    const char *summary; /* one line for `tally features` */
    const char *room;    /* folder whose kernels it uses; rooms may be shared (psnr and float_psnr) */
    const ty_option *options;
    size_t options_size;
    const ty_metric *metrics;
    uint32_t no_suffix; /* bit i: options never become part of the name of metric i */
    uint32_t depths;  /* TY_DEPTH bits */
    uint32_t formats; /* TY_FORMAT bits */
    uint32_t min_width, min_height; /* of luma */
    const char *more_limits; /* for people: what check() asks for by default beyond the least size. NULL: nothing */
    bool every_frame; /* also run on the frames that `every` leaves out */

    /* Whether the options make sense, whatever the videos: for what ranges and choices cannot say. NULL: they do. */
    tally_status (*validate)(const void *options, ty_error *error);
    /* Limits that depend on options or on other things than size, depth and format. NULL: none. */
    tally_status (*check)(const void *options, const ty_layout *layout, ty_error *error);
    /* What the user should know about options that have no effect on this layout, or NULL. Logged as a warning. NULL: nothing. */
    const char *(*remark)(const void *options, const ty_layout *layout);
    /* Whether metric number i is produced. NULL: all are. layout NULL: for any layout. */
    bool (*has_metric)(const void *options, const ty_layout *layout, uint32_t i);
    /* Whether all metrics get their first value with frame 0, whatever the table says. NULL: no. */
    bool (*at_once)(const void *options);
    /* Frames before and after a range that its scores depend on. NULL: 0. */
    uint32_t (*lead_in)(const void *options);
    uint32_t (*lead_out)(const void *options);
    /* Adds buffers and launches for one frame. */
    void (*plan)(const void *options, ty_plan *plan);

    size_t state_size; /* zeroed before start(); for the tail only */
    void (*start)(void *state, const void *options, const ty_layout *layout); /* NULL: nothing to do */
    /* Turns the partials of the next frame into scores. Frames come in order. */
    void (*tail)(void *state, const ty_frame *frame, ty_emitter *emitter);
    /* After the last frame. NULL: nothing to do. */
    void (*end)(void *state, ty_emitter *emitter);
} ty_feature;

/* All features in registration order, NULL-terminated. */
extern const ty_feature *const ty_features[];
const ty_feature *ty_feature_find(const char *name);

#endif
