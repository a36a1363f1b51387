/* ltl_file.c: files with a formula of linear temporal logic: header lines, then the formula, over lines as one likes.
 *
 *     alphabet a b             if it is left out: the letters that occur
 *     semantics strict         else reflexive
 *     predicate square 1 4 9   a word for a set of positions
 *     (!b) S a
 *
 * The grammar is in formulas.h. Where a formula is read: one that speaks of the past at the last position, one of the future at the
 * first; of one that does both, or neither, a line `accept` says it. */
#include <stdlib.h>
#include <string.h>

#include "../formulas/formulas.h"
#include "../words/words_internal.h"

static at_status predicates_take(at_formulas *f, const words_header *h, const char *path, at_err *err)
{
    for (int k = 0; k < h->n_sets; k++) {
        const char *name = h->sets[k].name;
        ftext x;
        ftext_begin(&x, name, path, 1, 1, true, f->arena, err);
        bool own = !ftext_is(&x, FT_WORD) || ftext_reserved(name, strlen(name));
        if (own || at_alphabet_find(&f->sigma, name, strlen(name)) >= 0)
            return at_fail(err, AT_EINPUT, "%.150s: the predicate %s has the name of %s", path, name,
                           own ? "an operator" : "a letter");
        at_formulas_set(f, name, h->sets[k].in);
    }
    at_err fault = {0};
    at_status s = at_formulas_status(f, &fault);
    return s ? at_fail(err, s, "%.150s: %s", path, fault.text) : AT_OK;
}

static at_status formula_read(const words_header *h, const at_alphabet *sigma, const char *path,
                              const char **met, at_arena *a, at_formulas **out, at_err *err)
{
    ftext x;
    at_status s = at_formulas_new(sigma, a, out, err);
    if (s)
        return s;
    s = predicates_take(*out, h, path, err);
    if (s)
        return s;
    ftext_begin(&x, h->rest, path, h->line, h->column, false, a, err);
    while (ftext_take(&x, FT_LINE))
        ;
    ftext_reader r = {.x = &x, .f = *out, .style = FT_BARE, .met = met};
    (*out)->accept = ftext_truth(&r);
    while (ftext_take(&x, FT_LINE))
        ;
    if (!x.status && ftext_is(&x, FT_CLOSE))
        ftext_fail(&x, x.now.from, ") without (");
    else if (!x.status && !ftext_is(&x, FT_END))
        ftext_expected(&x, "an operator, as in a & b or a U b,");
    return x.status;
}

static int order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b); /* of UTF-8: by code point */
}

/* Where it is read, unless said. */
static at_status place_find(at_formulas *f, const char *path, at_err *err)
{
    bool past = at_formula_looks(f, f->accept, true), future = at_formula_looks(f, f->accept, false);
    if (past == future)
        return at_fail(
            err, AT_EINPUT,
            "%.150s: the formula speaks of %s, so where it is read must be said: add a line accept last, "
            "first, end or begin",
            path, past ? "both past and future" : "neither past nor future");
    f->at = past ? AT_AT_LAST : AT_AT_FIRST;
    return AT_OK;
}

at_status at_ltl_read(char *text, const char *path, const at_alphabet *given, at_arena *a, at_formulas **out,
                      int *longest, at_err *err)
{
    words_header h;
    at_status s = words_header_read(text, path, true, a, &h, err);
    if (!s)
        s = words_given(&h, given, path, err);
    if (!s)
        s = words_accept_none(&h, path, err);
    if (s)
        return s;
    *longest = h.longest;
    if (!h.sigma.n) {
        const char **met = at_new(a, const char *, AT_LETTERS_MAX);
        at_formulas *first;
        if (!met)
            return at_oom(err);
        s = formula_read(&h, &(at_alphabet){0, met}, path, met, a, &first, err);
        if (s)
            return s;
        if (!first->sigma.n)
            return at_fail(err, AT_EINPUT, "%.150s: the formula names no letter; add a line alphabet a b",
                           path);
        h.sigma = first->sigma;
        qsort(met, (size_t)h.sigma.n, sizeof *met, order);
    }
    s = formula_read(&h, &h.sigma, path, NULL, a, out, err);
    if (s)
        return s;
    at_formulas *f = *out;
    f->strict = h.strict > 0;
    f->attend = h.attend < 0 ? AT_ATTEND_OWN : (at_formula_attend)h.attend;
    f->at = (at_read_at)h.at;
    return h.at < 0 ? place_find(f, path, err) : AT_OK;
}

static const char *semantics(const at_formulas *f)
{
    return f->strict ? "strict" : "reflexive";
}

void at_ltl_print(const at_formulas *f, at_text *out)
{
    ftext_print_header(f, out);
    at_text_addf(out, "semantics %s\n", semantics(f));
    ftext_print(f, f->accept, FT_BARE, out);
    at_text_add(out, "\n");
}

static at_status ltl_make(at_problem *p, char *text, const at_alphabet *given, at_err *err)
{
    static const char *const places[AT_ATS] = {"at the last position", "at the first position",
                                               "behind the word", "before the word"};
    at_formulas *f;
    int longest;
    at_status s = at_ltl_read(text, p->path ? p->path : "--ltl", given, &p->arena, &f, &longest, err);
    if (s)
        return s;
    at_text shown;
    at_text_init(&shown);
    ftext_print(f, f->accept, FT_BARE, &shown);
    const char *formula = shown.oom ? NULL : at_arena_strdup(&p->arena, shown.s);
    at_text_addf(&shown, " (%s, read %s)", semantics(f), places[f->at]);
    p->title = shown.oom ? NULL : at_arena_strdup(&p->arena, shown.s);
    p->definition = at_arena_printf(&p->arena, "does the formula hold %s, temporal operators %s?",
                                    places[f->at], semantics(f));
    at_text_release(&shown);
    if (!formula || !p->title || !p->definition)
        return at_oom(err);
    return at_recogniser_formulas(p, f, formula, longest, err);
}

static at_status ltl_read(at_problem *p, char *text, at_err *err)
{
    const at_alphabet *given;
    at_status s = words_beside(p, &given, err);
    return s ? s : ltl_make(p, text, given, err);
}

static at_status line_ltl(at_problem *p, const char *text, const char *alphabet, at_err *err)
{
    return words_line(p, text, alphabet, ltl_make, err);
}

static at_status open_ltl(at_problem *p, at_err *err)
{
    return words_open(p, ltl_read, err);
}

static at_status parse_ltl(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, ltl_read, err);
}

const at_lang at_lang_ltl = {.id = "ltl",
                             .suffix = ".ltl",
                             .about = "a formula of temporal logic that may count, docs/languages.md",
                             .open = open_ltl,
                             .parse = parse_ltl,
                             .line = line_ltl,
                             .given = true};
