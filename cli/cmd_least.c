/* cmd_least.c: `attest least`: one number varied, and from which value on it holds.
 *
 * A scan, not a bisection: what holds with 5 bits may fail with 6, and hold again from 9 on. So every value is asked, and there are two
 * answers: the least that holds, and the least from which on all that were asked hold. */
#include "cli.h"

#include <attest/job.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_VALUES 1000
#define P_LEAST     2 /* bits that there are, and those asked unless told */
#define P_MOST      53
#define P_USUAL     24
#define FEW         6 /* values of a parameter, from its smallest on, unless told */

/* Its own options. */
typedef struct {
    const char *vary, *range, *problem, *lengths; /* NULL: not given */
} own;

/* What was found at one value; several points together when parameters are ranges. */
typedef struct {
    int64_t value;
    at_tri holds;
    const char *evidence; /* of the weakest point, or of the first that fails */
    at_strength strength;
    uint64_t inputs;
    double margin;
    const char *note; /* NULL, or why it is not known */
    bool any;
} found;

typedef struct {
    const cli_args *a;
    const own *o;
    cli_claims held;
    cli_recalled known;
    const char *problem, *set; /* of a model file: as given, or as it says */
    at_ledger *ledger;         /* NULL: nothing is kept */
    at_claim claim;            /* with the one question that is asked */
    at_cell cell;
    bool bits; /* p varies: the arithmetic */
    char name[AT_NAME_MAX + 1];
    int64_t lo, hi;
    found *rows;
    int n;
    at_arena arena;
    bool oom;
} scan;

/* ---- one value ---------------------------------------------------------------------------------------------- */

static at_tri verdict_of(const at_row *r)
{
    return !strcmp(r->rec.verdict, "holds")   ? AT_TRUE
           : !strcmp(r->rec.verdict, "fails") ? AT_FALSE
                                              : AT_UNKNOWN;
}

static const char *keep(scan *s, const char *text)
{
    const char *copy = text ? at_arena_strdup(&s->arena, text) : NULL;
    s->oom = s->oom || (text && !copy);
    return copy;
}

/* Why a row is not known. */
static const char *note_of(scan *s, const at_row *r)
{
    at_arena a;
    at_finding f;
    at_arena_init(&a);
    bool read = r->rec.detail && !at_finding_of_row(r, &a, &f, NULL) && f.kind == AT_FINDING_VERDICT;
    const char *note = read ? keep(s, f.verdict.note) : NULL;
    at_arena_release(&a);
    return note;
}

static void told(void *ctx, const at_job_event *e)
{
    scan *s = ctx;
    found *f = &s->rows[s->n];
    at_tri now = verdict_of(e->row);
    at_strength strength = at_row_strength(e->row);
    /* A point that fails decides, then one that is not known, then the weakest. */
    bool takes = !f->any || (f->holds == AT_TRUE && now != AT_TRUE) ||
                 (f->holds == AT_UNKNOWN && now == AT_FALSE) ||
                 (f->holds == AT_TRUE && now == AT_TRUE && strength < f->strength);
    if (takes) {
        f->holds = now;
        f->strength = strength;
        f->evidence = keep(s, e->row->rec.evidence);
        f->note = now == AT_UNKNOWN ? note_of(s, e->row) : NULL;
    }
    f->inputs = e->row->rec.inputs > UINT64_MAX - f->inputs ? UINT64_MAX : f->inputs + e->row->rec.inputs;
    if (isfinite(e->row->rec.margin))
        f->margin = fmin(f->margin, e->row->rec.margin); /* NaN is none */
    f->any = true;
}

