/* The square root of kernel text in its integer form against the processor's, for both parities of the
 * exponent and every significand, which is every case there is. */
#include "unit.h"

#include <math.h>

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#include "kernel/kernel.h"

#include "exact/kernel_sqrt.h"

static void assert_root(u32 bits) {
    const f32 x = f32_of_bits(bits), expected = sqrtf(x), integer = exact_sqrt_integer(x),
              direct = exact_sqrt(x);
    if (f32_bits(integer) != f32_bits(expected) || f32_bits(direct) != f32_bits(expected))
        fail_msg("root of %a: %a and %a, not %a", (double)x, (double)integer, (double)direct,
                 (double)expected);
}

static void every_significand(void **state) {
    (void)state;
    for (u32 bits = f32_bits(1.0f); bits < f32_bits(4.0f); bits++)
        assert_root(bits);
}

static void every_exponent(void **state) {
    (void)state;
    static const u32 significands[] = {0, 1, 0x2aaaaa, 0x3504f3, 0x400000, 0x555555, 0x7ffffe, 0x7fffff};
    for (u32 exponent = 1; exponent < 255; exponent++)
        for (size_t i = 0; i < sizeof significands / sizeof significands[0]; i++)
            assert_root(exponent << 23 | significands[i]);
}

static void zero(void **state) {
    (void)state;
    assert_root(0);
}

/* psnr_hvs.md, claim 1: the root and the division in double, then rounded, is the float root times 2^-5. */
static void threshold_of_psnr_hvs(void **state) {
    (void)state;
    for (u32 bits = f32_bits(1.0f); bits < f32_bits(4.0f); bits += 3) {
        const f32 p = f32_of_bits(bits);
        assert_true((f32)(sqrt((double)p) / 32.0) == exact_sqrt(p) * 0.03125f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_significand),
        cmocka_unit_test(every_exponent),
        cmocka_unit_test(zero),
        cmocka_unit_test(threshold_of_psnr_hvs),
    };
    return cmocka_run_group_tests_name("kernel sqrt", tests, NULL, NULL);
}
