/* cambi: visibility of false contours (banding) in the distorted picture (spec: cambi.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/feature.h"

#include "features/cambi/heatmap.h"
#include "features/cambi/pool.h"
#include "features/cambi/setup.h"

#define INT(field, alias, standard, low, high, help)                                                         \
    {                                                                                                        \
        #field, alias, TY_OPTION_INT, TY_OPTION_NAMED, offsetof(cambi_options, field), standard, NULL, low,  \
            high, NULL, help                                                                                 \
    }
#define NUMBER(name, field, alias, standard, low, high, help)                                                \
    {                                                                                                        \
        name, alias, TY_OPTION_DOUBLE, TY_OPTION_NAMED, offsetof(cambi_options, field), standard, NULL, low, \
            high, NULL, help                                                                                 \
    }
#define FUNCTION_NAME(field, alias, help)                                                                    \
    {                                                                                                        \
        #field, alias, TY_OPTION_STRING, TY_OPTION_NAMED, offsetof(cambi_options, field), 0, "bt1886", 0, 0, \
            transfer_functions, help                                                                         \
    }
static const char *const transfer_functions[] = {"bt1886", "pq", NULL};
static const ty_option options[] = {
    NUMBER("cambi_max_val", max_val, "cmxv", 1000, 0, 1000, "upper limit of each score"),
    INT(enc_width, "encw", 0, 180, 7680, "width of the encoding, to which the distorted picture is brought"),
    INT(enc_height, "ench", 0, 150, 7680, "height of the encoding"),
    INT(enc_bitdepth, "encbd", 0, 6, 16, "bit depth of the encoding; below 10 the pictures are smoothed"),
    INT(src_width, "srcw", 0, 320, 7680, "width of the source, to which the reference is brought"),
    INT(src_height, "srch", 0, 200, 4320, "height of the source"),
    INT(window_size, "ws", 65, 15, 127, "window at 3840x2160"),
    NUMBER("topk", topk, "topk", 0.6, 0.0001, 1, "share of the samples that is pooled; wins over cambi_topk"),
    NUMBER("cambi_topk", cambi_topk, "ctpk", 0.6, 0.0001, 1, "the same"),
    NUMBER("tvi_threshold", tvi_threshold, "tvit", 0.019, 0.0001, 1,
           "relative luminance step that is visible"),
    NUMBER("cambi_vis_lum_threshold", vis_lum_threshold, "vlt", 0, 0, 300,
           "luminance in cd/m2 below which nothing is visible"),
    INT(max_log_contrast, "mlc", 2, 0, 5, "log2 of the largest step, in 10-bit code values"),
    {"heatmaps_path", NULL, TY_OPTION_STRING, TY_OPTION_ADDS, offsetof(cambi_options, heatmaps_path), 0, NULL,
     0, 0, NULL, "folder to write heat maps to"},
    {"full_ref", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(cambi_options, full_ref), 0, NULL, 0, 1, NULL,
     "also measure the reference, and the difference"},
    FUNCTION_NAME(eotf, "eotf", "transfer function"),
    FUNCTION_NAME(cambi_eotf, "ceot", "the same; wins over eotf"),
    {"cambi_high_res_speedup", "hrs", TY_OPTION_INT, TY_OPTION_NAMED,
     offsetof(cambi_options, high_res_speedup), 0, NULL, 0, 2160, NULL,
     "1080, 1440 or 2160: halve pictures of this size and more after the mask"},
    {0}};

enum { CAMBI, SOURCE, FULL_REFERENCE };
static const ty_metric metrics[] = {{"Cambi_feature_cambi_score", "cambi", TY_WITH_FRAME_0},
                                    {"cambi_source", NULL, TY_WITH_FRAME_0},
                                    {"cambi_full_reference", NULL, TY_WITH_FRAME_0},
                                    {0}};

static bool has_metric(const void *options_, const ty_layout *layout, uint32_t metric) {
    const cambi_options *o = options_;
    (void)layout;
    return metric == CAMBI || o->full_ref;
}

/* ---- Limits ---- */

#define LEAST_SIDE 216
#define WIDEST_WINDOW 65

