/* check_print.c: verdicts as they come: a line a claim, or with -v every cell; what speaks against a claim in any case. */
#include "check_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_COLUMNS 16
#define MOST_ID      24 /* columns of an id in a line */

static const char *copy(cli_verdicts *p, const char *s)
{
    char *c = s ? at_arena_strdup(&p->arena, s) : NULL;
    p->oom = p->oom || (s && !c);
    return c;
}

void cli_verdicts_keep(cli_verdicts *p, const at_row *r)
{
    if (p->n == p->cap) {
        size_t cap = 2 * p->cap + 32;
        at_row *grown = at_realloc(p->kept, cap * sizeof *grown);
        if (!grown) {
            p->oom = true;
            return;
        }
        p->kept = grown;
        p->cap = cap;
    }
    at_row *k = &p->kept[p->n++];
    *k = *r;
    const char **text[] = {&k->key.subject,    &k->key.params, &k->key.question, &k->key.model_hash,
                           &k->key.build,      &k->rec.role,   &k->rec.evidence, &k->rec.verdict,
                           &k->rec.arithmetic, &k->rec.detail, &k->rec.isa,      &k->rec.version,
                           &k->rec.when};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        *text[i] = copy(p, *text[i]);
}

static const char *mark(const cli_verdicts *p, at_standing k)
{
    static const char *const plain[] = {"ok ", "BAD", " ? ", " - "};
    static const char *const paint[] = {"\x1b[32mok \x1b[0m", "\x1b[31mBAD\x1b[0m", "\x1b[33m ? \x1b[0m",
                                        " - "};
    return p->color ? paint[k] : plain[k];
}

static bool is_table(const at_row *r)
{
    return strcmp(r->rec.role, "table") == 0;
}

static json_t *row_json(const at_job_event *e)
{
    const at_row *r = e->row;
    json_t *o = json_object();
    o = cli_json_set(o, "claim", cli_json_text(r->key.subject));
    o = cli_json_set(o, "params", cli_json_text(r->key.params));
    o = cli_json_set(o, "question", cli_json_text(r->key.question));
    o = cli_json_set(o, "role", cli_json_text(r->rec.role));
    o = cli_json_set(o, "verdict", cli_json_text(r->rec.verdict));
    o = cli_json_set(o, "good", json_boolean(e->good));
    o = cli_json_set(o, "strength", cli_json_text(at_strength_names[at_row_strength(r)]));
    o = cli_json_set(o, "evidence", cli_json_text(r->rec.evidence));
    o = cli_json_set(o, "arithmetic", cli_json_text(r->rec.arithmetic));
    o = cli_json_set(o, "inputs", cli_json_number((double)r->rec.inputs));
    o = cli_json_set(o, "margin", cli_json_number(r->rec.margin));
    o = cli_json_set(o, "seconds", cli_json_number(r->rec.seconds));
    o = cli_json_set(o, "model", cli_json_text(r->key.model_hash));
    o = cli_json_set(o, "served", json_boolean(e->served));
    json_t *detail = r->rec.detail ? json_loads(r->rec.detail, 0, NULL) : NULL;
    return cli_json_set(o, "detail", detail ? detail : json_null());
}

static void entry_print(char out[48], json_t *v)
{
    if (json_is_number(v))
        snprintf(out, 48, "%.5g", json_number_value(v));
    else
        snprintf(out, 48, "%.40s", json_is_string(v) ? json_string_value(v) : "-");
}

