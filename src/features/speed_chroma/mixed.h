/* The few operations of the specification that are not plain float, each with a form for targets without
 * fp64. */
#ifndef TY_SPEED_MIXED_H
#define TY_SPEED_MIXED_H

/* EPS = 1e-6 as a double, and the float below it: a float is under the one if it is at most the other. */
#define SPEED_EPS_BITS ((u64)0x3eb0c6f7 << 32 | 0xa0b5ed8d)
#define SPEED_EPS_FLOAT 0x1.0c6f7ap-20f

FUNCTION(f32) speed_magnitude(f32 x) { return x < 0.0f ? -x : x; }

/* Subnormal arguments are scaled up exactly, since the integer form of the root wants normal ones. */
FUNCTION(f32) speed_sqrt(f32 x) {
    return x < 0x1p-100f ? exact_sqrt(x * 0x1p48f) * 0x1p-24f : exact_sqrt(x);
}

/* a < EPS * b, the product rounded to double; a and b not negative. */
FUNCTION(u32) speed_under_eps_integer(f32 a, f32 b) {
    return double_less(double_of_float(a), double_multiply(SPEED_EPS_BITS, double_of_float(b)));
}

/* 1 / sqrt(u) rounded to float, for 1 <= u <= 2: rounding the root and the quotient to double first changes
 * nothing (spec: 6.3). As an integer it is Y = 2^24 / sqrt(u), to nearest: (2Y - 1)^2 u <= 2^50 <=
 * (2Y + 1)^2 u. The float quotient is few units off. */
FUNCTION(u32) speed_root_is_above(u64 odd, u32 u) {
    const wide product = wide_product(odd * odd, (u64)u); /* below 2^75, and 2^73 is the bound */
    return product.high > 512 || (product.high == 512 && product.low > 0);
}
FUNCTION(f32) speed_inverse_root_integer(f32 u) {
    const u32 scaled = (u32)(u * 0x1p23f);
    u64 y = (u64)(1.0f / exact_sqrt(u) * 0x1p24f);
    while (speed_root_is_above(2 * y - 1, scaled))
        y--;
    while (!speed_root_is_above(2 * y + 1, scaled))
        y++;
    return (f32)(u32)y * 0x1p-24f;
}

#if TY_HAS_F64

typedef f64 speed_number;
FUNCTION(speed_number) speed_deviation(f32 sample, f32 mean) { return (f64)sample - (f64)mean; }
FUNCTION(f32) speed_mean_of(speed_number sum, u32 count) { return (f32)(sum / (f64)count); }
FUNCTION(u32) speed_under_eps(f32 a, f32 b) { return (f64)a < F64_OF_BITS(SPEED_EPS_BITS) * (f64)b; }
FUNCTION(f32) speed_inverse_root(f32 u) { return (f32)(1.0 / f64_sqrt((f64)u)); }

#else

typedef u64 speed_number;
FUNCTION(speed_number) speed_deviation(f32 sample, f32 mean) {
    return double_subtract(double_of_float(sample), double_of_float(mean));
}
FUNCTION(speed_number) speed_add_product(speed_number sum, speed_number a, speed_number b) {
    return double_add(sum, double_multiply(a, b));
}
FUNCTION(f32) speed_mean_of(speed_number sum, u32 count) {
    return float_of_double(double_divide(sum, double_of_int((i32)count)));
}
FUNCTION(u32) speed_under_eps(f32 a, f32 b) { return speed_under_eps_integer(a, b); }
FUNCTION(f32) speed_inverse_root(f32 u) { return speed_inverse_root_integer(u); }

#endif

#endif
