/* positions.c: a task learnt as it is asked: its own numbers in, its answers at positions out.
 *
 * Where rows of tokens have a stream's vocabulary and end, here a position is whatever fields the task has, and an answer a token (cross
 * entropy), or numbers (squared error), by the readout. Batches are the task's samples. (With
 * adversarial inputs among them qsa was learnt worse, docs/train.md; why was not looked into.)
 * The exam is the task's own judgement: of draws as a sampled check has them, every other one adversarial, or of all inputs where these
 * are few; permuted inputs count once where both task and model are symmetric. Nothing is held out: of a domain that is asked as a whole
 * there is nothing that could be. */
#include "learn_internal.h"

#include <attest/check.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define STRETCH    256     /* inputs of an exam between two looks at the clock */
#define LOT        16      /* of them run at a time */
#define WHOLE_MOST 100     /* times the inputs asked for: as many are run to have them all */
#define TRAIN_DRAW 0x7472u /* draws to learn from are not those of a check with the same seed */
#define EXAM_DRAW  0x6578u

static int outputs_of(const at_source *d)
{
    return (d->task->last ? 1 : at_params_int(&d->p, "N")) * d->task->out_width(&d->p);
}

/* ---- nets -------------------------------------------------------------------------------------------------- */

static at_status words_add(const at_source *d, at_model *m, at_err *err)
{
    const at_task *t = d->task;
    if (!t->word || !t->tokens || t->tokens(&d->p) > AT_MAX_WORDS)
        return AT_OK;
    at_field *f = &m->fields[0];
    if (!(f->words = at_new(&m->arena, at_word, f->size)))
        return at_oom(err);
    for (int k = 0; k < f->size; k++)
        t->word(&d->p, k, f->words[k].s);
    return AT_OK;
}

at_status positions_net(const at_source *d, const at_recipe *r, at_model *m, at_err *err)
{
    static const struct {
        at_net_kind kind;
        at_net_form form;
    } nets[AT_LEARN_NETS] = {[AT_LEARN_THREEWISE] = {AT_NET_THREEWISE, AT_NET_NORMED},
                             [AT_LEARN_TANH] = {AT_NET_RNN, AT_NET_NORMED},
                             [AT_LEARN_GRU] = {AT_NET_RNN, AT_NET_NORMED},
                             [AT_LEARN_FFN] = {AT_NET_FFN, AT_NET_NORMED},
                             [AT_LEARN_ATTENTION] = {AT_NET_ATTENTION, AT_NET_NORMED},
                             [AT_LEARN_SOFTMAX] = {AT_NET_ATTENTION, AT_NET_PURE},
                             [AT_LEARN_TRIPLES] = {AT_NET_THREEWISE, AT_NET_PURE},
                             [AT_LEARN_UNIT] = {AT_NET_ATTENTION, AT_NET_BARE}};
    const at_task *t = d->task;
    const at_train_arch *a = &r->arch;
    if (r->net == AT_LEARN_DECODER)
        return at_fail(
            err, AT_EREFUSED,
            "%s is learnt at positions, and a decoder writes tokens; --net is %s, %s, %s, %s, %s, %s, "
            "%s or %s",
            t->id, at_learn_net_names[AT_LEARN_UNIT], at_learn_net_names[AT_LEARN_SOFTMAX],
            at_learn_net_names[AT_LEARN_TRIPLES], at_learn_net_names[AT_LEARN_ATTENTION],
            at_learn_net_names[AT_LEARN_THREEWISE], at_learn_net_names[AT_LEARN_TANH],
            at_learn_net_names[AT_LEARN_GRU], at_learn_net_names[AT_LEARN_FFN]);
    int answers = !t->real && t->answers && t->out_width(&d->p) == 1 ? t->answers(&d->p) : 0;
    at_field fields[AT_MAX_FIELDS];
    const at_train_net n = {.kind = nets[r->net].kind,
                            .form = nets[r->net].form,
                            .vocabulary = 1,
                            .answers = answers ? answers : t->out_width(&d->p),
                            .length = at_params_int(&d->p, "N"),
                            .width = a->width,
                            .layers = a->layers,
                            .hidden = a->hidden,
                            .heads = a->heads,
                            .last = t->last,
                            .cell = r->net == AT_LEARN_GRU ? AT_CELL_GRU : AT_CELL_TANH,
                            .seed = r->seed,
                            .fields = fields,
                            .n_fields = at_task_fields(t, &d->p, fields),
                            .read = answers   ? AT_READ_ARGMAX
                                    : t->real ? AT_READ_RAW
                                              : AT_READ_ROUND,
                            .nowhere = t->symmetric,
                            .range = a->token_range};
    at_status s = at_train_net_model(&n, m, err);
    if (s)
        return s;
    m->n_min = m->n_max; /* no other length was asked */
    if ((s = words_add(d, m, err)))
        at_model_release(m);
    return s;
}

