/* float_vif: visual information fidelity of luma, row by row (spec: float_vif.md). */
#define KERNEL_USES_F64 /* where the target has it: exact/one_plus_ratio.h */
#include "kernel/kernel.h"

#include "exact/one_plus_ratio.h"
#include "features/float_vif/stages.h"

/* Mirrors without repeating the border sample. Indices further outside belong to no sample of the picture,
 * and are only kept inside of it. */
FUNCTION(u32) float_vif_mirror(i32 i, u32 size) {
    const i32 last = (i32)size - 1;
    const i32 low = i < 0 ? -i : i;
    const i32 high = low > last ? 2 * last - low : low;
    return (u32)(high < 0 ? 0 : high);
}

FUNCTION(f32) float_vif_sample(u32 sample, f32 scale) { return (f32)sample * scale - 128.0f; }

/* ---- Statistics of a scale --------------------------------------------------------------------------- */

/* What a sample adds to the sums of its scale. */
typedef struct float_vif_terms {
    f32 n, m;
} float_vif_terms;

/* log2 of x >= 1, by a polynomial in the mantissa. */
FUNCTION(f32) float_vif_log2(f32 x) {
    const u32 bits = f32_bits(x);
    const f32 e = (f32)((i32)(bits >> 23) - 127);
    const f32 m = f32_of_bits((bits & 0x7fffffu) | 0x3f800000u) - 1.0f;
    f32 p = -0x1.9f3962p-7f;
    p = p * m + 0x1.0996e8p-4f;
    p = p * m + -0x1.41a2d2p-3f;
    p = p * m + 0x1.0756fap-2f;
    p = p * m + -0x1.6a4ab2p-2f;
    p = p * m + 0x1.eba792p-2f;
    p = p * m + -0x1.71501cp-1f;
    p = p * m + 0x1.715472p+0f;
    return e + p * m;
}

/* Choices by masks: compilers make jumps of a chain of conditions, and loops with jumps do not become
 * vectors. */
FUNCTION(u32) float_vif_mask(i32 condition) { return 0u - (u32)condition; }
FUNCTION(f32) float_vif_where(u32 mask, f32 yes, f32 no) {
    return f32_of_bits((f32_bits(yes) & mask) | (f32_bits(no) & ~mask));
}

#define FLOAT_VIF_EPSILON 0x1.b7cdfep-34f

/* From the local means, mean squares and mean product of the two pictures. */
FUNCTION(float_vif_terms) float_vif_terms_of(f32 mean_r, f32 mean_d, f32 square_r, f32 square_d, f32 product,
                                             float_vif_statistics s) {
    const f32 v1 = square_r - mean_r * mean_r;
    const f32 v2 = square_d - mean_d * mean_d;
    const f32 covariance = product - mean_r * mean_d;
    const f32 variance_r = float_vif_where(float_vif_mask(v1 > 0.0f), v1, 0.0f);
    const f32 variance_d = float_vif_where(float_vif_mask(v2 > 0.0f), v2, 0.0f);
    const f32 slope = covariance / (variance_r + FLOAT_VIF_EPSILON);
    const f32 rest = variance_d - slope * covariance;

    const u32 has_signal = float_vif_mask(variance_r >= FLOAT_VIF_EPSILON);
    const u32 has_picture = float_vif_mask(variance_d >= FLOAT_VIF_EPSILON);
    const u32 upright = float_vif_mask(slope >= 0.0f);
    const f32 gain = float_vif_where(has_signal & has_picture & upright, slope, 0.0f);
    const f32 unexplained = float_vif_where(has_signal & upright, rest, variance_d);
    const f32 noise = float_vif_where(has_picture, unexplained, 0.0f);
    const f32 signal = float_vif_where(has_signal, variance_r, 0.0f);
    const f32 floored = float_vif_where(float_vif_mask(noise > FLOAT_VIF_EPSILON), noise, FLOAT_VIF_EPSILON);
    const f32 limited = float_vif_where(float_vif_mask(gain < s.gain_limit), gain, s.gain_limit);

    const f32 seen = float_vif_log2(EXACT_ONE_PLUS_RATIO((limited * limited) * signal, floored, s.noise));
    const f32 there = float_vif_log2(EXACT_ONE_PLUS_RATIO(signal, s.no_divisor, s.noise));
    /* Without noise the ratio is infinite, or not a number where there is no signal; this is what the
     * polynomial made of them where its values come from. */
    const f32 endless = float_vif_where(has_signal, 128.0f, 0x1.012b8p+7f);
    const u32 flat = float_vif_mask(signal < s.threshold);
    float_vif_terms terms;
    terms.n = float_vif_where(flat, 1.0f - variance_d * s.flat_loss,
                              float_vif_where(float_vif_mask(covariance < 0.0f), 0.0f, seen));
    terms.m = float_vif_where(flat, 1.0f, float_vif_where(s.noiseless, endless, there));
    return terms;
}

