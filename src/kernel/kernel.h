/* The kernel dialect: one text for the CPU and for every GPU language. docs/kernel-text.md teaches it.
 *
 * A kernel file (features/<name>/kernels.h) includes this header and is compiled once for samples of 8 bits and once for
 * 16: SAMPLE_BITS is 8 or 16, SAMPLE the type. Every target lowers the same words:
 *
 *   types       u8 i8 u16 i16 u32 i32 u64 i64 f32, and f64 where TY_HAS_F64 is 1, in files that define KERNEL_USES_F64
 *   FUNCTION(type) name(…)          a helper; pointer parameters as GLOBAL_IN(T) p, GLOBAL_OUT(T) p, SHARED_PTR(T) p
 *   RARE_FUNCTION(type) name(…)     a helper that stays a function: long code that runs seldom
 *   TABLE(type, name, count)        = { … };   constants
 *   KERNELn(name, lanes, p1, … pn, ValueType, value) … END_KERNEL     n buffers and one struct of plain values
 *   IN(T, p)  OUT(T, p)             buffer parameters
 *   SHARED(T, a, count)             memory of the group
 *   PRIVATE(T, v)  MY(v)            a value of each lane that outlives a phase
 *   PRIVATE_ARRAY(T, v, n)  MY_AT(v, i)
 *   PHASE(lane) { … }               all lanes, then a barrier: what was written to SHARED memory is seen by the next phase
 *   EACH(lane) { … }                all lanes, no barrier: for lanes that read only what they wrote themselves
 *   SINGLY(lane) { … }              EACH, one lane after the other on CPUs: for bodies that no compiler can vectorise
 *   BARRIER;                    where an EACH read SHARED memory that the next words write
 *   FIRST(lane, n) { … }            lanes 0 to n - 1, then a barrier
 *   EACH_FIRST(lane, n) { … }       the same without the barrier
 *   EACH_FROM(lane, a, b) { … }     EACH for at least the lanes a to b - 1: for bodies that change nothing in the others
 *   EACH_WHERE(lane, v) { … }       EACH for the lanes whose PRIVATE u32 v is not 0: a path rarely taken
 *   ONCE { … }                  one lane, then a barrier
 *   SUM_OVER_LANES(a)           phases that add up a SHARED array of LANES integers into a[0]
 *   UNROLL(n)                   before a for loop of n steps inside a lane: unroll it whole
 *   SHARED_PAD                      elements to add to a pitch of SHARED memory so that its banks are hit evenly (0 on CPUs)
 *   f32_bits(x)  f32_of_bits(u)     the bits of a float, and back
 *   BIT_LENGTH(x)                   binary digits of a u32 that is not 0
 *   TY_HAS_F64                      1 where the target has fp64; there F64_OF_BITS(u64) gives the double of these bits
 *                                   and f64_sqrt(x) its square root
 *   GROUP_X GROUP_Y LANES           the group's place in the grid, and the lanes of a group
 *
 * TY_HAS_F64 is 1 on targets where f64 is IEEE double, else 0: for text that also has an integer form.
 *
 * Between PHASEs only uniform control flow is allowed (loops and branches that every lane takes alike).
 */
#ifndef TY_KERNEL_H
#define TY_KERNEL_H

#ifndef SAMPLE_BITS
#error "define SAMPLE_BITS as 8 or 16 before including a kernel file"
#endif

#if defined(TY_TARGET_C)
#include "kernel/c.h"
#elif defined(TY_TARGET_CUDA)
#include "kernel/cuda.h"
#elif defined(TY_TARGET_HIP)
#include "kernel/hip.h"
#elif defined(TY_TARGET_OPENCL)
#include "kernel/opencl.h"
#elif defined(TY_TARGET_SYCL)
#include "kernel/sycl.h"
#elif defined(TY_TARGET_METAL)
#include "kernel/metal.h"
#else
#error "no kernel target chosen"
#endif

#if SAMPLE_BITS == 8
#define SAMPLE u8
#else
#define SAMPLE u16
#endif

#endif
