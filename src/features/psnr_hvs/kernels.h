/* psnr_hvs: the 64 error terms of each 8x8 block (spec: psnr_hvs.md, section 4). A lane is a block; the data
 * of a group lie as [coefficient][lane]. */
#include "kernel/kernel.h"

#include "exact/kernel_sqrt.h"
#include "kernel/word.h"
#include "features/psnr_hvs/dct.h"
#include "features/psnr_hvs/stages.h"

/* Half of the terms of each block on their way from lanes to memory: [block][term]. */
#define PSNR_HVS_PITCH (LANES + SHARED_PAD)

#define PSNR_HVS_ROW_WORDS (8 / WORD_SAMPLES)
#define PSNR_HVS_WORDS (8 * PSNR_HVS_ROW_WORDS)

/* Spec 4.3: how much of the block's variance is inside its quadrants. Sums of samples are exact: at most 64 *
 * 4095 < 2^24. */
FUNCTION(f32) psnr_hvs_variance_ratio(SHARED_PTR(i32) block) {
    i32 sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    UNROLL(4)
    for (u32 i = 0; i < 4; i++) {
        UNROLL(4)
        for (u32 j = 0; j < 4; j++) {
            sum0 += block[(i * 8 + j) * PSNR_HVS_LANES];
            sum1 += block[(i * 8 + j + 32) * PSNR_HVS_LANES];
            sum2 += block[(i * 8 + j + 4) * PSNR_HVS_LANES];
            sum3 += block[(i * 8 + j + 36) * PSNR_HVS_LANES];
        }
    }
    const f32 mean = (f32)(sum0 + sum1 + sum2 + sum3) * (1.0f / 64.0f);
    const f32 mean0 = (f32)sum0 * (1.0f / 16.0f), mean1 = (f32)sum1 * (1.0f / 16.0f);
    const f32 mean2 = (f32)sum2 * (1.0f / 16.0f), mean3 = (f32)sum3 * (1.0f / 16.0f);
    f32 whole = 0.0f, v0 = 0.0f, v1 = 0.0f, v2 = 0.0f, v3 = 0.0f;
    UNROLL(8)
    for (u32 i = 0; i < 8; i++) {
        UNROLL(4)
        for (u32 j = 0; j < 4; j++) {
            const f32 s = (f32)block[(i * 8 + j) * PSNR_HVS_LANES];
            const f32 a = s - mean, b = s - (i < 4 ? mean0 : mean1);
            whole = whole + a * a;
            if (i < 4)
                v0 = v0 + b * b;
            else
                v1 = v1 + b * b;
        }
        UNROLL(4)
        for (u32 j = 4; j < 8; j++) {
            const f32 s = (f32)block[(i * 8 + j) * PSNR_HVS_LANES];
            const f32 a = s - mean, b = s - (i < 4 ? mean2 : mean3);
            whole = whole + a * a;
            if (i < 4)
                v2 = v2 + b * b;
            else
                v3 = v3 + b * b;
        }
    }
    whole = whole * 0x1.041042p+0f;                                      /* 64/63 */
    const f32 inside = ((v0 * 0x1.111112p+0f + v1 * 0x1.111112p+0f) +    /* 16/15 */
                        v2 * 0x1.111112p+0f) + v3 * 0x1.111112p+0f;
    return whole > 0.0f ? inside / whole : 0.0f;
}

/* Columns of samples to columns of vertical frequencies. */
FUNCTION(void) psnr_hvs_dct_columns(SHARED_PTR(i32) block) {
    UNROLL(8)
    for (u32 j = 0; j < 8; j++)
        psnr_hvs_dct(block + j * PSNR_HVS_LANES, 8 * PSNR_HVS_LANES);
}

/* Spec 4.5. |c| <= 16414 is exact in float, so the float square is the integer square rounded to float. */
FUNCTION(f32) psnr_hvs_mask_row(f32 energy, SHARED_PTR(i32) row, GLOBAL_IN(f32) mask, u32 v) {
    UNROLL(8)
    for (u32 h = 0; h < 8; h++) {
        if (v + h > 0) {
            const f32 c = (f32)row[h * PSNR_HVS_LANES];
            energy = energy + (c * c) * mask[h];
        }
    }
    return energy;
}

/* Spec 4.5: rows of the transform, and the masking threshold of what they give. */
FUNCTION(f32) psnr_hvs_dct_rows(SHARED_PTR(i32) block, GLOBAL_IN(f32) mask, f32 variance_ratio) {
    f32 energy = 0.0f;
    UNROLL(8)
    for (u32 v = 0; v < 8; v++) {
        psnr_hvs_dct(block + v * 8 * PSNR_HVS_LANES, PSNR_HVS_LANES);
        energy = psnr_hvs_mask_row(energy, block + v * 8 * PSNR_HVS_LANES, mask + v * 8, v);
    }
    return exact_sqrt(energy * variance_ratio) * (1.0f / 32.0f);
}

