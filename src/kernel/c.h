/* The kernel dialect in C11: a group is a loop over its lanes, which the compiler vectorises at the levels above scalar.
 *
 * The build compiles a room's kernels once for each level and sample type, with TY_LEVEL set to the level's name. Lanes
 * of a phase are independent by contract, so the loop over lanes carries "omp simd"; the scalar level is compiled
 * without -fopenmp-simd and defines what the others must return.
 */
#ifndef TY_KERNEL_C_H
#define TY_KERNEL_C_H

#include "kernel/cpu_kernel.h"

#define TY_PASTE_(a, b, c, d, e) a##b##c##d##e
#define TY_PASTE(a, b, c, d, e) TY_PASTE_(a, b, c, d, e)
#define TY_SYMBOL(name) TY_PASTE(name, _, SAMPLE_BITS, _, TY_LEVEL)

#define FUNCTION(type) static inline __attribute__((always_inline, unused)) type
#define RARE_FUNCTION(type) static __attribute__((noinline, unused)) type
#define GLOBAL_IN(type) const type *
#define GLOBAL_OUT(type) type *
#define SHARED_PTR(type) type *
#define PRIVATE_PTR(type) type *
#define TABLE_PTR(type) const type *
#define TABLE(type, name, count) static const type __attribute__((unused)) name[count]

#define IN(type, name) const type *restrict name
#define OUT(type, name) type *restrict name

#define SHARED(type, name, count) type name[count] __attribute__((aligned(64)))
#define PRIVATE(type, name) type name##_of_lane[LANES] __attribute__((aligned(64)))
#define MY(name) name##_of_lane[lane]
#define PRIVATE_ARRAY(type, name, count) type name##_of_lane[count][LANES] __attribute__((aligned(64)))
#define MY_AT(name, index) name##_of_lane[index][lane]

#define TY_PRAGMA(text) _Pragma(#text)
#if defined(TY_SIMD)
#define EACH(lane) TY_PRAGMA(omp simd) for (int lane = 0; lane < LANES; lane++)
#else
#define EACH(lane) for (int lane = 0; lane < LANES; lane++)
#endif
#define PHASE(lane) EACH(lane)
/* The empty statement keeps compilers from making it vectors: table look-ups of vectors are taken apart and put together
 * lane by lane, which takes longer than the look-ups. */
#define SINGLY(lane) for (int lane = 0; lane < LANES; lane++, ty_singly())
FUNCTION(void) ty_singly(void) { __asm__ volatile(""); }
#define BARRIER ((void)0)
#define ONCE for (int once = 1; once; once = 0)

#define SUM_OVER_LANES(array)                                                                                         \
    for (int lane = 1; lane < LANES; lane++)                                                                          \
        array[0] += array[lane];

/* The first `count` lanes, then a barrier. */
#define FIRST(lane, count) TY_LANES_BELOW(lane, count)
#define EACH_FIRST(lane, count) TY_LANES_BELOW(lane, count)
#if defined(TY_SIMD)
#define TY_LANES_BELOW(lane, count) TY_PRAGMA(omp simd) for (int lane = 0; lane < (int)(count); lane++)
#else
#define TY_LANES_BELOW(lane, count) for (int lane = 0; lane < (int)(count); lane++)
#endif

/* At least the lanes from `from` to `to` - 1: all of them where whole vectors are cheaper. */
#if defined(TY_SIMD)
#define EACH_FROM(lane, from, to) EACH(lane)
#else
#define EACH_FROM(lane, from, to) for (int lane = (int)(from); lane < (int)(to); lane++)
#endif

