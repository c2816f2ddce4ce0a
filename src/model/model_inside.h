/* The inside of a ty_model, for what makes and frees it. */
#ifndef TY_MODEL_INSIDE_H
#define TY_MODEL_INSIDE_H

#include "model/model.h"

struct ty_model {
    ty_member *members;
    uint32_t count;
    bool collection;
    char sha256[65];
};

#endif
