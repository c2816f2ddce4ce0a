/* ciede: the difference of two pixels in the stated order with correctly rounded functions, doubles as their
 * bits (spec 4). Kernel text for every target. */
#ifndef TY_CIEDE_EXACT_H
#define TY_CIEDE_EXACT_H

#include "exact/kernel_math.h"

#include "features/ciede/constants.h"
#include "features/ciede/stages.h"

typedef struct ciede_samples {
    i32 y, u, v;
} ciede_samples;

typedef struct ciede_lab {
    f32 l, a, b;
} ciede_lab;

/* A float times a double; the double of a float squared. */
FUNCTION(u64) ciede_scaled(f32 x, u64 y) {
    return double_multiply(double_of_float(x), y);
}
FUNCTION(u64) ciede_square(f32 x) {
    return ciede_scaled(x, double_of_float(x));
}

/* A float plus a double, as float. */
FUNCTION(f32) ciede_moved(f32 x, u64 y) {
    return float_of_double(double_add(double_of_float(x), y));
}

/* ---- Spec 4.1, 4.2 ---- */

RARE_FUNCTION(u64) ciede_exact_linear(u64 c) {
    if (!double_less(CIEDE_BEND_BITS, c))
        return double_multiply(c, CIEDE_SLOPE_BITS);
    return double_pow(double_multiply(double_add(c, CIEDE_OFFSET_BITS), CIEDE_BY_OFFSET_BITS),
                      CIEDE_GAMMA_BITS);
}

RARE_FUNCTION(f32) ciede_exact_f(u64 t) {
    if (double_less(CIEDE_LAB_BEND_BITS, t))
        return float_of_double(double_pow(t, CIEDE_THIRD_BITS));
    const u64 line = double_add(double_multiply(CIEDE_LAB_SLOPE_BITS, t), double_of_int(16));
    return float_of_double(double_multiply(line, CIEDE_BY_116_BITS));
}

FUNCTION(u64) ciede_exact_mix(u64 red, u64 r, u64 green, u64 g, u64 blue, u64 b) {
    return double_add(double_add(double_multiply(red, r), double_multiply(green, g)),
                      double_multiply(blue, b));
}

RARE_FUNCTION(f32) ciede_exact_opponent(i32 scale, f32 f, f32 g) {
    const u64 difference = double_subtract(double_of_float(f), double_of_float(g));
    return float_of_double(double_multiply(double_of_int(scale), difference));
}

RARE_FUNCTION(ciede_lab) ciede_exact_lab(ciede_samples s, ciede_picture p) {
    const u64 chroma = ciede_scaled(p.step, CIEDE_CHROMA_BITS);
    const u64 y = double_multiply(double_of_int(s.y - p.black), ciede_scaled(p.step, CIEDE_LUMA_BITS));
    const u64 u = double_multiply(double_of_int(s.u - p.grey), chroma);
    const u64 v = double_multiply(double_of_int(s.v - p.grey), chroma);
    const u64 less_u = double_subtract(y, double_multiply(CIEDE_U_TO_G_BITS, u));
    const u64 red = ciede_exact_linear(double_add(y, double_multiply(CIEDE_V_TO_R_BITS, v)));
    const u64 green = ciede_exact_linear(double_subtract(less_u, double_multiply(CIEDE_V_TO_G_BITS, v)));
    const u64 blue = ciede_exact_linear(double_add(y, double_multiply(CIEDE_U_TO_B_BITS, u)));
    const u64 tx = double_multiply(
        ciede_exact_mix(red, CIEDE_R_TO_X_BITS, green, CIEDE_G_TO_X_BITS, blue, CIEDE_B_TO_X_BITS),
        CIEDE_WHITE_X_BITS);
    const u64 ty = ciede_exact_mix(red, CIEDE_R_TO_Y_BITS, green, CIEDE_G_TO_Y_BITS, blue, CIEDE_B_TO_Y_BITS);
    const u64 tz = double_multiply(
        ciede_exact_mix(red, CIEDE_R_TO_Z_BITS, green, CIEDE_G_TO_Z_BITS, blue, CIEDE_B_TO_Z_BITS),
        CIEDE_WHITE_Z_BITS);
    const f32 fx = ciede_exact_f(tx), fy = ciede_exact_f(ty), fz = ciede_exact_f(tz);
    ciede_lab lab;
    lab.l = float_of_double(double_subtract(ciede_scaled(fy, double_of_int(116)), double_of_int(16)));
    lab.a = ciede_exact_opponent(500, fx, fy);
    lab.b = ciede_exact_opponent(200, fy, fz);
    return lab;
}

/* ---- Spec 4.3 to 4.5 ---- */

RARE_FUNCTION(f32) ciede_exact_length(f32 x, f32 y) {
    return float_of_double(double_sqrt(double_add(ciede_square(x), ciede_square(y))));
}

/* 1 - sqrt(cm^7 / (cm^7 + 25^7)) */
RARE_FUNCTION(u64) ciede_exact_stretch(f32 cm) {
    const u64 q = double_pow7(cm);
    return double_subtract(DOUBLE_ONE, double_sqrt(double_divide(q, double_add(q, CIEDE_POW_25_7_BITS))));
}

RARE_FUNCTION(f32) ciede_exact_hue(f32 b, f32 a) {
    if (a == 0.0f && b == 0.0f)
        return 0.0f;
    const f32 hue = float_of_double(double_atan2(b, a));
    return hue < 0.0f ? ciede_moved(hue, CIEDE_TWO_PI_BITS) : hue;
}

