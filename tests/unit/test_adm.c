/* adm against the figures of its specification: weights, one picture stage by stage, pictures that spring each trap, and
 * what is refused. With TALLY_TEST_DATA set, also against the files golden/stages/adm_*.csv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adm_pairs.h"

#include "features/adm/csf.h"
#include "features/adm/roots.h"
#include "features/adm/geometry.h"
#include "features/adm/stages.h"

#include "features/adm/tile.h"

#include "features/adm/bands16.h"
#include "features/adm/bands32.h"
#include "plan_run.h"

static const char *const levels[] = {"scalar", "v2", "v3", "v4", "neon"};

static bool usable(const char *level) { return tally_level_usable(level); }

/* ---- Weights ------------------------------------------------------------------------------------------------------ */

typedef struct weight_case {
    int mode;
    double distance;
    int height;
    uint32_t level;
    float hv, d;
    uint32_t fixed_hv, fixed_d;
} weight_case;

static void weights_are_the_specified_ones(void **state) {
    (void)state;
    static const weight_case cases[] = {
        {0, 3, 1080, 0, 0x1.1cc774p-6f, 0x1.820d54p-8f, 36453, 49417},
        {0, 3, 1080, 1, 0x1.06050cp-5f, 0x1.d48d46p-7f, 137373792, 61414028},
        {0, 3, 1080, 2, 0x1.634f1p-5f, 0x1.8fb80cp-6f, 186284160, 104783920},
        {0, 3, 1080, 3, 0x1.762816p-5f, 0x1.008392p-5f, 196165808, 134487184},
        {0, 1.5, 2160, 0, 0x1.1cc774p-6f, 0x1.820d54p-8f, 36453, 49417},
        {0, 5, 1080, 0, 0x1.c0364ep-8f, 0x1.0ad7fep-9f, 14342, 17077},
        {0, 5, 1080, 1, 0x1.dbf058p-7f, 0x1.75c678p-8f, 62382256, 24495736},
        {0, 5, 1080, 2, 0x1.746c1p-6f, 0x1.700066p-7f, 97628224, 48234700},
        {0, 5, 1080, 3, 0x1.c49c48p-6f, 0x1.108d0ep-6f, 118649120, 71447608},
        {1, 3, 1080, 0, 0x1.35e31ap+0f, 0x1.35e31ap+0f, 48227, 61837},
        {1, 3, 1080, 1, 0x1.42b3c6p+2f, 0x1.42b3c6p+2f, 181344256, 181344256},
        {1, 3, 1080, 2, 0x1.d410eap+3f, 0x1.d410eap+3f, 2693222400u, 2693222400u},
        {1, 3, 1080, 3, 0x1.af9d36p+4f, 0x1.af9d36p+4f, 4191379456u, 4191379456u},
        {2, 3, 1080, 0, 0.01183f, 0.004302f, 24809, 36087},
        {2, 1.5, 2160, 3, 0.058621f, 0.035901f, 251775280, 154193616},
        {3, 3, 1080, 0, 0.011249f, 0.004097f, 23590, 34368},
        {3, 3, 1080, 1, 0.022606f, 0.010921f, 97092032, 46905336},
        {3, 3, 1080, 3, 0.045673f, 0.031313f, 196164048, 134488304}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const weight_case *c = &cases[i];
        const adm_weights w = adm_find_weights(c->mode, (adm_view){c->distance, c->height}, c->level, 1, 1);
        assert_true(w.hv == c->hv);
        assert_true(w.d == c->d);
        assert_int_equal(w.fixed_hv, c->fixed_hv);
        assert_int_equal(w.fixed_d, c->fixed_d);
    }
}

/* ---- Roots -------------------------------------------------------------------------------------------------------- */

