/* Sums of kernel text in place of doubles, against the processor's doubles. */
#include "unit.h"

#include <math.h>

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#include "kernel/kernel.h"

#include "exact/kernel_twofold.h"

static u32 random_state = 7;

static u32 random32(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* A finite float of either sign with an exponent of `middle` or up to `spread` above. */
static f32 random_float(u32 middle, u32 spread) {
    const u32 r = random32();
    const u32 few = random32() % 3 == 0 ? 0x7f0000 : 0x7fffff; /* few bits make ties */
    return f32_of_bits((r & 0x80000000) | (middle + random32() % (spread + 1)) << 23 | (r & few));
}

static void conversions(void **state) {
    (void)state;
    for (u32 i = 0; i < 1000000; i++) {
        const f32 x = random_float(0, 254);
        const double y = (double)x * (1.0 + random32() * 0x1p-33) * (random32() % 2 ? 1.0 : 0x1.000001p0);
        assert_true(double_of_float(x) == bits_of_double((double)x));
        if (isfinite((float)y) && y != 0)
            assert_true(f32_bits(float_of_double(bits_of_double(y))) == f32_bits((float)y));
    }
}

/* Chains of additions, so that sums have all 53 bits, cancel, and tie. */
static void additions(void **state) {
    (void)state;
    for (u32 i = 0; i < 400000; i++) {
        const u32 middle = 40 + random32() % 150, spread = random32() % 64;
        double expected = 0;
        u64 sum = 0;
        for (u32 k = 0; k < 12; k++) {
            const f32 x = random32() % 16 == 0 ? 0.0f : random_float(middle, spread);
            expected += (double)x;
            sum = double_add(sum, double_of_float(x));
            if (random32() % 16 == 0) { /* back to zero, or close to it */
                expected += -(double)(float)expected;
                sum = double_add(sum, double_of_float(-float_of_double(sum)));
            }
            if (sum != bits_of_double(expected))
                fail_msg("%u, step %u: %016llx is not %a", i, k, (unsigned long long)sum, expected);
        }
    }
}

/* What is not in doubt is the float nearest to the double sum; what is nearest is not often in doubt. */
static void twofold_sums(void **state) {
    (void)state;
    u32 doubtful = 0;
    for (u32 i = 0; i < 2000000; i++) {
        const bool is_signed = i % 2;
        twofold s = twofold_of(0.0f);
        double expected = 0;
        f32 size = 0.0f;
        for (u32 k = 0; k < 11; k++) {
            const f32 any = random_float(120, i % 20), x = is_signed ? any : fabsf(any);
            s = twofold_add(s, x);
            size += fabsf(x);
            expected += (double)x;
        }
        if (twofold_in_doubt(s, size * 0x1p-41f))
            doubtful++;
        else if (twofold_float(s) != (float)expected)
            fail_msg("%a + %a is not %a", (double)s.high, (double)s.low, expected);
    }
    assert_true(doubtful > 0 && doubtful < 100000);
}

static void ties_are_in_doubt(void **state) {
    (void)state;
    const twofold tie = twofold_add(twofold_of(0x1p24f), 1.0f);
    assert_true(twofold_in_doubt(tie, 0x1p24f * 0x1p-41f) == 1);
    assert_true(twofold_in_doubt(twofold_add(twofold_of(0x1p24f), 0.5f), 0x1p24f * 0x1p-41f) == 0);
    assert_true(twofold_in_doubt(twofold_of(0.0f), 0.0f) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions),
        cmocka_unit_test(additions),
        cmocka_unit_test(twofold_sums),
        cmocka_unit_test(ties_are_in_doubt),
    };
    return cmocka_run_group_tests_name("kernel_double", tests, NULL, NULL);
}
