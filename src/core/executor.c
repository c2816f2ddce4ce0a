#include "core/executor.h"

#include <stdlib.h>
#include <string.h>

static bool lives_in_slot(ty_buffer_kind kind) { return kind == TY_BUFFER_KEPT || kind == TY_BUFFER_PARTIALS; }

/* ---- Program ------------------------------------------------------------------------------------------------------ */

static void note_planes(ty_program *program) {
    for (uint32_t i = 0; i < program->instances->count; i++) {
        const ty_plan *plan = &program->instances->items[i].plan;
        for (uint32_t b = 0; b < plan->buffer_count; b++)
            if (plan->buffers[b].kind == TY_BUFFER_PLANE)
                program->plane_used[plan->buffers[b].picture][plan->buffers[b].plane] = true;
        if (plan->max_lag > program->max_lag)
            program->max_lag = plan->max_lag;
    }
}

static tally_status find_kernels(ty_program *program, ty_error *error) {
    const uint32_t count = program->instances->count;
    if (!(program->kernels = calloc(count, sizeof *program->kernels)))
        return ty_fail_memory(error, "kernels");
    for (uint32_t i = 0; i < count; i++) {
        const ty_plan *plan = &program->instances->items[i].plan;
        if (!(program->kernels[i] = calloc(plan->stage_count + 1, sizeof *program->kernels[i])))
            return ty_fail_memory(error, "kernels");
        for (uint32_t s = 0; s < plan->stage_count; s++)
            if (program->backend->find_kernel(program->device, plan->room, plan->stages[s].kernel,
                                              &program->kernels[i][s], error) != TALLY_OK)
                return error->status;
    }
    return TALLY_OK;
}

static tally_status fill_table(ty_program *program, ty_queue *queue, const ty_buffer_spec *spec, ty_memory *memory,
                               ty_error *error) {
    if (program->backend->allocate(program->device, TY_MEMORY_DEVICE, spec->bytes, memory, error) != TALLY_OK)
        return error->status;
    if (program->backend->host_memory) {
        memcpy(memory->host, spec->data, spec->bytes);
        return TALLY_OK;
    }
    return program->backend->upload(queue, memory, spec->data, spec->bytes, error);
}

static tally_status fill_tables(ty_program *program, ty_error *error) {
    const uint32_t count = program->instances->count;
    ty_queue *queue;
    if (!(program->tables = calloc(count, sizeof *program->tables)))
        return ty_fail_memory(error, "tables");
    if (program->backend->queue_create(program->device, &queue, error) != TALLY_OK)
        return error->status;
    tally_status status = TALLY_OK;
    for (uint32_t i = 0; i < count && status == TALLY_OK; i++) {
        const ty_plan *plan = &program->instances->items[i].plan;
        if (!(program->tables[i] = calloc(plan->buffer_count + 1, sizeof *program->tables[i]))) {
            status = ty_fail_memory(error, "tables");
            break;
        }
        for (uint32_t b = 0; b < plan->buffer_count && status == TALLY_OK; b++)
            if (plan->buffers[b].kind == TY_BUFFER_TABLE)
                status = fill_table(program, queue, &plan->buffers[b], &program->tables[i][b], error);
    }
    if (status == TALLY_OK && !program->backend->host_memory)
        status = program->backend->finish(queue, error);
    program->backend->queue_destroy(queue);
    return status;
}

/* ---- Slots -------------------------------------------------------------------------------------------------------- */

static tally_status allocate_planes(ty_program *program, ty_slot *slot, ty_error *error) {
    const ty_backend *backend = program->backend;
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t p = 0; p < program->layout->planes; p++) {
            const size_t bytes = program->layout->plane_bytes[p];
            ty_memory staging;
            if (backend->allocate(program->device, TY_MEMORY_STAGING, bytes, &staging, error) != TALLY_OK)
                return error->status;
            slot->own[r][p] = staging.host;
            if (!backend->host_memory && program->plane_used[r][p] &&
                backend->allocate(program->device, TY_MEMORY_DEVICE, bytes, &slot->planes[r][p], error) != TALLY_OK)
                return error->status;
        }
    return TALLY_OK;
}

