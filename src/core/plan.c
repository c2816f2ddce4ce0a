#include "core/plan.h"

#include <stdlib.h>
#include <string.h>

void ty_plan_init(ty_plan *plan, const char *room, const ty_layout *layout) {
    *plan = (ty_plan){.room = room, .layout = layout};
}

void ty_plan_free(ty_plan *plan) {
    for (uint32_t i = 0; i < plan->buffer_count; i++)
        free((void *)plan->buffers[i].data);
    for (uint32_t i = 0; i < plan->stage_count; i++)
        free((void *)plan->stages[i].value);
    free(plan->buffers);
    free(plan->stages);
    *plan = (ty_plan){0};
}

static void *copy(ty_plan *plan, const void *data, size_t bytes) {
    void *mine = malloc(bytes ? bytes : 1);
    if (mine)
        memcpy(mine, data, bytes);
    else
        plan->out_of_memory = true;
    return mine;
}

/* Makes room for one more element. Plans are built once, so growing by one is enough. */
static bool grow(ty_plan *plan, void **array, uint32_t count, size_t size) {
    void *larger = realloc(*array, (count + 1) * size);
    if (!larger) {
        plan->out_of_memory = true;
        return false;
    }
    *array = larger;
    return true;
}

static ty_buffer add_buffer(ty_plan *plan, ty_buffer_spec spec) {
    void *array = plan->buffers;
    if (!grow(plan, &array, plan->buffer_count, sizeof spec)) {
        free((void *)spec.data);
        return 0;
    }
    plan->buffers = array;
    plan->buffers[plan->buffer_count] = spec;
    if (spec.lag > plan->max_lag)
        plan->max_lag = spec.lag;
    return plan->buffer_count++;
}

ty_buffer ty_plan_plane(ty_plan *plan, ty_picture_role picture, uint32_t plane, uint32_t lag) {
    return add_buffer(plan, (ty_buffer_spec){.kind = TY_BUFFER_PLANE,
                                             .bytes = plan->layout->plane_bytes[plane],
                                             .picture = picture,
                                             .plane = plane,
                                             .lag = lag});
}

ty_buffer ty_plan_table(ty_plan *plan, const void *data, size_t bytes) {
    return add_buffer(plan,
                      (ty_buffer_spec){.kind = TY_BUFFER_TABLE, .bytes = bytes, .data = copy(plan, data, bytes)});
}

ty_buffer ty_plan_scratch(ty_plan *plan, size_t bytes) {
    return add_buffer(plan, (ty_buffer_spec){.kind = TY_BUFFER_SCRATCH, .bytes = bytes});
}

ty_buffer ty_plan_kept(ty_plan *plan, size_t bytes) {
    return add_buffer(plan, (ty_buffer_spec){.kind = TY_BUFFER_KEPT, .bytes = bytes});
}

ty_buffer ty_plan_previous(ty_plan *plan, ty_buffer kept, uint32_t lag) {
    const size_t bytes = kept < plan->buffer_count ? plan->buffers[kept].bytes : 0;
    return add_buffer(plan,
                      (ty_buffer_spec){.kind = TY_BUFFER_PREVIOUS, .bytes = bytes, .lag = lag, .kept = kept});
}

ty_buffer ty_plan_partials(ty_plan *plan, size_t bytes) {
    return add_buffer(plan, (ty_buffer_spec){.kind = TY_BUFFER_PARTIALS, .bytes = bytes});
}

static void add_stage(ty_plan *plan, ty_stage stage, const ty_buffer *buffers) {
    void *array = plan->stages;
    if (!grow(plan, &array, plan->stage_count, sizeof stage)) {
        free((void *)stage.value);
        return;
    }
    plan->stages = array;
    for (uint32_t i = 0; i < stage.buffer_count; i++) {
        stage.buffers[i] = buffers[i];
        if (buffers[i] >= plan->buffer_count)
            continue; /* only after a failed allocation, which out_of_memory reports */
        ty_buffer_spec *spec = &plan->buffers[buffers[i]];
        if (spec->lag > stage.lag)
            stage.lag = spec->lag;
        if (spec->kind == TY_BUFFER_KEPT)
            spec->ready_after = plan->stage_count + 1;
    }
    /* What a skipped stage leaves undefined, later ones must not read: they are skipped with it. */
    for (uint32_t i = 0; i < stage.buffer_count; i++)
        if (buffers[i] < plan->buffer_count && plan->buffers[buffers[i]].kind == TY_BUFFER_SCRATCH)
            plan->buffers[buffers[i]].lag = stage.lag;
    plan->stages[plan->stage_count++] = stage;
}

void ty_plan_launch(ty_plan *plan, const char *kernel, uint32_t lanes, uint32_t groups_x, uint32_t groups_y,
                    const void *value, size_t value_size, uint32_t buffer_count, const ty_buffer *buffers) {
    add_stage(plan,
              (ty_stage){.kernel = kernel,
                         .lanes = lanes,
                         .groups_x = groups_x,
                         .groups_y = groups_y,
                         .buffer_count = buffer_count,
                         .value = copy(plan, value, value_size),
                         .value_size = value_size},
              buffers);
}

void ty_plan_launch_summed(ty_plan *plan, const char *kernel, uint32_t lanes, uint32_t groups_x,
                           uint32_t groups_y, const void *value, size_t value_size, uint32_t buffer_count,
                           const ty_buffer *buffers, uint32_t terms_per_row, ty_buffer result) {
    add_stage(plan,
              (ty_stage){.kernel = kernel,
                         .lanes = lanes,
                         .groups_x = groups_x,
                         .groups_y = groups_y,
                         .buffer_count = buffer_count,
                         .value = copy(plan, value, value_size),
                         .value_size = value_size,
                         .summed = true,
                         .terms_per_row = terms_per_row,
                         .result = result},
              buffers);
}
