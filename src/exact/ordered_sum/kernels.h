/* The sequential float sum of many non-negative terms, formed side by side with its exact bits (spec: ordered sum,
 * algorithm P with algorithm W where a prediction fails).
 *
 * A sum S = m * 2^E moves to (m + d) * 2^E when a term is added, where d depends on the term, on E and on whether m is odd:
 * a "step" holds d for even and for odd m. Steps of consecutive terms compose to a step, associatively. As long as m stays
 * at or below 2^24 the step of a chunk of terms gives the sequential sum's bits; where m passes it (a crossing: the unit
 * doubles at least), the terms around that place are added one by one.
 *
 *   ordered_sum_chunks   about how much each chunk adds
 *   ordered_sum_guess    from that, the unit that the sum will have about when it reaches each chunk
 *   ordered_sum_steps    each chunk's step for that unit and its two neighbours
 *   ordered_sum_tail     follows the sum through the chunks; a wrong guess costs it time, never a bit
 */
#include "kernel/kernel.h"

#include "exact/ordered_sum/stages.h"

#define TOP 0x1000000u /* 2^24: the largest significand, and the smallest of the next unit */
#define CAP 0x2000000u /* steps stop growing here: they pass TOP from any significand */
#define INFINITE 0x7f800000u

/* A unit is named by the exponent field of the floats that have it: 2^(unit - 150), unit 1 also for subnormal floats. */
FUNCTION(u32) unit_of(u32 bits) { return bits >> 23 ? bits >> 23 : 1u; }
FUNCTION(u32) significand_of(u32 bits) { return bits >> 23 ? (bits & 0x7fffffu) | 0x800000u : bits; }

/* The bits of significand * 2^(unit - 150); TOP carries into the exponent, at the end of the range to infinity. */
FUNCTION(u32) bits_of_sum(u32 significand, u32 unit) { return ((unit - 1) << 23) + significand; }

typedef struct sum_step {
    u32 even, odd;
} sum_step;

/* One term's step: x in the given unit, rounded to an integer so that m + x / unit is to nearest, ties to even. */
FUNCTION(u32) term_step(u32 bits, u32 unit, u32 odd) {
    const u32 m = significand_of(bits), own = unit_of(bits);
    if (own >= unit) {
        const u32 up = own - unit < 2 ? own - unit : 2; /* a larger unit's significand is at least 2^23 */
        return m << up < CAP ? m << up : CAP;
    }
    const u32 down = unit - own < 25 ? unit - own : 25; /* 25: less than half a unit */
    return (m + (1u << (down - 1)) - 1 + (((m >> down) + odd) & 1)) >> down;
}

FUNCTION(u32) capped(u32 step) { return step < CAP ? step : CAP; }

FUNCTION(sum_step) compose(sum_step first, sum_step second) {
    sum_step both;
    both.even = capped(first.even + (first.even & 1 ? second.odd : second.even));
    both.odd = capped(first.odd + (first.odd & 1 ? second.even : second.odd));
    return both;
}

FUNCTION(sum_step) add_term(sum_step before, u32 bits, u32 unit) {
    sum_step term;
    term.even = term_step(bits, unit, 0);
    term.odd = term_step(bits, unit, 1);
    return compose(before, term);
}

/* The sign of a zero does not matter. Behind the end there are zeros, which change nothing. */
FUNCTION(u32) term_bits(GLOBAL_IN(f32) terms, u32 i, u32 count) {
    return i < count ? f32_bits(terms[i]) & 0x7fffffffu : 0u;
}

KERNEL2(ordered_sum_chunks, ORDERED_SUM_LANES, IN(f32, terms), OUT(f32, amounts), ordered_sum_shape, shape)
    SHARED(f32, part, LANES);
    GLOBAL_IN(f32) mine = terms + shape.first + (u64)GROUP_Y * shape.count;
    const u32 start = GROUP_X * ORDERED_SUM_CHUNK;

    PHASE(lane) {
        f32 sum = 0.0f;
        UNROLL(8)
        for (u32 k = 0; k < ORDERED_SUM_TERMS; k++)
            sum += f32_of_bits(term_bits(mine, start + k * LANES + lane, shape.count));
        part[lane] = sum;
    }
    SUM_OVER_LANES(part)
    ONCE amounts[(u64)GROUP_Y * shape.chunks + GROUP_X] = part[0];
END_KERNEL

/* The smallest of the units that a chunk's steps are formed for. */
FUNCTION(u32) lowest_unit(f32 guess) {
    const u32 unit = unit_of(f32_bits(guess));
    const u32 below = unit > 1 ? unit - 1 : 1;
    return below < 255 - ORDERED_SUM_UNITS ? below : 255 - ORDERED_SUM_UNITS;
}

