/* test_file_named.c: writers that are killed where the system has no nameless files. There the new file has a name from the
 * start, so a kill leaves it behind, and the next writer in that folder must remove it. */
#define _GNU_SOURCE
#include <fcntl.h>
#undef O_TMPFILE
#define at_file_write   named_write
#define at_file_read    named_read
#define at_file_read_if named_read_if
#include "../file.c"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "test_folder.h"

static int parts(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        n += part_is(e->d_name);
    closedir(d);
    return n;
}

static void test_killed_writers(void **state)
{
    (void)state;
    at_err err = {0};
    static char large[1 << 20];
    char place[TEST_FOLDER], path[TEST_PATH], *data;
    size_t n;
    int seen = 0;
    assert_true(test_folder_new(place));
    snprintf(path, sizeof path, "%s/file", place);
    assert_int_equal(named_write(path, "old", 3, &err), AT_OK);
    for (int i = 0; i < 1000 && !(seen > 2 && i >= 20); i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
            for (;;)
                named_write(path, large, sizeof large, NULL);
        usleep((useconds_t)(1000 + i % 20 * 100));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        assert_true(parts(place) <= 1); /* one that the last kill left; those before it are gone */
        seen += parts(place);
        assert_int_equal(named_read(path, sizeof large, &data, &n, &err), AT_OK);
        assert_true(n == sizeof large || (n == 3 && !strcmp(data, "old")));
        at_free(data);
        if (i % 2) {
            assert_int_equal(named_write(path, "old", 3, &err), AT_OK);
            assert_int_equal(parts(place), 0);
        }
    }
    assert_true(seen > 0); /* some were killed while they wrote */
    assert_int_equal(named_write(path, "old", 3, &err), AT_OK);
    unlink(path);
    assert_int_equal(rmdir(place), 0); /* nothing else was left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed_writers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
