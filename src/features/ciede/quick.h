/* ciede in doubles: approximations with proven errors. Each value that the spec rounds to float is accepted
 * if its whole interval of error rounds to one float; then that is the specified float. Otherwise the pixel
 * is in doubt, and exact.h decides. Straight lines only, for the vectoriser. README.md derives the margins.
 */
#ifndef TY_CIEDE_QUICK_H
#define TY_CIEDE_QUICK_H

#if TY_HAS_F64

#include "features/ciede/exact.h"

/* Half the widths of the intervals: absolute for f and T, else relative. */
#define CIEDE_F_MARGIN 0x1p-42
#define CIEDE_T_MARGIN 0x1p-43
#define CIEDE_MARGIN 0x1p-44

/* A float that is known to a margin, and whether it is in doubt. */
typedef struct ciede_float {
    f32 value;
    u32 doubt;
} ciede_float;

FUNCTION(ciede_float) ciede_settle(f64 value, f64 margin) {
    const f32 low = (f32)(value - margin), high = (f32)(value + margin);
    ciede_float f;
    f.value = high;
    f.doubt = low != high;
    return f;
}

FUNCTION(ciede_float) ciede_settle_relative(f64 value) {
    return ciede_settle(value, value * CIEDE_MARGIN);
}

/* ---- Powers: from a float y near the inverse root, e = 1 - x y^n is small and all but exact ---- */

/* An estimate of x^(-1/5), 0.08 < x < 2.3: to 2^-20. The bits of a float are a logarithm, to a tenth or so;
 * then two steps of third and second order. */
FUNCTION(f32) ciede_inverse_fifth_root(f32 x) {
    f32 y = f32_of_bits((u32)(0x4c2b5333 - (i32)((f32)(i32)f32_bits(x) * 0.2f)));
    const f32 y2 = y * y;
    const f32 e = 1.0f - x * (y2 * y2 * y);
    y = y * (1.0f + e * (0.2f + e * (0.12f + e * 0.088f)));
    const f32 z2 = y * y;
    const f32 d = 1.0f - x * (z2 * z2 * y);
    return y * (1.0f + d * (0.2f + d * 0.12f));
}

/* x^2.4 = (x y)^3 (1 - e)^-0.6 */
FUNCTION(f64) ciede_quick_gamma(f64 x) {
    const f64 y = (f64)ciede_inverse_fifth_root((f32)x);
    const f64 y2 = y * y, xy = x * y;
    const f64 e = 1.0 - (y2 * y2) * xy;
    return xy * xy * xy * (1.0 + e * (0.6 + e * 0.48));
}

/* An estimate of x^(-1/3), 0.008 < x < 6.3: to 2^-20. */
FUNCTION(f32) ciede_inverse_cube_root(f32 x) {
    f32 y = f32_of_bits((u32)(0x54a1eaaa - (i32)((f32)(i32)f32_bits(x) * 0.33333333f)));
    const f32 e = 1.0f - x * (y * y * y);
    y = y * (1.0f + e * (0.33333333f + e * (0.22222222f + e * 0.17283951f)));
    const f32 d = 1.0f - x * (y * y * y);
    return y * (1.0f + d * (0.33333333f + d * 0.22222222f));
}

/* x^(1/3) = x y^2 (1 - e)^(-2/3) */
FUNCTION(f64) ciede_quick_cube_root(f64 x) {
    const f64 y = (f64)ciede_inverse_cube_root((f32)x);
    const f64 xyy = x * (y * y);
    const f64 e = 1.0 - xyy * y;
    return xyy * (1.0 + e * (0x1.5555555555555p-1 + e * 0x1.1c71c71c71c72p-1));
}

/* ---- Spec 4.1, 4.2 ---- */

FUNCTION(f64) ciede_quick_linear(f64 c) {
    const f64 x = (c + CIEDE_OFFSET) * CIEDE_BY_OFFSET;
    const f64 curve = ciede_quick_gamma(c > CIEDE_BEND ? x : 1.0);
    return c > CIEDE_BEND ? curve : c * CIEDE_SLOPE;
}

FUNCTION(ciede_float) ciede_quick_f(f64 t) {
    const f64 root = ciede_quick_cube_root(t > CIEDE_LAB_BEND ? t : 1.0);
    const f64 line = (CIEDE_LAB_SLOPE * t + 16.0) * CIEDE_BY_116;
    return ciede_settle(t > CIEDE_LAB_BEND ? root : line, CIEDE_F_MARGIN);
}

