/* Golden model scores from golden feature scores: every published model, and what was made for the corners
 * of the format. Needs TALLY_TEST_DATA. */
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "core/feature.h"

static const char *data;

static cJSON *read_json(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    cJSON *root = cJSON_ParseWithLength(text, size);
    free(text);
    assert_non_null(root);
    return root;
}

/* "VMAF_integer_feature_adm2_score" to "integer_adm2". */
static void short_name(const char *lookup, char *text, size_t size) {
    const char *after = strstr(lookup, "_feature_"), *end = strstr(lookup, "_score");
    const bool integer = strncmp(lookup, "VMAF_integer_", 13) == 0;
    assert_true(after && end);
    after += strlen("_feature_");
    snprintf(text, size, "%s%.*s", integer ? "integer_" : "", (int)(end - after), after);
}

/* The golden column of a feature, whatever the suffix of its options: an option's alias begins with a letter.
 */
static const cJSON *feature_column(const cJSON *scores, const char *lookup) {
    char name[128];
    const cJSON *column, *found = NULL;
    short_name(lookup, name, sizeof name);
    const size_t length = strlen(name);
    cJSON_ArrayForEach(column, scores) if (strncmp(column->string, name, length) == 0 &&
                                           (!column->string[length] || column->string[length] == '_')) {
        assert_null(found);
        found = column;
    }
    assert_non_null(found);
    return found;
}

static double golden_value(const cJSON *column, int frame) {
    const cJSON *v = cJSON_GetArrayItem(column, frame);
    assert_true(cJSON_IsString(v));
    return strtod(v->valuestring, NULL);
}

static size_t compared;

static void compare(const char *id, const char *clip, const cJSON *scores, const char *name, int frame,
                    double value) {
    const cJSON *column = cJSON_GetObjectItemCaseSensitive(scores, name);
    assert_non_null(column);
    const double golden = golden_value(column, frame);
    if (memcmp(&golden, &value, sizeof value) != 0)
        fail_msg("%s, %s, %s, frame %d: %.17g is not %.17g", id, clip, name, frame, value, golden);
    compared++;
}

static double predict(const ty_member *m, const cJSON *scores, int frame) {
    double features[TY_MODEL_MAX_FEATURES];
    for (uint32_t f = 0; f < m->feature_count; f++)
        features[f] = golden_value(feature_column(scores, m->features[f].name), frame);
    return ty_member_predict(m, features);
}

static void check_frame(const char *id, const char *clip, const ty_model *model, const cJSON *scores,
                        int frame) {
    char name[32];
    double raw[32];
    const uint32_t members = ty_model_member_count(model);
    for (uint32_t i = 0; i < members; i++) {
        const ty_member *m = ty_model_member(model, i);
        snprintf(name, sizeof name, i ? "vmaf_%04u" : "vmaf", i);
        raw[i] = predict(m, scores, frame);
        compare(id, clip, scores, name, frame, ty_member_finish(m, raw[i]));
    }
    if (!ty_model_is_collection(model))
        return;
    const ty_bootstrap b = ty_bootstrap_score(ty_model_member(model, 1), raw + 1, members - 1);
    compare(id, clip, scores, "vmaf_bagging", frame, b.bagging);
    compare(id, clip, scores, "vmaf_stddev", frame, b.stddev);
    compare(id, clip, scores, "vmaf_ci_p95_lo", frame, b.ci_p95_lo);
    compare(id, clip, scores, "vmaf_ci_p95_hi", frame, b.ci_p95_hi);
}

/* "-m shared/models/NAME.json@flag@flag" */
static ty_model *load(const char *arguments) {
    char path[1024], file[256];
    ty_error error = {0};
    ty_model *model;
    const char *slash = strrchr(arguments, '/') + 1;
    snprintf(file, sizeof file, "%.*s", (int)strcspn(slash, "@"), slash);
    snprintf(path, sizeof path, "%s/%s/%s", data,
             strstr(arguments, "synth_models") ? "golden/synth_models" : "models", file);
    if (ty_model_load(path, &model, &error) != TALLY_OK)
        fail_msg("%s", error.text);
    if (strstr(arguments, "@noclip"))
        ty_model_disable_clip(model);
    if (strstr(arguments, "@transform"))
        ty_model_enable_transform(model);
    return model;
}

static void golden_scores(void **state) {
    (void)state;
    char path[1024];
    if (!data) {
        print_message("TALLY_TEST_DATA is not set: no golden model scores to compare\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/golden/models.json", data);
    cJSON *root = read_json(path);
    const cJSON *set, *clip;
    cJSON_ArrayForEach(set, root) {
        ty_model *model = load(cJSON_GetObjectItemCaseSensitive(set, "args")->valuestring);
        cJSON_ArrayForEach(clip, cJSON_GetObjectItemCaseSensitive(set, "clips")) {
            const cJSON *scores = cJSON_GetObjectItemCaseSensitive(clip, "scores");
            const cJSON *vmaf = scores ? cJSON_GetObjectItemCaseSensitive(scores, "vmaf") : NULL;
            for (int frame = 0; vmaf && frame < cJSON_GetArraySize(vmaf); frame++)
                check_frame(set->string, clip->string, model, scores, frame);
        }
        ty_model_free(model);
    }
    cJSON_Delete(root);
    print_message("%zu scores compared\n", compared);
    assert_int_equal(compared, 5904);
}

int main(void) {
    data = getenv("TALLY_TEST_DATA");
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
