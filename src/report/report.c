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
 *   1. Rows are summed up by at_tally and nowhere else: the same words and numbers as on the terminal.
 *   2. Beside every verdict stands how much it rests on (at_row_strength): its sign, and the number.
 *   3. Every string is escaped (at_text_add_html); the only markup taken from the caller is SVG made by this module.
 *      A content policy forbids scripts and fetches, should an escape ever be forgotten. */
#include "report_internal.h"

#include <math.h>
#include <string.h>

static const char *const standing_class[AT_STANDINGS] = {"holds", "fails", "unknown", "unknown"};
static const char *const cell_word[AT_STANDINGS] = {"holds", "fails", "unknown", "not checked"};
static const char *const control_word[AT_STANDINGS] = {"rejected", "not rejected", "undecided", "left out"};

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
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
    return control ? at_row_is_control(r) : !at_row_is_control(r) && !is_table(r);
}

/* What the pill says of one row: a refutation has found something wrong, or is open. */
static at_standing row_color(const at_row *r)
{
    return !is_refutation(r) ? at_row_standing(r) : same(r->rec.verdict, "fails") ? AT_FALLS : AT_OPEN;
}

static const char *row_word(const at_row *r)
{
    if (is_refutation(r))
        return row_color(r) == AT_FALLS ? "refuted" : "not refuted";
    return (at_row_is_control(r) ? control_word : cell_word)[at_row_standing(r)];
}

static bool belongs(const at_row *r, const at_report_claim *c)
{
    return same(r->key.subject, c->id) && !at_row_is_trained(r) && !is_refutation(r);
}

static at_tally tally_of(const at_report_claim *c, const at_row *rows, size_t n)
{
    at_tally t = {0};
    for (size_t i = 0; i < n; i++)
        if (belongs(&rows[i], c))
            at_tally_add(&t, &rows[i]);
    return t;
}

/* The most that a cell which holds rests on. */
static const at_row *strongest(const at_report_claim *c, const at_row *rows, size_t n)
{
    const at_row *best = NULL;
    for (size_t i = 0; i < n; i++) {
        const at_row *r = &rows[i];
        if (!belongs(r, c) || !in_role(r, false) || at_row_standing(r) != AT_STANDS)
            continue;
        bool more = !best || at_row_strength(r) > at_row_strength(best) ||
                    (at_row_strength(r) == at_row_strength(best) && r->rec.inputs > best->rec.inputs);
        best = more ? r : best;
    }
    return best;
}

/* A certificate covers every input of the size: more than a count can say. */
static bool is_uncountable(const at_row *r)
{
    return r->rec.inputs >= INT64_MAX;
}

/* ---- pieces -------------------------------------------------------------------------------------- */

/* The pill of a verdict that rests on samples is drawn with a broken line, one of a single input in an open one. */
static void pill(at_text *t, at_standing color, at_strength strength, const char *word)
{
    static const char *const sign[] = {"\xE2\x9C\x93", "\xE2\x9C\x97", "?", "\xE2\x80\x93"};
    bool weak = color == AT_STANDS && strength <= AT_STRENGTH_SOME;
    at_text_addf(t, "<span class=\"pill %s%s%s\">%s ", standing_class[color], weak ? " " : "",
                 weak ? at_strength_names[strength] : "", sign[color]);
    at_text_add_html(t, word);
    at_text_add(t, "</span>");
}

static void row_pill(at_text *t, const at_row *r)
{
    pill(t, row_color(r), at_row_strength(r), row_word(r));
}

/* Sign and number: how much the verdict rests on. */
static void evidence_html(at_text *t, const at_report_claim *c, const at_row *r)
{
    char text[AT_EVIDENCE_TEXT];
    at_row_evidence(r, c && c->trial ? "case" : "input", text);
    at_text_addf(t, "<span class=\"strength\">%s</span> ", at_strength_signs[at_row_strength(r)]);
    at_text_add_html(t, text);
}

static void claim_pill(at_text *t, const at_report_claim *c, const at_row *rows, size_t n)
{
    at_tally all = tally_of(c, rows, n);
    const at_row *best = strongest(c, rows, n);
    at_standing v = at_tally_standing(&all);
    pill(t, v, best ? at_row_strength(best) : AT_STRENGTH_NONE, at_tally_word(&all));
    if (v != AT_STANDS || !best)
        return;
    at_text_add(t, " <span class=\"tiny\">");
    evidence_html(t, c, best);
    at_text_add(t, "</span>");
}

/* An id for an anchor: the claim's place, so that foreign ids cannot clash or break out. */
static void link_add(at_text *t, int k, const char *id)
{
    at_text_addf(t, "<a href=\"#claim-%d\">", k + 1);
    at_text_add_html(t, id);
    at_text_add(t, "</a>");
}

