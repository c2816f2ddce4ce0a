/* The options of speed_chroma and speed_temporal (spec: speed.md, section 3). */
#ifndef TY_SPEED_OPTIONS_H
#define TY_SPEED_OPTIONS_H

#include "core/options.h"

typedef struct speed_options {
    double kernelscale, prescale, sigma_nn, nn_floor, max_val;
    char prescale_method[TY_OPTION_STRING_SIZE];
    int weight_var_mode; /* speed_chroma */
    bool use_ref_diff;   /* speed_temporal */
} speed_options;

/* Methods of prescaling, NULL-terminated: nearest, bilinear, bicubic, lanczos4. */
extern const char *const ty_speed_methods[];

#define SPEED_NUMBER(name, alias, standard, min, max, help)                                                  \
    {                                                                                                        \
        "speed_" #name, alias, TY_OPTION_DOUBLE, TY_OPTION_NAMED, offsetof(speed_options, name), standard,   \
            NULL, min, max, NULL, help                                                                       \
    }

/* What both features have, in the order of `tally features`. */
#define SPEED_COMMON_OPTIONS                                                                                 \
    SPEED_NUMBER(kernelscale, "ks", 1, 0.1, 4, "width of both filters: 1 and 20 other scales"),              \
        SPEED_NUMBER(prescale, "ps", 1, 0.1, 4, "resample the planes by this factor first"),                 \
        {"speed_prescale_method",                                                                            \
         "psm",                                                                                              \
         TY_OPTION_STRING,                                                                                   \
         TY_OPTION_NAMED,                                                                                    \
         offsetof(speed_options, prescale_method),                                                           \
         0,                                                                                                  \
         "nearest",                                                                                          \
         0,                                                                                                  \
         0,                                                                                                  \
         ty_speed_methods,                                                                                   \
         "how to resample: nearest, bilinear, bicubic, lanczos4"},                                           \
        SPEED_NUMBER(sigma_nn, "snn", 0.29, 0.1, 2, "neural noise"),                                         \
        SPEED_NUMBER(nn_floor, "nnf", 0, 0, 1,                                                               \
                     "blocks with less information than this over the noise count 0")

#endif
