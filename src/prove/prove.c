/* prove.c: the parts of a proof in their order, each sound by itself.
 *
 *     1 search      by breadth, a few thousand states: a shortest word, or all states there are
 *     2 regions     hulls of regions, then with bounds of differences, then of sums of three (regions.c)
 *     3 induction   what 2 has found, and k = 2, 3, 4 steps
 *     4 Spacer      with the equations that every letter keeps eliminated (spacer.c)
 *     5 search      a million states
 *
 * Whatever finds an invariant, it counts only after at_prove_recheck, over a system that is made anew. A word counts only after the
 * reference says the same of it. */
#include "prove_internal.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_STATES = 20000, PRINTED_STATES = 400, INDUCTION_MOST = 4 };

const char *const at_prove_ask_names[AT_PROVE_ASKS] = {"equal", "included", "empty"};
const char *const at_prove_way_names[AT_PROVE_WAYS] = {"nothing", "search", "regions", "induction", "spacer"};

typedef struct {
    const at_prove_question *q;
    at_arena *a;
    prove_system *s;
    prove_solver *solver;
    prove_search seen;
    unsigned steps;
    at_proof *out;
} job;

/* ---- what is told besides ------------------------------------------------------------------------------------------------------- */

static at_status says_of(const at_prove_question *q, int which, const int *word, int n, at_arena *a,
                         bool *out, at_err *err)
{
    const at_formulas *f = which ? q->b : q->a;
    const at_alphabet *theirs = f ? &f->sigma : q->language ? &q->language->sigma : NULL;
    at_tri v = AT_FALSE;
    const int *letter = theirs ? prove_letters(&q->a->sigma, theirs, a, err) : NULL;
    int *mine = at_new(a, int, n + 1);
    if (theirs && !letter)
        return err->code;
    if (!mine)
        return at_oom(err);
    for (int k = 0; k < n && theirs; k++)
        mine[k] = letter[word[k]];
    at_status st = f ? at_formulas_run(f, mine, n, &v, err) : AT_OK;
    if (!f && theirs)
        v = at_dfa_accepts(q->language, mine, n) ? AT_TRUE : AT_FALSE;
    *out = v == AT_TRUE;
    return st;
}

static at_status variables_list(job *j, at_err *err)
{
    const prove_system *s = j->s;
    at_proof *p = j->out;
    p->variables = at_new(j->a, at_prove_variable, s->counts.n + s->bits.n + s->parts.n + 1);
    if (!p->variables)
        return at_oom(err);
    for (int k = 0; k < s->counts.n; k++)
        if (s->counts.at[k].live) {
            at_prove_variable *v = &p->variables[p->n_variables++];
            *v = (at_prove_variable){
                .f = s->counts.at[k].f, .of = s->counts.at[k].of, .negated = s->counts.at[k].negated};
            snprintf(v->name, sizeof v->name, "c%d", k);
        }
    for (int k = 0; k < s->bits.n; k++)
        if (s->bits.at[k].live) {
            at_prove_variable *v = &p->variables[p->n_variables++];
            *v =
                (at_prove_variable){.f = s->bits.at[k].f, .of = s->bits.at[k].of, .with = s->bits.at[k].with};
            snprintf(v->name, sizeof v->name, "b%d", k);
            p->bits++;
        }
    for (int k = 0; k < s->parts.n; k++)
        if (s->parts.at[k].live) {
            at_prove_variable *v = &p->variables[p->n_variables++];
            *v = (at_prove_variable){.f = s->parts.at[k].f, .states = s->parts.at[k].states};
            snprintf(v->name, sizeof v->name, "q%d", k);
        }
    p->counts = s->n_free;
    return AT_OK;
}

/* ---- search ----------------------------------------------------------------------------------------------------------------------- */

