/* What the devices of a backend can do, found out in a process of its own: some drivers end the process that
 * they are loaded into when a kernel is not to their liking. */
#ifndef TY_SURVEY_H
#define TY_SURVEY_H

#include "backends/backend.h"

#define SURVEY_FEATURES 64

typedef struct survey_feature {
    bool runs;
    char reason[256]; /* why not, in one line */
} survey_feature;

typedef struct survey {
    ty_device_info info;
    char trouble[1100];                       /* why it cannot be looked at or opened; "" if it can */
    char level[32];                           /* CPU level; "" elsewhere */
    survey_feature features[SURVEY_FEATURES]; /* in the order of tally_feature_name() */
} survey;

/* How many devices the backend has; if none, why. The calling process does not load the backend's driver. */
uint32_t survey_count(const ty_backend *backend, char *reason, size_t reason_size);

/* Looks at one device. A driver that ends the process counts against the feature whose kernels were being
 * made. */
void survey_device(const ty_backend *backend, uint32_t device, survey *result);

#endif
