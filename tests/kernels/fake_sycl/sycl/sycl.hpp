/* Just enough of SYCL's names for a plain C++ compiler to check the kernel texts' types. */
#ifndef FAKE_SYCL_HPP
#define FAKE_SYCL_HPP

#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace sycl {

template <int dimensions>
struct group {};

template <int dimensions>
struct nd_item {
    size_t get_group(int) const { return 0; }
    group<dimensions> get_group() const { return {}; }
    size_t get_local_id(int) const { return 0; }
};

template <int dimensions>
struct range {
    range(size_t, size_t) {}
};

template <int dimensions>
struct nd_range {
    nd_range(range<dimensions>, range<dimensions>) {}
};

struct queue {
    /* The real one asks this of what it copies to the device. */
    template <typename Kernel>
    void parallel_for(nd_range<2>, Kernel kernel) {
        static_assert(std::is_trivially_copyable_v<Kernel>);
        kernel(nd_item<2>{});
    }
};

template <int dimensions>
void group_barrier(group<dimensions>) {}

inline unsigned clz(unsigned x) { return x ? (unsigned)__builtin_clz(x) : 32; }

template <typename To, typename From>
To bit_cast(const From &from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

namespace ext::oneapi {
template <typename T, typename Group>
T *group_local_memory_for_overwrite(Group) {
    static T memory;
    return &memory;
}
} // namespace ext::oneapi

} // namespace sycl

#endif
