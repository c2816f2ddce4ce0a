/* ciede: the CIEDE2000 difference of each pixel (spec: ciede.md), and their ordered sum. */
#define KERNEL_USES_F64
#include "kernel/kernel.h"

#include "features/ciede/exact.h"
#include "features/ciede/quick.h"
#include "features/ciede/stages.h"
#include "features/ciede/sum.h"

/* The chroma sample of a luma position: the nearest, or as the compat mapping wants it (spec 2), which the host
 * has checked to stay inside of the plane. */
FUNCTION(i32) ciede_chroma(GLOBAL_IN(SAMPLE) plane, ciede_picture p, u32 x, u32 y) {
    u32 row = y >> p.shift_y, column = x >> p.shift_x;
    if (p.pitch != 0) {
        const u32 at = row * p.pitch + column;
        row = at / p.pitch;
        column = at - row * p.pitch;
        return column < p.chroma_width ? (i32)plane[(u64)row * p.chroma_stride + column] : 0;
    }
    row = row < p.chroma_height ? row : p.chroma_height - 1;
    column = column < p.chroma_width ? column : p.chroma_width - 1;
    return (i32)plane[(u64)row * p.chroma_stride + column];
}

/* Samples of one group from the planes of a picture. Columns behind the last one repeat it. */
#define CIEDE_LOAD_ANY(luma, cb, cr, y_plane, u_plane, v_plane)                                              \
    SINGLY(lane) {                                                                                           \
        const u32 x = first + (u32)lane < p.width ? first + (u32)lane : p.width - 1;                         \
        MY(luma) = (i32)y_plane[(u64)GROUP_Y * p.stride + x];                                                \
        cb[lane] = ciede_chroma(u_plane, p, x, GROUP_Y);                                                     \
        cr[lane] = ciede_chroma(v_plane, p, x, GROUP_Y);                                                     \
    }

/* The same where a whole group lies inside and chroma has its own column for each lane, or one for two. */
#define CIEDE_LOAD_WHOLE(luma, cb, cr, y_plane, u_plane, v_plane)                                            \
    EACH(lane) MY(luma) = (i32)y_plane[(u64)GROUP_Y * p.stride + first + lane];                              \
    if (p.shift_x == 0) {                                                                                    \
        PHASE(lane) {                                                                                        \
            cb[lane] = (i32)u_plane[chroma_row + first + lane];                                              \
            cr[lane] = (i32)v_plane[chroma_row + first + lane];                                              \
        }                                                                                                    \
    } else {                                                                                                 \
        FIRST(lane, LANES / 2) {                                                                             \
            cb[2 * lane] = cb[2 * lane + 1] = (i32)u_plane[chroma_row + first / 2 + lane];                   \
            cr[2 * lane] = cr[2 * lane + 1] = (i32)v_plane[chroma_row + first / 2 + lane];                   \
        }                                                                                                    \
    }

KERNEL8(ciede_differences, CIEDE_LANES, IN(SAMPLE, y1), IN(SAMPLE, u1), IN(SAMPLE, v1), IN(SAMPLE, y2),
        IN(SAMPLE, u2), IN(SAMPLE, v2), OUT(f32, terms), OUT(ciede_part, parts), ciede_picture, p)
    PRIVATE(i32, luma1);
    PRIVATE(i32, luma2);
    SHARED(i32, cb1, LANES);
    SHARED(i32, cr1, LANES);
    SHARED(i32, cb2, LANES);
    SHARED(i32, cr2, LANES);
    SHARED(f32, difference, LANES);
    SHARED(u64, sums, LANES);
    SHARED(u64, bits, LANES);
    SHARED(u32, odd, LANES);
    const u32 first = GROUP_X * LANES;
    const u32 here = p.width - first < LANES ? p.width - first : LANES;
    const u32 row = GROUP_Y >> p.shift_y;
    const u64 chroma_row = (u64)row * p.chroma_stride;

    if (p.pitch == 0 && here == LANES && row < p.chroma_height &&
        (first + LANES) >> p.shift_x <= p.chroma_width) {
        CIEDE_LOAD_WHOLE(luma1, cb1, cr1, y1, u1, v1)
        CIEDE_LOAD_WHOLE(luma2, cb2, cr2, y2, u2, v2)
    } else {
        CIEDE_LOAD_ANY(luma1, cb1, cr1, y1, u1, v1)
        CIEDE_LOAD_ANY(luma2, cb2, cr2, y2, u2, v2)
    }
    BARRIER;

