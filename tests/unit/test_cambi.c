/* cambi: every stage at every level against the spec's vectors, tables and formulas, the selection against the serial one,
 * what is refused. With TALLY_TEST_DATA set, also against golden/stages/cambi_*.csv and the real clips. */
#include "formula_run.h"
#include "luma.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "features/cambi/pool.h"
#include "features/cambi/setup.h"
#include "io/source.h"
#include "plan_run.h"

/* ---- Looking into a plan ---- */

/* Where the stages of the distorted picture leave their results: the number of the launch, and of a buffer among its own. */
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
        memcpy(packed + (size_t)y * width, from + (size_t)y * CAMBI_CONTRAST_STRIDE(width), width * sizeof *packed);
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

static void same_hash(const stage_line *l, const char *level, const char *what, uint64_t hash, uint64_t expected) {
    if (hash != expected)
        fail_msg("%s %s %s frame %u stage %s level %s: the %s differs", l->clip, l->config, l->input, l->frame, l->stage,
                 level, what);
}

static void check_line(plan_run *run, const char *level, const void *const planes[2][3], const stage_line *l) {
    const cambi_setup setup = setup_of(run);
    const cambi_geometry *g = &setup.pictures[0];
    unsigned ones;
    assert_int_equal(g->window, l->window);
    if (strcmp(l->stage, "score") == 0)
        return; /* golden/cambi*.json have it */
    if (strcmp(l->stage, "prep") == 0) {
        same_hash(l, level, "prepared picture", hash_image(prepared(run, level, planes), l->width, l->height),
                  l->image_hash);
        same_hash(l, level, "mask", hash_mask(masked(run, level, planes), l->width, l->height, &ones), l->other_hash);
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

/* Spec 7.2. */
static uint32_t formula_hash(uint32_t x, uint32_t y, uint32_t t) {
    uint32_t n = x * 0x9E3779B1u + y * 0x85EBCA77u + t * 0xC2B2AE3Du;
    n = (n ^ n >> 15) * 0x2C1B3C6Du;
    n = (n ^ n >> 12) * 0x297A2D39u;
    return n ^ n >> 15;
}

static uint16_t formula_sample_of(uint32_t x, uint32_t y, uint32_t f, uint32_t distorted, uint32_t bits) {
    const uint32_t block = (x >> 7) + 3 * (y >> 6);
    uint32_t v = 90 + 37 * (block % 11) + (7 * x + 3 * y + 11 * f) / (distorted ? 96 : 40) % 60;
    if (block % 5 == 4)
        v += formula_hash(x, y, 2 * f + distorted) >> 7 & 1;
    if (distorted && block % 7 == 3)
        v &= ~3u;
    if (y % 97 > 91)
        v = 1023;
    uint32_t sample = bits >= 10 ? v << (bits - 10) : v >> (10 - bits);
    if (bits > 10 && (x >> 5) % 2)
        sample += 1u << (bits - 11);
    const uint32_t most = (1u << bits) - 1;
    return (uint16_t)(sample < most ? sample : most);
}

static const struct {
    const char *name;
    uint32_t width, height, bits;
} formula_clips[] = {{"syn217_8", 217, 131, 8},   {"syn240_9", 240, 137, 9},    {"syn333_10", 333, 219, 10},
                     {"syn259_12", 259, 216, 12}, {"syn230_14", 230, 150, 14},  {"syn301_16", 301, 170, 16},
                     {"synwide_10", 701, 80, 10}, {"syntall_8", 64, 700, 8},    {"syn4k_10", 3840, 2160, 10}};

/* The luma of a frame of a clip, formula or file. The caller frees it. */
static void *luma_of(const char *clip, const char *input, uint32_t frame, tally_format *format) {
    const bool distorted = strcmp(input, "dis") == 0;
    for (size_t c = 0; c < sizeof formula_clips / sizeof formula_clips[0]; c++) {
        if (strcmp(formula_clips[c].name, clip) != 0)
            continue;
        *format = (tally_format){formula_clips[c].width, formula_clips[c].height, formula_clips[c].bits,
                                 TALLY_PIXEL_FORMAT_400};
        uint16_t *samples = malloc((size_t)format->width * format->height * sizeof *samples);
        for (uint32_t y = 0, i = 0; y < format->height; y++)
            for (uint32_t x = 0; x < format->width; x++)
                samples[i++] = formula_sample_of(x, y, frame, distorted, format->bit_depth);
        void *plane = luma_plane(format, samples);
        free(samples);
        return plane;
    }
    char path[600];
    ty_source *source;
    ty_error error = {0};
    snprintf(path, sizeof path, "%s/clips/%s_%s.y4m", getenv("TALLY_TEST_DATA"), clip, input);
    if (ty_source_open(path, NULL, TY_COPY, NULL, &source, &error) != TALLY_OK)
        fail_msg("%s", error.text);
    ty_layout layout;
    void *planes[3] = {NULL};
    assert_int_equal(ty_layout_init(&layout, &ty_source_describe(source)->format, "picture", &error), TALLY_OK);
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
    const char *only = getenv("CAMBI_LEVEL");
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
        /* The levels test compares levels; here the best one and, for small pictures, the one that defines the values. */
        check_line(&run, "v4", planes, &l);
        lines++;
        (void)only;
    }
    plan_run_free(&run);
    free(plane);
    if (!file)
        skip();
    fclose(file);
    print_message("%u lines of cambi_scales.csv\n", lines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
