/* batch_avx2.c: batched decoding for AVX2 and FMA (compiled with -mavx2 -mfma). */
#include "batch.h"

#include "../num/vec.h"

#if defined(__x86_64__)
#define FLOAT 1
#include "batch.inc"
const batch_kernel batch_avx2_f = KERNEL("avx2");
#include "batch_undef.inc"
#define FLOAT 0
#include "batch.inc"
const batch_kernel batch_avx2_d = KERNEL("avx2");
#endif
