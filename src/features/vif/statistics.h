/* Spec 4.3 and 4.5 at one scale; kernels.h includes this once a scale. One group a tile.
 *
 * A row of the tile: weighted sums over the rows around it for LANES columns, into on-chip memory; weighted
 * sums over the columns around each of these; the sample's terms. The tile always reads whole columns of the
 * picture: at the left and right edge it moves inwards and the columns that the border rule mirrors are
 * copied on chip.
 *
 * All sums fit 32 bits: the weights add up to 2^16 and what is weighted is below 2^16. Squares and their sums
 * are split into quotient and remainder by the power of two that the spec divides by. */
#define VIF_RADIUS (VIF_TAPS / 2)
#define VIF_WIDTH (LANES + 2 * VIF_RADIUS)

#if VIF_TYPE_BITS == 8
/* Products of bytes are below 2^16 and not divided. */
#define VIF_PRODUCT_SUM(name, a, b) u32 name = VIF_KERNEL[VIF_RADIUS] * (a) * (b)
#define VIF_ADD_PRODUCTS(name, weight, a0, b0, a1, b1) name += (weight) * ((a0) * (b0) + (a1) * (b1))
#define VIF_DIVIDED(name) name
#else
#define VIF_PRODUCT_SUM(name, a, b)                                                                          \
    u32 name##_quotient = VIF_KERNEL[VIF_RADIUS] * ((a) * (b) >> plane.square_shift);                        \
    u32 name##_remainder = VIF_KERNEL[VIF_RADIUS] * ((a) * (b) & square_mask)
#define VIF_ADD_PRODUCTS(name, weight, a0, b0, a1, b1)                                                       \
    name##_quotient += (weight) * (((a0) * (b0) >> plane.square_shift) +                                     \
                                   ((a1) * (b1) >> plane.square_shift));                                     \
    name##_remainder += (weight) * (((a0) * (b0) & square_mask) + ((a1) * (b1) & square_mask))
#define VIF_DIVIDED(name) (name##_quotient + ((name##_remainder + square_half) >> plane.square_shift))
#endif

#if defined(VIF_X86) && VIF_TAPS > 3
/* Weights below 2^15: x86.h adds pairs. */
#define VIF_PART u16
#define VIF_AS_PART(value) (u16)((value) ^ 0x8000u)
#define VIF_PARTS (VIF_WIDTH + 1) /* one more is read, with weight 0 */
#define VIF_LAST_PART(array) array[VIF_WIDTH] = 0;
#define VIF_WEIGHTED(name, array) vif_weighted_row(name##_of_lane, array, VIF_KERNEL, VIF_TAPS, LANES);
#else
#define VIF_PART u32
#define VIF_AS_PART(value) (value)
#define VIF_PARTS VIF_WIDTH
#define VIF_LAST_PART(array)
/* Weighted sum of a row of on-chip memory around the lane, from both ends to the middle. */
#define VIF_WEIGHTED(name, array)                                                                            \
    EACH(lane) {                                                                                             \
        u32 sum = VIF_KERNEL[VIF_RADIUS] * array[lane + VIF_RADIUS];                                         \
        UNROLL(VIF_RADIUS)                                                                                   \
        for (i32 k = 0; k < VIF_RADIUS; k++)                                                                 \
            sum += VIF_KERNEL[k] * (array[lane + k] + array[lane + VIF_TAPS - 1 - k]);                       \
        MY(name) = sum;                                                                                      \
    }
#endif

#define VIF_MASK(condition) (-(i32)(condition))

/* The second moment in units of s1, s2, s12 from its high and low halves, less the product of means. Unsigned, because
 * lanes that are not counted have any numbers. */
#define VIF_MOMENT(high, low, mean_a, mean_b)                                                                \
    (i32)((high) + (((low) + 32768u) >> 16) - (u32)(((u64)(mean_a) * (mean_b) + 0x80000000u) >> 32))

/* Both samples of a place in one word; x86.h wants bytes less 128. */
#if defined(VIF_X86) && VIF_TYPE_BITS == 8
#define VIF_BYTE_COLUMNS 1
#define VIF_PAIR(a, b) ((((u32)(a) - 128) & 0xffff) | ((u32)(b) - 128) << 16)
#else
#define VIF_BYTE_COLUMNS 0
#define VIF_PAIR(a, b) ((u32)(a) | (u32)(b) << 16)
#endif

/* The samples k rows below the first of those around the row. */
#define VIF_A(k) (pairs[first + (k) * LANES + lane] & 0xffff)
#define VIF_B(k) (pairs[first + (k) * LANES + lane] >> 16)

