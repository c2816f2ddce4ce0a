/* Runs a feature's plan on pictures of the test's own, at one CPU level, outside of the engine: every buffer can be looked
 * at afterwards, and each is surrounded by guard bytes. */
#ifndef PLAN_RUN_H
#define PLAN_RUN_H

#include "core/feature.h"

#define PLAN_RUN_LAGS 5

typedef struct plan_run {
    const ty_feature *feature;
    void *options;
    ty_layout layout;
    ty_plan plan;
    uint8_t **buffers;         /* [buffer of the plan]: first byte of its contents; NULL for planes */
    uint8_t **blocks;          /* what was allocated: guard, contents, guard */
    uint64_t frames;           /* frames run so far */
    const void *planes[PLAN_RUN_LAGS][2][3]; /* the frame now [0] and those before it */
} plan_run;

/* `request` as for `tally score -f`. False, with a message on stderr, if the feature refuses the request or the format. */
bool plan_run_init(plan_run *run, const char *request, const tally_format *format);

/* The same without the feature's limits on sizes, for stage vectors of small pictures. */
bool plan_run_init_unchecked(plan_run *run, const char *request, const tally_format *format);

/* Runs every stage for the next frame; planes[role][plane] in the layout of run->layout. The pictures of the frames before
 * must stay valid. Scratch, kept and partials are filled with `fill` bytes first. */
void plan_run_frame(plan_run *run, const char *level, const void *const planes[2][3], uint8_t fill);

/* The number of a buffer whose guards were written to, or UINT32_MAX. */
uint32_t plan_run_damaged(const plan_run *run);

void plan_run_free(plan_run *run);

#endif