/* What the table is, and its numbers, right-aligned under their names. */
static void table_print(at_text *t, const char *detail)
{
    json_t *o = json_loads(detail, 0, NULL), *table = json_object_get(o, "table");
    json_t *columns = json_object_get(table, "columns"), *rows = json_object_get(table, "rows"), *name, *row,
           *v;
    const char *title = json_string_value(json_object_get(table, "title"));
    int width[MOST_COLUMNS] = {0};
    char text[48];
    size_t r, k;
    json_array_foreach(columns, k, name) if (k < MOST_COLUMNS) width[k] = cli_width(json_string_value(name));
    json_array_foreach(rows, r, row)
    {
        json_array_foreach(row, k, v)
        {
            entry_print(text, v);
            if (k < MOST_COLUMNS && cli_width(text) > width[k])
                width[k] = cli_width(text);
        }
    }
    if (title)
        cli_wrap(t, title, 8, 100);
    at_text_add(t, "       ");
    json_array_foreach(columns, k, name) if (k < MOST_COLUMNS) at_text_addf(
        t, "  %*s", width[k] + (int)strlen(json_string_value(name)) - cli_width(json_string_value(name)),
        json_string_value(name));
    json_array_foreach(rows, r, row)
    {
        at_text_add(t, "\n       ");
        json_array_foreach(row, k, v)
        {
            entry_print(text, v);
            if (k < MOST_COLUMNS)
                at_text_addf(t, "  %*s", width[k], text);
        }
    }
    at_text_add(t, "\n");
    json_decref(o);
}

/* ---- a table of precision (ask_reach.c), and what it comes to ------------------------------------------------- */

typedef struct {
    json_t *bits; /* [N, p], for each length at which there is one */
    double right,
        at; /* the longest of which no word is wrong in f32, up to the first that has one: at; NAN: none */
    double wrong, words; /* there */
} precision;