/* Kept buffers and partials of one instance. On the device side partials need a copy in staging memory for the host. */
static tally_status allocate_kept(ty_program *program, ty_slot *slot, uint32_t i, ty_error *error) {
    const ty_backend *backend = program->backend;
    const ty_plan *plan = &program->instances->items[i].plan;
    slot->kept[i] = calloc(plan->buffer_count + 1, sizeof *slot->kept[i]);
    void **partials = calloc(plan->buffer_count + 1, sizeof *partials);
    slot->partials[i] = partials;
    if (!slot->kept[i] || !partials)
        return ty_fail_memory(error, "frame slots");
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        const ty_buffer_spec *spec = &plan->buffers[b];
        if (!lives_in_slot(spec->kind))
            continue;
        if (backend->allocate(program->device, TY_MEMORY_DEVICE, spec->bytes, &slot->kept[i][b], error) != TALLY_OK)
            return error->status;
        if (spec->kind != TY_BUFFER_PARTIALS)
            continue;
        ty_memory staging = slot->kept[i][b];
        if (!backend->host_memory &&
            backend->allocate(program->device, TY_MEMORY_STAGING, spec->bytes, &staging, error) != TALLY_OK)
            return error->status;
        *partials++ = staging.host;
    }
    if (!backend->host_memory && plan->max_lag > 0)
        return backend->mark_create(program->device, &slot->written[i], error);
    return TALLY_OK;
}

static tally_status init_slot(ty_program *program, ty_slot *slot, ty_error *error) {
    const uint32_t count = program->instances->count;
    slot->kept = calloc(count, sizeof *slot->kept);
    slot->partials = calloc(count, sizeof *slot->partials);
    slot->written = calloc(count, sizeof *slot->written);
    slot->stages_done = calloc(count, sizeof *slot->stages_done);
    if (!slot->kept || !slot->partials || !slot->written || !slot->stages_done)
        return ty_fail_memory(error, "frame slots");
    if (allocate_planes(program, slot, error) != TALLY_OK)
        return error->status;
    for (uint32_t i = 0; i < count; i++)
        if (allocate_kept(program, slot, i, error) != TALLY_OK)
            return error->status;
    if (!program->backend->host_memory)
        return program->backend->mark_create(program->device, &slot->uploaded, error);
    return TALLY_OK;
}

static void free_slot(ty_program *program, ty_slot *slot) {
    const uint32_t count = program->instances->count;
    for (uint32_t i = 0; i < count; i++) {
        if (slot->written && slot->written[i])
            program->backend->mark_destroy(slot->written[i]);
        if (slot->partials)
            free(slot->partials[i]);
        if (slot->kept)
            free(slot->kept[i]);
    }
    if (slot->uploaded)
        program->backend->mark_destroy(slot->uploaded);
    free(slot->kept);
    free(slot->partials);
    free(slot->written);
    free(slot->stages_done);
}

tally_status ty_program_init(ty_program *program, const ty_backend *backend, ty_device *device,
                             const ty_layout *layout, ty_instances *instances, uint32_t slots, ty_error *error) {
    *program = (ty_program){.backend = backend, .device = device, .layout = layout, .instances = instances};
    note_planes(program);
    if (find_kernels(program, error) != TALLY_OK || fill_tables(program, error) != TALLY_OK)
        return error->status;
    program->slot_count = slots + program->max_lag;
    if (!(program->slots = calloc(program->slot_count, sizeof *program->slots)))
        return ty_fail_memory(error, "frame slots");
    for (uint32_t s = 0; s < program->slot_count; s++)
        if (init_slot(program, &program->slots[s], error) != TALLY_OK)
            return error->status;
    return TALLY_OK;
}

void ty_slot_begin(const ty_program *program, ty_slot *slot, uint64_t frame) {
    slot->frame = frame;
    atomic_store(&slot->uploads_done, 0);
    for (uint32_t i = 0; i < program->instances->count; i++)
        atomic_store(&slot->stages_done[i], 0);
    for (uint32_t r = 0; r < 2 && program->backend->host_memory; r++)
        for (uint32_t p = 0; p < program->layout->planes; p++)
            slot->planes[r][p] = (ty_memory){(void *)slot->samples[r][p], 0, program->layout->plane_bytes[p]};
}

/* Device and staging memory belongs to the device, which frees it when it is closed. */
void ty_program_free(ty_program *program) {
    for (uint32_t s = 0; program->slots && s < program->slot_count; s++)
        free_slot(program, &program->slots[s]);
    for (uint32_t i = 0; program->instances && i < program->instances->count; i++) {
        if (program->kernels)
            free(program->kernels[i]);
        if (program->tables)
            free(program->tables[i]);
    }
    free(program->slots);
    free(program->kernels);
    free(program->tables);
    *program = (ty_program){0};
}

/* ---- Executors ---------------------------------------------------------------------------------------------------- */

/* Sizes of the shared scratch buffers: the k-th is the largest k-th one of any plan. Returns how many there are. */
static uint32_t scratch_sizes(const ty_instances *instances, size_t *sizes) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < instances->count; i++) {
        const ty_plan *plan = &instances->items[i].plan;
        uint32_t k = 0;
        for (uint32_t b = 0; b < plan->buffer_count; b++) {
            if (plan->buffers[b].kind != TY_BUFFER_SCRATCH)
                continue;
            if (sizes && plan->buffers[b].bytes > sizes[k])
                sizes[k] = plan->buffers[b].bytes;
            k++;
        }
        if (k > most)
            most = k;
    }
    return most;
}

