/* No allocation for each frame: a run of many frames calls malloc no more often than a run of few. */
#include <stdatomic.h>
#include <stdlib.h>

#include "unit.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static atomic_ulong allocations;

void *malloc(size_t size) {
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(old, size);
}

static unsigned long allocations_of_frames(const char *feature, unsigned first, unsigned last) {
    static uint8_t samples[256 * 96];
    const uint32_t width = strcmp(feature, "cambi") == 0 ? 256 : 96; /* cambi takes no smaller pictures */
    const tally_format format = {width, 96, 8, TALLY_PIXEL_FORMAT_400};
    const tally_picture picture = {{samples}, {(ptrdiff_t)width}};
    const tally_config config = {.threads = 2};
    tally_run *run;
    unsigned long before = 0, after = 0;
    assert_int_equal(tally_run_create(&config, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, feature), TALLY_OK);
    assert_int_equal(tally_run_start(run, &format), TALLY_OK);
    for (unsigned f = 0; f < last; f++) {
        if (f == first)
            before = atomic_load(&allocations);
        for (size_t i = 0; i < sizeof samples; i++)
            samples[i] = (uint8_t)(i * f);
        assert_int_equal(tally_run_submit(run, &picture, &picture), TALLY_OK);
    }
    after = atomic_load(&allocations);
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    tally_run_destroy(run);
    return after - before;
}

/* Scores grow in chunks of many frames, so frames 100 to 200 see no allocation at all. */
static void no_allocation_for_each_frame(void **state) {
    (void)state;
    for (size_t i = 0; tally_feature_name(i); i++) {
        const char *feature = tally_feature_name(i);
        if (strcmp(feature, "psnr_hvs") == 0 || strcmp(feature, "float_ms_ssim") == 0 || strcmp(feature, "ciede") == 0 ||
            strcmp(feature, "speed_chroma") == 0)
            continue; /* not for luma alone, or not at this size */
        assert_true(allocations_of_frames(feature, 100, 200) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_for_each_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
