/* What tally_run_add_model() is given: "NAME|FILE[:option=value…]". */
#ifndef TY_MODEL_REQUEST_H
#define TY_MODEL_REQUEST_H

#include "model/models.h"

/* "FEATURE.OPTION=VALUE", cut into its parts. */
typedef struct ty_model_override {
    const char *feature, *option, *value;
    bool used;
} ty_model_override;

typedef struct ty_model_request {
    const char *model; /* name or path */
    const char *name;  /* of the score */
    bool disable_clip, enable_transform;
    ty_model_override *overrides;
    size_t override_count;
    char *text; /* what the strings point into */
} ty_model_request;

/* The model's part ends at the first ':' after which an option begins ("word=", "feature.option=",
 * disable_clip or enable_transform), so a path may hold other colons. Wrong requests are TALLY_USAGE. Release
 * with ty_model_request_free(), also after a failure. */
tally_status ty_model_request_parse(const char *text, ty_model_request *request, ty_error *error);
void ty_model_request_free(ty_model_request *request);

#endif
