/* The k-th largest contrast of each scale, by its bits, and the sum of those above it (spec: cambi.md 4.7
 * and 6). Where no more than k contrasts are not 0, their sum is known already and all of this ends at
 * once. Included by kernels.h. */

/* How many contrasts are still to be chosen: k, or 0 where all that are not 0 belong. One group a scale. */
KERNEL2(cambi_rank, CAMBI_POOL_LANES, IN(u64, results), OUT(u32, choices), cambi_pooling, p)
    SHARED(u32, numbers, LANES);
    const u32 end = p.tiles[GROUP_X + 1];
    PHASE(lane) {
        numbers[lane] = 0;
        for (u32 t = p.tiles[GROUP_X] + (u32)lane; t < end; t += LANES)
            numbers[lane] += (u32)results[t * CAMBI_TILE_WORDS + 1];
    }
    SUM_OVER_LANES(numbers)
    ONCE {
        choices[GROUP_X * CAMBI_CHOICE_WORDS] = numbers[0] > p.most[GROUP_X] ? p.most[GROUP_X] : 0;
        choices[GROUP_X * CAMBI_CHOICE_WORDS + 1] = 0;
    }
END_KERNEL

FUNCTION(u32) cambi_scale_of(u32 chunk, cambi_pooling p) {
    return (chunk >= p.chunks[1] ? 1u : 0u) + (chunk >= p.chunks[2] ? 1u : 0u) +
           (chunk >= p.chunks[3] ? 1u : 0u) + (chunk >= p.chunks[4] ? 1u : 0u);
}

/* How often each value of the next nine bits occurs among the keys of a chunk that begin as the choice
 * does. */
KERNEL3(cambi_histogram, CAMBI_LANES, IN(f32, contrasts), IN(u32, choices), OUT(u32, histograms),
        cambi_pooling, p)
    SHARED(u16, bins, CAMBI_BINS * LANES); /* a column for each lane */
    const u32 scale = cambi_scale_of(GROUP_X, p);
    const u32 first = (GROUP_X - p.chunks[scale]) * CAMBI_CHUNK;
    const u32 count = p.count[scale] - first < CAMBI_CHUNK ? p.count[scale] - first : CAMBI_CHUNK;
    const u32 prefix = choices[scale * CAMBI_CHOICE_WORDS + 1];
    GLOBAL_IN(f32) from = contrasts + p.contrasts[scale] + first;
    if (choices[scale * CAMBI_CHOICE_WORDS] > 0) {
        for (u32 bin = 0; bin < CAMBI_BINS; bin++)
            EACH(lane) bins[bin * LANES + (u32)lane] = 0;
        for (u32 i = 0; i < count; i += LANES)
            SINGLY(lane) {
                const u32 key = f32_bits(from[i + (u32)lane]) - CAMBI_BITS_OF_HALF; /* enormous for 0 */
                if (key >> p.shift >> CAMBI_KEY_SHIFT == prefix)
                    bins[(key >> p.shift & (CAMBI_BINS - 1)) * LANES + (u32)lane]++;
            }
        BARRIER;
        for (u32 bin = 0; bin < CAMBI_BINS; bin += LANES)
            EACH(lane) {
                u32 sum = 0;
                for (u32 i = 0; i < LANES; i++)
                    sum += bins[(bin + (u32)lane) * LANES + i];
                histograms[GROUP_X * CAMBI_BINS + bin + (u32)lane] = sum;
            }
    }
END_KERNEL

/* Nine more bits of the k-th largest key. One group a scale. */
KERNEL2(cambi_choose, CAMBI_POOL_LANES, IN(u32, histograms), OUT(u32, choices), cambi_pooling, p)
    SHARED(u32, bins, CAMBI_BINS);
    const u32 rank = choices[GROUP_X * CAMBI_CHOICE_WORDS];
    const u32 first = p.chunks[GROUP_X];
    const u32 chunks = (p.count[GROUP_X] + CAMBI_CHUNK - 1) / CAMBI_CHUNK;
    BARRIER;
    if (rank > 0) {
        for (u32 bin = 0; bin < CAMBI_BINS; bin += LANES)
            EACH(lane) {
                u32 sum = 0;
                for (u32 i = 0; i < chunks; i++)
                    sum += histograms[(first + i) * CAMBI_BINS + bin + (u32)lane];
                bins[bin + (u32)lane] = sum;
            }
        BARRIER;
        ONCE {
            u32 left = rank;
            u32 bin = CAMBI_BINS - 1;
            for (; bin > 0 && bins[bin] < left; bin--)
                left -= bins[bin];
            choices[GROUP_X * CAMBI_CHOICE_WORDS] = left;
            choices[GROUP_X * CAMBI_CHOICE_WORDS + 1] =
                choices[GROUP_X * CAMBI_CHOICE_WORDS + 1] << CAMBI_KEY_SHIFT | bin;
        }
    }
END_KERNEL

/* The sum of a chunk's contrasts above the chosen one, in units of 2^-24; 0 where nothing was chosen. */
KERNEL3(cambi_sum, CAMBI_POOL_LANES, IN(f32, contrasts), IN(u32, choices), OUT(u64, sums), cambi_pooling, p)
    SHARED(u64, lane_sums, LANES);
    const u32 scale = cambi_scale_of(GROUP_X, p);
    const u32 first = (GROUP_X - p.chunks[scale]) * CAMBI_CHUNK;
    const u32 count = p.count[scale] - first < CAMBI_CHUNK ? p.count[scale] - first : CAMBI_CHUNK;
    const u32 chosen = choices[scale * CAMBI_CHOICE_WORDS + 1] + CAMBI_BITS_OF_HALF;
    GLOBAL_IN(f32) from = contrasts + p.contrasts[scale] + first;
    EACH(lane) lane_sums[lane] = 0;
    if (choices[scale * CAMBI_CHOICE_WORDS] > 0) {
        for (u32 i = 0; i < count; i += LANES)
            EACH_FIRST(lane, count - i < LANES ? count - i : LANES) {
                const u32 bits = f32_bits(from[i + (u32)lane]);
                lane_sums[lane] += bits > chosen ? cambi_units(bits) : 0;
            }
    }
    BARRIER;
    SUM_OVER_LANES(lane_sums)
    ONCE sums[GROUP_X] = lane_sums[0];
END_KERNEL
