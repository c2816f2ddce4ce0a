/* adm: what scoring needs at levels 1 to 3, where bands are 32-bit numbers below 2^31 in magnitude (spec 6). */

/* Spec 4.3; see adm_restored16. */
FUNCTION(i32) adm_restored32(i32 o, i32 t, u32 limited, adm_limit limit) {
    const u32 u = o < 0 ? 0 - (u32)o : (u32)o;
    const i32 along = o < 0 ? (i32)(0 - (u32)t) : t;
    const u32 same = along < 0 ? 0 : (u32)along;
    const u32 capped = same < 2 * u ? same : 2 * u;
    const u32 e = adm_bits_above_15(u);
    const u32 scaled = (u + ((1u << e) >> 1)) >> e;
    const u64 rounding = 16384u << e;
    const u64 shift = 15 + e;
    const u64 ratio = ((u64)adm_reciprocal(scaled) * capped + rounding) >> shift;
    const u32 k = ratio < 32768 ? (u32)ratio : 32768;
    const u32 r = (u32)(((u64)k * u + (16384 - (u32)(o < 0))) >> 15);
    const u32 gained = adm_gain(r, limit, same);
    const u32 kept = limited != 0 ? gained : r;
    return (i32)(o < 0 ? 0 - kept : kept);
}

FUNCTION(u32) adm_angle32(i32 oh, i32 ov, i32 th, i32 tv) {
    const i64 dot = (i64)oh * th + (i64)ov * tv, o = (i64)oh * oh + (i64)ov * ov, t = (i64)th * th + (i64)tv * tv;
#if TY_HAS_F64
    return adm_angle_double((f32)dot, (f32)o, (f32)t);
#else
    return adm_angle_integer(dot, o, t);
#endif
}

/* Weighted coefficient: epsilon of spec 4.5 and pi of 4.6. */
FUNCTION(i32) adm_weighted32(i32 x, u32 weight) {
    return (i32)(u32)(((u64)(i64)x * weight + (1u << 27)) >> 28);
}

FUNCTION(i32) adm_masking32(i32 weighted, int c) {
    (void)c;
    return (i32)(weighted < 0 ? 0u - (u32)weighted : (u32)weighted);
}
FUNCTION(i32) adm_near32(i32 magnitude) {
    return (i32)(u32)((u64)((i64)magnitude * 143165577 - ((i64)1 << 31)) >> 32);
}
FUNCTION(i32) adm_mid32(i32 magnitude) {
    return (i32)(u32)((u64)((i64)magnitude * 286331153 - ((i64)1 << 31)) >> 32);
}

FUNCTION(u64) adm_energy32(i32 o, adm_level v) {
    const u32 u = (u32)(o < 0 ? -(i64)o : (i64)o);
    const u64 square = ((u64)u * u + ((u64)1 << v.energy_shift)) >> v.energy_shift;
    return (square * u + (((u64)1 << v.energy_row_shift) >> 1)) >> v.energy_row_shift;
}

/* One term of spec 4.6. */
FUNCTION(u64) adm_term32(i32 weighted, u32 threshold, int c, u32 shift) {
    (void)c;
    return adm_cube(adm_above(weighted, threshold), 30, shift);
}
