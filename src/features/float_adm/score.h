/* float_adm: spec 4.5 to 4.7 of one level. A group walks along a strip of rows. For each tile it first decouples and weights
 * the tile's columns, then masks the columns one further left, whose neighbours are all known now, and at last adds each
 * row's terms to its sums, with a lane a row, in the order of the columns. */

/* Places of a tile's arrays: of the two columns before it, and of its own. Neighbours of a strip's first and last row, which
 * nothing uses, may lie one before and one behind these. */
#define FLOAT_ADM_PAD 16
#define FLOAT_ADM_PLACES ((FLOAT_ADM_TILE + 2) * FLOAT_ADM_STRIP + 2 * FLOAT_ADM_PAD)

FUNCTION(f32) float_adm_magnitude(f32 x) { return f32_of_bits(f32_bits(x) & 0x7fffffffu); }

/* x, or 0 if no bit of the mask is set. */
FUNCTION(f32) float_adm_kept(f32 x, u32 mask) { return f32_of_bits(f32_bits(x) & mask); }

/* Spec 4.7. Row -1 is row 1, row m is row m - 1. Columns alike. What lies further outside takes no part. */
FUNCTION(u32) float_adm_inside(i32 i, u32 end) { return i < 0 ? 1 : (u32)i < end ? (u32)i : end - 1; }

/* Before the gain limit. */
FUNCTION(f32) float_adm_restored(f32 o, f32 t) {
    const f32 k = t * float_adm_reciprocal(o + 0x1.4484cp-100f);
    const f32 positive = k < 0.0f ? 0.0f : k;
    return (positive > 1.0f ? 1.0f : positive) * o;
}

FUNCTION(u32) float_adm_angle(f32 oh, f32 ov, f32 th, f32 tv) {
    const f32 p = oh * th + ov * tv;
    const f32 a = oh * oh + ov * ov;
    const f32 b = th * th + tv * tv;
    const u32 within = p * p >= (0x1.ffd814p-1f * a) * b ? 1 : 0;
    return p >= 0.0f ? within : 0;
}

FUNCTION(f32) float_adm_limited(f32 restored, f32 gained, f32 t) {
    const f32 least = gained < t ? gained : t, most = gained > t ? gained : t;
    return restored > 0.0f ? least : restored < 0.0f ? most : restored;
}

/* The masking threshold of the sample that both point to in arrays of the three orientations. */
FUNCTION(f32) float_adm_threshold(SHARED_PTR(f32) around, SHARED_PTR(f32) weighted) {
    f32 threshold = 0.0f;
    UNROLL(3)
    for (int c = 0; c < 3; c++) {
        SHARED_PTR(f32) g = around + c * FLOAT_ADM_PLACES;
        f32 sum = g[-FLOAT_ADM_STRIP - 1];
        sum = sum + g[-1];
        sum = sum + g[FLOAT_ADM_STRIP - 1];
        sum = sum + g[-FLOAT_ADM_STRIP];
        sum = float_adm_centre(sum, weighted[c * FLOAT_ADM_PLACES]);
        sum = sum + g[FLOAT_ADM_STRIP];
        sum = sum + g[-FLOAT_ADM_STRIP + 1];
        sum = sum + g[1];
        sum = sum + g[FLOAT_ADM_STRIP + 1];
        threshold = threshold + sum;
    }
    return threshold;
}

FUNCTION(f32) float_adm_above(f32 weighted, f32 threshold) {
    const f32 above = weighted - threshold;
    return above < 0.0f ? 0.0f : above;
}

/* Sums the columns `from` to `to` of a tile, for `kinds` of the nine sums from the first on. */
#define FLOAT_ADM_SUM(from, to, first, kinds)                                                                         \
    for (u32 k = from; k < to; k++)                                                                                   \
        EACH_FIRST(lane, FLOAT_ADM_STRIP) {                                                                           \
            UNROLL(kinds)                                                                                             \
            for (u32 c = first; c < first + kinds; c++)                                                               \
                MY_AT(sum, c) = MY_AT(sum, c) + terms[c * LANES + k * FLOAT_ADM_STRIP + lane];                        \
        }

