/* check.c: exact and sampled checks.
 *
 * Exact: every input of the size is enumerated, or one representative of every orbit under permuting
 * positions, or the worst reals under every question: reduce.c says what a model must be for that. Sums are
 * then taken in another order, so values may differ in their last bits; that is why the margin is reported beside
 * the verdict.
 *
 * Sampled: input i is a function of (seed, i): even i random, odd i near the decision boundary. An exact
 * question with a limit below the number of inputs draws one input from each of `limit` equal strata of the
 * enumeration, and rests on samples too.
 *
 * Certified: exact, and each run in balls with every choice and decision decided. So the verdict is about real arithmetic over
 * the weights that are stored, which holds whatever the order of sums. */
#include "check_internal.h"

#include "../num/flint_compat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const at_evidence_names[AT_EVIDENCES] = {"exact", "certified", "sampled", "simulated", "refuted"};

#define BATCH         256
#define BATCH_NUMBERS ((size_t)1 << 20) /* a batch holds fewer inputs when they are long */

bool at_model_symmetric(const at_model *m)
{
    if (m->n_pos || m->readout.last || at_model_trait(m, AT_TRAIT_ROTARY) >= 0 ||
        at_model_trait(m, AT_TRAIT_ALIBI) >= 0)
        return false;
    for (int b = 0; b < m->n_blocks; b++) {
        if (m->blocks[b].kind == AT_BLOCK_RNN || m->blocks[b].kind == AT_BLOCK_FLATTEN)
            return false;
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            const at_group *x = &m->blocks[b].groups[g];
            if (!at_mask_is(x->mask.kind, AT_IS_ALL) || at_weighting_is(x->weighting, AT_IS_ONE))
                return false;
        }
    }
    return true;
}

outcome outcome_of(const at_output *y)
{
    return (outcome){y->n, y->decision, y->margin, y->radius, y->decided};
}

double answer_distance(const outcome *y, int i, int width, const double *answer, bool far)
{
    double d2 = 0;
    for (int k = 0; k < width; k++) {
        double r = y->radius ? y->radius[i * width + k] : 0;
        double d = fabs(y->decision[i * width + k] - answer[i * width + k]);
        d = far ? d + r : fmax(d - r, 0);
        d2 += d * d;
    }
    return sqrt(d2);
}

int answer_compare(const at_task *t, const at_params *p, double tolerance, const outcome *y,
                   const double *answer, double *margin)
{
    int w = t->out_width(p);
    for (int i = 0; i < y->positions; i++) {
        double here = INFINITY;
        bool wrong = false;
        if (t->real) {
            here = tolerance - answer_distance(y, i, w, answer, true);
            wrong = !(here >= 0); /* also NaN */
        } else
            for (int k = i * w; k < (i + 1) * w; k++) {
                wrong = wrong || y->decision[k] != answer[k] || !(y->margin[k] > 0);
                here = fmin(here, y->margin[k]);
            }
        for (int k = 0; y->decided && k < w; k++)
            wrong = wrong || y->decided[i * w + k] != AT_TRUE;
        if (wrong)
            return i;
        *margin = fmin(*margin, here);
    }
    return -1;
}

/* ---- one input ---------------------------------------------------------------------------------------- */

bool answer_is_fractions(const at_task *t, const at_question *q)
{
    return t->real && t->fractions && q->tolerance == 0 && q->arith.kind == AT_EXACT;
}

/* The first position at which the model says another fraction than the task; -1: none. */
static at_status fractions_compare(const at_model *m, const at_task *t, const at_params *p, const at_input *x,
                                   int positions, at_arena *a, int *wrong, at_err *err)
{
    int w = t->out_width(p), n = positions * w;
    const char *const *said;
    uint64_t *over = at_new(a, uint64_t, n), *under = at_new(a, uint64_t, n);
    at_status s = over && under ? at_run_fractions(m, x, a, &said, err) : at_oom(err);
    *wrong = -1;
    if (s)
        return s;
    t->fractions(p, x->v, over, under);
    fmpq_t want, got;
    fmpq_init(want);
    fmpq_init(got);
    for (int k = 0; k < n && *wrong < 0; k++) {
        fmpq_set_ui(want, over[k], under[k]);
        if (fmpq_set_str(got, said[k], 10) != 0 || !fmpq_equal(want, got))
            *wrong = k / w;
    }
    fmpq_clear(want);
    fmpq_clear(got);
    return AT_OK;
}

