/* test_balls.c: every model of the catalogue at small parameters, in balls and against derived bounds.
 *
 * The ball at 128 bits must contain the value at 200 bits, and be small; what f64 gives, by the reference
 * and by the fast executor, must lie in the bound that is an induction over its operations. */
#include "../../exec/exec_internal.h"
#include "claim_test.h"

#define INPUTS 25

static void input_draw(const point *c, uint64_t i, double *x)
{
    at_rng r = at_rng_at(23, i);
    (i % 2 ? c->t->adversarial : c->t->sample)(&c->tp, &r, x);
}

static at_output run(const point *c, const char *arith, const double *x, at_arena *a)
{
    at_arith ar;
    at_output y;
    at_input in = {c->n, x};
    OK(at_arith_parse(arith, &ar, &err));
    OK(at_run(&c->m, ar, &in, NULL, a, &y, &err));
    return y;
}

/* Both midpoints are rounded to doubles; each radius covers that. */
static void test_balls_contain(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_catalogue; k++) {
        if (at_catalogue[k]->chain || at_catalogue[k]->trial) /* decoders round every row: test_chains.c */
            continue;
        point c = small_point(k);
        for (uint64_t i = 0; i < INPUTS; i++) {
            at_arena a;
            at_arena_init(&a);
            double *x = at_new(&a, double, c.n *c.row);
            input_draw(&c, i, x);
            at_output low = run(&c, "ball128", x, &a), high = run(&c, "ball200", x, &a);
            for (int j = 0; j < low.n * low.rows; j++) {
                assert_true(low.radius[j] <= 0x1p-20);
                assert_true(fabs(low.value[j] - high.value[j]) <= low.radius[j] + high.radius[j]);
            }
            at_arena_release(&a);
        }
        point_release(&c);
    }
}

/* The real value is within the rounding bound's ball too, which says that the bound is about this model. */
static void test_f64_in_bound(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_catalogue; k++) {
        if (at_catalogue[k]->chain || at_catalogue[k]->trial) /* decoders round every row: test_chains.c */
            continue;
        double widest = 0, widest_any = 0;
        point c = small_point(k);
        at_exec *e;
        at_scratch *scratch;
        OK(at_exec_new(&c.m, at_f64, c.n, &e, &err));
        OK(at_scratch_new(e, &scratch, &err));
        for (uint64_t i = 0; i < INPUTS; i++) {
            at_arena a;
            at_arena_init(&a);
            double *x = at_new(&a, double, c.n *c.row);
            input_draw(&c, i, x);
            at_input in = {c.n, x};
            at_output strict, any, ball = run(&c, "ball128", x, &a), f64 = run(&c, "f64", x, &a);
            OK(at_run_bound(&c.m, at_f64, &in, false, &a, &strict, &err));
            OK(at_run_bound(&c.m, at_f64, &in, true, &a, &any, &err));
            double *fast = at_new(&a, double, c.n *f64.rows);
            at_exec_run(e, scratch, x, 1, fast);
            for (int j = 0; j < f64.n * f64.rows; j++) {
                assert_true(fabs(f64.value[j] - strict.value[j]) <= strict.radius[j]);
                assert_true(fabs(fast[j] - any.value[j]) <= any.radius[j]);
                assert_true(fabs(ball.value[j] - strict.value[j]) <= strict.radius[j] + ball.radius[j]);
                widest = fmax(widest, strict.radius[j]);
                widest_any = fmax(widest_any, any.radius[j]);
            }
            at_arena_release(&a);
        }
        print_message("%s: an f64 run is within %.2g, in any order %.2g\n", c.claim->id, widest, widest_any);
        assert_true(widest < 0.01); /* narrow enough to say something */
        at_scratch_free(scratch);
        at_exec_free(e);
        point_release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_balls_contain),
                                       cmocka_unit_test(test_f64_in_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
