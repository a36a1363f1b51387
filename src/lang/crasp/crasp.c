/* crasp.c: C-RASP (Yang and Chiang 2024): truths and counts, defined one after the other at every position.
 *
 *     A(i) := # [j <= i] Q_a(j)                also [j < i], [j >= i], [j > i], [1], and [j = i - 4]: of one position
 *     V(i) := A(i) < 2 B(i) + 1 and not Q_b(i)
 *     accept V                                 left out: the last definition
 *
 * (i) and (j) may be left out. #[truth] without a mask counts the positions up to this one, as K_t[#] has it; so a text without
 * definitions is one truth, #[Q_a & #[Q_b] >= 2] > 0. i mod 3 = 1 speaks of the position (Huang et al. 2025).
 *
 * Files .cr are of the public interpreter: NAME = value, "a" for letters, # truth, #[pred] truth, a if truth else b, comments with //.
 * What that leaves to its parser is read here as everywhere: not is stronger than and, # takes the next atom. */
#include <stdio.h>
#include <string.h>

#include "../formulas/terms.h"

#define MASKS "a mask is 1, j < i, j <= i, j > i, j >= i or j = i - 4"
enum { PREDECESSORS = 64 }; /* [j = i - 64] at most: a layer each */

typedef struct {
    const char *variable; /* of the position that is spoken of; NULL: none has a name (K_t[#]) */
    size_t n;
    bool cr;
    bool pos_even, guard[PREDECESSORS + 1]; /* .cr: what was imported; guard[1] is pred */
} crasp;

static bool same_word(const ftext_token *t, const char *s, size_t n)
{
    return t->kind == FT_WORD && t->n == n && memcmp(t->s, s, n) == 0;
}

/* ---- letters and names ------------------------------------------------------------------------------------------------------ */

/* "(i)" behind a letter or a name, which may be left out. */
static void index_read(terms *t)
{
    crasp *c = t->own;
    if (!ftext_is(&t->x, FT_OPEN) || c->cr)
        return;
    ftext_next(&t->x);
    if (!c->variable)
        ftext_fail(&t->x, t->x.now.from,
                   "inside #[...] without a mask no position has a name; leave (%.*s) out",
                   t->x.now.n > 20 ? 20 : (int)t->x.now.n, t->x.now.s);
    else if (!same_word(&t->x.now, c->variable, c->n))
        ftext_fail(&t->x, t->x.now.from, "this is said of %.*s, the only position that is seen here",
                   (int)c->n, c->variable);
    ftext_next(&t->x);
    ftext_need(&t->x, FT_CLOSE, ")");
}

static at_formula *letter_made(terms *t, int letter, const char *from)
{
    if (letter < 0)
        return NULL;
    index_read(t);
    return terms_made(t, at_formula_letter(t->f, letter), from);
}

/* Q_a, Q_(, Q["("], and Qa where nothing is defined so. NULL where there is none. */
static at_formula *letter_read(terms *t)
{
    ftext *x = &t->x;
    const char *from = x->now.from;
    ftext_token name = x->now;
    if (ftext_is(x, FT_QUOTED)) {
        ftext_next(x);
        return letter_made(t, ftext_letter(x, t->f, &name), from);
    }
    if (!ftext_is(x, FT_WORD) || x->now.s[0] != 'Q' || ((crasp *)t->own)->cr)
        return NULL;
    if (name.n == 1 && *x->at == '[') {
        ftext_next(x);
        ftext_next(x);
        name = x->now;
        ftext_need(x, FT_QUOTED, "a letter in quotes, Q[\"(\"]");
        ftext_need(x, FT_SQUARE_CLOSE, "]");
        return x->status ? NULL : letter_made(t, ftext_letter(x, t->f, &name), from);
    }
    if (name.n == 2 && name.s[1] == '_') {
        size_t n;
        int letter = terms_letter_at(&t->f->sigma, x->at, &n);
        if (letter < 0) {
            const char *end = x->at;
            at_text_next(&end);
            name = (ftext_token){.kind = FT_WORD, .s = x->at, .n = (size_t)(end - x->at), .from = x->at};
            letter = ftext_letter(x, t->f, &name);
        } else {
            x->at += n;
            ftext_next(x);
        }
        return letter_made(t, letter, from);
    }
    size_t skip = name.n > 1 && name.s[1] == '_' ? 2 : 1;
    name.s += skip;
    name.n -= skip;
    name.from += skip;
    if (skip == 1 && (!name.n || at_alphabet_find(&t->f->sigma, name.s, name.n) < 0))
        return NULL;
    ftext_next(x);
    return letter_made(t, ftext_letter(x, t->f, &name), from);
}

