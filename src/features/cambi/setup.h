/* What cambi works out once for a run: sizes, windows, thresholds and tables (spec: cambi.md 4.1
 * to 4.3, 4.6). */
#ifndef TY_CAMBI_SETUP_H
#define TY_CAMBI_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/options.h"
#include "kernel/types.h"

#include "features/cambi/stages.h"

typedef struct cambi_options {
    double max_val, topk, cambi_topk, tvi_threshold, vis_lum_threshold;
    int enc_width, enc_height, enc_bitdepth, src_width, src_height, window_size, max_log_contrast,
        high_res_speedup;
    char heatmaps_path[TY_OPTION_STRING_SIZE], eotf[TY_OPTION_STRING_SIZE], cambi_eotf[TY_OPTION_STRING_SIZE];
    bool full_ref;
} cambi_options;

/* One picture as it is measured. */
typedef struct cambi_geometry {
    uint32_t width, height; /* prepared */
    uint32_t window;        /* W of the spec, odd */
    uint32_t widths[CAMBI_SCALES], heights[CAMBI_SCALES];
    uint32_t most[CAMBI_SCALES]; /* k of the spec: samples pooled */
} cambi_geometry;

/* What to measure of a `width` x `height` picture: [0] the distorted picture, [1] the reference. */
typedef struct cambi_setup {
    bool halved;    /* everything after the mask: S of the spec */
    uint32_t steps; /* D of the spec */
    cambi_geometry pictures[2];
} cambi_setup;

cambi_setup ty_cambi_setup(const cambi_options *options, uint32_t width, uint32_t height);

/* T_1 to T_steps; returns V. */
uint32_t ty_cambi_thresholds(const cambi_options *options, uint32_t steps, uint32_t *thresholds);

/* For each sample value up to CAMBI_HIGHEST the smallest step that counts, steps + 1 if none does. All larger
 * ones count too, since the thresholds do not decrease. */
void ty_cambi_first_steps(uint32_t steps, const uint32_t *thresholds, uint32_t visible_from, uint32_t *first);

/* r[0] to r[CAMBI_MOST_AREA]; r[0] is 0. */
void ty_cambi_reciprocals(float *reciprocals);

/* The column (or row) of a plane of `from` columns for each of `to` columns of the prepared picture.
 * `resized` is whether any of the picture's sides changes. */
void ty_cambi_places(uint32_t from, uint32_t to, bool resized, uint32_t *places);

/* The largest of the weights g_1 to g_steps. */
uint32_t ty_cambi_largest_weight(uint32_t steps);

/* tau of the spec. */
uint32_t ty_cambi_mask_threshold(uint32_t width, uint32_t height);

/* Luminance in cd/m^2 of a 10-bit limited-range code value. */
double ty_cambi_luminance(bool pq, int value);

#endif
