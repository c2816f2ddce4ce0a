/* The ordered sum against the plain loop: the vectors of its spec, and sequences made to hit ties, ends of
 * binades, both ends of the range and every way out of the fast path. */
#include "unit.h"

#include <math.h>

#include "exact/ordered_sum.h"

static uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float plain_sum(float sum, const float *terms, size_t count) {
    for (size_t i = 0; i < count; i++)
        sum = sum + terms[i];
    return sum;
}

static void assert_same_sum(const char *what, float start, const float *terms, size_t count) {
    const float expected = plain_sum(start, terms, count), sum = ty_ordered_sum(start, terms, count);
    if (bits_of_float(sum) != bits_of_float(expected))
        fail_msg("%s: %zu terms from %a: %a, one after the other %a", what, count, (double)start, (double)sum,
                 (double)expected);
}

/* ---- Vectors of the spec, section 9 ---- */

static uint32_t next(uint32_t *state) {
    return *state = *state * 1664525u + 1013904223u;
}

static float power_of_two(int e) {
    return float_of_bits((uint32_t)(e + 127) << 23);
}

static float vector_term(int vector, uint32_t i, uint32_t s) {
    const float j = (float)(s >> 20);
    switch (vector) {
    case 1:
        return (float)(s >> 8) * 0x1p-24f;
    case 2:
        return (float)(16 + (s >> 20 & 15)) * power_of_two((int)(s >> 27) - 20);
    case 3:
        return float_of_bits(s >> 9);
    case 4:
        return s >> 30 != 0 ? 0 : (float)(16 + (s >> 20 & 15)) * power_of_two((int)(s >> 26 & 15) - 20);
    case 5:
        return i == 0 ? 16777216.0f : (float)((s >> 30) + 1);
    case 6:
        return float_of_bits(0x7b000000 + (s >> 10));
    default:
        return j * j * (i % 1000 == 999 ? 0x1p12f : 0x1p-12f);
    }
}

static float *vector_terms(int vector, uint32_t count) {
    float *terms = test_malloc(count * sizeof *terms);
    uint32_t s = 1000 + (uint32_t)vector;
    for (uint32_t i = 0; i < count; i++)
        terms[i] = vector_term(vector, i, next(&s));
    return terms;
}

/* Bits after 1, 10, 100, … and all terms. */
static const struct {
    int vector;
    uint32_t count, bits;
} vectors[] = {
    {1, 1, 0x3f1fbefc},       {1, 10, 0x40922f90},      {1, 100, 0x42408399},     {1, 1000, 0x44003a38},
    {1, 10000, 0x459e3649},   {1, 100000, 0x4743a132},  {1, 4000000, 0x49f42f62}, {2, 1, 0x41680000},
    {2, 10, 0x460fbe07},      {2, 100, 0x48a0e271},     {2, 1000, 0x4a3ecb8f},    {2, 10000, 0x4becb1f0},
    {2, 100000, 0x4d8e9f31},  {2, 1000000, 0x4f32302e}, {3, 1, 0x004ff8e4},       {3, 10, 0x01bb2b00},
    {3, 100, 0x03472664},     {3, 1000, 0x04faba92},    {3, 10000, 0x069cae42},   {3, 100000, 0x0842f116},
    {3, 1000000, 0x09f411aa}, {4, 1, 0x00000000},       {4, 10, 0x3ae80000},      {4, 100, 0x404f9db8},
    {4, 1000, 0x41ae797b},    {4, 10000, 0x4365740c},   {4, 100000, 0x4510e489},  {4, 1000000, 0x46b3cbad},
    {5, 1, 0x4b800000},       {5, 10, 0x4b80000c},      {5, 100, 0x4b80008a},     {5, 1000, 0x4b8004fa},
    {5, 10000, 0x4b80311e},   {5, 100000, 0x4b81e90f},  {5, 1000000, 0x4b931378}, {6, 1, 0x7b280f7e},
    {6, 10, 0x7cd2290a},      {6, 100, 0x7e7d46a4},     {6, 1000, 0x7f800000},    {6, 10000, 0x7f800000},
    {6, 100000, 0x7f800000},  {6, 1000000, 0x7f800000}, {7, 1, 0x44c8c832},       {7, 10, 0x4656a70f},
    {7, 100, 0x47fe87d9},     {7, 1000, 0x509873b5},    {7, 10000, 0x51eb900a},   {7, 100000, 0x53be92c6},
    {7, 1000000, 0x55a62255},
};

