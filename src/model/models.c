#include "model/models.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_model(ty_run_model *m) {
    for (uint32_t i = 0; m->members && i < ty_model_member_count(m->model); i++)
        for (uint32_t f = 0; f < TY_MODEL_MAX_FEATURES; f++)
            free(m->members[i].columns[f]);
    free(m->members);
    ty_model_free(m->model);
    free(m->name);
    free(m->file);
    *m = (ty_run_model){0};
}

void ty_models_free(ty_models *models) {
    for (uint32_t i = 0; i < models->count; i++)
        free_model(&models->items[i]);
    free(models->items);
    *models = (ty_models){0};
}

/* ---- Columns ---- */

/* The first feature whose column is not there, or NULL. */
static const char *find_columns(ty_run_model *m, const ty_scores *scores) {
    for (uint32_t i = 0; i < ty_model_member_count(m->model); i++)
        for (uint32_t f = 0; f < ty_model_member(m->model, i)->feature_count; f++) {
            ty_run_member *member = &m->members[i];
            if ((member->column[f] = ty_scores_find(scores, member->columns[f])) == SIZE_MAX)
                return member->columns[f];
        }
    return NULL;
}

static tally_status leave_out(ty_models *models, uint32_t index, const char *missing, ty_instances *instances,
                              ty_log *log, ty_error *error) {
    char reason[512];
    ty_run_model *m = &models->items[index];
    snprintf(reason, sizeof reason, "model %s cannot score this format: it needs %s", m->name, missing);
    if (ty_instances_note_left_out(instances, reason, log, error) != TALLY_OK)
        return error->status;
    free_model(m);
    memmove(m, m + 1, (models->count - index - 1) * sizeof *m);
    models->count--;
    return TALLY_OK;
}

static tally_status add_column(ty_scores *scores, const char *name, ty_error *error) {
    if (ty_scores_find(scores, name) != SIZE_MAX)
        return ty_fail(error, TALLY_USAGE,
                       "a model and another metric or model would both write the metric %s", name);
    return ty_scores_add_column(scores, name) ? TALLY_OK : ty_fail_memory(error, "scores");
}

static tally_status add_collection(ty_run_model *m, ty_scores *scores, ty_error *error) {
    static const char *const endings[] = {"bagging", "stddev", "ci_p95_lo", "ci_p95_hi"};
    char name[TY_SCORE_NAME_MAX + 16];
    m->collection = ty_scores_columns(scores);
    for (uint32_t i = 1; i < ty_model_member_count(m->model); i++) {
        snprintf(name, sizeof name, "%s_%04u", m->name, i);
        if (add_column(scores, name, error) != TALLY_OK)
            return error->status;
    }
    for (size_t e = 0; e < 4; e++) {
        snprintf(name, sizeof name, "%s_%s", m->name, endings[e]);
        if (add_column(scores, name, error) != TALLY_OK)
            return error->status;
    }
    return TALLY_OK;
}

tally_status ty_models_add_columns(ty_models *models, ty_instances *instances, ty_scores *scores,
                                   bool skip_unsupported, ty_log *log, ty_error *error) {
    for (uint32_t i = 0; i < models->count;) {
        const char *missing = find_columns(&models->items[i], scores);
        if (!missing)
            i++;
        else if (!skip_unsupported)
            return ty_fail(error, TALLY_USAGE, "model %s cannot score this format: it needs %s",
                           models->items[i].name, missing);
        else if (leave_out(models, i, missing, instances, log, error) != TALLY_OK)
            return error->status;
    }
    for (uint32_t i = 0; i < models->count; i++) {
        models->items[i].score = ty_scores_columns(scores);
        if (add_column(scores, models->items[i].name, error) != TALLY_OK)
            return error->status;
    }
    for (uint32_t i = 0; i < models->count; i++)
        if (ty_model_is_collection(models->items[i].model) &&
            add_collection(&models->items[i], scores, error) != TALLY_OK)
            return error->status;
    return TALLY_OK;
}

/* ---- Scoring ---- */

