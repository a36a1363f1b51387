/* foc.c: FOC[MOD;+] (Chiang, Cholak and Pillay 2023): counts of letters and of classes of positions, without order.
 *
 *     #[1] mod 2 = 0 and 2 #[0] <= #[1] + 3
 *     #[a, i mod 3 = 2] = #[i mod 2 = 0]             #[true] is the length
 *     exists x. #[a] = 3 x + 1                       x is a whole number, 0 or more; forall, ∃ and ∀ too
 *
 * Counts are of the whole word. Quantifiers are eliminated as they are read, so what comes out has none. */
#include <stdio.h>
#include <string.h>

#include "../formulas/terms.h"
#include "foc_internal.h"

enum { SCOPES = 16 };

typedef struct {
    int scope[SCOPES], n; /* the variables that are known here: definitions, which go when all is read */
    at_arena *scratch;
} foc;

/* ---- counts --------------------------------------------------------------------------------------------------------------------- */

/* i mod m = r, or i mod m != r; `i` is the token. */
static at_formula *class_read(terms *t)
{
    ftext *x = &t->x;
    const char *from = x->now.from;
    if (!ftext_take_word(x, "i") || !ftext_take_word(x, "mod")) {
        ftext_fail(x, from, "a class of positions is written i mod 3 = 2");
        return NULL;
    }
    int64_t m = x->now.number;
    if (ftext_is(x, FT_NUMBER) && m < 1)
        ftext_fail(x, x->now.from, "a modulus is 1 or more");
    ftext_need(x, FT_NUMBER, "a modulus");
    bool different = ftext_take(x, FT_DIFFERENT);
    if (!different)
        ftext_need(x, FT_EQUAL, "=");
    int64_t r = terms_integer(t);
    if (x->status)
        return NULL;
    at_formula *v = at_formula_make(
        t->f, (at_formula){.op = AT_F_CLASS, .index = (int)((r % m + m) % m), .modulus = (int)m});
    return terms_made(t, different ? at_formula_one(t->f, AT_F_NOT, v) : v, from);
}

/* A letter as it is, before a comma or "]"; -1: there is none, or it is the word `true`. x is at "[", and behind the letter afterwards. */
static int letter_take(terms *t)
{
    ftext *x = &t->x;
    const char *s = x->at + strspn(x->at, " \t\r\n");
    size_t n;
    int letter = terms_letter_at(&t->f->sigma, s, &n);
    char behind = letter < 0 ? 0 : s[n + strspn(s + n, " \t\r\n")];
    if ((behind != ',' && behind != ']') || (n == 4 && strncmp(s, "true", 4) == 0))
        return -1;
    x->at = s + n;
    ftext_next(x);
    return letter;
}

static at_formula *counted_read(terms *t)
{
    ftext *x = &t->x;
    const char *from = x->now.from;
    if (!ftext_is(x, FT_SQUARE)) {
        ftext_expected(x, "[ and a letter");
        return NULL;
    }
    int letter = letter_take(t);
    if (letter >= 0)
        return terms_made(t, at_formula_letter(t->f, letter), from);
    ftext_next(x);
    if (ftext_take(x, FT_TRUE))
        return terms_made(t, at_formula_const(t->f, true), from);
    if (ftext_is_word(x, "i"))
        return class_read(t);
    ftext_token w = x->now;
    if (w.kind != FT_QUOTED && w.kind != FT_WORD && w.kind != FT_NUMBER) {
        ftext_expected(x, "a letter, or a class i mod 3 = 2");
        return NULL;
    }
    letter = ftext_letter(x, t->f, &w);
    ftext_next(x);
    return x->status ? NULL : terms_made(t, at_formula_letter(t->f, letter), from);
}

static at_formula *count_read(terms *t)
{
    const char *from = t->x.now.from;
    ftext_next(&t->x);
    at_formula *v = counted_read(t);
    while (v && ftext_take(&t->x, FT_COMMA)) {
        at_formula *c = class_read(t);
        v = c ? terms_made(t, at_formula_two(t->f, AT_F_AND, v, c), from) : NULL;
    }
    ftext_need(&t->x, FT_SQUARE_CLOSE, "]");
    if (!v || t->x.status)
        return NULL;
    return terms_made(t, at_formula_make(t->f, (at_formula){.op = AT_F_COUNT, .see = AT_SEE_ALL, .arg = {v}}),
                      from);
}

