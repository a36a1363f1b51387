/* dp_chain.c: a recurrence as a chain: what a decoder must write after the inputs.
 *
 * Rows are (input, state, values, answer); a prompt is the inputs and a zero row, the chain one row a state and then the
 * answer. The reference is the interpreter at_dp_run. Prompts use the lowest `letters` values of each input, all of them
 * where that is 0. */
#include <math.h>
#include <string.h>

#include "dp_internal.h"

enum { MARKS = 64, FEW = 3 };

typedef struct {
    at_dp *own; /* NULL: the recurrence is somebody else's */
    at_dp_instance *x;
    int64_t letters;
    int64_t mark[MARKS]; /* numbers of the definition, those of sizes included */
    int n_marks;
} dp_chain;

/* ---- numbers that rules may compare inputs with ------------------------------------------------------------ */

static void mark_add(dp_chain *c, int64_t value)
{
    for (int k = 0; k < c->n_marks; k++)
        if (c->mark[k] == value)
            return;
    if (c->n_marks < MARKS)
        c->mark[c->n_marks++] = value;
}

/* The largest parts of an expression that are made of numbers and sizes alone: 700, limit, 2*n - 1. */
static void marks_collect(dp_chain *c, const at_dpx *e)
{
    if (!e)
        return;
    if (!(dp_node_of(e)->uses & ~(unsigned)DP_SIZE) && !dp_node_of(e)->truth && e->op != AT_DPX_LET) {
        at_err ignored = {0}; /* a part that is never evaluated may be faulty */
        dp_env v = {.x = c->x, .err = &ignored};
        int64_t value;
        if (dp_eval(&v, e, &value) == AT_OK)
            mark_add(c, value);
        return;
    }
    for (int i = 0; i < 3; i++)
        marks_collect(c, e->arg[i]);
}

static void definition_collect(dp_chain *c)
{
    const at_dp *d = c->x->d;
    for (int t = 0; t < d->n_takes; t++)
        marks_collect(c, d->takes[t].when);
    for (int n = 0; n < d->n_needs; n++)
        marks_collect(c, d->needs[n].when);
    for (int l = 0; l < d->n_lets; l++)
        marks_collect(c, d->lets[l].rule);
    for (int k = 0; k < d->n_values; k++)
        marks_collect(c, d->values[k].rule);
    marks_collect(c, d->answer);
}

/* ---- the chain ---------------------------------------------------------------------------------------------- */

at_status at_dp_chain_open(at_dp *d, bool own, const int64_t *size, int64_t letters, void **self, at_err *err)
{
    dp_chain *c = at_calloc(1, sizeof *c);
    at_status s = c ? at_dp_bind_all(d, size, &c->x, err) : at_oom(err);
    if (s) {
        at_free(c);
        if (own)
            at_dp_free(d);
        return s;
    }
    c->own = own ? d : NULL;
    c->letters = letters;
    definition_collect(c);
    *self = c;
    return AT_OK;
}

void at_dp_chain_close(void *self)
{
    dp_chain *c = self;
    at_dp_instance_free(c->x);
    at_dp_free(c->own);
    at_free(c);
}

const at_dp_instance *at_dp_chain_instance(const void *self)
{
    return ((const dp_chain *)self)->x;
}

int at_dp_chain_row_width(const void *self)
{
    const at_dp *d = at_dp_chain_instance(self)->d;
    return 2 + d->n_counters + d->n_values;
}

int at_dp_chain_prompt_max(const void *self)
{
    return (int)at_dp_chain_instance(self)->n_input + 1;
}

int at_dp_chain_rows_max(const void *self)
{
    return (int)at_dp_chain_instance(self)->n_states + 1;
}

/* The values that element i of the inputs takes in prompts: lo and how many. */
static uint64_t values_of(const dp_chain *c, int64_t i, int64_t *lo)
{
    int which = 0;
    while (which + 1 < c->x->d->n_inputs && i >= c->x->input_first[which + 1])
        which++;
    *lo = c->x->input_lo[which];
    int64_t n = c->x->input_hi[which] - *lo + 1;
    return (uint64_t)(!c->letters || n < c->letters ? n : c->letters);
}

