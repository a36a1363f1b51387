/* cmd_check.c: the main job: the catalogue, or some of it, into verdicts, a table and a report. */
#include "check_ask.h"
#include "cli.h"

#include <attest/job.h>
#include <attest/report.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Its own options. */
typedef struct {
    at_tier tier;
    cli_asked ask;
} own;

typedef struct {
    const cli_args *args;
    json_t *rows; /* --json */
    bool color;
    const char *last; /* claim printed last */
    at_row *kept;     /* every row of this run, for the report */
    size_t n, cap;
    bool oom;
    at_arena arena;
} printer;

#define MOST_COLUMNS 16
#define REPORT       "attest-report.html" /* where the report of the whole catalogue goes by default */

static const char *copy(printer *p, const char *s)
{
    char *c = s ? at_arena_strdup(&p->arena, s) : NULL;
    p->oom = p->oom || (s && !c);
    return c;
}

static void keep(printer *p, const at_row *r)
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

static const char *mark(const printer *p, const at_row *r)
{
    static const char *const plain[] = {"ok ", "BAD", " ? ", " - "};
    static const char *const paint[] = {"\x1b[32mok \x1b[0m", "\x1b[31mBAD\x1b[0m", "\x1b[33m ? \x1b[0m",
                                        " - "};
    bool table = strcmp(r->rec.role, "table") == 0; /* computed; there is nothing to stand */
    at_standing k = table ? AT_STANDS : at_row_standing(r);
    return p->color ? paint[k] : plain[k];
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

static void entry_print(char out[48], const at_table_entry *e)
{
    if (!e->text && isfinite(e->number))
        snprintf(out, 48, "%.5g", e->number);
    else
        snprintf(out, 48, "%.40s", e->text ? e->text : "-");
}

/* What the table is, and its numbers, right-aligned under their names. */
static void table_print(at_text *t, const at_table_detail *d)
{
    int n = d->n_columns < MOST_COLUMNS ? d->n_columns : MOST_COLUMNS, width[MOST_COLUMNS];
    char text[48];
    for (int k = 0; k < n; k++) {
        width[k] = cli_width(d->columns[k]);
        for (int r = 0; r < d->n_rows; r++) {
            entry_print(text, &d->entries[(size_t)r * (size_t)d->n_columns + (size_t)k]);
            if (cli_width(text) > width[k])
                width[k] = cli_width(text);
        }
    }
    if (d->title)
        cli_wrap(t, d->title, 8, 100);
    at_text_add(t, "       ");
    for (int k = 0; k < n; k++)
        at_text_addf(t, "  %*s", width[k] + (int)strlen(d->columns[k]) - cli_width(d->columns[k]),
                     d->columns[k]);
    for (int r = 0; r < d->n_rows; r++) {
        at_text_add(t, "\n       ");
        for (int k = 0; k < n; k++) {
            entry_print(text, &d->entries[(size_t)r * (size_t)d->n_columns + (size_t)k]);
            at_text_addf(t, "  %*s", width[k], text);
        }
    }
    at_text_add(t, "\n");
}

static void told(void *ctx, const at_job_event *e)
{
    printer *p = ctx;
    const at_row *r = e->row;
    keep(p, r);
    if (p->args->json) {
        p->rows = cli_json_add(p->rows, row_json(e));
        return;
    }
    at_text t;
    at_arena arena;
    at_finding f;
    at_text_init(&t);
    at_arena_init(&arena);
    t.oom = at_finding_of_row(r, &arena, &f, NULL) != AT_OK;
    if (!p->last || strcmp(p->last, e->claim->id) != 0) {
        at_text_addf(&t, "%s%s\n  %s\n", p->last ? "\n" : "", e->claim->id, e->claim->title);
        p->last = e->claim->id;
    }
    char evidence[AT_EVIDENCE_TEXT], margin[32] = "";
    at_row_evidence(r, e->claim->trial ? "case" : "input", evidence);
    if (isfinite(r->rec.margin))
        snprintf(margin, sizeof margin, "  margin %.3g", r->rec.margin);
    if (strcmp(r->rec.role, "table") == 0) {
        at_text_addf(&t, "  %s table %s%s\n", mark(p, r), r->key.params,
                     e->served ? "  (from the ledger)" : "");
        if (f.kind == AT_FINDING_TABLE && !f.broken)
            table_print(&t, &f.table);
    } else {
        const char *what = strcmp(r->rec.role, "control") == 0 ? "control " : "";
        at_text_addf(&t, "  %s %s %s%-21s %-4s ", mark(p, r), at_strength_signs[at_row_strength(r)], what,
                     evidence, r->rec.arithmetic);
        at_text_add_plain(&t, r->key.params);
        at_text_addf(&t, "%s%s\n", margin, e->served ? "  (from the ledger)" : "");
    }
    at_standing standing = at_row_standing(r);
    if ((standing == AT_OPEN || standing == AT_ABSENT || e->claim->trial) && r->rec.detail &&
        f.kind == AT_FINDING_VERDICT) { /* why; what was found */
        const char *note = f.verdict.note;
        at_text plain;
        at_text_init(&plain);
        at_text_add_plain(&plain, note ? note : "no reason is recorded");
        cli_wrap(&t, plain.oom ? "" : plain.s, 8, 100);
        at_text_release(&plain);
    }
    if (e->counterexample) { /* indented */
        const char *s = e->counterexample;
        while (*s) {
            size_t n = strcspn(s, "\n");
            size_t shown = n > 100 ? 97 : n;
            at_text_add(&t, "        ");
            at_text_addn(&t, s, shown);
            at_text_add(&t, shown < n ? "...\n" : "\n");
            s += n + (s[n] == '\n');
        }
    }
    at_arena_release(&arena);
    cli_put_text(p->args, &t, 0);
    cli_flush();
}

/* What was trained into the same ledger belongs into the report, whichever build trained it. */
static at_status trained_keep(printer *p, at_ledger *l, at_err *err)
{
    at_row *rows = NULL;
    size_t n = 0;
    at_status s = at_ledger_rows(l, NULL, &rows, &n, &p->arena, err);
    for (size_t i = 0; !s && i < n; i++)
        if (rows[i].rec.role && strcmp(rows[i].rec.role, "trained") == 0)
            keep(p, &rows[i]);
    return s;
}

static at_status report_write(printer *p, at_ledger *l, const char *path, at_err *err)
{
    at_text html;
    at_text_init(&html);
    at_status s = l ? trained_keep(p, l, err) : AT_OK;
    at_report_about about = {.command = cli_command_line(), .build = at_build_id()};
    if (!s)
        s = p->oom ? at_oom(err) : at_report_catalogue(&about, p->kept, p->n, &html, err);
    if (!s)
        s = at_file_write(path, html.s, html.n, err);
    at_text_release(&html);
    return s;
}

/* A question as the ledger keeps it, so that no two are alike, and the parameters at which it was asked. */
static void question_print(const at_row *r, at_text *out)
{
    at_text_add_plain(out, r->key.question);
    at_text_add(out, ": ");
    at_text_add_plain(out, r->key.params);
}

/* Per claim: does it stand, and which of its questions speak against it. */
static json_t *standings_json(const printer *p, const at_claim *const *claims, int n)
{
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
        all = cli_json_add(all, cli_json_set(o, "against", against));
    }
    return all;
}