/* Means, mean squares and mean product: five planes of vertically filtered rows. */
#define FLOAT_VIF_PLANES 5
#define FLOAT_VIF_LINES (FLOAT_VIF_PLANES * FLOAT_VIF_ROWS)
#define FLOAT_VIF_PITCH (FLOAT_VIF_LANES + FLOAT_VIF_REACH)
#define FLOAT_VIF_TERMS_PITCH (FLOAT_VIF_LANES + SHARED_PAD)

#define FLOAT_VIF_LOAD(value_r, value_d)                                                                 \
    EACH(lane) {                                                                                         \
        MY_AT(r, j) = value_r;                                                                           \
        MY_AT(d, j) = value_d;                                                                           \
    }

/* The next four rows of a tile's columns. */
#define FLOAT_VIF_LOAD_ROWS                                                                              \
    UNROLL(4)                                                                                            \
    for (u32 j = 0; j < FLOAT_VIF_STEP; j++) {                                                           \
        const u64 row = (u64)float_vif_mirror(top + (i32)(first + j), source.height) * source.stride;    \
        if (source.from_samples) {                                                                       \
            GLOBAL_IN(SAMPLE) row_r = reference + row;                                                   \
            GLOBAL_IN(SAMPLE) row_d = distorted + row;                                                   \
            if (inside)                                                                                  \
                FLOAT_VIF_LOAD(float_vif_sample(row_r[left + lane], source.scale),                       \
                               float_vif_sample(row_d[left + lane], source.scale))                       \
            else                                                                                         \
                FLOAT_VIF_LOAD(float_vif_sample(row_r[MY(column)], source.scale),                        \
                               float_vif_sample(row_d[MY(column)], source.scale))                        \
        } else {                                                                                         \
            GLOBAL_IN(f32) row_r = plane_r + row;                                                        \
            GLOBAL_IN(f32) row_d = plane_d + row;                                                        \
            if (inside)                                                                                  \
                FLOAT_VIF_LOAD(row_r[left + lane], row_d[left + lane])                                   \
            else                                                                                         \
                FLOAT_VIF_LOAD(row_r[MY(column)], row_d[MY(column)])                                     \
        }                                                                                                \
    }

/* Row i of the group gains a tap; at its first one it starts from 0. */
#define FLOAT_VIF_ADD(plane, starts, value)                                                              \
    MY_AT(v, (plane) * FLOAT_VIF_ROWS + i) =                                                             \
        (starts ? 0.0f : MY_AT(v, (plane) * FLOAT_VIF_ROWS + i)) + w * (value)

/* Adds what these rows contribute to the rows of the group, each tap where `taken`. Row j of the step meets
 * row i with weight first + j - i. */
#define FLOAT_VIF_ADD_ROWS(taken, starts)                                                                \
    EACH(lane) {                                                                                         \
        UNROLL(4)                                                                                        \
        for (u32 j = 0; j < FLOAT_VIF_STEP; j++) {                                                       \
            const f32 a = MY_AT(r, j), b = MY_AT(d, j);                                                  \
            const f32 aa = a * a, bb = b * b, ab = a * b;                                                \
            UNROLL(4)                                                                                    \
            for (u32 i = 0; i < FLOAT_VIF_ROWS; i++)                                                     \
                if (taken) {                                                                             \
                    const f32 w = weights[first + j - i];                                                \
                    FLOAT_VIF_ADD(0, starts, a);                                                         \
                    FLOAT_VIF_ADD(1, starts, b);                                                         \
                    FLOAT_VIF_ADD(2, starts, aa);                                                        \
                    FLOAT_VIF_ADD(3, starts, bb);                                                        \
                    FLOAT_VIF_ADD(4, starts, ab);                                                        \
                }                                                                                        \
        }                                                                                                \
    }

