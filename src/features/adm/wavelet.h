/* adm: the wavelet (spec 4.2), vertical into SHARED memory, then horizontal. A group makes ADM_WAVELET_LANES columns of a
 * few rows of all four bands of both pictures.
 *
 * Sums are formed modulo 2^32 or 2^64 and shifted as unsigned numbers: every result fits its signed type, so the low bits
 * are the arithmetic shift's. */

#define ADM_INPUT_COLUMNS (2 * ADM_WAVELET_LANES + 32)

FUNCTION(u32) adm_low(u32 a, u32 b, u32 c, u32 d) { return 15826 * a + 27411 * b + 7345 * c - 4240 * d; }
FUNCTION(u32) adm_high(u32 a, u32 b, u32 c, u32 d) { return 27411 * c - 4240 * a - 7345 * b - 15826 * d; }

FUNCTION(u64) adm_low_wide(i32 a, i32 b, i32 c, i32 d) {
    return (u64)((i64)a * 15826 + (i64)b * 27411 + (i64)c * 7345 - (i64)d * 4240);
}
FUNCTION(u64) adm_high_wide(i32 a, i32 b, i32 c, i32 d) {
    return (u64)((i64)c * 27411 - (i64)a * 4240 - (i64)b * 7345 - (i64)d * 15826);
}

/* (sum + half) >> shift. */
FUNCTION(i32) adm_scaled(u32 sum, u32 shift) { return (i32)(sum + ((1u << shift) >> 1)) >> shift; }
FUNCTION(i32) adm_scaled_wide(u64 sum, u32 shift) { return (i32)(u32)((sum + (((u64)1 << shift) >> 1)) >> shift); }

/* Input row or column of tap k of output i: mirrored about the first sample, and behind the last one. */
FUNCTION(u32) adm_tap(u32 i, u32 k, u32 size) {
    const i32 at = (i32)(2 * i + k) - 1;
    return at < 0 ? 1 : (u32)at < size ? (u32)at : 2 * size - 1 - (u32)at;
}

/* What a row of a group reads. Column `first` of the input goes to place `place` of the intermediate rows. */
typedef struct adm_span {
    u32 outputs; /* computed columns: a multiple of 32, the last of which may lie outside of the band */
    u32 first, count, place;
    u32 mirror_left, mirror_right; /* whether the places before and behind must be filled */
} adm_span;

FUNCTION(adm_span) adm_find_span(adm_wavelet v, u32 group) {
    adm_span s;
    const u32 left = v.window.x0 + group * ADM_WAVELET_LANES;
    const u32 wanted = adm_least(v.window.x1 - left, ADM_WAVELET_LANES);
    const u32 last = 2 * (left + wanted) + 1;
    s.outputs = adm_round_up(wanted);
    s.place = left == 0;
    s.first = left == 0 ? 0 : 2 * left - 1;
    s.mirror_left = s.place;
    s.mirror_right = last > v.in_width;
    s.count = (s.mirror_right ? v.in_width : last) - s.first;
    if (s.first + adm_round_up(s.count) <= v.in_width)
        s.count = adm_round_up(s.count);
    return s;
}

/* Fills the places outside of the input's columns. The right border needs at most two. */
FUNCTION(void) adm_mirror(adm_span s, SHARED_PTR(i32) row) {
    if (s.mirror_left)
        row[0] = row[2];
    if (s.mirror_right) {
        const u32 end = s.place + s.count;
        row[end] = row[end - 1];
        row[end + 1] = row[end - 2];
    }
}

/* Spec 4.2, narrow rule: what lies before the first column of a row of `width` samples. */
FUNCTION(void) adm_narrow(u32 width, SHARED_PTR(i32) rl, SHARED_PTR(i32) rh, SHARED_PTR(i32) dl, SHARED_PTR(i32) dh) {
    rl[0] = 0;
    rh[0] = rl[width];
    dl[0] = rh[width];
    dh[0] = dl[width];
}

#define ADM_TAPS(row) row[2 * lane], row[2 * lane + 1], row[2 * lane + 2], row[2 * lane + 3]