static bool reserved(const ftext_token *t)
{
    static const char *const words[] = {"i",   "j",   "k",      "if",     "then",   "else",     "min",
                                        "max", "mod", "accept", "import", "length", "alphabet", "attention"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (same_word(t, words[k], strlen(words[k])))
            return true;
    return false;
}

static void name_unknown(terms *t)
{
    char name[40];
    const ftext_token *w = &t->x.now;
    snprintf(name, sizeof name, "%.*s", w->n < sizeof name ? (int)w->n : (int)sizeof name - 1, w->s);
    at_guess g = {name, NULL, 0};
    for (int k = 0; k < t->f->n_names; k++)
        at_guess_add(&g, t->f->names[k].name);
    const char *near = at_guess_found(&g);
    ftext_fail(&t->x, w->from, "'%s' is not defined%s%s%s; a letter is written %s", name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
               ((crasp *)t->own)->cr ? "\"a\"" : "Q_a");
}

static at_formula *name_read(terms *t)
{
    const char *from = t->x.now.from;
    int k = at_formulas_find(t->f, t->x.now.s, t->x.now.n);
    if (k < 0) {
        if (!reserved(&t->x.now) && (t->x.now.s[0] == '_' || terms_is_word((char[]){t->x.now.s[0], 0})))
            name_unknown(t);
        return NULL;
    }
    ftext_next(&t->x);
    index_read(t);
    return terms_made(t, at_formula_make(t->f, (at_formula){.op = AT_F_NAME, .index = k}), from);
}

/* i mod 3 = 1 */
static at_formula *class_read(terms *t)
{
    const char *from = t->x.now.from;
    ftext_next(&t->x);
    if (!ftext_take_word(&t->x, "mod")) {
        ftext_fail(&t->x, from, "of a position only its class is known, i mod 3 = 1; counts are numbers");
        return NULL;
    }
    int64_t m = terms_integer(t);
    if ((m < 1 || m > AT_FORMULA_NUMBER) && !t->x.status)
        ftext_fail(&t->x, from, "a modulus is 1 or more");
    bool different = ftext_take(&t->x, FT_DIFFERENT);
    if (!different)
        ftext_need(&t->x, FT_EQUAL, "=");
    int64_t r = terms_integer(t);
    if (t->x.status)
        return NULL;
    at_formula *v = at_formula_make(
        t->f, (at_formula){.op = AT_F_CLASS, .index = (int)((r % m + m) % m), .modulus = (int)m});
    return terms_made(t, different ? at_formula_one(t->f, AT_F_NOT, v) : v, from);
}

/* ---- counts ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
    at_see see;
    int back;             /* 0, or k of [j = i - k] */
    const char *variable; /* of the positions that are counted; NULL: without a name */
    size_t n;
} mask;

static at_see see_of(ftext_kind k)
{
    return k == FT_LESS         ? AT_SEE_BEFORE
           : k == FT_LESS_EQUAL ? AT_SEE_UPTO
           : k == FT_GREATER    ? AT_SEE_AFTER
                                : AT_SEE_FROM;
}

