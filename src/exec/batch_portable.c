/* batch_portable.c: batched decoding in plain C, for any machine. */
#include "batch.h"

#include "../num/vec.h"

#define FLOAT 1
#include "batch.inc"
const batch_kernel batch_portable_f = KERNEL("portable");
#include "batch_undef.inc"
#define FLOAT 0
#include "batch.inc"
const batch_kernel batch_portable_d = KERNEL("portable");
