/* Heat maps: the contrasts of each scale as 16-bit pictures in files (spec: cambi.md 4.9). */
#ifndef TY_CAMBI_HEATMAP_H
#define TY_CAMBI_HEATMAP_H

#include "core/error.h"

#include "features/cambi/setup.h"

/* Whether the folder is there or can be made. Changes nothing. */
tally_status ty_cambi_heatmaps_check(const char *folder, ty_error *error);

/* Before the first frame that is written: makes the folder with its parents and the file of each scale. `empty`: files that
 * are there lose what they hold. */
tally_status ty_cambi_heatmaps_begin(const char *folder, const cambi_geometry *picture, bool empty,
                                     ty_error *error);

/* Writes the contrasts of one frame, rows `stride` apart. The file's name says the size of the data. */
tally_status ty_cambi_heatmap_write(const char *folder, const cambi_geometry *picture, uint32_t scale,
                                    uint32_t steps, uint64_t frame, const float *contrasts, uint32_t stride,
                                    ty_error *error);

#endif