static void row_line(at_text *t, const at_report_claim *c, const at_row *r)
{
    char number[32];
    at_text_add(t, "<div class=\"line\">");
    row_pill(t, r);
    at_text_add(t, " ");
    evidence_html(t, c, r);
    const char *const where[] = {r->rec.arithmetic,
                                 r->key.params}; /* the same model may fail in one and hold in another */
    for (size_t k = 0; k < sizeof where / sizeof *where; k++)
        if (where[k] && *where[k]) {
            at_text_add(t, " \xC2\xB7 ");
            at_text_add_html(t, where[k]);
        }
    if (!isnan(r->rec.margin))
        at_text_addf(t, "<div class=\"tiny\">least margin %s</div>", at_number_text(number, r->rec.margin));
    at_text_add(t, "</div>\n");
}

static int severity(const at_row *r)
{
    static const int order[AT_STANDINGS] = {2, 0, 1, 3};
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
        pill(t, AT_ABSENT, AT_STRENGTH_NONE, control ? "no control" : cell_word[AT_ABSENT]);
    if (all > k)
        at_text_addf(t, "<div class=\"tiny\">and %d more below</div>\n", all - k);
}

/* ---- head ---------------------------------------------------------------------------------------- */

static void tally(at_text *t, at_standing color, int count, int of, const char *what)
{
    at_text_addf(t, "<div class=\"tally %s\"><b>%d of %d</b>%s</div>\n", standing_class[color], count, of,
                 what);
}

