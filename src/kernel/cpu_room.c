/* One room's kernels for one CPU level and sample type. The build compiles this file once for each combination, with
 * SAMPLE_BITS, TY_LEVEL and TY_ROOM_KERNELS (the path of the room's kernels.h) on the command line. */
#include <float.h>

#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "floating-point operations must be rounded to their own type"
#endif

#define TY_TARGET_C
#include TY_ROOM_KERNELS
