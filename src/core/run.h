/* The inside of a tally_run. */
#ifndef TY_RUN_H
#define TY_RUN_H

#include "core/engine.h"
#include "core/log.h"
#include "model/models.h"
#include "report/report.h"

typedef enum ty_run_stage { TY_RUN_OPEN, TY_RUN_STARTED, TY_RUN_FINISHED } ty_run_stage;

struct tally_run {
    tally_config config; /* strings point into the buffers below */
    char backend_name[32], level_name[32];
    char *model_dir; /* what config.model_dir points to */
    ty_log log;
    ty_error error;
    atomic_bool cancelled;
    ty_run_stage stage;

    ty_instances instances;
    ty_models models;
    ty_scores *scores;
    ty_layout layout;
    const ty_backend *backend;
    ty_device *device;
    ty_device_info device_info;
    ty_engine *engine;
    uint64_t frames; /* pairs seen, those outside of the range included */
    ty_aggregates aggregates;
    double started, seconds; /* wall clock */
    char *reference, *distorted; /* file names, for reports */
};

/* Starts the run with what the reader knows. `frames`: number of pairs if known, else 0. */
tally_status ty_run_start(tally_run *run, const tally_format *format, uint64_t frames,
                          void (*release)(void *opaque, uint64_t frame), void *release_opaque);

/* The frames that must be read for the range that is scored. */
uint64_t ty_run_first_needed(const tally_run *run);
uint64_t ty_run_last_needed(const tally_run *run);

/* Everything a report says about a finished run; `features` and the pointer behind it must be freed with
 * ty_run_report_free(). */
tally_status ty_run_report(tally_run *run, ty_report *report);
void ty_run_report_free(ty_report *report);

double ty_seconds(void);

#endif
