/* vif: its kernels at every level against a plain reading of the spec, the spec's figures, the table of logs,
 * the two forms of the gain, refusals. */
#include "formula_run.h"
#include "kernel_pairs.h"
#include "luma_run.h"

#include <math.h>

#include "backends/cpu/levels.h"
#include "features/vif/log_table.h"
#include "features/vif/stages.h"
#include "parity/synth.h"
#include "plan_run.h"

/* ---- A plain reading of the spec, section 4 ---- */

static const int taps[4] = {17, 9, 5, 3};
static const uint32_t kernels[4][17] = {
    {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489},
    {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244},
    {3571, 16004, 26386, 16004, 3571},
    {10904, 43728, 10904}};

typedef struct plane {
    int width, height;
    uint16_t *samples;
} plane;

static uint64_t sample_at(const plane *p, int x, int y) {
    return p
        ->samples[(size_t)luma_mirror(y, p->height) * (size_t)p->width + (size_t)luma_mirror(x, p->width)];
}

/* Spec 4.2: scale s of a picture from scale s - 1. */
static plane plain_half(const plane *from, int s, uint32_t c) {
    plane half = {from->width / 2, from->height / 2, NULL};
    half.samples = malloc((size_t)half.width * (size_t)half.height * sizeof *half.samples + 1);
    for (int y = 0; y < half.height; y++)
        for (int x = 0; x < half.width; x++) {
            uint64_t sum = 1 << 15;
            for (int i = 0; i < taps[s]; i++) {
                uint64_t v = (uint64_t)1 << (c - 1);
                for (int k = 0; k < taps[s]; k++)
                    v += kernels[s][k] * sample_at(from, 2 * x - taps[s] / 2 + i, 2 * y - taps[s] / 2 + k);
                sum += kernels[s][i] * (v >> c);
            }
            half.samples[y * half.width + x] = (uint16_t)(sum >> 16);
        }
    return half;
}

typedef struct statistics {
    uint64_t mean[2], moment[3]; /* M1, M2; XX, YY, XY */
    int64_t s1, s2, s12;
    int64_t sv, w, num, den; /* 0 where a branch does not form them */
} statistics;

/* Spec 4.3, vertical. */
static void plain_column(const plane pair[2], int s, uint32_t c, uint32_t d, int x, int y, statistics *out) {
    uint64_t sums[5] = {0};
    for (int k = 0; k < taps[s]; k++) {
        const uint64_t a = sample_at(&pair[0], x, y - taps[s] / 2 + k),
                       b = sample_at(&pair[1], x, y - taps[s] / 2 + k);
        const uint64_t values[5] = {a, b, a * a, b * b, a * b};
        for (int i = 0; i < 5; i++)
            sums[i] += kernels[s][k] * values[i];
    }
    for (int i = 0; i < 2; i++)
        out->mean[i] = (sums[i] + ((uint64_t)1 << (c - 1))) >> c;
    for (int i = 0; i < 3; i++)
        out->moment[i] = (sums[2 + i] + (d == 0 ? 0 : (uint64_t)1 << (d - 1))) >> d;
}

static int64_t plain_log(uint64_t v) {
    int k = 0;
    while (v >> k > 65535)
        k++;
    return (int64_t)ty_vif_log_value((uint32_t)(v >> k)) + 2048 * k;
}

/* Spec 4.5, with its two branches. */
static void plain_terms(statistics *out, double limit) {
    if (out->s1 < 131072)
        return;
    out->den = plain_log((uint64_t)(131072 + out->s1)) - 34816;
    if (out->s12 <= 0 || out->s2 <= 0)
        return;
    double g = (double)out->s12 / ((double)out->s1 + 65536 * 1.0e-10);
    const int32_t sv = (int32_t)((double)out->s2 - g * (double)out->s12);
    if (!(g < limit))
        g = limit;
    out->sv = sv < 0 ? 0 : sv;
    out->w = out->sv + 131072 + (int64_t)(g * g * (double)out->s1);
    out->num = plain_log((uint64_t)out->w) - plain_log((uint64_t)out->sv + 131072);
}

