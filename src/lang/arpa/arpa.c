/* arpa.c: a language model in an ARPA file as a problem: after each text of N words, the probabilities of what comes next. */
#include "../next/next_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const reads[] = {"softmax", "sparsemax", NULL};
static const char *const forms[] = {"heads", "layers", "single", NULL};
static const at_param params[] = {
    {"N", "words of the text", 0, NEXT_LONGEST, 8, true, NULL},
    {"form", "how a compiled model finds the words before: a head each, a layer each, or one head", 0, 2, 0,
     true, forms},
    {"read", "what its probabilities are read by", 0, 1, 0, true, reads},
    {"accept", "0: probabilities; else yes or no: has the text, with its end, at least this one?", 0, 1, 0,
     false, NULL},
};

const at_ngram *at_ngram_of(const at_problem *p)
{
    return next_of(p, &at_lang_arpa);
}

static const at_ngram *ngram_of(const at_params *p)
{
    return next_self(p);
}

static int words(const void *of)
{
    return ((const at_ngram *)of)->words;
}

static void word(const void *of, int token, char out[AT_WORD_MAX + 1])
{
    snprintf(out, AT_WORD_MAX + 1, "%s", ((const at_ngram *)of)->word[token]);
}

static int outcomes(const at_params *p)
{
    return at_params_get(p, "accept") > 0 ? 1 : ngram_of(p)->words + 1;
}

void at_ngram_shares(const at_ngram *g, int state, double *p)
{
    double sum = 0;
    int history[AT_NGRAM_ORDER_MAX], n = at_ngram_state_words(g, state, history), w = 0;
    uint64_t over, under;
    for (; w <= g->words && at_ngram_fraction(g, history, n, w, &over, &under); w++)
        p[w] = (double)over / (double)under;
    if (w > g->words) /* known as fractions, each rounded once */
        return;
    at_ngram_state_row(g, state, p);
    for (w = 0; w <= g->words; w++)
        sum += p[w];
    for (w = 0; w <= g->words && sum > 0; w++)
        p[w] /= sum;
}

/* log p of the text with its end, rows over their sums. */
static double score(const at_params *p, const double *x, double *row)
{
    const at_ngram *g = ngram_of(p);
    int state = at_ngram_start(g), n = next_length(p);
    double sum = 0;
    for (int i = 0; i <= n; i++) {
        int w = i < n ? (int)x[i] : g->words;
        at_ngram_shares(g, state, row);
        if (!(row[w] > 0))
            return -INFINITY;
        sum += at_log(row[w]);
        if (i < n)
            at_ngram_step(g, &state, w);
    }
    return sum;
}

static bool row(const void *of, const double *x, int n, double *y)
{
    const at_ngram *g = of;
    int state = at_ngram_start(g);
    for (int i = 0; i < n; i++)
        at_ngram_step(g, &state, (int)x[i]);
    at_ngram_shares(g, state, y);
    return true;
}

static const next_verbs verbs = {words, word, row};

static void answer(const at_params *p, const double *x, double *y)
{
    const at_ngram *g = ngram_of(p);
    double accept = at_params_get(p, "accept");
    if (accept > 0) {
        double *row = at_malloc(((size_t)g->words + 1) * sizeof *row);
        y[0] = row ? score(p, x, row) >= at_log(accept) - AT_NGRAM_ACCEPT_NEAR
                   : NAN; /* no memory: no answer fits */
        at_free(row);
        return;
    }
    row(g, x, next_length(p), y);
}

/* A text as the model itself would write it, as far as its n-grams go; the end is passed over. So long contexts are met, which words by
 * chance hardly make. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    const at_ngram *g = ngram_of(p);
    int state = at_ngram_start(g), W = g->words;
    for (int i = 0; i < next_length(p); i++) {
        int w = (int)at_rng_below(r, (uint64_t)W); /* a few draws of the likeliest: no row is needed */
        for (int k = 0; k < 8; k++) {
            int v = (int)at_rng_below(r, (uint64_t)W), a = state, b = state;
            w = at_ngram_step(g, &a, v) > at_ngram_step(g, &b, w) ? v : w;
        }
        at_ngram_step(g, &state, w);
        x[i] = w;
    }
}

static at_status arpa_take(at_problem *p, const char *text, size_t n, at_err *err)
{
    at_ngram *g;
    next_model *m;
    at_status s = at_ngram_read(text, n, p->path, &p->arena, &g, err);
    if (!s)
        s = at_problem_keep(p, text, n, err);
    if (s)
        return s;
    p->title = at_arena_printf(&p->arena, "a language model of order %d over %d words", g->order, g->words);
    p->definition = "the probabilities of the next word, and of the end, after a text";
    s = next_problem(p, g, &verbs, params, sizeof params / sizeof *params, &m, err);
    if (s)
        return s;
    m->task.input_help = "words of the vocabulary";
    m->task.out_width = outcomes;
    m->task.answer = answer;
    m->task.adversarial = adversarial;
    return AT_OK;
}

static at_status arpa_open(at_problem *p, at_err *err)
{
    return next_open(p, AT_NGRAM_FILE_MAX, at_ngram_look, arpa_take, err);
}

const at_lang at_lang_arpa = {.id = "arpa",
                              .suffix = ".arpa",
                              .about = "an n-gram language model, docs/ngram.md",
                              .open = arpa_open,
                              .parse = arpa_take};
