/* ciede: CIEDE2000 colour difference (spec: ciede.md). */
#include <string.h>

#include "core/feature.h"
#include "exact/math.h"

#include "features/ciede/stages.h"

typedef struct ciede_options {
    char chroma[TY_OPTION_STRING_SIZE];
} ciede_options;

static const char *const mappings[] = {"nearest", "compat", NULL};

static const ty_option options[] = {{"chroma", NULL, TY_OPTION_STRING, TY_OPTION_UNNAMED,
                                     offsetof(ciede_options, chroma), 0, "nearest", 0, 0, mappings,
                                     "nearest: each pixel takes the chroma sample at its place; compat: what "
                                     "other tools read for 4:2:2 and odd sizes"},
                                    {0}};

static const ty_metric metrics[] = {{.name = "ciede2000"}, {0}};

static bool is_compat(const void *options_) {
    return strcmp(((const ciede_options *)options_)->chroma, "compat") == 0;
}

static ciede_picture picture(const void *options_, const ty_layout *layout) {
    const tally_pixel_format format = layout->format.pixel_format;
    const uint32_t depth = layout->format.bit_depth;
    ciede_picture p = {.width = layout->width[0],
                       .height = layout->height[0],
                       .stride = layout->stored_width[0],
                       .chroma_width = layout->width[1],
                       .chroma_height = layout->height[1],
                       .chroma_stride = layout->stored_width[1],
                       .shift_x = format != TALLY_PIXEL_FORMAT_444,
                       .shift_y = format == TALLY_PIXEL_FORMAT_420,
                       .groups = (layout->width[0] + CIEDE_LANES - 1) / CIEDE_LANES,
                       .step = 1.0f / (float)(1u << (depth - 8)),
                       .black = 16 << (depth - 8),
                       .grey = 128 << (depth - 8)};
    if (is_compat(options_) && format != TALLY_PIXEL_FORMAT_444) {
        p.pitch = (p.chroma_width + 31) / 32 * 32;
        p.shift_x = format == TALLY_PIXEL_FORMAT_420;
        p.shift_y = 1;
    }
    return p;
}

/* The last pixel has the highest index of all. */
static bool leaves_chroma(const ciede_picture *p) {
    const uint64_t last =
        (uint64_t)((p->height - 1) >> p->shift_y) * p->pitch + ((p->width - 1) >> p->shift_x);
    return p->pitch != 0 && last >= (uint64_t)p->chroma_height * p->pitch;
}

static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    const char *format = ty_pixel_format_name(layout->format.pixel_format);
    const uint32_t width = layout->format.width, height = layout->format.height;
    if (layout->width[1] == 0 || layout->height[1] == 0)
        return ty_fail(error, TALLY_USAGE,
                       "feature ciede needs chroma samples: a %ux%u picture with pixel format %s has none",
                       width, height, format);
    const ciede_picture p = picture(options_, layout);
    if (leaves_chroma(&p))
        return ty_fail(
            error, TALLY_USAGE,
            "feature ciede: with chroma=compat a %ux%u picture with pixel format %s would take chroma from "
            "outside of the picture; use chroma=nearest",
            width, height, format);
    return TALLY_OK;
}

static void plan(const void *options_, ty_plan *plan) {
    const ciede_picture p = picture(options_, plan->layout);
    const size_t rows = p.height;
    const ty_buffer terms = ty_plan_scratch(plan, rows * p.width * sizeof(float));
    const ty_buffer parts = ty_plan_scratch(plan, rows * p.groups * sizeof(ciede_part));
    const ty_buffer steps = ty_plan_scratch(plan, rows * sizeof(ciede_steps));
    const ty_buffer total = ty_plan_partials(plan, sizeof(u64));
    ty_buffer planes[8];
    for (uint32_t i = 0; i < 6; i++)
        planes[i] = ty_plan_plane(plan, i < 3 ? TY_REFERENCE : TY_DISTORTED, i % 3, 0);
    planes[6] = terms;
    planes[7] = parts;
    ty_plan_launch(plan, "ciede_differences", CIEDE_LANES, p.groups, p.height, &p, sizeof p, 8, planes);
    ty_plan_launch(plan, "ciede_guess", 32, 1, 1, &p, sizeof p, 2, (const ty_buffer[]){parts, steps});
    ty_plan_launch(plan, "ciede_compose", CIEDE_LANES, 1, p.height, &p, sizeof p, 2,
                   (const ty_buffer[]){terms, steps});
    ty_plan_launch(plan, "ciede_total", 32, 1, 1, &p, sizeof p, 3, (const ty_buffer[]){terms, steps, total});
}

typedef struct ciede_state {
    double pixels;
} ciede_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    (void)options_;
    ((ciede_state *)state)->pixels = (double)((uint64_t)layout->width[0] * layout->height[0]);
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    double sum;
    memcpy(&sum, frame->partials[0], sizeof sum);
    ty_emit(emitter, 0, frame->number, 45 - 20 * ty_log10(sum / ((const ciede_state *)state)->pixels));
}

const ty_feature ty_feature_ciede = {
    .name = "ciede",
    .summary = "CIEDE2000 colour difference, in dB: 45 - 20 log10 of its mean over all pixels",
    .room = "ciede",
    .options = options,
    .options_size = sizeof(ciede_options),
    .metrics = metrics,
    .depths = TY_DEPTHS_FLOAT,
    .formats = TY_FORMATS_CHROMA,
    .min_width = 1,
    .min_height = 1,
    .check = check,
    .plan = plan,
    .state_size = sizeof(ciede_state),
    .start = start,
    .tail = tail,
};
