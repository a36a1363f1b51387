/* parse.c: formulas as they are written; the grammar is in formulas.h. */
#include <string.h>

#include "formulas.h"

static const struct {
    const char *word;
    at_formula_op op;
} prefixes[] =
    {
        {"Y", AT_F_PREVIOUS}, {"Z", AT_F_WEAK_PREVIOUS}, {"O", AT_F_ONCE},       {"H", AT_F_HENCE},
        {"X", AT_F_NEXT},     {"N", AT_F_WEAK_NEXT},     {"F", AT_F_EVENTUALLY}, {"G", AT_F_ALWAYS},
},
  infixes[] = {{"S", AT_F_SINCE}, {"U", AT_F_UNTIL}, {"W", AT_F_WEAK_UNTIL}, {"R", AT_F_RELEASE}};
enum { PREFIXES = sizeof prefixes / sizeof prefixes[0], INFIXES = sizeof infixes / sizeof infixes[0] };

static at_formula *implies_read(ftext_reader *r);
static at_formula *prefix_read(ftext_reader *r);

/* ---- making ---------------------------------------------------------------------------------------------------------------------- */

static at_formula *made(ftext_reader *r, at_formula part, const char *from)
{
    return ftext_part(r->x, r->f, part, from);
}

static at_formula *truth(ftext_reader *r, at_formula *a, const char *from)
{
    return ftext_is_truth(r->x, r->f, a, from);
}

static at_formula *numeric(ftext_reader *r, at_formula *a, const char *from)
{
    return ftext_is_number(r->x, r->f, a, from);
}

/* What is read by this is a number, also where a letter is written like it. */
static at_formula *number_read(ftext_reader *r, at_formula *(*read)(ftext_reader *))
{
    const char *from = r->x->now.from;
    bool was = r->number;
    r->number = true;
    at_formula *a = numeric(r, read(r), from);
    r->number = was;
    return a;
}

static at_formula *truth_read(ftext_reader *r, at_formula *(*read)(ftext_reader *))
{
    const char *from = r->x->now.from;
    bool was = r->number;
    r->number = false;
    at_formula *a = truth(r, read(r), from);
    r->number = was;
    return a;
}

/* ---- atoms ----------------------------------------------------------------------------------------------------------------------- */

/* Has it what a line `alphabet` may not show as it is? */
static bool odd(const ftext_token *t)
{
    for (size_t k = 0; k < t->n; k++)
        if (strchr(" \t\";#", t->s[k]))
            return true;
    return false;
}

/* A letter of LTL: in the alphabet, or entered into it. */
static at_formula *letter_read(ftext_reader *r)
{
    ftext_token t = r->x->now;
    for (int k = 0; k < r->f->n_sets && t.kind == FT_WORD; k++)
        if (ftext_take_word(r->x, r->f->sets[k].name))
            return made(r, (at_formula){.op = AT_F_SET, .index = k}, t.from);
    at_alphabet *sigma = &r->f->sigma;
    int k = at_alphabet_find(sigma, t.s, t.n);
    if (k < 0 && !r->met)
        ftext_letter(r->x, r->f, &t);
    else if (k < 0 && (!ftext_letter_seen(t.s, t.n) || odd(&t)))
        ftext_fail(
            r->x, t.from,
            "a letter has 1 to %d bytes that are seen; one with blanks, \", ; or # needs a line alphabet",
            AT_LETTER_MAX - 1);
    else if (k < 0 && sigma->n == AT_LETTERS_MAX)
        ftext_fail(r->x, t.from, "more than %d letters", AT_LETTERS_MAX);
    else if (k < 0) {
        char *kept = at_arena_printf(r->x->arena, "%.*s", (int)t.n, t.s);
        if (!kept)
            r->x->status = at_oom(r->x->err);
        r->met[k = sigma->n++] = kept;
    }
    ftext_next(r->x);
    return made(r, (at_formula){.op = AT_F_LETTER, .index = k}, t.from);
}

/* m = r, or m != r, behind "mod": the rest of a congruence, of a position (part.op is CLASS) or of a count. */
static at_formula *modulo_read(ftext_reader *r, at_formula part, bool bracket, const char *from)
{
    ftext *x = r->x;
    if (!ftext_is(x, FT_NUMBER) || x->now.number < 1)
        ftext_expected(x, "a modulus, a number from 1 on,");
    part.modulus = (int)x->now.number;
    ftext_next(x);
    if (bracket)
        ftext_need(x, FT_CLOSE, ")");
    bool not = ftext_is(x, FT_DIFFERENT);
    if (!not &&!ftext_is(x, FT_EQUAL))
        ftext_expected(x, "= and the remainder");
    ftext_next(x);
    if (!ftext_is(x, FT_NUMBER))
        ftext_expected(x, "the remainder");
    else if (x->now.number >= part.modulus)
        ftext_fail(x, x->now.from, "the remainder is at most %d", part.modulus - 1);
    part.index = (int)x->now.number;
    ftext_next(x);
    at_formula *a = made(r, part, from);
    return not ? made(r, (at_formula){.op = AT_F_NOT, .arg = {a}}, from) : a;
}

