/* lex.c: tokens of the languages of formulas. */
#include <stdio.h>
#include <string.h>

#include "formulas.h"

/* Spellings; where one begins another the longer one stands first. Those of letters are taken as whole words. */
static const struct {
    const char *s;
    ftext_kind kind;
} signs[] = {
    {"<->", FT_IFF},
    {"<=>", FT_IFF},
    {"↔", FT_IFF},
    {"⇔", FT_IFF},
    {"->", FT_IMPLIES},
    {"=>", FT_IMPLIES},
    {"→", FT_IMPLIES},
    {"⇒", FT_IMPLIES},
    {"<=", FT_LESS_EQUAL},
    {"≤", FT_LESS_EQUAL},
    {">=", FT_GREATER_EQUAL},
    {"≥", FT_GREATER_EQUAL},
    {"!=", FT_DIFFERENT},
    {"≠", FT_DIFFERENT},
    {":=", FT_DEFINE},
    {"==", FT_EQUAL},
    {"&&", FT_AND},
    {"||", FT_OR},
    {"(", FT_OPEN},
    {")", FT_CLOSE},
    {"[", FT_SQUARE},
    {"]", FT_SQUARE_CLOSE},
    {",", FT_COMMA},
    {":", FT_COLON},
    {"=", FT_EQUAL},
    {"<", FT_LESS},
    {">", FT_GREATER},
    {"!", FT_NOT},
    {"~", FT_NOT},
    {"¬", FT_NOT},
    {"&", FT_AND},
    {"∧", FT_AND},
    {"|", FT_OR},
    {"∨", FT_OR},
    {"+", FT_PLUS},
    {"-", FT_MINUS},
    {"−", FT_MINUS},
    {"*", FT_TIMES},
    {"·", FT_TIMES},
    {"#", FT_COUNT},
    {"◁", FT_LEFTMOST},
    {"⊲", FT_LEFTMOST},
    {"◀", FT_LEFTMOST},
    {"▷", FT_RIGHTMOST},
    {"⊳", FT_RIGHTMOST},
    {"▶", FT_RIGHTMOST},
    {"⊤", FT_TRUE},
    {"⊥", FT_FALSE},
    {"and", FT_AND},
    {"or", FT_OR},
    {"not", FT_NOT},
    {"true", FT_TRUE},
    {"false", FT_FALSE},
    {"leftmost", FT_LEFTMOST},
    {"rightmost", FT_RIGHTMOST},
};
enum { SIGNS = sizeof signs / sizeof signs[0] };

static bool word_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- failures ---------------------------------------------------------------------------------------------------------------- */

void ftext_fail(ftext *x, const char *from, const char *fmt, ...)
{
    char what[300];
    va_list ap;
    int line = x->line, column = x->column;
    if (x->status)
        return;
    for (const char *c = x->text; c < from && *c;) {
        column++;
        if (*c == '\n') {
            line++;
            column = 1;
        }
        at_text_next(&c);
    }
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    x->status = at_fail(x->err, AT_EINPUT, "%.150s:%d:%d: %s", x->path, line, column, what);
    x->now = (ftext_token){.kind = FT_END, .s = "", .from = x->at};
}

void ftext_expected(ftext *x, const char *what)
{
    if (ftext_is(x, FT_END))
        ftext_fail(x, x->now.from, "%s is missing", what);
    else if (ftext_is(x, FT_LINE))
        ftext_fail(x, x->now.from, "%s is missing before the end of the statement", what);
    else
        ftext_fail(x, x->now.from, "%s is missing before '%.*s'", what, x->now.n > 30 ? 30 : (int)x->now.n,
                   x->now.s);
}

bool ftext_deeper(ftext *x)
{
    if (++x->depth > AT_FORMULA_DEPTH)
        ftext_fail(x, x->now.from, "formulas nested more than %d deep", AT_FORMULA_DEPTH);
    return !x->status;
}

void ftext_made(ftext *x, const at_formulas *f, const char *from)
{
    at_err fault = {0};
    if (x->status || !at_formulas_status(f, &fault))
        return;
    if (fault.code == AT_ENOMEM)
        x->status = at_oom(x->err);
    else
        ftext_fail(x, from, "%s", fault.text);
}

/* ---- tokens -------------------------------------------------------------------------------------------------------------------- */

