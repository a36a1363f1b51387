/* equal_words.c: `attest equal MODEL --regex RE|FILE`: is a model the language of an expression, or of a file that has an automaton, on
 * words of all lengths? Decided by automata (at_extract_dfa), never sampled. */
#include "equal_words.h"

#include <string.h>

/* The letters of the model, and the automaton of the expression over them unless others are said. */
static at_status language_make(const cli_language *l, const at_alphabet *own, at_arena *a, at_dfa **out,
                               at_text *shown, at_err *err)
{
    at_alphabet given, sigma;
    at_regex *e;
    at_status s = l->alphabet ? at_alphabet_parse(l->alphabet, a, &given, err) : AT_OK;
    if (!s)
        s = at_regex_parse(l->regex, l->alphabet ? &given : own, NULL, 1, 1, a, &e, &sigma, err);
    if (!s)
        s = at_regex_dfa(e, &sigma, a, out, err);
    if (s)
        return s;
    bool same = sigma.n == own->n;
    for (int k = 0; same && k < own->n; k++)
        same = strcmp(sigma.letter[k], own->letter[k]) == 0;
    if (!same)
        return at_fail(err, AT_EREFUSED, "the model has other letters than --alphabet says");
    at_regex_print(e, &sigma, shown);
    return shown->oom ? at_oom(err) : AT_OK;
}

typedef struct {
    at_extracted found;
    at_dfa *model, *language;
    const char *other; /* what the language is called */
    bool silent;       /* the language has no answer for the empty word */
    int *word, n;      /* n -1: there is none on which they differ */
    bool said;         /* what the model said when it was run on it, where it takes such words */
    bool run;
} difference;

/* The word on the model itself: what an automaton says of it must be so. */
static at_status word_run(const at_model *m, difference *d, at_arena *a, at_err *err)
{
    double *x = at_new(a, double, d->n + 1);
    at_output y;
    if (!x)
        return at_oom(err);
    if (d->n > m->n_max || d->n < m->n_min)
        return AT_OK;
    for (int i = 0; i < d->n; i++)
        x[i] = d->word[i];
    at_status s = at_run(m, at_f64, &(at_input){d->n, x}, NULL, a, &y, err);
    d->run = !s;
    d->said = !s && y.decision[0] != 0;
    if (!s && d->said != at_dfa_accepts(d->model, d->word, d->n))
        return at_fail(err, AT_EREFUSED,
                       "the model and its automaton differ on a word; this is a fault of attest");
    return s;
}

static void words_print(const cli_args *a, const difference *d, const char *shown, at_text *t)
{
    at_text_add(t, d->n < 0 ? "equal      on words of all lengths: " : "NOT EQUAL  ");
    at_text_add_plain(t, a->words[0]);
    at_text_add(t, " and ");
    at_text_add_plain(t, shown);
    at_text_addf(t, "\n  by automata: the model's has %d state%s, the %s's %d\n", d->model->states,
                 d->model->states == 1 ? "" : "s", d->other, d->language->states);
    if (d->silent)
        at_text_addf(t, "  the %s has no answer for the empty word, which was not compared\n", d->other);
    if (d->found.period > 1)
        at_text_addf(t, "  its positions repeat every %d, also beyond the words that its file takes\n",
                     d->found.period);
    if (d->found.rounded)
        at_text_add(t, "  its numbers are rounded: so in the reals and in f64, whatever the order of sums\n");
    if (d->n < 0)
        return;
    at_text word;
    at_text_init(&word);
    at_alphabet_print(&d->model->sigma, d->word, d->n, &word);
    at_text_add(t, "  a shortest word on which they differ: ");
    at_text_add_plain(t, word.oom ? "?" : word.s);
    bool yes = at_dfa_accepts(d->model, d->word, d->n);
    at_text_addf(t, "\n  model      %s%s\n  %-10s %s\n", yes ? "yes" : "no",
                 d->run ? ", run again" : "; longer than the words that its file takes", d->other,
                 yes ? "no" : "yes");
    at_text_release(&word);
}

