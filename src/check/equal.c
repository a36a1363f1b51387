/* equal.c: are two models the same function on a domain?
 *
 * Length by length, from the shortest, every input goes through both: in pieces, so that what is found does not depend on
 * threads, and it is the first input of the listing that differs. The fast executor runs first; where the two decisions
 * differ, or one of them has no margin, the reference has the word. Reals that must be the same numbers go through the reference
 * alone: another order of the same sums is another number. */
#include "equal.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define BATCH        256
#define NUMBERS      ((size_t)1 << 20)   /* a batch holds fewer inputs when they are long */
#define QUICK_INPUTS ((uint64_t)1 << 22) /* of a length: enumerated unless told otherwise ... */
#define QUICK_WORK   3e9 /* ... as long as all lengths together cost at most some ten seconds */
#define MOST_INPUTS  ((uint64_t)1 << 40) /* of a length, whatever was asked: some days */
#define QUICK_CHAINS ((uint64_t)20000)   /* of decoders */
#define CHAIN_PIECE  1e9                 /* multiply-adds of a piece of prompts */
#define SAMPLES      1000
#define MOST_LENGTHS 8 /* of those in common that are drawn from unless told, and the longest */
#define SHRINK_RUNS  4000

/* What the two models say of one input, by the reference. */
typedef struct {
    at_tri same;
    int position; /* the first that differs, or is undecided */
    double margin;
    int width, rows[2];
    const double *output[2];
    const uint8_t *decided[2];
    bool ended[2];
} said;

typedef struct {
    at_scratch *scratch[2];
    at_generator *generator[2];
    double *x, *value[2], *decision[2], *margin[2];
} bench;

typedef struct {
    const domain *d;
    const at_equal_question *q;
    at_exec *exec[2]; /* NULL: the reference */
    bool decoder, raw, draw;
    int n, room, positions, width, batch; /* room: rows of an input */
    uint64_t total, per_piece;
    bench *bench; /* one a worker */
    _Atomic uint64_t undecided, first_undecided, endless;
} work;

/* ---- one input ------------------------------------------------------------------------------------------------- */

/* How far the numbers of a position are apart, at least and at most. */
static void apart(const at_output *y, const at_output *z, int i, double *least, double *most)
{
    double lo = 0, hi = 0;
    for (int k = i * y->width; k < (i + 1) * y->width; k++) {
        double d = fabs(y->decision[k] - z->decision[k]), r = y->radius[k] + z->radius[k];
        lo += fmax(d - r, 0) * fmax(d - r, 0);
        hi += (d + r) * (d + r);
    }
    *least = sqrt(lo);
    *most = sqrt(hi);
}

static at_tri position_judge(const at_output *y, const at_output *z, int i, bool raw, double tolerance,
                             double *margin)
{
    bool decided = true, same = true;
    double least = 0, most = 0;
    for (int k = i * y->width; k < (i + 1) * y->width; k++) {
        bool here = y->decided[k] == AT_TRUE && z->decided[k] == AT_TRUE;
        decided = decided && here;
        same = same && !(here && y->decision[k] != z->decision[k]);
        if (!raw)
            *margin = fmin(*margin, fmin(y->margin[k], z->margin[k]));
    }
    if (!raw)
        return !same ? AT_FALSE : decided ? AT_TRUE : AT_UNKNOWN;
    if (!decided)
        return AT_UNKNOWN;
    apart(y, z, i, &least, &most);
    *margin = fmin(*margin, tolerance - most);
    return most <= tolerance ? AT_TRUE : least > tolerance ? AT_FALSE : AT_UNKNOWN;
}

static at_status positions_judge(const work *w, const double *x, int n, at_arena *a, said *out, at_err *err)
{
    at_output y[2];
    at_input in = {n, x};
    for (int k = 0; k < 2; k++) {
        at_status s = at_run(w->d->m[k], w->q->arith, &in, NULL, a, &y[k], err);
        if (s)
            return s;
        out->rows[k] = y[k].n;
        out->output[k] = y[k].decision;
        out->decided[k] = y[k].decided;
        out->ended[k] = true;
    }
    out->width = y[0].width;
    for (int i = 0; i < y[0].n; i++) {
        at_tri here = position_judge(&y[0], &y[1], i, w->raw, w->q->tolerance, &out->margin);
        if (here == AT_FALSE || (here == AT_UNKNOWN && out->same == AT_TRUE)) {
            out->same = here;
            out->position = i;
        }
        if (here == AT_FALSE)
            break;
    }
    return AT_OK;
}