/* s is at a quote: what stands between it and the next one, where \ keeps the character behind it. */
static const char *quoted(ftext *x, const char *s, ftext_token *out)
{
    const char *end = s + 1;
    while (*end && *end != '"' && *end != '\n')
        end += *end == '\\' && end[1] && end[1] != '\n' ? 2 : 1;
    if (*end != '"') {
        ftext_fail(x, s, "\" without another one in its line");
        return s;
    }
    char *kept = at_new(x->arena, char, end - s);
    if (!kept) {
        x->status = at_oom(x->err);
        return s;
    }
    *out = (ftext_token){.kind = FT_QUOTED, .s = kept, .from = s};
    for (const char *c = s + 1; c < end; c++) {
        c += *c == '\\';
        kept[out->n++] = *c;
    }
    return end + 1;
}

static const char *number(ftext *x, const char *s, ftext_token *out)
{
    *out = (ftext_token){.kind = FT_NUMBER, .s = s, .from = s};
    while (digit(s[out->n])) {
        out->number = out->number * 10 + (s[out->n++] - '0');
        if (out->number > AT_FORMULA_NUMBER) {
            ftext_fail(x, s, "a number beyond %d", AT_FORMULA_NUMBER);
            return s;
        }
    }
    return s + out->n;
}

/* The token at s, and what follows it. */
static const char *token_at(ftext *x, const char *s, ftext_token *out)
{
    while (*s == ' ' || *s == '\t' || *s == '\r' || (*s == '\n' && !x->lines))
        s++;
    *out = (ftext_token){.kind = FT_END, .s = s, .from = s};
    if (!*s)
        return s;
    if (*s == ';' || *s == '\n') {
        *out = (ftext_token){.kind = FT_LINE, .s = s, .n = 1, .from = s};
        return s + 1;
    }
    if (*s == '"')
        return quoted(x, s, out);
    if (digit(*s))
        return number(x, s, out);
    size_t n = 0;
    while (word_char((unsigned char)s[n]))
        n++;
    for (int k = 0; k < SIGNS; k++) {
        size_t m = strlen(signs[k].s);
        if (n ? m == n && memcmp(s, signs[k].s, n) == 0 : strncmp(s, signs[k].s, m) == 0) {
            *out = (ftext_token){.kind = signs[k].kind, .s = s, .n = m, .from = s};
            return s + m;
        }
    }
    if (!n) {
        const char *end = s;
        uint32_t c = at_text_next(&end);
        if (at_text_acts(c) || c == AT_TEXT_REPLACEMENT) {
            ftext_fail(x, s, "a byte that is no visible character");
            return s;
        }
        n = (size_t)(end - s);
    }
    *out = (ftext_token){.kind = FT_WORD, .s = s, .n = n, .from = s};
    return s + n;
}

void ftext_next(ftext *x)
{
    ftext_token t;
    if (x->status)
        return;
    const char *behind = token_at(x, x->at, &t);
    if (x->status) {
        x->now = (ftext_token){.kind = FT_END, .s = "", .from = x->at};
        return;
    }
    x->at = behind;
    x->now = t;
}

void ftext_begin(ftext *x, const char *text, const char *path, int line, int column, bool lines, at_arena *a,
                 at_err *err)
{
    *x = (ftext){.text = text,
                 .path = path,
                 .line = line,
                 .column = column,
                 .lines = lines,
                 .at = text,
                 .now = {.s = "", .from = text},
                 .arena = a,
                 .err = err};
    ftext_next(x);
}

ftext_token ftext_peek(const ftext *x)
{
    ftext copy = *x;
    at_err unsaid = {0};
    ftext_token t;
    copy.err = &unsaid;
    token_at(&copy, x->at, &t);
    return copy.status || x->status ? (ftext_token){.kind = FT_END, .s = "", .from = x->at} : t;
}

bool ftext_is(const ftext *x, ftext_kind k)
{
    return x->now.kind == k;
}

bool ftext_take(ftext *x, ftext_kind k)
{
    if (x->status || x->now.kind != k)
        return false;
    ftext_next(x);
    return true;
}

static bool token_is(const ftext_token *t, const char *word)
{
    return t->kind == FT_WORD && strlen(word) == t->n && memcmp(t->s, word, t->n) == 0;
}

bool ftext_is_word(const ftext *x, const char *word)
{
    return token_is(&x->now, word);
}

bool ftext_take_word(ftext *x, const char *word)
{
    if (x->status || !ftext_is_word(x, word))
        return false;
    ftext_next(x);
    return true;
}

