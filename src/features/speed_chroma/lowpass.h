/* Conversion, low-pass filter and decimation (spec: 4.1, 4.2, 4.5). */
#ifndef TY_SPEED_LOWPASS_H
#define TY_SPEED_LOWPASS_H

/* One reflection at either border, without repeating its sample. */
FUNCTION(i32) speed_reflect(i32 i, i32 count) {
    const i32 low = i < 0 ? -i : i;
    return low >= count ? 2 * count - 2 - low : low;
}

/* The outputs of a group, and the columns of the plane that they are made of. Reflected columns are among
 * them: at the right a decimated column has 15 more behind it, so those stay right of 16x - reach. */
typedef struct speed_tile {
    u32 first, outputs;
    u32 left, columns;
} speed_tile;

FUNCTION(speed_tile) speed_tile_of(u32 group, const speed_lowpass_shape shape) {
    speed_tile t;
    const u32 reach = shape.taps / 2;
    t.first = group * SPEED_LOWPASS_OUTPUTS;
    t.outputs = shape.low_width - t.first < SPEED_LOWPASS_OUTPUTS ? shape.low_width - t.first
                                                                  : SPEED_LOWPASS_OUTPUTS;
    const u32 middle = t.first * SPEED_DECIMATION;
    const u32 last = (t.first + t.outputs - 1) * SPEED_DECIMATION + reach;
    t.left = middle > reach ? middle - reach : 0;
    t.columns = (last < shape.width ? last + 1 : shape.width) - t.left;
    return t;
}

/* Columns behind the tile that the plane still has are computed too, so that all lanes have something to
 * do. */
FUNCTION(u32) speed_lanes(u32 columns, u32 lanes) { return columns < lanes ? columns : lanes; }

/* The row of the plane under tap k of decimated row y. */
FUNCTION(u32) speed_row_under(u32 y, u32 k, const speed_lowpass_shape shape) {
    return (u32)speed_reflect((i32)(y * SPEED_DECIMATION + k) - (i32)(shape.taps / 2), (i32)shape.height);
}

/* The column of the tile under tap k of output x. */
FUNCTION(u32) speed_column_under(u32 x, u32 k, speed_tile t, const speed_lowpass_shape shape) {
    const i32 column = (i32)((t.first + x) * SPEED_DECIMATION + k) - (i32)(shape.taps / 2);
    return (u32)speed_reflect(column, (i32)shape.width) - t.left;
}

/* Samples less 128 on the scale of 8 bits, and differences of samples, in steps of 2^(8 - depth). Exact, and
 * so is multiplying by that step: it may multiply the tap in place of the sample. */
FUNCTION(f32) speed_sample(SAMPLE sample, i32 grey) { return (f32)((i32)sample - grey); }
FUNCTION(f32) speed_difference(SAMPLE minuend, SAMPLE subtrahend) {
    return (f32)((i32)minuend - (i32)subtrahend);
}

/* How both low-pass kernels end: every sixteenth column of the sums of rows, weighted again. */
#define SPEED_LOWPASS_ROW                                                                                    \
    BARRIER;                                                                                                 \
    EACH(lane) MY(sum) = 0.0f;                                                                               \
    for (u32 k = 0; k < shape.taps; k++) {                                                                   \
        const f32 tap = taps[k];                                                                             \
        EACH_FIRST(lane, tile.outputs) MY(sum) =                                                             \
            MY(sum) + tap * columns[speed_column_under((u32)lane, k, tile, shape)];                          \
    }                                                                                                        \
    EACH_FIRST(lane, tile.outputs) out[lane] = MY(sum);

/* A lane is a column of the tile, then an output. */
KERNEL6(speed_lowpass, SPEED_LOWPASS_LANES, IN(SAMPLE, plane0), IN(SAMPLE, plane1), IN(SAMPLE, plane2),
        IN(SAMPLE, plane3), IN(f32, taps), OUT(f32, low_out), speed_lowpass_shape, shape)
    SHARED(f32, columns, SPEED_LOWPASS_COLUMNS);
    PRIVATE(f32, sum);
    const u32 side = GROUP_Y / shape.low_height, y = GROUP_Y % shape.low_height;
    const speed_tile tile = speed_tile_of(GROUP_X, shape);
    const u32 first = shape.difference ? 2 * side : side;
    GLOBAL_IN(SAMPLE) minuend = first == 0 ? plane0 : first == 1 ? plane1 : first == 2 ? plane2 : plane3;
    GLOBAL_IN(SAMPLE) subtrahend = side == 0 ? plane1 : plane3;
    GLOBAL_OUT(f32) out = low_out + (u64)GROUP_Y * shape.pitch + tile.first;

    for (u32 left = 0; left < tile.columns; left += LANES) {
        const u32 count = speed_lanes(shape.width - tile.left - left, LANES);
        EACH(lane) MY(sum) = 0.0f;
        for (u32 k = 0; k < shape.taps; k++) {
            const f32 weight = taps[k] * shape.scale;
            const u64 at = (u64)speed_row_under(y, k, shape) * shape.stride + tile.left + left;
            GLOBAL_IN(SAMPLE) a = minuend + at;
            GLOBAL_IN(SAMPLE) b = subtrahend + at;
            if (shape.difference && count == LANES) {
                EACH(lane) MY(sum) = MY(sum) + weight * speed_difference(a[lane], b[lane]);
            } else if (shape.difference) {
                EACH_FIRST(lane, count) MY(sum) = MY(sum) + weight * speed_difference(a[lane], b[lane]);
            } else if (count == LANES) {
                EACH(lane) MY(sum) = MY(sum) + weight * speed_sample(a[lane], shape.grey);
            } else {
                EACH_FIRST(lane, count) MY(sum) = MY(sum) + weight * speed_sample(a[lane], shape.grey);
            }
        }
        EACH(lane) (columns + left)[lane] = MY(sum);
    }
    SPEED_LOWPASS_ROW
END_KERNEL

#endif
