/* Model files: what is read, what is refused and with which words; every step from features to a score. */
#include "model/model.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "exact/math.h"
#include "model_text.h"

static void same_bits(double a, double b) {
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%.17g (%a) is not %.17g (%a)", a, a, b, b);
}

static ty_model *parse(const char *text) {
    ty_error error = {0};
    ty_model *model;
    if (ty_model_parse(text, strlen(text), "m.json", &model, &error) != TALLY_OK)
        fail_msg("refused: %s\n%s", error.text, text);
    return model;
}

static ty_model *parse_with(const char *key, const char *value) {
    char *text = model_text(key, value);
    ty_model *model = parse(text);
    free(text);
    return model;
}

static void refused(const char *data, size_t size, const char *words) {
    ty_error error = {0};
    ty_model *model = (ty_model *)&error;
    assert_int_equal(ty_model_parse(data, size, "m.json", &model, &error), TALLY_INPUT);
    assert_null(model);
    if (strncmp(error.text, "m.json: ", 8) != 0 || !strstr(error.text, words))
        fail_msg("the message '%s' lacks '%s'", error.text, words);
}

static void refused_with(const char *key, const char *value, const char *words) {
    char *text = model_text(key, value);
    refused(text, strlen(text), words);
    free(text);
}

static const ty_member *only(const ty_model *model) {
    assert_false(ty_model_is_collection(model));
    assert_int_equal(ty_model_member_count(model), 1);
    return ty_model_member(model, 0);
}

/* ---- Reading ---- */

static void everything_is_read(void **state) {
    (void)state;
    ty_model *model = parse_with(NULL, NULL);
    const ty_member *m = only(model);
    assert_int_equal(m->feature_count, 2);
    assert_string_equal(m->features[0].name, "psnr_y");
    assert_int_equal(m->features[0].option_count, 1);
    assert_string_equal(m->features[0].options[0].name, "enable_chroma");
    assert_string_equal(m->features[0].options[0].value, "true");
    assert_int_equal(m->features[1].option_count, 0);
    same_bits(m->slope, 0.012);
    same_bits(m->features[1].slope, 0.02);
    same_bits(m->features[0].intercept, -0.5);
    assert_true(m->has_clip);
    same_bits(m->clip[1], 100.0);
    assert_true(m->transform.present);
    assert_false(m->transform.enabled);
    assert_false(m->transform.has_coefficient[2]);
    assert_int_equal(m->transform.knots, 3);
    assert_int_equal(m->svm.vectors, 3);
    same_bits(m->svm.rho, 0.125);
    same_bits(m->svm.coefficients[1], -1.25);
    assert_int_equal(m->svm.starts[3], 5);
    assert_int_equal(m->svm.nodes[2].index, 2);
    assert_int_equal(m->svm.nodes[4].index, 7);
    ty_model_free(model);
    ty_model_free(NULL);
}

static void text_after_the_object_is_ignored(void **state) {
    (void)state;
    char *text = model_text(NULL, NULL);
    const size_t length = strlen(text);
    char *longer = malloc(length + 32);
    snprintf(longer, length + 32, " \n%s\n}]] nonsense \x01", text);
    ty_model_free(parse(longer));
    free(longer);
    free(text);
}

