/* src/exact against MPFR, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "exact_reference.h"
#include "exact/exp_first.h"
#include "exact/log_first.h"
#include "exact/wide.h"

enum { RANDOM_COUNT = 100000, WIDE_COUNT = 20000 };

static void check(const char *name, double x, double y)
{
    const struct exact_function *f = exact_find(name);
    const uint64_t a = f->is_float ? ty_bits_f((float)x) : ty_bits(x);
    const uint64_t b = f->is_float ? ty_bits_f((float)y) : ty_bits(y);
    const uint64_t ours = exact_ours(f, a, b), reference = exact_reference(f, a, b);
    if (ours != reference)
        fail_msg("%s(%a, %a): %016llx, MPFR %016llx", name, x, y, (unsigned long long)ours,
                 (unsigned long long)reference);
}

static const double edges[] = {
    0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, -NAN, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 0x1p-1074,
    -0x1p-1074, 0x1p-1022, -0x1p-1022, 0x0.fffffffffffffp-1022, 0x1.fffffffffffffp1023,
    -0x1.fffffffffffffp1023, 0x1p-149, 0x1p-126, 0x1.fffffep127, -0x1.fffffep127, 0x1.fffffffffffffp-1,
    0x1.0000000000001p0, -0x1.fffffffffffffp-1, 0x1p52, 0x1p53, 0x1.fffffffffffffp52,
    -0x1.fffffffffffffp52, 0x1p53 + 2, 0x1.8p1, 1.5, -1.5, 0x1p-53, 0x1p-54, -0x1p-53, -0x1p-54,
    0x1.0000000000001p-54, -0x1.0000000000001p-54, 0x1p63, 0x1p64, -0x1p64, 1e300, -1e300, 709.0,
    709.782712893384, 709.7827128933841, -708.3964185322641, -745.0, -745.1332191019411,
    -745.1332191019412, 1024.0, -1074.0, -1075.0, -1076.0, -149.0, -150.0, -151.0, 128.0, 0.1, 10.0,
    100.0,
};
enum { EDGES = sizeof edges / sizeof edges[0] };

static void special_values(void **state)
{
    (void)state;
    for (int i = 0; i < EDGES; i++) {
        for (int k = 0; k < EXACT_FUNCTIONS; k++) {
            const struct exact_function *f = &exact_functions[k];
            for (int j = 0; j < (exact_has_two_arguments(f) ? EDGES : 1); j++)
                check(f->name, edges[i], edges[j]);
        }
    }
}

/* What Annex F says, without MPFR. */
static void annex_f(void **state)
{
    (void)state;
    const uint64_t minus = TY_SIGN_BIT;
    assert_true(ty_bits(ty_log(1.0)) == 0);
    assert_true(ty_bits(ty_log2(-0.0)) == (TY_INF_BITS | minus));
    assert_true(ty_bits(ty_log10(-1.0)) == TY_NAN_BITS);
    assert_true(ty_bits(ty_log(-INFINITY)) == TY_NAN_BITS);
    assert_true(ty_bits(ty_log(ty_from_bits(0xfff0000000000001))) == TY_NAN_BITS);
    assert_true(ty_bits(ty_exp(-INFINITY)) == 0);
    assert_true(ty_bits(ty_exp(-0.0)) == TY_ONE_BITS);
    assert_true(ty_bits(ty_pow(NAN, -0.0)) == TY_ONE_BITS);
    assert_true(ty_bits(ty_pow(1.0, NAN)) == TY_ONE_BITS);
    assert_true(ty_bits(ty_pow(-1.0, -INFINITY)) == TY_ONE_BITS);
    assert_true(ty_bits(ty_pow(-0.0, -3.0)) == (TY_INF_BITS | minus));
    assert_true(ty_bits(ty_pow(-0.0, -2.0)) == TY_INF_BITS);
    assert_true(ty_bits(ty_pow(-INFINITY, -3.0)) == minus);
    assert_true(ty_bits(ty_pow(-8.0, 1.0 / 3.0)) == TY_NAN_BITS);
    assert_true(ty_bits(ty_pow(-2.0, -1075.0)) == minus);
    assert_true(ty_bits_f(ty_log2f(-1.0f)) == 0x7fc00000);
    assert_true(ty_bits_f(ty_log2f(-0.0f)) == 0xff800000);
    assert_true(ty_bits_f(ty_powf(-1.0f, 0.5f)) == 0x7fc00000);
    assert_true(ty_bits_f(ty_powf(-2.0f, 1e30f)) == 0x7f800000);
}

