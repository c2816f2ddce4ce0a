/* tally-bench-ciede: ciede against the same arithmetic with the C library's functions called for each pixel,
 * one thread.
 *
 *   tally-bench-ciede [ROUNDS]     1920x1080, 8 bits, 4:2:0; rounds of both alternate, so that a change of
 * the machine's speed meets both
 *
 * Prints milliseconds a frame (medians), the ratio, and both scores, which differ where the C library rounds
 * otherwise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/run.h"
#include "tally/tally.h"

#include "features/ciede/constants.h"

enum { WIDTH = 1920, HEIGHT = 1080, MOST_ROUNDS = 99, PIXELS = WIDTH * HEIGHT, BYTES = PIXELS + PIXELS / 2 };

typedef struct lab {
    float l, a, b;
} lab;

static double linear(double c) {
    return c > CIEDE_BEND ? pow((c + CIEDE_OFFSET) * CIEDE_BY_OFFSET, CIEDE_GAMMA) : c * CIEDE_SLOPE;
}

static double lightness(double t) {
    return (float)(t > CIEDE_LAB_BEND ? pow(t, CIEDE_THIRD) : (CIEDE_LAB_SLOPE * t + 16) * CIEDE_BY_116);
}

static lab lab_of(int luma, int cb, int cr) {
    const double y = (luma - 16) * CIEDE_LUMA, u = (cb - 128) * CIEDE_CHROMA, v = (cr - 128) * CIEDE_CHROMA;
    const double r = linear(y + CIEDE_V_TO_R * v), g = linear((y - CIEDE_U_TO_G * u) - CIEDE_V_TO_G * v),
                 b = linear(y + CIEDE_U_TO_B * u);
    const double fx = lightness(((r * CIEDE_R_TO_X + g * CIEDE_G_TO_X) + b * CIEDE_B_TO_X) * CIEDE_WHITE_X);
    const double fy = lightness((r * CIEDE_R_TO_Y + g * CIEDE_G_TO_Y) + b * CIEDE_B_TO_Y);
    const double fz = lightness(((r * CIEDE_R_TO_Z + g * CIEDE_G_TO_Z) + b * CIEDE_B_TO_Z) * CIEDE_WHITE_Z);
    return (lab){(float)(116 * fy - 16), (float)(500 * (fx - fy)), (float)(200 * (fy - fz))};
}

static float length(double x, double y) {
    return (float)sqrt(x * x + y * y);
}

static float hue(float b, float a) {
    if (a == 0 && b == 0)
        return 0;
    const float h = (float)atan2(b, a);
    return h < 0 ? (float)(h + CIEDE_TWO_PI) : h;
}

static float difference(lab one, lab two) {
    const float lm = (one.l + two.l) / 2, c1 = length(one.a, one.b), c2 = length(two.a, two.b);
    const double q = pow((c1 + c2) / 2, 7), e = 1 - sqrt(q / (q + CIEDE_POW_25_7));
    const float a1 = (float)(one.a + one.a / 2 * e), a2 = (float)(two.a + two.a / 2 * e);
    const float d1 = length(a1, one.b), d2 = length(a2, two.b), dm = (d1 + d2) / 2;
    const double w = lm - 50;
    const float sl = (float)(1 + CIEDE_WEIGHT_LH * (w * w) / sqrt(20 + w * w)),
                sc = (float)(1 + CIEDE_WEIGHT_C * dm);
    const float h1 = hue(one.b, a1), h2 = hue(two.b, a2), step = h2 - h1;
    const int wraps = fabsf(step) > CIEDE_PI;
    const float around = (float)(step + (h2 <= h1 ? CIEDE_TWO_PI : -CIEDE_TWO_PI));
    const float dh = c1 == 0 || c2 == 0 ? 0 : wraps ? around : step;
    const float hm = (wraps ? (float)(h1 + h2 + CIEDE_TWO_PI) : h1 + h2) / 2;
    const double h = hm;
    const float t = (float)((((1 - CIEDE_T1 * cos(h - CIEDE_PI_6)) + CIEDE_T2 * cos(2 * h)) +
                             CIEDE_T3 * cos(3 * h + CIEDE_PI_30)) -
                            CIEDE_T4 * cos(4 * h - CIEDE_SEVEN_PI_20));
    const float sh = (float)(1 + CIEDE_WEIGHT_LH * dm * t);
    const float hue_difference = (float)(2 * sqrt(d1 * d2) * sin((double)dh / 2));
    const float g = (float)(((float)(hm * CIEDE_DEGREE) - 275.0) * CIEDE_BY_25), g3 = g * g;
    const float angle = (float)((float)(60 * exp(-g3)) * CIEDE_RADIAN), p = powf(dm, 7);
    const float rotation = (float)(-2 * sqrt(p / (p + 6103515648.0f)) * sin(angle));
    const float tl = (two.l - one.l) / (0.65f * sl), tc = (d2 - d1) / sc, th = hue_difference / (4 * sh);
    const float x = rotation * tc * th;
    return (float)sqrt((((double)tl * tl + (double)tc * tc) + (double)th * th) + x);
}

static int chroma_at(const uint8_t *picture, int plane, int x, int y) {
    return picture[PIXELS + plane * PIXELS / 4 + y / 2 * (WIDTH / 2) + x / 2];
}

static double score_with_libm(uint8_t *const picture[2]) {
    double sum = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            lab colour[2];
            for (int i = 0; i < 2; i++)
                colour[i] = lab_of(picture[i][y * WIDTH + x], chroma_at(picture[i], 0, x, y),
                                   chroma_at(picture[i], 1, x, y));
            sum += difference(colour[0], colour[1]);
        }
    return 45 - 20 * log10(sum / PIXELS);
}

static double score_with_tally(uint8_t *const picture[2]) {
    const tally_config config = {.threads = 1};
    const tally_format format = {WIDTH, HEIGHT, 8, TALLY_PIXEL_FORMAT_420};
    tally_picture pictures[2] = {{{0}, {0}}, {{0}, {0}}};
    tally_run *run;
    double score = NAN;
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < 3; p++) {
            pictures[i].data[p] = picture[i] + (p == 0 ? 0 : PIXELS + (p - 1) * PIXELS / 4);
            pictures[i].stride[p] = p == 0 ? WIDTH : WIDTH / 2;
        }
    if (tally_run_create(&config, &run) != TALLY_OK)
        return NAN;
    if (tally_run_add_feature(run, "ciede") == TALLY_OK && tally_run_start(run, &format) == TALLY_OK &&
        tally_run_submit(run, &pictures[0], &pictures[1]) == TALLY_OK && tally_run_finish(run) == TALLY_OK)
        tally_run_score(run, "ciede2000", 0, &score);
    tally_run_destroy(run);
    return score;
}

/* Smooth colours with noise, and a coarser version of them. */
static void make_pictures(uint8_t *const picture[2]) {
    uint32_t state = 1;
    for (int i = 0; i < BYTES; i++) {
        state = state * 1664525 + 1013904223;
        const int x = i % WIDTH, y = i / WIDTH, value = (x * 3 + y * 5) / 8 % 200 + 20 + (int)(state >> 29);
        picture[0][i] = (uint8_t)value;
        picture[1][i] = (uint8_t)(value / 6 * 6 + (int)(state >> 30));
    }
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    uint8_t *const picture[2] = {malloc(BYTES), malloc(BYTES)};
    double libm[MOST_ROUNDS], tally[MOST_ROUNDS], libm_score = 0, tally_score = 0;
    make_pictures(picture);
    for (int i = 0; i < rounds; i++) {
        const double start = ty_seconds();
        libm_score = score_with_libm(picture);
        const double middle = ty_seconds();
        tally_score = score_with_tally(picture);
        libm[i] = (middle - start) * 1e3;
        tally[i] = (ty_seconds() - middle) * 1e3;
    }
    qsort(libm, (size_t)rounds, sizeof *libm, ascending);
    qsort(tally, (size_t)rounds, sizeof *tally, ascending);
    printf(
        "C library %8.1f ms a frame, score %.17g\ntally     %8.1f ms a frame, score %.17g\nratio     %8.2f\n",
        libm[rounds / 2], libm_score, tally[rounds / 2], tally_score, libm[rounds / 2] / tally[rounds / 2]);
    free(picture[0]);
    free(picture[1]);
    return 0;
}
