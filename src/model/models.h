/* The models of a run: each asks for its features, and scores the frames when these are done. */
#ifndef TY_MODELS_H
#define TY_MODELS_H

#include <stdatomic.h>

#include "core/instance.h"
#include "model/model.h"

#define TY_SCORE_NAME_MAX 128 /* characters that a request may give a score */

typedef struct ty_run_member {
    char *columns[TY_MODEL_MAX_FEATURES]; /* names of the features' columns */
    size_t column[TY_MODEL_MAX_FEATURES];
} ty_run_member;

typedef struct ty_run_model {
    char *name; /* of the score */
    char *file;
    ty_model *model;
    ty_run_member *members;
    size_t score;      /* column of member 0 */
    size_t collection; /* the first column of a collection's other scores */
} ty_run_model;

typedef struct ty_models {
    ty_run_model *items;
    uint32_t count;
} ty_models;

/* Loads a model (see request.h) and adds its features to the instances. Two models with one score name are
 * TALLY_USAGE. */
tally_status ty_models_request(ty_models *models, const char *request, const char *model_dir,
                               ty_instances *instances, ty_log *log, ty_error *error);

/* Finds the columns of the features and makes those of the models: the score of each, then what collections
 * add. Models that lack a feature because it was left out are left out too, if `skip_unsupported`. */
tally_status ty_models_add_columns(ty_models *models, ty_instances *instances, ty_scores *scores,
                                   bool skip_unsupported, ty_log *log, ty_error *error);

/* Scores all frames that have scores of all of a model's features. A model that can score no frame, and a
 * score that is not a number, are errors. */
tally_status ty_models_score(const ty_models *models, ty_scores *scores, const atomic_bool *cancelled,
                             ty_error *error);

void ty_models_free(ty_models *models);

#endif
