/* Every feature's kernels at every CPU level against the scalar level, which defines the values: all widths, odd strides,
 * hostile contents, guard bytes around every buffer, every buffer compared bit for bit.
 *
 *   levels [FEATURE]…        default: all; exit status 1 if a bit differs
 *   levels --quick [FEATURE]…  few widths and default options only (for slow processors)
 *   levels --planted WHAT [FEATURE]…  plants a defect in what a level returns, "bit" or "bounds": must exit with 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/levels.h"
#include "plan_run.h"

#define WIDEST 130
#define LARGEST_LEAST 240
#define FRAMES 3

typedef enum content { NOISE, BLACK, PEAK, CHECKERS, RAMP, NEIGHBOURS, SPIKES, CONTENTS } content;

static uint32_t random_state = 1;

static uint32_t random32(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static uint32_t sample(content kind, uint32_t peak, uint32_t x, uint32_t y, bool distorted, uint32_t frame) {
    switch (kind) {
    case NOISE: return random32() & peak;
    case BLACK: return 0;
    case PEAK: return peak;
    case CHECKERS: return ((x ^ y ^ frame) & 1) == distorted ? peak : 0;
    case RAMP: return (x * 7 + y * 3 + frame) * (peak / 255 + 1) % (peak + 1);
    case NEIGHBOURS: return peak / 2 + (distorted && random32() % 3 == 0);
    case SPIKES: return random32() % 97 == 0 ? peak : distorted ? random32() % 3 : 1;
    case CONTENTS: break;
    }
    return 0;
}

typedef struct pictures {
    void *planes[FRAMES][2][3];
} pictures;

/* The planes end where their last row ends, so that reading on runs into foreign memory (which sanitizers see). */
static void make_pictures(pictures *p, const ty_layout *layout, content kind) {
    const uint32_t peak = (1u << layout->format.bit_depth) - 1;
    for (uint32_t t = 0; t < FRAMES; t++)
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t i = 0; i < layout->planes; i++) {
                const uint32_t width = layout->stored_width[i];
                void *plane = p->planes[t][r][i] = malloc(layout->plane_bytes[i]);
                for (uint32_t n = 0; n < width * layout->stored_height[i]; n++) {
                    const uint32_t value = sample(kind, peak, n % width, n / width, r == 1, t);
                    if (layout->sample_bytes == 1)
                        ((uint8_t *)plane)[n] = (uint8_t)value;
                    else
                        ((uint16_t *)plane)[n] = (uint16_t)value;
                }
            }
}

static void free_pictures(pictures *p) {
    for (uint32_t t = 0; t < FRAMES; t++)
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t i = 0; i < 3; i++)
                free(p->planes[t][r][i]);
}

/* The number of a buffer in which the two runs differ, or UINT32_MAX. */
static uint32_t first_difference(const plan_run *a, const plan_run *b) {
    for (uint32_t i = 0; i < a->plan.buffer_count; i++)
        if (a->buffers[i] && memcmp(a->buffers[i], b->buffers[i], a->plan.buffers[i].bytes) != 0)
            return i;
    return UINT32_MAX;
}

static void describe(const plan_run *run, const char *request, const char *level, content kind, uint32_t frame,
                     uint32_t buffer, const char *what) {
    printf("%s: %ux%u, %u bits, %s, content %d, frame %u, level %s: buffer %u %s\n", request,
           run->layout.format.width, run->layout.format.height, run->layout.format.bit_depth,
           ty_pixel_format_name(run->layout.format.pixel_format), (int)kind, frame, level, buffer, what);
}

static enum { PLANT_NOTHING, PLANT_BIT, PLANT_BOUNDS } planted;

/* What a wrong kernel would leave behind: one wrong bit in the last byte of its last buffer, or one byte after it. */
static void plant(plan_run *run) {
    if (run->plan.buffer_count == 0) /* motion_force_zero */
        return;
    const uint32_t last = run->plan.buffer_count - 1;
    const size_t bytes = run->plan.buffers[last].bytes;
    if (planted == PLANT_BIT)
        run->buffers[last][bytes - 1] ^= 0x80;
    if (planted == PLANT_BOUNDS)
        run->buffers[last][bytes] = 0;
}

