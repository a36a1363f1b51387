/* report_head.c: the first screen: what was asked, the verdict, what it rests on, when and with what; and the contents. */
#include "report_internal.h"

#include <stdio.h>
#include <string.h>

/* A certificate covers every input of the size: more than a count can say. */
static bool is_uncountable(const at_row *r)
{
    return r->rec.inputs >= INT64_MAX;
}

static void count_html(at_text *t, size_t n, const char *noun)
{
    char number[32];
    at_text_addf(t, "%s %s%s", at_count_text(number, n), noun, n == 1 ? "" : "s");
}

/* ---- what was asked --------------------------------------------------------------------------------------- */

/* As it was typed; an option is not broken at its dashes. */
static void command_html(at_text *t, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, " ");
        char word[80];
        if (*s == '-' && n < sizeof word) {
            memcpy(word, s, n);
            word[n] = '\0';
            at_text_add(t, "<span>");
            at_text_add_html(t, word);
            at_text_add(t, "</span>");
            s += n;
            continue;
        }
        char one[8];
        const char *from = s;
        at_text_next(&s);
        memcpy(one, from, (size_t)(s - from));
        one[s - from] = '\0';
        at_text_add_html(t, one);
    }
}

/* As it was typed, else the claims that the rows are of. */
static void asked_html(at_text *t, const at_report_page *p)
{
    enum { NAMED = 6 };
    at_text_add(t, "<p class=\"asked\"><span class=\"soft\">Asked</span> <code>");
    if (p->about->command)
        command_html(t, p->about->command);
    else {
        at_text_add(t, p->n_known ? "attest check" : p->n_trained ? "attest sweep" : "attest report");
        for (size_t i = 0; i < p->n_sections && p->n_known <= NAMED; i++)
            if (p->sections[i].known) {
                at_text_add(t, " ");
                at_text_add_html(t, p->sections[i].claim->id);
            }
    }
    at_text_add(t, "</code></p>\n");
}

/* ---- the verdict -------------------------------------------------------------------------------------------- */

/* Standings of the claims (known), or of the other subjects. */
static void standings_count(const at_report_page *p, bool known, int count[AT_STANDINGS])
{
    for (size_t i = 0; i < p->n_sections; i++)
        if (p->sections[i].known == known)
            count[at_tally_standing(&p->sections[i].tally)]++;
}

static at_standing overall(const at_report_page *p)
{
    at_standing all = p->n_sections ? AT_STANDS : AT_ABSENT;
    for (size_t i = 0; i < p->n_sections; i++) {
        at_standing one = at_tally_standing(&p->sections[i].tally);
        if (one == AT_FALLS)
            return AT_FALLS;
        all = one == AT_STANDS ? all : AT_OPEN;
    }
    return all;
}

/* "All 42 claims hold.", "41 of 42 claims hold."; noun: NULL for questions, of which one is "It". */
static void hold_html(at_text *t, const int count[AT_STANDINGS], const char *noun)
{
    int of = 0;
    for (int s = 0; s < AT_STANDINGS; s++)
        of += count[s];
    if (!of)
        return;
    if (count[AT_STANDS] == of && of > 1)
        at_text_addf(t, "All %d %ss hold. ", of, noun ? noun : "question");
    else if (of > 1)
        at_text_addf(t, "%d of %d %ss hold. ", count[AT_STANDS], of, noun ? noun : "question");
    else
        at_text_addf(t, "%s%s %s. ", noun ? "The " : "It", noun ? noun : "",
                     count[AT_STANDS]  ? "holds"
                     : count[AT_FALLS] ? "does not hold"
                                       : "is undecided");
}