static double number_of(json_t *row, size_t k)
{
    json_t *v = json_array_get(row, k);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static precision precision_of(json_t *rows)
{
    precision p = {.bits = json_array(), .right = NAN, .at = NAN};
    json_t *row;
    size_t r;
    json_array_foreach(rows, r, row)
    {
        double N = number_of(row, 0), wrong = number_of(row, 3), bits = number_of(row, 5);
        if (isfinite(bits)) {
            json_t *pair = cli_json_add(json_array(), json_integer((json_int_t)N));
            p.bits = cli_json_add(p.bits, cli_json_add(pair, json_integer((json_int_t)bits)));
        }
        if (isfinite(p.at) || !isfinite(wrong))
            continue;
        if (wrong > 0) {
            p.at = N;
            p.wrong = wrong;
            p.words = number_of(row, 1);
        } else
            p.right = N;
    }
    return p;
}

static void precision_print(at_text *t, const char *detail)
{
    json_t *o = json_loads(detail, 0, NULL), *pair;
    precision p = precision_of(json_object_get(json_object_get(o, "table"), "rows"));
    at_text line;
    size_t k;
    at_text_init(&line);
    at_text_add(&line, "f32: ");
    if (isfinite(p.right))
        at_text_addf(&line, "right to length %.0f", p.right);
    if (isfinite(p.at))
        at_text_addf(&line, "%swrong at length %.0f (%.0f of %.0f words)", isfinite(p.right) ? ", " : "",
                     p.at, p.wrong, p.words);
    at_text_addf(&line, "%s\nbits that are enough:", isfinite(p.right) || isfinite(p.at) ? "" : "not run");
    const char *comma = "";
    json_array_foreach(p.bits, k, pair) /* of lengths with as many bits the longest */
    {
        if (number_of(pair, 1) == number_of(json_array_get(p.bits, k + 1), 1))
            continue;
        at_text_addf(&line, "%s %.0f to length %.0f", comma, number_of(pair, 1), number_of(pair, 0));
        comma = ",";
    }
    at_text_add(&line, json_array_size(p.bits) ? "" : " not found out");
    for (char *s = line.oom ? NULL : line.s, *next; s; s = next) {
        if ((next = strchr(s, '\n')))
            *next++ = 0;
        cli_wrap(t, s, 8, 100);
    }
    at_text_release(&line);
    json_decref(p.bits);
    json_decref(o);
}

/* {"f32_right_to": 256, "f32_wrong_at": 512, "bits": [[4, 5], [8, 7]]} of a claim's table; NULL: it has none. */
static json_t *precision_json(const cli_verdicts *v, const at_claim *c)
{
    json_t *out = NULL;
    for (size_t k = 0; k < v->n && !out; k++) {
        const at_row *r = &v->kept[k];
        if (!c->file || !is_table(r) || strcmp(r->key.subject, c->id) != 0 ||
            strcmp(r->key.params, "precision") != 0 || !r->rec.detail)
            continue;
        json_t *o = json_loads(r->rec.detail, 0, NULL);
        precision p = precision_of(json_object_get(json_object_get(o, "table"), "rows"));
        out = cli_json_set(json_object(), "f32_right_to", cli_json_number(p.right));
        out = cli_json_set(out, "f32_wrong_at", cli_json_number(p.at));
        out = cli_json_set(out, "bits", p.bits);
        json_decref(o);
    }
    return out;
}

/* A cell, control or table with all that is known of it. */
static void row_print(const cli_verdicts *p, const at_job_event *e, at_text *t)
{
    const at_row *r = e->row;
    char evidence[AT_EVIDENCE_TEXT], margin[32] = "";
    at_row_evidence(r, e->claim->trial ? "case" : "input", evidence);
    if (isfinite(r->rec.margin))
        snprintf(margin, sizeof margin, "  margin %.3g", r->rec.margin);
    if (is_table(r) && p->brief)
        precision_print(t, r->rec.detail);
    else if (is_table(r)) {
        at_text_addf(t, "  %s table %s%s\n", mark(p, is_table(r) ? AT_STANDS : at_row_standing(r)),
                     r->key.params, e->served ? "  (from the ledger)" : "");
        table_print(t, r->rec.detail);
    } else {
        const char *what = strcmp(r->rec.role, "control") == 0 ? "control " : "";
        at_text_addf(t, "  %s %s %s%-21s %-4s ", mark(p, is_table(r) ? AT_STANDS : at_row_standing(r)),
                     at_strength_signs[at_row_strength(r)], what, evidence, r->rec.arithmetic);
        at_text_add_plain(t, r->key.params);
        at_text_addf(t, "%s%s\n", margin, e->served ? "  (from the ledger)" : "");
    }
    at_standing standing = at_row_standing(r);
    if ((standing == AT_OPEN || standing == AT_ABSENT || e->claim->trial ||
         (standing == AT_FALLS && e->claim->problem)) &&
        r->rec.detail && /* why; what was found */
        !is_table(r)) {
        json_t *o = json_loads(r->rec.detail, 0, NULL);
        const char *note = json_string_value(json_object_get(o, "note"));
        at_text plain;
        at_text_init(&plain);
        at_text_add_plain(&plain, note ? note : standing == AT_FALLS ? "" : "no reason is recorded");
        if (plain.n)
            cli_wrap(t, plain.oom ? "" : plain.s, 8, 100);
        at_text_release(&plain);
        json_decref(o);
    }
    if (e->counterexample) { /* indented */
        const char *s = e->counterexample;
        while (*s) {
            size_t n = strcspn(s, "\n");
            size_t shown = n > 100 ? 97 : n;
            at_text_add(t, "        ");
            at_text_addn(t, s, shown);
            at_text_add(t, shown < n ? "...\n" : "\n");
            s += n + (s[n] == '\n');
        }
    }
}

/* ---- a line a claim --------------------------------------------------------------------------------------- */

/* "Sanford, Hsu, Telgarsky 2023": a source up to its year; all of it where there is none. */
static int paper_length(const char *source)
{
    int n = 0;
    for (; source[n]; n++)
        if (strspn(source + n, "0123456789") == 4 && (!n || source[n - 1] == ' '))
            return n + 4;
    return n;
}

static void heading_of(const cli_verdicts *p, const at_claim *c, char out[sizeof p->heading])
{
    if (c->file)
        snprintf(out, sizeof p->heading, "claims from files");
    else if (c->group)
        snprintf(out, sizeof p->heading, "%s", c->group);
    else
        snprintf(out, sizeof p->heading, "%.*s%s", paper_length(c->source), c->source,
                 c->trial ? ": what cannot be done" : "");
}

/* A section has its own column of ids: what they do not need the titles have. */
static void heading_print(cli_verdicts *p, const at_claim *c, at_text *t)
{
    char heading[sizeof p->heading], other[sizeof p->heading];
    heading_of(p, c, heading);
    if (strcmp(heading, p->heading) == 0)
        return;
    at_text_addf(t, "%s%s\n", *p->heading ? "\n" : "", heading);
    memcpy(p->heading, heading, sizeof heading);
    p->wide = 0;
    for (int i = 0; i < p->n_claims; i++) {
        heading_of(p, p->claims[i], other);
        int wide = strcmp(heading, other) ? 0 : cli_width(p->claims[i]->id);
        p->wide = wide > p->wide ? wide : p->wide;
    }
    p->wide = p->wide > MOST_ID ? MOST_ID : p->wide;
}

/* What is cut to `width` columns ends in an ellipsis, behind a word where one ends late enough; then blanks up to there. */
static void cut_print(const char *s, int width, at_text *t)
{
    const char *end = s, *word = NULL;
    bool cut = cli_width(s) > width;
    for (int k = cut ? 1 : 0; *end && k < width; k++) {
        if (*end == ' ' && 4 * k > 3 * width)
            word = end;
        at_text_next(&end);
    }
    end = cut && word && *end != ' ' ? word : end;
    while (cut && end > s && (end[-1] == ' ' || end[-1] == ','))
        end--;
    at_text one;
    at_text_init(&one);
    at_text_addn(&one, s, (size_t)(end - s));
    at_text_add(&one, cut ? "\xE2\x80\xA6" : "");
    cli_pad(t, one.oom ? "" : one.s, width);
    at_text_release(&one);
}

/* The best that cells which hold rest on: the strongest kind, of that the most inputs. NULL: no cell holds. */
static const at_row *strongest(const cli_verdicts *p)
{
    const at_row *best = NULL;
    for (size_t i = p->first; i < p->n; i++) {
        const at_row *r = &p->kept[i];
        if (at_row_is_control(r) || is_table(r) || at_row_standing(r) != AT_STANDS)
            continue;
        if (!best || at_row_strength(r) > at_row_strength(best) ||
            (at_row_strength(r) == at_row_strength(best) && r->rec.inputs > best->rec.inputs))
            best = r;
    }
    return best;
}

#define EVIDENCE 18 /* columns: sign, kind, number */
#define CONTROLS 5  /* "12/12" */

/* What stands in the columns, over the first section. */
static void columns_print(at_text *t)
{
    static const char right[] = "strongest evidence, controls rejected";
    int left = cli_columns() - (int)strlen(right) - 1;
    cut_print("    claim: what it says", left < 8 ? 8 : left, t);
    at_text_addf(t, " %s\n\n", right);
}

static void line_print(cli_verdicts *p, at_text *t)
{
    const at_claim *c = p->now;
    at_tally tally = {0};
    for (size_t i = p->first; i < p->n; i++)
        at_tally_add(&tally, &p->kept[i]);
    if (!*p->heading && p->n_claims > 1)
        columns_print(t);
    heading_print(p, c, t);
    at_text_addf(t, "%s ", mark(p, at_tally_standing(&tally)));
    cut_print(c->id, p->wide, t);
    at_text_add(t, " ");
    int left = cli_columns() - 4 - p->wide - 1 - 1 - EVIDENCE - 1 - CONTROLS;
    cut_print(c->title, left < 8 ? 8 : left, t);
    const at_row *best = strongest(p);
    char evidence[AT_EVIDENCE_TEXT] = "nothing holds", text[AT_EVIDENCE_TEXT + 8], controls[32] = "-";
    if (best) {
        at_row_evidence(best, "input", evidence);
        char *noun = strchr(evidence, ',') ? strrchr(evidence, ' ') : NULL;
        if (noun) /* the number says enough */
            *noun = 0;
    }
    snprintf(text, sizeof text, "%s %s", at_strength_signs[best ? at_row_strength(best) : AT_STRENGTH_NONE],
             evidence);
    at_text_add(t, " ");
    cut_print(text, EVIDENCE, t);
    int all = 0;
    for (int k = 0; k < AT_STANDINGS; k++)
        all += k == AT_ABSENT ? 0 : tally.n[1][k];
    if (all)
        snprintf(controls, sizeof controls, "%d/%d", tally.n[1][AT_STANDS], all);
    at_text_addf(t, " %*s\n", CONTROLS, controls);
}

void cli_verdicts_told_all(cli_verdicts *p, bool finished)
{
    if (!p->now || p->verbose)
        return;
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "");
    if (finished)
        line_print(p, &t);
    else if (p->against.n)
        at_text_addf(&t, "%s, so far\n", p->now->id);
    if (p->against.n)
        at_text_add(&t, p->against.s);
    p->oom = p->oom || p->against.oom;
    at_text_release(&p->against);
    p->now = NULL;
    cli_put_text(p->args, &t, 0);
    cli_flush();
}

