/* What src/exact offers kernel text in two forms, or computes with integers where the processor has an
 * operation: both beside each other, over the ranges that kernels use. */
#ifndef TALLY_TESTS_KERNEL_PAIRS_H
#define TALLY_TESTS_KERNEL_PAIRS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#include "kernel/kernel.h"

#include "exact/gain.h"
#include "exact/kernel_double.h"
#include "exact/kernel_power.h"
#include "exact/math.h"
#include "exact/one_plus_ratio.h"
#include "exact/word.h"
#include "exact_random.h"

/* ---- Doubles ---- */

/* Products, quotients and sums of these stay normal, or are 0. Some have few digits, so that results are
 * exact or ties. */
static inline double any_double(uint64_t *state) {
    const uint64_t mask = exact_random(state) & 1 ? UINT64_MAX : UINT64_MAX << (exact_random(state) % 53);
    const uint64_t fraction = exact_random(state) & mask & (UINT64_MAX >> 12);
    const uint64_t field =
        exact_random(state) & 1 ? 1013 + exact_random(state) % 20 : 623 + exact_random(state) % 800;
    const uint64_t sign = exact_random(state) << 63;
    return ty_from_bits(exact_random(state) % 64 == 0 ? sign : sign | field << 52 | fraction);
}

static inline bool same_double(const char *what, u64 ours, double theirs, double x, double y) {
    if (ours != ty_bits(theirs))
        fprintf(stderr, "%s(%a, %a): %a, the processor has %a\n", what, x, y, ty_from_bits(ours), theirs);
    return ours == ty_bits(theirs);
}

static inline bool same_float(const char *what, float ours, float theirs, double x) {
    if (f32_bits(ours) != f32_bits(theirs))
        fprintf(stderr, "%s(%a): %a, the processor has %a\n", what, x, (double)ours, (double)theirs);
    return f32_bits(ours) == f32_bits(theirs);
}

static inline bool sums_agree(double x, double y) {
    const u64 a = ty_bits(x), b = ty_bits(y);
    return same_double("double_add", double_add(a, b), x + y, x, y) &&
           same_double("double_subtract", double_subtract(a, b), x - y, x, y) &&
           same_double("double_subtract", double_subtract(b, a), y - x, y, x) && double_less(a, b) == (x < y);
}

/* Any two, a number and its neighbours, whose difference loses all digits but one, and a number and its half.
 */
static inline bool add_agrees(uint64_t *state) {
    const double x = any_double(state);
    switch (exact_random(state) % 4) {
    case 0:
        return sums_agree(x, ty_from_bits(ty_bits(x) + exact_random(state) % 3));
    case 1:
        return sums_agree(x, x / 2);
    default:
        return sums_agree(x, any_double(state));
    }
}

static inline bool multiply_agrees(uint64_t *state) {
    const double x = any_double(state), y = any_double(state);
    return same_double("double_multiply", double_multiply(ty_bits(x), ty_bits(y)), x * y, x, y);
}

static inline bool divide_agrees(uint64_t *state) {
    const double x = any_double(state), y = any_double(state);
    return y == 0 || same_double("double_divide", double_divide(ty_bits(x), ty_bits(y)), x / y, x, y);
}

static inline bool sqrt_agrees(uint64_t *state) {
    const double x = fabs(any_double(state));
    return same_double("double_sqrt", double_sqrt(ty_bits(x)), sqrt(x), x, 0);
}

/* Floats, subnormal ones among them; doubles near a float, near a midpoint, ties, and such below the floats.
 */
static inline bool conversions_agree(uint64_t *state) {
    u32 bits = (u32)exact_random(state);
    if ((bits >> 23 & 0xff) == 0xff)
        bits &= ~(u32)(1 << 23);
    const float x = f32_of_bits(exact_random(state) % 8 == 0 ? bits & 0x807fffff : bits);
    const uint64_t midpoint = (uint64_t)(exact_random(state) & 1) << 28;
    const double next = ty_from_bits((ty_bits(x) | midpoint) + exact_random(state) % 3);
    const double small = ldexp(next, -(int)(exact_random(state) % 170));
    const i32 n = (i32)exact_random(state);
    bool same = same_double("double_of_int", double_of_int(n), n, n, 0) &&
                same_double("double_of_float", double_of_float(x), x, x, 0) &&
                same_float("float_of_double", float_of_double(ty_bits(x)), x, x) &&
                same_float("float_of_double", float_of_double(ty_bits(next)), (float)next, next);
    if (fabs(small) < 0x1p126 && fabs(small) >= 0x1p-1000)
        same = same && same_float("float_of_double", float_of_double(ty_bits(small)), (float)small, small);
    return same;
}