/* Statistics of a whole scale, row by row. The caller frees them. */
static statistics *plain_scale(const plane pair[2], int s, uint32_t depth, double limit) {
    const uint32_t c = s == 0 ? depth : 16, d = s == 0 ? 2 * (depth - 8) : 16;
    const int w = pair[0].width, h = pair[0].height;
    statistics *all = calloc((size_t)w * (size_t)h, sizeof *all);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            plain_column(pair, s, c, d, x, y, &all[y * w + x]);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            uint64_t m[2] = {0}, moment[3] = {1 << 15, 1 << 15, 1 << 15};
            statistics *out = &all[y * w + x];
            for (int k = 0; k < taps[s]; k++) {
                const statistics *at = &all[y * w + luma_mirror(x - taps[s] / 2 + k, w)];
                for (int i = 0; i < 2; i++)
                    m[i] += kernels[s][k] * at->mean[i];
                for (int i = 0; i < 3; i++)
                    moment[i] += kernels[s][k] * at->moment[i];
            }
            const uint64_t half = (uint64_t)1 << 31;
            out->s1 = (int64_t)(moment[0] >> 16) - (int64_t)((m[0] * m[0] + half) >> 32);
            out->s2 = (int64_t)(moment[1] >> 16) - (int64_t)((m[1] * m[1] + half) >> 32);
            out->s12 = (int64_t)(moment[2] >> 16) - (int64_t)((m[0] * m[1] + half) >> 32);
            out->s2 = out->s2 < 0 ? 0 : out->s2;
            plain_terms(out, limit);
        }
    return all;
}

typedef struct plain {
    plane pairs[4][2];
    statistics *scales[4];
    int64_t sums[4][VIF_SUMS];
} plain;

static plain plain_of(const tally_format *f, const uint16_t *reference, const uint16_t *distorted,
                      double limit) {
    plain p = {0};
    const size_t bytes = (size_t)f->width * f->height * sizeof(uint16_t);
    for (int i = 0; i < 2; i++) {
        p.pairs[0][i] = (plane){(int)f->width, (int)f->height, malloc(bytes)};
        memcpy(p.pairs[0][i].samples, i == 0 ? reference : distorted, bytes);
        for (int s = 1; s < 4; s++)
            p.pairs[s][i] = plain_half(&p.pairs[s - 1][i], s, s == 1 ? f->bit_depth : 16);
    }
    for (int s = 0; s < 4; s++) {
        p.scales[s] = plain_scale(p.pairs[s], s, f->bit_depth, limit);
        for (int i = 0; i < p.pairs[s][0].width * p.pairs[s][0].height; i++) {
            const statistics *at = &p.scales[s][i];
            p.sums[s][0] += at->num;
            p.sums[s][1] += at->den;
            p.sums[s][2] += at->s1 < 131072 ? at->s2 : 0;
            p.sums[s][3] += at->s1 < 131072;
        }
    }
    return p;
}

static void plain_free(plain *p) {
    for (int s = 0; s < 4; s++) {
        free(p->scales[s]);
        free(p->pairs[s][0].samples);
        free(p->pairs[s][1].samples);
    }
}

/* ---- The kernels ---- */

static void check_sums(const plan_run *run, const char *level, const int64_t expected[4][VIF_SUMS]) {
    int scale = 0;
    for (uint32_t b = 0; b < run->plan.buffer_count; b++) {
        if (run->plan.buffers[b].kind != TY_BUFFER_PARTIALS)
            continue;
        const uint64_t *sums = (const void *)run->buffers[b];
        uint64_t total[VIF_SUMS] = {0};
        for (size_t i = 0; i < run->plan.buffers[b].bytes / sizeof *sums; i++)
            total[i % VIF_SUMS] += sums[i];
        for (int i = 0; i < VIF_SUMS; i++)
            if ((int64_t)total[i] != expected[scale][i])
                fail_msg("%ux%u, %u bits, level %s, scale %d, sum %d: %lld is not %lld",
                         run->layout.format.width, run->layout.format.height, run->layout.format.bit_depth,
                         level, scale, i, (long long)total[i], (long long)expected[scale][i]);
        scale++;
    }
    assert_int_equal(scale, 4);
}

