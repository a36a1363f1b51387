/* report_row.c: rows of the ledger on a page: their pills, what they rest on, and tables of them.
 *
 * Invariants:
 *   1. Rows are summed up by at_tally and nowhere else: the same words and numbers as on the terminal.
 *   2. Beside every verdict stands how much it rests on (at_row_strength): its sign, and the number. A verdict that rests on
 *      samples is drawn in a broken line, one of a single input in a dotted one of another colour. */
#include "report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const standing_class[AT_STANDINGS] = {"holds", "fails", "unknown", "unknown"};
static const char *const cell_word[AT_STANDINGS] = {"holds", "fails", "unknown", "not checked"};
static const char *const control_word[AT_STANDINGS] = {"rejected", "not rejected", "undecided", "left out"};

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

bool at_row_is_table(const at_row *r)
{
    return same(r->rec.role, "table");
}

bool at_row_is_refutation(const at_row *r)
{
    return same(r->rec.role, "refutation");
}

bool at_report_in_role(const at_row *r, bool control)
{
    return control ? at_row_is_control(r) : !at_row_is_control(r) && !at_row_is_table(r);
}

/* What the pill says of one row: a refutation has found something wrong, or is open. */
static at_standing row_color(const at_row *r)
{
    return !at_row_is_refutation(r) ? at_row_standing(r) : same(r->rec.verdict, "fails") ? AT_FALLS : AT_OPEN;
}

static const char *row_word(const at_row *r)
{
    if (at_row_is_refutation(r))
        return row_color(r) == AT_FALLS ? "refuted" : "not refuted";
    return (at_row_is_control(r) ? control_word : cell_word)[at_row_standing(r)];
}

const char *at_report_class(at_standing s)
{
    return standing_class[s];
}

void at_report_pill(at_text *t, at_standing color, at_strength strength, const char *word)
{
    static const char *const sign[] = {"\xE2\x9C\x93", "\xE2\x9C\x97", "?", "\xE2\x80\x93"};
    bool plain = color == AT_STANDS && strength > AT_STRENGTH_SOME; /* by far most of a thousand: no class */
    at_text_add(t, "<u");
    if (!plain)
        at_text_addf(t, " class=\"%s\"",
                     color == AT_STANDS ? at_strength_names[strength] : standing_class[color]);
    at_text_addf(t, ">%s ", sign[color]);
    at_text_add_html(t, word ? word : cell_word[color]);
    at_text_add(t, "</u>");
}

static void row_pill(at_text *t, const at_row *r)
{
    at_report_pill(t, row_color(r), at_row_strength(r), row_word(r));
}

static bool is_trial(const at_report_section *s)
{
    return s && s->claim->trial;
}

void at_report_evidence(at_text *t, const at_report_section *s, const at_row *r)
{
    char text[AT_EVIDENCE_TEXT];
    at_row_evidence(r, is_trial(s) ? "case" : "input", text);
    at_text_addf(t, "<i>%s</i> ", at_strength_signs[at_row_strength(r)]);
    at_text_add_html(t, text);
}

const at_row *at_report_strongest(const at_report_section *s)
{
    const at_row *best = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const at_row *r = s->rows[i];
        if (!at_report_in_role(r, false) || at_row_standing(r) != AT_STANDS)
            continue;
        bool more = !best || at_row_strength(r) > at_row_strength(best) ||
                    (at_row_strength(r) == at_row_strength(best) && r->rec.inputs > best->rec.inputs);
        best = more ? r : best;
    }
    return best;
}

void at_report_verdict(at_text *t, const at_report_section *s, bool evidence)
{
    const at_row *best = at_report_strongest(s);
    at_standing v = at_tally_standing(&s->tally);
    at_report_pill(t, v, best ? at_row_strength(best) : AT_STRENGTH_NONE, at_tally_word(&s->tally));
    if (v != AT_STANDS || !best || !evidence)
        return;
    at_text_add(t, " <span class=\"tiny\">");
    at_report_evidence(t, s, best);
    at_text_add(t, "</span>");
}

/* ---- parameters ------------------------------------------------------------------------------------------ */

/* Is "name=value", n bytes, one of the parameters? */
static bool has_assignment(const char *params, const char *word, size_t n)
{
    for (const char *p = params; *p;) {
        size_t m = strcspn(p, " ");
        if (m == n && !memcmp(p, word, n))
            return true;
        p += m + strspn(p + m, " ");
    }
    return false;
}