RARE_FUNCTION(f32) ciede_exact_t(f32 hm) {
    const u64 hue = double_of_float(hm);
    const u64 one = double_cos(double_subtract(hue, CIEDE_PI_6_BITS));
    const u64 two = double_cos(double_multiply(double_of_int(2), hue));
    const u64 three = double_cos(double_add(double_multiply(double_of_int(3), hue), CIEDE_PI_30_BITS));
    const u64 four =
        double_cos(double_subtract(double_multiply(double_of_int(4), hue), CIEDE_SEVEN_PI_20_BITS));
    u64 t = double_subtract(DOUBLE_ONE, double_multiply(CIEDE_T1_BITS, one));
    t = double_add(t, double_multiply(CIEDE_T2_BITS, two));
    t = double_add(t, double_multiply(CIEDE_T3_BITS, three));
    return float_of_double(double_subtract(t, double_multiply(CIEDE_T4_BITS, four)));
}

/* (factor * sqrt(x)) * sin(angle) */
RARE_FUNCTION(f32) ciede_exact_root_sine(i32 factor, f32 x, f32 angle) {
    const u64 root = double_multiply(double_of_int(factor), double_sqrt(double_of_float(x)));
    return float_of_double(double_multiply(root, double_sin(double_of_float(angle))));
}

RARE_FUNCTION(f32) ciede_exact_rotation(f32 hm, f32 dm) {
    const f32 degrees = float_of_double(ciede_scaled(hm, CIEDE_DEGREE_BITS));
    const u64 from_blue = double_subtract(double_of_float(degrees), double_of_int(275));
    const f32 g = float_of_double(double_multiply(from_blue, CIEDE_BY_25_BITS));
    const f32 g3 = g * g;
    const u64 bell = double_exp(double_negate(double_of_float(g3)));
    const f32 theta = float_of_double(double_multiply(double_of_int(60), bell));
    const f32 angle = float_of_double(ciede_scaled(theta, CIEDE_RADIAN_BITS));
    /* Three rounded products give the correctly rounded float of dm^7 for every float (spec 6.2). */
    const u64 square = ciede_square(dm), sixth = double_multiply(double_multiply(square, square), square);
    const f32 p = float_of_double(ciede_scaled(dm, sixth));
    return ciede_exact_root_sine(-2, p / (p + 6103515648.0f), angle);
}

RARE_FUNCTION(f32) ciede_exact_difference(ciede_lab one, ciede_lab two) {
    const f32 lm = (one.l + two.l) * 0.5f;
    const f32 c1 = ciede_exact_length(one.a, one.b), c2 = ciede_exact_length(two.a, two.b);
    const u64 e = ciede_exact_stretch((c1 + c2) * 0.5f);
    const f32 a1 = ciede_moved(one.a, ciede_scaled(one.a * 0.5f, e));
    const f32 a2 = ciede_moved(two.a, ciede_scaled(two.a * 0.5f, e));
    const f32 d1 = ciede_exact_length(a1, one.b), d2 = ciede_exact_length(a2, two.b);
    const f32 dm = (d1 + d2) * 0.5f;
    const u64 w = ciede_square(lm - 50.0f);
    const u64 away = double_divide(double_multiply(CIEDE_WEIGHT_LH_BITS, w),
                                   double_sqrt(double_add(double_of_int(20), w)));
    const f32 sl = float_of_double(double_add(DOUBLE_ONE, away));
    const f32 sc = float_of_double(double_add(DOUBLE_ONE, ciede_scaled(dm, CIEDE_WEIGHT_C_BITS)));

    const f32 h1 = ciede_exact_hue(one.b, a1), h2 = ciede_exact_hue(two.b, a2);
    const f32 step = h2 - h1;
    const u32 wraps = double_less(CIEDE_PI_BITS, double_magnitude(double_of_float(step)));
    f32 dh = step;
    if (c1 == 0.0f || c2 == 0.0f)
        dh = 0.0f;
    else if (wraps)
        dh = ciede_moved(step, h2 <= h1 ? CIEDE_TWO_PI_BITS : double_negate(CIEDE_TWO_PI_BITS));
    const f32 sum = h1 + h2;
    /* Halving is exact, before as after the rounding: no hue is small enough to become subnormal. */
    const f32 hm = (wraps ? ciede_moved(sum, CIEDE_TWO_PI_BITS) : sum) * 0.5f;
    const u64 bend =
        double_multiply(ciede_scaled(dm, CIEDE_WEIGHT_LH_BITS), double_of_float(ciede_exact_t(hm)));
    const f32 sh = float_of_double(double_add(DOUBLE_ONE, bend));

    const f32 tl = (two.l - one.l) / (0.65f * sl);
    const f32 tc = (d2 - d1) / sc;
    const f32 th = ciede_exact_root_sine(2, d1 * d2, dh * 0.5f) / (4.0f * sh);
    const f32 x = ciede_exact_rotation(hm, dm) * tc * th;
    const u64 squares = double_add(double_add(ciede_square(tl), ciede_square(tc)), ciede_square(th));
    return float_of_double(double_sqrt(double_add(squares, double_of_float(x))));
}

RARE_FUNCTION(f32) ciede_exact(ciede_samples one, ciede_samples two, ciede_picture p) {
    if (one.y == two.y && one.u == two.u && one.v == two.v)
        return 0.0f;
    return ciede_exact_difference(ciede_exact_lab(one, p), ciede_exact_lab(two, p));
}

#endif
