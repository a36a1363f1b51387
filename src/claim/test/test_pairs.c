/* test_pairs.c: what stands for the whole domain of `copy` and `block-mean` does so: one weight changed, and whatever
 * errs anywhere is rejected.
 *
 * The judge knows no reduction: drawn questions of every position, and all 2^N values of -M and M under each. */
#include "claim_test.h"

#define N       9
#define MUTANTS (TEST_SCALE > 1 ? 30 : 150)
#define DRAWS   12 /* of questions; then every position asks the same, where it may */

/* One change: sign, zero, half as much again, or two rows of a tensor exchanged. False: nothing changed. */
static bool mutate(at_model *m, at_rng *r)
{
    int kind = (int)at_rng_below(r, 5);
    if (kind < 3) {
        double *w = &m->weights[at_rng_below(r, m->n_weights)], was = *w;
        *w = kind == 0 ? -was : kind == 1 ? 0 : 1.5 * was;
        return *w != was;
    }
    const at_tensor *t = &m->tensors[at_rng_below(r, (uint64_t)m->n_tensors)];
    double *w = m->weights + t->offset;
    if (kind == 4) { /* a whole tensor: a head without its output, a table of nothing */
        bool any = false;
        for (size_t i = 0; i < t->count; i++) {
            any = any || w[i] != 0;
            w[i] = 0;
        }
        return any;
    }
    if (t->rank < 2 || t->shape[0] < 2)
        return false;
    size_t width = (size_t)t->shape[1], a = at_rng_below(r, (uint64_t)t->shape[0]) * width,
           b = at_rng_below(r, (uint64_t)t->shape[0]) * width;
    bool any = false;
    for (size_t i = 0; i < width; i++) {
        double keep = w[a + i];
        any = any || w[a + i] != w[b + i];
        w[a + i] = w[b + i];
        w[b + i] = keep;
    }
    return any;
}

/* The largest error of the model over the judge's inputs. */
static double judge(const point *c)
{
    at_exec *e;
    at_scratch *s;
    OK(at_exec_new(&c->m, at_f64, N, &e, &err));
    OK(at_scratch_new(e, &s, &err));
    static double x[(1 << N) * 2 * N], y[(1 << N) * N], right[N];
    double M = at_params_get(&c->p, "M"), worst = 0;
    bool copy = !strcmp(c->t->id, "copy");
    int asked = copy ? N : at_params_int(&c->p, "m");
    for (int d = 0; d < DRAWS + asked; d++) {
        at_rng r = at_rng_at(5, (uint64_t)d);
        for (int i = 0; i < N; i++) {
            int most = copy ? i + 1 : asked;
            int what = d < DRAWS ? (int)at_rng_below(&r, (uint64_t)most) : d - DRAWS;
            double ask = what < most ? what : most - 1;
            for (int k = 0; k < 1 << N; k++) {
                x[(k * N + i) * 2] = k >> i & 1 ? M : -M;
                x[(k * N + i) * 2 + 1] = ask + copy;
            }
        }
        at_exec_run(e, s, x, 1 << N, y);
        for (int k = 0; k < 1 << N; k++) {
            c->t->answer(&c->tp, x + k * 2 * N, right);
            for (int i = 0; i < N; i++) {
                double off = fabs(y[k * N + i] - right[i]);
                worst = off <= worst ? worst : isnan(off) ? INFINITY : off;
            }
        }
    }
    at_scratch_free(s);
    at_exec_free(e);
    return worst;
}

static at_verdict pairs_check(const point *c, at_arena *a)
{
    at_verdict v;
    at_question q = {
        .evidence = AT_EV_EXACT, .how = AT_ENUM_PAIRS, .arith = at_f64, .tolerance = c->tolerance};
    OK(at_check(&c->m, c->t, &c->tp, &q, &(at_check_env){.threads = 1}, a, &v, &err));
    return v;
}

static void mutants_check(const char *id, const char *params)
{
    point c = point_at(id, params, NULL);
    int wrong = 0, rejected = 0, exact = 0, made = 0;
    for (uint64_t k = 0; made < MUTANTS; k++) {
        point x = c;
        at_rng r = at_rng_at(11, k);
        OK(at_model_copy(&c.m, &x.m, &err));
        if (mutate(&x.m, &r)) {
            made++;
            at_arena a;
            at_arena_init(&a);
            at_verdict v = pairs_check(&x, &a);
            double worst = judge(&x);
            bool errs = worst > c.tolerance + 1e-12; /* f64 runs of these are nearer to the real ones */
            wrong += errs;
            rejected += v.holds == AT_FALSE;
            exact += v.holds == AT_TRUE && v.evidence == AT_EV_EXACT;
            if (errs && v.holds == AT_TRUE)
                print_message("%s: mutant %d holds and errs by %g\n", id, (int)k, worst);
            if (v.holds == AT_FALSE) { /* where the reference was run and found wrong */
                assert_true(v.has_counterexample);
                assert_true(fabs(v.cx.expected - v.cx.got) > c.tolerance);
            }
            at_arena_release(&a);
        }
        at_model_release(&x.m);
    }
    print_message("%s %s: of %d mutants %d err, %d are rejected, %d hold exactly\n", id, params, MUTANTS,
                  wrong, rejected, exact);
    assert_true(wrong > MUTANTS / 3);
    assert_true(rejected >= wrong);
    point_release(&c);
}

static void test_mutants(void **state)
{
    (void)state;
    mutants_check("lemma-a9", "N=9 m=3");
    mutants_check("lemma-a11-index", "N=9");
    mutants_check("lemma-a12", "N=9 B=3");
}

static int column_of(const at_model *m, const char *name)
{
    for (int k = 0; k < m->n_subspaces; k++) {
        size_t n = strlen(name);
        if (!strncmp(m->subspaces[k].name, name, n) && strchr(" [", m->subspaces[k].name[n]))
            return m->subspaces[k].col;
    }
    fail_msg("no subspace %s", name);
    return -1;
}

/* Changes too small to make an answer wrong, each against one part of the hypothesis: the verdict still holds, but rests on
 * samples. */
static void test_hypotheses(void **state)
{
    (void)state;
    static const struct {
        char row; /* of the head: q, k or v */
        const char *reads;
        at_evidence evidence;
    } rows[] = {{0, NULL, AT_EV_EXACT},      {'q', "e_own", AT_EV_EXACT}, {'q', "x", AT_EV_SAMPLED},
                {'k', "x", AT_EV_SAMPLED},   {'k', "e_b", AT_EV_SAMPLED}, {'v', "e_b", AT_EV_SAMPLED},
                {'v', "e_own", AT_EV_EXACT}, {'q', "e_b", AT_EV_EXACT}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        point c = point_at("lemma-a9", "N=9 m=3", NULL);
        const at_group *g = &c.m.blocks[0].groups[0];
        if (rows[k].row) {
            double *w = at_model_data(&c.m, rows[k].row == 'q' ? g->q : rows[k].row == 'k' ? g->k : g->v);
            w[column_of(&c.m, rows[k].reads)] += 1e-6;
        }
        at_arena a;
        at_arena_init(&a);
        at_verdict v = pairs_check(&c, &a);
        assert_int_equal(v.holds, AT_TRUE);
        if (v.evidence != rows[k].evidence)
            fail_msg("%c reads %s: %s", rows[k].row, rows[k].reads, at_evidence_names[v.evidence]);
        at_arena_release(&a);
        point_release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutants), cmocka_unit_test(test_hypotheses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
