/* What the unit tests share: cmocka with what it needs, runs over frames in memory, exact comparison of scores. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/layout.h"
#include "tally/tally.h"

static inline uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Equal to the last bit. */
static inline void assert_same_double(double value, double expected) {
    if (bits_of_double(value) != bits_of_double(expected))
        fail_msg("%.17g (%a) is not %.17g (%a)", value, value, expected, expected);
}

/* A picture in Tally's layout. */
static inline tally_picture picture_of(const ty_layout *layout, void *const planes[3]) {
    tally_picture picture = {{0}, {0}};
    for (uint32_t p = 0; p < layout->planes; p++) {
        picture.data[p] = planes[p];
        picture.stride[p] = (ptrdiff_t)layout->stored_width[p] * layout->sample_bytes;
    }
    return picture;
}

static inline double score_of(const tally_run *run, const char *metric, uint64_t frame) {
    double score = 0;
    if (tally_run_score(run, metric, frame, &score) != TALLY_OK)
        fail_msg("there is no score %s of frame %u", metric, (unsigned)frame);
    return score;
}

#endif
