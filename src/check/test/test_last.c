/* test_last.c: tasks of which only the last position is answered: one answer an input is compared, counterexamples name
 * that position and are prompts of the task, and models of the other shape are refused in words. */
#include "check_test.h"

/* g(f(x)) by two look-ups; layers 1: f(x) only. every: outputs at every position. */
static subject composition(int n, int layers, bool every)
{
    subject s = {.N = 2 * n + 1};
    at_program *P = at_program_new("composition", s.N);
    at_program_lengths(P, s.N);
    at_var x = at_number(P, "x", at_token(P, "x", n)), value = x;
    at_copier *c = at_copier_new(P, &(at_copying){.length = s.N});
    for (int l = 0; l < layers; l++)
        value =
            at_copy_standard(c, "value", at_sum(P, NULL, AT_VEC(value), NULL, l * n + 1), AT_VEC(x), true);
    (every ? at_emit : at_emit_last)(P, AT_VEC(value), AT_READ_ROUND, 0);
    OK(at_assemble(P, &s.m, NULL, &err));
    at_copier_free(c);
    at_program_free(P);
    s.t = at_task_find("compose");
    at_params_init(&s.p, s.t->params, s.t->n_params);
    OK(at_params_set(&s.p, "n", n, &err));
    OK(at_params_set(&s.p, "N", s.N, &err));
    return s;
}

static void test_right_models_hold(void **state)
{
    (void)state;
    static const char *const arith[] = {"f64", "f32", "p16", "ball"};
    for (int n = 1; n <= 3; n++)
        for (int k = 0; k < 4; k++) {
            at_arena a;
            at_arena_init(&a);
            subject s = composition(n, 2, false);
            at_verdict v = check(&s, AT_EV_EXACT, AT_ENUM_SEQUENCES, arith[k], 0, 1, &a);
            assert_int_equal(v.holds, AT_TRUE);
            assert_int_equal(v.inputs, (int)pow(n, 2 * n + 1));
            v = check(&s, AT_EV_SAMPLED, 0, arith[k], 100, 2, &a);
            assert_int_equal(v.holds, AT_TRUE);
            at_model_release(&s.m);
            at_arena_release(&a);
        }
}

static void test_wrong_models_do_not(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    for (int n = 2; n <= 5; n++) {
        subject s = composition(n, 1, false);
        at_verdict v = check(&s, AT_EV_SAMPLED, 0, n % 2 ? "f64" : "p20", 200, 1, &a);
        assert_int_equal(v.holds, AT_FALSE);
        assert_true(v.has_counterexample);
        assert_int_equal(v.cx.n, s.N); /* no position can be left out */
        assert_int_equal(v.cx.position, s.N - 1);
        double answer, nonzero = 0;
        for (int i = 0; i < s.N; i++) {
            assert_true(v.cx.x[i] >= 0 && v.cx.x[i] < n);
            nonzero += v.cx.x[i] != 0;
        }
        s.t->answer(&s.p, v.cx.x, &answer);
        assert_true(answer == v.cx.expected && v.cx.got != answer);
        assert_true(v.cx.got == v.cx.x[(int)v.cx.x[s.N - 1]]); /* f(x) */
        assert_true(nonzero <= 2);                             /* shrunk: nearly all is 0 */
        at_model_release(&s.m);
    }
    at_arena_release(&a);
}

static void refused(const subject *s, const char *words)
{
    at_arena a;
    at_arena_init(&a);
    at_question q = {.evidence = AT_EV_SAMPLED, .arith = at_f64, .limit = 10};
    at_verdict v;
    at_err err = {0};
    assert_int_equal(at_check(&s->m, s->t, &s->p, &q, &(at_check_env){0}, &a, &v, &err), AT_EINPUT);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
    at_arena_release(&a);
}

static void test_other_shapes(void **state)
{
    (void)state;
    subject every = composition(3, 2, true), last = composition(3, 2, false), pair = pairs(7, 3, 1);
    refused(&every, "task compose answers the last position only, the model every position");
    last.t = pair.t; /* match2 at N=7 */
    last.p = pair.p;
    refused(&last, "task match2 answers every position, the model the last one only");
    pair.t = every.t;
    pair.p = every.p;
    refused(&pair, "the last position only");
    at_model_release(&every.m);
    at_model_release(&last.m);
    at_model_release(&pair.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right_models_hold),
                                       cmocka_unit_test(test_wrong_models_do_not),
                                       cmocka_unit_test(test_other_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
