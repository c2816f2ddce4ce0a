/* Kernel text: neighbouring samples as one 32-bit word, the first in its lowest bits. A lane that reads
 * samples which do not lie next to those of the lane beside it loads a quarter (or half) as often this way.
 * */
#ifndef TY_KERNEL_WORD_H
#define TY_KERNEL_WORD_H

#define WORD_SAMPLES (32 / SAMPLE_BITS)

/* The samples need not be aligned to a word. */
#if defined(TY_TARGET_C) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
FUNCTION(u32) load_word(GLOBAL_IN(SAMPLE) samples) {
    typedef struct __attribute__((packed, may_alias)) unaligned {
        u32 word;
    } unaligned;
    return ((const unaligned *)samples)->word;
}
#else
FUNCTION(u32) load_word(GLOBAL_IN(SAMPLE) samples) {
    u32 word = 0;
    UNROLL(4)
    for (u32 n = 0; n < WORD_SAMPLES; n++)
        word |= (u32)samples[n] << (SAMPLE_BITS * n);
    return word;
}
#endif

FUNCTION(u32) word_sample(u32 word, u32 n) {
    return (word >> (SAMPLE_BITS * n)) & ((1u << SAMPLE_BITS) - 1);
}

#endif
