/* terms.c: truths and linear terms as text: read. */
#include <stdlib.h>
#include <string.h>

#include "terms.h"

static bool is_newline(const ftext *x)
{
    return x->now.kind == FT_LINE && x->now.s[0] == '\n';
}

void terms_line_skip(terms *t)
{
    while (!t->x.status && is_newline(&t->x))
        ftext_next(&t->x);
}

bool terms_ends(const terms *t)
{
    return t->x.status || t->x.now.kind == FT_END || t->x.now.kind == FT_LINE;
}

/* Before an operator. */
static void operator_seek(terms *t)
{
    if (t->brackets) {
        terms_line_skip(t);
        return;
    }
    if (!is_newline(&t->x))
        return;
    ftext before = t->x;
    terms_line_skip(t);
    if (t->x.now.kind != FT_AND && t->x.now.kind != FT_OR)
        t->x = before;
}

at_formula *terms_made(terms *t, at_formula *made, const char *from)
{
    ftext_made(&t->x, t->f, from);
    return t->x.status ? NULL : made;
}

static at_formula *truth_needed(terms *t, at_formula *v, const char *from)
{
    return ftext_is_truth(&t->x, t->f, v, from);
}

static at_formula *number_needed(terms *t, at_formula *v, const char *from)
{
    return ftext_is_number(&t->x, t->f, v, from);
}

static at_formula *two(terms *t, at_formula_op op, at_formula *a, at_formula *b, const char *from)
{
    return a && b ? terms_made(t, at_formula_two(t->f, op, a, b), from) : NULL;
}

/* ---- atoms ------------------------------------------------------------------------------------------------------------------- */

static at_formula *bracket_read(terms *t)
{
    if (!ftext_deeper(&t->x))
        return NULL;
    t->brackets++;
    ftext_next(&t->x);
    at_formula *v = terms_value(t);
    operator_seek(t);
    t->brackets--;
    ftext_need(&t->x, FT_CLOSE, ")");
    t->x.depth--;
    return t->x.status ? NULL : v;
}

static at_formula *choice_read(terms *t, at_formula_op op)
{
    const char *from = t->x.now.from;
    ftext_next(&t->x);
    if (!ftext_deeper(&t->x))
        return NULL;
    t->brackets++;
    ftext_need(&t->x, FT_OPEN, "(");
    at_formula *a = terms_sum(t);
    operator_seek(t);
    ftext_need(&t->x, FT_COMMA, "a comma");
    at_formula *b = terms_sum(t);
    operator_seek(t);
    t->brackets--;
    ftext_need(&t->x, FT_CLOSE, ")");
    t->x.depth--;
    return two(t, op, a, b, from);
}

static void word_need(terms *t, const char *word)
{
    terms_line_skip(t);
    if (!ftext_take_word(&t->x, word))
        ftext_expected(&t->x, word);
}

static at_formula *if_made(terms *t, at_formula *c, at_formula *a, at_formula *b, const char *from)
{
    if (!a || !b || !c)
        return NULL;
    return terms_made(t, at_formula_make(t->f, (at_formula){.op = AT_F_IF, .arg = {c, a, b}}), from);
}

static at_formula *if_read(terms *t)
{
    const char *from = t->x.now.from;
    ftext_next(&t->x);
    if (!ftext_deeper(&t->x))
        return NULL;
    at_formula *c = terms_truth(t);
    word_need(t, "then");
    at_formula *a = terms_sum(t);
    word_need(t, "else");
    at_formula *b = terms_sum(t);
    t->x.depth--;
    return if_made(t, c, a, b, from);
}

