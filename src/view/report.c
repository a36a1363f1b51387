/* report.c: the report, one HTML file that needs nothing else.
 *
 *     head      what attest is, the build, tallies: claims holding, controls rejected
 *     summary   one row a claim: statement, what its verdicts rest on, size, control
 *     map       least sizes: bounds, constructions, trained models (map_show.c), when the caller has one
 *     sections  one a claim: source, statement, program, cells, control, plots, attention
 *     trained   rows of role "trained", of any build (report_trained.c); they count for no claim
 *     rest      what `attest refute` said, which counts for no claim; and all other rows: nothing is hidden
 *
 * Invariants:
 *   1. A claim holds only when it has cells and every one of them says "holds". "unknown", an empty verdict
 *      and any word this file does not know are shown as unknown; no cells is "not checked". Never a pass.
 *   2. A control is rejected only when its verdict is "fails". A control that holds is a failure of the check.
 *   3. Every string is escaped (view_html); the only markup taken from the caller is SVG made by this module.
 *      A content policy forbids scripts and fetches, should an escape ever be forgotten. */
#include "view_internal.h"

#include <math.h>
#include <string.h>

typedef enum { HOLDS, FAILS, UNKNOWN, NOT_CHECKED } verdict;
static const char *const verdict_class[] = {"holds", "fails", "unknown", "unknown"};
static const char *const claim_word[] = {"holds", "fails", "unknown", "not checked"};
static const char *const control_word[] = {"not rejected", "rejected", "undecided", "no control"};

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

static verdict row_verdict(const at_row *r)
{
    return same(r->rec.verdict, "holds") ? HOLDS : same(r->rec.verdict, "fails") ? FAILS : UNKNOWN;
}

static bool is_control(const at_row *r)
{
    return same(r->rec.role, "control");
}

/* A table of measurements is no verdict: it is shown, and counts for nothing. */
static bool is_table(const at_row *r)
{
    return same(r->rec.role, "table");
}

/* What `attest refute` said of somebody's model. It speaks of no claim, even where the task bears a claim's name. */
static bool is_refutation(const at_row *r)
{
    return same(r->rec.role, "refutation");
}

static bool in_role(const at_row *r, bool control)
{
    return control ? is_control(r) : !is_control(r) && !is_table(r);
}

/* A control does its work by failing: the colour of its verdict is turned round. */
static verdict row_color(const at_row *r)
{
    verdict v = row_verdict(r);
    return !is_control(r) || v == UNKNOWN ? v : v == FAILS ? HOLDS : FAILS;
}

static const char *row_word(const at_row *r)
{
    if (is_refutation(r))
        return row_verdict(r) == FAILS ? "refuted" : "not refuted";
    return is_control(r) ? control_word[row_verdict(r)] : claim_word[row_verdict(r)];
}

static bool belongs(const at_row *r, const at_report_claim *c)
{
    return same(r->key.subject, c->id) && !view_is_trained(r) && !is_refutation(r);
}

/* What the rows of one role say together: all must be good; one bad is bad; else unknown. */
static verdict role_verdict(const at_report_claim *c, const at_row *rows, size_t n, bool control)
{
    verdict v = NOT_CHECKED;
    for (size_t i = 0; i < n; i++) {
        if (!belongs(&rows[i], c) || !in_role(&rows[i], control))
            continue;
        verdict r = row_color(&rows[i]);
        if (v == NOT_CHECKED || r == FAILS || (r == UNKNOWN && v == HOLDS))
            v = r;
    }
    return v;
}

/* A certificate covers every input of the size: more than a count can say. */
static bool is_uncountable(const at_row *r)
{
    return r->rec.inputs >= INT64_MAX;
}

static const char *inputs_text(char out[32], const at_row *r)
{
    return is_uncountable(r) ? "all" : view_count(out, r->rec.inputs);
}

/* ---- pieces -------------------------------------------------------------------------------------- */

static void pill(at_text *t, verdict color, const char *word)
{
    static const char *const sign[] = {"\xE2\x9C\x93", "\xE2\x9C\x97", "?", "?"};
    at_text_addf(t, "<span class=\"pill %s\">%s ", verdict_class[color], sign[color]);
    view_html(t, word);
    at_text_add(t, "</span>");
}

