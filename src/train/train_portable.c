/* train_portable.c: the training pass in plain C, for any machine. */
#include "train_internal.h"

#include "../num/vec.h"

#define FLOAT 1
#include "train_pass.inc"
const train_kernel train_portable_f = KERNEL("portable");
#include "train_undef.inc"
#define FLOAT 0
#include "train_pass.inc"
const train_kernel train_portable_d = KERNEL("portable");
