/* lex.c: bytes to tokens, and the words of an error.
 *
 * Tokens are numbers, names, names and texts in double quotes, and symbols; # begins a comment; line ends are blanks. */
#include "parse_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fail_at(parser *p, int line, int column, const char *fmt, va_list ap)
{
    if (p->status)
        return;
    char text[400];
    vsnprintf(text, sizeof text, fmt, ap);
    p->status = at_fail(p->err, AT_EINPUT, "%.100s:%d:%d: %s", p->path, line, column, text);
    p->t = (token){.kind = T_END, .line = line, .column = column};
}

void text_fail(parser *p, int line, int column, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fail_at(p, line, column, fmt, ap);
    va_end(ap);
}

void text_fail_here(parser *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fail_at(p, p->t.line, p->t.column, fmt, ap);
    va_end(ap);
}

void text_oom(parser *p)
{
    if (!p->status)
        p->status = at_oom(p->err);
    p->t = (token){.kind = T_END};
}

static void blanks_skip(parser *p)
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

static bool digits_skip(parser *p)
{
    const char *from = p->at;
    while (p->at < p->end && text_digit(*p->at))
        p->at++;
    return p->at > from;
}

static void number_lex(parser *p, token *t)
{
    t->kind = T_NUMBER;
    digits_skip(p);
    if (p->end - p->at > 1 && *p->at == '.' && text_digit(p->at[1])) { /* not the first dot of 1..4 */
        p->at++;
        digits_skip(p);
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        const char *here = p->at++;
        if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
            p->at++;
        if (!digits_skip(p))
            p->at = here;
    }
    t->n = (size_t)(p->at - t->s);
    if (p->at < p->end && text_letter(*p->at))
        text_fail(p, t->line, t->column, "a name begins with a letter; a product is written 2*x");
    else if (!at_parse_double(t->s, t->n, &t->number))
        text_fail(p, t->line, t->column, "a number that is too long or too large; numbers are doubles");
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void quoted_lex(parser *p, token *t)
{
    t->kind = T_NAME;
    t->quoted = true;
    const char *from = ++p->at;
    while (p->at < p->end && *p->at != '"' && (unsigned char)*p->at >= ' ')
        p->at++;
    if (p->at == p->end || *p->at != '"') {
        text_fail(p, t->line, t->column, "no closing \" in this line");
        return;
    }
    size_t n = (size_t)(p->at++ - from);
    t->s = from;
    t->n = n;
    if (!memchr(from, '\\', n))
        return;
    t->n = 0;
    char *out = at_new(&p->scratch, char, n + 1);
    if (!out) {
        text_oom(p);
        return;
    }
    t->s = out;
    for (size_t k = 0; k < n; k++) {
        int high = 0, low = 0;
        if (from[k] != '\\')
            out[t->n++] = from[k];
        else if (n - k > 3 && from[k + 1] == 'x' && (high = hex(from[k + 2])) >= 0 &&
                 (low = hex(from[k + 3])) >= 0 && high + low > 0) {
            out[t->n++] = (char)(16 * high + low);
            k += 3;
        } else {
            text_fail(
                p, t->line, t->column + 1 + (int)k,
                "a \\ in a name; it stands before x and two digits of 0-9 a-f, as in \\x22, never \\x00");
            return;
        }
    }
}

static void symbol_lex(parser *p, token *t)
{
    static const char *const symbols[] = {"...", "..", "==", "!=", "<=", ">=", "(", ")", "[", "]", ",",
                                          ";",   ":",  "=",  "<",  ">",  "+",  "-", "*", "/", "^"};
    t->kind = T_SYMBOL;
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        size_t n = strlen(symbols[k]);
        if ((size_t)(p->end - p->at) < n || memcmp(p->at, symbols[k], n) != 0)
            continue;
        t->n = n;
        p->at += n;
        if (k == 0)
            text_fail(p, t->line, t->column,
                      "this text was shortened for reading; `attest show --exact` prints all of it");
        return;
    }
    unsigned char c = (unsigned char)*p->at;
    if (c > ' ' && c < 127)
        text_fail(
            p, t->line, t->column,
            "unexpected %c; allowed are names, numbers, \"names\" and + - * / ^ ( ) [ ] = < > , ; :", c);
    else
        text_fail(p, t->line, t->column,
                  "unexpected byte 0x%02x; allowed outside of quotes and comments is ASCII", c);
}