/* What cannot be asked at this value (too many inputs, sizes that do not go together) is not known there. */
static at_status value_ask(scan *s, int64_t value, at_err *err)
{
    found *f = &s->rows[s->n];
    char arith[16], one[96];
    *f = (found){.value = value, .holds = AT_UNKNOWN, .evidence = "", .margin = NAN};
    snprintf(arith, sizeof arith, "p%" PRId64, value);
    snprintf(one, sizeof one, " %s=%" PRId64, s->name, value);
    at_text set;
    at_text_init(&set);
    if (s->a->set && !s->problem)
        at_text_add(&set, s->a->set);
    if (!s->bits)
        at_text_add(&set, one);
    char given[16];
    at_arith_name(s->a->precision, given);
    at_job job = {.ledger = s->ledger,
                  .tier = AT_TIER_QUICK,
                  .threads = s->a->threads,
                  .seed = s->a->seed,
                  .set = set.n ? set.s : NULL,
                  .arith = s->bits               ? arith
                           : s->a->has_precision ? given
                                                 : NULL,
                  .progress = cli_progress(),
                  .told = told,
                  .ctx = s};
    at_job_summary sum;
    at_err why = {0};
    at_status st =
        set.oom ? at_oom(&why) : at_job_check((const at_claim *[]){&s->claim}, 1, &job, &sum, &why);
    at_text_release(&set);
    if (st == AT_EBUDGET || st == AT_EDOMAIN || st == AT_EREFUSED) {
        f->holds = AT_UNKNOWN;
        f->note = keep(s, why.text);
        f->any = true;
        st = AT_OK;
    }
    if (s->oom)
        return at_oom(err);
    return st ? at_fail(err, st, "%s", why.text) : AT_OK;
}

/* ---- what is asked -------------------------------------------------------------------------------------------- */

/* The claim's first question that enumerates, or else its first that is run. */
static at_status question_choose(scan *s, const at_claim *c, at_err *err)
{
    const at_cell *best = NULL;
    for (int k = 0; k < c->n_cells; k++) {
        const at_cell *x = &c->cells[k];
        if (x->control || (s->bits && x->evidence == AT_EV_CERTIFIED))
            continue;
        if (!best || (best->evidence != AT_EV_EXACT && x->evidence == AT_EV_EXACT))
            best = x;
    }
    if (!best)
        return at_fail(err, AT_EREFUSED, "%s has no question that is run in an arithmetic", c->id);
    s->claim = *c;
    s->cell = *best;
    s->cell.tier = AT_TIER_QUICK;
    s->claim.cells = &s->cell;
    s->claim.n_cells = 1;
    s->claim.n_tables = 0;
    return AT_OK;
}

static at_status question_open(scan *s, at_err *err)
{
    const at_claim *c;
    const char *word = s->a->words[0];
    at_status st;
    s->bits = !strcmp(s->o->vary, "p") || !strcmp(s->o->vary, "precision");
    s->problem = s->o->problem;
    s->set = s->a->set;
    const at_front *f = at_claim_find(word) ? NULL : at_front_of_word(word);
    if (!s->problem && f && at_front_is_problem(f)) { /* compiled, as check does it */
        at_ask made = {.set = s->set, .lengths = s->o->lengths, .attention = AT_ATTENTION_STANDARD};
        st = cli_claim_ask(&s->held, word, NULL, &made, &c, NULL, err);
        return st ? st : question_choose(s, c, err);
    }
    if (!cli_is_claim(word) && !at_claim_find(word) && (s->problem || strpbrk(word, "./"))) {
        if ((st = cli_recall(s->a, word, s->problem, false, &s->known, err)))
            return st;
        s->problem = s->known.problem.s;
        s->set = s->known.set.s;
    }
    if (!s->problem) {
        st = cli_claim_open(&s->held, word, &c, err);
        for (int k = 0; !st && k < c->n_params; k++)
            s->bits = s->bits && strcmp(c->params[k].name, s->o->vary) != 0; /* its own p, a prime perhaps */
        return st ? st : question_choose(s, c, err);
    }
    if (!s->bits)
        return at_fail(err, AT_EINPUT, "of a model file p can be varied, not '%.40s'", s->o->vary);
    at_ask ask = {.model = word,
                  .set = s->set,
                  .lengths = s->o->lengths,
                  .attention = -1,
                  .arith = "p24"}; /* each p takes its place; until then it says what an input costs */
    st = cli_claim_ask(&s->held, s->problem, NULL, &ask, &c, NULL, err);
    if (!st)
        s->claim = *c;
    return st;
}

