/* hard_trial.c: refuters put on many models, each beside random search with as many inputs.
 *
 * Models run side by side, each search on one thread; a model's budget is a number of states, never of seconds, so that the note
 * does not depend on the machine. */
#include "hard_nets.h"

#include <string.h>

#define SEARCHED 100 /* inputs of a search that runs each, where a trial does not say */

const char *const hard_weights[] = {"random", "trained", "right", "wide", NULL};

typedef struct {
    at_status status;
    at_err err;
    bool found;        /* a pair that verifies */
    bool layer;        /* and its states after the attention layer are equal */
    uint64_t states;   /* of the refuter */
    double bits;       /* of what was equal */
    bool lucky, wrong; /* random search: a pair; a wrong answer */
    char words[256];   /* why not */
} outcome;

typedef struct {
    const hard_trial *t;
    const at_refuter *refuter; /* NULL: all that fit */
    uint64_t seed;
    outcome *outcome; /* (models) */
} work;

/* Is the residual row after the attention layer the same in both inputs, where the outputs are equal and the targets not? */
static at_status states_compare(const at_subject *s, const at_pair *pair, const at_answer y[2], at_arena *a,
                                bool *equal, at_err *err)
{
    at_trace t[2];
    at_output o;
    int block = 0, D = s->m->width, first = y[0].n == 1 ? pair->x[0].n - 1 : 0;
    while (s->m->blocks[block].kind != AT_BLOCK_ATTN)
        block++;
    for (int k = 0; k < 2; k++) {
        at_status bad = at_run(s->m, s->arith, &pair->x[k], &t[k], a, &o, err);
        if (bad)
            return bad;
    }
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

static at_status one_refuter(const work *w, const at_refuter *r, const at_subject *s,
                             const at_refute_env *env, at_arena *a, outcome *o)
{
    at_pair pair = {0};
    at_err why = {0};
    at_tri is = AT_TRUE;
    at_answer answer[2];
    at_status bad = r->search(s, env, a, &pair, &why);
    o->states += pair.states;
    o->bits = pair.bits;
    if (bad && bad != AT_EBUDGET)
        return at_fail(&o->err, bad, "%s", why.text);
    if (!bad && !r->single)
        bad = at_pair_verify(s, &pair, a, &is, answer, &why, &o->err);
    else if (!bad)
        bad = at_subject_answer(s, &pair.x[0], a, &answer[0], &o->err);
    o->found = !bad && is == AT_TRUE && (!r->single || !answer[0].correct);
    if (o->found && w->t->layer && !r->single)
        bad = states_compare(s, &pair, answer, a, &o->layer, &o->err);
    memcpy(o->words, why.text, sizeof o->words - 1);
    return bad == AT_EBUDGET ? AT_OK : bad;
}

static at_status one_search(const work *w, const at_subject *s, uint64_t i, at_arena *a, outcome *o)
{
    at_refute_env env = {
        .states = w->t->states, .seed = w->seed + i, .threads = 1, .memory = (size_t)1 << 26};
    at_err no = {0};
    at_status bad = at_subject_check(s, &o->err);
    const at_refuter *only = w->refuter;
    if (!bad && only) {
        bad = only->fits(s, &no);
        if (bad == AT_EREFUSED && w->t->weights == HARD_RIGHT) { /* it does not speak of such a model: */
            only = NULL;                                         /* then all others are tried on it */
            bad = AT_OK;
        } else
            bad = bad ? at_fail(&o->err, bad, "%s", no.text) : one_refuter(w, only, s, &env, a, o);
    }
    for (int k = 0; k < at_n_refuters && !only && !bad && !o->found; k++) {
        at_refute_env this = env;
        if (at_refuters[k]->single)
            this.states = w->t->luck ? w->t->luck : SEARCHED; /* a run each */
        if (!at_refuters[k]->fits(s, &no))
            bad = one_refuter(w, at_refuters[k], s, &this, a, o);
    }
    at_random_search luck;
    env.states = o->states > 2 ? o->states : 2;
    if (w->t->luck && env.states > w->t->luck)
        env.states = w->t->luck;
    if (!bad && (o->found || !only)) {
        bad = at_refute_random(s, &env, &luck, &o->err);
        o->lucky = luck.pair;
        o->wrong = luck.wrong;
        o->found = o->found || (!only && (luck.pair || luck.wrong));
    }
    return bad;
}

static void one_model(void *ctx, size_t i, int worker)
{
    (void)worker;
    work *w = ctx;
    outcome *o = &w->outcome[i];
    at_model m = {0};
    at_subject s = {.m = &m};
    if (at_cancel_pending()) {
        o->status = at_fail(&o->err, AT_ECANCEL, "interrupted");
        return;
    }
    o->status = w->t->make(w->t->ctx, i, &m, &s, &o->err);
    if (o->status)
        return;
    at_arena a;
    at_arena_init(&a);
    o->status = one_search(w, &s, i, &a, o);
    at_arena_release(&a);
    at_model_release(&m);
}

static const char *note_make(const hard_trial *t, const outcome *o, uint64_t models, at_arena *a,
                             uint64_t *found)
{
    uint64_t lucky = 0, wrong = 0, most = 0, all = 0, layer = 0;
    const char *words = "";
    double bits = 0;
    *found = 0;
    for (uint64_t i = 0; i < models; i++) {
        *found += o[i].found;
        lucky += o[i].lucky;
        layer += o[i].layer;
        wrong += o[i].wrong;
        all += o[i].states;
        most = o[i].states > most ? o[i].states : most;
        bits = o[i].found && o[i].bits > bits ? o[i].bits : bits;
        words = o[i].found || *words ? words : o[i].words;
    }
    at_text x;
    at_text_init(&x);
    at_text_addf(&x, "%s, %s: %llu of %llu %s refuted by a pair", hard_weights[t->weights], t->models,
                 (unsigned long long)*found, (unsigned long long)models, models == 1 ? "was" : "were");
    if (t->layer && *found)
        at_text_addf(&x, " (%llu with equal states behind the layer)", (unsigned long long)layer);
    if (bits > 0)
        at_text_addf(&x, ", up to %g bits equal", bits);
    at_text_addf(&x, ", %llu states, at most %llu a model", (unsigned long long)all,
                 (unsigned long long)most);
    if (*found && t->luck)
        at_text_addf(&x, "; random search with as many inputs, at most %llu", (unsigned long long)t->luck);
    else if (*found)
        at_text_add(&x, "; random search with as many inputs");
    if (*found)
        at_text_addf(&x, ": a pair in %llu of them, a wrong answer in %llu", (unsigned long long)lucky,
                     (unsigned long long)wrong);
    if (*found < models)
        at_text_addf(&x, "; not refuted: %s", words);
    const char *note = x.oom || !x.s ? NULL : at_arena_strdup(a, x.s);
    at_text_release(&x);
    return note;
}

at_status hard_trial_run(const hard_trial *t, uint64_t models, uint64_t seed, const at_check_env *env,
                         at_arena *a, at_verdict *out, at_err *err)
{
    static const at_check_env none; /* what NULL means */
    env = env ? env : &none;
    bool small = t->weights == HARD_RANDOM || t->weights == HARD_TRAINED;
    models = t->weights == HARD_RIGHT ? 1 : models;
    work w = {.t = t, .seed = seed, .outcome = at_new(a, outcome, models)};
    if (t->refuter && !(w.refuter = at_refuter_find(t->refuter)))
        return at_fail(err, AT_EINPUT, "there is no refuter %s", t->refuter);
    if (!w.outcome)
        return at_oom(err);
    at_status s = at_parallel(env->threads, models, one_model, &w, err);
    for (uint64_t i = 0; i < models && !s; i++)
        if (w.outcome[i].status)
            s = at_fail(err, w.outcome[i].status, "model %llu: %s", (unsigned long long)i,
                        w.outcome[i].err.text);
    if (s)
        return s;
    uint64_t found;
    *out = (at_verdict){.evidence = AT_EV_REFUTED, .inputs = models};
    if (!(out->note = note_make(t, w.outcome, models, a, &found)))
        return at_oom(err);
    out->holds = found == models ? AT_TRUE : !small && !found ? AT_FALSE : AT_UNKNOWN;
    return AT_OK;
}
