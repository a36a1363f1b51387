/* cmd_certify.c: `attest certify`: a verdict as a file that others can check again. */
#define _GNU_SOURCE
#include "check_ask.h"

#include <attest/cert.h>
#include <attest/job.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Its own options. */
typedef struct {
    unsigned tier;
    bool beside;
    cli_asked ask;
} own;

/* The day of today, or what SOURCE_DATE_EPOCH says, so that a certificate can be made again to the byte. */
static void day_print(char out[16])
{
    const char *said = getenv("SOURCE_DATE_EPOCH");
    time_t now = said ? (time_t)strtoll(said, NULL, 10) : time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || !strftime(out, 16, "%Y-%m-%d", &utc))
        out[0] = '\0';
}

/* HASH.safetensors beside the certificate. */
static at_status models_write(const at_cert_made *made, const char *path, at_err *err)
{
    const char *slash = strrchr(path, '/');
    at_status s = AT_OK;
    for (int i = 0; i < made->n_models && !s; i++) {
        at_text name;
        at_text_init(&name);
        at_text_addn(&name, path, slash ? (size_t)(slash + 1 - path) : 0);
        at_text_addf(&name, "%s.safetensors", made->models[i].hash);
        s = name.oom ? at_oom(err) : at_file_write(name.s, made->models[i].bytes, made->models[i].n, err);
        at_text_release(&name);
    }
    return s;
}

static int made_print(const cli_args *a, const at_claim *c, const at_cert_made *made)
{
    int code = made->holds == AT_TRUE ? CLI_HOLDS : CLI_FAILS;
    if (a->json) {
        json_t *o = cli_json_set(json_object(), "claim", cli_json_text(c->id));
        o = cli_json_set(o, "certificate", cli_json_text(a->out));
        o = cli_json_set(o, "holds", json_boolean(made->holds == AT_TRUE));
        o = cli_json_set(o, "cells", json_integer(made->cells));
        o = cli_json_set(o, "left_out", json_integer(made->left_out));
        o = cli_json_set(o, "models", json_integer(made->n_models));
        return cli_put_json(a, cli_json_set(o, "bytes", json_integer((json_int_t)made->text.n)), code);
    }
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "%s: %s, %d cell%s, %d model%s, %zu bytes\n", a->out, c->id, made->cells,
                 made->cells == 1 ? "" : "s", made->n_models, made->n_models == 1 ? "" : "s", made->text.n);
    if (made->left_out)
        at_text_addf(&t, "left out: %d cell%s, as for %s\n", made->left_out, made->left_out == 1 ? "" : "s",
                     made->why ? made->why : "");
    if (code)
        at_text_add(&t, "a claim in it does not hold, or a control is not rejected\n");
    at_text_add(&t, "check it: python3 tools/verify.py ");
    at_text_add_word(&t, a->out);
    at_text_add(&t, "\n");
    return cli_put_text(a, &t, code);
}

static int certify(const cli_args *a, cli_claims *held)
{
    const own *o = a->own;
    at_err err = {0};
    const at_claim *c = NULL;
    if (!a->out)
        return cli_usage(a, "no file given; add -o FILE.cert");
    bool asked = cli_is_asked(a->words[0], &o->ask);
    const char *idle = asked ? NULL : cli_asked_idle(&o->ask);
    if (idle || (!asked && o->ask.problem))
        return cli_usage(a, "%s is for a model on a problem; of a claim the questions are its own",
                         idle ? idle : "--problem");
    int code = asked ? cli_ask_words(a, &o->ask, held, &c) : 0;
    if (code)
        return code;
    if (!asked && cli_claim_open(held, a->words[0], &c, &err))
        return cli_fail(a, &err);
    char day[16];
    day_print(day);
    at_check_env env = {.threads = a->threads, .progress = cli_progress()};
    at_cert_question q = {.claim = c,
                          .tier = (at_tier)o->tier,
                          .set = asked ? NULL : a->set,
                          .seed = a->seed,
                          .version = at_version(),
                          .build = at_build_id(),
                          .date = day,
                          .beside = o->beside,
                          .env = &env};
    at_cert_made made;
    at_arena arena;
    at_arena_init(&arena);
    at_status s = at_cert_make(&q, &arena, &made, &err);
    if (!s && o->beside)
        s = models_write(&made, a->out, &err);
    if (!s)
        s = at_file_write(a->out, made.text.s, made.text.n, &err);
    code = s ? cli_fail(a, &err) : made_print(a, c, &made);
    at_text_release(&made.text);
    at_arena_release(&arena);
    return code;
}

static int run(const cli_args *a)
{
    cli_claims held = {.n = 0};
    int code = certify(a, &held);
    cli_claims_release(&held);
    return code;
}

static const own usual = {.tier = AT_TIER_QUICK};
static const char *const tiers[] = {[AT_TIER_QUICK] = "quick", [AT_TIER_FULL] = "full"};

static const cli_option options[] = {
    {CLI_OUT},
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_SEED},
    {"--tier", "TIER", "quick (default) or full", CLI_CHOICE(own, tier, tiers, 2)},
    {"--beside", NULL, "weights as files HASH.safetensors beside it, not inside", CLI_FLAG(own, beside)},
    {"--problem", "P", "what MODEL should solve: a name or a file", CLI_TEXT(own, ask.problem),
     .alias = "--task"},
    {"--lengths", "A..B", "lengths of the inputs, as in 0..6", CLI_TEXT(own, ask.lengths)},
    {"--exact", NULL, "every input of these sizes", CLI_FLAG(own, ask.exact)},
    {"--sampled", "N", "N inputs of each size", CLI_WHOLE(own, ask.sampled, 1, 1000000)},
    {0},
};

const cli_command cmd_certify = {
    .name = "certify",
    .summary = "a verdict as a file that others can check again, without attest",
    .usage = "ID|FILE.claim|MODEL --problem P [--set K=V]... [--tier quick|full] [--beside] -o FILE.cert",
    .about =
        "Checks a claim, or a model on a problem, and writes down what the verdicts rest on: the statement, "
        "the\n"
        "problem as text, the weights (inside, or by their hash), a digest of the decisions on every block "
        "of\n"
        "inputs, the inputs of samples, the input that refutes a control, the cases of a certificate with\n"
        "their bounds as fractions. tools/verify.py, which needs Python with numpy and no attest, computes\n"
        "them again: docs/certificates.md has the format.\n"
        "\n"
        "Of a limit: pairs that models do not tell apart, runs of protocols with every bit that was said,\n"
        "the inequality. Cells in balls and fractions are left out, and so is what has no text or shows\n"
        "nothing; the file lists them. Exit 1 when a claim in it does not hold; the certificate is written "
        "all the same.\n",
    .examples = "attest certify match2 -o match2.cert\n"
                "attest certify dp-standard --set problem=lis,a=1..3,b=3 -o lis.cert\n"
                "attest certify m.safetensors --problem match2 --lengths 1..4 -o m.cert\n"
                "python3 tools/verify.py match2.cert\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .missing = "a claim id, a .claim file or a model file",
    .most = 1,
    .run = run,
};
