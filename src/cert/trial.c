/* trial.c: certificates of trials: limits, protocols, refuters.
 *
 * A trial has no model of its own. What its verdict rests on it shows while it runs (at_witness): the pair of inputs that a model
 * does not tell apart, a run of a protocol with all that was said. A few of each are written down, with their models: whoever
 * checks them sees that these are true, not that the others were. Bounds rest on an inequality alone, which is written down as a rule
 * (rules.c) with all its numbers. A question that shows nothing is left out. */
#include "cert_internal.h"

#include <attest/bound.h>

#include <string.h>

/* {"kind": "pair", "model": .., "arithmetic": .., "problem": {..}, "inputs": [..] ...} */
static at_status witness_put(void *ctx, const at_witness *w, at_err *err)
{
    cert_trial *k = ctx;
    char hash[65], arith[16];
    at_text t;
    at_text_init(&t);
    cert_point x = {.c = k->c,
                    .cell = k->cell,
                    .p = *k->p,
                    .m = w->m,
                    .task = w->task,
                    .chain = w->chain,
                    .seed = k->seed,
                    .a = k->a};
    x.self = (void *)w->self;
    at_status s = w->m ? k->model(k->maker, w->m, hash, err) : AT_OK;
    if (w->params)
        x.tp = *w->params;
    at_arith_name(w->arith, arith);
    at_text_addf(&t, "%s{\"kind\": \"%s\", ", k->n ? ",\n" : "", w->kind);
    if (w->m)
        at_text_addf(&t, "\"model\": \"%s\", \"arithmetic\": \"%s\", ", s ? "" : hash, arith);
    bool asked = w->text || w->task || w->chain;
    if (w->text)
        cert_beside(w, &t);
    else if (!s && asked)
        s = cert_definition(&x, &t, err);
    at_text_add(&t, asked ? ", \"inputs\": [" : "\"inputs\": [");
    for (int i = 0; i < w->n && !s; i++) {
        at_text_add(&t, i ? ",\n" : "");
        cert_rows(&t, w->x[i].v, w->x[i].n, w->m ? at_model_row_width(w->m) : 1);
    }
    at_text_add(&t, "]");
    if (w->tolerance > 0) {
        at_text_add(&t, ", \"tolerance\": ");
        cert_number(&t, w->tolerance);
        at_text_add(&t, ", \"near\": ");
        cert_number(&t, w->same > 0 ? w->same : w->tolerance / (w->arith.kind == AT_F32 ? 1 << 12 : 1 << 20));
    }
    if (w->rounded_sums)
        at_text_add(&t, ", \"running\": true");
    at_text_add(&t, w->more ? w->more : "");
    at_text_add(&t, "}");
    if (s == AT_EREFUSED) { /* no text for what is asked: it is not shown */
        at_text_release(&t);
        k->why = at_arena_strdup(k->a, err->text);
        *err = (at_err){0};
        return AT_OK;
    }
    if (!s && t.oom)
        s = at_oom(err);
    if (!s) {
        at_text_addn(&k->shown, t.s, t.n);
        k->n++;
    }
    at_text_release(&t);
    return s;
}

/* The inequality of the bound that the question is about, if it is about one. */
static at_status bound_put(cert_trial *k, at_err *err)
{
    const char *rule = cert_bound_rule(k->c->id, k->p);
    if (!rule)
        return AT_OK;
    const at_bound *b = at_bound_find(k->c->id);
    at_params q = *k->p;
    at_status s = AT_OK;
    if (b)
        at_params_init(&q, b->params, b->n_params);
    for (int i = 0; b && i < b->n_params && !s; i++)
        if (at_params_has(k->p, b->params[i].name))
            s = at_params_set(&q, b->params[i].name, at_params_get(k->p, b->params[i].name), err);
    at_text_addf(&k->shown, "%s{\"kind\": \"rule\", \"rule\": ", k->n ? ",\n" : "");
    cert_string(&k->shown, rule);
    at_text_add(&k->shown, ", \"parameters\": {");
    cert_members(&k->shown, k->p, NULL);
    if (b)
        cert_members(&k->shown, &q, k->p);
    at_text_add(&k->shown, "}}");
    k->n++;
    return s;
}

at_status cert_trial_ask(cert_trial *k, uint64_t limit, const at_check_env *env, at_arena *own, at_verdict *v,
                         at_err *err)
{
    at_check_env mine = {.threads = env ? env->threads : 0,
                         .progress = env ? env->progress : NULL,
                         .witness = witness_put,
                         .ctx = k};
    at_text_init(&k->shown);
    at_status s = k->c->trial(k->p, k->cell, limit, k->seed, &mine, own, v, err);
    return s ? s : bound_put(k, err);
}