KERNEL4(adm_wavelet_picture, ADM_WAVELET_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted), OUT(i32, low),
        OUT(i16, bands), adm_wavelet, v)
    SHARED(i32, rl, ADM_INPUT_COLUMNS);
    SHARED(i32, rh, ADM_INPUT_COLUMNS);
    SHARED(i32, dl, ADM_INPUT_COLUMNS);
    SHARED(i32, dh, ADM_INPUT_COLUMNS);
    const adm_span s = adm_find_span(v, GROUP_X);
    const u32 top = v.window.y0 + GROUP_Y * ADM_WAVELET_ROWS;
    const u32 bottom = adm_least(top + ADM_WAVELET_ROWS, v.window.y1);
    const u32 bias = 46342u << (v.vertical_shift - 1);

    for (u32 c = 0; c < ADM_INPUT_COLUMNS; c += 32)
        FIRST(lane, 32) {
            rl[c + lane] = 0;
            rh[c + lane] = 0;
            dl[c + lane] = 0;
            dh[c + lane] = 0;
        }
    for (u32 y = top; y < bottom; y++) {
        const u32 row0 = adm_tap(y, 0, v.in_height), row1 = adm_tap(y, 1, v.in_height);
        const u32 row2 = adm_tap(y, 2, v.in_height), row3 = adm_tap(y, 3, v.in_height);
        for (u32 c = 0; c < s.count; c += LANES) {
            GLOBAL_IN(SAMPLE) r0 = reference + (u64)row0 * v.in_stride + s.first + c;
            GLOBAL_IN(SAMPLE) r1 = reference + (u64)row1 * v.in_stride + s.first + c;
            GLOBAL_IN(SAMPLE) r2 = reference + (u64)row2 * v.in_stride + s.first + c;
            GLOBAL_IN(SAMPLE) r3 = reference + (u64)row3 * v.in_stride + s.first + c;
            GLOBAL_IN(SAMPLE) d0 = distorted + (u64)row0 * v.in_stride + s.first + c;
            GLOBAL_IN(SAMPLE) d1 = distorted + (u64)row1 * v.in_stride + s.first + c;
            GLOBAL_IN(SAMPLE) d2 = distorted + (u64)row2 * v.in_stride + s.first + c;
            GLOBAL_IN(SAMPLE) d3 = distorted + (u64)row3 * v.in_stride + s.first + c;
            SHARED_PTR(i32) at_rl = rl + s.place + c;
            SHARED_PTR(i32) at_rh = rh + s.place + c;
            SHARED_PTR(i32) at_dl = dl + s.place + c;
            SHARED_PTR(i32) at_dh = dh + s.place + c;
            FIRST(lane, adm_least(s.count - c, LANES)) {
                at_rl[lane] = adm_scaled(adm_low(r0[lane], r1[lane], r2[lane], r3[lane]) - bias, v.vertical_shift);
                at_rh[lane] = adm_scaled(adm_high(r0[lane], r1[lane], r2[lane], r3[lane]), v.vertical_shift);
                at_dl[lane] = adm_scaled(adm_low(d0[lane], d1[lane], d2[lane], d3[lane]) - bias, v.vertical_shift);
                at_dh[lane] = adm_scaled(adm_high(d0[lane], d1[lane], d2[lane], d3[lane]), v.vertical_shift);
            }
        }
        ONCE {
            adm_mirror(s, rl);
            adm_mirror(s, rh);
            adm_mirror(s, dl);
            adm_mirror(s, dh);
        }
        const u64 at = (u64)(y - v.window.y0) * v.stride + GROUP_X * LANES;
        GLOBAL_OUT(i32) a = low + at;
        GLOBAL_OUT(i16) band = bands + at;
        const u64 p = v.plane;
        FIRST(lane, s.outputs) {
            a[lane] = adm_scaled(adm_low(ADM_TAPS(rl)), 16);
            a[p + lane] = adm_scaled(adm_low(ADM_TAPS(dl)), 16);
            band[lane] = (i16)adm_scaled(adm_low(ADM_TAPS(rh)), 16);
            band[p + lane] = (i16)adm_scaled(adm_high(ADM_TAPS(rl)), 16);
            band[2 * p + lane] = (i16)adm_scaled(adm_high(ADM_TAPS(rh)), 16);
            band[3 * p + lane] = (i16)adm_scaled(adm_low(ADM_TAPS(dh)), 16);
            band[4 * p + lane] = (i16)adm_scaled(adm_high(ADM_TAPS(dl)), 16);
            band[5 * p + lane] = (i16)adm_scaled(adm_high(ADM_TAPS(dh)), 16);
        }
    }
END_KERNEL

