#include "core/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_instance(ty_instance *instance) {
    ty_plan_free(&instance->plan);
    free(instance->options);
    free(instance->state);
    free(instance->columns);
    *instance = (ty_instance){0};
}

void ty_instances_free(ty_instances *instances) {
    for (uint32_t i = 0; i < instances->count; i++)
        free_instance(&instances->items[i]);
    for (uint32_t i = 0; i < instances->left_out_count; i++)
        free(instances->left_out[i]);
    free(instances->items);
    free(instances->left_out);
    *instances = (ty_instances){0};
}

static tally_status unknown_feature(const char *name, ty_error *error) {
    char known[768] = "";
    for (const ty_feature *const *f = ty_features; *f; f++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", f == ty_features ? "" : ", ", (*f)->name);
    return ty_fail(error, TALLY_USAGE, "there is no feature '%s'; there are: %s", name, known);
}

static tally_status append(ty_instances *instances, const ty_feature *feature, void *options, ty_error *error) {
    ty_instance *items = realloc(instances->items, (instances->count + 1) * sizeof *items);
    if (!items) {
        free(options);
        return ty_fail_memory(error, "features");
    }
    instances->items = items;
    items[instances->count++] = (ty_instance){.feature = feature, .options = options};
    return TALLY_OK;
}

/* `what` follows the two requests. */
static tally_status conflict(const ty_feature *feature, const void *a, const void *b, const char *what, ty_error *error) {
    char one[400], two[400];
    ty_options_print(feature->options, a, feature->name, one, sizeof one);
    ty_options_print(feature->options, b, feature->name, two, sizeof two);
    return ty_fail(error, TALLY_USAGE, "%s and %s %s", one, two, what);
}

tally_status ty_instances_add(ty_instances *instances, const ty_feature *feature, void *options, ty_error *error) {
    if (feature->validate && feature->validate(options, error) != TALLY_OK) {
        free(options);
        return error->status;
    }
    for (uint32_t i = 0; i < instances->count; i++) {
        ty_instance *there = &instances->items[i];
        if (there->feature != feature)
            continue;
        tally_status status = TALLY_OK;
        switch (ty_options_compare(feature->options, there->options, options)) {
        case TY_OPTIONS_DISTINCT: continue;
        case TY_OPTIONS_EQUAL: break;
        case TY_OPTIONS_MERGEABLE: ty_options_merge(feature->options, there->options, options); break;
        case TY_OPTIONS_CONFLICT:
            status = conflict(feature, there->options, options,
                              "cannot both be scored: no metric name tells what they differ in", error);
            break;
        }
        free(options);
        return status;
    }
    return append(instances, feature, options, error);
}

tally_status ty_instances_request(ty_instances *instances, const char *request, ty_error *error) {
    char name[128];
    const size_t length = strcspn(request, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, request);
    const ty_feature *feature = length < sizeof name ? ty_feature_find(name) : NULL;
    if (!feature)
        return unknown_feature(name, error);
    void *options = calloc(1, feature->options_size ? feature->options_size : 1);
    if (!options)
        return ty_fail_memory(error, "options");
    ty_options_set_defaults(feature->options, options);
    const char *text = request[length] ? request + length + 1 : "";
    const tally_status status = ty_options_parse(feature->options, options, feature->name, text, error);
    if (status != TALLY_OK) {
        free(options);
        return status;
    }
    return ty_instances_add(instances, feature, options, error);
}

/* "8, 10, 12, 16" */
static void depth_list(uint32_t depths, char *text, size_t size) {
    text[0] = 0;
    for (unsigned depth = 8; depth <= 16; depth++)
        if (depths & TY_DEPTH(depth))
            snprintf(text + strlen(text), size - strlen(text), "%s%u", text[0] ? ", " : "", depth);
}

static void format_list(uint32_t formats, char *text, size_t size) {
    text[0] = 0;
    for (tally_pixel_format f = TALLY_PIXEL_FORMAT_400; f <= TALLY_PIXEL_FORMAT_444; f++)
        if (formats & TY_FORMAT(f))
            snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? ", " : "", ty_pixel_format_name(f));
}

