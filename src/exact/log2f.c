#include "math.h"
#include "tables.h"
#include "word.h"

/* log2(1 + z) / z at 2^-62, z at 2^-69, |z| <= 2^-7; the series leaves out less than z^7 / 8 / ln 2 <
 * 2^-51. Even and odd powers apart, so that the products need not wait for each other. */
static inline int64_t series(int64_t z)
{
    const int64_t *c = ty_log2f_series;
    const int64_t square = ty_mul_shift(z, z, 69);
    const int64_t even = c[0] + ty_mul_shift(square, c[2] + ty_mul_shift(square,
                         c[4] + ty_mul_shift(square, c[6], 69), 69), 69);
    const int64_t odd = c[1] + ty_mul_shift(square, c[3] + ty_mul_shift(square, c[5], 69), 69);
    return even + ty_mul_shift(z, odd, 69);
}

/* x = 2^e m; the coarse reciprocal brings m to 1 + z exactly: 23 + 9 fraction bits. The sum is off by less
 * than 2 units of 2^-55: the table by 1/2, the product by 1, the series by 2^-51 |z|. No second step and no
 * rounding test: tests/long/exact_sweep.c finds no float whose logarithm that is too coarse for. Results
 * are never subnormal: the smallest, next to 1, is 1.44 * 2^-24. */
float ty_log2f(float x)
{
    const uint32_t bits = ty_bits_f(x);
    if (bits - 1 >= UINT32_C(0x7f800000) - 1) {
        if (bits << 1 == 0)
            return ty_from_bits_f(UINT32_C(0xff800000));
        return ty_from_bits_f(bits == UINT32_C(0x7f800000) ? bits : UINT32_C(0x7fc00000));
    }
    const int shift = bits >> 23 ? 0 : __builtin_clz(bits) - 8;
    const int field = shift ? 1 - shift : (int)(bits >> 23);
    const int64_t mantissa = (int64_t)(((bits << shift) & UINT32_C(0x007fffff)) | UINT32_C(0x00800000));
    const unsigned bin = (unsigned)(mantissa >> 16) & 127;
    const struct ty_log2f_step *coarse = &ty_log2f_coarse[bin];
    const int64_t e = field - 127 + (bin >= TY_LOG_FOLD);
    const int64_t z = (mantissa * coarse->reciprocal - (INT64_C(1) << 32)) * (INT64_C(1) << 37);
    const int64_t sum = e * (INT64_C(1) << 55) + coarse->log2 + ty_mul_shift(z, series(z), 76);
    if (sum == 0)
        return ty_from_bits_f(0);

    const uint64_t size = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
    const int top = 63 - __builtin_clzll(size), drop = top - 23;
    const uint64_t rounded = (size + (UINT64_C(1) << (drop - 1))) >> drop;
    const uint32_t sign = sum < 0 ? UINT32_C(0x80000000) : 0;
    return ty_from_bits_f(sign | (((uint32_t)(top - 55 + 126) << 23) + (uint32_t)rounded));
}
