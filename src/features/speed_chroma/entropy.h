/* Entropies of blocks (spec: speed.md, 4.12). */
#ifndef TY_SPEED_ENTROPY_H
#define TY_SPEED_ENTROPY_H

#define SPEED_LOG_CELLS 128

/* log2(2 pi e) */
#define SPEED_LOG2_2PIE 0x1.06073a671183dp+2

/* A logarithm that is only near, for most sums of logarithms are far from where rounding changes: 1 / c and
 * log2 c for some c in each cell of [1, 2). */
typedef struct speed_log_table {
    double inverse[SPEED_LOG_CELLS], log2[SPEED_LOG_CELLS];
} speed_log_table;

void ty_speed_log_table(speed_log_table *table);

/* How far ty_speed_near_log2() may be off, for |r| < 2^-7.9 in its series: its terms leave less than 2^-73,
 * rounding them and their sum with log2 c less than 2^-51, rounding the sum with the exponent at most 2^-47;
 * and adding this bound is rounded by at most 2^-47 once more. */
#define SPEED_NEAR 0x1p-44

/* For positive normal floats. */
double ty_speed_near_log2(const speed_log_table *table, float x);

/* The entropy of a block with this variance. `eigenvalues`: 25. */
float ty_speed_entropy(const speed_log_table *table, const float *eigenvalues, float variance, float sigma);

#endif