/* ---- 1 + a / (b + c) ---- */

static inline bool ratio_agrees(f32 a, f32 b, f64 c) {
    const f32 doubles = exact_one_plus_ratio_f64(a, b, ty_bits(c));
    const f32 integers = exact_one_plus_ratio_integer(a, b, ty_bits(c));
    if (f32_bits(doubles) != f32_bits(integers))
        fprintf(stderr, "1 + %a / (%a + %a): %a in doubles, %a in integers\n", (double)a, (double)b, c,
                (double)doubles, (double)integers);
    return f32_bits(doubles) == f32_bits(integers);
}

/* 24 random digits, or few of them, times 2^low to 2^high. */
static inline f32 ratio_float(uint64_t *state, int low, int high) {
    const u64 r = exact_random(state);
    const u32 digits = 0x800000 | ((u32)r & 0x7fffff &
                                   (r >> 60 < 4   ? 0x700000
                                    : r >> 60 < 6 ? 0x700007
                                                  : 0x7fffff));
    return ldexpf((f32)digits, low + (int)((r >> 32) % (u64)(high - low + 1)) - 23);
}

static inline f64 ratio_double(uint64_t *state, int low, int high) {
    const u64 r = exact_random(state), digits = (exact_random(state) & (UINT64_MAX >> 12)) | UINT64_C(1)
                                                                                                 << 52;
    const u64 kept = r >> 60 < 4 ? digits >> 40 << 40 : r >> 60 < 6 ? (digits >> 50 << 50) + (r & 3) : digits;
    return ldexp((f64)kept, low + (int)((r >> 32) % (u64)(high - low + 1)) - 52);
}

/* Ratios near midpoints of floats: 1 + m 2^-24 with odd m, give or take little. */
static inline bool ratio_near_midpoint_agrees(uint64_t *state) {
    const f32 a = ldexpf((f32)(exact_random(state) % 0xffffff | 1), -24 + (int)(exact_random(state) % 12));
    const f64 little = ldexp(1.0, -(int)(exact_random(state) % 60) - 1);
    switch (exact_random(state) % 4) {
    case 0:
        return ratio_agrees(a, 0, 1.0);
    case 1:
        return ratio_agrees(a, 0, 1.0 + little);
    case 2:
        return ratio_agrees(a, 0, 1.0 - little);
    default:
        return ratio_agrees(a, (f32)little, 1.0);
    }
}

/* The variances of float_vif: a below 2^29, b at least 2^-34, c the variance of the noise. Then the whole
 * domain. */
static inline bool one_plus_ratio_agrees(uint64_t *state) {
    const f32 a = ratio_float(state, -34, 28);
    switch (exact_random(state) % 4) {
    case 0:
        return ratio_agrees(a, ratio_float(state, -34, 14), ratio_double(state, -8, 2));
    case 1:
        return ratio_agrees(a, 0, ratio_double(state, -8, 2));
    case 2:
        return ratio_near_midpoint_agrees(state);
    default:
        return ratio_agrees(ratio_float(state, -126, 127),
                            exact_random(state) % 3 ? ratio_float(state, -126, 127) : 0,
                            ratio_double(state, -200, 9));
    }
}

/* ---- The gain of vif ---- */

static inline bool gains_agree(int64_t s1, int64_t s2, int64_t s12, double limit) {
    const ty_gain a = ty_gain_f64((i32)s1, (i32)s2, (i32)s12, ty_bits(limit));
    const ty_gain b = ty_gain_integer((i32)s1, (i32)s2, (i32)s12, ty_bits(limit));
    if (a.noise != b.noise || a.signal != b.signal)
        fprintf(stderr,
                "s1 %d, s2 %d, s12 %d, limit %a: noise %d, in integers %d; signal %d, in integers %d\n",
                (int)s1, (int)s2, (int)s12, limit, a.noise, b.noise, a.signal, b.signal);
    return a.noise == b.noise && a.signal == b.signal;
}

static inline int64_t gain_number(uint64_t *state, uint32_t least, uint32_t most) {
    const uint64_t r = exact_random(state), digits = least + (r >> 32) % (most - least + 1);
    return (int64_t)(UINT64_C(1) << (digits - 1) | (r & ((UINT64_C(1) << (digits - 1)) - 1)));
}

static inline int64_t gain_up_to(uint64_t *state, int64_t most) {
    return 1 + (int64_t)(exact_random(state) % (uint64_t)most);
}

