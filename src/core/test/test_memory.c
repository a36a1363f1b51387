/* test_memory.c: status, allocation with injected failures, arenas. */
#include <attest/core.h>

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void test_fail_keeps_the_first(void **state)
{
    (void)state;
    at_err err = {0};
    assert_int_equal(at_fail(&err, AT_EINPUT, "first %d", 1), AT_EINPUT);
    assert_int_equal(at_fail(&err, AT_EIO, "second"), AT_EIO); /* says its own code, keeps the first words */
    assert_int_equal(err.code, AT_EINPUT);
    assert_string_equal(err.text, "first 1");
    assert_int_equal(at_fail(NULL, AT_EBUDGET, "nobody listens"), AT_EBUDGET);
    assert_int_equal(at_oom(NULL), AT_ENOMEM);
}

static void test_fail_is_one_harmless_line(void **state)
{
    (void)state;
    at_err err = {0};
    /* ESC, newline, DEL, C1 CSI (U+009B), C1 U+0080, U+009F; é (C3 A9) and U+00A0 (C2 A0) stay, a cut C2 does not */
    at_fail(&err, AT_EINPUT, "%s",
            "a\x1b[2J\nb\x7f"
            "c\xc2\x9b"
            "31md\xc2\x80\xc2\x9f\xc3\xa9\xc2\xa0\xc2");
    assert_string_equal(err.text, "a?[2J?b?c?31md??\xc3\xa9\xc2\xa0?");
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    at_err cut = {0};
    at_fail(&cut, AT_EINPUT, "%s", longer);
    assert_int_equal(strlen(cut.text), sizeof cut.text - 1);
}

static void test_exit_codes(void **state)
{
    (void)state;
    assert_int_equal(at_exit_code(AT_OK), 0);
    for (at_status s = AT_EINPUT; s <= AT_EIO; s++)
        assert_int_equal(at_exit_code(s), 2);
    for (at_status s = AT_ENOMEM; s <= AT_ECANCEL; s++)
        assert_int_equal(at_exit_code(s), 3);
    assert_int_equal(at_tri_and(AT_TRUE, AT_UNKNOWN), AT_UNKNOWN);
    assert_int_equal(at_tri_and(AT_UNKNOWN, AT_FALSE), AT_FALSE);
    assert_int_equal(at_tri_and(AT_TRUE, AT_TRUE), AT_TRUE);
}

static void test_injection(void **state)
{
    (void)state;
    at_alloc_inject(2);
    void *a = at_malloc(10), *b = at_calloc(2, 5), *c = at_malloc(10);
    assert_true(a && !b && c);
    assert_true(at_alloc_injected());
    at_alloc_inject(1);
    assert_false(at_alloc_injected());
    void *kept = at_realloc(a, 1000); /* refused: the old block is still ours */
    assert_null(kept);
    assert_true(at_alloc_injected());
    at_alloc_inject(0);
    at_free(a);
    at_free(c);
    at_alloc_ceiling(100);
    assert_null(at_malloc(101));
    a = at_malloc(100);
    assert_non_null(a);
    at_alloc_ceiling(0);
    at_free(a);
    assert_null(at_calloc(SIZE_MAX / 2, 3));
    assert_null(at_calloc_large(SIZE_MAX));                   /* rounded up it would be nothing */
    for (size_t n = 1; n <= (size_t)5 << 20; n = 3 * n + 7) { /* small pages, and large ones */
        unsigned char *large = at_calloc_large(n);
        assert_non_null(large);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(large[i], 0);
        memset(large, 1, n);
        at_free(large);
        at_alloc_inject(1);
        assert_null(at_calloc_large(n));
        assert_true(at_alloc_injected());
        at_alloc_inject(0);
    }
    a = at_malloc(0);
    assert_non_null(a);
    at_free(a);
}

#if defined __linux__ && !defined __SANITIZE_ADDRESS__
static double resident_mib(void)
{
    long all, here = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &all, &here), 2);
    fclose(f);
    return (double)here * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

/* Pages of 2 MiB are not taken for what would leave much of them unused. Under a sanitizer there are none. */
static void test_large_pages_filled(void **state)
{
    (void)state;
    enum { BLOCKS = 16 };
    const struct {
        double mib, most;
    } sizes[] = {{1.1, 1.4}, {3.1, 3.6}, {3.9, 4.1}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        void *p[BLOCKS];
        double before = resident_mib();
        for (int i = 0; i < BLOCKS; i++)
            assert_non_null(p[i] = at_calloc_large((size_t)(sizes[k].mib * 1048576)));
        assert_true(resident_mib() - before <= BLOCKS * sizes[k].most + 2);
        for (int i = 0; i < BLOCKS; i++)
            at_free(p[i]);
    }
}
#endif

