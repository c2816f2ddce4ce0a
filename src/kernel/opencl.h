/* The kernel dialect in OpenCL C 1.2. The text is compiled by the device's driver when a run starts. */
#ifndef TY_KERNEL_OPENCL_H
#define TY_KERNEL_OPENCL_H

/* A type of this language, and too good a name to lose. */
#define half ty_half

#pragma OPENCL FP_CONTRACT OFF

#include "kernel/types.h"

#define FUNCTION(type) static inline type
#define RARE_FUNCTION(type) static type
#define GLOBAL_IN(type) __global const type *
#define GLOBAL_OUT(type) __global type *
#define SHARED_PTR(type) __local type *
#define PRIVATE_PTR(type) __private type *
#define TABLE_PTR(type) __constant type *
#define TABLE(type, name, count) __constant type name[count]

#define IN(type, name) __global const type *restrict name
#define OUT(type, name) __global type *restrict name

#define SHARED(type, name, count) __local type name[count]

#define TY_PRAGMA(text) _Pragma(#text)
#define UNROLL(n) TY_PRAGMA(unroll n)

#define GROUP_X ((u32)get_group_id(0))
#define GROUP_Y ((u32)get_group_id(1))

#define TY_LANE ((int)get_local_id(0))
#define TY_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define TY_KERNEL_HEAD(name, lanes) __kernel __attribute__((reqd_work_group_size(lanes, 1, 1))) void name
#define TY_KERNEL_VALUE(V, value) const V value
#define TY_KERNEL_BODY(lanes) { enum { LANES = lanes };

FUNCTION(u32) f32_bits(f32 x) { return as_uint(x); }
FUNCTION(f32) f32_of_bits(u32 bits) { return as_float(bits); }
#define BIT_LENGTH(x) (32u - (u32)clz((u32)(x)))

/* Devices may have none, and one text for all of them is easier to trust. */
#define TY_HAS_F64 0

#include "kernel/gpu.h"

#endif
