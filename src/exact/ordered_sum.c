#include "exact/ordered_sum.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Terms whose additions are tried as one integer step. */
#define BLOCK 64

/* Below this a float plus ROUNDER is rounded to an integer, ties to even, and 64 such integers fit in 32 bits. */
#define LARGEST 0x1p22f
#define ROUNDER 0x1.8p23f

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

/* Algorithm B of the spec. While the sum stays in its binade its unit 2^E is fixed and sum = m * 2^E; adding x moves m by
 * x / 2^E rounded to an integer, unless that is a tie (where the parity of m decides). So with no tie and no change of
 * binade in the block, the increments add up in any order. Returns false if the block must be added one by one. */
static bool integer_step(float *sum, const float *terms) {
    const uint32_t bits = bits_of(*sum), exponent = bits >> 23;
    if (exponent < 24 || exponent > 254 - 23) /* 2^-E must be a normal float, and E at most 81 leaves no infinity */
        return false;
    const float to_units = float_of((150 - exponent + 127) << 23); /* 2^-E, E = exponent - 150 */
    int32_t increment = 0, unfit = 0;
    for (int i = 0; i < BLOCK; i++) {
        const float units = terms[i] * to_units; /* exact, or far below one half */
        const float rounded = (units + ROUNDER) - ROUNDER;
        const float rest = units - rounded;
        unfit |= (rest == 0.5f) | (rest == -0.5f) | !(units < LARGEST);
        increment += (int32_t)(units < LARGEST ? rounded : 0.0f);
    }
    const uint32_t significand = (bits & 0x7fffff) | 0x800000;
    if (unfit || significand + (uint32_t)increment > 0x1000000)
        return false;
    *sum = (float)(significand + (uint32_t)increment) * float_of((exponent - 150 + 127) << 23);
    return true;
}

float ty_ordered_sum(float start, const float *terms, size_t count) {
    float sum = start;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        if (!integer_step(&sum, terms + i))
            sum = plain_sum(sum, terms + i, BLOCK);
    return plain_sum(sum, terms + i, count - i);
}
