/* test_subject.c: what counts as a pair, who finds one by luck, and how it is made simpler.
 *
 * The models are tables (token_table.h). */
#include "token_table.h"

enum { M = 6 };

static const double right[M] = {1, -2, -3, 4, -5, -6}; /* 2x = 0 mod 6: 0 and 3; no two values are equal */
static const double never[M] = {-1, -1, -1, -1, -1, -1};

static at_tri verify(fixture *f, const double *x, const double *y, int n, at_err *why)
{
    at_arena a;
    at_arena_init(&a);
    at_pair p = {.x = {{n, x}, {n, y}}};
    at_answer answer[2];
    at_tri is;
    OK(at_pair_verify(&f->s, &p, &a, &is, answer, why, &err));
    at_arena_release(&a);
    return is;
}

static void test_answers_and_pairs(void **state)
{
    (void)state;
    fixture f;
    at_arena a;
    at_answer y;
    at_err why = {0};
    at_arena_init(&a);
    fixture_init(&f, 1, M, right);
    for (double x = 0; x < M; x++) {
        OK(at_subject_answer(&f.s, &(at_input){1, &x}, &a, &y, &err));
        assert_true(y.correct && y.position == -1 && y.n == 1);
    }
    assert_int_equal(verify(&f, (double[]){0}, (double[]){1}, 1, &why), AT_FALSE);
    assert_non_null(strstr(why.text, "at no position"));
    at_model_release(&f.m);

    fixture_init(&f, 1, M, never);
    double x = 3;
    OK(at_subject_answer(&f.s, &(at_input){1, &x}, &a, &y, &err));
    assert_true(!y.correct && y.position == 0 && y.got[0] == 0 && y.right[0] == 1);
    assert_int_equal(verify(&f, (double[]){0}, (double[]){1}, 1, NULL), AT_TRUE);
    assert_int_equal(verify(&f, (double[]){0}, (double[]){3}, 1, NULL), AT_FALSE); /* the same target */
    at_model_release(&f.m);

    /* The same decision, but not the same value: the model does tell them apart. */
    fixture_init(&f, 1, M, (double[M]){-1, -2, -1, -1, -1, -1});
    assert_int_equal(verify(&f, (double[]){0}, (double[]){1}, 1, NULL), AT_FALSE);
    at_model_release(&f.m);
    at_arena_release(&a);
}

static void test_random_search(void **state)
{
    (void)state;
    fixture f;
    at_random_search r;
    fixture_init(&f, 1, M, right);
    OK(at_refute_random(&f.s, &(at_refute_env){.states = 500}, &r, &err));
    assert_true(r.tried == 500 && !r.wrong && !r.pair);
    assert_int_equal(at_refute_random(&f.s, &(at_refute_env){0}, &r, &err), AT_EINPUT);
    at_model_release(&f.m);
    fixture_init(&f, 3, M, never);
    OK(at_refute_random(&f.s, &(at_refute_env){.states = 500}, &r, &err));
    assert_true(r.tried < 500 && r.wrong && r.pair);
    at_model_release(&f.m);
    fixture_init(&f, 1, M, (double[M]){1, -2, -3, -4, -5, -6}); /* wrong on 3, but no two values are equal */
    OK(at_refute_random(&f.s, &(at_refute_env){.states = 500}, &r, &err));
    assert_true(r.wrong && !r.pair);
    at_model_release(&f.m);
}

static void test_shrinking(void **state)
{
    (void)state;
    fixture f;
    at_arena a;
    at_arena_init(&a);
    fixture_init(&f, 5, M, never);
    /* 4+2 = 0: they differ in three places, one would do */
    double x[2][5] = {{5, 4, 2, 1, 5}, {5, 4, 5, 4, 4}};
    at_pair p = {.x = {{5, x[0]}, {5, x[1]}}};
    at_tri is;
    at_answer answer[2];
    OK(at_pair_verify(&f.s, &p, &a, &is, answer, NULL, &err));
    assert_int_equal(is, AT_TRUE);
    OK(pair_shrink(&f.s, false, 5, &a, &p, &err));
    OK(at_pair_verify(&f.s, &p, &a, &is, answer, NULL, &err));
    assert_int_equal(is, AT_TRUE);
    int differ = 0;
    for (int k = 0; k < 5; k++)
        differ += p.x[0].v[k] != p.x[1].v[k];
    assert_int_equal(differ, 1);
    at_pair one = {.x = {{5, x[0]}}};
    OK(pair_shrink(&f.s, true, 5, &a, &one, &err));
    OK(at_subject_answer(&f.s, &one.x[0], &a, &answer[0], &err));
    assert_false(answer[0].correct);
    at_model_release(&f.m);
    at_arena_release(&a);
}

