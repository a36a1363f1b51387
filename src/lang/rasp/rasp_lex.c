/* rasp_lex.c: RASP cut into words. Grammar: the one of the public interpreter (tech-srl/RASP), but blanks may stand before a
 * bracket. */
#include <stdio.h>
#include <string.h>

#include "rasp_internal.h"

const char *const rasp_words[W_KNOWN] = {
    "if",
    "else",
    "not",
    "and",
    "or",
    "out",
    "def",
    "return",
    "range",
    "for",
    "in",
    "zip",
    "len",
    "get",
    "round",
    "indicator",
    "select",
    "aggregate",
    "load",
    "draw",
    "tokens_asis",
    "tokens_str",
    "tokens_int",
    "tokens_float",
    "tokens_bool",
    "indices",
    "True",
    "False",
    "tokens",
    "length",
    "selector_width",
    "set",
    "show",
    "example",
    "examples",
    "selector",
    "full",
    "exit",
    "quit",
};

at_status rasp_fail(const rasp_reader *r, const rasp_token *t, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(r->err, AT_EINPUT, "%.150s:%d:%d: %s", r->path, t->line, t->column, text);
}

const char *rasp_seen(const rasp_reader *r, const rasp_token *t, char out[64])
{
    static const char *const pairs[] = {"==", "<=", ">=", "!="};
    if (t->kind == T_END)
        return "the end of the text";
    if (t->kind == T_NAME)
        snprintf(out, 64, "'%.40s'", r->sym.s[t->mark]);
    else if (t->kind == T_STRING)
        snprintf(out, 64, "\"%.40s\"", t->s);
    else if (t->kind == T_MARK && t->mark >= M_EQ)
        snprintf(out, 64, "'%s'", pairs[t->mark - M_EQ]);
    else if (t->kind == T_MARK)
        snprintf(out, 64, "'%c'", t->mark);
    else
        snprintf(out, 64, "'%.40s'", t->s);
    return out;
}

/* ---- symbols -------------------------------------------------------------------------------------------------------- */

static bool symbols_grow(rasp_reader *r)
{
    rasp_symbols *y = &r->sym;
    int room = y->room ? 2 * y->room : 256;
    const char **s = at_new(r->a, const char *, room);
    int *slot = at_new(r->a, int, 2 * room);
    if (!s || !slot)
        return false;
    y->slots = 2 * (size_t)room;
    y->room = room;
    memset(slot, -1, y->slots * sizeof *slot);
    for (int k = 0; k < y->n; k++) {
        size_t h = at_hash64(y->s[k], strlen(y->s[k]), 1) & (y->slots - 1);
        while (slot[h] >= 0)
            h = (h + 1) & (y->slots - 1);
        slot[h] = k;
        s[k] = y->s[k];
    }
    y->s = s;
    y->slot = slot;
    return true;
}

int rasp_symbol(rasp_reader *r, const char *s, size_t n)
{
    rasp_symbols *y = &r->sym;
    if (y->n == y->room && !symbols_grow(r))
        return -1;
    size_t h = at_hash64(s, n, 1) & (y->slots - 1);
    for (; y->slot[h] >= 0; h = (h + 1) & (y->slots - 1)) {
        const char *k = y->s[y->slot[h]];
        if (strncmp(k, s, n) == 0 && !k[n])
            return y->slot[h];
    }
    char *kept = at_arena_printf(r->a, "%.*s", (int)n, s);
    if (!kept)
        return -1;
    y->s[y->n] = kept;
    return y->slot[h] = y->n++;
}

/* ---- words ---------------------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static char *kept(rasp_reader *r, const char *s, size_t n)
{
    char *out = at_new(r->a, char, n + 1);
    if (out)
        memcpy(out, s, n);
    return out;
}

static at_status string_take(rasp_reader *r, rasp_token *t, const char **at)
{
    const char *begin = *at + 1, *s = begin;
    while (*s && *s != '"' && *s != '\n' && *s != '\r') {
        const char *was = s;
        uint32_t u = at_text_next(&s);
        if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT)
            return rasp_fail(r, &(rasp_token){.line = t->line, .column = t->column + (int)(was - *at)},
                             "a byte that is no visible character");
    }
    if (*s != '"')
        return rasp_fail(r, t, "\" without its end in this line");
    if (s - begin > 1000)
        return rasp_fail(r, t, "a string of more than 1,000 bytes");
    t->kind = T_STRING;
    t->s = kept(r, begin, (size_t)(s - begin));
    *at = s + 1;
    return t->s ? AT_OK : at_oom(r->err);
}

static at_status word_take(rasp_reader *r, rasp_token *t, const char **at)
{
    const char *s = *at, *begin = s;
    if (*s == '"')
        return string_take(r, t, at);
    if (is_digit(*s)) {
        while (is_digit(*s))
            s++;
        t->kind = T_INT;
        if (*s == '.' && is_digit(s[1])) {
            t->kind = T_FLOAT;
            for (s++; is_digit(*s);)
                s++;
        }
        if (s - begin > 18)
            return rasp_fail(r, t, "a number of more than 18 characters");
        t->s = kept(r, begin, (size_t)(s - begin));
        *at = s;
        return t->s ? AT_OK : at_oom(r->err);
    }
    if (is_name(*s)) {
        while (is_name(*s))
            s++;
        if (s - begin > 100)
            return rasp_fail(r, t, "a name of more than 100 characters");
        t->kind = T_NAME;
        t->mark = rasp_symbol(r, begin, (size_t)(s - begin));
        *at = s;
        return t->mark < 0 ? at_oom(r->err) : AT_OK;
    }
    t->kind = T_MARK;
    t->mark = (unsigned char)*s;
    if (s[1] == '=' && strchr("=<>!", *s)) {
        t->mark = *s == '=' ? M_EQ : *s == '<' ? M_LE : *s == '>' ? M_GE : M_NE;
        s++;
    } else if (!strchr("()[]{}=<>+-*/%^,;:", *s)) {
        uint32_t u = at_text_next(&s);
        if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT)
            return rasp_fail(r, t, "a byte that is no visible character");
        return rasp_fail(r, t, "'%.*s' has no meaning here; text stands in \"quotes\", comments behind #",
                         (int)(s - begin), begin);
    }
    *at = s + 1;
    return AT_OK;
}

at_status rasp_lex(rasp_reader *r, char *text, int line)
{
    size_t room = strlen(text) + 1;
    for (int k = 0; k < W_KNOWN; k++) /* the first symbols; nothing is added the second time */
        if (rasp_symbol(r, rasp_words[k], strlen(rasp_words[k])) < 0)
            return at_oom(r->err);
    r->t = at_new(r->a, rasp_token, room);
    r->n = r->at = 0;
    if (!r->t)
        return at_oom(r->err);
    const char *from = text, *s = text;
    while (*s) {
        if (*s == '\n') {
            line++;
            from = ++s;
        } else if (*s == ' ' || *s == '\t' || *s == '\r')
            s++;
        else if (*s == '#')
            while (*s && *s != '\n')
                s++;
        else {
            rasp_token *t = &r->t[r->n++];
            *t = (rasp_token){.line = line, .column = (int)(s - from) + 1};
            at_status st = word_take(r, t, &s);
            if (st)
                return st;
        }
    }
    r->t[r->n++] = (rasp_token){.line = line, .column = (int)(s - from) + 1};
    return AT_OK;
}