/* NULL also where nothing of the kind stands here, and then nothing is said. */
static at_formula *atom_try(terms *t)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    at_formula *v = t->atom(t);
    if (v || t->x.status)
        return v;
    if (ftext_is(&t->x, FT_OPEN))
        return bracket_read(t);
    if (ftext_is(&t->x, FT_TRUE) || ftext_is(&t->x, FT_FALSE)) {
        bool value = ftext_is(&t->x, FT_TRUE);
        ftext_next(&t->x);
        return terms_made(t, at_formula_const(t->f, value), from);
    }
    if (t->linear)
        return NULL;
    if (ftext_is_word(&t->x, "min"))
        return choice_read(t, AT_F_MIN);
    if (ftext_is_word(&t->x, "max"))
        return choice_read(t, AT_F_MAX);
    if (ftext_is_word(&t->x, "if") && !t->infix_if)
        return if_read(t);
    return NULL;
}

static at_formula *atom_read(terms *t)
{
    at_formula *v = atom_try(t);
    if (v || t->x.status)
        return v;
    if (t->linear &&
        (ftext_is_word(&t->x, "min") || ftext_is_word(&t->x, "max") || ftext_is_word(&t->x, "if")))
        ftext_fail(&t->x, t->x.now.from, "%.*s is of C-RASP; here terms are linear", (int)t->x.now.n,
                   t->x.now.s);
    ftext_expected(&t->x, "a count, a number or a truth");
    return NULL;
}

at_formula *terms_counted(terms *t)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    if (ftext_take(&t->x, FT_NOT)) {
        at_formula *v = ftext_deeper(&t->x) ? terms_counted(t) : NULL;
        t->x.depth--;
        return v ? terms_made(t, at_formula_one(t->f, AT_F_NOT, v), from) : NULL;
    }
    if (ftext_is(&t->x, FT_NUMBER) && t->x.now.number <= 1) {
        bool value = t->x.now.number == 1;
        ftext_next(&t->x);
        return terms_made(t, at_formula_const(t->f, value), from);
    }
    return truth_needed(t, atom_read(t), from);
}

/* ---- terms --------------------------------------------------------------------------------------------------------------------- */

/* May an atom stand behind a coefficient without a sign between them? */
static bool factor_begins(const terms *t)
{
    static const char *const others[] = {"mod", "then", "else", "if", "is", "in"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (ftext_is_word(&t->x, others[k]))
            return false;
    return ftext_is(&t->x, FT_OPEN) || ftext_is(&t->x, FT_COUNT) || ftext_is(&t->x, FT_WORD);
}

static at_formula *term_read(terms *t)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    if (ftext_take(&t->x, FT_MINUS)) {
        at_formula *v = ftext_deeper(&t->x) ? term_read(t) : NULL;
        t->x.depth--;
        return ftext_times(&t->x, t->f, -1, v, from);
    }
    if (ftext_is(&t->x, FT_NUMBER)) {
        int64_t k = t->x.now.number;
        ftext_next(&t->x);
        bool star = ftext_take(&t->x, FT_TIMES);
        if (star && ftext_is(&t->x, FT_NUMBER))
            return ftext_times(&t->x, t->f, k, term_read(t), from);
        if (star || factor_begins(t)) {
            at_formula *v = atom_read(t);
            return v ? ftext_times(&t->x, t->f, k, v, from) : NULL;
        }
        return terms_made(t, at_formula_number(t->f, k), from);
    }
    at_formula *v = atom_read(t);
    if (!v || !ftext_take(&t->x, FT_TIMES))
        return v;
    int64_t k = terms_integer(t);
    return t->x.status ? NULL : ftext_times(&t->x, t->f, k, v, from);
}

int64_t terms_integer(terms *t)
{
    bool negative = ftext_take(&t->x, FT_MINUS);
    int64_t k = t->x.now.number;
    ftext_need(&t->x, FT_NUMBER, "a number");
    return negative ? -k : k;
}