/* The mask behind "[", if there is one; x is at its first token then, and behind "]" afterwards. */
static bool mask_read(terms *t, mask *out)
{
    crasp *c = t->own;
    ftext before = t->x, *x = &t->x;
    *out = (mask){.see = AT_SEE_ALL, .variable = "j", .n = 1};
    if (ftext_is(x, FT_NUMBER) && x->now.number == 1) {
        ftext_next(x);
        /* #[1] alone counts every position up to this one, in K_t[#] */
        if (ftext_take(x, FT_SQUARE_CLOSE) &&
            (ftext_is(x, FT_WORD) || ftext_is(x, FT_OPEN) || ftext_is(x, FT_NOT) || ftext_is(x, FT_QUOTED) ||
             ftext_is(x, FT_NUMBER) || ftext_is(x, FT_TRUE) || ftext_is(x, FT_FALSE)))
            return true;
        t->x = before;
        return false;
    }
    ftext_token j = x->now;
    ftext_token next = ftext_peek(x);
    if (same_word(&j, "j", 1) && (next.kind < FT_EQUAL || next.kind > FT_GREATER_EQUAL)) {
        ftext_fail(x, j.from, MASKS);
        return false;
    }
    if (j.kind != FT_WORD || next.kind < FT_EQUAL || next.kind > FT_GREATER_EQUAL ||
        at_formulas_find(t->f, j.s, j.n) >= 0)
        return false;
    ftext_next(x);
    ftext_next(x);
    if (!ftext_is(x, FT_WORD) || at_formulas_find(t->f, x->now.s, x->now.n) >= 0 || x->now.s[0] == 'Q') {
        t->x = before;
        return false;
    }
    if (!c->variable) {
        ftext_fail(x, j.from, "inside #[...] without a mask no position has a name; give it one by a mask");
        return false;
    }
    if (!same_word(&x->now, c->variable, c->n)) {
        ftext_fail(x, x->now.from, "a mask relates a new position to %.*s, the one that is seen here",
                   (int)c->n, c->variable);
        return false;
    }
    ftext_next(x);
    *out = (mask){.see = see_of(next.kind), .variable = j.s, .n = j.n};
    if (same_word(&j, c->variable, c->n))
        ftext_fail(x, j.from, "the counted position needs a name of its own, as in j <= i");
    else if (next.kind == FT_EQUAL && ftext_take(x, FT_MINUS)) {
        int64_t k = x->now.number;
        if (ftext_is(x, FT_NUMBER) && (k < 1 || k > PREDECESSORS))
            ftext_fail(x, x->now.from, "at most %d positions back", PREDECESSORS);
        ftext_need(x, FT_NUMBER, "a number");
        out->back = (int)k;
    } else if (next.kind == FT_EQUAL || next.kind == FT_DIFFERENT)
        ftext_fail(x, next.from, MASKS);
    ftext_need(x, FT_SQUARE_CLOSE, "]");
    return true;
}

static at_formula *count_made(terms *t, const mask *m, at_formula *v, const char *from)
{
    if (!v)
        return NULL;
    if (!m->back)
        return terms_made(t, at_formula_make(t->f, (at_formula){.op = AT_F_COUNT, .see = m->see, .arg = {v}}),
                          from);
    for (int k = 0; k < m->back; k++)
        v = at_formula_one(t->f, AT_F_PREVIOUS, v);
    at_formula *one = at_formula_number(t->f, 1), *none = at_formula_number(t->f, 0);
    return terms_made(t, at_formula_make(t->f, (at_formula){.op = AT_F_IF, .arg = {v, one, none}}), from);
}

/* pred, pred2, ...: how far back; 0: it is none */
static int guard_of(const ftext_token *w)
{
    int k = 0;
    if (w->kind != FT_WORD || w->n < 4 || memcmp(w->s, "pred", 4) != 0)
        return 0;
    for (size_t i = 4; i < w->n; i++) {
        if (w->s[i] < '0' || w->s[i] > '9' || k > PREDECESSORS)
            return 0;
        k = 10 * k + (w->s[i] - '0');
    }
    return w->n == 4 ? 1 : k <= PREDECESSORS ? k : 0;
}

