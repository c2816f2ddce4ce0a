/* The low-pass filter over a plane that is prescaled as it goes (spec: 4.3). */
#ifndef TY_SPEED_RESAMPLED_H
#define TY_SPEED_RESAMPLED_H

/* As speed_lowpass. Every method of prescaling is a weighted sum of some samples of some rows: where they lie
 * and their weights are tables, [tap][column] and [tap][row] of the prescaled plane. Where the columns are
 * every other one, no table is asked: neighbours can be loaded as vectors. */
KERNEL10(speed_lowpass_resampled, SPEED_LOWPASS_LANES, IN(SAMPLE, plane0), IN(SAMPLE, plane1),
         IN(SAMPLE, plane2), IN(SAMPLE, plane3), IN(f32, taps), IN(u32, column_places),
         IN(f32, column_weights), IN(u32, row_places), IN(f32, row_weights), OUT(f32, low_out),
         speed_lowpass_shape, shape)
    SHARED(f32, columns, SPEED_LOWPASS_COLUMNS);
    PRIVATE(f32, sum);
    PRIVATE(f32, sample);
    PRIVATE(f32, resampled);
    PRIVATE(f32, weights);
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
            const f32 tap = taps[k];
            const u32 row = speed_row_under(y, k, shape);
            EACH(lane) {
                MY(resampled) = 0.0f;
                MY(weights) = 0.0f;
            }
            for (u32 j = 0; j < shape.resampling_taps; j++) {
                const u64 at = (u64)row_places[j * shape.height + row] * shape.stride;
                const f32 weight = row_weights[j * shape.height + row];
                GLOBAL_IN(SAMPLE) a = minuend + at;
                GLOBAL_IN(SAMPLE) b = subtrahend + at;
                for (u32 i = 0; i < shape.resampling_taps; i++) {
                    const u32 from = tile.left + left;
                    GLOBAL_IN(u32) place = column_places + i * shape.width + from;
                    GLOBAL_IN(f32) weight_x = column_weights + i * shape.width + from;
                    const u32 half_from = shape.halves ? 2 * from + i : 0;
                    GLOBAL_IN(SAMPLE) a2 = a + half_from;
                    GLOBAL_IN(SAMPLE) b2 = b + half_from;
                    if (shape.halves && shape.difference) {
                        EACH_FIRST(lane, count) MY(sample) =
                            speed_difference(a2[2 * lane], b2[2 * lane]) * shape.scale;
                    } else if (shape.halves) {
                        EACH_FIRST(lane, count) MY(sample) =
                            speed_sample(a2[2 * lane], shape.grey) * shape.scale;
                    } else if (shape.difference) {
                        EACH_FIRST(lane, count) MY(sample) =
                            speed_difference(a[place[lane]], b[place[lane]]) * shape.scale;
                    } else {
                        EACH_FIRST(lane, count) MY(sample) =
                            speed_sample(a[place[lane]], shape.grey) * shape.scale;
                    }
                    if (shape.normalised) {
                        EACH_FIRST(lane, count) MY(weights) = MY(weights) + weight_x[lane] * weight;
                    }
                    EACH_FIRST(lane, count) MY(resampled) =
                        MY(resampled) + MY(sample) * (weight_x[lane] * weight);
                }
            }
            if (shape.normalised) {
                EACH_FIRST(lane, count) MY(resampled) = MY(resampled) / MY(weights);
            }
            EACH_FIRST(lane, count) MY(sum) = MY(sum) + tap * MY(resampled);
        }
        EACH(lane) (columns + left)[lane] = MY(sum);
    }
    SPEED_LOWPASS_ROW
END_KERNEL

#endif
