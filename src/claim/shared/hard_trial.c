/* hard_trial.c: refuters put on many models, each beside random search with as many inputs.
 *
 * Models run side by side, each search on one thread; a model's budget is a number of states, never of seconds, so that the note
 * does not depend on the machine. */
#include "hard_nets.h"

#include <string.h>

#define SEARCHED 100 /* inputs of a search that runs each, where a trial does not say */
#define SHOWN    2   /* models that a certificate shows */
#define RIGHTS   4   /* inputs on which a right model is shown to be right */

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
    at_input x[2];     /* the pair, of the first SHOWN where it is to be shown; at_free */
} outcome;

typedef struct {
    const hard_trial *t;
    const at_refuter *refuter; /* NULL: all that fit */
    uint64_t seed;
    bool show;
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

static at_status input_keep(const at_model *m, const at_input *x, at_input *out, at_err *err)
{
    size_t n = (size_t)x->n * (size_t)at_model_row_width(m);
    double *v = at_malloc((n + 1) * sizeof *v);
    if (!v)
        return at_oom(err);
    memcpy(v, x->v, n * sizeof *v);
    *out = (at_input){x->n, v};
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
    for (int k = 0; k < (r->single ? 1 : 2) && !bad && o->found && w->show; k++)
        bad = input_keep(s->m, &pair.x[k], &o->x[k], &o->err);
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

at_status hard_rights_show(const at_witness *model, uint64_t seed, const at_check_env *env, at_err *err)
{
    const at_task *task = model->task;
    int rows = task ? at_params_int(model->params, "N") : model->chain->prompt_max(model->self);
    size_t length = (size_t)rows * (size_t)at_model_row_width(model->m);
    at_witness shown = *model;
    double *v = at_malloc((length + 1) * RIGHTS * sizeof *v);
    at_input x[RIGHTS];
    at_status bad = v ? AT_OK : at_oom(err);
    for (int i = 0; i < RIGHTS && !bad; i++) {
        double *here = v + (size_t)i * length;
        at_rng r = at_rng_at(seed, (uint64_t)i);
        x[i] = (at_input){rows, here};
        if (task)
            task->sample(model->params, &r, here);
        else
            bad = model->chain->sample(model->self, &r, here, &x[i].n, err);
    }
    shown.kind = "right";
    shown.x = x;
    shown.n = RIGHTS;
    if (!bad)
        bad = env->witness(env->ctx, &shown, err);
    at_free(v);
    return bad;
}

at_status hard_right_check(hard_right_make *right, const at_params *p, const char *task, const at_cell *cell,
                           uint64_t limit, uint64_t seed, const at_check_env *env, at_arena *a, at_size *size,
                           at_verdict *out, at_err *err)
{
    enum { DRAWN = 100 };
    bool all = cell->evidence == AT_EV_EXACT;
    at_model m;
    at_witness shown = {.m = &m, .task = at_task_find(task)};
    at_params tp;
    at_question q = {.evidence = all ? AT_EV_EXACT : AT_EV_SAMPLED,
                     .how = all ? cell->how : 0,
                     .limit = all || limit ? limit : DRAWN,
                     .seed = seed};
    at_status s = right(p, &m, err);
    if (s)
        return s;
    at_model_size(&m, size);
    at_params_init(&tp, shown.task->params, shown.task->n_params);
    s = at_params_set(&tp, "N", m.n_max, err);
    if (!s)
        s = at_arith_parse(at_cell_arith(cell), &q.arith, err);
    if (!s)
        s = at_check(&m, shown.task, &tp, &q, env, a, out, err);
    shown.arith = q.arith;
    shown.params = &tp;
    if (!s && env && env->witness && out->holds == AT_TRUE)
        s = hard_rights_show(&shown, seed, env, err);
    at_model_release(&m);
    return s;
}

/* The first pairs that were found, each with its model, which is made once more; of a right model inputs. */
static at_status pairs_show(const work *w, uint64_t models, const at_check_env *env, at_err *err)
{
    at_status bad = AT_OK;
    for (uint64_t i = 0; i < models && i < SHOWN && !bad; i++) {
        const outcome *o = &w->outcome[i];
        bool right = w->t->weights == HARD_RIGHT && !o->found;
        at_model m = {0};
        at_subject s = {.m = &m};
        if (!o->x[0].v && !right)
            continue;
        bad = w->t->make(w->t->ctx, i, &m, &s, err);
        if (bad)
            break;
        at_witness shown = {.kind = "pair",
                            .m = &m,
                            .arith = s.arith,
                            .task = s.task,
                            .params = s.params,
                            .chain = s.chain,
                            .self = s.self,
                            .tolerance = s.tolerance,
                            .same = s.same,
                            .rounded_sums = s.rounded_sums,
                            .x = o->x,
                            .n = o->x[1].v ? 2 : 1};
        bad = right ? hard_rights_show(&shown, w->seed, env, err) : env->witness(env->ctx, &shown, err);
        at_model_release(&m);
    }
    return bad;
}

at_status hard_trial_run(const hard_trial *t, uint64_t models, uint64_t seed, const at_check_env *env,
                         at_arena *a, at_verdict *out, at_err *err)
{
    static const at_check_env none; /* what NULL means */
    env = env ? env : &none;
    bool small = t->weights == HARD_RANDOM || t->weights == HARD_TRAINED;
    models = t->weights == HARD_RIGHT || !models
                 ? 1
                 : models; /* 0: of a cell that asks none, at parameters of a user's */
    work w = {.t = t, .seed = seed, .show = env->witness, .outcome = at_new(a, outcome, models)};
    if (t->refuter && !(w.refuter = at_refuter_find(t->refuter)))
        return at_fail(err, AT_EINPUT, "there is no refuter %s", t->refuter);
    if (!w.outcome)
        return at_oom(err);
    at_status s = at_parallel(env->threads, models, one_model, &w, err);
    for (uint64_t i = 0; i < models && !s; i++)
        if (w.outcome[i].status)
            s = at_fail(err, w.outcome[i].status, "model %llu: %s", (unsigned long long)i,
                        w.outcome[i].err.text);
    if (!s && w.show)
        s = pairs_show(&w, models, env, err);
    for (uint64_t i = 0; i < models; i++)
        for (int k = 0; k < 2; k++)
            at_free((void *)w.outcome[i].x[k].v);
    if (s)
        return s;
    uint64_t found;
    *out = (at_verdict){.evidence = AT_EV_REFUTED, .inputs = models};
    if (!(out->note = note_make(t, w.outcome, models, a, &found)))
        return at_oom(err);
    out->holds = found == models ? AT_TRUE : !small && !found ? AT_FALSE : AT_UNKNOWN;
    return AT_OK;
}