/* ---- quantifiers ------------------------------------------------------------------------------------------------------------------ */

static bool quantifier_is(const ftext *x, bool *all)
{
    *all = ftext_is_word(x, "forall") || ftext_is_word(x, "∀");
    return *all || ftext_is_word(x, "exists") || ftext_is_word(x, "∃");
}

/* The names of variables, up to the dot; how many. */
static int variables_read(terms *t)
{
    foc *c = t->own;
    ftext *x = &t->x;
    int n = 0;
    while (!x->status && !ftext_is_word(x, ".") && !ftext_is(x, FT_COLON)) {
        ftext_token w = x->now;
        char *name = at_arena_printf(x->arena, "%.*s", w.n > 60 ? 60 : (int)w.n, w.s);
        if (!name) {
            x->status = at_oom(x->err);
            return 0;
        }
        if (w.kind != FT_WORD || !terms_is_word(name) || strcmp(name, "i") == 0 || strcmp(name, "mod") == 0)
            ftext_expected(x, n ? "a dot behind the variables" : "a variable, as in exists x. ...,");
        else if (c->n == SCOPES)
            ftext_fail(x, w.from, "more than %d variables", SCOPES);
        if (x->status)
            return 0;
        int k = at_formulas_find(t->f, w.s, w.n);
        if (k < 0)
            k = at_formulas_define(t->f, name, at_formula_number(t->f, 0));
        ftext_made(x, t->f, w.from);
        c->scope[c->n++] = k;
        n++;
        ftext_next(x);
        ftext_take(x, FT_COMMA);
    }
    if (!n)
        ftext_expected(x, "a variable, as in exists x. ...,");
    ftext_next(x);
    return n;
}

static at_formula *quantifier_read(terms *t, bool all)
{
    foc *c = t->own;
    const char *from = t->x.now.from;
    ftext_next(&t->x);
    int n = variables_read(t);
    at_formula *v = !t->x.status && ftext_deeper(&t->x) ? terms_truth(t) : NULL;
    t->x.depth--;
    if (v && all)
        v = terms_made(t, at_formula_one(t->f, AT_F_NOT, v), from);
    for (; n > 0 && v; n--) {
        at_err fault = {0};
        v = foc_eliminate(t->f, v, c->scope[--c->n], c->scratch, &fault);
        if (fault.code == AT_ENOMEM)
            t->x.status = at_oom(t->x.err);
        else if (fault.code)
            ftext_fail(&t->x, from, "%s", fault.text);
        v = terms_made(t, v, from);
    }
    return v && all ? terms_made(t, at_formula_one(t->f, AT_F_NOT, v), from) : v;
}

static at_formula *variable_read(terms *t)
{
    foc *c = t->own;
    const char *from = t->x.now.from;
    int k = at_formulas_find(t->f, t->x.now.s, t->x.now.n);
    for (int s = 0; s < c->n; s++)
        if (c->scope[s] == k) {
            ftext_next(&t->x);
            return terms_made(t, at_formula_make(t->f, (at_formula){.op = AT_F_NAME, .index = k}), from);
        }
    if (terms_is_word((char[]){t->x.now.s[0], 0})) {
        char name[31], near[AT_GUESS_TEXT];
        at_guess g = {.name = name};
        snprintf(name, sizeof name, "%.*s", t->x.now.n > 30 ? 30 : (int)t->x.now.n, t->x.now.s);
        for (int s = 0; s < c->n; s++)
            at_guess_add(&g, t->f->names[c->scope[s]].name);
        ftext_fail(&t->x, from, "'%s' is no variable here%s%s", name, at_guess_text(&g, near),
                   *near ? "" : "; counts are written #[a], variables follow exists");
    }
    return NULL;
}