/* The @2 of x@2; without blanks. */
static void nth_lex(parser *p, token *t)
{
    if (p->at == p->end || *p->at != '@')
        return;
    const char *from = ++p->at;
    int64_t nth = 0;
    digits_skip(p);
    if (!at_parse_i64(from, (size_t)(p->at - from), &nth) || nth < 1 || nth > INT32_MAX)
        text_fail(p, t->line, t->column, "@ stands before a number from 1 on, as in x@2");
    t->nth = (int)nth;
}

void text_next(parser *p)
{
    if (p->status)
        return;
    blanks_skip(p);
    token t = {.s = p->at, .from = p->at, .line = p->line, .column = (int)(p->at - p->line_start) + 1};
    if (p->at == p->end)
        t.kind = T_END;
    else if (text_digit(*p->at))
        number_lex(p, &t);
    else if (*p->at == '"' || *p->at == '@' || text_letter(*p->at)) {
        t.kind = T_NAME;
        if (*p->at == '"')
            quoted_lex(p, &t);
        else
            p->at += t.n = text_bare(p->at, (size_t)(p->end - p->at));
        nth_lex(p, &t);
        if (t.n > TEXT_NAME)
            text_fail(p, t.line, t.column, "the name is too long; at most %d bytes", TEXT_NAME);
    } else
        symbol_lex(p, &t);
    if (!p->status)
        p->t = t;
}

bool text_is(const parser *p, const char *word)
{
    return ((p->t.kind == T_NAME && !p->t.quoted && !p->t.nth) || p->t.kind == T_SYMBOL) &&
           strlen(word) == p->t.n && memcmp(word, p->t.s, p->t.n) == 0;
}

bool text_says(const parser *p, const char *word)
{
    return text_is(p, word) && !text_followed_by(p, '=');
}

bool text_accept(parser *p, const char *word)
{
    if (!text_is(p, word))
        return false;
    text_next(p);
    return true;
}

const char *text_shown(const parser *p, char buf[64])
{
    if (p->t.kind == T_END)
        return "the end";
    snprintf(buf, 64, "\"%.*s\"", (int)(p->t.n < 40 ? p->t.n : 40), p->t.s);
    return buf;
}

void text_expect(parser *p, const char *word, const char *why)
{
    char buf[64];
    if (!text_accept(p, word))
        text_fail_here(p, "expected \"%s\" %s, found %s", word, why, text_shown(p, buf));
}

bool text_followed_by(const parser *p, char c)
{
    const char *s = p->at;
    while (s < p->end && (*s == ' ' || *s == '\t'))
        s++;
    return s < p->end && *s == c && !(c == '=' && p->end - s > 1 && s[1] == '=');
}

int text_kind(parser *p, const char *what, const char *const *names, int n)
{
    if (p->status)
        return -1;
    const char *s = p->t.from;
    size_t len = 0;
    while (s + len < p->end && s[len] > ' ' && !strchr(",();#", s[len]))
        len++;
    for (int k = 0; k < n; k++)
        if (strlen(names[k]) == len && memcmp(names[k], s, len) == 0) {
            p->at = s + len;
            text_next(p);
            return k;
        }
    char all[256], buf[64];
    size_t used = 0;
    all[0] = 0;
    for (int k = 0; k < n && used < sizeof all; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "", names[k]);
    text_fail_here(p, "expected %s: %s; found %s", what, all, text_shown(p, buf));
    return -1;
}
