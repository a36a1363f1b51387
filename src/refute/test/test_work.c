/* test_work.c: budgets are work: what is looked at, and what is found, depends on the seed alone.
 *
 * The models are tables (token_table.h): match2 of length 1 over M tokens, answered from the token's own value. */
#include "token_table.h"

#include <pthread.h>
#include <stdatomic.h>

enum { M = 4096 };

/* Right on every token but `wrong` (-1: on all). */
static void fixture_wrong(fixture *f, int wrong)
{
    double value[M];
    for (int x = 0; x < M; x++)
        value[x] = (2 * x % M == 0) != (x == wrong) ? x + 1 : -(x + 1);
    fixture_init(f, 1, M, value);
}

static void *spin(void *stop)
{
    while (!atomic_load((atomic_bool *)stop))
        ;
    return NULL;
}

static void outcome_equal(const at_refutation *a, const at_refutation *b)
{
    assert_int_equal(a->refuted, b->refuted);
    assert_int_equal(a->n_attempts, b->n_attempts);
    assert_true(a->work == b->work);
    assert_true(a->random.tried == b->random.tried && a->random.wrong == b->random.wrong);
    for (int k = 0; k < a->n_attempts; k++) {
        assert_int_equal(a->attempts[k].status, b->attempts[k].status);
        assert_true(a->attempts[k].states == b->attempts[k].states);
        assert_true(a->attempts[k].work == b->attempts[k].work);
        assert_string_equal(a->attempts[k].words, b->attempts[k].words);
    }
    if (a->refuted == AT_TRUE)
        assert_true(a->pair.x[0].v[0] == b->pair.x[0].v[0] && a->position == b->position);
}

/* One wrong token among 4096 takes thousands of inputs: whether it is met is decided by the budget, not by the clock. */
static void test_busy(void **state)
{
    (void)state;
    int refuted = 0;
    for (int wrong = -1; wrong < 1000; wrong += 143) {
        fixture f;
        at_arena a;
        at_refutation quiet, busy, more;
        fixture_wrong(&f, wrong);
        at_arena_init(&a);
        at_refute_env env = {.work = 6e6, .seed = 3, .threads = 1};
        OK(at_refute(&f.s, &env, NULL, &a, &quiet, &err));
        atomic_bool stop = false;
        pthread_t thread[8];
        for (int k = 0; k < 8; k++)
            assert_int_equal(pthread_create(&thread[k], NULL, spin, &stop), 0);
        env.threads = 3;
        at_status st = at_refute(&f.s, &env, NULL, &a, &busy, &err);
        atomic_store(&stop, true);
        for (int k = 0; k < 8; k++)
            pthread_join(thread[k], NULL);
        OK(st);
        outcome_equal(&quiet, &busy);
        refuted += quiet.refuted == AT_TRUE;
        assert_true(wrong >= 0 || quiet.refuted == AT_UNKNOWN);
        env.work = 2e8; /* enough for every one of them */
        OK(at_refute(&f.s, &env, NULL, &a, &more, &err));
        assert_int_equal(more.refuted, wrong < 0 ? AT_UNKNOWN : AT_TRUE);
        if (wrong >= 0)
            assert_true(more.pair.x[0].v[0] == wrong && more.position == 0 && more.wrong == 0);
        at_arena_release(&a);
        at_model_release(&f.m);
    }
    assert_true(refuted > 0 && refuted < 7); /* the small budget is one that matters */
}

/* What is spent is what is allowed, to one input. */
static void test_spent(void **state)
{
    (void)state;
    fixture f;
    at_arena a;
    fixture_wrong(&f, -1);
    at_arena_init(&a);
    double cost = work_of_input(&f.s);
    assert_true(cost == WORK_STATE + 1 * 1 * (1 + 1)); /* one embedded number, one that is read */
    for (double work = 1; work < 1e7; work *= 10) {
        at_refutation r;
        at_random_search luck;
        OK(at_refute(&f.s, &(at_refute_env){.work = work, .seed = 1, .threads = 1}, "search", &a, &r, &err));
        const at_attempt *t = &r.attempts[0];
        assert_true(t->states == (uint64_t)ceil(work / cost));
        assert_true(t->work == (double)t->states * cost && r.work == t->work);
        OK(at_refute_random(&f.s, &(at_refute_env){.work = work, .seed = 1}, &luck, &err));
        assert_true(luck.tried == (uint64_t)fmax(floor(work / cost), 1));
    }
    at_arena_release(&a);
    at_model_release(&f.m);
}

/* The count against the formulas, part by part: T positions, D width, H heads. */
static void test_count(void **state)
{
    (void)state;
    at_model m;
    at_model_init(&m);
    at_group g = {.heads = 2, .dk = 3, .dv = 5};
    at_dense dense[2] = {{.rows = 7}, {.rows = 4}};
    at_block b[4] = {{.kind = AT_BLOCK_ATTN, .groups = &g, .n_groups = 1},
                     {.kind = AT_BLOCK_MLP, .dense = dense, .n_dense = 2},
                     {.kind = AT_BLOCK_RNN, .rnn = {.cell = AT_CELL_GRU, .state = 6}},
                     {.kind = AT_BLOCK_FLATTEN, .dense = dense, .n_dense = 1}};
    m.width = 4;
    m.n_prefix = 1;
    m.n_max = 9;
    m.readout.rows = 2;
    double T = 10, D = 4, ends = WORK_STATE + T * D * 2;
    assert_true(work_of_rows(&m, 9) == ends);
    m.n_blocks = 1;
    m.blocks = &b[0];
    assert_true(work_of_rows(&m, 9) == ends + T * 2 * D * 2 * (3 + 5) + T * T * 2 * (3 + 5));
    g.weighting = AT_THREEWISE;
    assert_true(work_of_rows(&m, 9) == ends + T * 2 * D * 3 * (3 + 5) + T * (T + T * T) * 2 * (3 + 2 * 5));
    m.blocks = &b[1];
    assert_true(work_of_rows(&m, 9) == ends + T * (D * 7 + 7 * 4));
    m.blocks = &b[2];
    assert_true(work_of_rows(&m, 9) == ends + T * (3 * 6 * (D + 6) + D * 6));
    m.blocks = &b[3];
    assert_true(work_of_rows(&m, 9) == ends + T * D * 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_spent),
        cmocka_unit_test(test_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