/* Filters a tile's columns from `left` on vertically, into the window's last positions. */
#define FLOAT_VIF_FILTER_COLUMNS                                                                         \
    {                                                                                                    \
        const i32 inside = left >= 0 && left + LANES <= (i32)source.width;                               \
        EACH(lane) MY(column) = float_vif_mirror(left + lane, source.width);                             \
        for (u32 first = 0; first <= reach; first += FLOAT_VIF_STEP) {                                   \
            FLOAT_VIF_LOAD_ROWS                                                                          \
            if (first == 0)                                                                              \
                FLOAT_VIF_ADD_ROWS(j >= i, j == i)                                                       \
            else if (first < reach)                                                                      \
                FLOAT_VIF_ADD_ROWS(1, 0)                                                                 \
            else                                                                                         \
                FLOAT_VIF_ADD_ROWS(j <= i, 0)                                                            \
        }                                                                                                \
        PHASE(lane) {                                                                                    \
            UNROLL(20)                                                                                   \
            for (i32 n = 0; n < FLOAT_VIF_LINES; n++)                                                    \
                filtered[n * FLOAT_VIF_PITCH + lane] = MY_AT(v, n);                                      \
        }                                                                                                \
    }

/* A tap of the horizontal filter, of all five planes; from: the window at the tap's place. */
#define FLOAT_VIF_FIRST_TAP(plane, from, w)                                                              \
    MY_AT(c, plane) = (w) * (from)[(plane) * FLOAT_VIF_ROWS * FLOAT_VIF_PITCH + lane]
#define FLOAT_VIF_NEXT_TAP(plane, from, w)                                                               \
    MY_AT(c, plane) = MY_AT(c, plane) + (w) * (from)[(plane) * FLOAT_VIF_ROWS * FLOAT_VIF_PITCH + lane]
#define FLOAT_VIF_FILTER_ROW(tap, from, w)                                                               \
    {                                                                                                    \
        tap(0, from, w);                                                                                 \
        tap(1, from, w);                                                                                 \
        tap(2, from, w);                                                                                 \
        tap(3, from, w);                                                                                 \
        tap(4, from, w);                                                                                 \
    }

/* The group goes through its rows from left to right. Position p of the window is column x - radius + p of
 * the picture. */
KERNEL6(float_vif_rows, FLOAT_VIF_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted), IN(f32, plane_r),
        IN(f32, plane_d), IN(f32, weights), OUT(f32, sums), float_vif_statistics, s)
    SHARED(f32, window, FLOAT_VIF_LINES * FLOAT_VIF_PITCH);
    SHARED(f32, terms, FLOAT_VIF_SUMS * FLOAT_VIF_TERMS_PITCH);
    SHARED(f32, sum, FLOAT_VIF_SUMS);
    PRIVATE_ARRAY(f32, v, FLOAT_VIF_LINES);
    PRIVATE_ARRAY(f32, r, FLOAT_VIF_STEP);
    PRIVATE_ARRAY(f32, d, FLOAT_VIF_STEP);
    PRIVATE_ARRAY(f32, c, FLOAT_VIF_PLANES);
    PRIVATE(u32, column);
    const float_vif_source source = s.source;
    const u32 reach = s.filter.steps * FLOAT_VIF_STEP;
    const i32 top = (i32)(GROUP_Y * FLOAT_VIF_ROWS) - (i32)s.filter.radius;
    SHARED_PTR(f32) filtered = window + reach;
    i32 left = (i32)reach - (i32)s.filter.radius - LANES;

    FIRST(lane, FLOAT_VIF_SUMS) sum[lane] = 0.0f;
    FLOAT_VIF_FILTER_COLUMNS
    for (u32 x = 0; x < source.width; x += LANES) {
        const u32 columns = source.width - x < LANES ? source.width - x : LANES;
        left += LANES;
        FIRST(lane, reach) {
            UNROLL(20)
            for (i32 n = 0; n < FLOAT_VIF_LINES; n++)
                window[n * FLOAT_VIF_PITCH + lane] = window[n * FLOAT_VIF_PITCH + LANES + lane];
        }
        FLOAT_VIF_FILTER_COLUMNS
        for (u32 i = 0; i < FLOAT_VIF_ROWS; i++) {
            SHARED_PTR(f32) row = window + i * FLOAT_VIF_PITCH;
            SHARED_PTR(f32) of_row = terms + i * FLOAT_VIF_TERMS_PITCH;
            EACH(lane) FLOAT_VIF_FILTER_ROW(FLOAT_VIF_FIRST_TAP, row, weights[0])
            for (u32 k = 1; k <= reach; k += FLOAT_VIF_STEP) {
                SHARED_PTR(f32) at = row + k;
                GLOBAL_IN(f32) taps = weights + k;
                EACH(lane) {
                    FLOAT_VIF_FILTER_ROW(FLOAT_VIF_NEXT_TAP, at, taps[0])
                    FLOAT_VIF_FILTER_ROW(FLOAT_VIF_NEXT_TAP, at + 1, taps[1])
                    FLOAT_VIF_FILTER_ROW(FLOAT_VIF_NEXT_TAP, at + 2, taps[2])
                    FLOAT_VIF_FILTER_ROW(FLOAT_VIF_NEXT_TAP, at + 3, taps[3])
                }
            }
            EACH(lane) {
                const float_vif_terms of =
                    float_vif_terms_of(MY_AT(c, 0), MY_AT(c, 1), MY_AT(c, 2), MY_AT(c, 3), MY_AT(c, 4), s);
                of_row[lane] = of.n;
                of_row[FLOAT_VIF_ROWS * FLOAT_VIF_TERMS_PITCH + lane] = of.m;
            }
        }
        BARRIER;
        /* One lane for N and one for M: four chains each, which need not wait for one another. */
        FIRST(lane, 2) {
            SHARED_PTR(f32) of = terms + lane * FLOAT_VIF_ROWS * FLOAT_VIF_TERMS_PITCH;
            SHARED_PTR(f32) total = sum + lane * FLOAT_VIF_ROWS;
            f32 row0 = total[0], row1 = total[1], row2 = total[2], row3 = total[3];
            for (u32 k = 0; k < columns; k++) {
                row0 = row0 + of[k];
                row1 = row1 + of[FLOAT_VIF_TERMS_PITCH + k];
                row2 = row2 + of[2 * FLOAT_VIF_TERMS_PITCH + k];
                row3 = row3 + of[3 * FLOAT_VIF_TERMS_PITCH + k];
            }
            total[0] = row0;
            total[1] = row1;
            total[2] = row2;
            total[3] = row3;
        }
    }
    FIRST(lane, FLOAT_VIF_SUMS) sums[GROUP_Y * FLOAT_VIF_SUMS + lane] = sum[lane];
