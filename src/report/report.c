/* report.c: the report, one HTML file that needs nothing else.
 *
 *     head      what was asked, the verdict, what it rests on, date, version, build, seed (report_head.c)
 *     map       least sizes: bounds, constructions, trained models (map_show.c), when the caller has one
 *     contents  every section, with search
 *     sections  one a subject that has rows (report_claim.c); subjects that are no claim come last
 *     trained   rows of role "trained", of any build (report_trained.c); they count for no claim. Where nothing else was
 *               asked, they come first
 *     refuted   what `attest refute` said; it counts for no claim
 *     words     what the words mean; how to cite
 *
 * Invariants:
 *   1. Only what was checked is here, and all of it: a claim without rows has no section, and every row is in one.
 *   2. The anchor of a section is the id of its claim, whatever else is in the report.
 *   3. Every string is escaped (at_text_add_html); the only markup taken from the caller is SVG made by at_picture. A
 *      content policy forbids fetches, and all scripts but the page's own, should an escape ever be forgotten. */
#include "report_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OTHERS_MOST = 200
}; /* subjects that are no claim and have a section; a foreign ledger may have any number */

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* ---- sections -------------------------------------------------------------------------------------------- */

static bool is_aside(const at_row *r)
{
    return at_row_is_trained(r) || at_row_is_refutation(r);
}

/* The anchor: the id with what may not stand in one replaced; another one's, or one of the page's own, is numbered. */
static char *anchor_make(const at_report_page *p, const char *id, at_arena *a)
{
    static const char *const own[] = {"top",  "map",    "trained", "refuted", "rest", "words",
                                      "cite", "search", "found",   "unfold",  "bar"};
    enum { LONGEST = 80 };
    char base[LONGEST + 1];
    size_t n = 0;
    for (const char *s = id ? id : ""; *s && n < LONGEST; s++)
        base[n++] = isalnum((unsigned char)*s) || strchr("-_.", *s) ? *s : '-';
    base[n] = '\0';
    if (!n || isdigit((unsigned char)base[0]))
        snprintf(base, sizeof base, "claim-%s", n ? id : "unnamed");
    for (char *s = base; *s; s++)
        *s = isalnum((unsigned char)*s) || strchr("-_.", *s) ? *s : '-';
    for (int k = 1;; k++) {
        char *anchor = k == 1 ? at_arena_strdup(a, base) : at_arena_printf(a, "%s-%d", base, k);
        bool taken = false;
        for (size_t i = 0; anchor && i < sizeof own / sizeof *own; i++)
            taken = taken || same(anchor, own[i]);
        for (size_t i = 0; anchor && i < p->n_sections; i++)
            taken = taken || same(anchor, p->sections[i].anchor);
        if (!taken)
            return anchor;
    }
}

/* Adds the section of a claim, or, where claim is NULL, of a subject that is none. False: out of memory. */
static bool section_add(at_report_page *p, const at_report_claim *claim, const char *subject, at_arena *a)
{
    size_t n = 0;
    const char *id = claim ? claim->id : subject;
    for (size_t i = 0; i < p->n_rows; i++)
        n += !is_aside(&p->rows[i]) && (same(p->rows[i].key.subject, id) || (!id && !p->rows[i].key.subject));
    if (!n)
        return true;
    at_report_section s = {.claim = claim, .known = claim != NULL, .rows = at_new(a, const at_row *, n)};
    if (!claim) {
        at_report_claim *c = at_new(a, at_report_claim, 1);
        if (!c)
            return false;
        c->id = c->title = subject ? subject : "";
        s.claim = c;
    }
    s.group = !claim ? "Other questions" : claim->group ? claim->group : "Claims";
    s.anchor = anchor_make(p, id, a);
    if (!s.rows || !s.anchor)
        return false;
    for (size_t i = 0; i < p->n_rows; i++) {
        const at_row *r = &p->rows[i];
        if (is_aside(r) || !(same(r->key.subject, id) || (!id && !r->key.subject)))
            continue;
        s.rows[s.n++] = r;
        at_tally_add(&s.tally, r);
    }
    p->sections[p->n_sections++] = s;
    p->n_known += s.known;
    return true;
}

static bool has_section(const at_report_page *p, const at_row *r)
{
    for (size_t k = 0; k < p->n_sections; k++) {
        const char *subject = p->sections[k].rows[0]->key.subject;
        if (subject == r->key.subject || same(subject, r->key.subject))
            return true;
    }
    return false;
}