static at_status range_read(scan *s, const at_param *row, at_err *err)
{
    int64_t lo = row ? (int64_t)row->lo : P_LEAST, hi = row ? (int64_t)row->hi : P_MOST;
    const char *r = s->o->range, *dots = r ? strstr(r, "..") : NULL;
    s->lo = lo;
    s->hi = !row ? P_USUAL : hi - lo < FEW ? hi : lo + FEW - 1;
    if (!r)
        return AT_OK;
    if (!dots || !at_parse_i64(r, (size_t)(dots - r), &s->lo) ||
        !at_parse_i64(dots + 2, strlen(dots + 2), &s->hi) || s->hi < s->lo)
        return at_fail(err, AT_EINPUT, "--range '%.40s': must be as in 2..24", r);
    if (s->lo < lo || s->hi > hi)
        return at_fail(err, AT_EDOMAIN, "--range '%.40s': %s must be in %" PRId64 "..%" PRId64, r, s->name,
                       lo, hi);
    if (s->hi - s->lo >= MOST_VALUES)
        return at_fail(err, AT_EDOMAIN, "--range '%.40s': at most %d values", r, MOST_VALUES);
    return AT_OK;
}

/* p, or a parameter of the claim that is an integer. */
static at_status vary_read(scan *s, at_err *err)
{
    const at_param *row = NULL;
    at_guess g = {s->o->vary};
    for (int k = 0; k < s->claim.n_params && !s->bits; k++) {
        const at_param *p = &s->claim.params[k];
        if (p->integer && !p->names)
            at_guess_add(&g, p->name);
        if (!strcmp(p->name, s->o->vary))
            row = p;
    }
    if (!s->bits && !row) {
        static const char *const sizes[] = {"width", "layers", "heads", "hidden", "parameters"};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (!strcmp(s->o->vary, sizes[k]))
                return at_fail(
                    err, AT_EINPUT,
                    "%s of a construction follows from its parameters; of trained models `attest sweep "
                    "--widths` varies it, of limits `attest bound`",
                    sizes[k]);
        return at_guess_fail(&g, "parameter", "attest show", err);
    }
    if (row && (!row->integer || row->names))
        return at_fail(err, AT_EINPUT, "--vary '%.40s': must be p or an integer parameter", s->o->vary);
    if (row && at_assignments_name(s->a->set, row->name))
        return at_fail(err, AT_EINPUT, "%s is varied and set", row->name);
    if (s->bits && s->a->has_precision)
        return at_fail(err, AT_EINPUT, "p is varied, and --precision fixes the arithmetic");
    if (s->bits && s->claim.trial)
        return at_fail(err, AT_EREFUSED, "%s is %s: no model of its own runs in p bits", s->claim.id,
                       at_claim_is_limit(&s->claim) ? "a limit" : "checked by trials");
    snprintf(s->name, sizeof s->name, "%s", s->bits ? "p" : row->name);
    at_sweep w; /* found out before anything is run */
    at_sweep_init(&w, s->claim.params, s->claim.n_params);
    at_status st = s->a->set && !s->problem ? at_sweep_parse(&w, s->a->set, err) : AT_OK;
    return st ? st : range_read(s, row, err);
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

static const char *const words[] = {[AT_FALSE] = "fails", [AT_TRUE] = "holds", [AT_UNKNOWN] = "unknown"};

static void evidence_print(const found *f, char out[AT_EVIDENCE_TEXT])
{
    at_row r = {.rec = {.evidence = f->evidence, .inputs = f->inputs}};
    at_row_evidence(&r, "input", out);
}

static void value_print(const scan *s, int64_t value, char out[32])
{
    snprintf(out, 32, s->bits ? "p%" PRId64 : "%" PRId64, value);
}

static void row_print(const scan *s, const found *f)
{
    char evidence[AT_EVIDENCE_TEXT], value[32];
    at_text t;
    at_text_init(&t);
    evidence_print(f, evidence);
    value_print(s, f->value, value);
    at_text_addf(&t, "  %-6s %-8s %-24s", value, words[f->holds], f->inputs ? evidence : "");
    if (isfinite(f->margin))
        at_text_addf(&t, " margin %.3g", f->margin);
    while (t.n && t.s[t.n - 1] == ' ')
        t.s[--t.n] = 0;
    at_text_add(&t, "\n");
    if (f->note)
        cli_wrap(&t, f->note, 9, cli_columns());
    cli_put_text(s->a, &t, 0);
    cli_flush();
}

/* "p5 (exact, 1331 inputs); p4 before it fails (refuted, 1 input)" */
static void sides_print(const scan *s, int k, at_text *t)
{
    char evidence[AT_EVIDENCE_TEXT], value[32];
    if (k < 0) {
        at_text_add(t, "none of those asked\n");
        return;
    }
    evidence_print(&s->rows[k], evidence);
    value_print(s, s->rows[k].value, value);
    at_text_addf(t, "%s (%s)", value, evidence);
    if (k) {
        value_print(s, s->rows[k - 1].value, value);
        evidence_print(&s->rows[k - 1], evidence);
        at_text_addf(t, "; %s before it: %s", value, words[s->rows[k - 1].holds]);
        if (s->rows[k - 1].inputs)
            at_text_addf(t, " (%s)", evidence);
    } else
        at_text_add(t, "; none before it was asked");
    at_text_add(t, "\n");
}

static json_t *row_json(const found *f)
{
    json_t *o = cli_json_set(json_object(), "value", json_integer((json_int_t)f->value));
    o = cli_json_set(o, "verdict", cli_json_text(words[f->holds]));
    o = cli_json_set(o, "evidence", cli_json_text(f->evidence));
    o = cli_json_set(o, "inputs", cli_json_number((double)f->inputs));
    o = cli_json_set(o, "margin", cli_json_number(f->margin));
    return cli_json_set(o, "note", f->note ? cli_json_text(f->note) : json_null());
}

static json_t *at_json(const scan *s, int k)
{
    return k < 0 ? json_null() : json_integer((json_int_t)s->rows[k].value);
}

static int answer(const scan *s, const char *question)
{
    int first = -1, from = s->n;
    for (int k = 0; k < s->n && first < 0; k++)
        first = s->rows[k].holds == AT_TRUE ? k : -1;
    while (from > 0 && s->rows[from - 1].holds == AT_TRUE)
        from--;
    from = from < s->n ? from : -1;
    int code = from >= 0 ? CLI_HOLDS : s->rows[s->n - 1].holds == AT_FALSE ? CLI_FAILS : CLI_UNDECIDED;
    if (s->a->json) {
        json_t *rows = json_array();
        for (int k = 0; k < s->n; k++)
            rows = cli_json_add(rows, row_json(&s->rows[k]));
        json_t *o = cli_json_set(json_object(), "subject", cli_json_text(s->a->words[0]));
        o = cli_json_set(o, "question", cli_json_text(question));
        o = cli_json_set(o, "vary", cli_json_text(s->name));
        o = cli_json_set(o, "rows", rows);
        o = cli_json_set(o, "least", at_json(s, first));
        return cli_put_json(s->a, cli_json_set(o, "least_from_which_on_all_hold", at_json(s, from)), code);
    }
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "the least that holds: ");
    sides_print(s, first, &t);
    at_text_add(&t, "the least from which on all asked hold: ");
    sides_print(s, from, &t);
    return cli_put_text(s->a, &t, code);
}

