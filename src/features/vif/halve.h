/* Spec 4.2, one picture from one scale to the next; kernels.h includes this once a step. One group a part of an output row.
 *
 * A lane filters two neighbouring columns vertically; from on-chip memory it then forms one output sample. Columns that the
 * border rule mirrors are copied on chip. Rows of the output are padded with zeros.
 */
#define VIF_RADIUS (VIF_TAPS / 2)

#define VIF_COLUMN(even_column, odd_column)                                                                           \
    u32 even_sum = 0, odd_sum = 0;                                                                                    \
    UNROLL(VIF_TAPS)                                                                                                  \
    for (i32 k = 0; k < VIF_TAPS; k++) {                                                                              \
        const u64 at = (u64)(u32)vif_mirror(2 * (i32)GROUP_Y - VIF_RADIUS + k, height) * step.stride +                \
                       2 * (u32)start;                                                                                \
        GLOBAL_IN(VIF_TYPE) row = picture + at;                                                                       \
        even_sum += VIF_KERNEL[k] * row[even_column];                                                                 \
        odd_sum += VIF_KERNEL[k] * row[odd_column];                                                                   \
    }                                                                                                                 \
    even[lane + VIF_HALF_REACH] = (even_sum + half) >> step.shift;                                                    \
    odd[lane + VIF_HALF_REACH] = (odd_sum + half) >> step.shift;

VIF_KERNEL2(VIF_HALVE, VIF_HALF_LANES, IN(VIF_TYPE, picture), OUT(u16, halved), vif_halving, step)
    SHARED(u32, even, LANES + 2 * VIF_HALF_REACH); /* index i: columns 2 (start - VIF_HALF_REACH + i) and the next */
    SHARED(u32, odd, LANES + 2 * VIF_HALF_REACH);
    const i32 width = (i32)step.width;
    const i32 height = (i32)step.height;
    const i32 left = (i32)GROUP_X * VIF_HALF_COLUMNS;
    const i32 half_width = (i32)step.half_width;
    const i32 right = left + VIF_HALF_COLUMNS < half_width ? left + VIF_HALF_COLUMNS : half_width;
    const i32 start = vif_start(left - VIF_HALF_REACH, LANES, (width + 1) / 2);
    const i32 whole = 2 * (start + LANES) <= (i32)step.readable;
    const u32 half = 1u << (step.shift - 1);
    GLOBAL_OUT(u16) row_out = halved + (u64)GROUP_Y * step.half_stride;

    if (whole) {
        PHASE(lane) {
            VIF_COLUMN(2 * lane, 2 * lane + 1)
        }
    } else {
        PHASE(lane) {
            const i32 last = width - 1 - 2 * start;
            const i32 even_column = 2 * lane < last ? 2 * lane : last;
            const i32 odd_column = 2 * lane + 1 < last ? 2 * lane + 1 : last;
            VIF_COLUMN(even_column, odd_column)
        }
    }
    if (start == 0 || width - 2 * start <= 2 * LANES) {
        FIRST(lane, VIF_RADIUS) {
            const i32 distance = lane + 1;
            const i32 last = width - 1 - 2 * start + 2 * VIF_HALF_REACH; /* the last column, from index 0 */
            const i32 to = last + distance;
            const i32 from = last - distance;
            if (start == 0) {
                if (distance % 2 == 0)
                    even[VIF_HALF_REACH - distance / 2] = even[VIF_HALF_REACH + distance / 2];
                else
                    odd[VIF_HALF_REACH - (distance + 1) / 2] = odd[VIF_HALF_REACH + distance / 2];
            }
            if (width - 2 * start <= 2 * LANES) {
                if (to % 2 == 0)
                    even[to / 2] = even[from / 2];
                else
                    odd[to / 2] = odd[from / 2];
            }
        }
    }
    PHASE(lane) {
        u32 sum = 32768;
        UNROLL(VIF_TAPS)
        for (i32 k = 0; k < VIF_TAPS; k++) {
            const i32 offset = k - VIF_RADIUS + 2 * VIF_HALF_REACH;
            sum += VIF_KERNEL[k] * (offset % 2 == 0 ? even[lane + offset / 2] : odd[lane + offset / 2]);
        }
        const i32 x = start + lane;
        if (x >= left && x < right)
            row_out[x] = (u16)(sum >> 16);
    }
    if (right == (i32)step.half_width) {
        for (i32 x = right; x < (i32)step.half_stride; x += LANES)
            EACH(lane) {
                if (x + lane < (i32)step.half_stride)
                    row_out[x + lane] = 0;
            }
    }
END_KERNEL

#undef VIF_RADIUS
#undef VIF_COLUMN
#undef VIF_HALVE
#undef VIF_TYPE
#undef VIF_TAPS
#undef VIF_KERNEL