KERNEL2(float_adm_score, FLOAT_ADM_SCORE_LANES, IN(f32, bands), OUT(f32, result), float_adm_level, v)
    SHARED(f32, weighted, 6 * FLOAT_ADM_PLACES); /* of the restored part, then of the added part */
    SHARED(f32, around, 6 * FLOAT_ADM_PLACES);   /* what a neighbour is masked by */
    SHARED(f32, terms, FLOAT_ADM_SUMS * LANES);
    PRIVATE(i32, row); /* where its row's column 0 would be */
    PRIVATE_ARRAY(f32, q, 3);
    PRIVATE_ARRAY(f32, t, 3);
    PRIVATE(u32, near);
    PRIVATE_ARRAY(f32, sum, FLOAT_ADM_SUMS);
    const i32 top = (i32)(v.counted.y0 + GROUP_Y * FLOAT_ADM_STRIP_ROWS) - 1;
    const u64 p = v.plane;
    GLOBAL_IN(f32) reference_h = bands;
    GLOBAL_IN(f32) reference_v = bands + p;
    GLOBAL_IN(f32) reference_d = bands + 2 * p;
    GLOBAL_IN(f32) distorted_h = bands + 3 * p;
    GLOBAL_IN(f32) distorted_v = bands + 4 * p;
    GLOBAL_IN(f32) distorted_d = bands + 5 * p;

    for (u32 i = 0; i < 6 * FLOAT_ADM_PLACES; i += FLOAT_ADM_STRIP)
        FIRST(lane, FLOAT_ADM_STRIP) weighted[i + lane] = around[i + lane] = 0.0f;
    EACH(lane) {
        const u32 y = float_adm_inside(top + lane % FLOAT_ADM_STRIP, v.window.y1);
        MY(row) = (i32)((y - v.window.y0) * v.stride) - (i32)v.window.x0;
    }
    EACH_FIRST(lane, FLOAT_ADM_STRIP) {
        UNROLL(FLOAT_ADM_SUMS)
        for (int c = 0; c < FLOAT_ADM_SUMS; c++)
            MY_AT(sum, c) = 0.0f;
    }
    for (u32 tile = 0; tile < v.tiles; tile++) {
        const i32 left = (i32)(v.counted.x0 + tile * FLOAT_ADM_TILE) - 1;
        /* The last two columns of the tile before. */
        FIRST(lane, 2 * FLOAT_ADM_STRIP) {
            UNROLL(6)
            for (int c = 0; c < 6; c++) {
                const u32 at = c * FLOAT_ADM_PLACES + FLOAT_ADM_PAD + lane;
                weighted[at] = weighted[at + LANES];
                around[at] = around[at + LANES];
            }
        }
        EACH(lane) {
            const i32 at = MY(row) + (i32)float_adm_inside(left + lane / FLOAT_ADM_STRIP, v.window.x1);
            const f32 oh = reference_h[at], ov = reference_v[at], od = reference_d[at];
            const f32 th = distorted_h[at], tv = distorted_v[at], td = distorted_d[at];
            MY(near) = float_adm_angle(oh, ov, th, tv);
            MY_AT(q, 0) = float_adm_restored(oh, th);
            MY_AT(q, 1) = float_adm_restored(ov, tv);
            MY_AT(q, 2) = float_adm_restored(od, td);
            MY_AT(t, 0) = th;
            MY_AT(t, 1) = tv;
            MY_AT(t, 2) = td;
            terms[lane] = float_adm_magnitude(v.weight_hv * oh);
            terms[LANES + lane] = float_adm_magnitude(v.weight_hv * ov);
            terms[2 * LANES + lane] = float_adm_magnitude(v.weight_d * od);
        }
        if (v.gain > 0.0f)
            EACH(lane) {
                UNROLL(3)
                for (int c = 0; c < 3; c++) {
                    const f32 q = MY_AT(q, c);
                    const f32 limited = float_adm_limited(q, q * v.gain, MY_AT(t, c));
                    MY_AT(q, c) = MY(near) ? limited : q;
                }
            }
        else
            EACH(lane) {
                UNROLL(3)
                for (int c = 0; c < 3; c++) {
                    const f32 q = MY_AT(q, c);
                    const f32 limited = float_adm_limited(q, float_adm_gained(q, v.gain_bits), MY_AT(t, c));
                    MY_AT(q, c) = MY(near) ? limited : q;
                }
            }
        PHASE(lane) {
            UNROLL(3)
            for (int c = 0; c < 3; c++) {
                const u32 at = c * FLOAT_ADM_PLACES + FLOAT_ADM_PAD + 2 * FLOAT_ADM_STRIP + lane;
                const f32 weight = c == 2 ? v.weight_d : v.weight_hv;
                const f32 restored = float_adm_magnitude(weight * MY_AT(q, c));
                const f32 added = float_adm_magnitude(weight * (MY_AT(t, c) - MY_AT(q, c)));
                weighted[at] = restored;
                weighted[at + 3 * FLOAT_ADM_PLACES] = added;
                around[at] = float_adm_around(restored);
                around[at + 3 * FLOAT_ADM_PLACES] = float_adm_around(added);
            }
        }
        /* Each part is masked by the other. */
        PHASE(lane) {
            const u32 at = FLOAT_ADM_PAD + FLOAT_ADM_STRIP + lane, other = at + 3 * FLOAT_ADM_PLACES;
            const f32 threshold_r = float_adm_kept(float_adm_threshold(around + other, weighted + other), v.masking);
            const f32 threshold_a = float_adm_kept(float_adm_threshold(around + at, weighted + at), v.masking);
            UNROLL(3)
            for (int c = 0; c < 3; c++) {
                const f32 r = weighted[at + c * FLOAT_ADM_PLACES], a = weighted[other + c * FLOAT_ADM_PLACES];
                terms[(c + 3) * LANES + lane] = float_adm_above(r, threshold_r);
                terms[(c + 6) * LANES + lane] = float_adm_above(a, threshold_a);
            }
        }
        if (v.power == 3)
            PHASE(lane) {
                UNROLL(FLOAT_ADM_SUMS)
                for (u32 c = 0; c < FLOAT_ADM_SUMS; c++) {
                    const f32 x = terms[c * LANES + lane];
                    terms[c * LANES + lane] = (x * x) * x;
                }
            }
        if (v.power == 2)
            PHASE(lane) {
                UNROLL(FLOAT_ADM_SUMS)
                for (u32 c = 0; c < FLOAT_ADM_SUMS; c++)
                    terms[c * LANES + lane] = terms[c * LANES + lane] * terms[c * LANES + lane];
            }
        if (v.power != 0) {
            const u32 rest = v.counted.x1 - (u32)left;
            FLOAT_ADM_SUM((tile == 0 ? 1 : 0), float_adm_least(rest, FLOAT_ADM_TILE), 0, 3)
            FLOAT_ADM_SUM((tile == 0 ? 2 : 0), float_adm_least(rest + 1, FLOAT_ADM_TILE), 3, 6)
        } else
            for (u32 c = 0; c < FLOAT_ADM_SUMS; c++) {
                GLOBAL_OUT(f32) out = result + ((u64)(GROUP_Y * FLOAT_ADM_SUMS + c) * v.tiles + tile) * LANES;
                EACH(lane) out[lane] = power_or_doubt(terms[c * LANES + lane], v.p_bits);
            }
        BARRIER;
    }
    if (v.power != 0)
        EACH_FIRST(lane, FLOAT_ADM_STRIP) {
            UNROLL(FLOAT_ADM_SUMS)
            for (u32 c = 0; c < FLOAT_ADM_SUMS; c++)
                result[(GROUP_Y * FLOAT_ADM_SUMS + c) * FLOAT_ADM_STRIP + lane] = MY_AT(sum, c);
        }
END_KERNEL