static void question_print(const scan *s, at_text *t)
{
    at_text_add_plain(t, s->a->words[0]);
    if (s->problem) {
        at_text_add(t, " on ");
        at_text_add_plain(t, s->problem);
    }
    at_text_add(t, ": ");
    const at_cell *c = &s->claim.cells[0];
    at_text_add(t, at_evidence_names[c->evidence]);
    if (c->evidence == AT_EV_EXACT && !s->claim.chain && !s->claim.trial)
        at_text_addf(t, ", %s", at_enum_names[c->how]);
    at_sweep w;
    if (s->problem || at_cell_sweep(&s->claim, c, AT_TIER_QUICK, s->a->set, &w, NULL))
        return;
    at_text point;
    at_text_init(&point);
    at_sweep_print(&w, &point);
    at_text_add(t, ",");
    for (const char *p = point.oom ? "" : point.s; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        size_t n = strcspn(p, " "), name = strcspn(p, "=");
        if (s->bits || name != strlen(s->name) || strncmp(p, s->name, name)) {
            at_text_add(t, " ");
            at_text_addn(t, p, n);
        }
    }
    at_text_release(&point);
}

static int scan_run(scan *s)
{
    at_err err = {0};
    at_status st = question_open(s, &err);
    if (!st)
        st = vary_read(s, &err);
    if (!st && s->a->db)
        st = at_ledger_open(s->a->db, AT_LEDGER_WRITE, &s->ledger, &err);
    if (st)
        return cli_fail(s->a, &err);
    s->rows = at_new(&s->arena, found, s->hi - s->lo + 1);
    if (!s->rows)
        return cli_oom(s->a);
    at_text t;
    at_text_init(&t);
    question_print(s, &t);
    const char *question = t.oom ? NULL : at_arena_strdup(&s->arena, t.s);
    at_text_release(&t);
    if (!question)
        return cli_oom(s->a);
    if (!s->a->json) {
        at_text_init(&t);
        cli_wrap(&t, question, 0, cli_columns());
        cli_put_text(s->a, &t, 0);
    }
    for (int64_t v = s->lo; v <= s->hi && !st; v++) {
        st = value_ask(s, v, &err);
        cli_progress_clear();
        if (!st && !s->a->json)
            row_print(s, &s->rows[s->n]);
        s->n += !st;
    }
    return st ? cli_fail(s->a, &err) : answer(s, question);
}

