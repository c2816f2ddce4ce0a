/* float_moment: row sums, and for large 16-bit pictures the ordered sum of squares in double precision, in integers. */
#include "kernel/kernel.h"

#include "features/float_moment/stages.h"

/* The square of a sample rounded to float, as an integer: exact below 2^24, else a multiple of up to 256 below 2^32. */
FUNCTION(u32) float_moment_square(u32 sample) {
    const f32 value = (f32)(i32)sample;
    return (u32)(value * value);
}

#if SAMPLE_BITS == 8
/* At most 65535 / 128 squares below 2^16 for each lane. */
#define float_moment_lane_sum u32
#else
#define float_moment_lane_sum u64
#endif

KERNEL3(float_moment_rows, FLOAT_MOMENT_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted),
        OUT(float_moment_row, rows), float_moment_plane, plane)
    PRIVATE(u32, reference_sum); /* 65535 / 128 samples below 2^16: fits */
    PRIVATE(u32, distorted_sum);
    PRIVATE(float_moment_lane_sum, reference_squares);
    PRIVATE(float_moment_lane_sum, distorted_squares);
    SHARED(u64, sums, LANES);
    GLOBAL_IN(SAMPLE) r = reference + (u64)GROUP_Y * plane.stride;
    GLOBAL_IN(SAMPLE) d = distorted + (u64)GROUP_Y * plane.stride;
    const u32 whole = plane.width / LANES * LANES;

    EACH(lane) {
        MY(reference_sum) = 0;
        MY(distorted_sum) = 0;
        MY(reference_squares) = 0;
        MY(distorted_squares) = 0;
    }
    for (u32 x = 0; x < whole; x += LANES) {
        EACH(lane) {
            MY(reference_sum) += r[x + lane];
            MY(distorted_sum) += d[x + lane];
        }
        EACH(lane) {
            MY(reference_squares) += float_moment_square(r[x + lane]);
            MY(distorted_squares) += float_moment_square(d[x + lane]);
        }
    }
    if (whole < plane.width)
        EACH(lane) {
            if (whole + (u32)lane < plane.width) {
                MY(reference_sum) += r[whole + lane];
                MY(distorted_sum) += d[whole + lane];
                MY(reference_squares) += float_moment_square(r[whole + lane]);
                MY(distorted_squares) += float_moment_square(d[whole + lane]);
            }
        }
    PHASE(lane) sums[lane] = MY(reference_sum);
    SUM_OVER_LANES(sums)
    ONCE rows[GROUP_Y].first[0] = sums[0];
    PHASE(lane) sums[lane] = MY(distorted_sum);
    SUM_OVER_LANES(sums)
    ONCE rows[GROUP_Y].first[1] = sums[0];
    PHASE(lane) sums[lane] = MY(reference_squares);
    SUM_OVER_LANES(sums)
    ONCE rows[GROUP_Y].second[0] = sums[0];
    PHASE(lane) sums[lane] = MY(distorted_squares);
    SUM_OVER_LANES(sums)
    ONCE rows[GROUP_Y].second[1] = sums[0];
END_KERNEL

/* ---- Totals that may pass 2^53, where a double rounds at every addition -------------------------------------------- */

#define FLOAT_MOMENT_LIMIT ((u64)1 << 53)

/* The exponent of the unit of a double of this value; sums here are below 2^63. */
FUNCTION(u32) float_moment_exponent(u64 sum) {
    u32 exponent = 0;
    while ((sum >> exponent) >= FLOAT_MOMENT_LIMIT)
        exponent++;
    return exponent;
}

/* How adding `term` changes an even (parity 0) or odd multiple of 2^exponent: to nearest, ties to even. */
FUNCTION(u64) float_moment_increment(u32 term, u32 exponent, u64 parity) {
    const u64 quotient = (u64)term >> exponent;
    const u64 rest = (u64)term - (quotient << exponent);
    const u64 half_unit = ((u64)1 << exponent) >> 1;
    if (exponent == 0 || rest < half_unit)
        return quotient;
    if (rest > half_unit)
        return quotient + 1;
    return quotient + ((quotient + parity) & 1);
}