static tally_status check(const ty_instance *instance, const ty_layout *layout, ty_error *error) {
    const ty_feature *feature = instance->feature;
    const tally_format *format = &layout->format;
    char list[64];
    if (!(feature->depths & TY_DEPTH(format->bit_depth))) {
        depth_list(feature->depths, list, sizeof list);
        return ty_fail(error, TALLY_USAGE, "feature %s cannot score a bit depth of %u; it takes %s", feature->name,
                       format->bit_depth, list);
    }
    if (!(feature->formats & TY_FORMAT(format->pixel_format))) {
        format_list(feature->formats, list, sizeof list);
        return ty_fail(error, TALLY_USAGE, "feature %s cannot score pixel format %s; it takes %s", feature->name,
                       ty_pixel_format_name(format->pixel_format), list);
    }
    if (format->width < feature->min_width || format->height < feature->min_height)
        return ty_fail(error, TALLY_USAGE, "feature %s cannot score a size of %ux%u; it needs at least %ux%u",
                       feature->name, format->width, format->height, feature->min_width, feature->min_height);
    return feature->check ? feature->check(instance->options, layout, error) : TALLY_OK;
}

tally_status ty_instances_note_left_out(ty_instances *instances, const char *reason, ty_log *log, ty_error *error) {
    char **list = realloc(instances->left_out, (instances->left_out_count + 1) * sizeof *list);
    if (!list)
        return ty_fail_memory(error, "features");
    instances->left_out = list;
    if (!(list[instances->left_out_count] = strdup(reason)))
        return ty_fail_memory(error, "features");
    instances->left_out_count++;
    ty_log_message(log, TALLY_LOG_WARNING, "left out: %s", reason);
    return TALLY_OK;
}

static void warn(const ty_instance *instance, const ty_layout *layout, ty_log *log) {
    const ty_feature *feature = instance->feature;
    const char *text = feature->remark ? feature->remark(instance->options, layout) : NULL;
    if (text)
        ty_log_message(log, TALLY_LOG_WARNING, "feature %s: %s", feature->name, text);
}

static tally_status leave_out(ty_instances *instances, uint32_t index, const char *reason, ty_log *log,
                              ty_error *error) {
    if (ty_instances_note_left_out(instances, reason, log, error) != TALLY_OK)
        return error->status;
    free_instance(&instances->items[index]);
    memmove(&instances->items[index], &instances->items[index + 1],
            (instances->count - index - 1) * sizeof *instances->items);
    instances->count--;
    return TALLY_OK;
}

static tally_status build(ty_instance *instance, const ty_layout *layout, ty_error *error) {
    const ty_feature *feature = instance->feature;
    ty_plan_init(&instance->plan, feature->room, layout);
    feature->plan(instance->options, &instance->plan);
    instance->state = calloc(1, feature->state_size ? feature->state_size : 1);
    if (!instance->state || instance->plan.out_of_memory)
        return ty_fail_memory(error, feature->name);
    if (feature->start)
        feature->start(instance->state, instance->options, layout);
    return TALLY_OK;
}

static tally_status request_all(ty_instances *instances, ty_error *error) {
    for (const ty_feature *const *f = ty_features; *f; f++)
        if (ty_instances_request(instances, (*f)->name, error) != TALLY_OK)
            return error->status;
    return TALLY_OK;
}

/* Two instances that write the same files. */
static tally_status check_files(const ty_instances *instances, ty_error *error) {
    for (uint32_t i = 0; i < instances->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const ty_instance *a = &instances->items[j], *b = &instances->items[i];
            if (a->feature == b->feature && ty_options_share_files(a->feature->options, a->options, b->options))
                return conflict(a->feature, a->options, b->options, "would write the same files", error);
        }
    return TALLY_OK;
}

tally_status ty_instances_prepare(ty_instances *instances, const ty_layout *layout, bool skip_unsupported,
                                  ty_log *log, ty_error *error) {
    if (instances->count == 0) {
        if (request_all(instances, error) != TALLY_OK)
            return error->status;
        skip_unsupported = true;
    }
    for (uint32_t i = 0; i < instances->count;) {
        ty_error reason = {0};
        if (check(&instances->items[i], layout, &reason) == TALLY_OK) {
            i++;
            continue;
        }
        if (!skip_unsupported)
            return ty_fail(error, reason.status, "%s", reason.text);
        if (leave_out(instances, i, reason.text, log, error) != TALLY_OK)
            return error->status;
    }
    if (instances->count == 0)
        return ty_fail(error, TALLY_USAGE, "no feature can score %ux%u, %u bits, %s", layout->format.width,
                       layout->format.height, layout->format.bit_depth,
                       ty_pixel_format_name(layout->format.pixel_format));
    if (check_files(instances, error) != TALLY_OK)
        return error->status;
    for (uint32_t i = 0; i < instances->count; i++) {
        warn(&instances->items[i], layout, log);
        if (build(&instances->items[i], layout, error) != TALLY_OK)
            return error->status;
    }
    return TALLY_OK;
}

