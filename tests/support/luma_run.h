/* Runs of one feature over luma pictures that are plain arrays of numbers, and ranges of them beside the
 * whole. */
#ifndef LUMA_RUN_H
#define LUMA_RUN_H

#include "luma.h"

/* Submits one pair of pictures of width * height samples each. */
static inline tally_status luma_submit(tally_run *run, const tally_format *format, const uint16_t *reference,
                                       const uint16_t *distorted) {
    void *r = luma_plane(format, reference), *d = luma_plane(format, distorted);
    const ptrdiff_t stride = (ptrdiff_t)format->width * (format->bit_depth > 8 ? 2 : 1);
    const tally_status status =
        tally_run_submit(run, &(tally_picture){{r}, {stride}}, &(tally_picture){{d}, {stride}});
    free(r);
    free(d);
    return status;
}

/* Writes the samples of frame t. */
typedef void luma_frame(const tally_format *format, uint32_t t, uint16_t *samples);

/* A finished run in which both videos are the same. config NULL: defaults. */
static inline tally_run *luma_run(const char *feature, const tally_config *config, const tally_format *format,
                                  uint32_t frames, luma_frame *frame) {
    uint16_t *samples = malloc((size_t)format->width * format->height * sizeof *samples);
    tally_run *run;
    assert_int_equal(tally_run_create(config, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, feature), TALLY_OK);
    assert_int_equal(tally_run_start(run, format), TALLY_OK);
    for (uint32_t t = 0; t < frames; t++) {
        frame(format, t, samples);
        assert_int_equal(luma_submit(run, format, samples, samples), TALLY_OK);
    }
    if (tally_run_finish(run) != TALLY_OK)
        fail_msg("%s", tally_run_error(run));
    free(samples);
    return run;
}

/* A finished run over one pair of pictures. */
static inline tally_run *luma_pair_run(const char *feature, const tally_format *format,
                                       const uint16_t *reference, const uint16_t *distorted) {
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, feature), TALLY_OK);
    assert_int_equal(tally_run_start(run, format), TALLY_OK);
    assert_int_equal(luma_submit(run, format, reference, distorted), TALLY_OK);
    if (tally_run_finish(run) != TALLY_OK)
        fail_msg("%s", tally_run_error(run));
    return run;
}

/* Runs the range of `config` of a video and asserts that it scores just the frames asked for, with the bits
 * of the whole run. */
static inline void assert_luma_range(const tally_run *whole, const char *feature, const tally_config *config,
                                     const tally_format *format, uint32_t frames, luma_frame *frame) {
    tally_run *run = luma_run(feature, config, format, frames, frame);
    for (size_t m = 0; m < tally_run_metric_count(whole); m++)
        for (uint64_t t = 0; t < frames; t++) {
            const char *name = tally_run_metric_name(whole, m);
            double score;
            const bool scored = tally_run_score(run, name, t, &score) == TALLY_OK;
            assert_true(scored == (t >= config->from && t <= config->to && t % config->every == 0));
            if (scored)
                assert_same_double(score, score_of(whole, name, t));
        }
    tally_run_destroy(run);
}

#endif
