/* CLAIM qsa-train: one self-attention unit learns sparse averaging from random weights.
 *
 * Source: Sanford, Hsu, Telgarsky 2023, "Representational Strengths and Limitations of Transformers": the unit that qsa-rip constructs is
 * also found by gradient descent. Statement, of what is run here: AdamW on the squared error of the task's samples finds, from random
 * weights, a unit whose every answer is within 1/(2q) of the mean, on samples and on adversarial inputs that it never saw.
 *
 * The unit is x = softmax(x Q K^T x^T) x V with a linear readout: no skip, no MLP, no mask, no norm (AT_LEARN_UNIT). A position enters
 * as its vector, the sum of a row for each element of its subset, and a row for its place, side by side; behind the input there is one blank
 * position. Rows, Q, K, V and the readout are learnt.
 *
 * What is judged is the model, by the same sampled check as a constructed one (half of the inputs adversarial). Controls, all trained as
 * long with the same seed: attention that stays uniform (its queries are 0 and frozen), answers of the neighbour instead of one's own, and a
 * recurrent net of about as many parameters.
 *
 * Differs from the paper: subsets enter by elements, so that what is learnt of an element serves every subset; N = 8 in the quick tier. */
#include "../claim_internal.h"

#include <attest/learn.h>

#include <math.h>
#include <string.h>

enum { LEARNT, UNIFORM };
enum { OWN, NEIGHBOUR };
enum { UNIT, GRU };
static const char *const attentions[] = {"learnt", "uniform", NULL},
                         *const answers[] = {"own", "neighbour", NULL}, *const nets[] = {"unit", "gru", NULL};

static const at_param params[] = {
    {"N", "length", 2, 256, 8, true},
    {"q", "subset size", 1, 8, 2, true},
    {"d", "dimension of the vectors", 1, 64, 1, true},
    {"width", "of the unit", 1, 1024, 17, true},
    {"batch", "inputs of a step", 1, 4096, 32, true},
    {"steps", "of AdamW", 1, 1000000, 480, true},
    {"rate", "the largest step size", 0, 1, 0.03, false},
    {"start", "which random weights and samples", 0, 1e9, 2, true},
    {"attention", "uniform: it is not learnt", 0, 1, LEARNT, true, attentions},
    {"answers", "whose are learnt", 0, 1, OWN, true, answers},
    {"net", "what learns", 0, 1, UNIT, true, nets},
};

/* ---- what is learnt ------------------------------------------------------------------------------------------------- */

/* The answers of the position before: what is to be learnt is there, but not what is asked. */
static void neighbour_answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), d = at_params_int(p, "d");
    double last[64];
    at_task_find("qsa")->answer(p, x, y);
    memcpy(last, y + (size_t)(N - 1) * (size_t)d, (size_t)d * sizeof *y);
    memmove(y + d, y, (size_t)(N - 1) * (size_t)d * sizeof *y);
    memcpy(y, last, (size_t)d * sizeof *y);
}

static at_status task_params(const at_params *p, at_params *out, at_err *err)
{
    const at_task *t = at_task_find("qsa");
    at_status s = AT_OK;
    at_params_init(out, t->params, t->n_params);
    for (int k = 0; k < t->n_params && !s; k++)
        s = at_params_set(out, t->params[k].name, at_params_get(p, t->params[k].name), err);
    return s ? s : t->validate(out, err);
}

static at_status recipe_make(const at_params *p, at_recipe *r, at_err *err)
{
    at_recipe_init(r);
    at_status s = at_recipe_set(
        r, at_params_int(p, "net") == GRU ? "net=gru layers=1 dropout=0 words=1" : "net=unit", err);
    r->arch.width = at_params_int(p, "width");
    r->batch = at_params_int(p, "batch");
    r->steps = (uint64_t)at_params_get(p, "steps");
    r->adamw.rate = at_params_get(p, "rate");
    r->seed = (uint64_t)at_params_get(p, "start");
    r->exam_every = 0;
    r->count = 1;
    return s;
}