static void sums_round_once_or_twice_by_level(void **state) {
    (void)state;
    const int64_t sum = (INT64_C(1) << 55) + (INT64_C(1) << 31) + 1; /* just above a midpoint of floats */
    assert_true(adm_cubic_energy(sum, 0, 0) == 0x1p+55f);
    assert_true(adm_cubic_energy(sum, 0, 1) == 0x1.000002p+55f);
    assert_true(adm_cubic_energy(-sum, 3, 3) == -0x1.000002p+52f);
}

static void roots_are_powers_of_a_float(void **state) {
    (void)state;
    assert_true(adm_root(0.0f) == 0.0f);
    assert_true(adm_root(2.0f) == 0x1.428a3p+0f);
    assert_true(adm_root(8.0f) == 2.0f);
    assert_true(adm_root(1000.0f) == 0x1.400002p+3f);
    assert_true(isnan(adm_root(-1.0f)));
}

/* ---- Products ----------------------------------------------------------------------------------------------------- */

static void integer_forms_equal_double_forms(void **state) {
    (void)state;
    assert_true(adm_differing_pairs(1000000, 20240607) == 0);
    for (int h = -12; h <= 12; h++)
        for (int v = -12; v <= 12; v++)
            for (int th = -12; th <= 12; th++)
                for (int tv = -12; tv <= 12; tv++)
                    assert_true(adm_angle_agrees(h * th + v * tv, h * h + v * v, th * th + tv * tv));
    assert_int_equal(adm_gain_integer(5, (uint64_t)ldexp(1.2, 52), 52, 100), 6); /* 1.2 is stored below 1.2 */
}

static void reciprocals_are_whole_quotients(void **state) {
    (void)state;
    for (uint32_t u = 1; u <= 32768; u++)
        assert_int_equal(adm_reciprocal(u), (1u << 30) / u);
    for (uint32_t bits = 0; bits < 32; bits++) {
        const uint32_t expected = bits > 15 ? bits - 15 : 0;
        assert_int_equal(adm_bits_above_15(bits ? 1u << (bits - 1) : 0), expected);
        assert_int_equal(adm_bits_above_15((uint32_t)((UINT64_C(1) << bits) - 1)), expected);
        assert_int_equal(adm_bit_length((UINT64_C(1) << bits) - 1), bits);
        assert_int_equal(adm_bit_length(((UINT64_C(1) << bits) - 1) << 32), bits ? bits + 32 : 0);
    }
}

/* ---- Pictures ----------------------------------------------------------------------------------------------------- */

/* The 48 x 36 picture of the specification's stage vectors. */
enum { STAGE_WIDTH = 48, STAGE_HEIGHT = 36 };

static int stage_reference(int x, int y) {
    return (7 * x + 13 * y + 4 * ((x * y) % 31) + (x + y >= 40 ? 70 : 0)) % 256;
}

static int clamped(int value, int peak) { return value < 0 ? 0 : value > peak ? peak : value; }

static void stage_pictures(uint8_t *reference, uint8_t *distorted) {
    for (int y = 0; y < STAGE_HEIGHT; y++)
        for (int x = 0; x < STAGE_WIDTH; x++) {
            const int right = stage_reference(x + 1 < STAGE_WIDTH ? x + 1 : x, y);
            const int blurred = (3 * stage_reference(x, y) + right + 2) / 4;
            reference[y * STAGE_WIDTH + x] = (uint8_t)stage_reference(x, y);
            distorted[y * STAGE_WIDTH + x] = (uint8_t)clamped(blurred + (5 * x + 3 * y) % 7 - 3, 255);
        }
}

/* A picture made by formula, as golden/stages/adm_formula_scores.csv describes it. */
typedef struct formula_picture {
    uint32_t seed;
    int kind, distorted_kind, bits, width, height;
} formula_picture;

static uint32_t mix(uint32_t a) {
    a ^= a >> 16;
    a *= 0x7feb352du;
    a ^= a >> 15;
    a *= 0x846ca68bu;
    return a ^ (a >> 16);
}

