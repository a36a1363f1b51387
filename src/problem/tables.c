/* tables.c: what the tasks of function composition share: prompts that spell functions out as tables.
 *
 *     z_L(0) z_L(1) ... | ... | z_1(0) z_1(1) ... | z_0 | w        (funccomp; compose has its tables the other way round)
 *
 * A prompt has one token a position, and every position its own range: a table of a function on size values has `size`
 * positions with tokens 0..size-1. The answer follows a path, one entry of every table: entry 0 is the start's token,
 * then the value found, moved by a digit of the last token where there are digits. Only the last position is answered.
 *
 * A task is plain data here (at_tables); its verbs are these functions on it. Nothing allocates or keeps state. */

#include "problem_internal.h"

/* How many values position i has. */
static void sizes(const at_tables *f, int *size)
{
    int digits = 1;
    for (int t = 0; t < f->n; t++) {
        digits *= f->radix[t];
        for (int i = 0; i < f->size[t]; i++)
            size[f->first[t] + i] = f->size[t];
    }
    size[f->start] = f->size[0];
    if (f->digits >= 0)
        size[f->digits] = digits;
}

/* Integers outside their range mean their residue: no input can reach outside a table. */
int at_tables_path(const at_tables *f, const double *x, int *at)
{
    int64_t digits = 0;
    if (f->digits >= 0) {
        int all = 1;
        for (int t = 0; t < f->n; t++)
            all *= f->radix[t];
        digits = at_mod((int64_t)x[f->digits], all);
    }
    int value = at_mod((int64_t)x[f->start], f->size[0]);
    for (int t = 0; t < f->n; t++) {
        int digit = (int)(digits % f->radix[t]);
        digits /= f->radix[t];
        int entry = f->first[t] + (t ? digit * f->size[t - 1] : 0) + value;
        if (at)
            at[t] = entry;
        value = at_mod((int64_t)x[entry], f->size[t]);
    }
    return value;
}

/* ---- draws ------------------------------------------------------------------------------------------ */

void at_tables_sample(const at_tables *f, at_rng *r, double *x)
{
    int size[AT_LENGTH_MAX];
    sizes(f, size);
    for (int i = 0; i < f->length; i++)
        x[i] = at_tokens_draw(r, size[i]);
}

/* A function on 0..n-1 of one of the kinds that a look-up gets wrong first. */
static void table_draw(at_rng *r, int n, double *z)
{
    int kind = (int)at_rng_below(r, 6), c = at_tokens_draw(r, n);
    for (int i = 0; i < n; i++)
        z[i] = kind == 0   ? at_tokens_draw(r, n)
               : kind <= 2 ? i                    /* the identity */
               : kind <= 4 ? c                    /* a constant */
                           : (i % 2 ? n - 1 : 0); /* neighbours that differ most */
    if (kind == 2 || kind == 4)                   /* with one value changed */
        z[at_tokens_draw(r, n)] = at_tokens_draw(r, n);
}

/* Functions of special kinds; tables that are equal but for one value; and every table constant except on the path,
 * where it is the other extreme: weight off the path then does the most harm. */
void at_tables_adversarial(const at_tables *f, at_rng *r, double *x)
{
    int at[AT_TABLES_MAX];
    at_tables_sample(f, r, x);
    bool extremes = at_rng_below(r, 3) == 0, twins = at_rng_below(r, 3) == 0;
    for (int t = 0; t < f->n; t++) {
        int n = f->size[t];
        double *z = x + f->first[t];
        if (t && twins && n == f->size[t - 1]) {
            memcpy(z, x + f->first[t - 1], (size_t)n * sizeof *z);
            z[at_tokens_draw(r, n)] = at_tokens_draw(r, n);
        } else
            table_draw(r, n, z);
    }
    if (!extremes)
        return;
    for (int t = 0; t < f->n; t++) { /* entry t of the path depends on the tables before it only */
        int n = f->size[t];
        double *z = x + f->first[t], high = at_rng_below(r, 2) ? n - 1 : 0;
        at_tables_path(f, x, at);
        for (int i = 0; i < n; i++)
            z[i] = f->first[t] + i == at[t] ? high : n - 1 - high;
    }
}

/* ---- enumeration ------------------------------------------------------------------------------------ */

uint64_t at_tables_count(const at_tables *f, at_enum e)
{
    int size[AT_LENGTH_MAX];
    uint64_t count = 1;
    if (e != AT_ENUM_SEQUENCES)
        return 0;
    sizes(f, size);
    for (int i = 0; i < f->length; i++)
        if (__builtin_mul_overflow(count, (uint64_t)size[i], &count))
            return UINT64_MAX;
    return count;
}

void at_tables_nth(const at_tables *f, uint64_t index, double *x)
{
    int size[AT_LENGTH_MAX];
    sizes(f, size);
    for (int i = f->length - 1; i >= 0; i--) {
        x[i] = (double)(index % (uint64_t)size[i]);
        index /= (uint64_t)size[i];
    }
}

/* After the last input comes the first again. */
void at_tables_next(const at_tables *f, double *x)
{
    int size[AT_LENGTH_MAX];
    sizes(f, size);
    for (int i = f->length - 1; i >= 0; i--) {
        if (x[i] < size[i] - 1) {
            x[i] += 1;
            return;
        }
        x[i] = 0;
    }
}

/* A model has one field for all positions, so it takes tokens that are too large for some tables. */
bool at_tables_holds(const at_tables *f, const double *x)
{
    int size[AT_LENGTH_MAX];
    sizes(f, size);
    for (int i = 0; i < f->length; i++)
        if (!(x[i] >= 0 && x[i] < size[i]))
            return false;
    return true;
}

int at_tables_tokens(const at_tables *f)
{
    int size[AT_LENGTH_MAX], most = 0;
    sizes(f, size);
    for (int i = 0; i < f->length; i++)
        most = size[i] > most ? size[i] : most;
    return most;
}

at_status at_tables_validate(const at_params *p, int64_t length, const char *formula, at_err *err)
{
    if (length > AT_LENGTH_MAX)
        return at_fail(err, AT_EDOMAIN, "the length %s would be %jd: must be at most %d", formula,
                       (intmax_t)length, AT_LENGTH_MAX);
    if (at_params_int(p, "N") != length)
        return at_fail(err, AT_EDOMAIN, "N=%d: must be %jd, the length %s", at_params_int(p, "N"),
                       (intmax_t)length, formula);
    return AT_OK;
}
