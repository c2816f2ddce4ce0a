/* Random arguments. */
#ifndef TALLY_TESTS_EXACT_RANDOM_H
#define TALLY_TESTS_EXACT_RANDOM_H

#include <stdint.h>

/* splitmix64 */
static inline uint64_t exact_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double exact_uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(exact_random(state) >> 11) * 0x1p-53);
}

#endif