static bool pair_holds(fixture *f, const double *x, const double *y, int n)
{
    return verify(f, x, y, n, NULL) == AT_TRUE;
}

/* No number that could be made equal is left unequal, and none that could be 0 is left. What is simple stays as it was. */
static void test_shrunk_is_smallest(void **state)
{
    (void)state;
    enum { LENGTH = 5 };
    fixture f;
    int pairs = 0, stays = 0;
    fixture_init(&f, LENGTH, M, (double[M]){-1, -1, -2, -1, -1, -2});
    for (uint64_t seed = 0; seed < 400; seed++) {
        at_rng r = at_rng_at(seed, 4);
        at_arena a;
        double x[2][LENGTH], one[2][LENGTH];
        for (int k = 0; k < 2 * LENGTH; k++)
            x[k / LENGTH][k % LENGTH] = (double)at_rng_below(&r, M);
        if (!pair_holds(&f, x[0], x[1], LENGTH))
            continue;
        at_arena_init(&a);
        at_pair p = {.x = {{LENGTH, x[0]}, {LENGTH, x[1]}}};
        OK(pair_shrink(&f.s, false, 1000, &a, &p, &err));
        assert_true(pair_holds(&f, p.x[0].v, p.x[1].v, LENGTH));
        for (int at = 0; at < LENGTH; at++) {
            for (int k = 0; k < 2; k++) {
                memcpy(one[k], p.x[k].v, sizeof one[k]);
                assert_true(one[k][at] == x[0][at] || one[k][at] == x[1][at] || one[k][at] == 0);
            }
            if (one[0][at] != one[1][at])
                one[1][at] = one[0][at];
            else if (one[0][at] != 0)
                one[0][at] = one[1][at] = 0;
            else
                continue;
            assert_false(pair_holds(&f, one[0], one[1], LENGTH));
        }
        /* again: nothing is left to do; and without a run nothing is done */
        at_pair same = p, idle = {.x = {{LENGTH, x[0]}, {LENGTH, x[1]}}};
        OK(pair_shrink(&f.s, false, 1000, &a, &same, &err));
        OK(pair_shrink(&f.s, false, 0, &a, &idle, &err));
        for (int k = 0; k < 2; k++) {
            assert_memory_equal(same.x[k].v, p.x[k].v, sizeof x[k]);
            assert_memory_equal(idle.x[k].v, x[k], sizeof x[k]);
        }
        pairs++;
        stays += !memcmp(p.x[0].v, x[0], sizeof x[0]) && !memcmp(p.x[1].v, x[1], sizeof x[1]);
        at_arena_release(&a);
    }
    assert_true(pairs > 50 && stays < pairs / 4);
    at_model_release(&f.m);
}

/* copy: position i holds a real and the position it asks for, from 1. A model that takes 0 there as well, and says 1 always. */
static void test_shrunk_stays_in_the_task(void **state)
{
    (void)state;
    const at_task *t = at_task_find("copy");
    at_model m;
    at_params p;
    at_arena a;
    double x[6] = {0.5, 1, -0.25, 2, 0.75, 3};
    at_arena_init(&a);
    at_model_init(&m);
    m.width = m.pos_origin = 1;
    m.n_min = m.n_max = 3;
    m.n_fields = 2;
    m.fields = at_new(&m.arena, at_field, 2);
    m.fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_REAL, .size = 1, .lo = -1, .hi = 1, .embed = {0, 1, -1}};
    m.fields[1] =
        (at_field){.name = "t", .kind = AT_FIELD_INT, .size = 1, .lo = 0, .hi = 3, .embed = {0, 1, -1}};
    m.readout = (at_readout){.kind = AT_READ_RAW, .rows = 1};
    OK(at_model_layout(&m, &err));
    *at_model_data(&m, m.readout.b) = 1;
    at_params_init(&p, t->params, t->n_params);
    OK(at_params_parse(&p, "N=3 M=1", &err));
    at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &p, .tolerance = 0.125};
    at_pair one = {.x = {{3, x}}};
    OK(pair_shrink(&s, true, 1000, &a, &one, &err));
    for (int i = 0; i < 3; i++)
        assert_true(one.x[0].v[2 * i] == 0 && one.x[0].v[2 * i + 1] == 1);
    assert_int_equal(one.x[1].n, 0);
    at_model_release(&m);
    at_arena_release(&a);
}