/* The word, if there is one, by the reference: what the system says must be so. */
static at_status word_take(job *j, at_err *err)
{
    at_proof *p = j->out;
    const prove_search *x = &j->seen;
    p->searched = x->depth;
    p->states = x->n;
    if (x->n_word < 0)
        return AT_OK;
    p->word = x->word;
    p->n_word = x->n_word;
    at_status st = says_of(j->q, 0, p->word, p->n_word, j->a, &p->says[0], err);
    if (!st)
        st = says_of(j->q, 1, p->word, p->n_word, j->a, &p->says[1], err);
    bool differ = j->q->what == AT_PROVE_EQUAL ? p->says[0] != p->says[1] : p->says[0] && !p->says[1];
    if (!st && !differ)
        return at_fail(err, AT_EREFUSED,
                       "the reference says something else of a word that was found; a fault of attest");
    p->holds = AT_FALSE;
    p->way = AT_BY_SEARCH;
    return st;
}

/* Every successor of a state of the whole search is one of them, and none is bad: seen again, in a system made anew. */
static at_status states_recheck(job *j, at_tri *out, at_err *err)
{
    prove_system *s;
    prove_search again;
    at_status st = prove_system_make(j->q, j->a, &s, err);
    if (st)
        return st;
    st = prove_search_run(s, j->seen.n + 1, j->a, &again, err);
    *out = !st && again.whole && again.n == j->seen.n ? AT_TRUE : AT_FALSE;
    prove_search_release(&again);
    return st;
}

static at_status search(job *j, size_t most, at_err *err)
{
    prove_search_release(&j->seen);
    at_status st = prove_search_run(j->s, most, j->a, &j->seen, err);
    if (!st)
        st = word_take(j, err);
    if (st || !j->seen.whole)
        return st;
    at_proof *p = j->out;
    p->holds = AT_TRUE;
    p->way = AT_BY_SEARCH;
    st = states_recheck(j, &p->rechecked, err);
    if (!st && j->seen.n <= PRINTED_STATES && !j->s->n_free)
        st = prove_states_print(j->s, &j->seen, j->a, &p->invariant, err);
    if (!st && p->invariant.n && j->solver && p->rechecked == AT_TRUE)
        st = at_prove_recheck(j->q, &p->invariant, j->a, &p->rechecked, NULL, err);
    return st;
}

/* ---- proofs ----------------------------------------------------------------------------------------------------------------------- */

/* An invariant is believed after this. */
static at_status invariant_take(job *j, const at_invariant *v, at_prove_way way, at_err *err)
{
    at_tri again;
    at_status st = at_prove_recheck(j->q, v, j->a, &again, NULL, err);
    if (st || again != AT_TRUE)
        return st;
    j->out->holds = AT_TRUE;
    j->out->way = way;
    j->out->invariant = *v;
    j->out->rechecked = again;
    return AT_OK;
}

static at_status regions(job *j, prove_regions *best, at_err *err)
{
    at_status st = AT_OK;
    for (prove_bounds b = PROVE_EQUATIONS; b <= PROVE_TRIPLES && !st && j->out->holds == AT_UNKNOWN; b++) {
        prove_regions r;
        st = prove_regions_run(j->s, j->solver, &j->seen, b, j->steps, j->a, &r, err);
        if (!st && r.closed)
            *best = r;
        if (!st && r.safe)
            st = invariant_take(j, &r.invariant, AT_BY_REGIONS, err);
    }
    return st;
}

static at_status induction(job *j, const prove_regions *r, at_err *err)
{
    at_invariant v = r->invariant;
    at_status st = AT_OK;
    for (v.k = 2; v.k <= INDUCTION_MOST && r->closed && !st && j->out->holds == AT_UNKNOWN; v.k++)
        st = invariant_take(j, &v, AT_BY_INDUCTION, err);
    return st;
}

/* Equations of all states that were met. */
static at_status equations(job *j, int *n, int64_t **out, at_err *err)
{
    const prove_system *s = j->s;
    prove_hull h;
    int64_t *x = at_new(j->a, int64_t, s->n_free + 1);
    at_status st = x ? prove_hull_init(&h, s->n_free, j->a, err) : at_oom(err);
    for (size_t k = 0; k < j->seen.n && !st; k++) {
        for (int i = 0; i < s->n_free; i++)
            x[i] = j->seen.states[k * (size_t)s->fields + (size_t)s->free[i]];
        if (!prove_hull_has(&h, x))
            st = prove_hull_join(&h, x, err);
    }
    if (st)
        return st;
    *n = h.equations;
    *out = h.equation;
    return prove_solver_equations(j->solver, n, *out, err);
}

