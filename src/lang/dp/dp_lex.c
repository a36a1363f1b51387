/* dp_lex.c: bytes to tokens, and the words of an error.
 *
 * Tokens are numbers, names, strings in double quotes, and symbols; # begins a comment; line ends are blanks.
 * The first failure sticks: from then on every token is the end, so that the parser runs out by itself. */
#include "dp_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dp_fail(dp_parser *p, int line, int column, const char *fmt, ...)
{
    if (p->status != AT_OK)
        return;
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    p->status = at_fail(p->err, AT_EINPUT, "%.100s:%d:%d: %s", p->path, line, column, text);
    p->t.kind = DP_END;
    p->t.n = 0;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_shown(char c)
{
    return c > ' ' && c < 127;
}

static void blanks_skip(dp_parser *p)
{
    while (p->at < p->end) {
        char c = *p->at;
        if (c == '#') {
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        } else if (c == '\n') {
            p->line++;
            p->line_start = ++p->at;
        } else if (c == ' ' || c == '\t' || c == '\r')
            p->at++;
        else
            return;
    }
}

static void number_read(dp_parser *p, dp_token *t)
{
    t->kind = DP_NUMBER;
    while (p->at < p->end && is_digit(*p->at)) {
        t->number = t->number * 10 + (*p->at++ - '0');
        if (t->number > AT_DP_NUMBER) {
            dp_fail(p, t->line, t->column, "number too large; at most 9007199254740992 (2^53)");
            return;
        }
    }
    if (p->at < p->end && is_letter(*p->at))
        dp_fail(p, t->line, t->column, "a name begins with a letter; a product is written 2*n");
}

static void string_read(dp_parser *p, dp_token *t)
{
    t->kind = DP_STRING;
    t->s = ++p->at;
    while (p->at < p->end && *p->at != '"' && (unsigned char)*p->at >= ' ')
        p->at++;
    t->n = (size_t)(p->at - t->s);
    if (p->at == p->end || *p->at != '"')
        dp_fail(p, t->line, t->column, "the text has no closing \" on its line");
    else
        p->at++;
}

/* 'a' is a number: that of the letter, in ASCII. */
static void letter_read(dp_parser *p, dp_token *t)
{
    t->kind = DP_NUMBER;
    bool closed = p->end - p->at >= 3 && p->at[2] == '\'';
    if (!closed || !is_shown(p->at[1])) {
        dp_fail(p, t->line, t->column, "a letter is one character of ASCII in quotes, as in 'a'");
        return;
    }
    t->number = (unsigned char)p->at[1];
    p->at += 3;
}

static void symbol_read(dp_parser *p, dp_token *t)
{
    static const char *const symbols[] = {"..", "==", "!=", "<=", ">=", "(", ")", "[", "]",
                                          ",",  ".",  "=",  "<",  ">",  "+", "-", "*"};
    static const struct {
        char c;
        const char *hint;
    } hints[] = {{'%', "write mod"},        {'/', "write div"},        {'&', "write and"},
                 {'|', "write or"},         {'!', "write not or !="},  {'^', "there are no powers"},
                 {'{', "brackets are ( )"}, {'}', "brackets are ( )"}, {';', "a line needs no end mark"}};
    t->kind = DP_SYMBOL;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t n = strlen(symbols[i]);
        if ((size_t)(p->end - p->at) >= n && memcmp(p->at, symbols[i], n) == 0) {
            t->n = n;
            p->at += n;
            return;
        }
    }
    unsigned char c = (unsigned char)*p->at;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if ((char)c == hints[i].c) {
            dp_fail(p, t->line, t->column, "unexpected %c; %s", c, hints[i].hint);
            return;
        }
    if (is_shown((char)c))
        dp_fail(p, t->line, t->column,
                "unexpected %c; allowed are names, numbers and + - * ( ) [ ] = < > , .", c);
    else
        dp_fail(p, t->line, t->column,
                "unexpected byte 0x%02x; allowed outside of titles and comments is ASCII", c);
}

