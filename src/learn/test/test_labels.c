/* test_labels.c: rows of labels: a task's positions learnt, and what comes out is a model of the task. */
#include "learn_test.h"

#include <stdlib.h>
#include <string.h>

static at_source *source_of_task(const char *id, const char *params, const at_task **t, at_params *p)
{
    at_source *d;
    *t = at_task_find(id);
    at_params_init(p, (*t)->params, (*t)->n_params);
    err = (at_err){0};
    must(at_params_parse(p, params, &err));
    must(at_source_of_task(*t, p, &d, &err));
    return d;
}

/* Every position has the target that the task gives it: all of them, or the last only. */
static void targets(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"match2", "N=5 M=7"}, {"compose", "n=2 k=2 N=5"}, {"max", "N=3 V=6"}};
    for (size_t k = 0; k < 3; k++) {
        const at_task *t;
        at_params p;
        at_source *d = source_of_task(rows[k][0], rows[k][1], &t, &p);
        int N = at_params_int(&p, "N"), n;
        at_lesson *l;
        const at_train_sequence *row;
        must(at_lesson_new(d, 2, 20, 0, 2, &l, &err));
        must(at_lesson_batch(l, 3, &row, &n, &err));
        for (int i = 0; i < n; i++) {
            double x[8], y[8];
            assert_int_equal(row[i].length, N);
            for (int j = 0; j < N; j++)
                x[j] = row[i].token[j];
            t->answer(&p, x, y);
            for (int j = 0; j < N; j++)
                assert_int_equal(row[i].target[j], !t->last ? (int)y[j] : j + 1 < N ? -1 : (int)*y);
        }
        at_lesson_free(l);
        at_source_free(d);
    }
}

/* How many of all inputs m answers wrongly. */
static uint64_t wrong(const at_model *m, const at_task *t, const at_params *p)
{
    double x[8], y[8];
    uint64_t bad = 0;
    at_arena a;
    at_arena_init(&a);
    at_mark start = at_arena_mark(&a);
    for (uint64_t i = 0; i < t->count(p, AT_ENUM_SEQUENCES); i++) {
        at_output out;
        bool right = true;
        t->nth(p, AT_ENUM_SEQUENCES, i, x);
        t->answer(p, x, y);
        must(at_run(m, at_f32, &(at_input){at_params_int(p, "N"), x}, NULL, &a, &out, &err));
        for (int k = 0; k < out.n; k++)
            right = right && out.decision[k] == y[k];
        bad += !right;
        at_arena_reset(&a, start);
    }
    at_arena_release(&a);
    return bad;
}

/* Nets learn small tasks, answered at the last position and at every one, and what they have become takes the task's
 * inputs: exams and all inputs agree about them. A net that was not trained is wrong on most inputs, and the exam
 * says so. */
static void learns(void **state)
{
    (void)state;
    static const struct {
        const char *task, *size, *recipe;
        uint64_t most; /* wrong inputs of all */
    } rows[] = {
        {"max", "N=3 V=8",
         "width=16 layers=1 heads=1 positions=learned dropout=0 steps=1500 rate=0.01 batch=32", 5},
        {"max", "N=3 V=8", "net=ffn width=8 layers=1 hidden=64 dropout=0 steps=1500 rate=0.01 batch=32", 50},
        {"match2", "N=4 M=5",
         "net=attention width=16 layers=1 heads=2 dropout=0 steps=1500 rate=0.01 batch=32", 5},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int trained = 0; trained < 2; trained++) {
            const at_task *t;
            at_params p;
            at_source *d = source_of_task(rows[k].task, rows[k].size, &t, &p);
            at_recipe r = recipe_of(rows[k].recipe);
            must(at_recipe_set(&r, trained ? "exams=0 count=300" : "exams=0 count=300 steps=1 rate=0", &err));
            at_arena a;
            at_arena_init(&a);
            at_outcome o;
            at_model m;
            must(at_learn(d, &r, &(at_learn_options){.threads = 2}, &a, &o, &m, &err));
            assert_true(m.readout.last == t->last && !m.decode.enabled);
            assert_true(m.n_min == at_params_int(&p, "N") && m.n_max == m.n_min);
            uint64_t bad = wrong(&m, t, &p), all = t->count(&p, AT_ENUM_SEQUENCES);
            print_message("%s %s: %d of %d inputs wrong, exam %.3f\n", t->id, trained ? "trained" : "random",
                          (int)bad, (int)all, at_exam_answer(&o.exam));
            if (trained)
                assert_true(bad <= rows[k].most && at_exam_answer(&o.exam) > 0.9 && !o.exam.unfinished);
            else
                assert_true(bad > all / 2 && at_exam_answer(&o.exam) < 0.5);
            if (trained) { /* and it can be begun with */
                at_outcome again;
                must(at_recipe_set(&r, "steps=2 rate=0 warmup=0", &err));
                must(at_learn(d, &r, &(at_learn_options){.threads = 1, .from = &m}, &a, &again, NULL, &err));
                assert_int_equal(again.exam.answers, o.exam.answers);
            }
            at_model_release(&m);
            at_arena_release(&a);
            at_source_free(d);
        }
}

/* What does not go together is refused before any step. */
static void refusals(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_outcome o;
    at_source *parity = source_of("parity", "n=4"), *max = source_of("max", "N=3 V=5");
    const at_task *t;
    at_params p;
    at_source *match = source_of_task("match2", "N=3 M=5", &t, &p);
    at_recipe r = recipe_of("net=attention steps=1 width=8 heads=1 layers=1");
    assert_int_equal(at_learn(parity, &r, &(at_learn_options){.threads = 1}, &a, &o, NULL, &err),
                     AT_EREFUSED);
    assert_non_null(strstr(err.text, "need a decoder"));
    err = (at_err){0};
    at_recipe ffn = recipe_of("net=ffn steps=1 width=8 heads=1 layers=1");
    assert_int_equal(at_learn(match, &ffn, &(at_learn_options){.threads = 1}, &a, &o, NULL, &err),
                     AT_EREFUSED);
    assert_non_null(strstr(err.text, "answers at the last position only"));
    err = (at_err){0};
    at_model m; /* of max: answers at the last position; match2 asks at every one */
    must(at_learn(max, &r, &(at_learn_options){.threads = 1}, &a, &o, &m, &err));
    assert_int_equal(at_learn(match, &r, &(at_learn_options){.threads = 1, .from = &m}, &a, &o, NULL, &err),
                     AT_EREFUSED);
    assert_non_null(strstr(err.text, "the stream asks at every position"));
    err = (at_err){0};
    at_exam e;
    assert_int_equal(at_exam_run(&m, match, 1, AT_TEST, 10, &(at_exam_options){.threads = 1}, &e, &err),
                     AT_EREFUSED);
    at_model_release(&m);
    at_source_free(parity);
    at_source_free(max);
    at_source_free(match);
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(targets), cmocka_unit_test(learns),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