/* ---- inputs ------------------------------------------------------------------------------------------------- */

static at_rng draws_at(uint64_t kind, uint64_t seed, uint64_t index)
{
    return at_rng_at(at_hash64(&seed, sizeof seed, kind), index);
}

size_t positions_numbers(const at_source *d)
{
    return (size_t)at_params_int(&d->p, "N") * (size_t)d->task->row_width(&d->p);
}

size_t positions_answers(const at_source *d)
{
    return (size_t)outputs_of(d) + 1;
}

at_status positions_sample(const at_source *d, uint64_t seed, uint64_t index, double *x, double *y,
                           at_err *err)
{
    at_rng r = draws_at(TRAIN_DRAW, seed, index);
    d->task->sample(&d->p, &r, x);
    return at_task_answer(d->task, &d->p, x, y, err);
}

/* ---- exams -------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t right; /* positions */
    double square, worst, margin;
    at_err wrong;
} paper;

typedef struct {
    const at_model *m;
    const at_source *d;
    uint64_t seed, first, count;
    at_enum how;
    bool whole;
    at_exec *exec; /* NULL: the reference */
    at_arith arith;
    double tolerance;
    int N, positions, width;
    size_t row, out;      /* numbers of an input, and of its answers */
    at_scratch **scratch; /* (threads) */
    double *x, *y;        /* (STRETCH, row), (STRETCH, out + 1) */
    double *got, *margin; /* (STRETCH, out) */
    paper papers[STRETCH];
} hall;

static void lot_run(void *ctx, size_t lot, int worker)
{
    hall *h = ctx;
    size_t first = lot * LOT, end = first + LOT < h->count ? first + LOT : h->count;
    for (size_t k = first; k < end; k++) {
        paper *p = &h->papers[k];
        double *x = h->x + k * h->row;
        *p = (paper){.margin = INFINITY};
        at_rng r = draws_at(EXAM_DRAW, h->seed, h->first + k);
        if (h->whole)
            h->d->task->nth(&h->d->p, h->how, h->first + k, x);
        else
            ((h->first + k) % 2 ? h->d->task->adversarial : h->d->task->sample)(&h->d->p, &r, x);
        if (at_input_check(h->m, &(at_input){h->N, x}, &p->wrong) ||
            at_task_answer(h->d->task, &h->d->p, x, h->y + k * (h->out + 1), &p->wrong))
            return;
    }
    if (h->exec) {
        at_exec_decide(h->exec, h->scratch[worker], h->x + first * h->row, (int)(end - first),
                       h->got + first * h->out, h->margin + first * h->out);
        return;
    }
    at_arena a;
    at_arena_init(&a);
    for (size_t k = first; k < end; k++) {
        at_output y;
        if (at_run(h->m, h->arith, &(at_input){h->N, h->x + k * h->row}, NULL, &a, &y, &h->papers[k].wrong))
            break;
        memcpy(h->got + k * h->out, y.decision, h->out * sizeof *h->got);
        memcpy(h->margin + k * h->out, y.margin, h->out * sizeof *h->margin);
    }
    at_arena_release(&a);
}

/* As a check compares: reals by their distance, decisions one by one. */
static void paper_judge(const hall *h, size_t k, paper *p)
{
    const double *got = h->got + k * h->out, *margin = h->margin + k * h->out, *y = h->y + k * (h->out + 1);
    for (int i = 0; i < h->positions; i++) {
        double square = 0;
        bool right = true;
        for (int c = i * h->width; c < (i + 1) * h->width; c++) {
            square += (got[c] - y[c]) * (got[c] - y[c]);
            right = right && got[c] == y[c] && margin[c] > 0;
            p->margin = h->d->task->real ? p->margin : fmin(p->margin, margin[c]);
        }
        p->right += h->d->task->real ? sqrt(square) <= h->tolerance : right;
        p->square += square;
        p->worst = fmax(p->worst, sqrt(square));
    }
}