void dp_next(dp_parser *p)
{
    if (p->status != AT_OK)
        return;
    blanks_skip(p);
    dp_token t = {.s = p->at, .line = p->line, .column = (int)(p->at - p->line_start) + 1};
    if (p->at == p->end)
        t.kind = DP_END;
    else if (is_digit(*p->at))
        number_read(p, &t);
    else if (*p->at == '"')
        string_read(p, &t);
    else if (*p->at == '\'')
        letter_read(p, &t);
    else if (is_letter(*p->at)) {
        t.kind = DP_NAME;
        while (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at)))
            p->at++;
    } else
        symbol_read(p, &t);
    if (p->status != AT_OK)
        return;
    if (t.kind == DP_NUMBER || t.kind == DP_NAME)
        t.n = (size_t)(p->at - t.s);
    p->t = t;
}

bool dp_is(const dp_parser *p, const char *word)
{
    return (p->t.kind == DP_NAME || p->t.kind == DP_SYMBOL) && strlen(word) == p->t.n &&
           memcmp(p->t.s, word, p->t.n) == 0;
}

bool dp_accept(dp_parser *p, const char *word)
{
    if (!dp_is(p, word))
        return false;
    dp_next(p);
    return true;
}

const char *dp_shown(const dp_parser *p, char buf[64])
{
    if (p->t.kind == DP_END)
        return "the end of the file";
    snprintf(buf, 64, p->t.kind == DP_STRING ? "a text" : "\"%.*s\"", (int)(p->t.n < 40 ? p->t.n : 40),
             p->t.s);
    return buf;
}

void dp_expect(dp_parser *p, const char *word, const char *what)
{
    char buf[64];
    if (!dp_accept(p, word))
        dp_fail(p, p->t.line, p->t.column, "expected \"%s\" %s, found %s", word, what, dp_shown(p, buf));
}

/* ---- names -------------------------------------------------------------------------------------- */

const char *dp_kind_word(unsigned kind)
{
    switch (kind) {
    case DP_SIZE:
        return "a size";
    case DP_INPUT:
        return "an input";
    case DP_COUNTER:
        return "a counter";
    case DP_VALUE:
        return "a value";
    case DP_TAKE:
        return "a take";
    case DP_NEED:
        return "a need";
    case DP_TABLE:
        return "a table";
    case DP_OVER:
        return "the number of a fold";
    case DP_READ:
        return "a value of another state";
    case DP_FOLD:
        return "a fold";
    default:
        return "a let";
    }
}

bool dp_reserved(const dp_token *name)
{
    static const char *const words[] = {"problem", "size", "input", "state", "value", "take", "need", "let",
                                        "answer",  "at",   "in",    "when",  "if",    "then", "else", "and",
                                        "or",      "not",  "mod",   "min",   "max",   "abs"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == name->n && memcmp(words[i], name->s, name->n) == 0)
            return true;
    return false;
}

const dp_entry *dp_lookup(const dp_parser *p, const dp_token *name)
{
    for (int i = 0; i < p->n_entries; i++) {
        const char *s = p->entry[i].name->name;
        if (strlen(s) == name->n && memcmp(s, name->s, name->n) == 0)
            return &p->entry[i];
    }
    return NULL;
}

void dp_unknown(dp_parser *p, const dp_token *name, unsigned kinds, const char *allowed)
{
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)(name->n < 31 ? name->n : 31), name->s);
    at_guess g = {text};
    for (int i = 0; i < p->n_entries; i++)
        if (p->entry[i].kind & kinds)
            at_guess_add(&g, p->entry[i].name->name);
    const char *near = at_guess_found(&g);
    if (near)
        dp_fail(p, name->line, name->column, "unknown name \"%s\"; did you mean \"%s\"?", text, near);
    else
        dp_fail(p, name->line, name->column, "unknown name \"%s\"; %s", text, allowed);
}
