#include "model/models.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/find.h"
#include "model/request.h"

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

/* ---- Features ----------------------------------------------------------------------------------------------------- */

typedef struct binding {
    const ty_run_model *model;
    const ty_member_feature *wanted;
    uint32_t index; /* of the feature in its member */
    ty_model_request *request;
    ty_instances *instances;
    ty_error *error;
} binding;

/* The first feature that has a metric of this name. */
static const ty_feature *find_metric(const char *name, uint32_t *metric) {
    for (const ty_feature *const *f = ty_features; *f; f++)
        for (*metric = 0; (*f)->metrics[*metric].name; ++*metric)
            if (strcmp((*f)->metrics[*metric].name, name) == 0)
                return *f;
    return NULL;
}

static tally_status options_of_file(const binding *b, const ty_feature *feature, void *options) {
    for (uint32_t o = 0; o < b->wanted->option_count; o++) {
        ty_error reason = {0};
        const ty_member_option *option = &b->wanted->options[o];
        if (ty_options_set(feature->options, options, feature->name, option->name, option->value, &reason) != TALLY_OK)
            return ty_fail(b->error, TALLY_INPUT, "%s: feature_opts_dicts[%u]: %s", b->model->file, b->index,
                           reason.text);
    }
    return TALLY_OK;
}

static tally_status options_of_request(const binding *b, const ty_feature *feature, void *options) {
    for (size_t o = 0; o < b->request->override_count; o++) {
        ty_model_override *override = &b->request->overrides[o];
        if (strcmp(override->feature, feature->name) != 0)
            continue;
        override->used = true;
        if (ty_options_set(feature->options, options, feature->name, override->option, override->value, b->error) !=
            TALLY_OK)
            return b->error->status;
    }
    return TALLY_OK;
}

/* Takes over `options`. */
static tally_status bind_options(const binding *b, const ty_feature *feature, uint32_t metric, void *options,
                                 char **column) {
    ty_options_set_defaults(feature->options, options);
    if (options_of_file(b, feature, options) == TALLY_OK)
        options_of_request(b, feature, options);
    if (b->error->status == TALLY_OK && feature->has_metric && !feature->has_metric(options, NULL, metric))
        ty_fail(b->error, TALLY_INPUT, "%s: feature_names[%u]: feature %s gives no %s with these options",
                b->model->file, b->index, feature->name, b->wanted->name);
    if (b->error->status != TALLY_OK) {
        free(options);
        return b->error->status;
    }
    char name[TY_COLUMN_NAME_SIZE];
    ty_metric_column(feature, options, metric, name, sizeof name);
    if (!(*column = strdup(name))) {
        free(options);
        return ty_fail_memory(b->error, "model");
    }
    return ty_instances_add(b->instances, feature, options, b->error);
}

static tally_status bind(const binding *b, char **column) {
    uint32_t metric;
    const ty_feature *feature = find_metric(b->wanted->name, &metric);
    if (!feature)
        return ty_fail(b->error, TALLY_INPUT, "%s: feature_names[%u]: no feature of this build gives '%.200s'",
                       b->model->file, b->index, b->wanted->name);
    void *options = calloc(1, feature->options_size ? feature->options_size : 1);
    return options ? bind_options(b, feature, metric, options, column) : ty_fail_memory(b->error, "model");
}

static tally_status bind_all(const ty_run_model *m, ty_model_request *request, ty_instances *instances,
                             ty_error *error) {
    for (uint32_t i = 0; i < ty_model_member_count(m->model); i++) {
        const ty_member *member = ty_model_member(m->model, i);
        for (uint32_t f = 0; f < member->feature_count; f++) {
            const binding b = {m, &member->features[f], f, request, instances, error};
            if (bind(&b, &m->members[i].columns[f]) != TALLY_OK)
                return error->status;
        }
    }
    return TALLY_OK;
}

/* ---- Requests ----------------------------------------------------------------------------------------------------- */

static tally_status check_name(const ty_models *models, const char *name, ty_error *error) {
    for (uint32_t i = 0; i < models->count; i++)
        if (strcmp(models->items[i].name, name) == 0)
            return ty_fail(error, TALLY_USAGE,
                           "two models would both write the score %s; give one another name with :name=NAME", name);
    return TALLY_OK;
}