static void vectors_of_the_spec(void **state) {
    (void)state;
    for (int v = 1; v <= 7; v++) {
        float *terms = vector_terms(v, v == 1 ? 4000000 : 1000000);
        for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
            if (vectors[i].vector != v)
                continue;
            const float sum = ty_ordered_sum(0.0f, terms, vectors[i].count);
            if (bits_of_float(sum) != vectors[i].bits)
                fail_msg("vector %d, %u terms: %08x, not %08x", v, vectors[i].count, bits_of_float(sum),
                         vectors[i].bits);
        }
        test_free(terms);
    }
}

/* ---- Sequences ---- */

static uint64_t random_state = 1;

static uint32_t random_bits(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

static uint32_t below(uint32_t n) {
    return (uint32_t)((uint64_t)random_bits() * n >> 32);
}

/* 2^e for any e; 0 below the smallest subnormal. */
static float scaled(float x, int e) {
    return (float)__builtin_ldexp((double)x, e);
}

/* The exponent of the unit of a finite sum. */
static int unit(float sum) {
    const int field = (int)(bits_of_float(sum) >> 23);
    return field == 0 ? -149 : field - 150;
}

static float uniform(float sum) {
    (void)sum;
    return (float)(random_bits() >> 8) * 0x1p-24f;
}

static float any_exponent(float sum) {
    (void)sum;
    return float_of_bits(below(0x7f000000));
}

static float half_units(float sum) {
    return scaled((float)(2 * below(4) + 1), unit(sum) - 1);
}

/* Quarters of units just below the end of the binade. */
static float quarter_units(float sum) {
    const uint32_t significand = bits_of_float(sum) & 0x7fffff;
    return significand < 0x7fff00 ? scaled((float)(0x7fff80 - significand), unit(sum))
                                  : scaled((float)below(9), unit(sum) - 2);
}

static float subnormal(float sum) {
    (void)sum;
    return float_of_bits(below(1u << (below(24) + 1)));
}

static float sparse_jumps(float sum) {
    if (below(8) != 0)
        return 0.0f;
    return below(50) == 0 ? scaled(sum + 1, (int)below(6)) : uniform(sum);
}

static float constant(float sum) {
    (void)sum;
    return 0x1.99999ap-4f;
}

static float near_overflow(float sum) {
    (void)sum;
    return float_of_bits(0x73000000 + below(0x0b000000));
}

static float geometric(float sum) {
    return below(64) == 0 ? scaled(sum, (int)below(3)) : scaled(sum, -20);
}

/* What decides: half units and their neighbours, and steps to the end of the binade, half a unit before it,
 * half after, one after. */
static float adversary(float sum) {
    const int e = unit(sum);
    const float half = scaled(1, e - 1);
    const float to_end = scaled((float)(0x1000000 - (bits_of_float(sum) & 0x7fffff) - 0x800000), e);
    switch (below(16)) {
    case 0:
        return to_end;
    case 1:
        return to_end - half;
    case 2:
        return to_end + half;
    case 3:
        return to_end + 2 * half;
    case 4:
        return float_of_bits(bits_of_float(half) + 1);
    case 5:
        return half > 0 ? float_of_bits(bits_of_float(half) - 1) : 0;
    case 6:
        return half;
    case 7:
        return 3 * half;
    case 8:
        return scaled(1, e + 22);
    case 9:
        return float_of_bits(bits_of_float(scaled(1, e + 22)) - 1);
    default:
        return below(4) == 0 ? scaled((float)below(1000), e) : scaled((float)below(16), e - 6);
    }
}

static float few_bits(float sum) {
    return scaled((float)below(8), unit(sum) - 3 + (int)below(4));
}

static float tie_steps(float sum) {
    (void)sum;
    return (float)(below(3) + 1) * 0.5f;
}

static const struct {
    const char *name;
    float start;
    float (*term)(float sum);
} kinds[] = {
    {"uniform", 0, uniform},
    {"all exponents", 0, any_exponent},
    {"half units", 1, half_units},
    {"quarter units at the end of a binade", 1, quarter_units},
    {"subnormals", 0, subnormal},
    {"sparse with jumps", 0, sparse_jumps},
    {"constant", 0, constant},
    {"near overflow", 0, near_overflow},
    {"geometric jumps", 0x1p-100f, geometric},
    {"adversary", 3, adversary},
    {"few bits", 1, few_bits},
    {"tie steps from 2^23", 0x1p23f, tie_steps},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], LONGEST = 1500, SEQUENCES = 4000 };

