/* ssim: its kernel at every level against a plain reading of the spec, the spec's figures, sizes, depths. */
#include "formula_run.h"
#include "luma_run.h"

#include "backends/cpu/levels.h"
#include "features/ssim/stages.h"
#include "plan_run.h"

enum { MOST = 160 * 160 };

static uint16_t samples_r[MOST], samples_d[MOST];

/* ---- A plain reading of the spec, section 4.4 ---- */

typedef struct moments {
    int64_t n, x, y, xx, xy, yy;
} moments;

static moments moments_at(const tally_format *f, int x, int y) {
    static const int64_t k[] = {2, 9, 28, 55, 68, 55, 28, 9, 2};
    const int w = (int)f->width, h = (int)f->height;
    moments m = {0};
    for (int j = 0; j < 9; j++)
        for (int i = 0; i < 9; i++) {
            const int column = x + i - 4, row = y + j - 4;
            if (column < 0 || column >= w || row < 0 || row >= h)
                continue;
            const int64_t weight = k[i] * k[j], r = samples_r[row * w + column],
                          d = samples_d[row * w + column];
            m.n += weight;
            m.x += weight * r;
            m.y += weight * d;
            m.xx += weight * r * r;
            m.xy += weight * r * d;
            m.yy += weight * d * d;
        }
    return m;
}

static double term_of(const moments *m, uint32_t depth) {
    const int64_t peak = (1 << depth) - 1;
    const double p2 = (double)(peak * peak), k1 = 0x1.a36e2eb1c432dp-14, k2 = 0x1.d7dbf487fcb92p-11;
    const double n = (double)m->n, x = (double)m->x, y = (double)m->y;
    const double c1 = ((p2 * k1) * n) * n, c2 = ((p2 * k2) * n) * n;
    const double xx = x * x, xy = x * y, yy = y * y;
    const double num = (n * (2 * xy + c1)) * (c2 + 2 * ((double)m->xy * n - xy));
    const double den = ((xx + yy) + c1) * (((((double)m->xx * n - xx) + (double)m->yy * n) - yy) + c2);
    return num / den;
}

static double plain_score(const tally_format *f) {
    double sum = 0, weights = 0;
    for (int y = 0; y < (int)f->height; y++)
        for (int x = 0; x < (int)f->width; x++) {
            const moments m = moments_at(f, x, y);
            sum += term_of(&m, f->bit_depth);
            weights += (double)m.n;
        }
    return sum / weights;
}

/* ---- The kernel and the score ---- */

static double score_now(const tally_format *f) {
    tally_run *run = luma_pair_run("ssim", f, samples_r, samples_d);
    const double score = score_of(run, "ssim", 0);
    tally_run_destroy(run);
    return score;
}

static void check_terms(const tally_format *f, const char *level) {
    plan_run run;
    void *pictures[2] = {luma_plane(f, samples_r), luma_plane(f, samples_d)};
    const void *const planes[2][3] = {{pictures[0]}, {pictures[1]}};
    assert_true(plan_run_init(&run, "ssim", f));
    plan_run_frame(&run, level, planes, 0xff);
    assert_true(plan_run_damaged(&run) == UINT32_MAX);
    for (uint32_t b = 0; b < run.plan.buffer_count; b++) {
        if (run.plan.buffers[b].kind != TY_BUFFER_PARTIALS)
            continue;
        const double *terms = (const double *)(const void *)run.buffers[b];
        for (uint32_t y = 0; y < f->height; y++)
            for (uint32_t x = 0; x < f->width; x++) {
                const moments m = moments_at(f, (int)x, (int)y);
                const double got = terms[y * SSIM_FIXED_PITCH(f->width) + x];
                if (bits_of_double(got) != bits_of_double(term_of(&m, f->bit_depth)))
                    fail_msg("%ux%u, %u bits, level %s, %u,%u: %a, not %a", f->width, f->height, f->bit_depth,
                             level, x, y, got, term_of(&m, f->bit_depth));
            }
    }
    plan_run_free(&run);
    free(pictures[0]);
    free(pictures[1]);
}

static void check(const tally_format *f) {
    for (const ty_level *level = ty_levels; level->name; level++)
        if (level->usable())
            check_terms(f, level->name);
    assert_same_double(score_now(f), plain_score(f));
}

/* Sides around the reach of the window and the edges of tiles; all depths; noise, extremes, slopes, flat
 * pictures. */
