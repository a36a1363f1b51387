/* test_file.c: files are read whole, and written whole or not at all. Everything happens in a fresh directory. */
#define _GNU_SOURCE
#include <attest/core.h>

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "test_folder.h"

static char place[TEST_FOLDER], path[TEST_PATH];

static int directory_new(void **state)
{
    (void)state;
    if (!test_folder_new(place))
        return -1;
    snprintf(path, sizeof path, "%s/file", place);
    return 0;
}

static int entries(void)
{
    int n = 0;
    DIR *d = opendir(place);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static int directory_end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(place); /* fails when anything else was left behind */
}

static void holds(const char *text)
{
    char *data;
    size_t n;
    at_err err = {0};
    assert_int_equal(at_file_read(path, 1 << 20, &data, &n, &err), AT_OK);
    assert_int_equal(n, strlen(text));
    assert_string_equal(data, text);
    at_free(data);
}

static void test_write_and_read(void **state)
{
    (void)state;
    at_err err = {0};
    assert_int_equal(at_file_write(path, "old", 3, &err), AT_OK);
    holds("old");
    assert_int_equal(at_file_write(path, "", 0, &err), AT_OK);
    holds("");
    assert_int_equal(at_file_write(path, "newer", 5, &err), AT_OK);
    holds("newer");
    assert_int_equal(entries(), 1);
    mode_t mask = umask(0);
    umask(mask);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
    size_t big = 300000; /* more than the first buffer */
    char *bytes = at_malloc(big), *data;
    for (size_t i = 0; i < big; i++)
        bytes[i] = (char)(i * 7);
    size_t n;
    assert_int_equal(at_file_write(path, bytes, big, &err), AT_OK);
    assert_int_equal(at_file_read(path, big, &data, &n, &err), AT_OK);
    assert_true(n == big && memcmp(data, bytes, big) == 0 && data[n] == 0);
    at_free(data);
    assert_int_equal(at_file_read(path, big - 1, &data, &n, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "300000 bytes, at most 299999 are allowed"));
    at_free(bytes);
}

/* A write that fails half way: the old file stays, the temporary one goes. */
static void test_failing_write(void **state)
{
    (void)state;
    at_err err = {0}, none = {0};
    assert_int_equal(at_file_write(path, "old", 3, &none), AT_OK);
    struct rlimit was, small = {4096, 0};
    getrlimit(RLIMIT_FSIZE, &was);
    small.rlim_max = was.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    static char large[100000];
    at_status st = at_file_write(path, large, sizeof large, &err);
    setrlimit(RLIMIT_FSIZE, &was);
    signal(SIGXFSZ, handler);
    assert_int_equal(st, AT_EIO);
    assert_non_null(strstr(err.text, "file: File too large"));
    holds("old");
    assert_int_equal(entries(), 1);
    at_alloc_inject(1);
    at_err oom = {0};
    assert_int_equal(at_file_write(path, "x", 1, &oom), AT_ENOMEM);
    at_alloc_inject(0);
    holds("old");
    char *data;
    size_t n;
    at_err oom2 = {0};
    at_alloc_inject(1);
    assert_int_equal(at_file_read(path, 10, &data, &n, &oom2), AT_ENOMEM);
    at_alloc_inject(0);
}

static void test_places_that_cannot_be_written(void **state)
{
    (void)state;
    char missing[TEST_PATH];
    snprintf(missing, sizeof missing, "%s/none/file", place);
    at_err a = {0}, b = {0}, c = {0};
    assert_int_equal(at_file_write(missing, "x", 1, &a), AT_EIO);
    assert_non_null(strstr(a.text, "none/file: No such file or directory"));
    assert_int_equal(at_file_write(place, "x", 1, &b), AT_EIO);
    assert_non_null(strstr(b.text, ": is a directory"));
    assert_int_equal(at_file_write("/dev/full", "x", 1, &c), AT_EIO);
    assert_string_equal(c.text, "/dev/full: No space left on device");
    assert_int_equal(entries(), 0);
}

/* What is probed says what writing would say, changes nothing and leaves nothing. */
static void test_probe(void **state)
{
    (void)state;
    at_err err = {0};
    char other[TEST_PATH];
    assert_int_equal(at_file_probe(path, &err), AT_OK);
    assert_int_equal(entries(), 0);
    assert_int_equal(at_file_write(path, "old", 3, &err), AT_OK);
    assert_int_equal(at_file_probe(path, &err), AT_OK);
    assert_int_equal(at_file_probe("/dev/null", &err), AT_OK);
    holds("old");
    char longest[300];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    const char *const names[] = {"none/file", "file/below", "link", longest, "", "none/"};
    snprintf(other, sizeof other, "%s/link", place);
    assert_int_equal(symlink("none/file", other), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        at_err probed = {0}, written = {0};
        snprintf(other, sizeof other, "%s/%s", place, names[i]);
        assert_int_equal(at_file_write(other, "x", 1, &written), AT_EIO);
        assert_int_equal(at_file_probe(other, &probed), AT_EIO);
        assert_string_equal(probed.text, written.text);
    }
    at_err oom = {0};
    at_alloc_inject(1);
    assert_int_equal(at_file_probe(path, &oom), AT_ENOMEM);
    at_alloc_inject(0);
    snprintf(other, sizeof other, "%s/link", place);
    unlink(other);
    assert_int_equal(entries(), 1);
}

