/* One scale from the one before: every CAMBI_STEP-th column and row, then the mode filter on the image but not on the mask
 * (spec: cambi.md 4.5). Included by kernels.h once for each step, with CAMBI_SCALE the kernel's name. */

/* The row filter; the first and the last column keep their samples. */
#define CAMBI_ROW_MODE(row, x)                                                                               \
    ((x) == 0 || (u32)(x) + 1 >= s.width ? row[(x)*CAMBI_STEP]                                               \
                                         : cambi_mode(row[((x)-1) * CAMBI_STEP], row[(x)*CAMBI_STEP],        \
                                                      row[((x) + 1) * CAMBI_STEP]))

CAMBI_KERNEL4(CAMBI_SCALE, CAMBI_COLUMNS, IN(u16, image), IN(u16, counted), OUT(u16, to_image), OUT(u16, to_counted),
              cambi_scaling, s)
    PRIVATE(u16, middle);
    PRIVATE(u16, below);
    const i32 left = (i32)(GROUP_X * LANES);
    const u32 top = GROUP_Y * CAMBI_SCALE_ROWS;
    const u32 bottom = top + CAMBI_SCALE_ROWS < s.height ? top + CAMBI_SCALE_ROWS : s.height;
    const u64 pitch = (u64)s.from_stride * CAMBI_STEP;
    GLOBAL_IN(u16) first = image + CAMBI_MARGIN;
    {
        GLOBAL_IN(u16) before = first + (top > 0 ? top - 1 : 0) * pitch;
        GLOBAL_IN(u16) row = first + top * pitch;
        EACH(lane) {
            MY(middle) = CAMBI_ROW_MODE(before, left + lane);
            MY(below) = CAMBI_ROW_MODE(row, left + lane);
        }
    }
    for (u32 y = top; y < bottom; y++) {
        const u32 edge = y == 0 || y + 1 == s.height; /* keeps the unfiltered samples */
        GLOBAL_IN(u16) row = first + y * pitch;
        GLOBAL_IN(u16) next = y + 1 < s.height ? row + pitch : row;
        GLOBAL_IN(u16) mask = counted + CAMBI_MARGIN + y * pitch;
        GLOBAL_OUT(u16) to = to_image + CAMBI_MARGIN + (u64)y * s.stride + left;
        GLOBAL_OUT(u16) to_mask = to_counted + CAMBI_MARGIN + (u64)y * s.stride + left;
        EACH(lane) {
            const i32 x = left + lane;
            const u16 above = MY(middle);
            const u16 here = MY(below);
            const u16 after = CAMBI_ROW_MODE(next, x);
            const u16 filtered = cambi_mode(above, here, after);
            const u16 value = edge ? row[x * CAMBI_STEP] : filtered;
            to[lane] = value;
            to_mask[lane] = (u32)x < s.width && mask[x * CAMBI_STEP] != CAMBI_NONE ? value : (u16)CAMBI_NONE;
            MY(middle) = here;
            MY(below) = after;
        }
    }
END_KERNEL

#undef CAMBI_ROW_MODE
#undef CAMBI_SCALE
#undef CAMBI_STEP
