/* arpa.c: a language model in an ARPA file as a problem: after each text of N words, the probabilities of what comes next. */
#include <attest/lang.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BYTES_MAX ((size_t)1 << 31)
#define LONGEST   1000
#define NEAR      1e-9 /* how far a row of probabilities may be off, unless told */

static const char *const reads[] = {"softmax", "sparsemax", NULL};
static const char *const forms[] = {"heads", "layers", "single", NULL};
static const at_param params[] = {
    {"N", "words of the text", 0, LONGEST, 8, true, NULL},
    {"form", "how a compiled model finds the words before: a head each, a layer each, or one head", 0, 2, 0,
     true, forms},
    {"read", "what its probabilities are read by", 0, 1, 0, true, reads},
    {"accept", "0: probabilities; else yes or no: has the text, with its end, at least this one?", 0, 1, 0,
     false, NULL},
};

typedef struct {
    at_task task;
    at_ngram *g;
} language_model;

const at_ngram *at_ngram_of(const at_problem *p)
{
    return p->lang && strcmp(p->lang, at_lang_arpa.id) == 0 ? ((const language_model *)p->self)->g : NULL;
}

static const at_ngram *ngram_of(const at_params *p)
{
    return at_ngram_of(p->of);
}

static int length_of(const at_params *p)
{
    return at_params_int(p, "N");
}

static int words(const at_params *p)
{
    return ngram_of(p)->words;
}

static void word(const at_params *p, int token, char out[AT_WORD_MAX + 1])
{
    snprintf(out, AT_WORD_MAX + 1, "%s", ngram_of(p)->word[token]);
}

static int one(const at_params *p)
{
    (void)p;
    return 1;
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
    int state = at_ngram_start(g), n = length_of(p);
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
    int state = at_ngram_start(g);
    for (int i = 0; i < length_of(p); i++)
        at_ngram_step(g, &state, (int)x[i]);
    at_ngram_shares(g, state, y);
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    for (int i = 0; i < length_of(p); i++)
        x[i] = (double)at_rng_below(r, (uint64_t)words(p));
}

/* A text as the model itself would write it, as far as its n-grams go; the end is passed over. So long contexts are met, which words by
 * chance hardly make. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    const at_ngram *g = ngram_of(p);
    int state = at_ngram_start(g), W = g->words;
    for (int i = 0; i < length_of(p); i++) {
        int w = (int)at_rng_below(r, (uint64_t)W); /* a few draws of the likeliest: no row is needed */
        for (int k = 0; k < 8; k++) {
            int v = (int)at_rng_below(r, (uint64_t)W), a = state, b = state;
            w = at_ngram_step(g, &a, v) > at_ngram_step(g, &b, w) ? v : w;
        }
        at_ngram_step(g, &state, w);
        x[i] = w;
    }
}

static uint64_t count(const at_params *p, at_enum e)
{
    return e == AT_ENUM_SEQUENCES ? at_words_count(words(p), length_of(p)) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    at_words_nth(words(p), length_of(p), index, x);
}

static at_status arpa_take(at_problem *p, const char *text, size_t n, at_err *err)
{
    language_model *m = at_new(&p->arena, language_model, 1);
    at_status s = m ? at_ngram_read(text, n, p->path, &p->arena, &m->g, err) : at_oom(err);
    if (!s)
        s = at_problem_keep(p, text, n, err);
    if (s)
        return s;
    p->title =
        at_arena_printf(&p->arena, "a language model of order %d over %d words", m->g->order, m->g->words);
    p->definition = "the probabilities of the next word, and of the end, after a text";
    if (!p->title)
        return at_oom(err);
    m->task = (at_task){.id = p->id,
                        .title = p->title,
                        .definition = p->definition,
                        .params = params,
                        .n_params = sizeof params / sizeof *params,
                        .last = true,
                        .real = true,
                        .tolerance = NEAR,
                        .enums = 1u << AT_ENUM_SEQUENCES,
                        .input_help = "words of the vocabulary",
                        .tokens = words,
                        .word = word,
                        .row_width = one,
                        .out_width = outcomes,
                        .answer = answer,
                        .sample = sample,
                        .adversarial = adversarial,
                        .count = count,
                        .nth = nth,
                        .simpler = at_words_simpler};
    p->self = m;
    p->task = &m->task;
    return AT_OK;
}

static at_status arpa_open(at_problem *p, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read(p->path, BYTES_MAX, &text, &n, err);
    if (s)
        return s;
    s = arpa_take(p, text, n, err);
    at_free(text);
    return s;
}

const at_lang at_lang_arpa = {.id = "arpa",
                              .suffix = ".arpa",
                              .about = "an n-gram language model, docs/ngram.md",
                              .open = arpa_open,
                              .parse = arpa_take};
