/* From a request to a model of the run, with the instances that its features need. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/find.h"
#include "model/models.h"
#include "model/request.h"

/* ---- Features ---- */

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
        if (ty_options_set(feature->options, options, feature->name, option->name, option->value, &reason) !=
            TALLY_OK)
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
        if (ty_options_set(feature->options, options, feature->name, override->option, override->value,
                           b->error) != TALLY_OK)
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
        return ty_fail(b->error, TALLY_INPUT,
                       "%s: feature_names[%u]: no feature of this build gives '%.200s'", b->model->file,
                       b->index, b->wanted->name);
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

/* ---- Requests ---- */

static tally_status check_name(const ty_models *models, const char *name, ty_error *error) {
    for (uint32_t i = 0; i < models->count; i++)
        if (strcmp(models->items[i].name, name) == 0)
            return ty_fail(error, TALLY_USAGE,
                           "two models would both write the score %s; give one another name with :name=NAME",
                           name);
    return TALLY_OK;
}

static tally_status check_overrides(const ty_model_request *request, ty_log *log, ty_error *error) {
    for (size_t o = 0; o < request->override_count; o++) {
        const ty_model_override *override = &request->overrides[o];
        if (!ty_feature_find(override->feature))
            return ty_fail(error, TALLY_USAGE, "model option %s.%s=%s: there is no feature '%s'",
                           override->feature, override->option, override->value, override->feature);
        if (!override->used)
            ty_log_message(
                log, TALLY_LOG_WARNING, "model option %s.%s=%s has no effect: the model %s does not use %s",
                override->feature, override->option, override->value, request->model, override->feature);
    }
    return TALLY_OK;
}

static void warn_of_knots(const ty_run_model *m, ty_log *log) {
    const ty_transform *t = &ty_model_member(m->model, 0)->transform;
    for (uint32_t k = 0; t->enabled && k + 1 < t->knots; k++)
        if (!ty_transform_ascends(t, k)) {
            ty_log_message(log, TALLY_LOG_WARNING,
                           "%s: score_transform.knots do not ascend: those after the first %u have no effect",
                           m->file, k + 1);
            return;
        }
}

static tally_status load(ty_run_model *m, ty_model_request *request, const char *model_dir,
                         ty_instances *instances, ty_log *log, ty_error *error) {
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

tally_status ty_models_request(ty_models *models, const char *text, const char *model_dir,
                               ty_instances *instances, ty_log *log, ty_error *error) {
    ty_model_request request;
    ty_run_model *item = NULL;
    if (ty_model_request_parse(text, &request, error) == TALLY_OK &&
        check_name(models, request.name, error) == TALLY_OK && add_item(models, &item, error) == TALLY_OK)
        load(item, &request, model_dir, instances, log, error);
    ty_model_request_free(&request);
    return error->status;
}
