/* The device form of the ordered sum, compiled for the CPU, against the plain loop. */
#include "unit.h"

#include <stdlib.h>

#define TY_TARGET_C
#define TY_LEVEL test
#define SAMPLE_BITS 8
#include "exact/ordered_sum/kernels.h"

#include "sum_terms.h"

static void launch(const char *name, uint32_t groups, uint32_t sums, const ordered_sum_shape *shape, void *const *buffers) {
    for (const ty_cpu_kernel *k = ordered_sum_kernels_8_test; k->name; k++)
        if (strcmp(k->name, name) == 0) {
            k->run(buffers, shape, (ty_group_range){0, groups, 0, sums});
            return;
        }
    fail_msg("there is no kernel %s", name);
}

/* `guess`: replaces the predicted units if not 0. */
static void device_sums(const float *terms, size_t first, size_t count, uint32_t sums, float *results, uint32_t guess) {
    const uint32_t chunks = (uint32_t)((count + ORDERED_SUM_CHUNK - 1) / ORDERED_SUM_CHUNK);
    const ordered_sum_shape shape = {first, (u32)count, chunks, first > 0, 0};
    const size_t all = (size_t)chunks * sums + 1;
    float *amounts = malloc(all * sizeof *amounts);
    uint32_t *units = malloc(all * sizeof *units), *steps = malloc(all * 2 * ORDERED_SUM_UNITS * sizeof *steps);
    float *in = (float *)(uintptr_t)terms;
    launch("ordered_sum_chunks", chunks, sums, &shape, (void *const[]){in, amounts});
    launch("ordered_sum_guess", 1, sums, &shape, (void *const[]){amounts, results, units});
    for (uint32_t c = 0; c < chunks * sums && guess; c++)
        units[c] = (guess + c * 7) % 250 + 1;
    launch("ordered_sum_steps", chunks, sums, &shape, (void *const[]){in, units, steps});
    launch("ordered_sum_tail", 1, sums, &shape, (void *const[]){in, units, steps, results});
    free(amounts);
    free(units);
    free(steps);
}

static void check(uint32_t kind, uint64_t seed, size_t count, uint32_t guess) {
    float *terms = malloc((count + 1) * sizeof *terms), result = -1.0f;
    const float expected = sum_terms(kind, seed, 0.0f, terms, count);
    device_sums(terms, 0, count, 1, &result, guess);
    if (sum_bits(result) != sum_bits(expected))
        fail_msg("kind %u, seed %llu, %zu terms: %08x, not %08x", kind, (unsigned long long)seed, count, sum_bits(result),
                 sum_bits(expected));
    free(terms);
}

static const size_t counts[] = {1,    2,    7,    8,    9,    63,    64,    255,    256,
                                257,  2047, 2048, 2049, 4096, 10000, 70001, 300007};

static void every_kind_equals_the_plain_loop(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < SUM_KINDS; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (uint64_t seed = 0; seed < (counts[c] > 5000 ? 2 : 20); seed++)
                check(kind, seed, counts[c], 0);
}

static void wrong_guesses_cost_no_bit(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < SUM_KINDS; kind++)
        for (uint64_t seed = 100; seed < 110; seed++)
            check(kind, seed, 20000, 1 + (uint32_t)seed * 13);
}

static void no_term_gives_zero(void **state) {
    (void)state;
    const float none = 0;
    float result = 5;
    device_sums(&none, 0, 0, 1, &result, 0);
    assert_int_equal(sum_bits(result), 0);
}

static void negative_zero_is_zero(void **state) {
    (void)state;
    const float terms[] = {-0.0f, 1.0f, -0.0f};
    float result;
    device_sums(terms, 0, 1, 1, &result, 0);
    assert_int_equal(sum_bits(result), 0);
    device_sums(terms, 0, 3, 1, &result, 0);
    assert_int_equal(sum_bits(result), sum_bits(1.0f));
}

static void goes_on_from_a_sum(void **state) {
    (void)state;
    enum { FIRST_PART = 1000, COUNT = 9000 };
    static float terms[FIRST_PART + COUNT];
    for (uint32_t kind = 0; kind < SUM_KINDS; kind++) {
        const float expected = sum_terms(kind, 3, 0.0f, terms, FIRST_PART + COUNT);
        float result;
        device_sums(terms, 0, FIRST_PART, 1, &result, 0);
        device_sums(terms, FIRST_PART, COUNT, 1, &result, 0);
        assert_int_equal(sum_bits(result), sum_bits(expected));
    }
}

static void sums_side_by_side(void **state) {
    (void)state;
    enum { SUMS = SUM_KINDS, COUNT = 5000 };
    static float terms[SUMS * COUNT];
    float expected[SUMS], results[SUMS];
    for (uint32_t kind = 0; kind < SUMS; kind++)
        expected[kind] = sum_terms(kind, 77, 0.0f, terms + (size_t)kind * COUNT, COUNT);
    device_sums(terms, 0, COUNT, SUMS, results, 0);
    for (uint32_t kind = 0; kind < SUMS; kind++)
        assert_int_equal(sum_bits(results[kind]), sum_bits(expected[kind]));
}

/* The spec's section 9: generators, and the sums' bits after all terms. */
static void known_vectors(void **state) {
    (void)state;
    enum { MOST = 4000000 };
    float *terms = malloc(MOST * sizeof *terms), result;
    for (uint32_t v = 1; v <= 7; v++) {
        const size_t count = v == 1 ? MOST : 1000000;
        uint32_t s = 1000 + v;
        float plain = 0.0f;
        for (size_t i = 0; i < count; i++) {
            s = s * 1664525u + 1013904223u;
            const float j = (float)(s >> 20);
            switch (v) {
            case 1: terms[i] = (float)(s >> 8) * 0x1p-24f; break;
            case 2: terms[i] = (float)(16 + (s >> 20 & 15)) * sum_float(((s >> 27) + 107) << 23); break;
            case 3: terms[i] = sum_float(s >> 9); break;
            case 4: terms[i] = s >> 30 ? 0.0f : (float)(16 + (s >> 20 & 15)) * sum_float(((s >> 26 & 15) + 107) << 23); break;
            case 5: terms[i] = i == 0 ? 16777216.0f : (float)((s >> 30) + 1); break;
            case 6: terms[i] = sum_float(0x7b000000 + (s >> 10)); break;
            default: terms[i] = i % 1000 == 999 ? j * j * 0x1p12f : j * j * 0x1p-12f; break;
            }
            plain = plain + terms[i];
        }
        device_sums(terms, 0, count, 1, &result, 0);
        assert_int_equal(sum_bits(result), sum_bits(plain));
    }
    free(terms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_equals_the_plain_loop), cmocka_unit_test(wrong_guesses_cost_no_bit),
        cmocka_unit_test(no_term_gives_zero),               cmocka_unit_test(negative_zero_is_zero),
        cmocka_unit_test(goes_on_from_a_sum),               cmocka_unit_test(sums_side_by_side),
        cmocka_unit_test(known_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
