#include "exact/ordered_sum.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Terms whose additions are tried as one integer step. */
#define BLOCK 64

static float plain_sum(float sum, const float *terms, size_t count) {
    for (size_t i = 0; i < count; i++)
        sum = sum + terms[i];
    return sum;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The binade of a sum, in which its unit 2^E is fixed: floats from 2^23 to 2^24 units. */
typedef struct binade {
    uint32_t half_unit; /* bits */
    uint32_t limit; /* bits of 2^22 units: the rounder is right for smaller terms, and 64 fit in 32 bits */
    float rounder;  /* 1.5 * 2^23 units: x + rounder is x rounded to whole units, ties to even */
} binade;

/* False for binades at the ends of the range, where one of these is no normal float. */
static bool find_binade(binade *b, uint32_t exponent) {
    if (exponent < 25 || exponent > 253)
        return false;
    *b = (binade){(exponent - 24) << 23, (exponent - 1) << 23, float_of((exponent << 23) | 0x400000)};
    return true;
}

/* Algorithm B of the spec. While the sum stays in its binade, sum = m * 2^E and adding x moves m by x / 2^E
 * rounded to an integer, unless that is a tie (where the parity of m decides). So with no tie and no change
 * of binade in the block, the increments add up in any order; the bits of a float count its units. Returns
 * false if the block must be added term by term. */
static bool integer_step(uint32_t *sum_bits, const binade *b, const float *terms) {
    uint32_t increment = 0, below_limit = UINT32_MAX, tie = 0;
    for (int i = 0; i < BLOCK; i++) {
        const float sum = terms[i] + b->rounder;
        const float rest = terms[i] - (sum - b->rounder); /* exact, at most half a unit */
        increment += bits_of(sum);
        below_limit &= bits_of(terms[i]) - b->limit; /* for floats from 0 to infinity: bit 31 tells */
        tie |= (bits_of(rest) & 0x7fffffff) == b->half_unit;
    }
    increment -= BLOCK * bits_of(b->rounder);
    /* The float after the binade's last one, which the carry into the exponent makes right, is the last that
     * may result. */
    const uint32_t end = ((*sum_bits >> 23) + 1) << 23;
    if (below_limit >> 31 == 0 || tie || *sum_bits + increment > end)
        return false;
    *sum_bits += increment;
    return true;
}

float ty_ordered_sum(float start, const float *terms, size_t count) {
    uint32_t sum_bits = bits_of(start), exponent = 0;
    binade b;
    bool usable = false;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        if (sum_bits >> 23 != exponent) {
            exponent = sum_bits >> 23;
            usable = find_binade(&b, exponent);
        }
        if (!usable || !integer_step(&sum_bits, &b, terms + i))
            sum_bits = bits_of(plain_sum(float_of(sum_bits), terms + i, BLOCK));
    }
    return i < count ? plain_sum(float_of(sum_bits), terms + i, count - i) : float_of(sum_bits);
}
