/* header.c: the lines that files of languages of words begin with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words_internal.h"

static char *line_end(char *s)
{
    while (*s && *s != '\n')
        s++;
    return s;
}

/* s is at a quote: behind the next one of its line, where \ keeps the character behind it; s + 1 where there is none. */
static char *quote_end(char *s)
{
    for (char *c = s + 1; *c && *c != '\n'; c++)
        if (*c == '"')
            return c + 1;
        else if (*c == '\\' && c[1] && c[1] != '\n')
            c++;
    return s + 1;
}

/* Comments become blanks; \# is the letter. Of formulas # before [ counts, and quotes keep what is between them. */
static void comments_blank(char *s, bool formulas)
{
    for (; *s; s++) {
        if (formulas && *s == '"')
            s = quote_end(s) - 1;
        if (*s == '\\' && s[1] && s[1] != '\n') { /* the character behind it is kept */
            s++;
            continue;
        }
        if (*s != '#' || (formulas && s[1 + strspn(s + 1, " \t")] == '['))
            continue;
        memset(s, ' ', (size_t)(line_end(s) - s));
    }
}

/* The end of a header line: of formulas ";" is one, too. */
static char *statement_end(char *s, bool formulas)
{
    while (*s && *s != '\n' && !(formulas && *s == ';'))
        s = formulas && *s == '"' ? quote_end(s) : s + 1;
    return s;
}

/* What stands behind the keyword that a line begins with; NULL: it begins with another word. */
static char *behind(char *s, const char *keyword)
{
    size_t n = strlen(keyword);
    return strncmp(s, keyword, n) == 0 && strchr(" \t\r", s[n]) ? s + n : NULL;
}

/* The keyword that a line was meant to begin with, when its first word is none and one is near: "alphabt a b". A word with an operator
 * behind it, or a letter, means itself. */
static const char *meant(const char *s, bool formulas, const at_alphabet *sigma, char word[16])
{
    static const char *const keywords[] = {"alphabet",  "length",    "accept",
                                           "attention", "semantics", "predicate"};
    static const char *const operators[] = {"S", "U", "W", "R", "and", "or", "mod"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    size_t n = strspn(s, letters), blanks = strspn(s + n, " \t");
    const char *next = s + n + blanks;
    if (n < 5 || n > 15 || !blanks ||
        !strchr("\"0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", *next) || !*next ||
        at_alphabet_find(sigma, s, n) >= 0)
        return NULL;
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        size_t m = strlen(operators[k]);
        if (strncmp(next, operators[k], m) == 0 && (!next[m] || strchr(" \t\r(", next[m])))
            return NULL;
    }
    snprintf(word, 16, "%.*s", (int)n, s);
    const char *near = at_nearest(word, keywords, formulas ? 6 : 2);
    size_t m = near ? strlen(near) : 0;
    return near && strcmp(near, word) != 0 && m + 2 >= n && n + 2 >= m ? near : NULL;
}

bool words_length(const char *s, int *out)
{
    char tail;
    int from = 0, to;
    if (sscanf(s, "%d..%d %c", &from, &to, &tail) != 2 && (from = 0, sscanf(s, "%d %c", &to, &tail) != 1))
        return false;
    *out = to;
    return from >= 0 && to >= from && to <= AT_WORD_LONGEST;
}

/* One of these words behind the keyword; -1: another. */
static int word_of(const char *s, const char *const *names, int n)
{
    char word[16] = "", tail;
    if (sscanf(s, "%15s %c", word, &tail) == 1)
        for (int k = 0; k < n; k++)
            if (strcmp(word, names[k]) == 0)
                return k;
    return -1;
}

/* A name, then positions and ranges of them. */
static at_status set_read(const char *s, at_arena *a, words_header *out, at_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    s += strspn(s, " \t\r");
    size_t n = strspn(s, letters);
    if (!n || n > 40 || strspn(s, "0123456789") || !strchr(" \t\r", s[n]))
        return at_fail(err, AT_EINPUT,
                       "a predicate is a name and its positions, as in predicate square 1 4 9 16..20");
    if (out->n_sets == AT_FORMULA_SETS)
        return at_fail(err, AT_EINPUT, "more than %d predicates", AT_FORMULA_SETS);
    words_set *set = &out->sets[out->n_sets++];
    *set = (words_set){at_arena_printf(a, "%.*s", (int)n, s), at_new(a, bool, AT_FORMULA_LONGEST + 1)};
    if (!set->name || !set->in)
        return at_oom(err);
    for (s += n; *(s += strspn(s, " \t\r"));) {
        char *end;
        long from = strtol(s, &end, 10), to = from;
        if (end > s && strncmp(end, "..", 2) == 0)
            to = strtol(s = end + 2, &end, 10);
        if (end == s || !strchr(" \t\r", *end) || from < 1 || to < from || to > AT_FORMULA_LONGEST)
            return at_fail(err, AT_EINPUT, "positions are in 1..%d, with ranges, as in 1 4 9 16..20",
                           AT_FORMULA_LONGEST);
        for (long i = from; i <= to; i++)
            set->in[i] = true;
        s = end;
    }
    return AT_OK;
}