/* Outputs `same` apart and targets 2 tolerance + same apart: both may be right, so this is no pair yet. The model is half of x. */
static void test_far_enough(void **state)
{
    (void)state;
    const at_task *t = at_task_find("copy");
    at_model m;
    at_params p;
    at_arena a;
    at_answer y[2];
    at_tri is;
    at_arena_init(&a);
    at_model_init(&m);
    m.width = m.n_min = m.n_max = m.pos_origin = 1;
    m.n_fields = 2;
    m.fields = at_new(&m.arena, at_field, 2);
    m.fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_REAL, .size = 1, .lo = -1, .hi = 1, .embed = {0, 1, -1}};
    m.fields[1] =
        (at_field){.name = "t", .kind = AT_FIELD_INT, .size = 1, .lo = 1, .hi = 1, .embed = {0, 1, -1}};
    m.readout = (at_readout){.kind = AT_READ_RAW, .rows = 1};
    OK(at_model_layout(&m, &err));
    *at_model_data(&m, m.fields[0].embed.tensor) = 1;
    *at_model_data(&m, m.readout.w) = 0.5;
    at_params_init(&p, t->params, t->n_params);
    OK(at_params_parse(&p, "N=1 M=1", &err));
    at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &p, .tolerance = 0.25, .same = 0.5};
    double x[2][2] = {{0.5, 1}, {-0.5, 1}};
    at_pair pair = {.x = {{1, x[0]}, {1, x[1]}}};
    OK(at_pair_verify(&s, &pair, &a, &is, y, NULL, &err));
    assert_true(is == AT_FALSE && y[0].correct && y[1].correct);
    s.tolerance = 0.2499999; /* now the targets are too far apart, and one of the two is wrong */
    OK(at_pair_verify(&s, &pair, &a, &is, y, NULL, &err));
    assert_true(is == AT_TRUE && !(y[0].correct && y[1].correct));
    s.same = 0.4999999; /* and now the outputs are */
    OK(at_pair_verify(&s, &pair, &a, &is, y, NULL, &err));
    assert_int_equal(is, AT_FALSE);
    at_model_release(&m);
    at_arena_release(&a);
}

/* y = x is right about prefix-mask of one entry within 0.34, where x is 1/3 at most from 0 or 1, and wrong between. The search mixes
 * real rows, so it comes there; but these are no inputs of the task, and a model that is right is not refuted by them. */
static void test_outside_the_task(void **state)
{
    (void)state;
    const at_task *t = at_task_find("prefix-mask");
    at_model m;
    at_params p;
    at_arena a;
    at_refutation r;
    at_answer y;
    double between = 0.45, inside = 0.25;
    at_arena_init(&a);
    at_model_init(&m);
    m.width = m.n_min = m.n_max = m.pos_origin = 1;
    m.fields = at_new(&m.arena, at_field, 1);
    m.n_fields = 1;
    m.fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_REAL, .size = 1, .lo = -0.5, .hi = 1.5, .embed = {0, 1, -1}};
    m.readout = (at_readout){.kind = AT_READ_RAW, .rows = 1};
    OK(at_model_layout(&m, &err));
    *at_model_data(&m, m.fields[0].embed.tensor) = *at_model_data(&m, m.readout.w) = 1;
    at_params_init(&p, t->params, t->n_params);
    OK(at_params_parse(&p, "N=1 n=1", &err));
    at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &p, .tolerance = 0.34};
    OK(at_refute(&s, &(at_refute_env){.states = 3000, .threads = 1}, "search", &a, &r, &err));
    assert_int_equal(r.refuted, AT_UNKNOWN);
    assert_true(r.attempts[0].states >= 1000);
    OK(at_subject_answer(&s, &(at_input){1, &inside}, &a, &y, &err));
    assert_true(y.correct);
    assert_int_equal(at_subject_answer(&s, &(at_input){1, &between}, &a, &y, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "no input of task prefix-mask"));
    err = (at_err){0};
    s.tolerance = 0.3; /* now it is wrong, and inside the task */
    OK(at_refute(&s, &(at_refute_env){.states = 3000, .threads = 1}, "search", &a, &r, &err));
    assert_int_equal(r.refuted, AT_TRUE);
    assert_true(t->holds(&p, r.pair.x[0].v));
    at_model_release(&m);
    at_arena_release(&a);
}

