/* fom_model.c: softmax at p = ceil(c log2 n) bits as one sentence of first-order logic with majority and BIT, for all lengths n.
 *
 * The model: one attention layer of one head, no positions, a position behind the word that answers; the mean itself is read and compared with a
 * threshold. So letter b has one score s_b and one value v_b, the hidden positions too, and n_b of them are in the word. The arithmetic is qpe:
 * p bits, means rounded once.
 *
 * 1. P = 2^p. The largest power of two among the positions, h, is the one with a single bit (BIT) that no larger such position follows; h < n <= 2h,
 *    so P is 2^a h^c for the least a in 1..c with 2^a h^c >= n^c.
 * 2. Weights. The largest score that occurs is found letter by letter. A key that scores less by d has weight round(e^-d) = W 2^(E-p+1), where
 *    2^E <= e^-d < 2^(E+1) is known and P/2 <= W <= P. W is the one with (2W - 1)/y <= e^-d < (2W + 1)/y, y = 2^-E P; e^-d is irrational, so no
 *    number lies half way.
 * 3. x/y <= e^-d says d <= ln(y/x), and logarithms are areas that majority can count: with N = h and M = y N P^2 h,
 *        S = #{(k, t): x N <= k < y N, t >= 1, t (2k + 1) <= 2M} = sum of floor(2M / (2k + 1)),
 *    S/M lies below ln(y/x) by at most (y - x) N / M (the floors) and 1/(12 (xN - 1)^2) (each 2/(2k+1) is the middle of 1/t from k to k+1). Asked is
 *    d M <= S. The answer is right unless d lies within that error of ln(y/x), of order P^-2 h^-1. Tests ask, for eight d, the sum itself to p = 7 and
 *    balls to p = 200; beyond it is right but for finitely many p at most, because the irrationality measure of e^-d is 2.
 * 4. The rounded mean is above the threshold u, 0 or a power of two up to sign, when the mean is above the middle between u and the number that
 *    follows it: u + r/P with r = u, -u/2 or 2^emin for u > 0, < 0 or = 0; the middle itself goes to u, which is even. Hence with weights w_b:
 *        sum_b n_b w_b (P (v_b - u) - r) > 0,
 *    a comparison of sums of products of numbers, which is one MORE (fom.c).
 * Words of fewer than three letters are listed: there two positions for constants would be missing. */
#include "fom.h"

#include <attest/exec.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 8, BITS_TRIED = 20 };

/* A kind of key: a letter (>= 0), or a hidden position, which is there once. */
typedef struct {
    int letter;
    double score, value;
} key;

typedef struct {
    fom_maker f;
    const at_model *m;
    at_fom_options o;
    key keys[KEYS];
    int n_keys, exponentials;
    bool hard;
    double threshold;
    int mult; /* P = mult h^c */
} maker;

at_arith at_fom_arith(const at_fom_options *o, int n)
{
    int p = 0;
    double reach = 1, all = 1;
    for (int i = 0; i < o->c; i++)
        all *= n;
    for (; reach < all; reach *= 2)
        p++;
    return (at_arith){AT_QUOTIENT, p < 2 ? 2 : p, o->exp_bits};
}

/* ---- what the model must be ------------------------------------------------------------------------------------------------------ */

/* Softmax or average-hard. */
static bool is_mean(at_weighting w)
{
    return (at_weighting_is(w, AT_IS_EXP) || at_weighting_hard(w)) && !at_weighting_is(w, AT_IS_ONE) &&
           !at_weighting_is(w, AT_IS_PAIRS);
}