KERNEL3(adm_wavelet_band, ADM_WAVELET_LANES, IN(i32, input), OUT(i32, low), OUT(i32, bands), adm_wavelet, v)
    SHARED(i32, rl, ADM_INPUT_COLUMNS);
    SHARED(i32, rh, ADM_INPUT_COLUMNS);
    SHARED(i32, dl, ADM_INPUT_COLUMNS);
    SHARED(i32, dh, ADM_INPUT_COLUMNS);
    const adm_span s = adm_find_span(v, GROUP_X);
    const u32 top = v.window.y0 + GROUP_Y * ADM_WAVELET_ROWS;
    const u32 bottom = adm_least(top + ADM_WAVELET_ROWS, v.window.y1);

    for (u32 c = 0; c < ADM_INPUT_COLUMNS; c += 32)
        FIRST(lane, 32) {
            rl[c + lane] = 0;
            rh[c + lane] = 0;
            dl[c + lane] = 0;
            dh[c + lane] = 0;
        }
    for (u32 y = top; y < bottom; y++) {
        const u32 row0 = adm_tap(y, 0, v.in_height) - v.in_y0, row1 = adm_tap(y, 1, v.in_height) - v.in_y0;
        const u32 row2 = adm_tap(y, 2, v.in_height) - v.in_y0, row3 = adm_tap(y, 3, v.in_height) - v.in_y0;
        for (u32 c = 0; c < s.count; c += LANES) {
            GLOBAL_IN(i32) r0 = input + (u64)row0 * v.in_stride + (s.first - v.in_x0) + c;
            GLOBAL_IN(i32) r1 = input + (u64)row1 * v.in_stride + (s.first - v.in_x0) + c;
            GLOBAL_IN(i32) r2 = input + (u64)row2 * v.in_stride + (s.first - v.in_x0) + c;
            GLOBAL_IN(i32) r3 = input + (u64)row3 * v.in_stride + (s.first - v.in_x0) + c;
            GLOBAL_IN(i32) d0 = r0 + v.in_plane;
            GLOBAL_IN(i32) d1 = r1 + v.in_plane;
            GLOBAL_IN(i32) d2 = r2 + v.in_plane;
            GLOBAL_IN(i32) d3 = r3 + v.in_plane;
            SHARED_PTR(i32) at_rl = rl + s.place + c;
            SHARED_PTR(i32) at_rh = rh + s.place + c;
            SHARED_PTR(i32) at_dl = dl + s.place + c;
            SHARED_PTR(i32) at_dh = dh + s.place + c;
            FIRST(lane, adm_least(s.count - c, LANES)) {
                at_rl[lane] = adm_scaled_wide(adm_low_wide(r0[lane], r1[lane], r2[lane], r3[lane]), v.vertical_shift);
                at_rh[lane] = adm_scaled_wide(adm_high_wide(r0[lane], r1[lane], r2[lane], r3[lane]), v.vertical_shift);
                at_dl[lane] = adm_scaled_wide(adm_low_wide(d0[lane], d1[lane], d2[lane], d3[lane]), v.vertical_shift);
                at_dh[lane] = adm_scaled_wide(adm_high_wide(d0[lane], d1[lane], d2[lane], d3[lane]), v.vertical_shift);
            }
        }
        ONCE {
            adm_mirror(s, rl);
            adm_mirror(s, rh);
            adm_mirror(s, dl);
            adm_mirror(s, dh);
            if (v.narrow)
                adm_narrow(v.in_width, rl, rh, dl, dh);
        }
        const u64 at = (u64)(y - v.window.y0) * v.stride + GROUP_X * LANES;
        GLOBAL_OUT(i32) a = low + at;
        GLOBAL_OUT(i32) band = bands + at;
        const u64 p = v.plane;
        const u32 shift = v.horizontal_shift;
        FIRST(lane, s.outputs) {
            a[lane] = adm_scaled_wide(adm_low_wide(ADM_TAPS(rl)), shift);
            a[p + lane] = adm_scaled_wide(adm_low_wide(ADM_TAPS(dl)), shift);
            band[lane] = adm_scaled_wide(adm_low_wide(ADM_TAPS(rh)), shift);
            band[p + lane] = adm_scaled_wide(adm_high_wide(ADM_TAPS(rl)), shift);
            band[2 * p + lane] = adm_scaled_wide(adm_high_wide(ADM_TAPS(rh)), shift);
            band[3 * p + lane] = adm_scaled_wide(adm_low_wide(ADM_TAPS(dh)), shift);
            band[4 * p + lane] = adm_scaled_wide(adm_high_wide(ADM_TAPS(dl)), shift);
            band[5 * p + lane] = adm_scaled_wide(adm_high_wide(ADM_TAPS(dh)), shift);
        }
    }
END_KERNEL
