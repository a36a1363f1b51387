/* tm_problem.c: a Turing machine as a problem: its chain, and the rows that a language model learns it from. */
#include <string.h>

#include "../words/words_internal.h"
#include "tm_internal.h"

const at_tm *at_tm_of(const at_problem *p)
{
    return p && p->lang && !strcmp(p->lang, "tm") ? p->self : NULL;
}

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    return at_tm_chain_open(at_tm_of(p->of), NULL, at_params_int(p, "N"), at_params_int(p, "T"), self, err);
}

const char *const at_tm_form_names[] = {"integers", "rational", "none", NULL};

/* Tokens are numbers: a decoder of other words than the machine's is of another machine. What learnt rows has the words of rows. */
static at_status words_suit(at_problem *p, const at_model *m, at_err *err)
{
    const at_tm *t = at_tm_of(p);
    const at_word *words = m->n_fields == 1 ? m->fields[0].words : NULL;
    if (!words || strcmp(words[m->fields[0].size - 1].s, "<end>"))
        return AT_OK;
    char word[AT_WORD_MAX + 1];
    for (int k = 0; k < m->fields[0].size && k < t->tokens; k++) {
        at_tm_word(t, k, word);
        if (strcmp(words[k].s, word))
            return at_fail(err, AT_EINPUT, "%.100s: token %d is '%s' in the model, and '%s' in this machine",
                           p->id, k, words[k].s, word);
    }
    return AT_OK;
}

static at_status problem_read(at_problem *p, char *text, at_err *err)
{
    at_tm *t;
    at_status s = at_tm_read(text, p->path, &p->arena, &t, err);
    if (s)
        return s;
    at_param *schema = at_new(&p->arena, at_param, 3);
    at_chain *chain = at_new(&p->arena, at_chain, 1);
    at_stream *stream = at_new(&p->arena, at_stream, 1);
    char *title =
        at_arena_printf(&p->arena, "a Turing machine of %d states and %d symbols", t->states, t->symbols);
    if (!schema || !chain || !stream || !title)
        return at_oom(err);
    schema[0] = (at_param){
        "N", "the most letters of an input", 0, t->letters ? AT_TM_WORD : 0, t->longest, true, NULL};
    schema[1] = (at_param){"T", "the most steps of a run", 1, AT_TM_STEPS, t->budget, true, NULL};
    schema[2] = (at_param){"form",
                           "how it is compiled: with positions i and i^2; 1/i and 1/i^2; without",
                           0,
                           2,
                           0,
                           true,
                           at_tm_form_names};
    at_chain c = {.id = "run", .params = schema, .n_params = 3, .open = chain_open, AT_TM_CHAIN_FIELDS};
    c.title = title;
    *chain = c;
    *stream = (at_stream){.id = "run",
                          .title = title,
                          .format = "input <sep> steps <sep> verdict <eos>",
                          .params = schema,
                          .n_params = 3,
                          .verbs = &tm_rows};
    p->lang = "tm";
    p->self = t;
    p->title = title;
    p->definition = chain->definition;
    p->chain = chain;
    p->stream = stream;
    p->suit = words_suit;
    return AT_OK;
}

static at_status open_tm(at_problem *p, at_err *err)
{
    return words_open(p, problem_read, err);
}

static at_status parse_tm(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, problem_read, err);
}

const at_lang at_lang_tm = {.id = "tm",
                            .suffix = ".tm",
                            .about = "a Turing machine, docs/languages.md",
                            .open = open_tm,
                            .parse = parse_tm};
