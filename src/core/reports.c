/* What a finished run tells its report. */
#include <stdlib.h>

#include "core/run.h"

/* The requests of all instances in full, as one array of strings in one block. */
static const char *const *print_features(const ty_instances *instances) {
    const size_t size = 1024;
    char **list = malloc(instances->count * (sizeof *list + size));
    char *text = (char *)(list + instances->count);
    for (uint32_t i = 0; list && i < instances->count; i++, text += size) {
        const ty_instance *instance = &instances->items[i];
        ty_options_print(instance->feature->options, instance->options, instance->feature->name, text, size);
        list[i] = text;
    }
    return (const char *const *)list;
}

tally_status ty_run_report(tally_run *run, ty_report *report) {
    *report = (ty_report){0};
    if (run->stage != TY_RUN_FINISHED)
        return ty_fail(&run->error, TALLY_USAGE, "a report was asked for before the run was finished");
    ty_aggregate *aggregates = calloc(run->aggregates.count + 1, sizeof *aggregates);
    const char *const *features = print_features(&run->instances);
    ty_report_model *models = calloc(run->models.count + 1, sizeof *models);
    if (!aggregates || !features || !models) {
        free(aggregates);
        free((void *)features);
        free(models);
        return ty_fail_memory(&run->error, "report");
    }
    for (uint32_t i = 0; i < run->aggregates.count; i++)
        aggregates[i] = (ty_aggregate){run->aggregates.items[i].name, run->aggregates.items[i].value};
    for (uint32_t i = 0; i < run->models.count; i++) {
        const ty_run_model *m = &run->models.items[i];
        models[i] = (ty_report_model){m->name, m->file, ty_model_sha256(m->model)};
    }
    const uint64_t last = run->config.to < run->frames ? run->config.to : run->frames - 1;
    *report = (ty_report){.scores = run->scores,
                          .aggregates = aggregates,
                          .aggregate_count = run->aggregates.count,
                          .format = run->layout.format,
                          .frames = run->frames,
                          .fps = run->seconds > 0 ? (double)ty_engine_done(run->engine) / run->seconds : 0,
                          .first = run->config.from,
                          .last = last,
                          .every = run->config.every,
                          .reference = run->reference,
                          .distorted = run->distorted,
                          .backend = run->backend->name,
                          .device = run->device_info.name,
                          .level = run->backend->level(run->device),
                          .threads = run->config.threads,
                          .features = features,
                          .feature_count = run->instances.count,
                          .models = models,
                          .model_count = run->models.count,
                          .left_out = (const char *const *)run->instances.left_out,
                          .left_out_count = run->instances.left_out_count};
    return TALLY_OK;
}

void ty_run_report_free(ty_report *report) {
    free((void *)report->aggregates);
    free((void *)report->features);
    free((void *)report->models);
    *report = (ty_report){0};
}

/* A file that cannot be written does not spoil the scores: the run itself stays sound. */
tally_status tally_run_write_report(tally_run *run, const char *path, tally_report_format format, int precision) {
    if (!run)
        return TALLY_USAGE;
    ty_report report;
    if (!path || format < TALLY_REPORT_JSON || format > TALLY_REPORT_SUB || precision < 0 ||
        precision > TALLY_PRECISION_MAX)
        return ty_fail(&run->error, TALLY_USAGE, "write_report: no path, or format %d or precision %d out of range",
                       (int)format, precision);
    if (ty_run_report(run, &report) != TALLY_OK)
        return run->error.status;
    ty_error error = {0};
    if (ty_report_write(&report, path, format, precision, &error) != TALLY_OK)
        run->error = error;
    ty_run_report_free(&report);
    return error.status;
}