static tally_status check_size(const cambi_geometry *g, const char *what, ty_error *error) {
    if (g->width < LEAST_SIDE && g->height < LEAST_SIDE)
        return ty_fail(error, TALLY_USAGE,
                       "feature cambi cannot score %s of %ux%u; one side must be at least %d", what, g->width,
                       g->height, LEAST_SIDE);
    if (g->window > WIDEST_WINDOW)
        return ty_fail(error, TALLY_USAGE,
                       "feature cambi cannot score %s of %ux%u: its window would be %u wide; at most %d",
                       what, g->width, g->height, g->window, WIDEST_WINDOW);
    return TALLY_OK;
}

static tally_status check_smallest_scale(const cambi_geometry *g, const char *what, ty_error *error) {
    const uint32_t reach = g->window >> 1, last = CAMBI_SCALES - 1;
    if (g->widths[last] < reach || g->heights[last] < reach)
        return ty_fail(error, TALLY_USAGE,
                       "feature cambi cannot score %s of %ux%u: its smallest scale, %ux%u, is less than half "
                       "its window, %u",
                       what, g->width, g->height, g->widths[last], g->heights[last], reach);
    return TALLY_OK;
}

/* No contrast is larger, rounding included. */
static uint64_t largest_contrast(const cambi_setup *setup, const cambi_geometry *g) {
    return (uint64_t)ty_cambi_largest_weight(setup->steps) * g->window * g->window / 4 + 1;
}

/* What the sums of contrasts, in units of 2^-24 in 64 bits, have room for. */
static tally_status check_sums(const cambi_setup *setup, const cambi_geometry *g, ty_error *error) {
    if (((uint64_t)g->width * g->height * largest_contrast(setup, g)) >> 40)
        return ty_fail(error, TALLY_USAGE, "feature cambi cannot score a size of %ux%u with a window of %u",
                       g->width, g->height, g->window);
    return TALLY_OK;
}

static tally_status check(const void *options_, const ty_layout *layout, ty_error *error) {
    const cambi_options *o = options_;
    const cambi_setup setup = ty_cambi_setup(o, layout->width[0], layout->height[0]);
    const cambi_geometry *e = &setup.pictures[0], *s = &setup.pictures[1];
    if (check_size(e, "an encoding", error) != TALLY_OK || check_size(s, "a source", error) != TALLY_OK)
        return error->status;
    if ((s->width > e->width && s->height < e->height) || (s->width < e->width && s->height > e->height))
        return ty_fail(
            error, TALLY_USAGE,
            "feature cambi: a source of %ux%u and an encoding of %ux%u differ in opposite directions",
            s->width, s->height, e->width, e->height);
    if (check_smallest_scale(e, "an encoding", error) != TALLY_OK || check_sums(&setup, e, error) != TALLY_OK)
        return error->status;
    if (o->full_ref &&
        (check_smallest_scale(s, "a source", error) != TALLY_OK || check_sums(&setup, s, error) != TALLY_OK))
        return error->status;
    return TALLY_OK;
}

static tally_status validate(const void *options_, ty_error *error) {
    const cambi_options *o = options_;
    return o->heatmaps_path[0] ? ty_cambi_heatmaps_check(o->heatmaps_path, error) : TALLY_OK;
}

/* Half of a size, or one that is too large, counts for nothing but the metric's name. */
static const char *remark(const void *options_, const ty_layout *layout) {
    const cambi_options *o = options_;
    if (!o->enc_width != !o->enc_height)
        return "only one of enc_width and enc_height is given: the size of the picture counts";
    if ((uint32_t)o->enc_width > layout->width[0] || (uint32_t)o->enc_height > layout->height[0])
        return "enc_width x enc_height is larger than the picture: the size of the picture counts";
    if (!o->src_width != !o->src_height)
        return "only one of src_width and src_height is given: the size of the picture counts";
    if (o->high_res_speedup != 0 && o->high_res_speedup != 1080 && o->high_res_speedup != 1440 &&
        o->high_res_speedup != 2160)
        return "cambi_high_res_speedup has an effect for 1080, 1440 and 2160 only";
    return NULL;
}

/* ---- Work ---- */