static at_status model_fits(const at_model *m, at_err *err)
{
    const at_group *g =
        m->n_blocks == 1 && m->blocks[0].kind == AT_BLOCK_ATTN ? &m->blocks[0].groups[0] : NULL;
    at_status taken = at_model_takes(m, AT_IN_ANALYSE, "extraction", err);
    if (taken)
        return taken;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN)
        return at_fail(err, AT_EREFUSED, "it does not read words");
    if (m->decode.enabled || !m->readout.last || m->readout.kind != AT_READ_THRESHOLD || m->readout.rows != 1)
        return at_fail(err, AT_EREFUSED, "it does not answer yes or no, once for the whole word");
    if (m->n_suffix != 1 || m->n_pos || m->n_prefix > 1)
        return at_fail(err, AT_EREFUSED,
                       "a sentence is made of models without positions, with one hidden position "
                       "behind the word and at most one before it");
    if (!g || m->blocks[0].n_groups != 1 || m->blocks[0].norm != AT_NORM_NONE || m->readout.final_norm)
        return at_fail(
            err, AT_EREFUSED,
            "it is not one attention layer of one group without norms; at constant precision more goes: "
            "--to crasp or foc");
    if (g->heads != 1 || g->dv != 1 || g->tie != 0 || !is_mean(g->weighting))
        return at_fail(err, AT_EREFUSED,
                       "its attention is not one softmax or average-hard head that mixes one number");
    if (!at_mask_is(g->mask.kind, AT_IS_ALL) && !at_mask_is(g->mask.kind, AT_IS_GROWING))
        return at_fail(err, AT_EREFUSED, "the mask %s: none, causal and strict ones are read",
                       at_mask_names[g->mask.kind]);
    if (m->fields[0].size + m->n_prefix + 1 > KEYS)
        return at_fail(err, AT_EREFUSED, "more than %d kinds of keys", KEYS);
    return AT_OK;
}

/* The mean goes to one coordinate, where nothing was, and that coordinate is what is read. */
static at_status readout_fits(const at_model *m, at_stage *stage, at_arena *a, at_err *err)
{
    double *x = at_new(a, double, m->width);
    const at_group *g = &m->blocks[0].groups[0];
    const double *w = at_model_data(m, m->readout.w), *o = at_model_data(m, g->o);
    const double *ob = g->ob >= 0 ? at_model_data(m, g->ob) : NULL;
    const double *b = m->readout.b >= 0 ? at_model_data(m, m->readout.b) : NULL;
    int read = -1, n = 0;
    if (!x)
        return at_oom(err);
    at_stage_embed(stage, NULL, m->n_prefix, m->n_prefix + 1, x);
    for (int d = 0; d < m->width; d++)
        if (w[d] != 0) {
            read = d;
            n++;
        }
    if (n != 1 || w[read] != 1 || o[read] != 1 || (ob && ob[read] != 0) || (b && b[0] != 0) ||
        (m->blocks[0].residual && x[read] != 0))
        return at_fail(err, AT_EREFUSED,
                       "the readout is not the mean itself, from a coordinate that is 0 before");
    double u = fabs(m->readout.threshold);
    int e;
    if (u != 0 && (frexp(u, &e) != 0.5 || e < -8 || e > 8))
        return at_fail(err, AT_EREFUSED, "the threshold %g is neither 0 nor a power of two from 2^-9 to 2^7",
                       u);
    return AT_OK;
}

/* Scores and values of all kinds of keys in one arithmetic. */
static at_status keys_read(const at_model *m, at_stage *stage, key *out, at_arena *a, at_err *err)
{
    const at_group *g = &m->blocks[0].groups[0];
    double *x = at_new(a, double, 2 * m->width), *q = at_new(a, double, g->dk), *k = at_new(a, double, g->dk);
    int n = 0, V = m->fields[0].size;
    if (!x || !q || !k)
        return at_oom(err);
    at_stage_embed(stage, NULL, m->n_prefix, m->n_prefix + 1, x);
    at_stage_read(stage, 0, x, 1, x + m->width);
    at_stage_project(stage, 0, 0, x + m->width, NULL, 1, q, NULL, NULL);
    for (int b = 0; b < V + m->n_prefix + 1; b++) {
        double token = b;
        key *to = &out[n];
        to->letter = b < V ? b : -1;
        if (b == V + m->n_prefix && !at_mask_allows(&g->mask, 0, 0))
            continue; /* does not see itself */
        if (b < V)
            at_stage_embed(stage, &token, m->n_prefix, m->n_prefix + 2, x);
        else
            at_stage_embed(stage, NULL, b < V + m->n_prefix ? 0 : m->n_prefix, m->n_prefix + 1, x);
        at_stage_read(stage, 0, x, 1, x + m->width);
        at_stage_project(stage, 0, 0, x + m->width, NULL, 1, NULL, k, &to->value);
        at_stage_scores(stage, 0, 0, 0, q, 0, k, NULL, &(int){0}, 1, &to->score);
        if (!isfinite(to->score) || !isfinite(to->value))
            return at_fail(err, AT_EREFUSED, "a score is not finite in this arithmetic");
        n++;
    }
    return AT_OK;
}

