/* weights_search.c: does a model answer a claim's question rightly on the whole domain? Asked without the checker:
 * inputs are enumerated from the model's own fields, or drawn from another seed; the answers are compared here.
 *
 * A decoder's domain is its prompts; those are known to the chain alone, which numbers them. */
#include "weights.h"

#include <math.h>
#include <string.h>

/* Multiply-adds of one search, about: some seconds of the fast executor, or of the reference at p bits. */
#define BUDGET   5e9
#define SLOW     2e8
#define TIMES    10    /* inputs drawn, for each that the check draws */
#define AT_LEAST 20000 /* inputs drawn where the check draws none, within the budget */
#define BATCH    64

at_status question_open(const at_claim *c, const at_cell *cell, question *out, at_err *err)
{
    *out = (question){.claim = c, .cell = cell};
    at_sweep w;
    at_status s = at_cell_sweep(c, cell, AT_TIER_QUICK, NULL, &w, err);
    if (s)
        return s;
    at_sweep_nth(&w, at_sweep_count(&w) - 1, &out->p); /* the largest point: elsewhere less is asked */
    out->limit = cell->evidence == AT_EV_SAMPLED ? (cell->inputs + 9) / 10 : 0;
    out->tolerance = c->tolerance ? c->tolerance(&out->p) : 0;
    s = at_arith_parse(at_cell_arith(cell), &out->arith, err);
    if (!s && (out->arith.kind == AT_BALL || out->arith.kind == AT_EXACT))
        out->arith = at_f64;
    if (!s && c->chain)
        return c->chain->open(&out->p, &out->chain, err);
    return s ? s : at_claim_task(c, &out->p, &out->task, &out->tp, err);
}

void question_close(question *q)
{
    if (q->chain)
        q->claim->chain->close(q->chain);
    q->chain = NULL;
}

void question_print(const question *q, at_text *out)
{
    at_params_print(&q->p, out);
    at_text_addf(out, " %s", at_evidence_names[q->cell->evidence]);
    if (q->cell->evidence == AT_EV_EXACT)
        at_text_addf(out, " %s", at_enum_names[q->cell->how]);
    if (q->limit)
        at_text_addf(out, " %ju", (uintmax_t)q->limit);
    at_text_addf(out, " %s", at_cell_arith(q->cell));
}

/* ---- one input ------------------------------------------------------------------------------------------- */

static bool answers_wrong(const question *q, const at_params *tp, const at_output *y, const double *answer)
{
    int w = q->task->out_width(tp);
    for (int i = 0; i < y->n; i++) {
        double far = 0;
        for (int k = 0; k < w; k++) {
            double got = y->decision[i * w + k], want = answer[i * w + k];
            if (y->decided[i * w + k] != AT_TRUE)
                return true;
            if (!q->task->real && (got != want || !(y->margin[i * w + k] > 0)))
                return true;
            far = hypot(far, got - want);
        }
        if (q->task->real && !(far <= q->tolerance))
            return true;
    }
    return false;
}

static at_status chain_wrong(const question *q, const at_model *m, const double *x, int n, at_arena *a,
                             bool *wrong, at_err *err)
{
    const at_chain *c = q->claim->chain;
    int row = c->row_width(q->chain), n_want, n_rows = 0;
    double *want = at_new(a, double, c->rows_max(q->chain) * row), *rows = NULL, margin = 0;
    if (!want)
        return at_oom(err);
    at_status s = c->answer(q->chain, x, n, want, &n_want, err);
    if (s)
        return s;
    at_err ended = {0};
    s = at_generate(m, q->arith, &(at_input){n, x}, a, &rows, &n_rows, &margin, &ended);
    if (s && s != AT_EBUDGET)
        return at_fail(err, s, "%s", ended.text);
    *wrong = s || n_rows != n_want || !(margin > 0);
    for (int k = 0; !*wrong && k < n_want * row; k++)
        *wrong = rows[k] != want[k];
    return AT_OK;
}

at_status question_wrong(const question *q, const at_model *m, const double *x, int n, bool *wrong,
                         at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    *wrong = false;
    at_status s = AT_OK;
    if (q->chain)
        s = chain_wrong(q, m, x, n, &a, wrong, err);
    else {
        at_params tp = q->tp;
        at_output y;
        s = at_params_set(&tp, "N", n, err);
        double *answer = s ? NULL : at_new(&a, double, n * q->task->out_width(&tp));
        if (!s && !answer)
            s = at_oom(err);
        if (!s)
            s = at_run(m, q->arith, &(at_input){n, x}, NULL, &a, &y, err);
        if (!s) {
            q->task->answer(&tp, x, answer);
            *wrong = answers_wrong(q, &tp, &y, answer);
        }
    }
    at_arena_release(&a);
    return s;
}