static at_formula *cr_count_read(terms *t, const char *from)
{
    crasp *c = t->own;
    mask m = {.see = AT_SEE_UPTO};
    if (ftext_take(&t->x, FT_SQUARE)) {
        m.back = guard_of(&t->x.now);
        if (!m.back || !c->guard[m.back])
            ftext_fail(&t->x, t->x.now.from,
                       "'%.*s' is no imported predicate of two positions; #import pred, or pred4",
                       t->x.now.n > 30 ? 30 : (int)t->x.now.n, t->x.now.s);
        ftext_next(&t->x);
        ftext_need(&t->x, FT_SQUARE_CLOSE, "]");
    }
    return count_made(t, &m, terms_counted(t), from);
}

static at_formula *count_read(terms *t)
{
    crasp *c = t->own, kept = *c;
    const char *from = t->x.now.from;
    mask m;
    ftext_next(&t->x);
    if (!ftext_deeper(&t->x))
        return NULL;
    at_formula *v = NULL;
    if (c->cr)
        v = cr_count_read(t, from);
    else {
        t->brackets++;
        ftext_need(&t->x, FT_SQUARE, "[ and a mask, or what is counted and ]");
        terms_line_skip(t);
        if (mask_read(t, &m)) {
            t->brackets--;
            c->variable = m.variable;
            c->n = m.n;
            v = count_made(t, &m, terms_counted(t), from);
        } else {
            m = (mask){.see = AT_SEE_UPTO};
            c->variable = NULL;
            bool alone = ftext_is(&t->x, FT_NUMBER) && ftext_peek(&t->x).kind == FT_SQUARE_CLOSE; /* #[1] */
            v = alone ? terms_counted(t) : terms_truth(t);
            terms_line_skip(t);
            t->brackets--;
            ftext_need(&t->x, FT_SQUARE_CLOSE, "]");
            v = t->x.status ? NULL : count_made(t, &m, v, from);
        }
        c->variable = kept.variable;
        c->n = kept.n;
    }
    t->x.depth--;
    return v;
}

static at_formula *atom_read(terms *t)
{
    crasp *c = t->own;
    if (ftext_is(&t->x, FT_COUNT))
        return count_read(t);
    at_formula *v = letter_read(t);
    if (v || t->x.status || !ftext_is(&t->x, FT_WORD))
        return v;
    if (c->cr && same_word(&t->x.now, "pos_even", 8) && c->pos_even) {
        /* positions are 0, 1, ... there */
        const char *from = t->x.now.from;
        ftext_next(&t->x);
        return terms_made(t, at_formula_make(t->f, (at_formula){.op = AT_F_CLASS, .index = 1, .modulus = 2}),
                          from);
    }
    if (!c->cr && c->variable && same_word(&t->x.now, c->variable, c->n))
        return class_read(t);
    return name_read(t);
}

/* ---- statements ----------------------------------------------------------------------------------------------------------------- */

/* Is this NAME :=, NAME = or NAME(i) := ... ? With a colon it was meant to be. */
static bool definition_is(const terms *t)
{
    terms copy = *t;
    at_err unsaid = {0};
    copy.x.err = &unsaid;
    if (!ftext_is(&copy.x, FT_WORD))
        return false;
    ftext_next(&copy.x);
    if (ftext_take(&copy.x, FT_OPEN)) {
        if (!ftext_take(&copy.x, FT_WORD) || !ftext_take(&copy.x, FT_CLOSE))
            return false;
    }
    return ftext_is(&copy.x, FT_DEFINE) || ftext_is(&copy.x, FT_COLON) ||
           (ftext_is(&copy.x, FT_EQUAL) && copy.x.now.n == 1);
}

