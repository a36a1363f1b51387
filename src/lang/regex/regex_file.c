/* regex_file.c: files with a regular expression: header lines (lang.h), then the expression, over lines as one likes. */
#include "../words/words_internal.h"

#include <string.h>

static at_status regex_make(at_problem *p, const char *text, const at_alphabet *given, const char *path,
                            int line, int longest, at_err *err)
{
    at_regex *e;
    at_dfa *d;
    at_alphabet sigma;
    at_status s = at_regex_parse(text, given, path, line, 1, &p->arena, &e, &sigma, err);
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
    return at_recogniser_make(p, d, p->title, longest, err);
}

static at_status regex_read(at_problem *p, char *text, at_err *err)
{
    words_header h;
    const at_alphabet *given;
    at_status s = words_header_read(text, p->path, false, &p->arena, &h, err);
    if (!s)
        s = words_beside(p, &given, err);
    if (!s)
        s = words_given(&h, given, p->path, err);
    return s ? s : regex_make(p, h.rest, h.sigma.n ? &h.sigma : NULL, p->path, h.line, h.longest, err);
}

at_status at_regex_problem(at_problem *p, const char *text, const char *alphabet, at_err *err)
{
    at_alphabet given;
    at_status s = alphabet ? at_alphabet_parse(alphabet, &p->arena, &given, err) : AT_OK;
    return s ? s : regex_make(p, text, alphabet ? &given : NULL, NULL, 1, -1, err);
}

at_status at_regex_textbook(const char *text, at_err *err)
{
    bool set = false;
    int place = 1;
    for (const char *s = text; *s; place++) {
        char c = *s;
        at_text_next(&s);
        if (c == '\\' && *s) {
            at_text_next(&s);
            place++;
        } else if (c == '[' || c == ']')
            set = c == '[';
        else if (c == '+' && !set) {
            const char *next = s;
            while (*next == ' ' || *next == '\t' || *next == '\n')
                next++;
            if (*next && !strchr(")|&*+?{", *next))
                return at_fail(
                    err, AT_EINPUT,
                    "regular expression, character %d: + with something behind it; in textbooks that is "
                    "\"or\", which is | here, and one or more is written (x+)",
                    place);
        }
    }
    return AT_OK;
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
                               .parse = parse_regex,
                               .line = at_regex_problem,
                               .given = true};
