/* test_caches.c: FLINT, Arb and MPFR keep constants and pools for each thread; what threads of at_parallel kept is freed when they end.
 * The constants asked for here take some 270 KiB a thread; 8 KiB a thread are left to the heap's own books. */
#include "../flint_compat.h"

#include <attest/num.h>

#include <malloc.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

enum { THREADS = 8, ROUNDS = 12, KEPT = 8 * 1024 * THREADS * ROUNDS };

/* Constants of 20,000 bits, and large integers for the pool. */
static void work(void *ctx, size_t i, int worker)
{
    (void)ctx, (void)worker;
    arb_t x;
    fmpz_t z;
    arb_init(x);
    fmpz_init(z);
    arb_const_pi(x, 20000);
    arb_exp(x, x, 20000);
    fmpz_ui_pow_ui(z, 3, 20000 + i);
    fmpz_clear(z);
    arb_clear(x);
}

static size_t used_after(int rounds)
{
    at_err err = {0};
    for (int k = 0; k < rounds; k++)
        assert_int_equal(at_parallel(THREADS, 4 * THREADS, work, NULL, &err), AT_OK);
    return mallinfo2().uordblks;
}

static void test_threads_keep_nothing(void **state)
{
    (void)state;
    at_arith a; /* whoever names an arithmetic has the caches watched */
    at_err err = {0};
    assert_int_equal(at_arith_parse("ball", &a, &err), AT_OK);
    size_t few = used_after(2), many = used_after(ROUNDS);
    if (many > few + KEPT)
        fail_msg("%zu bytes in use after 2 rounds of %d threads, %zu after %d more", few, THREADS, many,
                 ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_keep_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
