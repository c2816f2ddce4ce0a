/* Storing scores, finding them again, pooling against examples worked by hand, and the digest. */
#include "core/scores.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void same_bits(double a, double b) {
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%.17g (%a) is not %.17g (%a)", a, a, b, b);
}

/* A column "m" of values from frame 0 on. */
static ty_scores *column_of(const double *values, size_t count) {
    ty_scores *scores = ty_scores_create();
    assert_non_null(scores);
    assert_true(ty_scores_add_column(scores, "m"));
    for (size_t i = 0; i < count; i++)
        assert_true(ty_scores_set(scores, 0, i, values[i]));
    return scores;
}

static tally_pooled pool_of(const double *values, size_t count) {
    tally_pooled pooled;
    ty_scores *scores = column_of(values, count);
    assert_true(ty_scores_pool(scores, 0, &pooled));
    ty_scores_destroy(scores);
    return pooled;
}

/* ---- Storage ---- */

static void an_empty_store(void **state) {
    (void)state;
    ty_scores *scores = ty_scores_create();
    tally_pooled pooled;
    double value;
    char digest[65];
    assert_non_null(scores);
    assert_true(ty_scores_columns(scores) == 0);
    assert_true(ty_scores_find(scores, "x") == SIZE_MAX);
    assert_null(ty_scores_name(scores, 0));
    assert_true(ty_scores_frames(scores) == 0);
    assert_false(ty_scores_get(scores, 0, 0, &value));
    assert_false(ty_scores_set(scores, 0, 0, 1.0));
    assert_false(ty_scores_pool(scores, 0, &pooled));
    assert_true(ty_scores_digest(scores, digest));
    assert_string_equal(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ty_scores_destroy(scores);
    ty_scores_destroy(NULL);
}

static void the_name_is_copied(void **state) {
    (void)state;
    ty_scores *scores = ty_scores_create();
    char name[] = "psnr_y";
    assert_true(ty_scores_add_column(scores, name));
    name[0] = 'x';
    assert_string_equal(ty_scores_name(scores, 0), "psnr_y");
    assert_true(ty_scores_find(scores, "psnr_y") == 0);
    assert_true(ty_scores_find(scores, "xsnr_y") == SIZE_MAX);
    ty_scores_destroy(scores);
}

static void frames_in_any_order_with_gaps(void **state) {
    (void)state;
    static const uint64_t frames[] = {1000, 3, 255, 256, 0, 511, 512, 64, 63, 100000};
    const size_t count = sizeof frames / sizeof frames[0];
    ty_scores *scores = column_of(NULL, 0);
    double value;
    for (size_t i = 0; i < count; i++)
        assert_true(ty_scores_set(scores, 0, frames[i], (double)frames[i] + 0.25));
    for (size_t i = 0; i < count; i++) {
        assert_true(ty_scores_get(scores, 0, frames[i], &value));
        same_bits(value, (double)frames[i] + 0.25);
    }
    static const uint64_t absent[] = {1, 2, 4, 62, 65, 254, 257, 513, 999, 1001, 99999, 100001, UINT64_MAX};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        assert_false(ty_scores_get(scores, 0, absent[i], &value));
    assert_true(ty_scores_frames(scores) == 100001);
    assert_true(ty_scores_set(scores, 0, 3, -1.0)); /* a later value replaces an earlier one */
    assert_true(ty_scores_get(scores, 0, 3, &value));
    same_bits(value, -1.0);
    ty_scores_destroy(scores);
}

static void thousands_of_columns(void **state) {
    (void)state;
    enum { COLUMNS = 5000 };
    ty_scores *scores = ty_scores_create();
    char name[32];
    double value;
    for (size_t c = 0; c < COLUMNS; c++) {
        snprintf(name, sizeof name, "metric_%zu", c);
        assert_true(ty_scores_find(scores, name) == SIZE_MAX);
        assert_true(ty_scores_add_column(scores, name));
        assert_true(ty_scores_set(scores, c, c % 7, (double)c));
    }
    assert_true(ty_scores_columns(scores) == COLUMNS);
    for (size_t c = 0; c < COLUMNS; c++) {
        snprintf(name, sizeof name, "metric_%zu", c);
        assert_string_equal(ty_scores_name(scores, c), name);
        assert_true(ty_scores_find(scores, name) == c);
        assert_true(ty_scores_get(scores, c, c % 7, &value));
        same_bits(value, (double)c);
    }
    assert_true(ty_scores_find(scores, "metric_5000") == SIZE_MAX);
    ty_scores_destroy(scores);
}

static void reserving_makes_no_scores(void **state) {
    (void)state;
    ty_scores *scores = column_of(NULL, 0);
    double value;
    assert_true(ty_scores_reserve(scores, 1000));
    assert_true(ty_scores_add_column(scores, "later"));
    assert_true(ty_scores_frames(scores) == 0);
    for (uint64_t frame = 0; frame < 1100; frame++)
        assert_false(ty_scores_get(scores, 0, frame, &value));
    assert_true(ty_scores_set(scores, 1, 999, 2.0));
    assert_true(ty_scores_frames(scores) == 1000);
    ty_scores_destroy(scores);
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    ty_scores *scores = column_of(NULL, 0);
    assert_false(ty_scores_reserve(scores, UINT64_MAX));
    assert_false(ty_scores_set(scores, 0, UINT64_MAX, 1.0));
    assert_true(ty_scores_frames(scores) == 0);
    assert_true(ty_scores_set(scores, 0, 5, 1.0)); /* and the store still works */
    ty_scores_destroy(scores);
}

/* ---- Pooling ---- */

/* (1 + 3) / 2; 2 / (1/2 + 1/4) - 1 = 2 / 0.75 - 1; percentiles at r = 0.01 and r = 0.05. */
static void two_scores(void **state) {
    (void)state;
    const tally_pooled p = pool_of((const double[]){1.0, 3.0}, 2);
    assert_true(p.count == 2 && p.left_out == 0);
    same_bits(p.mean, 2.0);
    same_bits(p.harmonic_mean, 2.0 / 0.75 - 1.0);
    same_bits(p.min, 1.0);
    same_bits(p.max, 3.0);
    assert_true(p.min_frame == 0 && p.max_frame == 1);
    same_bits(p.percentile_1, 1.0 * (1.0 - 0.01) + 3.0 * 0.01);
    same_bits(p.percentile_5, 1.0 * (1.0 - 0.05) + 3.0 * 0.05);
}

/* r = p * 100 / 100 is whole: the order statistics themselves, whatever the order of frames. */
static void percentiles_at_order_statistics(void **state) {
    (void)state;
    double values[101];
    for (size_t i = 0; i < 101; i++)
        values[i] = (double)(i * 37 % 101); /* 37 and 101 have no common factor: each of 0 … 100 once */
    const tally_pooled p = pool_of(values, 101);
    same_bits(p.percentile_1, 1.0);
    same_bits(p.percentile_5, 5.0);
    same_bits(p.mean, 50.0);
    assert_true(p.min_frame == 0);
    assert_true(p.max_frame == 30); /* 30 * 37 = 1110 = 10 * 101 + 100 */
}

/* n = 11: r = 0.1 and 0.5. */
static void percentiles_between_order_statistics(void **state) {
    (void)state;
    const double values[11] = {110, 100, 90, 80, 70, 60, 50, 40, 30, 20, 4};
    const tally_pooled p = pool_of(values, 11);
    same_bits(p.percentile_1, 4.0 * (1.0 - 0.1) + 20.0 * 0.1);
    same_bits(p.percentile_5, 12.0);
}

static void one_score(void **state) {
    (void)state;
    const tally_pooled p = pool_of((const double[]){7.0}, 1);
    assert_true(p.count == 1);
    same_bits(p.mean, 7.0);
    same_bits(p.harmonic_mean, 7.0);
    same_bits(p.percentile_1, 7.0);
    same_bits(p.percentile_5, 7.0);
}

/* The sum is formed in frame order: 1e16 + 1 rounds to 1e16 every time, but 1 + … + 1 + 1e16 keeps them. */
static void sums_are_in_frame_order(void **state) {
    (void)state;
    same_bits(pool_of((const double[]){1e16, 1.0, 1.0, 1.0, 1.0}, 5).mean, 1e16 / 5.0);
    same_bits(pool_of((const double[]){1.0, 1.0, 1.0, 1.0, 1e16}, 5).mean, (1e16 + 4.0) / 5.0);
}

static void the_first_of_equal_scores_is_named(void **state) {
    (void)state;
    const tally_pooled p = pool_of((const double[]){2.0, 1.0, 3.0, 1.0, 3.0}, 5);
    assert_true(p.min_frame == 1 && p.max_frame == 2);
}

static void a_score_of_minus_one(void **state) {
    (void)state;
    const tally_pooled p = pool_of((const double[]){-1.0, 5.0}, 2);
    same_bits(p.harmonic_mean, -1.0);
    same_bits(p.mean, 2.0);
}

static void infinite_scores_are_left_out_and_counted(void **state) {
    (void)state;
    const double inf = (double)INFINITY;
    const tally_pooled p = pool_of((const double[]){inf, 1.0, inf, 3.0, -inf}, 5);
    assert_true(p.count == 2 && p.left_out == 3);
    same_bits(p.mean, 2.0);
    same_bits(p.harmonic_mean, 2.0 / 0.75 - 1.0);
    same_bits(p.percentile_5, 1.0 * (1.0 - 0.05) + 3.0 * 0.05);
    same_bits(p.min, -inf);
    same_bits(p.max, inf);
    assert_true(p.min_frame == 4 && p.max_frame == 0);
}

static void only_infinite_scores(void **state) {
    (void)state;
    const double inf = (double)INFINITY;
    const tally_pooled p = pool_of((const double[]){inf, inf}, 2);
    assert_true(p.count == 0 && p.left_out == 2);
    same_bits(p.min, inf);
    same_bits(p.max, inf);
    same_bits(p.mean, 0.0);
    same_bits(p.harmonic_mean, 0.0);
    same_bits(p.percentile_1, 0.0);
    same_bits(p.percentile_5, 0.0);
}

/* The sign of a zero percentile does not depend on how the C library sorts equal values: -0 comes first, so
 * +0 is the order statistic at r = 1. Of equal scores, min still is that of the first frame. */
static void zeros_sort_by_sign(void **state) {
    (void)state;
    double values[101] = {0.0, -0.0};
    for (size_t i = 2; i < 101; i++)
        values[i] = 1.0;
    same_bits(pool_of(values, 101).percentile_1, 0.0);
    same_bits(pool_of(values, 101).min, 0.0);
    values[0] = -0.0;
    values[1] = 0.0;
    same_bits(pool_of(values, 101).percentile_1, 0.0);
    same_bits(pool_of(values, 101).min, -0.0);
}

static void missing_scores_are_not_pooled(void **state) {
    (void)state;
    ty_scores *scores = column_of(NULL, 0);
    tally_pooled p;
    assert_true(ty_scores_set(scores, 0, 700, 1.0));
    assert_true(ty_scores_set(scores, 0, 7000, 3.0));
    assert_true(ty_scores_pool(scores, 0, &p));
    assert_true(p.count == 2 && p.min_frame == 700 && p.max_frame == 7000);
    same_bits(p.mean, 2.0);
    ty_scores_destroy(scores);
}

/* ---- Digest ---- */

static void set(ty_scores *scores, const char *name, uint64_t frame, double value) {
    if (ty_scores_find(scores, name) == SIZE_MAX)
        assert_true(ty_scores_add_column(scores, name));
    assert_true(ty_scores_set(scores, ty_scores_find(scores, name), frame, value));
}

/* printf 'Z 2 3ff0000000000000\na 0 7ff0000000000000\na 10 8000000000000000\n' | sha256sum */
static void the_digest_is_that_of_its_lines(void **state) {
    (void)state;
    ty_scores *scores = ty_scores_create();
    char digest[65];
    set(scores, "a", 10, -0.0);
    set(scores, "a", 0, (double)INFINITY);
    set(scores, "Z", 2, 1.0);
    assert_true(ty_scores_digest(scores, digest));
    assert_string_equal(digest, "2794b6a7ed72abaa04d1c91efe9cadf337e46d35021cf048dade3d8a3c8d795e");
    ty_scores_destroy(scores);
}

static void the_digest_ignores_the_order_of_columns_and_calls(void **state) {
    (void)state;
    char first[65], second[65], third[65];
    ty_scores *scores = ty_scores_create();
    set(scores, "x", 0, 1.0);
    set(scores, "x", 300, 2.0);
    set(scores, "y", 1, 3.0);
    assert_true(ty_scores_digest(scores, first));
    ty_scores_destroy(scores);

    scores = ty_scores_create();
    set(scores, "y", 1, 3.0);
    set(scores, "x", 300, 2.0);
    set(scores, "x", 0, 1.0);
    assert_true(ty_scores_digest(scores, second));
    assert_string_equal(first, second);
    set(scores, "x", 0, nextafter(1.0, 2.0)); /* one bit */
    assert_true(ty_scores_digest(scores, third));
    assert_string_not_equal(first, third);
    ty_scores_destroy(scores);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_store),
        cmocka_unit_test(the_name_is_copied),
        cmocka_unit_test(frames_in_any_order_with_gaps),
        cmocka_unit_test(thousands_of_columns),
        cmocka_unit_test(reserving_makes_no_scores),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(two_scores),
        cmocka_unit_test(percentiles_at_order_statistics),
        cmocka_unit_test(percentiles_between_order_statistics),
        cmocka_unit_test(one_score),
        cmocka_unit_test(sums_are_in_frame_order),
        cmocka_unit_test(the_first_of_equal_scores_is_named),
        cmocka_unit_test(a_score_of_minus_one),
        cmocka_unit_test(infinite_scores_are_left_out_and_counted),
        cmocka_unit_test(only_infinite_scores),
        cmocka_unit_test(zeros_sort_by_sign),
        cmocka_unit_test(missing_scores_are_not_pooled),
        cmocka_unit_test(the_digest_is_that_of_its_lines),
        cmocka_unit_test(the_digest_ignores_the_order_of_columns_and_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
