/* predicate.c: predicates of positions, as B-RASP and C-RASP write them. */
#include <stdio.h>
#include <string.h>

#include "formulas.h"

/* The letter that a word such as Q_a, Qa or a stands for; -1: none. */
static int word_letter(const at_alphabet *sigma, const char *s, size_t n)
{
    int k = at_alphabet_find(sigma, s, n);
    if (k < 0 && n > 2 && s[0] == 'Q' && s[1] == '_')
        k = at_alphabet_find(sigma, s + 2, n - 2);
    if (k < 0 && n > 1 && s[0] == 'Q')
        k = at_alphabet_find(sigma, s + 1, n - 1);
    return k;
}

/* Behind a bare Q or Q_: the longest letter that stands there as it is, with a bracket behind it. Moves on behind it. */
static int raw_letter(ftext *x, const at_alphabet *sigma)
{
    int best = -1;
    size_t length = 0;
    for (int k = 0; k < sigma->n; k++) {
        size_t n = strlen(sigma->letter[k]);
        const char *behind = x->at + n;
        if (n <= length || strncmp(x->at, sigma->letter[k], n) != 0)
            continue;
        if (behind[strspn(behind, " \t")] == '(') {
            best = k;
            length = n;
        }
    }
    if (best >= 0) {
        x->at += length;
        ftext_next(x);
    }
    return best;
}

/* Q["("], Q_"(" or "(" with quotes. */
static int quoted_letter(ftext *x, const at_formulas *f, bool square)
{
    ftext_token t = x->now;
    if (t.kind != FT_QUOTED && t.kind != FT_WORD && t.kind != FT_NUMBER) {
        ftext_expected(x, "a letter, as in Q[\"(\"],");
        return -1;
    }
    int k = ftext_letter(x, f, &t);
    ftext_next(x);
    if (square)
        ftext_need(x, FT_SQUARE_CLOSE, "]");
    return k;
}

static void unknown(ftext *x, const at_formulas *f, const ftext_token *t)
{
    char name[41];
    snprintf(name, sizeof name, "%.*s", t->n > 40 ? 40 : (int)t->n, t->s);
    at_guess g = {name};
    for (int k = 0; k < f->n_names; k++)
        at_guess_add(&g, f->names[k].name);
    for (int k = 0; k < f->sigma.n; k++)
        at_guess_add(&g, f->sigma.letter[k]);
    const char *near = at_guess_found(&g);
    ftext_fail(x, t->from, "'%s' is neither defined above nor a letter, as in Q_a(i)%s%s%s", name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* "(i)" or "(j)"; is it j? */
static bool position_read(ftext *x, ftext_says says)
{
    ftext_need(x, FT_OPEN, "(i)");
    const char *from = x->now.from;
    bool j = ftext_is_word(x, "j");
    if (!j && !ftext_is_word(x, "i"))
        ftext_fail(x, from, "a position is %s", says == FT_SAYS_I ? "i" : "i or j");
    else if (j && says == FT_SAYS_I)
        ftext_fail(x, from, "j is known only in the score and the value of leftmost and rightmost");
    ftext_next(x);
    ftext_need(x, FT_CLOSE, ")");
    return j;
}

at_formula *ftext_predicate(ftext *x, at_formulas *f, ftext_says says)
{
    ftext_token t = x->now;
    at_formula part = {.op = AT_F_LETTER, .index = -1};
    if (t.kind == FT_QUOTED)
        part.index = quoted_letter(x, f, false);
    else if (t.kind != FT_WORD && t.kind != FT_NUMBER)
        ftext_expected(x, "a predicate, as in P(i) or Q_a(i),");
    else {
        bool bare = ftext_is_word(x, "Q") || ftext_is_word(x, "Q_");
        int name = at_formulas_find(f, t.s, t.n);
        if (bare && ftext_peek(x).kind == FT_SQUARE) {
            ftext_next(x);
            ftext_next(x);
            part.index = quoted_letter(x, f, true);
        } else if (bare && (part.index = raw_letter(x, &f->sigma)) >= 0) {
            /* moved on */
        } else if (bare && *x->at == '"') {
            ftext_next(x);
            part.index = quoted_letter(x, f, false);
        } else {
            part.index = name >= 0 ? name : word_letter(&f->sigma, t.s, t.n);
            part.op = name >= 0 ? AT_F_NAME : AT_F_LETTER;
            if (part.index < 0)
                unknown(x, f, &t);
            ftext_next(x);
        }
    }
    bool j = position_read(x, says);
    if (x->status)
        return NULL;
    part.other = j && says == FT_SAYS_BOTH;
    at_formula *made = at_formula_make(f, part);
    ftext_made(x, f, t.from);
    return made;
}

const char *ftext_defined(ftext *x, const at_formulas *f)
{
    ftext_token t = x->now;
    if (t.kind != FT_WORD) {
        ftext_expected(x, "a definition, as in P(i) = ...,");
        return NULL;
    }
    char *name = at_arena_printf(x->arena, "%.*s", (int)t.n, t.s);
    if (!name) {
        x->status = at_oom(x->err);
        return NULL;
    }
    if (t.n > 40)
        ftext_fail(x, t.from, "a name has at most 40 bytes");
    else if (strcmp(name, "i") == 0 || strcmp(name, "j") == 0)
        ftext_fail(x, t.from, "%s is a position; definitions have other names", name);
    else if (word_letter(&f->sigma, t.s, t.n) >= 0)
        ftext_fail(x, t.from, "'%s' is the predicate of a letter; definitions have other names", name);
    else if (at_formulas_find(f, t.s, t.n) >= 0)
        ftext_fail(x, t.from, "%s is defined twice", name);
    ftext_next(x);
    position_read(x, FT_SAYS_I);
    return x->status ? NULL : name;
}