/* Words that stand between formulas, and so begin none. */
static bool between(const ftext_reader *r)
{
    for (int k = 0; r->style == FT_BARE && k < INFIXES; k++)
        if (ftext_is_word(r->x, infixes[k].word))
            return true;
    return ftext_is_word(r->x, "then") || ftext_is_word(r->x, "else");
}

/* Does what stands here begin a formula? */
static bool begins(const ftext_reader *r)
{
    const ftext *x = r->x;
    if (ftext_is_word(x, "mod"))
        return ftext_peek(x).kind == FT_OPEN;
    return ftext_is(x, FT_QUOTED) || ftext_is(x, FT_OPEN) || ftext_is(x, FT_NOT) || ftext_is(x, FT_TRUE) ||
           ftext_is(x, FT_FALSE) || ftext_is(x, FT_NUMBER) || ftext_is(x, FT_COUNT) ||
           ftext_is(x, FT_MINUS) || (ftext_is(x, FT_WORD) && !between(r));
}

/* What is counted behind #[mask]: ! and temporal operators, then a letter or a bracket. */
static at_formula *counted_read(ftext_reader *r);

/* # has been read. */
static at_formula *count_read(ftext_reader *r, const char *from)
{
    ftext *x = r->x;
    at_formula part = {.op = AT_F_COUNT, .see = AT_SEE_UPTO};
    ftext_need(x, FT_SQUARE, "[ behind #");
    bool one = ftext_is(x, FT_NUMBER), masked = ftext_see_is(x, FT_SQUARE_CLOSE);
    if (masked && one) { /* #[1] f, or the letter 1 is counted */
        ftext back = *x;
        ftext_next(x);
        ftext_next(x);
        masked = begins(r) && !ftext_is(x, FT_COUNT) && !ftext_is(x, FT_MINUS);
        *x = back;
    }
    if (!masked) {
        part.arg[0] = truth_read(r, ftext_formula);
        ftext_need(x, FT_SQUARE_CLOSE, "] behind what is counted");
        return made(r, part, from);
    }
    part.see = ftext_see(x);
    ftext_need(x, FT_SQUARE_CLOSE, "] behind the mask");
    if (ftext_deeper(x))
        part.arg[0] = truth_read(r, counted_read);
    x->depth--;
    return made(r, part, from);
}

static at_formula *least_read(ftext_reader *r, at_formula_op op, const char *from)
{
    at_formula part = {.op = op};
    ftext_next(r->x);
    ftext_need(r->x, FT_OPEN, "(");
    part.arg[0] = number_read(r, ftext_formula);
    ftext_need(r->x, FT_COMMA, ",");
    part.arg[1] = number_read(r, ftext_formula);
    ftext_need(r->x, FT_CLOSE, ")");
    return made(r, part, from);
}

static at_formula *choice_read(ftext_reader *r, const char *from)
{
    at_formula part = {.op = AT_F_IF};
    ftext_next(r->x);
    part.arg[0] = truth_read(r, ftext_formula);
    if (!ftext_take_word(r->x, "then"))
        ftext_expected(r->x, "then");
    part.arg[1] = number_read(r, ftext_formula);
    if (!ftext_take_word(r->x, "else"))
        ftext_expected(r->x, "else");
    part.arg[2] = number_read(r, ftext_formula);
    return made(r, part, from);
}