static void exact_cases(void **state)
{
    (void)state;
    double ten = 1;
    for (int k = 0; k <= 22; k++, ten *= 10) {
        assert_true(ty_log10(ten) == k);
        check("log10", nextafter(ten, 0), 0);
        check("log10", nextafter(ten, INFINITY), 0);
    }
    for (int k = -1074; k <= 1023; k++) {
        assert_true(ty_log2(ldexp(1, k)) == k);
        assert_true(ty_bits(ty_pow(2, k)) == ty_bits(ldexp(1, k)));
        check("log2", nextafter(ldexp(1, k), 0), 0);
        check("log2", nextafter(ldexp(1, k), INFINITY), 0);
        check("pow", ldexp(1, k), 0.25);
        check("pow", 4, k / 2.0);
    }
    for (int k = -149; k <= 127; k++)
        assert_true(ty_log2f(ldexpf(1, k)) == (float)k);
    for (int a = 2; a < 200; a++) {
        for (int n = -30; n <= 40; n++) {
            check("pow", a, n);
            check("powf", a, n);
            check("pow", -a / 8.0, n);
        }
    }
}

/* Results that are exactly half way between two numbers, and their neighbours. */
static void exact_midpoints(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        const double odd = (double)((exact_random(&seed) >> 38) | 0x4000001); /* squares of 53 or 54 bits */
        check("pow", odd, 2);
        check("pow", ldexp(odd, -540), 2); /* subnormal: fewer digits */
        check("pow", ldexp(odd * odd, 2 * (i % 90)), 0.5);
        check("pow", ldexp(odd * odd, 2 * (i % 90)), 1.5);
        const double cube = (double)((exact_random(&seed) >> 47) | 0x20001); /* 18 bits */
        check("pow", cube, 3);
        check("pow", ldexp(cube, -360 - i % 10), 3);
        check("pow", cube * cube, 1.5);
        const double small = (double)((exact_random(&seed) >> 52) | 0x1001); /* squares of 25 or 26 bits */
        check("powf", small, 2);
        check("powf", ldexp(small, -80), 2);
        check("powf", small * small, 0.5);
    }
    check("pow", 0x1p-5, 215);  /* 2^-1075 */
    check("pow", 0x1p-25, 43);
    check("pow", 0x1p215, -5);
    check("powf", 0x1p-75, 2);  /* 2^-150 */
    check("pow", 0x1.8p-1, 2590);
}

/* The published worst cases of Lefevre and Muller, and arguments by construction next to midpoints. */
static void hard_cases(void **state)
{
    (void)state;
    static const double log_cases[] = {0x1.62a88613629b6p+678, 0x1.ac50b409c8aeep+8, 0x1.b4ebe40c95a01p0,
                                       0x1.e12d66744ff81p+429, 0x1.de7cd6751029ap+16, 0x1.ea71d85cee020p+509};
    static const double exp_cases[] = {0x1.9e9cbbfd6080bp-31, 0x1.83d4bcdebb3f4p+2, -0x1.1d5c2daebe367p+4,
                                       -0x1.ed318efb627eap-27, 0x1.ff8p-30, 0x1.fffffffffffffp-54};
    for (unsigned i = 0; i < sizeof log_cases / sizeof log_cases[0]; i++) {
        check("log", log_cases[i], 0);
        check("log2", log_cases[i], 0);
        check("log10", log_cases[i], 0);
    }
    for (unsigned i = 0; i < sizeof exp_cases / sizeof exp_cases[0]; i++)
        check("exp", exp_cases[i], 0);
    /* e^x = 1 + x + x^2/2: for x = odd * 2^-53 it lies x^2/2 < 2^-82 from a midpoint */
    for (int k = 1; k < 4000; k++) {
        check("exp", k * 0x1p-53, 0);
        check("exp", -k * 0x1p-54, 0);
        /* (1 + k u)^(1/2) = 1 + k u/2 - k^2 u^2/8, and so on */
        for (int shift = 1; shift < 6; shift++) {
            check("pow", 1 + k * 0x1p-52, ldexp(1, -shift));
            check("pow", 1 - k * 0x1p-53, ldexp(1, -shift));
            check("pow", 1 + k * 0x1p-52, 1 + ldexp(1, -shift));
            check("pow", 1 - k * 0x1p-53, -ldexp(3, -shift));
        }
    }
    for (int k = 1; k < 2000; k++) {
        check("powf", 1 + k * 0x1p-23f, 0.5);
        check("powf", 1 - k * 0x1p-24f, 1.5);
        check("powf", 1 - k * 0x1p-24f, -0.25);
    }
}

/* |y ln x| around 2^10 and 2^11, where the steps hand over to overflow and underflow. */
static void far_powers(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < 20000; i++) {
        const double x = ty_from_bits_f((uint32_t)(exact_random(&seed) % 0x7f800000));
        const double edge = ldexp(i % 2 ? 1 : -1, 9 + i / 2 % 4);
        const float y = (float)(edge / log(x));
        check("powf", x, y);
        check("powf", x, nextafterf(y, 0));
        check("pow", x, edge / log(x));
        check("pow", exact_near_one(&seed), y);
    }
    /* ln 2 * y = 2^10 to 24 digits */
    for (int i = -4; i <= 4; i++)
        check("powf", 2, ldexp((double)(12102203 + i), -13));
}

