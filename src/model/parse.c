/* Model files (spec: models.md, section 2). */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/sha256.h"
#include "model/json.h"
#include "model/model_inside.h"

#define MAX_MEMBERS 10000 /* the numbers in the names of scores have four digits */

typedef struct reader {
    const char *file;
    char where[32]; /* "model_dict", or "7.model_dict" in a collection */
    ty_error *error;
} reader;

static tally_status fail(const reader *r, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static tally_status fail(const reader *r, const char *key, const char *format, ...) {
    char problem[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    return ty_fail(r->error, TALLY_INPUT, "%s: %s.%s: %s", r->file, r->where, key, problem);
}

/* ---- Values ---- */

static tally_status get(const reader *r, const cJSON *object, const char *key, const cJSON **value) {
    return ty_json_member(object, key, r->file, r->where, value, r->error);
}

/* A member of score_transform, where null says "absent". */
static tally_status get_optional(const reader *r, const cJSON *object, const char *key, const cJSON **value) {
    const tally_status status = get(r, object, key, value);
    if (*value && cJSON_IsNull(*value))
        *value = NULL;
    return status;
}

static tally_status to_number(const reader *r, const char *key, const cJSON *value, double *number) {
    if (!cJSON_IsNumber(value))
        return fail(r, key, "must be a number, not %s", ty_json_kind(value));
    if (!isfinite(value->valuedouble))
        return fail(r, key, "the number is too large");
    *number = value->valuedouble;
    return TALLY_OK;
}

static tally_status element(const reader *r, const char *key, const cJSON *array, int index, double *number) {
    char name[64];
    snprintf(name, sizeof name, "%s[%d]", key, index);
    return to_number(r, name, cJSON_GetArrayItem(array, index), number);
}

static tally_status copy(const reader *r, const char *text, char **to) {
    return (*to = strdup(text)) ? TALLY_OK : ty_fail_memory(r->error, "model file");
}

/* ---- Features ---- */

static tally_status read_names(const reader *r, const cJSON *object, ty_member *m) {
    const cJSON *names, *name;
    if (get(r, object, "feature_names", &names) != TALLY_OK)
        return r->error->status;
    if (!names)
        return fail(r, "feature_names", "the key is missing");
    if (!cJSON_IsArray(names))
        return fail(r, "feature_names", "must be an array, not %s", ty_json_kind(names));
    cJSON_ArrayForEach(name, names) {
        if (m->feature_count == TY_MODEL_MAX_FEATURES)
            return fail(r, "feature_names", "more than %d features", TY_MODEL_MAX_FEATURES);
        if (!cJSON_IsString(name))
            return fail(r, "feature_names", "feature %u must be a string, not %s", m->feature_count,
                        ty_json_kind(name));
        if (copy(r, name->valuestring, &m->features[m->feature_count].name) != TALLY_OK)
            return r->error->status;
        m->feature_count++;
    }
    return m->feature_count ? TALLY_OK : fail(r, "feature_names", "there are none");
}

/* Options are text. Numbers are read as float and printed with six digits first: that is part of their
 * meaning, since published scores were made so (1.2500001 is 1.25). */
static tally_status option_text(const reader *r, const char *key, const cJSON *value, char **text) {
    char number[40];
    if (cJSON_IsString(value))
        return copy(r, value->valuestring, text);
    if (cJSON_IsBool(value))
        return copy(r, cJSON_IsTrue(value) ? "true" : "false", text);
    if (!cJSON_IsNumber(value))
        return fail(r, key, "option %s must be a number, a boolean or a string, not %s", value->string,
                    ty_json_kind(value));
    ty_print_double((double)(float)value->valuedouble, 6, number, sizeof number);
    return copy(r, number, text);
}

static tally_status read_feature_options(const reader *r, uint32_t index, const cJSON *object,
                                         ty_member_feature *feature) {
    char key[40], where[80];
    snprintf(key, sizeof key, "feature_opts_dicts[%u]", index);
    snprintf(where, sizeof where, "%s.%s", r->where, key);
    if (!cJSON_IsObject(object))
        return fail(r, key, "must be an object, not %s", ty_json_kind(object));
    const int count = cJSON_GetArraySize(object);
    if (count > TY_MODEL_MAX_OPTIONS)
        return fail(r, key, "more than %d options", TY_MODEL_MAX_OPTIONS);
    if (!(feature->options = calloc((size_t)count + 1, sizeof *feature->options)))
        return ty_fail_memory(r->error, "model file");
    const cJSON *value, *same;
    cJSON_ArrayForEach(value, object) {
        ty_member_option *option = &feature->options[feature->option_count++];
        if (ty_json_member(object, value->string, r->file, where, &same, r->error) != TALLY_OK ||
            copy(r, value->string, &option->name) != TALLY_OK ||
            option_text(r, key, value, &option->value) != TALLY_OK)
            return r->error->status;
    }
    return TALLY_OK;
}

static tally_status read_options(const reader *r, const cJSON *object, ty_member *m) {
    const cJSON *list, *options;
    if (get(r, object, "feature_opts_dicts", &list) != TALLY_OK)
        return r->error->status;
    if (!list)
        return TALLY_OK;
    if (!cJSON_IsArray(list))
        return fail(r, "feature_opts_dicts", "must be an array, not %s", ty_json_kind(list));
    uint32_t index = 0;
    cJSON_ArrayForEach(options, list) {
        if (index == m->feature_count)
            return fail(r, "feature_opts_dicts", "has more entries than feature_names, which has %u",
                        m->feature_count);
        if (read_feature_options(r, index, options, &m->features[index]) != TALLY_OK)
            return r->error->status;
        index++;
    }
    return TALLY_OK;
}

/* ---- Normalisation ---- */

static tally_status rescale_array(const reader *r, const cJSON *object, const char *key, const ty_member *m,
                                  const cJSON **array) {
    if (get(r, object, key, array) != TALLY_OK)
        return r->error->status;
    if (!*array)
        return fail(r, key, "the key is missing (linear_rescale needs it)");
    if (!cJSON_IsArray(*array))
        return fail(r, key, "must be an array, not %s", ty_json_kind(*array));
    const int count = cJSON_GetArraySize(*array);
    if (count != (int)m->feature_count + 1)
        return fail(r, key, "has %d numbers; %u features and the score need %u", count, m->feature_count,
                    m->feature_count + 1);
    return TALLY_OK;
}

static tally_status read_rescaling(const reader *r, const cJSON *object, ty_member *m) {
    const cJSON *slopes, *intercepts;
    if (rescale_array(r, object, "slopes", m, &slopes) != TALLY_OK ||
        rescale_array(r, object, "intercepts", m, &intercepts) != TALLY_OK)
        return r->error->status;
    for (uint32_t i = 0; i <= m->feature_count; i++) {
        double *slope = i ? &m->features[i - 1].slope : &m->slope;
        double *intercept = i ? &m->features[i - 1].intercept : &m->intercept;
        if (element(r, "slopes", slopes, (int)i, slope) != TALLY_OK ||
            element(r, "intercepts", intercepts, (int)i, intercept) != TALLY_OK)
            return r->error->status;
    }
    return m->slope != 0 ? TALLY_OK : fail(r, "slopes[0]", "the score is divided by it, so it cannot be 0");
}

static tally_status read_normalisation(const reader *r, const cJSON *object, ty_member *m) {
    const cJSON *type;
    if (get(r, object, "norm_type", &type) != TALLY_OK)
        return r->error->status;
    if (!type)
        return fail(r, "norm_type", "the key is missing");
    if (!cJSON_IsString(type))
        return fail(r, "norm_type", "must be a string, not %s", ty_json_kind(type));
    if (strcmp(type->valuestring, "none") == 0)
        return TALLY_OK;
    if (strcmp(type->valuestring, "linear_rescale") != 0)
        return fail(r, "norm_type", "must be linear_rescale or none, not '%.64s'", type->valuestring);
    m->rescale = true;
    return read_rescaling(r, object, m);
}

static tally_status only_feature(const reader *r, const ty_member *m, const char *part, uint32_t *index) {
    uint32_t matches = 0;
    for (uint32_t i = 0; i < m->feature_count; i++)
        if (strstr(m->features[i].name, part)) {
            *index = i;
            matches++;
        }
    if (matches != 1)
        return fail(r, "chroma_correction_parameter",
                    "needs one feature whose name contains %s; there are %u", part, matches);
    if (m->rescale && m->features[*index].slope == 0)
        return fail(r, "slopes", "the one of %s is divided by, so it cannot be 0", m->features[*index].name);
    return TALLY_OK;
}

static tally_status read_chroma_correction(const reader *r, const cJSON *object, ty_member *m) {
    const cJSON *parameter;
    if (get(r, object, "chroma_correction_parameter", &parameter) != TALLY_OK)
        return r->error->status;
    if (!parameter)
        return TALLY_OK;
    if (to_number(r, "chroma_correction_parameter", parameter, &m->chroma_parameter) != TALLY_OK)
        return r->error->status;
    m->chroma_correction = m->chroma_parameter != 0;
    if (!m->chroma_correction)
        return TALLY_OK;
    if (only_feature(r, m, "adm3", &m->chroma_from) != TALLY_OK)
        return r->error->status;
    return only_feature(r, m, "speed_chroma", &m->chroma_to);
}

/* ---- Transform and clip ---- */

static tally_status read_knot(const reader *r, const cJSON *pair, int index, ty_transform *t) {
    char key[40];
    snprintf(key, sizeof key, "score_transform.knots[%d]", index);
    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2)
        return fail(r, key, "must be an array of two numbers");
    return element(r, key, pair, 0, &t->x[index]) == TALLY_OK ? element(r, key, pair, 1, &t->y[index])
                                                              : r->error->status;
}

static tally_status read_knots(const reader *r, const cJSON *object, ty_transform *t) {
    const cJSON *knots, *pair;
    if (get_optional(r, object, "knots", &knots) != TALLY_OK || !knots)
        return r->error->status;
    if (!cJSON_IsArray(knots))
        return fail(r, "score_transform.knots", "must be an array, not %s", ty_json_kind(knots));
    const int count = cJSON_GetArraySize(knots);
    if (count > TY_MODEL_MAX_KNOTS)
        return fail(r, "score_transform.knots", "%d knots are too many; at most %d", count,
                    TY_MODEL_MAX_KNOTS);
    t->has_knots = true;
    cJSON_ArrayForEach(pair, knots) {
        if (read_knot(r, pair, (int)t->knots++, t) != TALLY_OK)
            return r->error->status;
    }
    return TALLY_OK;
}

/* "true", "false", or a boolean. */
static tally_status read_switch(const reader *r, const cJSON *object, const char *name, bool *on) {
    char key[40];
    const cJSON *value;
    snprintf(key, sizeof key, "score_transform.%s", name);
    if (get_optional(r, object, name, &value) != TALLY_OK || !value)
        return r->error->status;
    const char *text = cJSON_IsString(value) ? value->valuestring : cJSON_IsTrue(value) ? "true" : "";
    *on = strcmp(text, "true") == 0;
    if (!*on && !cJSON_IsFalse(value) && strcmp(text, "false") != 0)
        return fail(r, key, "must be \"true\" or \"false\"");
    return TALLY_OK;
}

static tally_status read_coefficients(const reader *r, const cJSON *object, ty_transform *t) {
    static const char *const names[3] = {"p0", "p1", "p2"};
    for (int i = 0; i < 3; i++) {
        char key[40];
        const cJSON *value;
        snprintf(key, sizeof key, "score_transform.%s", names[i]);
        if (get_optional(r, object, names[i], &value) != TALLY_OK)
            return r->error->status;
        if (value && to_number(r, key, value, &t->coefficient[i]) != TALLY_OK)
            return r->error->status;
        t->has_coefficient[i] = value != NULL;
    }
    return TALLY_OK;
}

static tally_status read_transform(const reader *r, const cJSON *object, ty_transform *t) {
    const cJSON *transform, *enabled;
    if (get(r, object, "score_transform", &transform) != TALLY_OK)
        return r->error->status;
    if (!transform)
        return TALLY_OK;
    if (!cJSON_IsObject(transform))
        return fail(r, "score_transform", "must be an object, not %s", ty_json_kind(transform));
    t->present = true;
    if (get(r, transform, "enabled", &enabled) != TALLY_OK)
        return r->error->status;
    if (enabled && !cJSON_IsBool(enabled))
        return fail(r, "score_transform.enabled", "must be true or false, not %s", ty_json_kind(enabled));
    t->enabled = enabled && cJSON_IsTrue(enabled);
    if (read_coefficients(r, transform, t) != TALLY_OK || read_knots(r, transform, t) != TALLY_OK ||
        read_switch(r, transform, "out_lte_in", &t->out_lte_in) != TALLY_OK)
        return r->error->status;
    return read_switch(r, transform, "out_gte_in", &t->out_gte_in);
}

static tally_status read_clip(const reader *r, const cJSON *object, ty_member *m) {
    const cJSON *clip;
    if (get(r, object, "score_clip", &clip) != TALLY_OK)
        return r->error->status;
    if (!clip)
        return TALLY_OK;
    if (!cJSON_IsArray(clip) || cJSON_GetArraySize(clip) < 2)
        return fail(r, "score_clip", "must be an array of two numbers");
    if (element(r, "score_clip", clip, 0, &m->clip[0]) != TALLY_OK ||
        element(r, "score_clip", clip, 1, &m->clip[1]) != TALLY_OK)
        return r->error->status;
    if (m->clip[0] > m->clip[1])
        return fail(r, "score_clip", "the lower limit is above the upper one");
    m->has_clip = true;
    return TALLY_OK;
}

/* ---- One model ---- */

/* The index of the type; plain models are 0. */
static tally_status read_type(const reader *r, const cJSON *object, uint32_t *type) {
    static const char *const names[] = {"LIBSVMNUSVR", "BOOTSTRAP_LIBSVMNUSVR",
                                        "RESIDUEBOOTSTRAP_LIBSVMNUSVR"};
    const cJSON *value;
    *type = 0;
    if (get(r, object, "model_type", &value) != TALLY_OK || !value)
        return r->error->status;
    if (!cJSON_IsString(value))
        return fail(r, "model_type", "must be a string, not %s", ty_json_kind(value));
    for (; *type < 3; ++*type)
        if (strcmp(value->valuestring, names[*type]) == 0)
            return TALLY_OK;
    return fail(r, "model_type", "must be %s, %s or %s, not '%.64s'", names[0], names[1], names[2],
                value->valuestring);
}

static tally_status read_svm(const reader *r, const cJSON *object, ty_member *m) {
    const cJSON *text;
    char where[1024];
    if (get(r, object, "model", &text) != TALLY_OK)
        return r->error->status;
    if (!text)
        return fail(r, "model", "the key is missing");
    if (!cJSON_IsString(text))
        return fail(r, "model", "must be a string, not %s", ty_json_kind(text));
    snprintf(where, sizeof where, "%s: %s.model", r->file, r->where);
    return ty_svm_parse(text->valuestring, where, &m->svm, r->error);
}

static tally_status read_member(const reader *r, const cJSON *object, ty_member *m, uint32_t *type) {
    if (!cJSON_IsObject(object))
        return ty_fail(r->error, TALLY_INPUT, "%s: %s: must be an object, not %s", r->file, r->where,
                       ty_json_kind(object));
    if (read_type(r, object, type) != TALLY_OK || read_names(r, object, m) != TALLY_OK ||
        read_options(r, object, m) != TALLY_OK || read_normalisation(r, object, m) != TALLY_OK ||
        read_chroma_correction(r, object, m) != TALLY_OK ||
        read_transform(r, object, &m->transform) != TALLY_OK || read_clip(r, object, m) != TALLY_OK)
        return r->error->status;
    return read_svm(r, object, m);
}

/* ---- Files ---- */

static tally_status add_member(ty_model *model, const reader *r, const cJSON *object, uint32_t *type) {
    ty_member *members = realloc(model->members, (model->count + 1) * sizeof *members);
    if (!members)
        return ty_fail_memory(r->error, "model file");
    model->members = members;
    members[model->count] = (ty_member){0};
    return read_member(r, object, &members[model->count++], type);
}

/* The number that a key is, written without leading zeros; -1 if it is none below MAX_MEMBERS. */
static int member_number(const char *key) {
    uint64_t number;
    if ((key[0] == '0' && key[1]) || !ty_parse_unsigned(key, MAX_MEMBERS - 1, &number))
        return -1;
    return (int)number;
}

/* The values of the keys "0", "1", …, by number. */
static tally_status sort_members(const cJSON *root, const char *file, const cJSON **by_number,
                                 ty_error *error) {
    const cJSON *value;
    cJSON_ArrayForEach(value, root) {
        const int number = member_number(value->string);
        if (number < 0)
            continue;
        if (by_number[number])
            return ty_fail(error, TALLY_INPUT, "%s: %d: the key occurs twice", file, number);
        by_number[number] = value;
    }
    return TALLY_OK;
}

static tally_status read_collection(ty_model *model, const cJSON *const *by_number, const char *file,
                                    ty_error *error) {
    uint32_t type, first_type = 0;
    for (uint32_t i = 0; i < MAX_MEMBERS && by_number[i]; i++) {
        reader r = {.file = file, .error = error};
        const cJSON *object = NULL;
        snprintf(r.where, sizeof r.where, "%u", i);
        if (!cJSON_IsObject(by_number[i]))
            return ty_fail(error, TALLY_INPUT, "%s: %u: must be an object, not %s", file, i,
                           ty_json_kind(by_number[i]));
        if (get(&r, by_number[i], "model_dict", &object) != TALLY_OK)
            return error->status;
        if (!object)
            return fail(&r, "model_dict", "the key is missing");
        snprintf(r.where, sizeof r.where, "%u.model_dict", i);
        if (add_member(model, &r, object, &type) != TALLY_OK)
            return error->status;
        if (i == 1)
            first_type = type;
        if (i > 1 && type != first_type)
            return fail(&r, "model_type", "differs from that of member 1");
    }
    if (model->count == 0)
        return ty_fail(error, TALLY_INPUT, "%s: is no model: there is neither a key model_dict nor a key 0",
                       file);
    if (model->count == 1)
        return ty_fail(error, TALLY_INPUT,
                       "%s: 1: the key is missing; a collection has at least members 0 and 1", file);
    return TALLY_OK;
}

static tally_status read_root(ty_model *model, const cJSON *root, const char *file, ty_error *error) {
    reader r = {.file = file, .where = "model_dict", .error = error};
    const cJSON *object;
    uint32_t type;
    if (ty_json_member(root, "model_dict", file, "", &object, error) != TALLY_OK)
        return error->status;
    if (object)
        return add_member(model, &r, object, &type);
    model->collection = true;
    const cJSON **by_number = calloc(MAX_MEMBERS, sizeof *by_number);
    if (!by_number)
        return ty_fail_memory(error, "model file");
    if (sort_members(root, file, by_number, error) == TALLY_OK)
        read_collection(model, by_number, file, error);
    free(by_number);
    return error->status;
}

tally_status ty_model_parse(const char *data, size_t size, const char *file, ty_model **out,
                            ty_error *error) {
    *out = NULL;
    cJSON *root;
    if (ty_json_read(data, size, file, &root, error) != TALLY_OK)
        return error->status;
    ty_model *model = calloc(1, sizeof *model);
    if (!model)
        ty_fail_memory(error, "model file");
    else if (read_root(model, root, file, error) == TALLY_OK) {
        ty_sha256 sha;
        ty_sha256_start(&sha);
        ty_sha256_add(&sha, data, size);
        ty_sha256_finish(&sha, model->sha256);
        *out = model;
    }
    cJSON_Delete(root);
    if (!*out)
        ty_model_free(model);
    return error->status;
}

/* The whole file, if it is not larger than a model may be. */
static char *read_file(FILE *file, const char *path, size_t *size, ty_error *error) {
    size_t capacity = 1 << 16;
    char *data = malloc(capacity);
    *size = 0;
    while (data) {
        *size += fread(data + *size, 1, capacity - *size, file);
        if (*size < capacity || *size > TY_JSON_MAX_BYTES)
            break;
        char *more = realloc(data, capacity *= 2);
        if (!more)
            free(data);
        data = more;
    }
    if (!data)
        ty_fail_memory(error, "model file");
    else if (ferror(file))
        ty_fail(error, TALLY_INPUT, "%s: the model cannot be read: %s", path, strerror(errno));
    return data;
}

tally_status ty_model_load(const char *path, ty_model **model, ty_error *error) {
    *model = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return ty_fail(error, TALLY_INPUT, "%s: the model cannot be opened: %s", path, strerror(errno));
    size_t size;
    char *data = read_file(file, path, &size, error);
    fclose(file);
    if (error->status == TALLY_OK)
        ty_model_parse(data, size, path, model, error);
    free(data);
    return error->status;
}