static at_status spacer(job *j, bool *differ, at_err *err)
{
    int n = 0;
    int64_t *row = NULL;
    at_invariant v = {0};
    at_tri holds = AT_UNKNOWN;
    at_status st = equations(j, &n, &row, err);
    if (!st)
        st = prove_solver_spacer(j->solver, n, row, j->a, &holds, &v, err);
    *differ = holds == AT_FALSE;
    return st || holds != AT_TRUE || !v.n ? st : invariant_take(j, &v, AT_BY_SPACER, err);
}

static void unknown_say(job *j, const prove_regions *r, bool differ)
{
    at_proof *p = j->out;
    const char *more = differ ? "; Spacer says that a longer word exists" : "";
    if (!j->solver)
        p->lacks = "libz3-dev";
    snprintf(p->note, sizeof p->note,
             "no difference on words of up to %d letters (%zu states); %d counts without a bound%s%s",
             p->searched, p->states, p->counts,
             !j->solver  ? "; the proof for all lengths needs Z3"
             : r->closed ? "; an invariant was found that is not strong enough"
                         : "; no invariant was found within the steps allowed",
             more);
}

static at_status prove(job *j, at_err *err)
{
    const at_prove_question *q = j->q;
    size_t most = q->states ? q->states : AT_PROVE_STATES;
    prove_regions r = {0};
    bool differ = false;
    at_status st = search(j, most < FIRST_STATES ? most : FIRST_STATES, err);
    if (!st && j->out->holds == AT_UNKNOWN && j->solver)
        st = regions(j, &r, err);
    if (!st && j->out->holds == AT_UNKNOWN && j->solver)
        st = induction(j, &r, err);
    if (!st && j->out->holds == AT_UNKNOWN && j->solver)
        st = spacer(j, &differ, err);
    if (!st && j->out->holds == AT_UNKNOWN && most > FIRST_STATES)
        st = search(j, most, err);
    if (!st && j->out->holds == AT_UNKNOWN)
        unknown_say(j, &r, differ);
    return st;
}

static at_status empty_word(const at_prove_question *q, at_arena *a, at_proof *p, at_err *err)
{
    at_status st = says_of(q, 0, NULL, 0, a, &p->empty[0], err);
    return st ? st : says_of(q, 1, NULL, 0, a, &p->empty[1], err);
}

at_status at_prove(const at_prove_question *q, at_arena *a, at_proof *out, at_err *err)
{
    job j = {.q = q, .a = a, .steps = q->steps ? q->steps : AT_PROVE_STEPS, .out = out};
    *out = (at_proof){.holds = AT_UNKNOWN, .rechecked = AT_UNKNOWN, .words = prove_words_of(q)};
    at_status st = prove_system_make(q, a, &j.s, err);
    if (!st)
        st = variables_list(&j, err);
    if (!st)
        st = empty_word(q, a, out, err);
    if (!st)
        st = prove_solver_open(j.s, j.steps, &j.solver, err);
    if (!st)
        st = prove(&j, err);
    prove_search_release(&j.seen);
    prove_solver_close(j.solver);
    return st;
}

at_status at_prove_recheck(const at_prove_question *q, const at_invariant *v, at_arena *a, at_tri *out,
                           const char **why, at_err *err)
{
    prove_system *s;
    prove_solver *solver = NULL;
    const char *unused;
    *out = AT_UNKNOWN;
    at_status st = prove_system_make(q, a, &s, err);
    if (!st)
        st = prove_solver_open(s, q->steps ? q->steps : AT_PROVE_STEPS, &solver, err);
    if (!st && solver)
        st = prove_solver_recheck(solver, v, a, out, why ? why : &unused, err);
    prove_solver_close(solver);
    return st;
}
