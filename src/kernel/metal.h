/* The kernel dialect in the Metal shading language. The text is compiled by the framework when a run starts. */
#ifndef TY_KERNEL_METAL_H
#define TY_KERNEL_METAL_H

/* A type of this language, and too good a name to lose. */
#define half ty_half

#include <metal_stdlib>
using namespace metal;

#include "kernel/types.h"

#define FUNCTION(type) static inline type
#define RARE_FUNCTION(type) static type
#define GLOBAL_IN(type) device const type *
#define GLOBAL_OUT(type) device type *
#define SHARED_PTR(type) threadgroup type *
#define PRIVATE_PTR(type) thread type *
#define TABLE_PTR(type) constant type *
#define TABLE(type, name, count) constant type name[count]

/* Buffers without an index get theirs in the order of the parameters. */
#define IN(type, name) device const type *name
#define OUT(type, name) device type *name

#define SHARED(type, name, count) threadgroup type name[count]

#define TY_PRAGMA(text) _Pragma(#text)
#define UNROLL(n) TY_PRAGMA(unroll n)

#define GROUP_X ((u32)ty_group.x)
#define GROUP_Y ((u32)ty_group.y)

#define TY_LANE ((int)ty_lane)
#define TY_BARRIER threadgroup_barrier(mem_flags::mem_threadgroup)
#define TY_KERNEL_HEAD(name, lanes) kernel void name
#define TY_KERNEL_VALUE(V, value)                                                                                     \
    constant V &value, uint2 ty_group [[threadgroup_position_in_grid]], uint ty_lane [[thread_index_in_threadgroup]]
#define TY_KERNEL_BODY(lanes) { enum { LANES = lanes };

FUNCTION(u32) f32_bits(f32 x) { return as_type<uint>(x); }
FUNCTION(f32) f32_of_bits(u32 bits) { return as_type<float>(bits); }
#define BIT_LENGTH(x) (32u - (u32)clz((u32)(x)))

#define TY_HAS_F64 0

#include "kernel/gpu.h"

#endif
