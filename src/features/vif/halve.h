/* Spec 4.2, one picture from one scale to the next; kernels.h includes this once a step. One group a part of
 * an output row.
 *
 * A lane filters two columns, LANES apart, vertically; from on-chip memory it then forms one output sample.
 * Columns that the border rule mirrors are copied on chip. Rows of the output are padded with zeros. */
#define VIF_RADIUS (VIF_TAPS / 2)
#define VIF_REACH (2 * VIF_HALF_REACH)

#define VIF_COLUMN(column, index)                                                                            \
    u32 sum = half;                                                                                          \
    UNROLL(VIF_TAPS)                                                                                         \
    for (i32 k = 0; k < VIF_TAPS; k++) {                                                                     \
        const u64 at = (u64)(u32)vif_mirror(2 * (i32)GROUP_Y - VIF_RADIUS + k, height) * step.stride +       \
                       2 * (u32)start;                                                                       \
        GLOBAL_IN(VIF_TYPE) row = picture + at;                                                              \
        sum += VIF_KERNEL[k] * row[column];                                                                  \
    }                                                                                                        \
    filtered[VIF_REACH + (index)] = sum >> step.shift;

VIF_KERNEL2(VIF_HALVE, VIF_HALF_LANES, IN(VIF_TYPE, picture), OUT(u16, halved), vif_halving, step)
    SHARED(u32, filtered, 2 * (LANES + VIF_REACH)); /* index i: column 2 start - VIF_REACH + i */
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
        EACH(lane) {
            VIF_COLUMN(lane, lane)
        }
        PHASE(lane) {
            VIF_COLUMN(LANES + lane, LANES + lane)
        }
    } else {
        const i32 last = width - 1 - 2 * start;
        EACH(lane) {
            const i32 column = lane < last ? lane : last;
            VIF_COLUMN(column, lane)
        }
        PHASE(lane) {
            const i32 column = LANES + lane < last ? LANES + lane : last;
            VIF_COLUMN(column, LANES + lane)
        }
    }
    if (start == 0) {
        FIRST(lane, VIF_RADIUS) filtered[VIF_REACH - 1 - lane] = filtered[VIF_REACH + 1 + lane];
    }
    if (width - 2 * start <= 2 * LANES) {
        FIRST(lane, VIF_RADIUS) {
            const i32 last = VIF_REACH + width - 1 - 2 * start;
            filtered[last + 1 + lane] = filtered[last - 1 - lane];
        }
    }
    PHASE(lane) {
        u32 sum = 32768;
        UNROLL(VIF_TAPS)
        for (i32 k = 0; k < VIF_TAPS; k++)
            sum += VIF_KERNEL[k] * filtered[2 * lane + VIF_REACH - VIF_RADIUS + k];
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
#undef VIF_REACH
#undef VIF_COLUMN
#undef VIF_HALVE
#undef VIF_TYPE
#undef VIF_TAPS
#undef VIF_KERNEL