at_status answer_try(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                     const at_input *x, at_arena *a, outcome *o, double *answer, double *margin, int *wrong,
                     at_err *err)
{
    at_output y;
    at_status s = at_run(m, q->arith, x, NULL, a, &y, err);
    if (!s)
        s = at_task_answer(t, p, x->v, answer, err);
    if (s)
        return s;
    *o = outcome_of(&y);
    if (answer_is_fractions(t, q))
        return fractions_compare(m, t, p, x, o->positions, a, wrong, err);
    *wrong = answer_compare(t, p, q->tolerance, o, answer, margin);
    return AT_OK;
}

/* ---- one piece ------------------------------------------------------------------------------------------ */

typedef struct {
    at_scratch *scratch;
    double *v, *decision, *margin, *answer;
} bench;

typedef struct {
    const at_model *m;
    const at_task *t;
    const at_params *p;
    const at_question *q;
    at_exec *exec; /* NULL: the reference */
    int n, row, positions, batch;
    int decisions; /* an input */
    uint64_t total, per_piece;
    uint64_t count; /* EXACT: inputs in the enumeration, total of which are run */
    reduction r;    /* EXACT */
    bench *bench;   /* one a worker */
} work;

static void input_nth(const work *w, uint64_t i, double *x)
{
    if (w->q->how == AT_ENUM_PAIRS)
        reduction_nth(&w->r, w->t, w->p, w->q->seed, i, x);
    else
        w->t->nth(w->p, w->q->how, i, x);
}

static void input_make(const work *w, uint64_t i, double *x, const double *previous)
{
    if (w->q->evidence == AT_EV_SAMPLED) {
        at_rng r = at_rng_at(w->q->seed, i);
        (i % 2 ? w->t->adversarial : w->t->sample)(w->p, &r, x);
    } else if (w->total < w->count) {
        at_rng r = at_rng_at(w->q->seed, i);
        uint64_t lo = (uint64_t)((unsigned __int128)i * w->count / w->total);
        uint64_t hi = (uint64_t)((unsigned __int128)(i + 1) * w->count / w->total);
        input_nth(w, lo + at_rng_below(&r, hi - lo), x);
    } else if (previous && w->t->next) {
        memcpy(x, previous, (size_t)w->n * (size_t)w->row * sizeof *x);
        w->t->next(w->p, w->q->how, i, x);
    } else
        input_nth(w, i, x);
}

/* One input in the reference; *bad tells whether it failed. */
static at_status reference_one(const work *w, const double *x, double *answer, double *margin, bool *bad,
                               at_err *err)
{
    at_arena a;
    outcome o;
    int wrong = -1;
    at_arena_init(&a);
    at_status s =
        answer_try(w->m, w->t, w->p, w->q, &(at_input){w->n, x}, &a, &o, answer, margin, &wrong, err);
    *bad = wrong >= 0;
    at_arena_release(&a);
    return s;
}

