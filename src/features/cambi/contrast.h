/* The contrast of each sample: how often its own value occurs in the window around it, against how often
 * values some steps away do (spec: cambi.md 4.6, c-values). Included by kernels.h.
 *
 * A tile is a strip of CAMBI_LANES columns. Lane j owns column j of a table of counts, one row a value:
 * how often the value occurs in the window around the lane's current sample. When the window moves down by
 * a row, each sample that enters adds 1 to the counts of the lanes whose window covers its column, and
 * each that leaves subtracts 1; where both are equal, nothing happens. All lanes of a step work on one row
 * of the table.
 *
 * Only values near those of the strip's own samples are counted. If they are more than the table has room
 * for, the strip is gone through once for each part of them. */

TABLE(i32, cambi_weights, CAMBI_MOST_STEPS) = {1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                                               8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};

/* c * 2^24, an integer below 2^38. */
FUNCTION(u64) cambi_units(u32 bits) {
    const u32 mantissa = (bits & 0x7fffffu) | 0x800000u;
    return bits == 0 ? 0 : (u64)mantissa << ((bits >> 23) - 126);
}

/* The contrast with what lies d steps away. `here` is the place of the sample's own value in the table of
 * counts. */
FUNCTION(f32) cambi_step(SHARED_PTR(u16) counts, GLOBAL_IN(f32) reciprocals, u32 here, u32 d) {
    const i32 own = counts[here];
    const i32 above = counts[here + d * CAMBI_LANES];
    const i32 below = counts[here - d * CAMBI_LANES];
    const i32 other = above > below ? above : below;
    return (f32)(cambi_weights[d - 1] * own * other) * reciprocals[own + other];
}

/* The strongest of the steps from `first` to `last`. */
FUNCTION(f32) cambi_strongest(SHARED_PTR(u16) counts, GLOBAL_IN(f32) reciprocals, u32 here, u32 first,
                              u32 last) {
    f32 strongest = 0.0f;
    for (u32 d = first; d <= last; d++) {
        const f32 c = cambi_step(counts, reciprocals, here, d);
        strongest = c > strongest ? c : strongest;
    }
    return strongest;
}

/* The same for the usual number of steps. */
FUNCTION(f32) cambi_strongest_usual(SHARED_PTR(u16) counts, GLOBAL_IN(f32) reciprocals, u32 here, u32 first) {
    f32 strongest = 0.0f;
    UNROLL(4)
    for (u32 d = 1; d <= CAMBI_USUAL_STEPS; d++)
        if (d >= first) {
            const f32 c = cambi_step(counts, reciprocals, here, d);
            strongest = c > strongest ? c : strongest;
        }
    return strongest;
}

/* The row of the table for a sample; what is not counted has the last one. */
FUNCTION(u32) cambi_table_row(u32 sample, u32 first_value, u32 used, u32 inside) {
    const u32 row = sample - first_value;
    return inside & (row < used ? 1u : 0u) ? row : used;
}

/* Where what enters and what leaves are the same. */
#define CAMBI_UNCHANGED 0xffffffffu

/* Groups from the first one of a scale on belong to it or to a later one. */
#define CAMBI_FROM_SCALE(scale, image)                                                                       \
    if (GROUP_X >= q.groups[scale]) {                                                                        \
        counted = image;                                                                                     \
        width = q.width[scale];                                                                              \
        height = q.height[scale];                                                                            \
        stride = q.stride[scale];                                                                            \
        start = q.contrasts[scale];                                                                          \
        first_group = q.groups[scale];                                                                       \
    }

