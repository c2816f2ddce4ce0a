#include "features/cambi/setup.h"

#include <math.h>
#include <string.h>

#include "exact/math.h"

/* ---- Sizes ---- */

static uint32_t window_of(const cambi_options *o, uint32_t width, uint32_t height, bool halved) {
    uint32_t x = (uint32_t)((uint64_t)o->window_size * (width + height) / 375 / 16);
    if (halved)
        x = (x + 1) >> 1;
    return x | 1;
}

static uint32_t pooled(double topk, uint32_t samples) {
    const double k = topk * (double)samples;
    return k < 1 ? 1 : k > samples ? samples : (uint32_t)k;
}

static cambi_geometry geometry(const cambi_options *o, uint32_t width, uint32_t height, bool halved) {
    cambi_geometry g = {.width = width, .height = height, .window = window_of(o, width, height, halved)};
    const double topk = o->topk != 0.6 ? o->topk : o->cambi_topk;
    for (uint32_t s = 0; s < CAMBI_SCALES; s++) {
        if (s > 0 || halved) {
            width = (width + 1) >> 1;
            height = (height + 1) >> 1;
        }
        g.widths[s] = width;
        g.heights[s] = height;
        g.most[s] = pooled(topk, width * height);
    }
    return g;
}

static bool speeds_up(int option, uint64_t samples) {
    return (option == 1080 && samples >= UINT64_C(1920) * 1080) ||
           (option == 1440 && samples >= UINT64_C(2560) * 1440) ||
           (option == 2160 && samples >= UINT64_C(3840) * 2160);
}

cambi_setup ty_cambi_setup(const cambi_options *o, uint32_t width, uint32_t height) {
    uint32_t encoded_width = (uint32_t)o->enc_width, encoded_height = (uint32_t)o->enc_height;
    uint32_t source_width = (uint32_t)o->src_width, source_height = (uint32_t)o->src_height;
    if (encoded_width == 0 || encoded_height == 0 || encoded_height > height || encoded_width > width)
        encoded_width = width, encoded_height = height;
    if (source_width == 0 || source_height == 0)
        source_width = width, source_height = height;
    const bool halved = speeds_up(o->high_res_speedup, (uint64_t)encoded_width * encoded_height);
    return (cambi_setup){.halved = halved,
                         .steps = 1u << o->max_log_contrast,
                         .pictures = {geometry(o, encoded_width, encoded_height, halved),
                                      geometry(o, source_width, source_height, halved)}};
}

/* ---- Thresholds ---- */

#define FOOT 64
#define HEAD 940

static double bt1886(double n) {
    const double t = n + 0x1.c4d6abe7fd91bp-7;
    return 0x1.22476f497003bp+8 * ty_pow(t, 2.4);
}

static double pq_luminance(double n) {
    const double q = ty_pow(n, 0x1.9f9b5860989b1p-7);
    const double above = q - 0.8359375;
    const double numerator = above > 0 ? above : 0;
    const double denominator = 18.8515625 - 18.6875 * q;
    return 10000.0 * ty_pow(numerator / denominator, 0x1.91c0d56e7162bp+2);
}

double ty_cambi_luminance(bool pq, int value) {
    const int inside = value < FOOT ? FOOT : value > HEAD ? HEAD : value;
    const double n = (double)(inside - FOOT) / 876.0;
    return pq ? pq_luminance(n) : bt1886(n);
}

typedef struct sight {
    bool pq;
    double threshold;
} sight;

static bool visible(sight s, int value, int step) {
    const double luminance = ty_cambi_luminance(s.pq, value);
    return ty_cambi_luminance(s.pq, value + step) - luminance > s.threshold * luminance;
}

/* The largest code value at which a step of d is visible (spec 4.2). */
static int last_visible(sight s, int d) {
    int low = FOOT, high = HEAD - d - 1;
    if (!visible(s, low, d))
        return 0;
    if (!visible(s, low + 1, d))
        return low;
    if (visible(s, high, d))
        return visible(s, high + 1, d) ? 1023 : high;
    for (;;) {
        const int middle = low + ((high - low) >> 1);
        if (!visible(s, middle, d))
            high = middle;
        else if (visible(s, middle + 1, d))
            low = middle;
        else
            return middle;
    }
}

static uint32_t first_bright_enough(bool pq, double luminance) {
    int value = FOOT;
    while (value < HEAD && ty_cambi_luminance(pq, value) < luminance)
        value++;
    return value == FOOT ? 0 : (uint32_t)value;
}

uint32_t ty_cambi_thresholds(const cambi_options *o, uint32_t steps, uint32_t *thresholds) {
    const char *function = strcmp(o->cambi_eotf, "bt1886") != 0 ? o->cambi_eotf : o->eotf;
    const sight s = {strcmp(function, "pq") == 0, o->tvi_threshold};
    for (uint32_t d = 1; d <= steps; d++)
        thresholds[d - 1] = (uint32_t)last_visible(s, (int)d);
    return first_bright_enough(s.pq, o->vis_lum_threshold);
}

void ty_cambi_first_steps(uint32_t steps, const uint32_t *thresholds, uint32_t visible_from,
                          uint32_t *first) {
    for (uint32_t value = 0; value <= CAMBI_HIGHEST; value++) {
        uint32_t d = 1;
        while (d <= steps && (value > thresholds[d - 1] || value + steps + d <= visible_from))
            d++;
        first[value] = d;
    }
}

/* ---- Tables ---- */

/* 1/n rounded to nine decimal digits, m / 10^e with 10^8 <= m < 10^9, then to float. Both steps of the
 * quotient's rounding go the right way for every n up to CAMBI_MOST_AREA: tests/unit/test_cambi.c compares
 * all of them with strtof's. */
void ty_cambi_reciprocals(float *reciprocals) {
    reciprocals[0] = 0.0f;
    for (uint64_t n = 1; n <= CAMBI_MOST_AREA; n++) {
        uint64_t power = UINT64_C(100000000);
        while (power / n < UINT64_C(100000000))
            power *= 10;
        const uint64_t digits = (2 * power + n) / (2 * n);
        reciprocals[n] = (float)((double)digits / (double)power);
    }
}

uint32_t ty_cambi_largest_weight(uint32_t steps) {
    return steps >= 32 ? 9 : steps >= 16 ? 8 : steps >= 8 ? 6 : steps;
}

/* The place is carried on in float, with its error (spec 4.3). */
void ty_cambi_places(uint32_t from, uint32_t to, bool resized, uint32_t *places) {
    const float ratio = (float)from / (float)to;
    float place = (float)((double)(ratio / 2.0f) - 0.5);
    for (uint32_t i = 0; i < to; i++) {
        const uint32_t nearest = (uint32_t)(int)((double)place + 0.5);
        places[i] = !resized ? i : nearest < from ? nearest : from - 1;
        place += ratio;
    }
}

uint32_t ty_cambi_mask_threshold(uint32_t width, uint32_t height) {
    const uint32_t blocks = (width >> 6) * (height >> 6);
    int digits = 0;
    for (uint32_t left = blocks > 0 ? blocks - 1 : 0; left > 0; left >>= 1)
        digits++;
    return (uint32_t)((48 + 3 * (digits - 11)) >> 1);
}
