/* text.c: files of languages of words. */
#include "words_internal.h"

#include <string.h>

#define BYTES_MAX ((size_t)1 << 26)

static at_status text_take(at_problem *p, char *text, size_t n, words_read *read, at_err *err)
{
    at_status s = at_problem_keep(p, text, n, err); /* before it is changed */
    if (s)
        return s;
    if (strlen(text) < n)
        return at_fail(err, AT_EINPUT, "%.200s: a zero byte; this is no text", p->path);
    static const char mark[] = "\xEF\xBB\xBF"; /* of the byte order: some editors put it before a text */
    if (strncmp(text, mark, sizeof mark - 1) == 0)
        text += sizeof mark - 1;
    p->text = p->alphabet ? NULL : at_arena_strdup(&p->arena, text);
    if (!p->text && !p->alphabet)
        return at_oom(err);
    return read(p, text, err);
}

at_status words_open(at_problem *p, words_read *read, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read(p->path, BYTES_MAX, &text, &n, err);
    if (s)
        return s;
    s = text_take(p, text, n, read, err);
    at_free(text);
    return s;
}

at_status words_parse(at_problem *p, const char *text, size_t n, words_read *read, at_err *err)
{
    char *copy = at_malloc(n + 1);
    if (!copy)
        return at_oom(err);
    memcpy(copy, text, n);
    copy[n] = 0;
    at_status s = text_take(p, copy, n, read, err);
    at_free(copy);
    return s;
}

at_status words_line(at_problem *p, const char *text, const char *alphabet,
                     at_status (*read)(at_problem *p, char *text, const at_alphabet *given, at_err *err),
                     at_err *err)
{
    at_alphabet given;
    char *copy = at_arena_strdup(&p->arena, text);
    at_status s = !copy      ? at_oom(err)
                  : alphabet ? at_alphabet_parse(alphabet, &p->arena, &given, err)
                             : AT_OK;
    return s ? s : read(p, copy, alphabet ? &given : NULL, err);
}