static void terms_are_the_spec(void **state) {
    (void)state;
    static const uint32_t sides[] = {1,  2,  3,  4,  5,  8,  9,  10,  33,  60, 63,
                                     64, 65, 67, 68, 69, 72, 73, 127, 129, 133};
    enum { SIDES = sizeof sides / sizeof sides[0] };
    uint64_t seed = 11;
    for (uint32_t i = 0; i < SIDES; i++)
        for (uint32_t n = 0; n < 5; n++) {
            const tally_format f = {sides[i], sides[(i * 8 + n * 5) % SIDES], 8 + (i + n * 2) % 9,
                                    TALLY_PIXEL_FORMAT_400};
            luma_fill(&f, samples_r, (n + i) % 4, &seed);
            luma_fill(&f, samples_d, n == 4 ? 1 : (n + i) % 4, &seed);
            check(&f);
        }
}

/* The largest sums there are: all samples at the peak, and one picture at 0. */
static void peaks_are_the_spec(void **state) {
    (void)state;
    for (uint32_t depth = 8; depth <= 16; depth++)
        for (uint32_t n = 0; n < 3; n++) {
            const tally_format f = {75, 20, depth, TALLY_PIXEL_FORMAT_400};
            for (uint32_t i = 0; i < f.width * f.height; i++) {
                samples_r[i] = (uint16_t)(n == 1 ? 0 : (1u << depth) - 1);
                samples_d[i] = (uint16_t)(n == 2 ? 0 : (1u << depth) - 1);
            }
            check(&f);
        }
}

static void equal_pictures_score_one(void **state) {
    (void)state;
    uint64_t seed = 2;
    const tally_format f = {40, 30, 8, TALLY_PIXEL_FORMAT_400};
    luma_fill(&f, samples_r, 0, &seed);
    memcpy(samples_d, samples_r, sizeof samples_d);
    assert_same_double(score_now(&f), 1.0);
}

/* Sums of squares beyond 2^31, where the reference's source wraps (spec: values for information only). */
static void nothing_wraps(void **state) {
    (void)state;
    const tally_format f = {20, 20, 16, TALLY_PIXEL_FORMAT_400};
    for (uint32_t i = 0; i < 400; i++) {
        samples_r[i] = (uint16_t)(60000 + i * 7 % 64);
        samples_d[i] = (uint16_t)(60000 + i * 5 % 64);
    }
    const double score = score_now(&f);
    assert_true(score > 0.99 && score < 1);
    assert_same_double(score, plain_score(&f));
}

/* ---- Figures of the spec, section 7 ---- */

static const tally_format format16 = {16, 16, 8, TALLY_PIXEL_FORMAT_400};

static void spec_pictures(void) {
    for (uint32_t y = 0, i = 0; y < 16; y++)
        for (uint32_t x = 0; x < 16; x++, i++) {
            samples_r[i] = (uint16_t)((7 * x + 13 * y + 5 * (x * y % 11)) % 256);
            samples_d[i] = (uint16_t)((15 * samples_r[i] + 16 * ((x + 2 * y) % 5)) / 16);
        }
}

static void figures_of_the_spec(void **state) {
    (void)state;
    spec_pictures();
    const moments m = moments_at(&format16, 1, 0);
    assert_true(m.n == 35154 && m.x == 976243 && m.y == 967686);
    assert_true(m.xx == 46020263 && m.xy == 44765579 && m.yy == 43627822);
    assert_same_double(term_of(&m, 8), 0x1.11cc91bcf892fp+15);
    assert_same_double(score_now(&format16), 0.99559775290331121);
    check(&format16);
}

static void moments_of_the_instrumented_reference(void **state) {
    (void)state;
    FILE *file = open_stage("ssim_fixed16.csv");
    char line[512], term[64];
    unsigned lines = 0;
    spec_pictures();
    while (file && fgets(line, sizeof line, file)) {
        int x, y;
        long n, r, d, rr, rd, dd;
        assert_int_equal(
            sscanf(line, "%d,%d,%ld,%ld,%ld,%ld,%ld,%ld,%63s", &x, &y, &n, &r, &d, &rr, &rd, &dd, term), 9);
        const moments m = moments_at(&format16, x, y);
        assert_true(m.n == n && m.x == r && m.y == d && m.xx == rr && m.xy == rd && m.yy == dd);
        assert_same_double(term_of(&m, 8), strtod(term, NULL));
        lines++;
    }
    assert_true(!file || lines == 256);
    if (file)
        fclose(file);
}

static void refusals(void **state) {
    (void)state;
    static const char *const wrong[] = {"ssim=scale=1", "ssim=enable_db=true"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tally_run *run;
        assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
        assert_int_equal(tally_run_add_feature(run, wrong[i]), TALLY_USAGE);
        tally_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_the_spec),
        cmocka_unit_test(peaks_are_the_spec),
        cmocka_unit_test(equal_pictures_score_one),
        cmocka_unit_test(nothing_wraps),
        cmocka_unit_test(figures_of_the_spec),
        cmocka_unit_test(moments_of_the_instrumented_reference),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("ssim", tests, NULL, NULL);
}
