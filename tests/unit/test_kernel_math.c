/* The integer doubles and functions of kernel text: operations against the processor's, functions against
 * MPFR. */
#include "unit.h"

#include "kernel_math_reference.h"
#include "kernel_pairs.h"

static void operations_are_the_processors(void **unused) {
    (void)unused;
    for (int i = 0; i < KERNEL_PAIRS; i++)
        if (strncmp(kernel_pairs[i].name, "double_", 7) == 0)
            assert_int_equal(kernel_pair_differ(&kernel_pairs[i], 2000000, (uint64_t)i + 1), 0);
    assert_true(double_of_int(0) == ty_bits(0) && double_of_int(INT32_MIN) == ty_bits(INT32_MIN));
    assert_false(double_less(ty_bits(1.5), ty_bits(1.5)));
}

static void quick_powers_are_the_correct_ones(void **unused) {
    (void)unused;
    uint64_t state = 7;
    assert_int_equal(kernel_pair_differ(kernel_pair_find("power"), 2000000, 1), 0);
    u32 doubts = 0;
    for (int i = 0; i < 1000000; i++)
        doubts += power_in_doubt((f32)exact_uniform(&state, 0, 100), power_exponent(&state));
    assert_true(doubts < 100);
    for (f32 p = 1; p <= 20; p++) { /* exact powers, and midpoints, which are in doubt */
        assert_true(power_of_agrees(1, (f64)p) && power_of_agrees(2, (f64)p) && power_of_agrees(0.5f, (f64)p));
        assert_true(power_of_agrees(0, (f64)p) && power_of_agrees(3, (f64)p) && power_of_agrees(4097, (f64)p));
    }
    assert_true(power_in_doubt(4097, 2) && power_in_doubt(0x1p-130f, 1.5) && !power_in_doubt(0x1p-126f, 20));
}

static void functions_are_mpfrs(void **unused) {
    (void)unused;
    for (int i = 0; i < KERNEL_FUNCTIONS; i++)
        assert_int_equal(kernel_compare_random(&kernel_functions[i], 100000, (uint64_t)i + 1), 0);
}

/* Arguments at the ends of ranges, exact results, quadrants, and neighbours of multiples of pi/2. */
static void special_arguments(void **unused) {
    (void)unused;
    static const double third = 0x1.5555555555555p-2;
    static const struct {
        const char *name;
        double x, y;
    } cases[] = {
        {"kernel_pow", 1, 2.4},
        {"kernel_pow", 1, third},
        {"kernel_pow", 2, 2.4},
        {"kernel_pow", 8, third},
        {"kernel_pow", 0.125, third},
        {"kernel_pow", 0.5, third},
        {"kernel_pow", 0x1p-7, third},
        {"kernel_pow", 0x1.fffffffffffffp-1, 2.4},
        {"kernel_pow", 0x1.0000000000001p+0, third},
        {"kernel_pow", 3, 1},
        {"kernel_pow", 5, 2},
        {"kernel_pow", 2, 3},
        {"kernel_pow", 0.25, 0.5},
        {"kernel_exp", 0, 0},
        {"kernel_exp", -121, 0},
        {"kernel_exp", -0x1p-149, 0},
        {"kernel_exp", -1, 0},
        {"kernel_exp", -0x1.fffffep+6, 0},
        {"kernel_exp", -0x1p-54, 0},
        {"kernel_sin", 0, 0},
        {"kernel_sin", 0x1p-27, 0},
        {"kernel_sin", -0x1p-26, 0},
        {"kernel_sin", 0x1.921fb6p+0, 0},
        {"kernel_sin", -0x1.921fb54442d18p+1, 0},
        {"kernel_sin", 0x1.921fb6p+1, 0},
        {"kernel_sin", 30.9, 0},
        {"kernel_sin", -30.9, 0},
        {"kernel_cos", 0, 0},
        {"kernel_cos", 0x1p-27, 0},
        {"kernel_cos", 0x1p-26, 0},
        {"kernel_cos", 0x1.921fb54442d18p+0, 0},
        {"kernel_cos", -0x1.921fb6p+0, 0},
        {"kernel_cos", 0x1.921fb6p+2, 0},
        {"kernel_cos", 30.9, 0},
        {"kernel_cos", 0x1.2d97c8p+2, 0},
        {"kernel_atan2", 1, 0},
        {"kernel_atan2", -1, 0},
        {"kernel_atan2", 0, 1},
        {"kernel_atan2", 0, -1},
        {"kernel_atan2", 1, 1},
        {"kernel_atan2", -1, 1},
        {"kernel_atan2", -1, -1},
        {"kernel_atan2", 1, -1},
        {"kernel_atan2", 181, 0x1p-30},
        {"kernel_atan2", -181, 0x1p-30},
        {"kernel_atan2", 0x1p-30, 181},
        {"kernel_atan2", 64, 1},
        {"kernel_atan2", 64, 0x1.000002p+0},
        {"kernel_atan2", 64, 0x1.fffffep-1},
        {"kernel_pow7", 0, 0},
        {"kernel_pow7", 1, 0},
        {"kernel_pow7", 0x1.fffffep+7, 0},
        {"kernel_pow7", 3, 0},
        {"kernel_pow7", 0x1.000002p-11, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(kernel_agrees(kernel_find(cases[i].name), (struct kernel_case){cases[i].x, cases[i].y}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_the_processors),
        cmocka_unit_test(quick_powers_are_the_correct_ones),
        cmocka_unit_test(functions_are_mpfrs),
        cmocka_unit_test(special_arguments),
    };
    return cmocka_run_group_tests_name("kernel_math", tests, NULL, NULL);
}