at_status words_header_read(char *text, const char *path, bool formulas, at_arena *a, words_header *out,
                            at_err *err)
{
    *out = (words_header){
        .longest = -1, .at = -1, .attend = -1, .strict = -1, .rest = text, .line = 1, .column = 1};
    comments_blank(text, formulas);
    char *line = text; /* the first character of the line that s is in */
    for (char *s = text, *end; *s; s = *end ? end + 1 : end) {
        char *at = s + strspn(s, " \t\r"), *value;
        end = statement_end(s, formulas);
        char kept = *end;
        out->rest = s;
        out->column = (int)(s - line) + 1;
        if (at == end) {
            out->line += kept == '\n';
            line = kept == '\n' ? end + 1 : line;
            continue;
        }
        at_err fault = {0};
        *end = 0;
        at_status st = AT_OK;
        bool header = true;
        int where; /* of another `accept` nothing is taken */
        if ((value = behind(at, "alphabet"))) {
            st = out->sigma.n ? at_fail(&fault, AT_EINPUT, "a second alphabet")
                              : at_alphabet_parse(value, a, &out->sigma, &fault);
        } else if ((value = behind(at, "length"))) {
            if (!words_length(value, &out->longest))
                st = at_fail(&fault, AT_EINPUT, "a length is written 0..N, N at most %d", AT_WORD_LONGEST);
        } else if (formulas && (value = behind(at, "attention"))) {
            out->attend = word_of(value, at_formula_attend_names, AT_ATTENDS);
            if (out->attend < 0)
                st = at_fail(&fault, AT_EINPUT, "attention is own, softmax, average, rightmost or leftmost");
        } else if (formulas && (value = behind(at, "accept")) &&
                   (where = word_of(value, at_read_at_names, AT_ATS)) >= 0) {
            out->at = where;
        } else if (formulas && (value = behind(at, "predicate"))) {
            st = set_read(value, a, out, &fault);
        } else if (formulas && (value = behind(at, "semantics"))) {
            static const char *const kinds[] = {"reflexive", "strict"};
            out->strict = word_of(value, kinds, 2);
            if (out->strict < 0)
                st = at_fail(&fault, AT_EINPUT, "semantics is reflexive or strict");
        } else {
            char word[16];
            const char *near = meant(at, formulas, &out->sigma, word);
            header = false;
            if (near) {
                value = at;
                st = at_fail(&fault, AT_EINPUT, "'%s' is no header line; did you mean '%s'?", word, near);
            }
        }
        *end = kept;
        if (st)
            return at_fail(err, st, "%.200s:%d:%d: %s", path, out->line, (int)(value - line) + 1, fault.text);
        if (!header)
            return AT_OK;
        out->rest = end;
        out->column = (int)(end - line) + 1;
        if (kept == '\n') {
            out->line++;
            line = end + 1;
            out->rest = line;
            out->column = 1;
        }
    }
    return AT_OK;
}

at_status words_accept_none(const words_header *h, const char *path, at_err *err)
{
    const char *s = h->rest + strspn(h->rest, " \t\r");
    if (strncmp(s, "accept", 6) != 0 || !s[6] || !strchr(" \t", s[6]))
        return AT_OK;
    s += 6 + strspn(s + 6, " \t");
    return at_fail(err, AT_EINPUT, "%.200s:%d:%d: accept is followed by last, first, end or begin", path,
                   h->line, h->column + (int)(s - h->rest));
}

at_status words_beside(at_problem *p, const at_alphabet **out, at_err *err)
{
    *out = NULL;
    if (!p->alphabet)
        return AT_OK;
    at_alphabet *given = at_new(&p->arena, at_alphabet, 1);
    *out = given;
    return given ? at_alphabet_parse(p->alphabet, &p->arena, given, err) : at_oom(err);
}

at_status words_given(words_header *h, const at_alphabet *given, const char *path, at_err *err)
{
    if (given && h->sigma.n)
        return at_fail(err, AT_EINPUT, "%.150s: a line alphabet, and another alphabet beside it", path);
    if (given)
        h->sigma = *given;
    return AT_OK;
}
