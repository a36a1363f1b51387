/* brasp_file.c: programs in B-RASP (Yang, Chiang and Angluin 2024), in ASCII or as printed.
 *
 *     alphabet a b
 *     P(i) = rightmost j [j < i, 1] Qa(j) : 0          [mask, score] value : default
 *     S(i) = leftmost  j [j > i, Qb(j)] Qb(j) & P(i) : 0
 *     Y(i) = Qb(i) & P(i) | !S(i)
 *     accept Y                                         at the last position, unless `accept end` and such says otherwise
 *
 * A definition is such a search, or a truth of i. Score and value are said of i and j, all else of i. */
#include <string.h>

#include "../formulas/formulas.h"
#include "../words/words_internal.h"

/* leftmost or rightmost has been read. */
static at_formula *search_read(ftext_reader *r, bool first)
{
    ftext *x = r->x;
    const char *from = x->now.from;
    at_formula part = {.op = AT_F_FIND, .first = first};
    if (!ftext_take_word(x, "j") && !ftext_take_word(x, "_j"))
        ftext_expected(x, "j, as in rightmost j [j < i, 1] Q_a(j) : 0,");
    ftext_need(x, FT_SQUARE, "[");
    part.see = ftext_see(x);
    ftext_need(x, FT_COMMA, ", and the score");
    r->says = FT_SAYS_BOTH;
    part.arg[0] = ftext_truth(r);
    ftext_need(x, FT_SQUARE_CLOSE, "]");
    part.arg[1] = ftext_truth(r);
    r->says = FT_SAYS_I;
    if (!ftext_take(x, FT_COLON))
        ftext_expected(x, ": and the default, as in : 0,");
    part.arg[2] = ftext_truth(r);
    at_formula *made = x->status ? NULL : at_formula_make(r->f, part);
    ftext_made(x, r->f, from);
    return made;
}

static void definition_read(ftext_reader *r)
{
    ftext *x = r->x;
    const char *from = x->now.from, *name = ftext_defined(x, r->f);
    if (!ftext_take(x, FT_EQUAL) && !ftext_take(x, FT_DEFINE))
        ftext_expected(x, "=");
    bool first = ftext_is(x, FT_LEFTMOST);
    at_formula *body;
    if (ftext_take(x, FT_LEFTMOST) || ftext_take(x, FT_RIGHTMOST))
        body = search_read(r, first);
    else
        body = ftext_truth(r);
    if (!x->status && (ftext_is(x, FT_LEFTMOST) || ftext_is(x, FT_RIGHTMOST)))
        ftext_fail(x, x->now.from, "a search inside of another; define it by a name first");
    if (x->status)
        return;
    at_formulas_define(r->f, name, body);
    ftext_made(x, r->f, from);
}

/* What stands behind the word `accept`: a definition, or where it is read. */
static void accept_read(ftext_reader *r, bool *said)
{
    ftext *x = r->x;
    ftext_token t = x->now;
    int k = t.kind == FT_WORD ? at_formulas_find(r->f, t.s, t.n) : -1;
    for (int at = 0; k < 0 && at < AT_ATS; at++)
        if (ftext_take_word(x, at_read_at_names[at])) {
            if (*said && (int)r->f->at != at)
                ftext_fail(x, t.from, "read at %s, and above at %s", at_read_at_names[at],
                           at_read_at_names[r->f->at]);
            r->f->at = (at_read_at)at;
            *said = true;
            return;
        }
    if (k < 0) {
        char *name = at_arena_printf(x->arena, "%.*s", t.n > 40 ? 40 : (int)t.n, t.s), near[AT_GUESS_TEXT];
        at_guess g = {.name = name ? name : ""};
        for (int n = 0; n < r->f->n_names; n++)
            at_guess_add(&g, r->f->names[n].name);
        for (int at = 0; at < AT_ATS; at++)
            at_guess_add(&g, at_read_at_names[at]);
        ftext_fail(x, t.from, "accept names a definition above, or last, first, end or begin%s",
                   at_guess_text(&g, near));
        return;
    }
    if (r->f->accept) {
        ftext_fail(x, t.from, "a second definition that is accepted");
        return;
    }
    ftext_next(x);
    if (ftext_take(x, FT_OPEN)) { /* accept Y(i) */
        if (!ftext_take_word(x, "i"))
            ftext_expected(x, "i");
        ftext_need(x, FT_CLOSE, ")");
    }
    r->f->accept = at_formula_make(r->f, (at_formula){.op = AT_F_NAME, .index = k});
    ftext_made(x, r->f, t.from);
}