static at_status piece_do(void *ctx, uint64_t piece, int worker, at_piece *out, at_err *err)
{
    const work *w = ctx;
    bench *b = &w->bench[worker];
    uint64_t first = piece * w->per_piece,
             end = first + w->per_piece < w->total ? first + w->per_piece : w->total;
    size_t row = (size_t)w->n * (size_t)w->row;
    const double *previous = NULL;
    size_t full = (size_t)w->batch;
    for (uint64_t i = first; i < end; i += full) {
        int batch = end - i < full ? (int)(end - i) : w->batch;
        if (previous) { /* the last input of the batch before, kept behind the others */
            memcpy(b->v + full * row, b->v + (full - 1) * row, row * sizeof *b->v);
            previous = b->v + full * row;
        }
        for (int k = 0; k < batch; k++) {
            at_input x = {w->n, b->v + (size_t)k * row};
            input_make(w, i + (uint64_t)k, b->v + (size_t)k * row, previous);
            previous = w->q->evidence == AT_EV_SAMPLED ? NULL : x.v;
            at_status s = at_input_check(w->m, &x, err); /* the fast executor trusts its inputs */
            if (s)
                return s;
        }
        if (w->exec)
            at_exec_decide(w->exec, b->scratch, b->v, batch, b->decision, b->margin);
        for (int k = 0; k < batch; k++) {
            const double *x = b->v + (size_t)k * row;
            bool bad = false;
            if (w->exec) {
                size_t at = (size_t)k * (size_t)w->decisions;
                at_status s = at_task_answer(w->t, w->p, x, b->answer, err);
                if (s)
                    return s;
                outcome o = {w->positions, b->decision + at, b->margin + at, NULL, NULL};
                bad = answer_compare(w->t, w->p, w->q->tolerance, &o, b->answer, &out->margin) >= 0;
            } else {
                at_status s = reference_one(w, x, b->answer, &out->margin, &bad, err);
                if (s)
                    return s;
            }
            out->inputs++;
            if (bad && piece_fail(out, i + (uint64_t)k, w->q->count_all))
                return AT_OK;
        }
    }
    return AT_OK;
}

static at_status input_look(void *ctx, uint64_t i, int worker, at_input *x, at_err *err)
{
    const work *w = ctx;
    input_make(w, i, w->bench[worker].v, NULL);
    *x = (at_input){w->n, w->bench[worker].v};
    return at_input_check(w->m, x, err);
}

/* ---- the check -------------------------------------------------------------------------------------------- */

static at_status work_prepare(work *w, int workers, at_arena *a, at_err *err)
{
    size_t row = (size_t)w->n * (size_t)w->row, out = (size_t)w->decisions * (size_t)w->batch;
    size_t ans = (size_t)(w->n > w->positions ? w->n : w->positions) *
                 (size_t)w->t->out_width(w->p); /* the empty word has one */
    w->bench = at_new(a, bench, workers);
    for (int k = 0; w->bench && k < workers; k++) {
        bench *b = &w->bench[k];
        b->v = at_new(a, double, row *((size_t)w->batch + 1));
        b->decision = at_new(a, double, out);
        b->margin = at_new(a, double, out);
        b->answer = at_new(a, double, ans);
        if (!b->v || !b->decision || !b->margin || !b->answer)
            return at_oom(err);
        at_status s = w->exec ? at_scratch_new(w->exec, &b->scratch, err) : AT_OK;
        if (s)
            return s;
    }
    return w->bench ? AT_OK : at_oom(err);
}

static at_status question_check(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                                at_err *err)
{
    at_status s = t->validate ? t->validate(p, err) : AT_OK;
    if (s)
        return s;
    if (q->evidence != AT_EV_EXACT && q->evidence != AT_EV_SAMPLED && q->evidence != AT_EV_CERTIFIED)
        return at_fail(err, AT_EREFUSED, "a check by running inputs is exact, sampled or certified");
    if (q->evidence == AT_EV_CERTIFIED && (q->arith.kind != AT_BALL || q->limit))
        return at_fail(err, AT_EREFUSED, "a certificate takes all inputs, in balls");
    if (q->evidence == AT_EV_CERTIFIED &&
        (t->real || (q->how != AT_ENUM_SEQUENCES && q->how != AT_ENUM_MULTISETS)))
        return at_fail(err, AT_EREFUSED, "%s cannot be certified input by input: its %s", t->id,
                       t->real ? "answers are reals" : "inputs cannot all be listed");
    if (q->evidence == AT_EV_SAMPLED && (!q->limit || q->limit > INT64_MAX))
        return at_fail(err, AT_EDOMAIN, "a sampled check takes 1..2^63-1 inputs");
    int n = at_params_int(p, "N");
    if (n < m->n_min || n > m->n_max)
        return at_fail(err, AT_EDOMAIN, "N=%d: the model takes lengths %d..%d", n, m->n_min, m->n_max);
    if (at_model_row_width(m) != t->row_width(p))
        return at_fail(err, AT_EINPUT, "the model takes %d numbers a position, task %s has %d",
                       at_model_row_width(m), t->id, t->row_width(p));
    int width = m->readout.kind == AT_READ_ARGMAX ? 1 : m->readout.rows;
    if (width != t->out_width(p))
        return at_fail(err, AT_EINPUT, "the model has %d outputs a position, task %s has %d", width, t->id,
                       t->out_width(p));
    if (m->readout.last != t->last)
        return at_fail(err, AT_EINPUT,
                       t->last ? "task %s answers the last position only, the model every position"
                               : "task %s answers every position, the model the last one only",
                       t->id);
    s = at_arith_supports(m, q->arith, err);
    return s ? s : at_arith_range(m, q->arith, err);
}