static void title_html(at_text *t, const at_report_page *p)
{
    int known[AT_STANDINGS] = {0}, others[AT_STANDINGS] = {0};
    standings_count(p, true, known);
    standings_count(p, false, others);
    bool asked = p->n_known > 0; /* are all of them questions? */
    for (size_t i = 0; i < p->n_sections; i++)
        asked = asked && (p->sections[i].claim->asked || !p->sections[i].known);
    at_text_addf(t, "<h1 class=\"%s\">", at_report_class(overall(p)));
    hold_html(t, known, asked ? NULL : "claim");
    hold_html(t, others, p->n_known ? "other question" : "question");
    if (!p->n_sections && p->n_trained) {
        at_text_addf(t, "%zu of ", p->n_reached);
        count_html(t, p->n_runs, "training");
        at_text_addf(t, " reach%s 90%%%s.", p->n_reached == 1 ? "es" : "",
                     !p->n_drawn               ? " of answers"
                     : p->n_drawn == p->n_runs ? " in e^-KL"
                                               : " of answers, or in e^-KL");
    } else if (!p->n_sections && p->n_refutations) {
        at_text_addf(t, "%zu of ", p->n_refuted);
        count_html(t, p->n_refutations, "model");
        at_text_addf(t, " %s refuted.", p->n_refuted == 1 ? "is" : "are");
    } else if (!p->n_sections)
        at_text_add(t, "Nothing was checked.");
    at_text_add(t, "</h1>\n");
}

/* The only one, in its own words. */
static void lead_html(at_text *t, const at_report_section *s)
{
    const at_report_claim *c = s->claim;
    at_text_addf(t, "<p class=\"lead\"><a class=\"self\" href=\"#%s\">", s->anchor);
    at_report_math(t, c->title && *c->title ? c->title : c->id && *c->id ? c->id : "unnamed");
    at_text_add(t, "</a>");
    if (at_tally_standing(&s->tally) != AT_STANDS) {
        at_text_add(t, " ");
        at_report_verdict(t, s, false);
    }
    at_text_add(t, "</p>\n");
}

/* Those that do not stand, by name. */
static void against_html(at_text *t, const at_report_page *p)
{
    enum { MOST = 12 };
    int n = 0;
    if (p->n_sections == 1) {
        lead_html(t, &p->sections[0]);
        return;
    }
    for (size_t i = 0; i < p->n_sections; i++) {
        const at_report_section *s = &p->sections[i];
        if (at_tally_standing(&s->tally) == AT_STANDS || n++ >= MOST)
            continue;
        at_text_addf(t, "%s<a href=\"#%s\">", n == 1 ? "<p class=\"against\">" : " \xC2\xB7 ", s->anchor);
        at_text_add_html(t, s->claim->id && *s->claim->id ? s->claim->id : "unnamed");
        at_text_add(t, "</a> ");
        at_report_verdict(t, s, false);
    }
    if (n > MOST)
        at_text_addf(t, " and %d more", n - MOST);
    at_text_add(t, n ? "</p>\n" : "");
}

/* For a reader who has never heard of it: what stands on this page, and what the verdict means. */
static void about_html(at_text *t, const at_report_page *p)
{
    int built = 0, limits = 0, ways = 0, asked = 0, files = 0;
    for (size_t i = 0; i < p->n_known; i++) {
        const at_report_claim *c = p->sections[i].claim;
        asked += c->asked;
        files += c->file && !c->asked;
        limits += !c->file && c->limit;
        ways += !c->file && c->trial && !c->limit;
        built += !c->file && !c->trial;
    }
    at_text_add(t, "<p class=\"about\">");
    if (built + limits + ways > 1)
        at_text_add(t, "A claim is a theorem about what transformers can or cannot compute. ");
    if (built == 1 && !limits && !ways)
        at_text_add(
            t,
            "A theorem says that a transformer can do this. attest built the model whose weights its proof "
            "describes, and checked that model. ");
    else if (built)
        at_text_addf(t,
                     "%d of them say%s that a model exists: attest built it, with the weights that the proof "
                     "describes, and checked it. ",
                     built, built == 1 ? "s" : "");
    if (limits == 1 && !built && !ways)
        at_text_add(t, "A theorem says that small models cannot do this. attest ran the steps of its proof, "
                       "and searched "
                       "for inputs on which given models fail. ");
    else if (limits)
        at_text_addf(t,
                     "%d say%s that small models cannot: attest ran the steps of the proof, and searched for "
                     "inputs on which given models fail. ",
                     limits, limits == 1 ? "s" : "");
    if (ways == 1 && !built && !limits)
        at_text_add(t,
                    "A theorem says how a question is decided, or one thing turned into another. attest did "
                    "so, case by case, and compared what came out with a second way. ");
    else if (ways)
        at_text_addf(t,
                     "%d say%s how a question is decided, or one thing turned into another: attest did so, "
                     "case by case, and compared what came out with a second way. ",
                     ways, ways == 1 ? "s" : "");
    if (files == 1 && !built && !limits && !ways)
        at_text_add(t, "This claim comes from a file, which says what is to be computed, by which model, and "
                       "how that is "
                       "checked. ");
    else if (files)
        at_text_addf(t, "%d %s from a file that says what is to be checked. ", files,
                     files == 1 ? "comes" : "come");
    if (built + limits + ways + files)
        at_text_add(t, "Beside a claim stand its <em>controls</em>: the same check of something with one "
                       "part made wrong, "
                       "which it must reject.");
    else if (asked)
        at_text_add(
            t,
            "Does a model solve a problem? Its answers were compared with those that the definition of the "
            "problem gives by brute force.");
    else if (p->n_trained && !p->n_sections)
        at_text_add(
            t,
            "Models of several widths were trained on a problem, and asked inputs that they had not seen. A "
            "heat map shows how many answers were right.");
    else if (p->n_sections)
        at_text_add(t, "What the rows of a ledger say of models and problems.");
    at_text_add(t, "</p>\n");
}

