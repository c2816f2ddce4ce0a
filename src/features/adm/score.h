/* adm: spec 4.3 to 4.6 for bands of ADM_BAND_BITS bits; kernels.h includes this text once for each. A group
 * walks down a tile. Each lane owns a column: it decouples row y, and with the sums of near of rows y - 2, y - 1, y at hand
 * it finishes row y - 1. */

/* What row y leaves for the step after. */
#define ADM_KEEP_ROW                                                                                                  \
    UNROLL(6)                                                                                                         \
    for (int i = 0; i < 6; i++)                                                                                       \
        MY_AT(weighted, i) = MY_AT(next_weighted, i);                                                                 \
    MY_AT(centre, 0) = MY_AT(next_centre, 0);                                                                         \
    MY_AT(centre, 1) = MY_AT(next_centre, 1);

#if ADM_BAND_BITS == 16
#define ADM_BAND i16
#define ADM_NAME(stem) stem##16
KERNEL2(adm_score16, ADM_SCORE_LANES, IN(i16, bands), OUT(u64, sums), adm_level, v)
#else
#define ADM_BAND i32
#define ADM_NAME(stem) stem##32
KERNEL2(adm_score32, ADM_SCORE_LANES, IN(i32, bands), OUT(u64, sums), adm_level, v)
#endif
    SHARED(u32, near_r, LANES + 2); /* sums of three rows; place 0 is left of lane 0 */
    SHARED(u32, near_m, LANES + 2);
    SHARED(u64, terms, ADM_SUMS * LANES);
    PRIVATE(u32, limited); /* the angle test */
    PRIVATE_ARRAY(u32, old_r, 2); /* near of rows y - 1 and y - 2 */
    PRIVATE_ARRAY(u32, old_m, 2);
    PRIVATE_ARRAY(i32, weighted, 6); /* of row y - 1: r and m */
    PRIVATE_ARRAY(u32, centre, 2);   /* mid - near, likewise */
    PRIVATE_ARRAY(i32, next_weighted, 6);
    PRIVATE_ARRAY(u32, next_centre, 2);
    const adm_tile t = adm_find_tile(v, GROUP_X);
    const i32 top = (i32)(v.counted.y0 + GROUP_Y * ADM_SCORE_ROWS);
    const i32 bottom = (i32)adm_least((u32)top + ADM_SCORE_ROWS, v.counted.y1);
    const adm_limit limit = ADM_LIMIT(v);
    const u64 p = v.plane;

    PHASE(lane) {
        UNROLL(ADM_SUMS)
        for (int c = 0; c < ADM_SUMS; c++)
            terms[c * LANES + lane] = 0;
        MY_AT(old_r, 0) = MY_AT(old_r, 1) = 0;
        MY_AT(old_m, 0) = MY_AT(old_m, 1) = 0;
    }
    for (i32 y = top - 1; y <= bottom; y++) {
        GLOBAL_IN(ADM_BAND) band = bands + (u64)(adm_row(y, v.height) - v.y0) * v.stride + t.origin;
        EACH_FIRST(lane, t.lanes)
            MY(limited) = ADM_NAME(adm_angle)(band[lane], band[p + lane], band[3 * p + lane], band[4 * p + lane]);
        FIRST(lane, t.lanes) {
            u32 near_sum_r = 0, near_sum_m = 0, mid_sum_r = 0, mid_sum_m = 0;
            UNROLL(3)
            for (int c = 0; c < 3; c++) {
                const i32 o = band[c * p + lane], d = band[(c + 3) * p + lane];
                const i32 r = ADM_NAME(adm_restored)(o, d, MY(limited), limit);
                const u32 weight = c == 2 ? v.weight_d : v.weight_hv;
                const i32 weighted_r = ADM_NAME(adm_weighted)(r, weight);
                const i32 weighted_m = ADM_NAME(adm_weighted)((i32)((u32)d - (u32)r), weight);
                const i32 masking_r = ADM_NAME(adm_masking)(weighted_r, c);
                const i32 masking_m = ADM_NAME(adm_masking)(weighted_m, c);
                MY_AT(next_weighted, c) = weighted_r;
                MY_AT(next_weighted, c + 3) = weighted_m;
                near_sum_r += (u32)ADM_NAME(adm_near)(masking_r);
                near_sum_m += (u32)ADM_NAME(adm_near)(masking_m);
                mid_sum_r += (u32)ADM_NAME(adm_mid)(masking_r);
                mid_sum_m += (u32)ADM_NAME(adm_mid)(masking_m);
            }
            near_r[lane + 1] = MY_AT(old_r, 1) + MY_AT(old_r, 0) + near_sum_r;
            near_m[lane + 1] = MY_AT(old_m, 1) + MY_AT(old_m, 0) + near_sum_m;
            MY_AT(old_r, 1) = MY_AT(old_r, 0);
            MY_AT(old_m, 1) = MY_AT(old_m, 0);
            MY_AT(old_r, 0) = near_sum_r;
            MY_AT(old_m, 0) = near_sum_m;
            MY_AT(next_centre, 0) = mid_sum_r - near_sum_r;
            MY_AT(next_centre, 1) = mid_sum_m - near_sum_m;
        }
        ONCE {
            if (t.at_left) {
                near_r[t.lead] = near_r[t.lead + 2];
                near_m[t.lead] = near_m[t.lead + 2];
            }
            if (t.at_right) {
                near_r[t.lead + t.count + 1] = near_r[t.lead + t.count];
                near_m[t.lead + t.count + 1] = near_m[t.lead + t.count];
            }
        }
        if (y > top) {
            GLOBAL_IN(ADM_BAND) done = bands + (u64)((u32)(y - 1) - v.y0) * v.stride + t.origin;
            FIRST(lane, t.lanes) {
                const u64 counted = (u32)lane - t.lead < t.count ? ~(u64)0 : 0;
                /* Each part is masked by the other: m masks r. */
                const u32 threshold_r = near_m[lane] + near_m[lane + 1] + near_m[lane + 2] + MY_AT(centre, 1);
                const u32 threshold_m = near_r[lane] + near_r[lane + 1] + near_r[lane + 2] + MY_AT(centre, 0);
                UNROLL(3)
                for (int c = 0; c < 3; c++) {
                    const u32 shift = c == 2 ? v.shift_d : v.shift_hv;
                    terms[c * LANES + lane] = ADM_NAME(adm_energy)(done[c * p + lane], v) & counted;
                    terms[(c + 3) * LANES + lane] =
                        ADM_NAME(adm_term)(MY_AT(weighted, c), threshold_r, c, shift) & counted;
                    terms[(c + 6) * LANES + lane] =
                        ADM_NAME(adm_term)(MY_AT(weighted, c + 3), threshold_m, c, shift) & counted;
                }
                ADM_KEEP_ROW
            }
            FIRST(lane, 64) {
                UNROLL(ADM_SUMS)
                for (int c = 0; c < ADM_SUMS; c++)
                    terms[c * LANES + lane] += terms[c * LANES + 64 + lane] + terms[c * LANES + 128 + lane] +
                                               terms[c * LANES + 192 + lane];
            }
            FIRST(lane, 8) {
                UNROLL(ADM_SUMS)
                for (int c = 0; c < ADM_SUMS; c++) {
                    u64 sum = 0;
                    UNROLL(8)
                    for (int i = 0; i < 64; i += 8)
                        sum += terms[c * LANES + i + lane];
                    terms[c * LANES + lane] = sum;
                }
            }
            FIRST(lane, 2) {
                UNROLL(ADM_SUMS)
                for (int c = 0; c < ADM_SUMS; c++)
                    terms[c * LANES + lane] += terms[c * LANES + 2 + lane] + terms[c * LANES + 4 + lane] +
                                               terms[c * LANES + 6 + lane];
            }
            GLOBAL_OUT(u64) row = sums + ((u64)((u32)(y - 1) - v.counted.y0) * v.groups + GROUP_X) * ADM_SUMS;
            ONCE {
                for (int c = 0; c < ADM_SUMS; c++)
                    row[c] = terms[c * LANES] + terms[c * LANES + 1];
            }
        } else {
            EACH_FIRST(lane, t.lanes) {
                ADM_KEEP_ROW
            }
        }
    }
END_KERNEL

#undef ADM_KEEP_ROW
#undef ADM_BAND
#undef ADM_NAME