/* The lanes whose private value is not 0: few or none, so one look at all of them comes first. */
#define EACH_WHERE(lane, name)                                                                                        \
    if (ty_any_lane(name##_of_lane, LANES))                                                                           \
        for (int lane = 0; lane < LANES; lane++)                                                                      \
            if (name##_of_lane[lane])
FUNCTION(u32) ty_any_lane(const u32 *values, int lanes) {
    u32 any = 0;
    for (int i = 0; i < lanes; i++)
        any |= values[i];
    return any;
}

/* Memory has no banks here, and rows of whole vectors are best. */
#define SHARED_PAD 0

FUNCTION(u32) f32_bits(f32 value) {
    const union { f32 value; u32 bits; } either = {.value = value};
    return either.bits;
}

FUNCTION(f32) f32_of_bits(u32 bits) {
    const union { u32 bits; f32 value; } either = {.bits = bits};
    return either.value;
}

#define GROUP_X group_x
#define GROUP_Y group_y

/* Unrolled whole, so that the loop over lanes around it is the innermost one left. */
#if defined(__clang__)
#define UNROLL(n) TY_PRAGMA(clang loop unroll(full))
#else
#define UNROLL(n) TY_PRAGMA(GCC unroll n)
#endif

/* The CPU has fp64 everywhere. */
#define TY_HAS_F64 1
FUNCTION(f64) ty_f64_of_bits(u64 bits) {
    f64 x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
#define F64_OF_BITS(bits) ty_f64_of_bits(bits)
FUNCTION(f64) f64_sqrt(f64 x) { return __builtin_sqrt(x); }

#if defined(TY_SIMD) && defined(__x86_64__) && !defined(__AVX512CD__)
/* No vector instruction counts leading zeros, so the exponent of a float does. Clearing the second binary digit (and
 * others) keeps the conversion from rounding up to the next power of two. */
FUNCTION(u32) ty_bit_length(u32 x) {
    const f32 power = (f32)(i32)(x & ~(x >> 1));
    i32 bits;
    __builtin_memcpy(&bits, &power, sizeof bits);
    return x >> 31 ? 32u : (u32)((bits >> 23) - 126);
}
#else
FUNCTION(u32) ty_bit_length(u32 x) { return 32u - (u32)__builtin_clz(x); }
#endif
#define BIT_LENGTH(x) ty_bit_length(x)

#define TY_RUN_GROUPS(call)                                                                                           \
    for (u32 group_y = range.y0; group_y < range.y1; group_y++)                                                       \
        for (u32 group_x = range.x0; group_x < range.x1; group_x++)                                                   \
    call

#define KERNEL1(name, lanes, p0, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL2(name, lanes, p0, p1, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL3(name, lanes, p0, p1, p2, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL4(name, lanes, p0, p1, p2, p3, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL5(name, lanes, p0, p1, p2, p3, p4, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL6(name, lanes, p0, p1, p2, p3, p4, p5, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL7(name, lanes, p0, p1, p2, p3, p4, p5, p6, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL8(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL9(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, p8, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, p8, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, p8, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL10(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL11(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define KERNEL12(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, V, value)                                                            \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, const V value, u32 group_x, u32 group_y); \
    static void TY_SYMBOL(name)(void *const *buffers, const void *values, ty_group_range range) { \
        const V value = *(const V *)values;                                                                           \
        TY_RUN_GROUPS(TY_SYMBOL(name##_group)(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], buffers[5], buffers[6], buffers[7], buffers[8], buffers[9], buffers[10], buffers[11], value, group_x, group_y);)            \
    }                                                                                                                 \
    static inline void TY_SYMBOL(name##_group)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, const V value, u32 group_x, u32 group_y) { \
        enum { LANES = lanes };                                                                                       \
        (void)group_x, (void)group_y, (void)value;

#define END_KERNEL }

/* A room ends with the list of its kernels: KERNEL_LIST(psnr, KERNEL_ENTRY(psnr_rows)) */
#define KERNEL_ENTRY(name) {#name, TY_SYMBOL(name)},
#define KERNEL_LIST(room, entries)                                                                                    \
    extern const ty_cpu_kernel TY_SYMBOL(room##_kernels)[];                                                           \
    const ty_cpu_kernel TY_SYMBOL(room##_kernels)[] = {entries{0, 0}};

#endif
