/* The integer doubles and functions of kernel text: operations against the processor's, functions against
 * MPFR. */
#include "unit.h"

#include "kernel_math_reference.h"

static double any_double(uint64_t *state) {
    /* Products, quotients and sums of these stay normal, or are 0. Some have few digits, so that results are
     * exact or ties. */
    const uint64_t mask = exact_random(state) & 1 ? UINT64_MAX : UINT64_MAX << (exact_random(state) % 53);
    const uint64_t fraction = exact_random(state) & mask & (UINT64_MAX >> 12);
    const uint64_t field =
        exact_random(state) & 1 ? 1013 + exact_random(state) % 20 : 623 + exact_random(state) % 800;
    const uint64_t sign = exact_random(state) << 63;
    return ty_from_bits(exact_random(state) % 64 == 0 ? sign : sign | field << 52 | fraction);
}

static void assert_same(u64 ours, double theirs, double x, double y) {
    if (ours != ty_bits(theirs))
        fail_msg("%a, %a: %a is not %a", x, y, ty_from_bits(ours), theirs);
}

static void operations_are_the_processors(void **unused) {
    (void)unused;
    uint64_t state = 1;
    for (int i = 0; i < 2000000; i++) {
        const double x = any_double(&state), y = any_double(&state);
        const u64 a = ty_bits(x), b = ty_bits(y);
        assert_same(double_add(a, b), x + y, x, y);
        assert_same(double_subtract(a, b), x - y, x, y);
        assert_same(double_multiply(a, b), x * y, x, y);
        if (y != 0)
            assert_same(double_divide(a, b), x / y, x, y);
        assert_same(double_sqrt(double_magnitude(a)), sqrt(fabs(x)), x, 0);
        assert_int_equal(double_less(a, b), x < y);
        assert_int_equal(double_less(a, a), 0);
        const i32 n = (i32)exact_random(&state);
        assert_same(double_of_int(n), n, n, 0);
    }
    assert_same(double_of_int(0), 0, 0, 0);
    assert_same(double_of_int(INT32_MIN), INT32_MIN, INT32_MIN, 0);
}

/* A difference of neighbours loses all digits but one. */
static void cancellation_is_exact(void **unused) {
    (void)unused;
    uint64_t state = 2;
    for (int i = 0; i < 200000; i++) {
        const double x = any_double(&state), y = ty_from_bits(ty_bits(x) + exact_random(&state) % 3);
        assert_same(double_subtract(ty_bits(x), ty_bits(y)), x - y, x, y);
        assert_same(double_subtract(ty_bits(y), ty_bits(x)), y - x, x, y);
        const double half = x / 2;
        assert_same(double_subtract(ty_bits(x), ty_bits(half)), x - half, x, half);
    }
}

static void floats_to_doubles_and_back(void **unused) {
    (void)unused;
    uint64_t state = 3;
    for (int i = 0; i < 2000000; i++) {
        u32 bits = (u32)exact_random(&state);
        if ((bits >> 23 & 0xff) == 0xff)
            bits &= ~(u32)(1 << 23);
        const float x = f32_of_bits(exact_random(&state) % 8 == 0 ? bits & 0x807fffff : bits);
        assert_same(double_of_float(x), x, x, 0);
        assert_true(f32_bits(float_of_double(ty_bits(x))) == f32_bits(x));
        /* Near that float, near the midpoint above it, and ties. */
        const uint64_t half = (uint64_t)(exact_random(&state) & 1) << 28;
        const double near = ty_from_bits((ty_bits(x) | half) + exact_random(&state) % 3);
        assert_true(f32_bits(float_of_double(ty_bits(near))) == f32_bits((float)near));
        const double far = ldexp(near, -(int)(exact_random(&state) % 170));
        if (fabs(far) < 0x1p126 && fabs(far) >= 0x1p-1000)
            assert_true(f32_bits(float_of_double(ty_bits(far))) == f32_bits((float)far));
    }
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
        cmocka_unit_test(cancellation_is_exact),
        cmocka_unit_test(floats_to_doubles_and_back),
        cmocka_unit_test(functions_are_mpfrs),
        cmocka_unit_test(special_arguments),
    };
    return cmocka_run_group_tests_name("kernel_math", tests, NULL, NULL);
}
