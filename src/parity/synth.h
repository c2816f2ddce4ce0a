/* Synthetic clips made from formulas (spec: synthetic clips), so that a test carries only their scores. */
#ifndef SYNTH_H
#define SYNTH_H

#include "core/layout.h"

typedef enum synth_kind { SYNTH_PICTURE, SYNTH_NOISE, SYNTH_CHECKERS, SYNTH_FLAT, SYNTH_BANDS } synth_kind;

typedef struct synth_clip {
    const char *name; /* "s_pic352_8_420" */
    synth_kind kind;
    tally_format format;
    uint32_t frames;
} synth_clip;

/* The clips of the three sets, NULL-named at the end: the s_… clips, the small ones at size limits and odd depths, and those
 * with banding in luma (spec: cambi.md 7.2). */
extern const synth_clip synth_clips[];
const synth_clip *synth_find(const char *name);

/* Writes the samples of one picture in Tally's layout: planes[p] holds plane_bytes[p] bytes. */
void synth_picture(const synth_clip *clip, const ty_layout *layout, bool distorted, uint32_t frame,
                   void *const planes[3]);

#endif
