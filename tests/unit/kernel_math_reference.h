/* The functions of src/exact/kernel_math.h, and the slow ones of sin.h and tanh.h, beside MPFR's, over the
 * ranges that are used. */
#ifndef TALLY_TESTS_KERNEL_MATH_REFERENCE_H
#define TALLY_TESTS_KERNEL_MATH_REFERENCE_H

#include "exact_reference.h"

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#include "kernel/kernel.h"

#include "exact/kernel_math.h"
#include "exact/sin.h"
#include "exact/tanh.h"

struct kernel_case {
    double x, y;
};

struct kernel_function {
    const char *name;
    struct kernel_case (*argument)(uint64_t *state);
    u64 (*ours)(double x, double y);
    void (*mpfr)(mpfr_t r, const mpfr_t x, const mpfr_t y);
};

static inline struct kernel_case pow_argument(uint64_t *state) {
    const bool linear = exact_random(state) & 1;
    if (exact_random(state) % 16 == 0)
        return (struct kernel_case){exact_near_one(state), linear ? 2.4 : 0x1.5555555555555p-2};
    return linear ? (struct kernel_case){exact_uniform(state, 0.0892, 2.26), 2.4}
                  : (struct kernel_case){exact_uniform(state, 0.0088, 6.25), 0x1.5555555555555p-2};
}

static inline struct kernel_case exp_argument(uint64_t *state) {
    const double x = exact_uniform(state, -121, 0);
    return (struct kernel_case){
        (float)(exact_random(state) & 1 ? x : ldexp(x, -(int)(exact_random(state) % 40))), 0};
}

/* The sums and products of spec ciede 4.4, and small angles of any size. */
static inline struct kernel_case angle_argument(uint64_t *state) {
    const double hue = (float)exact_uniform(state, 0, 7.86);
    switch (exact_random(state) % 6) {
    case 0:
        return (struct kernel_case){hue - 0x1.0c152382d7365p-1, 0};
    case 1:
        return (struct kernel_case){2 * hue, 0};
    case 2:
        return (struct kernel_case){3 * hue + 0x1.acee9f37bebd5p-4, 0};
    case 3:
        return (struct kernel_case){4 * hue - 0x1.197c987c952c4p+0, 0};
    case 4:
        return (struct kernel_case){(float)exact_uniform(state, -1.5707964, 1.5707964), 0};
    default:
        return (struct kernel_case){
            (float)ldexp(exact_uniform(state, -1, 1), -(int)(exact_random(state) % 120)), 0};
    }
}

static inline struct kernel_case point_argument(uint64_t *state) {
    static const float special[] = {0, 1, -1, 2.5f, -181, 0x1p-20f};
    if (exact_random(state) % 64 == 0) {
        const float x = special[exact_random(state) % 6], y = special[exact_random(state) % 6];
        return (struct kernel_case){x, x == 0 && y == 0 ? 1 : y};
    }
    const int down = exact_random(state) & 1 ? 0 : (int)(exact_random(state) % 40);
    const float small = (float)ldexp(exact_uniform(state, -165, 165), -down);
    const float other = (float)exact_uniform(state, -181, 181);
    if (exact_random(state) & 1)
        return (struct kernel_case){small, other};
    return (struct kernel_case){other, small};
}

static inline struct kernel_case chroma_argument(uint64_t *state) {
    return (struct kernel_case){
        (float)ldexp(exact_uniform(state, 0.5, 1), (int)(exact_random(state) % 20) - 11), 0};
}

/* All of the arguments that sin.h takes, and those of the windows of lanczos4: multiples of pi and pi / 4 by
 * short numbers. */
static inline struct kernel_case sine_argument(uint64_t *state) {
    switch (exact_random(state) % 3) {
    case 0:
        return (struct kernel_case){exact_uniform(state, -16, 16), 0};
    case 1:
        return (struct kernel_case){ldexp(exact_uniform(state, -16, 16), -(int)(exact_random(state) % 40)), 0};
    default:
        return (struct kernel_case){0x1.921fb54442d18p+1 * (float)exact_uniform(state, -4, 4) /
                                        (double)(1 + exact_random(state) % 2 * 3), 0};
    }
}

static inline struct kernel_case tanh_argument(uint64_t *state) {
    const double x = exact_uniform(state, -20.5, 20.5);
    return (struct kernel_case){exact_random(state) & 1 ? x : ldexp(x, -(int)(exact_random(state) % 40)), 0};
}

