/* float_adm: the wavelet (spec 4.2), vertical into SHARED memory, then horizontal. A group makes FLOAT_ADM_WAVELET_LANES
 * columns of a few rows of all four bands of both pictures.
 *
 * A sum starts with its first product instead of 0: that could only turn a zero's sign, and four products that are all
 * negative zeros would need samples that are negative zeros, which no sum of the levels before gives. */

#define FLOAT_ADM_INPUT_COLUMNS (2 * FLOAT_ADM_WAVELET_LANES + 32)

FUNCTION(f32) float_adm_low(f32 a, f32 b, f32 c, f32 d) {
    return ((0x1.ee8dd4p-2f * a + 0x1.ac4bdep-1f * b) + 0x1.cb0bfp-3f * c) + -0x1.0907dcp-3f * d;
}
FUNCTION(f32) float_adm_high(f32 a, f32 b, f32 c, f32 d) {
    return ((-0x1.0907dcp-3f * a + -0x1.cb0bfp-3f * b) + 0x1.ac4bdep-1f * c) + -0x1.ee8dd4p-2f * d;
}

/* Exact: at most 17 significant bits. */
FUNCTION(f32) float_adm_sample(u32 sample, f32 scale) { return (f32)(i32)sample * scale - 128.0f; }

FUNCTION(u32) float_adm_least(u32 a, u32 b) { return a < b ? a : b; }

/* Input row or column of tap k of output i: mirrored about the first sample, and behind the last one. */
FUNCTION(u32) float_adm_tap(u32 i, u32 k, u32 size) {
    const i32 at = (i32)(2 * i + k) - 1;
    return at < 0 ? 1 : (u32)at < size ? (u32)at : 2 * size - 1 - (u32)at;
}

/* What a row of a group reads. Column `first` of the input goes to place `place` of the intermediate rows. */
typedef struct float_adm_span {
    u32 outputs;
    u32 first, count, place;
    u32 mirror_left, mirror_right; /* whether the places before and behind must be filled */
} float_adm_span;

FUNCTION(float_adm_span) float_adm_find_span(float_adm_wavelet v, u32 group) {
    float_adm_span s;
    const u32 left = v.window.x0 + group * FLOAT_ADM_WAVELET_LANES;
    s.outputs = float_adm_least(v.window.x1 - left, FLOAT_ADM_WAVELET_LANES);
    const u32 last = 2 * (left + s.outputs) + 1;
    s.place = left == 0;
    s.first = left == 0 ? 0 : 2 * left - 1;
    s.mirror_left = s.place;
    s.mirror_right = last > v.in_width;
    s.count = (s.mirror_right ? v.in_width : last) - s.first;
    return s;
}

/* Fills the places outside of the input's columns. The right border needs at most two. */
FUNCTION(void) float_adm_mirror(float_adm_span s, SHARED_PTR(f32) row) {
    if (s.mirror_left)
        row[0] = row[2];
    if (s.mirror_right) {
        const u32 end = s.place + s.count;
        row[end] = row[end - 1];
        row[end + 1] = row[end - 2];
    }
}

/* Row `tap` of the four that output row y is made of, from the span's first column on. */
#define FLOAT_ADM_ROW(input, tap)                                                                                     \
    input + (u64)(float_adm_tap(y, tap, v.in_height) - v.in_y0) * v.in_stride + (s.first - v.in_x0)

/* Both vertical filters over the columns of a span. READ makes a float of an element. */
#define FLOAT_ADM_VERTICAL(T, READ, input, rows_low, rows_high)                                                       \
    for (u32 c = 0; c < s.count; c += LANES) {                                                                        \
        GLOBAL_IN(T) r0 = FLOAT_ADM_ROW(input, 0) + c;                                                                \
        GLOBAL_IN(T) r1 = FLOAT_ADM_ROW(input, 1) + c;                                                                \
        GLOBAL_IN(T) r2 = FLOAT_ADM_ROW(input, 2) + c;                                                                \
        GLOBAL_IN(T) r3 = FLOAT_ADM_ROW(input, 3) + c;                                                                \
        SHARED_PTR(f32) at_low = rows_low + s.place + c;                                                              \
        SHARED_PTR(f32) at_high = rows_high + s.place + c;                                                            \
        EACH_FIRST(lane, float_adm_least(s.count - c, LANES)) {                                                       \
            const f32 f0 = READ(r0[lane]), f1 = READ(r1[lane]), f2 = READ(r2[lane]), f3 = READ(r3[lane]);             \
            at_low[lane] = float_adm_low(f0, f1, f2, f3);                                                             \
            at_high[lane] = float_adm_high(f0, f1, f2, f3);                                                           \
        }                                                                                                             \
    }

