/* Small model files for the tests, made of key and value texts, one of which may be another than usual. */
#ifndef MODEL_TEXT_H
#define MODEL_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SVM_HEAD "svm_type nu_svr\\nkernel_type rbf\\ngamma 1.5\\nnr_class 2\\ntotal_sv 3\\nrho 0.125\\nSV\\n"
#define SVM_VECTORS "1.75 1:0.61 2:0.11 \\n-1.25 2:0.62 \\n0.25 1:0.5 7:0.5 \\n"

static const struct {
    const char *key, *value;
} usual_members[] = {
    {"model_type", "\"LIBSVMNUSVR\""},
    {"norm_type", "\"linear_rescale\""},
    {"feature_names", "[\"psnr_y\", \"psnr_cb\"]"},
    {"feature_opts_dicts", "[{\"enable_chroma\": true}, {}]"},
    {"slopes", "[0.012, 0.03, 0.02]"},
    {"intercepts", "[0.3, -0.5, -0.4]"},
    {"score_clip", "[0, 100.0]"},
    {"score_transform",
     "{\"enabled\": false, \"p0\": 1.5, \"p1\": 1.1, \"knots\": [[0, 0], [50, 60], [100, 100]]}"},
    {"model", "\"" SVM_HEAD SVM_VECTORS "\""},
};

/* {"model_dict": …} with `key` set to `value` (NULL: left out); a key that is not usual is added. Free it. */
static char *model_text(const char *key, const char *value) {
    size_t size = 4096 + (value ? strlen(value) : 0), length;
    char *text = malloc(size);
    int known = 0;
    length = (size_t)snprintf(text, size, "{\"model_dict\": {\"unknown\": null");
    for (size_t i = 0; i < sizeof usual_members / sizeof usual_members[0]; i++) {
        const int this = key && strcmp(key, usual_members[i].key) == 0;
        const char *v = this ? value : usual_members[i].value;
        known |= this;
        if (v)
            length += (size_t)snprintf(text + length, size - length, ", \"%s\": %s", usual_members[i].key, v);
    }
    if (key && !known && value)
        length += (size_t)snprintf(text + length, size - length, ", \"%s\": %s", key, value);
    snprintf(text + length, size - length, "}}");
    return text;
}

#endif