static void random_arguments(void **state)
{
    (void)state;
    for (int k = 0; k < EXACT_FUNCTIONS; k++)
        assert_true(exact_compare_random(&exact_functions[k], RANDOM_COUNT, 1000 + (uint64_t)k) == 0);
}

static void check_step(const char *name, double x, double y, uint64_t ours)
{
    const uint64_t reference = exact_reference(exact_find(name), ty_bits(x), ty_bits(y));
    if (ours != reference)
        fail_msg("step of %s(%a, %a): %016llx, MPFR %016llx", name, x, y, (unsigned long long)ours,
                 (unsigned long long)reference);
}

/* The 128-bit steps see few random arguments, since the quick ones settle 99 of 100: they are called
 * directly. */
static void first_steps(void **state)
{
    (void)state;
    static const char *const names[] = {"log", "log2", "log10"};
    static const struct ty_log_base *const bases[] = {&ty_base_e, &ty_base_2, &ty_base_10};
    uint64_t seed = 12, bits;
    for (int i = 0; i < RANDOM_COUNT; i++) {
        const double x = i % 3 ? exact_positive(&seed) : exact_near_one(&seed);
        if (x == 1 || x == 0)
            continue;
        const struct ty_log_reduced reduced = ty_log_reduce(ty_split_bits(ty_bits(x)));
        const struct ty_approx log_x = ty_log_first(reduced, bases[i % 3]);
        if (ty_round(log_x, TY_DOUBLE, &bits))
            check_step(names[i % 3], x, 0, bits | (log_x.negative ? TY_SIGN_BIT : 0));
        const double w = exact_uniform(&seed, -746, 711);
        const ty_i128 fixed = (ty_i128)ldexp(w, 52) * ((ty_i128)1 << 64);
        const double cut = ldexp(trunc(ldexp(w, 52)), -52);
        if (ty_round(ty_exp_first(ty_exp_reduce(fixed), 1), TY_DOUBLE, &bits))
            check_step("exp", cut, 0, bits);
    }
}

/* Fails unless |a - |truth|| <= the error that a claims. */
static void check_bound(const char *name, double x, const struct ty_approx a, const mpfr_t truth)
{
    mpfr_t value, low;
    mpfr_inits2(400, value, low, (mpfr_ptr)0);
    mpfr_set_uj(value, (uint64_t)(a.magnitude >> 64), MPFR_RNDN);
    mpfr_mul_2si(value, value, 64, MPFR_RNDN);
    mpfr_set_uj(low, (uint64_t)a.magnitude, MPFR_RNDN);
    mpfr_add(value, value, low, MPFR_RNDN);
    mpfr_abs(low, truth, MPFR_RNDN);
    mpfr_mul_2si(low, low, a.scale, MPFR_RNDN);
    mpfr_sub(value, value, low, MPFR_RNDN);
    if (mpfr_cmpabs_ui(value, a.error) > 0)
        fail_msg("%s(%a) is off by %g units, and claims %g", name, x, mpfr_get_d(value, MPFR_RNDN),
                 (double)a.error);
    mpfr_clears(value, low, (mpfr_ptr)0);
}

/* The error bounds that the rounding tests rest on, over the reach of every table entry. */
static void claimed_bounds(void **state)
{
    (void)state;
    static const struct ty_log_base *const bases[] = {&ty_base_e, &ty_base_2, &ty_base_10};
    static int (*const logs[])(mpfr_t, const mpfr_t, mpfr_rnd_t) = {mpfr_log, mpfr_log2, mpfr_log10};
    uint64_t seed = 13;
    mpfr_t arg, truth;
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_inits2(400, arg, truth, (mpfr_ptr)0);
    for (int i = 0; i < 4 * WIDE_COUNT; i++) {
        const double x = i % 2 ? exact_positive(&seed) : i % 4 ? exact_near_one(&seed)
                                                               : exact_uniform(&seed, 0.5, 2);
        if (x == 1 || x == 0)
            continue;
        const struct ty_log_reduced reduced = ty_log_reduce(ty_split_bits(ty_bits(x)));
        mpfr_set_d(arg, x, MPFR_RNDN);
        logs[i % 3](truth, arg, MPFR_RNDN);
        check_bound("first log", x, ty_log_first(reduced, bases[i % 3]), truth);
        if (!reduced.near_one)
            check_bound("quick log", x, ty_log_quick(reduced, bases[i % 3]), truth);
        const double w = exact_uniform(&seed, -746, 711), cut = ldexp(trunc(ldexp(w, 50)), -50);
        mpfr_set_d(arg, cut, MPFR_RNDN);
        mpfr_exp(truth, arg, MPFR_RNDN);
        const ty_i128 fixed = (ty_i128)ldexp(cut, 50) * ((ty_i128)1 << 66);
        check_bound("first exp", cut, ty_exp_first(ty_exp_reduce(fixed), 0), truth);
    }
    mpfr_clears(arg, truth, (mpfr_ptr)0);
}