static uint32_t divide_up(uint32_t a, uint32_t b) {
    return (a + b - 1) / b;
}

#define TILE_ROWS 128

/* How the contrasts of one picture are divided into groups, and where they lie. */
typedef struct cambi_work {
    cambi_counting counting;
    cambi_pooling pooling;
    uint32_t tiles, chunks, contrasts;
    bool keeps_contrasts; /* the tail may need each of them */
} cambi_work;

/* Whether some scale's sum can become so large that its order matters (spec 6). */
static bool order_may_matter(const cambi_setup *setup, const cambi_geometry *g) {
    return g->most[0] * largest_contrast(setup, g) >= UINT64_C(1) << 29;
}

static cambi_work work_of(const cambi_setup *setup, const cambi_geometry *g) {
    cambi_work w = {.counting = {.rows = TILE_ROWS, .reach = g->window >> 1, .steps = setup->steps}};
    for (uint32_t s = 0; s < CAMBI_SCALES; s++) {
        const uint32_t width = g->widths[s], height = g->heights[s],
                       count = CAMBI_CONTRAST_STRIDE(width) * height;
        w.counting.width[s] = width;
        w.counting.height[s] = height;
        w.counting.stride[s] = CAMBI_STRIDE(width);
        w.counting.contrasts[s] = w.pooling.contrasts[s] = w.contrasts;
        w.counting.groups[s] = w.pooling.tiles[s] = w.tiles;
        w.pooling.chunks[s] = w.chunks;
        w.pooling.count[s] = count;
        w.pooling.most[s] = g->most[s];
        w.contrasts += count;
        w.tiles += divide_up(width, CAMBI_LANES) * divide_up(height, TILE_ROWS);
        w.chunks += divide_up(count, CAMBI_CHUNK);
    }
    w.pooling.tiles[CAMBI_SCALES] = w.tiles;
    w.keeps_contrasts = order_may_matter(setup, g);
    return w;
}

static uint32_t pictures(const cambi_options *o) {
    return o->full_ref ? 2 : 1;
}

static const ty_picture_role roles[2] = {TY_DISTORTED, TY_REFERENCE};

/* ---- Plan ---- */

/* Scratch memory that both pictures use in turn. */
typedef struct cambi_scratch {
    ty_buffer images[2], masked, counted[CAMBI_SCALES], histograms;
} cambi_scratch;

