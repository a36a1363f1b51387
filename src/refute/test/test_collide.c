/* test_collide.c: birthday search, against the pairs of a quadratic search and with planted ones. */
#include "../collide.h"
#include "../../core/test/test_scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static at_err err;
#define OK(call)                                                                                             \
    do {                                                                                                     \
        err = (at_err){0};                                                                                   \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

/* State of item i: its number in `bytes` bytes, mixed, modulo `range` (0: all different); item `twin` has that of `of`. */
typedef struct {
    size_t bytes;
    uint64_t range, seed, twin, of;
    uint64_t bad;    /* item whose state fails; 0: none */
    uint64_t target; /* pairs whose items are equal modulo this are of no use; 0: all are of use */
    uint64_t late;   /* with target 1: pairs are of use when the second is this item or a later one */
    atomic_uint_least64_t calls;
} world;

static uint64_t value(const world *w, uint64_t i)
{
    if (i == w->twin)
        i = w->of;
    at_rng r = at_rng_at(w->seed, i);
    return w->range ? at_rng_below(&r, w->range) : i;
}

static at_status state_write(void *ctx, int worker, uint64_t i, void *out, at_err *e)
{
    world *w = ctx;
    assert_true(worker >= 0 && worker < 4);
    atomic_fetch_add(&w->calls, 1);
    if (w->bad && i >= w->bad)
        return at_fail(e, AT_EREFUSED, "no state for %llu", (unsigned long long)i);
    ;
    uint64_t v = value(w, i);
    memset(out, 0x5a, w->bytes);
    memcpy((char *)out + (w->bytes > 8 ? w->bytes - 8 : 0), &v, w->bytes < 8 ? w->bytes : 8);
    return AT_OK;
}

static bool other_target(void *ctx, uint64_t i, uint64_t k)
{
    const world *w = ctx;
    assert_true(i < k && value(w, i) == value(w, k));
    return w->late ? k >= w->late : i % w->target != k % w->target;
}

static at_collide_job job_of(world *w, uint64_t count)
{
    return (at_collide_job){.ctx = w,
                            .count = count,
                            .bytes = w->bytes,
                            .state = state_write,
                            .useful = w->target ? other_target : NULL};
}

/* The slow twin. */
static at_collision quadratic(const world *w, uint64_t count)
{
    at_collision c = {.states = count};
    for (uint64_t k = 0; k < count; k++)
        for (uint64_t i = 0; i < k; i++)
            if (value(w, i) == value(w, k)) {
                if (!w->target || other_target((void *)w, i, k))
                    return (at_collision){true, i, k, k + 1, c.useless, 0, 0};
                c.useless++;
            }
    return c;
}

static void same(const at_collision *a, const at_collision *b)
{
    assert_int_equal(a->found, b->found);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->second, b->second);
    assert_int_equal(a->states, b->states);
    assert_int_equal(a->useless, b->useless);
}

/* Random worlds small enough for all pairs: every number of threads, all fingerprints or few, with and without a filter. */
static void test_all_pairs(void **state)
{
    (void)state;
    static const uint64_t masks[] = {UINT64_MAX, 0xff, (uint64_t)0x7 << 58, 0};
    int found = 0, none = 0, useless = 0;
    for (uint64_t k = 0; k < 300; k++) {
        at_rng r = at_rng_at(7, k);
        uint64_t count = 1 + at_rng_below(&r, 400);
        world w = {.bytes = 1 + at_rng_below(&r, 24),
                   .seed = k,
                   .range = (uint64_t)1 << (3 + at_rng_below(&r, 18)),
                   .twin = UINT64_MAX,
                   .target = at_rng_below(&r, 3)};
        if (w.bytes < 3)
            w.range = 256;
        at_collide_job j = job_of(&w, count);
        at_collision want = quadratic(&w, count), got;
        if (want.useless > 32) /* no more of a state than are kept */
            continue;
        for (int threads = 1; threads <= 3; threads++) {
            OK(at_collide_masked(&j, &(at_refute_env){.threads = threads}, masks[k % 4], &got, &err));
            same(&got, &want);
        }
        found += want.found;
        none += !want.found;
        useless += want.useless > 0;
    }
    assert_true(found > 40 && none > 20 && useless > 10);
}

/* Eight fingerprints of equally spaced places: runs that go round the end of a part, which then grows; of many equal
 * states the first is still met first. */