/* The wide step runs too rarely for random arguments to reach it, so it is called directly. */
static void wide_logarithms(void **state)
{
    (void)state;
    static const char *const names[] = {"log", "log2", "log10"};
    uint64_t seed = 7;
    for (int i = 0; i < WIDE_COUNT; i++) {
        const double x = i % 3 ? exact_positive(&seed) : exact_near_one(&seed);
        if (x == 1 || x == 0)
            continue;
        const struct ty_split s = ty_split_bits(ty_bits(x));
        for (int base = TY_WIDE_E; base <= TY_WIDE_10; base++) {
            bool negative;
            const uint64_t bits = ty_wide_log(s, (enum ty_wide_base)base, TY_DOUBLE, &negative);
            check_step(names[base], x, 0, bits | (negative ? TY_SIGN_BIT : 0));
        }
    }
}

static void wide_exponentials(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int i = 0; i < WIDE_COUNT; i++) {
        const double x = i % 2 ? exact_uniform(&seed, -746, 711)
                               : ldexp(exact_uniform(&seed, 1, 2), -(int)(exact_random(&seed) % 60));
        const struct ty_split s = ty_split_bits(ty_bits(fabs(x)));
        check_step("exp", x, 0, ty_wide_exp(s, x < 0, TY_DOUBLE));
    }
}

static void wide_powers(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < WIDE_COUNT; i++) {
        const double x = i % 2 ? exact_positive(&seed) : exact_near_one(&seed);
        if (x == 1 || x == 0)
            continue;
        const double y = exact_uniform(&seed, -746, 711) / log(x);
        check_step("pow", x, y, ty_wide_pow(ty_split_bits(ty_bits(x)), ty_split_bits(ty_bits(fabs(y))), y < 0,
                                            TY_DOUBLE));
    }
}

/* A midpoint, which ty_pow never hands to the wide step, makes it go through every precision: an error in any
 * would show as a decision for the wrong neighbour. At the end it settles for the lower one. */
static void wide_precisions(void **state)
{
    (void)state;
    uint64_t seed = 10;
    const struct ty_split two = ty_split_bits(ty_bits(2.0));
    for (int i = 0; i < 100; i++) {
        /* The square has 54 bits, the last one set. */
        const uint64_t odd = (exact_random(&seed) >> 38) | 0x7000001;
        const uint64_t square = odd * odd;
        if (square >> 53 != 1)
            continue;
        const struct ty_split x = ty_split_bits(ty_bits((double)odd));
        assert_true(ty_wide_pow(x, two, false, TY_DOUBLE) == ty_bits((double)(square - 1)));
    }
}

static void sums_of_bits(uint64_t *sums)
{
    for (int k = 0; k < EXACT_FUNCTIONS; k++) {
        uint64_t seed = 11;
        sums[k] = 0;
        for (int i = 0; i < 20000; i++) {
            uint64_t x = exact_random(&seed), y = exact_random(&seed);
            if (exact_functions[k].is_float) {
                x = (uint32_t)x;
                y = (uint32_t)y;
            }
            sums[k] = sums[k] * 31 + exact_ours(&exact_functions[k], x, y);
        }
    }
}

/* Rounding modes and flush-to-zero change nothing, as no floating-point instruction takes part. */
static void processor_modes(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t expected[EXACT_FUNCTIONS], sums[EXACT_FUNCTIONS];
    sums_of_bits(expected);
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_true(fesetround(modes[i]) == 0);
        sums_of_bits(sums);
        fesetround(FE_TONEAREST);
        assert_memory_equal(sums, expected, sizeof sums);
    }
#if defined(__SSE2__)
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040); /* flush to zero, denormals are zero */
    sums_of_bits(sums);
    _mm_setcsr(control);
    assert_memory_equal(sums, expected, sizeof sums);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values),    cmocka_unit_test(annex_f),
        cmocka_unit_test(exact_cases),       cmocka_unit_test(exact_midpoints),
        cmocka_unit_test(hard_cases),        cmocka_unit_test(far_powers),
        cmocka_unit_test(random_arguments),
        cmocka_unit_test(first_steps),
        cmocka_unit_test(claimed_bounds),
        cmocka_unit_test(wide_logarithms),   cmocka_unit_test(wide_exponentials),
        cmocka_unit_test(wide_powers),       cmocka_unit_test(wide_precisions),
        cmocka_unit_test(processor_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
