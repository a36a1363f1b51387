/* plain_portable.c: the pass through any plain model in plain C, for any machine. */
#include "plain.h"

#include <stdlib.h>

#include "../num/vec.h"

#define FLOAT 1
#include "plain_pass.inc"
const plain_kernel plain_portable_f = {work_size_f, sequence_f};
#include "plain_undef.inc"
#define FLOAT 0
#include "plain_pass.inc"
const plain_kernel plain_portable_d = {work_size_d, sequence_d};
