/* equal_domain.c: the inputs on which two models are compared.
 *
 * The inputs of the fields are listed like numbers, the last position fastest, every row a digit; those of a decoder stay
 * inside the stretches of its prompts. Inputs of a problem are its own. Real fields cannot be listed: they are drawn. */
#include "equal.h"

#include <math.h>
#include <string.h>

/* ---- do they take the same inputs and give the same kind of output? -------------------------------------- */

static at_status field_compare(const at_field *f, const at_field *g, int k, at_err *err)
{
    bool range = f->kind == AT_FIELD_REAL || f->kind == AT_FIELD_INT;
    if (f->kind != g->kind)
        return at_fail(err, AT_EINPUT, "field %d (%s): %s in the first model, %s in the second", k + 1,
                       f->name, at_field_names[f->kind], at_field_names[g->kind]);
    if (f->size != g->size)
        return at_fail(err, AT_EINPUT, "field %d (%s): size %d in the first model, %d in the second", k + 1,
                       f->name, f->size, g->size);
    if (f->kind == AT_FIELD_SUBSET && f->pick != g->pick)
        return at_fail(err, AT_EINPUT, "field %d (%s): subsets of %d in the first model, of %d in the second",
                       k + 1, f->name, f->pick, g->pick);
    if (range && (f->lo != g->lo || f->hi != g->hi))
        return at_fail(err, AT_EINPUT, "field %d (%s): %g..%g in the first model, %g..%g in the second",
                       k + 1, f->name, f->lo, f->hi, g->lo, g->hi);
    for (int w = 0; f->kind == AT_FIELD_TOKEN && f->words && g->words && w < f->size; w++)
        if (strcmp(f->words[w].s, g->words[w].s) != 0)
            return at_fail(err, AT_EINPUT,
                           "field %d (%s): token %d is '%s' in the first model, '%s' in the second", k + 1,
                           f->name, w, f->words[w].s, g->words[w].s);
    return AT_OK;
}

static at_status fields_compare(const at_model *a, const at_model *b, at_err *err)
{
    if (a->n_fields != b->n_fields)
        return at_fail(err, AT_EINPUT, "the first model has %d field%s a position, the second %d",
                       a->n_fields, a->n_fields == 1 ? "" : "s", b->n_fields);
    at_status s = AT_OK;
    for (int k = 0; k < a->n_fields && !s; k++)
        s = field_compare(&a->fields[k], &b->fields[k], k, err);
    return s;
}

static int decisions(const at_model *m)
{
    return m->readout.kind == AT_READ_ARGMAX ? 1 : m->readout.rows;
}

static at_status outputs_compare(const at_model *a, const at_model *b, at_err *err)
{
    static const char *const reads[] = {"integers", "reals"};
    bool raw[2] = {at_read_numbers(a->readout.kind), at_read_numbers(b->readout.kind)};
    if (a->decode.enabled != b->decode.enabled)
        return at_fail(err, AT_EINPUT, "the %s model is a decoder, the other is none",
                       a->decode.enabled ? "first" : "second");
    if (a->decode.enabled)
        return AT_OK;
    if (raw[0] != raw[1])
        return at_fail(err, AT_EINPUT, "the first model answers %s, the second %s", reads[raw[0]],
                       reads[raw[1]]);
    if (decisions(a) != decisions(b))
        return at_fail(err, AT_EINPUT, "the first model has %d outputs a position, the second %d",
                       decisions(a), decisions(b));
    if (a->readout.last != b->readout.last)
        return at_fail(err, AT_EINPUT,
                       "the %s model answers the last position only, the other every position",
                       a->readout.last ? "first" : "second");
    return AT_OK;
}

/* Stretches may differ in how many rows the one of several lengths has at most. */
static bool stretches_alike(const at_decode *a, const at_decode *b)
{
    if (a->n_prompt != b->n_prompt || a->prompt_min != b->prompt_min)
        return false;
    for (int k = 0; k < a->n_prompt; k++) {
        const at_stretch *s = &a->prompt[k], *t = &b->prompt[k];
        bool same = s->rows_min == t->rows_min && s->width == t->width &&
                    (s->rows_max == t->rows_max || (s->rows_min < s->rows_max && t->rows_min < t->rows_max));
        for (int c = 0; same && c < s->width; c++)
            same = s->lo[c] == t->lo[c] && s->hi[c] == t->hi[c];
        if (!same)
            return false;
    }
    return true;
}