static bool few_bits(const at_arith a, double x)
{
    at_pfmt f = at_pfmt_of(a);
    return at_p_round(&f, x) == x;
}

/* At every precision they are the same numbers, and so are their differences: what depends on p is the exponential and the mean alone. */
static at_status keys_settle(maker *k, at_arena *a, at_err *err)
{
    at_arith two = {AT_QUOTIENT, 2, k->o.exp_bits};
    for (int p = 2; p <= BITS_TRIED; p++) {
        key now[KEYS];
        at_stage *stage;
        at_status s = at_stage_new(k->m, (at_arith){AT_QUOTIENT, p, k->o.exp_bits}, &stage, err);
        if (s)
            return s;
        s = p == 2 ? readout_fits(k->m, stage, a, err) : AT_OK;
        if (!s)
            s = keys_read(k->m, stage, p == 2 ? k->keys : now, a, err);
        at_stage_free(stage);
        if (s)
            return s;
        for (int i = 0; i < k->n_keys && p > 2; i++)
            if (now[i].score != k->keys[i].score || now[i].value != k->keys[i].value)
                return at_fail(err, AT_EREFUSED,
                               "its scores and values are other numbers at %d bits than at 2: they need more "
                               "than 2 bits",
                               p);
    }
    for (int i = 0; i < k->n_keys; i++)
        for (int j = 0; j < k->n_keys; j++)
            if (!few_bits(two, k->keys[i].score - k->keys[j].score))
                return at_fail(err, AT_EREFUSED, "two scores differ by %g, which has more than 2 bits",
                               k->keys[i].score - k->keys[j].score);
    return AT_OK;
}

/* ---- terms ------------------------------------------------------------------------------------------------------------------------- */

/* times P^p h^power */
static fom_term powers_of(const maker *k, uint64_t times, int p, int power)
{
    for (int i = 0; i < p; i++)
        times *= (uint64_t)k->mult;
    return (fom_term){.times = times, .power = p * k->o.c + power};
}

static fom_term number_times(uint64_t times, const fom_number *x, const fom_number *y, int power)
{
    fom_term t = {.times = times, .power = power, .n_of = y ? 2 : 1};
    t.of[0] = *x;
    if (y)
        t.of[1] = *y;
    return t;
}

/* d = num / den, 2^E <= e^-d < 2^(E+1) */
typedef struct {
    double d;
    uint64_t num, den;
    int E;
} gap;

static at_status gap_of(const maker *k, double d, gap *out)
{
    at_pfmt f = at_pfmt_of((at_arith){AT_QUOTIENT, 2, k->o.exp_bits});
    *out = (gap){.d = d, .den = 1, .E = (int)floor(-d / at_log(2))};
    while (d != floor(d)) {
        d *= 2;
        out->den *= 2;
    }
    out->num = (uint64_t)d;
    return out->E >= f.emin
               ? AT_OK
               : at_fail(k->f.err, AT_EREFUSED,
                         "scores differ by %g: exp of it is below the normal numbers of %d exponent bits",
                         out->d, k->o.exp_bits);
}

