/* ty_sin against MPFR: special values, the borders of its cases, neighbours of multiples of pi, random and
 * short arguments. */
#include "exact/sin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "exact/word.h"

static double reference(double x) {
    mpfr_t r;
    mpfr_init2(r, 53);
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_sin(r, r, MPFR_RNDN);
    const double result = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clear(r);
    return result;
}

static void check(double x) {
    for (int sign = 0; sign < 2; sign++, x = -x) {
        const double got = ty_sin(x), expected = reference(x);
        if (ty_bits(got) != ty_bits(expected))
            fail_msg("sin(%a) is %a, not %a", x, got, expected);
    }
}

static void special_values(void **state) {
    (void)state;
    assert_true(ty_bits(ty_sin(0.0)) == 0);
    assert_true(ty_bits(ty_sin(-0.0)) == TY_SIGN_BIT);
    static const double outside[] = {16.0, -16.0, 0x1p+100, INFINITY, -INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        assert_true(ty_bits(ty_sin(outside[i])) == TY_NAN_BITS);
    check(0x1p-1074);
    check(0x1p-1022);
    check(0x1.fffffffffffffp+3);
}

static void borders(void **state) {
    (void)state;
    for (int e = -60; e <= 3; e++)
        for (int step = -40; step <= 40; step++)
            check(ty_from_bits(ty_bits(ldexp(1.0, e)) + (uint64_t)(int64_t)step));
}

/* Where the result is smallest against its argument, and where its slope is 0. */
static void multiples_of_half_pi(void **state) {
    (void)state;
    for (int k = 1; k <= 10; k++)
        for (int step = -40; step <= 40; step++)
            check(ty_from_bits(ty_bits(k * 1.5707963267948966) + (uint64_t)(int64_t)step));
}

/* Few bits set: x^3 / 6 is then as near to a midpoint as it gets. */
static void short_arguments(void **state) {
    (void)state;
    for (int e = -30; e <= -5; e++)
        for (int m = 1; m < 256; m += 2)
            check(ldexp((double)m, e));
}

static void random_arguments(void **state) {
    (void)state;
    uint64_t s = UINT64_C(88172645463325252);
    for (int i = 0; i < 50000; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        const uint64_t exponent = 1023 - 28 + (s >> 52) % 32;
        check(ty_from_bits(exponent << 52 | (s & (UINT64_MAX >> 12))));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values),
        cmocka_unit_test(borders),
        cmocka_unit_test(multiples_of_half_pi),
        cmocka_unit_test(short_arguments),
        cmocka_unit_test(random_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
