/* The public interface of a finished run: scores and pooled values. */
#include "core/run.h"

/* Getters do not make a run fail: a question about a metric that is not there has no consequence. */

size_t tally_run_metric_count(const tally_run *run) { return run ? ty_scores_columns(run->scores) : 0; }

const char *tally_run_metric_name(const tally_run *run, size_t metric) {
    return run && metric < ty_scores_columns(run->scores) ? ty_scores_name(run->scores, metric) : NULL;
}

uint64_t tally_run_frame_count(const tally_run *run) { return run ? run->frames : 0; }

static size_t column_of(const tally_run *run, const char *metric) {
    return run && metric && run->stage == TY_RUN_FINISHED ? ty_scores_find(run->scores, metric) : SIZE_MAX;
}

tally_status tally_run_score(const tally_run *run, const char *metric, uint64_t frame, double *score) {
    const size_t column = column_of(run, metric);
    return column != SIZE_MAX && score && ty_scores_get(run->scores, column, frame, score) ? TALLY_OK : TALLY_USAGE;
}

tally_status tally_run_pool(const tally_run *run, const char *metric, tally_pooled *pooled) {
    const size_t column = column_of(run, metric);
    return column != SIZE_MAX && pooled && ty_scores_pool(run->scores, column, pooled) ? TALLY_OK : TALLY_USAGE;
}

size_t tally_run_aggregate_count(const tally_run *run) { return run ? run->aggregates.count : 0; }

tally_status tally_run_aggregate(const tally_run *run, size_t index, const char **name, double *value) {
    if (!run || !name || !value || index >= run->aggregates.count)
        return TALLY_USAGE;
    *name = run->aggregates.items[index].name;
    *value = run->aggregates.items[index].value;
    return TALLY_OK;
}

tally_status tally_run_digest(const tally_run *run, char digest[65]) {
    if (!run || !digest || run->stage != TY_RUN_FINISHED)
        return TALLY_USAGE;
    return ty_scores_digest(run->scores, digest) ? TALLY_OK : TALLY_INTERNAL;
}