/* ---- the domain ------------------------------------------------------------------------------------------ */

/* Values that number k of a row can take, from the model's fields; 0: a continuum. */
static double field_values(const at_field *f)
{
    switch (f->kind) {
    case AT_FIELD_TOKEN:
        return f->size;
    case AT_FIELD_SUBSET:
        return (double)at_choose(f->size, f->pick);
    case AT_FIELD_INT:
        return pow(floor(f->hi) - ceil(f->lo) + 1, f->size);
    case AT_FIELD_REAL:
        return f->lo == f->hi ? 1 : 0;
        break;
    }
    return 0;
}

/* Writes value `k` of field f to x. */
static void field_put(const at_field *f, uint64_t k, double *x)
{
    int element[64];
    switch (f->kind) {
    case AT_FIELD_TOKEN:
        x[0] = (double)k;
        break;
    case AT_FIELD_SUBSET:
        at_subset_unrank((int64_t)k, f->pick, element);
        for (int i = 0; i < f->pick; i++)
            x[i] = element[i];
        break;
    case AT_FIELD_INT:
        for (int i = 0; i < f->size; i++) {
            uint64_t values = (uint64_t)(floor(f->hi) - ceil(f->lo) + 1);
            x[i] = ceil(f->lo) + (double)(k % values);
            k /= values;
        }
        break;
    case AT_FIELD_REAL:
        for (int i = 0; i < f->size; i++)
            x[i] = f->lo;
        break;
        break;
    }
}

/* Inputs of length n that the fields allow; INFINITY: a continuum. */
static double domain_size(const at_model *m, int n)
{
    double row = 1;
    for (int f = 0; f < m->n_fields; f++) {
        double v = field_values(&m->fields[f]);
        if (v == 0 || (m->fields[f].kind == AT_FIELD_SUBSET && m->fields[f].pick > 64))
            return INFINITY;
        row *= v;
    }
    return pow(row, n);
}

static void domain_nth(const at_model *m, int n, uint64_t i, double *x)
{
    for (int t = 0; t < n; t++)
        for (int f = 0; f < m->n_fields; f++) {
            uint64_t v = (uint64_t)field_values(&m->fields[f]);
            field_put(&m->fields[f], i % v, x);
            i /= v;
            x += at_field_width(&m->fields[f]);
        }
}

/* A row that the fields allow: reals at an end, at 0 or anywhere. */
static void row_draw(const at_model *m, at_rng *r, double *x)
{
    for (int f = 0; f < m->n_fields; f++) {
        const at_field *d = &m->fields[f];
        if (d->kind == AT_FIELD_REAL)
            for (int k = 0; k < d->size; k++) {
                uint64_t how = at_rng_below(r, 4);
                x[k] = how == 0                               ? d->lo
                       : how == 1                             ? d->hi
                       : how == 2 && d->lo <= 0 && d->hi >= 0 ? 0
                                                              : d->lo + at_rng_unit(r) * (d->hi - d->lo);
            }
        else
            field_put(d, at_rng_below(r, (uint64_t)field_values(d)), x);
        x += at_field_width(d);
    }
}

/* Input i of a search: by the task's two samplers, by the fields alone, and by a sampler with one row changed; where that
 * is no input of the task, the sampler's as it was. */
static void task_draw(const question *q, const at_model *m, uint64_t seed, uint64_t i, int n, double *x)
{
    at_rng r = at_rng_at(seed, i);
    int row = q->task->row_width(&q->tp);
    (i % 2 ? q->task->adversarial : q->task->sample)(&q->tp, &r, x);
    if (i % 4 < 2)
        return;
    double *kept = x + (size_t)n * (size_t)row; /* room for a second input */
    memcpy(kept, x, (size_t)n * (size_t)row * sizeof *x);
    int first = i % 4 == 2 ? 0 : (int)at_rng_below(&r, (uint64_t)n), end = i % 4 == 2 ? n : first + 1;
    for (int t = first; t < end; t++)
        row_draw(m, &r, x + (size_t)t * (size_t)row);
    if (q->task->holds && !q->task->holds(&q->tp, x))
        memcpy(x, kept, (size_t)n * (size_t)row * sizeof *x);
}

