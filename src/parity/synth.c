#include "parity/synth.h"

#include <string.h>

#define CLIP(n, k, w, h, bits, f, count) {n, k, {w, h, bits, TALLY_PIXEL_FORMAT_##f}, count}

const synth_clip synth_clips[] = {
    CLIP("s_pic352_8_420", SYNTH_PICTURE, 352, 288, 8, 420, 4),
    CLIP("s_pic200_10_422", SYNTH_PICTURE, 200, 150, 10, 422, 3),
    CLIP("s_pic177_12_444", SYNTH_PICTURE, 177, 99, 12, 444, 3),
    CLIP("s_pic160_16_420", SYNTH_PICTURE, 160, 90, 16, 420, 3),
    CLIP("s_pic130_8_400", SYNTH_PICTURE, 130, 74, 8, 400, 3),
    CLIP("s_pic181_8_420", SYNTH_PICTURE, 181, 103, 8, 420, 3),
    CLIP("s_pic32_8_420", SYNTH_PICTURE, 32, 32, 8, 420, 2),
    CLIP("s_noise64_16_444", SYNTH_NOISE, 64, 48, 16, 444, 2),
    CLIP("s_noise128_8_420", SYNTH_NOISE, 128, 96, 8, 420, 2),
    CLIP("s_check160_8_420", SYNTH_CHECKERS, 160, 120, 8, 420, 3),
    CLIP("s_flat96_10_420", SYNTH_FLAT, 96, 64, 10, 420, 2),
    CLIP("t16x16_8_420", SYNTH_PICTURE, 16, 16, 8, 420, 4),
    CLIP("t17x19_9_420", SYNTH_PICTURE, 17, 19, 9, 420, 4),
    CLIP("t31x33_10_420", SYNTH_PICTURE, 31, 33, 10, 420, 4),
    CLIP("t33x21_11_422", SYNTH_PICTURE, 33, 21, 11, 422, 4),
    CLIP("t3x3_8_444", SYNTH_PICTURE, 3, 3, 8, 444, 4),
    CLIP("t3x5_10_444", SYNTH_PICTURE, 3, 5, 10, 444, 4),
    CLIP("t40x30_14_444", SYNTH_PICTURE, 40, 30, 14, 444, 4),
    CLIP("t48x40_15_420", SYNTH_PICTURE, 48, 40, 15, 420, 4),
    CLIP("t50x34_13_400", SYNTH_PICTURE, 50, 34, 13, 400, 4),
    CLIP("t5x4_12_400", SYNTH_PICTURE, 5, 4, 12, 400, 4),
    CLIP("t6x6_8_420", SYNTH_PICTURE, 6, 6, 8, 420, 4),
    CLIP("t7x9_8_420", SYNTH_PICTURE, 7, 9, 8, 420, 4),
    CLIP("tc64x40_16_444", SYNTH_CHECKERS, 64, 40, 16, 444, 4),
    CLIP("tc64x48_12_420", SYNTH_CHECKERS, 64, 48, 12, 420, 4),
    CLIP("tf24x24_8_420", SYNTH_FLAT, 24, 24, 8, 420, 3),
    CLIP("tn18x16_8_444", SYNTH_NOISE, 18, 16, 8, 444, 4),
    CLIP("tn31x33_10_420", SYNTH_NOISE, 31, 33, 10, 420, 4),
    CLIP("syn217_8", SYNTH_BANDS, 217, 131, 8, 400, 2),
    CLIP("syn240_9", SYNTH_BANDS, 240, 137, 9, 400, 2),
    CLIP("syn333_10", SYNTH_BANDS, 333, 219, 10, 400, 2),
    CLIP("syn259_12", SYNTH_BANDS, 259, 216, 12, 400, 2),
    CLIP("syn230_14", SYNTH_BANDS, 230, 150, 14, 400, 1),
    CLIP("syn301_16", SYNTH_BANDS, 301, 170, 16, 400, 2),
    CLIP("synwide_10", SYNTH_BANDS, 701, 80, 10, 400, 1),
    CLIP("syntall_8", SYNTH_BANDS, 64, 700, 8, 400, 1),
    {0},
};

const synth_clip *synth_find(const char *name) {
    for (const synth_clip *clip = synth_clips; clip->name; clip++)
        if (strcmp(clip->name, name) == 0)
            return clip;
    return NULL;
}

static uint32_t mix(uint32_t a) {
    a ^= a >> 16;
    a *= 0x7feb352d;
    a ^= a >> 15;
    a *= 0x846ca68b;
    return a ^ a >> 16;
}

static uint32_t random_at(uint32_t t, uint32_t p, uint32_t x, uint32_t y, uint32_t s) {
    return mix(x + 4099 * y + 16785407 * t + 268435399 * p + 3000000019u * s);
}

static int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