/* One group a sum. */
KERNEL3(ordered_sum_guess, ORDERED_SUM_LANES, IN(f32, amounts), IN(f32, result), OUT(u32, units), ordered_sum_shape, shape)
    SHARED(f32, before, LANES);
    PRIVATE(f32, sum);
    GLOBAL_IN(f32) mine = amounts + (u64)GROUP_Y * shape.chunks;
    GLOBAL_OUT(u32) unit = units + (u64)GROUP_Y * shape.chunks;
    const u32 each = (shape.chunks + LANES - 1) / LANES;

    PHASE(lane) {
        f32 sum = 0.0f;
        for (u32 k = 0; k < each; k++) {
            const u32 c = lane * each + k;
            sum += c < shape.chunks ? mine[c] : 0.0f;
        }
        before[lane] = sum;
    }
    for (u32 step = 1; step < LANES; step *= 2) {
        PHASE(lane) MY(sum) = before[lane] + ((u32)lane >= step ? before[lane - step] : 0.0f);
        PHASE(lane) before[lane] = MY(sum);
    }
    PHASE(lane) {
        f32 sum = (shape.continues ? result[GROUP_Y] : 0.0f) + (lane > 0 ? before[lane - 1] : 0.0f);
        for (u32 k = 0; k < each; k++) {
            const u32 c = lane * each + k;
            if (c < shape.chunks) {
                unit[c] = lowest_unit(sum);
                sum += mine[c];
            }
        }
    }
END_KERNEL

/* Steps lie as [sum][unit][even, odd][chunk]. */
KERNEL3(ordered_sum_steps, ORDERED_SUM_LANES, IN(f32, terms), IN(u32, units), OUT(u32, steps), ordered_sum_shape, shape)
    SHARED(u32, even, ORDERED_SUM_UNITS * LANES);
    SHARED(u32, odd, ORDERED_SUM_UNITS * LANES);
    GLOBAL_IN(f32) mine = terms + shape.first + (u64)GROUP_Y * shape.count;
    const u32 start = GROUP_X * ORDERED_SUM_CHUNK;
    const u32 lowest = units[(u64)GROUP_Y * shape.chunks + GROUP_X];

    PHASE(lane) {
        sum_step step[ORDERED_SUM_UNITS];
        UNROLL(3)
        for (u32 u = 0; u < ORDERED_SUM_UNITS; u++)
            step[u].even = step[u].odd = 0;
        UNROLL(8)
        for (u32 k = 0; k < ORDERED_SUM_TERMS; k++) {
            const u32 bits = term_bits(mine, start + lane * ORDERED_SUM_TERMS + k, shape.count);
            UNROLL(3)
            for (u32 u = 0; u < ORDERED_SUM_UNITS; u++)
                step[u] = add_term(step[u], bits, lowest + u);
        }
        UNROLL(3)
        for (u32 u = 0; u < ORDERED_SUM_UNITS; u++) {
            even[u * LANES + lane] = step[u].even;
            odd[u * LANES + lane] = step[u].odd;
        }
    }
    for (u32 apart = 1; apart < LANES; apart *= 2)
        PHASE(lane) {
            if ((u32)lane < LANES / (2 * apart)) {
                for (u32 u = 0; u < ORDERED_SUM_UNITS; u++) {
                    const u32 at = u * LANES + (u32)lane * 2 * apart;
                    sum_step first, second;
                    first.even = even[at];
                    first.odd = odd[at];
                    second.even = even[at + apart];
                    second.odd = odd[at + apart];
                    first = compose(first, second);
                    even[at] = first.even;
                    odd[at] = first.odd;
                }
            }
        }
    PHASE(lane) {
        const u32 u = (u32)lane / 2;
        if (u < ORDERED_SUM_UNITS)
            steps[((u64)GROUP_Y * 2 * ORDERED_SUM_UNITS + lane) * shape.chunks + GROUP_X] =
                (lane & 1) ? odd[u * LANES] : even[u * LANES];
    }
END_KERNEL

/* Composes each lane's step with those of all lanes before it. */
#define STEPS_UP_TO_EACH_LANE(even, odd)                                                                              \
    for (u32 apart = 1; apart < LANES; apart *= 2) {                                                                  \
        PHASE(lane) {                                                                                                 \
            sum_step step, own;                                                                                       \
            own.even = even[lane];                                                                                    \
            own.odd = odd[lane];                                                                                      \
            if ((u32)lane >= apart) {                                                                                 \
                step.even = even[lane - apart];                                                                       \
                step.odd = odd[lane - apart];                                                                         \
                own = compose(step, own);                                                                             \
            }                                                                                                         \
            MY(new_even) = own.even;                                                                                  \
            MY(new_odd) = own.odd;                                                                                    \
        }                                                                                                             \
        PHASE(lane) {                                                                                                 \
            even[lane] = MY(new_even);                                                                                \
            odd[lane] = MY(new_odd);                                                                                  \
        }                                                                                                             \
    }

