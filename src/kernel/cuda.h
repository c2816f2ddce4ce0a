/* The kernel dialect in CUDA C++, and in HIP, which has the same words. */
#ifndef TY_KERNEL_CUDA_H
#define TY_KERNEL_CUDA_H

#include "kernel/types.h"

#define FUNCTION(type) static __device__ __forceinline__ type
#define RARE_FUNCTION(type) static __device__ __noinline__ type
#define GLOBAL_IN(type) const type *
#define GLOBAL_OUT(type) type *
#define SHARED_PTR(type) type *
#define PRIVATE_PTR(type) type *
#define TABLE_PTR(type) const type *
/* Not __constant__: lanes read different elements, which that memory serves one after the other. */
#define TABLE(type, name, count) static __device__ const type name[count]

#define IN(type, name) const type *__restrict__ name
#define OUT(type, name) type *__restrict__ name

#define SHARED(type, name, count) __shared__ type name[count]

#define TY_PRAGMA(text) _Pragma(#text)
#define UNROLL(n) TY_PRAGMA(unroll n)

#define GROUP_X ((u32)blockIdx.x)
#define GROUP_Y ((u32)blockIdx.y)

#define TY_LANE ((int)threadIdx.x)
#define TY_BARRIER __syncthreads()
#define TY_KERNEL_HEAD(name, lanes) extern "C" __global__ void __launch_bounds__(lanes) name
#define TY_KERNEL_VALUE(V, value) const V value
#define TY_KERNEL_BODY(lanes) { enum { LANES = lanes };

FUNCTION(u32) f32_bits(f32 x) { return __float_as_uint(x); }
FUNCTION(f32) f32_of_bits(u32 bits) { return __uint_as_float(bits); }
#define BIT_LENGTH(x) (32u - (u32)__clz((int)(x)))

#define TY_HAS_F64 1
#define F64_OF_BITS(bits) __longlong_as_double((long long)(bits))
FUNCTION(f64) f64_sqrt(f64 x) { return __dsqrt_rn(x); }

#include "kernel/gpu.h"

#endif
