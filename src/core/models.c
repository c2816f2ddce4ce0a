/* The public interface of models. */
#include "core/run.h"

tally_status tally_run_add_model(tally_run *run, const char *model) {
    if (!run)
        return TALLY_USAGE;
    if (!model)
        return ty_fail(&run->error, TALLY_USAGE, "the model is NULL");
    if (run->error.status != TALLY_OK)
        return run->error.status;
    if (run->stage != TY_RUN_OPEN)
        return ty_fail(&run->error, TALLY_USAGE, "model %s was asked for after the run had started", model);
    return ty_models_request(&run->models, model, run->model_dir, &run->instances, &run->log, &run->error);
}