/* Do all of several checks have it? Then it is said once, above their table. */
static bool in_every_check(const at_report_section *s, const char *word, size_t n)
{
    int checks = 0;
    for (size_t i = 0; s && i < s->n; i++) {
        if (!at_report_in_role(s->rows[i], false))
            continue;
        const char *params = s->rows[i]->key.params;
        if (!params || !has_assignment(params, word, n))
            return false;
        checks++;
    }
    return checks > 1;
}

/* The parameters that every check has (common), or those that not every one has. False: there are none. */
static bool params_put(at_text *t, const at_report_section *s, const char *params, bool common)
{
    bool any = false;
    for (const char *p = params; p && *p;) {
        size_t n = strcspn(p, " ");
        char word[128];
        if (n && n < sizeof word && in_every_check(s, p, n) == common) {
            snprintf(word, sizeof word, "%.*s", (int)n, p);
            at_text_add(t, any ? " " : "");
            at_text_add_html(t, word);
            any = true;
        }
        p += n + strspn(p + n, " ");
    }
    return any;
}

/* What sets a row apart; where nothing does, all that it has. */
static void params_html(at_text *t, const at_report_section *s, const char *params)
{
    if (!params || !*params)
        at_text_add(t, "\xE2\x80\x93");
    else if (!params_put(t, s, params, false))
        at_text_add_html(t, params);
}

void at_report_common(at_text *t, const at_report_section *s)
{
    at_text common, rest;
    at_text_init(&common);
    at_text_init(&rest);
    for (size_t i = 0; i < s->n; i++)
        if (at_report_in_role(s->rows[i], false)) {
            const char *params = s->rows[i]->key.params;
            if (params_put(&rest, s, params, false) && params_put(&common, s, params, true))
                at_text_addf(t, "<p class=\"tiny\">In all of them: %s</p>\n", common.oom ? "" : common.s);
            break;
        }
    t->oom |= common.oom || rest.oom;
    at_text_release(&common);
    at_text_release(&rest);
}

/* ---- a few rows in lines ------------------------------------------------------------------------------- */

static void row_line(at_text *t, const at_report_section *s, const at_row *r)
{
    char number[32];
    at_text_add(t, "<li>");
    row_pill(t, r);
    at_text_add(t, " ");
    at_report_evidence(t, s, r);
    if (r->rec.arithmetic && *r->rec.arithmetic) { /* the same model may fail in one and hold in another */
        at_text_add(t, " \xC2\xB7 ");
        at_text_add_html(t, r->rec.arithmetic);
    }
    if (r->key.params && *r->key.params) {
        at_text_add(t, " \xC2\xB7 ");
        params_html(t, s, r->key.params);
    }
    if (!isnan(r->rec.margin))
        at_text_addf(t, " \xC2\xB7 least margin %s", at_number_text(number, r->rec.margin));
    at_text_add(t, "</li>\n");
}

static int severity(const at_row *r)
{
    static const int order[AT_STANDINGS] = {2, 0, 1, 3};
    return order[row_color(r)];
}

/* What failed comes first, then what rests on most. */
static bool comes_before(const at_row *a, const at_row *b)
{
    if (severity(a) != severity(b))
        return severity(a) < severity(b);
    if (at_row_strength(a) != at_row_strength(b))
        return at_row_strength(a) > at_row_strength(b);
    return a->rec.inputs > b->rec.inputs;
}

void at_report_lines(at_text *t, const at_report_section *s, bool control, int most)
{
    enum { MOST = 8 };
    const at_row *shown[MOST];
    int k = 0, all = 0;
    most = most < MOST ? most : MOST;
    for (size_t i = 0; i < s->n; i++) {
        const at_row *r = s->rows[i];
        if (!at_report_in_role(r, control))
            continue;
        all++;
        int at = k < most ? k++ : most;
        for (; at > 0 && comes_before(r, shown[at - 1]); at--) /* insertion, stable */
            if (at < most)
                shown[at] = shown[at - 1];
        if (at < most)
            shown[at] = r;
    }
    at_text_add(t, "<ul class=\"lines\">\n");
    for (int i = 0; i < k; i++)
        row_line(t, s, shown[i]);
    if (!all) {
        at_text_add(t, "<li>");
        at_report_pill(t, AT_ABSENT, AT_STRENGTH_NONE, control ? "no control" : cell_word[AT_ABSENT]);
        at_text_add(t, "</li>\n");
    }
    if (all > k)
        at_text_addf(t, "<li class=\"tiny\">and %d more below</li>\n", all - k);
    at_text_add(t, "</ul>\n");
}

