/* Tables of src/exact; gen/tables.py computes them and checks the ranges that the code relies on. */
#ifndef TY_EXACT_TABLES_H
#define TY_EXACT_TABLES_H

#include "constants.h"
#include "word.h"

/* One step of argument reduction: multiply by the short reciprocal, add the logarithm. */
struct ty_log_step {
    ty_u128 log;         /* -ln of the reciprocal's value at 2^-116, two's complement */
    uint64_t reciprocal; /* coarse: at 2^-9; fine: at 2^-16 */
};

/* Bin i holds mantissas from 1 + i/128; from bin TY_LOG_FOLD on the logarithm is that of the halved
 * mantissa. */
extern const struct ty_log_step ty_log_coarse[128];
enum { TY_LOG_FOLD = 53 };

/* Entry TY_LOG_FINE_ZERO + j is for arguments around 1 + j/2^14. */
extern const struct ty_log_step ty_log_fine[209];
enum { TY_LOG_FINE_ZERO = 80 };

/* As ty_log_coarse, with the binary logarithm at 2^-55. */
struct ty_log2f_step {
    int64_t log2;
    int64_t reciprocal;
};
extern const struct ty_log2f_step ty_log2f_coarse[128];

/* (-1)^k / ((k + 1) ln 2) at 2^-62: the series of log2(1 + z) / z. */
extern const int64_t ty_log2f_series[7];

/* 2^(j/128) and 2^(j/16384) at 2^-127. */
extern const ty_u128 ty_exp2_coarse[128];
extern const ty_u128 ty_exp2_fine[128];

/* Fixed-point constants of wide.h, rounded down: least limb first, the last limb is the integer part. */
enum { TY_WIDE_LIMBS = 33 };
extern const uint64_t ty_wide_ln2[TY_WIDE_LIMBS];
extern const uint64_t ty_wide_inverse_ln2[TY_WIDE_LIMBS];
extern const uint64_t ty_wide_inverse_ln10[TY_WIDE_LIMBS];

#endif
