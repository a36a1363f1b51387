/* test_right.c: what is right is never refuted: every construction of the catalogue, at the sizes and in the arithmetic of its quick cells
 * (the first of each kind of arithmetic), through all refuters that speak of it. */
#include "claim_test.h"

#include <attest/refute.h>

enum { STATES = 40 }; /* looked at by each refuter */

static void cell_refute(const at_claim *c, const at_cell *cell, unsigned *seen, int *asked)
{
    at_arith arith;
    at_sweep w;
    at_params p;
    OK(at_arith_parse(cell->arith, &arith, &err));
    if ((arith.kind != AT_F32 && arith.kind != AT_F64 && arith.kind != AT_PBIT) || *seen & 1u << arith.kind)
        return;
    *seen |= 1u << arith.kind;
    OK(at_cell_sweep(c, cell, AT_TIER_QUICK, NULL, &w, &err));
    at_sweep_nth(&w, at_sweep_count(&w) - 1, &p); /* the largest of a range */
    at_model m;
    at_params tp;
    void *self = NULL;
    at_arena a;
    at_refutation r;
    at_arena_init(&a);
    OK(at_claim_model(c, &p, &m, &err));
    at_subject s = {.m = &m, .arith = arith, .chain = c->chain, .tolerance = at_claim_tolerance(c, &p)};
    OK(at_claim_task(c, &p, &s.task, &tp, &err));
    s.params = &tp;
    if (c->chain)
        OK(c->chain->open(&p, &self, &err));
    s.self = self;
    OK(at_refute(&s, &(at_refute_env){.states = TEST_SCALED(STATES), .seed = 5, .threads = 1}, NULL, &a, &r,
                 &err));
    if (r.refuted == AT_TRUE || r.random.wrong)
        fail_msg("%s %s %s: refuted by %s", c->id, cell->params, cell->arith,
                 r.method ? r.method : "random search");
    for (int k = 0; k < r.n_attempts; k++) /* somebody looked */
        *asked += r.attempts[k].status == AT_EBUDGET;
    if (c->chain)
        c->chain->close(self);
    at_model_release(&m);
    at_arena_release(&a);
}

static void test_right_models(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *c = at_catalogue[i];
        int asked = 0;
        unsigned seen = 0;
        for (int k = 0; !c->trial && k < c->n_cells; k++)
            if (c->cells[k].tier == AT_TIER_QUICK && !c->cells[k].control &&
                c->cells[k].evidence != AT_EV_CERTIFIED)
                cell_refute(c, &c->cells[k], &seen, &asked);
        if (!c->trial && !asked)
            fail_msg("%s: no refuter spoke of it", c->id);
    }
}

/* Is the subject, a task of few inputs, wrong on any of them? */
static bool wrong_somewhere(const at_subject *s)
{
    uint64_t n = s->task->count(s->params, AT_ENUM_SEQUENCES);
    int N = at_params_int(s->params, "N");
    bool wrong = false;
    for (uint64_t i = 0; i < n && !wrong; i++) {
        at_arena a;
        at_answer y;
        double x[8];
        at_arena_init(&a);
        s->task->nth(s->params, AT_ENUM_SEQUENCES, i, x);
        OK(at_subject_answer(s, &(at_input){N, x}, &a, &y, &err));
        wrong = !y.correct;
        at_arena_release(&a);
    }
    return wrong;
}

/* Every weight of match2 with its sign changed, or 0: a mutant is refuted exactly when it is wrong somewhere. The budget is
 * work, so this does not depend on how busy the machine is. */
static void test_mutants(void **state)
{
    (void)state;
    const at_claim *c = at_claim_find("match2");
    at_params p, tp;
    at_model m;
    at_params_init(&p, c->params, c->n_params);
    OK(at_params_parse(&p, "N=3 M=5", &err));
    OK(at_claim_model(c, &p, &m, &err));
    at_subject s = {.m = &m, .arith = at_f64};
    OK(at_claim_task(c, &p, &s.task, &tp, &err));
    s.params = &tp;
    int wrong = 0;
    for (size_t w = 0; w < m.n_weights; w++)
        for (int zero = 0; zero < 2; zero++) {
            double keep = m.weights[w];
            at_arena a;
            at_refutation r;
            m.weights[w] = zero ? 0 : -keep;
            at_arena_init(&a);
            bool is = wrong_somewhere(&s);
            OK(at_refute(&s, &(at_refute_env){.work = 3e6, .seed = 7, .threads = 1}, NULL, &a, &r, &err));
            if ((r.refuted == AT_TRUE) != is)
                fail_msg("weight %zu %s: %s", w, zero ? "0" : "negated", is ? "not refuted" : "refuted");
            wrong += is;
            at_arena_release(&a);
            m.weights[w] = keep;
        }
    assert_true(wrong > 20);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right_models), cmocka_unit_test(test_mutants)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
