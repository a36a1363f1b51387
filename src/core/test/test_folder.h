/* test_folder.h: where tests write: a new folder under TMPDIR, under /tmp without one. For the tests of all modules. */
#ifndef ATTEST_TEST_FOLDER_H
#define ATTEST_TEST_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

enum { TEST_FOLDER = 256, TEST_PATH = TEST_FOLDER + 64 }; /* room for the folder, and for a file in it */

static inline const char *test_root(void)
{
    const char *root = getenv("TMPDIR");
    return root && *root ? root : "/tmp";
}

/* NULL: there is no such place. */
static inline char *test_folder_new(char out[TEST_FOLDER])
{
    int n = snprintf(out, TEST_FOLDER, "%s/attest-XXXXXX", test_root());
    return n < TEST_FOLDER ? mkdtemp(out) : NULL;
}

#endif
