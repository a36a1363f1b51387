/* equal_counts.c: `attest equal A.crasp B.crasp`: are two counting programs the same language, on words of all lengths? Decided by
 * proof or by a word (prove.h), never sampled. */
#include "equal_counts.h"

#include <attest/prove.h>

#include <string.h>

enum { PARTS_SHOWN = 8 };

bool cli_is_counts(const char *word)
{
    return at_ends_with(word, ".crasp") || at_ends_with(word, ".cr");
}

typedef struct {
    const cli_args *a;
    at_arena arena;
    at_problem *held[2];
    at_text name[2]; /* as printed; name[1] is empty where nothing is compared with */
    at_prove_question q;
    at_proof p;
} job;

/* ---- what the words name ---------------------------------------------------------------------------------------------------------- */

static at_status program_open(job *j, int k, at_err *err)
{
    const char *word = j->a->words[k];
    at_status s = at_problem_open_over(word, NULL, &j->held[k], err);
    const at_recogniser *w = s ? NULL : at_recogniser_of(j->held[k]);
    if (s)
        return s;
    if (!w || (!w->formulas && (!w->dfa || !k)))
        return at_fail(err, AT_EREFUSED, "%.200s is no language of words", word);
    if (w->formulas)
        *(k ? &j->q.b : &j->q.a) = w->formulas;
    else
        j->q.language = w->dfa;
    at_text_add_plain(&j->name[k], word);
    return AT_OK;
}

static at_status regex_open(job *j, const cli_language *l, at_err *err)
{
    at_alphabet given, sigma;
    at_regex *e;
    at_dfa *d;
    at_status s = l->textbook ? at_regex_textbook(l->regex, err) : AT_OK;
    if (!s && l->alphabet)
        s = at_alphabet_parse(l->alphabet, &j->arena, &given, err);
    if (!s)
        s = at_regex_parse(l->regex, l->alphabet ? &given : &j->q.a->sigma, NULL, 1, 1, &j->arena, &e, &sigma,
                           err);
    if (!s)
        s = at_regex_dfa(e, &sigma, &j->arena, &d, err);
    if (s)
        return s;
    j->q.language = d;
    at_text_init(&j->name[1]);
    at_text shown;
    at_text_init(&shown);
    at_regex_print(e, &sigma, &shown);
    at_text_add_plain(&j->name[1], shown.oom ? "?" : shown.s);
    at_text_release(&shown);
    return AT_OK;
}

/* ---- the answer ---------------------------------------------------------------------------------------------------------------------- */

static const char *const convention[AT_WORDS_KINDS] = {"last", "end", "last and end"};

static const char *what_text(const job *j)
{
    static const char *const words[3][AT_PROVE_ASKS] = {{"NOT EQUAL", "NOT INCLUDED", "NOT EMPTY"},
                                                        {"equal", "included", "empty"},
                                                        {"undecided", "undecided", "undecided"}};
    return words[j->p.holds][j->q.what];
}

static const char *way_text(const at_proof *p)
{
    switch (p->way) {
    case AT_BY_SEARCH:
        return "every state was met, there are no others";
    case AT_BY_REGIONS:
        return "an invariant by regions: equations and bounds in each";
    case AT_BY_INDUCTION:
        return "an invariant by regions, and induction over several steps";
    case AT_BY_SPACER:
        return "an invariant that Spacer found";
    case AT_BY_NOTHING:
    case AT_PROVE_WAYS:
        break;
    }
    return "";
}

static void variable_print(const at_prove_variable *v, at_text *t)
{
    if (!v->of && !v->f) {
        if (v->states)
            at_text_addf(t, "the state of the automaton, 0..%d", v->states - 1);
        else
            at_text_add(t, "whether the word has begun");
        return;
    }
    if (!v->of) {
        at_text_addf(t, "the position modulo %d", v->states);
        return;
    }
    at_text x;
    at_text_init(&x);
    at_text_add(&x, v->name[0] == 'c' ? (v->negated ? "#[!(" : "#[")
                    : v->with         ? ""
                                      : "at the position before: ");
    at_formula_print(v->f, v->of, &x);
    if (v->with) {
        at_text_add(&x, " S ");
        at_formula_print(v->f, v->with, &x);
    }
    at_text_add(&x, v->name[0] == 'c' ? (v->negated ? ")]" : "]") : "");
    at_text_add_plain(t, x.oom ? "?" : x.s);
    at_text_release(&x);
}