END_KERNEL

/* ---- The next scale ---------------------------------------------------------------------------------- */

#define FLOAT_VIF_HALVING_WIDTH (2 * FLOAT_VIF_LANES)
#define FLOAT_VIF_HALVING_PITCH (3 * FLOAT_VIF_LANES)

/* Adds four taps of one row; p0 to p3: its four source rows. */
#define FLOAT_VIF_ADD_TAPS(value)                                                                        \
    EACH(lane) {                                                                                         \
        MY(v) = MY(v) + weights[k] * value(p0);                                                          \
        MY(v) = MY(v) + weights[k + 1] * value(p1);                                                      \
        MY(v) = MY(v) + weights[k + 2] * value(p2);                                                      \
        MY(v) = MY(v) + weights[k + 3] * value(p3);                                                      \
    }

#define FLOAT_VIF_SAMPLE_INSIDE(row) float_vif_sample(picture[row + left + lane], source.scale)
#define FLOAT_VIF_SAMPLE_EDGE(row) float_vif_sample(picture[row + MY(column)], source.scale)
#define FLOAT_VIF_PLANE_INSIDE(row) plane[row + left + lane]
#define FLOAT_VIF_PLANE_EDGE(row) plane[row + MY(column)]
#define FLOAT_VIF_SOURCE_ROW(t) ((u64)float_vif_mirror(top + (i32)(k + t), source.height) * source.stride)