static int rows_compare(int width, const double *a, int n, const double *b, int m)
{
    int both = n < m ? n : m;
    for (int i = 0; i < both; i++)
        for (int k = i * width; k < (i + 1) * width; k++)
            if (!(a[k] == b[k]))
                return i;
    return n == m ? -1 : both;
}

/* A decoder that gives up has written what it has written. */
static void chains_judge(said *out)
{
    int at = rows_compare(out->width, out->output[0], out->rows[0], out->output[1], out->rows[1]);
    if (at < 0 && out->ended[0] != out->ended[1])
        at = out->rows[0];
    out->same = at < 0 ? AT_TRUE : AT_FALSE;
    out->position = at;
}

static at_status prompt_judge(const work *w, const double *x, int n, at_arena *a, said *out, at_err *err)
{
    at_input in = {n, x};
    out->width = w->d->row;
    for (int k = 0; k < 2; k++) {
        double *rows = NULL, least = INFINITY;
        at_err gave_up = {0};
        at_status s = at_generate(w->d->m[k], w->q->arith, &in, a, &rows, &out->rows[k], &least, &gave_up);
        if (s && s != AT_EBUDGET)
            return at_fail(err, s, "%s", gave_up.text);
        out->output[k] = rows;
        out->ended[k] = !s;
        out->margin = fmin(out->margin, least);
    }
    chains_judge(out);
    return AT_OK;
}

static at_status judge(const work *w, const double *x, int n, at_arena *a, said *out, at_err *err)
{
    *out = (said){.same = AT_TRUE, .position = -1, .margin = INFINITY};
    return (w->decoder ? prompt_judge : positions_judge)(w, x, n, a, out, err);
}

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

static at_status input_make(const work *w, uint64_t i, double *x, int *rows, at_err *err)
{
    at_status s = (w->draw ? domain_draw : domain_nth)(w->d, w->n, i, x, rows, err);
    at_input in = {*rows, x};
    for (int k = 0; k < 2 && !s; k++) /* the fast executor trusts its inputs */
        s = w->decoder ? at_prompt_check(w->d->m[k], &in, err) : at_input_check(w->d->m[k], &in, err);
    return s;
}

static void undecided_note(work *w, uint64_t i)
{
    w->undecided++;
    uint64_t first = w->first_undecided;
    while (i < first && !atomic_compare_exchange_weak(&w->first_undecided, &first, i))
        ;
}

static at_status reference_one(work *w, const double *x, int n, uint64_t i, at_piece *out, bool *bad,
                               at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    said v;
    at_status s = judge(w, x, n, &a, &v, err);
    at_arena_release(&a);
    if (s)
        return s;
    *bad = v.same == AT_FALSE;
    if (v.same == AT_UNKNOWN)
        undecided_note(w, i);
    else if (!*bad)
        out->margin = fmin(out->margin, v.margin);
    return AT_OK;
}

/* Are the values that the fast executor found the same, beyond doubt? */
static bool values_agree(const work *w, bench *b, int k, double *margin)
{
    int P = w->positions, W = w->width;
    double least = INFINITY;
    for (int j = 0; j < 2; j++) {
        const at_readout *r = &w->d->m[j]->readout;
        at_decide(r, P, b->value[j] + (size_t)k * (size_t)(P * r->rows), b->decision[j], b->margin[j]);
    }
    for (int i = 0; i < P; i++) {
        double d2 = 0;
        for (int c = i * W; c < (i + 1) * W; c++) {
            double off = b->decision[0][c] - b->decision[1][c];
            d2 += off * off;
            if (!w->raw)
                least = fmin(least, fmin(b->margin[0][c], b->margin[1][c]));
        }
        if (!(w->raw ? sqrt(d2) <= w->q->tolerance : d2 == 0)) /* also NaN */
            return false;
        if (w->raw)
            least = fmin(least, w->q->tolerance - sqrt(d2));
    }
    if (!(least > 0))
        return false;
    *margin = fmin(*margin, least);
    return true;
}

