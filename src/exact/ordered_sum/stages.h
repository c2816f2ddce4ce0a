/* What the device form of the ordered sum shares between its kernel text and the backends that launch it. */
#ifndef TY_ORDERED_SUM_STAGES_H
#define TY_ORDERED_SUM_STAGES_H

#define ORDERED_SUM_LANES 256
#define ORDERED_SUM_TERMS 8 /* consecutive terms of one lane */
#define ORDERED_SUM_CHUNK (ORDERED_SUM_LANES * ORDERED_SUM_TERMS)
#define ORDERED_SUM_UNITS 3 /* exponents that a chunk's steps are formed for */

/* Sums of `count` terms each; sum number y (of the launch's groups in y) reads them from first + y * count on. */
typedef struct ordered_sum_shape {
    u64 first;
    u32 count;
    u32 chunks;    /* ceil(count / ORDERED_SUM_CHUNK) */
    u32 continues; /* 1: start at the float in result[y], 0: at 0.0f */
    u32 reserved;  /* 0 */
} ordered_sum_shape;

#endif
