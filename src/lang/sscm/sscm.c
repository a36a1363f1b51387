/* sscm.c: simplified and stateless counter machines (Bhattamishra, Ahuja and Goyal 2020): a letter adds to counters, and the end decides by
 * what the counters are and by the last letter.
 *
 *     alphabet a b c
 *     counters x y
 *     a: x+1 ; b: x-1 y+1 ; c: y-2
 *     accept x = 0 and 2x - y <= 3 and last in {a, c}       of the empty word: last is none
 *
 * A counter is a definition, the sum of its steps times the counts of the letters; the last letter is what was true just before the end. */
#include <stdio.h>
#include <string.h>

#include "../formulas/terms.h"

enum { COUNTERS = 32 };

typedef struct {
    int n;
    const char *counter[COUNTERS];
    int64_t step[COUNTERS][AT_LETTERS_MAX];
    bool said[AT_LETTERS_MAX];
} machine;

/* What stands at x.now is no counter. otherwise: what is said where none is near. */
static void counter_unknown(terms *t, const char *otherwise)
{
    const machine *m = t->own;
    const ftext_token *w = &t->x.now;
    char name[41], near[AT_GUESS_TEXT];
    at_guess g = {.name = name};
    snprintf(name, sizeof name, "%.*s", w->n > 40 ? 40 : (int)w->n, w->s);
    for (int k = 0; k < m->n; k++)
        at_guess_add(&g, m->counter[k]);
    ftext_fail(&t->x, w->from, "'%s' is no counter%s%s", name, at_guess_text(&g, near),
               *near ? "" : otherwise);
}

/* ---- letters --------------------------------------------------------------------------------------------------------------------- */

/* The letter at x.now, as it is or in quotes, before one of these characters; -1: there is none. Moves on behind it. */
static int letter_take(terms *t, const char *behind)
{
    ftext *x = &t->x;
    if (ftext_is(x, FT_QUOTED)) {
        ftext_token w = x->now;
        int letter = ftext_letter(x, t->f, &w);
        ftext_next(x);
        return letter;
    }
    if (x->status || ftext_is(x, FT_END))
        return -1;
    size_t n;
    const char *s = x->now.from;
    int letter = terms_letter_at(&t->f->sigma, s, &n);
    if (letter < 0)
        return -1;
    const char *next = s + n + strspn(s + n, " \t\r");
    if (behind && (!*next || !strchr(behind, *next)))
        return -1;
    x->at = s + n;
    ftext_next(x);
    return letter;
}

