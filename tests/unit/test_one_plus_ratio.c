/* 1 + a / (b + c) in its integer form against the form in doubles. */
#include "unit.h"

#include <math.h>

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#include "kernel/kernel.h"

#include "exact/one_plus_ratio.h"

static u64 random_state = UINT64_C(88172645463325252);

static u64 random64(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void check(f32 a, f32 b, f64 c) {
    const u64 bits = bits_of_double(c);
    const f32 doubles = exact_one_plus_ratio_f64(a, b, bits),
              integers = exact_one_plus_ratio_integer(a, b, bits);
    if (f32_bits(doubles) != f32_bits(integers))
        fail_msg("1 + %a / (%a + %a): %a in doubles, %a in integers", (double)a, (double)b, c,
                 (double)doubles, (double)integers);
}

/* 24 random digits, or few of them, times 2^low to 2^high. */
static f32 random_float(int low, int high) {
    const u64 r = random64();
    const u32 digits = 0x800000 | ((u32)r & 0x7fffff &
                                   (r >> 60 < 4   ? 0x700000
                                    : r >> 60 < 6 ? 0x700007
                                                  : 0x7fffff));
    return ldexpf((f32)digits, low + (int)((r >> 32) % (u64)(high - low + 1)) - 23);
}

static f64 random_double(int low, int high) {
    const u64 r = random64(), digits = (random64() & (UINT64_MAX >> 12)) | UINT64_C(1) << 52;
    const u64 kept = r >> 60 < 4 ? digits >> 40 << 40 : r >> 60 < 6 ? (digits >> 50 << 50) + (r & 3) : digits;
    return ldexp((f64)kept, low + (int)((r >> 32) % (u64)(high - low + 1)) - 52);
}

/* The variances of float_vif: a below 2^29, b at least 2^-34, c the variance of the noise. */
static void variances(void **state) {
    (void)state;
    for (int i = 0; i < 2000000; i++) {
        check(random_float(-34, 28), random_float(-34, 14), random_double(-8, 2));
        check(random_float(-34, 14), 0, random_double(-8, 2));
    }
}

static void whole_domain(void **state) {
    (void)state;
    for (int i = 0; i < 2000000; i++)
        check(random_float(-126, 127), i % 3 ? random_float(-126, 127) : 0, random_double(-200, 9));
}

/* Ratios near midpoints of floats: 1 + m 2^-24 with odd m, give or take little. */
static void near_midpoints(void **state) {
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        const f32 a = ldexpf((f32)(random64() % 0xffffff | 1), -24 + (int)(random64() % 12));
        const int e = (int)(random64() % 60) + 1;
        check(a, 0, 1.0);
        check(a, 0, 1.0 + ldexp(1.0, -e));
        check(a, 0, 1.0 - ldexp(1.0, -e));
        check(a, ldexpf(1.0f, -e), 1.0);
    }
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
        cmocka_unit_test(variances),
        cmocka_unit_test(whole_domain),
        cmocka_unit_test(near_midpoints),
        cmocka_unit_test(special_cases),
    };
    return cmocka_run_group_tests_name("one plus ratio", tests, NULL, NULL);
}