/* All inputs, where they are few enough; else so many are drawn. */
static void inputs_choose(hall *h, uint64_t *count)
{
    const at_task *t = h->d->task;
    const bool classes = t->symmetric && at_model_symmetric(h->m) && t->enums >> AT_ENUM_MULTISETS & 1;
    h->how = classes ? AT_ENUM_MULTISETS : AT_ENUM_SEQUENCES;
    uint64_t all = t->count && t->enums >> h->how & 1 ? t->count(&h->d->p, h->how) : UINT64_MAX;
    h->whole = all && all / WHOLE_MOST <= *count && all != UINT64_MAX;
    if (h->whole)
        *count = all;
}

static at_status hall_open(hall *h, int threads, at_arena *a, at_err *err)
{
    at_err refused = {0};
    h->x = at_new(a, double, STRETCH * h->row);
    h->y = at_new(a, double, STRETCH *(h->out + 1));
    h->got = at_new(a, double, STRETCH * h->out);
    h->margin = at_new(a, double, STRETCH * h->out);
    h->scratch = at_new(a, at_scratch *, threads);
    if (!h->x || !h->y || !h->got || !h->margin || !h->scratch)
        return at_oom(err);
    at_status s = at_exec_new(h->m, h->arith, h->N, &h->exec, &refused);
    if (s == AT_EREFUSED) {
        h->exec = NULL;
        return at_arith_supports(h->m, h->arith, err);
    }
    if (s)
        return at_fail(err, s, "%s", refused.text);
    for (int k = 0; k < threads && !s; k++)
        s = at_scratch_new(h->exec, &h->scratch[k], err);
    return s;
}

static at_status stretch_run(hall *h, int threads, at_exam *out, double *sum, double *square, at_err *err)
{
    at_status s = at_parallel(threads, (h->count + LOT - 1) / LOT, lot_run, h, err);
    for (size_t k = 0; k < h->count && !s; k++) {
        paper *p = &h->papers[k];
        if (p->wrong.code) {
            s = at_fail(err, p->wrong.code, "%s", p->wrong.text);
            break;
        }
        paper_judge(h, k, p);
        bool all = p->right == (uint64_t)h->positions;
        out->count++;
        out->positions += (uint64_t)h->positions;
        out->right += p->right;
        out->answers += all;
        out->chains += all;
        out->square += p->square;
        out->worst = fmax(out->worst, p->worst);
        out->margin = fmin(out->margin, p->margin);
        for (size_t c = 0; c < h->out; c++) {
            double y = h->y[k * (h->out + 1) + c];
            sum[c % (size_t)h->width] += y;
            *square += y * y;
        }
    }
    return s;
}

at_status positions_exam(const at_model *m, const at_source *d, uint64_t seed, uint64_t count,
                         const at_exam_options *o, at_exam *out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    int threads = o->threads > 0 ? o->threads : at_cores();
    *out = (at_exam){.margin = INFINITY, .first_wrong = NAN};
    hall *h = at_new(&a, hall, 1);
    double *sum = at_new(&a, double, d->task->out_width(&d->p)), square = 0;
    at_status s = h && sum ? learn_fits(m, d, err) : at_oom(err);
    if (!s) {
        *h = (hall){.m = m,
                    .d = d,
                    .seed = seed,
                    .arith = o->arith,
                    .tolerance = at_task_tolerance(d->task, &d->p),
                    .N = at_params_int(&d->p, "N"),
                    .width = d->task->out_width(&d->p),
                    .row = positions_numbers(d),
                    .out = (size_t)outputs_of(d)};
        h->positions = d->task->last ? 1 : h->N;
        inputs_choose(h, &count);
        s = hall_open(h, threads, &a, err);
    }
    for (uint64_t first = 0; first < count && !s; first += STRETCH) {
        at_progress_tick(o->progress, "exam", (double)first, (double)count);
        h->first = first;
        h->count = count - first < STRETCH ? count - first : STRETCH;
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL,
                                          "interrupted after %" PRIu64 " of %" PRIu64 " inputs", first, count)
                                : stretch_run(h, threads, out, sum, &square, err);
    }
    if (!s) {
        double n = (double)out->positions, mean = 0;
        for (int c = 0; c < h->width; c++)
            mean += sum[c] / n * (sum[c] / n);
        out->real = d->task->real;
        out->tolerance = h->tolerance;
        out->whole = h->whole;
        out->square /= n;
        out->trivial = fmax(square / n - mean, 0);
    }
    for (int k = 0; h && h->scratch && k < threads; k++)
        at_scratch_free(h->scratch[k]);
    if (h)
        at_exec_free(h->exec);
    at_arena_release(&a);
    return s;
}
