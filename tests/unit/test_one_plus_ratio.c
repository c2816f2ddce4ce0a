/* 1 + a / (b + c) in its integer form against the form in doubles. */
#include "unit.h"

#include "kernel_pairs.h"

static void check(f32 a, f32 b, f64 c) {
    assert_true(ratio_agrees(a, b, c));
}

static void random_arguments(void **state) {
    (void)state;
    assert_int_equal(kernel_pair_differ(kernel_pair_find("one_plus_ratio"), 10000000, 1), 0);
}

static void special_cases(void **state) {
    (void)state;
    static const f64 noises[] = {0, 0x1p-200, 0x1p-126, 0.2, 2, 5, 0x1.fffffffffffffp+1};
    for (size_t i = 0; i < sizeof noises / sizeof noises[0]; i++) {
        check(0, 1, noises[i]);
        check(0x1.fffffep+127f, 0x1p-126f, noises[i]);
        check(0x1p-126f, 0x1.fffffep+127f, noises[i]);
        check(0x1.b7cdfep-34f, 0x1.b7cdfep-34f, noises[i]);
        for (u32 exponent = 1; exponent < 255; exponent++) {
            check(f32_of_bits(exponent << 23), 1, noises[i]);
            check(1, f32_of_bits(exponent << 23), noises[i]);
            check(f32_of_bits(exponent << 23 | 0x7fffff), f32_of_bits((255 - exponent) << 23 | 1), noises[i]);
        }
        check(0x1p-149f, 0x1.b7cdfep-34f, noises[i]);
        if (noises[i] > 0) {
            check(0, 0, noises[i]);
            check(0x1.fffffep+127f, 0, noises[i]);
            check(1, 0, noises[i]);
        }
    }
    assert_true(isinf(exact_one_plus_ratio_integer(0x1p+127f, 0, bits_of_double(0.25))));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arguments),
        cmocka_unit_test(special_cases),
    };
    return cmocka_run_group_tests_name("one plus ratio", tests, NULL, NULL);
}