uint64_t at_dp_chain_count(const void *self)
{
    const dp_chain *c = self;
    uint64_t all = 1;
    int64_t lo;
    for (int64_t i = 0; i < c->x->n_input; i++)
        if (__builtin_mul_overflow(all, values_of(c, i, &lo), &all))
            return UINT64_MAX;
    return all;
}

/* From digits, the last element fastest, or from a generator. */
static void prompt_fill(const dp_chain *c, uint64_t index, at_rng *r, double *prompt, int *n)
{
    int row = at_dp_chain_row_width(c);
    *n = at_dp_chain_prompt_max(c);
    memset(prompt, 0, (size_t)*n * (size_t)row * sizeof *prompt);
    for (int64_t i = c->x->n_input - 1; i >= 0; i--) {
        int64_t lo;
        uint64_t base = values_of(c, i, &lo);
        prompt[i * row] = (double)(lo + (int64_t)(r ? at_rng_below(r, base) : index % base));
        index /= base;
    }
}

at_status at_dp_chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    (void)err;
    prompt_fill(self, i, NULL, prompt, n);
    return AT_OK;
}

at_status at_dp_chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    (void)err;
    prompt_fill(self, 0, r, prompt, n);
    return AT_OK;
}

/* ---- inputs on which rules change their mind ---------------------------------------------------------------- */

/* One input of a prompt, element i at v[i*row]. It holds uniform draws when a pattern is laid over it. */
typedef struct {
    const dp_chain *c;
    at_rng *r;
    double *prompt;
    int k, row;
    double *v;
    int64_t n;     /* elements */
    int64_t least; /* their least value, and how many values there are */
    uint64_t base;
    double lo, top;
    double few[FEW]; /* the same for all inputs of a prompt; some may lie outside this one's range */
} draw;

static double any(const draw *w)
{
    return (double)(w->least + (int64_t)at_rng_below(w->r, w->base));
}

static bool fits(const draw *w, double value)
{
    return value >= w->lo && value <= w->top;
}

/* A number of the definition or one beside it. */
static double marked(const draw *w)
{
    int n = w->c->n_marks;
    double value = n ? (double)w->c->mark[at_rng_below(w->r, (uint64_t)n)] : w->top + 1;
    value += (double)at_rng_below(w->r, 3) - 1;
    return fits(w, value) ? value : any(w);
}

static void few_fill(draw *w)
{
    uint64_t kinds = 2 + at_rng_below(w->r, FEW - 1);
    for (int64_t i = 0; i < w->n; i++) {
        double value = w->few[at_rng_below(w->r, kinds)];
        if (fits(w, value))
            w->v[i * w->row] = value;
    }
}

static void ends_fill(draw *w)
{
    for (int64_t i = 0; i < w->n; i++)
        w->v[i * w->row] = at_rng_below(w->r, 2) ? w->lo : w->top;
}

static void constant_fill(draw *w)
{
    double value = at_rng_below(w->r, 2) ? marked(w) : any(w);
    for (int64_t i = 0; i < w->n; i++)
        w->v[i * w->row] = value;
}

static void end_fill(draw *w)
{
    double value = at_rng_below(w->r, 2) ? w->lo : w->top;
    for (int64_t i = 0; i < w->n; i++)
        w->v[i * w->row] = value;
}

/* Up or down by 1, or by steps of 0 or 1, and at the end of the range from the other end on. */
static void steps_fill(draw *w)
{
    double last = w->v[0], step = at_rng_below(w->r, 2) ? 1 : -1;
    bool strict = at_rng_below(w->r, 2);
    for (int64_t i = 0; i < w->n; i++) {
        last += strict || at_rng_below(w->r, 3) ? step : 0;
        last = last < w->lo ? w->top : last > w->top ? w->lo : last;
        w->v[i * w->row] = last;
    }
}

/* Sorted over the whole range: evenly, so strictly where there are values enough, or with equal neighbours. */
static void sorted_fill(draw *w)
{
    bool down = at_rng_below(w->r, 2), even = at_rng_below(w->r, 3);
    double share = (w->top - w->lo + 1) / (double)w->n;
    for (int64_t i = 0; i < w->n; i++) {
        double value = w->lo + floor(((double)i + (even ? 0 : at_rng_unit(w->r))) * share);
        w->v[(down ? w->n - 1 - i : i) * w->row] = fits(w, value) ? value : w->top;
    }
}