typedef struct ciede_quick_lab_result {
    ciede_lab lab;
    u32 doubt;
} ciede_quick_lab_result;

FUNCTION(ciede_quick_lab_result) ciede_quick_lab(i32 luma, i32 cb, i32 cr, ciede_picture p) {
    const f64 y = (f64)(luma - p.black) * (CIEDE_LUMA * (f64)p.step);
    const f64 u = (f64)(cb - p.grey) * (CIEDE_CHROMA * (f64)p.step);
    const f64 v = (f64)(cr - p.grey) * (CIEDE_CHROMA * (f64)p.step);
    const f64 r = ciede_quick_linear(y + CIEDE_V_TO_R * v);
    const f64 g = ciede_quick_linear((y - CIEDE_U_TO_G * u) - CIEDE_V_TO_G * v);
    const f64 b = ciede_quick_linear(y + CIEDE_U_TO_B * u);
    const ciede_float fx =
        ciede_quick_f(((r * CIEDE_R_TO_X + g * CIEDE_G_TO_X) + b * CIEDE_B_TO_X) * CIEDE_WHITE_X);
    const ciede_float fy = ciede_quick_f((r * CIEDE_R_TO_Y + g * CIEDE_G_TO_Y) + b * CIEDE_B_TO_Y);
    const ciede_float fz =
        ciede_quick_f(((r * CIEDE_R_TO_Z + g * CIEDE_G_TO_Z) + b * CIEDE_B_TO_Z) * CIEDE_WHITE_Z);
    ciede_quick_lab_result result;
    result.lab.l = (f32)(116.0 * (f64)fy.value - 16.0);
    result.lab.a = (f32)(500.0 * ((f64)fx.value - (f64)fy.value));
    result.lab.b = (f32)(200.0 * ((f64)fy.value - (f64)fz.value));
    result.doubt = fx.doubt | fy.doubt | fz.doubt;
    return result;
}

/* ---- Spec 4.3 to 4.5 ---- */

FUNCTION(f32) ciede_quick_length(f32 x, f32 y) {
    return (f32)f64_sqrt((f64)x * (f64)x + (f64)y * (f64)y);
}

/* sin x for |x| <= 1.5708 (2^-52) */
FUNCTION(f64) ciede_quick_sine(f64 x) {
    const f64 s = x * x;
    return x * (0x1.fffffffffffffp-1 +
                s * (-0x1.555555555547fp-3 +
                     s * (0x1.1111111109f2bp-7 +
                          s * (-0x1.a01a019a54096p-13 +
                               s * (0x1.71de38089308fp-19 +
                                    s * (-0x1.ae63578ade2bbp-26 +
                                         s * (0x1.60e727a5011c7p-33 + s * -0x1.9f2415e7a21bcp-41)))))));
}

/* cos x for |x| <= 0.786 (2^-52) */
FUNCTION(f64) ciede_quick_cosine(f64 x) {
    const f64 s = x * x;
    return 1.0 + s * (-0x1.fffffffffff79p-2 +
                      s * (0x1.555555554e7eap-5 +
                           s * (-0x1.6c16c163c5916p-10 +
                                s * (0x1.a019f7fd74aa5p-16 +
                                     s * (-0x1.27df4002c00aep-22 + s * 0x1.1b8af31ffcc4bp-29)))));
}

/* e^-x for 0 <= x <= 80: 2^fraction (2^-51) times 2^whole */
FUNCTION(f64) ciede_quick_decay(f64 x) {
    const f64 t = x * -0x1.71547652b82fep+0;
    const i32 whole = (i32)(t - 0.5);
    const f64 f = t - (f64)whole;
    const f64 power =
        0x1p+0 + f * (0x1.62e42fefa3a19p-1 +
                      f * (0x1.ebfbdff82c598p-3 +
                           f * (0x1.c6b08d703ce48p-5 +
                                f * (0x1.3b2ab6fba1ddap-7 +
                                     f * (0x1.5d87fe9d7a5b2p-10 +
                                          f * (0x1.430913096fdb5p-13 +
                                               f * (0x1.ffcb540625945p-17 +
                                                    f * (0x1.62bfd4776f20bp-20 +
                                                         f * (0x1.b675bcadc429ap-24 +
                                                              f * 0x1.e6063f7a40c36p-28)))))))));
    return power * (f64)f32_of_bits((u32)(whole + 127) << 23);
}