static void tally(at_text *t, at_standing color, size_t count, size_t of, const char *what)
{
    at_text_addf(t, "<div class=\"tally %s\"><b>%zu of %zu</b>%s</div>\n", at_report_class(color), count, of,
                 what);
}

/* How many cells rest on how much: a bar, from proof to a single input, and what does not hold. */
static void strengths_html(at_text *t, const at_report_page *p)
{
    static const char *const words[AT_STRENGTHS] = {"undecided", "one input", "sampled or simulated",
                                                    "every input run, or a wrong one found",
                                                    "certified for all inputs"};
    size_t count[AT_STRENGTHS] = {0}, failing = 0, all = 0;
    for (size_t i = 0; i < p->n_sections; i++)
        for (size_t k = 0; k < p->sections[i].n; k++) {
            const at_row *r = p->sections[i].rows[k];
            at_standing s = at_row_standing(r);
            if (!at_report_in_role(r, false) || s == AT_ABSENT)
                continue;
            all++;
            if (s == AT_FALLS)
                failing++;
            else
                count[s == AT_STANDS ? at_row_strength(r) : AT_STRENGTH_NONE]++;
        }
    if (!all)
        return;
    at_text_addf(
        t, "<div class=\"evidence\"><p class=\"soft\">%zu check%s, and what %s</p>\n<div class=\"bar\">", all,
        all == 1 ? "" : "s", all == 1 ? "it rests on" : "each rests on");
    for (int k = AT_STRENGTHS - 1; k >= 0; k--)
        if (count[k])
            at_text_addf(t, "<span class=\"s-%s\" style=\"flex-grow:%zu\">%zu</span>", at_strength_names[k],
                         count[k], count[k]);
    if (failing)
        at_text_addf(t, "<span class=\"s-fails\" style=\"flex-grow:%zu\">%zu</span>", failing, failing);
    at_text_add(t, "</div>\n<ul class=\"key\">\n");
    for (int k = AT_STRENGTHS - 1; k >= 0; k--)
        if (count[k])
            at_text_addf(t, "<li><i>%s</i> %zu %s</li>\n", at_strength_signs[k], count[k], words[k]);
    if (failing)
        at_text_addf(t, "<li>\xE2\x9C\x97 %zu fail%s</li>\n", failing, failing == 1 ? "s" : "");
    at_text_add(t, "</ul></div>\n");
}