static void letter_unknown(terms *t)
{
    ftext_token w = t->x.now;
    if (w.kind == FT_WORD || w.kind == FT_NUMBER)
        ftext_letter(&t->x, t->f, &w);
    ftext_expected(&t->x, "a letter");
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------------- */

static at_formula *ended_with(terms *t, at_formula *what, const char *from)
{
    return what ? terms_made(t, at_formula_one(t->f, AT_F_PREVIOUS, what), from) : NULL;
}

/* last in {a, c}, last is a, last is none */
static at_formula *last_read(terms *t)
{
    ftext *x = &t->x;
    const char *from = x->now.from;
    at_formula *any = NULL;
    ftext_next(x);
    if (ftext_take_word(x, "is")) {
        if (ftext_take_word(x, "none"))
            return terms_made(
                t,
                at_formula_one(t->f, AT_F_NOT,
                               at_formula_one(t->f, AT_F_PREVIOUS, at_formula_const(t->f, true))),
                from);
        int letter = letter_take(t, NULL);
        if (letter < 0)
            letter_unknown(t);
        return x->status ? NULL : ended_with(t, at_formula_letter(t->f, letter), from);
    }
    if (!ftext_take_word(x, "in") || !ftext_is_word(x, "{")) {
        ftext_fail(x, from, "the last letter is asked for by last in {a, c}, last is a or last is none");
        return NULL;
    }
    ftext_next(x);
    do {
        int letter = letter_take(t, ",}");
        if (letter < 0)
            letter_unknown(t);
        if (x->status)
            return NULL;
        at_formula *one = ended_with(t, at_formula_letter(t->f, letter), from);
        any = any ? terms_made(t, at_formula_two(t->f, AT_F_OR, any, one), from) : one;
    } while (ftext_take(x, FT_COMMA));
    if (!ftext_take_word(x, "}"))
        ftext_expected(x, "} or a comma");
    return x->status ? NULL : any;
}

static at_formula *atom_read(terms *t)
{
    ftext *x = &t->x;
    const char *from = x->now.from;
    if (!ftext_is(x, FT_WORD))
        return NULL;
    if (ftext_is_word(x, "last"))
        return last_read(t);
    int k = at_formulas_find(t->f, x->now.s, x->now.n);
    if (k >= 0) {
        ftext_next(x);
        return terms_made(t, at_formula_make(t->f, (at_formula){.op = AT_F_NAME, .index = k}), from);
    }
    if (ftext_is_word(x, "min") || ftext_is_word(x, "max") || ftext_is_word(x, "if"))
        return NULL;
    counter_unknown(t, "");
    return NULL;
}

/* ---- lines ---------------------------------------------------------------------------------------------------------------------------- */

static int counter_find(const machine *m, const ftext_token *w)
{
    for (int k = 0; k < m->n; k++)
        if (strlen(m->counter[k]) == w->n && memcmp(m->counter[k], w->s, w->n) == 0)
            return k;
    return -1;
}

static void counters_read(terms *t)
{
    static const char *const words[] = {"last", "accept", "counters", "is",  "in",
                                        "none", "mod",    "min",      "max", "if"};
    machine *m = t->own;
    ftext_next(&t->x);
    while (!terms_ends(t)) {
        ftext_token w = t->x.now;
        char *name = at_arena_printf(t->x.arena, "%.*s", w.n > 60 ? 60 : (int)w.n, w.s);
        if (!name) {
            t->x.status = at_oom(t->x.err);
            return;
        }
        bool word = w.kind == FT_WORD && terms_is_word(name) && w.n <= 60;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            word &= strcmp(words[k], name) != 0;
        if (!word)
            ftext_fail(&t->x, w.from, "'%s' is no name for a counter", name);
        else if (counter_find(m, &w) >= 0)
            ftext_fail(&t->x, w.from, "the counter '%s' stands twice", name);
        else if (m->n == COUNTERS)
            ftext_fail(&t->x, w.from, "more than %d counters", COUNTERS);
        else
            m->counter[m->n++] = name;
        ftext_next(&t->x);
        ftext_take(&t->x, FT_COMMA);
    }
}

/* Behind "a:". */
static void steps_read(terms *t, int letter)
{
    machine *m = t->own;
    while (!terms_ends(t)) {
        ftext_token w = t->x.now;
        int k = w.kind == FT_WORD ? counter_find(m, &w) : -1;
        if (k < 0) {
            counter_unknown(t, "; a step is written x+1");
            return;
        }
        ftext_next(&t->x);
        bool minus = ftext_is(&t->x, FT_MINUS);
        if (!minus && !ftext_is(&t->x, FT_PLUS))
            ftext_expected(&t->x, "+ or - and how much");
        ftext_next(&t->x);
        int64_t by = t->x.now.number;
        ftext_need(&t->x, FT_NUMBER, "a number");
        ftext_take(&t->x, FT_COMMA);
        if (m->step[k][letter])
            ftext_fail(&t->x, w.from, "two steps of one counter");
        m->step[k][letter] = minus ? -by : by;
    }
}

static void letter_line_read(terms *t)
{
    machine *m = t->own;
    const char *from = t->x.now.from;
    int letter = letter_take(t, ":");
    if (letter < 0 && !t->x.status) {
        if (ftext_peek(&t->x).kind == FT_COLON)
            letter_unknown(t);
        ftext_fail(&t->x, from, "a line is counters x y, a: x+1 y-2, or accept and a truth");
    }
    if (t->x.status)
        return;
    ftext_need(&t->x, FT_COLON, ":");
    if (m->said[letter])
        ftext_fail(&t->x, from, "the letter '%s' has two lines", t->f->sigma.letter[letter]);
    m->said[letter] = true;
    steps_read(t, letter);
}

/* Counters become definitions. */
static void counters_define(terms *t)
{
    const machine *m = t->own;
    at_formulas *f = t->f;
    for (int k = 0; k < m->n; k++) {
        at_formula *sum = NULL;
        for (int c = 0; c < f->sigma.n; c++) {
            int64_t by = m->step[k][c];
            if (!by)
                continue;
            at_formula *part = at_formula_letter(f, c);
            part = at_formula_make(f, (at_formula){.op = AT_F_COUNT, .see = AT_SEE_ALL, .arg = {part}});
            if (by != 1)
                part = at_formula_make(f, (at_formula){.op = AT_F_TIMES, .value = by, .arg = {part}});
            sum = sum ? at_formula_two(f, AT_F_ADD, sum, part) : part;
        }
        at_formulas_define(f, m->counter[k], sum ? sum : at_formula_number(f, 0));
    }
    ftext_made(&t->x, f, t->x.now.from);
}

/* Is this the keyword, and no letter of that name? */
static bool line_is(const terms *t, const char *word)
{
    return ftext_is_word(&t->x, word) && ftext_peek(&t->x).kind != FT_COLON;
}

static at_status machine_read(terms *t)
{
    while (!t->x.status && !t->f->accept) {
        while (ftext_take(&t->x, FT_LINE))
            ;
        if (ftext_is(&t->x, FT_END))
            break;
        if (line_is(t, "counters"))
            counters_read(t);
        else if (line_is(t, "accept")) {
            ftext_next(&t->x);
            counters_define(t);
            t->f->accept = t->x.status ? NULL : terms_truth(t);
        } else
            letter_line_read(t);
        if (!terms_ends(t))
            ftext_expected(&t->x, "the end of the line");
    }
    while (ftext_take(&t->x, FT_LINE))
        ;
    if (!t->x.status && !t->f->accept)
        ftext_fail(&t->x, t->x.now.from, "no line accept, as in accept x = 0 and last in {a}");
    else if (!t->x.status && !ftext_is(&t->x, FT_END))
        ftext_fail(&t->x, t->x.now.from, "accept is the last line");
    return t->x.status;
}

at_status at_sscm_read(char *text, const char *path, at_arena *a, at_formulas **out, int *longest,
                       at_err *err)
{
    words_header h;
    at_status s = words_header_read(text, path, true, a, &h, err);
    if (s)
        return s;
    *longest = h.longest;
    if (!h.sigma.n)
        return at_fail(err, AT_EINPUT, "%.200s:1:1: no alphabet; begin with a line alphabet a b", path);
    if (h.at >= 0 && h.at != AT_AT_END)
        return at_fail(err, AT_EINPUT, "%.200s:1:1: a counter machine decides at the end", path);
    machine own = {0};
    terms t = {.linear = true,
               .no_mod = "counters are compared, not divided; FOC[MOD;+] has congruences (.foc)",
               .atom = atom_read,
               .own = &own};
    s = terms_begin(&t, &h, path, AT_AT_END, a, err);
    *out = t.f;
    return s ? s : machine_read(&t);
}

/* ---- printing ------------------------------------------------------------------------------------------------------------------------- */

/* Is it a row of last letters? */
static bool is_last(const at_formula *x)
{
    return x->op == AT_F_OR ? is_last(x->arg[0]) && is_last(x->arg[1])
                            : x->op == AT_F_PREVIOUS && x->arg[0]->op == AT_F_LETTER;
}

static bool is_none(const at_formula *x)
{
    return x->op == AT_F_NOT && x->arg[0]->op == AT_F_PREVIOUS && x->arg[0]->arg[0]->op == AT_F_CONST;
}

static bool owns(const terms_printer *p, const at_formula *x)
{
    (void)p;
    return is_none(x) || is_last(x);
}

static void lasts_print(const at_formulas *f, const at_formula *x, at_text *out)
{
    if (x->op == AT_F_OR) {
        lasts_print(f, x->arg[0], out);
        at_text_add(out, ", ");
        lasts_print(f, x->arg[1], out);
    } else
        terms_print_letter(f, x->arg[0]->index, out);
}

static void print_atom(terms_printer *p, const at_formula *x)
{
    if (x->op == AT_F_NAME)
        at_text_add(p->out, p->f->names[x->index].name);
    else if (is_none(x))
        at_text_add(p->out, "last is none");
    else {
        at_text_add(p->out, "last in {");
        lasts_print(p->f, x, p->out);
        at_text_add(p->out, "}");
    }
}

/* What a letter adds to a counter. */
static int64_t step_of(const at_formula *body, int letter)
{
    if (body->op == AT_F_ADD)
        return step_of(body->arg[0], letter) + step_of(body->arg[1], letter);
    if (body->op == AT_F_TIMES)
        return body->value * step_of(body->arg[0], letter);
    return body->op == AT_F_COUNT && body->arg[0]->index == letter;
}

void at_sscm_print(const at_formulas *f, at_text *out)
{
    terms_printer p = {.f = f, .out = out, .atom = print_atom, .owns = owns};
    ftext_print_header(f, out);
    if (f->n_names)
        at_text_add(out, "counters");
    for (int k = 0; k < f->n_names; k++)
        at_text_addf(out, " %s", f->names[k].name);
    at_text_add(out, f->n_names ? "\n" : "");
    for (int c = 0; c < f->sigma.n; c++) {
        bool any = false;
        for (int k = 0; k < f->n_names; k++) {
            long long by = (long long)step_of(f->names[k].body, c);
            if (!by)
                continue;
            if (!any) {
                terms_print_letter(f, c, out);
                at_text_add(out, ":");
            }
            any = true;
            at_text_addf(out, " %s%+lld", f->names[k].name, by);
        }
        at_text_add(out, any ? "\n" : "");
    }
    at_text_add(out, "accept ");
    terms_print(&p, f->accept);
    at_text_add(out, "\n");
}

/* ---- files ------------------------------------------------------------------------------------------------------------------------------ */

static at_status sscm_problem(at_problem *p, char *text, at_err *err)
{
    return terms_problem(p, text, at_sscm_read, at_sscm_print, "a counter machine", "counter",
                         "does the counter machine accept the word?", err);
}

static at_status open_sscm(at_problem *p, at_err *err)
{
    return words_open(p, sscm_problem, err);
}

static at_status parse_sscm(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, sscm_problem, err);
}

const at_lang at_lang_sscm = {.id = "sscm",
                              .suffix = ".sscm",
                              .about = "a simplified stateless counter machine, docs/languages.md",
                              .open = open_sscm,
                              .parse = parse_sscm};