/* Queries that are 0, and stay so: every key gets the same weight. */
static at_status uniform_make(const at_source *d, const at_recipe *r, at_model *m, at_err *err)
{
    at_status s = at_learn_net_model(d, r, m, err);
    if (s)
        return s;
    const at_tensor *q = &m->tensors[m->blocks[0].groups[0].q];
    memset(m->weights + q->offset, 0, q->count * sizeof *m->weights);
    return AT_OK;
}

typedef struct {
    at_status (*show)(void *ctx, uint64_t step, const at_model *m, at_err *err); /* NULL: nobody looks */
    void *ctx;
    uint64_t every;
} looker;

static at_status shown(void *ctx, uint64_t step, bool better, const at_model *m, at_err *err)
{
    const looker *l = ctx;
    (void)better;
    return l->show(l->ctx, step, m, err);
}

static at_status train(const at_params *p, const at_check_env *env, const looker *look, at_arena *a,
                       at_outcome *o, at_model *m, at_err *err)
{
    at_params tp;
    at_recipe r;
    at_source *d;
    at_model from;
    bool uniform = at_params_int(p, "attention") == UNIFORM && at_params_int(p, "net") == UNIT;
    at_task *t = at_new(a, at_task, 1);
    at_status s = t ? task_params(p, &tp, err) : at_oom(err);
    if (!s)
        s = recipe_make(p, &r, err);
    if (s)
        return s;
    *t = *at_task_find("qsa");
    t->answer = at_params_int(p, "answers") == NEIGHBOUR ? neighbour_answer : t->answer;
    s = at_source_of_positions(t, &tp, &d, err);
    if (s)
        return s;
    s = uniform ? uniform_make(d, &r, &from, err) : AT_OK;
    if (!s) {
        const at_learn_options l = {.threads = env->threads,
                                    .progress = env->progress,
                                    .from = uniform ? &from : NULL,
                                    .freeze = uniform ? "block.0.attn.0.q,block.0.attn.0.qb" : NULL,
                                    .shown = look->show ? shown : NULL,
                                    .keep_every = look->every,
                                    .ctx = (void *)look};
        s = at_learn(d, &r, &l, a, o, m, err);
        if (uniform)
            at_model_release(&from);
    }
    at_source_free(d);
    return s;
}

/* Inputs, the first of a sample and one that is answered wrongly, for whoever writes down what the verdict rests on. */
enum { SHOWN = 24 };

static at_status answers_show(const at_model *m, const at_params *tp, const at_verdict *v, double tolerance,
                              uint64_t seed, const at_check_env *env, at_arena *a, at_err *err)
{
    const at_task *t = at_task_find("qsa");
    int N = at_params_int(tp, "N"), n = 0;
    size_t one = (size_t)N * (size_t)at_model_row_width(m);
    double *x = at_new(a, double, (SHOWN + 1) * one);
    at_input in[SHOWN + 1];
    if (!x)
        return at_oom(err);
    if (v->has_counterexample)
        in[n++] = (at_input){v->cx.n, v->cx.x};
    for (int i = 0; i < SHOWN; i++, n++) {
        at_rng r = at_rng_at(seed, (uint64_t)i);
        in[n] = (at_input){N, x + (size_t)i * one};
        (i % 2 && t->adversarial ? t->adversarial : t->sample)(tp, &r, x + (size_t)i * one);
    }
    at_witness w = {.kind = "learnt",
                    .m = m,
                    .arith = at_f64,
                    .task = t,
                    .params = tp,
                    .tolerance = tolerance,
                    .x = in,
                    .n = n};
    return env->witness(env->ctx, &w, err);
}