static void head_html(at_text *t, const at_report_claim *claims, int n, const at_row *rows, size_t n_rows,
                      const char *build)
{
    int count[AT_STANDINGS] = {0};
    uint64_t inputs = 0;
    at_tally every = {0}; /* controls of claims that the catalogue does not have count too */
    for (int k = 0; k < n; k++) {
        at_tally one = tally_of(&claims[k], rows, n_rows);
        count[at_tally_standing(&one)]++;
    }
    int holding = count[AT_STANDS], failing = count[AT_FALLS], unknown = count[AT_OPEN] + count[AT_ABSENT];
    for (size_t i = 0; i < n_rows; i++) {
        /* inputs that were run; what a proof covers cannot be counted with them */
        if (!is_table(&rows[i]) && !at_row_is_trained(&rows[i]) && !is_refutation(&rows[i]) &&
            !is_uncountable(&rows[i]))
            inputs = inputs + rows[i].rec.inputs < inputs ? UINT64_MAX : inputs + rows[i].rec.inputs;
        at_tally_add(&every, &rows[i]);
    }
    const int *controls = every.n[true];
    at_text_add(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'\">\n<title>attest report</title>\n<style>\n");
    at_text_add(t, at_report_style);
    at_text_add(
        t,
        "</style>\n</head>\n<body>\n<header>\n<h1>attest</h1>\n"
        "<p class=\"lead\">Theorems about what transformers can compute, turned into concrete weights and "
        "checked; and limits, with protocols that run and models that are refuted. Beside every claim stands "
        "a "
        "control: a model that is known to be wrong, or a limit with one number changed so that it is none, "
        "and the same check must reject it.</p>\n<p class=\"tiny\">build <code>");
    at_text_add_html(t, build ? build : "unknown");
    at_text_add(t, "</code></p>\n<div class=\"tallies\">\n");
    tally(t, failing ? AT_FALLS : unknown || !n ? AT_OPEN : AT_STANDS, holding, n, "claims hold");
    tally(t, at_tally_role(&every, true), controls[AT_STANDS],
          controls[AT_STANDS] + controls[AT_FALLS] + controls[AT_OPEN], "controls rejected");
    if (failing)
        tally(t, AT_FALLS, failing, n, "claims fail");
    if (unknown)
        tally(t, AT_OPEN, unknown, n, "claims undecided or not checked");
    char number[32];
    at_text_addf(t, "<div class=\"tally\"><b>%s</b>inputs and cases run</div>\n</div>\n",
                 at_count_text(number, inputs));
    at_text_add(t,
                "<p class=\"tiny\"><b>exact</b>: every input of that size was run, every case looked at. "
                "<b>certified</b>: all "
                "inputs of that size are covered by a proof over the stored weights. <b>sampled</b>: "
                "inputs were drawn; nothing is "
                "proved beyond them. <b>simulated</b>: protocols were run, and every message counted. "
                "<b>refuted</b>: "
                "a wrong input of each model was found and run again; of a limit that is what holds. "
                "<b>margin</b>: the least distance to another answer over the inputs covered. "
                "<b>unknown</b> is never a pass. The signs: \xE2\x96\xA0 proved for all inputs, \xE2\x97\x8F "
                "all of them run or "
                "one that is wrong found, \xE2\x97\x90 so many, \xE2\x97\x8B a single one.</p>\n</header>\n");
}

static void summary_html(at_text *t, const at_report_claim *claims, int n, const at_row *rows, size_t n_rows)
{
    at_text_add(
        t, "<main>\n<h2>Claims</h2>\n<div class=\"scroll\"><table class=\"wide\">\n<thead><tr><th>claim</th>"
           "<th>statement</th><th class=\"broad\">verdicts</th><th>model</th><th "
           "class=\"mid\">control</th></tr></thead>\n<tbody>\n");
    for (int k = 0; k < n; k++) {
        const at_report_claim *c = &claims[k];
        if (c->group && (!k || !claims[k - 1].group || strcmp(c->group, claims[k - 1].group))) {
            at_text_add(t, "<tr class=\"group\"><th colspan=\"5\">");
            at_text_add_html(t, c->group);
            at_text_add(t, "</th></tr>\n");
        }
        at_text_add(t, "<tr><td><b>");
        link_add(t, k, c->id ? c->id : "unnamed");
        at_text_add(t, "</b><br>");
        claim_pill(t, c, rows, n_rows);
        at_text_add(t, "</td><td>");
        at_text_add_html(t, c->statement);
        at_text_add(t, "</td><td class=\"stack\" data-label=\"verdicts\">");
        role_lines(t, c, rows, n_rows, false);
        at_text_add(t, "</td><td class=\"stack\" data-label=\"model\">");
        at_text_add_html(t, c->size);
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
    at_text_add_html(t, value && *value ? value : "\xE2\x80\x93");
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
    at_text_add(t, "<td data-label=\"evidence\">");
    evidence_html(t, c, r);
    at_text_add(t, "</td>");
    cell_html(t, "arithmetic", rec->arithmetic, false);
    if (!is_trial(c)) /* which has none */
        cell_html(t, "least margin", at_number_text(number, rec->margin), true);
    cell_html(t, "seconds", at_number_text(number, rec->seconds), true);
    at_text_add(t, "</tr>\n");
    if (!more)
        return;
    at_text_addf(t, "<tr class=\"more\"><td colspan=\"%d\">", !c ? 7 : c->trial ? 5 : 6);
    at_report_detail(t, rec->detail);
    at_text_add(t, "</td></tr>\n");
}

static void cells_begin(at_text *t, const at_report_claim *c)
{
    at_text_addf(
        t,
        "<div class=\"scroll\"><table class=\"wide\">\n<thead><tr>%s<th>verdict</th><th>parameters</th>"
        "<th>evidence</th><th>arithmetic</th>%s<th class=\"num\">seconds</th></tr></thead>\n"
        "<tbody>\n",
        c ? "" : "<th>subject</th>", is_trial(c) ? "" : "<th class=\"num\">least margin</th>");
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
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any = any || (belongs(&rows[i], c) && in_role(&rows[i], control));
    if (!any) {
        at_text_add(t, "<p>");
        pill(t, AT_ABSENT, AT_STRENGTH_NONE, control ? "no control" : cell_word[AT_ABSENT]);
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
            at_report_detail(t, rows[i].rec.detail);
    at_text_add(t, "<div class=\"plots\">\n");
    for (int i = 0; i < c->n_plots; i++)
        at_text_addf(t, "<figure>%s</figure>\n", c->plots[i]);
    at_text_add(t, "</div>\n");
}

static void claim_html(at_text *t, const at_report_claim *c, int k, const at_row *rows, size_t n)
{
    at_text_addf(t, "<section id=\"claim-%d\">\n<h2><span>", k + 1);
    at_text_add_html(t, c->title && *c->title ? c->title : c->id);
    at_text_add(t, "</span> ");
    claim_pill(t, c, rows, n);
    at_text_add(t, "</h2>\n<p class=\"tiny\"><code>");
    at_text_add_html(t, c->id);
    at_text_add(t, "</code>");
    if (c->source && *c->source) {
        at_text_add(t, " \xC2\xB7 ");
        at_text_add_html(t, c->source);
    }
    at_text_add(t, "</p>\n<div class=\"statement\">");
    at_text_add_html_block(t, c->statement);
    at_text_add(t, "</div>\n");
    if (c->size && *c->size) {
        at_text_add(t, "<p><span class=\"soft\">Model:</span> ");
        at_text_add_html(t, c->size);
        at_text_add(t, "</p>\n");
    }
    role_html(t, c, rows, n, false);
    role_html(t, c, rows, n, true);
    if (c->program && *c->program) {
        at_text_add(t, "<h3>Program</h3>\n<pre>");
        at_text_add_html_block(t, c->program);
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
        bool known = at_row_is_trained(&rows[i]) || is_refutation(&rows[i]) != refutations;
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

at_status at_report_page(const at_report_claim *claims, int n, const at_map *map, const at_row *rows,
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
    at_status s = map ? at_report_map(&t, map, err) : AT_OK;
    for (int k = 0; k < n; k++)
        claim_html(&t, &claims[k], k, rows, n_rows);
    if (!s)
        s = at_report_trained(&t, rows, n_rows, build, err);
    rest_html(&t, claims, n, rows, n_rows, true);
    rest_html(&t, claims, n, rows, n_rows, false);
    at_text_add(
        &t, "</main>\n<footer class=\"tiny\">Written by attest. Every number above comes from the ledger; "
            "run the same build to see them again.</footer>\n</body>\n</html>\n");
    return at_text_end(s, &t, html, err);
}

at_status at_report_html(const at_report_claim *claims, int n, const at_row *rows, size_t n_rows,
                         const char *build, at_text *html, at_err *err)
{
    return at_report_page(claims, n, NULL, rows, n_rows, build, html, err);
}