static at_formula *atom_read(ftext_reader *r)
{
    ftext *x = r->x;
    const char *from = x->now.from;
    ftext_kind next = ftext_peek(x).kind;
    if (x->status)
        return NULL;
    if (ftext_take(x, FT_OPEN)) {
        at_formula *a = ftext_formula(r);
        if (!ftext_take(x, FT_CLOSE))
            ftext_fail(x, from, "( without )");
        return a;
    }
    if (ftext_take(x, FT_TRUE))
        return made(r, (at_formula){.op = AT_F_CONST, .value = 1}, from);
    if (ftext_take(x, FT_FALSE))
        return made(r, (at_formula){.op = AT_F_CONST}, from);
    if (r->style == FT_SAID) {
        if (ftext_is(x, FT_NUMBER) && next != FT_OPEN && x->now.number < 2) {
            at_formula part = {.op = AT_F_CONST, .value = x->now.number};
            ftext_next(x);
            return made(r, part, from);
        }
        return ftext_predicate(x, r->f, r->says);
    }
    if (ftext_take(x, FT_COUNT))
        return count_read(r, from);
    if (next == FT_OPEN && (ftext_is_word(x, "min") || ftext_is_word(x, "max")))
        return least_read(r, ftext_is_word(x, "min") ? AT_F_MIN : AT_F_MAX, from);
    if (ftext_is_word(x, "if"))
        return choice_read(r, from);
    if (ftext_is_word(x, "mod") && next == FT_OPEN) {
        ftext_next(x);
        ftext_next(x);
        if (!ftext_take_word(x, "i"))
            ftext_expected(x, "the position i");
        ftext_need(x, FT_COMMA, ",");
        return modulo_read(r, (at_formula){.op = AT_F_CLASS}, true, from);
    }
    if (ftext_is_word(x, "i") && next == FT_WORD) {
        ftext_token t = ftext_peek(x);
        if (t.n == 3 && memcmp(t.s, "mod", 3) == 0) {
            ftext_next(x);
            ftext_next(x);
            return modulo_read(r, (at_formula){.op = AT_F_CLASS}, false, from);
        }
    }
    if (ftext_is_word(x, "mod") || between(r)) {
        ftext_fail(x, from, "a formula is missing before %.*s; a letter of that name is written \"%.*s\"",
                   (int)x->now.n, x->now.s, (int)x->now.n, x->now.s);
        return NULL;
    }
    if (ftext_is(x, FT_WORD) || ftext_is(x, FT_QUOTED) || ftext_is(x, FT_NUMBER))
        return letter_read(r);
    ftext_expected(x, "a formula");
    return NULL;
}

/* The prefix that is read here; AT_F_OPS: none. */
static at_formula_op prefix_take(ftext_reader *r)
{
    ftext_token t = r->x->now;
    if (ftext_take(r->x, FT_NOT))
        return AT_F_NOT;
    for (int k = 0; r->style == FT_BARE && k < PREFIXES; k++)
        if (ftext_take_word(r->x, prefixes[k].word)) {
            if (!begins(r) && at_alphabet_find(&r->f->sigma, t.s, t.n) >= 0)
                ftext_fail(r->x, t.from, "%s is an operator here; the letter is written \"%s\"",
                           prefixes[k].word, prefixes[k].word);
            return prefixes[k].op;
        }
    return AT_F_OPS;
}

static at_formula *counted_read(ftext_reader *r)
{
    const char *from = r->x->now.from;
    at_formula_op op = prefix_take(r);
    if (op == AT_F_OPS)
        return truth(r, atom_read(r), from);
    if (!ftext_deeper(r->x))
        return NULL;
    at_formula *a = made(r, (at_formula){.op = op, .arg = {counted_read(r)}}, from);
    r->x->depth--;
    return a;
}

/* ---- numbers --------------------------------------------------------------------------------------------------------------------- */

/* Is the number here one that is counted with, or a letter? */
static bool number_here(const ftext_reader *r)
{
    if (!ftext_is(r->x, FT_NUMBER))
        return false;
    ftext_token t = ftext_peek(r->x);
    if (r->number)
        return true;
    bool arithmetic = (t.kind >= FT_EQUAL && t.kind <= FT_GREATER_EQUAL) ||
                      (t.kind >= FT_PLUS && t.kind <= FT_COUNT) ||
                      (t.kind == FT_WORD && t.n == 3 && memcmp(t.s, "mod", 3) == 0);
    return arithmetic || at_alphabet_find(&r->f->sigma, r->x->now.s, r->x->now.n) < 0;
}

static at_formula *term_read(ftext_reader *r)
{
    ftext *x = r->x;
    const char *from = x->now.from;
    at_formula *a;
    bool minus = ftext_is(x, FT_MINUS);
    if (minus || number_here(r)) {
        int64_t value = minus ? -1 : x->now.number;
        ftext_next(x);
        if (!minus && !ftext_take(x, FT_TIMES) && !ftext_is(x, FT_COUNT) && !ftext_is(x, FT_OPEN))
            a = made(r, (at_formula){.op = AT_F_NUMBER, .value = value}, from);
        else {
            if (!ftext_deeper(x))
                return NULL;
            a = ftext_times(x, r->f, value, number_read(r, term_read), from);
            x->depth--;
        }
    } else
        a = atom_read(r);
    while (ftext_take(x, FT_TIMES)) {
        if (!ftext_is(x, FT_NUMBER))
            ftext_expected(x, "a number behind *, since only numbers multiply,");
        a = ftext_times(x, r->f, x->now.number, a, from);
        ftext_next(x);
    }
    return a;
}

