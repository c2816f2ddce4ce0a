/* Twofold sums of kernel text, against the processor's doubles. */
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
        cmocka_unit_test(twofold_sums),
        cmocka_unit_test(ties_are_in_doubt),
    };
    return cmocka_run_group_tests_name("kernel_twofold", tests, NULL, NULL);
}