static at_status prompts_compare(const at_model *a, const at_model *b, at_err *err)
{
    if (!a->decode.enabled || !a->decode.prompt || !b->decode.prompt ||
        stretches_alike(&a->decode, &b->decode))
        return AT_OK;
    at_text t[2];
    at_text_init(&t[0]);
    at_text_init(&t[1]);
    at_prompt_print(a, &t[0]);
    at_prompt_print(b, &t[1]);
    at_status s = t[0].oom || t[1].oom
                      ? at_oom(err)
                      : at_fail(err, AT_EINPUT, "prompts of the first model are %.80s; of the second %.80s",
                                t[0].s, t[1].s);
    at_text_release(&t[0]);
    at_text_release(&t[1]);
    return s;
}

/* ---- lengths ------------------------------------------------------------------------------------------------ */

static void lengths_of(const at_model *m, int *least, int *most)
{
    *least = m->decode.enabled ? m->decode.prompt_min : m->n_min;
    *most = m->decode.enabled ? m->decode.prompt_max : m->n_max;
}

static const at_task *task_of(const domain *d)
{
    return d->asked && d->asked->view == AT_VIEW_POSITIONS ? d->asked->task : NULL;
}

static const at_chain *chain_of(const domain *d)
{
    return d->asked && d->asked->view != AT_VIEW_POSITIONS ? d->asked->chain : NULL;
}

static at_status lengths_join(domain *d, at_err *err)
{
    int least[2], most[2];
    for (int k = 0; k < 2; k++)
        lengths_of(d->m[k], &least[k], &most[k]);
    d->least = least[0] > least[1] ? least[0] : least[1];
    d->most = most[0] < most[1] ? most[0] : most[1];
    if (d->least > d->most)
        return at_fail(err, AT_EINPUT, "no length in common: the first model takes %d..%d, the second %d..%d",
                       least[0], most[0], least[1], most[1]);
    const at_task *t = task_of(d);
    if (!t)
        return AT_OK;
    const at_param *row = t->params;
    while (strcmp(row->name, "N") != 0)
        row++;
    int one = t->length ? t->length(&d->asked->params) : -1;
    int lo = t->length ? one : (int)row->lo, hi = t->length ? one : (int)row->hi;
    if (lo > d->most || hi < d->least)
        return at_fail(err, AT_EINPUT, "%s has lengths %d..%d, the models take %d..%d", t->id, lo, hi,
                       d->least, d->most);
    d->least = lo > d->least ? lo : d->least;
    d->most = hi < d->most ? hi : d->most;
    return AT_OK;
}

at_status domain_make(const at_model *a, const at_model *b, const at_asked *asked, uint64_t seed, domain *out,
                      at_err *err)
{
    *out = (domain){.m = {a, b}, .asked = asked, .seed = seed, .row = at_model_row_width(a)};
    at_status s = fields_compare(a, b, err);
    if (!s)
        s = outputs_compare(a, b, err);
    if (!s && chain_of(out)) {
        if (!a->decode.enabled)
            return at_fail(err, AT_EINPUT,
                           "%s asks what is written after a prompt, and the models write nothing",
                           asked->chain->id);
        out->least = out->most = EQUAL_NO_LENGTH;
        return AT_OK;
    }
    if (!s && !asked)
        s = prompts_compare(a, b, err);
    if (!s && asked) {
        out->params = asked->params;
        if (a->decode.enabled)
            s = at_fail(err, AT_EINPUT, "%s asks for answers at positions, and the models write rows",
                        asked->task->id);
    }
    return s ? s : lengths_join(out, err);
}

/* The task's parameters at length n; false when it has no such inputs. */
static bool task_at(const domain *d, int n, at_params *p)
{
    const at_task *t = task_of(d);
    at_err quiet = {0};
    *p = d->params;
    return !at_params_set(p, "N", n, &quiet) && !(t->validate && t->validate(p, &quiet)) &&
           t->row_width(p) == d->row;
}

bool domain_has(const domain *d, int n)
{
    at_params p;
    return !task_of(d) || task_at(d, n, &p);
}

int domain_rows(const domain *d, int n)
{
    const at_chain *c = chain_of(d);
    return c ? c->prompt_max(d->asked->self) : n;
}

/* ---- the rows of the fields ----------------------------------------------------------------------------------- */

static const at_stretch *stretch_at(const domain *d, int t, int n)
{
    const at_decode *x = d->m[0]->decode.prompt ? &d->m[0]->decode : &d->m[1]->decode;
    int spare = n - x->prompt_min;
    for (int k = 0; x->enabled && x->prompt && k < x->n_prompt; k++) {
        const at_stretch *s = &x->prompt[k];
        int rows = s->rows_min + (s->rows_min < s->rows_max ? spare : 0);
        if (t < rows)
            return s;
        t -= rows;
    }
    return NULL;
}