static float random_start(float usual) {
    switch (below(4)) {
    case 0:
        return float_of_bits(below(0x7f800000));
    case 1:
        return float_of_bits(below(0x03000000)); /* about the first binades of the fast path */
    default:
        return usual;
    }
}

static size_t fill(float *terms, float sum, float (*term)(float)) {
    const size_t count = below(LONGEST);
    for (size_t i = 0; i < count; i++) {
        terms[i] = bits_of_float(sum) < 0x7f800000 ? term(sum) : any_exponent(0);
        if (bits_of_float(terms[i]) > 0x7f7fffff)
            terms[i] = 1;
        sum = sum + terms[i];
    }
    return count;
}

static void random_sequences(void **state) {
    (void)state;
    static float terms[LONGEST];
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SEQUENCES; i++) {
            const float start = random_start(kinds[k].start);
            assert_same_sum(kinds[k].name, start, terms, fill(terms, start, kinds[k].term));
        }
}

/* Every place of one special term in a block, on top of sums that leave room, end exactly at the binade's
 * end, or pass it. */
static void every_place_in_a_block(void **state) {
    (void)state;
    static const float specials[] = {0x1p-1f, 0x1.8p0f,  0x1p22f,        0x1.fffffep21f,
                                     0x1p23f, 0x1p-2f,   0x1.000002p-1f, 0x1.fffffep-2f,
                                     0x1p60f, 0x1p-140f, INFINITY};
    float terms[128];
    for (size_t s = 0; s < sizeof specials / sizeof specials[0]; s++)
        for (int place = 0; place < 128; place++)
            for (uint32_t room = 0; room < 140; room++) {
                for (int i = 0; i < 128; i++)
                    terms[i] = i == place ? specials[s] : 1.0f;
                assert_same_sum("one special term", 0x1p24f - (float)room, terms, 128);
            }
}

/* In the last binade, where rounding a term to whole units may overflow although the sum does not. */
static void last_binade(void **state) {
    (void)state;
    static const float terms_at_limit[] = {0x1p126f - 0x1p102f, 0x1p126f - 0x1p103f, 0x1p126f - 0x1p104f,
                                           0x1p126f};
    float terms[64] = {0};
    for (uint32_t odd = 0; odd < 2; odd++)
        for (size_t i = 0; i < 4; i++) {
            terms[7] = terms_at_limit[i];
            assert_same_sum("last binade", float_of_bits(bits_of_float(0x1p127f) + odd), terms, 64);
        }
}

static void no_terms(void **state) {
    (void)state;
    assert_same_sum("none", 0.5f, NULL, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_the_spec),
        cmocka_unit_test(random_sequences),
        cmocka_unit_test(every_place_in_a_block),
        cmocka_unit_test(last_binade),
        cmocka_unit_test(no_terms),
    };
    return cmocka_run_group_tests_name("ordered sum", tests, NULL, NULL);
}