/* (2W + side) / y <= e^-d; side is 1 or -1. */
static const fom_node *below_exp(maker *k, const gap *g, const fom_number *W, int side)
{
    fom_maker *f = &k->f;
    uint64_t up = (uint64_t)1 << -g->E;
    double m = k->mult, times = (double)up;
    int mark = f->next, c = k->o.c;
    fom_number own =
        fom_number_new(f, fom_digits(times * m, c + 1) + fom_digits(times * 2 * m * m, 2 * c + 1));
    if (f->err->code)
        return NULL;
    int nk = fom_digits(times * m, c + 1);
    fom_number K = {.k = nk}, T = {.k = own.k - nk};
    memcpy(K.digit, own.digit, (size_t)nk * sizeof *K.digit);
    memcpy(T.digit, own.digit + nk, (size_t)T.k * sizeof *T.digit);
    int zeros[FOM_DIGITS];
    for (int i = 0; i < FOM_DIGITS; i++)
        zeros[i] = f->zero;
    fom_term from[] = {number_times(2, W, NULL, 1), {.times = 1, .power = 1}}; /* 2 W N; and N */
    fom_term at[] = {number_times(1, &K, NULL, 0), {.times = 1, .power = 1}};
    fom_term end = powers_of(k, up, 1, 1); /* y N */
    fom_term area[] = {number_times(2, &K, &T, 0), number_times(1, &T, NULL, 0)};
    fom_term whole = powers_of(k, 2 * up, 3, 2), unit = powers_of(k, up * g->num, 3, 2); /* 2M, num M */
    const fom_node *is[] = {
        fom_larger(f, &end, 1, at, 1),
        fom_not(f, fom_larger(f, from, side > 0 ? 2 : 1, at, side > 0 ? 1 : 2)),
        fom_less(f, zeros, T.digit, T.k),
        fom_not(f, fom_larger(f, area, 2, &whole, 1)),
    };
    fom_term sum = {.times = g->den, .where = fom_list(f, FOM_AND, is, 4, false), .own = own};
    const fom_node *out = f->err->code ? NULL : fom_not(f, fom_larger(f, &unit, 1, &sum, 1));
    f->next = mark;
    return out;
}

/* W is round(e^-d) in units of its last bit. */
static const fom_node *exp_is(maker *k, const gap *g, const fom_number *W)
{
    fom_maker *f = &k->f;
    char *name[2];
    const fom_node *at[2];
    int x[3 + FOM_DIGITS] = {f->zero, f->one, f->h};
    memcpy(x + 3, W->digit, (size_t)W->k * sizeof *x);
    for (int i = 0; i < 2; i++) {
        name[i] = at_arena_printf(f->a, "exp %g %d %d %d", g->d, k->o.c, k->mult, i);
        if (!name[i])
            return at_oom(f->err), NULL;
        at[i] = fom_named(f, name[i], x, 3 + W->k, below_exp(k, g, W, i ? 1 : -1));
    }
    fom_term P = powers_of(k, 1, 1, 0), w = number_times(1, W, NULL, 0), w2 = number_times(2, W, NULL, 0);
    const fom_node *is[] = {
        fom_not(f, fom_larger(f, &w, 1, &P, 1)),
        fom_not(f, fom_larger(f, &P, 1, &w2, 1)),
        at[0],
        fom_not(f, at[1]),
    };
    return fom_list(f, FOM_AND, is, 4, false);
}

/* ---- the mean ------------------------------------------------------------------------------------------------------------------------ */

typedef struct {
    fom_term left[4 * KEYS], right[4 * KEYS];
    int n_left, n_right;
} sums;

/* Adds a term times a signed whole number. */
static void sums_add(sums *s, fom_term t, int64_t times)
{
    if (!times)
        return;
    t.times *= (uint64_t)(times < 0 ? -times : times);
    if (times > 0)
        s->left[s->n_left++] = t;
    else
        s->right[s->n_right++] = t;
}

/* The first bits of the middle above the threshold: u + r/P. */
static double middle_rest(const maker *k)
{
    at_pfmt f = at_pfmt_of((at_arith){AT_QUOTIENT, 2, k->o.exp_bits});
    double u = k->threshold;
    return u > 0 ? u : u < 0 ? -u / 2 : f.norm;
}