static void option_numbers_have_six_digits(void **state) {
    (void)state;
    ty_model *model =
        parse_with("feature_opts_dicts",
                   "[{\"a\": 1.0, \"b\": 0.06, \"c\": 1.2500001, \"d\": false, \"e\": \"x\", \"f\": 1080}]");
    static const char *const values[] = {"1", "0.06", "1.25", "false", "x", "1080"};
    assert_int_equal(only(model)->features[0].option_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(only(model)->features[0].options[i].value, values[i]);
    ty_model_free(model);
}

static void null_and_booleans_in_the_transform(void **state) {
    (void)state;
    ty_model *model =
        parse_with("score_transform", "{\"enabled\": true, \"p0\": null, \"p1\": null, \"p2\": null, "
                                      "\"knots\": null, \"out_lte_in\": null, \"out_gte_in\": true}");
    const ty_transform *t = &only(model)->transform;
    assert_true(t->enabled && !t->has_coefficient[0] && !t->has_coefficient[1] && !t->has_coefficient[2]);
    assert_true(!t->has_knots && !t->out_lte_in && t->out_gte_in);
    same_bits(ty_member_finish(only(model), 42.25), 42.25);
    ty_model_free(model);
}

static void wrong_values_are_named(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"model_type", "\"LIBSVM\"", "model_dict.model_type: must be LIBSVMNUSVR"},
        {"model_type", "1", "model_dict.model_type: must be a string, not a number"},
        {"norm_type", "\"none \"", "model_dict.norm_type: must be linear_rescale or none, not 'none '"},
        {"norm_type", NULL, "model_dict.norm_type: the key is missing"},
        {"norm_type", "[]", "norm_type: must be a string, not an array"},
        {"feature_names", NULL, "feature_names: the key is missing"},
        {"feature_names", "[]", "feature_names: there are none"},
        {"feature_names", "[\"a\", 1]", "feature_names: feature 1 must be a string"},
        {"feature_names", "{}", "feature_names: must be an array, not an object"},
        {"feature_opts_dicts", "null", "feature_opts_dicts: must be an array, not null"},
        {"feature_opts_dicts", "[null]", "feature_opts_dicts[0]: must be an object, not null"},
        {"feature_opts_dicts", "[{}, {\"a\": []}]", "feature_opts_dicts[1]: option a must be"},
        {"feature_opts_dicts", "[{}, {\"a\": 1, \"a\": 1}]", "feature_opts_dicts[1].a: the key occurs twice"},
        {"feature_opts_dicts", "[{}, {}, {}]",
         "feature_opts_dicts: has more entries than feature_names, which has 2"},
        {"slopes", NULL, "slopes: the key is missing"},
        {"slopes", "[1, 2]", "slopes: has 2 numbers; 2 features and the score need 3"},
        {"slopes", "[1, 2, 3, 4]", "slopes: has 4 numbers"},
        {"slopes", "[0, 2, 3]", "slopes[0]: the score is divided by it"},
        {"slopes", "[1, \"2\", 3]", "slopes[1]: must be a number, not a string"},
        {"slopes", "1", "slopes: must be an array"},
        {"intercepts", "[1, 2]", "intercepts: has 2 numbers"},
        {"intercepts", "[1, 2, 1e999]", "intercepts[2]: the number is too large"},
        {"intercepts", NULL, "intercepts: the key is missing"},
        {"score_clip", "null", "score_clip: must be an array of two numbers"},
        {"score_clip", "[1]", "score_clip: must be an array of two numbers"},
        {"score_clip", "[1, true]", "score_clip[1]: must be a number, not a boolean"},
        {"score_clip", "[2, 1]", "score_clip: the lower limit is above the upper one"},
        {"score_transform", "[]", "score_transform: must be an object"},
        {"score_transform", "{\"enabled\": 1}", "score_transform.enabled: must be true or false"},
        {"score_transform", "{\"enabled\": null}", "score_transform.enabled: must be true or false"},
        {"score_transform", "{\"p1\": \"1\"}", "score_transform.p1: must be a number"},
        {"score_transform", "{\"p1\": 1, \"p1\": 1}", "p1: the key occurs twice"},
        {"score_transform", "{\"knots\": 1}", "score_transform.knots: must be an array"},
        {"score_transform", "{\"knots\": [[0, 1], [1]]}",
         "score_transform.knots[1]: must be an array of two numbers"},
        {"score_transform", "{\"knots\": [[0, 1], [1, \"x\"]]}",
         "score_transform.knots[1][1]: must be a number"},
        {"score_transform",
         "{\"knots\": [[0,0],[1,0],[2,0],[3,0],[4,0],[5,0],[6,0],[7,0],[8,0],[9,0],[10,0]]}",
         "score_transform.knots: 11 knots are too many"},
        {"score_transform", "{\"out_lte_in\": \"yes\"}", "score_transform.out_lte_in: must be"},
        {"score_transform", "{\"out_gte_in\": 1}", "score_transform.out_gte_in: must be"},
        {"chroma_correction_parameter", "\"1\"", "chroma_correction_parameter: must be a number"},
        {"chroma_correction_parameter", "120",
         "chroma_correction_parameter: needs one feature whose name contains adm3"},
        /* Whatever stands in a file, nothing in a message steers a terminal. */
        {"norm_type", "\"\\u001b[2J\"", "not '?[2J'"},
        {"model", NULL, "model_dict.model: the key is missing"},
        {"model", "[]", "model_dict.model: must be a string"},
        {"model", "\"\"", "model_dict.model: line 1 (byte 0): the text ends before SV"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refused_with(cases[i][0], cases[i][1], cases[i][2]);
}

static void every_key_refuses_every_wrong_kind(void **state) {
    (void)state;
    static const char *const kinds[] = {"null", "true", "1", "\"\"", "[]", "{}", "[[]]", "[{}]", "[null]"};
    /* An empty list of options, an empty transform and a list with one empty entry say nothing wrong. */
    static const char *const harmless[][2] = {
        {"feature_opts_dicts", "[]"}, {"feature_opts_dicts", "[{}]"}, {"score_transform", "{}"}};
    for (size_t i = 0; i < sizeof usual_members / sizeof usual_members[0]; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            bool skip = false;
            for (size_t h = 0; h < sizeof harmless / sizeof harmless[0]; h++)
                skip |= strcmp(harmless[h][0], usual_members[i].key) == 0 &&
                        strcmp(harmless[h][1], kinds[k]) == 0;
            if (!skip)
                refused_with(usual_members[i].key, kinds[k], usual_members[i].key);
        }
}

static void a_key_that_occurs_twice(void **state) {
    (void)state;
    static const char text[] = "{\"model_dict\": {}, \"model_dict\": {}}";
    refused(text, strlen(text), "model_dict: the key occurs twice");
    static const char inner[] = "{\"model_dict\": {\"norm_type\": \"none\", \"feature_names\": [\"a\"], "
                                "\"norm_type\": \"none\"}}";
    refused(inner, strlen(inner), "model_dict.norm_type: the key occurs twice");
}

static void no_json(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "byte 0: a model file begins with '{'"},
        {"  [1]", "byte 2: a model file begins with '{'"},
        {"\xef\xbb\xbf{}", "byte 0: a model file begins with '{'"},
        {"{", "byte 1: not valid JSON: the file ends inside an object"},
        {"{\"a\" 1}", "byte 5: not valid JSON: ':' is missing"},
        {"{\"a\": }", "byte 6: not valid JSON: no JSON value"},
        {"{\"a\": 1,}", "byte 8: not valid JSON: a key in quotes is missing"},
        {"{\"a\": 1 \"b\": 2}", "byte 8: not valid JSON: ','"},
        {"{'a': 1}", "byte 1: not valid JSON: a key in quotes"},
        {"{\"a\": NaN}", "byte 6: not valid JSON"},
        {"{\"a\": nan}", "byte 7: not valid JSON"},
        {"{\"a\": -Infinity}", "byte 7: not valid JSON: a digit is missing"},
        {"{\"a\": Infinity}", "byte 6: not valid JSON"},
        {"{\"a\": 01}", "byte 7: not valid JSON"},
        {"{\"a\": +1}", "byte 6: not valid JSON"},
        {"{\"a\": .5}", "byte 6: not valid JSON"},
        {"{\"a\": 5.}", "byte 8: not valid JSON: a digit is missing"},
        {"{\"a\": 1e}", "byte 8: not valid JSON: a digit is missing"},
        {"{\"a\": 0x10}", "byte 7: not valid JSON"},
        {"{\"a\": 1,5}", "byte 8: not valid JSON"},
        {"{\"a\": tru}", "byte 9: not valid JSON"},
        {"{\"a\": \"\t\"}", "byte 7: not valid JSON: a control character"},
        {"{\"a\": \"\\x\"}", "byte 8: not valid JSON: an unknown escape"},
        {"{\"a\": \"\\u12g4\"}", "byte 11: not valid JSON: \\u wants four"},
        {"{\"a\": \"\\u0000\"}", "not valid JSON: a zero character"},
        {"{\"a\": \"", "byte 7: not valid JSON: the file ends inside a string"},
        {"{/* */ \"a\": 1}", "byte 1: not valid JSON"},
        {"{\"a\": 1000000000000000000000000000000000000000000000000000000000000000}",
         "byte 6: not valid JSON: a number of more than 63 characters"},
        {"{}", "is no model: there is neither a key model_dict nor a key 0"},
        {"{\"model_dict\": 1}", "model_dict: must be an object, not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refused(cases[i][0], strlen(cases[i][0]), cases[i][1]);
    refused("{\"a\": 1\0}", 10, "byte 7: not valid JSON");
}

static void truncated_files(void **state) {
    (void)state;
    char *text = model_text(NULL, NULL);
    const size_t length = strlen(text);
    for (size_t size = 0; size < length; size++) {
        /* A copy of that size, so that reading beyond it is noticed by a sanitizer. */
        char *part = malloc(size + !size);
        memcpy(part, text, size);
        refused(part, size, size < 1 ? "begins with" : "not valid JSON");
        free(part);
    }
    free(text);
}

/* A file of `size` bytes that is refused at once. */
static void refused_quickly(char fill, size_t size, const char *begin, const char *words) {
    char *data = malloc(size);
    assert_non_null(data);
    memset(data, fill, size);
    memcpy(data, begin, strlen(begin));
    const clock_t before = clock();
    refused(data, size, words);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 1.0);
    free(data);
}

