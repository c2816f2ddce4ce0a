/* adm: what scoring needs at level 0, where bands are 16-bit numbers of at most 22930 in magnitude (spec 6). */

/* Spec 4.3. Works along the reference's sign. A distorted coefficient beyond 2u gives a ratio above 1 as 2u does, so the
 * product stays below 2^31; and with o = 0 it gives 0. Where the ratio is 0 the gain limit changes nothing. */
FUNCTION(i32) adm_restored16(i32 o, i32 t, u32 limited, adm_limit limit) {
    const i32 u = o < 0 ? -o : o;
    const i32 along = o < 0 ? -t : t;
    const i32 same = along < 0 ? 0 : along;
    const i32 capped = same < 2 * u ? same : 2 * u;
    const u32 ratio = (adm_reciprocal((u32)u) * (u32)capped + (1u << 14)) >> 15;
    const u32 k = ratio < 32768 ? ratio : 32768;
    const u32 r = (k * (u32)u + 16384 - (u32)(o < 0)) >> 15;
    const u32 gained = adm_gain_small(r, limit, (u32)same);
    const i32 kept = (i32)(limited != 0 ? gained : r);
    return o < 0 ? -kept : kept;
}

FUNCTION(u32) adm_angle16(i32 oh, i32 ov, i32 th, i32 tv) {
    const i32 dot = oh * th + ov * tv, o = oh * oh + ov * ov, t = th * th + tv * tv;
#if TY_HAS_F64
    return adm_angle_double((f32)dot, (f32)o, (f32)t);
#else
    return adm_angle_integer(dot, o, t);
#endif
}

/* Weighted coefficient, in full precision: pi of spec 4.6. */
FUNCTION(i32) adm_weighted16(i32 x, u32 weight) { return (i32)(weight * (u32)x); }

/* |epsilon| of spec 4.5, from the weighted coefficient. */
FUNCTION(i32) adm_masking16(i32 weighted, int c) {
    const i32 epsilon = (i16)(c == 2 ? (weighted + 65535) >> 17 : (weighted + 16384) >> 15);
    return epsilon < 0 ? -epsilon : epsilon;
}
FUNCTION(i32) adm_near16(i32 magnitude) { return (i16)((4369 * magnitude + 2048) >> 12); }
FUNCTION(i32) adm_mid16(i32 magnitude) { return (i16)((8738 * magnitude + 2048) >> 12); }

FUNCTION(u64) adm_energy16(i32 o, adm_level v) {
    (void)v;
    const u32 u = (u32)(o < 0 ? -o : o);
    return (u64)(u * u) * u;
}

/* One term of spec 4.6. */
FUNCTION(u64) adm_term16(i32 weighted, u32 threshold, int c, u32 shift) {
    return adm_cube(adm_above(weighted, threshold << (c == 2 ? 12 : 10)), c == 2 ? 30 : 29, shift);
}
