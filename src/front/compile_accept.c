/* compile_accept.c: an n-gram language model as a recogniser: has the text, with its end, at least the probability T?
 *
 * Yes when sigma(log p(text) - log T) >= 1/2. Rows are as in compile_ngram.c: <s> is row 1, word t stands in row t + 1, s is the last one.
 * 1. A row finds its own word and the n-1 before it, and what its word adds to the score: l = log p(word | those before). Contexts add up as
 *    in compile_ngram.c: one that is there adds what it changes, by one unit for all words that it changes alike, and by one for each
 *    n-gram that it lists. The row of <s> adds nothing.
 * 2. A second layer takes the mean over all s rows of l, and of "this is <s>": sum(l)/s and u = 1/s.
 * 3. What the end adds depends on the last n-1 words: d for each context that is there. relu(u + c - 1) is u where c is 1 and else 0, so
 *    that all of (sum(l) + log p(</s>) - log T) u is a sum of units: it is more than 0 exactly when the text is accepted.
 * A word without probability adds -800, and T >= 1e-300 is more. Scores that miss log T by 1e-9 or less count as reaching it. Numbers are
 * rounded: the bound on that, which counts all contexts at once, is at most AT_NGRAM_ACCEPT_ZONE, or the model is refused; a text
 * whose score is nearer to log T may be judged either way. */
#include "ngram_maker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    ngram_maker k;
    double log_least;
    at_var *own, *word; /* (V), (n, V) */
    at_var *l;          /* of l: units and weights */
    double *l_weight;
    at_var *e; /* of the end: contexts and weights */
    double *e_weight;
    int n_l, n_e, room, units;
} accepter;

static double score_of(double p)
{
    return p > 0 ? at_log(p) : -NGRAM_ZERO;
}

/* 1 when these words stand `back` rows before, and this row has the word `own` (-1: any but <s>). */
static at_var unit_make(accepter *x, const char *name, const int *history, int len, int back, int own)
{
    const ngram_maker *k = &x->k;
    at_var v[AT_NGRAM_ORDER_MAX + 1];
    int V = k->g->words + 1, n = 0;
    for (int h = 0; h < len; h++) {
        int id = history[len - 1 - h];
        v[n++] = x->word[(h + back) * V + (id == at_ngram_bos(k->g) ? V - 1 : id)];
    }
    if (back)
        v[n++] = own < 0 ? at_not(k->P, x->own[V - 1]) : x->own[own];
    x->units++;
    return at_all(k->P, name, (at_vec){n, v});
}

static at_status room_check(const accepter *x)
{
    return x->units > AT_NGRAM_COMPILED_CONTEXTS || x->n_l + 2 > x->room
               ? at_fail(x->k.err, AT_EBUDGET,
                         "more than %d contexts and n-grams; no more are compiled to a recogniser",
                         AT_NGRAM_COMPILED_CONTEXTS)
               : AT_OK;
}

static at_status context_add(accepter *x, int c, double *row, double *before, double *copy)
{
    const at_ngram *g = x->k.g;
    int W = g->words, history[AT_NGRAM_ORDER_MAX], len = at_ngram_state_words(g, c, history);
    char name[64];
    at_status s = AT_OK;
    at_ngram_shares(g, c, row);
    at_ngram_shares(g, at_ngram_state(g, history + 1, len - 1), before);
    for (int w = 0; w <= W; w++)
        row[w] = score_of(row[w]) - score_of(before[w]);
    double shift = W ? ngram_most_common(row, W, copy) : 0;
    if (fabs(shift) > NGRAM_SAME) {
        snprintf(name, sizeof name, "behind_%d", c);
        x->l_weight[x->n_l] = shift;
        x->l[x->n_l++] = unit_make(x, name, history, len, 1, -1);
    }
    for (int w = 0; w < W && !s; w++)
        if (fabs(row[w] - shift) > NGRAM_SAME && !(s = room_check(x))) {
            snprintf(name, sizeof name, "gram_%d_%d", c, w);
            x->l_weight[x->n_l] = row[w] - shift;
            x->l[x->n_l++] = unit_make(x, name, history, len, 1, w);
        }
    if (!s && fabs(row[W]) > NGRAM_SAME) {
        snprintf(name, sizeof name, "context_%d", c);
        x->e_weight[x->n_e] = row[W];
        x->e[x->n_e++] = unit_make(x, name, history, len, 0, 0);
    }
    return s ? s : room_check(x);
}