/* One level against scalar on the same pictures. Returns the number of failures. */
static int compare(const char *request, const tally_format *format, const char *level, const pictures *p,
                   content kind) {
    plan_run scalar, other;
    if (!plan_run_init(&scalar, request, format) || !plan_run_init(&other, request, format))
        return 1;
    int failures = 0;
    for (uint32_t t = 0; t < FRAMES && !failures; t++) {
        plan_run_frame(&scalar, "scalar", (const void *const(*)[3])p->planes[t], 0x5b);
        plan_run_frame(&other, level, (const void *const(*)[3])p->planes[t], 0x5b);
        plant(&other);
        uint32_t buffer;
        if ((buffer = plan_run_damaged(&scalar)) != UINT32_MAX)
            describe(&scalar, request, "scalar", kind, t, buffer, "was written outside of its bounds"), failures++;
        if ((buffer = plan_run_damaged(&other)) != UINT32_MAX)
            describe(&other, request, level, kind, t, buffer, "was written outside of its bounds"), failures++;
        if ((buffer = first_difference(&scalar, &other)) != UINT32_MAX)
            describe(&other, request, level, kind, t, buffer, "differs from scalar"), failures++;
    }
    plan_run_free(&scalar);
    plan_run_free(&other);
    return failures;
}

/* ---- What to run --------------------------------------------------------------------------------------------------- */

typedef struct tally_counts {
    unsigned long cases, failures;
} tally_counts;

static bool takes(const ty_feature *feature, const tally_format *format) {
    return (feature->depths & TY_DEPTH(format->bit_depth)) && (feature->formats & TY_FORMAT(format->pixel_format)) &&
           format->width >= feature->min_width && format->height >= feature->min_height;
}

/* Whether the request's own check takes the format too; says nothing if not. */
static bool accepted(const ty_feature *feature, const char *request, const tally_format *format) {
    ty_layout layout;
    ty_error error = {0};
    void *options = calloc(1, feature->options_size + 1);
    const char *text = strchr(request, '=');
    ty_options_set_defaults(feature->options, options);
    const bool ok = takes(feature, format) &&
                    ty_options_parse(feature->options, options, feature->name, text ? text + 1 : "", &error) == TALLY_OK &&
                    (!feature->validate || feature->validate(options, &error) == TALLY_OK) &&
                    ty_layout_init(&layout, format, "picture", &error) == TALLY_OK &&
                    (!feature->check || feature->check(options, &layout, &error) == TALLY_OK);
    free(options);
    return ok;
}

static void run_case(const ty_feature *feature, const char *request, const tally_format *format, content kind,
                     tally_counts *counts) {
    ty_layout layout;
    ty_error error = {0};
    pictures p = {0};
    if (!accepted(feature, request, format))
        return;
    ty_layout_init(&layout, format, "picture", &error);
    make_pictures(&p, &layout, kind);
    for (const ty_level *level = ty_levels; level->name; level++) {
        if (strcmp(level->name, "scalar") == 0 || !level->usable())
            continue;
        counts->cases++;
        counts->failures += (unsigned long)compare(request, format, level->name, &p, kind);
    }
    free_pictures(&p);
}

static uint32_t width_step = 1;

/* Rows of the smallest square that the feature takes by default: its check may ask for more than its least size. */
static uint32_t least_height(const ty_feature *feature) {
    const bool grey = feature->formats & TY_FORMAT(TALLY_PIXEL_FORMAT_400);
    const uint32_t first = feature->min_width > feature->min_height ? feature->min_width : feature->min_height;
    uint32_t size = first;
    tally_format format = {size, size, 8, grey ? TALLY_PIXEL_FORMAT_400 : TALLY_PIXEL_FORMAT_420};
    while (size < LARGEST_LEAST && !accepted(feature, feature->name, &format))
        format.width = format.height = ++size;
    return size == first || size == LARGEST_LEAST ? feature->min_height : size;
}

