/* The dialect's names for fixed-width types, for host code and for the C lowering. */
#ifndef TY_KERNEL_TYPES_H
#define TY_KERNEL_TYPES_H

#include <stdint.h>

typedef uint8_t u8;
typedef int8_t i8;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
typedef float f32;
typedef double f64;

#endif