static uint32_t noise(int x, int y, uint32_t seed) {
    return mix((uint32_t)x + 4099u * (uint32_t)y + 3000000019u * seed);
}

static int formula_reference(const formula_picture *p, int x, int y) {
    const int peak = (1 << p->bits) - 1;
    const uint32_t v = noise(x, y, 2 * p->seed);
    switch (p->kind) {
    case 0: return (int)(v & (uint32_t)peak);
    case 1: return v % 2 ? peak : 0;
    case 2: return v % 50 ? 0 : peak;
    case 3: return (x / 8 + y / 8) % 2 ? peak : 0;
    case 4: return (5 * x + 3 * y) % 256 * (peak / 255);
    default: return peak / 2;
    }
}

static int formula_distorted(const formula_picture *p, int x, int y) {
    const int peak = (1 << p->bits) - 1, c = formula_reference(p, x, y);
    const uint32_t v = noise(x, y, 2 * p->seed + 1);
    const int left = formula_reference(p, x > 0 ? x - 1 : x, y);
    const int right = formula_reference(p, x + 1 < p->width ? x + 1 : x, y);
    switch (p->distorted_kind) {
    case 0: return c;
    case 1: return (left + 2 * c + right + 2) / 4;
    case 2: return c / 2 + peak / 4;
    case 3: return clamped(c + (int)(v % (uint32_t)(peak / 8 + 1)) - peak / 16, peak);
    case 4: return clamped(5 * c / 4, peak);
    default: return (int)(v & (uint32_t)peak);
    }
}

static void store_sample(const formula_picture *p, void *plane, int x, int y, int value) {
    const size_t at = (size_t)y * (size_t)p->width + (size_t)x;
    if (p->bits > 8)
        ((uint16_t *)plane)[at] = (uint16_t)value;
    else
        ((uint8_t *)plane)[at] = (uint8_t)value;
}

static tally_format luma(int width, int height, int bits) {
    return (tally_format){(uint32_t)width, (uint32_t)height, (uint32_t)bits, TALLY_PIXEL_FORMAT_400};
}

/* Scores one pair of pictures. On success the caller destroys *run. */
static tally_status score(const char *request, const char *level, const tally_format *format, const void *reference,
                          const void *distorted, tally_run **run) {
    const ptrdiff_t stride = (ptrdiff_t)format->width * (format->bit_depth > 8 ? 2 : 1);
    const tally_picture r = {{reference}, {stride}}, d = {{distorted}, {stride}};
    const tally_config config = {.threads = 2, .level = level};
    assert_int_equal(tally_run_create(&config, run), TALLY_OK);
    tally_status status = tally_run_add_feature(*run, request);
    if (status == TALLY_OK)
        status = tally_run_start(*run, format);
    if (status == TALLY_OK)
        status = tally_run_submit(*run, &r, &d);
    if (status == TALLY_OK)
        status = tally_run_finish(*run);
    return status;
}

static tally_status score_formula(const formula_picture *p, const char *options, const char *level, tally_run **run) {
    char request[256];
    snprintf(request, sizeof request, "adm=debug=true%s%s", options[0] ? ":" : "", options);
    const tally_format format = luma(p->width, p->height, p->bits);
    void *reference = calloc((size_t)p->width * (size_t)p->height, 2);
    void *distorted = calloc((size_t)p->width * (size_t)p->height, 2);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            store_sample(p, reference, x, y, formula_reference(p, x, y));
            store_sample(p, distorted, x, y, formula_distorted(p, x, y));
        }
    const tally_status status = score(request, level, &format, reference, distorted, run);
    free(reference);
    free(distorted);
    return status;
}

static double metric(const tally_run *run, size_t index) {
    double value;
    assert_int_equal(tally_run_score(run, tally_run_metric_name(run, index), 0, &value), TALLY_OK);
    return value;
}

/* ---- Stages ------------------------------------------------------------------------------------------------------- */