/* atan2(b, a), not both 0: the smaller over the larger size, turned back by pi/4 if above tan(pi/8), then a
 * series (2^-49) */
FUNCTION(f64) ciede_quick_angle(f64 b, f64 a) {
    const f64 size_b = b < 0.0 ? -b : b, size_a = a < 0.0 ? -a : a;
    const f64 large = size_b > size_a ? size_b : size_a, small = size_b > size_a ? size_a : size_b;
    const u32 back = small > large * 0x1.a827999fcef32p-2;
    const f64 z = (back ? small - large : small) / (back ? small + large : large), s = z * z;
    const f64 series =
        z *
        (0x1.ffffffffffff7p-1 +
         s * (-0x1.5555555550696p-2 +
              s * (0x1.999999922cdc1p-3 +
                   s * (-0x1.249246f6861eep-3 +
                        s * (0x1.c71bcaa5e6866p-4 +
                             s * (-0x1.744ea106bda7bp-4 +
                                  s * (0x1.3a4ed81e77b4cp-4 +
                                       s * (-0x1.0a7c22a099a72p-4 +
                                            s * (0x1.9ba0a1901c494p-5 + s * -0x1.9ec8470f6a044p-6)))))))));
    const f64 octant = back ? 0x1.921fb54442d18p-1 + series : series;
    const f64 quadrant = size_b > size_a ? 0x1.921fb54442d18p+0 - octant : octant;
    const f64 angle = a < 0.0 ? CIEDE_PI - quadrant : quadrant;
    return b < 0.0 ? -angle : angle;
}

FUNCTION(ciede_float) ciede_quick_hue(f32 b, f32 a) {
    const u32 none = (a == 0.0f) & (b == 0.0f);
    ciede_float hue = ciede_settle_relative(ciede_quick_angle((f64)b, none ? 1.0 : (f64)a));
    hue.value = hue.value < 0.0f ? (f32)((f64)hue.value + CIEDE_TWO_PI) : hue.value;
    return hue;
}

/* The four cosines from the sine and cosine of hm, 0 <= hm < 7.9. */
FUNCTION(ciede_float) ciede_quick_t(f32 hm) {
    const i32 quarter = (i32)(hm * 0x1.45f306p-1f + 0.5f);
    const f64 turns = (f64)quarter;
    const f64 rest = ((f64)hm - turns * 0x1.921fb544p+0) - turns * 0x1.0b4611a626331p-34;
    const f64 sine = ciede_quick_sine(rest), cosine = ciede_quick_cosine(rest);
    const u32 odd = (quarter & 1) != 0;
    const f64 s = odd ? cosine : sine, c = odd ? sine : cosine;
    const f64 s1 = (quarter & 2) != 0 ? -s : s, c1 = ((quarter + 1) & 2) != 0 ? -c : c;
    const f64 c2 = 2.0 * c1 * c1 - 1.0, s2 = 2.0 * s1 * c1;
    const f64 c3 = c1 * c2 - s1 * s2, s3 = s1 * c2 + c1 * s2;
    const f64 c4 = 2.0 * c2 * c2 - 1.0, s4 = 2.0 * s2 * c2;
    const f64 one = c1 * 0x1.bb67ae8584caap-1 + s1 * 0.5;                    /* cos(hm - pi/6) */
    const f64 three = c3 * 0x1.fd31f94f867c6p-1 - s3 * 0x1.ac2609b3c576cp-4; /* cos(3 hm + pi/30) */
    const f64 four = c4 * 0x1.d0e2e2b44de01p-2 + s4 * 0x1.c83201d3d2c6dp-1;  /* cos(4 hm - 7 pi/20) */
    return ciede_settle((((1.0 - CIEDE_T1 * one) + CIEDE_T2 * c2) + CIEDE_T3 * three) - CIEDE_T4 * four,
                        CIEDE_T_MARGIN);
}

FUNCTION(ciede_float) ciede_quick_root_sine(f64 factor, f32 x, f32 angle) {
    return ciede_settle_relative((factor * f64_sqrt((f64)x)) * ciede_quick_sine((f64)angle));
}

/* What the blue corner adds. Beyond 80 the exponential is taken at 80: RT is then below 2^-114, and with any
 * value of that size the term is below half a unit of the sum that it is added to. */
