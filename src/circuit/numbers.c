/* numbers.c: arithmetics of a circuit maker: which one, and that of p bits.
 *
 * At p bits every step is a step of at_stage, so it is the executor's, bit for bit. Only a sum over keys is done otherwise: the maker must know
 * all sums that are possible before it knows the keys. Its terms, weights and weights times values, are numbers of at most 2 p bits, hence whole multiples of
 * some power of two; the maker adds up integers, and the integer goes back into the executor's accumulator, which rounds it as
 * if it had added up the keys itself. */
#include <math.h>
#include <string.h>

#include "numbers.h"

enum {
    BITS_MAX = 24, /* p: a product of two numbers fits in 48 bits */
    TERM_BITS = 50 /* of a term, in units of its sum: 2^10 of them fit in a double's 62 */
};

struct numbers {
    const at_model *m;
    exact *E;             /* exact arithmetic, or NULL */
    at_stage *s;          /* p bits */
    bool whole;           /* sums are not rounded */
    bool placed, twofold; /* a state has its position; and what its last block read */
    double *q, *k, *mixed, *x, *y, *result, *value, *decision, *margin; /* scratch */
    at_acc *sum;                                                        /* (1 + the largest dv) */
    at_arena a;
};

static double number_of(cell c)
{
    double d;
    memcpy(&d, &c, sizeof d);
    return d;
}

static void numbers_load(const cell *c, int n, double *out)
{
    memcpy(out, c, (size_t)n * sizeof *out);
}

/* Numbers that are infinite or none have no circuit here. */
static at_status numbers_keep(const double *x, int n, cell *out, at_err *err)
{
    for (int k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return at_fail(
                err, AT_EREFUSED,
                "a state overflows at these bits, and what is infinite has no circuit; more exponent "
                "bits (p8e8) hold larger numbers");
    memcpy(out, x, (size_t)n * sizeof *out);
    return AT_OK;
}

/* ---- beginning and end --------------------------------------------------------------------------------------------- */

static void widths(const at_model *m, int *widest, int *mixed)
{
    *widest = m->width > m->readout.rows ? m->width : m->readout.rows;
    *mixed = 1;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            const at_group *a = &m->blocks[b].groups[g];
            int w = a->heads * (a->dk > a->dv ? a->dk : a->dv);
            *widest = w > *widest ? w : *widest;
            *mixed = a->dv > *mixed ? a->dv : *mixed;
        }
}

static at_status stage_open(numbers *N, at_arith a, at_err *err)
{
    int widest, mixed;
    if ((a.kind != AT_PBIT && a.kind != AT_QUOTIENT) || a.bits > BITS_MAX) {
        char name[16];
        at_arith_name(a, name);
        return at_fail(err, AT_EREFUSED,
                       "%s: a circuit is made in exact arithmetic, or at 2 to %d bits (--precision exact, "
                       "p8, p4e4, q4e4), where sums do not depend on their order",
                       name, BITS_MAX);
    }
    widths(N->m, &widest, &mixed);
    double **scratch[] = {&N->q,      &N->k,     &N->mixed,    &N->x,     &N->y,
                          &N->result, &N->value, &N->decision, &N->margin};
    for (int k = 0; k < COUNT(scratch); k++)
        if (!(*scratch[k] = at_new(&N->a, double, widest)))
            return at_oom(err);
    if (!(N->sum = at_new(&N->a, at_acc, 1 + mixed)))
        return at_oom(err);
    return at_stage_new(N->m, a, &N->s, err);
}

at_status numbers_new(const at_model *m, at_arith a, numbers **out, at_err *err)
{
    numbers *N = at_calloc(1, sizeof *N);
    if (!N)
        return at_oom(err);
    N->m = m;
    N->whole = a.kind == AT_EXACT || a.kind == AT_QUOTIENT;
    N->placed = at_model_trait(m, AT_TRAIT_ROTARY) >= 0 || at_model_trait(m, AT_TRAIT_ALIBI) >= 0;
    N->twofold = at_model_trait(m, AT_TRAIT_PARALLEL) >= 0;
    at_arena_init(&N->a);
    at_status s = a.kind == AT_EXACT ? exact_new(m, &N->E, err) : stage_open(N, a, err);
    if (s)
        numbers_free(N);
    else
        *out = N;
    return s;
}

void numbers_free(numbers *N)
{
    if (!N)
        return;
    exact_free(N->E);
    at_stage_free(N->s);
    at_arena_release(&N->a);
    at_free(N);
}

int numbers_width(const numbers *N)
{
    return N->m->width * (1 + N->twofold) + N->placed;
}

int numbers_key_width(const numbers *N, const at_group *g)
{
    (void)N;
    return g->dk + g->alibi;
}

/* Where a state has its position, and what block b reads of it. */
static int place_of(const numbers *N, const cell *x)
{
    return N->placed ? (int)x[numbers_width(N) - 1] : 0;
}