/* Buffers of the plan, in the order in which adm's plan adds them. */
typedef struct stage_buffers {
    const uint8_t *low[ADM_LEVELS], *detail[ADM_LEVELS], *rows[ADM_LEVELS];
} stage_buffers;

static stage_buffers find_buffers(const plan_run *run) {
    stage_buffers found = {0};
    uint32_t scratch = 0, partials = 0;
    for (uint32_t b = 0; b < run->plan.buffer_count; b++) {
        if (run->plan.buffers[b].kind == TY_BUFFER_PARTIALS)
            found.rows[partials++] = run->buffers[b];
        if (run->plan.buffers[b].kind == TY_BUFFER_SCRATCH) {
            *(scratch % 2 ? &found.detail[scratch / 2] : &found.low[scratch / 2]) = run->buffers[b];
            scratch++;
        }
    }
    assert_int_equal(partials, ADM_LEVELS);
    assert_int_equal(scratch, 2 * ADM_LEVELS);
    return found;
}

/* One coefficient; band: 'a', 'h', 'v', 'd'. Bands of the 48 x 36 picture are stored whole, 32 columns to a row. */
static int64_t coefficient(const stage_buffers *b, int level, int picture, char band, int y, int x) {
    const int rows[] = {18, 9, 5, 3}, at = y * 32 + x, plane = 32 * rows[level];
    if (band == 'a')
        return ((const int32_t *)b->low[level])[picture * plane + at];
    const int index = (picture * 3 + (band == 'h' ? 0 : band == 'v' ? 1 : 2)) * plane + at;
    return level == 0 ? ((const int16_t *)b->detail[0])[index] : ((const int32_t *)b->detail[level])[index];
}

/* Counted rows start at row 1 at level 0 and at row 0 elsewhere; one group spans a row. kind: 0 den, 1 num, 2 aim. */
static uint64_t row_sum(const stage_buffers *b, int level, int kind, int c, int y) {
    const int first = level == 0 ? 1 : 0;
    return ((const uint64_t *)b->rows[level])[(y - first) * ADM_SUMS + kind * 3 + c];
}

static void run_stage_picture(plan_run *run, const char *request, const char *level) {
    static uint8_t reference[STAGE_WIDTH * STAGE_HEIGHT], distorted[STAGE_WIDTH * STAGE_HEIGHT];
    const tally_format format = luma(STAGE_WIDTH, STAGE_HEIGHT, 8);
    const void *const planes[2][3] = {{reference}, {distorted}};
    stage_pictures(reference, distorted);
    assert_true(plan_run_init(run, request, &format));
    plan_run_frame(run, level, planes, 0xc3);
    assert_int_equal(plan_run_damaged(run), UINT32_MAX);
}

static void stages_are_the_specified_ones(void **state) {
    (void)state;
    static const int ref_a[] = {-9464, -5833, -452, 6841, 3187, 7751, 3799, 10214, 5405, 4766};
    static const int ref_h[] = {0, 0, -496, 2710, -3336, 7401, -7698, 4522, 4256, -5877};
    static const int ref_v[] = {-505, 0, -496, 2710, -1883, 307, -830, -7456, 2272, 6539};
    static const int dis_h[] = {0, 222, -233, 1849, -2418, 6609, -7486, 6222, 1225, -2537};
    static const int ref_h1[] = {229144223, -41818988, 164480019, 18797537};
    static const int dis_h1[] = {156131175, -17142533, 161414436, 3053944};
    static const int ref_a3[] = {-164121158, 90881144, -69495450}, ref_h3[] = {95502865, 69353626, -34044083};
    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        if (!usable(levels[l]))
            continue;
        plan_run run;
        run_stage_picture(&run, "adm", levels[l]);
        const stage_buffers b = find_buffers(&run);
        for (int x = 0; x < 10; x++) {
            assert_int_equal(coefficient(&b, 0, 0, 'a', 2, x), ref_a[x]);
            assert_int_equal(coefficient(&b, 0, 0, 'h', 2, x), ref_h[x]);
            assert_int_equal(coefficient(&b, 0, 0, 'v', 2, x), ref_v[x]);
            assert_int_equal(coefficient(&b, 0, 1, 'h', 2, x), dis_h[x]);
        }
        for (int x = 0; x < 4; x++) {
            assert_int_equal(coefficient(&b, 1, 0, 'h', 3, x), ref_h1[x]);
            assert_int_equal(coefficient(&b, 1, 1, 'h', 3, x), dis_h1[x]);
        }
        for (int x = 0; x < 3; x++) {
            assert_int_equal(coefficient(&b, 3, 0, 'a', 0, x), ref_a3[x]);
            assert_int_equal(coefficient(&b, 3, 0, 'h', 0, x), ref_h3[x]);
        }
        assert_true(row_sum(&b, 0, 1, 0, 2) == UINT64_C(104090287461361289));
        plan_run_free(&run);
    }
}

