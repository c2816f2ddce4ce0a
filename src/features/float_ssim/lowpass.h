/* A plane at half size: every second sample of its low-pass (spec: ssim.md, 4.3). */
#ifndef TY_SSIM_LOWPASS_H
#define TY_SSIM_LOWPASS_H

#define SSIM_REACH 4
#define SSIM_SIDE (2 * SSIM_REACH + 1)

/* Rounded to six places: the table is not the product of its rows and columns. */
TABLE(f32, ssim_lowpass, SSIM_SIDE * SSIM_SIDE) = {
    0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f, 0.007132f, -0.002090f, -0.000450f, 0.000714f,
    -0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f, -0.004490f, 0.001316f, 0.000283f, -0.000450f,
    -0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f, -0.020867f, 0.006115f, 0.001316f, -0.002090f,
    0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f, 0.071207f, -0.020867f, -0.004490f, 0.007132f,
    0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f, 0.160885f, -0.047149f, -0.010146f, 0.016114f,
    0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f, 0.071207f, -0.020867f, -0.004490f, 0.007132f,
    -0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f, -0.020867f, 0.006115f, 0.001316f, -0.002090f,
    -0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f, -0.004490f, 0.001316f, 0.000283f, -0.000450f,
    0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f, 0.007132f, -0.002090f, -0.000450f, 0.000714f};

#define SSIM_LOWPASS_INPUT_ROWS (2 * SSIM_LOWPASS_ROWS + SSIM_SIDE - 2)
#define SSIM_LOWPASS_PITCH (SSIM_LANES + 16)

/* Column c of the nine below a sample, c = 0 to 8, in a row of even and one of odd columns. */
FUNCTION(f32) ssim_column(SHARED_PTR(f32) even, SHARED_PTR(f32) odd, u32 c) {
    return c % 2 == 0 ? even[c / 2] : odd[c / 2];
}

/* Even and odd columns of the rows below a tile lie apart, so that neighbouring lanes read neighbouring
 * samples. Behind the plane that is made are zeros. */
KERNEL2(float_ssim_lowpass, SSIM_LANES, IN(f32, plane_in), OUT(f32, plane_out), ssim_halving, plane)
    SHARED(f32, even, SSIM_LOWPASS_INPUT_ROWS * SSIM_LOWPASS_PITCH);
    SHARED(f32, odd, SSIM_LOWPASS_INPUT_ROWS * SSIM_LOWPASS_PITCH);
    SHARED(f32, result, LANES);
    PRIVATE(u32, doubt);
    const i32 left = (i32)(GROUP_X * LANES);
    const u32 top = GROUP_Y * SSIM_LOWPASS_ROWS;
    const u32 below = plane.half_height - top;
    const u32 rows = below < SSIM_LOWPASS_ROWS ? below : SSIM_LOWPASS_ROWS;
    const i32 start = 2 * left - SSIM_REACH;
    const i32 width = (i32)plane.width;
    const i32 inside = start >= 0 && start + 2 * LANES <= width;

    for (u32 i = 0; i < 2 * rows + SSIM_SIDE - 2; i++) {
        const i32 y = ssim_mirror((i32)(2 * top + i) - SSIM_REACH, (i32)plane.height);
        GLOBAL_IN(f32) row = plane_in + (u64)(u32)y * plane.pitch;
        SHARED_PTR(f32) e = even + i * SSIM_LOWPASS_PITCH;
        SHARED_PTR(f32) o = odd + i * SSIM_LOWPASS_PITCH;
        if (inside) {
            GLOBAL_IN(f32) at = row + start;
            EACH(lane) {
                e[lane] = at[2 * lane];
                o[lane] = at[2 * lane + 1];
            }
        } else {
            EACH(lane) {
                e[lane] = row[ssim_mirror(start + 2 * lane, width)];
                o[lane] = row[ssim_mirror(start + 2 * lane + 1, width)];
            }
        }
        EACH_FIRST(lane, SSIM_REACH) {
            e[LANES + lane] = row[ssim_mirror(start + 2 * (LANES + lane), width)];
            o[LANES + lane] = row[ssim_mirror(start + 2 * (LANES + lane) + 1, width)];
        }
    }
    BARRIER;
    for (u32 i = 0; i < rows; i++) {
        SHARED_PTR(f32) e = even + 2 * i * SSIM_LOWPASS_PITCH;
        SHARED_PTR(f32) o = odd + 2 * i * SSIM_LOWPASS_PITCH;
        EACH(lane) {
            twofold s = twofold_of(0.0f);
            f32 size = 0.0f;
            UNROLL(81)
            for (u32 k = 0; k < SSIM_SIDE * SSIM_SIDE; k++) {
                const u32 at = k / SSIM_SIDE * SSIM_LOWPASS_PITCH;
                const f32 term = ssim_column(e + at + lane, o + at + lane, k % SSIM_SIDE) * ssim_lowpass[k];
                s = twofold_add(s, term);
                size = size + ssim_size(term);
            }
            result[lane] = twofold_float(s);
            /* 80 roundings of `low`, each of at most 2^-24 of what was added to it so far: below 2^-36 of
             * the size. */
            MY(doubt) = twofold_in_doubt(s, size * 0x1p-36f);
        }
        EACH_WHERE(lane, doubt) {
            u64 sum = 0;
            for (u32 k = 0; k < SSIM_SIDE * SSIM_SIDE; k++) {
                const u32 at = k / SSIM_SIDE * SSIM_LOWPASS_PITCH;
                const f32 term = ssim_column(e + at + lane, o + at + lane, k % SSIM_SIDE) * ssim_lowpass[k];
                sum = double_add(sum, double_of_float(term));
            }
            result[lane] = float_of_double(sum);
        }
        GLOBAL_OUT(f32) out = plane_out + (u64)(top + i) * plane.half_pitch + (u32)left;
        EACH(lane) out[lane] = left + lane < (i32)plane.half_width ? result[lane] : 0.0f;
    }
END_KERNEL

#endif