/* ---- the trial -------------------------------------------------------------------------------------------------------- */

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    static const at_check_env none; /* what NULL means */
    env = env ? env : &none;
    const at_task *t = at_task_find("qsa");
    at_outcome o;
    at_exam e;
    at_model m;
    at_params tp;
    at_source *d;
    at_arith arith;
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence, .margin = NAN};
    at_status s = task_params(p, &tp, err);
    if (!s)
        s = at_arith_parse(at_cell_arith(cell), &arith, err);
    if (!s)
        s = train(p, env, &(looker){0}, a, &o, &m, err);
    if (s)
        return s;
    const at_question q = {.evidence = AT_EV_SAMPLED,
                           .arith = arith,
                           .limit = limit,
                           .seed = seed,
                           .tolerance = at_task_tolerance(t, &tp),
                           .count_all = true,
                           .plain = true};
    s = at_check(&m, t, &tp, &q, &(at_check_env){.threads = env->threads}, a, out, err);
    if (!s && env->witness)
        s = answers_show(&m, &tp, out, q.tolerance, seed, env, a, err);
    if (!s)
        s = at_source_of_positions(t, &tp, &d, err); /* of the right answers, whatever was learnt */
    if (!s) {
        s = at_exam_run(&m, d, seed, AT_TEST, limit,
                        &(at_exam_options){.threads = env->threads, .arith = arith}, &e, err);
        at_source_free(d);
    }
    at_model_release(&m);
    if (s)
        return s;
    out->has_counterexample = false; /* of a model that nobody else has */
    out->note = at_arena_printf(a,
                                "%s of %zu parameters, %ju steps: %ju of %ju inputs have an answer further "
                                "off than 1/(2q) = %.3g; mean square "
                                "%.2g, largest error %.2g; always the mean answer: %.2g",
                                at_params_int(p, "net") == GRU ? "a GRU" : "a unit", o.parameters,
                                (uintmax_t)o.steps, (uintmax_t)out->wrong, (uintmax_t)out->inputs,
                                q.tolerance, e.square, e.worst, e.trivial);
    return out->note ? AT_OK : at_oom(err);
}

#define FRAMES 8

static at_status film(const at_params *p, at_claim_frame *show, void *ctx, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_outcome o;
    at_model m;
    uint64_t steps = (uint64_t)at_params_get(p, "steps");
    const looker look = {.show = show, .ctx = ctx, .every = (steps + FRAMES - 1) / FRAMES};
    at_status s = train(p, &(at_check_env){.threads = 1}, &look, &a, &o, &m, err);
    if (!s) {
        s = steps % look.every ? show(ctx, steps, &m, err) : AT_OK;
        at_model_release(&m);
    }
    at_arena_release(&a);
    return s;
}

#define QUICK "N=8 q=2 d=1 width=17 steps=480 start=2"

static const at_cell cells[] = {
    {QUICK, NULL, AT_EV_SAMPLED, 0, "f32", 4000, AT_TIER_QUICK, NULL},
    {"N=20 q=3 d=1 width=41 batch=64 steps=4000 start=1", NULL, AT_EV_SAMPLED, 0, "f32", 4000, AT_TIER_FULL,
     NULL},
    {QUICK, "attention=uniform", AT_EV_SAMPLED, 0, "f32", 4000, AT_TIER_QUICK, NULL},
    {QUICK, "answers=neighbour", AT_EV_SAMPLED, 0, "f32", 4000, AT_TIER_QUICK, NULL},
    {"N=8 q=2 d=1 width=13 steps=480 start=2", "net=gru", AT_EV_SAMPLED, 0, "f32", 4000, AT_TIER_QUICK, NULL},
};

const at_claim claim_qsa_train = {
    .id = "qsa-train",
    .title = "One self-attention unit learns sparse averaging from random weights",
    .source = "Sanford, Hsu, Telgarsky 2023 (q-sparse averaging)",
    .group = "Learnt",
    .statement = "From random weights, gradient descent on samples finds one self-attention unit that "
                 "answers q-sparse "
                 "averaging within 1/(2q), on inputs that it never saw, adversarial ones included. What is "
                 "shown is about "
                 "these trainings; it is no theorem.",
    .proof = "AdamW on the mean squared error; then the sampled check of any model of the task. With uniform "
             "attention, "
             "with the neighbour's answers, or as a GRU of about as many parameters, the same training is "
             "rejected.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    .look = "-0.5/1/2 1/3/7 0.25/1/8 -1/4/5 0.5/2/6 0/5/8 0.75/6/7 -0.25/3/4",
    .look_params = QUICK,
    .film = film,
};