/* Steps 2 and 3; first (V): p behind nothing. */
static void verdict_emit(accepter *x, const double *first)
{
    at_program *P = x->k.P;
    int W = x->k.g->words;
    at_var begin = x->own[W], l = at_sum(P, "adds", (at_vec){x->n_l, x->l}, x->l_weight, 0);
    at_mask causal = {.kind = AT_MASK_CAUSAL};
    at_var mean = at_mean(P, "mean", AT_VEC(l), AT_AVERAGE_HARD, causal);
    /* a head of its own: one bound is for all that a head fetches, and l is large */
    at_var u = at_known(P, "u", at_mean(P, "share", AT_VEC(begin), AT_AVERAGE_HARD, causal), 0, 1, false, -1);
    char name[64];
    for (int c = 0; c < x->n_e; c++) {
        snprintf(name, sizeof name, "end_%d", c);
        x->e[c] = at_relu(P, name, at_sum(P, name, AT_VEC(u, x->e[c]), NULL, -1));
    }
    at_var end = at_sum(P, "end", (at_vec){x->n_e, x->e}, x->e_weight, 0);
    at_var out = at_sum(P, "score", AT_VEC(mean, u, end),
                        (double[]){1, score_of(first[W]) - x->log_least + AT_NGRAM_ACCEPT_NEAR, 1}, 0);
    at_emit_last(P, AT_VEC(out), AT_READ_THRESHOLD, 0);
}

static at_status accepter_make(accepter *x)
{
    const at_ngram *g = x->k.g;
    int V = g->words + 1;
    at_arena *a = x->k.a;
    x->room = AT_NGRAM_COMPILED_CONTEXTS + V + 2;
    double *row = at_new(a, double, V), *before = at_new(a, double, V), *copy = at_new(a, double, V);
    x->own = at_new(a, at_var, V);
    x->word = at_new(a, at_var, (size_t)V * (size_t)x->k.places);
    x->l = at_new(a, at_var, x->room);
    x->l_weight = at_new(a, double, x->room);
    x->e = at_new(a, at_var, x->room);
    x->e_weight = at_new(a, double, x->room);
    if (!row || !before || !copy || !x->own || !x->word || !x->l || !x->l_weight || !x->e || !x->e_weight)
        return at_oom(x->k.err);
    at_status s = ngram_history(&x->k, x->own, x->word);
    at_ngram_shares(g, 0, row);
    for (int w = 0; w < g->words; w++) {
        x->l_weight[x->n_l] = score_of(row[w]);
        x->l[x->n_l++] = x->own[w];
    }
    for (int c = 1; c < at_ngram_states(g) && !s; c++)
        if (at_ngram_is_state(g, c))
            s = context_add(x, c, row, before, copy);
    if (s)
        return s;
    at_ngram_shares(g, 0, row);
    verdict_emit(x, row);
    return at_program_status(x->k.P, x->k.err);
}

static at_status assembled(accepter *x, int N, at_model *m)
{
    double off;
    at_status s = at_assemble(x->k.P, m, &off, x->k.err);
    if (s)
        return s;
    off *= N + 1; /* u >= 1/(N + 1) */
    if (!(off < AT_NGRAM_ACCEPT_ZONE)) {
        at_model_release(m);
        return at_fail(x->k.err, AT_EBUDGET,
                       "scores of %d words may be off by %.2g in this arithmetic; %g is allowed", N, off,
                       AT_NGRAM_ACCEPT_ZONE);
    }
    m->readout.words = at_new(&m->arena, at_word, 2);
    if (!m->readout.words) {
        at_model_release(m);
        return at_oom(x->k.err);
    }
    snprintf(m->readout.words[0].s, sizeof m->readout.words[0].s, "no");
    snprintf(m->readout.words[1].s, sizeof m->readout.words[1].s, "yes");
    return ngram_words(x->k.g, m, x->k.err);
}

at_status at_ngram_accepter(const at_ngram *g, int N, double least, const at_ngram_options *o, at_model *m,
                            at_err *err)
{
    at_arena a;
    accepter x = {.k = {.g = g, .o = o, .T = N + 1, .places = g->order, .a = &a, .err = err},
                  .log_least = at_log(least)};
    if (!(least >= 1e-300 && least <= 1))
        return at_fail(err, AT_EDOMAIN, "a probability of %g; 1e-300..1 is allowed", least);
    at_status s = ngram_check(g, o, err);
    if (s)
        return s;
    at_arena_init(&a);
    x.k.P = at_program_new("accept", N);
    s = x.k.P ? AT_OK : at_oom(err);
    if (!s && o->arith)
        at_program_arithmetic(x.k.P, *o->arith);
    if (!s)
        s = accepter_make(&x);
    if (!s)
        s = assembled(&x, N, m);
    at_program_free(x.k.P);
    at_arena_release(&a);
    return s;
}