static void absurd_sizes(void **state) {
    (void)state;
    refused_quickly('[', 100000000, "{\"a\":", "too large for a model: 100000000 bytes");
    refused_quickly('[', 60000000, "{\"a\":", "nested more than 32 deep");
    refused_quickly('{', 60000000, "{\"a\":", "a key in quotes is missing");
    char *data = malloc(4000008);
    memcpy(data, "{\"a\":[0", 7);
    for (size_t i = 0; i < 2000000; i++)
        memcpy(data + 7 + 2 * i, ",0", 2);
    refused(data, 4000007, "more than 1000000 values");
    free(data);
}

/* ---- The LIBSVM text ---- */

static void wrong_svm_texts(void **state) {
    (void)state;
#define HEAD(kernel) "svm_type nu_svr\\nkernel_type " kernel "\\n"
    static const char *const cases[][2] = {
        {"\"svm_type c_svc\\n\"", "line 1 (byte 14): only the regressions"},
        {"\"svm_type nu_svr\\nsvm_type nu_svr\\n\"", "line 2 (byte 24): the word occurs twice"},
        {"\"kernel_type precomputed\\n\"", "the kernel must be linear, polynomial, rbf or sigmoid"},
        {"\"nu 1\\n\"", "an unknown word, at nu"},
        {"\"rho 1\\n\"", "nr_class must come before it"},
        {"\"probA 1\\n\"", "nr_class must come before it"},
        {"\"nr_class 3\\n\"", "a regression has nr_class 2"},
        {"\"gamma 0x1p3\\n\"", "not a finite decimal number, at 0x1p3"},
        {"\"gamma nan\\n\"", "not a finite decimal number, at nan"},
        {"\"gamma 1e999\\n\"", "not a finite decimal number"},
        {"\"gamma\"", "not a finite decimal number"},
        {"\"degree -1\\n\"", "not a whole number, or out of range"},
        {"\"degree 1000001\\n\"", "not a whole number, or out of range"},
        {"\"total_sv 4294967296\\n\"", "not a whole number, or out of range"},
        {"\"SV\\n\"", "svm_type is missing"},
        {"\"svm_type nu_svr\\nSV\\n\"", "kernel_type is missing"},
        {"\"" HEAD("rbf") "SV\\n\"", "total_sv is missing"},
        {"\"" HEAD("rbf") "total_sv 0\\nSV\\n\"", "rho is missing"},
        {"\"" HEAD("rbf") "total_sv 0\\nnr_class 2\\nrho 0\\nSV\\n\"", "gamma is missing"},
        {"\"" HEAD("polynomial") "total_sv 0\\nnr_class 2\\nrho 0\\ngamma 1\\nSV\\n\"", "degree is missing"},
        {"\"" HEAD("sigmoid") "total_sv 0\\nnr_class 2\\nrho 0\\ngamma 1\\nSV\\n\"", "coef0 is missing"},
        {"\"" SVM_HEAD "1.75 1:0.61 \\n-1.25 2:0.62 \\n\"",
         "line 10 (byte 104): there are fewer support vectors"},
        {"\"" SVM_HEAD "1.75 1:0.61 \\n\\n-1.25 2:0.62 \\n\"",
         "line 9 (byte 90): there are fewer support vectors"},
        {"\"" SVM_HEAD "1 2 3\\n\"", "index:value was expected, at 2"},
        {"\"" SVM_HEAD "x 1:2\\n1\\n1\\n\"", "the coefficient is not a finite decimal number, at x"},
        {"\"" SVM_HEAD "1 1:2 1:3\\n1\\n1\\n\"", "indices must be whole numbers from 1, ascending, at 1:3"},
        {"\"" SVM_HEAD "1 0:2\\n1\\n1\\n\"", "indices must be"},
        {"\"" SVM_HEAD "1 -1:2\\n1\\n1\\n\"", "indices must be"},
        {"\"" SVM_HEAD "1 4294967296:2\\n1\\n1\\n\"", "indices must be"},
        {"\"" SVM_HEAD "1 1:\\n1\\n1\\n\"", "the value is not a finite decimal number, at 1:"},
        {"\"" SVM_HEAD "1 1:2,5\\n1\\n1\\n\"", "the value is not a finite decimal number, at 1:2,5"},
        {"\"" SVM_HEAD "1 1:inf\\n1\\n1\\n\"", "the value is not a finite decimal number"},
        {"\"" HEAD("linear") "total_sv 4000000000\\nnr_class 2\\nrho 0\\nSV\\n1\\n\"",
         "fewer support vectors"},
        {"\"" HEAD("linear") "total_sv 1\\nnr_class 2\\nrho 0\\nSV 1 1:1\\n\"", "a line end must follow SV"},
        {"\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         "xxxxxxxxxxx"
         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 1\"",
         "a word of more than 127 characters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refused_with("model", cases[i][0], cases[i][1]);
}

/* ---- Prediction ---- */

/* One feature, no normalisation, one vector (coefficient 2 at index 1: 0.5, index 3: 1.5), rho 0.25. */
static double predict_one(const char *header, double feature) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"model_dict\": {\"norm_type\": \"none\", \"feature_names\": [\"a\"], \"model\": \"svm_type "
             "epsilon_svr\\n"
             "%s\\nnr_class 2\\ntotal_sv 1\\nrho 0.25\\nprobA 7\\nSV\\n2 1:0.5 3:1.5\\nmore lines are "
             "ignored\\n\"}}",
             header);
    ty_model *model = parse(text);
    const double score = ty_member_predict(only(model), &feature);
    same_bits(ty_member_finish(only(model), score), score);
    ty_model_free(model);
    return score;
}