static at_formula *sum_read(terms *t)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    at_formula *a = term_read(t);
    for (;;) {
        operator_seek(t);
        bool plus = ftext_is(&t->x, FT_PLUS);
        if (!a || (!plus && !ftext_is(&t->x, FT_MINUS)))
            return a;
        a = number_needed(t, a, from);
        ftext_next(&t->x);
        terms_line_skip(t);
        const char *other = t->x.now.from;
        at_formula *b = number_needed(t, term_read(t), other);
        a = two(t, plus ? AT_F_ADD : AT_F_SUB, a, b, from);
    }
}

/* a if truth else b, where the language has it. */
static at_formula *choice_sum_read(terms *t)
{
    const char *from = t->x.now.from;
    at_formula *a = sum_read(t);
    if (!a || !t->infix_if || !ftext_take_word(&t->x, "if"))
        return a;
    a = number_needed(t, a, from);
    if (!ftext_deeper(&t->x))
        return NULL;
    at_formula *c = terms_truth(t);
    word_need(t, "else");
    terms_line_skip(t);
    const char *other = t->x.now.from;
    at_formula *b = number_needed(t, choice_sum_read(t), other);
    t->x.depth--;
    return if_made(t, c, a, b, from);
}

at_formula *terms_sum(terms *t)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    return number_needed(t, choice_sum_read(t), from);
}

/* ---- truths --------------------------------------------------------------------------------------------------------------------- */

static at_formula *congruence_read(terms *t, at_formula *a, const char *from)
{
    if (t->no_mod) {
        ftext_fail(&t->x, t->x.now.from, "%s", t->no_mod);
        return NULL;
    }
    a = number_needed(t, a, from);
    ftext_next(&t->x);
    const char *modulus = t->x.now.from;
    int64_t m = t->x.now.number;
    ftext_need(&t->x, FT_NUMBER, "a modulus");
    if (m < 1 && !t->x.status)
        ftext_fail(&t->x, modulus, "a modulus is 1 or more");
    bool different = ftext_is(&t->x, FT_DIFFERENT);
    if (!different && !ftext_is(&t->x, FT_EQUAL))
        ftext_expected(&t->x, "= or != and the remainder");
    ftext_next(&t->x);
    int64_t r = terms_integer(t);
    if (!a || t->x.status)
        return NULL;
    at_formula *v = at_formula_make(
        t->f,
        (at_formula){.op = AT_F_CONGRUENT, .index = (int)((r % m + m) % m), .modulus = (int)m, .arg = {a}});
    if (different)
        v = at_formula_one(t->f, AT_F_NOT, v);
    return terms_made(t, v, from);
}

static at_formula *comparison_read(terms *t)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    at_formula *a = choice_sum_read(t);
    ftext_kind k = t->x.now.kind;
    if (a && ftext_is_word(&t->x, "mod"))
        return congruence_read(t, a, from);
    if (!a || !ftext_compares(k))
        return a;
    a = number_needed(t, a, from);
    ftext_next(&t->x);
    at_formula *b = terms_sum(t);
    if (!a || !b)
        return NULL;
    if (ftext_compares(t->x.now.kind)) {
        ftext_fail(&t->x, t->x.now.from, "one comparison at a time: a < b and b < c");
        return NULL;
    }
    return terms_made(t, ftext_compared(t->f, k, a, b), from);
}

static at_formula *not_read(terms *t)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    if (!ftext_take(&t->x, FT_NOT))
        return comparison_read(t);
    terms_line_skip(t);
    const char *other = t->x.now.from;
    at_formula *v = ftext_deeper(&t->x) ? truth_needed(t, not_read(t), other) : NULL;
    t->x.depth--;
    return v ? terms_made(t, at_formula_one(t->f, AT_F_NOT, v), from) : NULL;
}

static at_formula *list_read(terms *t, at_formula *(*part)(terms *), ftext_kind sign, at_formula_op op)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    at_formula *a = part(t);
    for (;;) {
        operator_seek(t);
        if (!a || !ftext_is(&t->x, sign))
            return a;
        a = truth_needed(t, a, from);
        ftext_next(&t->x);
        terms_line_skip(t);
        const char *other = t->x.now.from;
        at_formula *b = truth_needed(t, part(t), other);
        a = two(t, op, a, b, from);
    }
}