void cli_verdicts_told(void *ctx, const at_job_event *e)
{
    cli_verdicts *p = ctx;
    if (p->now != e->claim)
        cli_verdicts_told_all(p, true);
    if (p->now != e->claim)
        p->first = p->n;
    cli_verdicts_keep(p, e->row);
    if (p->args->json) {
        p->rows = cli_json_add(p->rows, row_json(e));
        return;
    }
    if (!p->verbose) {
        p->now = e->claim;
        if (!e->good || !strcmp(e->row->rec.verdict, "idle")) /* a control that says nothing here */
            row_print(p, e, &p->against);
        return;
    }
    at_text t;
    at_text_init(&t);
    if (p->now != e->claim)
        at_text_addf(&t, "%s%s\n  %s\n", p->now ? "\n" : "", e->claim->id, e->claim->title);
    p->now = e->claim;
    row_print(p, e, &t);
    cli_put_text(p->args, &t, 0);
    cli_flush();
}

/* ---- at the end -------------------------------------------------------------------------------------------- */

/* A question as the ledger keeps it, so that no two are alike, and the parameters at which it was asked. */
static void question_print(const at_row *r, at_text *out)
{
    const char *file = strstr(r->key.question, " file="); /* the hash of what was read: for the ledger */
    at_text whole;
    at_text_init(&whole);
    at_text_addn(&whole, r->key.question, file ? (size_t)(file - r->key.question) : strlen(r->key.question));
    at_text_add_plain(out, whole.oom ? "" : whole.s);
    out->oom |= whole.oom;
    at_text_release(&whole);
    at_text_add(out, ": ");
    at_text_add_plain(out, r->key.params);
}