static double run_cost(const at_model *m, double T)
{
    double cost = 2000 + T * (double)m->n_weights;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            const at_group *x = &m->blocks[b].groups[g];
            cost += x->heads * (x->dk + x->dv + 4.) * T * T * (x->weighting == AT_THREEWISE ? T : 1);
        }
    return cost;
}

/* How many inputs to draw: many more than the check does, or as many as the budget allows. */
static double draws(const question *q, double affordable)
{
    return fmax(TIMES * (double)q->limit, fmin(AT_LEAST, fmax(affordable, BATCH)));
}

static at_status input_tell(const at_model *m, const double *x, int n, found *out, at_err *err)
{
    at_input_print(m, &(at_input){n, x}, &out->input);
    return out->input.oom ? at_oom(err) : AT_OK;
}

/* A search over a task: batches in the fast executor where it knows the model, else one by one. */
typedef struct {
    const question *q;
    const at_model *m;
    uint64_t seed;
    int n, row, positions;
    bool by_fields, by_task;
    at_exec *exec; /* NULL: the reference */
    at_scratch *scratch;
    double *x, *value, *decision, *margin, *answer; /* x: (BATCH + 1) inputs */
    uint8_t *decided;
} hunt;

/* Input i; false: there is none (the fields allow it, the task does not). */
static bool hunt_input(const hunt *h, uint64_t i, double *x)
{
    const at_task *t = h->q->task;
    if (h->by_fields)
        domain_nth(h->m, h->n, i, x);
    else if (h->by_task)
        t->nth(&h->q->tp, AT_ENUM_SEQUENCES, i, x);
    else
        task_draw(h->q, h->m, h->seed, i, h->n, x);
    return !h->by_fields || !t->holds || t->holds(&h->q->tp, x);
}

/* The first of `count` inputs that is wrong, or -1. */
static at_status hunt_batch(const hunt *h, int count, int *bad, at_err *err)
{
    size_t wide = (size_t)h->n * (size_t)h->row;
    int R = h->m->readout.rows;
    *bad = -1;
    if (h->exec)
        at_exec_run(h->exec, h->scratch, h->x, count, h->value);
    for (int k = 0; k < count && *bad < 0; k++) {
        const double *x = h->x + (size_t)k * wide;
        bool wrong = true;
        if (h->exec) {
            at_decide(&h->m->readout, h->positions, h->value + (size_t)k * (size_t)(h->positions * R),
                      h->decision, h->margin);
            h->q->task->answer(&h->q->tp, x, h->answer);
            at_output y = {
                .n = h->positions, .decision = h->decision, .margin = h->margin, .decided = h->decided};
            wrong = answers_wrong(h->q, &h->q->tp, &y, h->answer);
        }
        if (wrong) { /* the reference has the last word */
            at_status s = question_wrong(h->q, h->m, x, h->n, &wrong, err);
            if (s)
                return s;
        }
        if (wrong)
            *bad = k;
    }
    return AT_OK;
}

static at_status hunt_open(hunt *h, at_err *err)
{
    size_t wide = (size_t)h->n * (size_t)h->row, out = (size_t)h->positions * (size_t)h->m->readout.rows;
    at_err refused = {0};
    if (h->q->arith.kind != AT_PBIT) {
        at_status s = at_exec_new(h->m, h->q->arith, h->n, &h->exec, &refused);
        if (s && s != AT_EREFUSED)
            return at_fail(err, s, "%s", refused.text);
    }
    h->x = at_malloc((BATCH + 1) * wide * sizeof *h->x);
    h->value = at_malloc(BATCH * out * sizeof *h->value);
    h->decision = at_malloc(out * sizeof *h->decision);
    h->margin = at_malloc(out * sizeof *h->margin);
    h->answer = at_malloc((size_t)h->n * (size_t)h->q->task->out_width(&h->q->tp) * sizeof *h->answer);
    h->decided = at_malloc(out);
    if (!h->x || !h->value || !h->decision || !h->margin || !h->answer || !h->decided)
        return at_oom(err);
    memset(h->decided, AT_TRUE, out);
    return h->exec ? at_scratch_new(h->exec, &h->scratch, err) : AT_OK;
}

static void hunt_close(hunt *h)
{
    at_scratch_free(h->scratch);
    at_exec_free(h->exec);
    at_free(h->x);
    at_free(h->value);
    at_free(h->decision);
    at_free(h->margin);
    at_free(h->answer);
    at_free(h->decided);
}