static void test_order_kept(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < TEST_SCALED(1000); k++) {
        world w = {.bytes = 8, .seed = k, .range = 16, .twin = UINT64_MAX, .target = 1, .late = 100};
        at_collide_job j = job_of(&w, 128);
        at_collision want = quadratic(&w, 128), got;
        OK(at_collide_masked(&j, &(at_refute_env){.threads = 1}, (uint64_t)0x7 << 53, &got, &err));
        same(&got, &want);
    }
}

/* The last of 300,000 items is the only twin; states of 8 bytes and of more than 8. */
static void test_planted(void **state)
{
    (void)state;
    static const size_t bytes[] = {8, 8, 40, 1000};
    static const uint64_t of[] = {0, 299998, 123456, 7};
    uint64_t n = 300000;
    for (int k = 0; k < 4; k++)
        for (int threads = 1; threads <= 3; threads++) {
            world w = {.bytes = bytes[k], .twin = n - 1, .of = of[k]};
            at_collide_job j = job_of(&w, n);
            at_collision c;
            OK(at_collide(&j, &(at_refute_env){.threads = threads}, &c, &err));
            same(&c, &(at_collision){.found = true, .first = of[k], .second = n - 1, .states = n});
            assert_true(atomic_load(&w.calls) == n + 2); /* only the twins are computed again */
            assert_true(c.bytes > 15 * n && c.bytes < 17 * n);
            j.count = n - 1;
            OK(at_collide(&j, &(at_refute_env){.threads = threads}, &c, &err));
            same(&c, &(at_collision){.states = n - 1});
        }
}

/* With 12 bits of fingerprint nearly all items agree with another; none of them is reported but the true twin. */
static void test_false_agreement(void **state)
{
    (void)state;
    uint64_t n = 10000;
    for (int high = 0; high < 2; high++)
        for (int threads = 1; threads <= 3; threads++) {
            world w = {.bytes = 12, .twin = n - 1, .of = 4321};
            at_collide_job j = job_of(&w, n);
            at_collision c;
            uint64_t mask = high ? (uint64_t)0xfff << 52 : 0xfff;
            OK(at_collide_masked(&j, &(at_refute_env){.threads = threads}, mask, &c, &err));
            same(&c, &(at_collision){.found = true, .first = 4321, .second = n - 1, .states = n});
        }
}

/* A table that is full ends the search with what was looked at, everywhere at the same item. */
static void test_memory(void **state)
{
    (void)state;
    uint64_t n = 1000000, looked = 0;
    for (size_t memory = (size_t)64 << 10; memory <= (size_t)4 << 20; memory *= 8)
        for (int threads = 1; threads <= 3; threads++) {
            world w = {.bytes = 8, .twin = n - 1};
            at_collide_job j = job_of(&w, n);
            at_collision c;
            OK(at_collide(&j, &(at_refute_env){.threads = threads, .memory = memory}, &c, &err));
            assert_false(c.found);
            assert_true(c.bytes <= memory);
            /* 15 bytes a state where parts are even; with 16 places each the fullest has three times the mean */
            assert_true(c.states >= memory / 60 && c.states <= memory / 15);
            assert_true(threads == 1 || c.states == looked);
            looked = c.states;
            /* a twin among those is found all the same, one behind them is not */
            w.twin = looked - 1;
            OK(at_collide(&j, &(at_refute_env){.threads = threads, .memory = memory}, &c, &err));
            same(&c, &(at_collision){.found = true, .first = 0, .second = looked - 1, .states = looked});
            w.twin = looked + 1;
            OK(at_collide(&j, &(at_refute_env){.threads = threads, .memory = memory}, &c, &err));
            assert_false(c.found);
            assert_true(c.states == looked);
        }
}

/* All states equal and no pair of use: the search goes on, at a bounded price an item, and finds the odd one. */
static void test_one_state(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        uint64_t n = 50000;
        world w = {.bytes = 9, .range = 1, .twin = UINT64_MAX, .target = 1};
        at_collide_job j = job_of(&w, n);
        at_collision c;
        OK(at_collide(&j, &(at_refute_env){.threads = threads}, &c, &err));
        same(&c, &(at_collision){.states = n, .useless = 64 * 63 / 2 + (n - 64) * 64});
        w.target = n - 1; /* 0 and n - 1 are equal modulo it: of use is the first pair */
        OK(at_collide(&j, &(at_refute_env){.threads = threads}, &c, &err));
        same(&c, &(at_collision){.found = true, .first = 0, .second = 1, .states = 2});
    }
}

