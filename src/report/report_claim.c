/* report_claim.c: one section of the report: a claim, or another subject of the ledger.
 *
 *     title, verdict, source            always there
 *     statement                         with its formulas
 *     what speaks for it, its controls  the few that say most
 *     folded: proof beside program and weights; every cell; every control; measurements; attention; how to repeat
 *
 * What does not stand is unfolded: a reader must not look for it. */
#include "report_internal.h"

#include <stdio.h>
#include <string.h>

/* n: how many there are, 0: nobody counts; more: what is said behind it. */
static void fold_begin(at_text *t, bool open, const char *what, size_t n, const char *more)
{
    at_text_addf(t, "<details%s><summary>%s", open ? " open=\"open\"" : "", what);
    if (n)
        at_text_addf(t, " <span class=\"count\">%zu%s</span>", n, more);
    at_text_add(t, "</summary>\n");
}

static void fold_end(at_text *t)
{
    at_text_add(t, "</details>\n");
}

static void heading_html(at_text *t, const at_report_section *s)
{
    const at_report_claim *c = s->claim;
    at_text_addf(t, "<section class=\"claim\" id=\"%s\">\n<h3><a class=\"self\" href=\"#%s\">", s->anchor,
                 s->anchor);
    at_report_math(t, c->title && *c->title ? c->title : c->id);
    at_text_add(t, "</a> ");
    at_report_verdict(t, s, true);
    at_text_add(t, "</h3>\n<p class=\"tiny\"><code>");
    at_text_add_html(t, c->id);
    at_text_add(t, "</code>");
    if (c->source && *c->source) {
        at_text_add(t, " \xC2\xB7 ");
        at_text_add_html(t, c->source);
    }
    at_text_add(t, "</p>\n");
    if (c->statement && *c->statement) {
        at_text_add(t, "<div class=\"statement\">");
        at_report_math(t, c->statement);
        at_text_add(t, "</div>\n");
    }
}

/* ---- proof, program, weights ------------------------------------------------------------------------------ */

/* As text in columns: of all the tables on the page these have most rows, and least to say in each. */
static void weights_html(at_text *t, const at_report_section *s)
{
    const at_report_claim *c = s->claim;
    enum { MOST = 6 }; /* where there are many sections */
    char number[32];
    int name = 6, shape = 5, n_shown = s->few || c->n_tensors < MOST ? c->n_tensors : MOST;
    at_text_add(t, "<div class=\"part\"><h4>Weights</h4>\n");
    if (c->size && *c->size) {
        at_text_add(t, "<p class=\"tiny\">");
        at_text_add_html(t, c->size);
        at_text_add(t, "</p>\n");
    }
    if (c->hash) {
        at_text_add(t, "<p class=\"tiny\"><code>attest build ");
        at_text_add_html(t, c->id);
        if (c->look_set && *c->look_set) {
            at_text_add(t, " --set ");
            at_text_add_html(t, c->look_set);
        }
        at_text_add(t, " -o model.safetensors</code><br />\nsha-256 <code class=\"hash\">");
        at_text_add_html(t, c->hash);
        at_text_add(t, "</code></p>\n");
    }
    for (int i = 0; i < n_shown; i++) {
        int n = at_text_columns(c->tensors[i].name), k = at_text_columns(c->tensors[i].shape);
        name = n > name ? n : name;
        shape = k > shape ? k : shape;
    }
    at_text_addf(t, "<pre tabindex=\"0\"><b>%-*s  %-*s  not 0  largest  values</b>\n", name, "tensor", shape,
                 "shape");
    for (int i = 0; i < n_shown; i++) {
        const at_report_tensor *w = &c->tensors[i];
        at_text_add_html(t, w->name);
        at_text_addf(t, "%*s", name - at_text_columns(w->name) + 2, "");
        at_text_add_html(t, w->shape);
        at_text_addf(t, "%*s%5zu  %7s", shape - at_text_columns(w->shape) + 2, "", w->nonzero,
                     at_number_text(number, w->largest));
        if (w->values && *w->values && w->nonzero) {
            at_text_add(t, "  ");
            at_text_add_html(t, w->values);
        }
        at_text_add(t, "\n");
    }
    at_text_add(t, "</pre>\n");
    int more = c->more_tensors + c->n_tensors - n_shown;
    if (more)
        at_text_addf(t, "<p class=\"tiny\">and %d more tensor%s</p>\n", more, more == 1 ? "" : "s");
    at_text_add(t, "</div>\n");
}

/* Among many, a program without the ranges of its values, and of a long one the beginning; `attest show` prints all of it. */
static void program_html(at_text *t, const at_report_section *s)
{
    enum { MOST = 8, LONG = 12 };
    static const char range[] = "   # in ";
    const at_report_claim *c = s->claim;
    at_text shown;
    int lines = 0, all = 0;
    for (const char *at = c->program; (at = strchr(at, '\n')); at++)
        all++;
    bool whole = s->few || c->file;
    int most = whole || all <= LONG ? all + 1 : MOST;
    at_text_init(&shown);
    for (const char *at = c->program; *at && lines < most; lines++) {
        size_t n = strcspn(at, "\n"), end = n;
        for (size_t k = 0; k + sizeof range <= n && !whole && end == n; k++)
            end = strncmp(at + k, range, sizeof range - 1) ? n : k;
        at_text_addn(&shown, at, end);
        at_text_add(&shown, at[n] ? "\n" : "");
        at += n + (at[n] == '\n');
    }
    at_text_add_html_block(t, shown.s ? shown.s : "");
    t->oom = t->oom || shown.oom;
    at_text_release(&shown);
    at_text_add(t, "</pre>");
    if (lines >= all)
        return;
    at_text_addf(t, "<p class=\"tiny\">and %d more lines: <code>attest show ", all - lines);
    at_text_add_html(t, c->id);
    if (c->look_set && *c->look_set) {
        at_text_add(t, " --set ");
        at_text_add_html(t, c->look_set);
    }
    at_text_add(t, "</code></p>\n");
}