/* The claims that do not stand, each with the questions that speak against it. */
static void standings_print(const printer *p, const at_claim *const *claims, int n, at_text *t)
{
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
            at_text_addf(t, "  %s ", mark(p, &p->kept[k]));
            question_print(&p->kept[k], t);
            at_text_add(t, "\n");
        }
    }
}

static int summary_print(const printer *p, const at_claim *const *claims, const at_job_summary *sum,
                         const char *report)
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
        o = cli_json_set(o, "standings", standings_json(p, claims, sum->claims));
        return cli_put_json(a, cli_json_set(o, "cells", p->rows), code);
    }
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "\n%d of %d claims hold, %d of %d controls rejected", sum->held, sum->claims,
                 sum->rejected, sum->controls);
    if (sum->unknown)
        at_text_addf(&t, ", %d undecided", sum->unknown);
    at_text_addf(&t, " (%.1f s%s)\n", sum->seconds, sum->served ? ", some from the ledger" : "");
    standings_print(p, claims, sum->claims, &t);
    if (a->db)
        at_text_addf(&t, "ledger %s\n", a->db);
    if (report)
        at_text_addf(&t, "report %s\n", report);
    return cli_put_text(a, &t, code);
}

static int claims_run(const cli_args *a, cli_claims *held)
{
    const own *given = a->own;
    at_err err = {0};
    const at_claim *some[256];
    const at_claim *const *claims = a->n_words ? some : at_catalogue;
    int n = a->n_words ? a->n_words : at_n_catalogue;
    if (n > 256)
        return cli_usage(a, "at most 256 claims");
    bool asked = given->ask.problem || (a->n_words && cli_is_asked(a->words[0], &given->ask));
    if (given->ask.problem && !a->n_words)
        return cli_usage(
            a, "--problem says what a model should solve; which model? (attest check MODEL --problem P)");
    if (asked) {
        int code = cli_ask_words(a, &given->ask, held, some);
        if (code)
            return code;
    }
    for (int i = 0; i < a->n_words && !asked; i++)
        if (cli_claim_open(held, a->words[i], &some[i], &err))
            return cli_fail(a, &err);
    if (a->set && !asked) /* found out before anything is run */
        for (int i = 0; i < n; i++) {
            at_sweep p;
            at_sweep_init(&p, claims[i]->params, claims[i]->n_params);
            if (at_sweep_parse(&p, a->set, &err))
                return cli_fail(a, &err);
        }
    const char *report = a->out ? a->out : a->n_words || a->set || a->json ? NULL : REPORT;
    if (report && (at_file_probe(report, &err) || !cli_apart(a->db, report, &err)))
        return cli_fail(a, &err);
    at_ledger *l = NULL;
    if (a->db && at_ledger_open(a->db, AT_LEDGER_WRITE, &l, &err))
        return cli_fail(a, &err);
    printer p = {.args = a, .rows = a->json ? json_array() : NULL, .color = cli_color()};
    at_arena_init(&p.arena);
    char arith[16];
    at_arith_name(a->precision, arith);
    at_job job = {.ledger = l,
                  .tier = given->tier,
                  .threads = a->threads,
                  .seed = a->seed,
                  .set = asked ? NULL : a->set,
                  .arith = a->has_precision && !asked ? arith : NULL,
                  .progress = cli_progress(),
                  .told = told,
                  .ctx = &p};
    at_job_summary sum;
    at_status s = at_job_check(claims, n, &job, &sum, &err);
    cli_progress_clear();
    if (!s && report)
        s = report_write(&p, l, report, &err);
    at_ledger_close(l);
    if (!s && p.oom)
        s = at_oom(&err);
    if (s)
        json_decref(p.rows);
    int code = s ? cli_fail(a, &err) : summary_print(&p, claims, &sum, report);
    at_arena_release(&p.arena);
    at_free(p.kept);
    return code;
}

