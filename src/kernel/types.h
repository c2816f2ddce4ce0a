/* The dialect's names for fixed-width types, for host code and for every target. */
#ifndef TY_KERNEL_TYPES_H
#define TY_KERNEL_TYPES_H

#if defined(TY_TARGET_OPENCL) || defined(TY_TARGET_METAL)

typedef uchar u8;
typedef char i8; /* signed in both languages */
typedef ushort u16;
typedef short i16;
typedef uint u32;
typedef int i32;
typedef ulong u64;
typedef long i64;
typedef float f32;

#else

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

#endif
