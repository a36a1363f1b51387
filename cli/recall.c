/* recall.c: what the file of a model says that it is for, and at which sizes. */
#include "cli.h"

at_status cli_recall(const cli_args *a, const char *model, const char *named, bool length, cli_recalled *out,
                     at_err *err)
{
    char *remembered = NULL;
    *out = (cli_recalled){0};
    at_text_init(&out->problem);
    at_text_init(&out->set);
    at_status s = at_claim_find(model) ? AT_OK : at_model_load_problem(model, &remembered, err);
    if (!s)
        s = at_problem_known(remembered, model, named, a->set, length, &out->problem, &out->set, err);
    at_free(remembered);
    return s;
}

void cli_recalled_release(cli_recalled *r)
{
    at_text_release(&r->problem);
    at_text_release(&r->set);
}