typedef struct scoring {
    const ty_run_model *model;
    ty_scores *scores;
    uint64_t frame;
    double *raw; /* of the members from 1 on */
    ty_error *error;
} scoring;

static tally_status set(const scoring *s, size_t column, double value) {
    const char *name = ty_scores_name(s->scores, column);
    if (isnan(value))
        return ty_fail(s->error, TALLY_INTERNAL,
                       "model %s (%s), frame %" PRIu64 ": the score %s is not a number", s->model->name,
                       s->model->file, s->frame, name);
    return ty_scores_set(s->scores, column, s->frame, value) ? TALLY_OK : ty_fail_memory(s->error, "scores");
}

/* The features of a member at this frame. On failure *missing is the first that has no score there. */
static bool gather(const scoring *s, uint32_t index, double *features, const char **missing) {
    const ty_run_member *member = &s->model->members[index];
    for (uint32_t f = 0; f < ty_model_member(s->model->model, index)->feature_count; f++)
        if (!ty_scores_get(s->scores, member->column[f], s->frame, &features[f])) {
            *missing = member->columns[f];
            return false;
        }
    return true;
}

static tally_status score_bootstrap(const scoring *s) {
    const uint32_t members = ty_model_member_count(s->model->model) - 1;
    const size_t at = s->model->collection + members;
    const ty_bootstrap b = ty_bootstrap_score(ty_model_member(s->model->model, 1), s->raw, members);
    const double values[] = {b.bagging, b.stddev, b.ci_p95_lo, b.ci_p95_hi};
    for (size_t i = 0; i < 4; i++)
        if (set(s, at + i, values[i]) != TALLY_OK)
            return s->error->status;
    return TALLY_OK;
}

/* Sets *missing if a feature has no score at this frame; then the model has none either. */
static tally_status score_frame(const scoring *s, const char **missing) {
    double features[TY_MODEL_MAX_FEATURES];
    const uint32_t members = ty_model_member_count(s->model->model);
    for (uint32_t i = 0; i < members; i++)
        if (!gather(s, i, features, missing))
            return TALLY_OK;
    for (uint32_t i = 0; i < members; i++) {
        const ty_member *member = ty_model_member(s->model->model, i);
        gather(s, i, features, missing);
        const double raw = ty_member_predict(member, features);
        if (set(s, i ? s->model->collection + i - 1 : s->model->score, ty_member_finish(member, raw)) !=
            TALLY_OK)
            return s->error->status;
        if (i > 0)
            s->raw[i - 1] = raw;
    }
    return ty_model_is_collection(s->model->model) ? score_bootstrap(s) : TALLY_OK;
}

static tally_status score_frames(scoring *s, const atomic_bool *cancelled) {
    const uint64_t frames = ty_scores_frames(s->scores);
    const char *first_missing = NULL;
    uint64_t scored = 0;
    for (s->frame = 0; s->frame < frames; s->frame++) {
        const char *missing = NULL;
        if (atomic_load(cancelled))
            return ty_fail(s->error, TALLY_CANCELLED, "cancelled");
        if (score_frame(s, &missing) != TALLY_OK)
            return s->error->status;
        scored += missing == NULL;
        first_missing = first_missing ? first_missing : missing;
    }
    if (frames > 0 && scored == 0)
        return ty_fail(s->error, TALLY_INTERNAL,
                       "model %s: no frame has a score of all of its features, among them %s", s->model->name,
                       first_missing);
    return TALLY_OK;
}

tally_status ty_models_score(const ty_models *models, ty_scores *scores, const atomic_bool *cancelled,
                             ty_error *error) {
    for (uint32_t i = 0; i < models->count; i++) {
        scoring s = {.model = &models->items[i], .scores = scores, .error = error};
        if (!(s.raw = malloc(ty_model_member_count(s.model->model) * sizeof *s.raw)))
            return ty_fail_memory(error, "model scores");
        const tally_status status = score_frames(&s, cancelled);
        free(s.raw);
        if (status != TALLY_OK)
            return status;
    }
    return TALLY_OK;
}
