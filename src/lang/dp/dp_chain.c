/* dp_chain.c: a recurrence as a chain: what a decoder must write after the inputs.
 *
 * Rows are (input, state, values, answer); a prompt is the inputs and a zero row, the chain one row a state and then the
 * answer. The reference is the interpreter at_dp_run. Prompts use the lowest `letters` values of each input, all of them
 * where that is 0. */
#include <string.h>

#include <attest/lang.h>

typedef struct {
    at_dp *own; /* NULL: the recurrence is somebody else's */
    at_dp_instance *x;
    int64_t letters;
} dp_chain;

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

/* Inputs on which rules change their mind: few different values, runs, sorted ones, an input that is another one with a
 * change or two. */
at_status at_dp_chain_adversarial(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    const dp_chain *c = self;
    const at_dp_instance *x = c->x;
    int row = at_dp_chain_row_width(c);
    at_dp_chain_sample(self, r, prompt, n, err);
    for (int k = 0; k < x->d->n_inputs; k++) {
        int64_t first = x->input_first[k], length = x->input_len[k], lo;
        if (length < 1)
            continue;
        uint64_t base = values_of(c, first, &lo), kind = at_rng_below(r, 6), few = at_rng_below(r, base);
        double last = prompt[first * row], step = at_rng_below(r, 2) ? 1 : -1;
        double top = (double)lo + (double)(base - 1);
        for (int64_t i = 0; i < length; i++) {
            double *v = &prompt[(first + i) * row];
            switch (kind) {
            case 0: /* one of two values */
                *v = (double)lo + (double)(at_rng_below(r, 2) ? few : base - 1 - few);
                break;
            case 1: /* all the same, with a rare exception */
                *v = at_rng_below(r, (uint64_t)length + 1) ? last : *v;
                break;
            case 2: /* rising or falling, by steps that may be 0 */
                last += at_rng_below(r, 3) ? step : 0;
                last = last < (double)lo ? top : last > top ? (double)lo : last;
                *v = last;
                break;
            case 3: /* the ends of the range */
                *v = at_rng_below(r, 2) ? (double)lo : top;
                break;
            case 4: /* what the input before says, from a place on */
                if (k && i < x->input_len[k - 1]) {
                    double other = prompt[(x->input_first[k - 1] + i) * row];
                    *v = other >= (double)lo && other <= top && at_rng_below(r, 5) ? other : *v;
                }
                break;
            default:
                break;
            }
        }
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