static void kernels(void **state) {
    (void)state;
    /* (3 - 0.5)^2 + 1.5^2 = 8.5 */
    same_bits(predict_one("kernel_type rbf\\ngamma 0.25", 3.0), 2.0 * ty_exp(-2.125) - 0.25);
    same_bits(predict_one("kernel_type linear", 3.0), 2.0 * 1.5 - 0.25);
    /* (2 * 1.5 - 1)^5 = 32 */
    same_bits(predict_one("kernel_type polynomial\\ngamma 2\\ncoef0 -1\\ndegree 5", 3.0), 64.0 - 0.25);
    same_bits(predict_one("kernel_type polynomial\\ngamma 2\\ncoef0 -1\\ndegree 0", 3.0), 2.0 - 0.25);
    /* tanh(0.5), correctly rounded */
    same_bits(predict_one("kernel_type sigmoid\\ngamma 1\\ncoef0 -1", 3.0),
              2.0 * 0x1.d9353d7568af3p-2 - 0.25);
    same_bits(predict_one("kernel_type rbf\\ngamma 0.25", INFINITY), -0.25);
    assert_true(isnan(predict_one("kernel_type rbf\\ngamma 0.25", (double)NAN)));
}

/* An index that a vector leaves out is 0 there: the feature's square counts. */
static void missing_indices(void **state) {
    (void)state;
    const double features[3] = {2.0, 3.0, 0.5};
    ty_model *model = parse("{\"model_dict\": {\"norm_type\": \"none\", \"feature_names\": [\"a\", \"b\", \"c\"], "
                            "\"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.125\\nnr_class 2\\n"
                            "total_sv 3\\nrho 0\\nSV\\n1 2:1\\n1 1:2 3:0.5\\n1\\n\"}}");
    /* 4 + 4 + 0.25, 9, and 4 + 9 + 0.25 */
    const double sum = ty_exp(-0.125 * 8.25) + ty_exp(-0.125 * 9.0) + ty_exp(-0.125 * 13.25);
    same_bits(ty_member_predict(only(model), features), sum);
    ty_model_free(model);
}

