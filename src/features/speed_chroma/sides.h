/* What speed_chroma and speed_temporal do before their tails: sizes, refusals, the plan of a frame. */
#ifndef TY_SPEED_SIDES_H
#define TY_SPEED_SIDES_H

#include "core/plan.h"

#include "features/speed_chroma/options.h"
#include "features/speed_chroma/stages.h"

/* Refuses kernel scales without filters. */
tally_status ty_speed_validate(const char *feature, const speed_options *options, ty_error *error);

/* Refuses planes that are too small. `plane`: 0 luma, 1 chroma. */
tally_status ty_speed_check(const char *feature, const speed_options *options, const ty_layout *layout,
                            uint32_t plane, ty_error *error);

/* The decimated planes and the partials of a side. */
speed_shape ty_speed_shape(const speed_options *options, const ty_layout *layout, uint32_t plane);

/* Adds the whole plan. Of `count` sides, side n is planes[n]; or, with `difference`, planes[2n] - planes[2n +
 * 1]. The partials are one buffer, shape.partials floats for each side: see stages.h. */
void ty_speed_plan(ty_plan *plan, const speed_options *options, uint32_t plane, uint32_t count,
                   bool difference, const ty_buffer planes[4]);

#endif