static inline u64 ours_pow(double x, double y) {
    return double_pow(ty_bits(x), ty_bits(y));
}
static inline u64 ours_exp(double x, double y) {
    return (void)y, double_exp(ty_bits(x));
}
static inline u64 ours_sin(double x, double y) {
    return (void)y, double_sin(ty_bits(x));
}
static inline u64 ours_cos(double x, double y) {
    return (void)y, double_cos(ty_bits(x));
}
static inline u64 ours_atan2(double x, double y) {
    return double_atan2((float)y, (float)x);
}
static inline u64 ours_pow7(double x, double y) {
    return (void)y, double_pow7((float)x);
}

static inline u64 ours_slow_sin(double x, double y) {
    return (void)y, ty_bits(ty_sin(x));
}
static inline u64 ours_tanh(double x, double y) {
    return (void)y, ty_bits(ty_tanh(x));
}

static inline void mpfr_pow_of(mpfr_t r, const mpfr_t x, const mpfr_t y) {
    mpfr_pow(r, x, y, MPFR_RNDN);
}
static inline void mpfr_exp_of(mpfr_t r, const mpfr_t x, const mpfr_t y) {
    (void)y, mpfr_exp(r, x, MPFR_RNDN);
}
static inline void mpfr_sin_of(mpfr_t r, const mpfr_t x, const mpfr_t y) {
    (void)y, mpfr_sin(r, x, MPFR_RNDN);
}
static inline void mpfr_tanh_of(mpfr_t r, const mpfr_t x, const mpfr_t y) {
    (void)y, mpfr_tanh(r, x, MPFR_RNDN);
}
static inline void mpfr_cos_of(mpfr_t r, const mpfr_t x, const mpfr_t y) {
    (void)y, mpfr_cos(r, x, MPFR_RNDN);
}
static inline void mpfr_atan2_of(mpfr_t r, const mpfr_t x, const mpfr_t y) {
    mpfr_atan2(r, y, x, MPFR_RNDN);
}
static inline void mpfr_pow7_of(mpfr_t r, const mpfr_t x, const mpfr_t y) {
    (void)y, mpfr_pow_ui(r, x, 7, MPFR_RNDN);
}

static const struct kernel_function kernel_functions[] = {
    {"kernel_pow", pow_argument, ours_pow, mpfr_pow_of},
    {"kernel_exp", exp_argument, ours_exp, mpfr_exp_of},
    {"kernel_sin", angle_argument, ours_sin, mpfr_sin_of},
    {"kernel_cos", angle_argument, ours_cos, mpfr_cos_of},
    {"kernel_atan2", point_argument, ours_atan2, mpfr_atan2_of},
    {"kernel_pow7", chroma_argument, ours_pow7, mpfr_pow7_of},
    {"sin", sine_argument, ours_slow_sin, mpfr_sin_of},
    {"tanh", tanh_argument, ours_tanh, mpfr_tanh_of},
};
enum { KERNEL_FUNCTIONS = sizeof kernel_functions / sizeof kernel_functions[0] };

static inline const struct kernel_function *kernel_find(const char *name) {
    for (int i = 0; i < KERNEL_FUNCTIONS; i++)
        if (strcmp(kernel_functions[i].name, name) == 0)
            return &kernel_functions[i];
    return NULL;
}

static inline u64 kernel_reference(const struct kernel_function *f, struct kernel_case at) {
    mpfr_t x, y, r;
    mpfr_inits2(53, x, y, r, (mpfr_ptr)0);
    mpfr_set_d(x, at.x, MPFR_RNDN);
    mpfr_set_d(y, at.y, MPFR_RNDN);
    f->mpfr(r, x, y);
    const u64 bits = ty_bits(mpfr_get_d(r, MPFR_RNDN));
    mpfr_clears(x, y, r, (mpfr_ptr)0);
    return bits;
}

/* Compares one argument and reports it if it differs. */
static inline bool kernel_agrees(const struct kernel_function *f, struct kernel_case at) {
    const u64 ours = f->ours(at.x, at.y), reference = kernel_reference(f, at);
    if (ours != reference)
        fprintf(stderr, "%s(%a, %a): %a, MPFR %a\n", f->name, at.x, at.y, ty_from_bits(ours),
                ty_from_bits(reference));
    return ours == reference;
}

static inline uint64_t kernel_compare_random(const struct kernel_function *f, uint64_t count, uint64_t seed) {
    uint64_t differ = 0;
    for (uint64_t i = 0; i < count && differ < 5; i++)
        differ += !kernel_agrees(f, f->argument(&seed));
    return differ;
}

#endif
