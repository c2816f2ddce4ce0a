/* Downloading of published models. */
#ifndef MODELS_GET_H
#define MODELS_GET_H

/* Downloads the published model NAME into the user's folder, from `base` (a URL that NAME.json is appended
 * to; NULL: where it is published), and puts it there only if its SHA-256 is the pinned one. Returns the exit
 * status. */
int models_get(const char *name, const char *base);

#endif