static at_formula *atom_read(terms *t)
{
    bool all;
    if (ftext_is(&t->x, FT_COUNT))
        return count_read(t);
    if (quantifier_is(&t->x, &all))
        return quantifier_read(t, all);
    static const char *const others[] = {"min", "max", "if"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (ftext_is_word(&t->x, others[k]))
            return NULL;
    return ftext_is(&t->x, FT_WORD) ? variable_read(t) : NULL;
}

/* ---- the whole -------------------------------------------------------------------------------------------------------------------- */

/* v in f, without what was made on the way to it. made: (n_parts of the old formulas) */
static at_formula *copied(at_formulas *f, const at_formula *v, at_formula **made)
{
    if (made[v->id])
        return made[v->id];
    at_formula part = *v;
    for (int k = 0; k < 3; k++)
        if (v->arg[k])
            part.arg[k] = copied(f, v->arg[k], made);
    return made[v->id] = at_formula_make(f, part);
}

static at_status formula_read(terms *t, at_arena *a, at_formulas **out, at_err *err)
{
    at_formulas *f = t->f;
    t->brackets = 1; /* ends of lines are blanks */
    at_formula *v = terms_truth(t);
    terms_line_skip(t);
    if (!terms_ends(t) || (v && ftext_is(&t->x, FT_LINE)))
        ftext_expected(&t->x, "the end of the formula, or and, or or,");
    if (t->x.status)
        return t->x.status;
    at_status s = at_formulas_new(&f->sigma, a, out, err);
    at_formula **made = s ? NULL : at_new(((foc *)t->own)->scratch, at_formula *, f->n_parts);
    if (!made)
        return s ? s : at_oom(err);
    (*out)->at = f->at;
    (*out)->attend = f->attend;
    (*out)->accept = copied(*out, v, made);
    return at_formulas_status(*out, err);
}

at_status at_foc_read(char *text, const char *path, at_arena *a, at_formulas **out, int *longest, at_err *err)
{
    words_header h;
    at_status s = words_header_read(text, path, true, a, &h, err);
    if (!s)
        s = words_accept_none(&h, path, err);
    if (s)
        return s;
    *longest = h.longest;
    if (!h.sigma.n)
        return at_fail(err, AT_EINPUT, "%.200s:1:1: no alphabet; begin with a line alphabet 0 1", path);
    at_arena scratch;
    at_arena_init(&scratch);
    foc own = {.scratch = &scratch};
    terms t = {.linear = true, .atom = atom_read, .own = &own};
    s = terms_begin(&t, &h, path, AT_AT_END, &scratch, err);
    if (!s)
        s = formula_read(&t, a, out, err);
    at_arena_release(&scratch);
    return s;
}

/* ---- printing ----------------------------------------------------------------------------------------------------------------------- */

static void counted_print(const at_formulas *f, const at_formula *x, at_text *out)
{
    const at_formula *class = x->op == AT_F_NOT ? x->arg[0] : x;
    if (x->op == AT_F_AND) {
        counted_print(f, x->arg[0], out);
        at_text_add(out, ", ");
        counted_print(f, x->arg[1], out);
    } else if (x->op == AT_F_LETTER)
        terms_print_letter(f, x->index, out);
    else if (x->op == AT_F_CONST)
        at_text_add(out, "true");
    else
        at_text_addf(out, "i mod %d %s %d", class->modulus, x == class ? "=" : "!=", class->index);
}

static void print_atom(terms_printer *p, const at_formula *x)
{
    at_text_add(p->out, "#[");
    counted_print(p->f, x->arg[0], p->out);
    at_text_add(p->out, "]");
}

void at_foc_print(const at_formulas *f, at_text *out)
{
    terms_printer p = {.f = f, .out = out, .atom = print_atom};
    ftext_print_header(f, out);
    terms_print(&p, f->accept);
    at_text_add(out, "\n");
}

/* ---- files --------------------------------------------------------------------------------------------------------------------------- */

static at_status foc_problem(at_problem *p, char *text, at_err *err)
{
    return terms_problem(p, text, at_foc_read, at_foc_print, "a formula of FOC[MOD;+]", "definition",
                         "does the formula of counts hold of the word?", err);
}

static at_status open_foc(at_problem *p, at_err *err)
{
    return words_open(p, foc_problem, err);
}

static at_status parse_foc(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, foc_problem, err);
}

const at_lang at_lang_foc = {.id = "foc",
                             .suffix = ".foc",
                             .about = "a formula of FOC[MOD;+], counts without order, docs/languages.md",
                             .open = open_foc,
                             .parse = parse_foc};