static tally_status check_overrides(const ty_model_request *request, ty_log *log, ty_error *error) {
    for (size_t o = 0; o < request->override_count; o++) {
        const ty_model_override *override = &request->overrides[o];
        if (!ty_feature_find(override->feature))
            return ty_fail(error, TALLY_USAGE, "model option %s.%s=%s: there is no feature '%s'", override->feature,
                           override->option, override->value, override->feature);
        if (!override->used)
            ty_log_message(log, TALLY_LOG_WARNING, "model option %s.%s=%s has no effect: the model %s does not use %s",
                           override->feature, override->option, override->value, request->model, override->feature);
    }
    return TALLY_OK;
}

static void warn_of_knots(const ty_run_model *m, ty_log *log) {
    const ty_transform *t = &ty_model_member(m->model, 0)->transform;
    for (uint32_t k = 0; t->enabled && k + 1 < t->knots; k++)
        if (!ty_transform_ascends(t, k)) {
            ty_log_message(log, TALLY_LOG_WARNING,
                           "%s: score_transform.knots do not ascend: those after the first %u have no effect", m->file,
                           k + 1);
            return;
        }
}

static tally_status load(ty_run_model *m, ty_model_request *request, const char *model_dir, ty_instances *instances,
                         ty_log *log, ty_error *error) {
    if (!(m->name = strdup(request->name)))
        return ty_fail_memory(error, "model");
    if (ty_model_find(request->model, model_dir, &m->file, error) != TALLY_OK ||
        ty_model_load(m->file, &m->model, error) != TALLY_OK)
        return error->status;
    if (request->disable_clip)
        ty_model_disable_clip(m->model);
    if (request->enable_transform)
        ty_model_enable_transform(m->model);
    if (!(m->members = calloc(ty_model_member_count(m->model), sizeof *m->members)))
        return ty_fail_memory(error, "model");
    if (bind_all(m, request, instances, error) != TALLY_OK)
        return error->status;
    warn_of_knots(m, log);
    return check_overrides(request, log, error);
}

static tally_status add_item(ty_models *models, ty_run_model **item, ty_error *error) {
    ty_run_model *items = realloc(models->items, (models->count + 1) * sizeof *items);
    if (!items)
        return ty_fail_memory(error, "model");
    models->items = items;
    *item = &items[models->count++];
    **item = (ty_run_model){0};
    return TALLY_OK;
}

tally_status ty_models_request(ty_models *models, const char *text, const char *model_dir, ty_instances *instances,
                               ty_log *log, ty_error *error) {
    ty_model_request request;
    ty_run_model *item = NULL;
    if (ty_model_request_parse(text, &request, error) == TALLY_OK &&
        check_name(models, request.name, error) == TALLY_OK && add_item(models, &item, error) == TALLY_OK)
        load(item, &request, model_dir, instances, log, error);
    ty_model_request_free(&request);
    return error->status;
}

/* ---- Columns ------------------------------------------------------------------------------------------------------ */

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
        return ty_fail(error, TALLY_USAGE, "a model and another metric or model would both write the metric %s", name);
    return ty_scores_add_column(scores, name) ? TALLY_OK : ty_fail_memory(error, "scores");
}

static tally_status add_collection(ty_run_model *m, ty_scores *scores, ty_error *error) {
    static const char *const endings[] = {"bagging", "stddev", "ci_p95_lo", "ci_p95_hi"};
    char name[TY_MODEL_NAME_MAX + 16];
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

/* ---- Scoring ------------------------------------------------------------------------------------------------------ */

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
        return ty_fail(s->error, TALLY_INTERNAL, "model %s (%s), frame %" PRIu64 ": the score %s is not a number",
                       s->model->name, s->model->file, s->frame, name);
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
        if (set(s, i ? s->model->collection + i - 1 : s->model->score, ty_member_finish(member, raw)) != TALLY_OK)
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
        return ty_fail(s->error, TALLY_INTERNAL, "model %s: no frame has a score of all of its features, among them %s",
                       s->model->name, first_missing);
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
