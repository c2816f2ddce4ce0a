/* float_adm: contrast sensitivity factors (spec 4.6). Host only. */
#ifndef TY_FLOAT_ADM_CSF_H
#define TY_FLOAT_ADM_CSF_H

#include "features/adm/csf.h"

enum { FLOAT_ADM_CSF_BARTEN = 1, FLOAT_ADM_CSF_PAPER = 2 }; /* everything else is Watson's */

/* Of the paper that proposed the measure (2011). */
static inline float float_adm_paper(adm_view view, uint32_t level, bool diagonal) {
    const float across = adm_pixels_per_degree(view) / (float)(2u << level);
    const float f = diagonal ? (float)(across / 0.7) : across;
    return (float)((0.31 + 0.69 * f) * ty_exp(-0.29 * f));
}

/* One level's factor of h and v, or of d. `scale` matters to Barten's model only. */
static inline float float_adm_factor(int mode, adm_view view, uint32_t level, bool diagonal, double scale) {
    if (mode == FLOAT_ADM_CSF_BARTEN)
        return adm_barten(view, level, scale);
    if (mode == FLOAT_ADM_CSF_PAPER)
        return float_adm_paper(view, level, diagonal);
    return adm_watson(view, level, diagonal);
}

#endif
