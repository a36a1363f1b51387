/* weights_search.c: does a model answer a claim's question rightly on the whole domain? Asked without the checker:
 * inputs are enumerated from the model's own fields, or drawn from another seed; one executor, one comparison, both plain.
 *
 * A decoder's domain is its prompts; those are known to the chain alone, which numbers them. */
#include "weights.h"

#include <math.h>
#include <string.h>

#define BUDGET   4e8 /* multiply-adds of one search, about: seconds */
#define WHOLE    4e9 /* of one that runs the whole domain: a proof is worth more */
#define AT_LEAST 64  /* inputs, however much one costs */

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
    case AT_FIELD_KINDS:
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
    case AT_FIELD_KINDS:
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

static double run_cost(const question *q, const at_model *m, double T)
{
    double cost = 2000 + T * (double)m->n_weights;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            const at_group *x = &m->blocks[b].groups[g];
            cost += x->heads * (x->dk + x->dv + 4.) * T * T * (x->weighting == AT_THREEWISE ? T : 1);
        }
    return cost * (q->arith.kind == AT_PBIT ? 20 : 1);
}

static at_status input_tell(const at_model *m, const double *x, int n, found *out, at_err *err)
{
    at_input_print(m, &(at_input){n, x}, &out->input);
    return out->input.oom ? at_oom(err) : AT_OK;
}

static at_status search_task(const question *q, const at_model *m, uint64_t seed, found *out, at_err *err)
{
    int n = at_params_int(&q->tp, "N"), row = q->task->row_width(&q->tp);
    double cost = run_cost(q, m, n + m->n_prefix + m->n_suffix);
    double fields = domain_size(m, n), own = INFINITY;
    if (q->task->enums & 1u << AT_ENUM_SEQUENCES && q->task->count(&q->tp, AT_ENUM_SEQUENCES) < UINT64_MAX)
        own = (double)q->task->count(&q->tp, AT_ENUM_SEQUENCES);
    bool by_fields = fields * cost <= WHOLE, by_task = !by_fields && own * cost <= WHOLE;
    double drawn = fmax(BUDGET / cost, AT_LEAST);
    uint64_t total = by_fields ? (uint64_t)fields : by_task ? (uint64_t)own : (uint64_t)drawn;
    double *x = at_malloc(2 * (size_t)n * (size_t)row * sizeof *x);
    if (!x)
        return at_oom(err);
    at_status s = AT_OK;
    for (uint64_t i = 0; i < total && !s && !out->wrong; i++) {
        if (by_fields)
            domain_nth(m, n, i, x);
        else if (by_task)
            q->task->nth(&q->tp, AT_ENUM_SEQUENCES, i, x);
        else
            task_draw(q, m, seed, i, n, x);
        if (by_fields && q->task->holds && !q->task->holds(&q->tp, x))
            continue;
        s = question_wrong(q, m, x, n, &out->wrong, err);
        out->inputs++;
    }
    out->whole = !s && !out->wrong && (by_fields || by_task);
    if (!s && out->wrong)
        s = input_tell(m, x, n, out, err);
    at_free(x);
    return s;
}

static at_status search_chain(const question *q, const at_model *m, uint64_t seed, found *out, at_err *err)
{
    const at_chain *c = q->claim->chain;
    int row = c->row_width(q->chain), most = c->prompt_max(q->chain), n = 0;
    double cost = run_cost(q, m, most + c->rows_max(q->chain)), all = (double)c->count(q->chain);
    bool whole = all * cost <= WHOLE;
    uint64_t total = whole ? (uint64_t)all : (uint64_t)fmax(BUDGET / cost, AT_LEAST);
    double *x = at_malloc((size_t)most * (size_t)row * sizeof *x);
    if (!x)
        return at_oom(err);
    at_status s = AT_OK;
    for (uint64_t i = 0; i < total && !s && !out->wrong; i++) {
        at_rng r = at_rng_at(seed, i);
        s = whole ? c->nth(q->chain, i, x, &n, err) : c->sample(q->chain, &r, x, &n, err);
        if (!s)
            s = question_wrong(q, m, x, n, &out->wrong, err);
        out->inputs++;
    }
    out->whole = !s && !out->wrong && whole;
    if (!s && out->wrong)
        s = input_tell(m, x, n, out, err);
    at_free(x);
    return s;
}

at_status search_run(const question *q, const at_model *m, uint64_t seed, found *out, at_err *err)
{
    *out = (found){0};
    at_text_init(&out->input);
    return q->chain ? search_chain(q, m, seed, out, err) : search_task(q, m, seed, out, err);
}