/* Spec 4.6. Coefficients differ by less than 2^24: exact in float. */
FUNCTION(f32) psnr_hvs_term(i32 reference, i32 distorted, f32 masked, f32 csf) {
    const i32 difference = reference - distorted;
    const f32 error = (f32)(difference < 0 ? -difference : difference);
    const f32 seen = error < masked ? 0.0f : error - masked;
    const f32 weighted = seen * csf;
    return weighted * weighted;
}

/* Blocks lie 7 samples apart, which no vector load likes: words first, samples from them after. */
#define PSNR_HVS_LOAD(block, rows)                                                                       \
    EACH(lane) {                                                                                         \
        UNROLL(32)                                                                                       \
        for (u32 w = 0; w < PSNR_HVS_WORDS; w++)                                                         \
            MY_AT(words, w) = load_word(rows + MY(at) + w / PSNR_HVS_ROW_WORDS * plane.stride +          \
                                        w % PSNR_HVS_ROW_WORDS * WORD_SAMPLES);                          \
    }                                                                                                    \
    EACH(lane) {                                                                                         \
        UNROLL(64)                                                                                       \
        for (u32 k = 0; k < PSNR_HVS_TERMS; k++)                                                         \
            block[k * LANES + lane] = (i32)word_sample(MY_AT(words, k / WORD_SAMPLES), k % WORD_SAMPLES); \
    }

KERNEL4(psnr_hvs_terms, PSNR_HVS_LANES, IN(SAMPLE, reference), IN(SAMPLE, distorted), IN(f32, table),
        OUT(f32, terms), psnr_hvs_plane, plane)
    SHARED(i32, r, PSNR_HVS_TERMS * LANES);
    SHARED(i32, d, PSNR_HVS_TERMS * LANES);
    SHARED(f32, turned, LANES * PSNR_HVS_PITCH);
    PRIVATE_ARRAY(u32, words, PSNR_HVS_WORDS);
    PRIVATE(u32, at);
    PRIVATE(f32, ratio_r);
    PRIVATE(f32, ratio_d);
    PRIVATE(f32, threshold);
    const u32 first = GROUP_X * LANES;
    const u32 here = plane.blocks - first < LANES ? plane.blocks - first : LANES;
    GLOBAL_IN(SAMPLE) row_r = reference + ((u64)GROUP_Y * plane.stride + first) * PSNR_HVS_STEP;
    GLOBAL_IN(SAMPLE) row_d = distorted + ((u64)GROUP_Y * plane.stride + first) * PSNR_HVS_STEP;
    GLOBAL_OUT(f32) out = terms + ((u64)GROUP_Y * plane.blocks + first) * PSNR_HVS_TERMS;

    /* Lanes without a block of their own repeat the last one. */
    EACH(lane) MY(at) = ((u32)lane < here ? (u32)lane : here - 1) * PSNR_HVS_STEP;
    PSNR_HVS_LOAD(r, row_r)
    PSNR_HVS_LOAD(d, row_d)
    EACH(lane) MY(ratio_r) = psnr_hvs_variance_ratio(r + lane);
    EACH(lane) MY(ratio_d) = psnr_hvs_variance_ratio(d + lane);
    EACH(lane) psnr_hvs_dct_columns(r + lane);
    EACH(lane) psnr_hvs_dct_columns(d + lane);
    EACH(lane) MY(threshold) = psnr_hvs_dct_rows(r + lane, table + PSNR_HVS_MASK, MY(ratio_r));
    EACH(lane) {
        const f32 other = psnr_hvs_dct_rows(d + lane, table + PSNR_HVS_MASK, MY(ratio_d));
        MY(threshold) = other > MY(threshold) ? other : MY(threshold);
    }
    for (u32 part = 0; part < PSNR_HVS_TERMS; part += LANES) {
        PHASE(lane) {
            const f32 all = MY(threshold);
            const f32 first_one = part > 0 ? all : 0.0f; /* nothing masks the mean */
            UNROLL(32)
            for (u32 n = 0; n < LANES; n++) {
                const u32 k = part + n;
                const f32 masked = (n > 0 ? all : first_one) / table[PSNR_HVS_MASK + k];
                turned[lane * PSNR_HVS_PITCH + n] =
                    psnr_hvs_term(r[k * LANES + lane], d[k * LANES + lane], masked, table[PSNR_HVS_CSF + k]);
            }
        }
        for (u32 b = 0; b < here; b++)
            EACH(lane) out[b * PSNR_HVS_TERMS + part + lane] = turned[b * PSNR_HVS_PITCH + lane];
        BARRIER;
    }
END_KERNEL

KERNEL_LIST(psnr_hvs, KERNEL_ENTRY(psnr_hvs_terms))