/* Two names of one file, whether it is there or not. */
static void test_same(void **state)
{
    (void)state;
    char link[TEST_PATH], name[TEST_PATH];
    snprintf(link, sizeof link, "%s/link", place);
    assert_int_equal(symlink("file", link), 0);
    char around[TEST_PATH];
    snprintf(around, sizeof around, "../%s/file", strrchr(place, '/') + 1);
    const struct {
        const char *name;
        bool same;
    } rows[] = {{"file", true}, {"./file", true}, {"link", true},      {around, true},
                {"fil", false}, {"other", false}, {"none/file", false}};
    for (int there = 0; there < 2; there++) {
        at_err err = {0};
        if (there)
            assert_int_equal(at_file_write(path, "x", 1, &err), AT_OK);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            snprintf(name, sizeof name, "%s/%s", place, rows[i].name);
            assert_int_equal(at_file_same(path, name), rows[i].same);
            assert_int_equal(at_file_same(name, path), rows[i].same);
        }
    }
    unlink(link);
}

static mode_t mode_of(const char *file)
{
    struct stat st;
    assert_int_equal(lstat(file, &st), 0);
    return st.st_mode & (S_IFMT | 07777);
}

/* An existing file keeps its mode; a new one's is what the umask leaves. */
static void test_modes(void **state)
{
    (void)state;
    at_err err = {0};
    static const mode_t modes[] = {0600, 0640, 0666, 0444, 0755};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(at_file_write(path, "a", 1, &err), AT_OK);
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(at_file_write(path, "b", 1, &err), AT_OK);
        assert_int_equal(mode_of(path), S_IFREG | modes[i]);
        holds("b");
    }
    static const mode_t masks[] = {022, 077, 027, 0};
    mode_t was = umask(0);
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        unlink(path);
        umask(masks[i]);
        assert_int_equal(at_file_write(path, "a", 1, &err), AT_OK);
        assert_int_equal(mode_of(path), S_IFREG | (0666 & ~masks[i]));
    }
    umask(was);
}

/* A link stays a link: the file that it means is written, also through several links, and where it is not there yet. */
static void test_links(void **state)
{
    (void)state;
    at_err err = {0};
    char one[TEST_PATH], two[TEST_PATH], folder[TEST_PATH], inside[TEST_PATH];
    snprintf(one, sizeof one, "%s/one", place);
    snprintf(two, sizeof two, "%s/two", place);
    snprintf(folder, sizeof folder, "%s/folder", place);
    snprintf(inside, sizeof inside, "%s/folder/link", place);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(symlink("file", one), 0);
    assert_int_equal(symlink(one, two), 0);
    assert_int_equal(symlink("../two", inside), 0);
    assert_int_equal(at_file_write(inside, "new", 3, &err), AT_OK);
    holds("new");
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(at_file_write(inside, "secret", 6, &err), AT_OK);
    holds("secret");
    assert_int_equal(mode_of(path), S_IFREG | 0600);
    assert_int_equal(mode_of(one) & S_IFMT, S_IFLNK);
    assert_int_equal(mode_of(two) & S_IFMT, S_IFLNK);
    assert_int_equal(mode_of(inside) & S_IFMT, S_IFLNK);
    unlink(one);
    assert_int_equal(symlink("two", one), 0); /* a circle */
    assert_int_equal(at_file_write(inside, "x", 1, &err), AT_EIO);
    holds("secret");
    unlink(inside);
    rmdir(folder); /* empty: nothing was left in it */
    unlink(one);
    unlink(two);
}

/* A writer that is killed at any moment: the old file or the new one, and once somebody writes again, nothing else. */
static void test_killed_writers(void **state)
{
    (void)state;
    at_err err = {0};
    static char large[1 << 20], *data;
    size_t n;
    assert_int_equal(at_file_write(path, "old", 3, &err), AT_OK);
    for (int i = 0; i < 40; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
            for (;;) {
                at_file_write(path, large, sizeof large, NULL);
                at_file_write(path, "old", 3, NULL);
            }
        usleep((useconds_t)(i * 200));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        assert_int_equal(at_file_read(path, sizeof large, &data, &n, &err), AT_OK);
        assert_true(n == sizeof large || (n == 3 && !strcmp(data, "old")));
        at_free(data);
    }
    assert_int_equal(at_file_write(path, "last", 4, &err), AT_OK);
    assert_int_equal(entries(), 1);
    holds("last");
}