static void test_arena_blocks(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    unsigned char *p[300], *last = NULL;
    size_t n[300];
    for (int k = 0; k < 300; k++) { /* sizes across chunk boundaries */
        n[k] = (size_t)(k * 37 % 5000);
        p[k] = at_arena_alloc(&a, n[k], 1);
        assert_non_null(p[k]);
        assert_true((uintptr_t)p[k] % 64 == 0);
        assert_ptr_not_equal(p[k], last); /* even of size 0 */
        last = p[k];
        for (size_t i = 0; i < n[k]; i++)
            assert_int_equal(p[k][i], 0);
        memset(p[k], k % 251 + 1, n[k]);
    }
    for (int k = 0; k < 300; k++)
        for (size_t i = 0; i < n[k]; i++)
            assert_int_equal(p[k][i], k % 251 + 1); /* nobody wrote over anybody */
    assert_null(at_arena_alloc(&a, SIZE_MAX / 2, 4));
    assert_null(at_arena_alloc(&a, SIZE_MAX - 10, 1));
    at_arena_release(&a);
    assert_null(a.head);
}

static void test_arena_marks(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_mark none = at_arena_mark(&a);
    int *x = at_new(&a, int, 4);
    memset(x, 0xff, 4 * sizeof *x);
    at_mark m = at_arena_mark(&a);
    char *y = at_arena_alloc(&a, 1000, 1);
    memset(y, 1, 1000);
    char *far = at_arena_alloc(&a, 1 << 20, 1); /* a chunk of its own */
    far[0] = 1;
    at_arena_reset(&a, m);
    char *again = at_arena_alloc(&a, 1000, 1);
    assert_ptr_equal(again, y); /* the same room, zeroed when it is handed out */
    for (int i = 0; i < 1000; i++)
        assert_int_equal(again[i], 0);
    assert_int_equal(x[3], -1);
    at_arena_reset(&a, none);
    assert_null(a.head);
    at_arena_release(&a);
}

static void test_arena_strings_and_failures(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    assert_string_equal(at_arena_strdup(&a, ""), "");
    assert_string_equal(at_arena_printf(&a, "%s-%03d", "name", 7), "name-007");
    at_alloc_inject(1);
    assert_null(at_arena_alloc(&a, 1 << 20, 1));
    at_alloc_inject(1);
    char big[20000];
    memset(big, 'z', sizeof big - 1);
    big[sizeof big - 1] = 0;
    assert_null(at_arena_strdup(&a, big));
    at_alloc_inject(1);
    assert_null(at_arena_printf(&a, "%s", big));
    at_alloc_inject(0);
    assert_string_equal(at_arena_strdup(&a, big), big); /* still usable */
    at_arena_release(&a);
}

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

/* Whatever goes beside a block of an arena is seen, as beside one of malloc: blocks of every size up to two lines
 * and one that fills its chunk, one after the other, and what a mark has taken back. */
static void test_arena_blocks_end(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_mark start = {0};
    for (size_t n = 1; n <= 130; n++) {
        char *p = at_arena_alloc(&a, n, 1);
        assert_null(__asan_region_is_poisoned(p, n));
        assert_true(__asan_address_is_poisoned(p + n));
        if (n == 64)
            start = at_arena_mark(&a);
    }
    char *last = at_arena_alloc(&a, 1, 8), *large = at_arena_alloc(&a, 1 << 20, 1);
    assert_null(__asan_region_is_poisoned(large, 1 << 20));
    assert_true(__asan_address_is_poisoned(large + (1 << 20)));
    at_arena_reset(&a, start);
    assert_true(__asan_address_is_poisoned(last));
    char *again = at_arena_alloc(&a, 65, 1);
    assert_null(__asan_region_is_poisoned(again, 65));
    assert_true(__asan_address_is_poisoned(again + 65));
    at_arena_release(&a);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fail_keeps_the_first),
        cmocka_unit_test(test_fail_is_one_harmless_line),
        cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_injection),
#if defined __linux__ && !defined __SANITIZE_ADDRESS__
        cmocka_unit_test(test_large_pages_filled),
#endif
        cmocka_unit_test(test_arena_blocks),
        cmocka_unit_test(test_arena_marks),
#ifdef __SANITIZE_ADDRESS__
        cmocka_unit_test(test_arena_blocks_end),
#endif
        cmocka_unit_test(test_arena_strings_and_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
