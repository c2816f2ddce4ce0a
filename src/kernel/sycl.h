/* The kernel dialect in SYCL 2020 C++ with the group-local memory extension (DPC++). A kernel becomes a function that a
 * work-item runs; KERNEL_LIST makes the table through which the plug-in library launches by name. */
#ifndef TY_KERNEL_SYCL_H
#define TY_KERNEL_SYCL_H

#include <array>
#include <tuple>
#include <utility>

#include <sycl/sycl.hpp>

#include "kernel/types.h"

#define FUNCTION(type) static inline type
#define RARE_FUNCTION(type) static type
#define GLOBAL_IN(type) const type *
#define GLOBAL_OUT(type) type *
#define SHARED_PTR(type) type *
#define PRIVATE_PTR(type) type *
#define TABLE_PTR(type) const type *
#define TABLE(type, name, count) static constexpr type name[count]

#define IN(type, name) const type *__restrict name
#define OUT(type, name) type *__restrict name

#define SHARED(type, name, count)                                                                                     \
    type(&name)[count] = *sycl::ext::oneapi::group_local_memory_for_overwrite<type[count]>(ty_item.get_group())

#define TY_PRAGMA(text) _Pragma(#text)
#define UNROLL(n) TY_PRAGMA(unroll)

#define GROUP_X ((u32)ty_item.get_group(1))
#define GROUP_Y ((u32)ty_item.get_group(0))

#define TY_LANE ((int)ty_item.get_local_id(1))
#define TY_BARRIER sycl::group_barrier(ty_item.get_group())
#define TY_KERNEL_HEAD(name, lanes)                                                                                   \
    enum { name##_lanes = lanes };                                                                                    \
    static inline void name
#define TY_KERNEL_VALUE(V, value) const V value, const sycl::nd_item<2> &ty_item
#define TY_KERNEL_BODY(lanes) { enum { LANES = lanes };

FUNCTION(u32) f32_bits(f32 x) { return sycl::bit_cast<u32>(x); }
FUNCTION(f32) f32_of_bits(u32 bits) { return sycl::bit_cast<f32>(bits); }
#define BIT_LENGTH(x) (32u - (u32)sycl::clz((u32)(x)))

#define TY_HAS_F64 0

#include "kernel/gpu.h"

/* A launch: buffers in the order of the parameters, the struct of values, groups in x and y. */
typedef void (*ty_sycl_function)(sycl::queue &queue, void *const *buffers, const void *value, u32 groups_x, u32 groups_y);

typedef struct ty_sycl_kernel {
    const char *name; /* NULL ends a list */
    ty_sycl_function launch;
} ty_sycl_kernel;

/* One work-group for each group, one work-item for each lane. */
template <int lanes, auto kernel, typename... Parameters, size_t... I>
static void ty_sycl_submit(sycl::queue &queue, void (*)(Parameters...), std::index_sequence<I...>, void *const *buffers,
                           const void *value, u32 groups_x, u32 groups_y) {
    using All = std::tuple<Parameters...>;
    using Value = std::tuple_element_t<sizeof...(I), All>;
    const Value copied = *static_cast<const Value *>(value);
    const std::array<void *, sizeof...(I)> memory = {buffers[I]...};
    const sycl::nd_range<2> range({groups_y, (size_t)groups_x * lanes}, {1, lanes});
    queue.parallel_for(range, [=](sycl::nd_item<2> item) {
        kernel(static_cast<std::tuple_element_t<I, All>>(memory[I])..., copied, item);
    });
}

template <typename... Parameters>
static constexpr size_t ty_sycl_buffers(void (*)(Parameters...)) {
    return sizeof...(Parameters) - 2; /* behind the buffers come the struct of values and the work-item */
}

template <int lanes, auto kernel>
static void ty_sycl_launch(sycl::queue &queue, void *const *buffers, const void *value, u32 groups_x, u32 groups_y) {
    ty_sycl_submit<lanes, kernel>(queue, kernel, std::make_index_sequence<ty_sycl_buffers(kernel)>(), buffers, value,
                                  groups_x, groups_y);
}

#undef KERNEL_ENTRY
#undef KERNEL_LIST
#define KERNEL_ENTRY(name) {#name, ty_sycl_launch<name##_lanes, name>},
#define KERNEL_LIST(room, entries)                                                                                    \
    extern const ty_sycl_kernel room##_sycl_kernels[] = {entries{nullptr, nullptr}};

#endif
