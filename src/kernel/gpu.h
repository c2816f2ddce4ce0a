/* What the GPU lowerings share: the lanes of a group are threads, a phase is a block and then a barrier. Each target
 * defines TY_LANE, TY_BARRIER, TY_KERNEL_HEAD, TY_KERNEL_VALUE and TY_KERNEL_BODY before including this. */
#ifndef TY_KERNEL_GPU_H
#define TY_KERNEL_GPU_H

#define PRIVATE(type, name) type name##_of_lane
#define MY(name) name##_of_lane
#define PRIVATE_ARRAY(type, name, count) type name##_of_lane[count]
#define MY_AT(name, index) name##_of_lane[index]

/* Loops of one step: the barrier comes after the block that the program writes behind the word. */
#define EACH(lane) for (int lane = TY_LANE, ty_step = 1; ty_step; ty_step = 0)
#define PHASE(lane) for (int lane = TY_LANE, ty_step = 1; ty_step; ty_step = 0, TY_BARRIER)
#define SINGLY(lane) EACH(lane)
#define BARRIER TY_BARRIER
#define FIRST(lane, count)                                                                                            \
    for (int lane = TY_LANE, ty_step = 1; ty_step; ty_step = 0, TY_BARRIER)                                           \
        if (lane < (int)(count))
#define EACH_FIRST(lane, count)                                                                                       \
    EACH(lane)                                                                                                        \
    if (lane < (int)(count))
#define EACH_FROM(lane, from, to) EACH(lane)
#define EACH_WHERE(lane, name)                                                                                        \
    EACH(lane)                                                                                                        \
    if (MY(name))
#define ONCE                                                                                                          \
    for (int ty_step = 1; ty_step; ty_step = 0, TY_BARRIER)                                                           \
        if (TY_LANE == 0)

#define SUM_OVER_LANES(array)                                                                                         \
    for (u32 left = LANES; left > 1; left = (left + 1) / 2)                                                           \
        PHASE(lane) {                                                                                                 \
            if ((u32)lane < left / 2)                                                                                 \
                array[lane] += array[lane + (left + 1) / 2];                                                          \
        }

/* Memory of a group has banks of four bytes, a power of two of them. */
#define SHARED_PAD 1

#define KERNEL1(name, lanes, p0, V, value)                                                                            \
    TY_KERNEL_HEAD(name, lanes)(p0, TY_KERNEL_VALUE(V, value)) TY_KERNEL_BODY(lanes)
#define KERNEL2(name, lanes, p0, p1, V, value)                                                                        \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, TY_KERNEL_VALUE(V, value)) TY_KERNEL_BODY(lanes)
#define KERNEL3(name, lanes, p0, p1, p2, V, value)                                                                    \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, TY_KERNEL_VALUE(V, value)) TY_KERNEL_BODY(lanes)
#define KERNEL4(name, lanes, p0, p1, p2, p3, V, value)                                                                \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, TY_KERNEL_VALUE(V, value)) TY_KERNEL_BODY(lanes)
#define KERNEL5(name, lanes, p0, p1, p2, p3, p4, V, value)                                                            \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, p4, TY_KERNEL_VALUE(V, value)) TY_KERNEL_BODY(lanes)
#define KERNEL6(name, lanes, p0, p1, p2, p3, p4, p5, V, value)                                                        \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, p4, p5, TY_KERNEL_VALUE(V, value)) TY_KERNEL_BODY(lanes)
#define KERNEL7(name, lanes, p0, p1, p2, p3, p4, p5, p6, V, value)                                                    \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, p4, p5, p6, TY_KERNEL_VALUE(V, value)) TY_KERNEL_BODY(lanes)
#define KERNEL8(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, V, value)                                                \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, p4, p5, p6, p7, TY_KERNEL_VALUE(V, value)) TY_KERNEL_BODY(lanes)
#define KERNEL9(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, p8, V, value)                                            \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, p4, p5, p6, p7, p8, TY_KERNEL_VALUE(V, value))                        \
    TY_KERNEL_BODY(lanes)
#define KERNEL10(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, V, value)                                       \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, TY_KERNEL_VALUE(V, value))                    \
    TY_KERNEL_BODY(lanes)
#define KERNEL11(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, V, value)                                  \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, TY_KERNEL_VALUE(V, value))               \
    TY_KERNEL_BODY(lanes)
#define KERNEL12(name, lanes, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, V, value)                             \
    TY_KERNEL_HEAD(name, lanes)(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, TY_KERNEL_VALUE(V, value))          \
    TY_KERNEL_BODY(lanes)

#define END_KERNEL }

/* The driver finds kernels by name; no list is needed. */
#define KERNEL_ENTRY(name)
#define KERNEL_LIST(room, entries)

#endif
