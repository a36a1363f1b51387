/* fast_avx2.c: the fast kernels for AVX2 and FMA (compiled with -mavx2 -mfma). */
#include "fast.h"

#include "../num/vec.h"

#if defined(__x86_64__)
#define FLOAT 1
#include "fast_kernels.inc"
#undef FLOAT
#define FLOAT 0
#include "fast_kernels.inc"

const fast_kernel fast_avx2_f = {"avx2", AT_LANES_f, AT_VEC_BYTES, run_f, fold_f, exps_f};
const fast_kernel fast_avx2_d = {"avx2", AT_LANES_d, AT_VEC_BYTES, run_d, fold_d, exps_d};
#endif