#define CHROMA_MODEL(norm, parameter)                                                                        \
    "{\"model_dict\": {\"norm_type\": \"" norm "\", \"feature_names\": [\"x_adm3\", \"speed_chroma_y\"], "   \
    "\"slopes\": [1, 0.5, 0.25], \"intercepts\": [0, -0.25, 0.125], "                                        \
    "\"chroma_correction_parameter\": " parameter ", "                                                       \
    "\"model\": \"svm_type nu_svr\\nkernel_type linear\\nnr_class 2\\ntotal_sv 1\\nrho 0\\nSV\\n1 "          \
    "2:1\\n\"}}"

static void chroma_correction(void **state) {
    (void)state;
    const double none[2] = {0.75, 0.0}, some[2] = {0.75, 0.5}, tiny[2] = {0.75, 1e-20};
    ty_model *model = parse(CHROMA_MODEL("linear_rescale", "120"));
    /* v = -120 * 0.75 + 120 = 30; 30 / 4 + 1/8 */
    same_bits(ty_member_predict(only(model), none), 7.625);
    same_bits(ty_member_predict(only(model), tiny), 7.625);
    same_bits(ty_member_predict(only(model), some), 0.25);
    ty_model_free(model);
    model = parse(CHROMA_MODEL("none", "120"));
    same_bits(ty_member_predict(only(model), none), 30.0);
    same_bits(ty_member_predict(only(model), tiny), 1e-20);
    ty_model_free(model);
    model = parse(CHROMA_MODEL("linear_rescale", "0"));
    same_bits(ty_member_predict(only(model), none), 0.125);
    ty_model_free(model);
}

/* ---- Transform and clip ---- */

static void check_map(const char *transform, const char *clip, size_t count, const double (*pairs)[2]) {
    char value[512];
    snprintf(value, sizeof value, "%s, \"score_clip\": %s", transform, clip);
    char *text = model_text("score_transform", clip ? value : transform);
    /* The usual clip makes way. */
    char *usual = strstr(text, ", \"score_clip\": [0, 100.0]");
    memset(usual, ' ', strlen(", \"score_clip\": [0, 100.0]"));
    ty_model *model = parse(text);
    free(text);
    for (size_t i = 0; i < count; i++)
        same_bits(ty_member_finish(only(model), pairs[i][0]), pairs[i][1]);
    ty_model_free(model);
}
#define CHECK_MAP(transform, clip, ...)                                                                      \
    do {                                                                                                     \
        static const double pairs[][2] = __VA_ARGS__;                                                        \
        check_map(transform, clip, sizeof pairs / sizeof pairs[0], pairs);                                   \
    } while (0)

static void polynomials(void **state) {
    (void)state;
    CHECK_MAP("{\"enabled\": true, \"p0\": 1.5}", NULL, {{7, 1.5}, {-3, 1.5}});
    CHECK_MAP("{\"enabled\": true, \"p1\": 0.5}", NULL, {{7, 3.5}, {-3, -1.5}});
    CHECK_MAP("{\"enabled\": true, \"p2\": 0.5}", NULL, {{7, 24.5}, {-3, 4.5}});
    CHECK_MAP("{\"enabled\": true, \"p0\": 1, \"p1\": 2, \"p2\": 3}", NULL,
              {{2, 17}, {-1, 2}, {INFINITY, INFINITY}});
    CHECK_MAP("{\"p0\": 1, \"p1\": 2, \"p2\": 3}", NULL, {{2, 2}});
    CHECK_MAP("{\"enabled\": true}", NULL, {{2, 2}});
    /* (0.1 * 3) * 3, one unit above 0.1 * 9. */
    CHECK_MAP("{\"enabled\": true, \"p2\": 0.1}", NULL, {{3, 0x1.ccccccccccccep-1}});
}

