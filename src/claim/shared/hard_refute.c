/* hard_refute.c: one attention layer on composition, triples, triangles and sparse averaging: the models that refuters are tried on.
 *
 * Budgets are counts of inputs. Random search gets at most LUCK of them: an input of it is a run of the model, one of the refuter's
 * a few additions. */
#include "hard_refute.h"

#include "hard_layers.h"

#define STATES ((uint64_t)1 << 25) /* inputs a model */
#define LUCK   300
#define RIGHT  200                 /* runs of each search of a right model, times the cell's limit; */
#define SUMS   ((uint64_t)1 << 16) /* and inputs whose sums are compared, where that is possible */

typedef struct {
    const hard_layer *h;
    const at_task *task;
    at_params params;
    at_arith arith;
    double tolerance;
    hard_arch arch;                   /* tokens */
    const char *right, *right_params; /* the claim that is right */
} maker;

static at_status right_make(const maker *k, at_model *m, at_err *err)
{
    const at_claim *c;
    at_params p;
    at_status s = at_claim_need(k->right, &c, err);
    if (s)
        return s;
    at_params_init(&p, c->params, c->n_params);
    s = at_params_parse(&p, k->right_params, err);
    return s ? s : c->right ? c->right(&p, m, err) : at_claim_model(c, &p, m, err);
}

static at_status make(const void *ctx, uint64_t i, at_model *m, at_subject *s, at_err *err)
{
    const maker *k = ctx;
    const hard_layer *h = k->h;
    const at_params *p = &k->params;
    uint64_t seed = h->seed * 1000003 + i;
    at_status st;
    *s = (at_subject){.m = m, .arith = k->arith, .task = k->task, .params = p, .tolerance = k->tolerance};
    if (h->weights == HARD_RIGHT)
        return right_make(k, m, err);
    if (k->task->real)
        st = hard_qsa_draw(at_params_int(p, "N"), at_params_int(p, "q"), at_params_int(p, "d"), h->heads,
                           h->dim, seed, m, err);
    else
        st = hard_layers_draw(&k->arch, seed, m, err);
    if (st || h->weights == HARD_RANDOM)
        return st;
    st = k->task->real ? hard_qsa_train(m, p, h->steps, 8, seed, err)
                       : hard_layers_train(m, k->task, p, h->steps, seed, err);
    if (st)
        at_model_release(m);
    return st;
}

static at_status maker_run(maker *k, const hard_layer *h, const char *task, const char *assignments,
                           at_arena *a, at_verdict *out, at_err *err)
{
    k->h = h;
    k->task = at_task_find(task);
    at_params_init(&k->params, k->task->params, k->task->n_params);
    at_status s = at_arith_parse(at_cell_arith(h->cell), &k->arith, err);
    if (!s)
        s = at_params_parse(&k->params, assignments, err);
    if (s)
        return s;
    k->arch.length = at_params_int(&k->params, "N");
    k->arch.last = k->task->last;
    k->arch.layers = 1;
    k->arch.heads = h->heads;
    k->arch.dim = h->dim;
    k->arch.width = k->arch.hidden = 8;
    bool right = h->weights == HARD_RIGHT;
    hard_trial t = {.refuter = right ? NULL : "one-layer",
                    .weights = h->weights,
                    .states = right ? SUMS : STATES,
                    .luck = right ? RIGHT * h->limit : LUCK,
                    .layer = !right,
                    .make = make,
                    .ctx = k};
    t.models = right ? at_arena_printf(a, "%s of %s, all searches", k->right_params, k->right)
                     : at_arena_printf(a, "%s, H=%d heads of width d=%d, H(d+1)p=%d", assignments, h->heads,
                                       h->dim, h->heads * (h->dim + 1) * k->arith.bits);
    return t.models ? hard_trial_run(&t, h->limit, h->seed, h->env, a, out, err) : at_oom(err);
}

at_status hard_refute_compose(const hard_layer *h, int n, at_arena *a, at_verdict *out, at_err *err)
{
    char *task = at_arena_printf(a, "n=%d N=%d", n, 2 * n + 1), *right = at_arena_printf(a, "n=%d", n);
    maker k = {.arch = {.vocabulary = n, .answers = n}, .right = "compose-one", .right_params = right};
    return task && right ? maker_run(&k, h, "compose", task, a, out, err) : at_oom(err);
}

at_status hard_refute_match3(const hard_layer *h, int N, int M, at_arena *a, at_verdict *out, at_err *err)
{
    char *task = at_arena_printf(a, "N=%d M=%d", N, M);
    maker k = {.arch = {.vocabulary = M, .answers = 2}, .right = "match3-threewise", .right_params = task};
    return task ? maker_run(&k, h, "match3", task, a, out, err) : at_oom(err);
}

at_status hard_refute_triangle(const hard_layer *h, int N, at_arena *a, at_verdict *out, at_err *err)
{
    char *task = at_arena_printf(a, "N=%d", N), *right = at_arena_printf(a, "part=right pack=1 N=%d", N);
    maker k = {.arch = {.integers = N, .answers = 2}, .right = "triangle-row", .right_params = right};
    return task && right ? maker_run(&k, h, "triangle", task, a, out, err) : at_oom(err);
}

at_status hard_refute_qsa(const hard_layer *h, int q, int d, at_arena *a, at_verdict *out, at_err *err)
{
    char *task = at_arena_printf(a, "N=%d q=%d d=%d", 2 * q + 1, q, d);
    maker k = {.tolerance = 0.5 / q, .right = "qsa-rip", .right_params = task};
    return task ? maker_run(&k, h, "qsa", task, a, out, err) : at_oom(err);
}