/* One group a sum: LANES chunks at a time while there is no crossing; a chunk with one, or with a wrong guess, term by term
 * of the lane where it is. */
KERNEL4(ordered_sum_tail, ORDERED_SUM_LANES, IN(f32, terms), IN(u32, units), IN(u32, steps), OUT(f32, result),
        ordered_sum_shape, shape)
    SHARED(u32, even, LANES);
    SHARED(u32, odd, LANES);
    SHARED(u32, crossing, 1); /* the first lane whose steps pass TOP; LANES if none does */
    SHARED(u32, reached, 1);  /* the sum's significand before that lane's, else after all */
    PRIVATE(u32, new_even);
    PRIVATE(u32, new_odd);
    GLOBAL_IN(f32) mine = terms + shape.first + (u64)GROUP_Y * shape.count;
    GLOBAL_IN(u32) lowest = units + (u64)GROUP_Y * shape.chunks;
    GLOBAL_IN(u32) step_of = steps + (u64)GROUP_Y * 2 * ORDERED_SUM_UNITS * shape.chunks;
    u32 sum = shape.continues ? f32_bits(result[GROUP_Y]) : 0u;
    u32 chunk = 0;

    ONCE reached[0] = 0; /* each search below writes it */

    while (chunk < shape.chunks && sum < INFINITE) {
        const u32 unit = unit_of(sum), m = significand_of(sum);
        PHASE(lane) {
            const u32 c = chunk + lane;
            u32 e = 0, o = 0;
            if (c < shape.chunks) {
                const u32 u = unit - lowest[c]; /* large if below */
                e = u < ORDERED_SUM_UNITS ? step_of[(u64)(2 * u) * shape.chunks + c] : CAP;
                o = u < ORDERED_SUM_UNITS ? step_of[(u64)(2 * u + 1) * shape.chunks + c] : CAP;
            }
            even[lane] = e;
            odd[lane] = o;
        }
        EACH(lane) {
            if (lane == 0)
                crossing[0] = LANES;
        }
        STEPS_UP_TO_EACH_LANE(even, odd)
        PHASE(lane) {
            const u32 after = m + (m & 1 ? odd[lane] : even[lane]);
            const u32 before = lane == 0 ? m : m + (m & 1 ? odd[lane - 1] : even[lane - 1]);
            if (after > TOP && before <= TOP) {
                crossing[0] = (u32)lane;
                reached[0] = before;
            }
            if (lane == LANES - 1 && after <= TOP)
                reached[0] = after;
        }
        sum = bits_of_sum(reached[0], unit);
        chunk += crossing[0];
        if (crossing[0] < LANES) {
            u32 at = chunk * ORDERED_SUM_CHUNK;
            const u32 end = shape.count - at < ORDERED_SUM_CHUNK ? shape.count : at + ORDERED_SUM_CHUNK;
            while (at < end && sum < INFINITE) {
                const u32 walked_unit = unit_of(sum), walked_m = significand_of(sum);
                PHASE(lane) {
                    sum_step step;
                    step.even = step.odd = 0;
                    for (u32 k = 0; k < ORDERED_SUM_TERMS; k++)
                        step = add_term(step, term_bits(mine, at + lane * ORDERED_SUM_TERMS + k, end), walked_unit);
                    even[lane] = step.even;
                    odd[lane] = step.odd;
                }
                EACH(lane) {
                    if (lane == 0)
                        crossing[0] = LANES - 1;
                }
                STEPS_UP_TO_EACH_LANE(even, odd)
                PHASE(lane) {
                    const u32 after = walked_m + (walked_m & 1 ? odd[lane] : even[lane]);
                    const u32 before =
                        lane == 0 ? walked_m : walked_m + (walked_m & 1 ? odd[lane - 1] : even[lane - 1]);
                    if (after > TOP && before <= TOP) {
                        f32 plain = f32_of_bits(bits_of_sum(before, walked_unit));
                        for (u32 k = 0; k < ORDERED_SUM_TERMS; k++)
                            plain += f32_of_bits(term_bits(mine, at + lane * ORDERED_SUM_TERMS + k, end));
                        crossing[0] = (u32)lane;
                        reached[0] = f32_bits(plain);
                    }
                    if (lane == LANES - 1 && after <= TOP)
                        reached[0] = bits_of_sum(after, walked_unit);
                }
                sum = reached[0];
                at += (crossing[0] + 1) * ORDERED_SUM_TERMS;
            }
            chunk++;
        }
    }
    ONCE result[GROUP_Y] = f32_of_bits(sum);
END_KERNEL

#undef TOP
#undef CAP
#undef INFINITE
#undef STEPS_UP_TO_EACH_LANE

KERNEL_LIST(ordered_sum, KERNEL_ENTRY(ordered_sum_chunks) KERNEL_ENTRY(ordered_sum_guess) KERNEL_ENTRY(ordered_sum_steps)
                             KERNEL_ENTRY(ordered_sum_tail))
