/* report_claim.c: one section of the report: a claim, or another subject of the ledger.
 *
 *     title, verdict, source            always there
 *     statement                         with its formulas
 *     what speaks for it, its controls  the few that say most
 *     folded: proof beside program and weights; every cell; every control; measurements; attention; how to repeat
 *
 * What does not stand is unfolded: a reader must not look for it. */
#include "report_internal.h"

#include <string.h>

static void fold_begin(at_text *t, bool open, const char *what, size_t n)
{
    at_text_addf(t, "<details%s><summary>%s", open ? " open=\"open\"" : "", what);
    if (n)
        at_text_addf(t, " <span class=\"count\">%zu</span>", n);
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

static void weights_html(at_text *t, const at_report_claim *c)
{
    char number[32];
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
    at_text_add(t,
                "<div class=\"scroll\"><table class=\"data\"><thead><tr><th>tensor</th><th>shape</th>"
                "<th class=\"num\">not zero</th><th class=\"num\">largest</th><th>values</th></tr></thead>\n"
                "<tbody>\n");
    for (int i = 0; i < c->n_tensors; i++) {
        const at_report_tensor *w = &c->tensors[i];
        at_text_add(t, "<tr><td><code>");
        at_text_add_html(t, w->name);
        at_text_add(t, "</code></td><td>");
        at_text_add_html(t, w->shape);
        at_text_addf(t, "</td><td class=\"num\">%zu</td><td class=\"num\">%s</td><td>", w->nonzero,
                     at_number_text(number, w->largest));
        at_text_add_html(t, w->values ? w->values : "");
        at_text_add(t, "</td></tr>\n");
    }
    at_text_add(t, "</tbody></table></div>\n");
    if (c->more_tensors)
        at_text_addf(t, "<p class=\"tiny\">and %d more tensors</p>\n", c->more_tensors);
    at_text_add(t, "</div>\n");
}

static void proof_html(at_text *t, const at_report_section *s, bool open)
{
    const at_report_claim *c = s->claim;
    bool proof = c->proof && *c->proof, program = c->program && *c->program;
    if (!proof && !program && !c->n_tensors)
        return;
    fold_begin(t, open,
               c->file    ? "Proof, and the file"
               : !program ? "Proof"
               : proof    ? "Proof, program and weights"
                          : "Program and weights",
               0);
    at_text_add(t, "<div class=\"beside\">\n");
    if (proof) {
        at_text_add(t, "<div class=\"part prove\"><h4>Proof</h4>\n<p>");
        at_report_math(t, c->proof);
        at_text_add(t, "</p></div>\n");
    }
    if (program) {
        at_text_addf(t, "<div class=\"part%s\"><h4>%s</h4>\n<pre tabindex=\"0\">",
                     c->n_tensors ? " tall" : "", c->file ? "File" : "Program");
        at_text_add_html_block(t, c->program);
        at_text_add(t, "</pre></div>\n");
    }
    if (c->n_tensors)
        weights_html(t, c);
    at_text_add(t, "</div>\n");
    fold_end(t);
}

/* ---- cells, measurements, attention --------------------------------------------------------------------------- */

static void rows_html(at_text *t, const at_report_section *s, bool control, bool open, const at_row **room)
{
    size_t n = at_report_pick(s, control, room);
    if (!n)
        return;
    fold_begin(t, open,
               !control          ? "Cells"
               : s->claim->trial ? "Controls: one number changed, so that it must not hold"
                                 : "Controls: a wrong model that must be rejected",
               n);
    at_report_rows(t, s, room, n);
    fold_end(t);
}

static void measurements_html(at_text *t, const at_report_section *s)
{
    size_t tables = 0;
    for (size_t i = 0; i < s->n; i++)
        tables += at_row_is_table(s->rows[i]);
    if (!tables && !s->claim->n_plots)
        return;
    fold_begin(t, false, "Measurements", tables);
    at_text_add(t, "<div class=\"plots\">\n");
    for (int i = 0; i < s->claim->n_plots; i++) {
        at_text_add(t, "<figure>");
        at_report_svg(t, s->claim->plots[i]);
        at_text_add(t, "</figure>\n");
    }
    at_text_add(t, "</div>\n");
    for (size_t i = 0; i < s->n; i++)
        if (at_row_is_table(s->rows[i]))
            at_report_detail(t, s->rows[i]);
    fold_end(t);
}

static void attention_html(at_text *t, const at_report_claim *c)
{
    if (!c->svg)
        return;
    at_text_add(t, "<details><summary>Attention");
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

void at_report_section_html(at_text *t, const at_report_page *p, const at_report_section *s, bool open,
                            const at_row **room)
{
    bool stands = at_tally_role(&s->tally, false) == AT_STANDS;
    at_standing controls = at_tally_role(&s->tally, true);
    heading_html(t, s);
    at_report_lines(t, s, false, 2);
    if ((s->known && !s->claim->asked) || controls != AT_ABSENT) {
        at_text_add(t, "<p class=\"soft against\">Control</p>\n");
        at_report_lines(t, s, true, 1);
    }
    proof_html(t, s, open);
    rows_html(t, s, false, open || !stands, room);
    rows_html(t, s, true, controls == AT_FALLS || controls == AT_OPEN, room);
    measurements_html(t, s);
    attention_html(t, s->claim);
    repeat_html(t, p, s);
    at_text_add(t, "</section>\n");
}
