/* cambi: every stage at every level against the spec's vectors, tables and formulas, the selection against
 * the serial one, what is refused. With TALLY_TEST_DATA set, also against golden/stages/cambi_*.csv and the
 * real clips. */
#include "formula_run.h"
#include "luma.h"

#include <math.h>
#include <unistd.h>

#include "backends/cpu/levels.h"
#include "core/instance.h"
#include "features/cambi/pool.h"
#include "features/cambi/setup.h"
#include "io/source.h"
#include "parity/synth.h"
#include "plan_run.h"

/* The golden and the levels tests run the others. */
static const char *best_level(void) {
    const char *best = "scalar";
    for (const ty_level *level = ty_levels; level->name; level++)
        if (level->usable())
            best = level->name;
    return best;
}

/* ---- Looking into a plan ---- */

/* Where the stages of the distorted picture leave their results: the number of the launch, and of a buffer
 * among its own. */
typedef struct place {
    const char *kernel;
    uint32_t occurrence, buffer;
} place;

static uint32_t stage_number(const plan_run *run, place p) {
    uint32_t seen = 0;
    for (uint32_t s = 0; s < run->plan.stage_count; s++)
        if (strcmp(run->plan.stages[s].kernel, p.kernel) == 0 && seen++ == p.occurrence)
            return s;
    fail_msg("the plan has no stage %s number %u", p.kernel, p.occurrence);
    return 0;
}

/* Runs all stages up to the given one and returns its buffer. */
static const void *buffer_after(plan_run *run, const char *level, const void *const planes[2][3], place p) {
    const uint32_t stages = run->plan.stage_count, stage = stage_number(run, p);
    run->plan.stage_count = stage + 1;
    run->frames = 0;
    plan_run_frame(run, level, planes, 0x5b);
    run->plan.stage_count = stages;
    assert_int_equal(plan_run_damaged(run), UINT32_MAX);
    return run->buffers[run->plan.stages[stage].buffers[p.buffer]];
}

static const uint16_t *image_row(const uint16_t *image, uint32_t width, uint32_t y) {
    return image + CAMBI_MARGIN + (size_t)y * CAMBI_STRIDE(width);
}

static const uint16_t *prepared(plan_run *run, const char *level, const void *const planes[2][3]) {
    return buffer_after(run, level, planes, (place){"cambi_prepare", 0, 2});
}

static const uint16_t *masked(plan_run *run, const char *level, const void *const planes[2][3]) {
    return buffer_after(run, level, planes, (place){"cambi_mask", 0, 1});
}

/* The first scale is only filtered where the picture is not halved before. */
static place scale_place(const plan_run *run, uint32_t scale, uint32_t buffer) {
    bool filtered = false;
    for (uint32_t s = 0; s < run->plan.stage_count; s++)
        filtered |= strcmp(run->plan.stages[s].kernel, "cambi_scale") == 0;
    if (filtered && scale == 0)
        return (place){"cambi_scale", 0, buffer};
    return (place){"cambi_halve", scale - filtered, buffer};
}

static cambi_setup setup_of(const plan_run *run) {
    return ty_cambi_setup(run->options, run->layout.width[0], run->layout.height[0]);
}

/* The contrasts of a scale, row by row without padding. The caller frees them. */
static float *contrasts_of(plan_run *run, const char *level, const void *const planes[2][3], uint32_t scale) {
    const cambi_setup setup = setup_of(run);
    const cambi_geometry *g = &setup.pictures[0];
    const float *from = buffer_after(run, level, planes, (place){"cambi_contrasts", 0, 7});
    for (uint32_t s = 0; s < scale; s++)
        from += (size_t)CAMBI_CONTRAST_STRIDE(g->widths[s]) * g->heights[s];
    const uint32_t width = g->widths[scale], height = g->heights[scale];
    float *packed = malloc((size_t)width * height * sizeof *packed);
    for (uint32_t y = 0; y < height; y++)
        memcpy(packed + (size_t)y * width, from + (size_t)y * CAMBI_CONTRAST_STRIDE(width),
               width * sizeof *packed);
    return packed;
}

/* ---- golden/stages/cambi_scales.csv ---- */

static uint64_t fnv1a(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
    return hash;
}
#define FNV_START UINT64_C(14695981039346656037)

static uint64_t hash_image(const uint16_t *image, uint32_t width, uint32_t height) {
    uint64_t hash = FNV_START;
    for (uint32_t y = 0; y < height; y++)
        hash = fnv1a(hash, image_row(image, width, y), width * sizeof(uint16_t));
    return hash;
}

static uint64_t hash_mask(const uint16_t *image, uint32_t width, uint32_t height, unsigned *ones) {
    uint64_t hash = FNV_START;
    *ones = 0;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint16_t set = image_row(image, width, y)[x] != CAMBI_NONE;
            hash = fnv1a(hash, &set, sizeof set);
            *ones += set;
        }
    return hash;
}

/* One line of the file. */
typedef struct stage_line {
    char clip[32], config[16], input[8], stage[8];
    unsigned frame, width, height, window, count, k;
    unsigned long long image_hash, other_hash;
    double smallest, sum, result;
} stage_line;

static bool read_line(FILE *file, stage_line *l) {
    char line[400], *cells[15];
    if (!fgets(line, sizeof line, file))
        return false;
    line[strcspn(line, "\n")] = 0;
    char *rest = line;
    for (int i = 0; i < 15; i++)
        cells[i] = rest ? strsep(&rest, ",") : (char *)"";
    snprintf(l->clip, sizeof l->clip, "%s", cells[0]);
    snprintf(l->config, sizeof l->config, "%s", cells[1]);
    snprintf(l->input, sizeof l->input, "%s", cells[2]);
    snprintf(l->stage, sizeof l->stage, "%s", cells[4]);
    l->frame = (unsigned)strtoul(cells[3], NULL, 10);
    l->width = (unsigned)strtoul(cells[5], NULL, 10);
    l->height = (unsigned)strtoul(cells[6], NULL, 10);
    l->window = (unsigned)strtoul(cells[7], NULL, 10);
    l->image_hash = strtoull(cells[8], NULL, 16);
    l->other_hash = strtoull(cells[9], NULL, 16);
    l->count = (unsigned)strtoul(cells[10], NULL, 10);
    l->k = (unsigned)strtoul(cells[11], NULL, 10);
    l->smallest = strtod(cells[12], NULL);
    l->sum = strtod(cells[13], NULL);
    l->result = strtod(cells[14], NULL);
    return true;
}

