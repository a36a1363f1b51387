/* test_shares.c: distributions graded: rows with their probabilities; the stream's own give 0, uniform ones what a person finds, drawn rows about
 * the same as all; exams and trainings of the stream ngram. */
#include "learn_test.h"

#include "../../core/test/test_scale.h"

#include <math.h>
#include <string.h>

typedef struct {
    double sum;
    uint64_t rows;
} seen;

static at_status row_see(void *ctx, const int *token, int n, double p, at_err *e)
{
    seen *s = ctx;
    (void)e;
    assert_int_equal(token[0], AT_TOKEN_SEP);
    assert_int_equal(token[n - 1], AT_TOKEN_EOS);
    s->sum += p;
    s->rows++;
    return AT_OK;
}

static void test_rows(void **state)
{
    (void)state;
    at_source *d = source_of("ngram", "n=3 symbols=3 N=4");
    seen s = {0};
    uint64_t count;
    must(at_source_rows(d, 1000, row_see, &s, &count, &err));
    assert_int_equal(count, 81);
    assert_int_equal(s.rows, 81);
    assert_true(fabs(s.sum - 1) < 1e-12);
    must(at_source_rows(d, 10, NULL, NULL, &count, &err));
    assert_int_equal(count, 11); /* more than 10 */
    at_source_free(d);
}

/* The stream's own probabilities as readouts, or equal ones. */
typedef struct {
    const at_source *d;
    bool uniform;
} giver;

static at_status give(void *ctx, const int *token, int rows, int n, int stride, double *value, at_err *e)
{
    const giver *g = ctx;
    (void)e;
    int V = at_source_vocabulary(g->d), next[64];
    for (int r = 0; r < rows; r++)
        for (int i = 1; i < n; i++)
            for (int w = 0; w < V; w++) {
                memcpy(next, token + r * stride, (size_t)i * sizeof *next);
                next[i] = w;
                double p = at_source_probability(g->d, next, i);
                value[((size_t)r * (size_t)(n - 1) + (size_t)(i - 1)) * (size_t)V + (size_t)w] =
                    g->uniform ? 1
                    : p > 0    ? 3 + log(p)
                               : -1e9;
            }
    return AT_OK;
}

static void test_marks(void **state)
{
    (void)state;
    at_source *d = source_of("ngram", "n=3 symbols=3 N=4"), *large = source_of("ngram", "n=3 symbols=8 N=12");
    at_shares h, drawn;
    must(at_shares_mark(d, give, &(giver){d, false}, 10, 1, &h, &err));
    assert_true(h.whole && h.rows == 81 && h.error == 0);
    assert_true(fabs(h.kl) < 1e-12 && fabs(h.cross - h.entropy) < 1e-12 && h.entropy > 0.5);
    double entropy = h.entropy;
    must(at_shares_mark(d, give, &(giver){d, true}, 10, 1, &h, &err));
    assert_true(fabs(h.cross - log(6)) < 1e-12 && fabs(h.kl - (log(6) - entropy)) < 1e-12);
    must(at_shares_mark(large, give, &(giver){large, true}, 2000, 1, &drawn, &err));
    assert_true(!drawn.whole && drawn.rows == 2000 && drawn.error > 0);
    must(at_shares_mark(large, give, &(giver){large, true}, 2000, 2, &h, &err));
    assert_true(h.kl != drawn.kl && fabs(h.kl - drawn.kl) < 6 * (h.error + drawn.error));
    at_source *lis = source_of("lis", "");
    err = (at_err){0};
    assert_int_equal(at_shares_mark(lis, give, &(giver){lis, true}, 1, 1, &h, &err), AT_EREFUSED);
    at_source_free(lis);
    at_source_free(large);
    at_source_free(d);
}

/* A training comes near; the exam of the model that it gives back says what the training said, in the fast executor and in the reference. */
static void test_learnt(void **state)
{
    (void)state;
    at_source *d = source_of("ngram", "n=2 symbols=3 N=3");
    at_recipe r = recipe_of(
        "width=8 layers=1 heads=2 steps=200 batch=32 rate=0.02 warmup=0 exams=100 dropout=0 decay=0");
    at_arena arena;
    at_outcome o;
    at_model m;
    at_exam e;
    r.steps = TEST_SCALE > 1 ? 40 : 200;
    r.exam_every = r.steps / 2;
    at_arena_init(&arena);
    must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o, &m, &err));
    assert_true(o.exam.drawn && o.exam.shares.whole);
    assert_true(o.exam.shares.kl > 0 && (TEST_SCALE > 1 || o.exam.shares.kl < 0.02));
    assert_int_equal(o.n_exams, 2);
    assert_true(o.exams[1].answer > o.exams[0].answer && o.exams[1].answer < 1);
    assert_true(fabs(at_exam_answer(&o.exam) - exp(-o.exam.shares.kl)) < 1e-12);
    must(at_exam_run(&m, d, 1, AT_TEST, 10, &(at_exam_options){.arith = at_f64}, &e, &err));
    assert_true(e.count == 27 && e.whole);
    assert_true(fabs(e.shares.kl - o.exam.shares.kl) < 1e-5);
    at_source *other = source_of("ngram", "n=2 symbols=3 N=9"),
              *wide = source_of("ngram", "n=2 symbols=4 N=3");
    err = (at_err){0};
    assert_int_equal(at_exam_run(&m, other, 1, AT_TEST, 10, &(at_exam_options){0}, &e, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "rows of 1.."));
    err = (at_err){0};
    assert_int_equal(at_exam_run(&m, wide, 1, AT_TEST, 10, &(at_exam_options){0}, &e, &err), AT_EREFUSED);
    at_recipe last = recipe_of("net=ffn width=8 layers=1 steps=3 batch=2"); /* before a step */
    err = (at_err){0};
    assert_int_equal(at_learn(d, &last, &(at_learn_options){.threads = 1}, &arena, &o, NULL, &err),
                     AT_EREFUSED);
    assert_non_null(strstr(err.text, "answers at the last position only"));
    assert_int_equal(o.steps, 0);
    at_model_release(&m);
    at_arena_release(&arena);
    at_source_free(wide);
    at_source_free(other);
    at_source_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_marks),
                                       cmocka_unit_test(test_learnt)};
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