static at_formula *sum_read(ftext_reader *r)
{
    const char *from = r->x->now.from;
    at_formula *a = term_read(r);
    while (ftext_is(r->x, FT_PLUS) || ftext_is(r->x, FT_MINUS)) {
        at_formula part = {.op = ftext_is(r->x, FT_PLUS) ? AT_F_ADD : AT_F_SUB};
        ftext_next(r->x);
        part.arg[0] = numeric(r, a, from);
        part.arg[1] = number_read(r, term_read);
        a = made(r, part, from);
    }
    return a;
}

static at_formula *compare_read(ftext_reader *r)
{
    ftext *x = r->x;
    const char *from = x->now.from;
    if (r->style == FT_SAID) /* without numbers */
        return atom_read(r);
    at_formula *a = sum_read(r);
    ftext_kind k = x->now.kind;
    if (x->status)
        return a;
    if (ftext_take_word(x, "mod"))
        return modulo_read(r, (at_formula){.op = AT_F_CONGRUENT, .arg = {numeric(r, a, from)}}, false, from);
    if (!ftext_compares(k))
        return a;
    ftext_next(x);
    a = numeric(r, a, from);
    at_formula *b = number_read(r, sum_read), *c = x->status ? NULL : ftext_compared(r->f, k, a, b);
    ftext_made(x, r->f, from);
    if (!x->status && ftext_compares(x->now.kind))
        ftext_fail(x, x->now.from, "a second comparison; join two by &");
    return x->status ? NULL : c;
}

/* ---- truths ---------------------------------------------------------------------------------------------------------------------- */

static at_formula *prefix_read(ftext_reader *r)
{
    const char *from = r->x->now.from;
    at_formula_op op = prefix_take(r);
    if (op == AT_F_OPS)
        return compare_read(r);
    if (!ftext_deeper(r->x))
        return NULL;
    at_formula *a = made(r, (at_formula){.op = op, .arg = {truth_read(r, prefix_read)}}, from);
    r->x->depth--;
    return a;
}

static at_formula *since_read(ftext_reader *r)
{
    const char *from = r->x->now.from;
    at_formula *a = prefix_read(r);
    for (int k = 0; r->style == FT_BARE && k < INFIXES; k++)
        if (ftext_take_word(r->x, infixes[k].word)) {
            if (!truth(r, a, from) || !ftext_deeper(r->x))
                return NULL;
            at_formula part = {.op = infixes[k].op, .arg = {a, truth_read(r, since_read)}};
            r->x->depth--;
            return made(r, part, from);
        }
    return a;
}

/* Rows of parts of one kind: a op b op c is (a op b) op c. */
static at_formula *row_read(ftext_reader *r, ftext_kind sign, at_formula_op op,
                            at_formula *(*part)(ftext_reader *))
{
    const char *from = r->x->now.from;
    at_formula *a = part(r);
    while (ftext_is(r->x, sign) && truth(r, a, from)) {
        ftext_next(r->x);
        a = made(r, (at_formula){.op = op, .arg = {a, truth_read(r, part)}}, from);
    }
    return a;
}

static at_formula *and_read(ftext_reader *r)
{
    return row_read(r, FT_AND, AT_F_AND, since_read);
}

static at_formula *or_read(ftext_reader *r)
{
    return row_read(r, FT_OR, AT_F_OR, and_read);
}

static at_formula *implies_read(ftext_reader *r)
{
    const char *from = r->x->now.from;
    at_formula *a = or_read(r);
    if (!ftext_is(r->x, FT_IMPLIES) || !truth(r, a, from) || !ftext_deeper(r->x))
        return a;
    ftext_next(r->x);
    at_formula *b = truth_read(r, implies_read);
    r->x->depth--;
    return made(r, (at_formula){.op = AT_F_IMPLIES, .arg = {a, b}}, from);
}

at_formula *ftext_formula(ftext_reader *r)
{
    if (!ftext_deeper(r->x))
        return NULL;
    at_formula *a = row_read(r, FT_IFF, AT_F_IFF, implies_read);
    r->x->depth--;
    return r->x->status ? NULL : a;
}

at_formula *ftext_truth(ftext_reader *r)
{
    return truth_read(r, ftext_formula);
}