/* A guess of each row's unit, from the exact sum of the rows above. A wrong guess costs time, not bits. */
KERNEL2(float_moment_guess, 32, IN(float_moment_row, rows), OUT(float_moment_steps, steps), float_moment_plane, plane)
    PHASE(lane) {
        if (lane < 2) {
            u64 above = 0;
            for (u32 y = 0; y < plane.height; y++) {
                steps[2 * y + lane].exponent = float_moment_exponent(above);
                above += rows[y].second[lane];
            }
        }
    }
END_KERNEL

/* One group a row and picture (GROUP_X). Lanes compose the steps of their own run of samples, then one composes them all. */
KERNEL3(float_moment_compose, FLOAT_MOMENT_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted),
        OUT(float_moment_steps, steps), float_moment_plane, plane)
    SHARED(float_moment_step, runs, LANES);
    GLOBAL_IN(SAMPLE) row = (GROUP_X == 0 ? reference : distorted) + (u64)GROUP_Y * plane.stride;
    const u32 run = (plane.width + LANES - 1) / LANES;
    for (u32 candidate = 0; candidate < 2; candidate++) {
        const u32 exponent = (u32)steps[2 * GROUP_Y + GROUP_X].exponent + candidate;
        PHASE(lane) {
            u64 even = 0, odd = 0;
            const u32 from = (u32)lane * run;
            for (u32 x = from; x < from + run && x < plane.width; x++) {
                const u32 term = float_moment_square(row[x]);
                even += float_moment_increment(term, exponent, even & 1);
                odd += float_moment_increment(term, exponent, (odd + 1) & 1);
            }
            runs[lane].step[0] = even;
            runs[lane].step[1] = odd;
        }
        ONCE {
            u64 even = 0, odd = 0;
            for (u32 i = 0; i < LANES; i++) {
                even += runs[i].step[even & 1];
                odd += runs[i].step[(odd + 1) & 1];
            }
            steps[2 * GROUP_Y + GROUP_X].candidate[candidate].step[0] = even;
            steps[2 * GROUP_Y + GROUP_X].candidate[candidate].step[1] = odd;
        }
    }
END_KERNEL

/* A sum rounded to 53 significant bits, ties to even. */
FUNCTION(u64) float_moment_round(u64 sum) {
    const u32 exponent = float_moment_exponent(sum);
    const u64 kept = sum >> exponent, rest = sum - (kept << exponent);
    const u64 half_unit = ((u64)1 << exponent) >> 1;
    const u64 up = exponent > 0 && (rest > half_unit || (rest == half_unit && (kept & 1) == 1));
    return (kept + up) << exponent;
}

/* The running sum over all rows. A row whose steps leave the binade is added sample by sample: at most once for each of
 * the ten binades above 2^53. */
KERNEL5(float_moment_total, 32, IN(SAMPLE, reference), IN(SAMPLE, distorted), IN(float_moment_row, rows),
        IN(float_moment_steps, steps), OUT(u64, totals), float_moment_plane, plane)
    PHASE(lane) {
        if (lane < 2) {
            GLOBAL_IN(SAMPLE) samples = lane == 0 ? reference : distorted;
            u64 sum = 0;
            for (u32 y = 0; y < plane.height; y++) {
                const u32 exponent = float_moment_exponent(sum);
                const u64 guess = steps[2 * y + lane].exponent, kept = sum >> exponent;
                u64 moved = FLOAT_MOMENT_LIMIT + 1;
                if (exponent >= guess && exponent <= guess + 1)
                    moved = kept + steps[2 * y + lane].candidate[exponent - guess].step[kept & 1];
                if (sum + rows[y].second[lane] <= FLOAT_MOMENT_LIMIT) {
                    sum += rows[y].second[lane];
                } else if (moved <= FLOAT_MOMENT_LIMIT) {
                    sum = moved << exponent;
                } else {
                    for (u32 x = 0; x < plane.width; x++)
                        sum = float_moment_round(sum + float_moment_square(samples[(u64)y * plane.stride + x]));
                }
            }
            totals[lane] = sum;
        }
    }
END_KERNEL

KERNEL_LIST(float_moment, KERNEL_ENTRY(float_moment_rows) KERNEL_ENTRY(float_moment_guess)
                              KERNEL_ENTRY(float_moment_compose) KERNEL_ENTRY(float_moment_total))
