/* One scale from the one before: every CAMBI_STEP-th column and row, then the mode filter on the image but
 * not on the mask (spec: cambi.md 4.5). Included by kernels.h once for each step, with CAMBI_SCALE the
 * kernel's name. */

CAMBI_KERNEL4(CAMBI_SCALE, CAMBI_COLUMNS, IN(u16, image), IN(u16, counted), OUT(u16, to_image),
              OUT(u16, to_counted), cambi_scaling, s)
    SHARED(u16, cells, LANES + 2); /* a row, from the column left of the tile on */
    PRIVATE(u16, before);          /* three rows after the filter along them */
    PRIVATE(u16, here);
    PRIVATE(u16, after);
    PRIVATE(u16, unfiltered); /* the middle one before it */
    const i32 left = (i32)(GROUP_X * LANES);
    const i32 top = (i32)(GROUP_Y * CAMBI_SCALE_ROWS);
    const i32 height = (i32)s.height;
    const i32 bottom = top + CAMBI_SCALE_ROWS < height ? top + CAMBI_SCALE_ROWS : height;
    const u64 pitch = (u64)s.from_stride * CAMBI_STEP;

    EACH(lane) MY(here) = MY(unfiltered) = 0;
    for (i32 next = top - 1; next <= bottom; next++) {
        const i32 inside = next < 0 ? 0 : next < height ? next : height - 1;
        const i32 y = next - 1; /* the row that is finished in this step */
        const u64 at = CAMBI_MARGIN + (u64)inside * pitch;
        GLOBAL_IN(u16) row = image + at + left * CAMBI_STEP - CAMBI_STEP;
        EACH(lane) cells[lane] = row[lane * CAMBI_STEP];
        FIRST(lane, 2) cells[LANES + lane] = row[(LANES + lane) * CAMBI_STEP];
        EACH(lane) {
            const u32 x = (u32)(left + lane);
            const u32 end = (x == 0 ? 1u : 0u) | (x + 1 >= s.width ? 1u : 0u);
            const u16 mode = cambi_mode(cells[lane], cells[lane + 1], cells[lane + 2]);
            MY(after) = cambi_choice(end, cells[lane + 1], mode);
        }
        if (y >= top) {
            const u32 edge = y == 0 || y + 1 == height; /* keeps the unfiltered samples */
            GLOBAL_IN(u16) mask = counted + CAMBI_MARGIN + (u64)y * pitch + left * CAMBI_STEP;
            GLOBAL_OUT(u16) to = to_image + CAMBI_MARGIN + (u64)y * s.stride + left;
            GLOBAL_OUT(u16) to_mask = to_counted + CAMBI_MARGIN + (u64)y * s.stride + left;
            EACH(lane) {
                const u16 mode = cambi_mode(MY(before), MY(here), MY(after));
                const u16 value = cambi_choice(edge, MY(unfiltered), mode);
                const u32 none = ((u32)(left + lane) >= s.width ? 1u : 0u) |
                                 (mask[lane * CAMBI_STEP] == CAMBI_NONE ? 1u : 0u);
                to[lane] = value;
                to_mask[lane] = cambi_choice(none, (u16)CAMBI_NONE, value);
            }
        }
        PHASE(lane) {
            MY(before) = MY(here);
            MY(here) = MY(after);
            MY(unfiltered) = cells[lane + 1];
        }
    }
END_KERNEL

#undef CAMBI_SCALE
#undef CAMBI_STEP