/* Per claim: does it stand, and which of its questions speak against it. */
static json_t *standings_json(const cli_verdicts *p)
{
    const at_claim *const *claims = p->claims;
    int n = p->n_claims;
    json_t *all = json_array();
    for (int i = 0; i < n; i++) {
        at_tally tally = {0};
        json_t *o = json_object(), *against = json_array();
        for (size_t k = 0; k < p->n; k++) {
            const at_row *r = &p->kept[k];
            at_standing one = at_row_standing(r);
            if (strcmp(r->key.subject, claims[i]->id) != 0)
                continue;
            at_tally_add(&tally, r);
            if (one != AT_FALLS && one != AT_OPEN)
                continue;
            at_text t;
            at_text_init(&t);
            question_print(r, &t);
            against = cli_json_add(against, cli_json_text(t.oom ? "" : t.s));
            at_text_release(&t);
        }
        o = cli_json_set(o, "claim", cli_json_text(claims[i]->id));
        o = cli_json_set(o, "standing", cli_json_text(at_tally_word(&tally)));
        json_t *found = precision_json(p, claims[i]);
        o = found ? cli_json_set(o, "precision", found) : o;
        all = cli_json_add(all, cli_json_set(o, "against", against));
    }
    return all;
}

/* The claims that do not stand, each with the questions that speak against it. */
static void standings_print(const cli_verdicts *p, at_text *t)
{
    const at_claim *const *claims = p->claims;
    int n = p->n_claims;
    for (int i = 0; i < n; i++) {
        at_tally tally = {0};
        for (size_t k = 0; k < p->n; k++)
            if (strcmp(p->kept[k].key.subject, claims[i]->id) == 0)
                at_tally_add(&tally, &p->kept[k]);
        if (at_tally_standing(&tally) == AT_STANDS)
            continue;
        at_text_addf(t, "%s: %s\n", claims[i]->id, at_tally_word(&tally));
        for (size_t k = 0; k < p->n; k++) {
            at_standing one = at_row_standing(&p->kept[k]);
            if (strcmp(p->kept[k].key.subject, claims[i]->id) != 0 || (one != AT_FALLS && one != AT_OPEN))
                continue;
            at_text_addf(t, "  %s ", mark(p, one));
            question_print(&p->kept[k], t);
            at_text_add(t, "\n");
        }
    }
}