static void same_hash(const stage_line *l, const char *level, const char *what, uint64_t hash,
                      uint64_t expected) {
    if (hash != expected)
        fail_msg("%s %s %s frame %u stage %s level %s: the %s differs", l->clip, l->config, l->input,
                 l->frame, l->stage, level, what);
}

static void check_line(plan_run *run, const char *level, const void *const planes[2][3],
                       const stage_line *l) {
    const cambi_setup setup = setup_of(run);
    const cambi_geometry *g = &setup.pictures[0];
    unsigned ones;
    assert_int_equal(g->window, l->window);
    if (strcmp(l->stage, "score") == 0)
        return; /* golden/cambi*.json have it */
    if (strcmp(l->stage, "prep") == 0) {
        same_hash(l, level, "prepared picture", hash_image(prepared(run, level, planes), l->width, l->height),
                  l->image_hash);
        same_hash(l, level, "mask", hash_mask(masked(run, level, planes), l->width, l->height, &ones),
                  l->other_hash);
        assert_int_equal(ones, l->count);
        return;
    }
    const uint32_t scale = (uint32_t)atoi(l->stage);
    assert_int_equal(g->widths[scale], l->width);
    assert_int_equal(g->heights[scale], l->height);
    assert_int_equal(g->most[scale], l->k);
    const uint16_t *image = buffer_after(run, level, planes, scale_place(run, scale, 2));
    same_hash(l, level, "filtered image", hash_image(image, l->width, l->height), l->image_hash);
    const size_t count = (size_t)l->width * l->height;
    float *contrasts = contrasts_of(run, level, planes, scale);
    same_hash(l, level, "contrasts", fnv1a(FNV_START, contrasts, count * sizeof *contrasts), l->other_hash);
    const double sum = ty_cambi_ordered_sum(contrasts, count, l->k);
    assert_same_double(sum, l->sum);
    assert_same_double(sum / l->k, l->result);
    free(contrasts);
}

/* The luma of a frame of a clip, formula or file. The caller frees it. */
static void *luma_of(const char *clip, const char *input, uint32_t frame, tally_format *format) {
    const bool distorted = strcmp(input, "dis") == 0;
    static const synth_clip large = {"syn4k_10", SYNTH_BANDS, {3840, 2160, 10, TALLY_PIXEL_FORMAT_400}, 1};
    const synth_clip *formula = strcmp(clip, large.name) == 0 ? &large : synth_find(clip);
    ty_layout layout;
    ty_error error = {0};
    void *planes[3] = {NULL};
    if (formula) {
        *format = formula->format;
        assert_int_equal(ty_layout_init(&layout, format, "picture", &error), TALLY_OK);
        planes[0] = malloc(layout.plane_bytes[0]);
        synth_picture(formula, &layout, distorted, frame, planes);
        return planes[0];
    }
    char path[600];
    ty_source *source;
    snprintf(path, sizeof path, "%s/clips/%s_%s.y4m", getenv("TALLY_TEST_DATA"), clip, input);
    if (ty_source_open(path, NULL, TY_COPY, NULL, &source, &error) != TALLY_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ty_layout_init(&layout, &ty_source_describe(source)->format, "picture", &error),
                     TALLY_OK);
    for (uint32_t p = 0; p < layout.planes; p++)
        planes[p] = malloc(layout.plane_bytes[p]);
    for (uint32_t i = 0; i < frame; i++)
        assert_int_equal(ty_source_skip(source, &error), TY_READ_FRAME);
    assert_int_equal(ty_source_read(source, planes, NULL, &error), TY_READ_FRAME);
    ty_source_close(source);
    free(planes[1]);
    free(planes[2]);
    *format = layout.format;
    format->pixel_format = TALLY_PIXEL_FORMAT_400;
    return planes[0];
}

static void test_scales(void **state) {
    (void)state;
    FILE *file = open_stage("cambi_scales.csv");
    stage_line l, last = {.frame = UINT32_MAX};
    plan_run run = {0};
    void *plane = NULL;
    unsigned lines = 0;
    while (file && read_line(file, &l)) {
        if (strcmp(l.clip, last.clip) || strcmp(l.config, last.config) || strcmp(l.input, last.input) ||
            l.frame != last.frame) {
            tally_format format;
            plan_run_free(&run);
            free(plane);
            plane = luma_of(l.clip, l.input, l.frame, &format);
            assert_true(plan_run_init(&run,
                                      strcmp(l.config, "default") == 0
                                          ? "cambi"
                                          : "cambi=cambi_high_res_speedup=1080:cambi_max_val=17:"
                                            "cambi_vis_lum_threshold=0.06",
                                      &format));
            last = l;
        }
        const void *const planes[2][3] = {{plane}, {plane}};
        check_line(&run, best_level(), planes, &l);
        lines++;
    }
    plan_run_free(&run);
    free(plane);
    if (!file)
        skip();
    fclose(file);
    print_message("%u lines of cambi_scales.csv\n", lines);
}

/* ---- Spec 7.1 ---- */

static uint16_t tiny_sample(uint32_t x, uint32_t y) {
    return (uint16_t)(70 + ((3 * x + 2 * y + (x * y >> 4)) >> 4) + ((x >> 3) + (y >> 3)) % 3 +
                      ((5 * x + 11 * y) % 37 == 0));
}

/* The picture's plan, with a window of 5 that this size would not have. The caller frees the plane. */
static void *tiny_run(plan_run *run) {
    static const tally_format format = {32, 32, 8, TALLY_PIXEL_FORMAT_400};
    uint16_t samples[32 * 32];
    for (uint32_t i = 0; i < 32 * 32; i++)
        samples[i] = tiny_sample(i % 32, i / 32);
    assert_true(plan_run_init_unchecked(run, "cambi", &format));
    const uint32_t stage = stage_number(run, (place){"cambi_contrasts", 0, 0});
    ((cambi_counting *)(uintptr_t)run->plan.stages[stage].value)->reach = 2;
    return luma_plane(&format, samples);
}