/* ---- chains ------------------------------------------------------------------------------------------------- */

static int echo_one(const void *self)
{
    (void)self;
    return 1;
}

static at_status echo_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                             at_err *e)
{
    (void)self, (void)n, (void)e;
    rows[0] = prompt[0];
    *n_rows = 1;
    return AT_OK;
}

static const at_chain echo = {
    .id = "echo", .row_width = echo_one, .prompt_max = echo_one, .rows_max = echo_one, .answer = echo_answer};

/* One token comes, the same should be written; all logits are value[token], a tie: the first token is written, with margin 0. Whether two
 * prompts are a pair is a matter of their values. */
static void test_ties_of_decoders(void **state)
{
    (void)state;
    const double value[3] = {1, 2, 1}, zero = 0, one = 1, two = 2;
    at_model m;
    at_arena a;
    at_answer y[2];
    at_tri is;
    at_err why = {0};
    at_arena_init(&a);
    at_model_init(&m);
    m.width = m.n_min = m.pos_origin = 1;
    m.n_max = 2;
    m.fields = at_new(&m.arena, at_field, 1);
    m.n_fields = 1;
    m.fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = 3, .embed = {0, 1, -1}};
    m.readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = 3};
    m.decode =
        (at_decode){.enabled = true, .stop = AT_STOP_STEPS, .max_steps = 1, .prompt_min = 1, .prompt_max = 1};
    OK(at_model_layout(&m, &err));
    memcpy(at_model_data(&m, m.fields[0].embed.tensor), value, sizeof value);
    for (int r = 0; r < 3; r++)
        at_model_data(&m, m.readout.w)[r] = 1;
    at_subject s = {.m = &m, .arith = at_f64, .chain = &echo};
    at_pair p = {.x = {{1, &zero}, {1, &one}}};
    OK(at_pair_verify(&s, &p, &a, &is, y, &why, &err));
    assert_true(y[0].n == 1 && y[1].n == 1 && y[0].got[0] == y[1].got[0] && y[0].value[0] == y[1].value[0]);
    assert_int_equal(is, AT_FALSE);
    assert_string_equal(why.text, "the two prompts are continued differently");
    p.x[1].v = &two;
    OK(at_pair_verify(&s, &p, &a, &is, y, &why, &err));
    assert_int_equal(is, AT_TRUE);
    at_model_release(&m);
    at_arena_release(&a);
}

static void test_what_does_not_fit(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 3, M, never);
    at_subject s = f.s;
    s.arith = (at_arith){AT_BALL, 128, 0};
    assert_int_equal(at_subject_check(&s, &err), AT_EREFUSED);
    err = (at_err){0};
    OK(at_params_set(&f.p, "N", 4, &err));
    assert_int_equal(at_subject_check(&f.s, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "lengths 3..3"));
    err = (at_err){0};
    s = f.s;
    s.chain = &at_chain_stream;
    assert_int_equal(at_subject_check(&s, &err), AT_EINPUT);
    at_model_release(&f.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_and_pairs),
        cmocka_unit_test(test_random_search),
        cmocka_unit_test(test_shrinking),
        cmocka_unit_test(test_shrunk_is_smallest),
        cmocka_unit_test(test_shrunk_stays_in_the_task),
        cmocka_unit_test(test_far_enough),
        cmocka_unit_test(test_outside_the_task),
        cmocka_unit_test(test_ties_of_decoders),
        cmocka_unit_test(test_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
