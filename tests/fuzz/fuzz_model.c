/* libFuzzer target: whatever bytes come, a model file is read or refused, and what is read predicts without
 * harm.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tests/fuzz/fuzz_model.c SOURCES -lcjson
 * -lm -lpthread */
#include <stdlib.h>

#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ty_error error = {0};
    ty_model *model;
    if (ty_model_parse((const char *)data, size, "fuzz", &model, &error) != TALLY_OK) {
        if (model || error.status == TALLY_OK || !error.text[0])
            abort();
        return 0;
    }
    double features[TY_MODEL_MAX_FEATURES], scores[16];
    for (size_t i = 0; i < TY_MODEL_MAX_FEATURES; i++)
        features[i] = 0.25 * (double)i;
    ty_model_enable_transform(model);
    const uint32_t members = ty_model_member_count(model) < 16 ? ty_model_member_count(model) : 16;
    for (uint32_t i = 0; i < members; i++) {
        scores[i] = ty_member_predict(ty_model_member(model, i), features);
        ty_member_finish(ty_model_member(model, i), scores[i]);
    }
    if (ty_model_is_collection(model))
        ty_bootstrap_score(ty_model_member(model, 1), scores + 1, members - 1);
    ty_model_free(model);
    return 0;
}
