/* test_threads.c: the parallel loop, progress, cancellation, clocks. */
#include <attest/core.h>

#include <stdarg.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct {
    atomic_int *seen;
    atomic_int bad_worker;
    int threads;
} count;

static void mark(void *ctx, size_t i, int worker)
{
    count *c = ctx;
    atomic_fetch_add(&c->seen[i], 1);
    if (worker < 0 || worker >= c->threads)
        atomic_store(&c->bad_worker, 1);
}

static void test_every_index_once(void **state)
{
    (void)state;
    static const int threads[] = {0, 1, 2, 3, 7, 32, -1};
    static const size_t sizes[] = {0, 1, 2, 31, 100000};
    for (int t = 0; t < 7; t++)
        for (int s = 0; s < 5; s++) {
            count c = {.seen = calloc(sizes[s] + 1, sizeof(atomic_int)),
                       .threads = threads[t] > 0 ? threads[t] : at_cores()};
            at_err err = {0};
            assert_int_equal(at_parallel(threads[t], sizes[s], mark, &c, &err), AT_OK);
            for (size_t i = 0; i < sizes[s]; i++)
                assert_int_equal(atomic_load(&c.seen[i]), 1);
            assert_int_equal(atomic_load(&c.seen[sizes[s]]), 0);
            assert_int_equal(atomic_load(&c.bad_worker), 0);
            free(c.seen);
        }
    at_err err = {0};
    at_alloc_inject(1);
    assert_int_equal(at_parallel(2, 5, mark, NULL, &err), AT_ENOMEM); /* and nothing was called */
    at_alloc_inject(0);
}

static void outer(void *ctx, size_t i, int worker)
{
    (void)worker;
    count *c = ctx;
    count in = {.seen = c->seen + i * 10, .threads = 3};
    if (at_parallel(3, 10, mark, &in, NULL) || atomic_load(&in.bad_worker))
        atomic_store(&c->bad_worker, 1);
}

static void test_nested(void **state)
{
    (void)state;
    static atomic_int seen[200];
    count c = {.seen = seen, .threads = 4};
    assert_int_equal(at_parallel(4, 20, outer, &c, NULL), AT_OK);
    for (int i = 0; i < 200; i++)
        assert_int_equal(atomic_load(&seen[i]), 1);
    assert_int_equal(atomic_load(&c.bad_worker), 0);
}

static void tick(void *ctx, const char *what, double done, double total)
{
    assert_string_equal(what, "work");
    *(double *)ctx = done / total;
}

static void test_progress_clock_cancel(void **state)
{
    (void)state;
    double part = 0;
    at_progress_tick(&(at_progress){tick, &part}, "work", 1, 4);
    assert_true(part == 0.25);
    at_progress_tick(NULL, "work", 1, 4);
    at_progress_tick(&(at_progress){0}, "work", 1, 4);
    double a = at_now(), b = at_now();
    assert_true(b >= a);
    assert_true(at_peak_rss_bytes() > 100000);
    assert_true(at_cores() >= 1);
    assert_false(at_cancel_pending());
    at_cancel_request(); /* last: it cannot be taken back */
    assert_true(at_cancel_pending());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index_once),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_progress_clock_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
