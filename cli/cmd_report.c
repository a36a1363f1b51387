/* cmd_report.c: a ledger as one HTML file. */
#include "cli.h"

#include <attest/job.h>
#include <attest/report.h>

#include <stdio.h>
#include <string.h>

/* The verdicts of this build if there are any, else those of the build that wrote last: another build's verdicts
 * are shown under that build's name, never as this one's. Trained models are shown whoever trained them. */
static at_status rows_choose(at_ledger *l, at_row **rows, size_t *n, const char **build, at_arena *a,
                             at_err *err)
{
    *build = at_build_id();
    at_status s = at_ledger_rows(l, NULL, rows, n, a, err);
    if (s || !*n)
        return s ? s : at_fail(err, AT_EINPUT, "the ledger is empty; fill it with `attest check --db FILE`");
    at_row *r = *rows;
    const at_row *newest = NULL;
    bool ours = false;
    for (size_t i = 0; i < *n; i++) {
        if (at_row_is_trained(&r[i]))
            continue;
        ours = ours || strcmp(r[i].key.build, *build) == 0;
        if (!newest || strcmp(r[i].rec.when, newest->rec.when) > 0)
            newest = &r[i];
    }
    if (newest && !ours)
        *build = newest->key.build;
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (at_row_is_trained(&r[i]) || strcmp(r[i].key.build, *build) == 0)
            r[kept++] = r[i];
    *n = kept;
    return AT_OK;
}

static int run(const cli_args *a)
{
    if (!a->db)
        return cli_usage(a, "no ledger given; add --db FILE");
    if (!a->out)
        return cli_usage(a, "no report file given; add -o REPORT.html");
    at_err err = {0};
    at_ledger *l;
    if (at_ledger_open(a->db, AT_LEDGER_READ, &l, &err))
        return cli_fail(a, &err);
    at_arena arena;
    at_arena_init(&arena);
    at_row *rows;
    size_t n;
    const char *build;
    at_text html;
    at_text_init(&html);
    at_status s = rows_choose(l, &rows, &n, &build, &arena, &err);
    bool other = !s && strcmp(build, at_build_id());
    if (!s)
        s = at_report_catalogue(&(at_report_about){.build = build, .other_build = other}, rows, n, &html,
                                &err);
    char whose[96] = "";
    if (other) /* the name lives in the arena */
        snprintf(whose, sizeof whose, ", the verdicts of build %.40s", build);
    if (!s)
        s = at_file_write(a->out, html.s, html.n, &err);
    at_text_release(&html);
    at_arena_release(&arena);
    at_ledger_close(l);
    if (s)
        return cli_fail(a, &err);
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "report %s: %zu row%s%s\n", a->out, n, n == 1 ? "" : "s", whose);
    return cli_put_text(a, &t, CLI_HOLDS);
}

static const cli_option options[] = {
    {CLI_DB},
    {CLI_OUT},
    {0},
};

const cli_command cmd_report = {
    .name = "report",
    .summary = "a ledger as one self-contained HTML page",
    .usage = "--db FILE -o REPORT.html",
    .about = "Writes the report of a ledger that `attest check --db FILE` filled: the verdict and the map\n"
             "first, then a section a claim that was checked, with its proof, program, weights, cells and\n"
             "controls, plots and attention pictures; #ID leads to a claim. Rows of this build are\n"
             "shown; if it has none, those of the build that wrote last, under its name. Trained models are\n"
             "shown whichever build trained them, with a note.",
    .examples = "attest report --db attest.db -o report.html\n",
    .options = options,
    .least = 0,
    .most = 0,
    .run = run,
};
