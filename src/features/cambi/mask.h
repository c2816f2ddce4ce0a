/* The spatial mask: samples in whose 7x7 neighbourhood many equal their right and lower neighbours (spec:
 * cambi.md 4.4). Included by kernels.h. */

/* 1 where column x equals its neighbours. Beyond the edges of the picture the neighbour counts as equal;
 * `next_row` is the row itself there. Columns outside of the picture give 0. */
FUNCTION(u8) cambi_level(GLOBAL_IN(u16) row, GLOBAL_IN(u16) next_row, i32 x, u32 width) {
    const u32 level = (row[x] == row[x + 1] ? 1u : 0u) | ((u32)x + 1 == width ? 1u : 0u);
    return (u8)(level & (row[x] == next_row[x] ? 1u : 0u) & ((u32)x < width ? 1u : 0u));
}

KERNEL2(cambi_mask, CAMBI_COLUMNS, IN(u16, image), OUT(u16, counted), cambi_masking, m)
    SHARED(u8, levels, LANES + 2 * CAMBI_MASK_REACH);
    SHARED(u8, sums, (CAMBI_MASK_ROWS + 2 * CAMBI_MASK_REACH) * LANES); /* of seven columns: at most 7 */
    PRIVATE(u8, sum); /* of seven rows of these: at most 49 */
    const i32 left = (i32)(GROUP_X * LANES);
    const i32 top = (i32)(GROUP_Y * CAMBI_MASK_ROWS);
    const i32 height = (i32)m.height;
    const i32 rows = height - top < CAMBI_MASK_ROWS ? height - top : CAMBI_MASK_ROWS;
    GLOBAL_IN(u16) first = image + CAMBI_MARGIN;

    for (i32 r = 0; r < rows + 2 * CAMBI_MASK_REACH; r++) {
        const i32 y = top + r - CAMBI_MASK_REACH;
        if (y < 0 || y >= height) {
            EACH(lane) sums[r * LANES + lane] = 0;
            continue;
        }
        GLOBAL_IN(u16) row = first + (u64)y * m.stride;
        GLOBAL_IN(u16) next_row = y + 1 < height ? row + m.stride : row;
        const i32 start = left - CAMBI_MASK_REACH;
        EACH(lane) levels[lane] = cambi_level(row, next_row, start + lane, m.width);
        FIRST(lane, 2 * CAMBI_MASK_REACH)
            levels[LANES + lane] = cambi_level(row, next_row, start + LANES + lane, m.width);
        PHASE(lane) sums[r * LANES + lane] = (u8)(levels[lane] + levels[lane + 1] + levels[lane + 2] +
                                                  levels[lane + 3] + levels[lane + 4] + levels[lane + 5] +
                                                  levels[lane + 6]);
    }
    EACH(lane) {
        u8 above = 0;
        UNROLL(6)
        for (i32 r = 0; r < 2 * CAMBI_MASK_REACH; r++)
            above = (u8)(above + sums[r * LANES + lane]);
        MY(sum) = above;
    }
    for (i32 r = 0; r < rows; r++) {
        GLOBAL_IN(u16) from = first + (u64)(top + r) * m.stride + left;
        GLOBAL_OUT(u16) to = counted + CAMBI_MARGIN + (u64)(top + r) * m.stride + left;
        EACH(lane) {
            const u8 all = (u8)(MY(sum) + sums[(r + 2 * CAMBI_MASK_REACH) * LANES + lane]);
            const u32 counts = (all > (u8)m.threshold ? 1u : 0u) & ((u32)(left + lane) < m.width ? 1u : 0u);
            to[lane] = cambi_choice(counts, from[lane], (u16)CAMBI_NONE);
            MY(sum) = (u8)(all - sums[r * LANES + lane]);
        }
    }
END_KERNEL