double at_input_cost(const at_model *m, int n)
{
    double T = n + m->n_prefix + m->n_suffix, cost = 40;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *x = &m->blocks[b];
        for (int g = 0; x->kind == AT_BLOCK_ATTN && g < x->n_groups; g++)
            cost +=
                x->groups[g].heads * T * T * (at_weighting_is(x->groups[g].weighting, AT_IS_PAIRS) ? T : 1) +
                T * x->groups[g].dk * m->width / 8.;
        for (int l = 0; x->kind == AT_BLOCK_MLP && l < x->n_dense; l++)
            cost += T * x->dense[l].rows * (l ? x->dense[l - 1].rows : m->width) / 16.;
        for (int l = 0; x->kind == AT_BLOCK_FLATTEN && l < x->n_dense; l++)
            cost +=
                (double)x->dense[l].rows * (l ? x->dense[l - 1].rows : (double)at_block_inputs(m, x)) / 16.;
        if (x->kind == AT_BLOCK_RNN)
            cost += T * x->rnn.state * at_rnn_parts(x->rnn.cell) * (m->width + x->rnn.state) / 16.;
    }
    return cost;
}

static double run_cost(const work *w)
{
    return at_input_cost(w->m, w->n) * (w->exec                       ? 1
                                        : w->q->arith.kind == AT_BALL ? AT_BALL_COST
                                                                      : AT_REFERENCE_COST);
}

/* Of the weights; what is 0 costs the reference nearly nothing, and constructions are mostly zeros. */
static double share_nonzero(const at_model *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_weights; i++)
        n += m->weights[i] != 0;
    return fmax((double)n / (double)(m->n_weights ? m->n_weights : 1), 0.05);
}

/* Nobody waits for a certificate that would take days: it is said before how long. */
static at_status time_check(const work *w, at_err *err)
{
    double seconds = (double)w->count * run_cost(w) * share_nonzero(w->m) / AT_COST_SECOND;
    return seconds <= AT_CERTIFY_SECONDS
               ? AT_OK
               : at_fail(err, AT_EBUDGET,
                         "%ju inputs in balls would take a core about %.2g s, and a certificate may take %d",
                         (uintmax_t)w->count, seconds, AT_CERTIFY_SECONDS);
}

