/* report_places.c: the section of the report that draws where problems lie: boxes in boxes, AC0 in ACC0 in TC0 in NC1, and the Chomsky
 * hierarchy; a problem stands in the least class that is known to have it. Below it a table with the reasons, and the claims of the
 * page that are about it. Problems without a claim on the page are left out, and so is the section where only one is left. */
#include "report_internal.h"

#include <string.h>

enum { CLAIMS = 16, BOX_W = 178, LINE = 17, TOP = 26, GAP = 14 };

static bool on_page(const at_report_page *p, const char *claim)
{
    for (size_t i = 0; i < p->n_sections; i++)
        if (p->sections[i].known && !strcmp(p->sections[i].claim->id, claim))
            return true;
    return false;
}

/* The claims about a problem that the page has. */
static int claims_of(const at_report_page *p, const char *problem, const at_claim **out)
{
    const at_claim *all[CLAIMS];
    int n = at_task_place_claims(problem, all, CLAIMS), m = 0;
    for (int k = 0; k < n; k++)
        if (on_page(p, all[k]->id))
            out[m++] = all[k];
    return m;
}

static const at_lies *chain_of(const at_task_place *t, bool chomsky)
{
    return chomsky ? &t->chomsky : &t->circuit;
}

/* Boxes side by side, each inside the next: what is in box k is in all that follow it. A problem that is open below its class has a
 * question mark. */
static void chain_draw(at_text *t, const at_report_page *p, bool chomsky)
{
    const char *const *names = chomsky ? at_chomsky_names : at_class_names;
    int n = chomsky ? AT_CHOMSKYS : AT_CLASSES, most = 0, in[AT_CLASSES] = {0};
    const at_claim *unused[CLAIMS];
    const at_task_place *x;
    for (int k = 0; (x = at_task_place_at(k)); k++)
        if (chain_of(x, chomsky)->least >= 0 && claims_of(p, x->problem, unused)) {
            int c = ++in[chain_of(x, chomsky)->least];
            most = c > most ? c : most;
        }
    while (n > 1 && !in[n - 1])
        n--;
    int inner = TOP + LINE * (most ? most : 1) + GAP, height = inner + 2 * GAP * (n - 1) + 4,
        width = BOX_W * n + GAP * n + 4;
    at_text_addf(
        t, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\"><title>%s</title><g font-size=\"12\">\n",
        width, height, width, chomsky ? "the Chomsky hierarchy" : "circuit classes");
    for (int k = n - 1; k >= 0; k--) { /* the outermost first */
        int pad = GAP * (n - 1 - k);
        at_text_addf(t,
                     "<rect x=\"2\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0072b2\" "
                     "fill-opacity=\"0.06\" stroke=\"currentColor\" stroke-opacity=\"0.4\"/>\n",
                     2 + pad, BOX_W * (k + 1) + GAP * k, height - 4 - 2 * pad);
        at_text_addf(t, "<text x=\"%d\" y=\"%d\" font-weight=\"600\" fill=\"currentColor\">%s</text>\n",
                     BOX_W * k + GAP * k + 12, 2 + GAP * (n - 1) + 18, names[k]);
    }
    int row[AT_CLASSES] = {0};
    for (int k = 0; (x = at_task_place_at(k)); k++) {
        const at_lies *l = chain_of(x, chomsky);
        if (l->least < 0 || !claims_of(p, x->problem, unused))
            continue;
        bool open = l->not_in + 1 < l->least;
        at_text_addf(t, "<text x=\"%d\" y=\"%d\" fill=\"currentColor\">%s%s%s</text>\n",
                     BOX_W * l->least + GAP * l->least + 12, 2 + GAP * (n - 1) + TOP + LINE * ++row[l->least],
                     x->problem, l->complete ? " ●" : "", open ? " ?" : "");
    }
    at_text_add(t, "</g></svg>\n");
}

static void reason_add(at_text *t, const at_lies *l, const char *const *names)
{
    if (l->least < 0) {
        at_text_add(t, "<td></td>");
        return;
    }
    at_text_addf(t, "<td>%s%s <span class=\"tiny\">(", names[l->least], l->complete ? ", complete" : "");
    at_text_add_html(t, l->why_in);
    at_text_add(t, ")</span>");
    if (l->not_in >= 0) {
        at_text_addf(t, "; not %s <span class=\"tiny\">(", names[l->not_in]);
        at_text_add_html(t, l->why_not);
        at_text_add(t, ")</span>");
    }
    at_text_add(t, "</td>");
}

void at_report_places(at_text *t, const at_report_page *p)
{
    const at_claim *claims[CLAIMS];
    const at_task_place *x;
    int placed = 0, words = 0;
    for (int k = 0; (x = at_task_place_at(k)); k++)
        if (claims_of(p, x->problem, claims)) {
            placed++;
            words += x->chomsky.least >= 0;
        }
    if (placed < 2) /* a picture of one problem shows nothing */
        return;
    at_text_add(t,
                "<section id=\"places\">\n<h2>Where the problems lie</h2>\n"
                "<p>Each problem stands in the least class that is known to have it; each class lies in the "
                "next. ● complete for it, ? open below it. Classes are by theorems, cited in the table; what "
                "was built, checked or refuted here are the claims.</p>\n<div class=\"scroll\">\n");
    chain_draw(t, p, false);
    if (words) {
        at_text_add(t, "</div>\n<div class=\"scroll\">\n");
        chain_draw(t, p, true);
    }
    at_text_add(t,
                "</div>\n<details><summary>Why, and by which claims</summary>\n<div class=\"scroll\"><table "
                "class=\"wide\"><thead><tr><th>problem</th><th>circuits</th><th>Chomsky</th><th>claims</th>"
                "</tr></thead>\n<tbody>\n");
    for (int k = 0; (x = at_task_place_at(k)); k++) {
        int n = claims_of(p, x->problem, claims);
        if (!n)
            continue;
        at_text_addf(t, "<tr><td>%s <span class=\"tiny\">", x->problem);
        at_text_add_html(t, x->about);
        at_text_add(t, "</span></td>");
        reason_add(t, &x->circuit, at_class_names);
        reason_add(t, &x->chomsky, at_chomsky_names);
        at_text_add(t, "<td>");
        for (int i = 0; i < n; i++)
            at_text_addf(t, "%s<code>%s</code>", i ? ", " : "", claims[i]->id);
        at_text_add(t, "</td></tr>\n");
    }
    at_text_add(t, "</tbody></table></div></details>\n</section>\n");
}