KERNEL9(cambi_contrasts, CAMBI_LANES, IN(u16, counted0), IN(u16, counted1), IN(u16, counted2),
        IN(u16, counted3), IN(u16, counted4), IN(u32, first_steps), IN(f32, reciprocals), OUT(f32, contrasts),
        OUT(u64, results), cambi_counting, q)
    SHARED(u16, counts, (CAMBI_VALUES + 1) * LANES);
    /* Rows of the table: that of what enters a column, and 65536 times that of what leaves it. */
    SHARED(u32, changes, LANES + 2 * CAMBI_MOST_REACH);
    SHARED(u64, sums, LANES);
    SHARED(u32, numbers, LANES);
    SHARED(u32, lows, LANES);
    SHARED(u32, highs, LANES);
    SHARED(u32, tops, LANES);
    SHARED(u32, bottoms, LANES);
    SHARED(u32, smallest, LANES);

    GLOBAL_IN(u16) counted = counted0;
    u32 width = q.width[0], height = q.height[0], stride = q.stride[0], start = q.contrasts[0];
    u32 first_group = 0;
    CAMBI_FROM_SCALE(1, counted1)
    CAMBI_FROM_SCALE(2, counted2)
    CAMBI_FROM_SCALE(3, counted3)
    CAMBI_FROM_SCALE(4, counted4)

    const u32 strips = (width + LANES - 1) / LANES;
    const u32 strip = (GROUP_X - first_group) % strips;
    const u32 left = strip * LANES;
    const u32 top = (GROUP_X - first_group) / strips * q.rows;
    const u32 bottom = top + q.rows < height ? top + q.rows : height;
    const u32 contrast_stride = strips * LANES;
    GLOBAL_OUT(f32) contrast = contrasts + start + left;

    /* Which samples can have a contrast at all, and where they are. */
    EACH(lane) {
        lows[lane] = CAMBI_NONE;
        highs[lane] = 0;
        tops[lane] = bottom;
        bottoms[lane] = 0;
        sums[lane] = 0;
        numbers[lane] = 0;
        smallest[lane] = 0xffffffffu;
    }
    for (u32 y = top; y < bottom; y++) {
        GLOBAL_IN(u16) row = counted + CAMBI_MARGIN + (u64)y * stride + left;
        GLOBAL_OUT(f32) to = contrast + (u64)y * contrast_stride;
        EACH(lane) {
            const u32 value = row[lane];
            const u32 matters = value >= q.lowest && value <= q.highest;
            lows[lane] = matters && value < lows[lane] ? value : lows[lane];
            highs[lane] = matters && value > highs[lane] ? value : highs[lane];
            tops[lane] = matters && y < tops[lane] ? y : tops[lane];
            bottoms[lane] = matters ? y + 1 : bottoms[lane];
            to[lane] = 0.0f;
        }
    }
    BARRIER;
    ONCE {
        for (u32 i = 1; i < LANES; i++) {
            lows[0] = lows[i] < lows[0] ? lows[i] : lows[0];
            highs[0] = highs[i] > highs[0] ? highs[i] : highs[0];
            tops[0] = tops[i] < tops[0] ? tops[i] : tops[0];
            bottoms[0] = bottoms[i] > bottoms[0] ? bottoms[i] : bottoms[0];
        }
    }
    GLOBAL_IN(u16) first_sample = counted + CAMBI_MARGIN;
    const u32 low = lows[0], high = highs[0], first_row = tops[0], end_row = bottoms[0];
    const u32 span = LANES + 2 * q.reach;
    const i32 reach2 = 2 * (i32)q.reach;

    for (u32 base = low; base <= high; base += CAMBI_VALUES - 2 * q.steps) {
        /* This time: samples from `base` on, and values up to D steps away from them. */
        const u32 room = CAMBI_VALUES - 2 * q.steps;
        const u32 values = high - base + 1 < room ? high - base + 1 : room;
        const u32 used = values + 2 * q.steps;
        const u32 first_value = base - q.steps; /* wraps below 0, where no sample is */
        const u32 first_counted = first_row > q.reach ? first_row - q.reach : 0;
        for (u32 row = 0; row <= used; row++)
            EACH(lane) counts[row * LANES + (u32)lane] = 0;
        for (u32 y = first_counted; y < end_row + q.reach; y++) {
            /* Row y enters. The window is around row y - p, and the row above it leaves. */
            const u32 enters = y < height ? 1 : 0;
            const u32 leaves = y > 2 * q.reach + first_counted ? 1 : 0;
            GLOBAL_IN(u16) entering = first_sample + (u64)(enters ? y : 0) * stride;
            GLOBAL_IN(u16) leaving = first_sample + (u64)(leaves ? y - 2 * q.reach - 1 : 0) * stride;
            BARRIER;
            for (i32 x = 0; x < (i32)span; x += LANES)
                EACH(lane) {
                    const i32 column = (i32)left - (i32)q.reach + x + lane; /* below 0: in the margin */
                    const u32 inside = (u32)column < width ? 1 : 0;
                    const u32 in = cambi_table_row(entering[column], first_value, used, inside & enters);
                    const u32 out = cambi_table_row(leaving[column], first_value, used, inside & leaves);
                    changes[x + lane] = in == out ? CAMBI_UNCHANGED : in | out << 16;
                }
            BARRIER;
            for (u32 x = 0, next = 0; x < span; x = next) {
                const u32 change = changes[x];
                for (next = x + 1; next < span && changes[next] == change;)
                    next++;
                if (change == CAMBI_UNCHANGED)
                    continue;
                const u32 in = (change & 0xffff) * LANES, out = (change >> 16) * LANES;
                EACH_FROM(lane, x < 2 * q.reach ? 0 : x - 2 * q.reach, next < LANES ? next : LANES) {
                    /* Of the columns x to next - 1, the window of this lane covers those from `lane` to
                     * lane + 2 p. */
                    const i16 from = (i16)(lane > (i32)x ? lane : (i32)x);
                    const i16 end = (i16)(lane + reach2 + 1 < (i32)next ? lane + reach2 + 1 : (i32)next);
                    const u16 covered = (u16)(end > from ? end - from : 0);
                    counts[in + (u32)lane] = (u16)(counts[in + (u32)lane] + covered);
                    counts[out + (u32)lane] = (u16)(counts[out + (u32)lane] - covered);
                }
            }
            if (y >= first_row + q.reach) {
                GLOBAL_IN(u16) row = counted + CAMBI_MARGIN + (u64)(y - q.reach) * stride + left;
                GLOBAL_OUT(f32) to = contrast + (u64)(y - q.reach) * contrast_stride;
                SINGLY(lane) {
                    const u32 value = row[lane];
                    if (value - base < values) {
                        const u32 here = (value - first_value) * LANES + (u32)lane;
                        const u32 first = first_steps[value];
                        to[lane] = q.steps == CAMBI_USUAL_STEPS
                                       ? cambi_strongest_usual(counts, reciprocals, here, first)
                                       : cambi_strongest(counts, reciprocals, here, first, q.steps);
                    }
                }
            }
        }
        BARRIER;
    }
    for (u32 y = first_row; y < end_row; y++) {
        GLOBAL_IN(f32) from = contrast + (u64)y * contrast_stride;
        EACH(lane) {
            const u32 bits = f32_bits(from[lane]);
            sums[lane] += cambi_units(bits);
            numbers[lane] += bits != 0 ? 1 : 0;
            smallest[lane] = bits != 0 && bits < smallest[lane] ? bits : smallest[lane];
        }
    }
    BARRIER;
    ONCE {
        for (u32 i = 1; i < LANES; i++) {
            sums[0] += sums[i];
            numbers[0] += numbers[i];
            smallest[0] = smallest[i] < smallest[0] ? smallest[i] : smallest[0];
        }
        results[GROUP_X * CAMBI_TILE_WORDS] = sums[0];
        results[GROUP_X * CAMBI_TILE_WORDS + 1] = (u64)smallest[0] << 32 | numbers[0];
    }
END_KERNEL