static at_formula *and_read(terms *t)
{
    return list_read(t, not_read, FT_AND, AT_F_AND);
}

at_formula *terms_value(terms *t)
{
    return list_read(t, and_read, FT_OR, AT_F_OR);
}

at_formula *terms_truth(terms *t)
{
    terms_line_skip(t);
    const char *from = t->x.now.from;
    return truth_needed(t, terms_value(t), from);
}

/* ---- alphabets ------------------------------------------------------------------------------------------------------------------- */

void terms_letter_add(ftext *x, terms_letters *all, const char *s, size_t n, const char *from)
{
    for (int k = 0; k < all->n; k++)
        if (strlen(all->letter[k]) == n && memcmp(all->letter[k], s, n) == 0)
            return;
    bool ends = false; /* has it what would end a line `alphabet`, in which letters are words? */
    for (size_t k = 0; k < n; k++)
        ends |= strchr("\";#", s[k]) != NULL;
    if (!ftext_letter_seen(s, n) || s[0] == '"')
        ftext_fail(x, from, "a letter has 1 to %d bytes that are seen, without blanks", AT_LETTER_MAX - 1);
    else if (n > 1 && ends)
        ftext_fail(x, from, "a letter of several characters has no \", ; or #");
    else if (all->n == AT_LETTERS_MAX)
        ftext_fail(x, from, "more than %d letters", AT_LETTERS_MAX);
    else if (!(all->letter[all->n] = at_arena_printf(x->arena, "%.*s", (int)n, s)))
        x->status = at_oom(x->err);
    else
        all->n++;
}

static int order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b); /* of UTF-8: by code point */
}

at_status terms_letters_end(terms_letters *all, const char *path, const char *hint, at_arena *a,
                            at_alphabet *out, at_err *err)
{
    if (!all->n)
        return at_fail(err, AT_EINPUT, "%.200s:1:1: no letters; %s", path, hint);
    const char **letter = at_new(a, const char *, all->n);
    if (!letter)
        return at_oom(err);
    memcpy(letter, all->letter, (size_t)all->n * sizeof *letter);
    qsort(letter, (size_t)all->n, sizeof *letter, order);
    *out = (at_alphabet){all->n, letter};
    return AT_OK;
}

at_status terms_begin(terms *t, const words_header *h, const char *path, at_read_at usual, at_arena *a,
                      at_err *err)
{
    for (int k = 0; k < h->sigma.n; k++)
        if (strchr(h->sigma.letter[k], '"'))
            return at_fail(err, AT_EINPUT, "%.200s: a letter with a quote, which cannot be written here",
                           path);
    if (h->strict >= 0)
        return at_fail(err, AT_EINPUT, "%.200s: semantics is of LTL; here nothing is strict or reflexive",
                       path);
    at_status s = at_formulas_new(&h->sigma, a, &t->f, err);
    if (s)
        return s;
    t->f->at = h->at < 0 ? usual : (at_read_at)h->at;
    t->f->attend = h->attend < 0 ? AT_ATTEND_OWN : (at_formula_attend)h->attend;
    ftext_begin(&t->x, h->rest, path, h->line, h->column, true, a, err);
    return t->x.status;
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool terms_is_word(const char *s)
{
    while (word_char(*s))
        s++;
    return !*s;
}

int terms_letter_at(const at_alphabet *sigma, const char *s, size_t *n)
{
    int best = -1;
    *n = 0;
    for (int k = 0; k < sigma->n; k++) {
        size_t m = strlen(sigma->letter[k]);
        if (m <= *n || strncmp(s, sigma->letter[k], m) != 0)
            continue;
        if (!word_char(sigma->letter[k][m - 1]) || !word_char(s[m])) {
            best = k;
            *n = m;
        }
    }
    return best;
}