/* What counts of the trainings is what the study says: a question that was answered twice counts once. */
static at_status trainings_count(at_report_page *p, at_arena *a, at_err *err)
{
    at_study st;
    if (!p->n_trained || p->n_trained > AT_STUDY_MAX_RUNS)
        return AT_OK;
    at_status s = at_study_make(p->rows, p->n_rows, p->about->build, a, &st, err);
    for (size_t i = 0; !s && i < st.n_runs; i++) {
        bool counts = !st.runs[i].broken && !st.runs[i].superseded;
        p->n_runs += counts;
        p->n_drawn += counts && st.runs[i].d.kl >= 0;
        p->n_reached += counts && same(st.runs[i].row->rec.verdict, "holds");
    }
    return s;
}

static bool sections_make(at_report_page *p, const at_report_claim *claims, int n, at_arena *a)
{
    enum { FEW = 2 };
    p->sections = at_new(a, at_report_section, (size_t)n + p->n_rows + 1);
    if (!p->sections)
        return false;
    for (int k = 0; k < n; k++)
        if (!section_add(p, &claims[k], NULL, a))
            return false;
    for (size_t i = 0; i < p->n_rows; i++) {
        const at_row *r = &p->rows[i];
        p->n_trained += at_row_is_trained(r);
        p->n_refutations += at_row_is_refutation(r);
        p->n_refuted += at_row_is_refutation(r) && same(r->rec.verdict, "fails");
        if (is_aside(r) || has_section(p, r))
            continue;
        if (p->n_sections - p->n_known == OTHERS_MOST)
            p->n_rest++;
        else if (!section_add(p, NULL, r->key.subject, a))
            return false;
    }
    for (size_t i = 0; i < p->n_sections; i++)
        p->sections[i].few = p->n_sections <= FEW;
    return true;
}

/* ---- parts ------------------------------------------------------------------------------------------------ */

static void sections_html(at_text *t, const at_report_page *p, const at_row **room)
{
    const char *group = NULL;
    for (size_t i = 0; i < p->n_sections; i++) {
        const at_report_section *s = &p->sections[i];
        if (!group || strcmp(group, s->group)) {
            at_text_add(t, group ? "</div>\n<div class=\"group\">\n<h2>" : "<div class=\"group\">\n<h2>");
            at_text_add_html(t, s->group);
            at_text_add(t, "</h2>\n");
            group = s->group;
        }
        at_report_section_html(t, p, s, room);
    }
    at_text_add(t, group ? "</div>\n" : "");
}

static void refutations_html(at_text *t, const at_report_page *p, const at_row **room)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_rows; i++)
        if (at_row_is_refutation(&p->rows[i]))
            room[n++] = &p->rows[i];
    if (!n)
        return;
    at_text_add(
        t, "<section id=\"refuted\">\n<h2>Models that attest refute was given</h2>\n<p>Refuted: it was run "
           "on an input and is wrong there. Not refuted proves nothing.</p>\n");
    at_report_rows(t, NULL, room, n);
    at_text_add(t, "</section>\n");
}

/* What has no section of its own, because there is too much of it. */
static void rest_html(at_text *t, const at_report_page *p, const at_row **room)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_rows && n < p->n_rest; i++)
        if (!is_aside(&p->rows[i]) && !has_section(p, &p->rows[i]))
            room[n++] = &p->rows[i];
    if (!n)
        return;
    at_text_add(t, "<section id=\"rest\">\n<h2>Other entries of the ledger</h2>\n");
    at_report_rows(t, NULL, room, n);
    at_text_add(t, "</section>\n");
}

static void words_html(at_text *t)
{
    static const char *const words[][2] = {
        {"\xE2\x96\xA0 certified", "A proof over the stored weights covers all inputs of that size."},
        {"\xE2\x97\x8F exact", "Every input of that size was run, or every case looked at."},
        {"\xE2\x97\x8F refuted",
         "A wrong input of the model was found and run again. Of a limit, that is what holds."},
        {"\xE2\x97\x90 sampled", "Inputs were drawn. Nothing is proved beyond them."},
        {"\xE2\x97\x90 simulated", "Protocols were run, and every message counted."},
        {"\xE2\x97\x8B one input", "A single input was run: an example, and not more."},
        {"check",
         "One question of a claim, its <em>cell</em>: at these sizes, in this arithmetic, with this kind of "
         "evidence."},
        {"unknown", "The arithmetic or the budget did not allow an answer. It is never a pass."},
        {"control",
         "A model that is known to be wrong, or a limit with one number changed so that it is none. The "
         "same check must reject it."},
        {"margin", "The least distance to another answer, over the inputs covered."},
    };
    at_text_add(t, "<section id=\"words\">\n<h2>What the words mean</h2>\n<dl class=\"words\">\n");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        at_text_addf(t, "<div><dt>%s</dt><dd>%s</dd></div>\n", words[k][0], words[k][1]);
    at_text_add(t, "</dl>\n</section>\n");
}