static int run(const cli_args *a)
{
    scan s = {.a = a, .o = a->own};
    if (!s.o->vary)
        return cli_usage(a, "--vary is missing: p, or an integer parameter of the claim");
    at_arena_init(&s.arena);
    int code = scan_run(&s);
    at_ledger_close(s.ledger);
    cli_claims_release(&s.held);
    cli_recalled_release(&s.known);
    at_arena_release(&s.arena);
    return code;
}

static const own usual = {.vary = NULL};

static const cli_option options[] = {
    {"--vary", "WHAT", "p (bits of the arithmetic), or an integer parameter", CLI_TEXT(own, vary)},
    {"--range", "A..B", "values of it (default: p 2..24, of a parameter the first 6)", CLI_TEXT(own, range)},
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_DB},
    {CLI_SEED},
    {CLI_PRECISION},
    {"--problem", "P", "what MODEL should solve: a name or a file", CLI_TEXT(own, problem),
     .alias = "--task"},
    {"--lengths", "A..B", "with --problem: lengths of the inputs", CLI_TEXT(own, lengths)},
    {0},
};

const cli_command cmd_least = {
    .name = "least",
    .summary = "vary bits or a parameter: from which value on does it hold?",
    .usage = "ID|FILE.claim|FILE.dp|MODEL [--problem P] --vary p|PARAMETER [--range A..B] [--set K=V]",
    .about =
        "Asks one question at every value of a range and says which is the least that holds, and which\n"
        "the least from which on all that were asked hold. They may differ: more bits need not be\n"
        "better. The question is the claim's first that enumerates its inputs (else its first that is\n"
        "run), at the sizes of --set; of MODEL --problem P, and of a file that is compiled, it is that\n"
        "of attest check. What is varied is p, the bits of the arithmetic, or an integer parameter of\n"
        "the claim. Where a claim has a parameter p of its own that one is meant, and precision is the\n"
        "word for the bits. A value at which nothing can be asked (sizes that do not go together, too\n"
        "many inputs) is unknown, with the reason.\n"
        "\n"
        "Exit code: 0 there is a value from which on all asked hold, 1 the largest asked fails, 2 bad usage\n"
        "or input, 3 the largest asked is unknown, or interrupted.",
    .examples = "attest least match2 --set N=3,M=11 --vary p\n"
                "attest least match2 --set N=3,M=11 --vary p --range 4..12 --json\n"
                "attest least match2 --set M=7 --vary N --range 1..5\n"
                "attest least m.safetensors --problem match2 --set M=11 --lengths 1..3 --vary p\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "a claim, or a model file",
    .run = run,
};