static const cell *read_of(const numbers *N, int b, const cell *x)
{
    return N->m->blocks[b].parallel ? x + N->m->width : x;
}

static const at_group *group_of(const numbers *N, int b, int g)
{
    return &N->m->blocks[b].groups[g];
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

at_status numbers_embed(numbers *N, int letter, int t, int T, cell *x, at_err *err)
{
    if (N->E)
        return exact_embed(N->E, letter, t, T, x, err);
    double row = letter;
    at_stage_embed(N->s, letter < 0 ? NULL : &row, t, T, N->x);
    if (N->twofold)
        memset(x + N->m->width, 0, (size_t)N->m->width * sizeof *x);
    if (N->placed)
        x[numbers_width(N) - 1] = (cell)t;
    return numbers_keep(N->x, N->m->width, x, err);
}

at_status numbers_project(numbers *N, int b, int g, const cell *x, cell *q, cell *k, cell *v, at_err *err)
{
    const at_group *a = group_of(N, b, g);
    if (N->E)
        return exact_project(N->E, a, x, q, k, v, err);
    int t = place_of(N, x), wide = numbers_key_width(N, a);
    at_status s = AT_OK;
    numbers_load(read_of(N, b, x), N->m->width, N->x);
    at_stage_read(N->s, b, N->x, 1, N->y);
    at_stage_project(N->s, b, g, N->y, &t, 1, N->q, N->k, N->mixed);
    for (int h = 0; h < a->heads && !s; h++) {
        q[h * wide + wide - 1] = k[h * wide + wide - 1] = (cell)t; /* with alibi they stay */
        s = numbers_keep(N->q + h * a->dk, a->dk, q + h * wide, err);
        if (!s)
            s = numbers_keep(N->k + h * a->dk, a->dk, k + h * wide, err);
    }
    return s ? s : numbers_keep(N->mixed, a->heads * a->dv, v, err);
}

at_status numbers_score(numbers *N, int b, int g, int h, const cell *q, const cell *k, cell *out, at_err *err)
{
    const at_group *a = group_of(N, b, g);
    if (N->E)
        return exact_score(N->E, a, q, k, out, err);
    double score;
    numbers_load(q, a->dk, N->q + h * a->dk);
    numbers_load(k, a->dk, N->k + h * a->dk);
    int asks = a->alibi ? (int)q[a->dk] : 0, has = a->alibi ? (int)k[a->dk] : 0;
    at_stage_scores(N->s, b, g, h, N->q, asks, N->k, &has, &(int){0}, 1, &score);
    score += 0.0; /* -0 is 0: scores are compared */
    return numbers_keep(&score, 1, out, err);
}

int numbers_order(const numbers *N, cell a, cell b)
{
    if (N->E)
        return exact_order(N->E, a, b);
    double x = number_of(a), y = number_of(b);
    return (x > y) - (x < y);
}

at_status numbers_weigh(numbers *N, int b, int g, const cell *score, int n, cell peak, cell *w, at_err *err)
{
    if (N->E)
        return exact_weigh(N->E, group_of(N, b, g), score, n, peak, w, err);
    for (int k = 0; k < n; k++) {
        double s = number_of(score[k]), weight;
        at_stage_weigh(N->s, b, g, &s, 1, number_of(peak), &weight);
        at_status st = numbers_keep(&weight, 1, &w[k], err);
        if (st)
            return st;
    }
    return AT_OK;
}

bool numbers_zero(const numbers *N, cell x)
{
    return N->E ? x == 0 : number_of(x) == 0;
}

/* ---- sums over keys --------------------------------------------------------------------------------------------------------- */

/* x = *m 2^*e, m odd or 0. */
static void parts_of(double x, int64_t *m, int *e)
{
    *m = (int64_t)ldexp(frexp(x, e), 53);
    *e -= 53;
    if (*m == 0)
        return;
    int zeros = __builtin_ctzll((unsigned long long)*m);
    *m >>= zeros; /* exact: the bits are zeros */
    *e += zeros;
}

/* Coordinate c of term k: the weight, or the weight times a value, as m 2^e. */
static void term_parts(const cell *w, const cell *const *v, int k, int c, int64_t *m, int *e)
{
    parts_of(number_of(w[k]), m, e);
    if (c) {
        int64_t m2;
        int e2;
        parts_of(number_of(v[k][c - 1]), &m2, &e2);
        *m *= m2;
        *e += e2;
    }
}

at_status numbers_terms(numbers *N, const cell *w, const cell *const *v, int n, int dv, terms *t, at_err *err)
{
    if (N->E)
        return exact_terms(N->E, w, v, n, dv, t, err);
    int *unit = t->unit, e;
    int64_t m;
    for (int c = 0; c <= dv; c++) {
        unit[c] = INT32_MAX;
        for (int k = 0; k < n; k++) {
            term_parts(w, v, k, c, &m, &e);
            unit[c] = m && e < unit[c] ? e : unit[c];
        }
        for (int k = 0; k < n; k++) {
            term_parts(w, v, k, c, &m, &e);
            int up = m ? e - unit[c] : 0;
            if (up > TERM_BITS || (m < 0 ? -m : m) >> (TERM_BITS - up))
                return at_fail(
                    err, AT_EREFUSED,
                    "the terms of a sum over keys span more than %d bits; fewer bits, also of exponents "
                    "(p4e4), make them shorter",
                    TERM_BITS);
            t->term[(size_t)k * (size_t)(dv + 1) + (size_t)c] = m * ((int64_t)1 << up);
        }
    }
    return AT_OK;
}

size_t numbers_unit_bytes(const numbers *N)
{
    return N->E ? sizeof(cell) : sizeof(int);
}

/* sum 2^unit in an accumulator. */
static void sum_load(at_acc *acc, int64_t sum, int unit)
{
    uint64_t size = sum < 0 ? (uint64_t)-sum : (uint64_t)sum;
    uint32_t word[2] = {(uint32_t)size, (uint32_t)(size >> 32)};
    at_acc_zero(acc);
    if (size)
        at_acc_add_words(acc, sum < 0, unit, word, 2);
}

bool numbers_rounds_nothing(const numbers *N)
{
    return N->whole;
}

cell numbers_rounded(numbers *N, int coordinate, int64_t sum, const void *unit)
{
    cell out = (cell)sum;
    if (N->whole)
        return out;
    sum_load(&N->sum[0], sum, ((const int *)unit)[coordinate]);
    double x = at_acc_round(&N->sum[0], at_stage_format(N->s));
    memcpy(&out, &x, sizeof out);
    return out;
}

at_status numbers_divide(numbers *N, int b, int g, const int64_t *sum, const void *unit, cell *out,
                         at_err *err)
{
    int dv = group_of(N, b, g)->dv;
    if (N->E)
        return exact_divide(N->E, dv, sum, unit, out, err);
    for (int c = 0; c <= dv; c++)
        sum_load(&N->sum[c], sum[c], ((const int *)unit)[c]);
    at_stage_finish(N->s, b, g, N->sum, N->mixed);
    return numbers_keep(N->mixed, dv, out, err);
}

/* ---- blocks and readout -------------------------------------------------------------------------------------------------------- */

at_status numbers_block(numbers *N, int b, const cell *x, const cell *mixed, cell *y, at_err *err)
{
    const at_block *block = &N->m->blocks[b];
    int D = N->m->width;
    at_status s = AT_OK;
    if (N->E)
        return exact_block(N->E, b, x, mixed, y, err);
    numbers_load(read_of(N, b, x), D, N->x);
    at_stage_read(N->s, b, N->x, 1, N->y);
    numbers_load(x, D, N->x);
    memset(N->result, 0, (size_t)D * sizeof *N->result);
    if (!mixed)
        s = at_stage_mlp(N->s, b, N->y, 1, N->result, err);
    for (int g = 0; mixed && g < block->n_groups && !s; g++) {
        int V = block->groups[g].heads * block->groups[g].dv;
        numbers_load(mixed, V, N->mixed);
        mixed += V;
        s = at_stage_output(N->s, b, g, N->mixed, 1, N->result, err);
    }
    if (s)
        return s;
    at_stage_close(N->s, b, N->result, 1, N->x);
    if (N->twofold)
        memcpy(y + D, read_of(N, b, x), (size_t)D * sizeof *y);
    if (N->placed)
        y[numbers_width(N) - 1] = (cell)place_of(N, x);
    return numbers_keep(N->x, D, y, err);
}

at_status numbers_decide(numbers *N, const cell *x, int *decision, at_err *err)
{
    const at_readout *r = &N->m->readout;
    if (N->E)
        return exact_decide(N->E, x, decision, err);
    numbers_load(x, N->m->width, N->x);
    at_status s = at_stage_readout(N->s, N->x, 1, N->value, err);
    if (s)
        return s;
    at_decide(r, 1, N->value, N->decision, N->margin);
    for (int k = 0; k < (r->kind == AT_READ_ARGMAX ? 1 : r->rows); k++) {
        if (isnan(N->decision[k]) || (r->kind == AT_READ_SIGN && N->value[k] == 0))
            return at_fail(err, AT_EREFUSED, "a state's readout is undecided: %s of %g",
                           at_read_names[r->kind], N->value[k]);
        decision[k] = (int)N->decision[k];
    }
    return AT_OK;
}

/* ---- forgetting ------------------------------------------------------------------------------------------------------------------ */

at_status numbers_settle(numbers *N, at_err *err)
{
    return N->E ? exact_settle(N->E, err) : AT_OK;
}

size_t numbers_mark(const numbers *N)
{
    return N->E ? exact_mark(N->E) : 0;
}

void numbers_forget(numbers *N, size_t mark)
{
    if (N->E)
        exact_forget(N->E, mark);
}

size_t numbers_words(const numbers *N)
{
    return N->E ? exact_words(N->E) : 0;
}