static void knots(void **state) {
    (void)state;
    /* The spec's knots_steep and knots_x0. */
    CHECK_MAP("{\"enabled\": true, \"p0\": -60, \"p1\": 2.5, "
              "\"knots\": [[0, 5], [20, 5], [45.5, 40], [80, 81.25], [110, 100]]}",
              NULL, {{24, 5}, {32, 5}, {42.2, 40}, {56, 81.25}, {58, 84.375}, {70, 103.125}});
    CHECK_MAP("{\"enabled\": true, \"knots\": [[0, 2.5], [30, 30.75], [60, 50.5], [90, 50.5]], "
              "\"out_lte_in\": \"true\"}",
              NULL, {{-3, -3}, {0, 0}, {15, 15}, {45, 40.625}, {60, 50.5}, {200, 50.5}});
    CHECK_MAP("{\"enabled\": true, \"knots\": []}", NULL, {{7, 7}});
    CHECK_MAP("{\"enabled\": true, \"knots\": [[1, 2.5]], \"p1\": 0.5}", NULL, {{7, 3.5}});
    /* Where knots stop ascending the rest is without effect, and so is what only the rest would map. */
    CHECK_MAP("{\"enabled\": true, \"knots\": [[0, 0], [50, 60], [40, 70], [100, 100]]}", NULL,
              {{-10, -12}, {25, 30}, {50, 60}, {51, 0}, {200, 0}});
    CHECK_MAP("{\"enabled\": true, \"knots\": [[0, 1], [0, 2]]}", NULL, {{0, 0}, {5, 0}});
    CHECK_MAP("{\"enabled\": true, \"knots\": [[1, 2], [3, 4]]}", NULL, {{0, 1}, {1, 2}, {2, 3}, {9, 10}});
}

static void rectification_and_clip(void **state) {
    (void)state;
    CHECK_MAP("{\"enabled\": true, \"p0\": 10, \"p1\": 0.5, \"out_lte_in\": \"true\"}", NULL,
              {{10, 10}, {30, 25}});
    CHECK_MAP("{\"enabled\": true, \"p0\": 10, \"p1\": 0.5, \"out_gte_in\": \"true\"}", NULL,
              {{10, 15}, {30, 30}});
    CHECK_MAP("{\"enabled\": true, \"p0\": 10, \"p1\": 0.5, \"out_gte_in\": true, \"out_lte_in\": true}",
              NULL, {{10, 10}, {30, 30}});
    CHECK_MAP(
        "{\"enabled\": true, \"p0\": 10, \"p1\": 0.5, \"out_gte_in\": \"false\", \"out_lte_in\": false}",
        "[16, 24.5]", {{10, 16}, {20, 20}, {30, 24.5}, {INFINITY, 24.5}, {-INFINITY, 16}});
    ty_model *model = parse_with(NULL, NULL);
    assert_true(isnan(ty_member_finish(only(model), (double)NAN)));
    same_bits(ty_member_finish(only(model), 200), 100);
    ty_model_enable_transform(model);
    same_bits(ty_member_finish(only(model), 30), 1.2 * (1.5 + 1.1 * 30));
    ty_model_disable_clip(model);
    same_bits(ty_member_finish(only(model), 200), 0.8 * (1.5 + 1.1 * 200) + (60 - 50 * 0.8));
    ty_model_free(model);
    /* A transform that the file does not have cannot be enabled. */
    model = parse_with("score_transform", NULL);
    ty_model_enable_transform(model);
    ty_model_disable_clip(model);
    same_bits(ty_member_finish(only(model), 200), 200);
    ty_model_free(model);
}

/* ---- Collections ---- */

static char *collection_text(const char *const *keys, const char *const *types, size_t count) {
    char *text = malloc(4096 * count + 16);
    strcpy(text, "{\"about\": 1");
    for (size_t i = 0; i < count; i++) {
        char *member = model_text("model_type", types[i]);
        sprintf(text + strlen(text), ", \"%s\": %s", keys[i], member);
        free(member);
    }
    strcat(text, "}");
    return text;
}

#define PLAIN "\"LIBSVMNUSVR\""
#define BOOT "\"BOOTSTRAP_LIBSVMNUSVR\""
#define RESIDUE "\"RESIDUEBOOTSTRAP_LIBSVMNUSVR\""