/* What number c of a row, which is in field f, may be: integers from *lo on, so many; a subset: ranks. UINT64_MAX: cannot be
 * listed. */
static uint64_t number_range(const at_field *f, const at_stretch *s, int c, double *lo)
{
    double hi = f->size - 1;
    *lo = 0;
    switch (f->kind) {
    case AT_FIELD_TOKEN:
        break;
    case AT_FIELD_SUBSET:
        hi = (double)at_choose(f->size, f->pick) - 1;
        break;
    case AT_FIELD_INT:
        *lo = ceil(f->lo);
        hi = floor(f->hi);
        break;
    case AT_FIELD_REAL:
        return UINT64_MAX;
    }
    if (s) {
        *lo = s->lo[c];
        hi = s->hi[c];
    }
    return !(hi - *lo < 0x1p53) ? UINT64_MAX : hi < *lo ? 0 : (uint64_t)(hi - *lo) + 1;
}

/* A subset is one digit, although it is `pick` numbers. */
static int digits_of(const at_field *f)
{
    return f->kind == AT_FIELD_SUBSET ? 1 : at_field_width(f);
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

static uint64_t row_count(const domain *d, const at_stretch *s)
{
    uint64_t all = 1;
    int c = 0;
    for (int k = 0; k < d->m[0]->n_fields; k++) {
        const at_field *f = &d->m[0]->fields[k];
        double lo;
        for (int j = 0; j < digits_of(f); j++)
            all = times(all, number_range(f, s, c + j, &lo));
        c += at_field_width(f);
    }
    return all;
}

#define PICK_MOST 64 /* of a subset, as models are validated */
static void subset_write(const at_field *f, int64_t rank, double *out)
{
    int element[PICK_MOST];
    at_subset_unrank(rank, f->pick, element);
    for (int j = 0; j < f->pick; j++)
        out[j] = element[j];
}

/* Takes this row's digits off the low end of *rank. */
static void row_nth(const domain *d, const at_stretch *s, uint64_t *rank, double *row)
{
    int c = d->row;
    for (int k = d->m[0]->n_fields - 1; k >= 0; k--) {
        const at_field *f = &d->m[0]->fields[k];
        c -= at_field_width(f);
        for (int j = digits_of(f) - 1; j >= 0; j--) {
            double lo;
            uint64_t radix = number_range(f, s, c + j, &lo), digit = *rank % radix;
            *rank /= radix;
            if (f->kind == AT_FIELD_SUBSET)
                subset_write(f, (int64_t)digit, row + c);
            else
                row[c + j] = lo + (double)digit;
        }
    }
}

static void row_draw(const domain *d, const at_stretch *s, at_rng *r, double *row)
{
    int c = 0;
    for (int k = 0; k < d->m[0]->n_fields; k++) {
        const at_field *f = &d->m[0]->fields[k];
        for (int j = 0; j < digits_of(f); j++) {
            double lo;
            uint64_t n = number_range(f, s, c + j, &lo);
            if (f->kind == AT_FIELD_SUBSET)
                subset_write(f, (int64_t)at_rng_below(r, n < INT64_MAX ? n : INT64_MAX), row + c);
            else if (n == UINT64_MAX) {
                double v = f->lo + (f->hi - f->lo) * at_rng_unit(r);
                row[c + j] =
                    f->kind == AT_FIELD_INT ? fmin(fmax(nearbyint(v), ceil(f->lo)), floor(f->hi)) : v;
            } else
                row[c + j] = lo + (double)at_rng_below(r, n);
        }
        c += at_field_width(f);
    }
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static at_enum listing(const at_task *t)
{
    return t->enums >> AT_ENUM_SEQUENCES & 1 ? AT_ENUM_SEQUENCES
           : t->enums >> AT_ENUM_CASES & 1   ? AT_ENUM_CASES
                                             : AT_ENUMS;
}

bool domain_listed(const domain *d)
{
    const at_task *t = task_of(d);
    return t ? listing(t) == AT_ENUM_CASES : chain_of(d) && chain_of(d)->listed;
}

uint64_t domain_count(const domain *d, int n, bool *all)
{
    const at_task *t = task_of(d);
    *all = true;
    if (chain_of(d))
        return d->asked->chain->count(d->asked->self);
    if (t) {
        at_params p;
        at_enum e = listing(t);
        *all = e != AT_ENUMS; /* cases of a file are all its inputs */
        return e == AT_ENUMS || !task_at(d, n, &p) ? UINT64_MAX : t->count(&p, e);
    }
    uint64_t count = 1;
    for (int k = 0; k < n && count < UINT64_MAX; k++)
        count = times(count, row_count(d, stretch_at(d, k, n)));
    return count;
}

at_status domain_nth(const domain *d, int n, uint64_t i, double *x, int *rows, at_err *err)
{
    const at_task *t = task_of(d);
    *rows = n;
    if (chain_of(d))
        return d->asked->chain->nth(d->asked->self, i, x, rows, err);
    if (t)
        t->nth(&d->params, listing(t), i, x);
    for (int k = n - 1; k >= 0 && !t; k--)
        row_nth(d, stretch_at(d, k, n), &i, x + (size_t)k * (size_t)d->row);
    return AT_OK;
}

/* Even inputs are random, odd ones near where the definition changes its mind; without a definition: with rows again. */
at_status domain_draw(const domain *d, int n, uint64_t i, double *x, int *rows, at_err *err)
{
    const at_task *t = task_of(d);
    const at_chain *c = chain_of(d);
    at_rng r = at_rng_at(d->seed, i);
    *rows = n;
    if (c)
        return (i % 2 && c->adversarial ? c->adversarial : c->sample)(d->asked->self, &r, x, rows, err);
    if (t)
        (i % 2 && t->adversarial ? t->adversarial : t->sample)(&d->params, &r, x);
    size_t width = (size_t)d->row;
    for (int k = 0; k < n && !t; k++) {
        const at_stretch *s = stretch_at(d, k, n);
        int from = i % 2 && k ? (int)at_rng_below(&r, (uint64_t)k * 2) : k;
        if (from < k && stretch_at(d, from, n) == s)
            memcpy(x + (size_t)k * width, x + (size_t)from * width, width * sizeof *x);
        else
            row_draw(d, s, &r, x + (size_t)k * width);
    }
    return AT_OK;
}

/* ---- simpler ones --------------------------------------------------------------------------------------------- */

/* Number c of row t of n: the nearest to 0 that is allowed, or half-way there, as an integer. A subset becomes the first. */
static void number_simplify(const domain *d, int t, int n, int c, bool half, double *row)
{
    int first = 0, k = 0;
    while (first + at_field_width(&d->m[0]->fields[k]) <= c)
        first += at_field_width(&d->m[0]->fields[k++]);
    const at_field *f = &d->m[0]->fields[k];
    const at_stretch *s = stretch_at(d, t, n);
    if (f->kind == AT_FIELD_SUBSET) {
        for (int j = 0; j < f->pick; j++)
            row[first + j] = j + 1;
        return;
    }
    double lo = f->kind == AT_FIELD_TOKEN ? 0 : f->lo, hi = f->kind == AT_FIELD_TOKEN ? f->size - 1 : f->hi;
    if (s) {
        lo = s->lo[c];
        hi = s->hi[c];
    }
    double zero = fmin(fmax(0, lo), hi);
    row[c] = half ? fmin(fmax(trunc((row[c] + zero) / 2), lo), hi) : zero;
}

bool domain_simpler(const domain *d, const double *x, int rows, int k, double *out, int *out_rows)
{
    const at_task *t = task_of(d);
    const at_chain *c = chain_of(d);
    size_t width = (size_t)d->row, n = (size_t)rows;
    *out_rows = rows;
    if (c)
        return c->simpler && c->simpler(d->asked->self, x, rows, k, out);
    if (k < rows) { /* without one row, the last first */
        size_t drop = n - 1 - (size_t)k;
        memcpy(out, x, drop * width * sizeof *x);
        memcpy(out + drop * width, x + (drop + 1) * width, (n - 1 - drop) * width * sizeof *x);
        *out_rows = rows - 1;
        return true;
    }
    k -= rows;
    if (t) {
        at_params p;
        return t->simpler && task_at(d, rows, &p) && t->simpler(&p, x, rows, k, out);
    }
    if (k >= 2 * rows * d->row)
        return false;
    int number = k / 2;
    memcpy(out, x, n * width * sizeof *x);
    number_simplify(d, number / d->row, rows, number % d->row, k % 2,
                    out + (size_t)(number / d->row) * width);
    return true;
}

bool domain_holds(const domain *d, const double *x, int rows)
{
    const at_task *t = task_of(d);
    at_err quiet = {0};
    at_input in = {rows, x};
    at_params p;
    if (t && (!task_at(d, rows, &p) || (t->holds && !t->holds(&p, x))))
        return false;
    for (int k = 0; k < 2; k++)
        if (d->m[k]->decode.enabled ? at_prompt_check(d->m[k], &in, &quiet) != AT_OK
                                    : at_input_check(d->m[k], &in, &quiet) != AT_OK)
            return false;
    return true;
}