/* Scales 1 to 3 of both pictures lie in the plan's scratch buffers, in this order. */
static void check_halves(const plan_run *run, const plain *p) {
    uint32_t number = 0;
    for (uint32_t b = 0; b < run->plan.buffer_count; b++) {
        if (run->plan.buffers[b].kind != TY_BUFFER_SCRATCH)
            continue;
        const plane *half = &p->pairs[1 + number / 2][number % 2];
        const size_t stride = run->plan.buffers[b].bytes / sizeof(uint16_t) / (size_t)half->height;
        for (int y = 0; y < half->height; y++)
            for (int x = 0; x < half->width; x++)
                assert_int_equal(
                    ((const uint16_t *)(const void *)run->buffers[b])[(size_t)y * stride + (size_t)x],
                    half->samples[y * half->width + x]);
        number++;
    }
    assert_int_equal(number, 6);
}

static void check_level(const char *request, const tally_format *f, const uint16_t *reference,
                        const uint16_t *distorted, const char *level, const plain *p,
                        const int64_t expected[4][VIF_SUMS]) {
    plan_run run;
    assert_true(plan_run_init(&run, request, f));
    void *r = luma_plane(f, reference), *d = luma_plane(f, distorted);
    const void *const planes[2][3] = {{r}, {d}};
    plan_run_frame(&run, level, planes, 0x5a);
    assert_true(plan_run_damaged(&run) == UINT32_MAX);
    check_sums(&run, level, expected);
    if (p)
        check_halves(&run, p);
    plan_run_free(&run);
    free(r);
    free(d);
}

static void check_pictures(tally_format f, uint32_t kind, uint64_t *seed) {
    const size_t count = (size_t)f.width * f.height;
    uint16_t *reference = calloc(count, sizeof *reference), *distorted = calloc(count, sizeof *distorted);
    luma_fill(&f, reference, kind, seed);
    luma_fill(&f, distorted, kind == 3 ? 2 : kind, seed);
    for (size_t i = 0; i < count && kind == 2; i++) /* the same, less contrast or more, a little noise */
        distorted[i] =
            (uint16_t)((reference[i] * (*seed % 2 ? 3u : 1u) + i * 7 % 5) / (*seed % 2 ? 4u : 1u)) &
            (uint16_t)((1u << f.bit_depth) - 1);
    const bool limited = (kind + f.width) % 2;
    plain p = plain_of(&f, reference, distorted, limited ? 1.0 : 100.0);
    for (const ty_level *level = ty_levels; level->name; level++)
        if (level->usable())
            check_level(limited ? "vif=vif_enhn_gain_limit=1" : "vif", &f, reference, distorted, level->name,
                        &p, (const int64_t(*)[VIF_SUMS])p.sums);
    plain_free(&p);
    free(reference);
    free(distorted);
}

static void the_kernels_are_the_spec(void **state) {
    (void)state;
    /* Around the tiles of every scale, and the smallest. */
    static const uint32_t widths[] = {16, 17, 31, 33, 129, 239, 240, 241, 255, 256, 257, 263, 481, 511, 515};
    static const uint32_t heights[] = {16, 17, 23, 39};
    uint64_t seed = 3;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (uint32_t kind = 0; kind < 4; kind++)
            check_pictures((tally_format){widths[w], heights[(w + kind) % 4],
                                          8 + (uint32_t)(4 * w + kind) % 9, TALLY_PIXEL_FORMAT_400},
                           kind, &seed);
    for (uint32_t kind = 0; kind < 4; kind++)
        check_pictures((tally_format){271, 34, 8, TALLY_PIXEL_FORMAT_400}, kind, &seed);
}

/* ---- Figures of the spec, section 7 ---- */

static void fill_stage32(uint32_t depth, uint16_t *reference, uint16_t *distorted) {
    for (uint32_t y = 0, i = 0; y < 32; y++)
        for (uint32_t x = 0; x < 32; x++, i++) {
            const uint32_t r = stage32_sample(0, x, y);
            const uint32_t d = (3 * r + (7 * x + 5 * y) % 61 + 2) / 4;
            reference[i] = (uint16_t)(depth == 8 ? r : 4 * r + (x + 2 * y) % 4);
            distorted[i] = (uint16_t)(depth == 8 ? d : 4 * d + (x + 2 * y) % 4);
        }
}

