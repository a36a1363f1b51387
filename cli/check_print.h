/* check_print.h: what `attest check` says while it works and when it is done: verdicts as they come, in a terminal or as JSON.
 *
 *     cli_verdicts v;
 *     cli_verdicts_init(&v, a, claims, n, verbose);
 *     job.told = cli_verdicts_told, job.ctx = &v;
 *     s = at_job_check(claims, n, &job, &sum, &err);
 *     cli_verdicts_told_all(&v, s == AT_OK);
 *     code = s ? cli_fail(a, &err) : cli_verdicts_end(&v, &sum, NULL);
 *     cli_verdicts_release(&v);
 */
#ifndef ATTEST_CLI_CHECK_PRINT_H
#define ATTEST_CLI_CHECK_PRINT_H

#include "cli.h"

#include <attest/job.h>

typedef struct {
    const cli_args *args;
    const at_claim *const *claims;
    int n_claims;
    bool verbose; /* every row, not a line a claim */
    bool brief;   /* of a table of precision what it comes to, in two lines */
    bool color;
    const char *left_out; /* NULL, or lines of what could not be asked, for --json */
    json_t *rows;         /* --json */
    at_row *kept;         /* every row of this run, for the report */
    size_t n, cap;
    bool oom;
    at_arena arena;
    /* The claim whose rows come in, which is printed when the next one begins: its first row, what speaks against it. */
    const at_claim *now;
    size_t first;
    at_text against;
    char heading[120]; /* printed last */
    int wide;          /* columns of an id */
} cli_verdicts;

void cli_verdicts_init(cli_verdicts *v, const cli_args *a, const at_claim *const *claims, int n,
                       bool verbose);
void cli_verdicts_told(void *v, const at_job_event *e);   /* at_job.told */
void cli_verdicts_keep(cli_verdicts *v, const at_row *r); /* a row for the report that was not told */
/* No more is told. finished: the last claim was checked to its end; else it gets no verdict. */
void cli_verdicts_told_all(cli_verdicts *v, bool finished);
/* The summary; the exit code. report: NULL, or where it was written. */
int cli_verdicts_end(cli_verdicts *v, const at_job_summary *sum, const char *report);
void cli_verdicts_release(cli_verdicts *v);

#endif
