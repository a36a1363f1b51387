/* ptm.c: a probabilistic Turing machine as a problem: behind each text of N steps, the probabilities of the next one. */
#include "../next/next_internal.h"

#include <stdio.h>

#define BYTES_MAX ((size_t)1 << 24)

static const at_param params[] = {
    {"N", "steps of the text", 0, NEXT_LONGEST, 8, true, NULL},
};

const at_ptm *at_ptm_of(const at_problem *p)
{
    return next_of(p, &at_lang_ptm);
}

static int tokens(const void *of)
{
    return ((const at_ptm *)of)->steps;
}

void at_ptm_word(const at_ptm *p, int token, char out[AT_WORD_MAX + 1])
{
    const at_ptm_rule *r = &p->rule[p->step[token]];
    snprintf(out, AT_WORD_MAX + 1, "%.7s/%c/%.12s/%.7s", p->symbol[r->write], "L*R"[r->move + 1],
             p -> state[r->to], r -> letter < 0 ? "-" : p->letter[r->letter]);
}

static void word(const void *of, int token, char out[AT_WORD_MAX + 1])
{
    at_ptm_word(of, token, out);
}

static bool row(const void *of, const double *x, int n, double *y)
{
    const at_ptm *p = of;
    uint32_t count[AT_PTM_STEPS + 1], under;
    int *tape = at_malloc((2 * (size_t)n + 1) * sizeof *tape);
    if (!tape)
        return false;
    at_ptm_after(p, x, n, tape, count, &under);
    for (int k = 0; k <= p->steps; k++)
        y[k] = (double)count[k] / under;
    at_free(tape);
    return true;
}

static const next_verbs verbs = {tokens, word, row};

static at_status ptm_parse(at_problem *p, const char *text, size_t n, at_err *err)
{
    at_ptm *of;
    next_model *m;
    const char *own = next_text(p, text, n);
    at_status s = own ? at_ptm_read(own, n, p->path, &p->arena, &of, err) : at_oom(err);
    if (!s)
        s = at_problem_keep(p, text, n, err);
    if (s)
        return s;
    p->title =
        at_arena_printf(&p->arena, "a probabilistic Turing machine of %d states, %d symbols and %d letters",
                        of->states, of->symbols, of->letters);
    p->definition = "the probabilities of the next step, and of the end, behind a text of steps";
    s = next_problem(p, of, &verbs, params, sizeof params / sizeof *params, &m, err);
    if (!s)
        m->task.input_help = "steps, written/move/state/letter";
    return s;
}

static at_status ptm_open(at_problem *p, at_err *err)
{
    return next_open(p, BYTES_MAX, NULL, ptm_parse, err);
}

const at_lang at_lang_ptm = {.id = "ptm",
                             .suffix = ".ptm",
                             .about = "a probabilistic Turing machine, docs/ngram.md",
                             .open = ptm_open,
                             .parse = ptm_parse};