static void same_row(const uint16_t *row, const uint16_t *expected, uint32_t count) {
    for (uint32_t x = 0; x < count; x++)
        assert_int_equal(row[x], expected[x]);
}

static void check_tiny_images(plan_run *run, const char *level, const void *const planes[2][3]) {
    static const uint16_t prepared_0[32] = {281, 280, 280, 280, 281, 283, 284, 286, 288, 289, 291,
                                            292, 292, 292, 292, 296, 300, 300, 300, 301, 302, 303,
                                            304, 300, 296, 297, 299, 300, 300, 300, 301, 302};
    static const uint16_t mask_8[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0,
                                        0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0};
    static const uint16_t scale0_8[32] = {288, 288, 288, 288, 286, 292, 292, 292, 292, 294, 296,
                                          300, 299, 302, 301, 296, 296, 296, 300, 300, 300, 300,
                                          301, 303, 306, 308, 306, 306, 312, 312, 310, 310};
    static const uint16_t scale1_4[16] = {288, 288, 284, 292, 285, 290, 296, 296,
                                          296, 300, 300, 300, 304, 304, 304, 305};
    same_row(image_row(prepared(run, level, planes), 32, 0), prepared_0, 32);
    const uint16_t *mask = masked(run, level, planes);
    unsigned ones;
    hash_mask(mask, 32, 32, &ones);
    assert_int_equal(ones, 502);
    for (uint32_t x = 0; x < 32; x++)
        assert_int_equal(image_row(mask, 32, 8)[x] != CAMBI_NONE, mask_8[x]);
    same_row(image_row(buffer_after(run, level, planes, scale_place(run, 0, 2)), 32, 8), scale0_8, 32);
    same_row(image_row(buffer_after(run, level, planes, scale_place(run, 1, 2)), 16, 4), scale1_4, 16);
}

static void check_tiny_contrasts(plan_run *run, const char *level, const void *const planes[2][3]) {
    static const float row_9[8] = {0x0p+0f,        0x1.cp+2f,      0x1.8e38e4p+3f, 0x1.286bcap+4f,
                                   0x1.1af286p+4f, 0x1.99999ap+3f, 0x1.e1e1e2p+1f, 0x1.db6db8p+1f};
    static const float order[8] = {0x1.ep+3f, 0x1.078788p+4f, 0x1p+4f,   0x1.ddddep+3f,
                                   0x1p+4f,   0x1p+4f,        0x1.ep+3f, 0x1.cccccep+3f};
    static const uint32_t pooled[5] = {614, 153, 38, 9, 2};
    static const double means[5] = {0x1.d7c19f7aff2a8p+2, 0x1.3b3afecdcdcddp+2, 0x1.112ddp+1, 0, 0};
    double y = 0;
    for (uint32_t scale = 0; scale < CAMBI_SCALES; scale++) {
        const uint32_t side = 32 >> scale;
        float *c = contrasts_of(run, level, planes, scale);
        if (scale == 0)
            assert_memory_equal(c + 9 * 32, row_9, sizeof row_9);
        assert_int_equal(setup_of(run).pictures[0].most[scale], pooled[scale]);
        const double mean = ty_cambi_ordered_sum(c, side * side, pooled[scale]) / pooled[scale];
        if (scale == 0)
            assert_memory_equal(c, order, sizeof order);
        assert_same_double(mean, means[scale]);
        y += mean * (16 >> scale);
        free(c);
    }
    assert_same_double(y / 25, 0x1.a8a6f1346a489p+2);
}

static void test_tiny(void **state) {
    (void)state;
    for (const ty_level *level = ty_levels; level->name; level++) {
        if (!level->usable())
            continue;
        plan_run run;
        void *plane = tiny_run(&run);
        const void *const planes[2][3] = {{plane}, {plane}};
        check_tiny_images(&run, level->name, planes);
        check_tiny_contrasts(&run, level->name, planes);
        plan_run_free(&run);
        free(plane);
    }
}

/* Every image, contrast and pooled value of golden/stages/cambi_tiny32.csv. */
static void test_tiny_file(void **state) {
    (void)state;
    FILE *file = open_stage("cambi_tiny32.csv");
    char line[20000], stage[32];
    int scale, row;
    unsigned rows = 0;
    plan_run run = {0};
    void *plane = file ? tiny_run(&run) : NULL;
    const void *const planes[2][3] = {{plane}, {plane}};
    const char *level = best_level();
    while (file && fgets(line, sizeof line, file)) {
        int used = 0;
        assert_int_equal(sscanf(line, "%31[^,],%d,%d,%n", stage, &scale, &row, &used), 3);
        const char *value = line + used;
        const bool contrasts = strcmp(stage, "cvalue") == 0, order = strcmp(stage, "poolorder") == 0;
        const bool image = strcmp(stage, "prepared") == 0 || strcmp(stage, "moded") == 0;
        if (!contrasts && !order && !image && strcmp(stage, "mask") != 0)
            continue;
        const uint32_t side = scale < 0 ? 32 : 32u >> scale;
        float *c = contrasts || order ? contrasts_of(&run, level, planes, (uint32_t)scale) : NULL;
        const place at = scale >= 0 ? scale_place(&run, (uint32_t)scale, image ? 2 : 3)
                         : image    ? (place){"cambi_prepare", 0, 2}
                                    : (place){"cambi_mask", 0, 1};
        const uint16_t *i = c ? NULL : buffer_after(&run, level, planes, at);
        uint32_t count = side;
        if (order)
            ty_cambi_ordered_sum(c, side * side, count = setup_of(&run).pictures[0].most[scale]);
        for (uint32_t x = 0; x < count; x++) {
            const double expected = strtod(value, (char **)&value);
            value += *value == ',';
            const double got = order       ? c[x]
                               : contrasts ? c[(uint32_t)row * side + x]
                               : image     ? image_row(i, side, (uint32_t)row)[x]
                                           : image_row(i, side, (uint32_t)row)[x] != CAMBI_NONE;
            if (got != expected)
                fail_msg("%s scale %d row %d column %u: %a is not %a", stage, scale, row, x, got, expected);
        }
        free(c);
        rows++;
    }
    plan_run_free(&run);
    free(plane);
    if (!file)
        skip();
    fclose(file);
    assert_int_equal(rows, 32 + 62 + 2 * 62 + 5);
}

