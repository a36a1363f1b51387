/* plain_avx512.c: the pass through any plain model for AVX-512 (compiled with -mavx512f and what goes with it). */
#include "plain.h"

#include <stdlib.h>

#include "../num/vec.h"

#if defined(__x86_64__)
#define FLOAT 1
#include "plain_pass.inc"
const plain_kernel plain_avx512_f = {work_size_f, sequence_f};
#include "plain_undef.inc"
#define FLOAT 0
#include "plain_pass.inc"
const plain_kernel plain_avx512_d = {work_size_d, sequence_d};
#endif
