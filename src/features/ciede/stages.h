/* What ciede's host code and its kernel text share. */
#ifndef TY_CIEDE_STAGES_H
#define TY_CIEDE_STAGES_H

#define CIEDE_LANES 128

/* Differences are added as integers in units of 2^-44: a float below 2^8 and at least 2^-21 is a multiple of
 * it below 2^52. */
#define CIEDE_UNIT 44

typedef struct ciede_picture {
    u32 width, height, stride; /* of luma; strides in samples */
    u32 chroma_width, chroma_height, chroma_stride;
    u32 shift_x, shift_y; /* luma (x, y) takes chroma (x >> shift_x, y >> shift_y) */
    u32 pitch;            /* not 0: compat mapping, rows this long (spec 2) */
    u32 groups;           /* of a row */
    f32 step;             /* of a sample on the 8-bit scale: a power of two */
    i32 black, grey;      /* luma of black, chroma of grey */
} ciede_picture;

/* The differences of one group, or of a whole row. */
typedef struct ciede_part {
    u64 sum;  /* in units; of one group: below 2^59 */
    u64 bits; /* all the bits that are set in any of the terms */
    u32 odd;  /* a term is no multiple of the unit or too large */
} ciede_part;

/* How adding a row changes a sum that is an even [0] or odd [1] multiple of 2^exponent units, for two
 * exponents. */
typedef struct ciede_steps {
    u64 step[2][2]; /* [exponent, exponent + 1][parity] */
    u64 high, low;  /* the row's exact sum */
    u64 bits;       /* of the row's terms */
    u32 exponent;
    u32 exact; /* the row and those above add up without rounding */
    u32 odd;
} ciede_steps;

#endif