static void word_print(const job *j, at_text *t)
{
    at_text w;
    at_text_init(&w);
    at_alphabet_print(&j->q.a->sigma, j->p.word, j->p.n_word, &w);
    at_text_add_plain(t, w.oom ? "?" : w.s);
    at_text_release(&w);
}

/* What each of them has of the empty word, where that is not part of the question. */
static void empty_print(const job *j, at_text *t)
{
    if (j->p.words != AT_WORDS_LAST || !j->q.language)
        return;
    at_text_addf(t, "  the expression %s the empty word; the program has no answer for it\n",
                 j->p.empty[1] ? "has" : "does not have");
}

static void proof_print(const job *j, at_text *t)
{
    const at_proof *p = &j->p;
    at_text_addf(t, "  proved: %s\n", way_text(p));
    if (!p->invariant.n) {
        at_text_addf(t, "  %zu states, met again by a second search\n", p->states);
        return;
    }
    at_text_addf(t, "  the invariant was shown again by a second query%s\n",
                 p->invariant.k > 1 ? ", with its induction" : "");
    for (int k = 0; k < p->n_variables; k++) {
        at_text_addf(t, "    %-3s ", p->variables[k].name);
        variable_print(&p->variables[k], t);
        at_text_add(t, "\n");
    }
    at_text_addf(t, "  invariant: %s of\n", p->invariant.any ? "one" : "all");
    for (int k = 0; k < p->invariant.n && k < PARTS_SHOWN; k++)
        at_text_addf(t, "    %s\n", p->invariant.part[k]);
    if (p->invariant.n > PARTS_SHOWN)
        at_text_addf(t, "    and %d more (--json has all)\n", p->invariant.n - PARTS_SHOWN);
}

static void counts_print(const job *j, at_text *t)
{
    const at_proof *p = &j->p;
    at_text_addf(t, "%-10s ", what_text(j));
    if (p->holds == AT_TRUE)
        at_text_add(t, "on words of all lengths: ");
    at_text_add(t, j->name[0].s);
    if (j->name[1].n)
        at_text_addf(t, " %s %s", j->q.what == AT_PROVE_INCLUDED ? "in" : "and", j->name[1].s);
    at_text_addf(t, "\n  %s\n", at_prove_words_text[p->words]);
    empty_print(j, t);
    if (p->holds == AT_TRUE)
        proof_print(j, t);
    else if (p->holds == AT_UNKNOWN) {
        at_text_addf(t, "  %s\n", p->note);
        if (p->lacks)
            at_text_addf(t, "  install %s and build again: proofs for all lengths need it\n", p->lacks);
    } else {
        at_text_addf(t, "  a shortest word: ");
        word_print(j, t);
        at_text_addf(t, "\n  %s says %s", j->name[0].s, p->says[0] ? "yes" : "no");
        if (j->name[1].n)
            at_text_addf(t, ", %s says %s", j->name[1].s, p->says[1] ? "yes" : "no");
        at_text_add(t, ": run again by the reference\n");
    }
}

static json_t *text_json(at_text *t)
{
    json_t *o = t->oom ? NULL : cli_json_text(t->s ? t->s : "");
    at_text_release(t);
    return o;
}

static json_t *variables_json(const at_proof *p)
{
    json_t *o = json_object();
    for (int k = 0; k < p->n_variables; k++) {
        at_text t;
        at_text_init(&t);
        variable_print(&p->variables[k], &t);
        o = cli_json_set(o, p->variables[k].name, text_json(&t));
    }
    return o;
}