FUNCTION(ciede_float) ciede_quick_rotation(f32 hm, f32 dm) {
    const f32 degrees = (f32)((f64)hm * CIEDE_DEGREE);
    const f32 g = (f32)(((f64)degrees - 275.0) * CIEDE_BY_25);
    const f32 g3 = g * g;
    /* The smaller of g3 and 80 by their bits, which are in the order of the floats: an integer minimum is no
     * branch. */
    const u32 bits = f32_bits(g3) < 0x42a00000 ? f32_bits(g3) : 0x42a00000;
    const ciede_float theta = ciede_settle_relative(60.0 * ciede_quick_decay((f64)f32_of_bits(bits)));
    const f32 angle = (f32)((f64)theta.value * CIEDE_RADIAN);
    const f64 d = (f64)dm, d2 = d * d;
    const f32 p = (f32)(((d2 * d2) * d2) * d);
    ciede_float rotation = ciede_quick_root_sine(-2.0, p / (p + 6103515648.0f), angle);
    rotation.doubt |= theta.doubt;
    return rotation;
}

/* a' of a picture: a + a/2 e */
FUNCTION(ciede_float) ciede_quick_stretched(f32 a, f64 e) {
    return ciede_settle_relative((f64)a + (f64)(a * 0.5f) * e);
}

FUNCTION(ciede_float) ciede_quick_difference(ciede_lab one, ciede_lab two) {
    const f32 lm = (one.l + two.l) * 0.5f;
    const f32 c1 = ciede_quick_length(one.a, one.b), c2 = ciede_quick_length(two.a, two.b);
    const f64 cm = (f64)((c1 + c2) * 0.5f), cm2 = cm * cm;
    const f64 q = ((cm2 * cm2) * cm2) * cm;
    const f64 e = 1.0 - f64_sqrt(q / (q + CIEDE_POW_25_7));
    const ciede_float a1 = ciede_quick_stretched(one.a, e), a2 = ciede_quick_stretched(two.a, e);
    const f32 d1 = ciede_quick_length(a1.value, one.b), d2 = ciede_quick_length(a2.value, two.b);
    const f32 dm = (d1 + d2) * 0.5f;
    const f64 w = (f64)(lm - 50.0f), w2 = w * w;
    const f32 sl = (f32)(1.0 + (CIEDE_WEIGHT_LH * w2) / f64_sqrt(20.0 + w2));
    const f32 sc = (f32)(1.0 + CIEDE_WEIGHT_C * (f64)dm);

    const ciede_float h1 = ciede_quick_hue(one.b, a1.value), h2 = ciede_quick_hue(two.b, a2.value);
    const f32 step = h2.value - h1.value;
    const f32 size = step < 0.0f ? -step : step;
    const u32 wraps = (f64)size > CIEDE_PI;
    const f32 around = (f32)((f64)step + (h2.value <= h1.value ? CIEDE_TWO_PI : -CIEDE_TWO_PI));
    const f32 turned = wraps ? around : step;
    const u32 colourless = (c1 == 0.0f) | (c2 == 0.0f);
    const f32 dh = colourless ? 0.0f : turned;
    const f32 sum = h1.value + h2.value;
    const f32 hm = (wraps ? (f32)((f64)sum + CIEDE_TWO_PI) : sum) * 0.5f;
    const ciede_float t = ciede_quick_t(hm);
    const f32 sh = (f32)(1.0 + (CIEDE_WEIGHT_LH * (f64)dm) * (f64)t.value);

    const ciede_float dhue = ciede_quick_root_sine(2.0, d1 * d2, dh * 0.5f);
    const ciede_float rotation = ciede_quick_rotation(hm, dm);
    const f32 tl = (two.l - one.l) / (0.65f * sl);
    const f32 tc = (d2 - d1) / sc;
    const f32 th = dhue.value / (4.0f * sh);
    const f32 x = rotation.value * tc * th;
    const f64 squares = ((f64)tl * (f64)tl + (f64)tc * (f64)tc) + (f64)th * (f64)th;
    ciede_float difference;
    difference.value = (f32)f64_sqrt(squares + (f64)x);
    difference.doubt = a1.doubt | a2.doubt | h1.doubt | h2.doubt | t.doubt | dhue.doubt | rotation.doubt;
    return difference;
}

#endif

#endif
