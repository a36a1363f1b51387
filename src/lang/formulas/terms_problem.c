/* terms_problem.c: texts of formulas as problems. */
#include <string.h>

#include "terms.h"

enum { TITLE = 80 }; /* of a formula that is its own title */

/* The last line of a text that ends with one. */
static const char *last_line(const char *s)
{
    size_t n = strlen(s);
    while (n && s[n - 1] == '\n')
        n--;
    while (n && s[n - 1] != '\n')
        n--;
    return s + n;
}

at_status terms_problem(at_problem *p, char *text, terms_reader *read, terms_writer *print, const char *what,
                        const char *part, const char *ask, at_err *err)
{
    at_formulas *f;
    int longest;
    at_status s = read(text, p->path, &p->arena, &f, &longest, err);
    if (s)
        return s;
    at_text shown;
    at_text_init(&shown);
    print(f, &shown);
    const char *kept = shown.oom ? NULL : at_arena_strdup(&p->arena, shown.s);
    at_text_release(&shown);
    if (!kept)
        return at_oom(err);
    const char *line = last_line(kept);
    size_t n = strcspn(line, "\n");
    if (f->n_names)
        p->title =
            at_arena_printf(&p->arena, "%s of %d %s%s", what, f->n_names, part, f->n_names == 1 ? "" : "s");
    else
        p->title = n <= TITLE ? at_arena_printf(&p->arena, "%.*s", (int)n, line)
                              : at_arena_printf(&p->arena, "%s", what);
    if (!p->title)
        return at_oom(err);
    p->definition = ask;
    return at_recogniser_formulas(p, f, kept, longest, err);
}
