/* The functions of src/exact/math.h beside MPFR's, as maps from bits to bits, and generators of arguments. */
#ifndef TALLY_TESTS_EXACT_REFERENCE_H
#define TALLY_TESTS_EXACT_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "exact/math.h"
#include "exact/round.h"
#include "exact_random.h"

struct exact_function {
    const char *name;
    bool is_float;
    double (*ours_1)(double);
    double (*ours_2)(double, double);
    float (*ours_1f)(float);
    float (*ours_2f)(float, float);
    int (*mpfr_1)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*mpfr_2)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
};

static const struct exact_function exact_functions[] = {
    {"log", false, ty_log, NULL, NULL, NULL, mpfr_log, NULL},
    {"log2", false, ty_log2, NULL, NULL, NULL, mpfr_log2, NULL},
    {"log10", false, ty_log10, NULL, NULL, NULL, mpfr_log10, NULL},
    {"exp", false, ty_exp, NULL, NULL, NULL, mpfr_exp, NULL},
    {"pow", false, NULL, ty_pow, NULL, NULL, NULL, mpfr_pow},
    {"log2f", true, NULL, NULL, ty_log2f, NULL, mpfr_log2, NULL},
    {"powf", true, NULL, NULL, NULL, ty_powf, NULL, mpfr_pow},
};
enum { EXACT_FUNCTIONS = sizeof exact_functions / sizeof exact_functions[0] };

static inline const struct exact_function *exact_find(const char *name)
{
    for (int i = 0; i < EXACT_FUNCTIONS; i++) {
        if (strcmp(exact_functions[i].name, name) == 0)
            return &exact_functions[i];
    }
    return NULL;
}

static inline bool exact_has_two_arguments(const struct exact_function *f)
{
    return f->ours_2 || f->ours_2f;
}

/* Arguments and results are 64-bit patterns, or 32-bit ones in the low half for the float functions. */
static inline uint64_t exact_ours(const struct exact_function *f, uint64_t x, uint64_t y)
{
    if (f->ours_1)
        return ty_bits(f->ours_1(ty_from_bits(x)));
    if (f->ours_2)
        return ty_bits(f->ours_2(ty_from_bits(x), ty_from_bits(y)));
    if (f->ours_1f)
        return ty_bits_f(f->ours_1f(ty_from_bits_f((uint32_t)x)));
    return ty_bits_f(f->ours_2f(ty_from_bits_f((uint32_t)x), ty_from_bits_f((uint32_t)y)));
}

static inline uint64_t exact_result_bits(const mpfr_t r, bool is_float)
{
    if (mpfr_nan_p(r))
        return is_float ? UINT64_C(0x7fc00000) : TY_NAN_BITS;
    return is_float ? ty_bits_f(mpfr_get_flt(r, MPFR_RNDN)) : ty_bits(mpfr_get_d(r, MPFR_RNDN));
}

static inline void exact_set(mpfr_t r, uint64_t bits, bool is_float)
{
    if (is_float)
        mpfr_set_flt(r, ty_from_bits_f((uint32_t)bits), MPFR_RNDN);
    else
        mpfr_set_d(r, ty_from_bits(bits), MPFR_RNDN);
}

/* MPFR rounds once to the format's digits and exponent range; mpfr_subnormalize undoes a double rounding. */
static inline uint64_t exact_reference(const struct exact_function *f, uint64_t x, uint64_t y)
{
    static mpfr_t arg_x, arg_y, result;
    static bool ready;
    if (!ready) {
        mpfr_inits2(53, arg_x, arg_y, (mpfr_ptr)0);
        mpfr_init2(result, 53);
        ready = true;
    }
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    exact_set(arg_x, x, f->is_float);
    exact_set(arg_y, y, f->is_float);
    mpfr_set_prec(result, f->is_float ? 24 : 53);
    mpfr_set_emin(f->is_float ? -148 : -1073);
    mpfr_set_emax(f->is_float ? 128 : 1024);
    const int side = f->mpfr_1 ? f->mpfr_1(result, arg_x, MPFR_RNDN)
                               : f->mpfr_2(result, arg_x, arg_y, MPFR_RNDN);
    mpfr_subnormalize(result, side, MPFR_RNDN);
    return exact_result_bits(result, f->is_float);
}

