/* train_avx2.c: the training pass for AVX2 and FMA (compiled with -mavx2 -mfma). */
#include "train_internal.h"

#include "../num/vec.h"

#if defined(__x86_64__)
#define FLOAT 1
#include "train_pass.inc"
const train_kernel train_avx2_f = KERNEL("avx2");
#include "train_undef.inc"
#define FLOAT 0
#include "train_pass.inc"
const train_kernel train_avx2_d = KERNEL("avx2");
#endif
