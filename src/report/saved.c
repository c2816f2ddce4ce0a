#include "report/saved.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <cjson/cJSON.h>

#include "core/sha256.h"

#define MAX_FRAME UINT64_C(9007199254740992) /* frame numbers are read as doubles: whole up to 2^53 */

/* ---- The file ---- */

/* Appends the rest of a stream to *text, which stays terminated by a zero. */
static tally_status read_stream(FILE *file, const char *path, char **text, size_t *size, ty_error *error) {
    size_t capacity = 0, got = 1;
    while (got > 0) {
        if (capacity - *size < 2) {
            capacity = capacity ? capacity * 2 : 1 << 16;
            char *const larger = realloc(*text, capacity);
            if (!larger)
                return ty_fail_memory(error, path);
            *text = larger;
        }
        got = fread(*text + *size, 1, capacity - *size - 1, file);
        *size += got;
    }
    (*text)[*size] = 0;
    if (ferror(file))
        return ty_fail(error, TALLY_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    return TALLY_OK;
}

static tally_status read_file(const char *path, char **text, size_t *size, ty_error *error) {
    const bool standard = strcmp(path, "-") == 0;
    FILE *const file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return ty_fail(error, TALLY_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    const tally_status status = read_stream(file, path, text, size, error);
    if (!standard)
        fclose(file);
    return status;
}

/* cJSON reads numbers with strtod(), whose decimal point is the locale's. */
static cJSON *parse_in_c_locale(const char *text, size_t size, const char **end) {
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return NULL;
    const locale_t before = uselocale(c);
    cJSON *const json = cJSON_ParseWithLengthOpts(text, size + 1, end, 1);
    uselocale(before);
    freelocale(c);
    return json;
}

static tally_status read_json(ty_saved *saved, ty_error *error) {
    char *text = NULL;
    size_t size = 0;
    tally_status status = read_file(saved->path, &text, &size, error);
    const char *end = text;
    if (status == TALLY_OK && memchr(text, 0, size))
        end = memchr(text, 0, size);
    else if (status == TALLY_OK)
        saved->json = parse_in_c_locale(text, size, &end);
    if (status == TALLY_OK && !saved->json)
        status = ty_fail(error, TALLY_INPUT, "%s: not JSON at byte %zu", saved->path, (size_t)(end - text));
    free(text);
    return status;
}

/* ---- Its members ---- */

static const cJSON *member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static size_t count_scores(const cJSON *frames) {
    size_t count = 0;
    const cJSON *frame, *score;
    cJSON_ArrayForEach(frame, frames) {
        const cJSON *const metrics = member(frame, "metrics");
        cJSON_ArrayForEach(score, metrics) count++;
    }
    return count;
}

static tally_status add_score(ty_saved *saved, ty_saved_list *list, const cJSON *item, uint64_t frame,
                              const char *where, ty_error *error) {
    const bool null = cJSON_IsNull(item);
    if (!null && (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)))
        return ty_fail(error, TALLY_INPUT, "%s: %s: \"%s\" is no finite number and not null", saved->path,
                       where, item->string);
    list->scores[list->count++] =
        (ty_saved_score){item->string, frame, null ? (double)INFINITY : item->valuedouble, null};
    return TALLY_OK;
}

static tally_status add_frame(ty_saved *saved, const cJSON *frame, size_t index, ty_error *error) {
    const cJSON *const number = member(frame, "frameNum"), *const metrics = member(frame, "metrics");
    if (!cJSON_IsNumber(number) || !(number->valuedouble >= 0.0) || number->valuedouble > (double)MAX_FRAME ||
        floor(number->valuedouble) != number->valuedouble)
        return ty_fail(error, TALLY_INPUT, "%s: frames[%zu].frameNum is missing or no frame number",
                       saved->path, index);
    if (!cJSON_IsObject(metrics))
        return ty_fail(error, TALLY_INPUT, "%s: frames[%zu].metrics is missing or no object", saved->path,
                       index);
    char where[64];
    snprintf(where, sizeof where, "frames[%zu].metrics", index);
    const cJSON *item;
    cJSON_ArrayForEach(item, metrics) {
        const tally_status status =
            add_score(saved, &saved->scores, item, (uint64_t)number->valuedouble, where, error);
        if (status != TALLY_OK)
            return status;
    }
    return TALLY_OK;
}

static int in_order(const void *a, const void *b) {
    const ty_saved_score *const x = a, *const y = b;
    const int metric = strcmp(x->metric, y->metric);
    return metric ? metric : (x->frame > y->frame) - (x->frame < y->frame);
}

static tally_status sort(const ty_saved *saved, ty_saved_list *list, ty_error *error) {
    qsort(list->scores, list->count, sizeof *list->scores, in_order);
    for (size_t i = 1; i < list->count; i++)
        if (in_order(&list->scores[i - 1], &list->scores[i]) == 0)
            return ty_fail(error, TALLY_INPUT, "%s: \"%s\" stands twice at frame %" PRIu64, saved->path,
                           list->scores[i].metric, list->scores[i].frame);
    return TALLY_OK;
}

static tally_status allocate(ty_saved_list *list, size_t count, ty_error *error) {
    list->scores = calloc(count + 1, sizeof *list->scores);
    return list->scores ? TALLY_OK : ty_fail_memory(error, "scores of a report");
}

static tally_status read_scores(ty_saved *saved, ty_error *error) {
    const cJSON *const frames = member(saved->json, "frames");
    if (!cJSON_IsArray(frames))
        return ty_fail(error, TALLY_INPUT, "%s: no report: \"frames\" is missing or no array", saved->path);
    tally_status status = allocate(&saved->scores, count_scores(frames), error);
    size_t index = 0;
    for (const cJSON *frame = frames->child; frame && status == TALLY_OK; frame = frame->next)
        status = add_frame(saved, frame, index++, error);
    if (status == TALLY_OK)
        status = sort(saved, &saved->scores, error);
    if (status == TALLY_OK && saved->scores.count == 0)
        status = ty_fail(error, TALLY_INPUT, "%s: holds no scores", saved->path);
    return status;
}

static tally_status read_aggregates(ty_saved *saved, ty_error *error) {
    const cJSON *const aggregates = member(saved->json, "aggregate_metrics");
    if (aggregates && !cJSON_IsObject(aggregates))
        return ty_fail(error, TALLY_INPUT, "%s: \"aggregate_metrics\" is no object", saved->path);
    const size_t count = aggregates ? (size_t)cJSON_GetArraySize(aggregates) : 0;
    tally_status status = allocate(&saved->aggregates, count, error);
    const cJSON *item = aggregates ? aggregates->child : NULL;
    for (; item && status == TALLY_OK; item = item->next)
        status = add_score(saved, &saved->aggregates, item, 0, "aggregate_metrics", error);
    return status == TALLY_OK ? sort(saved, &saved->aggregates, error) : status;
}

/* ---- Its digest ---- */

static void set_nulls(ty_saved_list *list, double value) {
    for (size_t i = 0; i < list->count; i++)
        if (list->scores[i].null)
            list->scores[i].value = value;
}

static bool digest_fits(const ty_saved *saved) {
    ty_sha256 sha;
    char digest[65];
    ty_sha256_start(&sha);
    for (size_t i = 0; i < saved->scores.count; i++) {
        const ty_saved_score *const s = &saved->scores.scores[i];
        ty_sha256_add_score(&sha, s->metric, s->frame, s->value);
    }
    ty_sha256_finish(&sha, digest);
    return strcmp(digest, saved->digest) == 0;
}

static bool has_null(const ty_saved_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->scores[i].null)
            return true;
    return false;
}

