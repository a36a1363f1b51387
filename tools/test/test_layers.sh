#!/bin/sh
# The module order: a good tree passes, and each kind of violation is named with file and line.
. tools/test/lib.sh
check() { sh tools/check_layers.sh "$tree"; }
bad() { fails "$1" "$2" check; rm -f "$tree/$3"; }

law() # rows of the law, one an argument
{
    { printf '# A page\nnum: none\n```sh\nnum: none\n```\n```layers\n'; printf '%s\n' "$@"; printf '```\nmore\n'; } | put docs/house.md
}
good() { law core: 'num: core' 'exec: core num' 'problem: core' 'program: exec problem | num' 'store: core' 'job: store' "$@"; }

good
printf '#include <stdio.h>\nint at_core_do(void);\n' | put include/attest/core.h
printf '#include <attest/core.h>\ntypedef int at_num;\n#define AT_NUM 1\n' | put include/attest/num.h
printf '#include <attest/num.h>\nat_num at_exec(int);\n' | put include/attest/exec.h
echo '#include <attest/core.h>' | put include/attest/problem.h
echo '#include <attest/core.h>' | put include/attest/store.h
echo '#include <arb.h>' | put src/num/flint_compat.h
echo 'int x;' | put src/num/num_internal.h
printf '#include <attest/num.h>\n#include "num_internal.h"\n#include "flint_compat.h"\n' | put src/num/a.c
printf '#include <attest/exec.h>\n#include "../num/flint_compat.h"\nint y = at_core_do() + 1;' | put src/exec/a.c
printf '#include <attest/problem.h>\n#include <attest/exec.h>\n/* at_num\n at_num "*/ char *s = "at_num /*"; // at_num\n' | put src/program/a.c
printf '#include <cmocka.h>\n#include "../num_internal.h"\n#include "help.h"\n' | put src/num/test/test_a.c
printf '#include <cmocka.h>\n#include "../../num/num_internal.h"\n' | put src/exec/test/test_a.c
printf '#include <attest/exec.h>\nint z = AT_NUM;\n' | put src/program/test/test_a.c
echo 'int y;' | put src/num/test/help.h
printf '#include "build_id.h"\n#include <attest/store.h>\n' | put src/job/a.c
printf '#include <attest/exec.h>\n#include "cli.h"\nint a = at_exec(at_core_do());\n' | put cli/main.c
echo 'int z;' | put cli/cli.h
holds 'a good tree' check

printf '\nint c = at_exec(AT_NUM);\n' | put src/program/b.c
bad 'a name of a module that is not in the row' 'src/program/b.c:2: program may not use num (AT_NUM)' src/program/b.c
echo 'int c = at_exec(1);' | put src/num/b.c
bad 'a name from above' 'src/num/b.c:1: num may not use exec (at_exec)' src/num/b.c
printf 'int c = at_core_do();\n' | put src/problem/b.c
holds 'a name of a module that is' check
good 'train: core num'
echo '#include <attest/core.h>' | put src/train/a.c
fails 'an entry that nothing uses' 'docs/house.md:14: train does not use num' check
echo 'at_num n;' | put src/train/test/test_a.c
fails 'and that only a test uses' 'docs/house.md:14: train does not use num' check
good 'train: core | num'
holds 'which has its own place' check
echo 'at_num n;' | put src/train/b.c
bad 'where a source may not look' 'src/train/b.c:1: train may not use num' src/train/b.c
good 'train: core | num exec'
fails 'an entry that no test uses' 'docs/house.md:14: no test of train uses exec' check
rm -r "$tree/src/train"
good 'train:'
fails 'a row without a module' 'docs/house.md:14: there is no module train' check
good 'train: learn' 'learn: core'
fails 'a row that names one below' 'the row of train names learn, which has no row above it' check
good 'num: core'
fails 'two rows of one module' 'num has a row already' check
good 'train core'
fails 'a row that is none' 'docs/house.md:14: a row is' check
good

printf '\n#include <attest/exec.h>\n' | put src/num/b.c
bad 'upwards' 'src/num/b.c:2: num may not use exec' src/num/b.c
echo '#  include   <attest/store.h>' | put src/exec/b.c
bad 'sideways, oddly spaced' 'src/exec/b.c:1: exec may not use store' src/exec/b.c
echo '#include <attest/problem.h>' | put src/exec/b.c
bad 'running knows no problem' 'src/exec/b.c:1: exec may not use problem' src/exec/b.c
echo '#include "../num/num_internal.h"' | put src/exec/b.c
bad 'a private header' 'src/num/num_internal.h is private to num' src/exec/b.c
echo '#include "../exec/e.h"' | put src/core/b.c
echo 'int e;' | put src/exec/e.h
bad 'upwards by path' 'src/core/b.c:1: core may not use exec' src/core/b.c
echo '#include "../src/num/flint_compat.h"' | put cli/b.c
bad 'the command inside the library' 'cli/b.c:1: cli uses the public headers only' cli/b.c
echo '#include <attest/exec.h>' | put src/num/test/test_b.c
bad 'a test above its module' 'src/num/test/test_b.c:1: num may not use exec' src/num/test/test_b.c
echo '#include <cmocka.h>' | put src/num/b.c
bad 'cmocka in the library' '<cmocka.h> is for tests only' src/num/b.c
echo '#include <cairo.h>' | put src/exec/b.c
bad 'cairo outside of picture' 'src/exec/b.c:1: <cairo.h> is for picture only' src/exec/b.c
echo '#include <flint/fmpq.h>' | put src/exec/b.c
bad 'FLINT directly' 'include src/num/flint_compat.h instead' src/exec/b.c
echo '#include "build_id.h"' | put src/report/b.c
bad 'the build id outside of job' 'build_id.h is for job only' src/report/b.c
echo '#include "../num/flint_compat.h"' | put src/nowhere/b.c
bad 'a module without a row' 'module nowhere has no row' src/nowhere/b.c
echo '#include "../../src/num/flint_compat.h"' | put include/attest/exec.h
bad 'a public header with private parts' 'a public header may not include' src/none
finish