void ty_metric_column(const ty_feature *feature, const void *options, uint32_t metric, char *text, size_t size) {
    const ty_metric *m = &feature->metrics[metric];
    snprintf(text, size, "%s", m->short_name ? m->short_name : m->name);
    if (!(feature->no_suffix >> metric & 1))
        ty_options_suffix(feature->options, options, text, size);
}

static bool produces(const ty_instance *instance, const ty_layout *layout, uint32_t metric) {
    return !instance->feature->has_metric || instance->feature->has_metric(instance->options, layout, metric);
}

/* Names the instances that would both write a column. */
static tally_status same_column(const ty_instances *instances, const ty_instance *second, const char *column,
                                ty_error *error) {
    const ty_instance *first = instances->items;
    while (first != second && first->feature != second->feature)
        first++;
    char what[TY_COLUMN_NAME_SIZE + 40];
    snprintf(what, sizeof what, "would both write the metric %s", column);
    return conflict(second->feature, first->options, second->options, what, error);
}

/* The columns of one instance whose first value is formed at `appears`. */
static tally_status add_columns(const ty_instances *instances, ty_instance *instance, const ty_layout *layout, ty_scores *scores,
                                ty_appearance appears, bool one_frame, ty_error *error) {
    const ty_feature *feature = instance->feature;
    const bool at_once = feature->at_once && feature->at_once(instance->options);
    for (uint32_t m = 0; feature->metrics[m].name; m++) {
        ty_appearance when = at_once ? TY_WITH_FRAME_0 : feature->metrics[m].appears;
        if (when == TY_WITH_FRAME_1 && one_frame)
            when = TY_AT_END;
        if (when != appears || !produces(instance, layout, m))
            continue;
        char name[TY_COLUMN_NAME_SIZE];
        ty_metric_column(feature, instance->options, m, name, sizeof name);
        if (ty_scores_find(scores, name) != SIZE_MAX)
            return same_column(instances, instance, name, error);
        instance->columns[m] = ty_scores_columns(scores);
        if (!ty_scores_add_column(scores, name))
            return ty_fail_memory(error, "scores");
    }
    return TALLY_OK;
}

static tally_status allocate_columns(ty_instance *instance, ty_error *error) {
    uint32_t metrics = 0;
    while (instance->feature->metrics[metrics].name)
        metrics++;
    instance->columns = malloc((metrics + 1) * sizeof *instance->columns);
    if (!instance->columns)
        return ty_fail_memory(error, "scores");
    for (uint32_t m = 0; m < metrics; m++)
        instance->columns[m] = SIZE_MAX;
    return TALLY_OK;
}

tally_status ty_instances_add_columns(ty_instances *instances, const ty_layout *layout, ty_scores *scores,
                                      uint64_t frames, ty_error *error) {
    for (uint32_t i = 0; i < instances->count; i++)
        if (allocate_columns(&instances->items[i], error) != TALLY_OK)
            return error->status;
    for (ty_appearance appears = TY_WITH_FRAME_0; appears <= TY_AT_END; appears++)
        for (uint32_t i = 0; i < instances->count; i++)
            if (add_columns(instances, &instances->items[i], layout, scores, appears, frames == 1, error) != TALLY_OK)
                return error->status;
    return TALLY_OK;
}

void ty_instances_set_range(ty_instances *instances, uint64_t from, uint64_t to, uint64_t every) {
    for (uint32_t i = 0; i < instances->count; i++) {
        ty_instance *instance = &instances->items[i];
        const ty_feature *feature = instance->feature;
        const uint64_t before = feature->lead_in ? feature->lead_in(instance->options) : 0;
        const uint64_t after = feature->lead_out ? feature->lead_out(instance->options) : 0;
        instance->first = from > before ? from - before : 0;
        instance->last = to < UINT64_MAX - after ? to + after : UINT64_MAX;
        instance->every = feature->every_frame ? 1 : every;
    }
}