/* ---- tables of rows -------------------------------------------------------------------------------------- */

/* The columns of a table of rows. Which are there, and what stands in front of a cell on a narrow screen, follows from the
 * class of the table: report_style.c has them in the same order. The seed is the last one, and is there where rows differ in it: else
 * the line above the table says it. */
static const char *const kinds[] = {"cells", "trial", "named"};
static const char *const heads[] = {
    "<th>verdict</th><th>parameters</th><th>evidence</th><th>arithmetic</th><th>least margin</th>"
    "<th>seconds</th><th>model</th>",
    "<th>verdict</th><th>parameters</th><th>evidence</th><th>arithmetic</th><th>seconds</th>",
    "<th>subject</th><th>verdict</th><th>parameters</th><th>evidence</th><th>arithmetic</th>"
    "<th>least margin</th><th>seconds</th><th>model</th>"};

/* s: whose rows they are; NULL: the rows name their subjects. */
static int kind_of(const at_report_section *s)
{
    return !s ? 2 : is_trial(s) ? 1 : 0;
}

static void cell_html(at_text *t, const char *value)
{
    at_text_add(t, "<td>");
    at_text_add_html(t, value && *value ? value : "\xE2\x80\x93");
    at_text_add(t, "</td>");
}

/* The first digits; where there is room for them, all under the pointer. */
static void hash_html(at_text *t, const char *hash, bool whole)
{
    enum { SHOWN = 12 };
    char head[SHOWN + 1];
    if (!hash || !*hash) {
        cell_html(t, NULL);
        return;
    }
    snprintf(head, sizeof head, "%s", hash);
    at_text_add(t, "<td>");
    if (whole) {
        at_text_add(t, "<span title=\"sha-256 ");
        at_text_add_html(t, hash);
        at_text_add(t, "\">");
    }
    at_text_add_html(t, head);
    at_text_add(t, whole ? "</span></td>" : "</td>");
}

/* At most four digits that are not zero: they are never the same again. */
static void seconds_html(at_text *t, double x)
{
    char number[32];
    if (x >= 0 && x < 0.001)
        at_text_add(t, "<td>&lt; 0.001</td>");
    else {
        snprintf(number, sizeof number, "%.*f", x < 1 ? 3 : x < 100 ? 2 : 0, x);
        cell_html(t, isfinite(x) ? number : NULL);
    }
}

static void row_html(at_text *t, const at_report_section *s, const at_row *r, bool seeds)
{
    char number[32];
    const at_record *rec = &r->rec;
    at_text_add(t, "<tr>");
    if (!s)
        cell_html(t, r->key.subject);
    at_text_add(t, "<td>");
    row_pill(t, r);
    at_text_add(t, "</td><td>");
    params_html(t, s, r->key.params);
    at_report_detail(t, r);
    at_text_add(t, "</td><td>");
    at_report_evidence(t, s, r);
    at_text_add(t, "</td>");
    cell_html(t, rec->arithmetic);
    if (!is_trial(s)) /* which has none */
        cell_html(t, at_number_text(number, rec->margin));
    seconds_html(t, rec->seconds);
    if (!is_trial(s))
        hash_html(t, r->key.model_hash, !s || s->few);
    snprintf(number, sizeof number, "%llu", (unsigned long long)rec->seed);
    if (seeds)
        cell_html(t, number);
    at_text_add(t, "</tr>\n");
}

bool at_report_seeds_differ(const at_row *const *rows, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (rows[i]->rec.seed != rows[0]->rec.seed)
            return true;
    return false;
}

void at_report_rows(at_text *t, const at_report_section *s, const at_row *const *rows, size_t n)
{
    bool seeds = !s || at_report_seeds_differ(rows, n);
    at_text_addf(t, "<div class=\"scroll\"><table class=\"wide %s\"><thead><tr>%s%s</tr></thead><tbody>\n",
                 kinds[kind_of(s)], heads[kind_of(s)], seeds ? "<th>seed</th>" : "");
    for (size_t i = 0; i < n; i++)
        row_html(t, s, rows[i], seeds);
    at_text_add(t, "</tbody></table></div>\n");
}

size_t at_report_pick(const at_report_section *s, bool control, const at_row **out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (at_report_in_role(s->rows[i], control))
            out[n++] = s->rows[i];
    return n;
}