static void sums_of_stage32(void **state) {
    (void)state;
    static const int64_t expected[2][4][VIF_SUMS] = {{{13897154, 22603145, 17310748, 16},
                                                      {1678045, 2415876, 346480, 2},
                                                      {413575, 513975, 0, 0},
                                                      {106563, 127166, 72370, 2}},
                                                     {{13895323, 22602668, 17251597, 16},
                                                      {1678626, 2416518, 333012, 2},
                                                      {413502, 513444, 0, 0},
                                                      {106905, 127358, 72358, 2}}};
    for (int i = 0; i < 2; i++) {
        const tally_format f = {32, 32, 8 + 2 * (uint32_t)i, TALLY_PIXEL_FORMAT_400};
        uint16_t reference[32 * 32], distorted[32 * 32];
        fill_stage32(f.bit_depth, reference, distorted);
        for (const ty_level *level = ty_levels; level->name; level++)
            if (level->usable())
                check_level("vif", &f, reference, distorted, level->name, NULL, expected[i]);
    }
}

static tally_run *stage32_run(const char *feature) {
    const tally_format f = {32, 32, 8, TALLY_PIXEL_FORMAT_400};
    uint16_t reference[32 * 32], distorted[32 * 32];
    fill_stage32(8, reference, distorted);
    return luma_pair_run(feature, &f, reference, distorted);
}

static void scores_of_stage32(void **state) {
    (void)state;
    tally_run *run = stage32_run("vif=debug=true");
    assert_same_double(score_of(run, "integer_vif_scale0", 0), 0x1.3b1442p-1);
    assert_same_double(score_of(run, "integer_vif_scale1", 0), 0x1.63e51ep-1);
    assert_same_double(score_of(run, "integer_vif_scale2", 0), 0x1.9bfc5ep-1);
    assert_same_double(score_of(run, "integer_vif_scale3", 0), 0x1.afa2aep-1);
    assert_same_double(score_of(run, "integer_vif", 0), 0x1.41749bd671ep-1);
    assert_same_double(score_of(run, "integer_vif_num_scale0", 0), 6801.70361328125);
    assert_same_double(score_of(run, "integer_vif_den_scale3", 0), 64.0927734375);
    assert_true(tally_run_metric_count(run) == 15);
    tally_run_destroy(run);
}

static void a_skipped_scale0(void **state) {
    (void)state;
    tally_run *run = stage32_run("vif=debug=true:vif_skip_scale0=true:vif_enhn_gain_limit=1.5");
    assert_same_double(score_of(run, "integer_vif_scale0_egl_1.5_ssclz", 0), 0.0);
    assert_same_double(score_of(run, "integer_vif_num_scale0_egl_1.5_ssclz", 0), 0.0);
    assert_same_double(score_of(run, "integer_vif_den_scale0_egl_1.5_ssclz", 0), -1.0);
    assert_same_double(score_of(run, "integer_vif_den_egl_1.5_ssclz", 0),
                       (1181.626953125 + 250.96435546875) + 64.0927734375);
    assert_string_equal(tally_run_metric_name(run, 4), "integer_vif_egl_1.5_ssclz");
    tally_run_destroy(run);
}

/* Every figure of the file of stages, which also proves the plain reading. */
static void steps_of_stage32(void **state) {
    (void)state;
    const tally_format f = {32, 32, 8, TALLY_PIXEL_FORMAT_400};
    FILE *file = open_stage("vif_stage32.csv");
    uint16_t reference[32 * 32], distorted[32 * 32];
    fill_stage32(8, reference, distorted);
    plain p = plain_of(&f, reference, distorted, 100.0);
    unsigned lines = 0;
    long long v[17];
    while (file &&
           fscanf(file,
                  "%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld",
                  &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9], &v[10], &v[11],
                  &v[12], &v[13], &v[14], &v[15], &v[16]) == 17) {
        const plane *pair = p.pairs[v[0]];
        const statistics *at = &p.scales[v[0]][v[1] * pair->width + v[2]];
        const int64_t mine[14] = {(int64_t)sample_at(&pair[0], (int)v[2], (int)v[1]),
                                  (int64_t)sample_at(&pair[1], (int)v[2], (int)v[1]),
                                  (int64_t)at->mean[0],
                                  (int64_t)at->mean[1],
                                  (int64_t)at->moment[0],
                                  (int64_t)at->moment[1],
                                  (int64_t)at->moment[2],
                                  at->s1,
                                  at->s2,
                                  at->s12,
                                  at->sv,
                                  at->w,
                                  at->num,
                                  at->den};
        for (int i = 0; i < 14; i++)
            assert_true(mine[i] == v[3 + i]);
        lines++;
    }
    assert_true(!file || lines == 1024 + 256 + 64 + 16);
    plain_free(&p);
    if (file)
        fclose(file);
}