static at_status positions_piece(void *ctx, uint64_t piece, int worker, at_piece *out, at_err *err)
{
    work *w = ctx;
    bench *b = &w->bench[worker];
    uint64_t first = piece * w->per_piece, left = w->total - first;
    uint64_t end = first + (left < w->per_piece ? left : w->per_piece);
    size_t row = (size_t)w->room * (size_t)w->d->row;
    for (uint64_t i = first; i < end; i += (uint64_t)w->batch) {
        int batch = end - i < (uint64_t)w->batch ? (int)(end - i) : w->batch, rows;
        for (int k = 0; k < batch; k++) {
            at_status s = input_make(w, i + (uint64_t)k, b->x + (size_t)k * row, &rows, err);
            if (s)
                return s;
        }
        for (int j = 0; j < 2 && w->exec[0]; j++)
            at_exec_run(w->exec[j], b->scratch[j], b->x, batch, b->value[j]);
        for (int k = 0; k < batch; k++) {
            bool bad = false;
            at_status s = AT_OK;
            if (!w->exec[0] || !values_agree(w, b, k, &out->margin))
                s = reference_one(w, b->x + (size_t)k * row, w->n, i + (uint64_t)k, out, &bad, err);
            if (s)
                return s;
            out->inputs++;
            if (bad && piece_fail(out, i + (uint64_t)k, false))
                return AT_OK;
        }
    }
    return AT_OK;
}

static at_status prompts_piece(void *ctx, uint64_t piece, int worker, at_piece *out, at_err *err)
{
    work *w = ctx;
    bench *b = &w->bench[worker];
    uint64_t first = piece * w->per_piece, end = first + w->per_piece;
    for (uint64_t i = first; i < end && i < w->total; i++) {
        said v = {.width = w->d->row};
        double least[2] = {INFINITY, INFINITY};
        int n;
        at_status s = input_make(w, i, b->x, &n, err);
        for (int k = 0; k < 2 && !s; k++) {
            at_err gave_up = {0};
            s = at_generator_run(b->generator[k], b->x, n, &v.output[k], &v.rows[k], &least[k], &gave_up);
            v.ended[k] = !s;
            s = s && s != AT_EBUDGET ? at_fail(err, s, "%s", gave_up.text) : AT_OK;
        }
        if (s)
            return s;
        chains_judge(&v);
        out->inputs++;
        if (v.same == AT_FALSE) {
            piece_fail(out, i, false);
            return AT_OK;
        }
        w->endless += !v.ended[0];
        out->margin = fmin(out->margin, fmin(least[0], least[1]));
    }
    return AT_OK;
}

/* ---- one length --------------------------------------------------------------------------------------------------- */

static at_status bench_make(const work *w, bench *b, at_arena *a, at_err *err)
{
    size_t row = (size_t)w->room * (size_t)w->d->row;
    at_status s = AT_OK;
    b->x = at_new(a, double, row *(size_t)w->batch + 1);
    bool whole = b->x != NULL;
    for (int k = 0; k < 2 && whole && !s; k++) {
        size_t out = (size_t)w->positions * (size_t)w->d->m[k]->readout.rows;
        if (w->decoder)
            s = at_generator_new(w->d->m[k], w->q->arith, &b->generator[k], err);
        if (w->exec[k]) {
            b->value[k] = at_new(a, double, out *(size_t)w->batch + 1);
            b->decision[k] = at_new(a, double, out + 1);
            b->margin[k] = at_new(a, double, out + 1);
            whole = b->value[k] && b->decision[k] && b->margin[k];
            s = whole ? at_scratch_new(w->exec[k], &b->scratch[k], err) : AT_OK;
        }
    }
    return whole ? s : at_oom(err);
}

