/* regex_file.c: files with a regular expression: header lines (lang.h), then the expression, over lines as one likes. */
#include <string.h>

#include <attest/lang.h>

#define BYTES_MAX ((size_t)1 << 24)

static at_status regex_read(char *text, at_problem *p, at_err *err)
{
    at_recogniser_header h;
    at_regex *e;
    at_dfa *d;
    at_alphabet sigma;
    at_status s = at_recogniser_header_read(text, p->path, &p->arena, &h, err);
    if (s)
        return s;
    s = at_regex_parse(h.rest, h.sigma.n ? &h.sigma : NULL, p->path, h.line, 1, &p->arena, &e, &sigma, err);
    if (!s)
        s = at_regex_dfa(e, &sigma, &p->arena, &d, err);
    if (s)
        return s;
    at_text shown;
    at_text_init(&shown);
    at_regex_print(e, &sigma, &shown);
    p->title = shown.oom ? NULL : at_arena_strdup(&p->arena, shown.s);
    at_text_release(&shown);
    if (!p->title)
        return at_oom(err);
    p->definition = "is the word matched by the regular expression?";
    return at_recogniser_make(p, d, p->title, h.longest, err);
}

static at_status open_regex(at_problem *p, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read(p->path, BYTES_MAX, &text, &n, err);
    if (s)
        return s;
    s = at_problem_keep(p, text, n, err); /* before it is changed */
    if (!s)
        s = strlen(text) < n ? at_fail(err, AT_EINPUT, "%.200s: a zero byte; this is no text", p->path)
                             : regex_read(text, p, err);
    at_free(text);
    return s;
}

const at_lang at_lang_regex = {.id = "regex",
                               .suffix = ".regex",
                               .about = "a regular expression, docs/languages.md",
                               .open = open_regex};