/* Runs one frame of a synthetic clip. */
static void run_synthetic(plan_run *run, const synth_clip *clip, uint32_t frame) {
    void *planes[2][3] = {{NULL}};
    assert_true(plan_run_init(run, "vif", &clip->format));
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t p = 0; p < run->layout.planes; p++)
            planes[i][p] = malloc(run->layout.plane_bytes[p]);
        synth_picture(clip, &run->layout, i == 1, frame, planes[i]);
    }
    plan_run_frame(run, "auto", (const void *const(*)[3])planes, 0x5a);
    for (uint32_t i = 0; i < 6; i++)
        free(planes[i / 3][i % 3]);
}

static void sums_of_the_synthetic_clips(void **state) {
    (void)state;
    FILE *file = open_stage("vif_accumulators.csv");
    char name[64];
    unsigned frame, scale, checked = 0;
    int64_t expected[4][VIF_SUMS];
    long long v[VIF_SUMS];
    while (file && fscanf(file, "%63[^,],%u,%u,%lld,%lld,%lld,%lld\n", name, &frame, &scale, &v[0], &v[1],
                          &v[2], &v[3]) == 7) {
        const synth_clip *clip = synth_find(name);
        for (int i = 0; i < VIF_SUMS; i++)
            expected[scale][i] = v[i];
        if (!clip || scale < 3)
            continue;
        plan_run run;
        run_synthetic(&run, clip, frame);
        check_sums(&run, "auto", (const int64_t(*)[VIF_SUMS])expected);
        plan_run_free(&run);
        checked++;
    }
    assert_true(!file || checked == 30);
    if (file)
        fclose(file);
}

static void flat_pictures(void **state) {
    (void)state;
    tally_run *run = flat_run("vif=debug=true", &(tally_format){64, 48, 8, TALLY_PIXEL_FORMAT_420}, 90, 180);
    for (int s = 0; s < 4; s++) {
        char name[64];
        snprintf(name, sizeof name, "integer_vif_scale%d", s);
        assert_same_double(score_of(run, name, 0), 1.0);
        snprintf(name, sizeof name, "integer_vif_den_scale%d", s);
        assert_same_double(score_of(run, name, 0), (double)(64 * 48 >> 2 * s));
    }
    tally_run_destroy(run);
}

/* ---- The table of logs, spec 4.4 ---- */

static void the_table_of_logs(void **state) {
    (void)state;
    uint64_t sum = 0, hash = UINT64_C(0xcbf29ce484222325);
    uint32_t entries[VIF_LOG_ENTRIES];
    ty_vif_log_table(entries);
    for (uint32_t i = 32768; i < 65536; i++) {
        const uint32_t value = ty_vif_log_value(i);
        const uint32_t entry = entries[i / 16 - 2048], place = i % 16;
        assert_true((entry & 0xffff) + (place >= (entry >> 16 & 31)) + (place >= (entry >> 21 & 31)) ==
                    value);
        sum += value;
        hash = (hash ^ (value & 255)) * UINT64_C(0x100000001b3);
        hash = (hash ^ value >> 8) * UINT64_C(0x100000001b3);
    }
    assert_true(sum == 1044032097);
    assert_true(hash == UINT64_C(0xd6509fd850265c09));
    assert_true(ty_vif_log_value(32768) == 30720 && ty_vif_log_value(65535) == 32768);
}

/* ---- The two forms of the gain ---- */

static void check_gain(int64_t s1, int64_t s2, int64_t s12, double limit) {
    assert_true(gains_agree(s1, s2, s12, limit));
}

/* g * s12 a hair above a whole number, where s2 - g * s12 rounds up to the next one: s12^2 = whole * s1 + r
 * with whole close to r / 6.5536e-6. */
