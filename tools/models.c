/* tally models: what there is to predict with. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/find.h"
#include "model/known.h"
#include "model/model.h"
#include "models_get.h"
#include "report/escape.h"
#include "tool.h"

static const char help[] =
    "usage: tally models [--model-dir DIR]\n"
    "       tally models get NAME [--from URL]\n"
    "\n"
    "Lists the models that are found, in the order in which folders are looked through, with the SHA-256 of\n"
    "each file and the features it needs, and the published models that are not here.\n"
    "\n"
    "'get' downloads a published model with the program curl into your data folder\n"
    "($XDG_DATA_HOME/tally/model, or ~/.local/share/tally/model), if it is the very file that was published\n"
    "(its SHA-256 is built in). --from names another place that holds NAME.json, such as a mirror (https: or\n"
    "file:, up to the last '/').\n"
    "\n"
    "Folders: --model-dir, those of $TALLY_MODEL_PATH (separated by ':'), your data folder,\n"
    "/usr/local/share/tally/model, /usr/share/tally/model, /usr/local/share/model, /usr/share/model.\n"
    "\n"
    "  tally models get vmaf_v0.6.1\n"
    "  tally score ref.y4m dis.y4m -m vmaf_v0.6.1\n"
    "\n"
    "Exit status: 0; 1 usage; 2 a model cannot be downloaded or is not the published file; 5 internal.\n";

typedef struct name_list {
    char **names;
    size_t count;
} name_list;

static bool contains(const name_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

static bool add(name_list *list, const char *name, size_t length) {
    char **names = realloc(list->names, (list->count + 1) * sizeof *names);
    if (!names)
        return false;
    list->names = names;
    if (!(names[list->count] = strndup(name, length)))
        return false;
    list->count++;
    return true;
}

static void free_names(name_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The models of a folder by name, sorted. */
static bool read_folder(const char *folder, name_list *list) {
    DIR *directory = opendir(folder);
    if (!directory)
        return true;
    bool fits = true;
    for (const struct dirent *entry; fits && (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 5, ".json") == 0)
            fits = add(list, entry->d_name, length - 5);
    }
    closedir(directory);
    if (list->count > 1)
        qsort(list->names, list->count, sizeof *list->names, by_name);
    return fits;
}

static void print_features(const ty_member *member) {
    printf("    features");
    for (uint32_t f = 0; f < member->feature_count; f++) {
        const ty_member_feature *feature = &member->features[f];
        fputs(f ? ", " : " ", stdout);
        ty_put_plain(stdout, feature->name);
        for (uint32_t o = 0; o < feature->option_count; o++) {
            putchar(o ? ':' : ' ');
            ty_put_plain(stdout, feature->options[o].name);
            putchar('=');
            ty_put_plain(stdout, feature->options[o].value);
        }
    }
    putchar('\n');
}

static void print_model(const char *name, const char *path, const ty_model *model, bool hidden) {
    const ty_known_model *known = ty_known_find(name);
    const char *sha256 = ty_model_sha256(model);
    ty_put_plain(stdout, name);
    fputs(hidden ? " (hidden by the one above)\n    file     " : "\n    file     ", stdout);
    ty_put_plain(stdout, path);
    printf("\n    sha256   %s%s\n", sha256,
           !known                               ? ""
           : strcmp(known->sha256, sha256) == 0 ? " (as published)"
                                                : " (NOT the published file)");
    if (ty_model_is_collection(model))
        printf("    members  %u\n", ty_model_member_count(model));
    print_features(ty_model_member(model, 0));
}

static void list_file(const char *name, const char *path, bool hidden) {
    ty_error error = {0};
    ty_model *model;
    if (ty_model_load(path, &model, &error) == TALLY_OK)
        print_model(name, path, model, hidden);
    else {
        ty_put_plain(stdout, name);
        printf(" (cannot be used)\n    %s\n", error.text);
    }
    ty_model_free(model);
}

/* Lists one folder; `seen` collects the names. */
static bool list_folder(const char *folder, name_list *seen) {
    name_list here = {0};
    bool fits = read_folder(folder, &here);
    for (size_t i = 0; i < here.count && fits; i++) {
        char *path = ty_model_file(folder, here.names[i], ".json");
        const bool hidden = contains(seen, here.names[i]);
        fits = path && (hidden || add(seen, here.names[i], strlen(here.names[i])));
        if (path)
            list_file(here.names[i], path, hidden);
        free(path);
    }
    free_names(&here);
    return fits;
}

static void list_missing(const name_list *seen) {
    const char *head = "\npublished, but not here ('tally models get NAME'):\n";
    for (const ty_known_model *k = ty_known_models; k->name; k++)
        if (!contains(seen, k->name)) {
            printf("%s    %s\n", head, k->name);
            head = "";
        }
}

static int list_all(const char *model_dir) {
    ty_error error = {0};
    ty_model_folders folders;
    name_list seen = {0};
    bool fits = ty_model_folders_list(model_dir, &folders, &error) == TALLY_OK;
    for (size_t i = 0; i < folders.count && fits; i++)
        fits = list_folder(folders.paths[i], &seen);
    if (fits && seen.count == 0) {
        puts("no models in");
        for (size_t i = 0; i < folders.count; i++)
            printf("    %s\n", folders.paths[i]);
    }
    if (fits)
        list_missing(&seen);
    free_names(&seen);
    ty_model_folders_free(&folders);
    return fits ? TALLY_OK : tool_fail(TALLY_INTERNAL, "out of memory");
}

int tool_models(int argc, char **argv) {
    const char *words[2], *model_dir = NULL, *base = NULL;
    int count = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return TALLY_OK;
        }
        const bool is_dir = strcmp(argv[i], "--model-dir") == 0, is_from = strcmp(argv[i], "--from") == 0;
        if (is_dir || is_from) {
            if (++i == argc)
                return tool_usage("models", "%s wants an argument", argv[i - 1]);
            *(is_dir ? &model_dir : &base) = argv[i];
        } else if (argv[i][0] == '-' || count == 2)
            return tool_usage("models", "'%s' is not understood", argv[i]);
        else
            words[count++] = argv[i];
    }
    if (count > 0 && strcmp(words[0], "get") != 0)
        return tool_usage("models", "'%s' is not understood", words[0]);
    if (count == 1)
        return tool_usage("models", "get wants the name of a model");
    if (count == 2)
        return model_dir
                   ? tool_usage("models",
                                "get puts models into your data folder; --model-dir has no meaning there")
                   : models_get(words[1], base);
    return base ? tool_usage("models", "--from goes with get") : list_all(model_dir);
}