static void row_pill(at_text *t, const at_row *r)
{
    pill(t, row_color(r), row_word(r));
}

/* An id for an anchor: the claim's place, so that foreign ids cannot clash or break out. */
static void link_add(at_text *t, int k, const char *id)
{
    at_text_addf(t, "<a href=\"#claim-%d\">", k + 1);
    view_html(t, id);
    at_text_add(t, "</a>");
}

static void row_line(at_text *t, const at_report_claim *c, const at_row *r)
{
    char number[32];
    at_text_add(t, "<div class=\"line\">");
    row_pill(t, r);
    at_text_add(t, " ");
    view_html(t, r->rec.evidence ? r->rec.evidence : "no evidence");
    if (r->key.params && *r->key.params) {
        at_text_add(t, " \xC2\xB7 ");
        view_html(t, r->key.params);
    }
    bool inputs = r->rec.inputs > 0, margin = !isnan(r->rec.margin);
    at_text_add(t, inputs || margin ? "<div class=\"tiny\">" : "");
    if (inputs)
        at_text_addf(t, "%s %s%s", inputs_text(number, r), c->trial ? "case" : "input",
                     r->rec.inputs == 1 ? "" : "s");
    if (margin)
        at_text_addf(t, "%sleast margin %s", inputs ? " \xC2\xB7 " : "", view_number(number, r->rec.margin));
    at_text_add(t, inputs || margin ? "</div></div>\n" : "</div>\n");
}

static int severity(const at_row *r)
{
    static const int order[] = {2, 0, 1, 1};
    return order[row_color(r)];
}

/* Shows the rows of one role in the summary: what failed first, then by inputs covered; at most four. */
static void role_lines(at_text *t, const at_report_claim *c, const at_row *rows, size_t n, bool control)
{
    enum { MOST = 4 };
    size_t shown[MOST];
    int k = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        if (!belongs(&rows[i], c) || !in_role(&rows[i], control))
            continue;
        all++;
        int at = k < MOST ? k++ : MOST;
        for (; at > 0; at--) { /* insertion, stable */
            const at_row *a = &rows[shown[at - 1]], *b = &rows[i];
            bool before =
                severity(b) < severity(a) || (severity(b) == severity(a) && b->rec.inputs > a->rec.inputs);
            if (!before)
                break;
            if (at < MOST)
                shown[at] = shown[at - 1];
        }
        if (at < MOST)
            shown[at] = i;
    }
    for (int i = 0; i < k; i++)
        row_line(t, c, &rows[shown[i]]);
    if (!all)
        pill(t, NOT_CHECKED, control ? control_word[NOT_CHECKED] : claim_word[NOT_CHECKED]);
    if (all > k)
        at_text_addf(t, "<div class=\"tiny\">and %d more below</div>\n", all - k);
}

/* ---- head ---------------------------------------------------------------------------------------- */

static void tally(at_text *t, verdict color, int count, int of, const char *what)
{
    at_text_addf(t, "<div class=\"tally %s\"><b>%d of %d</b>%s</div>\n", verdict_class[color], count, of,
                 what);
}

