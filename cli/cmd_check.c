/* cmd_check.c: the main job: the catalogue, or some of it, into verdicts, a table and a report. */
#include "check_ask.h"
#include "check_print.h"

#include <attest/report.h>

#include <string.h>

/* Its own options. */
typedef struct {
    at_tier tier;
    bool verbose;
    cli_asked ask;
} own;

#define REPORT "attest-report.html" /* where the report of the whole catalogue goes by default */

/* What was trained into the same ledger belongs into the report of the whole catalogue, whichever build trained it. */
static at_status trained_keep(cli_verdicts *p, at_ledger *l, at_err *err)
{
    at_row *rows = NULL;
    size_t n = 0;
    at_status s = at_ledger_rows(l, NULL, &rows, &n, &p->arena, err);
    for (size_t i = 0; !s && i < n; i++)
        if (rows[i].rec.role && strcmp(rows[i].rec.role, "trained") == 0)
            cli_verdicts_keep(p, &rows[i]);
    return s;
}

/* What of the command belongs to the question, with whichever claim: so that one of many can be asked again. */
static void options_print(const cli_args *a, at_text *t)
{
    const own *given = a->own;
    char arith[16];
    at_text_add(t, "");
    if (given->tier == AT_TIER_FULL)
        at_text_add(t, "--tier full");
    if (a->set) {
        at_text_add(t, t->n ? " --set " : "--set ");
        at_text_add_word(t, a->set);
    }
    if (a->has_precision) {
        at_arith_name(a->precision, arith);
        at_text_addf(t, "%s--precision %s", t->n ? " " : "", arith);
    }
}

static at_status report_write(cli_verdicts *p, at_ledger *l, bool all, const char *path, at_err *err)
{
    at_text html, options;
    at_text_init(&html);
    at_text_init(&options);
    options_print(p->args, &options);
    at_status s = l && all ? trained_keep(p, l, err) : AT_OK;
    at_report_about about = {
        .command = cli_command_line(), .options = options.oom ? NULL : options.s, .build = at_build_id()};
    if (!s)
        s = p->oom ? at_oom(err) : at_report_catalogue(&about, p->kept, p->n, &html, err);
    if (!s)
        s = at_file_write(path, html.s, html.n, err);
    at_text_release(&html);
    at_text_release(&options);
    return s;
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
    const char *idle = asked ? NULL : cli_asked_idle(&given->ask);
    if (idle)
        return cli_usage(a,
                         "%s is for a model on a problem, or a problem that is compiled; of a claim the "
                         "questions are its own, at your sizes with --set",
                         idle);
    int code = asked ? cli_ask_words(a, &given->ask, held, some) : 0;
    if (code)
        return code;
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
    cli_verdicts p;
    cli_verdicts_init(&p, a, claims, n, given->verbose || asked);
    p.brief = asked && !given->verbose;
    p.left_out = held->left_out.n && !held->left_out.oom ? held->left_out.s : NULL;
    char arith[16];
    at_arith_name(a->precision, arith);
    at_job job = {.ledger = l,
                  .tier = given->tier,
                  .threads = a->threads,
                  .seed = a->seed,
                  .set = asked ? NULL : a->set,
                  .arith = a->has_precision && !asked ? arith : NULL,
                  .progress = cli_progress(),
                  .told = cli_verdicts_told,
                  .ctx = &p};
    at_job_summary sum;
    at_status s = at_job_check(claims, n, &job, &sum, &err);
    cli_progress_clear();
    cli_verdicts_told_all(&p, s == AT_OK);
    if (!s && report)
        s = report_write(&p, l, !a->n_words, report, &err);
    at_ledger_close(l);
    if (!s && p.oom)
        s = at_oom(&err);
    code = s ? cli_fail(a, &err) : cli_verdicts_end(&p, &sum, report);
    cli_verdicts_release(&p);
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
    {"-v", NULL, "every cell, control and table, not a line a claim", .alias = "--verbose",
     CLI_FLAG(own, verbose)},
    {"--problem", "P", "what MODEL should solve: a name or a file", CLI_TEXT(own, ask.problem),
     .alias = "--task"},
    {"--alphabet", "LETTERS", "of a text that has none: 'a b c' (default: what occurs)",
     CLI_TEXT(own, ask.alphabet)},
    {"--output", "NAME", "of a .rasp file: the s-op that is asked for", CLI_TEXT(own, ask.output)},
    {"--lengths", "A..B", "lengths of the inputs, as in 0..6 (default: the first few)",
     CLI_TEXT(own, ask.lengths)},
    {"--exact", NULL, "every input of these sizes, and how many are wrong", CLI_FLAG(own, ask.exact)},
    {"--sampled", "N", "N inputs of each size, random and adversarial",
     CLI_WHOLE(own, ask.sampled, 1, 1000000000000)},
    {"--certify", NULL, "all inputs, rigorously: by cases, by boxes, or each in balls",
     CLI_FLAG(own, ask.certify)},
    {"--tolerance", "E", "how far real answers may be off", CLI_NUMBER(own, ask.tolerance, 1e-12, 1e12)},
    {"--attention", "KIND", "all, standard, linear, sparse, local; of words shortcut, ..",
     CLI_TEXT(own, ask.attention)},
    {0},
};