static void stage_picture_scores_are_the_specified_ones(void **state) {
    (void)state;
    static uint8_t reference[STAGE_WIDTH * STAGE_HEIGHT], distorted[STAGE_WIDTH * STAGE_HEIGHT];
    static const double num[] = {23.431892395019531, 31.493120193481445, 47.749584197998047, 48.476703643798828};
    static const double den[] = {29.663497924804688, 35.173828125, 50.462741851806641, 50.736305236816406};
    const tally_format format = luma(STAGE_WIDTH, STAGE_HEIGHT, 8);
    tally_run *run;
    stage_pictures(reference, distorted);
    assert_int_equal(score("adm=debug=true", "auto", &format, reference, distorted, &run), TALLY_OK);
    assert_true(metric(run, 0) == 0.9103505308700045);
    assert_true(metric(run, 1) == 0.0064276724612702934);
    assert_true(metric(run, 2) == 0.9519614292043671);
    for (size_t level = 0; level < ADM_LEVELS; level++) {
        assert_true(metric(run, 10 + 2 * level) == num[level]);
        assert_true(metric(run, 11 + 2 * level) == den[level]);
    }
    tally_run_destroy(run);
    assert_int_equal(score("adm=adm_enhn_gain_limit=1.2", "auto", &format, reference, distorted, &run), TALLY_OK);
    assert_true(metric(run, 0) == 0.9102162760495075);
    assert_true(metric(run, 1) == 0.0064277762080699515);
    assert_string_equal(tally_run_metric_name(run, 0), "integer_adm2_egl_1.2");
    tally_run_destroy(run);
}

/* ---- Traps -------------------------------------------------------------------------------------------------------- */

typedef struct trap {
    formula_picture picture;
    const char *options;
    double adm2, aim, adm3;
} trap;

static const trap traps[] = {
#include "adm_traps.inc"
};

static void traps_are_avoided_at_every_level(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof traps / sizeof traps[0]; i++)
        for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
            tally_run *run;
            if (!usable(levels[l]))
                continue;
            assert_int_equal(score_formula(&traps[i].picture, traps[i].options, levels[l], &run), TALLY_OK);
            assert_true(metric(run, 0) == traps[i].adm2);
            assert_true(metric(run, 1) == traps[i].aim);
            assert_true(metric(run, 2) == traps[i].adm3);
            tally_run_destroy(run);
        }
}

static void flat_pictures_score_as_specified(void **state) {
    (void)state;
    const formula_picture flat = {4, 5, 0, 10, 48, 40};
    tally_run *run;
    assert_int_equal(score_formula(&flat, "", "auto", &run), TALLY_OK);
    assert_true(metric(run, 0) == 1.0);
    tally_run_destroy(run);
    /* Without noise each level's score is 0 / 0: no number, so no score. */
    assert_int_equal(score_formula(&flat, "adm_noise_weight=0", "auto", &run), TALLY_INTERNAL);
    assert_non_null(strstr(tally_run_error(run), "integer_adm_scale0_nw_0"));
    tally_run_destroy(run);
}

