/* One model as read from its file: features, normalisation, regression, transform, clip. */
#ifndef TY_MEMBER_H
#define TY_MEMBER_H

#include "model/svm_text.h"

#define TY_MODEL_MAX_FEATURES 64
#define TY_MODEL_MAX_OPTIONS 64 /* of one feature */
#define TY_MODEL_MAX_KNOTS 10

typedef struct ty_member_option {
    char *name, *value;
} ty_member_option;

typedef struct ty_member_feature {
    char *name; /* the metric's lookup name */
    ty_member_option *options;
    uint32_t option_count;
    double slope, intercept;
} ty_member_feature;

typedef struct ty_transform {
    bool present, enabled;
    bool has_coefficient[3];
    double coefficient[3]; /* p0, p1, p2 */
    bool has_knots;
    uint32_t knots;
    double x[TY_MODEL_MAX_KNOTS], y[TY_MODEL_MAX_KNOTS];
    bool out_lte_in, out_gte_in;
} ty_transform;

typedef struct ty_member {
    ty_member_feature features[TY_MODEL_MAX_FEATURES];
    uint32_t feature_count;
    bool rescale;            /* linear_rescale; else the features and the score are taken as they are */
    double slope, intercept; /* of the score */
    bool chroma_correction;
    double chroma_parameter;
    uint32_t chroma_from, chroma_to; /* the adm3 and the speed_chroma feature */
    ty_svm svm;
    ty_transform transform;
    bool has_clip;
    double clip[2];
} ty_member;

/* Where in knots k and k + 1 the map ascends as the spec wants; from the first place where it does not on,
 * knots are without effect. */
bool ty_transform_ascends(const ty_transform *transform, uint32_t k);

#endif