static int run(const cli_args *a)
{
    cli_claims held = {.n = 0};
    int code = claims_run(a, &held);
    cli_claims_release(&held);
    return code;
}

static const own usual = {.tier = AT_TIER_QUICK};
static const char *const tiers[] = {[AT_TIER_QUICK] = "quick", [AT_TIER_FULL] = "full"};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_DB},
    {CLI_OUT},
    {"--tier", "TIER", "quick (default) or full", CLI_CHOICE(own, tier, tiers, 2)},
    {CLI_SEED},
    {CLI_PRECISION},
    {"--problem", "P", "what MODEL should solve: a name or a file", CLI_TEXT(own, ask.problem),
     .alias = "--task"},
    {"--lengths", "A..B", "lengths of the inputs, as in 0..6 (default: the first few)",
     CLI_TEXT(own, ask.lengths)},
    {"--exact", NULL, "every input of these sizes, and how many are wrong", CLI_FLAG(own, ask.exact)},
    {"--sampled", "N", "N inputs of each size, random and adversarial",
     CLI_WHOLE(own, ask.sampled, 1, 1000000000000)},
    {"--certify", NULL, "all inputs by a case split, where the problem has one", CLI_FLAG(own, ask.certify)},
    {"--tolerance", "E", "how far real answers may be off", CLI_NUMBER(own, ask.tolerance, 1e-12, 1e12)},
    {"--attention", "KIND", "compiled: all (default), standard, linear, sparse or local",
     CLI_TEXT(own, ask.attention)},
    {0},
};

const cli_command cmd_check = {
    .name = "check",
    .summary = "check claims, a model on a problem, or a problem compiled",
    .usage = "[ID|FILE.claim|MODEL --problem P|FILE.dp]... [--tier quick|full] [--set K=V] [--lengths A..B] "
             "[--precision P] [--db FILE] [-o REPORT.html]",
    .about =
        "Checks the named claims, or the whole catalogue. FILE.claim is a claim of your own: a problem, a\n"
        "program or a model, questions and controls, in a text file (docs/claimfile.md). A claim holds when "
        "all its cells hold; its\n"
        "control, the same model with one parameter broken, must be rejected by a counterexample\n"
        "that was run again. With --db verdicts are kept, and a run that was killed goes on where it\n"
        "stopped. -o names the self-contained HTML report; for the whole catalogue it is written in any\n"
        "case, to attest-report.html. With --set the question is asked at your own sizes (N=8, or for\n"
        "integers a range, N=4..8, which asks at every point of it); tables are left out, and controls\n"
        "that can say nothing at these sizes, with a word. With --precision cells that are run\n"
        "are run in that arithmetic.\n"
        "\n"
        "MODEL --problem P asks whether a model file solves a problem: a built-in one, a .dp file, or a file "
        "of\n"
        "cases, input<TAB>answer a line (docs/problems.md). Inputs are enumerated where that is quick, else "
        "drawn;\n"
        "--exact, --sampled and --certify choose. A model that does not fit is refused with what differs.\n"
        "FILE.dp alone is compiled, in every kind of attention that applies, and compared with its own\n"
        "interpreter. Parameters are ranges if you like: --set n=1..6.\n"
        "\n"
        "Exit code: 0 all hold and all controls are rejected, 1 one does not, 2 bad usage or input,\n"
        "3 undecided, interrupted or out of memory.",
    .examples = "attest check\n"
                "attest check match2 --tier full -o report.html\n"
                "attest check match2 --set c=0.25 --json\n"
                "attest check examples/pairs.claim\n"
                "attest check m.safetensors --problem match2 --set M=11 --lengths 1..6\n"
                "attest check max.safetensors --problem max --exact\n"
                "attest check examples/lis.dp --set n=1..4,top=3 --attention all\n"
                "attest check dp-standard --set problem=lis,a=1..4,b=5 --precision p14\n"
                "attest check --db attest.db -o report.html\n",
    .options = options,
    CLI_OWN(usual),
    .least = 0,
    .most = -1,
    .run = run,
};
