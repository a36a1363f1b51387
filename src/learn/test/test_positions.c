/* test_positions.c: tasks learnt at positions, in their own numbers: what is drawn, what is judged, what comes out.
 *
 * The control of an exam: a net that was not trained, the same net taught wrong answers, and the model that is right must come out apart;
 * and what an exam says of all inputs is what a check says of them. */
#include "learn_test.h"

#include <attest/check.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"

static at_source *positions_of(const char *id, const char *params)
{
    const at_task *t = at_task_find(id);
    at_params p;
    at_source *d;
    at_params_init(&p, t->params, t->n_params);
    err = (at_err){0};
    must(at_params_parse(&p, params, &err));
    must(at_source_of_positions(t, &p, &d, &err));
    return d;
}

/* Wrong inputs among all, by a check. */
static at_verdict checked(const at_model *m, const at_source *d, at_enum how, at_arena *a)
{
    at_verdict v;
    const at_question q = {.evidence = AT_EV_EXACT,
                           .how = how,
                           .arith = at_f32,
                           .tolerance = at_task_tolerance(d->task, &d->p),
                           .count_all = true,
                           .plain = true};
    must(at_check(m, d->task, &d->p, &q, &(at_check_env){.threads = 1}, a, &v, &err));
    return v;
}

/* Every kind of net takes every kind of task, and what comes out fits the task. */
static void every_task(void **state)
{
    (void)state;
    static const char *const nets[] = {"softmax",    "threewise", "unit", "attention",
                                       "three-wise", "tanh",      "gru",  "ffn"};
    for (int k = 0; k < at_n_tasks; k++) {
        const at_task *t = at_tasks[k];
        at_params p;
        at_source *d;
        at_params_init(&p, t->params, t->n_params);
        err = (at_err){0};
        if (t->length)
            must(at_params_set(&p, "N", t->length(&p), &err));
        must(at_source_of_positions(t, &p, &d, &err));
        at_recipe r =
            recipe_of("width=8 layers=1 heads=1 steps=2 rate=0.001 batch=3 exams=0 count=8 warmup=0");
        at_text net;
        at_text_init(&net);
        at_text_addf(&net, "net=%s", nets[k % 8]);
        must(at_recipe_set(&r, net.s, &err));
        at_text_release(&net);
        at_arena a;
        at_arena_init(&a);
        at_outcome o;
        at_model m;
        must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &a, &o, &m, &err));
        must(at_task_fits(t, &p, &m, &err));
        assert_non_null(m.problem);
        assert_true(!strncmp(m.problem, t->id, strlen(t->id)));
        assert_true(o.exam.positions == o.exam.count * (t->last ? 1 : (uint64_t)at_params_int(&p, "N")));
        assert_true(o.exam.real == t->real && o.exam.square > 0);
        at_model_release(&m);
        at_arena_release(&a);
        at_source_free(d);
    }
}

/* match2 by one softmax head: all inputs right, by the exam and by a check; untrained, most are wrong. */
static void match2(void **state)
{
    (void)state;
    at_source *d = positions_of("match2", "N=4 M=7");
    for (int trained = 0; trained < 2; trained++) {
        at_recipe r = recipe_of("net=softmax width=8 rate=0.01 batch=32 exams=0 count=100");
        must(at_recipe_set(&r, trained ? "steps=1000" : "steps=1 rate=0", &err));
        at_arena a;
        at_arena_init(&a);
        at_outcome o;
        at_model m;
        must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &a, &o, &m, &err));
        assert_true(m.width == 8 && m.n_pos == 0 && m.n_suffix == 1 && at_model_symmetric(&m));
        at_verdict v = checked(&m, d, AT_ENUM_MULTISETS, &a);
        assert_true(o.exam.whole && o.exam.count == v.inputs && o.exam.count - o.exam.answers == v.wrong);
        print_message("match2 %s: %d of %d inputs wrong\n", trained ? "trained" : "random", (int)v.wrong,
                      (int)v.inputs);
        assert_true(trained ? v.wrong == 0 : v.wrong > v.inputs / 2);
        at_model_release(&m);
        at_arena_release(&a);
    }
    at_source_free(d);
}

static void cancel_told(void *ctx, const char *what, double done, double total)
{
    (void)ctx, (void)total;
    if (!strncmp(what, "train", 5) && done >= 150)
        at_cancel_request();
}

