#include "plan_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/levels.h"
#include "core/instance.h"
#include "exact/ordered_sum.h"

#define GUARD 256
#define GUARD_BYTE 0xa5

static bool prepare(plan_run *run, const char *request, const tally_format *format, ty_error *error) {
    ty_instances instances = {0};
    ty_log silent = {0};
    const bool prepared = ty_layout_init(&run->layout, format, "picture", error) == TALLY_OK &&
                          ty_instances_request(&instances, request, error) == TALLY_OK &&
                          ty_instances_prepare(&instances, &run->layout, false, &silent, error) == TALLY_OK;
    if (prepared) {
        run->feature = instances.items[0].feature;
        run->options = instances.items[0].options;
        run->plan = instances.items[0].plan;
        run->plan.layout = &run->layout;
        instances.items[0].options = NULL;
        instances.items[0].plan = (ty_plan){0};
    }
    ty_instances_free(&instances);
    return prepared;
}

/* Memory for every buffer, with the contents of tables. */
static bool allocate(plan_run *run) {
    run->buffers = calloc(run->plan.buffer_count + 1, sizeof *run->buffers);
    run->blocks = calloc(run->plan.buffer_count + 1, sizeof *run->blocks);
    for (uint32_t b = 0; b < run->plan.buffer_count; b++) {
        const ty_buffer_spec *spec = &run->plan.buffers[b];
        if (spec->kind == TY_BUFFER_PLANE)
            continue;
        run->blocks[b] = aligned_alloc(64, (spec->bytes + 2 * GUARD + 63) / 64 * 64);
        run->buffers[b] = run->blocks[b] + GUARD;
        memset(run->blocks[b], GUARD_BYTE, spec->bytes + 2 * GUARD);
        memset(run->buffers[b], 0, spec->bytes);
        if (spec->kind == TY_BUFFER_TABLE)
            memcpy(run->buffers[b], spec->data, spec->bytes);
    }
    return true;
}

bool plan_run_init(plan_run *run, const char *request, const tally_format *format) {
    ty_error error = {0};
    *run = (plan_run){0};
    if (prepare(run, request, format, &error))
        return allocate(run);
    fprintf(stderr, "%s: %s\n", request, error.text);
    return false;
}

bool plan_run_init_unchecked(plan_run *run, const char *request, const tally_format *format) {
    ty_instances instances = {0};
    ty_error error = {0};
    *run = (plan_run){0};
    const bool known = ty_layout_init(&run->layout, format, "picture", &error) == TALLY_OK &&
                       ty_instances_request(&instances, request, &error) == TALLY_OK;
    if (known) {
        run->feature = instances.items[0].feature;
        run->options = instances.items[0].options;
        instances.items[0].options = NULL;
        ty_plan_init(&run->plan, run->feature->room, &run->layout);
        run->feature->plan(run->options, &run->plan);
    }
    ty_instances_free(&instances);
    return known && allocate(run);
}

void plan_run_free(plan_run *run) {
    for (uint32_t b = 0; run->blocks && b < run->plan.buffer_count; b++)
        free(run->blocks[b]);
    free(run->blocks);
    free(run->buffers);
    ty_plan_free(&run->plan);
    free(run->options);
    *run = (plan_run){0};
}

/* Moves what was kept into the buffers that show it to the next frame. Lags above 1 shift through one another. */
static void hand_on_kept(plan_run *run) {
    for (uint32_t lag = PLAN_RUN_LAGS; lag > 0; lag--)
        for (uint32_t b = 0; b < run->plan.buffer_count; b++) {
            const ty_buffer_spec *spec = &run->plan.buffers[b];
            if (spec->kind != TY_BUFFER_PREVIOUS || spec->lag != lag)
                continue;
            const uint8_t *from = lag == 1 ? run->buffers[spec->kept] : NULL;
            for (uint32_t other = 0; other < run->plan.buffer_count && !from; other++)
                if (run->plan.buffers[other].kind == TY_BUFFER_PREVIOUS && run->plan.buffers[other].lag == lag - 1 &&
                    run->plan.buffers[other].kept == spec->kept)
                    from = run->buffers[other];
            if (from)
                memcpy(run->buffers[b], from, spec->bytes);
        }
}

static void run_stage(plan_run *run, const ty_level *level, const ty_stage *stage) {
    const ty_cpu_kernel *kernel =
        ty_level_kernel(level, run->plan.room, stage->kernel, run->layout.sample_bytes * 8);
    void *buffers[TY_MAX_KERNEL_BUFFERS];
    if (!kernel) {
        fprintf(stderr, "no kernel %s in room %s at level %s\n", stage->kernel, run->plan.room, level->name);
        abort();
    }
    for (uint32_t i = 0; i < stage->buffer_count; i++) {
        const ty_buffer_spec *spec = &run->plan.buffers[stage->buffers[i]];
        buffers[i] = spec->kind == TY_BUFFER_PLANE
                         ? (void *)(uintptr_t)run->planes[spec->lag][spec->picture][spec->plane]
                         : run->buffers[stage->buffers[i]];
    }
    kernel->run(buffers, stage->value, (ty_group_range){0, stage->groups_x, 0, stage->groups_y});
    if (stage->summed) {
        const float sum = ty_ordered_sum(0.0f, buffers[stage->buffer_count - 1],
                                         (size_t)stage->groups_y * stage->terms_per_row);
        memcpy(run->buffers[stage->result], &sum, sizeof sum);
    }
}

void plan_run_frame(plan_run *run, const char *level_name, const void *const planes[2][3], uint8_t fill) {
    const ty_level *level = ty_level_find(level_name);
    if (run->frames > 0)
        hand_on_kept(run);
    memmove(run->planes[1], run->planes[0], sizeof run->planes[0] * (PLAN_RUN_LAGS - 1));
    memcpy(run->planes[0], planes, sizeof run->planes[0]);
    for (uint32_t b = 0; b < run->plan.buffer_count; b++) {
        const ty_buffer_kind kind = run->plan.buffers[b].kind;
        if (kind == TY_BUFFER_SCRATCH || kind == TY_BUFFER_KEPT || kind == TY_BUFFER_PARTIALS)
            memset(run->buffers[b], fill, run->plan.buffers[b].bytes);
    }
    for (uint32_t s = 0; s < run->plan.stage_count; s++)
        if (run->plan.stages[s].lag <= run->frames)
            run_stage(run, level, &run->plan.stages[s]);
    run->frames++;
}

uint32_t plan_run_damaged(const plan_run *run) {
    for (uint32_t b = 0; b < run->plan.buffer_count; b++) {
        const size_t bytes = run->plan.buffers[b].bytes;
        for (size_t i = 0; run->blocks[b] && i < GUARD; i++)
            if (run->blocks[b][i] != GUARD_BYTE || run->blocks[b][GUARD + bytes + i] != GUARD_BYTE)
                return b;
    }
    return UINT32_MAX;
}