static json_t *witness_json(const job *j)
{
    if (j->p.holds != AT_FALSE)
        return json_null();
    at_text t;
    at_text_init(&t);
    word_print(j, &t);
    json_t *o = cli_json_set(json_object(), "word", text_json(&t));
    o = cli_json_set(o, "length", json_integer(j->p.n_word));
    o = cli_json_set(o, "a", json_boolean(j->p.says[0]));
    return j->name[1].n ? cli_json_set(o, "b", json_boolean(j->p.says[1])) : o;
}

static json_t *counts_json(const job *j)
{
    const at_proof *p = &j->p;
    json_t *o = cli_json_set(json_object(), "a", cli_json_text(j->name[0].s)), *parts = json_array();
    o = cli_json_set(o, "b", j->name[1].n ? cli_json_text(j->name[1].s) : json_null());
    o = cli_json_set(o, "asked", cli_json_text(at_prove_ask_names[j->q.what]));
    o = cli_json_set(o, "holds", p->holds == AT_UNKNOWN ? json_null() : json_boolean(p->holds == AT_TRUE));
    o = cli_json_set(o, "verdict",
                     cli_json_text(p->holds == AT_TRUE    ? "proved"
                                   : p->holds == AT_FALSE ? "refuted"
                                                          : "unknown"));
    o = cli_json_set(o, "convention", cli_json_text(convention[p->words]));
    o = cli_json_set(o, "empty_word", json_boolean(p->words == AT_WORDS_END));
    o = cli_json_set(o, "way", cli_json_text(at_prove_way_names[p->way]));
    o = cli_json_set(o, "searched", json_integer(p->searched));
    o = cli_json_set(o, "states", json_integer((json_int_t)p->states));
    o = cli_json_set(o, "counts", json_integer(p->counts));
    o = cli_json_set(o, "rechecked",
                     p->holds == AT_TRUE ? json_boolean(p->rechecked == AT_TRUE) : json_null());
    for (int k = 0; k < p->invariant.n; k++)
        parts = cli_json_add(parts, cli_json_text(p->invariant.part[k]));
    o = cli_json_set(o, "invariant_is", cli_json_text(p->invariant.any ? "any" : "all"));
    o = cli_json_set(o, "invariant", parts);
    o = cli_json_set(o, "induction", json_integer(p->invariant.k));
    o = cli_json_set(o, "variables", variables_json(p));
    o = cli_json_set(o, "witness", witness_json(j));
    o = cli_json_set(o, "lacks", p->lacks ? cli_json_text(p->lacks) : json_null());
    return cli_json_set(o, "note", p->note[0] ? cli_json_text(p->note) : json_null());
}

int cli_equal_counts(const cli_args *a, const cli_language *l, const cli_counts *c)
{
    job j = {.a = a,
             .q = {.what = c->empty     ? AT_PROVE_EMPTY
                           : c->include ? AT_PROVE_INCLUDED
                                        : AT_PROVE_EQUAL}};
    at_err err = {0};
    at_text t;
    at_arena_init(&j.arena);
    at_text_init(&j.name[0]);
    at_text_init(&j.name[1]);
    at_text_init(&t);
    at_status s = program_open(&j, 0, &err);
    if (!s && l->regex)
        s = regex_open(&j, l, &err);
    else if (!s && a->n_words == 2)
        s = program_open(&j, 1, &err);
    if (!s)
        s = at_prove(&j.q, &j.arena, &j.p, &err);
    int code = j.p.holds == AT_TRUE ? CLI_HOLDS : j.p.holds == AT_FALSE ? CLI_FAILS : CLI_UNDECIDED;
    if (s)
        code = cli_fail(a, &err);
    else if (j.name[0].oom || j.name[1].oom)
        code = cli_oom(a);
    else if (a->json)
        code = cli_put_json(a, counts_json(&j), code);
    else {
        counts_print(&j, &t);
        code = cli_put_text(a, &t, code);
    }
    at_text_release(&j.name[0]);
    at_text_release(&j.name[1]);
    for (int k = 0; k < 2; k++)
        at_problem_free(j.held[k]);
    at_arena_release(&j.arena);
    return code;
}