/* ---- Tables ---- */

static int compare_numbers(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void test_reciprocals(void **state) {
    (void)state;
    /* Spec 4.6: where the table is one unit above and below the rounded quotient. */
    static const int above[] = {82, 83, 244, 488, 564, 614, 664, 1419, 1699, 1906, 2443, 2740, 3812, 4130};
    static const int below[] = {504,  510,  528,  749,  760,  892,  2040, 2071, 2112, 2223,
                                2555, 2927, 3285, 3515, 3525, 3705, 3795, 3797, 3837, 3885,
                                4033, 4080, 4091, 4095, 4142, 4203, 4218, 4224};
    float r[CAMBI_MOST_AREA + 1];
    char text[32];
    ty_cambi_reciprocals(r);
    for (int n = 1; n <= CAMBI_MOST_AREA; n++) {
        snprintf(text, sizeof text, "%.9g", 1.0 / n);
        assert_true(r[n] == strtof(text, NULL));
        const float quotient = 1.0f / (float)n;
        const bool up = bsearch(&n, above, sizeof above / sizeof *above, sizeof *above, compare_numbers);
        const bool down = bsearch(&n, below, sizeof below / sizeof *below, sizeof *below, compare_numbers);
        assert_true(r[n] == (up ? nextafterf(quotient, 1) : down ? nextafterf(quotient, 0) : quotient));
    }
}

static cambi_options options_of(const char *text) {
    const ty_feature *feature = ty_feature_find("cambi");
    cambi_options o;
    ty_error error = {0};
    ty_options_set_defaults(feature->options, &o);
    if (ty_options_parse(feature->options, &o, "cambi", text, &error) != TALLY_OK)
        fail_msg("%s", error.text);
    return o;
}

static uint32_t visible_from(const char *text) {
    uint32_t thresholds[CAMBI_MOST_STEPS];
    const cambi_options o = options_of(text);
    return ty_cambi_thresholds(&o, 1, thresholds);
}

static void test_thresholds(void **state) {
    (void)state;
    static const uint32_t bt1886[4] = {178, 305, 432, 559}, pq[4] = {233, 1023, 1023, 1023};
    uint32_t t[CAMBI_MOST_STEPS];
    cambi_options o = options_of("");
    assert_int_equal(ty_cambi_thresholds(&o, 4, t), 0);
    assert_memory_equal(t, bt1886, sizeof bt1886);
    o = options_of("eotf=pq");
    ty_cambi_thresholds(&o, 4, t);
    assert_memory_equal(t, pq, sizeof pq);
    assert_int_equal(visible_from("cambi_vis_lum_threshold=0.01"), 65);
    assert_int_equal(visible_from("cambi_vis_lum_threshold=0.06"), 78);
    assert_int_equal(visible_from("cambi_vis_lum_threshold=1"), 135);
    assert_int_equal(visible_from("cambi_vis_lum_threshold=20"), 340);
    assert_int_equal(visible_from("cambi_vis_lum_threshold=300"), 940);
    assert_int_equal(visible_from("eotf=pq:cambi_vis_lum_threshold=0.06"), 108);
    assert_int_equal(visible_from("cambi_eotf=pq:cambi_vis_lum_threshold=50"), 450);
    assert_int_equal(visible_from("eotf=pq:cambi_eotf=bt1886:cambi_vis_lum_threshold=300"), 609);
    assert_same_double(ty_cambi_luminance(false, 64), 0x1.47ae147ae147ap-7);
    assert_same_double(ty_cambi_luminance(false, 65), 0x1.8c709917c1a4cp-7);
    assert_same_double(ty_cambi_luminance(true, 65), 0x1.b92abfe809587p-15);
    assert_same_double(ty_cambi_luminance(false, 940), 300);
}

/* What the table of first steps relies on. */
static void test_thresholds_rise(void **state) {
    (void)state;
    uint32_t t[CAMBI_MOST_STEPS];
    cambi_options o = options_of("");
    for (int i = 1; i <= 200; i++)
        for (int function = 0; function < 2; function++) {
            o.tvi_threshold = i < 100 ? 0.0001 * i : 0.01 * (i - 99);
            strcpy(o.eotf, function ? "pq" : "bt1886");
            ty_cambi_thresholds(&o, CAMBI_MOST_STEPS, t);
            for (uint32_t d = 1; d < CAMBI_MOST_STEPS; d++)
                assert_true(t[d] >= t[d - 1]);
        }
}

static FILE *open_table(const char *name) {
    char path[600], heading[400];
    const char *data = getenv("TALLY_TEST_DATA");
    snprintf(path, sizeof path, "%s/spec/tables/%s", data ? data : "", name);
    FILE *file = data ? fopen(path, "r") : NULL;
    if (file)
        assert_non_null(fgets(heading, sizeof heading, file));
    else
        print_message("NOT TESTED against %s: it is not there\n", name);
    return file;
}

static void test_table_files(void **state) {
    (void)state;
    char line[400];
    float r[CAMBI_MOST_AREA + 1];
    uint32_t t[CAMBI_MOST_STEPS], n = 0;
    ty_cambi_reciprocals(r);
    FILE *file = open_table("cambi_reciprocal.csv");
    if (!file)
        skip();
    while (fgets(line, sizeof line, file))
        assert_true(r[++n] == strtof(strchr(line, ',') + 1, NULL));
    assert_int_equal(n, CAMBI_MOST_AREA);
    fclose(file);
    assert_non_null(file = open_table("cambi_luminance.csv"));
    while (fgets(line, sizeof line, file)) {
        char *rest;
        const int value = (int)strtol(line, &rest, 10);
        assert_same_double(ty_cambi_luminance(false, value), strtod(rest + 1, &rest));
        assert_same_double(ty_cambi_luminance(true, value), strtod(rest + 1, NULL));
    }
    fclose(file);
    assert_non_null(file = open_table("cambi_tvi.csv"));
    while (fgets(line, sizeof line, file)) {
        cambi_options o = options_of("");
        char *rest = strchr(line, ',');
        snprintf(o.eotf, sizeof o.eotf, "%.*s", (int)(rest - line), line);
        o.tvi_threshold = strtod(rest + 1, &rest);
        ty_cambi_thresholds(&o, CAMBI_MOST_STEPS, t);
        for (uint32_t d = 0; d < CAMBI_MOST_STEPS; d++)
            assert_int_equal(strtoul(rest + 1, &rest, 10), t[d]);
    }
    fclose(file);
}

static uint32_t window(uint32_t width, uint32_t height, const char *text) {
    const cambi_options o = options_of(text);
    return ty_cambi_setup(&o, width, height).pictures[0].window;
}

static void test_sizes(void **state) {
    (void)state;
    assert_int_equal(window(256, 144, ""), 5);
    assert_int_equal(window(320, 240, ""), 7);
    assert_int_equal(window(576, 324, ""), 9);
    assert_int_equal(window(1280, 720, ""), 21);
    assert_int_equal(window(1920, 1080, ""), 33);
    assert_int_equal(window(1920, 1080, "cambi_high_res_speedup=1080"), 17);
    assert_int_equal(window(1920, 1080, "cambi_high_res_speedup=1079"), 33);
    assert_int_equal(window(3840, 2160, ""), 65);
    assert_int_equal(window(3840, 2160, "cambi_high_res_speedup=2160"), 33);
    assert_int_equal(ty_cambi_mask_threshold(32, 32), 7);
    assert_int_equal(ty_cambi_mask_threshold(1920, 1080), 21);
    assert_int_equal(ty_cambi_mask_threshold(3840, 2160), 24);
    const cambi_options one_side = options_of("enc_width=300");
    assert_int_equal(ty_cambi_setup(&one_side, 640, 480).pictures[0].width, 640);
}

/* Enlarging 1920 columns to 5993 runs one beyond the picture in the reference (defect 5). */
static void test_places(void **state) {
    (void)state;
    static uint32_t places[7680];
    ty_cambi_places(1920, 5993, true, places);
    assert_int_equal(places[5992], 1919);
    ty_cambi_places(640, 320, true, places);
    for (uint32_t i = 0; i < 320; i++)
        assert_int_equal(places[i], 2 * i + 1);
    ty_cambi_places(640, 640, false, places);
    assert_int_equal(places[639], 639);
}

/* ---- Pooling ---- */

static uint32_t bits_of_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void test_any_order(void **state) {
    (void)state;
    const uint64_t limit = UINT64_C(1) << 53; /* 2^29 in units of 2^-24 */
    assert_true(ty_cambi_any_order(0, UINT32_MAX));
    assert_true(ty_cambi_any_order(limit - 1, bits_of_float(0.5f)));
    assert_false(ty_cambi_any_order(limit, bits_of_float(0.5f)));
    assert_false(ty_cambi_any_order(limit, bits_of_float(0.99f)));
    assert_true(ty_cambi_any_order(limit, bits_of_float(1.0f)));
    assert_true(ty_cambi_any_order(2 * limit - 1, bits_of_float(1.5f)));
    assert_false(ty_cambi_any_order(2 * limit, bits_of_float(1.5f)));
    assert_true(ty_cambi_any_order(UINT64_C(1) << 63, bits_of_float(1024.0f)));
}

/* The order of the selection is not that of the array, and the sum shows it. */
static void test_order(void **state) {
    (void)state;
    enum { COUNT = 4096, MOST = 2500 };
    static float c[COUNT], raster[COUNT];
    uint64_t seed = 5;
    double in_raster = 0, largest = 0;
    for (int i = 0; i < COUNT; i++)
        raster[i] = c[i] = (float)(0.5 + luma_random(&seed) * 0x1p-31 * (i % 7 == 0 ? 0x1p+60 : 3.0));
    const double sum = ty_cambi_ordered_sum(c, COUNT, MOST);
    float least = c[0], most = 0;
    for (int i = 0; i < COUNT; i++) {
        least = i < MOST && c[i] < least ? c[i] : least;
        most = i >= MOST && c[i] > most ? c[i] : most;
        largest += i < MOST ? (double)c[i] : 0;
    }
    assert_true(least >= most);
    assert_same_double(sum, largest);
    memcpy(c, raster, sizeof c);
    for (int i = 0; i < COUNT; i++)
        in_raster += raster[i];
    assert_same_double(ty_cambi_ordered_sum(c, COUNT, COUNT), in_raster);
    assert_memory_equal(c, raster, sizeof c); /* k = n rearranges nothing */
}

/* ---- A plain reading of the spec, section 4.3 to 4.8, without its parallel notes ---- */

typedef struct plain {
    int width, height;
    int *image, *mask;
    float *contrasts;
} plain;

static int plain_ten_bits(int sample, int bits) {
    return bits < 10    ? sample << (10 - bits)
           : bits == 10 ? sample
                        : (sample + (1 << (bits - 11))) >> (bits - 10);
}

static void plain_prepare(plain *p, const uint16_t *samples, int width, int height, int bits, bool smooth) {
    int *raw = malloc(sizeof(int) * (size_t)(p->width * p->height));
    const float rx = (float)width / (float)p->width, ry = (float)height / (float)p->height;
    const bool resized = width != p->width || height != p->height;
    float y = (float)((double)(ry / 2.0f) - 0.5);
    for (int i = 0; i < p->height; i++, y += ry) {
        float x = (float)((double)(rx / 2.0f) - 0.5);
        for (int j = 0; j < p->width; j++, x += rx) {
            const int from_x = resized ? (int)((double)x + 0.5) : j,
                      from_y = resized ? (int)((double)y + 0.5) : i;
            raw[i * p->width + j] = plain_ten_bits(samples[from_y * width + from_x], bits);
        }
    }
    for (int i = 0; i < p->height; i++)
        for (int j = 0; j < p->width; j++) {
            const int *at = raw + i * p->width + j;
            const bool right = j < p->width - 1, down = i < p->height - 1;
            p->image[i * p->width + j] = !smooth ? *at
                                         : right && down
                                             ? (at[0] + at[1] + at[p->width] + at[p->width + 1]) >> 2
                                         : right ? (at[0] + at[1]) >> 1
                                         : down  ? (at[0] + at[p->width]) >> 1
                                                 : *at;
        }
    free(raw);
}

static int plain_level(const plain *p, int i, int j) {
    if (i < 0 || j < 0 || i >= p->height || j >= p->width)
        return 0;
    const int *at = p->image + i * p->width + j;
    return (j == p->width - 1 || at[0] == at[1]) && (i == p->height - 1 || at[0] == at[p->width]);
}

static void plain_mask(plain *p) {
    const int threshold = (int)ty_cambi_mask_threshold((uint32_t)p->width, (uint32_t)p->height);
    for (int i = 0; i < p->height; i++)
        for (int j = 0; j < p->width; j++) {
            int n = 0;
            for (int y = i - 3; y <= i + 3; y++)
                for (int x = j - 3; x <= j + 3; x++)
                    n += plain_level(p, y, x);
            p->mask[i * p->width + j] = n > threshold;
        }
}

static void plain_halve(plain *p) {
    const int width = (p->width + 1) >> 1, height = (p->height + 1) >> 1;
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            p->image[i * width + j] = p->image[2 * i * p->width + 2 * j];
            p->mask[i * width + j] = p->mask[2 * i * p->width + 2 * j];
        }
    p->width = width;
    p->height = height;
}