/* sum_b n_b w_b (P (v_b - u) - r) > 0 where keys of `peak` weigh 1; in whole numbers. gaps, W (n): weights of those that score less. */
static const fom_node *mean_above(maker *k, double peak, const gap *g, const fom_number *W, int n)
{
    double r = middle_rest(k), unit = r;
    int up = 0;
    sums s = {.n_left = 0};
    for (int b = 0; b < k->n_keys; b++)
        while (fmod(k->keys[b].value - k->threshold, unit) != 0)
            unit /= 2;
    for (int i = 0; i < n; i++)
        up = -g[i].E - 1 > up ? -g[i].E - 1 : up;
    for (int b = 0; b < k->n_keys; b++) {
        const key *c = &k->keys[b];
        double d = peak - c->score;
        int at = -1;
        for (int i = 0; i < n; i++)
            at = g[i].d == d ? i : at;
        if (d != 0 && at < 0)
            continue; /* above the peak: not there; or hard: no weight */
        /* times 2^(p + up): P 2^up, or W 2^(E + 1 + up) */
        fom_term t[2];
        for (int i = 0; i < 2; i++) {
            t[i] = d == 0 ? powers_of(k, (uint64_t)1 << up, 1 + !i, 0)
                          : powers_of(k, (uint64_t)1 << (g[at].E + 1 + up), !i, 0);
            if (d != 0) {
                t[i].n_of = 1;
                t[i].of[0] = W[at];
            }
            t[i].counts = c->letter >= 0;
            t[i].letter = c->letter;
        }
        sums_add(&s, t[0], (int64_t)((c->value - k->threshold) / unit));
        sums_add(&s, t[1], k->o.unrounded ? 0 : -(int64_t)(r / unit));
    }
    return fom_larger(&k->f, s.left, s.n_left, s.right, s.n_right);
}

/* Some position has a letter of this score, or a hidden one does. */
static const fom_node *occurs(maker *k, double score)
{
    fom_maker *f = &k->f;
    const fom_node *any[KEYS];
    int n = 0, mark = f->next;
    fom_number x = fom_number_new(f, 1);
    for (int b = 0; b < k->n_keys; b++)
        if (k->keys[b].score == score)
            any[n++] = k->keys[b].letter >= 0 ? fom_letter(f, k->keys[b].letter, x.digit[0]) : fom_true(f);
    f->next = mark;
    return fom_exists(f, x.digit, 1, fom_list(f, FOM_OR, any, n, false));
}

