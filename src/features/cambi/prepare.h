/* Resizing by nearest neighbours, conversion to 10 bits and smoothing (spec: cambi.md 4.3). Included by
 * kernels.h. */

/* The largest sample of a row. */
KERNEL2(cambi_peaks, CAMBI_COLUMNS, IN(SAMPLE, plane), OUT(u32, peaks), cambi_peak, p)
    SHARED(u32, peak, LANES);
    GLOBAL_IN(SAMPLE) row = plane + (u64)GROUP_Y * p.stride;
    EACH(lane) peak[lane] = 0;
    for (u32 x = 0; x < p.width; x += LANES)
        EACH_FIRST(lane, p.width - x < LANES ? p.width - x : LANES) {
            const u32 sample = row[x + (u32)lane];
            peak[lane] = peak[lane] > sample ? peak[lane] : sample;
        }
    BARRIER;
    ONCE {
        u32 most = 0;
        for (u32 i = 0; i < LANES; i++)
            most = most > peak[i] ? most : peak[i];
        peaks[GROUP_Y] = most;
    }
END_KERNEL

#if SAMPLE_BITS == 8
FUNCTION(u32) cambi_ten_bits(u32 sample, cambi_conversion c) {
    (void)c;
    return sample << 2;
}
#else
FUNCTION(u32) cambi_ten_bits(u32 sample, cambi_conversion c) {
    return ((sample << c.left) + c.half) >> c.right;
}
#endif

/* At the right and lower edge the neighbour is the sample itself: (2a + 2b) >> 2 is (a + b) >> 1. */
#define CAMBI_SMOOTHED(x0, x1)                                                                               \
    (u16)((cambi_ten_bits(upper[x0], c) + cambi_ten_bits(upper[x1], c) + cambi_ten_bits(lower[x0], c) +      \
           cambi_ten_bits(lower[x1], c)) >>                                                                  \
          2)

/* `places`: the column of the plane for each column of the picture, then the rows. Right of the picture
 * its last column is repeated. */
KERNEL3(cambi_prepare, CAMBI_COLUMNS, IN(SAMPLE, plane), IN(u32, places), OUT(u16, image),
        cambi_conversion, c)
    const u32 left = GROUP_X * LANES;
    const u32 y = GROUP_Y;
    GLOBAL_IN(u32) rows = places + c.width;
    GLOBAL_IN(SAMPLE) upper = plane + (u64)rows[y] * c.plane_stride;
    GLOBAL_IN(SAMPLE) lower = plane + (u64)rows[y + 1 < c.height ? y + 1 : y] * c.plane_stride;
    GLOBAL_OUT(u16) to = image + CAMBI_MARGIN + (u64)y * c.stride + left;
    if (!c.resized && left + LANES < c.width) {
        upper += left;
        lower += left;
        if (c.smooth) {
            EACH(lane) to[lane] = CAMBI_SMOOTHED(lane, lane + 1);
        } else {
            EACH(lane) to[lane] = (u16)cambi_ten_bits(upper[lane], c);
        }
    } else {
        EACH(lane) {
            const u32 last = c.width - 1;
            const u32 x = left + (u32)lane < last ? left + (u32)lane : last;
            const u32 x0 = places[x];
            const u32 x1 = places[x < last ? x + 1 : last];
            to[lane] = c.smooth ? CAMBI_SMOOTHED(x0, x1) : (u16)cambi_ten_bits(upper[x0], c);
        }
    }
END_KERNEL