/* How to cite the page, and the papers whose claims are in it. */
static void cite_html(at_text *t, const at_report_page *p)
{
    const char *last = NULL, *version = NULL;
    for (size_t i = 0; i < p->n_rows; i++) {
        const at_record *r = &p->rows[i].rec;
        if (r->when && (!last || strcmp(r->when, last) > 0)) {
            last = r->when;
            version = r->version;
        }
    }
    at_text_add(t, "<section id=\"cite\">\n<h2>Cite</h2>\n<pre>@software{attest,\n"
                   "  title   = {attest: theorems about transformers as weights, and checks of them},\n"
                   "  author  = {{attest contributors}},\n");
    if (last && strlen(last) >= 4)
        at_text_addf(t, "  year    = {%d},\n", atoi(last));
    if (version) {
        at_text_add(t, "  version = {");
        at_text_add_html(t, version);
        at_text_add(t, "},\n");
    }
    at_text_add(t, "  note    = {build ");
    at_text_add_html(t, p->about->build ? p->about->build : "unknown");
    at_text_add(t, "}\n}</pre>\n");
    size_t papers = 0;
    for (size_t i = 0; i < p->n_sections; i++) {
        const char *source = p->sections[i].claim->source;
        bool said = !source || !*source || p->sections[i].claim->asked;
        for (size_t k = 0; k < i && !said; k++)
            said = same(p->sections[k].claim->source, source);
        if (said)
            continue;
        at_text_add(t, papers++ ? "<li>" : "<p>The claims are from:</p>\n<ul class=\"lines\">\n<li>");
        at_text_add_html(t, source);
        at_text_add(t, "</li>\n");
    }
    at_text_add(t, papers ? "</ul>\n</section>\n" : "</section>\n");
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

static at_status svg_check(const char *svg, const char *id, at_err *err)
{
    if (svg && strncmp(svg, "<svg ", 5))
        return at_fail(err, AT_EINPUT, "a picture of claim %s is not an SVG made by this library",
                       id ? id : "unnamed");
    return AT_OK;
}

static at_status page_html(at_text *t, const at_report_page *p, at_arena *a, at_err *err)
{
    const at_row **room = at_new(a, const at_row *, p->n_rows + 1);
    if (!room)
        return at_oom(err);
    bool first = p->n_trained && !p->n_sections; /* nothing else was asked */
    at_report_head(t, p);
    const char *look = NULL;
    for (size_t i = 0; !look && i < p->n_sections; i++)
        look = p->sections[i].claim->film ? NULL : p->sections[i].claim->svg;
    at_report_bar(t, look);
    at_report_contents(t, p);
    at_text_add(t, "<main>\n");
    at_status s = first ? at_report_trained(t, p->rows, p->n_rows, p->about->build, err) : AT_OK;
    if (!s && p->map)
        s = at_report_map(t, p->map, err);
    if (!s)
        s = at_report_languages(t, p, err);
    at_report_places(t, p);
    sections_html(t, p, room);
    if (!s && !first)
        s = at_report_trained(t, p->rows, p->n_rows, p->about->build, err);
    refutations_html(t, p, room);
    rest_html(t, p, room);
    words_html(t);
    cite_html(t, p);
    at_text_add(
        t, "</main>\n<footer class=\"tiny\">Written by attest. Every number above comes from the ledger; "
           "the same build and seed give them again.</footer>\n<script>");
    at_text_add(t, at_report_script);
    at_text_add(t, "</script>\n</body>\n</html>\n");
    return s;
}

at_status at_report_with_map(const at_report_about *about, const at_report_claim *claims, int n,
                             const at_map *map, const at_row *rows, size_t n_rows, at_text *html, at_err *err)
{
    for (int k = 0; k < n; k++) {
        at_status s = svg_check(claims[k].svg, claims[k].id, err);
        for (int i = 0; !s && i < claims[k].n_plots; i++)
            s = svg_check(claims[k].plots[i].svg ? claims[k].plots[i].svg : "", claims[k].id, err);
        if (s)
            return s;
    }
    at_text t;
    at_arena a;
    at_text_init(&t);
    at_arena_init(&a);
    at_report_page p = {.about = about, .map = map && map->n ? map : NULL, .rows = rows, .n_rows = n_rows};
    at_status s = sections_make(&p, claims, n, &a) ? trainings_count(&p, &a, err) : at_oom(err);
    if (!s)
        s = page_html(&t, &p, &a, err);
    at_arena_release(&a);
    return at_text_end(s, &t, html, err);
}

at_status at_report_html(const at_report_about *about, const at_report_claim *claims, int n,
                         const at_row *rows, size_t n_rows, at_text *html, at_err *err)
{
    return at_report_with_map(about, claims, n, NULL, rows, n_rows, html, err);
}
