/* The score of a pair of sides (spec: speed.md, 4.12 and 4.13). */
#ifndef TY_SPEED_SCORE_H
#define TY_SPEED_SCORE_H

#include "features/speed_chroma/entropy.h"
#include "features/speed_chroma/sides.h"

typedef struct speed_scorer {
    speed_log_table logs;
    speed_shape shape;
    float sigma, floor;
    float base; /* blocks whose entropies are both below it are left out */
    int mode;   /* of weights */
} speed_scorer;

void ty_speed_scorer_init(speed_scorer *scorer, const speed_options *options, const ty_layout *layout,
                          uint32_t plane, int mode);

bool ty_speed_is_singular(const float *side);

/* `reference` and `distorted` are partials of sides. Can be NaN. */
float ty_speed_score(const speed_scorer *scorer, const float *reference, const float *distorted);

#endif