static void definition_read(terms *t)
{
    crasp *c = t->own;
    ftext_token name = t->x.now;
    const char *copy = at_arena_printf(t->x.arena, "%.*s", name.n > 60 ? 60 : (int)name.n, name.s);
    if (!copy) {
        t->x.status = at_oom(t->x.err);
        return;
    }
    if (reserved(&name) || !terms_is_word(copy))
        ftext_fail(&t->x, name.from, "'%s' cannot be defined: it is a word of the language", copy);
    if (name.n > 60)
        ftext_fail(&t->x, name.from, "a name of more than 60 letters");
    if (at_formulas_find(t->f, name.s, name.n) >= 0)
        ftext_fail(&t->x, name.from, "'%s' is defined twice%s", copy,
                   c->cr ? "" : "; a comparison stands behind accept");
    if (!c->cr && name.n > 2 && name.s[0] == 'Q' && name.s[1] == '_')
        ftext_fail(&t->x, name.from, "'%s' cannot be defined: Q_ begins a letter", copy);
    ftext_next(&t->x);
    c->variable = "i";
    c->n = 1;
    if (ftext_take(&t->x, FT_OPEN)) {
        c->variable = t->x.now.s;
        c->n = t->x.now.n;
        if (at_formulas_find(t->f, c->variable, c->n) >= 0)
            ftext_fail(&t->x, t->x.now.from, "'%.*s' is a definition; name the position i", (int)c->n,
                       c->variable);
        ftext_next(&t->x);
        ftext_next(&t->x);
    }
    if (ftext_is(&t->x, FT_COLON))
        ftext_expected(&t->x, ":= or =");
    ftext_next(&t->x);
    at_formula *v = terms_value(t);
    if (v && !t->x.status)
        at_formulas_define(t->f, copy, v);
    terms_made(t, v, name.from);
}

/* accept Y, accept a truth, accept end */
static void accept_read(terms *t)
{
    ftext_next(&t->x);
    bool defined = at_formulas_find(t->f, t->x.now.s, t->x.now.n) >= 0;
    for (int k = 0; k < AT_ATS && !defined; k++)
        if (same_word(&t->x.now, at_read_at_names[k], strlen(at_read_at_names[k]))) {
            t->f->at = (at_read_at)k;
            ftext_next(&t->x);
            return;
        }
    if (t->f->accept)
        ftext_fail(&t->x, t->x.now.from, "a second accept");
    t->f->accept = terms_truth(t);
}

static void import_read(terms *t)
{
    crasp *c = t->own;
    ftext_next(&t->x);
    ftext_next(&t->x);
    int k = guard_of(&t->x.now);
    if (k)
        c->guard[k] = true;
    else if (same_word(&t->x.now, "pos_even", 8))
        c->pos_even = true;
    else
        ftext_fail(&t->x, t->x.now.from,
                   "'%.*s' is no predicate that is known; pos_even, pred and pred2 to pred%d are",
                   t->x.now.n > 30 ? 30 : (int)t->x.now.n, t->x.now.s, PREDECESSORS);
    ftext_next(&t->x);
}

static void statement_read(terms *t)
{
    crasp *c = t->own;
    const char *from = t->x.now.from;
    ftext_token next = ftext_peek(&t->x);
    if (c->cr && ftext_is(&t->x, FT_COUNT) && same_word(&next, "import", 6) && next.from == from + 1)
        import_read(t);
    else if (definition_is(t))
        definition_read(t);
    else if (ftext_is_word(&t->x, "accept") && !c->cr)
        accept_read(t);
    else if (c->cr)
        ftext_fail(&t->x, from, "a statement is NAME = value, or #import NAME");
    else {
        if (t->f->accept)
            ftext_fail(&t->x, from, "another truth; a statement is NAME(i) := value, or accept NAME");
        t->f->accept = terms_truth(t);
    }
    if (!terms_ends(t))
        ftext_expected(&t->x, "the end of the statement");
}