/* Any three numbers of the domain: s12^2 <= s1 s2, but for roundings of a few units. */
static inline bool random_gain_agrees(uint64_t *state, double limit) {
    const int64_t s1 = gain_number(state, 18, 31), s2 = gain_number(state, 1, 31);
    const int64_t most = (int64_t)sqrt((double)s1 * (double)s2);
    return gains_agree(s1, s2, gain_up_to(state, most), limit) && gains_agree(s1, s2, most, limit);
}

/* s12 = k s1 and s2 = k s12, and neighbours: differences that cancel to roundings. */
static inline bool proportional_gain_agrees(uint64_t *state, double limit) {
    const int64_t p = gain_up_to(state, 64), q = gain_up_to(state, 64);
    const int64_t base = (1 << 17) + gain_up_to(state, 1 << 18) - 1;
    const int64_t s1 = base * q + gain_up_to(state, 3) - 1, s12 = base * p;
    const int64_t s2 = base * p / q * p + gain_up_to(state, 5) - 3;
    const int64_t end = 1 << 30;
    const bool usable = s1 < end && s12 < end && s2 > 0 && s2 < end && s12 / q * p < end;
    return (!usable || gains_agree(s1, s2, s12, limit)) && gains_agree(base, base, base, limit) &&
           gains_agree(base, base + gain_up_to(state, 2) - 1, base - gain_up_to(state, 2) + 1, limit);
}

static inline bool gain_agrees(uint64_t *state) {
    static const double limits[] = {100.0, 1.0, 1.2, 1.5, 2.0, 0x1.fffffffffffffp0, 0x1.0000000000001p1};
    const double limit = limits[exact_random(state) % (sizeof limits / sizeof limits[0])];
    return exact_random(state) & 1 ? random_gain_agrees(state, limit)
                                   : proportional_gain_agrees(state, limit);
}

/* ---- x^p ---- */

static inline bool power_in_doubt(f32 x, f64 p) {
    return power_or_doubt(x, ty_bits(p)) == -x && x != 0;
}

static inline bool power_of_agrees(f32 x, f64 p) {
    const f32 power = power_or_doubt(x, ty_bits(p));
    return power_in_doubt(x, p) || same_float("power_or_doubt", power, ty_powf(x, (f32)p), (double)x);
}

/* Terms of float_adm, any float, and floats whose power is next to the ends of the floats; exponents of any
 * kind. */
static inline f64 power_exponent(uint64_t *state) {
    static const f32 some[] = {1.5f, 2.5f, 4, 20, 0x1.000002p+0f, 0x1.fffffep+0f, 0x1.800002p+1f};
    const uint64_t r = exact_random(state) % 16;
    return r < 7 ? (f64)some[r] : (f64)(f32)exact_uniform(state, 1, 20);
}

static inline bool power_agrees(uint64_t *state) {
    static const f64 ends[] = {-151, -150, -149, -126, 127, 128};
    const f64 p = power_exponent(state);
    switch (exact_random(state) % 4) {
    case 0:
        return power_of_agrees(f32_of_bits((u32)(exact_random(state) % 0x7f800000)), p);
    case 1:
        return power_of_agrees(ratio_float(state, -6, 6), p);
    case 2:
        return power_of_agrees((f32)exp2((ends[exact_random(state) % 6] + exact_uniform(state, -1, 1)) / p),
                               p);
    default:
        return power_of_agrees((f32)exact_uniform(state, 0, 100), p);
    }
}

/* ---- All of them ---- */

struct kernel_pair {
    const char *name;
    bool (*agrees)(uint64_t *state); /* on the next random arguments; says on stderr what differs */
};

static const struct kernel_pair kernel_pairs[] = {
    {"double_add", add_agrees},
    {"double_multiply", multiply_agrees},
    {"double_divide", divide_agrees},
    {"double_sqrt", sqrt_agrees},
    {"double_conversions", conversions_agree},
    {"one_plus_ratio", one_plus_ratio_agrees},
    {"gain", gain_agrees},
    {"power", power_agrees},
};
enum { KERNEL_PAIRS = sizeof kernel_pairs / sizeof kernel_pairs[0] };

static inline const struct kernel_pair *kernel_pair_find(const char *name) {
    for (int i = 0; i < KERNEL_PAIRS; i++)
        if (strcmp(kernel_pairs[i].name, name) == 0)
            return &kernel_pairs[i];
    return NULL;
}

/* How many of `count` random arguments differ; ends early after five. */
static inline uint64_t kernel_pair_differ(const struct kernel_pair *pair, uint64_t count, uint64_t seed) {
    uint64_t differ = 0;
    for (uint64_t i = 0; i < count && differ < 5; i++)
        differ += !pair->agrees(&seed);
    return differ;
}

#endif
