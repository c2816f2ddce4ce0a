/* adm: what scoring does alike for bands of 16 and of 32 bits. */

/* max(0, |weighted| - threshold), modulo 2^32 as the method has it. */
FUNCTION(i32) adm_above(i32 weighted, u32 threshold) {
    const u32 magnitude = weighted < 0 ? 0u - (u32)weighted : (u32)weighted;
    const i32 above = (i32)(magnitude - threshold);
    return above > 0 ? above : 0;
}

/* The rounded cube of spec 4.6. */
FUNCTION(u64) adm_cube(i32 x, u32 square_shift, u32 shift) {
    const i32 square = (i32)(u32)(((u64)((i64)x * x) + ((u64)1 << (square_shift - 1))) >> square_shift);
    return (u64)(((i64)square * x + (i64)(((u64)1 << shift) >> 1)) >> shift);
}

/* Where a group works: lane 0 is column `origin` of the stored band; counted are `count` lanes from `lead` on. */
typedef struct adm_tile {
    u32 lanes, origin, lead, count;
    u32 at_left, at_right; /* whether a counted column has no neighbour at that side */
} adm_tile;

FUNCTION(adm_tile) adm_find_tile(adm_level v, u32 group) {
    adm_tile t;
    const u32 left = v.counted.x0 + group * v.tile;
    const u32 right = adm_least(left + v.tile, v.counted.x1);
    const u32 first = (left > 0 ? left - 1 : 0) - v.x0;
    const u32 end = adm_least(right + 1, v.width) - v.x0;
    t.lanes = adm_round_up(end - first);
    t.origin = adm_least(first, v.stride - t.lanes);
    t.lead = left - v.x0 - t.origin;
    t.count = right - left;
    t.at_left = left == 0;
    t.at_right = right == v.width;
    return t;
}

/* Spec 4.5: row -1 is row 1, row m is row m - 1. */
FUNCTION(u32) adm_row(i32 y, u32 height) { return y < 0 ? 1 : (u32)y < height ? (u32)y : height - 1; }
