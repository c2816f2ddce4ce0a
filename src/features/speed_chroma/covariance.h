/* Means of the 25 windows, and their covariance (spec: 4.6). All sums are chains in the order of the samples;
 * what runs side by side are the chains. */
#ifndef TY_SPEED_COVARIANCE_H
#define TY_SPEED_COVARIANCE_H

/* A group is a row of five windows of a side, a lane one window. */
KERNEL2(speed_means, SPEED_CHAIN_LANES, IN(f32, centred), OUT(f32, means), speed_shape, shape)
    PRIVATE(f32, sum);
    GLOBAL_IN(f32) top = centred + ((u64)GROUP_Y * shape.height + GROUP_X) * shape.pitch;
    GLOBAL_OUT(f32) out = means + GROUP_Y * SPEED_MEANS + GROUP_X * SPEED_WINDOW_LANES;
    const f32 samples = (f32)(shape.window_x * shape.window_y);

    EACH_FIRST(lane, SPEED_WINDOW_LANES) MY(sum) = 0.0f;
    for (u32 y = 0; y < shape.window_y; y++) {
        GLOBAL_IN(f32) row = top + y * shape.pitch;
        for (u32 x = 0; x < shape.window_x; x++) {
            GLOBAL_IN(f32) at = row + x;
            EACH_FIRST(lane, SPEED_WINDOW_LANES) MY(sum) = MY(sum) + at[lane];
        }
    }
    EACH_FIRST(lane, SPEED_WINDOW_LANES) out[lane] = MY(sum) / samples;
END_KERNEL

/* The rows i >= j of a pair. */
FUNCTION(u32) speed_pair_row(u32 pair) {
    return pair < 1 ? 0 : pair < 3 ? 1 : pair < 6 ? 2 : pair < 10 ? 3 : 4;
}

/* A group is a pair of rows of windows of a side: 25 chains, of which those with j > i of a row with itself
 * are not wanted. */
KERNEL3(speed_covariance, SPEED_CHAIN_LANES, IN(f32, centred), IN(f32, means), OUT(f32, covariance),
        speed_shape, shape)
    SHARED(speed_number, deviations, SPEED_BLOCK * LANES); /* of the windows of row i, at LANES positions */
    const u32 i = speed_pair_row(GROUP_X), j = GROUP_X - i * (i + 1) / 2;
    GLOBAL_IN(f32) plane = centred + (u64)GROUP_Y * shape.height * shape.pitch;
    GLOBAL_IN(f32) mean_i = means + GROUP_Y * SPEED_MEANS + i * SPEED_WINDOW_LANES;
    GLOBAL_IN(f32) mean_j = means + GROUP_Y * SPEED_MEANS + j * SPEED_WINDOW_LANES;
    GLOBAL_OUT(f32) out = covariance + GROUP_Y * (SPEED_ELEMENTS * SPEED_ELEMENTS);
    const u32 samples = shape.window_x * shape.window_y;

#if TY_HAS_F64
    PRIVATE_ARRAY(speed_number, sum, SPEED_BLOCK); /* a lane is window j, and has the five of row i */
    PRIVATE(speed_number, mean);
    EACH_FIRST(lane, SPEED_WINDOW_LANES) {
        MY(mean) = (f64)mean_j[lane];
        UNROLL(5)
        for (u32 n = 0; n < SPEED_BLOCK; n++)
            MY_AT(sum, n) = 0.0;
    }
#else
    PRIVATE(speed_number, sum); /* a lane is a chain */
    EACH(lane) MY(sum) = 0;
#endif
    for (u32 y = 0; y < shape.window_y; y++) {
        GLOBAL_IN(f32) row_i = plane + (i + y) * shape.pitch;
        GLOBAL_IN(f32) row_j = plane + (j + y) * shape.pitch;
        for (u32 left = 0; left < shape.window_x; left += LANES) {
            const u32 count = shape.window_x - left < LANES ? shape.window_x - left : LANES;
            for (u32 n = 0; n < SPEED_BLOCK; n++) {
                GLOBAL_IN(f32) at = row_i + left + n;
                EACH_FIRST(lane, count) (deviations + n * LANES)[lane] = speed_deviation(at[lane], mean_i[n]);
            }
            BARRIER;
#if TY_HAS_F64
            for (u32 x = 0; x < count; x++) {
                GLOBAL_IN(f32) at = row_j + left + x;
                const speed_number a0 = deviations[x], a1 = deviations[LANES + x];
                const speed_number a2 = deviations[2 * LANES + x], a3 = deviations[3 * LANES + x];
                const speed_number a4 = deviations[4 * LANES + x];
                EACH_FIRST(lane, SPEED_WINDOW_LANES) {
                    const speed_number b = (f64)at[lane] - MY(mean);
                    MY_AT(sum, 0) = MY_AT(sum, 0) + a0 * b;
                    MY_AT(sum, 1) = MY_AT(sum, 1) + a1 * b;
                    MY_AT(sum, 2) = MY_AT(sum, 2) + a2 * b;
                    MY_AT(sum, 3) = MY_AT(sum, 3) + a3 * b;
                    MY_AT(sum, 4) = MY_AT(sum, 4) + a4 * b;
                }
            }
#else
            EACH_FIRST(lane, SPEED_ELEMENTS) {
                const u32 m = (u32)lane % SPEED_BLOCK, n = (u32)lane / SPEED_BLOCK;
                for (u32 x = 0; x < count; x++)
                    MY(sum) = speed_add_product(MY(sum), deviations[n * LANES + x],
                                                speed_deviation(row_j[left + x + m], mean_j[m]));
            }
#endif
            BARRIER;
        }
    }
#if TY_HAS_F64
    EACH_FIRST(lane, SPEED_BLOCK) {
        const u32 b = j * SPEED_BLOCK + (u32)lane;
        UNROLL(5)
        for (u32 n = 0; n < SPEED_BLOCK; n++) {
            const u32 a = i * SPEED_BLOCK + n;
            const f32 value = speed_mean_of(MY_AT(sum, n), samples);
            if (b <= a) {
                out[a * SPEED_ELEMENTS + b] = value;
                out[b * SPEED_ELEMENTS + a] = value;
            }
        }
    }
#else
    EACH_FIRST(lane, SPEED_ELEMENTS) {
        const u32 a = i * SPEED_BLOCK + (u32)lane / SPEED_BLOCK;
        const u32 b = j * SPEED_BLOCK + (u32)lane % SPEED_BLOCK;
        const f32 value = speed_mean_of(MY(sum), samples);
        if (b <= a) {
            out[a * SPEED_ELEMENTS + b] = value;
            out[b * SPEED_ELEMENTS + a] = value;
        }
    }
#endif
END_KERNEL

#endif