static void file_make(const char *name, int *fd)
{
    char whole[TEST_PATH];
    snprintf(whole, sizeof whole, "%s/%s", place, name);
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    if (fd)
        *fd = dup(fileno(f));
    fclose(f);
}

/* What a dead writer left is removed; what a living one holds, and what only looks like ours, is not. */
static void test_abandoned_parts(void **state)
{
    (void)state;
    at_err err = {0};
    static const char *const others[] = {"attest-0123456789abcdef.part", ".attest-0123456789abcde.part",
                                         ".attest-0123456789abcdeg.part", ".attest-0123456789abcdef.parts"};
    int living;
    file_make(".attest-0123456789abcdef.part", NULL);
    file_make(".attest-00000000000000ff.part", &living);
    assert_int_equal(flock(living, LOCK_EX | LOCK_NB), 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        file_make(others[i], NULL);
    assert_int_equal(entries(), 6);
    assert_int_equal(at_file_write(path, "x", 1, &err), AT_OK);
    assert_int_equal(entries(), 6); /* one less, one more */
    close(living);
    assert_int_equal(at_file_write(path, "y", 1, &err), AT_OK);
    assert_int_equal(entries(), 5);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char whole[TEST_PATH];
        snprintf(whole, sizeof whole, "%s/%s", place, others[i]);
        assert_int_equal(unlink(whole), 0);
    }
}

static size_t looked;

static at_status zeros_refuse(const char *file, const char *first, size_t n, at_err *err)
{
    looked = n;
    return n && !first[0] ? at_fail(err, AT_EINPUT, "%s: zeros", file) : AT_OK;
}

/* An endless file is refused after its first bytes, not after all that are allowed. */
static void test_first_look(void **state)
{
    (void)state;
    char *data;
    size_t n;
    at_err err = {0};
    assert_int_equal(at_file_read_if("/dev/zero", SIZE_MAX / 2, zeros_refuse, &data, &n, &err), AT_EINPUT);
    assert_string_equal(err.text, "/dev/zero: zeros");
    assert_int_equal(looked, 65536);
    static char bytes[200000];
    memset(bytes, 'a', sizeof bytes);
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        at_err none = {0};
        assert_int_equal(at_file_write(path, bytes, sizes[i], &none), AT_OK);
        assert_int_equal(at_file_read_if(path, 200000, zeros_refuse, &data, &n, &none), AT_OK);
        assert_int_equal(n, sizes[i]);
        assert_int_equal(looked, n < 65536 ? n : 65536);
        assert_true(memcmp(data, bytes, n) == 0 && data[n] == 0);
        at_free(data);
    }
}

/* A device stays a device: it is written through, never replaced. */
static void test_devices(void **state)
{
    (void)state;
    at_err err = {0};
    struct stat st;
    assert_int_equal(at_file_write("/dev/null", "x", 1, &err), AT_OK);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    char *data;
    size_t n;
    assert_int_equal(at_file_read("/dev/null", 10, &data, &n, &err), AT_OK);
    assert_int_equal(n, 0);
    at_free(data);
    assert_int_equal(at_file_read("/dev/zero", 100000, &data, &n, &err), AT_EINPUT); /* endless */
    assert_non_null(strstr(err.text, "/dev/zero: more than 100000 bytes"));
    at_err status = {0}; /* says size 0, holds more than 300 bytes */
    assert_int_equal(at_file_read("/proc/self/status", 300, &data, &n, &status), AT_EINPUT);
    assert_int_equal(at_file_read("/proc/self/status", 60000, &data, &n, &(at_err){0}), AT_OK);
    assert_true(n > 300);
    at_free(data);
}

static void test_places_that_cannot_be_read(void **state)
{
    (void)state;
    char *data;
    size_t n;
    at_err a = {0}, b = {0};
    assert_int_equal(at_file_read(path, 10, &data, &n, &a), AT_EIO);
    assert_non_null(strstr(a.text, "file: No such file or directory"));
    assert_int_equal(at_file_read(place, 10, &data, &n, &b), AT_EIO);
    assert_non_null(strstr(b.text, ": is a directory"));
}

#define IN_DIRECTORY(f) cmocka_unit_test_setup_teardown(f, directory_new, directory_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY(test_write_and_read),
        IN_DIRECTORY(test_failing_write),
        IN_DIRECTORY(test_places_that_cannot_be_written),
        IN_DIRECTORY(test_probe),
        IN_DIRECTORY(test_same),
        IN_DIRECTORY(test_modes),
        IN_DIRECTORY(test_links),
        IN_DIRECTORY(test_killed_writers),
        IN_DIRECTORY(test_abandoned_parts),
        IN_DIRECTORY(test_first_look),
        IN_DIRECTORY(test_devices),
        IN_DIRECTORY(test_places_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
