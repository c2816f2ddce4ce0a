/* Kernel text: 128-bit integers, from 32-bit products. */
#ifndef TY_KERNEL_WIDE_H
#define TY_KERNEL_WIDE_H

typedef struct wide {
    u64 high, low;
} wide;

FUNCTION(wide) wide_of(u64 high, u64 low) {
    wide w;
    w.high = high;
    w.low = low;
    return w;
}

FUNCTION(wide) wide_at(TABLE_PTR(u64) table, u32 index) {
    return wide_of(table[2 * index], table[2 * index + 1]);
}

/* x must not be 0. */
FUNCTION(u32) leading_zeros(u64 x) {
    u32 zeros = 0;
    for (u32 step = 32; step > 0; step >>= 1)
        if (x >> (64 - step) == 0) {
            zeros += step;
            x <<= step;
        }
    return zeros;
}

FUNCTION(wide) wide_product(u64 a, u64 b) {
    const u64 a0 = (u32)a, a1 = a >> 32, b0 = (u32)b, b1 = b >> 32;
    const u64 low = a0 * b0;
    const u64 middle = a1 * b0 + (low >> 32); /* below 2^64 */
    const u64 other = a0 * b1 + (u32)middle;  /* below 2^64 */
    return wide_of(a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (u32)low);
}

FUNCTION(wide) wide_add(wide a, wide b) {
    const u64 low = a.low + b.low;
    return wide_of(a.high + b.high + (low < a.low ? 1 : 0), low);
}

FUNCTION(wide) wide_subtract(wide a, wide b) {
    return wide_of(a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low);
}

FUNCTION(u32) wide_less(wide a, wide b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

FUNCTION(u32) wide_is_zero(wide a) {
    return (a.high | a.low) == 0;
}

/* count may be 128 or more. */
FUNCTION(wide) wide_shift_right(wide a, u32 count) {
    if (count >= 128)
        return wide_of(0, 0);
    if (count >= 64)
        return wide_of(0, a.high >> (count - 64));
    return count == 0 ? a : wide_of(a.high >> count, a.low >> count | a.high << (64 - count));
}

FUNCTION(wide) wide_shift_left(wide a, u32 count) {
    if (count >= 64)
        return wide_of(a.low << (count - 64), 0);
    return count == 0 ? a : wide_of(a.high << count | a.low >> (64 - count), a.low << count);
}

/* a * b / 2^128, below the true quotient by less than 3. */
FUNCTION(wide) wide_multiply(wide a, wide b) {
    const wide upper = wide_product(a.high, b.high);
    const u64 cross = wide_product(a.high, b.low).high, other = wide_product(a.low, b.high).high;
    const wide sum = wide_add(upper, wide_of(0, cross));
    return wide_add(sum, wide_of(0, other));
}

/* a * b / 2^64, below the true quotient by less than 1. */
FUNCTION(wide) wide_multiply_word(wide a, u64 b) {
    return wide_add(wide_product(a.high, b), wide_of(0, wide_product(a.low, b).high));
}

/* a * b, which must be below 2^128. */
FUNCTION(wide) wide_times(wide a, u64 b) {
    const wide low = wide_product(a.low, b);
    return wide_of(a.high * b + low.high, low.low);
}

/* a must not be 0. */
FUNCTION(u32) wide_leading_zeros(wide a) {
    return a.high != 0 ? leading_zeros(a.high) : 64 + leading_zeros(a.low);
}

#endif
