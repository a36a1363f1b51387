/* cmd_cite.c: `attest cite`: BibTeX of a claim's sources, and of its check. */
#define _GNU_SOURCE
#include "cli.h"

#include <attest/cert.h>
#include <attest/job.h>

#include <time.h>

static int run(const cli_args *a)
{
    at_err err = {0};
    const at_claim *c;
    if (at_claim_need(a->words[0], &c, &err))
        return cli_fail(a, &err);
    char year[8] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(year, sizeof year, "%Y", &utc);
    at_text t;
    at_text_init(&t);
    at_cite(c, at_version(), at_build_id(), year, &t);
    return cli_put_text(a, &t, CLI_HOLDS);
}

static const cli_option options[] = {{0}};

const cli_command cmd_cite = {
    .name = "cite",
    .summary = "BibTeX of a claim's sources, and of its check",
    .usage = "ID",
    .about = "Prints the papers that a claim of the catalogue rests on, and an entry for its check by this "
             "build,\n"
             "as BibTeX.\n",
    .examples = "attest cite match2\n"
                "attest cite dp-linear >>refs.bib\n",
    .options = options,
    .least = 1,
    .most = 1,
    .missing = "a claim id",
    .run = run,
};
