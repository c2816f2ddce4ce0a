#include "survey.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/instance.h"

/* What the looking process and its parent share. */
typedef struct shared {
    const ty_backend *backend;
    uint32_t device;
    uint32_t count;
    char reason[256];
    bool opened;   /* from then on, it is feature `next` that is looked at */
    uint32_t next; /* at the end, one behind the last */
    survey result;
} shared;

static shared *share(const ty_backend *backend, uint32_t device) {
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        return NULL;
    s->backend = backend;
    s->device = device;
    return s;
}

/* Runs `work` in a child process. False if that did not end by itself; `how` says how it ended. */
static bool in_child(void (*work)(shared *), shared *s, char *how, size_t how_size) {
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        work(s);
        _exit(0);
    }
    pid_t ended = child;
    while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    if (child < 0 || ended != child)
        snprintf(how, how_size, "no process could be started to look");
    else if (WIFSIGNALED(status))
        snprintf(how, how_size, "the driver ended the program: %s", strsignal(WTERMSIG(status)));
    else if (status != 0)
        snprintf(how, how_size, "the driver ended the program with status %d", WEXITSTATUS(status));
    else
        return true;
    return false;
}

static void count(shared *s) {
    s->count = s->backend->count(s->reason, sizeof s->reason);
}

uint32_t survey_count(const ty_backend *backend, char *reason, size_t reason_size) {
    shared *s = share(backend, 0);
    if (!s) {
        snprintf(reason, reason_size, "no memory to look with");
        return 0;
    }
    if (!in_child(count, s, s->reason, sizeof s->reason))
        s->count = 0;
    const uint32_t devices = s->count;
    snprintf(reason, reason_size, "%s", s->reason);
    munmap(s, sizeof *s);
    return devices;
}

/* A picture that every feature takes. */
static const tally_format sample_format = {640, 480, 8, TALLY_PIXEL_FORMAT_420};

/* Whether the device has every kernel of the feature's plan. */
static bool runs(const ty_backend *backend, ty_device *device, const char *feature, ty_error *error) {
    ty_instances instances = {0};
    ty_layout layout;
    ty_log silent = {0};
    if (ty_layout_init(&layout, &sample_format, "picture", error) == TALLY_OK &&
        ty_instances_request(&instances, feature, error) == TALLY_OK)
        ty_instances_prepare(&instances, &layout, false, &silent, error);
    const ty_plan *plan = error->status == TALLY_OK ? &instances.items[0].plan : NULL;
    for (uint32_t s = 0; plan && s < plan->stage_count && error->status == TALLY_OK; s++) {
        const ty_device_kernel *kernel;
        backend->find_kernel(device, plan->room, plan->stages[s].kernel, &kernel, error);
    }
    ty_instances_free(&instances);
    return error->status == TALLY_OK;
}

static void look(shared *s) {
    survey *r = &s->result;
    ty_error error = {0};
    ty_device *device;
    if (s->backend->inspect(s->device, &r->info, &error) != TALLY_OK) {
        snprintf(r->trouble, sizeof r->trouble, "%s", error.text);
        return;
    }
    if (r->info.unfit[0]) {
        snprintf(r->trouble, sizeof r->trouble, "cannot be used: %s", r->info.unfit);
        return;
    }
    const ty_device_request request = {s->device, NULL, 8};
    if (s->backend->open(&request, &device, &error) != TALLY_OK) {
        snprintf(r->trouble, sizeof r->trouble, "cannot be opened: %s", error.text);
        return;
    }
    s->opened = true;
    snprintf(r->level, sizeof r->level, "%s", s->backend->level(device));
    for (; s->next < SURVEY_FEATURES && tally_feature_name(s->next); s->next++) {
        survey_feature *f = &r->features[s->next];
        ty_error why = {0};
        f->runs = runs(s->backend, device, tally_feature_name(s->next), &why);
        snprintf(f->reason, sizeof f->reason, "%.255s", why.text);
    }
    s->backend->close(device);
}

/* Each process goes on where the one before it ended. */
void survey_device(const ty_backend *backend, uint32_t device, survey *result) {
    shared *s = share(backend, device);
    *result = (survey){.trouble = "no memory to look with"};
    if (!s)
        return;
    char how[256];
    while (!in_child(look, s, how, sizeof how)) {
        const bool all = s->next == SURVEY_FEATURES || !tally_feature_name(s->next);
        if (!s->opened)
            snprintf(s->result.trouble, sizeof s->result.trouble, "%s", how);
        if (!s->opened || all)
            break;
        snprintf(s->result.features[s->next].reason, sizeof s->result.features[s->next].reason, "%s", how);
        s->next++;
        s->opened = false;
    }
    *result = s->result;
    munmap(s, sizeof *s);
}