/* Real answers: the exam's mean square is that of the inputs it draws, whatever the threads; learning lowers it below what the mean
 * answer has, and a state on the way changes nothing. */
static void qsa(void **state)
{
    (void)state;
    at_source *d = positions_of("qsa", "N=5 q=2 d=2");
    char path[TEST_PATH];
    snprintf(path, sizeof path, "%.200s/attest-positions-%d", test_root(), (int)getpid());
    at_outcome o[4];
    at_model m[4];
    at_arena a;
    at_arena_init(&a);
    for (int k = 0; k < 4; k++) {
        at_recipe r = recipe_of("net=unit width=14 rate=0.03 steps=400 batch=16 exams=200 count=64");
        if (k == 0)
            must(at_recipe_set(&r, "steps=1 rate=0", &err));
        at_learn_options l = {.threads = k == 2 ? 3 : 1, .state = k == 3 ? path : NULL};
        if (k == 3) { /* a part of it, then the rest from the state */
            const at_progress stop = {cancel_told, NULL};
            l.progress = &stop;
            pid_t child = fork(); /* a request stays */
            if (!child)
                _exit(at_learn(d, &r, &l, &a, &o[3], NULL, &err) == AT_ECANCEL ? 0 : 1);
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            assert_int_equal(access(path, F_OK), 0);
            l.progress = NULL;
        }
        must(at_learn(d, &r, &l, &a, &o[k], &m[k], &err));
        print_message("qsa: mean square %.4g, trivial %.4g, right %.3f\n", o[k].exam.square,
                      o[k].exam.trivial, at_exam_answer(&o[k].exam));
    }
    assert_true(o[0].exam.square > 0.8 * o[0].exam.trivial && at_exam_answer(&o[0].exam) < 0.5);
    assert_true(o[1].exam.square < 0.2 * o[1].exam.trivial && o[1].exam.tolerance == 0.25);
    for (int k = 2; k < 4; k++) {
        assert_int_equal(m[1].n_weights, m[k].n_weights);
        assert_memory_equal(m[1].weights, m[k].weights, m[1].n_weights * sizeof(double));
        assert_true(o[1].exam.square == o[k].exam.square && o[1].exam.right == o[k].exam.right);
    }
    for (int k = 0; k < 4; k++)
        at_model_release(&m[k]);
    at_arena_release(&a);
    at_source_free(d);
    unlink(path);
}

static void refused(const at_source *d, const char *recipe, const at_model *from, const char *words)
{
    at_arena a;
    at_arena_init(&a);
    at_outcome o;
    at_recipe r = recipe_of(recipe);
    err = (at_err){0};
    assert_true(at_learn(d, &r, &(at_learn_options){.threads = 1, .from = from}, &a, &o, NULL, &err) !=
                AT_OK);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
    at_arena_release(&a);
    err = (at_err){0};
}

static void refusals(void **state)
{
    (void)state;
    at_source *d = positions_of("match2", "N=3 M=5"), *other = positions_of("qsa", "N=3 q=1 d=1"),
              *rows = source_of("parity", "n=4");
    at_arena a;
    at_arena_init(&a);
    at_outcome o;
    at_model m;
    at_recipe r = recipe_of("net=softmax width=4 steps=1 exams=0 count=4");
    refused(d, "steps=1", NULL, "a decoder writes tokens");
    refused(rows, "net=unit steps=1", NULL, "learns at positions");
    must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &a, &o, &m, &err));
    refused(other, "steps=1", &m, "qsa");
    at_model_release(&m);
    at_source_free(d);
    at_source_free(other);
    at_source_free(rows);
    at_arena_release(&a);
    /* nothing can learn at no position */
    const at_task *t = at_task_find("majority");
    at_params none;
    at_params_init(&none, t->params, t->n_params);
    must(at_params_set(&none, "N", 0, &err));
    assert_int_equal(at_source_of_positions(t, &none, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "task majority: N is 0, so nothing can learn it"));
    /* what a text sets beside the net stays; what it does not, becomes that of a theorem */
    r = recipe_of("heads=2 net=threewise");
    assert_true(r.arch.heads == 2 && r.arch.layers == 1 && r.arch.dropout == 0 && r.arch.token_range == 1);
    must(at_recipe_set(&r, "layers=3", &err));
    assert_true(r.arch.heads == 2 && r.arch.layers == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_task), cmocka_unit_test(match2),
                                       cmocka_unit_test(qsa), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
