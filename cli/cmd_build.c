/* cmd_build.c: `attest build`: a claim's weights into a file. */
#include "cli.h"

static int claim_build(const cli_args *a, const at_claim *c)
{
    at_err err = {0};
    const at_task *task;
    at_params p, tp;
    at_model m;
    if (cli_claim_params(a, c, NULL, &p, &task, &tp, &err) || at_claim_model(c, &p, &m, &err))
        return cli_fail(a, &err);
    at_size z;
    at_model_size(&m, &z);
    at_status s = at_model_save(&m, a->out, &err);
    at_model_release(&m);
    if (s)
        return cli_fail(a, &err);
    if (a->json) {
        at_text params;
        at_text_init(&params);
        at_params_print(&p, &params);
        json_t *j = cli_json_set(json_object(), "claim", cli_json_text(c->id));
        j = cli_json_set(j, "params", params.oom ? NULL : cli_json_text(params.s));
        j = cli_json_set(j, "file", cli_json_text(a->out));
        j = cli_json_set(j, "size", cli_size_json(&z));
        at_text_release(&params);
        return cli_put_json(a, j, CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    at_text_add_plain(&t, a->out);
    at_text_addf(&t, ": %s ", c->id);
    at_params_print(&p, &t);
    at_text_add(&t, ": ");
    cli_size_print(&z, &t);
    at_text_add(&t, "\n");
    return cli_put_text(a, &t, CLI_HOLDS);
}

static int run(const cli_args *a)
{
    at_err err = {0};
    const at_claim *c;
    cli_claims held = {.n = 0};
    if (!a->out)
        return cli_usage(a, "-o is missing: where should the model go?");
    int code = cli_claim_open(&held, a->words[0], &c, &err) ? cli_fail(a, &err) : claim_build(a, c);
    cli_claims_release(&held);
    return code;
}

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_OUT},
    {0},
};

const cli_command cmd_build = {
    .name = "build",
    .summary = "turn a claim into a model file",
    .usage = "ID|FILE.claim [--set K=V]... -o MODEL",
    .about = "Assembles the program of a claim at the given parameters and saves the weights as\n"
             "a safetensors file, whole or not at all. FILE.claim is a claim of your own "
             "(docs/claimfile.md). `attest show ID` lists the parameters.\n",
    .examples = "attest build match2 --set N=8,M=17 -o match2.safetensors\n"
                "attest build qsa-rip --set N=12 --set q=2 -o qsa.safetensors\n",
    .options = options,
    .least = 1,
    .most = 1,
    .missing = "a claim id",
    .run = run,
};