static int picture_luma(int u, int v, int tri) {
    int s = 40 + tri / 2;
    if (((u >> 5) ^ (v >> 5)) & 1)
        s += (int)(mix(7919 * (uint32_t)u + 104729 * (uint32_t)v) % 64) - 32;
    if (((u >> 4) + 2 * (v >> 4)) % 7 == 0)
        s = 235 - s / 4;
    if ((u * u + v * v) / 512 % 9 == 0)
        s -= 24;
    return s;
}

static uint32_t band_hash(uint32_t x, uint32_t y, uint32_t t) {
    uint32_t n = x * 0x9e3779b1u + y * 0x85ebca77u + t * 0xc2b2ae3du;
    n = (n ^ n >> 15) * 0x2c1b3c6d;
    n = (n ^ n >> 12) * 0x297a2d39;
    return n ^ n >> 15;
}

/* Slopes of few steps in blocks of 128x64, some with noise of one step, some coarser in the distorted picture. */
static uint32_t band_sample(uint32_t bits, uint32_t t, uint32_t x, uint32_t y, bool distorted) {
    const uint32_t block = (x >> 7) + 3 * (y >> 6), peak = (1u << bits) - 1;
    uint32_t v = 90 + 37 * (block % 11) + (7 * x + 3 * y + 11 * t) / (distorted ? 96 : 40) % 60;
    if (block % 5 == 4)
        v += band_hash(x, y, 2 * t + distorted) >> 7 & 1;
    if (distorted && block % 7 == 3)
        v &= ~3u;
    if (y % 97 > 91)
        v = 1023;
    uint32_t sample = bits >= 10 ? v << (bits - 10) : v >> (10 - bits);
    if (bits > 10 && (x >> 5) % 2 == 1)
        sample += 1u << (bits - 11);
    return sample < peak ? sample : peak;
}

static uint32_t reference_sample(const synth_clip *clip, uint32_t t, uint32_t p, uint32_t x, uint32_t y) {
    const uint32_t n = clip->format.bit_depth, low = n - 8, peak = (1u << n) - 1;
    if (clip->kind == SYNTH_NOISE)
        return random_at(t, p, x, y, 1) & peak;
    if (clip->kind == SYNTH_CHECKERS)
        return (x / 10 + y / 10 + t) % 2 ? peak : 0;
    if (clip->kind == SYNTH_BANDS && p == 0)
        return band_sample(n, t, x, y, false);
    if (clip->kind == SYNTH_FLAT || clip->kind == SYNTH_BANDS)
        return 128u << low;
    const int u = (int)(x + 3 * t), v = (int)(y + t), g = (5 * u + 3 * v) / 4 % 512;
    const int tri = g < 256 ? g : 511 - g;
    int s;
    if (p == 0) {
        s = picture_luma(u, v, tri);
    } else {
        const int c = p == 1 ? tri - 128 : 127 - tri;
        s = 128 + c / 4 + (int)(mix(31 * (uint32_t)u + 17 * (uint32_t)v + p) % 8);
    }
    return ((uint32_t)clamp(s, 0, 255) << low) + random_at(t, p, x, y, 2) % (1u << low);
}

static uint32_t distorted_sample(const synth_clip *clip, uint32_t width, uint32_t t, uint32_t p, uint32_t x,
                                 uint32_t y) {
    const uint32_t n = clip->format.bit_depth, low = n - 8, peak = (1u << n) - 1;
    const uint32_t r = reference_sample(clip, t, p, x, y);
    switch (clip->kind) {
    case SYNTH_NOISE: return random_at(t, p, x, y, 3) & peak;
    case SYNTH_CHECKERS: return peak - r;
    case SYNTH_FLAT: return (x + y) % 3 == 0 ? r + 1 : r;
    case SYNTH_BANDS: return p == 0 ? band_sample(n, t, x, y, true) : r;
    case SYNTH_PICTURE: break;
    }
    const uint32_t a = reference_sample(clip, t, p, x > 0 ? x - 1 : 0, y);
    const uint32_t b = reference_sample(clip, t, p, x + 1 < width ? x + 1 : x, y);
    const uint32_t q = (6 + 2 * (t % 3)) << low, s = (a + 2 * r + b + 2) / 4;
    const uint32_t d = s / q * q + q / 2 + random_at(t, p, x, y, 4) % (4u << low);
    return d < peak ? d : peak;
}

void synth_picture(const synth_clip *clip, const ty_layout *layout, bool distorted, uint32_t frame,
                   void *const planes[3]) {
    for (uint32_t p = 0; p < layout->planes; p++) {
        size_t i = 0;
        for (uint32_t y = 0; y < layout->stored_height[p]; y++)
            for (uint32_t x = 0; x < layout->stored_width[p]; x++, i++) {
                const uint32_t sample = distorted ? distorted_sample(clip, layout->stored_width[p], frame, p, x, y)
                                                  : reference_sample(clip, frame, p, x, y);
                if (layout->sample_bytes == 1)
                    ((uint8_t *)planes[p])[i] = (uint8_t)sample;
                else
                    ((uint16_t *)planes[p])[i] = (uint16_t)sample;
            }
    }
}