at_status at_brasp_read(char *text, const char *path, const at_alphabet *given, at_arena *a,
                        at_formulas **out, int *longest, at_err *err)
{
    words_header h;
    ftext x;
    at_status s = words_header_read(text, path, true, a, &h, err);
    if (!s)
        s = words_given(&h, given, path, err);
    if (s)
        return s;
    *longest = h.longest;
    if (!h.sigma.n || h.strict >= 0 || h.n_sets)
        return at_fail(err, AT_EINPUT, "%.150s:1:1: %s", path,
                       h.n_sets    ? "a line predicate is of .ltl files"
                       : h.sigma.n ? "masks say what is strict; a line semantics is of .ltl files"
                                   : "no alphabet; add a line as in alphabet a b above the definitions");
    s = at_formulas_new(&h.sigma, a, out, err);
    if (s)
        return s;
    at_formulas *f = *out;
    bool said = h.at >= 0;
    f->attend = h.attend < 0 ? AT_ATTEND_OWN : (at_formula_attend)h.attend;
    f->at = said ? (at_read_at)h.at : AT_AT_LAST;
    ftext_begin(&x, h.rest, path, h.line, h.column, true, a, err);
    ftext_reader r = {.x = &x, .f = f, .style = FT_SAID};
    while (!x.status && !ftext_is(&x, FT_END)) {
        if (ftext_take(&x, FT_LINE))
            continue;
        if (ftext_is_word(&x, "accept") && ftext_peek(&x).kind != FT_OPEN) {
            ftext_next(&x);
            accept_read(&r, &said);
        } else
            definition_read(&r);
        if (!x.status && !ftext_is(&x, FT_LINE) && !ftext_is(&x, FT_END))
            ftext_expected(&x, "an operator, or the end of the statement,");
    }
    if (!x.status && !f->accept)
        ftext_fail(&x, x.now.from, "nothing is accepted; add a line as in accept %s",
                   f->n_names ? f->names[f->n_names - 1].name : "Y");
    return x.status;
}

void at_brasp_print(const at_formulas *f, at_text *out)
{
    ftext_print_header(f, out);
    for (int k = 0; k < f->n_names; k++) {
        at_text_addf(out, "%s(i) = ", f->names[k].name);
        ftext_print(f, f->names[k].body, FT_SAID, out);
        at_text_add(out, "\n");
    }
    at_text_addf(out, "accept %s\n", f->names[f->accept->index].name);
}

static at_status brasp_make(at_problem *p, char *text, const at_alphabet *given, at_err *err)
{
    at_formulas *f;
    int longest;
    at_status s = at_brasp_read(text, p->path ? p->path : "--brasp", given, &p->arena, &f, &longest, err);
    if (s)
        return s;
    at_text shown;
    at_text_init(&shown);
    at_brasp_print(f, &shown);
    const char *program = shown.oom ? NULL : at_arena_strdup(&p->arena, shown.s);
    at_text_release(&shown);
    p->title =
        at_arena_printf(&p->arena, "a B-RASP program of %d definition%s, %s read at %s", f->n_names,
                        f->n_names == 1 ? "" : "s", f->names[f->accept->index].name, at_read_at_names[f->at]);
    p->definition = "does the accepted definition hold there?";
    return program && p->title ? at_recogniser_formulas(p, f, program, longest, err) : at_oom(err);
}

static at_status brasp_read(at_problem *p, char *text, at_err *err)
{
    const at_alphabet *given;
    at_status s = words_beside(p, &given, err);
    return s ? s : brasp_make(p, text, given, err);
}

static at_status line_brasp(at_problem *p, const char *text, const char *alphabet, at_err *err)
{
    return words_line(p, text, alphabet, brasp_make, err);
}

static at_status open_brasp(at_problem *p, at_err *err)
{
    return words_open(p, brasp_read, err);
}

static at_status parse_brasp(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, brasp_read, err);
}

const at_lang at_lang_brasp = {.id = "brasp",
                               .suffix = ".brasp",
                               .about = "a program in B-RASP, docs/languages.md",
                               .open = open_brasp,
                               .parse = parse_brasp,
                               .line = line_brasp,
                               .given = true};