#define VIF_STAGE_ROWS(column)                                                                               \
    for (i32 r = 0; r < bottom - top + 2 * VIF_RADIUS; r++) {                                                \
        const u64 row = (u64)(u32)vif_mirror(top - VIF_RADIUS + r, height) * plane.stride + (u32)start;      \
        GLOBAL_IN(VIF_TYPE) a_row = reference + row;                                                         \
        GLOBAL_IN(VIF_TYPE) b_row = distorted + row;                                                         \
        EACH(lane) pairs[r * LANES + lane] = VIF_PAIR(a_row[column], b_row[column]);                         \
    }

#define VIF_MIRROR_LEFT(array) array[VIF_RADIUS - 1 - lane] = array[VIF_RADIUS + 1 + lane];
#define VIF_MIRROR_RIGHT(array) array[VIF_RADIUS + beyond] = array[VIF_RADIUS + beyond - 2 - 2 * lane];

VIF_KERNEL4(VIF_STATISTICS, VIF_LANES, IN(VIF_TYPE, reference), IN(VIF_TYPE, distorted), IN(u32, logs),
            OUT(u64, sums), vif_plane, plane)
    SHARED(u32, pairs, (VIF_ROWS + 2 * VIF_RADIUS) * LANES); /* both samples of each place, row by row */
    SHARED(VIF_PART, a_means, VIF_PARTS); /* index i: column start - VIF_RADIUS + i */
    SHARED(VIF_PART, b_means, VIF_PARTS);
    SHARED(VIF_PART, aa_high, VIF_PARTS);
    SHARED(VIF_PART, aa_low, VIF_PARTS);
    SHARED(VIF_PART, bb_high, VIF_PARTS);
    SHARED(VIF_PART, bb_low, VIF_PARTS);
    SHARED(VIF_PART, ab_high, VIF_PARTS);
    SHARED(VIF_PART, ab_low, VIF_PARTS);
    PRIVATE(u32, m1);
    PRIVATE(u32, m2);
    PRIVATE(u32, aa);
    PRIVATE(u32, bb);
    PRIVATE(u32, ab);
    PRIVATE(u32, aa_rest);
    PRIVATE(u32, bb_rest);
    PRIVATE(u32, ab_rest);
    PRIVATE(i32, s1);
    PRIVATE(i32, s2);
    PRIVATE(i32, s12);
    PRIVATE(i32, counted); /* all ones in the columns that belong to the tile */
    PRIVATE(i32, textured); /* all ones where the reference varies by more than the noise */
    PRIVATE(u32, noise);
    PRIVATE(u32, power);
    PRIVATE(u32, reference_power);
    PRIVATE(u32, noise_log); /* place in the table, then its entry */
    PRIVATE(u32, power_log);
    PRIVATE(u32, reference_log);
    PRIVATE(i32, log_num);
    PRIVATE(i32, log_den);
    PRIVATE(u32, flat_high);
    PRIVATE(u32, flat_low);
    PRIVATE(u32, flat_count);
    const i32 width = (i32)plane.width;
    const i32 height = (i32)plane.height;
    const i32 left = (i32)GROUP_X * VIF_TILE_COLUMNS(VIF_TAPS);
    const i32 right = left + VIF_TILE_COLUMNS(VIF_TAPS) < width ? left + VIF_TILE_COLUMNS(VIF_TAPS) : width;
    const i32 top = (i32)GROUP_Y * VIF_ROWS;
    const i32 bottom = top + VIF_ROWS < height ? top + VIF_ROWS : height;
    const i32 start = vif_start(left - VIF_RADIUS, LANES, width);
    const i32 whole = start + LANES <= (i32)plane.readable;
#if !VIF_BYTE_COLUMNS
    const u32 sample_half = 1u << (plane.shift - 1);
#endif
#if VIF_TYPE_BITS != 8
    const u32 square_mask = (1u << plane.square_shift) - 1;
    const u32 square_half = 1u << (plane.square_shift - 1);