KERNEL4(float_vif_halve, FLOAT_VIF_LANES, IN(SAMPLE, picture), IN(f32, plane), IN(f32, weights),
        OUT(f32, smaller), float_vif_halving, h)
    SHARED(f32, window, FLOAT_VIF_ROWS * FLOAT_VIF_HALVING_PITCH);
    PRIVATE(f32, v);
    PRIVATE(u32, column);
    const float_vif_source source = h.source;
    const u32 reach = h.filter.steps * FLOAT_VIF_STEP;
    const u32 x = GROUP_X * LANES;
    const u32 columns = h.width - x < LANES ? h.width - x : LANES;
    const u32 y = GROUP_Y * FLOAT_VIF_ROWS;

    for (u32 position = 0; position < FLOAT_VIF_HALVING_WIDTH + reach; position += LANES) {
        const i32 left = (i32)(2 * x + position) - (i32)h.filter.radius;
        const i32 inside = left >= 0 && left + LANES <= (i32)source.width;
        EACH(lane) MY(column) = float_vif_mirror(left + lane, source.width);
        for (u32 i = 0; i < FLOAT_VIF_ROWS; i++) {
            const i32 top = (i32)(2 * (y + i)) - (i32)h.filter.radius;
            EACH(lane) MY(v) = 0.0f;
            for (u32 k = 0; k <= reach; k += FLOAT_VIF_STEP) {
                const u64 p0 = FLOAT_VIF_SOURCE_ROW(0), p1 = FLOAT_VIF_SOURCE_ROW(1);
                const u64 p2 = FLOAT_VIF_SOURCE_ROW(2), p3 = FLOAT_VIF_SOURCE_ROW(3);
                if (source.from_samples && inside)
                    FLOAT_VIF_ADD_TAPS(FLOAT_VIF_SAMPLE_INSIDE)
                else if (source.from_samples)
                    FLOAT_VIF_ADD_TAPS(FLOAT_VIF_SAMPLE_EDGE)
                else if (inside)
                    FLOAT_VIF_ADD_TAPS(FLOAT_VIF_PLANE_INSIDE)
                else
                    FLOAT_VIF_ADD_TAPS(FLOAT_VIF_PLANE_EDGE)
            }
            SHARED_PTR(f32) filtered = window + i * FLOAT_VIF_HALVING_PITCH + position;
            EACH(lane) filtered[lane] = MY(v);
        }
    }
    BARRIER;
    for (u32 i = 0; i < FLOAT_VIF_ROWS && y + i < h.height; i++) {
        SHARED_PTR(f32) row = window + i * FLOAT_VIF_HALVING_PITCH;
        GLOBAL_OUT(f32) out = smaller + (u64)(y + i) * h.width + x;
        EACH(lane) MY(v) = weights[0] * row[2 * lane];
        for (u32 k = 1; k <= reach; k += FLOAT_VIF_STEP) {
            SHARED_PTR(f32) at = row + k;
            GLOBAL_IN(f32) taps = weights + k;
            EACH(lane) {
                UNROLL(4)
                for (i32 t = 0; t < FLOAT_VIF_STEP; t++)
                    MY(v) = MY(v) + taps[t] * at[2 * lane + t];
            }
        }
        FIRST(lane, columns) out[lane] = MY(v);
    }
END_KERNEL

/* ---- Resampling before everything -------------------------------------------------------------------- */

KERNEL8(float_vif_resample, FLOAT_VIF_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted), IN(u32, columns),
        IN(f32, column_weights), IN(u32, rows), IN(f32, row_weights), OUT(f32, plane_r), OUT(f32, plane_d),
        float_vif_resampling, p)
    PRIVATE(u32, x);
    PRIVATE(f32, r);
    PRIVATE(f32, d);
    PRIVATE(f32, sum);
    const u32 first = GROUP_X * LANES;
    const u32 count = p.width - first < LANES ? p.width - first : LANES;
    GLOBAL_OUT(f32) out_r = plane_r + (u64)GROUP_Y * p.width + first;
    GLOBAL_OUT(f32) out_d = plane_d + (u64)GROUP_Y * p.width + first;

    EACH(lane) {
        MY(x) = first + ((u32)lane < count ? (u32)lane : count - 1);
        MY(r) = 0.0f;
        MY(d) = 0.0f;
        MY(sum) = 0.0f;
    }
    for (u32 j = 0; j < p.taps; j++) {
        GLOBAL_IN(SAMPLE) row_r = reference + (u64)rows[GROUP_Y * p.taps + j] * p.source.stride;
        GLOBAL_IN(SAMPLE) row_d = distorted + (u64)rows[GROUP_Y * p.taps + j] * p.source.stride;
        const f32 row_weight = row_weights[GROUP_Y * p.taps + j];
        for (u32 i = 0; i < p.taps; i++)
            EACH(lane) {
                const u32 at = columns[i * p.width + MY(x)];
                const f32 w = column_weights[i * p.width + MY(x)] * row_weight;
                MY(sum) = MY(sum) + w;
                MY(r) = MY(r) + float_vif_sample(row_r[at], p.source.scale) * w;
                MY(d) = MY(d) + float_vif_sample(row_d[at], p.source.scale) * w;
            }
    }
    if (p.divided)
        EACH(lane) {
            MY(r) = MY(r) / MY(sum);
            MY(d) = MY(d) / MY(sum);
        }
    FIRST(lane, count) {
        out_r[lane] = MY(r);
        out_d[lane] = MY(d);
    }
END_KERNEL

KERNEL_LIST(float_vif,
            KERNEL_ENTRY(float_vif_rows) KERNEL_ENTRY(float_vif_halve) KERNEL_ENTRY(float_vif_resample))