static void mirrored_fill(draw *w)
{
    for (int64_t i = 0; i < w->n / 2; i++)
        w->v[(w->n - 1 - i) * w->row] = w->v[i * w->row];
}

static void periodic_fill(draw *w)
{
    int64_t period = 2 + (int64_t)at_rng_below(w->r, 2);
    for (int64_t i = period; i < w->n; i++)
        w->v[i * w->row] = w->v[(i - period) * w->row];
}

static void marked_fill(draw *w)
{
    for (int64_t i = 0; i < w->n; i++)
        w->v[i * w->row] = marked(w);
}

static void uniform_fill(draw *w)
{
    (void)w;
}

/* What an earlier input says, straight, backwards, or moved by one. */
static void copied_fill(draw *w)
{
    const at_dp_instance *x = w->c->x;
    int from = (int)at_rng_below(w->r, (uint64_t)w->k);
    const double *other = w->prompt + x->input_first[from] * w->row;
    uint64_t how = at_rng_below(w->r, 8);
    for (int64_t i = 0; i < w->n; i++) {
        int64_t j = how < 4 ? i : how < 6 ? w->n - 1 - i : how == 6 ? i - 1 : i + 1;
        if (j >= 0 && j < x->input_len[from] && fits(w, other[j * w->row]))
            w->v[i * w->row] = other[j * w->row];
    }
}

/* Equal letters, runs, sorted inputs, ends of ranges, numbers of the definition, an input that repeats itself or an
 * earlier one; and each of these with a change or two, which makes the near misses. */
at_status at_dp_chain_adversarial(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    static void (*const fills[])(draw *) = {few_fill,    ends_fill,   constant_fill, end_fill,
                                            steps_fill,  sorted_fill, mirrored_fill, periodic_fill,
                                            marked_fill, uniform_fill};
    const dp_chain *c = self;
    const at_dp_instance *x = c->x;
    at_dp_chain_sample(self, r, prompt, n, err);
    draw w = {.c = c, .r = r, .prompt = prompt, .row = at_dp_chain_row_width(c)};
    bool drawn = false;
    for (int k = 0; k < x->d->n_inputs; k++) {
        if (x->input_len[k] < 1)
            continue;
        w.base = values_of(c, x->input_first[k], &w.least);
        w.k = k;
        w.v = prompt + x->input_first[k] * w.row;
        w.n = x->input_len[k];
        w.lo = (double)w.least;
        w.top = (double)(w.least + (int64_t)(w.base - 1));
        for (int i = 0; i < FEW && !drawn; i++)
            w.few[i] = any(&w);
        drawn = true;
        if (k && at_rng_below(r, 3) == 0)
            copied_fill(&w);
        else
            fills[at_rng_below(r, sizeof fills / sizeof *fills)](&w);
        static const int changes[] = {0, 0, 0, 1, 2};
        for (int i = changes[at_rng_below(r, 5)]; i > 0; i--)
            w.v[(int64_t)at_rng_below(r, (uint64_t)w.n) * w.row] = at_rng_below(r, 2) ? marked(&w) : any(&w);
    }
    return AT_OK;
}

/* One number at its lowest value that is not there already. */
bool at_dp_chain_simpler(const void *self, const double *prompt, int n, int k, double *out)
{
    const dp_chain *c = self;
    int row = at_dp_chain_row_width(c);
    for (int64_t i = 0; i < c->x->n_input; i++) {
        int64_t lo;
        values_of(c, i, &lo);
        if (prompt[i * row] == (double)lo || k-- > 0)
            continue;
        memcpy(out, prompt, (size_t)n * (size_t)row * sizeof *out);
        out[i * row] = (double)lo;
        return true;
    }
    return false;
}

at_status at_dp_chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                             at_err *err)
{
    const at_dp_instance *x = at_dp_chain_instance(self);
    int row = at_dp_chain_row_width(self);
    at_arena a;
    at_arena_init(&a);
    int64_t *in = at_new(&a, int64_t, n);
    at_dp_chain y;
    at_status s = in ? AT_OK : at_oom(err);
    for (int64_t i = 0; in && i < x->n_input; i++)
        in[i] = (int64_t)prompt[i * row];
    if (!s)
        s = at_dp_run(x, in, &a, &y, err);
    *n_rows = at_dp_chain_rows_max(self);
    if (!s)
        at_dp_rows(x, &y, rows);
    at_arena_release(&a);
    return s;
}