/* The horizontal filters of a row of one picture. `a` and `h` are where its bands a and h go. */
#define FLOAT_ADM_TAPS(row) row[2 * lane], row[2 * lane + 1], row[2 * lane + 2], row[2 * lane + 3]
#define FLOAT_ADM_HORIZONTAL(rows_low, rows_high, a, h)                                                               \
    {                                                                                                                 \
        GLOBAL_OUT(f32) to_a = a;                                                                                     \
        GLOBAL_OUT(f32) to_h = h;                                                                                     \
        GLOBAL_OUT(f32) to_v = to_h + v.plane;                                                                        \
        GLOBAL_OUT(f32) to_d = to_v + v.plane;                                                                        \
        EACH_FIRST(lane, s.outputs) {                                                                                 \
            to_a[lane] = float_adm_low(FLOAT_ADM_TAPS(rows_low));                                                     \
            to_h[lane] = float_adm_low(FLOAT_ADM_TAPS(rows_high));                                                    \
            to_v[lane] = float_adm_high(FLOAT_ADM_TAPS(rows_low));                                                    \
            to_d[lane] = float_adm_high(FLOAT_ADM_TAPS(rows_high));                                                   \
        }                                                                                                             \
    }

#define FLOAT_ADM_WAVELET(T, READ, reference, distorted)                                                              \
    SHARED(f32, rl, FLOAT_ADM_INPUT_COLUMNS);                                                                         \
    SHARED(f32, rh, FLOAT_ADM_INPUT_COLUMNS);                                                                         \
    SHARED(f32, dl, FLOAT_ADM_INPUT_COLUMNS);                                                                         \
    SHARED(f32, dh, FLOAT_ADM_INPUT_COLUMNS);                                                                         \
    const float_adm_span s = float_adm_find_span(v, GROUP_X);                                                         \
    const u32 top = v.window.y0 + GROUP_Y * FLOAT_ADM_WAVELET_ROWS;                                                   \
    const u32 bottom = float_adm_least(top + FLOAT_ADM_WAVELET_ROWS, v.window.y1);                                    \
    for (u32 y = top; y < bottom; y++) {                                                                              \
        FLOAT_ADM_VERTICAL(T, READ, (reference), rl, rh)                                                              \
        FLOAT_ADM_VERTICAL(T, READ, (distorted), dl, dh)                                                              \
        BARRIER;                                                                                                      \
        ONCE {                                                                                                        \
            float_adm_mirror(s, rl);                                                                                  \
            float_adm_mirror(s, rh);                                                                                  \
            float_adm_mirror(s, dl);                                                                                  \
            float_adm_mirror(s, dh);                                                                                  \
        }                                                                                                             \
        const u64 at = (u64)(y - v.window.y0) * v.stride + GROUP_X * LANES;                                           \
        FLOAT_ADM_HORIZONTAL(rl, rh, low + at, bands + at)                                                            \
        FLOAT_ADM_HORIZONTAL(dl, dh, low + v.plane + at, bands + 3 * (u64)v.plane + at)                               \
        BARRIER;                                                                                                      \
    }

#define FLOAT_ADM_READ_SAMPLE(sample) float_adm_sample(sample, v.scale)
KERNEL4(float_adm_wavelet_picture, FLOAT_ADM_WAVELET_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted), OUT(f32, low),
        OUT(f32, bands), float_adm_wavelet, v)
    FLOAT_ADM_WAVELET(SAMPLE, FLOAT_ADM_READ_SAMPLE, reference, distorted)
END_KERNEL

#define FLOAT_ADM_READ_FLOAT(element) element
KERNEL3(float_adm_wavelet_band, FLOAT_ADM_WAVELET_LANES, IN(f32, input), OUT(f32, low), OUT(f32, bands),
        float_adm_wavelet, v)
    FLOAT_ADM_WAVELET(f32, FLOAT_ADM_READ_FLOAT, input, input + v.in_plane)
END_KERNEL