at_status at_check(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                   const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = q->evidence, .margin = NAN};
    at_status s = question_check(m, t, p, q, err);
    if (s)
        return s;
    work w = {.m = m, .t = t, .p = p, .q = q, .n = at_params_int(p, "N")};
    w.row = t->row_width(p);
    w.positions = t->last ? 1 : w.n;
    w.decisions = w.positions * t->out_width(p);
    size_t numbers = (size_t)w.n * (size_t)w.row;
    w.batch = numbers >= BATCH_NUMBERS          ? 1
              : numbers > BATCH_NUMBERS / BATCH ? (int)(BATCH_NUMBERS / numbers)
                                                : BATCH;
    w.count = q->limit;
    at_question drawn = *q;
    bool certify = q->evidence == AT_EV_CERTIFIED;
    if (certify) {
        drawn.evidence = AT_EV_EXACT; /* an exact check, in balls */
        w.q = q = &drawn;
    }
    if (q->evidence == AT_EV_EXACT && q->limit && t->count(p, q->how) > INT64_MAX) {
        drawn.evidence = out->evidence = AT_EV_SAMPLED; /* no strata of what cannot be counted */
        w.q = q = &drawn;
    }
    if (q->evidence == AT_EV_SAMPLED &&
        t->enums >> AT_ENUM_CASES & 1) { /* each case once, not again and again */
        drawn.evidence = AT_EV_EXACT;
        drawn.how = AT_ENUM_CASES;
        w.q = q = &drawn;
    }
    if (q->evidence == AT_EV_EXACT) {
        s = reduction_make(m, t, p, q, env, a, &w.r, err);
        if (s)
            return s;
        w.count = w.r.count;
    }
    if (w.count > INT64_MAX)
        return at_fail(err, AT_EBUDGET, "too many inputs to enumerate at this size");
    if (!w.count)
        return at_fail(err, AT_EDOMAIN, "task %s has no inputs at this size", t->id);
    w.total = q->limit && q->limit < w.count ? q->limit : w.count;
    if (q->arith.kind == AT_F32 || q->arith.kind == AT_F64) {
        at_err refused = {0};
        s = at_exec_new(m, q->arith, w.n, &w.exec, &refused);
        if (s && s != AT_EREFUSED)
            return at_fail(err, s, "%s", refused.text);
    }
    s = certify ? time_check(&w, err) : AT_OK;
    if (s)
        return s;
    w.per_piece = piece_inputs(run_cost(&w));
    uint64_t pieces = (w.total - 1) / w.per_piece + 1;
    int workers = pieces_workers(env);
    s = pieces <= PIECES_MAX ? work_prepare(&w, workers, a, err)
                             : at_fail(err, AT_EBUDGET, "%ju inputs are too many to run", (uintmax_t)w.total);
    at_piece sum = {0, NAN, -1, 0};
    if (!s)
        s = pieces_run(pieces, env, t->id, q->count_all, piece_do, &w, &sum, err);
    for (int k = 0; w.bench && k < workers; k++)
        at_scratch_free(w.bench[k].scratch);
    at_exec_free(w.exec);
    if (!s && sum.bad >= 0 && (uint64_t)sum.bad >= w.total)
        s = at_fail(err, AT_EINPUT, "a kept piece names input %jd of %ju", (intmax_t)sum.bad,
                    (uintmax_t)w.total);
    if (!s && sum.wrong > w.total)
        s = at_fail(err, AT_EINPUT, "kept pieces count %ju wrong inputs of %ju", (uintmax_t)sum.wrong,
                    (uintmax_t)w.total);
    if (s)
        return s;
    out->inputs = sum.inputs;
    out->wrong = sum.wrong;
    out->margin = isfinite(sum.margin) ? sum.margin : NAN;
    if (q->evidence == AT_EV_EXACT) {
        out->evidence = !w.r.exact ? AT_EV_SAMPLED : certify ? AT_EV_CERTIFIED : AT_EV_EXACT;
        out->note = w.r.note;
    }
    if (w.total < w.count) {
        out->evidence = AT_EV_SAMPLED;
        out->note = "one input from each of equal strata of the enumeration";
    }
    if (sum.bad < 0 && out->evidence == AT_EV_EXACT && w.r.bounded) {
        out->margin = fmin(out->margin, q->tolerance - w.r.bound);
        if (!(out->margin >= 0)) { /* the worst reals are in the tolerance by rounding only */
            out->note =
                "over all reals the error reaches the tolerance, but no input was found that is wrong";
            return AT_OK;
        }
    }
    if (sum.bad < 0) {
        out->holds = AT_TRUE;
        return q->plain ? AT_OK : ties_look(m, q->arith, w.n, w.total, env, input_look, &w, a, out, err);
    }
    double *x = at_new(a, double, (size_t)w.n *(size_t)w.row);
    if (!x)
        return at_oom(err);
    input_make(&w, (uint64_t)sum.bad, x, NULL);
    bool confirmed;
    s = counterexample_shrink(m, t, p, q, x, w.n, a, &out->cx, &confirmed, err);
    if (s)
        return s;
    out->cx.index = (uint64_t)sum.bad;
    out->has_counterexample = confirmed;
    out->holds = !confirmed || out->cx.unknown ? AT_UNKNOWN : AT_FALSE;
    if (!confirmed)
        out->note = "the fast executor failed on an input on which the reference is right";
    else if (out->cx.unknown)
        out->note = "the arithmetic could not decide an output";
    else if (answer_is_fractions(t, q))
        out->note = "another fraction than the answer; rounded to doubles they may look alike";
    return AT_OK;
}
