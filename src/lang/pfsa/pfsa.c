/* pfsa.c: a probabilistic automaton as a problem: behind each text of N letters and states, the probabilities of what comes next. */
#include "../next/next_internal.h"

#include <stdio.h>

#define BYTES_MAX ((size_t)1 << 24)

static const at_param params[] = {
    {"N", "letters and states of the text", 0, NEXT_LONGEST, 8, true, NULL},
};

const at_pfsa *at_pfsa_of(const at_problem *p)
{
    return next_of(p, &at_lang_pfsa);
}

static int tokens(const void *of)
{
    return at_pfsa_tokens(of) - 1;
}

void at_pfsa_word(const at_pfsa *p, int token, char out[AT_WORD_MAX + 1])
{
    if (token < p->letters)
        snprintf(out, AT_WORD_MAX + 1, "%s", p->letter[token]);
    else
        snprintf(out, AT_WORD_MAX + 1, "[%s]", p->state[token - p->letters]);
}

static void word(const void *of, int token, char out[AT_WORD_MAX + 1])
{
    at_pfsa_word(of, token, out);
}

/* What no run writes has no state. */
static bool row(const void *of, const double *x, int n, double *y)
{
    const at_pfsa *p = of;
    uint32_t count[AT_PFSA_LETTERS + AT_PFSA_STATES + 1], under;
    int last = n > 0 ? (int)x[n - 1] - p->letters : -1, before = n > 1 ? (int)x[n - 2] - p->letters : -1;
    if (n == 0 || last >= 0)
        at_pfsa_next(p, n ? last : -1, -1, count, &under);
    else
        at_pfsa_next(p, before < 0 ? -1 : before, (int)x[n - 1], count, &under);
    for (int k = 0; k < at_pfsa_tokens(p); k++)
        y[k] = (double)count[k] / under;
    return true;
}

static const next_verbs verbs = {tokens, word, row};

static at_status pfsa_parse(at_problem *p, const char *text, size_t n, at_err *err)
{
    at_pfsa *of;
    next_model *m;
    const char *own = next_text(p, text, n);
    at_status s = own ? at_pfsa_read(own, n, p->path, &p->arena, &of, err) : at_oom(err);
    if (!s)
        s = at_problem_keep(p, text, n, err);
    if (s)
        return s;
    p->title = at_arena_printf(&p->arena, "a probabilistic automaton of %d states over %d letters",
                               of->states, of->letters);
    p->definition = "the probabilities of the next letter or state, and of the end, behind a text of both";
    s = next_problem(p, of, &verbs, params, sizeof params / sizeof *params, &m, err);
    if (!s)
        m->task.input_help = "letters, and states in brackets";
    return s;
}

static at_status pfsa_open(at_problem *p, at_err *err)
{
    return next_open(p, BYTES_MAX, NULL, pfsa_parse, err);
}

const at_lang at_lang_pfsa = {.id = "pfsa",
                              .suffix = ".pfsa",
                              .about = "a probabilistic automaton, docs/ngram.md",
                              .open = pfsa_open,
                              .parse = pfsa_parse};