static size_t image_bytes(uint32_t width, uint32_t height) {
    return (CAMBI_MARGIN + (size_t)CAMBI_STRIDE(width) * height + CAMBI_SLACK) * sizeof(u16);
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static cambi_scratch plan_scratch(ty_plan *plan, const cambi_setup *setup, const cambi_work *works,
                                  uint32_t count) {
    cambi_scratch scratch;
    size_t whole = 0, scales[CAMBI_SCALES] = {0}, bins = 0;
    for (uint32_t i = 0; i < count; i++) {
        const cambi_geometry *g = &setup->pictures[i];
        whole = larger(whole, image_bytes(g->width, g->height));
        for (uint32_t s = 0; s < CAMBI_SCALES; s++)
            scales[s] = larger(scales[s], image_bytes(g->widths[s], g->heights[s]));
        bins = larger(bins, (size_t)works[i].chunks * CAMBI_BINS * sizeof(u32));
    }
    scratch.images[0] = ty_plan_scratch(plan, whole);
    scratch.images[1] = ty_plan_scratch(plan, whole);
    scratch.masked = ty_plan_scratch(plan, whole);
    for (uint32_t s = 0; s < CAMBI_SCALES; s++)
        scratch.counted[s] = ty_plan_scratch(plan, scales[s]);
    scratch.histograms = ty_plan_scratch(plan, bins);
    return scratch;
}

static ty_buffer plan_places(ty_plan *plan, const cambi_geometry *g) {
    const uint32_t width = plan->layout->width[0], height = plan->layout->height[0];
    const bool resized = g->width != width || g->height != height;
    uint32_t *places = malloc(((size_t)g->width + g->height) * sizeof *places);
    if (!places) {
        plan->out_of_memory = true;
        return 0;
    }
    ty_cambi_places(width, g->width, resized, places);
    ty_cambi_places(height, g->height, resized, places + g->width);
    const ty_buffer table = ty_plan_table(plan, places, ((size_t)g->width + g->height) * sizeof *places);
    free(places);
    return table;
}

/* Depths whose type has room for samples that the depth has not. */
static bool checks_samples(uint32_t depth) {
    return depth > 8 && depth < 16;
}

static void plan_peaks(ty_plan *plan, ty_buffer plane) {
    const ty_layout *layout = plan->layout;
    const cambi_peak peak = {layout->width[0], layout->stored_width[0]};
    const ty_buffer buffers[] = {plane, ty_plan_partials(plan, layout->height[0] * sizeof(u32))};
    ty_plan_launch(plan, "cambi_peaks", CAMBI_COLUMNS, 1, layout->height[0], &peak, sizeof peak, 2, buffers);
}

/* The prepared picture, and its mask. */
static void plan_picture(const cambi_options *o, ty_plan *plan, const cambi_geometry *g, ty_buffer plane,
                         const cambi_scratch *scratch) {
    const ty_layout *layout = plan->layout;
    const uint32_t depth = layout->format.bit_depth, columns = divide_up(g->width, CAMBI_COLUMNS);
    const uint32_t encoded_depth = o->enc_bitdepth ? (uint32_t)o->enc_bitdepth : depth;
    const cambi_conversion conversion = {.width = g->width,
                                         .height = g->height,
                                         .stride = CAMBI_STRIDE(g->width),
                                         .plane_stride = layout->stored_width[0],
                                         .left = depth < 10 ? 10 - depth : 0,
                                         .right = depth > 10 ? depth - 10 : 0,
                                         .half = depth > 10 ? 1u << (depth - 11) : 0,
                                         .resized =
                                             g->width != layout->width[0] || g->height != layout->height[0],
                                         .smooth = encoded_depth < 10};
    const ty_buffer prepare[] = {plane, plan_places(plan, g), scratch->images[0]};
    ty_plan_launch(plan, "cambi_prepare", CAMBI_COLUMNS, columns, g->height, &conversion, sizeof conversion,
                   3, prepare);
    const cambi_masking masking = {g->width, g->height, CAMBI_STRIDE(g->width),
                                   ty_cambi_mask_threshold(g->width, g->height)};
    const ty_buffer mask[] = {scratch->images[0], scratch->masked};
    ty_plan_launch(plan, "cambi_mask", CAMBI_COLUMNS, columns, divide_up(g->height, CAMBI_MASK_ROWS),
                   &masking, sizeof masking, 2, mask);
}

static void plan_scales(ty_plan *plan, const cambi_setup *setup, const cambi_geometry *g,
                        const cambi_scratch *scratch) {
    uint32_t from_stride = CAMBI_STRIDE(g->width);
    ty_buffer mask = scratch->masked;
    for (uint32_t s = 0; s < CAMBI_SCALES; s++) {
        const char *kernel = s > 0 || setup->halved ? "cambi_halve" : "cambi_scale";
        const cambi_scaling scaling = {g->widths[s], g->heights[s], CAMBI_STRIDE(g->widths[s]), from_stride};
        const ty_buffer buffers[] = {scratch->images[s % 2], mask, scratch->images[(s + 1) % 2],
                                     scratch->counted[s]};
        ty_plan_launch(plan, kernel, CAMBI_COLUMNS, divide_up(g->widths[s], CAMBI_COLUMNS),
                       divide_up(g->heights[s], CAMBI_SCALE_ROWS), &scaling, sizeof scaling, 4, buffers);
        from_stride = scaling.stride;
        mask = scratch->counted[s];
    }
}

/* Tables that both pictures use, and the values whose contrast may be more than 0. */
typedef struct cambi_tables {
    ty_buffer first_steps, reciprocals;
    uint32_t lowest, highest;
} cambi_tables;

static cambi_tables plan_tables(const cambi_options *o, ty_plan *plan, uint32_t steps) {
    uint32_t thresholds[CAMBI_MOST_STEPS], first[CAMBI_HIGHEST + 1];
    float reciprocals[CAMBI_MOST_AREA + 1];
    cambi_tables tables = {.lowest = CAMBI_HIGHEST, .highest = 0};
    const uint32_t visible = ty_cambi_thresholds(o, steps, thresholds);
    ty_cambi_first_steps(steps, thresholds, visible, first);
    ty_cambi_reciprocals(reciprocals);
    for (uint32_t value = 0; value <= CAMBI_HIGHEST; value++)
        if (first[value] <= steps) {
            tables.lowest = value < tables.lowest ? value : tables.lowest;
            tables.highest = value;
        }
    tables.first_steps = ty_plan_table(plan, first, sizeof first);
    tables.reciprocals = ty_plan_table(plan, reciprocals, sizeof reciprocals);
    return tables;
}

static void plan_pooling(ty_plan *plan, const cambi_work *work, ty_buffer contrasts, ty_buffer results,
                         ty_buffer histograms) {
    cambi_pooling pooling = work->pooling;
    const ty_buffer choices = ty_plan_partials(plan, CAMBI_SCALES * CAMBI_CHOICE_WORDS * sizeof(u32));
    const ty_buffer sums = ty_plan_partials(plan, work->chunks * sizeof(u64));
    const ty_buffer rank[] = {results, choices}, histogram[] = {contrasts, choices, histograms};
    const ty_buffer choose[] = {histograms, choices}, sum[] = {contrasts, choices, sums};
    ty_plan_launch(plan, "cambi_rank", CAMBI_POOL_LANES, CAMBI_SCALES, 1, &pooling, sizeof pooling, 2, rank);
    for (uint32_t pass = 3; pass-- > 0;) {
        pooling.shift = pass * CAMBI_KEY_SHIFT;
        ty_plan_launch(plan, "cambi_histogram", CAMBI_LANES, work->chunks, 1, &pooling, sizeof pooling, 3,
                       histogram);
        ty_plan_launch(plan, "cambi_choose", CAMBI_POOL_LANES, CAMBI_SCALES, 1, &pooling, sizeof pooling, 2,
                       choose);
    }
    ty_plan_launch(plan, "cambi_sum", CAMBI_POOL_LANES, work->chunks, 1, &pooling, sizeof pooling, 3, sum);
}

/* Partials in the order of `cambi_partials`. */
static void plan_contrasts(ty_plan *plan, const cambi_work *work, const cambi_tables *tables,
                           const cambi_scratch *scratch) {
    cambi_counting counting = work->counting;
    counting.lowest = tables->lowest;
    counting.highest = tables->highest;
    const size_t bytes = (size_t)work->contrasts * sizeof(float);
    const ty_buffer results = ty_plan_partials(plan, (size_t)work->tiles * CAMBI_TILE_WORDS * sizeof(u64));
    const ty_buffer contrasts =
        work->keeps_contrasts ? ty_plan_partials(plan, bytes) : ty_plan_scratch(plan, bytes);
    const ty_buffer buffers[] = {scratch->counted[0], scratch->counted[1], scratch->counted[2],
                                 scratch->counted[3], scratch->counted[4], tables->first_steps,
                                 tables->reciprocals, contrasts,           results};
    ty_plan_launch(plan, "cambi_contrasts", CAMBI_LANES, work->tiles, 1, &counting, sizeof counting, 9,
                   buffers);
    plan_pooling(plan, work, contrasts, results, scratch->histograms);
}

static void works_of(const cambi_options *o, const cambi_setup *setup, cambi_work *works) {
    for (uint32_t i = 0; i < 2; i++)
        works[i] = work_of(setup, &setup->pictures[i]);
    works[0].keeps_contrasts |= o->heatmaps_path[0] != 0;
}

static void plan(const void *options_, ty_plan *plan) {
    const cambi_options *o = options_;
    const cambi_setup setup = ty_cambi_setup(o, plan->layout->width[0], plan->layout->height[0]);
    cambi_work works[2];
    works_of(o, &setup, works);
    const cambi_tables tables = plan_tables(o, plan, setup.steps);
    const cambi_scratch scratch = plan_scratch(plan, &setup, works, pictures(o));
    for (uint32_t i = 0; i < pictures(o); i++) {
        const ty_buffer plane = ty_plan_plane(plan, roles[i], 0, 0);
        if (checks_samples(plan->layout->format.bit_depth))
            plan_peaks(plan, plane);
        plan_picture(o, plan, &setup.pictures[i], plane, &scratch);
        plan_scales(plan, &setup, &setup.pictures[i], &scratch);
        plan_contrasts(plan, &works[i], &tables, &scratch);
    }
}

/* ---- Tail ---- */

typedef struct cambi_state {
    cambi_options options;
    cambi_setup setup;
    cambi_work works[2];
    uint32_t depth, rows;
    bool heatmaps_begun;
} cambi_state;

static void start(void *state, const void *options_, const ty_layout *layout) {
    cambi_state *s = state;
    s->options = *(const cambi_options *)options_;
    s->setup = ty_cambi_setup(&s->options, layout->width[0], layout->height[0]);
    works_of(&s->options, &s->setup, s->works);
    s->depth = layout->format.bit_depth;
    s->rows = layout->height[0];
}

/* What a frame's stages say about one picture. */
typedef struct cambi_partials {
    const uint32_t *peaks; /* NULL where every sample is legal */
    const uint64_t *results;
    const float *contrasts; /* NULL unless kept */
    const uint32_t *choices;
    const uint64_t *sums;
} cambi_partials;

static cambi_partials next_partials(const cambi_state *s, const cambi_work *work, const void *const **next) {
    cambi_partials p = {0};
    if (checks_samples(s->depth))
        p.peaks = *(*next)++;
    p.results = *(*next)++;
    if (work->keeps_contrasts)
        p.contrasts = *(*next)++;
    p.choices = *(*next)++;
    p.sums = *(*next)++;
    return p;
}

static tally_status check_samples(const cambi_state *s, const cambi_partials *p, const char *which,
                                  uint64_t frame, ty_error *error) {
    const uint32_t most = (1u << s->depth) - 1;
    for (uint32_t y = 0; p->peaks && y < s->rows; y++)
        if (p->peaks[y] > most)
            return ty_fail(
                error, TALLY_INPUT,
                "feature cambi, frame %llu: row %u of the %s picture's luma has a sample of %u; %u bits hold "
                "at most %u",
                (unsigned long long)frame, y, which, p->peaks[y], s->depth, most);
    return TALLY_OK;
}

/* What all contrasts of a scale that are not 0 have together. */
typedef struct scale_total {
    uint64_t sum;      /* in units of 2^-24 */
    uint32_t smallest; /* bits; all ones if there is none */
} scale_total;

static scale_total total_of(const cambi_work *work, const uint64_t *results, uint32_t scale) {
    scale_total total = {0, UINT32_MAX};
    for (uint32_t t = work->pooling.tiles[scale]; t < work->pooling.tiles[scale + 1]; t++) {
        const uint32_t smallest = (uint32_t)(results[t * CAMBI_TILE_WORDS + 1] >> 32);
        total.sum += results[t * CAMBI_TILE_WORDS];
        total.smallest = smallest < total.smallest ? smallest : total.smallest;
    }
    return total;
}

/* The same of those that are pooled, where they are fewer. `left` of them equal the smallest one. */
static scale_total chosen_total(const cambi_work *work, const cambi_partials *p, uint32_t scale,
                                uint32_t left) {
    const uint32_t bits = p->choices[scale * CAMBI_CHOICE_WORDS + 1] + CAMBI_BITS_OF_HALF;
    const uint64_t units = (uint64_t)((bits & 0x7fffff) | 0x800000) << ((bits >> 23) - 126);
    scale_total total = {left * units, bits};
    const uint32_t first = work->pooling.chunks[scale];
    for (uint32_t i = 0; i < divide_up(work->pooling.count[scale], CAMBI_CHUNK); i++)
        total.sum += p->sums[first + i];
    return total;
}

/* In the order of the selection, without the padding of rows. */
static double sum_in_order(const cambi_geometry *g, const float *contrasts, uint32_t scale, ty_error *error) {
    const uint32_t width = g->widths[scale], height = g->heights[scale];
    float *packed = malloc((size_t)width * height * sizeof *packed);
    if (!packed) {
        ty_fail_memory(error, "cambi");
        return 0.0;
    }
    for (uint32_t y = 0; y < height; y++)
        memcpy(packed + (size_t)y * width, contrasts + (size_t)y * CAMBI_CONTRAST_STRIDE(width),
               width * sizeof *packed);
    const double sum = ty_cambi_ordered_sum(packed, (size_t)width * height, g->most[scale]);
    free(packed);
    return sum;
}

static double mean_of(const cambi_geometry *g, const cambi_work *work, const cambi_partials *p,
                      uint32_t scale, ty_error *error) {
    const uint32_t left = p->choices[scale * CAMBI_CHOICE_WORDS];
    const scale_total total =
        left > 0 ? chosen_total(work, p, scale, left) : total_of(work, p->results, scale);
    const double sum = ty_cambi_any_order(total.sum, total.smallest)
                           ? ldexp((double)total.sum, -24)
                           : sum_in_order(g, p->contrasts + work->pooling.contrasts[scale], scale, error);
    return sum / (double)g->most[scale];
}

/* Y of the spec. */
static double score_of(const cambi_geometry *g, const cambi_work *work, const cambi_partials *p,
                       ty_error *error) {
    double y = 0.0;
    for (uint32_t scale = 0; scale < CAMBI_SCALES; scale++)
        y = y + mean_of(g, work, p, scale, error) * (double)(16 >> scale);
    return y / (double)(g->window * g->window);
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* A run that begins with frame 0 begins the files; ranges that begin later add to what others wrote. */
static void write_heatmaps(cambi_state *s, const cambi_partials *p, uint64_t frame, ty_error *error) {
    const cambi_geometry *g = &s->setup.pictures[0];
    if (!s->heatmaps_begun &&
        ty_cambi_heatmaps_begin(s->options.heatmaps_path, g, frame == 0, error) != TALLY_OK)
        return;
    s->heatmaps_begun = true;
    for (uint32_t scale = 0; scale < CAMBI_SCALES; scale++)
        if (ty_cambi_heatmap_write(s->options.heatmaps_path, g, scale, s->setup.steps, frame,
                                   p->contrasts + s->works[0].pooling.contrasts[scale],
                                   CAMBI_CONTRAST_STRIDE(g->widths[scale]), error) != TALLY_OK)
            return;
}

static void tail(void *state, const ty_frame *frame, ty_emitter *emitter) {
    static const char *const names[2] = {"distorted", "reference"};
    cambi_state *s = state;
    const double most = s->options.max_val;
    const void *const *next = frame->partials;
    ty_error *error = ty_emitter_error(emitter);
    double y[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < pictures(&s->options); i++) {
        const cambi_partials p = next_partials(s, &s->works[i], &next);
        if (check_samples(s, &p, names[i], frame->number, error) != TALLY_OK)
            return;
        y[i] = score_of(&s->setup.pictures[i], &s->works[i], &p, error);
        if (i == 0 && s->options.heatmaps_path[0])
            write_heatmaps(s, &p, frame->number, error);
    }
    const double difference = y[0] - y[1];
    ty_emit(emitter, CAMBI, frame->number, smaller(y[0], most));
    ty_emit(emitter, SOURCE, frame->number, smaller(y[1], most));
    ty_emit(emitter, FULL_REFERENCE, frame->number, smaller(difference > 0 ? difference : 0.0, most));
}

const ty_feature ty_feature_cambi = {
    .name = "cambi",
    .summary = "visibility of banding in the distorted picture",
    .room = "cambi",
    .options = options,
    .options_size = sizeof(cambi_options),
    .metrics = metrics,
    .no_suffix = 1u << SOURCE | 1u << FULL_REFERENCE,
    .depths = TY_DEPTHS_ALL,
    .formats = TY_FORMATS_ALL,
    .min_width = 1,
    .min_height = 1,
    .more_limits = "one side of 216 or more",
    .validate = validate,
    .check = check,
    .remark = remark,
    .has_metric = has_metric,
    .plan = plan,
    .state_size = sizeof(cambi_state),
    .start = start,
    .tail = tail,
};