static void collections(void **state) {
    (void)state;
    /* In any order; the first number that is missing ends them. */
    char *text = collection_text((const char *const[]){"2", "0", "1", "4"},
                                 (const char *const[]){BOOT, PLAIN, BOOT, BOOT}, 4);
    ty_model *model = parse(text);
    assert_true(ty_model_is_collection(model));
    assert_int_equal(ty_model_member_count(model), 3);
    ty_model_free(model);
    free(text);
    const struct {
        const char *keys[3], *types[3];
        size_t count;
        const char *words;
    } wrong[] = {
        {{"0"}, {PLAIN}, 1, "1: the key is missing; a collection has at least members 0 and 1"},
        {{"1", "2"}, {BOOT, BOOT}, 2, "is no model"},
        {{"00", "01"}, {BOOT, BOOT}, 2, "is no model"},
        {{"0", "1", "1"}, {BOOT, BOOT, BOOT}, 3, "1: the key occurs twice"},
        {{"0", "1", "2"},
         {PLAIN, BOOT, RESIDUE},
         3,
         "2.model_dict.model_type: differs from that of member 1"},
        {{"0", "1", "2"}, {PLAIN, BOOT, "1"}, 3, "2.model_dict.model_type: must be a string"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        text = collection_text(wrong[i].keys, wrong[i].types, wrong[i].count);
        refused(text, strlen(text), wrong[i].words);
        free(text);
    }
    static const char no_dict[] = "{\"0\": {}, \"1\": {}}", no_object[] = "{\"0\": 1}";
    refused(no_dict, strlen(no_dict), "0.model_dict: the key is missing");
    refused(no_object, strlen(no_object), "0: must be an object, not a number");
}

static void bootstrap(void **state) {
    (void)state;
    ty_model *model = parse_with("score_transform", NULL);
    double q[] = {30, 10, 20, 40}, one[] = {50}, high[] = {100, 100};
    ty_bootstrap b = ty_bootstrap_score(only(model), q, 4);
    same_bits(b.bagging, 25);
    /* Deviations 5, -15, -5, 15: sd = sqrt(125), times a slope of (25.01 - 24.99) / 0.02 as rounded. */
    same_bits(b.stddev, sqrt(125) * ((25.01 - 24.99) / 0.02));
    /* r = 2.5 * 3 / 100 = 0.075 and 97.5 * 3 / 100 = 2.925 */
    same_bits(b.ci_p95_lo, 10 * (1 - 0.075) + 20 * 0.075);
    same_bits(b.ci_p95_hi, 30 * (3 - 2.925) + 40 * (2.925 - 2));
    b = ty_bootstrap_score(only(model), one, 1);
    assert_true(b.bagging == 50 && b.stddev == 0 && b.ci_p95_lo == 50 && b.ci_p95_hi == 50);
    b = ty_bootstrap_score(only(model), high, 2);
    assert_true(b.bagging == 100 && b.stddev == 0 && b.ci_p95_lo == 100);
    ty_model_free(model);
}

/* ---- Models trained by us ---- */

static ty_model *load(const char *folder, const char *name) {
    char path[1024];
    ty_error error = {0};
    ty_model *model;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (ty_model_load(path, &model, &error) != TALLY_OK)
        fail_msg("%s", error.text);
    return model;
}

static void our_own_models(void **state) {
    (void)state;
    ty_model *model = load(TALLY_TESTS_DIR "/data", "psnr_model.json");
    ty_model *transformed = load(TALLY_TESTS_DIR "/data", "psnr_model.json");
    ty_model *collection = load(TALLY_TESTS_DIR "/data", "psnr_collection.json");
    ty_model_enable_transform(transformed);
    const uint32_t members = ty_model_member_count(collection) - 1;
    FILE *file = fopen(TALLY_TESTS_DIR "/data/psnr_scores.csv", "r");
    assert_non_null(file);
    char line[512];
    int rows = 0;
    assert_non_null(fgets(line, sizeof line, file));
    for (double v[9]; fgets(line, sizeof line, file); rows++) {
        assert_int_equal(sscanf(line, "%la,%la,%la,%la,%la,%la,%la,%la,%la", &v[0], &v[1], &v[2], &v[3],
                                &v[4], &v[5], &v[6], &v[7], &v[8]),
                         9);
        const double raw = ty_member_predict(only(model), v);
        same_bits(ty_member_finish(only(model), raw), v[3]);
        same_bits(ty_member_finish(only(transformed), raw), v[4]);
        double q[8];
        for (uint32_t i = 0; i < members; i++)
            q[i] = ty_member_predict(ty_model_member(collection, i + 1), v);
        const ty_bootstrap b = ty_bootstrap_score(ty_model_member(collection, 1), q, members);
        same_bits(b.bagging, v[5]);
        same_bits(b.stddev, v[6]);
        same_bits(b.ci_p95_lo, v[7]);
        same_bits(b.ci_p95_hi, v[8]);
    }
    fclose(file);
    assert_int_equal(rows, 16);
    ty_model_free(model);
    ty_model_free(transformed);
    ty_model_free(collection);
}

/* With a decimal comma, where the machine has such a locale. */
static void another_locale(void **state) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!setlocale(LC_ALL, names[i]) || strcmp(localeconv()->decimal_point, ".") == 0)
            continue;
        found = true;
        ty_model *model = parse_with("feature_opts_dicts", "[{\"a\": 1.2500001}]");
        same_bits(only(model)->slope, 0.012);
        same_bits(only(model)->svm.gamma, 1.5);
        assert_string_equal(only(model)->features[0].options[0].value, "1.25");
        ty_model_free(model);
    }
    setlocale(LC_ALL, "C");
    if (!found) {
        print_message("no locale with a decimal comma on this machine\n");
        skip();
    }
    (void)state;
}

/* ---- Published models: the spec's stage vectors ---- */

static ty_model *published(const char *name) {
    const char *data = getenv("TALLY_TEST_DATA");
    char folder[1024];
    if (!data) {
        print_message("TALLY_TEST_DATA is not set: no published models to test\n");
        skip();
    }
    snprintf(folder, sizeof folder, "%s/models", data);
    return load(folder, name);
}

static const double stage_features[6] = {0.95, 3.5, 0.6, 0.8, 0.85, 0.9};

static void stages_of_the_default_model(void **state) {
    (void)state;
    ty_model *model = published("vmaf_v0.6.1.json");
    const ty_member *m = only(model);
    static const double x[6] = {0x1.bd66385d2d058p-1, 0x1.bada7f56a3421p-3, 0x1.1f272658cd2e6p-1,
                                0x1.66170c689874ap-1, 0x1.7ae87b578aefbp-1, 0x1.96c60848f2e42p-1};
    for (uint32_t i = 0; i < 6; i++)
        same_bits(m->features[i].slope * stage_features[i] + m->features[i].intercept, x[i]);
    const double z = ty_member_predict(m, stage_features);
    same_bits(z, 0x1.345082d45ff2dp+6);
    same_bits(ty_member_finish(m, z), z);
    ty_model_enable_transform(model);
    same_bits(ty_member_finish(m, z), 0x1.738046daaf12bp+6);
    ty_model_free(model);
}

