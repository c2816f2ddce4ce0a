#include "features/cambi/pool.h"

/* All terms are multiples of 2^(e - 23), e the exponent of the smallest: below 2^(e + 30) every partial sum
 * is exact. */
bool ty_cambi_any_order(uint64_t sum, uint32_t smallest) {
    const uint32_t digits = 54 + (smallest >> 23) - 127;
    return sum == 0 || digits >= 64 || sum >> digits == 0;
}

static void select_largest(float *c, size_t count, size_t k) {
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1;
    const ptrdiff_t middle = (ptrdiff_t)k;
    while (low < high) {
        const float pivot = c[middle];
        ptrdiff_t i = low, j = high;
        do {
            while (c[i] > pivot)
                i++;
            while (c[j] < pivot)
                j--;
            if (i <= j) {
                const float other = c[i];
                c[i++] = c[j];
                c[j--] = other;
            }
        } while (i <= j);
        if (j < middle)
            low = i;
        if (middle < i)
            high = j;
    }
}

double ty_cambi_ordered_sum(float *contrasts, size_t count, size_t k) {
    double sum = 0.0;
    if (k < count)
        select_largest(contrasts, count, k);
    for (size_t i = 0; i < k; i++)
        sum += (double)contrasts[i];
    return sum;
}
