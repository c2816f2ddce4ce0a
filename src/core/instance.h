/* The features of a run: requests become instances, each computed once per frame. */
#ifndef TY_INSTANCE_H
#define TY_INSTANCE_H

#include "core/feature.h"
#include "core/log.h"
#include "core/scores.h"

#define TY_COLUMN_NAME_SIZE 256

/* The name of a metric's column: its short name and a suffix for each option that differs from its default. */
void ty_metric_column(const ty_feature *feature, const void *options, uint32_t metric, char *text, size_t size);

/* One feature with one set of options. */
typedef struct ty_instance {
    const ty_feature *feature;
    void *options;
    ty_plan plan;
    void *state;        /* of the tail */
    size_t *columns;    /* of the scores, for each metric of the feature; SIZE_MAX: not produced */
    uint64_t first, last; /* frames it runs on, inclusive, with those around the range that it needs */
    uint64_t every;     /* of those, the ones divisible by this */
} ty_instance;

typedef struct ty_instances {
    ty_instance *items;
    uint32_t count;
    char **left_out; /* "name: reason" of features that cannot take the format */
    uint32_t left_out_count;
} ty_instances;

/* Adds "NAME" or "NAME=opt=val:…": a new instance, or nothing if it is there, or more metrics for one that is there. */
tally_status ty_instances_request(ty_instances *instances, const char *request, ty_error *error);

/* The same for a feature and its struct of options, which is taken over. */
tally_status ty_instances_add(ty_instances *instances, const ty_feature *feature, void *options, ty_error *error);

/* Warns of something that is left out, and keeps the reason for the report. */
tally_status ty_instances_note_left_out(ty_instances *instances, const char *reason, ty_log *log, ty_error *error);

/* Checks every instance against the format, drops those that cannot take it if `skip_unsupported`, builds the plans. If
 * nothing was requested, every feature is, less those that cannot take the format. */
tally_status ty_instances_prepare(ty_instances *instances, const ty_layout *layout, bool skip_unsupported,
                                  ty_log *log, ty_error *error);

/* Makes the columns of the scores, in report order. `frames` is the number of frames if known, else 0. */
tally_status ty_instances_add_columns(ty_instances *instances, const ty_layout *layout, ty_scores *scores,
                                      uint64_t frames, ty_error *error);

/* Fixes the frames each instance runs on, for a range of `from` to `to` (UINT64_MAX: the end). */
void ty_instances_set_range(ty_instances *instances, uint64_t from, uint64_t to, uint64_t every);

static inline bool ty_instance_runs(const ty_instance *instance, uint64_t frame) {
    return frame >= instance->first && frame <= instance->last && frame % instance->every == 0;
}

void ty_instances_free(ty_instances *instances);

#endif