static unsigned hair_above(int64_t r, int64_t whole) {
    unsigned found = 0;
    const int64_t least = (int64_t)sqrt((double)whole * 131072.0) + 1;
    for (int64_t s12 = least; s12 < least + 400000; s12++) {
        if ((s12 * s12 - r) % whole != 0)
            continue;
        const int64_t s1 = (s12 * s12 - r) / whole;
        for (int digits = 1; digits < 30 && s1 < 1 << 30; digits++)
            for (int64_t more = -1; more <= 1; more++)
                check_gain(s1, whole + (INT64_C(1) << digits) + more, s12, 100.0);
        found++;
    }
    return found;
}

static void noise_that_rounds_up(void **state) {
    (void)state;
    unsigned found = 0;
    for (int64_t r = 1; r <= 64; r *= 2)
        for (int64_t more = -3; more <= 3; more++)
            found += hair_above(r, (int64_t)(152587.890625 * (double)r) + more);
    assert_true(found > 20);
}

/* Random factors, and factors with few digits set, whose products lie halfway between two numbers. */
static void products_round_as_doubles_do(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (uint32_t i = 0; i < 2000000; i++) {
        const uint32_t cut = i % 53;
        const uint64_t random = (uint64_t)luma_random(&seed) << 31 | luma_random(&seed);
        const uint64_t a = UINT64_C(1) << 52 | (random >> 10 >> cut << cut);
        const uint64_t b =
            i % 2 ? (uint64_t)1 + luma_random(&seed) : UINT64_C(1) << 52 | (uint64_t)luma_random(&seed) << 21;
        const ty_gain_number product = ty_gain_product(a, b, 0);
        assert_same_double(ldexp((double)product.mantissa, product.exponent), (double)a * (double)b);
        assert_true(product.mantissa >= UINT64_C(1) << 52 && product.mantissa <= UINT64_C(1) << 53);
    }
}

static void the_forms_of_the_gain_agree(void **state) {
    (void)state;
    static const double limits[] = {100.0, 1.0, 1.2, 1.5, 2.0, 0x1.fffffffffffffp0, 0x1.0000000000001p1};
    enum { LIMITS = sizeof limits / sizeof limits[0] };
    assert_int_equal(kernel_pair_differ(kernel_pair_find("gain"), 8000000, 5), 0);
    for (int e = 17; e < 30; e++) /* powers of two and their neighbours */
        for (int f = 0; f < 30; f++)
            for (int k = 0; k < 27; k++) {
                const int64_t s1 = (INT64_C(1) << e) + k / 9, s12 = (INT64_C(1) << f) - 1 + k / 3 % 3;
                const int64_t s2 = s12 * s12 / s1 - 1 + k % 3;
                if (s12 > 0 && s2 > 0 && s2 < (1 << 30))
                    check_gain(s1, s2, s12, limits[k % LIMITS]);
            }
    check_gain(131072, 5, 0, 100.0);
    check_gain(131072, 0, 0, 100.0);
}

/* ---- Refusals ---- */

static void refusals(void **state) {
    (void)state;
    assert_refused("vif", &(tally_format){15, 64, 8, TALLY_PIXEL_FORMAT_420},
                   (const char *const[]){"vif", "15x64", "16x16", NULL});
    assert_refused("vif", &(tally_format){64, 15, 10, TALLY_PIXEL_FORMAT_444},
                   (const char *const[]){"vif", "64x15", "16x16", NULL});
    static const char *const wrong[] = {"vif=vif_enhn_gain_limit=nan", "vif=vif_enhn_gain_limit=0.99",
                                        "vif=vif_enhn_gain_limit=101", "vif=vif_skip_scale0=1", "vif=egl=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tally_run *run;
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        assert_int_equal(tally_run_add_feature(run, wrong[i]), TALLY_USAGE);
        tally_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernels_are_the_spec),
        cmocka_unit_test(sums_of_stage32),
        cmocka_unit_test(scores_of_stage32),
        cmocka_unit_test(a_skipped_scale0),
        cmocka_unit_test(steps_of_stage32),
        cmocka_unit_test(sums_of_the_synthetic_clips),
        cmocka_unit_test(flat_pictures),
        cmocka_unit_test(the_table_of_logs),
        cmocka_unit_test(the_forms_of_the_gain_agree),
        cmocka_unit_test(noise_that_rounds_up),
        cmocka_unit_test(products_round_as_doubles_do),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