void ftext_need(ftext *x, ftext_kind k, const char *what)
{
    if (!ftext_take(x, k))
        ftext_expected(x, what);
}

bool ftext_reserved(const char *s, size_t n)
{
    static const char *const words[] = {
        "S",   "Y",   "Z",   "O",        "H",      "U",      "X",         "N",         "F",
        "G",   "W",   "R",   "i",        "j",      "Q",      "if",        "then",      "else",
        "min", "max", "mod", "alphabet", "length", "accept", "attention", "semantics", "predicate"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == n && memcmp(words[k], s, n) == 0)
            return true;
    return false;
}

/* ---- letters, masks, predicates -------------------------------------------------------------------------------------------------- */

bool ftext_letter_seen(const char *s, size_t n)
{
    char kept[AT_LETTER_MAX + 1]; /* a character that is cut at the end of the bytes is none */
    if (!n || n >= AT_LETTER_MAX)
        return false;
    snprintf(kept, sizeof kept, "%.*s", (int)n, s);
    for (const char *c = kept; *c;) {
        uint32_t p = at_text_next(&c);
        if (p == ' ' || at_text_acts(p) || p == AT_TEXT_REPLACEMENT)
            return false;
    }
    return true;
}

int ftext_letter(ftext *x, const at_formulas *f, const ftext_token *t)
{
    int k = at_alphabet_find(&f->sigma, t->s, t->n);
    if (k >= 0 || x->status)
        return k;
    char name[AT_LETTER_MAX + 1];
    snprintf(name, sizeof name, "%.*s", t->n > AT_LETTER_MAX ? AT_LETTER_MAX : (int)t->n, t->s);
    at_guess g = {.name = name};
    at_text others;
    at_text_init(&others);
    for (int c = 0; c < f->n_sets; c++)
        at_guess_add(&g, f->sets[c].name);
    at_alphabet_others(&f->sigma, &g, &others);
    ftext_fail(x, t->from, "'%s' is no letter of the alphabet:%s", name, others.oom ? "" : others.s);
    at_text_release(&others);
    return -1;
}

bool ftext_compares(ftext_kind k)
{
    return k >= FT_EQUAL && k <= FT_GREATER_EQUAL;
}

at_formula *ftext_compared(at_formulas *f, ftext_kind k, at_formula *a, at_formula *b)
{
    bool turned = k == FT_GREATER || k == FT_GREATER_EQUAL;
    at_formula_op op = k == FT_EQUAL || k == FT_DIFFERENT ? AT_F_EQUAL
                       : k == FT_LESS || k == FT_GREATER  ? AT_F_LESS
                                                          : AT_F_LESS_EQUAL;
    at_formula *v = at_formula_two(f, op, turned ? b : a, turned ? a : b);
    return k == FT_DIFFERENT ? at_formula_one(f, AT_F_NOT, v) : v;
}

static bool orders(ftext_kind k)
{
    return ftext_compares(k) && k != FT_EQUAL && k != FT_DIFFERENT;
}

bool ftext_see_is(const ftext *x, ftext_kind behind)
{
    ftext_token next = ftext_peek(x);
    if (x->now.kind == FT_NUMBER)
        return x->now.number == 1 && next.kind == behind;
    return (ftext_is_word(x, "j") || ftext_is_word(x, "i")) &&
           ftext_compares(next.kind); /* j = i is a fault there */
}

at_see ftext_see(ftext *x)
{
    const char *from = x->now.from;
    if (ftext_is(x, FT_NUMBER) && x->now.number == 1) {
        ftext_next(x);
        return AT_SEE_ALL;
    }
    bool turned = ftext_is_word(x, "i");
    if (!turned && !ftext_is_word(x, "j")) {
        ftext_fail(x, from, "a mask is 1, j < i, j <= i, j > i or j >= i");
        return AT_SEE_ALL;
    }
    ftext_next(x);
    ftext_kind k = x->now.kind;
    if (orders(k))
        ftext_next(x);
    if (!orders(k) || !ftext_take_word(x, turned ? "j" : "i")) {
        ftext_fail(x, from, "a mask is 1, j < i, j <= i, j > i or j >= i");
        return AT_SEE_ALL;
    }
    bool less = k == FT_LESS || k == FT_LESS_EQUAL, also = k == FT_LESS_EQUAL || k == FT_GREATER_EQUAL;
    if (less != turned)
        return also ? AT_SEE_UPTO : AT_SEE_BEFORE;
    return also ? AT_SEE_FROM : AT_SEE_AFTER;
}