/* Both fast, or neither. */
static at_status execs_make(work *w, at_err *err)
{
    at_arith a = w->q->arith;
    if (w->decoder || w->n < 1 || (a.kind != AT_F32 && a.kind != AT_F64) ||
        (w->raw && !(w->q->tolerance > 0)))
        return AT_OK;
    for (int k = 0; k < 2; k++) {
        at_err refused = {0};
        at_status s = at_exec_new(w->d->m[k], a, w->n, &w->exec[k], &refused);
        if (s && s != AT_EREFUSED)
            return at_fail(err, s, "%s", refused.text);
    }
    for (int k = 0; k < 2 && !(w->exec[0] && w->exec[1]); k++) {
        at_exec_free(w->exec[k]);
        w->exec[k] = NULL;
    }
    return AT_OK;
}

static double cost_of(const work *w)
{
    const at_model *a = w->d->m[0], *b = w->d->m[1];
    if (!w->decoder)
        return (at_input_cost(a, w->n) + at_input_cost(b, w->n)) * (w->exec[0] ? 1 : AT_REFERENCE_COST);
    double rows = a->decode.max_steps < b->decode.max_steps ? a->decode.max_steps : b->decode.max_steps;
    return (w->room + rows) * ((double)a->n_weights + (double)b->n_weights + 1000) *
           (w->q->arith.kind == AT_PBIT ? 25 : 1);
}

/* Runs w->total inputs; the pieces' sum. */
static at_status length_run(work *w, const at_check_env *env, at_piece *sum, at_err *err)
{
    double cost = cost_of(w);
    w->per_piece = !w->decoder ? piece_inputs(cost) : cost > CHAIN_PIECE ? 1 : (uint64_t)(CHAIN_PIECE / cost);
    uint64_t pieces = (w->total - 1) / w->per_piece + 1;
    if (pieces > PIECES_MAX)
        return at_fail(err, AT_EBUDGET, "%ju inputs of length %d are too many to run", (uintmax_t)w->total,
                       w->n);
    size_t numbers = (size_t)w->room * (size_t)w->d->row;
    w->batch = w->decoder || numbers >= NUMBERS ? 1
               : numbers > NUMBERS / BATCH      ? (int)(NUMBERS / numbers)
                                                : BATCH;
    int workers = pieces_workers(env);
    at_check_env plain = {.threads = env ? env->threads : 0, .progress = env ? env->progress : NULL};
    at_arena a;
    at_arena_init(&a);
    w->bench = at_new(&a, bench, workers);
    at_status s = w->bench ? AT_OK : at_oom(err);
    for (int k = 0; k < workers && !s; k++)
        s = bench_make(w, &w->bench[k], &a, err);
    if (!s)
        s = pieces_run(pieces, &plain, "inputs", false, w->decoder ? prompts_piece : positions_piece, w, sum,
                       err);
    for (int k = 0; w->bench && k < workers; k++)
        for (int j = 0; j < 2; j++) {
            at_scratch_free(w->bench[k].scratch[j]);
            at_generator_free(w->bench[k].generator[j]);
        }
    w->bench = NULL;
    at_arena_release(&a);
    return s;
}

/* ---- the witness ---------------------------------------------------------------------------------------------------- */

/* Makes x simpler for as long as the two differ on it, in place. */
static at_status witness_shrink(const work *w, double *x, int *n, at_err *err)
{
    size_t row = (size_t)w->d->row, room = (size_t)w->room * row;
    double *next = at_malloc((room + 1) * sizeof *next);
    at_status s = next ? AT_OK : at_oom(err);
    int runs = SHRINK_RUNS, rows;
    for (int k = 0; !s && runs > 0 && domain_simpler(w->d, x, *n, k, next, &rows); k++) {
        if ((rows == *n && !memcmp(next, x, (size_t)rows * row * sizeof *x)) ||
            !domain_holds(w->d, next, rows))
            continue;
        at_arena a;
        at_arena_init(&a);
        said v;
        runs--;
        s = judge(w, next, rows, &a, &v, err);
        at_arena_release(&a);
        if (!s && v.same == AT_FALSE) {
            memcpy(x, next, (size_t)rows * row * sizeof *x);
            *n = rows;
            k = -1;
        }
    }
    at_free(next);
    return s;
}

