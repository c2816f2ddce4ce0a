#include "models_get.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sha256.h"
#include "model/find.h"
#include "model/known.h"
#include "tool.h"

extern char **environ;

/* The file's SHA-256; false if it cannot be read. */
static bool hash_file(const char *path, char hex[65]) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    ty_sha256 sha;
    char block[16384];
    size_t size;
    ty_sha256_start(&sha);
    while ((size = fread(block, 1, sizeof block, file)) > 0)
        ty_sha256_add(&sha, block, size);
    ty_sha256_finish(&sha, hex);
    const bool whole = !ferror(file);
    fclose(file);
    return whole;
}

/* Makes a folder and those above it. */
static bool make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Runs curl, which says itself what goes wrong. */
static int download(const char *url, const char *to) {
    char *const arguments[] = {"curl",
                               "--fail",
                               "--location",
                               "--silent",
                               "--show-error",
                               "--proto",
                               "=https,file",
                               "--connect-timeout",
                               "20",
                               "--max-time",
                               "300",
                               "--max-filesize",
                               "67108864",
                               "--output",
                               (char *)(uintptr_t)to,
                               "--url",
                               (char *)(uintptr_t)url,
                               NULL};
    pid_t child;
    const int failed = posix_spawnp(&child, "curl", NULL, NULL, arguments, environ);
    if (failed)
        return tool_fail(TALLY_INPUT, "the program curl, which downloads, cannot be started: %s",
                         strerror(failed));
    int state;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return tool_fail(TALLY_INTERNAL, "curl cannot be waited for: %s", strerror(errno));
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
        return tool_fail(TALLY_INPUT, "the program curl, which downloads, is not there");
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return tool_fail(TALLY_INPUT,
                         "%s was not downloaded (see curl's message above; is this machine online?)", url);
    return TALLY_OK;
}

/* Moves the download to its place if it is the published file. */
static int accept(const ty_known_model *known, const char *url, const char *temporary, const char *path) {
    char hex[65];
    if (!hash_file(temporary, hex))
        return tool_fail(TALLY_INPUT, "%s cannot be read: %s", temporary, strerror(errno));
    if (strcmp(hex, known->sha256) != 0)
        return tool_fail(TALLY_INPUT,
                         "%s is not the published model: its SHA-256 is %s, not %s; it was thrown away", url,
                         hex, known->sha256);
    if (rename(temporary, path) != 0)
        return tool_fail(TALLY_INPUT, "%s cannot be written: %s", path, strerror(errno));
    printf("%s: downloaded, SHA-256 %s\n", path, hex);
    return TALLY_OK;
}

static int fetch(const ty_known_model *known, const char *url, const char *path) {
    char *temporary = malloc(strlen(path) + 8);
    if (!temporary)
        return tool_fail(TALLY_INTERNAL, "out of memory");
    sprintf(temporary, "%s.XXXXXX", path);
    const int file = mkstemp(temporary);
    if (file < 0) {
        free(temporary);
        return tool_fail(TALLY_INPUT, "%s cannot be written: %s", path, strerror(errno));
    }
    fchmod(file, 0644);
    close(file);
    int status = download(url, temporary);
    if (status == TALLY_OK)
        status = accept(known, url, temporary, path);
    if (status != TALLY_OK)
        unlink(temporary);
    free(temporary);
    return status;
}

static int get_into(const ty_known_model *known, const char *base, char *folder) {
    if (!make_folders(folder))
        return tool_fail(TALLY_INPUT, "the folder %s cannot be made: %s", folder, strerror(errno));
    char *path = ty_model_file(folder, known->name, ".json");
    char *url = malloc(strlen(base) + strlen(known->name) + sizeof ".json");
    char hex[65];
    int status;
    if (!path || !url)
        status = tool_fail(TALLY_INTERNAL, "out of memory");
    else if (hash_file(path, hex) && strcmp(hex, known->sha256) == 0) {
        printf("%s: is there already\n", path);
        status = TALLY_OK;
    } else {
        sprintf(url, "%s%s.json", base, known->name);
        status = fetch(known, url, path);
    }
    free(path);
    free(url);
    return status;
}

int models_get(const char *name, const char *base) {
    const ty_known_model *known = ty_known_find(name);
    if (!known)
        return tool_usage(
            "models", "no model '%s' is known to be published; 'tally models' lists those that are", name);
    char *folder = ty_model_user_folder();
    if (!folder)
        return tool_fail(TALLY_INPUT, "neither $XDG_DATA_HOME nor $HOME says where to put the model");
    const int status = get_into(known, base ? base : TY_KNOWN_URL, folder);
    free(folder);
    return status;
}