static bool make_exact(ty_saved *saved) {
    if (digest_fits(saved))
        return true;
    if (!has_null(&saved->scores))
        return false;
    set_nulls(&saved->scores, -(double)INFINITY);
    if (digest_fits(saved))
        return true;
    set_nulls(&saved->scores, (double)INFINITY);
    return false;
}

static tally_status read_digest(ty_saved *saved, ty_error *error) {
    const cJSON *const tally = member(saved->json, "tally");
    if (tally && !cJSON_IsObject(tally))
        return ty_fail(error, TALLY_INPUT, "%s: \"tally\" is no object", saved->path);
    const cJSON *const digest = tally ? member(tally, "digest") : NULL;
    if (!digest)
        return TALLY_OK;
    if (!cJSON_IsString(digest) || strlen(digest->valuestring) != 64 ||
        strspn(digest->valuestring, "0123456789abcdef") != 64)
        return ty_fail(error, TALLY_INPUT, "%s: tally.digest is not 64 hex digits in lower case",
                       saved->path);
    saved->digest = digest->valuestring;
    saved->exact = make_exact(saved);
    return TALLY_OK;
}

tally_status ty_saved_open(ty_saved *saved, const char *path, ty_error *error) {
    *saved = (ty_saved){.path = path};
    tally_status status = read_json(saved, error);
    if (status == TALLY_OK && !cJSON_IsObject(saved->json))
        status = ty_fail(error, TALLY_INPUT, "%s: no report: not a JSON object", path);
    if (status == TALLY_OK)
        status = read_scores(saved, error);
    if (status == TALLY_OK)
        status = read_aggregates(saved, error);
    if (status == TALLY_OK)
        status = read_digest(saved, error);
    return status;
}

void ty_saved_close(ty_saved *saved) {
    free(saved->scores.scores);
    free(saved->aggregates.scores);
    cJSON_Delete(saved->json);
    *saved = (ty_saved){0};
}