static void proof_html(at_text *t, const at_report_section *s)
{
    const at_report_claim *c = s->claim;
    bool proof = c->proof && *c->proof, program = c->program && *c->program;
    if (!proof && !program && !c->n_tensors)
        return;
    fold_begin(t, s->few,
               c->file    ? "Proof, and the file"
               : !program ? "Proof"
               : proof    ? "Proof, program and weights"
                          : "Program and weights",
               0, "");
    at_text_add(t, "<div class=\"beside\">\n");
    if (proof) {
        at_text_add(t, "<div class=\"part prove\"><h4>Proof</h4>\n<p>");
        at_report_math(t, c->proof);
        at_text_add(t, "</p></div>\n");
    }
    if (program) {
        at_text_addf(t, "<div class=\"part%s\"><h4>%s</h4>\n<pre tabindex=\"0\">",
                     c->n_tensors ? " tall" : "", c->file ? "File" : "Program");
        program_html(t, s);
        at_text_add(t, "</div>\n");
    }
    if (c->n_tensors)
        weights_html(t, s);
    at_text_add(t, "</div>\n");
    fold_end(t);
}

/* ---- cells, measurements, attention --------------------------------------------------------------------------- */

static void rows_html(at_text *t, const at_report_section *s, bool control, bool open, const at_row **room)
{
    size_t n = at_report_pick(s, control, room);
    if (!n)
        return;
    char seed[40] = "";
    if (!at_report_seeds_differ(room, n))
        snprintf(seed, sizeof seed, " \xC2\xB7 seed %llu", (unsigned long long)room[0]->rec.seed);
    fold_begin(t, open,
               !control          ? "Checks"
               : s->claim->trial ? "Controls: one number changed, so that it must not hold"
                                 : "Controls: a wrong model that must be rejected",
               n, seed);
    if (!control)
        at_report_common(t, s);
    at_report_rows(t, s, room, n);
    fold_end(t);
}

/* The plots of a table, or those of none. */
static void plots_html(at_text *t, const at_report_claim *c, const at_row *table)
{
    bool any = false;
    for (int i = 0; i < c->n_plots; i++) {
        if (c->plots[i].table != table)
            continue;
        at_text_add(t, any ? "<figure>" : "<div class=\"plots\">\n<figure>");
        at_report_svg(t, c->plots[i].svg);
        at_text_add(t, "</figure>\n");
        any = true;
    }
    at_text_add(t, any ? "</div>\n" : "");
}

static void measurements_html(at_text *t, const at_report_section *s)
{
    size_t tables = 0;
    for (size_t i = 0; i < s->n; i++)
        tables += at_row_is_table(s->rows[i]);
    if (!tables && !s->claim->n_plots)
        return;
    fold_begin(t, false, "Measurements", tables, "");
    plots_html(t, s->claim, NULL);
    for (size_t i = 0; i < s->n; i++)
        if (at_row_is_table(s->rows[i])) {
            at_text_add(t, "<div class=\"measured\">\n");
            at_report_detail(t, s->rows[i]);
            plots_html(t, s->claim, s->rows[i]);
            at_text_add(t, "</div>\n");
        }
    fold_end(t);
}

static void attention_html(at_text *t, const at_report_claim *c)
{
    if (!c->svg)
        return;
    at_text_add(t,
                c->film ? "<details open><summary>Attention while it learns" : "<details><summary>Attention");
    if (c->look && *c->look) {
        at_text_add(t, " on the input <code>");
        at_text_add_html(t, c->look);
        at_text_add(t, "</code>");
    }
    at_text_add(t, "</summary>\n<figure class=\"look\">");
    at_report_svg(t, c->svg);
    at_text_add(t, "</figure>\n</details>\n");
}

/* The question again; where it is not known with which options it was asked, the claim again. */
static void repeat_html(at_text *t, const at_report_page *p, const at_report_section *s)
{
    const at_report_claim *c = s->claim;
    const char *options = c->asked ? "" : p->about->options;
    const char *words = c->repeat ? c->repeat : c->file ? NULL : c->id;
    if (!s->known || !s->n || !words)
        return;
    at_text_addf(t, "<p class=\"tiny repeat\">%s: <code>attest check ",
                 options ? "Repeat" : "Check it again");
    at_text_add_html(t, words);
    at_text_add(t, options && *options ? " " : "");
    at_text_add_html(t, options ? options : "");
    at_text_addf(t, " --seed %llu</code>", (unsigned long long)s->rows[0]->rec.seed);
    at_text_add(t, "</p>\n");
}

void at_report_section_html(at_text *t, const at_report_page *p, const at_report_section *s,
                            const at_row **room)
{
    bool stands = at_tally_role(&s->tally, false) == AT_STANDS;
    at_standing controls = at_tally_role(&s->tally, true);
    heading_html(t, s);
    at_report_lines(t, s, false, stands ? 1 : 3);
    if ((s->known && !s->claim->asked) || controls != AT_ABSENT) {
        at_text_add(t, "<p class=\"soft against\">Control</p>\n");
        at_report_lines(t, s, true, 1);
    }
    proof_html(t, s);
    rows_html(t, s, false, s->few || !stands, room);
    rows_html(t, s, true, controls == AT_FALLS || controls == AT_OPEN, room);
    at_report_models(t, s->rows, s->n, s->few);
    measurements_html(t, s);
    attention_html(t, s->claim);
    repeat_html(t, p, s);
    at_text_add(t, "</section>\n");
}
