/* hard_refute.c: refuters on many models, beside plain random search.
 *
 * Success is a pair: equal outputs, different targets, both run again. Of the pairs those are counted apart where not only the
 * outputs are equal but the whole state of that position right after the layer, which is what the bound's argument promises.
 * Beside it random search with as many inputs as the refuter looked at, at most RANDOM_MOST (a random input costs a run of the
 * model, one of the refuter's a few additions). Budgets are counts, so that the same seed gives the same words. */
#include "hard_refute.h"

#include <math.h>
#include <string.h>

#include "claim_internal.h"
#include "hard_layers.h"

#define STATES_MOST  ((uint64_t)1 << 25) /* inputs a model */
#define RANDOM_MOST  300
#define CORRECT_EACH 10 /* of a correct model: inputs of each search, a model that would have been tried */

typedef struct {
    at_subject s; /* without a model */
    at_params params;
    hard_arch arch;
    int steps;
    uint64_t models, trained, seed;
    const char *correct, *correct_params; /* claim whose model is right */
} experiment;

typedef struct {
    bool refuted, state, random;
    uint64_t states;
    at_status status;
    at_err err;
} outcome;

typedef struct {
    const experiment *x;
    outcome *out;
} shared;

/* ---- one model ------------------------------------------------------------------------------------------------ */

static at_status model_make(const experiment *x, uint64_t k, at_model *m, at_err *err)
{
    bool trained = k >= x->models;
    const at_params *p = &x->params;
    uint64_t seed = x->seed * 0x10001u + k;
    at_status s;
    if (x->s.task->real) {
        s = hard_qsa_draw(at_params_int(p, "N"), at_params_int(p, "q"), at_params_int(p, "d"), x->arch.heads,
                          x->arch.dim, seed, m, err);
        if (!s && trained && (s = hard_qsa_train(m, p, x->steps, 8, seed, err)))
            at_model_release(m);
        return s;
    }
    s = hard_layers_draw(&x->arch, seed, m, err);
    if (!s && trained && (s = hard_layers_train(m, x->s.task, p, x->steps, seed, err)))
        at_model_release(m);
    return s;
}

/* Is the residual row after the attention layer the same in both inputs, where the outputs are equal and the targets not? */
static at_status states_compare(const at_subject *s, const at_pair *pair, const at_answer y[2], at_arena *a,
                                bool *equal, at_err *err)
{
    at_trace t[2];
    at_output o;
    int block = 0;
    while (block < s->m->n_blocks && s->m->blocks[block].kind != AT_BLOCK_ATTN)
        block++;
    for (int k = 0; k < 2; k++) {
        at_status st = at_run(s->m, s->arith, &pair->x[k], &t[k], a, &o, err);
        if (st)
            return st;
    }
    *equal = false;
    int first = y[0].n == 1 ? pair->x[0].n - 1 : 0, D = s->m->width;
    for (int i = 0; i < y[0].n && !*equal; i++) {
        bool targets = false, rows = true;
        for (int k = 0; k < y[0].width; k++)
            targets = targets || y[0].right[i * y[0].width + k] != y[1].right[i * y[0].width + k];
        for (int k = 0; k < D; k++) {
            size_t at = (size_t)(first + i + s->m->n_prefix) * (size_t)D + (size_t)k;
            rows = rows && t[0].state[block + 1][at] == t[1].state[block + 1][at];
        }
        *equal = targets && rows;
    }
    return AT_OK;
}

static const at_refuter *refuter_of(const char *id)
{
    for (int i = 0; i < at_n_refuters; i++)
        if (!strcmp(at_refuters[i]->id, id))
            return at_refuters[i];
    return NULL;
}

