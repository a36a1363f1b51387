#!/bin/sh
# Elementary functions of the C library, and numbers taken apart: named where they are not allowed, and nowhere else.
. tools/test/lib.sh
check() { sh tools/check_constants.sh "$tree"; }
bad() { fails "$1" "$2" check; rm -f "$tree/$3"; }

printf '/* log(2) in a comment,\n * and sin(1) on its second line */\nchar *s = "pow(2, 3)"; // cos(0)\ndouble y = at_log(2) + x.exp(1);\n' | put src/claim/a.c
printf 'double y = erfc(1);\n' | put src/exec/fast_kernels.inc
printf 'double y = sin(1);\n' | put src/claim/test/test_a.c
holds 'a good tree' check
printf '\ndouble y = 2 * log (2);\n' | put src/claim/b.c
bad 'a construction' 'src/claim/b.c:2: log of the C library' src/claim/b.c
printf 'double y = at_log(1) + (sin(1));\n' | put src/core/b.c
bad 'after one that is allowed' 'src/core/b.c:1: sin of the C library' src/core/b.c
printf '/* a */ double y = /* b */ expf(1);\n' | put src/train/b.h
bad 'between comments, in f32' 'src/train/b.h:1: expf of the C library' src/train/b.h
printf 'double y = sin(1);\n' | put src/exec/fast_kernels.inc
bad 'another function than the allowed one' 'src/exec/fast_kernels.inc:1: sin of the C library' src/exec/fast_kernels.inc
printf 'double y = pow(2, 3);\n' | put include/attest/b.h
bad 'a public header' 'include/attest/b.h:1: pow of the C library' include/attest/b.h
printf 'b = (char)(n >> (8 * k));\n' | put include/attest/core.h
holds 'numbers are taken apart in one place' check
printf 'b = (char)(n >> (8 * k));\n' | put src/model/b.c
bad 'and nowhere else' 'src/model/b.c:1: a number in bytes' src/model/b.c
printf 'n |= (size_t)b[k] << 8 * k;\n' | put src/model/b.c
bad 'nor put together' 'src/model/b.c:1: a number in bytes' src/model/b.c
finish