static at_status search_task(const question *q, const at_model *m, uint64_t seed, found *out, at_err *err)
{
    hunt h = {
        .q = q, .m = m, .seed = seed, .n = at_params_int(&q->tp, "N"), .row = q->task->row_width(&q->tp)};
    h.positions = q->task->last ? 1 : h.n;
    at_status s = hunt_open(&h, err);
    double cost = run_cost(m, h.n + m->n_prefix + m->n_suffix), budget = (h.exec ? BUDGET : SLOW) / cost;
    double fields = domain_size(m, h.n), own = INFINITY;
    if (q->task->enums & 1u << AT_ENUM_SEQUENCES && q->task->count(&q->tp, AT_ENUM_SEQUENCES) < UINT64_MAX)
        own = (double)q->task->count(&q->tp, AT_ENUM_SEQUENCES);
    /* An exact check runs all sequences, and so does the search, whatever it costs. */
    bool all = q->cell->evidence == AT_EV_EXACT && q->cell->how == AT_ENUM_SEQUENCES;
    h.by_fields = fields <= (all ? fmax(budget, 4 * own) : budget);
    h.by_task = !h.by_fields && (all ? own < INFINITY : own <= budget);
    uint64_t total = (uint64_t)(h.by_fields ? fields : h.by_task ? own : draws(q, budget));
    size_t wide = (size_t)h.n * (size_t)h.row;
    int bad = -1;
    for (uint64_t i = 0; i < total && !s && bad < 0;) {
        int count = 0;
        for (; i < total && count < BATCH; i++)
            count += hunt_input(&h, i, h.x + (size_t)count * wide);
        s = hunt_batch(&h, count, &bad, err);
        out->inputs += (uint64_t)count;
    }
    out->wrong = bad >= 0;
    out->whole = !s && !out->wrong && (h.by_fields || h.by_task);
    if (!s && out->wrong)
        s = input_tell(m, h.x + (size_t)bad * wide, h.n, out, err);
    hunt_close(&h);
    return s;
}

static at_status prompt_wrong(const question *q, at_generator *g, const double *x, int n, double *want,
                              bool *wrong, at_err *err)
{
    const at_chain *c = q->claim->chain;
    int n_want, n_rows = 0;
    const double *rows = NULL;
    double margin = 0;
    at_err ended = {0};
    at_status s = c->answer(q->chain, x, n, want, &n_want, err);
    if (s)
        return s;
    s = at_generator_run(g, x, n, &rows, &n_rows, &margin, &ended);
    if (s && s != AT_EBUDGET)
        return at_fail(err, s, "%s", ended.text);
    *wrong = s || n_rows != n_want || !(margin > 0) ||
             memcmp(rows, want, (size_t)n_want * (size_t)c->row_width(q->chain) * sizeof *rows);
    return AT_OK;
}

static at_status search_chain(const question *q, const at_model *m, uint64_t seed, found *out, at_err *err)
{
    const at_chain *c = q->claim->chain;
    int row = c->row_width(q->chain), most = c->prompt_max(q->chain), longest = c->rows_max(q->chain), n = 0;
    double cost = run_cost(m, most + longest), all = (double)c->count(q->chain);
    double budget = (q->arith.kind == AT_PBIT ? SLOW : BUDGET) / cost;
    bool whole = q->cell->evidence == AT_EV_EXACT || all <= budget;
    uint64_t total = (uint64_t)(whole ? all : draws(q, budget));
    double *x = at_malloc((size_t)most * (size_t)row * sizeof *x),
           *want = at_malloc((size_t)longest * (size_t)row * sizeof *want);
    at_generator *g = NULL;
    at_status s = x && want ? at_generator_new(m, q->arith, &g, err) : at_oom(err);
    for (uint64_t i = 0; i < total && !s && !out->wrong; i++) {
        at_rng r = at_rng_at(seed, i);
        s = whole ? c->nth(q->chain, i, x, &n, err) : c->sample(q->chain, &r, x, &n, err);
        if (!s)
            s = prompt_wrong(q, g, x, n, want, &out->wrong, err);
        if (!s && out->wrong) /* the plain decoder has the last word */
            s = question_wrong(q, m, x, n, &out->wrong, err);
        out->inputs++;
    }
    out->whole = !s && !out->wrong && whole;
    if (!s && out->wrong)
        s = input_tell(m, x, n, out, err);
    at_generator_free(g);
    at_free(x);
    at_free(want);
    return s;
}

at_status search_run(const question *q, const at_model *m, uint64_t seed, found *out, at_err *err)
{
    *out = (found){0};
    at_text_init(&out->input);
    return q->chain ? search_chain(q, m, seed, out, err) : search_task(q, m, seed, out, err);
}
