/* A model file: one model, or a collection of models that were trained on resampled data (bootstrap). */
#ifndef TY_MODEL_H
#define TY_MODEL_H

#include "model/member.h"

typedef struct ty_model ty_model;

/* Reads a file (or a text in memory that `file` names). Errors are TALLY_INPUT and name the file with the
 * key, or with the byte where it stops being JSON. Of a key that occurs twice neither counts: it is an error.
 * Release with ty_model_free(); on failure *model is NULL. */
tally_status ty_model_load(const char *path, ty_model **model, ty_error *error);
tally_status ty_model_parse(const char *data, size_t size, const char *file, ty_model **model,
                            ty_error *error);
void ty_model_free(ty_model *model); /* NULL is allowed */

/* Member 0 is what a single model consists of; a collection has at least one more. */
bool ty_model_is_collection(const ty_model *model);
uint32_t ty_model_member_count(const ty_model *model);
const ty_member *ty_model_member(const ty_model *model, uint32_t index);

/* SHA-256 of the file's bytes. */
const char *ty_model_sha256(const ty_model *model);

/* Drops the clips; enables the transforms that the file has, also where it leaves them disabled. */
void ty_model_disable_clip(ty_model *model);
void ty_model_enable_transform(ty_model *model);

/* The score of each frame, from the features' scores. */

/* Sections 4.1 to 4.4 of the spec: the score of a member before transform and clip. `features`: one value for
 * each of the member's features, in its order. */
double ty_member_predict(const ty_member *member, const double *features);

/* The transform, if it is enabled, then the clip, if there is one. */
double ty_member_finish(const ty_member *member, double score);

/* What a collection's members 1 to `count` say together. `scores`: ty_member_predict() of each; sorted on
 * return. `first`: member 1, whose transform and clip apply. */
typedef struct ty_bootstrap {
    double bagging, stddev, ci_p95_lo, ci_p95_hi;
} ty_bootstrap;
ty_bootstrap ty_bootstrap_score(const ty_member *first, double *scores, uint32_t count);

#endif