tally_status ty_executor_init(ty_executor *executor, ty_program *program, ty_error *error) {
    *executor = (ty_executor){.program = program};
    if (program->backend->queue_create(program->device, &executor->queue, error) != TALLY_OK)
        return error->status;
    const uint32_t count = scratch_sizes(program->instances, NULL);
    size_t *sizes = calloc(count + 1, sizeof *sizes);
    executor->scratch = calloc(count + 1, sizeof *executor->scratch);
    if (!sizes || !executor->scratch) {
        free(sizes);
        return ty_fail_memory(error, "scratch");
    }
    scratch_sizes(program->instances, sizes);
    for (uint32_t k = 0; k < count && error->status == TALLY_OK; k++)
        program->backend->allocate(program->device, TY_MEMORY_DEVICE, sizes[k], &executor->scratch[k], error);
    executor->scratch_count = count;
    free(sizes);
    return error->status;
}

void ty_executor_free(ty_executor *executor) {
    if (executor->queue)
        executor->program->backend->queue_destroy(executor->queue);
    free(executor->scratch);
    *executor = (ty_executor){0};
}

/* ---- One frame ---------------------------------------------------------------------------------------------------- */

typedef struct frame_run {
    ty_executor *executor;
    ty_program *program;
    ty_slot *slot;
    const ty_coupling *coupling;
    uint32_t instance;
    ty_error *error;
} frame_run;

static ty_slot *slot_of(const ty_program *program, uint64_t frame) {
    return &program->slots[frame % program->slot_count];
}

static uint32_t scratch_number(const ty_plan *plan, ty_buffer buffer) {
    uint32_t k = 0;
    for (ty_buffer b = 0; b < buffer; b++)
        k += plan->buffers[b].kind == TY_BUFFER_SCRATCH;
    return k;
}

static bool await(frame_run *run, const atomic_uint *counter, uint32_t value, ty_mark *mark) {
    if (!run->coupling->wait(run->coupling->opaque, counter, value))
        return false;
    const ty_backend *backend = run->program->backend;
    return backend->host_memory || backend->mark_wait(run->executor->queue, mark, run->error) == TALLY_OK;
}

/* An earlier frame's samples: in host memory they are there as soon as the frame is. */
static bool await_samples(frame_run *run, ty_slot *from) {
    return from == run->slot || run->program->backend->host_memory ||
           await(run, &from->uploads_done, 1, from->uploaded);
}

/* The memory behind a buffer of the plan for this frame; NULL if waiting for it had to end. */
static const ty_memory *resolve(frame_run *run, ty_buffer buffer) {
    ty_program *program = run->program;
    const ty_plan *plan = &program->instances->items[run->instance].plan;
    const ty_buffer_spec *spec = &plan->buffers[buffer];
    ty_slot *from = slot_of(program, run->slot->frame - spec->lag);
    switch (spec->kind) {
    case TY_BUFFER_PLANE:
        return await_samples(run, from) ? &from->planes[spec->picture][spec->plane] : NULL;
    case TY_BUFFER_TABLE: return &program->tables[run->instance][buffer];
    case TY_BUFFER_SCRATCH: return &run->executor->scratch[scratch_number(plan, buffer)];
    case TY_BUFFER_PREVIOUS:
        return await(run, &from->stages_done[run->instance], plan->buffers[spec->kept].ready_after,
                     from->written[run->instance])
                   ? &from->kept[run->instance][spec->kept]
                   : NULL;
    case TY_BUFFER_KEPT:
    case TY_BUFFER_PARTIALS: break;
    }
    return &run->slot->kept[run->instance][buffer];
}

/* A row of groups and then its terms, so that the terms are summed while they are still in the cache. */
static tally_status launch_summed_rows(frame_run *run, const ty_stage *stage, const ty_device_kernel *kernel,
                                       ty_launch *launch, const ty_memory *result) {
    const ty_backend *backend = run->program->backend;
    const ty_memory *terms = launch->buffers[launch->buffer_count - 1];
    launch->groups_y = 1;
    for (uint32_t row = 0; row < stage->groups_y; row++) {
        launch->first_row = row;
        if (backend->launch(run->executor->queue, kernel, launch, run->error) != TALLY_OK ||
            backend->ordered_sum(run->executor->queue, terms, (size_t)row * stage->terms_per_row, stage->terms_per_row,
                                 result, run->error) != TALLY_OK)
            return run->error->status;
    }
    return TALLY_OK;
}