/* 1 with up to 52 random low bits changed, on either side. */
static inline double exact_near_one(uint64_t *state)
{
    const uint64_t change = exact_random(state) >> (12 + exact_random(state) % 52);
    return ty_from_bits(exact_random(state) & 1 ? TY_ONE_BITS + change : TY_ONE_BITS - change);
}

static inline double exact_positive(uint64_t *state)
{
    return ty_from_bits(exact_random(state) % TY_INF_BITS);
}

static inline double exact_small_fraction(uint64_t *state, unsigned count)
{
    return ldexp((double)(exact_random(state) % count + 1), -(int)(exact_random(state) % 6));
}

/* Arguments of pow of one of nine kinds. */
static inline void exact_pow_arguments(uint64_t *state, double *x, double *y)
{
    switch (exact_random(state) % 9) {
    case 0: /* any */
        *x = ty_from_bits(exact_random(state));
        *y = ty_from_bits(exact_random(state));
        break;
    case 1: /* a finite result of any size, some subnormal */
        *x = exact_positive(state);
        *y = exact_uniform(state, -746, 711) / log(*x);
        break;
    case 2: /* near 1, with powers that bring it far */
        *x = exact_near_one(state);
        *y = exact_uniform(state, -746, 711) / log(*x);
        break;
    case 3: /* often exact, or a midpoint */
        *x = exact_small_fraction(state, 4096);
        *y = (double)(exact_random(state) % 24) - 4;
        break;
    case 4: /* roots, with exact squares among them */
        *x = exact_small_fraction(state, 1u << 26);
        *x *= *x;
        *y = exact_small_fraction(state, 7);
        break;
    case 5: /* next to 1, by simple powers: next to midpoints */
        *x = exact_near_one(state);
        *y = exact_small_fraction(state, 31) * (exact_random(state) & 1 ? 1 : -1);
        break;
    case 6: /* underflow */
        *x = exact_positive(state);
        *y = exact_uniform(state, -746, -707) / log(*x);
        break;
    case 7: /* what pictures need */
        *x = exact_uniform(state, 0, 2);
        *y = exact_uniform(state, -8, 8);
        break;
    default: /* negative, by integers */
        *x = -exact_uniform(state, 0, 64);
        *y = (double)(int64_t)(exact_random(state) % 401) - 200;
        break;
    }
}

static inline double exact_argument(const struct exact_function *f, uint64_t *state)
{
    const bool is_exp = f->ours_1 == ty_exp;
    switch (exact_random(state) % 4) {
    case 0:
        return ty_from_bits(exact_random(state));
    case 1:
        return is_exp ? exact_uniform(state, -746, 711) : exact_near_one(state);
    case 2: /* exp: every magnitude of use */
        return is_exp ? ldexp(exact_uniform(state, -2, 2), (int)(exact_random(state) % 70) - 60)
                      : exact_positive(state);
    default:
        return is_exp ? exact_uniform(state, -746, -707) : exact_uniform(state, 0, 100);
    }
}

static inline void exact_arguments(const struct exact_function *f, uint64_t *state, uint64_t *x, uint64_t *y)
{
    double a, b = 0;
    if (exact_has_two_arguments(f))
        exact_pow_arguments(state, &a, &b);
    else
        a = exact_argument(f, state);
    *x = ty_bits(a);
    *y = ty_bits(b);
    if (f->is_float) {
        /* A third of the float arguments are any bits; the others, doubles rounded and so nearer to use. */
        const bool any = exact_random(state) % 3 == 0;
        *x = any ? (uint32_t)exact_random(state) : ty_bits_f((float)a);
        *y = any && exact_random(state) % 2 ? (uint32_t)exact_random(state) : ty_bits_f((float)b);
    }
}

/* Compares count random arguments, reports the first few that differ, and returns how many do. */
static inline uint64_t exact_compare_random(const struct exact_function *f, uint64_t count, uint64_t seed)
{
    uint64_t differ = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x, y;
        exact_arguments(f, &seed, &x, &y);
        const uint64_t ours = exact_ours(f, x, y), reference = exact_reference(f, x, y);
        if (ours != reference && differ++ < 5)
            fprintf(stderr, "%s(%016llx, %016llx): %016llx, MPFR %016llx\n", f->name, (unsigned long long)x,
                    (unsigned long long)y, (unsigned long long)ours, (unsigned long long)reference);
    }
    return differ;
}

#endif