/* ---- Refusals ----------------------------------------------------------------------------------------------------- */

static void assert_refused(const char *request, const tally_format *format, const char *reason) {
    tally_run *run;
    assert_int_equal(tally_run_create(NULL, &run), TALLY_OK);
    tally_status status = tally_run_add_feature(run, request);
    if (status == TALLY_OK)
        status = tally_run_start(run, format);
    assert_int_equal(status, TALLY_USAGE);
    if (!strstr(tally_run_error(run), reason))
        fail_msg("%s: %s", request, tally_run_error(run));
    tally_run_destroy(run);
}

static void what_cannot_be_scored_is_refused(void **state) {
    (void)state;
    const tally_format good = luma(64, 64, 8);
    const tally_format narrow = luma(16, 64, 8), low = luma(64, 32, 8), wide = luma(32769, 64, 8);
    assert_refused("adm", &narrow, "size of 16x64");
    assert_refused("adm", &low, "size of 64x32");
    assert_refused("adm", &wide, "at most 32768");
    assert_refused("adm=adm_norm_view_dist=2.9", &good, "below 3240");
    assert_refused("adm=adm_csf_mode=2:adm_ref_display_height=480:adm_norm_view_dist=5", &good, "below 3240");
    assert_refused("adm=adm_csf_mode=2:adm_norm_view_dist=4", &good, "has no weights");
    assert_refused("adm=adm_csf_mode=3:adm_norm_view_dist=3.0001", &good, "has no weights");
    assert_refused("adm=adm_csf_mode=4", &good, "adm_csf_mode=4");
    assert_refused("adm=adm_enhn_gain_limit=nan", &good, "adm_enhn_gain_limit=nan");
    assert_refused("adm=adm_enhn_gain_limit=0.99", &good, "from 1 to 100");
    assert_refused("adm=adm_noise_weight=-1", &good, "adm_noise_weight=-1");
    assert_refused("adm=egl=1", &good, "egl");
}

/* ---- Files -------------------------------------------------------------------------------------------------------- */