static at_status subject_try(const at_subject *s, uint64_t seed, at_arena *a, outcome *out, at_err *err)
{
    const at_refuter *r = refuter_of("one-layer");
    at_refute_env env = {.states = STATES_MOST, .seed = seed, .threads = 1, .memory = (size_t)1 << 29};
    at_pair pair = {0};
    at_answer y[2];
    at_tri is = AT_FALSE;
    at_err none = {0};
    at_status st = r->fits(s, err);
    if (!st)
        st = r->search(s, &env, a, &pair, &none);
    if (st && st != AT_EBUDGET)
        return err->code ? st : at_fail(err, st, "%s", none.text);
    out->states = pair.states;
    if (!st && !(st = at_pair_verify(s, &pair, a, &is, y, NULL, err)) && is == AT_TRUE) {
        out->refuted = true;
        st = states_compare(s, &pair, y, a, &out->state, err);
    }
    if (st && st != AT_EBUDGET)
        return st;
    at_random_search random;
    env.states = pair.states < RANDOM_MOST ? pair.states : RANDOM_MOST;
    st = at_refute_random(s, &env, &random, err);
    out->random = random.pair;
    return st;
}

static void model_try(void *ctx, size_t k, int worker)
{
    (void)worker;
    const shared *w = ctx;
    outcome *out = &w->out[k];
    at_subject s = w->x->s;
    at_model m;
    at_arena a;
    at_arena_init(&a);
    if (at_cancel_pending())
        out->status = at_fail(&out->err, AT_ECANCEL, "interrupted");
    else if (!(out->status = model_make(w->x, k, &m, &out->err))) {
        s.m = &m;
        s.params = &w->x->params;
        out->status = at_subject_check(&s, &out->err);
        if (!out->status)
            out->status = subject_try(&s, w->x->seed + k, &a, out, &out->err);
        at_model_release(&m);
    }
    at_arena_release(&a);
}

static at_status models_try(const experiment *x, const at_check_env *env, at_arena *a, at_verdict *out,
                            at_err *err)
{
    size_t n = x->models + x->trained, refuted = 0, states = 0, random = 0;
    uint64_t looked = 0;
    shared w = {x, at_new(a, outcome, n)};
    if (!w.out)
        return at_oom(err);
    at_status s = at_parallel(env->threads, n, model_try, &w, err);
    for (size_t k = 0; k < n && !s; k++) {
        if (w.out[k].status)
            s = at_fail(err, w.out[k].status, "model %zu: %s", k + 1, w.out[k].err.text);
        refuted += w.out[k].refuted;
        states += w.out[k].state;
        random += w.out[k].random;
        looked += w.out[k].states;
    }
    if (s)
        return s;
    out->holds = refuted == n ? AT_TRUE : refuted ? AT_UNKNOWN : AT_FALSE;
    out->inputs = n;
    out->note = at_arena_printf(
        a,
        "pairs for %zu of %ju random and %ju trained models, %zu of them with equal states after "
        "the layer; %ju inputs looked at; random search, at most %d inputs each: %zu",
        refuted, (uintmax_t)x->models, (uintmax_t)x->trained, states, (uintmax_t)looked, RANDOM_MOST, random);
    return out->note ? AT_OK : at_oom(err);
}

/* ---- a model that is right --------------------------------------------------------------------------------------- */

