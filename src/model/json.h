/* Strict JSON for model files: what is not JSON is refused with its byte offset before the library sees it.
 */
#ifndef TY_MODEL_JSON_H
#define TY_MODEL_JSON_H

#include <cjson/cJSON.h>

#include "core/error.h"

/* Limits that keep the memory and time of a hostile file small. The largest public file has 425 kB and 1000
 * values. */
#define TY_JSON_MAX_BYTES (64u << 20)
#define TY_JSON_MAX_DEPTH 32
#define TY_JSON_MAX_VALUES 1000000
#define TY_JSON_MAX_NUMBER 63 /* characters; cJSON would cut longer ones */

/* Reads the object that `data` begins with; text after its closing brace is ignored. The result does not
 * depend on the process's locale. `file` names it in errors (TALLY_INPUT). Release with cJSON_Delete(). */
tally_status ty_json_read(const char *data, size_t size, const char *file, cJSON **root, ty_error *error);

/* The member of an object, NULL if absent. A key that occurs twice is an error: which one counts would be a
 * guess. `where` is the object's path, "" at the top. */
tally_status ty_json_member(const cJSON *object, const char *key, const char *file, const char *where,
                            const cJSON **member, ty_error *error);

/* "null", "a string", … */
const char *ty_json_kind(const cJSON *value);

#endif