static int plain_mode(int x, int y, int z) {
    const int low = x < y ? x : y;
    return x == y || x == z ? x : y == z ? y : low < z ? low : z;
}

static void plain_filter(plain *p) {
    const int w = p->width, h = p->height;
    int *rows = malloc(sizeof(int) * (size_t)(w * h));
    for (int i = 0; i < w * h; i++)
        rows[i] = i % w == 0 || i % w == w - 1 ? p->image[i]
                                               : plain_mode(p->image[i - 1], p->image[i], p->image[i + 1]);
    for (int i = w; i < w * (h - 1); i++)
        p->image[i] = plain_mode(rows[i - w], rows[i], rows[i + w]);
    free(rows);
}

static int plain_count(const plain *p, int i, int j, int reach, int value) {
    int n = 0;
    for (int y = i - reach; y <= i + reach; y++)
        for (int x = j - reach; x <= j + reach; x++)
            n += y >= 0 && x >= 0 && y < p->height && x < p->width && p->mask[y * p->width + x] &&
                 p->image[y * p->width + x] == value;
    return n;
}

static void plain_contrasts(plain *p, int reach, int steps, const uint32_t *thresholds, int visible) {
    static const int weights[32] = {1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                                    8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    float r[CAMBI_MOST_AREA + 1];
    ty_cambi_reciprocals(r);
    for (int i = 0; i < p->height; i++)
        for (int j = 0; j < p->width; j++) {
            const int at = i * p->width + j, v = p->image[at];
            p->contrasts[at] = 0;
            const int own = p->mask[at] ? plain_count(p, i, j, reach, v) : 0;
            for (int d = 1; d <= steps && own; d++) {
                if (v > (int)thresholds[d - 1] || v + steps + d <= visible)
                    continue;
                const int more = plain_count(p, i, j, reach, v + d),
                          less = plain_count(p, i, j, reach, v - d);
                const int other = more > less ? more : less;
                const float f = (float)(weights[d - 1] * own * other) * r[own + other];
                p->contrasts[at] = f > p->contrasts[at] ? f : p->contrasts[at];
            }
        }
}

static double plain_mean(const plain *p, double topk) {
    const size_t n = (size_t)p->width * (size_t)p->height;
    size_t k = (size_t)(topk * (double)n);
    k = k < 1 ? 1 : k > n ? n : k;
    return ty_cambi_ordered_sum(p->contrasts, n, k) / (double)k;
}

/* Y. If `run` is given, its contrasts are compared on the way. */
static double plain_score(const char *options, const tally_format *format, const uint16_t *samples,
                          plan_run *run, const char *level, const void *const planes[2][3]) {
    const cambi_options o = options_of(options);
    const cambi_setup setup = ty_cambi_setup(&o, format->width, format->height);
    const cambi_geometry *g = &setup.pictures[0];
    const size_t count = (size_t)g->width * g->height;
    plain p = {(int)g->width, (int)g->height, malloc(count * sizeof(int)), malloc(count * sizeof(int)),
               malloc(count * sizeof(float))};
    uint32_t thresholds[CAMBI_MOST_STEPS];
    const int visible = (int)ty_cambi_thresholds(&o, setup.steps, thresholds);
    const int depth = (int)format->bit_depth;
    plain_prepare(&p, samples, (int)format->width, (int)format->height, depth,
                  (o.enc_bitdepth ? o.enc_bitdepth : depth) < 10);
    plain_mask(&p);
    double y = 0;
    for (uint32_t scale = 0; scale < CAMBI_SCALES; scale++) {
        if (scale > 0 || setup.halved)
            plain_halve(&p);
        plain_filter(&p);
        plain_contrasts(&p, (int)g->window / 2, (int)setup.steps, thresholds, visible);
        float *c = contrasts_of(run, level, planes, scale);
        if (memcmp(c, p.contrasts, (size_t)p.width * (size_t)p.height * sizeof *c) != 0)
            fail_msg("%s, %ux%u, %u bits, level %s: the contrasts of scale %u differ", options, format->width,
                     format->height, format->bit_depth, level, scale);
        free(c);
        y = y + plain_mean(&p, o.topk != 0.6 ? o.topk : o.cambi_topk) * (16 >> scale);
    }
    free(p.image);
    free(p.mask);
    free(p.contrasts);
    return y / (g->window * g->window);
}

/* Blocks of flat values over the whole range, near values side by side, noise of one step in some. */
static void blocks(const tally_format *format, uint16_t *samples, uint64_t *seed) {
    const uint32_t top = (1u << format->bit_depth) - 1,
                   scale = format->bit_depth > 10 ? format->bit_depth - 10 : 0;
    uint32_t value = 0, size = 8 + luma_random(seed) % 16;
    for (uint32_t top_y = 0; top_y < format->height; top_y += size)
        for (uint32_t left = 0; left < format->width; left += size) {
            const uint32_t jump = luma_random(seed) % 6;
            const uint32_t step =
                (jump << scale) + luma_random(seed) % (1u << scale); /* rounded up or down */
            value = jump == 0 ? luma_random(seed) % (top + 1) : (value + step) % (top + 1);
            for (uint32_t y = top_y; y < top_y + size && y < format->height; y++)
                for (uint32_t x = left; x < left + size && x < format->width; x++) {
                    const uint32_t noise = jump == 5 && luma_random(seed) % 8 == 0 ? 1u << scale : 0;
                    samples[y * format->width + x] = (uint16_t)(value + noise > top ? top : value + noise);
                }
        }
}

static double run_score(const char *options, const tally_format *format, void *plane) {
    char request[300];
    ty_layout layout;
    ty_error error = {0};
    void *planes[3] = {plane};
    snprintf(request, sizeof request, "cambi=%s", options);
    tally_run *run = started_run(options[0] ? request : "cambi", format);
    assert_int_equal(ty_layout_init(&layout, format, "picture", &error), TALLY_OK);
    const tally_picture picture = picture_of(&layout, planes);
    assert_int_equal(tally_run_submit(run, &picture, &picture), TALLY_OK);
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    const double score = score_of(run, tally_run_metric_name(run, 0), 0);
    tally_run_destroy(run);
    return score;
}

/* Strips of more values than the table of counts holds, windows cut by all edges, several tiles, chosen and
 * unchosen sums. */
static void test_plain(void **state) {
    (void)state;
    static const struct {
        const char *options;
        tally_format format;
    } cases[] = {
        {"", {230, 140, 8, TALLY_PIXEL_FORMAT_400}},
        {"tvi_threshold=0.001", {256, 70, 10, TALLY_PIXEL_FORMAT_400}},
        {"enc_bitdepth=9:tvi_threshold=0.001", {384, 40, 12, TALLY_PIXEL_FORMAT_400}},
        {"window_size=127:max_log_contrast=5:tvi_threshold=0.0001", {217, 301, 10, TALLY_PIXEL_FORMAT_400}},
        {"max_log_contrast=3:tvi_threshold=0.0001:topk=0.02", {225, 129, 10, TALLY_PIXEL_FORMAT_400}},
        {"max_log_contrast=0:eotf=pq:topk=1", {33, 260, 12, TALLY_PIXEL_FORMAT_400}},
        {"max_log_contrast=1:cambi_vis_lum_threshold=0.5", {219, 9, 16, TALLY_PIXEL_FORMAT_400}},
        {"tvi_threshold=0.0001:enc_bitdepth=8:cambi_topk=0.1", {216, 100, 14, TALLY_PIXEL_FORMAT_400}},
        {"enc_width=218:enc_height=151:tvi_threshold=0.005", {257, 160, 11, TALLY_PIXEL_FORMAT_400}},
        {"window_size=15:max_log_contrast=4", {220, 50, 9, TALLY_PIXEL_FORMAT_400}},
        {"cambi_vis_lum_threshold=100", {220, 50, 10, TALLY_PIXEL_FORMAT_400}},
    };
    uint64_t seed = 11;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char request[300];
        const tally_format *format = &cases[c].format;
        uint16_t *samples = malloc((size_t)format->width * format->height * sizeof *samples);
        blocks(format, samples, &seed);
        void *plane = luma_plane(format, samples);
        const void *const planes[2][3] = {{plane}, {plane}};
        snprintf(request, sizeof request, "cambi=%s", cases[c].options);
        for (const ty_level *level = ty_levels; level->name; level++) {
            plan_run run;
            if (!level->usable())
                continue;
            assert_true(plan_run_init(&run, cases[c].options[0] ? request : "cambi", format));
            const double y = plain_score(cases[c].options, format, samples, &run, level->name, planes);
            assert_same_double(run_score(cases[c].options, format, plane), y);
            plan_run_free(&run);
        }
        free(plane);
        free(samples);
    }
}

