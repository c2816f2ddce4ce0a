/* Where model files are looked for. */
#ifndef TY_MODEL_FIND_H
#define TY_MODEL_FIND_H

#include "core/error.h"

/* Folders in the order in which a name is looked up: model_dir (may be NULL), those of $TALLY_MODEL_PATH
 * (separated by
 * ':'), the user's, the system's. */
typedef struct ty_model_folders {
    char **paths;
    size_t count;
} ty_model_folders;

tally_status ty_model_folders_list(const char *model_dir, ty_model_folders *folders, ty_error *error);
void ty_model_folders_free(ty_model_folders *folders);

/* $XDG_DATA_HOME/tally/model or ~/.local/share/tally/model; NULL if the environment names neither, or memory
 * is short. Free it with free(). */
char *ty_model_user_folder(void);

/* Whether a model is named by its file rather than looked up: it has a '/' or ends in ".json". */
bool ty_model_is_path(const char *name);

/* The file of a model: the path itself, or what the first folder that has NAME.json holds. Free it with
 * free(). A name that is found nowhere is TALLY_USAGE; the error lists the folders and how to get the model.
 */
tally_status ty_model_find(const char *name, const char *model_dir, char **path, ty_error *error);

/* "folder/name" and ending, to be freed with free(); NULL if memory is short. */
char *ty_model_file(const char *folder, const char *name, const char *ending);

#endif
