/* regex_file.c: files with a regular expression: header lines (lang.h), then the expression, over lines as one likes. */
#include "../words/words_internal.h"

static at_status regex_read(at_problem *p, char *text, at_err *err)
{
    words_header h;
    at_regex *e;
    at_dfa *d;
    at_alphabet sigma;
    at_status s = words_header_read(text, p->path, false, &p->arena, &h, err);
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
    return words_open(p, regex_read, err);
}

static at_status parse_regex(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, regex_read, err);
}

const at_lang at_lang_regex = {.id = "regex",
                               .suffix = ".regex",
                               .about = "a regular expression, docs/languages.md",
                               .open = open_regex,
                               .parse = parse_regex};