/* ---- Refusals ---- */

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *request;
        uint32_t width, height;
        const char *words[4];
    } cases[] = {
        {"cambi", 215, 215, {"cambi", "encoding", "215x215", "216"}},
        {"cambi", 4096, 2160, {"cambi", "4096x2160", "window", "65"}},
        {"cambi=window_size=127", 1920, 1280, {"cambi", "1920x1280", "67", "65"}},
        {"cambi", 1200, 64, {"cambi", "smallest scale", "75x4", "6"}},
        {"cambi", 64, 1000, {"cambi", "smallest scale", "4x63", "5"}},
        {"cambi=enc_width=200:enc_height=200", 640, 480, {"cambi", "encoding", "200x200", "216"}},
        {"cambi=src_width=320:src_height=700", 640, 480, {"cambi", "source", "320x700", "opposite"}},
        {"cambi=src_width=7680:src_height=4320", 640, 480, {"cambi", "source", "7680x4320", "window"}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *words[5] = {cases[c].words[0], cases[c].words[1], cases[c].words[2], cases[c].words[3],
                                NULL};
        const tally_format format = {cases[c].width, cases[c].height, 8, TALLY_PIXEL_FORMAT_400};
        assert_refused(cases[c].request, &format, words);
    }
}

static void test_refused_options(void **state) {
    (void)state;
    static const char *const requests[] = {
        "cambi=enc_width=0",        "cambi=enc_width=179", "cambi=enc_height=149", "cambi=eotf=hlg",
        "cambi=max_log_contrast=6", "cambi=topk=0",        "cambi=topk=nan",       "cambi=window_size=14",
        "cambi=window_size=15.5",   "cambi=full_ref=yes",  "cambi=mlc=2",          "cambi=cambi_max_val=-1"};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        tally_run *run;
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        assert_int_equal(tally_run_add_feature(run, requests[i]), TALLY_USAGE);
        tally_run_destroy(run);
    }
}

