/* pfsa.c: a probabilistic automaton as a problem: behind each text of N letters and states, the probabilities of what comes next. */
#include "../words/words_internal.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 1000
#define NEAR    1e-9 /* how far a probability may be off, unless told */

static const at_param params[] = {
    {"N", "letters and states of the text", 0, LONGEST, 8, true, NULL},
};

typedef struct {
    at_task task;
    at_pfsa *p;
} language_model;

const at_pfsa *at_pfsa_of(const at_problem *p)
{
    return p->lang && strcmp(p->lang, at_lang_pfsa.id) == 0 ? ((const language_model *)p->self)->p : NULL;
}

static const at_pfsa *pfsa_of(const at_params *p)
{
    return at_pfsa_of(p->of);
}

static int length_of(const at_params *p)
{
    return at_params_int(p, "N");
}

static int tokens(const at_params *p)
{
    return at_pfsa_tokens(pfsa_of(p)) - 1;
}

void at_pfsa_word(const at_pfsa *p, int token, char out[AT_WORD_MAX + 1])
{
    if (token < p->letters)
        snprintf(out, AT_WORD_MAX + 1, "%s", p->letter[token]);
    else
        snprintf(out, AT_WORD_MAX + 1, "[%s]", p->state[token - p->letters]);
}

static void word(const at_params *p, int token, char out[AT_WORD_MAX + 1])
{
    at_pfsa_word(pfsa_of(p), token, out);
}

static int one(const at_params *p)
{
    (void)p;
    return 1;
}

static int outcomes(const at_params *p)
{
    return at_pfsa_tokens(pfsa_of(p));
}

/* The row behind a text: what no run writes has no state. */
static void row_of(const at_pfsa *p, const double *x, int n, uint32_t *count, uint32_t *under)
{
    int last = n > 0 ? (int)x[n - 1] - p->letters : -1, before = n > 1 ? (int)x[n - 2] - p->letters : -1;
    if (n == 0 || last >= 0)
        at_pfsa_next(p, n ? last : -1, -1, count, under);
    else
        at_pfsa_next(p, before < 0 ? -1 : before, (int)x[n - 1], count, under);
}

static void answer(const at_params *p, const double *x, double *y)
{
    uint32_t count[AT_PFSA_LETTERS + AT_PFSA_STATES + 1], under;
    row_of(pfsa_of(p), x, length_of(p), count, &under);
    for (int k = 0; k < outcomes(p); k++)
        y[k] = (double)count[k] / under;
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    for (int i = 0; i < length_of(p); i++)
        x[i] = (double)at_rng_below(r, (uint64_t)tokens(p));
}

/* A text as the automaton writes it; the end is passed over where it can be, else any token stands there. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    const at_pfsa *a = pfsa_of(p);
    uint32_t count[AT_PFSA_LETTERS + AT_PFSA_STATES + 1], under;
    for (int i = 0; i < length_of(p); i++) {
        row_of(a, x, i, count, &under);
        uint32_t left = under - count[tokens(p)];
        if (!left) {
            x[i] = (double)at_rng_below(r, (uint64_t)tokens(p));
            continue;
        }
        uint64_t at = at_rng_below(r, left);
        int t = 0;
        for (; at >= count[t]; t++)
            at -= count[t];
        x[i] = t;
    }
}

static uint64_t count(const at_params *p, at_enum e)
{
    return e == AT_ENUM_SEQUENCES ? at_words_count(tokens(p), length_of(p)) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    at_words_nth(tokens(p), length_of(p), index, x);
}

static at_status text_read(at_problem *p, char *text, at_err *err)
{
    language_model *m = at_new(&p->arena, language_model, 1);
    at_status s = m ? at_pfsa_read(text, strlen(text), p->path, &p->arena, &m->p, err) : at_oom(err);
    if (s)
        return s;
    p->title = at_arena_printf(&p->arena, "a probabilistic automaton of %d states over %d letters",
                               m->p->states, m->p->letters);
    p->definition = "the probabilities of the next letter or state, and of the end, behind a text of both";
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
                        .input_help = "letters, and states in brackets",
                        .tokens = tokens,
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

static at_status pfsa_open(at_problem *p, at_err *err)
{
    return words_open(p, text_read, err);
}

static at_status pfsa_parse(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, text_read, err);
}

const at_lang at_lang_pfsa = {.id = "pfsa",
                              .suffix = ".pfsa",
                              .about = "a probabilistic automaton, docs/ngram.md",
                              .open = pfsa_open,
                              .parse = pfsa_parse};
