/* tokens.c: a line of text as tokens, and tokens as text again.
 *
 * Tokens are the words of ARPA files, which hold no blanks: so what is not seen is spelt out. A spelling in angle brackets cannot be
 * taken for a character or a byte, which are one each. */
#include "fit_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const at_tokens_names[AT_TOKENS] = {"word", "char", "byte"};

#define BLANK_CHAR "<U+0020>"
#define BLANK_BYTE "<0x20>"

const char *ngram_blank(at_tokens kind)
{
    switch (kind) {
    case AT_TOKENS_CHAR:
        return BLANK_CHAR;
    case AT_TOKENS_BYTE:
        return BLANK_BYTE;
    case AT_TOKENS_WORD:
    case AT_TOKENS:
        break;
    }
    return NULL;
}

static bool between_words(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool word_next(const char **s, const char *end, at_ngram_token *t)
{
    while (*s < end && between_words(**s))
        ++*s;
    t->s = *s;
    while (*s < end && !between_words(**s))
        ++*s;
    t->n = (size_t)(*s - t->s);
    return t->n > 0;
}

/* Blanks of all widths: readers of ARPA files may cut there. */
static bool unseen(uint32_t c)
{
    return c <= 0x20 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F ||
           c == 0x205F || c == 0x3000 || (at_text_acts(c) && c != AT_TEXT_REPLACEMENT);
}

static void char_next(const char **s, const char *end, at_ngram_token *t)
{
    char some[5] = {0};
    size_t left = (size_t)(end - *s);
    memcpy(some, *s, left < 4 ? left : 4);
    const char *at = some;
    uint32_t c = at_text_next(&at);
    size_t n = at == some ? 1 : (size_t)(at - some); /* a zero byte */
    t->s = t->own;
    if (unseen(c))
        t->n = (size_t)snprintf(t->own, sizeof t->own, "<U+%04X>", (unsigned)c);
    else if (c == AT_TEXT_REPLACEMENT)
        t->n = (size_t)snprintf(t->own, sizeof t->own, "\xEF\xBF\xBD");
    else {
        memcpy(t->own, some, n);
        t->n = n;
    }
    *s += n;
}

static void byte_next(const char **s, at_ngram_token *t)
{
    unsigned c = (unsigned char)*(*s)++;
    t->s = t->own;
    if (c > 0x20 && c < 0x7F) {
        t->own[0] = (char)c;
        t->n = 1;
    } else
        t->n = (size_t)snprintf(t->own, sizeof t->own, "<0x%02X>", c);
}

bool at_ngram_token_next(at_tokens kind, const char **s, const char *end, at_ngram_token *t)
{
    if (*s == end)
        return false;
    switch (kind) {
    case AT_TOKENS_CHAR:
        char_next(s, end, t);
        return true;
    case AT_TOKENS_BYTE:
        byte_next(s, t);
        return true;
    case AT_TOKENS_WORD:
    case AT_TOKENS:
        break;
    }
    return word_next(s, end, t);
}

at_tokens at_ngram_tokens(const at_ngram *g)
{
    return at_ngram_find(g, BLANK_CHAR, strlen(BLANK_CHAR)) >= 0   ? AT_TOKENS_CHAR
           : at_ngram_find(g, BLANK_BYTE, strlen(BLANK_BYTE)) >= 0 ? AT_TOKENS_BYTE
                                                                   : AT_TOKENS_WORD;
}

/* The number in <U+0020> or <0x20>, -1: it is none. */
static long spelt(at_tokens kind, const char *s)
{
    size_t n = strlen(s);
    if (n < 6 || memcmp(s, kind == AT_TOKENS_CHAR ? "<U+" : "<0x", 3) || s[n - 1] != '>' ||
        strspn(s + 3, "0123456789ABCDEF") != n - 4)
        return -1;
    return strtol(s + 3, NULL, 16);
}

void at_ngram_say(const at_ngram *g, at_tokens kind, const int *word, int n, at_text *out)
{
    for (int i = 0; i < n; i++) {
        const char *s = g->word[word[i]];
        long c = kind == AT_TOKENS_WORD ? -1 : spelt(kind, s);
        if (kind == AT_TOKENS_WORD && i)
            at_text_add(out, " ");
        if (c < 0)
            at_text_add(out, s);
        else if (kind == AT_TOKENS_CHAR)
            at_text_put(out, (uint32_t)c);
        else
            at_text_addn(out, &(char){(char)c}, 1);
    }
}
