/* test_golden.h: what a test made against a file of the repository, line by line. For the tests of all modules.
 *
 *     golden_check("src/bound/test/sheets.txt", made.s, argc > 1);
 *
 * Such a file shows that nothing changed unnoticed; that it is right is shown by other tests. After a change that is meant, the test
 * program called with --write writes it anew, to be read before it is kept. */
#ifndef ATTEST_TEST_GOLDEN_H
#define ATTEST_TEST_GOLDEN_H

#include <attest/core.h>

#include <stdio.h>
#include <string.h>

static inline bool golden_asked(int argc, char **argv)
{
    return argc > 1 && !strcmp(argv[1], "--write");
}

static inline void golden_check(const char *path, const char *made, bool write)
{
    char *file;
    size_t size, k = 0, line = 1;
    at_err err = {0};
    if (write) {
        FILE *f = fopen(path, "w");
        assert_true(f && fputs(made, f) >= 0 && !fclose(f));
    }
    if (at_file_read(path, 1 << 20, &file, &size, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; made[i] && made[i] == file[i]; i++)
        if (made[i] == '\n') {
            k = i + 1;
            line++;
        }
    if (strcmp(made, file))
        fail_msg("%s:%zu: expected \"%.*s\", got \"%.*s\"", path, line, (int)strcspn(file + k, "\n"),
                 file + k, (int)strcspn(made + k, "\n"), made + k);
    at_free(file);
}

#endif