static at_status correct_try(const experiment *x, at_arena *a, at_verdict *out, at_err *err)
{
    const at_claim *c;
    at_params p;
    at_model m;
    at_text tried;
    at_status s = at_claim_need(x->correct, &c, err);
    if (s)
        return s;
    at_params_init(&p, c->params, c->n_params);
    if ((s = at_params_parse(&p, x->correct_params, err)) || (s = at_claim_model(c, &p, &m, err)))
        return s;
    at_subject subject = x->s;
    subject.m = &m;
    subject.params = &x->params;
    at_refute_env env = {
        .states = CORRECT_EACH * x->models, .seed = x->seed, .threads = 1, .memory = (size_t)1 << 26};
    at_random_search random = {0};
    bool refuted = false;
    uint64_t looked = 0;
    at_text_init(&tried);
    s = at_subject_check(&subject, err);
    for (int i = 0; i < at_n_refuters && !s && !refuted; i++) {
        at_pair pair = {0};
        at_answer y[2];
        at_tri is = AT_FALSE;
        at_err words = {0};
        if (at_refuters[i]->fits(&subject, &words))
            continue;
        s = at_refuters[i]->search(&subject, &env, a, &pair, &words);
        if (s && s != AT_EBUDGET)
            s = at_fail(err, s, "%s", words.text);
        else if (s)
            s = AT_OK;
        else if (at_refuters[i]->single)
            is = AT_TRUE;
        else
            s = at_pair_verify(&subject, &pair, a, &is, y, NULL, err);
        refuted = is == AT_TRUE;
        looked += pair.states;
        at_text_addf(&tried, "%s%s", tried.n ? ", " : "", at_refuters[i]->id);
    }
    if (!s)
        s = at_refute_random(&subject, &env, &random, err);
    refuted = refuted || random.pair || random.wrong;
    out->holds = refuted ? AT_TRUE : AT_FALSE;
    out->inputs = 1;
    out->note = at_arena_printf(a, "%s at %s is %s by %s and random search: %ju inputs", c->id,
                                x->correct_params, refuted ? "refuted" : "not refuted",
                                tried.n ? tried.s : "no refuter", (uintmax_t)(looked + random.tried));
    if (!s && (!out->note || tried.oom))
        s = at_oom(err);
    at_text_release(&tried);
    at_model_release(&m);
    return s;
}

/* ---- the kinds ------------------------------------------------------------------------------------------------------ */

static double param(const at_params *p, const char *name, double otherwise)
{
    return at_params_has(p, name) ? at_params_get(p, name) : otherwise;
}

static at_status experiment_run(experiment *x, const at_params *p, const at_cell *cell, uint64_t limit,
                                uint64_t seed, const char *task, const char *assignments,
                                const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    const at_task *t = at_task_find(task);
    bool correct = param(p, "correct", 0) == 1;
    at_params_init(&x->params, t->params, t->n_params);
    at_status s = at_params_parse(&x->params, assignments, err);
    if (s)
        return s;
    x->s.task = t;
    x->s.arith = (at_arith){AT_PBIT, correct ? 24 : (int)param(p, "p", 8), 10};
    x->steps = (int)param(p, "steps", 200);
    x->models = limit;
    x->trained = (limit + 9) / 10;
    x->seed = seed;
    x->arch.length = at_params_int(&x->params, "N");
    x->arch.last = t->last;
    x->arch.layers = 1;
    x->arch.heads = (int)param(p, "H", 1);
    x->arch.hidden = 8;
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence, .margin = NAN};
    return correct ? correct_try(x, a, out, err) : models_try(x, env, a, out, err);
}

at_status hard_refute_compose(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                              const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int n = at_params_int(p, "n"), d = at_params_int(p, "d");
    char *task = at_arena_printf(a, "n=%d N=%d", n, 2 * n + 1), *right = at_arena_printf(a, "n=%d", n);
    if (!task || !right)
        return at_oom(err);
    experiment x = {.arch = {.vocabulary = n, .answers = n, .width = 8, .dim = d},
                    .correct = "compose-two",
                    .correct_params = right};
    return experiment_run(&x, p, cell, limit, seed, "compose", task, env, a, out, err);
}

at_status hard_refute_match3(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                             const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M"), m = at_params_int(p, "m");
    char *task = at_arena_printf(a, "N=%d M=%d", N, M);
    if (!task)
        return at_oom(err);
    experiment x = {.arch = {.vocabulary = M, .answers = 2, .width = 8, .dim = m},
                    .correct = "match3-threewise",
                    .correct_params = task};
    return experiment_run(&x, p, cell, limit, seed, "match3", task, env, a, out, err);
}

at_status hard_refute_qsa(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                          const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int q = at_params_int(p, "q"), d = (int)param(p, "d", 1), m = at_params_int(p, "m");
    char *task = at_arena_printf(a, "N=%d q=%d d=%d", 2 * q + 1, q, d);
    if (!task)
        return at_oom(err);
    experiment x = {
        .s = {.tolerance = 0.5 / q}, .arch = {.dim = m}, .correct = "qsa-rip", .correct_params = task};
    return experiment_run(&x, p, cell, limit, seed, "qsa", task, env, a, out, err);
}