static void tallies_html(at_text *t, const at_report_page *p)
{
    int known[AT_STANDINGS] = {0};
    uint64_t inputs = 0;
    at_tally every = {0};
    standings_count(p, true, known);
    for (size_t i = 0; i < p->n_sections; i++)
        for (size_t k = 0; k < p->sections[i].n; k++) {
            const at_row *r = p->sections[i].rows[k];
            at_tally_add(&every, r);
            /* inputs that were run; what a proof covers cannot be counted with them */
            if (!at_row_is_table(r) && !is_uncountable(r))
                inputs = inputs + r->rec.inputs < inputs ? UINT64_MAX : inputs + r->rec.inputs;
        }
    const int *controls = every.n[true];
    int n_controls = controls[AT_STANDS] + controls[AT_FALLS] + controls[AT_OPEN];
    int unknown = known[AT_OPEN] + known[AT_ABSENT], failing = known[AT_FALLS];
    if (!p->n_sections)
        return; /* the headline says it all */
    at_text_add(t, "<div class=\"tallies\">\n");
    bool one = p->n_sections == 1; /* whose verdict is the headline */
    if (n_controls)
        tally(t, at_tally_role(&every, true), (size_t)controls[AT_STANDS], (size_t)n_controls,
              "controls rejected");
    if (failing && !one)
        tally(t, AT_FALLS, (size_t)failing, p->n_known, "claims fail");
    if (unknown && !one)
        tally(t, AT_OPEN, (size_t)unknown, p->n_known, "claims undecided or not checked");
    if (p->n_runs)
        tally(t, AT_OPEN, p->n_reached, p->n_runs, "trainings reach 90%");
    char number[32];
    at_text_addf(t, "<div class=\"tally\"><b>%s</b>inputs and cases run</div>\n",
                 at_count_text(number, inputs));
    at_text_add(t, "</div>\n");
    strengths_html(t, p);
}

/* ---- when, by what, how again ----------------------------------------------------------------------------------- */

/* Up to a few different values of a column. */
typedef const char *column_of(const at_row *r, char room[32]);
static const char *version_of(const at_row *r, char room[32])
{
    (void)room;
    return r->rec.version;
}
static const char *isa_of(const at_row *r, char room[32])
{
    (void)room;
    return r->rec.isa;
}
static const char *seed_of(const at_row *r, char room[32])
{
    snprintf(room, 32, "%llu", (unsigned long long)r->rec.seed);
    return room;
}

static void different_html(at_text *t, const char *what, const at_report_page *p, column_of *of)
{
    enum { MOST = 4 };
    char seen[MOST][32], room[32];
    int n = 0;
    bool more = false;
    for (size_t i = 0; i < p->n_rows && !more; i++) {
        const char *v = of(&p->rows[i], room);
        int k = 0;
        if (!v || !*v)
            continue;
        while (k < n && strncmp(seen[k], v, sizeof seen[k] - 1))
            k++;
        more = k == MOST;
        if (k == n && !more)
            snprintf(seen[n++], sizeof seen[0], "%s", v);
    }
    if (!n)
        return;
    at_text_addf(t, "<div><dt>%s</dt><dd>", what);
    for (int k = 0; k < n; k++) {
        at_text_add(t, k ? ", " : "");
        at_text_add_html(t, seen[k]);
    }
    at_text_add(t, more ? " and others</dd></div>\n" : "</dd></div>\n");
}

/* "2026-11-16T19:43:46Z" as "2026-11-16 19:43"; without the day when that is `after`'s. */
enum { DAY = 10, MINUTE = 16 };
static void when_html(at_text *t, const char *when, const char *after)
{
    char text[MINUTE + 1];
    snprintf(text, sizeof text, "%s", when);
    if (strlen(text) > DAY && text[DAY] == 'T')
        text[DAY] = ' ';
    bool same_day = after && strlen(text) > DAY && !strncmp(when, after, DAY);
    at_text_add_html(t, text + (same_day ? DAY + 1 : 0));
}