static void head_html(at_text *t, const at_report_claim *claims, int n, const at_row *rows, size_t n_rows,
                      const char *build)
{
    int holding = 0, failing = 0, unknown = 0, controls = 0, rejected = 0, accepted = 0;
    uint64_t inputs = 0;
    for (int k = 0; k < n; k++) {
        verdict v = role_verdict(&claims[k], rows, n_rows, false);
        holding += v == HOLDS;
        failing += v == FAILS;
        unknown += v == UNKNOWN || v == NOT_CHECKED;
    }
    for (size_t i = 0; i < n_rows; i++) {
        /* inputs that were run; what a proof covers cannot be counted with them */
        if (!is_table(&rows[i]) && !view_is_trained(&rows[i]) && !is_refutation(&rows[i]) &&
            !is_uncountable(&rows[i]))
            inputs = inputs + rows[i].rec.inputs < inputs ? UINT64_MAX : inputs + rows[i].rec.inputs;
        controls += is_control(&rows[i]);
        rejected += is_control(&rows[i]) && row_verdict(&rows[i]) == FAILS;
        accepted += is_control(&rows[i]) && row_verdict(&rows[i]) == HOLDS;
    }
    at_text_add(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'\">\n<title>attest report</title>\n<style>\n");
    at_text_add(t, view_report_style);
    at_text_add(
        t,
        "</style>\n</head>\n<body>\n<header>\n<h1>attest</h1>\n"
        "<p class=\"lead\">Theorems about what transformers can compute, turned into concrete weights and "
        "checked; and limits, with protocols that run and models that are refuted. Beside every claim stands "
        "a "
        "control: a model that is known to be wrong, or a limit with one number changed so that it is none, "
        "and the same check must reject it.</p>\n<p class=\"tiny\">build <code>");
    view_html(t, build ? build : "unknown");
    at_text_add(t, "</code></p>\n<div class=\"tallies\">\n");
    verdict claims_color = failing ? FAILS : holding == n && n ? HOLDS : UNKNOWN;
    verdict controls_color = accepted ? FAILS : rejected == controls && controls ? HOLDS : UNKNOWN;
    tally(t, claims_color, holding, n, "claims hold");
    tally(t, controls_color, rejected, controls, "controls rejected");
    if (failing)
        tally(t, FAILS, failing, n, "claims fail");
    if (unknown)
        tally(t, UNKNOWN, unknown, n, "claims undecided or not checked");
    char number[32];
    at_text_addf(t, "<div class=\"tally\"><b>%s</b>inputs and cases run</div>\n</div>\n",
                 view_count(number, inputs));
    at_text_add(t, "<p class=\"tiny\"><b>exact</b>: every input of that size was run, every case looked at. "
                   "<b>certified</b>: all "
                   "inputs of that size are covered by a proof over the stored weights. <b>sampled</b>: "
                   "inputs were drawn; nothing is "
                   "proved beyond them. <b>simulated</b>: protocols were run, and every message counted. "
                   "<b>refuted</b>: "
                   "a wrong input of each model was found and run again; of a limit that is what holds. "
                   "<b>margin</b>: the least distance to another answer over the inputs covered. "
                   "<b>unknown</b> is never a pass.</p>\n</header>\n");
}

static void summary_html(at_text *t, const at_report_claim *claims, int n, const at_row *rows, size_t n_rows)
{
    at_text_add(
        t, "<main>\n<h2>Claims</h2>\n<div class=\"scroll\"><table class=\"wide\">\n<thead><tr><th>claim</th>"
           "<th>statement</th><th class=\"broad\">verdicts</th><th>model</th><th "
           "class=\"mid\">control</th></tr></thead>\n<tbody>\n");
    for (int k = 0; k < n; k++) {
        const at_report_claim *c = &claims[k];
        verdict v = role_verdict(c, rows, n_rows, false);
        if (c->group && (!k || !claims[k - 1].group || strcmp(c->group, claims[k - 1].group))) {
            at_text_add(t, "<tr class=\"group\"><th colspan=\"5\">");
            view_html(t, c->group);
            at_text_add(t, "</th></tr>\n");
        }
        at_text_add(t, "<tr><td><b>");
        link_add(t, k, c->id ? c->id : "unnamed");
        at_text_add(t, "</b><br>");
        pill(t, v, claim_word[v]);
        at_text_add(t, "</td><td>");
        view_html(t, c->statement);
        at_text_add(t, "</td><td class=\"stack\" data-label=\"verdicts\">");
        role_lines(t, c, rows, n_rows, false);
        at_text_add(t, "</td><td class=\"stack\" data-label=\"model\">");
        view_html(t, c->size);
        at_text_add(t, "</td><td class=\"stack\" data-label=\"control\">");
        role_lines(t, c, rows, n_rows, true);
        at_text_add(t, "</td></tr>\n");
    }
    at_text_add(t, "</tbody></table></div>\n");
}

/* ---- sections ------------------------------------------------------------------------------------ */

static bool is_trial(const at_report_claim *c)
{
    return c && c->trial;
}

static void cell_html(at_text *t, const char *label, const char *value, bool number)
{
    at_text_addf(t, "<td%s data-label=\"%s\">", number ? " class=\"num\"" : "", label);
    view_html(t, value && *value ? value : "\xE2\x80\x93");
    at_text_add(t, "</td>");
}

/* c: the claim that the row is of; NULL: one that the catalogue does not have, so the row names it. */
static void row_html(at_text *t, const at_report_claim *c, const at_row *r)
{
    char number[32];
    const at_record *rec = &r->rec;
    bool more = rec->detail && *rec->detail && strcmp(rec->detail, "{}");
    at_text_addf(t, "<tr%s>", more ? " class=\"has-more\"" : "");
    if (!c)
        cell_html(t, "subject", r->key.subject, false);
    at_text_add(t, "<td data-label=\"verdict\">");
    row_pill(t, r);
    at_text_add(t, "</td>");
    cell_html(t, "parameters", r->key.params, false);
    cell_html(t, "evidence", rec->evidence, false);
    cell_html(t, "arithmetic", rec->arithmetic, false);
    cell_html(t, is_trial(c) ? "cases" : "inputs", rec->inputs ? inputs_text(number, r) : NULL, true);
    if (!is_trial(c)) /* which has none */
        cell_html(t, "least margin", view_number(number, rec->margin), true);
    cell_html(t, "seconds", view_number(number, rec->seconds), true);
    at_text_add(t, "</tr>\n");
    if (!more)
        return;
    at_text_addf(t, "<tr class=\"more\"><td colspan=\"%d\">", !c ? 8 : c->trial ? 6 : 7);
    view_detail_html(t, rec->detail);
    at_text_add(t, "</td></tr>\n");
}

static void cells_begin(at_text *t, const at_report_claim *c)
{
    at_text_addf(
        t,
        "<div class=\"scroll\"><table class=\"wide\">\n<thead><tr>%s<th>verdict</th><th>parameters</th>"
        "<th>evidence</th><th>arithmetic</th><th class=\"num\">%s<th "
        "class=\"num\">seconds</th></tr></thead>\n"
        "<tbody>\n",
        c ? "" : "<th>subject</th>",
        is_trial(c) ? "cases</th>" : "inputs</th><th class=\"num\">least margin</th>");
}

static void cells_end(at_text *t)
{
    at_text_add(t, "</tbody></table></div>\n");
}

static void role_html(at_text *t, const at_report_claim *c, const at_row *rows, size_t n, bool control)
{
    at_text_add(t, !control   ? "<h3>Cells</h3>\n"
                   : c->trial ? "<h3>Control: one number changed, so that it must not hold</h3>\n"
                              : "<h3>Control: a wrong model that must be rejected</h3>\n");
    if (role_verdict(c, rows, n, control) == NOT_CHECKED) {
        at_text_add(t, "<p>");
        pill(t, NOT_CHECKED, control ? control_word[NOT_CHECKED] : claim_word[NOT_CHECKED]);
        at_text_add(t, "</p>\n");
        return;
    }
    cells_begin(t, c);
    for (size_t i = 0; i < n; i++)
        if (belongs(&rows[i], c) && in_role(&rows[i], control))
            row_html(t, c, &rows[i]);
    cells_end(t);
}

static void measurements_html(at_text *t, const at_report_claim *c, const at_row *rows, size_t n)
{
    bool any = c->n_plots > 0;
    for (size_t i = 0; i < n; i++)
        any = any || (belongs(&rows[i], c) && is_table(&rows[i]));
    if (!any)
        return;
    at_text_add(t, "<h3>Measurements</h3>\n");
    for (size_t i = 0; i < n; i++)
        if (belongs(&rows[i], c) && is_table(&rows[i]))
            view_detail_html(t, rows[i].rec.detail);
    at_text_add(t, "<div class=\"plots\">\n");
    for (int i = 0; i < c->n_plots; i++)
        at_text_addf(t, "<figure>%s</figure>\n", c->plots[i]);
    at_text_add(t, "</div>\n");
}

static void claim_html(at_text *t, const at_report_claim *c, int k, const at_row *rows, size_t n)
{
    verdict v = role_verdict(c, rows, n, false);
    at_text_addf(t, "<section id=\"claim-%d\">\n<h2><span>", k + 1);
    view_html(t, c->title && *c->title ? c->title : c->id);
    at_text_add(t, "</span> ");
    pill(t, v, claim_word[v]);
    at_text_add(t, "</h2>\n<p class=\"tiny\"><code>");
    view_html(t, c->id);
    at_text_add(t, "</code>");
    if (c->source && *c->source) {
        at_text_add(t, " \xC2\xB7 ");
        view_html(t, c->source);
    }
    at_text_add(t, "</p>\n<div class=\"statement\">");
    view_html_block(t, c->statement);
    at_text_add(t, "</div>\n");
    if (c->size && *c->size) {
        at_text_add(t, "<p><span class=\"soft\">Model:</span> ");
        view_html(t, c->size);
        at_text_add(t, "</p>\n");
    }
    role_html(t, c, rows, n, false);
    role_html(t, c, rows, n, true);
    if (c->program && *c->program) {
        at_text_add(t, "<h3>Program</h3>\n<pre>");
        view_html_block(t, c->program);
        at_text_add(t, "</pre>\n");
    }
    measurements_html(t, c, rows, n);
    if (c->svg)
        at_text_addf(t, "<h3>Attention</h3>\n<figure class=\"look\">%s</figure>\n", c->svg);
    at_text_add(t, "</section>\n");
}

static void rest_html(at_text *t, const at_report_claim *claims, int n, const at_row *rows, size_t n_rows,
                      bool refutations)
{
    bool any = false;
    for (size_t i = 0; i < n_rows; i++) {
        bool known = view_is_trained(&rows[i]) || is_refutation(&rows[i]) != refutations;
        for (int k = 0; k < n && !known; k++)
            known = belongs(&rows[i], &claims[k]);
        if (known)
            continue;
        if (!any) {
            at_text_add(t, refutations
                               ? "<section>\n<h2>Models that attest refute was given</h2>\n<p>Refuted: it "
                                 "was run on an input and is wrong there. Not refuted proves "
                                 "nothing.</p>\n"
                               : "<section>\n<h2>Other entries of the ledger</h2>\n");
            cells_begin(t, NULL);
        }
        any = true;
        row_html(t, NULL, &rows[i]);
    }
    if (any) {
        cells_end(t);
        at_text_add(t, "</section>\n");
    }
}

static at_status svg_check(const char *svg, const char *id, at_err *err)
{
    if (svg && strncmp(svg, "<svg ", 5))
        return at_fail(err, AT_EINPUT, "a picture of claim %s is not an SVG made by this library",
                       id ? id : "unnamed");
    return AT_OK;
}

at_status view_report_html(const at_report_claim *claims, int n, const at_map *map, const at_row *rows,
                           size_t n_rows, const char *build, at_text *html, at_err *err)
{
    for (int k = 0; k < n; k++) {
        at_status s = svg_check(claims[k].svg, claims[k].id, err);
        for (int i = 0; !s && i < claims[k].n_plots; i++)
            s = svg_check(claims[k].plots[i] ? claims[k].plots[i] : "", claims[k].id, err);
        if (s)
            return s;
    }
    at_text t;
    at_text_init(&t);
    head_html(&t, claims, n, rows, n_rows, build);
    summary_html(&t, claims, n, rows, n_rows);
    at_status s = map ? view_map_html(&t, map, err) : AT_OK;
    for (int k = 0; k < n; k++)
        claim_html(&t, &claims[k], k, rows, n_rows);
    if (!s)
        s = view_trained_html(&t, rows, n_rows, build, err);
    rest_html(&t, claims, n, rows, n_rows, true);
    rest_html(&t, claims, n, rows, n_rows, false);
    at_text_add(
        &t, "</main>\n<footer class=\"tiny\">Written by attest. Every number above comes from the ledger; "
            "run the same build to see them again.</footer>\n</body>\n</html>\n");
    return view_text_end(s, &t, html, err);
}

at_status at_report_html(const at_report_claim *claims, int n, const at_row *rows, size_t n_rows,
                         const char *build, at_text *html, at_err *err)
{
    return view_report_html(claims, n, NULL, rows, n_rows, build, html, err);
}
