#include "features/speed_chroma/entropy.h"

#include <stdint.h>
#include <string.h>

#include "exact/math.h"
#include "kernel/types.h"

#include "features/speed_chroma/stages.h"

/* 1 / c keeps 16 bits, so that its product with a float is exact. */
void ty_speed_log_table(speed_log_table *table) {
    for (int i = 0; i < SPEED_LOG_CELLS; i++) {
        const double c = 1 + (i + 0.5) / SPEED_LOG_CELLS;
        table->inverse[i] = (double)(float)(int)(65536 / c) / 65536;
        table->log2[i] = -ty_log2(table->inverse[i]);
    }
}

double ty_speed_near_log2(const speed_log_table *table, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t significand = 0x3f800000 | (bits & 0x7fffff), cell = bits >> 16 & (SPEED_LOG_CELLS - 1);
    float m;
    memcpy(&m, &significand, sizeof m);
    /* Eight terms leave less than r^9 / 9 / ln 2. */
    const double r = (double)m * table->inverse[cell] - 1;
    const double sum =
        r * (0x1.71547652b82fep+0 +
             r * (-0x1.71547652b82fep-1 +
                  r * (0x1.ec709dc3a03fdp-2 +
                       r * (-0x1.71547652b82fep-2 +
                            r * (0x1.2776c50ef9bfep-2 +
                                 r * (-0x1.ec709dc3a03fdp-3 +
                                      r * (0x1.a61762a7aded9p-3 + r * -0x1.71547652b82fep-3)))))));
    return (double)((int)(bits >> 23) - 127) + (table->log2[cell] + sum);
}

/* One step of the sum, all of whose operations are monotone: if both ends of what the logarithm may be give
 * the same float, the logarithm gives it too. */
static float add_log(const speed_log_table *table, float sum, float z) {
    if (z >= 0x1p-126f && z <= 0x1p126f) {
        const double log = ty_speed_near_log2(table, z);
        const float low = (float)((double)sum + ((log - SPEED_NEAR) + SPEED_LOG2_2PIE));
        const float high = (float)((double)sum + ((log + SPEED_NEAR) + SPEED_LOG2_2PIE));
        if (low == high)
            return low;
    }
    return (float)((double)sum + (ty_log2((double)z) + SPEED_LOG2_2PIE));
}

float ty_speed_entropy(const speed_log_table *table, const float *eigenvalues, float variance, float sigma) {
    float sum = 0;
    for (int r = 0; r < SPEED_ELEMENTS; r++) {
        const float eigenvalue = eigenvalues[r] < 0 ? 0 : eigenvalues[r];
        sum = add_log(table, sum, eigenvalue * variance + sigma);
    }
    return sum;
}
