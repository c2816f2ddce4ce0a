/* The scores of a run: one column for each metric, in report order; frames from 0, in any order, some missing. */
#ifndef TY_SCORES_H
#define TY_SCORES_H

#include "core/error.h"

typedef struct ty_scores ty_scores;

ty_scores *ty_scores_create(void); /* NULL: out of memory */
void ty_scores_destroy(ty_scores *scores);

/* Adds a column; the name is copied and must be new. Returns false if memory is short. */
bool ty_scores_add_column(ty_scores *scores, const char *name);
size_t ty_scores_columns(const ty_scores *scores);
const char *ty_scores_name(const ty_scores *scores, size_t column);

/* The column of a name, or SIZE_MAX. */
size_t ty_scores_find(const ty_scores *scores, const char *name);

/* Makes room for frames below `frames`, so that setting them cannot fail. */
bool ty_scores_reserve(ty_scores *scores, uint64_t frames);
bool ty_scores_set(ty_scores *scores, size_t column, uint64_t frame, double value);
bool ty_scores_get(const ty_scores *scores, size_t column, uint64_t frame, double *value);

/* One more than the highest frame with a score in any column. */
uint64_t ty_scores_frames(const ty_scores *scores);

/* Pools a column over all its scores (cli_and_outputs: min, max, mean, harmonic mean in frame order, each operation
 * rounded by itself; tally.h says how non-finite scores are treated). False if the column has no score at all or memory
 * for the percentiles is short. */
bool ty_scores_pool(const ty_scores *scores, size_t column, tally_pooled *pooled);

/* See tally_run_digest(). False if memory is short. */
bool ty_scores_digest(const ty_scores *scores, char digest[65]);

#endif
