/* fuzz_check.h: what must hold in a fuzz target; else the run ends with these words.
 *
 *     check(!strcmp(one, two), "printed, read and printed: another text"); */
#ifndef ATTEST_FUZZ_CHECK_H
#define ATTEST_FUZZ_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fuzz_check(bool ok, const char *file, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s: %s\n", file, what);
    abort();
}
#define check(ok, what) fuzz_check(ok, __FILE__, what)

#endif