/* A file of golden/stages, or NULL if TALLY_TEST_DATA is not set (the test is then reported as skipped). */
static FILE *stage_file(const char *name) {
    const char *data = getenv("TALLY_TEST_DATA");
    char path[512];
    if (!data) {
        print_message("TALLY_TEST_DATA is not set: %s is not read\n", name);
        skip();
        return NULL;
    }
    snprintf(path, sizeof path, "%s/golden/stages/%s", data, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

/* What a level's weights and limit make of one coefficient. */
typedef struct decoupled {
    uint32_t flag;
    int32_t r, m;
} decoupled;

static decoupled decouple(const stage_buffers *b, double limit, int level, char band, int y, int x) {
    int32_t o[4], t[4]; /* h, v, d and the band asked for */
    decoupled p;
    for (int i = 0; i < 4; i++) {
        const char name = i < 3 ? "hvd"[i] : band;
        o[i] = (int32_t)coefficient(b, level, 0, name, y, x);
        t[i] = (int32_t)coefficient(b, level, 1, name, y, x);
    }
    p.flag = level == 0 ? adm_angle16(o[0], o[1], t[0], t[1]) : adm_angle32(o[0], o[1], t[0], t[1]);
    p.r = level == 0 ? adm_restored16(o[3], t[3], p.flag, limit) : adm_restored32(o[3], t[3], p.flag, limit);
    p.m = t[3] - p.r;
    return p;
}

static int32_t masking(decoupled p, bool aim, bool mid, int level, char band) {
    const adm_weights w = adm_find_weights(ADM_CSF_WATSON, (adm_view){3, 1080}, (uint32_t)level, 1, 1);
    const uint32_t weight = band == 'd' ? w.fixed_d : w.fixed_hv;
    const int32_t x = aim ? p.r : p.m;
    const int c = band == 'h' ? 0 : band == 'v' ? 1 : 2;
    if (level == 0) {
        const int32_t magnitude = adm_masking16(adm_weighted16(x, weight), c);
        return mid ? adm_mid16(magnitude) : adm_near16(magnitude);
    }
    const int32_t magnitude = adm_masking32(adm_weighted32(x, weight), c);
    return mid ? adm_mid32(magnitude) : adm_near32(magnitude);
}

/* The value of a plane of a stage file at one place; false for planes that are not looked at (thr). */
static bool plane_value(const stage_buffers *b, double limit, const char *name, int level, int y, int x, int64_t *value) {
    const char band = name[strlen(name) - 1];
    const bool picture = strncmp(name, "ref_", 4) == 0 || strncmp(name, "dis_", 4) == 0;
    if (picture) {
        *value = coefficient(b, level, name[0] == 'd', band, y, x);
        return true;
    }
    const decoupled p = decouple(b, limit, level, band == 'g' || band == 'm' ? 'h' : band, y, x);
    if (strcmp(name, "flag") == 0)
        *value = p.flag;
    else if (name[0] == 'r' && name[1] == '_')
        *value = p.r;
    else if (name[0] == 'a' && name[1] == '_')
        *value = p.m;
    else if (strncmp(name, "nb_", 3) == 0 || strncmp(name, "mid_", 4) == 0)
        *value = masking(p, strstr(name, "aim") != NULL, name[0] == 'm', level, band);
    else
        return false;
    return true;
}

static int compare_plane(const stage_buffers *b, double limit, const char *name, int level, char *rest) {
    char *save;
    const int y = atoi(strtok_r(rest, ",", &save));
    int x = 0;
    for (char *text; (text = strtok_r(NULL, ",\n", &save)); x++) {
        int64_t value;
        if (!plane_value(b, limit, name, level, y, x, &value))
            return 0;
        if (value != atoll(text))
            fail_msg("%s level %d row %d column %d: %lld, not %s", name, level, y, x, (long long)value, text);
    }
    return x;
}

static int band_number(const char *text) { return text[0] == 'h' ? 0 : text[0] == 'v' ? 1 : 2; }
static int sum_number(const char *name) { return name[0] == 'd' ? 0 : name[0] == 'n' ? 1 : 2; }

static uint64_t parse_sum(const char *text) {
    return text[0] == '-' ? (uint64_t)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);
}

/* row_KIND, level, c, y, sum */
static int compare_row(const stage_buffers *b, const char *name, int level, char *rest) {
    char *save;
    const int c = band_number(strtok_r(rest, ",", &save)), y = atoi(strtok_r(NULL, ",", &save));
    assert_true(row_sum(b, level, sum_number(name + 4), c, y) == parse_sum(strtok_r(NULL, ",\n", &save)));
    return 1;
}

/* KIND, level, c, acc, S, …: the rows' sums shifted and added. */
static int compare_total(const stage_buffers *b, const char *name, int level, char *rest) {
    static const int first[] = {1, 0, 0, 0}, last[] = {17, 9, 5, 3}, cube_shift[] = {5, 4, 3, 2};
    char *save;
    const int c = band_number(strtok_r(rest, ",", &save)), kind = sum_number(name);
    const int shift = kind == 0 && level == 0 ? 0 : cube_shift[level]; /* the counted rows need as many bits */
    uint64_t total = 0;
    for (int y = first[level]; y < last[level]; y++)
        total += (row_sum(b, level, kind, c, y) + ((UINT64_C(1) << shift) >> 1)) >> shift;
    strtok_r(NULL, ",", &save);
    assert_true(total == parse_sum(strtok_r(NULL, ",", &save)));
    return 1;
}

/* Returns how many numbers of the line it compared. */
static int compare_stage_line(const stage_buffers *b, double limit, char *line) {
    char *save, *name = strtok_r(line, ",", &save);
    const int level = atoi(strtok_r(NULL, ",", &save));
    if (strncmp(name, "row_", 4) == 0)
        return compare_row(b, name, level, save);
    if (strcmp(name, "den") == 0 || strcmp(name, "num") == 0 || strcmp(name, "aim") == 0)
        return compare_total(b, name, level, save);
    return compare_plane(b, limit, name, level, save);
}

static void compare_stage_file(const char *name, const char *request, double limit) {
    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        FILE *file = stage_file(name);
        char line[4096];
        int compared = 0;
        plan_run run;
        if (usable(levels[l])) {
            run_stage_picture(&run, request, levels[l]);
            const stage_buffers b = find_buffers(&run);
            while (fgets(line, sizeof line, file))
                compared += compare_stage_line(&b, limit, line);
            plan_run_free(&run);
            assert_true(compared > 2000);
        }
        fclose(file);
    }
}

