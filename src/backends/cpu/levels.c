#include "backends/cpu/levels.h"

#include <string.h>

#include "features/rooms.h" /* made by the build: TY_ROOMS(X) is X(psnr) X(psnr_hvs) … */

#define DECLARE_ROOM(room, level)                                                                                     \
    extern const ty_cpu_kernel room##_kernels_8_##level[], room##_kernels_16_##level[];
#define ROOM_ENTRY(room, level) {#room, {room##_kernels_8_##level, room##_kernels_16_##level}},

#define DECLARE_scalar(room) DECLARE_ROOM(room, scalar)
#define ENTRY_scalar(room) ROOM_ENTRY(room, scalar)
TY_ROOMS(DECLARE_scalar)
static const ty_room_kernels scalar_rooms[] = {TY_ROOMS(ENTRY_scalar){0}};

static bool always(void) { return true; }

#if defined(__x86_64__)

#define DECLARE_v2(room) DECLARE_ROOM(room, v2)
#define DECLARE_v3(room) DECLARE_ROOM(room, v3)
#define DECLARE_v4(room) DECLARE_ROOM(room, v4)
#define ENTRY_v2(room) ROOM_ENTRY(room, v2)
#define ENTRY_v3(room) ROOM_ENTRY(room, v3)
#define ENTRY_v4(room) ROOM_ENTRY(room, v4)
TY_ROOMS(DECLARE_v2)
TY_ROOMS(DECLARE_v3)
TY_ROOMS(DECLARE_v4)
static const ty_room_kernels v2_rooms[] = {TY_ROOMS(ENTRY_v2){0}};
static const ty_room_kernels v3_rooms[] = {TY_ROOMS(ENTRY_v3){0}};
static const ty_room_kernels v4_rooms[] = {TY_ROOMS(ENTRY_v4){0}};

/* The features of the psABI's levels that compilers use; the operating system's support is part of the builtin's answer. */
static bool has_v2(void) {
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
}

static bool has_v3(void) {
    return has_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

static bool has_v4(void) {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

const ty_level ty_levels[] = {{"scalar", scalar_rooms, always},
                              {"v2", v2_rooms, has_v2},
                              {"v3", v3_rooms, has_v3},
                              {"v4", v4_rooms, has_v4},
                              {0}};

#elif defined(__aarch64__)

#define DECLARE_neon(room) DECLARE_ROOM(room, neon)
#define ENTRY_neon(room) ROOM_ENTRY(room, neon)
TY_ROOMS(DECLARE_neon)
static const ty_room_kernels neon_rooms[] = {TY_ROOMS(ENTRY_neon){0}};

const ty_level ty_levels[] = {{"scalar", scalar_rooms, always}, {"neon", neon_rooms, always}, {0}};

#else

const ty_level ty_levels[] = {{"scalar", scalar_rooms, always}, {0}};

#endif

const ty_level *ty_level_find(const char *name) {
    const ty_level *found = NULL;
    const bool best = !name || strcmp(name, "auto") == 0;
    for (const ty_level *level = ty_levels; level->name; level++)
        if (best ? level->usable() : strcmp(level->name, name) == 0)
            found = level;
    return found;
}

const ty_cpu_kernel *ty_level_kernel(const ty_level *level, const char *room, const char *kernel,
                                     unsigned sample_bits) {
    for (const ty_room_kernels *r = level->rooms; r->room; r++) {
        if (strcmp(r->room, room) != 0)
            continue;
        for (const ty_cpu_kernel *k = r->for_bits[sample_bits > 8]; k->name; k++)
            if (strcmp(k->name, kernel) == 0)
                return k;
    }
    return NULL;
}
