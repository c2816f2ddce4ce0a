#include "model/model_inside.h"

#include <stdlib.h>

static void free_member(ty_member *m) {
    for (uint32_t i = 0; i < TY_MODEL_MAX_FEATURES; i++) {
        ty_member_feature *f = &m->features[i];
        for (uint32_t o = 0; o < f->option_count; o++) {
            free(f->options[o].name);
            free(f->options[o].value);
        }
        free(f->options);
        free(f->name);
    }
    ty_svm_free(&m->svm);
}

void ty_model_free(ty_model *model) {
    if (!model)
        return;
    for (uint32_t i = 0; i < model->count; i++)
        free_member(&model->members[i]);
    free(model->members);
    free(model);
}

bool ty_model_is_collection(const ty_model *model) {
    return model->collection;
}
uint32_t ty_model_member_count(const ty_model *model) {
    return model->count;
}
const ty_member *ty_model_member(const ty_model *model, uint32_t index) {
    return &model->members[index];
}
const char *ty_model_sha256(const ty_model *model) {
    return model->sha256;
}

void ty_model_disable_clip(ty_model *model) {
    for (uint32_t i = 0; i < model->count; i++)
        model->members[i].has_clip = false;
}

void ty_model_enable_transform(ty_model *model) {
    for (uint32_t i = 0; i < model->count; i++)
        model->members[i].transform.enabled = true;
}
