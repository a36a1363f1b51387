/* header.c: the lines that files of languages of words begin with. */
#include <stdio.h>
#include <string.h>

#include "words_internal.h"

static char *line_end(char *s)
{
    while (*s && *s != '\n')
        s++;
    return s;
}

/* Is the line s..end the keyword and something behind it? */
static char *behind(char *s, const char *keyword)
{
    size_t n = strlen(keyword);
    return strncmp(s, keyword, n) == 0 && (s[n] == ' ' || s[n] == '\t') ? s + n : NULL;
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

at_status words_header_read(char *text, const char *path, bool formulas, at_arena *a, words_header *out,
                            at_err *err)
{
    *out = (words_header){.longest = -1, .at = -1, .attend = -1, .rest = text, .line = 1};
    for (char *s = text; *s; s++) /* comments; \# is the letter */
        if (*s == '#' && (s == text || s[-1] != '\\'))
            memset(s, ' ', (size_t)(line_end(s) - s));
    for (char *s = text, *end; *s; s = *end ? end + 1 : end, out->line++) {
        char *at = s + strspn(s, " \t\r"), *value;
        end = line_end(s);
        out->rest = s;
        if (at == end)
            continue;
        char kept = *end;
        at_err fault = {0};
        *end = 0;
        at_status st = AT_OK;
        bool header = true;
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
                   (out->at = word_of(value, at_read_at_names, AT_ATS)) >= 0) {
            /* said */
        } else
            header = false;
        *end = kept;
        if (st)
            return at_fail(err, st, "%.200s:%d:%d: %s", path, out->line, (int)(value - s) + 1, fault.text);
        if (!header)
            return AT_OK;
        out->rest = end;
    }
    return AT_OK;
}