/* The largest score is `peak`: for every lower one there is a weight, and then the mean is compared. */
static const fom_node *peak_make(maker *k, double peak, gap *g, fom_number *W, int n, int b)
{
    fom_maker *f = &k->f;
    for (; b < k->n_keys && !k->hard; b++) {
        double d = peak - k->keys[b].score;
        bool is_new = d > 0;
        for (int i = 0; i < n; i++)
            is_new &= g[i].d != d;
        if (!is_new)
            continue;
        if (gap_of(k, d, &g[n]))
            return NULL;
        W[n] = fom_number_new(f, fom_digits(k->mult, k->o.c));
        if (f->err->code)
            return NULL;
        k->exponentials += n + 1 > k->exponentials;
        const fom_node *is = exp_is(k, &g[n], &W[n]);
        const fom_node *then = peak_make(k, peak, g, W, n + 1, b + 1);
        return fom_exists(f, W[n].digit, W[n].k, fom_both(f, is, fom_named(f, NULL, NULL, 0, then)));
    }
    return mean_above(k, peak, g, W, n);
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* By the largest score that occurs. */
static const fom_node *peaks_make(maker *k)
{
    fom_maker *f = &k->f;
    double score[KEYS];
    const fom_node *any[KEYS], *is[KEYS + 1];
    int n = 0;
    for (int b = 0; b < k->n_keys; b++)
        score[b] = k->keys[b].score;
    qsort(score, (size_t)k->n_keys, sizeof *score, descending);
    for (int b = 0; b < k->n_keys; b++) {
        gap g[KEYS];
        fom_number W[KEYS];
        int m = 0, mark = f->next;
        if (b && score[b] == score[b - 1])
            continue;
        for (int c = 0; c < b; c++)
            if (!c || score[c] != score[c - 1])
                is[m++] = fom_not(f, occurs(k, score[c]));
        is[m++] = occurs(k, score[b]);
        is[m++] = fom_named(f, NULL, NULL, 0, peak_make(k, score[b], g, W, 0, 0));
        any[n++] = fom_list(f, FOM_AND, is, m, false);
        f->next = mark;
    }
    return fom_list(f, FOM_OR, any, n, false);
}

/* ---- the sentence ------------------------------------------------------------------------------------------------------------------------ */

/* A power of two: one bit, and no other. */
static const fom_node *single_bit(fom_maker *f, int x)
{
    int mark = f->next;
    fom_number y = fom_number_new(f, 2);
    int i = y.digit[0], j = y.digit[1];
    const fom_node *other = fom_either(f, fom_less(f, &i, &j, 1), fom_less(f, &j, &i, 1));
    const fom_node *two = fom_exists(f, &j, 1, fom_both(f, other, fom_bit(f, x, j)));
    f->next = mark;
    return fom_exists(f, &i, 1, fom_both(f, fom_bit(f, x, i), fom_not(f, two)));
}

/* P = mult h^c is the least power of two that n^c does not exceed. */
static const fom_node *precision_is(maker *k)
{
    fom_term n = {.times = 1, .all = k->o.c}, P = {.times = (uint64_t)k->mult, .power = k->o.c};
    fom_term half = {.times = (uint64_t)k->mult / 2, .power = k->o.c};
    return fom_both(&k->f, fom_not(&k->f, fom_larger(&k->f, &n, 1, &P, 1)),
                    fom_larger(&k->f, &n, 1, &half, 1));
}

static const fom_node *no_other(fom_maker *f, const fom_node *(*is)(fom_maker *f, int x, int y), int x)
{
    int mark = f->next;
    fom_number y = fom_number_new(f, 1);
    const fom_node *one = fom_exists(f, y.digit, 1, is(f, x, y.digit[0]));
    f->next = mark;
    return fom_not(f, one);
}

static const fom_node *is_before(fom_maker *f, int x, int y)
{
    return fom_less(f, &y, &x, 1);
}

static const fom_node *is_behind(fom_maker *f, int x, int y)
{
    return fom_less(f, &x, &y, 1);
}

static const fom_node *is_between(fom_maker *f, int x, int y)
{
    return fom_both(f, fom_less(f, &f->zero, &y, 1), fom_less(f, &y, &x, 1));
}

static const fom_node *is_larger_power(fom_maker *f, int x, int y)
{
    return fom_both(f, fom_less(f, &x, &y, 1), single_bit(f, y));
}

/* Words of three letters and more. */
static const fom_node *long_make(maker *k)
{
    fom_maker *f = &k->f;
    const fom_node *any[8];
    int n = 0;
    for (int a = 1; a <= k->o.c; a++) {
        k->mult = 1 << a;
        const fom_node *is = precision_is(k);
        k->mult <<= k->o.off;
        any[n++] = fom_both(f, is, fom_named(f, NULL, NULL, 0, peaks_make(k)));
    }
    const fom_node *body = fom_list(f, FOM_OR, any, n, false);
    const fom_node *h = fom_both(f, single_bit(f, f->h), no_other(f, is_larger_power, f->h));
    const fom_node *of_h = fom_exists(f, &f->h, 1, fom_both(f, h, body));
    const fom_node *is[] = {fom_less(f, &f->zero, &f->one, 1), no_other(f, is_between, f->one),
                            fom_not(f, no_other(f, is_behind, f->one)), of_h};
    const fom_node *of_one = fom_exists(f, &f->one, 1, fom_list(f, FOM_AND, is, 4, false));
    return fom_exists(f, &f->zero, 1, fom_both(f, no_other(f, is_before, f->zero), of_one));
}

/* The word of n < 3 letters, and no other. */
static const fom_node *word_is(maker *k, const int *word, int n)
{
    fom_maker *f = &k->f;
    const fom_node *none = fom_not(f, fom_exists(f, &f->h, 1, fom_true(f)));
    if (!n)
        return none;
    const fom_node *end = no_other(f, is_behind, n == 1 ? f->zero : f->one);
    const fom_node *is[] = {no_other(f, is_before, f->zero), fom_letter(f, word[0], f->zero), end,
                            fom_true(f)};
    if (n == 2) {
        const fom_node *both[] = {fom_less(f, &f->zero, &f->one, 1), no_other(f, is_between, f->one),
                                  fom_letter(f, word[1], f->one), end};
        is[2] = fom_exists(f, &f->one, 1, fom_list(f, FOM_AND, both, 4, false));
    }
    return fom_exists(f, &f->zero, 1, fom_list(f, FOM_AND, is, 4, false));
}

static at_status short_make(maker *k, at_arena *scratch, const fom_node **out)
{
    fom_maker *f = &k->f;
    int V = k->m->fields[0].size, n_any = 0;
    const fom_node **any = at_new(scratch, const fom_node *, 2 + V + V * V);
    if (!any)
        return at_oom(f->err);
    for (int n = 0, words = 1; n < 3 && n <= k->m->n_max; n++, words *= V)
        for (int w = 0; w < words; w++) {
            double x[2] = {w % V, w / V};
            int word[2] = {w % V, w / V};
            at_output y;
            if (n < k->m->n_min)
                continue;
            at_status s = at_run(k->m, at_fom_arith(&k->o, n), &(at_input){n, x}, NULL, scratch, &y, f->err);
            if (s)
                return s;
            if (y.decision[0] != 0)
                any[n_any++] = word_is(k, word, n);
        }
    *out = fom_list(f, FOM_OR, any, n_any, false);
    return f->err->code;
}

static at_status alphabet_copy(const at_field *field, at_arena *a, at_alphabet *out, at_err *err)
{
    const char **letter = at_new(a, const char *, field->size);
    if (!letter)
        return at_oom(err);
    for (int c = 0; c < field->size; c++)
        if (!(letter[c] = field->words ? at_arena_strdup(a, field->words[c].s) : at_arena_printf(a, "%d", c)))
            return at_oom(err);
    *out = (at_alphabet){field->size, letter};
    return AT_OK;
}

at_status at_extract_fom(const at_model *m, const at_fom_options *o, at_arena *a, at_extracted_fom *out,
                         at_err *err)
{
    maker k = {.m = m, .o = *o};
    at_err own = {0};
    at_arena scratch;
    const fom_node *brief = NULL, *rest = NULL;
    at_fom *fom = at_new(a, at_fom, 1);
    at_status s = model_fits(m, &own);
    at_arena_init(&scratch);
    if (!fom)
        s = at_oom(&own);
    k.f = (fom_maker){.a = a, .err = &own, .next = 3, .zero = 0, .one = 1, .h = 2};
    if (!s) {
        const at_group *g = &m->blocks[0].groups[0];
        k.n_keys = m->fields[0].size + m->n_prefix + at_mask_allows(&g->mask, 0, 0);
        k.hard = at_weighting_hard(g->weighting);
        k.threshold = m->readout.threshold;
        s = keys_settle(&k, &scratch, &own);
    }
    if (!s)
        s = alphabet_copy(&m->fields[0], a, &fom->sigma, &own);
    if (!s)
        s = short_make(&k, &scratch, &brief);
    if (!s) {
        rest = long_make(&k);
        fom->root = fom_either(&k.f, brief, rest);
        s = own.code ? own.code : fom->root ? AT_OK : at_oom(&own);
    }
    at_arena_release(&scratch);
    if (s)
        return at_fail(err, s, "%s", own.text);
    *out = (at_extracted_fom){fom, k.f.nodes, k.exponentials, FOM_VARIABLES};
    return AT_OK;
}
