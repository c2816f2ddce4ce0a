/* vif's sums of 16-bit numbers on x86 processors with AVX2 or AVX-512: products of neighbouring pairs are added by one
 * instruction (pmaddwd), which no compiler finds in the plain text. Same integers as that text; tests compare the levels.
 *
 * pmaddwd takes signed numbers. So bytes are centred by 128, and the 16-bit parts by 2^15; as the weights add up to 2^16,
 * what that takes from a sum is known. All sums are formed modulo 2^32, and fit it in the end. */
#ifndef TY_VIF_X86_H
#define TY_VIF_X86_H

#include <immintrin.h>

#if defined(__AVX512BW__)
#define VIF_VECTOR_BYTES 64
typedef __m512i vif_native;
#define VIF_SUM_PAIRS(a, b) ((vif_words)_mm512_madd_epi16((vif_native)(a), (vif_native)(b)))
#define VIF_INTERLEAVED(x, y, s)                                                                             \
    __builtin_shufflevector(x, y, (s) + 0, (s) + 16, (s) + 1, (s) + 17, (s) + 2, (s) + 18, (s) + 3,         \
                            (s) + 19, (s) + 4, (s) + 20, (s) + 5, (s) + 21, (s) + 6, (s) + 22, (s) + 7,      \
                            (s) + 23)
#else
#define VIF_VECTOR_BYTES 32
typedef __m256i vif_native;
#define VIF_SUM_PAIRS(a, b) ((vif_words)_mm256_madd_epi16((vif_native)(a), (vif_native)(b)))
#define VIF_INTERLEAVED(x, y, s)                                                                             \
    __builtin_shufflevector(x, y, (s) + 0, (s) + 8, (s) + 1, (s) + 9, (s) + 2, (s) + 10, (s) + 3, (s) + 11)
#endif
#define VIF_VECTOR_WORDS (VIF_VECTOR_BYTES / 4)

typedef u32 vif_words __attribute__((vector_size(VIF_VECTOR_BYTES)));
typedef u16 vif_halves __attribute__((vector_size(VIF_VECTOR_BYTES)));
typedef u16 vif_parts __attribute__((vector_size(VIF_VECTOR_BYTES / 2)));
typedef vif_words vif_unaligned_words __attribute__((aligned(2), may_alias));
typedef vif_parts vif_unaligned_parts __attribute__((aligned(2), may_alias));

#define VIF_LOAD(at) (*(const vif_unaligned_words *)(at))
#define VIF_STORE_PART(at, words)                                                                            \
    (*(vif_unaligned_parts *)(at) = __builtin_convertvector(words, vif_parts) ^ (u16)0x8000)

/* Weights k and k + 1 as one word; 0 behind the last one. */
FUNCTION(u32) vif_weight_pair(TABLE_PTR(u32) weights, i32 k, i32 taps) {
    return weights[k] | (k + 1 < taps ? weights[k + 1] << 16 : 0u);
}

/* sums[i] = weights[0] * row[i] + weights[1] * row[i + 1] + …, for numbers less 2^15 in `row`. Weights below 2^15. Reads
 * one element behind those that count, with weight 0. */
FUNCTION(void) vif_weighted_row(u32 *restrict sums, const u16 *restrict row, TABLE_PTR(u32) weights, i32 taps,
                                i32 lanes) {
    for (i32 i = 0; i < lanes; i += 2 * VIF_VECTOR_WORDS) {
        vif_words even = {0}, odd = {0};
        even += 0x80000000u;
        odd += 0x80000000u;
        UNROLL(9)
        for (i32 k = 0; k < taps; k += 2) {
            const vif_words pair = (vif_words){0} + vif_weight_pair(weights, k, taps);
            even += VIF_SUM_PAIRS(VIF_LOAD(row + i + k), pair);
            odd += VIF_SUM_PAIRS(VIF_LOAD(row + i + k + 1), pair);
        }
        *(vif_unaligned_words *)(sums + i) = VIF_INTERLEAVED(even, odd, 0);
        *(vif_unaligned_words *)(sums + i + VIF_VECTOR_WORDS) = VIF_INTERLEAVED(even, odd, VIF_VECTOR_WORDS / 2);
    }
}

/* Where the vertical step puts its results, less 2^15. */
typedef struct vif_columns {
    u16 *a_mean, *b_mean, *aa_high, *aa_low, *bb_high, *bb_low, *ab_high, *ab_low;
} vif_columns;

/* The vertical step for samples of 8 bits: `rows` holds both samples of each place, less 128. */
FUNCTION(void) vif_byte_columns(vif_columns to, const u32 *rows, TABLE_PTR(u32) weights, i32 taps, i32 lanes) {
    for (i32 i = 0; i < lanes; i += VIF_VECTOR_WORDS) {
        vif_words a = {0}, b = {0}, aa = {0}, bb = {0}, ab = {0};
        UNROLL(9)
        for (i32 k = 0; k < taps; k += 2) {
            const vif_words pair = (vif_words){0} + vif_weight_pair(weights, k, taps);
            const vif_words upper = VIF_LOAD(rows + k * lanes + i);
            const vif_words lower = VIF_LOAD(rows + (k + 1 < taps ? k + 1 : k) * lanes + i);
            const vif_halves as = (vif_halves)((upper & 0xffff) | lower << 16);
            const vif_halves bs = (vif_halves)(upper >> 16 | (lower & 0xffff0000));
            a += VIF_SUM_PAIRS(as, pair);
            b += VIF_SUM_PAIRS(bs, pair);
            aa += VIF_SUM_PAIRS(as * as, pair);
            bb += VIF_SUM_PAIRS(bs * bs, pair);
            ab += VIF_SUM_PAIRS(as * bs, pair);
        }
        /* Sums of (s + 128), (s + 128) (t + 128) with weights that add up to 2^16. */
        aa += (a << 8) + (1u << 30);
        bb += (b << 8) + (1u << 30);
        ab += ((a + b) << 7) + (1u << 30);
        a = (a + (1u << 23) + 128) >> 8;
        b = (b + (1u << 23) + 128) >> 8;
        VIF_STORE_PART(to.a_mean + i, a);
        VIF_STORE_PART(to.b_mean + i, b);
        VIF_STORE_PART(to.aa_high + i, aa >> 16);
        VIF_STORE_PART(to.aa_low + i, aa);
        VIF_STORE_PART(to.bb_high + i, bb >> 16);
        VIF_STORE_PART(to.bb_low + i, bb);
        VIF_STORE_PART(to.ab_high + i, ab >> 16);
        VIF_STORE_PART(to.ab_low + i, ab);
    }
}

#endif