static void tick(void *ctx, const char *what, double done, double total)
{
    double *last = ctx;
    assert_string_equal(what, "states");
    assert_true(done > *last && done <= total);
    *last = done;
}

static void test_budget(void **state)
{
    (void)state;
    world w = {.bytes = 8, .twin = UINT64_MAX};
    at_collide_job j = job_of(&w, 1000000);
    at_collision c;
    double last = 0;
    at_progress p = {tick, &last};
    at_refute_env env = {.threads = 2, .states = 7777, .progress = &p};
    OK(at_collide(&j, &env, &c, &err));
    assert_false(c.found);
    assert_true(c.states == 7777 && (uint64_t)last == c.states);
    env = (at_refute_env){.threads = 2, .states = 1234};
    OK(at_collide(&j, &env, &c, &err));
    same(&c, &(at_collision){.states = 1234});
    assert_true(at_refute_over(&env, 1234, 0) && !at_refute_over(&env, 1233, 1e300));
    assert_true(at_refute_over(&(at_refute_env){.work = 1}, 0, 1));
    assert_false(at_refute_over(&(at_refute_env){.work = 1}, UINT64_MAX, 0.5));
    assert_false(at_refute_over(&(at_refute_env){0}, UINT64_MAX, 1e300));
}

/* A state that fails is told in its own words, unless a pair comes before it. */
static void test_failures(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        world w = {.bytes = 8, .twin = UINT64_MAX, .bad = 77777};
        at_collide_job j = job_of(&w, 1000000);
        at_refute_env env = {.threads = threads};
        at_collision c;
        err = (at_err){0};
        assert_int_equal(at_collide(&j, &env, &c, &err), AT_EREFUSED);
        assert_string_equal(err.text, "no state for 77777");
        assert_true(c.states == 77777);
        w.twin = 77776;
        w.of = 3;
        OK(at_collide(&j, &env, &c, &err));
        same(&c, &(at_collision){.found = true, .first = 3, .second = 77776, .states = 77777});
    }
    world w = {.bytes = 8};
    at_collide_job j = job_of(&w, 0);
    at_collision c;
    OK(at_collide(&j, &(at_refute_env){0}, &c, &err));
    same(&c, &(at_collision){0});
    j.count = 5;
    j.bytes = 0;
    assert_int_equal(at_collide(&j, &(at_refute_env){0}, &c, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "0 bytes"));
    j.bytes = 8;
    err = (at_err){0};
    assert_int_equal(at_collide(&j, &(at_refute_env){.memory = 1000}, &c, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "65536"));
}

static void test_out_of_memory(void **state)
{
    (void)state;
    int failed = 0;
    for (int threads = 1; threads <= 2; threads++)
        for (long nth = 1;; nth++) {
            world w = {.bytes = 16, .twin = 4999, .of = 100};
            at_collide_job j = job_of(&w, 5000);
            at_collision c;
            at_err said = {0};
            at_alloc_inject(nth);
            at_status st = at_collide(&j, &(at_refute_env){.threads = threads}, &c, &said);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            if (!fired) {
                assert_int_equal(st, AT_OK);
                assert_true(c.found && c.first == 100 && c.second == 4999);
                break;
            }
            assert_int_equal(st, AT_ENOMEM);
            assert_string_equal(said.text, "out of memory");
            assert_false(c.found);
            failed++;
        }
    assert_true(failed > 500);
}

static at_status cancel_at(void *ctx, int worker, uint64_t i, void *out, at_err *e)
{
    if (i == 5000)
        at_cancel_request();
    return state_write(ctx, worker, i, out, e);
}

static void test_cancel(void **state) /* last: it cannot be taken back */
{
    (void)state;
    world w = {.bytes = 8, .twin = UINT64_MAX};
    at_collide_job j = job_of(&w, 1000000000);
    j.state = cancel_at;
    at_collision c;
    err = (at_err){0};
    assert_int_equal(at_collide(&j, &(at_refute_env){.threads = 2}, &c, &err), AT_ECANCEL);
    assert_string_equal(err.text, "interrupted");
    assert_true(!c.found && c.states < 20000);
    assert_true(at_refute_over(&(at_refute_env){0}, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_kept),    cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_planted),       cmocka_unit_test(test_false_agreement),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_one_state),
        cmocka_unit_test(test_budget),        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
