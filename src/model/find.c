#include "model/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/known.h"

static const char *const system_folders[] = {"/usr/local/share/tally/model", "/usr/share/tally/model",
                                             "/usr/local/share/model", "/usr/share/model"};

char *ty_model_file(const char *folder, const char *name, const char *ending) {
    const size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

char *ty_model_user_folder(void) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && data[0] == '/')
        return ty_model_file(data, "tally/model", "");
    return home && home[0] == '/' ? ty_model_file(home, ".local/share/tally/model", "") : NULL;
}

/* Takes over `path`; NULL means that memory is short. */
static bool add(ty_model_folders *folders, char *path) {
    char **paths = path ? realloc(folders->paths, (folders->count + 1) * sizeof *paths) : NULL;
    if (!paths) {
        free(path);
        return false;
    }
    folders->paths = paths;
    paths[folders->count++] = path;
    return true;
}

static bool add_list(ty_model_folders *folders, const char *list) {
    while (list && *list) {
        const size_t length = strcspn(list, ":");
        if (length > 0 && !add(folders, strndup(list, length)))
            return false;
        list += length + (list[length] == ':');
    }
    return true;
}

static bool add_all(ty_model_folders *folders, const char *model_dir) {
    if (model_dir && !add(folders, strdup(model_dir)))
        return false;
    if (!add_list(folders, getenv("TALLY_MODEL_PATH")))
        return false;
    char *user = ty_model_user_folder();
    if (user && !add(folders, user))
        return false;
    for (size_t i = 0; i < sizeof system_folders / sizeof system_folders[0]; i++)
        if (!add(folders, strdup(system_folders[i])))
            return false;
    return true;
}

tally_status ty_model_folders_list(const char *model_dir, ty_model_folders *folders, ty_error *error) {
    *folders = (ty_model_folders){0};
    return add_all(folders, model_dir) ? TALLY_OK : ty_fail_memory(error, "model folders");
}

void ty_model_folders_free(ty_model_folders *folders) {
    for (size_t i = 0; i < folders->count; i++)
        free(folders->paths[i]);
    free(folders->paths);
    *folders = (ty_model_folders){0};
}

bool ty_model_is_path(const char *name) {
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

static tally_status not_found(const char *name, const ty_model_folders *folders, ty_error *error) {
    char looked[600] = "";
    for (size_t i = 0; i < folders->count; i++)
        snprintf(looked + strlen(looked), sizeof looked - strlen(looked), "%s%s", i ? ", " : "",
                 folders->paths[i]);
    if (ty_known_find(name))
        return ty_fail(error, TALLY_USAGE,
                       "the model %s is not here; 'tally models get %s' downloads it. Looked in: %s", name,
                       name, looked);
    return ty_fail(error, TALLY_USAGE,
                   "there is no model '%.100s'; 'tally models' lists those that are here or can be "
                   "downloaded, and a file "
                   "is named with a '/' or the ending .json. Looked in: %s",
                   name, looked);
}

tally_status ty_model_find(const char *name, const char *model_dir, char **path, ty_error *error) {
    *path = NULL;
    if (ty_model_is_path(name))
        return (*path = strdup(name)) ? TALLY_OK : ty_fail_memory(error, "model folders");
    ty_model_folders folders;
    tally_status status = ty_model_folders_list(model_dir, &folders, error);
    struct stat info;
    for (size_t i = 0; i < folders.count && status == TALLY_OK && !*path; i++) {
        char *candidate = ty_model_file(folders.paths[i], name, ".json");
        if (!candidate)
            status = ty_fail_memory(error, "model folders");
        else if (stat(candidate, &info) == 0 && !S_ISDIR(info.st_mode))
            *path = candidate;
        else
            free(candidate);
    }
    if (status == TALLY_OK && !*path)
        status = not_found(name, &folders, error);
    ty_model_folders_free(&folders);
    return status;
}
