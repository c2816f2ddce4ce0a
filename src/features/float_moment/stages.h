/* What float_moment's host code and its kernel text share. */
#ifndef TY_FLOAT_MOMENT_STAGES_H
#define TY_FLOAT_MOMENT_STAGES_H

#define FLOAT_MOMENT_LANES 128

typedef struct float_moment_plane {
    u32 width, height;
    u32 stride; /* samples from one row to the next */
} float_moment_plane;

/* Exact sums over a row. A square is rounded to float first, as the spec says; all in units of the sample step. */
typedef struct float_moment_row {
    u64 first[2];  /* samples; 0 reference, 1 distorted */
    u64 second[2]; /* squares */
} float_moment_row;

/* What adding a row does to a running sum m * 2^k: m grows by step[m mod 2] (spec: ordered sum, sections 2 and 7). */
typedef struct float_moment_step {
    u64 step[2];
} float_moment_step;

/* For one row and picture: the steps for the guessed exponent and the next one. */
typedef struct float_moment_steps {
    u64 exponent;
    float_moment_step candidate[2];
} float_moment_steps;

#endif
