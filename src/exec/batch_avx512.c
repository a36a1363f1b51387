/* batch_avx512.c: batched decoding for AVX-512 (compiled with -mavx512f and what goes with it). */
#include "batch.h"

#include "../num/vec.h"

#if defined(__x86_64__)
#define FLOAT 1
#include "batch.inc"
const batch_kernel batch_avx512_f = KERNEL("avx512");
#include "batch_undef.inc"
#define FLOAT 0
#include "batch.inc"
const batch_kernel batch_avx512_d = KERNEL("avx512");
#endif