/* Input i, by the reference; one that differs is shrunk. */
static at_status witness_make(const work *w, uint64_t i, at_arena *a, at_equality *out, at_err *err)
{
    double *x = at_new(a, double, (size_t)w->room *(size_t)w->d->row + 1);
    int n;
    said v;
    at_status s = x ? input_make(w, i, x, &n, err) : at_oom(err);
    if (!s)
        s = judge(w, x, n, a, &v, err);
    if (!s && v.same == AT_FALSE) {
        s = witness_shrink(w, x, &n, err);
        if (!s)
            s = judge(w, x, n, a, &v, err);
    }
    if (s)
        return s;
    out->equal = v.same == AT_FALSE ? AT_FALSE : AT_UNKNOWN;
    out->has_witness = v.same != AT_TRUE;
    out->x = (at_input){n, x};
    out->position = v.position;
    out->width = v.width;
    out->index = i;
    for (int k = 0; k < 2; k++) {
        out->rows[k] = v.rows[k];
        out->output[k] = v.output[k];
        out->decided[k] = v.decided[k];
        out->ended[k] = v.ended[k];
    }
    return AT_OK;
}

/* ---- all lengths ---------------------------------------------------------------------------------------------------- */

typedef struct {
    domain d;
    work w;
    const at_equal_question *q;
    const at_check_env *env;
    at_arena *arena;
    at_equality *out;
    double spent; /* of QUICK_WORK */
    bool all;     /* so far every input of every length */
} asking;

/* Asks length n. *stop: it was too many to enumerate quickly, or it differs. */
static at_status length_ask(asking *k, int n, bool draw, bool *stop, at_err *err)
{
    work *w = &k->w;
    bool all = true;
    if (!domain_has(&k->d, n))
        return AT_OK;
    uint64_t count = domain_count(&k->d, n, &all);
    w->n = n;
    w->room = domain_rows(&k->d, n);
    w->positions = k->d.m[0]->readout.last ? 1 : n;
    /* Cases of a file are few, and all there is to draw from. */
    w->draw = draw && !(domain_listed(&k->d) && (!k->q->sampled || k->q->sampled >= count));
    w->total = w->draw ? k->q->sampled ? k->q->sampled : SAMPLES : count;
    if (k->d.asked && n != EQUAL_NO_LENGTH && at_params_set(&k->d.params, "N", n, err))
        return err->code;
    if (!w->draw && count > MOST_INPUTS) {
        *stop = true;
        return AT_OK;
    }
    if (!w->total)
        return AT_OK;
    at_status s = execs_make(w, err);
    if (s)
        return s;
    if (w->draw && !k->q->sampled && cost_of(w) * SAMPLES > QUICK_WORK) /* long inputs: fewer */
        w->total = (uint64_t)fmax(QUICK_WORK / cost_of(w), 1);
    bool told = k->q->exact || k->q->has_lengths;
    uint64_t most = w->decoder ? QUICK_CHAINS : QUICK_INPUTS;
    double effort = cost_of(w) * (double)w->total;
    at_piece sum = {0, INFINITY, -1, 0};
    if (!w->draw && !told && all && (count > most || (!w->decoder && k->spent + effort > QUICK_WORK)))
        *stop = true;
    else {
        k->spent += effort;
        w->first_undecided = UINT64_MAX;
        uint64_t before = w->undecided;
        s = length_run(w, k->env, &sum, err);
        at_equality *o = k->out;
        if (!s) {
            o->inputs += sum.inputs;
            o->margin = fmin(o->margin, sum.margin);
            o->least = o->least == INT32_MAX ? n : o->least;
            o->most = n;
            k->all = k->all && all && !w->draw;
            *stop = sum.bad >= 0;
            if (sum.bad >= 0 || (w->undecided > before && !o->has_witness))
                s = witness_make(w, sum.bad >= 0 ? (uint64_t)sum.bad : w->first_undecided, k->arena, o, err);
        }
    }
    for (int j = 0; j < 2; j++) {
        at_exec_free(w->exec[j]);
        w->exec[j] = NULL;
    }
    return s;
}

