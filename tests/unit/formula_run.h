/* Runs over the formula pictures, and their scores in the files of TALLY_TEST_DATA. */
#ifndef FORMULA_RUN_H
#define FORMULA_RUN_H

#include <stdlib.h>

#include "unit.h"

#include "formula.h"

/* A run of one feature, ready for pictures. */
static inline tally_run *started_run(const char *feature, const tally_format *format) {
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, feature), TALLY_OK);
    if (tally_run_start(run, format) != TALLY_OK)
        fail_msg("%s", tally_run_error(run));
    return run;
}

/* A finished run of one feature over the first two formula pictures. */
static inline tally_run *formula_run(const char *feature, const tally_format *format) {
    ty_layout layout;
    ty_error error = {0};
    tally_run *run = started_run(feature, format);
    assert_int_equal(ty_layout_init(&layout, format, "picture", &error), TALLY_OK);
    for (uint32_t f = 0; f < 2; f++) {
        void *reference[3], *distorted[3];
        formula_picture(&layout, false, f, reference);
        formula_picture(&layout, true, f, distorted);
        const tally_picture r = picture_of(&layout, reference), d = picture_of(&layout, distorted);
        assert_int_equal(tally_run_submit(run, &r, &d), TALLY_OK);
        formula_free(reference);
        formula_free(distorted);
    }
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    return run;
}

/* A finished run of one feature over one pair of flat pictures. */
static inline tally_run *flat_run(const char *feature, const tally_format *format, uint16_t r, uint16_t d) {
    ty_layout layout;
    ty_error error = {0};
    tally_run *run = started_run(feature, format);
    assert_int_equal(ty_layout_init(&layout, format, "picture", &error), TALLY_OK);
    void *planes[2][3] = {{NULL}};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t p = 0; p < layout.planes; p++) {
            const uint16_t value = i == 0 ? r : d;
            planes[i][p] = malloc(layout.plane_bytes[p]);
            for (size_t k = 0; k < layout.plane_bytes[p] / layout.sample_bytes; k++)
                if (layout.sample_bytes == 1)
                    ((uint8_t *)planes[i][p])[k] = (uint8_t)value;
                else
                    ((uint16_t *)planes[i][p])[k] = value;
        }
    const tally_picture reference = picture_of(&layout, planes[0]);
    const tally_picture distorted = picture_of(&layout, planes[1]);
    assert_int_equal(tally_run_submit(run, &reference, &distorted), TALLY_OK);
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    formula_free(planes[0]);
    formula_free(planes[1]);
    return run;
}

/* Asserts that the feature or a run of it is refused, and that all of the words are said. */
static inline void assert_refused(const char *feature, const tally_format *format, const char *const *words) {
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    tally_status status = tally_run_add_feature(run, feature);
    if (status == TALLY_OK)
        status = tally_run_start(run, format);
    assert_int_equal(status, TALLY_USAGE);
    for (; *words; words++)
        if (!strstr(tally_run_error(run), *words))
            fail_msg("\"%s\" does not say \"%s\"", tally_run_error(run), *words);
    tally_run_destroy(run);
}

/* Opens golden/stages/<name> of TALLY_TEST_DATA and reads its heading; NULL, said loudly, if there is none.
 * */
static inline FILE *open_stage(const char *name) {
    char path[512], heading[1024];
    const char *data = getenv("TALLY_TEST_DATA");
    if (!data) {
        print_message("NOT TESTED against %s: TALLY_TEST_DATA is not set\n", name);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/golden/stages/%s", data, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    assert_non_null(fgets(heading, sizeof heading, file));
    return file;
}

/* Compares the scores of all formula pictures that `scored` takes with
 * depth,format,w,h,feature,frame,metric,value lines of such a file. Returns how many there were. */
static inline unsigned check_formula_scores(const char *feature, const char *name,
                                            bool (*scored)(const tally_format *)) {
    FILE *file = open_stage(name);
    tally_run *run = NULL;
    tally_format last = {0};
    char line[256], metric[64], value[64];
    unsigned checked = 0;
    while (file && fgets(line, sizeof line, file)) {
        unsigned depth, chroma, width, height, frame;
        if (sscanf(line, "%u,%u,%u,%u,%*[^,],%u,%63[^,],%63s", &depth, &chroma, &width, &height, &frame,
                   metric, value) != 7)
            continue; /* an error of the reference */
        const tally_format format = {width, height, depth,
                                     chroma == 400   ? TALLY_PIXEL_FORMAT_400
                                     : chroma == 420 ? TALLY_PIXEL_FORMAT_420
                                     : chroma == 422 ? TALLY_PIXEL_FORMAT_422
                                                     : TALLY_PIXEL_FORMAT_444};
        if (!scored(&format))
            continue;
        if (!ty_format_equal(&format, &last)) {
            tally_run_destroy(run);
            run = formula_run(feature, &format);
            last = format;
        }
        assert_same_double(score_of(run, metric, frame), strtod(value, NULL));
        checked++;
    }
    tally_run_destroy(run);
    if (file)
        fclose(file);
    return checked;
}

#endif