const cli_command cmd_check = {
    .name = "check",
    .summary = "check claims, a model on a problem, or a problem compiled",
    .usage = "[ID|FILE.claim|MODEL --problem P|FILE]... [--tier quick|full] [--set K=V] [--lengths A..B] "
             "[--precision P] [--db FILE] [-o REPORT.html] [-v]",
    .about =
        "Checks the named claims, or the whole catalogue. FILE.claim is a claim of your own: a problem, a\n"
        "program, a model or a recurrence, questions and controls, in a text file (docs/claimfile.md). A "
        "claim holds when "
        "all its cells hold; its\n"
        "control, the same model with one parameter broken, must be rejected by a counterexample\n"
        "that was run again. A line a claim is printed: does it hold, what it says, the strongest\n"
        "evidence, how many of its controls were rejected; and, below, what speaks against it. -v\n"
        "prints every cell, control and table. With --db verdicts are kept, and a run that was killed goes "
        "on where it\n"
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
        "Without --problem it is the one that the model was made for, if its file says so.\n"
        "FILE.dp alone is compiled, in every kind of attention that applies, and compared with its own\n"
        "interpreter. Parameters are ranges if you like: --set n=1..6.\n"
        "\n"
        "A language alone (.regex .dfa .ltl .brasp .crasp .foc .sscm .rasp .tm) is compiled and asked how "
        "far it\n"
        "is right: on every word of --lengths (as far as is quick, if not given), the empty word included\n"
        "where it has a verdict; then on long words, 1000 letters or the most that compile, random ones and "
        "near\n"
        "misses. These decide. Then, as information, where f32 begins to err, and how many bits are\n"
        "enough against the length; -v prints the table. --exact asks about every word only, --sampled "
        "about\n"
        "drawn ones, and --precision about words in that arithmetic, which then decides.\n"
        "\n"
        "Exit code: 0 all hold and all controls are rejected, 1 one does not, 2 bad usage or input,\n"
        "3 undecided, interrupted or out of memory.",
    .examples = "attest check\n"
                "attest check match2 -v\n"
                "attest check match2 --tier full -o report.html\n"
                "attest check match2 --set c=0.25 --json\n"
                "attest check examples/pairs.claim\n"
                "attest check examples/lis-linear.claim -v\n"
                "attest check m.safetensors --problem match2 --set M=11 --lengths 1..6\n"
                "attest check max.safetensors --problem max --exact\n"
                "attest check examples/lis.dp --set n=1..4,top=3 --attention all\n"
                "attest check examples/no-aa.regex --lengths 0..12\n"
                "attest check dp-standard --set problem=lis,a=1..4,b=5 --precision p14\n"
                "attest check --db attest.db -o report.html\n",
    .options = options,
    CLI_OWN(usual),
    .least = 0,
    .most = -1,
    .run = run,
};