#endif

    EACH(lane) {
        MY(counted) = VIF_MASK(start + lane >= left) & VIF_MASK(start + lane < right);
        MY(log_num) = 0;
        MY(log_den) = 0;
        MY(flat_high) = 0;
        MY(flat_low) = 0;
        MY(flat_count) = 0;
    }
    VIF_LAST_PART(a_means)
    VIF_LAST_PART(b_means)
    VIF_LAST_PART(aa_high)
    VIF_LAST_PART(aa_low)
    VIF_LAST_PART(bb_high)
    VIF_LAST_PART(bb_low)
    VIF_LAST_PART(ab_high)
    VIF_LAST_PART(ab_low)
    if (whole) {
        VIF_STAGE_ROWS(lane)
    } else {
        VIF_STAGE_ROWS((lane < width ? lane : width - 1))
    }
    for (i32 y = top; y < bottom; y++) {
        const i32 first = (y - top) * LANES; /* of the rows around row y */
#if VIF_BYTE_COLUMNS
        const vif_columns columns = {a_means + VIF_RADIUS, b_means + VIF_RADIUS, aa_high + VIF_RADIUS,
                                     aa_low + VIF_RADIUS,  bb_high + VIF_RADIUS, bb_low + VIF_RADIUS,
                                     ab_high + VIF_RADIUS, ab_low + VIF_RADIUS};
        vif_byte_columns(columns, pairs + first, VIF_KERNEL, VIF_TAPS, LANES);
#else
        EACH(lane) {
            u32 a_sum = VIF_KERNEL[VIF_RADIUS] * VIF_A(VIF_RADIUS);
            u32 b_sum = VIF_KERNEL[VIF_RADIUS] * VIF_B(VIF_RADIUS);
            VIF_PRODUCT_SUM(ab, VIF_A(VIF_RADIUS), VIF_B(VIF_RADIUS));
            UNROLL(VIF_RADIUS)
            for (i32 k = 0; k < VIF_RADIUS; k++) {
                const u32 a0 = VIF_A(k), b0 = VIF_B(k);
                const u32 a1 = VIF_A(VIF_TAPS - 1 - k), b1 = VIF_B(VIF_TAPS - 1 - k);
                a_sum += VIF_KERNEL[k] * (a0 + a1);
                b_sum += VIF_KERNEL[k] * (b0 + b1);
                VIF_ADD_PRODUCTS(ab, VIF_KERNEL[k], a0, b0, a1, b1);
            }
            const u32 ab_mean = VIF_DIVIDED(ab);
            a_means[lane + VIF_RADIUS] = VIF_AS_PART((a_sum + sample_half) >> plane.shift);
            b_means[lane + VIF_RADIUS] = VIF_AS_PART((b_sum + sample_half) >> plane.shift);
            ab_high[lane + VIF_RADIUS] = VIF_AS_PART(ab_mean >> 16);
            ab_low[lane + VIF_RADIUS] = VIF_AS_PART(ab_mean & 0xffff);
        }
        EACH(lane) {
            VIF_PRODUCT_SUM(aa, VIF_A(VIF_RADIUS), VIF_A(VIF_RADIUS));
            UNROLL(VIF_RADIUS)
            for (i32 k = 0; k < VIF_RADIUS; k++) {
                const u32 a0 = VIF_A(k), a1 = VIF_A(VIF_TAPS - 1 - k);
                VIF_ADD_PRODUCTS(aa, VIF_KERNEL[k], a0, a0, a1, a1);
            }
            const u32 aa_mean = VIF_DIVIDED(aa);
            aa_high[lane + VIF_RADIUS] = VIF_AS_PART(aa_mean >> 16);
            aa_low[lane + VIF_RADIUS] = VIF_AS_PART(aa_mean & 0xffff);
        }
        PHASE(lane) {
            VIF_PRODUCT_SUM(bb, VIF_B(VIF_RADIUS), VIF_B(VIF_RADIUS));
            UNROLL(VIF_RADIUS)
            for (i32 k = 0; k < VIF_RADIUS; k++) {
                const u32 b0 = VIF_B(k), b1 = VIF_B(VIF_TAPS - 1 - k);
                VIF_ADD_PRODUCTS(bb, VIF_KERNEL[k], b0, b0, b1, b1);
            }
            const u32 bb_mean = VIF_DIVIDED(bb);
            bb_high[lane + VIF_RADIUS] = VIF_AS_PART(bb_mean >> 16);
            bb_low[lane + VIF_RADIUS] = VIF_AS_PART(bb_mean & 0xffff);
        }
#endif
        if (start == 0) {
            FIRST(lane, VIF_RADIUS) {
                VIF_MIRROR_LEFT(a_means)
                VIF_MIRROR_LEFT(b_means)
                VIF_MIRROR_LEFT(aa_high)
                VIF_MIRROR_LEFT(aa_low)
                VIF_MIRROR_LEFT(bb_high)
                VIF_MIRROR_LEFT(bb_low)
                VIF_MIRROR_LEFT(ab_high)
                VIF_MIRROR_LEFT(ab_low)
            }
        }
        if (width - start <= LANES) {
            FIRST(lane, VIF_RADIUS) {
                const i32 beyond = width - start + lane;
                VIF_MIRROR_RIGHT(a_means)
                VIF_MIRROR_RIGHT(b_means)
                VIF_MIRROR_RIGHT(aa_high)
                VIF_MIRROR_RIGHT(aa_low)
                VIF_MIRROR_RIGHT(bb_high)
                VIF_MIRROR_RIGHT(bb_low)
                VIF_MIRROR_RIGHT(ab_high)
                VIF_MIRROR_RIGHT(ab_low)
            }
        }
        VIF_WEIGHTED(m1, a_means)
        VIF_WEIGHTED(m2, b_means)
        VIF_WEIGHTED(aa, aa_high)
        VIF_WEIGHTED(bb, bb_high)
        VIF_WEIGHTED(ab, ab_high)
        VIF_WEIGHTED(aa_rest, aa_low)
        VIF_WEIGHTED(bb_rest, bb_low)
        VIF_WEIGHTED(ab_rest, ab_low)
        BARRIER;
        EACH(lane) {
            const i32 variance = VIF_MOMENT(MY(bb), MY(bb_rest), MY(m2), MY(m2));
            MY(s1) = VIF_MOMENT(MY(aa), MY(aa_rest), MY(m1), MY(m1));
            MY(s2) = variance < 0 ? 0 : variance;
            MY(s12) = VIF_MOMENT(MY(ab), MY(ab_rest), MY(m1), MY(m2));
        }
        /* What does not count becomes a sample without terms. Masks, because branches would keep the loop
         * from being vectorised. */
        EACH(lane) {
            const i32 textured = VIF_MASK(MY(s1) >= VIF_NOISE) & MY(counted);
            const u32 flat = (u32)(MY(counted) & ~textured);
            const i32 s2_counted = MY(s2) & MY(counted);
            const i32 related = textured & VIF_MASK(MY(s12) > 0) & VIF_MASK(s2_counted > 0);
            const i32 s1_textured = (MY(s1) & textured) | (VIF_NOISE & ~textured);
            const ty_gain gain = TY_GAIN(s1_textured, s2_counted, MY(s12) & related, plane.gain_limit);
            MY(noise) = (u32)(gain.noise + VIF_NOISE);
            MY(power) = MY(noise) + (u32)gain.signal;
            MY(reference_power) = (u32)(s1_textured + VIF_NOISE);
            MY(noise_log) = vif_log_place(MY(noise));
            MY(power_log) = vif_log_place(MY(power));
            MY(reference_log) = vif_log_place(MY(reference_power));
            MY(textured) = textured;
            MY(flat_high) += (u32)s2_counted >> 16 & flat;
            MY(flat_low) += (u32)s2_counted & 0xffff & flat;
            MY(flat_count) += flat & 1;
        }
        SINGLY(lane) {
            MY(noise_log) = logs[MY(noise_log)];
            MY(power_log) = logs[MY(power_log)];
            MY(reference_log) = logs[MY(reference_log)];
        }
        EACH(lane) {
            MY(log_num) += vif_log(MY(power), MY(power_log)) - vif_log(MY(noise), MY(noise_log));
            MY(log_den) += (vif_log(MY(reference_power), MY(reference_log)) - VIF_LOG_NOISE) & MY(textured);
        }
    }

    /* A group's sums: logs below 2^12 * 26700, halves of s2 below 2^12 * 2^16. The rows' memory is free
     * now. */
    PHASE(lane) {
        pairs[lane] = (u32)MY(log_num);
        pairs[LANES + lane] = (u32)MY(log_den);
        pairs[2 * LANES + lane] = MY(flat_high);
        pairs[3 * LANES + lane] = MY(flat_low);
        pairs[4 * LANES + lane] = MY(flat_count);
    }
    for (u32 sum = 0; sum < 5; sum++) {
        SHARED_PTR(u32) terms = pairs + sum * LANES;
        SUM_OVER_LANES(terms)
    }
    ONCE {
        GLOBAL_OUT(u64) mine = sums + (u64)(GROUP_Y * plane.groups_x + GROUP_X) * VIF_SUMS;
        mine[0] = pairs[0];
        mine[1] = pairs[LANES];
        mine[2] = ((u64)pairs[2 * LANES] << 16) + pairs[3 * LANES];
        mine[3] = pairs[4 * LANES];
    }
END_KERNEL

#undef VIF_RADIUS
#undef VIF_WIDTH
#undef VIF_PRODUCT_SUM
#undef VIF_ADD_PRODUCTS
#undef VIF_A
#undef VIF_B
#undef VIF_DIVIDED
#undef VIF_WEIGHTED
#undef VIF_PART
#undef VIF_AS_PART
#undef VIF_PARTS
#undef VIF_LAST_PART
#undef VIF_PAIR
#undef VIF_BYTE_COLUMNS
#undef VIF_MASK
#undef VIF_MOMENT
#undef VIF_STAGE_ROWS
#undef VIF_MIRROR_LEFT
#undef VIF_MIRROR_RIGHT
#undef VIF_STATISTICS
#undef VIF_TYPE
#undef VIF_TYPE_BITS
#undef VIF_TAPS
#undef VIF_KERNEL