int cli_verdicts_end(cli_verdicts *p, const at_job_summary *sum, const char *report)
{
    static const int codes[AT_STANDINGS] = {CLI_HOLDS, CLI_FAILS, CLI_UNDECIDED, CLI_UNDECIDED};
    const cli_args *a = p->args;
    int code = codes[sum->standing];
    if (a->json) {
        json_t *o = json_object();
        o = cli_json_set(o, "build", cli_json_text(at_build_id()));
        o = cli_json_set(o, "claims", json_integer(sum->claims));
        o = cli_json_set(o, "held", json_integer(sum->held));
        o = cli_json_set(o, "controls", json_integer(sum->controls));
        o = cli_json_set(o, "rejected", json_integer(sum->rejected));
        o = cli_json_set(o, "unknown", json_integer(sum->unknown));
        o = cli_json_set(o, "seconds", cli_json_number(sum->seconds));
        o = cli_json_set(o, "standings", standings_json(p));
        json_t *left = json_array();
        for (const char *s = p->left_out ? p->left_out : "", *end; *s; s = end + 1) {
            end = strchr(s, '\n'); /* every line has its end */
            left = cli_json_add(left, json_stringn(s, (size_t)(end - s)));
        }
        o = cli_json_set(o, "left_out", left);
        o = cli_json_set(o, "cells", p->rows);
        p->rows = NULL;
        return cli_put_json(a, o, code);
    }
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "\n%d of %d claims hold", sum->held, sum->claims);
    if (sum->controls)
        at_text_addf(&t, ", %d of %d controls rejected", sum->rejected, sum->controls);
    if (sum->unknown)
        at_text_addf(&t, ", %d undecided", sum->unknown);
    at_text_addf(&t, " (%.1f s%s)\n", sum->seconds, sum->served ? ", some from the ledger" : "");
    standings_print(p, &t);
    if (!p->verbose && sum->claims > 1)
        at_text_addf(&t,
                     "%s proved for all inputs  %s every input run  %s sampled  %s one input\n"
                     "control: a wrong model, or a false limit, that the same check must reject\n",
                     at_strength_signs[AT_STRENGTH_PROOF], at_strength_signs[AT_STRENGTH_ALL],
                     at_strength_signs[AT_STRENGTH_SOME], at_strength_signs[AT_STRENGTH_ONE]);
    if (!p->verbose)
        at_text_add(&t, "-v shows every cell and table\n");
    if (a->db)
        at_text_addf(&t, "ledger %s\n", a->db);
    if (report)
        at_text_addf(&t, "report %s\n", report);
    return cli_put_text(a, &t, code);
}

void cli_verdicts_init(cli_verdicts *p, const cli_args *a, const at_claim *const *claims, int n, bool verbose)
{
    *p = (cli_verdicts){.args = a,
                        .claims = claims,
                        .n_claims = n,
                        .verbose = verbose,
                        .rows = a->json ? json_array() : NULL,
                        .color = cli_color()};
    at_arena_init(&p->arena);
    at_text_init(&p->against);
}

void cli_verdicts_release(cli_verdicts *p)
{
    json_decref(p->rows);
    at_text_release(&p->against);
    at_arena_release(&p->arena);
    at_free(p->kept);
}
