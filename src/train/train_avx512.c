/* train_avx512.c: the training pass for AVX-512 (compiled with -mavx512f and what goes with it). */
#include "train_internal.h"

#include "../num/vec.h"

#if defined(__x86_64__)
#define FLOAT 1
#include "train_pass.inc"
const train_kernel train_avx512_f = KERNEL("avx512");
#include "train_undef.inc"
#define FLOAT 0
#include "train_pass.inc"
const train_kernel train_avx512_d = KERNEL("avx512");
#endif