static json_t *words_json(const cli_args *a, const difference *d, const char *shown)
{
    json_t *o = cli_json_set(json_object(), "a", cli_json_text(a->words[0])), *w = json_null();
    if (d->n >= 0) {
        at_text word;
        at_text_init(&word);
        at_alphabet_print(&d->model->sigma, d->word, d->n, &word);
        w = cli_json_set(json_object(), "word", cli_json_text(word.oom ? "?" : word.s));
        at_text_release(&word);
        w = cli_json_set(w, "a", json_boolean(at_dfa_accepts(d->model, d->word, d->n)));
        w = cli_json_set(w, "run", json_boolean(d->run));
    }
    o = cli_json_set(o, "b", cli_json_text(shown));
    o = cli_json_set(o, "equal", json_boolean(d->n < 0));
    o = cli_json_set(o, "evidence", cli_json_text("automata"));
    o = cli_json_set(o, "states", json_integer(d->model->states));
    o = cli_json_set(o, "period", json_integer(d->found.period));
    o = cli_json_set(o, "rounded", json_boolean(d->found.rounded));
    return cli_json_set(o, "witness", w);
}

/* Finds where they differ, and says so. */
static int difference_put(const cli_args *a, const at_model *m, difference *d, const char *shown, at_status s,
                          at_arena *arena, at_err *err)
{
    at_text t;
    at_text_init(&t);
    if (!s)
        s = at_dfa_differ(d->model, d->language, arena, &d->word, &d->n, err);
    if (!s && d->n >= 0)
        s = word_run(m, d, arena, err);
    int code = d->n < 0 ? CLI_HOLDS : CLI_FAILS;
    if (s)
        return cli_fail(a, err);
    if (a->json)
        return cli_put_json(a, words_json(a, d, shown), code);
    words_print(a, d, shown, &t);
    return cli_put_text(a, &t, code);
}

int cli_equal_words(const cli_args *a, const at_model *m, const cli_language *l)
{
    at_err err = {0};
    at_arena arena;
    at_arena_init(&arena);
    at_text shown;
    at_text_init(&shown);
    difference d = {.n = -1, .other = "expression"};
    at_status s = l->textbook ? at_regex_textbook(l->regex, &err) : AT_OK;
    if (!s)
        s = at_extract_dfa(m, &arena, &d.found, &err);
    d.model = d.found.dfa;
    if (!s)
        s = language_make(l, &d.model->sigma, &arena, &d.language, &shown, &err);
    int code = difference_put(a, m, &d, shown.s, s, &arena, &err);
    at_text_release(&shown);
    at_arena_release(&arena);
    return code;
}

/* d with the letters of sigma, which are the same in another order. NULL: they are not, or no memory. */
static at_dfa *letters_turned(const at_dfa *d, const at_alphabet *sigma, at_arena *a, at_err *err)
{
    at_dfa *out;
    if (d->sigma.n != sigma->n || at_dfa_new(sigma, d->states, a, &out, err))
        return NULL;
    out->start = d->start;
    for (int c = 0; c < sigma->n; c++) {
        int from = at_alphabet_find(&d->sigma, sigma->letter[c], strlen(sigma->letter[c]));
        if (from < 0)
            return NULL;
        for (int q = 0; q < d->states; q++)
            out->to[q * sigma->n + c] = d->to[q * sigma->n + from];
    }
    memcpy(out->accept, d->accept, (size_t)d->states * sizeof *d->accept);
    return out;
}

bool cli_equal_language(const cli_args *a, const at_model *m, const at_recogniser *r, int *code)
{
    at_err err = {0};
    at_arena arena;
    at_dfa *own = NULL;
    at_arena_init(&arena);
    difference d = {.n = -1, .other = "file"};
    at_status s = at_extract_dfa(m, &arena, &d.found, &err);
    d.model = d.found.dfa;
    if (!s && !r->dfa) {
        bool empty = d.model->accept[d.model->start];
        d.silent = r->formulas->at == AT_AT_LAST || r->formulas->at == AT_AT_FIRST;
        s = at_formulas_dfa(r->formulas, empty, &arena, &own, &err);
    }
    if (!s)
        d.language = letters_turned(own ? own : r->dfa, &d.model->sigma, &arena, &err);
    bool decided = !s && d.language;
    if (decided)
        *code = difference_put(a, m, &d, a->words[1], s, &arena, &err);
    else if (s == AT_ENOMEM || s == AT_ECANCEL || err.code == AT_ENOMEM) {
        *code = cli_fail(a, &err);
        decided = true;
    }
    at_arena_release(&arena);
    return decided;
}