static tally_status launch_stage(frame_run *run, const ty_stage *stage, const ty_device_kernel *kernel) {
    const ty_backend *backend = run->program->backend;
    const ty_memory *buffers[TY_MAX_KERNEL_BUFFERS];
    for (uint32_t b = 0; b < stage->buffer_count; b++)
        if (!(buffers[b] = resolve(run, stage->buffers[b])))
            return run->error->status != TALLY_OK ? run->error->status : TALLY_CANCELLED;
    ty_launch launch = {.lanes = stage->lanes,
                        .groups_x = stage->groups_x,
                        .groups_y = stage->groups_y,
                        .buffer_count = stage->buffer_count,
                        .buffers = buffers,
                        .value = stage->value,
                        .value_size = stage->value_size};
    if (!stage->summed)
        return backend->launch(run->executor->queue, kernel, &launch, run->error);
    const ty_memory *result = resolve(run, stage->result);
    if (backend->host_memory)
        return launch_summed_rows(run, stage, kernel, &launch, result);
    if (backend->launch(run->executor->queue, kernel, &launch, run->error) != TALLY_OK)
        return run->error->status;
    return backend->ordered_sum(run->executor->queue, buffers[stage->buffer_count - 1], 0,
                                (size_t)stage->groups_y * stage->terms_per_row, result, run->error);
}

static bool finishes_kept_buffer(const ty_plan *plan, uint32_t stages) {
    for (uint32_t b = 0; b < plan->buffer_count; b++)
        if (plan->buffers[b].kind == TY_BUFFER_KEPT && plan->buffers[b].ready_after == stages)
            return true;
    return false;
}

static tally_status run_instance(frame_run *run) {
    const ty_backend *backend = run->program->backend;
    const ty_instance *instance = &run->program->instances->items[run->instance];
    const ty_plan *plan = &instance->plan;
    const uint64_t predecessors = run->slot->frame - instance->first;
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        const ty_stage *stage = &plan->stages[s];
        if (stage->lag <= predecessors &&
            launch_stage(run, stage, run->program->kernels[run->instance][s]) != TALLY_OK)
            return run->error->status != TALLY_OK ? run->error->status : TALLY_CANCELLED;
        if (!finishes_kept_buffer(plan, s + 1))
            continue;
        if (!backend->host_memory &&
            backend->mark_set(run->executor->queue, run->slot->written[run->instance], run->error) != TALLY_OK)
            return run->error->status;
        atomic_store(&run->slot->stages_done[run->instance], s + 1);
        run->coupling->wake(run->coupling->opaque);
    }
    return TALLY_OK;
}

/* Lent samples (a mapped file, mostly) go through the slot's own memory, which the device copies from at full speed. Each
 * executor copies its own frames, so several processors share that work. */
static const void *pinned_samples(const ty_program *program, const ty_slot *slot, uint32_t role, uint32_t plane) {
    if (slot->samples[role][plane] != slot->own[role][plane])
        memcpy(slot->own[role][plane], slot->samples[role][plane], program->layout->plane_bytes[plane]);
    return slot->own[role][plane];
}

static tally_status upload_samples(frame_run *run) {
    const ty_program *program = run->program;
    ty_slot *slot = run->slot;
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t p = 0; p < program->layout->planes; p++)
            if (program->plane_used[r][p] &&
                program->backend->upload(run->executor->queue, &slot->planes[r][p],
                                         pinned_samples(program, slot, r, p), program->layout->plane_bytes[p],
                                         run->error) != TALLY_OK)
                return run->error->status;
    if (program->backend->mark_set(run->executor->queue, slot->uploaded, run->error) != TALLY_OK)
        return run->error->status;
    atomic_store(&slot->uploads_done, 1);
    run->coupling->wake(run->coupling->opaque);
    return TALLY_OK;
}

static tally_status fetch_partials(frame_run *run) {
    const ty_plan *plan = &run->program->instances->items[run->instance].plan;
    void *const *host = run->slot->partials[run->instance];
    for (uint32_t b = 0; b < plan->buffer_count; b++)
        if (plan->buffers[b].kind == TY_BUFFER_PARTIALS &&
            run->program->backend->download(run->executor->queue, *host++, &run->slot->kept[run->instance][b],
                                            plan->buffers[b].bytes, run->error) != TALLY_OK)
            return run->error->status;
    return TALLY_OK;
}

tally_status ty_execute(ty_executor *executor, ty_slot *slot, const ty_coupling *coupling, ty_error *error) {
    frame_run run = {executor, executor->program, slot, coupling, 0, error};
    const ty_backend *backend = run.program->backend;
    tally_status status = backend->host_memory ? TALLY_OK : upload_samples(&run);
    for (run.instance = 0; run.instance < run.program->instances->count && status == TALLY_OK; run.instance++) {
        if (!ty_instance_runs(&run.program->instances->items[run.instance], slot->frame))
            continue;
        status = run_instance(&run);
        if (status == TALLY_OK && !backend->host_memory)
            status = fetch_partials(&run);
    }
    if (status == TALLY_OK && !backend->host_memory)
        status = backend->finish(executor->queue, error);
    return status;
}
