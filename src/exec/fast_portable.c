/* fast_portable.c: the fast kernels in plain C, for any machine. */
#include "fast.h"

#include "../num/vec.h"

#define FLOAT 1
#include "fast_kernels.inc"
#undef FLOAT
#define FLOAT 0
#include "fast_kernels.inc"

const fast_kernel fast_portable_f = {"portable", AT_LANES_f, AT_VEC_BYTES, run_f, fold_f, exps_f};
const fast_kernel fast_portable_d = {"portable", AT_LANES_d, AT_VEC_BYTES, run_d, fold_d, exps_d};
