#include "model/request.h"

#include <stdlib.h>
#include <string.h>

static const char *const flags[] = {"disable_clip", "enable_transform"};

/* Letters, digits, '_' and one kind of further character; 0 if `text` does not begin with a letter. */
static size_t word_length(const char *text, char also) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (!*text || !strchr(letters, *text))
        return 0;
    size_t length = 0;
    while (text[length] &&
           (strchr(letters, text[length]) || strchr("0123456789_", text[length]) || text[length] == also))
        length++;
    return length;
}

static bool option_begins(const char *text) {
    const size_t length = word_length(text, '.');
    if (length > 0 && text[length] == '=')
        return true;
    for (size_t i = 0; i < 2; i++)
        if (length == strlen(flags[i]) && strncmp(text, flags[i], length) == 0)
            return text[length] == ':' || text[length] == 0;
    return false;
}

static char *options_of(char *text) {
    for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':'))
        if (option_begins(colon + 1)) {
            *colon = 0;
            return colon + 1;
        }
    return text + strlen(text);
}

static tally_status set_flag(const char *key, const char *value, bool *flag, ty_error *error) {
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        return ty_fail(error, TALLY_USAGE, "model option %s=%s: must be true or false", key, value);
    *flag = value[0] == 't';
    return TALLY_OK;
}

static tally_status set_name(const char *name, ty_model_request *request, ty_error *error) {
    bool control = false;
    for (const char *c = name; *c; c++)
        control |= (unsigned char)*c < 0x20 || *c == 0x7f;
    if (!*name || strlen(name) > TY_SCORE_NAME_MAX || control)
        return ty_fail(error, TALLY_USAGE,
                       "model option name=%.160s: must have 1 to %d characters, no control characters",
                       control ? "…" : name, TY_SCORE_NAME_MAX);
    request->name = name;
    return TALLY_OK;
}

static tally_status add_override(char *key, const char *value, ty_model_request *request, ty_error *error) {
    char *dot = strchr(key, '.');
    if (!dot)
        return ty_fail(
            error, TALLY_USAGE,
            "there is no model option '%.100s'; there are name, disable_clip, enable_transform, and "
            "FEATURE.OPTION=VALUE",
            key);
    ty_model_override *list =
        realloc(request->overrides, (request->override_count + 1) * sizeof *request->overrides);
    if (!list)
        return ty_fail_memory(error, "model options");
    request->overrides = list;
    *dot = 0;
    list[request->override_count++] = (ty_model_override){.feature = key, .option = dot + 1, .value = value};
    return TALLY_OK;
}

static tally_status set_option(char *item, ty_model_request *request, ty_error *error) {
    char *value = strchr(item, '=');
    const bool bare = !value;
    if (value)
        *value++ = 0;
    if (strcmp(item, flags[0]) == 0)
        return set_flag(item, bare ? "true" : value, &request->disable_clip, error);
    if (strcmp(item, flags[1]) == 0)
        return set_flag(item, bare ? "true" : value, &request->enable_transform, error);
    if (bare)
        return ty_fail(error, TALLY_USAGE, "model option '%.100s' has no value; write option=value", item);
    return strcmp(item, "name") == 0 ? set_name(value, request, error)
                                     : add_override(item, value, request, error);
}

tally_status ty_model_request_parse(const char *text, ty_model_request *request, ty_error *error) {
    *request = (ty_model_request){.name = "vmaf", .text = strdup(text)};
    if (!request->text)
        return ty_fail_memory(error, "model options");
    request->model = request->text;
    char *item = options_of(request->text);
    if (!*request->model)
        return ty_fail(error, TALLY_USAGE, "the model's name is empty");
    while (*item) {
        char *colon = strchr(item, ':');
        char *next = colon ? colon + 1 : item + strlen(item);
        if (colon)
            *colon = 0;
        if (set_option(item, request, error) != TALLY_OK)
            return error->status;
        if (colon && !*next)
            return ty_fail(error, TALLY_USAGE, "model %.200s: nothing follows the last ':'", request->model);
        item = next;
    }
    return TALLY_OK;
}

void ty_model_request_free(ty_model_request *request) {
    free(request->overrides);
    free(request->text);
    *request = (ty_model_request){0};
}