#if TY_HAS_F64
    PRIVATE_ARRAY(f32, lab1, 3);
    PRIVATE_ARRAY(f32, lab2, 3);
    PRIVATE(u32, doubt);
    EACH(lane) {
        const ciede_quick_lab_result r = ciede_quick_lab(MY(luma1), cb1[lane], cr1[lane], p);
        MY_AT(lab1, 0) = r.lab.l;
        MY_AT(lab1, 1) = r.lab.a;
        MY_AT(lab1, 2) = r.lab.b;
        MY(doubt) = r.doubt;
    }
    EACH(lane) {
        const ciede_quick_lab_result r = ciede_quick_lab(MY(luma2), cb2[lane], cr2[lane], p);
        MY_AT(lab2, 0) = r.lab.l;
        MY_AT(lab2, 1) = r.lab.a;
        MY_AT(lab2, 2) = r.lab.b;
        MY(doubt) |= r.doubt;
    }
    EACH(lane) {
        ciede_lab one, two;
        one.l = MY_AT(lab1, 0);
        one.a = MY_AT(lab1, 1);
        one.b = MY_AT(lab1, 2);
        two.l = MY_AT(lab2, 0);
        two.a = MY_AT(lab2, 1);
        two.b = MY_AT(lab2, 2);
        const ciede_float d = ciede_quick_difference(one, two);
        difference[lane] = d.value;
        MY(doubt) |= d.doubt;
    }
#endif
    SINGLY(lane) {
#if TY_HAS_F64
        if (MY(doubt) == 0)
            continue;
#endif
        ciede_samples one, two;
        one.y = MY(luma1);
        one.u = cb1[lane];
        one.v = cr1[lane];
        two.y = MY(luma2);
        two.u = cb2[lane];
        two.v = cr2[lane];
        difference[lane] = ciede_exact(one, two, p);
    }
    EACH(lane) {
        const f32 d = (u32)lane < here ? difference[lane] : 0.0f;
        difference[lane] = d;
        bits[lane] = ciede_units(d);
        odd[lane] = ciede_is_odd(d);
    }
    BARRIER;
    EACH(lane) sums[lane] = bits[lane];
    BARRIER;
    if (here == LANES) {
        EACH(lane) terms[(u64)GROUP_Y * p.width + first + lane] = difference[lane];
    } else {
        FIRST(lane, here) terms[(u64)GROUP_Y * p.width + first + lane] = difference[lane];
    }
    SUM_OVER_LANES(sums)
    SUM_OVER_LANES(odd)
    for (u32 left = LANES / 2; left > 0; left /= 2)
        FIRST(lane, left) bits[lane] |= bits[lane + left];
    ONCE {
        parts[GROUP_Y * p.groups + GROUP_X].sum = sums[0];
        parts[GROUP_Y * p.groups + GROUP_X].bits = bits[0];
        parts[GROUP_Y * p.groups + GROUP_X].odd = odd[0];
    }
END_KERNEL

/* What is known of each row beforehand: its exact sum, whether it and the rows above round, and if so a guess at
 * the exponent of the running sum. A wrong guess costs time, not bits. */
KERNEL2(ciede_guess, 32, IN(ciede_part, parts), OUT(ciede_steps, rows), ciede_picture, p)
    ONCE {
        wide above = wide_of(0, 0);
        u64 bits = 0;
        for (u32 y = 0; y < p.height; y++) {
            wide sum = wide_of(0, 0);
            u64 row_bits = 0;
            u32 odd = 0;
            for (u32 i = 0; i < p.groups; i++) {
                sum = wide_add(sum, wide_of(0, parts[y * p.groups + i].sum));
                row_bits |= parts[y * p.groups + i].bits;
                odd |= parts[y * p.groups + i].odd;
            }
            bits |= row_bits;
            rows[y].exponent = ciede_exponent(above);
            above = wide_add(above, sum);
            rows[y].high = sum.high;
            rows[y].low = sum.low;
            rows[y].bits = row_bits;
            rows[y].exact = ciede_is_exact(above, bits);
            rows[y].odd = odd;
        }
    }