static void facts_html(at_text *t, const at_report_page *p)
{
    const char *first = NULL, *last = NULL;
    for (size_t i = 0; i < p->n_rows; i++) {
        const char *w = p->rows[i].rec.when;
        if (!w || !*w)
            continue;
        first = !first || strcmp(w, first) < 0 ? w : first;
        last = !last || strcmp(w, last) > 0 ? w : last;
    }
    at_text_add(t, "<dl class=\"facts\">\n");
    if (first) {
        at_text_add(t, "<div><dt>date</dt><dd>");
        when_html(t, first, NULL);
        if (strncmp(first, last, MINUTE)) {
            at_text_add(t, " \xE2\x80\x93 ");
            when_html(t, last, first);
        }
        at_text_add(t, " UTC</dd></div>\n");
    }
    different_html(t, "version", p, version_of);
    at_text_add(t, "<div><dt>build</dt><dd><code>");
    at_text_add_html(t, p->about->build ? p->about->build : "unknown");
    at_text_add(t, p->about->other_build ? "</code>, not the one that wrote this page</dd></div>\n"
                                         : "</code></dd></div>\n");
    different_html(t, "seed", p, seed_of);
    different_html(t, "computed with", p, isa_of);
    at_text_add(t, "</dl>\n");
}

void at_report_head(at_text *t, const at_report_page *p)
{
    char hash[48];
    at_report_policy_hash(at_report_script, hash);
    at_text_addf(
        t,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'sha256-%s'\" />\n<title>attest report</title>\n<style>\n",
        hash);
    at_text_add(t, at_report_style);
    at_text_add(t, "</style>\n</head>\n<body>\n<header id=\"top\">\n");
    asked_html(t, p);
    title_html(t, p);
    against_html(t, p);
    about_html(t, p);
    tallies_html(t, p);
    facts_html(t, p);
    at_text_add(t, "</header>\n");
}

/* ---- contents ------------------------------------------------------------------------------------------------ */

static void link_html(at_text *t, const char *anchor, const char *text)
{
    at_text_addf(t, "<a href=\"#%s\">%s</a>\n", anchor, text);
}

void at_report_contents(at_text *t, const at_report_page *p)
{
    at_text_add(t, "<nav aria-label=\"Contents\">\n<input type=\"checkbox\" id=\"unfold\" /><label "
                   "for=\"unfold\">Contents</label>\n"
                   "<div class=\"contents\">\n");
    if (p->n_sections > 1)
        at_text_add(t, "<div class=\"find\" hidden=\"hidden\"><input type=\"search\" id=\"search\" "
                       "placeholder=\"Search\" aria-label=\"Search the claims\" /> "
                       "<span id=\"found\" class=\"tiny\" role=\"status\"></span></div>\n");
    link_html(t, "top", "Verdict");
    if (p->n_trained && !p->n_sections)
        link_html(t, "trained", "Trained models");
    if (p->map)
        link_html(t, "map", "The map");
    const char *group = NULL;
    for (size_t i = 0; i < p->n_sections; i++) {
        const at_report_section *s = &p->sections[i];
        if (!group || strcmp(group, s->group)) {
            at_text_add(t, group ? "</div>\n<div class=\"group\"><p>" : "<div class=\"group\"><p>");
            at_text_add_html(t, s->group);
            at_text_add(t, "</p>\n");
            group = s->group;
        }
        const at_row *best = at_report_strongest(s);
        at_standing v = at_tally_standing(&s->tally);
        at_text_addf(t, "<a href=\"#%s\"><span class=\"sign %s\">%s</span> ", s->anchor, at_report_class(v),
                     v == AT_STANDS && best ? at_strength_signs[at_row_strength(best)]
                     : v == AT_FALLS        ? "\xE2\x9C\x97"
                                            : "?");
        at_text_add_html(t, s->claim->id && *s->claim->id ? s->claim->id : "unnamed");
        at_text_add(t, "</a>\n");
    }
    at_text_add(t, group ? "</div>\n" : "");
    if (p->n_trained && p->n_sections)
        link_html(t, "trained", "Trained models");
    if (p->n_refutations)
        link_html(t, "refuted", "Models given to refute");
    if (p->n_rest)
        link_html(t, "rest", "Other entries of the ledger");
    link_html(t, "words", "What the words mean");
    link_html(t, "cite", "Cite");
    at_text_add(t, "</div>\n</nav>\n");
}