/* One sample above the depth, in one of the two pictures. */
static const char *score_illegal(const char *request, bool distorted, tally_run **run) {
    static const tally_format format = {240, 160, 10, TALLY_PIXEL_FORMAT_400};
    static uint16_t legal[240 * 160], illegal[240 * 160];
    ty_layout layout;
    ty_error error = {0};
    illegal[77 * 240 + 239] = 1024;
    void *r[3] = {distorted ? legal : illegal}, *d[3] = {distorted ? illegal : legal};
    *run = started_run(request, &format);
    assert_int_equal(ty_layout_init(&layout, &format, "picture", &error), TALLY_OK);
    const tally_picture reference = picture_of(&layout, r), other = picture_of(&layout, d);
    tally_run_submit(*run, &reference, &other);
    return tally_run_finish(*run) == TALLY_OK ? NULL : tally_run_error(*run);
}

static void test_illegal_samples(void **state) {
    (void)state;
    tally_run *run;
    const char *error = score_illegal("cambi", true, &run);
    assert_non_null(error);
    assert_non_null(
        strstr(error, "feature cambi, frame 0: row 77 of the distorted picture's luma has a sample of 1024"));
    tally_run_destroy(run);
    assert_null(score_illegal("cambi", false, &run));
    tally_run_destroy(run);
    error = score_illegal("cambi=full_ref=true", false, &run);
    assert_non_null(error);
    assert_non_null(strstr(error, "reference picture"));
    tally_run_destroy(run);
}