static at_status program_read(terms *t)
{
    crasp *c = t->own;
    at_formulas *f = t->f;
    c->variable = "i";
    c->n = 1;
    while (!t->x.status) {
        while (ftext_take(&t->x, FT_LINE))
            ;
        if (ftext_is(&t->x, FT_END))
            break;
        c->variable = "i";
        c->n = 1;
        statement_read(t);
    }
    if (t->x.status)
        return t->x.status;
    if (!f->accept && f->n_names) {
        at_formula *last = at_formula_make(f, (at_formula){.op = AT_F_NAME, .index = f->n_names - 1});
        f->accept = terms_made(t, last, t->x.now.from);
        if (f->accept && at_formula_is_number(f, f->accept))
            ftext_fail(&t->x, t->x.now.from, "the last definition, %.60s, is a number; accept a truth",
                       f->names[f->n_names - 1].name);
    }
    if (!f->accept)
        ftext_fail(&t->x, t->x.now.from, "nothing is defined; write Y(i) := ..., or a truth");
    return t->x.status;
}

/* The letters that are written, where there is no line that says them. */
static at_status alphabet_meet(const words_header *h, const char *path, bool cr, at_arena *a,
                               at_alphabet *out, at_err *err)
{
    ftext x;
    terms_letters all = {0};
    ftext_begin(&x, h->rest, path, h->line, h->column, true, a, err);
    for (; !x.status && !ftext_is(&x, FT_END); ftext_next(&x)) {
        const ftext_token *w = &x.now;
        if (w->kind == FT_QUOTED)
            terms_letter_add(&x, &all, w->s, w->n, w->from);
        else if (!cr && w->kind == FT_WORD && w->n >= 2 && w->s[0] == 'Q' && w->s[1] == '_') {
            const char *s = w->s + 2, *end = s;
            at_text_next(&end);
            terms_letter_add(&x, &all, s, w->n > 2 ? w->n - 2 : (size_t)(end - s), w->from);
            if (w->n == 2)
                x.at = end;
        }
    }
    return x.status ? x.status
                    : terms_letters_end(&all, path,
                                        cr ? "say them in a comment, //! alphabet a b"
                                           : "begin with a line alphabet a b",
                                        a, out, err);
}

static at_status read_as(const words_header *h, const char *path, bool cr, at_arena *a, at_formulas **out,
                         at_err *err)
{
    words_header met = *h;
    at_status s = h->sigma.n ? AT_OK : alphabet_meet(h, path, cr, a, &met.sigma, err);
    crasp own = {.cr = cr};
    terms t = {.infix_if = cr,
               .no_mod = "C-RASP has no congruences of counts; FOC[MOD;+] has (.foc)",
               .atom = atom_read,
               .own = &own};
    if (!s)
        s = terms_begin(&t, &met, path, AT_AT_LAST, a, err);
    *out = t.f;
    return s ? s : program_read(&t);
}

at_status at_crasp_read(char *text, const char *path, at_arena *a, at_formulas **out, int *longest,
                        at_err *err)
{
    words_header h;
    at_status s = words_header_read(text, path, true, a, &h, err);
    if (s)
        return s;
    *longest = h.longest;
    return read_as(&h, path, false, a, out, err);
}

/* Comments become blanks. Those that begin with //! are header lines of this house, which the interpreter passes over. */
static at_status cr_header(char *text, const char *path, at_arena *a, words_header *out, at_err *err)
{
    size_t n = strlen(text);
    char *lines = at_new(a, char, n + 1), *to = lines;
    if (!lines)
        return at_oom(err);
    bool quoted = false;
    for (char *s = text; *s; s++) {
        if (*s == '"' || *s == '\n')
            quoted = *s == '"' && !quoted;
        if (*s == '\n')
            *to++ = '\n';
        if (quoted || s[0] != '/' || s[1] != '/')
            continue;
        size_t m = strcspn(s, "\n");
        if (s[2] == '!') {
            size_t blanks = strspn(s + 3, " \t");
            memcpy(to, s + 3 + blanks, m - 3 - blanks);
            to += m - 3 - blanks;
        }
        memset(s, ' ', m);
        s += m - 1;
    }
    *to = 0;
    at_status s = words_header_read(lines, path, true, a, out, err);
    if (!s && out->rest[strspn(out->rest, " \t\r\n")])
        return at_fail(err, AT_EINPUT,
                       "%.200s:%d:1: //! is followed by alphabet, length, accept or attention", path,
                       out->line);
    return s;
}

