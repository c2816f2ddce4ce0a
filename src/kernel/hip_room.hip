/* One room's kernels for HIP and one sample type: the build compiles this file once for each, with SAMPLE_BITS and
 * TY_ROOM_KERNELS (the path of the room's kernels.h) on the command line. */
#define TY_TARGET_HIP
#include TY_ROOM_KERNELS
