/* Written by gen/tables.py; change that, not this. Each is the true value times the stated
 * power of two, rounded to the nearest integer. */
#ifndef TY_EXACT_CONSTANTS_H
#define TY_EXACT_CONSTANTS_H

#include <stdint.h>

#define TY_LN2_115 TY_U128(0x00058b90bfbe8e7b, 0xcd5e4f1d9cc01f98)
#define TY_LOG10_2_117 TY_U128(0x0009a209a84fbcff, 0x7988f8959ac0b7c9)
#define TY_INVERSE_LN2_127 TY_U128(0xb8aa3b295c17f0bb, 0xbe87fed0691d3e89)
#define TY_INVERSE_LN10_129 TY_U128(0xde5bd8a937287195, 0x355baaafad33dc32)
/* 2^14 / ln 2 at 2^-48, and ln 2 / 2^14 at 2^-125 */
#define TY_STEPS_PER_UNIT_48 INT64_C(6653256548922161246)
#define TY_UNITS_PER_STEP_125 TY_U128(0x000058b90bfbe8e7, 0xbcd5e4f1d9cc01f9)

#endif