static void stage_files_are_met(void **state) {
    (void)state;
    compare_stage_file("adm_stage48.csv", "adm", 100);
    compare_stage_file("adm_stage48_egl1.2.csv", "adm=adm_enhn_gain_limit=1.2", 1.2);
}

/* Splits a line at its commas, keeping empty fields. */
static size_t split(char *line, char *fields[], size_t size) {
    size_t count = 0;
    for (char *at = line; at && count < size; count++)
        fields[count] = strsep(&at, ",\n");
    return count;
}

/* Columns: the picture, options, why, adm2, aim, adm3, scale0 to 3, num, den, num and den of each level. */
static void compare_formula_line(char *line) {
    char *f[32];
    const size_t count = split(line, f, 32);
    const formula_picture p = {(uint32_t)strtoul(f[0], NULL, 10), atoi(f[1]), atoi(f[2]), atoi(f[3]), atoi(f[4]), atoi(f[5])};
    bool finite = true;
    tally_run *run;
    assert_true(count >= 25);
    for (size_t i = 8; i < 25; i++)
        finite &= strcmp(f[i], "nan") != 0;
    const tally_status status = score_formula(&p, f[6], "auto", &run);
    assert_int_equal(status, strstr(f[7], "unsupported") ? TALLY_USAGE : finite ? TALLY_OK : TALLY_INTERNAL);
    for (size_t i = 8; i < 25 && status == TALLY_OK; i++) {
        if (metric(run, i < 15 ? i - 8 : i - 7) != strtod(f[i], NULL))
            fail_msg("%s,%s,%s %s column %zu: %s", f[0], f[1], f[2], f[6], i, f[i]);
    }
    tally_run_destroy(run);
}

static void formula_scores_are_met(void **state) {
    (void)state;
    FILE *file = stage_file("adm_formula_scores.csv");
    char line[2048];
    int lines = 0;
    assert_non_null(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file); lines++)
        compare_formula_line(line);
    fclose(file);
    assert_true(lines > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(weights_are_the_specified_ones),
                                       cmocka_unit_test(sums_round_once_or_twice_by_level),
                                       cmocka_unit_test(roots_are_powers_of_a_float),
                                       cmocka_unit_test(integer_forms_equal_double_forms),
                                       cmocka_unit_test(reciprocals_are_whole_quotients),
                                       cmocka_unit_test(stages_are_the_specified_ones),
                                       cmocka_unit_test(stage_picture_scores_are_the_specified_ones),
                                       cmocka_unit_test(traps_are_avoided_at_every_level),
                                       cmocka_unit_test(flat_pictures_score_as_specified),
                                       cmocka_unit_test(what_cannot_be_scored_is_refused),
                                       cmocka_unit_test(stage_files_are_met),
                                       cmocka_unit_test(formula_scores_are_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