/* Every width, with heights, depths, formats and contents that go round. */
static void all_widths(const ty_feature *feature, tally_counts *counts) {
    const uint32_t least = least_height(feature);
    static const uint32_t depths[] = {8, 10, 16, 8, 12, 9};
    const uint32_t narrowest = feature->min_width > least ? feature->min_width : least;
    const uint32_t widest = narrowest > WIDEST ? narrowest + 8 : WIDEST;
    for (uint32_t width = feature->min_width; width <= widest; width += width_step)
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t n = width * 4 + i;
            const tally_format format = {width, least + n * 5 % 13, depths[n % 6],
                                         (tally_pixel_format)(TALLY_PIXEL_FORMAT_400 + n / 6 % 4)};
            run_case(feature, feature->name, &format, (content)(n % CONTENTS), counts);
        }
}

/* Every content at every depth the feature takes. */
static void all_contents(const ty_feature *feature, const char *request, tally_counts *counts) {
    /* Large pictures only where the feature takes no smaller ones, and then just above its limit and in fewer kinds. */
    const bool large = feature->min_width > WIDEST, checked = least_height(feature) > feature->min_height + 37;
    const bool few = large || checked || width_step > 1;
    /* Two blocks of SpEED a side fit into twice the least size. */
    const uint32_t least = 2 * least_height(feature);
    for (uint32_t depth = 8; depth <= 16; depth += few ? 4 : 1)
        for (content kind = NOISE; kind < CONTENTS; kind += few ? 3 : 1) {
            const tally_format format = {checked ? least + 1 : feature->min_width + (large ? 1 : 61),
                                         checked ? least + 2 : feature->min_height + (large ? 2 : 37), depth,
                                         TALLY_PIXEL_FORMAT_420};
            run_case(feature, request, &format, kind, counts);
        }
}

/* Every option at both ends of its range. */
static void all_options(const ty_feature *feature, tally_counts *counts) {
    char request[400];
    for (const ty_option *o = feature->options; o && o->name; o++)
        for (int i = 0; i < 16; i++) {
            if (o->type == TY_OPTION_STRING && (!o->choices || !o->choices[i]))
                break;
            if (o->type == TY_OPTION_STRING)
                snprintf(request, sizeof request, "%s=%s=%s", feature->name, o->name, o->choices[i]);
            else if (i >= 2)
                break;
            else if (o->type == TY_OPTION_BOOL)
                snprintf(request, sizeof request, "%s=%s=%s", feature->name, o->name, i ? "true" : "false");
            else
                snprintf(request, sizeof request, "%s=%s=%.9g", feature->name, o->name, i ? o->max : o->min);
            all_contents(feature, request, counts);
        }
}

static int check(const ty_feature *feature) {
    tally_counts counts = {0};
    all_widths(feature, &counts);
    all_contents(feature, feature->name, &counts);
    if (width_step == 1)
        all_options(feature, &counts);
    printf("%s: %lu cases, %lu failed\n", feature->name, counts.cases, counts.failures);
    return counts.failures > 0 || counts.cases == 0;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (!ty_levels[1].name) {
        puts("this processor has no level but scalar");
        return 77;
    }
    if (argc >= 2 && strcmp(argv[1], "--quick") == 0) {
        width_step = 23;
        argc--;
        argv++;
    }
    if (argc >= 3 && strcmp(argv[1], "--planted") == 0) {
        planted = strcmp(argv[2], "bit") == 0 ? PLANT_BIT : PLANT_BOUNDS;
        argc -= 2;
        argv += 2;
    }
    for (const ty_feature *const *f = ty_features; *f; f++) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], (*f)->name) == 0;
        if (wanted)
            failed |= check(*f);
    }
    return failed;
}