END_KERNEL

/* One group a row. Lanes compose the steps of their own run of terms, then one composes them all. */
KERNEL2(ciede_compose, CIEDE_LANES, IN(f32, terms), OUT(ciede_steps, rows), ciede_picture, p)
    SHARED(u64, even, LANES);
    SHARED(u64, uneven, LANES);
    const u32 run = (p.width + LANES - 1) / LANES;
    if (!rows[GROUP_Y].exact)
        for (u32 candidate = 0; candidate < 2; candidate++) {
            const u32 exponent = rows[GROUP_Y].exponent + candidate;
            SINGLY(lane) {
                u64 from_even = 0, from_odd = 0;
                const u32 from = (u32)lane * run;
                for (u32 x = from; x < from + run && x < p.width; x++) {
                    const u64 term = ciede_units(terms[(u64)GROUP_Y * p.width + x]);
                    from_even = ciede_capped(from_even + ciede_increment(term, exponent, from_even & 1));
                    from_odd = ciede_capped(from_odd + ciede_increment(term, exponent, (from_odd + 1) & 1));
                }
                even[lane] = from_even;
                uneven[lane] = from_odd;
            }
            BARRIER;
            ONCE {
                u64 from_even = 0, from_odd = 0;
                for (u32 i = 0; i < LANES; i++) {
                    from_even = ciede_capped(from_even + ((from_even & 1) == 0 ? even[i] : uneven[i]));
                    from_odd = ciede_capped(from_odd + ((from_odd & 1) == 0 ? uneven[i] : even[i]));
                }
                rows[GROUP_Y].step[candidate][0] = from_even;
                rows[GROUP_Y].step[candidate][1] = from_odd;
            }
        }
END_KERNEL

/* The running sum after one more row. A row whose steps leave the binade is added term by term: at most some
 * thirty of them. */
RARE_FUNCTION(wide) ciede_add_row(wide sum, GLOBAL_IN(f32) terms, u32 width) {
    for (u32 x = 0; x < width; x++)
        sum = ciede_round(wide_add(sum, wide_of(0, ciede_units(terms[x]))));
    return sum;
}

/* The sum if a term is no multiple of the unit, which pictures do not give: plain additions. */
RARE_FUNCTION(u64) ciede_add_plainly(GLOBAL_IN(f32) terms, u64 count) {
    u64 sum = 0;
    for (u64 i = 0; i < count; i++)
        sum = double_add(sum, double_of_float(terms[i]));
    return sum;
}

KERNEL3(ciede_total, 32, IN(f32, terms), IN(ciede_steps, rows), OUT(u64, total), ciede_picture, p)
    ONCE {
        wide sum = wide_of(0, 0);
        u64 bits = 0;
        u32 odd = 0;
        for (u32 y = 0; y < p.height; y++) {
            const u32 exponent = ciede_exponent(sum), guess = rows[y].exponent;
            const u64 kept = wide_shift_right(sum, exponent).low;
            const wide whole = wide_add(sum, wide_of(rows[y].high, rows[y].low));
            u64 moved = CIEDE_LIMIT + 1;
            bits |= rows[y].bits;
            odd |= rows[y].odd;
            if (!rows[y].exact && (exponent == guess || exponent == guess + 1))
                moved = kept + rows[y].step[exponent - guess][kept & 1];
            if (ciede_is_exact(whole, bits))
                sum = whole;
            else if (moved <= CIEDE_LIMIT)
                sum = wide_shift_left(wide_of(0, moved), exponent);
            else
                sum = ciede_add_row(sum, terms + (u64)y * p.width, p.width);
        }
        if (odd)
            total[0] = ciede_add_plainly(terms, (u64)p.width * p.height);
        else
            total[0] = wide_is_zero(sum) ? 0 : double_round_wide(0, sum, -CIEDE_UNIT);
    }
END_KERNEL

KERNEL_LIST(ciede, KERNEL_ENTRY(ciede_differences) KERNEL_ENTRY(ciede_guess) KERNEL_ENTRY(ciede_compose)
                       KERNEL_ENTRY(ciede_total))