at_status at_cr_read(char *text, const char *path, at_arena *a, at_formulas **out, int *longest, at_err *err)
{
    words_header h;
    at_status s = cr_header(text, path, a, &h, err);
    if (s)
        return s;
    *longest = h.longest;
    h.rest = text;
    h.line = h.column = 1;
    return read_as(&h, path, true, a, out, err);
}

/* ---- printing ------------------------------------------------------------------------------------------------------------------- */

/* i, j, k, k1, k2, ...: by the counts around. */
static void variable_print(int depth, at_text *out)
{
    if (depth < 3)
        at_text_addf(out, "%c", 'i' + depth);
    else
        at_text_addf(out, "k%d", depth - 2);
}

/* [j = i - k]: how far back, and what is said there. */
static int back_of(const at_formula *x, const at_formula **what)
{
    int k = 0;
    if (x->op != AT_F_IF || x->arg[1]->op != AT_F_NUMBER || x->arg[1]->value != 1 ||
        x->arg[2]->op != AT_F_NUMBER || x->arg[2]->value != 0)
        return 0;
    for (*what = x->arg[0]; (*what)->op == AT_F_PREVIOUS && k < PREDECESSORS; k++)
        *what = (*what)->arg[0];
    return k;
}

static bool owns(const terms_printer *p, const at_formula *x)
{
    const at_formula *what;
    (void)p;
    return back_of(x, &what) > 0;
}

static void print_mask(terms_printer *p, const at_formula *x, int back)
{
    if (!back && x->see == AT_SEE_ALL) {
        at_text_add(p->out, "# [1] ");
        return;
    }
    static const char *const sign[AT_SEES] = {"", "<", "<=", ">=", ">"};
    at_text_add(p->out, "# [");
    variable_print(p->depth + 1, p->out);
    at_text_addf(p->out, " %s ", back ? "=" : sign[x->see]);
    variable_print(p->depth, p->out);
    if (back)
        at_text_addf(p->out, " - %d", back);
    at_text_add(p->out, "] ");
}

static void index_print(terms_printer *p)
{
    at_text_add(p->out, "(");
    variable_print(p->depth, p->out);
    at_text_add(p->out, ")");
}

static void print_atom(terms_printer *p, const at_formula *x)
{
    const at_formula *what;
    int back = back_of(x, &what);
    if (x->op == AT_F_LETTER) {
        const char *letter = p->f->sigma.letter[x->index];
        if (terms_is_word(letter))
            at_text_addf(p->out, "Q_%s", letter);
        else {
            at_text_add(p->out, "Q[");
            terms_print_quoted(letter, p->out);
            at_text_add(p->out, "]");
        }
        index_print(p);
    } else if (x->op == AT_F_NAME) {
        at_text_add(p->out, p->f->names[x->index].name);
        index_print(p);
    } else {
        print_mask(p, x, back);
        p->depth++;
        terms_print_atom(p, back ? what : x->arg[0]);
        p->depth--;
    }
}

void at_crasp_print(const at_formulas *f, at_text *out)
{
    terms_printer p = {.f = f, .out = out, .atom = print_atom, .owns = owns, .variable = variable_print};
    ftext_print_header(f, out);
    for (int k = 0; k < f->n_names; k++) {
        at_text_addf(out, "%s(i) := ", f->names[k].name);
        terms_print(&p, f->names[k].body);
        at_text_add(out, "\n");
    }
    if (f->accept->op == AT_F_NAME && f->accept->index == f->n_names - 1)
        return;
    if (f->n_names)
        at_text_add(out, "accept ");
    terms_print(&p, f->accept);
    at_text_add(out, "\n");
}