static at_status lengths_ask(asking *k, int least, int most, bool draw, at_err *err)
{
    bool stop = false, few = draw && !k->q->has_lengths;
    at_status s = AT_OK;
    for (int n = least; n <= most && !s && !stop; n++) {
        if (few && n - least >= MOST_LENGTHS && n < most)
            n = most;
        s = length_ask(k, n, draw, &stop, err);
    }
    return s;
}

/* Found out before days are spent on the lengths before it. */
static bool lengths_listed(const asking *k, int least, int most)
{
    bool all, listed = true;
    for (int n = least; n <= most && listed; n++)
        listed = !domain_has(&k->d, n) || domain_count(&k->d, n, &all) <= MOST_INPUTS;
    return listed;
}

static at_status question_check(const domain *d, const at_equal_question *q, at_err *err)
{
    at_status s = AT_OK;
    for (int k = 0; k < 2 && !s; k++) {
        s = at_arith_supports(d->m[k], q->arith, err);
        if (!s)
            s = at_arith_range(d->m[k], q->arith, err);
    }
    if (!s && q->sampled > INT64_MAX)
        s = at_fail(err, AT_EDOMAIN, "a sampled comparison takes 1..2^63-1 inputs");
    if (s || !q->has_lengths)
        return s;
    if (d->least == EQUAL_NO_LENGTH)
        return at_fail(err, AT_EINPUT, "the prompts of %s are as long as its parameters say; set these",
                       d->asked->chain->id);
    if (q->least > q->most || q->least < d->least || q->most > d->most)
        return at_fail(err, AT_EDOMAIN, "lengths %d..%d: must be in %d..%d, which both models take", q->least,
                       q->most, d->least, d->most);
    return AT_OK;
}

at_status at_equal(const at_model *a, const at_model *b, const at_equal_question *q, const at_check_env *env,
                   at_arena *arena, at_equality *out, at_err *err)
{
    *out = (at_equality){.equal = AT_UNKNOWN, .margin = INFINITY, .least = INT32_MAX, .most = INT32_MIN};
    asking k = {.q = q, .env = env, .arena = arena, .out = out, .all = true};
    at_status s = domain_make(a, b, q->asked, q->seed, &k.d, err);
    if (!s)
        s = question_check(&k.d, q, err);
    if (s)
        return s;
    k.w.d = &k.d;
    k.w.q = q;
    k.w.decoder = a->decode.enabled;
    k.w.raw = at_read_numbers(a->readout.kind);
    k.w.width = a->readout.kind == AT_READ_ARGMAX ? 1 : a->readout.rows;
    out->common_least = k.d.least;
    out->common_most = k.d.most;
    int least = q->has_lengths ? q->least : k.d.least, most = q->has_lengths ? q->most : k.d.most;
    bool told = q->exact || q->has_lengths, listed = !told || lengths_listed(&k, least, most);
    if (q->exact && !listed)
        return at_fail(err, AT_EBUDGET, "too many inputs of lengths %d..%d to run all of them", least, most);
    if (!q->sampled && listed)
        s = lengths_ask(&k, least, most, false, err);
    if (!s && !out->inputs) /* not even the shortest, or so it was asked */
        s = lengths_ask(&k, least, most, true, err);
    if (!s && !out->inputs)
        s = at_fail(err, AT_EDOMAIN, "there are no inputs of lengths %d..%d", least, most);
    if (s)
        return s;
    if (!isfinite(out->margin) || (k.w.raw && !(q->tolerance > 0))) /* the same numbers have none */
        out->margin = NAN;
    out->evidence = k.all ? AT_EV_EXACT : AT_EV_SAMPLED;
    if (out->equal == AT_FALSE) /* what later pieces met by then depends on threads */
        return AT_OK;
    out->undecided = k.w.undecided;
    out->endless = k.w.endless;
    if (k.all && !out->undecided)
        out->equal = AT_TRUE;
    else if (out->undecided)
        out->note = "the arithmetic could not decide an output";
    else if (!q->sampled)
        out->note = "not every input can be listed quickly: some were run";
    return AT_OK;
}