/* Each vector by itself: the sum over the first k vectors, from models that are cut short. */
static void kernel_of_every_vector(void **state) {
    (void)state;
    ty_model *model = published("vmaf_v0.6.1.json");
    char path[1024], line[256];
    snprintf(path, sizeof path, "%s/golden/stages/models_v0.6.1_kernel.csv", getenv("TALLY_TEST_DATA"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    ty_member cut = *only(model);
    cut.svm.vectors = 0;
    cut.svm.rho = 0;
    cut.slope = 1;
    cut.intercept = 0;
    unsigned row;
    for (double coefficient, distance, kernel, sum; fgets(line, sizeof line, file);) {
        assert_int_equal(sscanf(line, "%u,%la,%la,%la,%la", &row, &coefficient, &distance, &kernel, &sum), 5);
        assert_int_equal(row, cut.svm.vectors);
        same_bits(cut.svm.coefficients[row], coefficient);
        same_bits(ty_exp(-cut.svm.gamma * distance), kernel);
        cut.svm.vectors++;
        same_bits(ty_member_predict(&cut, stage_features), sum);
    }
    fclose(file);
    assert_int_equal(cut.svm.vectors, 211);
    ty_model_free(model);
}

static void chroma_correction_of_a_published_model(void **state) {
    (void)state;
    ty_model *model = published("vmaf_v1.0.16_3d0h.json");
    double f[4] = {1.5, 0, 0.96, 4.5};
    double z = ty_member_predict(only(model), f);
    same_bits(z, 0x1.5b4495b710332p+6);
    same_bits(ty_member_finish(only(model), z), 86.756640919630172);
    f[1] = 1e-20;
    same_bits(ty_member_predict(only(model), f), z);
    f[1] = 0.001;
    z = ty_member_predict(only(model), f);
    same_bits(z, 91.927069537333708);
    same_bits(ty_member_finish(only(model), z), 91.320316949063013);
    ty_model_free(model);
}

static void stages_of_a_collection(void **state) {
    (void)state;
    ty_model *model = published("vmaf_b_v0.6.3.json");
    assert_int_equal(ty_model_member_count(model), 21);
    double q[20];
    for (uint32_t i = 0; i < 20; i++)
        q[i] = ty_member_predict(ty_model_member(model, i + 1), stage_features);
    same_bits(q[0], 74.305808580712025);
    same_bits(q[19], 75.234629927593659);
    const ty_bootstrap b = ty_bootstrap_score(ty_model_member(model, 1), q, 20);
    same_bits(b.bagging, 76.437477694463553);
    same_bits(b.stddev, 2.1615777142519059);
    same_bits(b.ci_p95_lo, 72.136175184542083);
    same_bits(b.ci_p95_hi, 79.771812814271883);
    ty_model_free(model);
}

static void truncated_published_models(void **state) {
    (void)state;
    const char *data = getenv("TALLY_TEST_DATA");
    if (!data)
        skip();
    char path[1024];
    snprintf(path, sizeof path, "%s/models/vmaf_v0.6.1neg.json", data);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[1 << 16];
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    for (size_t cut = 0; cut < size - 1; cut += 37)
        refused(text, cut, cut ? "not valid JSON" : "begins with");
}

static void files_that_are_not_there(void **state) {
    (void)state;
    ty_error error = {0};
    ty_model *model;
    assert_int_equal(ty_model_load("/nonexistent/m.json", &model, &error), TALLY_INPUT);
    assert_non_null(strstr(error.text, "/nonexistent/m.json: the model cannot be opened: "));
    error = (ty_error){0};
    assert_int_equal(ty_model_load("/", &model, &error), TALLY_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(text_after_the_object_is_ignored),
        cmocka_unit_test(option_numbers_have_six_digits),
        cmocka_unit_test(null_and_booleans_in_the_transform),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(every_key_refuses_every_wrong_kind),
        cmocka_unit_test(a_key_that_occurs_twice),
        cmocka_unit_test(no_json),
        cmocka_unit_test(truncated_files),
        cmocka_unit_test(absurd_sizes),
        cmocka_unit_test(wrong_svm_texts),
        cmocka_unit_test(kernels),
        cmocka_unit_test(missing_indices),
        cmocka_unit_test(chroma_correction),
        cmocka_unit_test(polynomials),
        cmocka_unit_test(knots),
        cmocka_unit_test(rectification_and_clip),
        cmocka_unit_test(collections),
        cmocka_unit_test(bootstrap),
        cmocka_unit_test(our_own_models),
        cmocka_unit_test(another_locale),
        cmocka_unit_test(stages_of_the_default_model),
        cmocka_unit_test(kernel_of_every_vector),
        cmocka_unit_test(chroma_correction_of_a_published_model),
        cmocka_unit_test(stages_of_a_collection),
        cmocka_unit_test(truncated_published_models),
        cmocka_unit_test(files_that_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