/* ---- Requests ---- */

static void test_merging(void **state) {
    (void)state;
    ty_instances instances = {0};
    ty_error error = {0};
    assert_int_equal(ty_instances_request(&instances, "cambi=topk=0.5", &error), TALLY_OK);
    assert_int_equal(ty_instances_request(&instances, "cambi=full_ref=true:topk=0.5", &error), TALLY_OK);
    assert_int_equal(ty_instances_request(&instances, "cambi=heatmaps_path=a:topk=0.5", &error), TALLY_OK);
    assert_int_equal(ty_instances_request(&instances, "cambi=topk=0.5", &error), TALLY_OK);
    assert_int_equal(instances.count, 1);
    const cambi_options *o = instances.items[0].options;
    assert_true(o->full_ref);
    assert_string_equal(o->heatmaps_path, "a");
    assert_int_equal(ty_instances_request(&instances, "cambi=heatmaps_path=b:topk=0.5", &error), TALLY_USAGE);
    ty_instances_free(&instances);
}

/* Both would write cambi_source. */
static void test_two_sources(void **state) {
    (void)state;
    static const tally_format format = {240, 160, 10, TALLY_PIXEL_FORMAT_400};
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "cambi=full_ref=true"), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "cambi=full_ref=true:topk=0.5"), TALLY_OK);
    assert_int_equal(tally_run_start(run, &format), TALLY_USAGE);
    assert_non_null(strstr(tally_run_error(run), "cambi_source"));
    tally_run_destroy(run);
}

/* ---- Heat maps ---- */

static void check_heatmap(const char *folder, uint32_t scale, uint32_t width, uint32_t height,
                          const float *contrasts, uint32_t most) {
    char path[400];
    snprintf(path, sizeof path, "%s/cambi_heatmap_scale_%u_%ux%u_16b.gray", folder, scale, width, height);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = (size_t)width * height;
    uint16_t *words = malloc(2 * count * sizeof *words);
    assert_int_equal(fread(words, sizeof *words, 2 * count + 1, file), 2 * count);
    for (size_t i = 0; i < 2 * count; i++) { /* two frames, the same */
        const double word = 65535.0 / most * (double)contrasts[i % count];
        assert_int_equal(words[i], word > 65535 ? 65535 : (int)word);
    }
    free(words);
    fclose(file);
    remove(path);
}

static void test_heatmaps(void **state) {
    (void)state;
    char folder[] = "/tmp/tally-heatmaps-XXXXXX", maps[80], request[200];
    assert_non_null(mkdtemp(folder));
    snprintf(maps, sizeof maps, "%s/a/b", folder);
    snprintf(request, sizeof request, "cambi=heatmaps_path=%s:max_log_contrast=1", maps);
    const synth_clip *clip = synth_find("syn217_8");
    tally_format format;
    ty_layout layout;
    ty_error error = {0};
    void *planes[3] = {luma_of(clip->name, "dis", 0, &format)};
    tally_run *run = started_run(request, &format);
    assert_int_equal(ty_layout_init(&layout, &format, "picture", &error), TALLY_OK);
    const tally_picture picture = picture_of(&layout, planes);
    for (int frame = 0; frame < 2; frame++)
        assert_int_equal(tally_run_submit(run, &picture, &picture), TALLY_OK);
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    tally_run_destroy(run);
    plan_run plan;
    const void *const pictures[2][3] = {{planes[0]}, {planes[0]}};
    assert_true(plan_run_init(&plan, "cambi=max_log_contrast=1", &format));
    const cambi_geometry g = setup_of(&plan).pictures[0];
    for (uint32_t scale = 0; scale < CAMBI_SCALES; scale++) {
        float *c = contrasts_of(&plan, "scalar", pictures, scale);
        check_heatmap(maps, scale, g.widths[scale], g.heights[scale], c, 2 * g.window * g.window / 4);
        free(c);
    }
    plan_run_free(&plan);
    free(planes[0]);
    rmdir(maps);
    snprintf(maps, sizeof maps, "%s/a", folder);
    rmdir(maps);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_tiny_file),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_reciprocals),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_thresholds_rise),
        cmocka_unit_test(test_table_files),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refused_options),
        cmocka_unit_test(test_illegal_samples),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_two_sources),
        cmocka_unit_test(test_heatmaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
