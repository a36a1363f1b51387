/* claims.c: what several commands ask of a claim: where it is, its parameters and the size of its weights. */
#include "cli.h"

#include <string.h>

bool cli_is_claim(const char *word)
{
    static const char end[] = ".claim";
    size_t n = strlen(word), m = sizeof end - 1;
    return n > m && !strcmp(word + n - m, end);
}

at_status cli_claim_open(cli_claims *held, const char *word, const at_claim **out, at_err *err)
{
    if (!cli_is_claim(word))
        return at_claim_need(word, out, err);
    if (held->n == CLI_MOST_CLAIMS)
        return at_fail(err, AT_EINPUT, "at most %d claim files", CLI_MOST_CLAIMS);
    at_status s = at_claim_file_load(word, &held->files[held->n], err);
    if (s)
        return s;
    *out = at_claim_file_claim(held->files[held->n++]);
    for (int k = 0; k + 1 < held->n; k++)
        if (!strcmp(at_claim_file_claim(held->files[k])->id, (*out)->id))
            return at_fail(err, AT_EINPUT, "%.200s: another file has a claim %s, too", word, (*out)->id);
    return AT_OK;
}

void cli_claims_release(cli_claims *held)
{
    at_text_release(&held->left_out);
    while (held->n)
        at_claim_file_free(held->files[--held->n]);
    while (held->n_problems)
        at_problem_free(held->problems[--held->n_problems]);
}

at_status cli_claim_ask(cli_claims *held, const char *problem, const char *alphabet, at_ask *q,
                        const at_claim **out, at_text *left_out, at_err *err)
{
    if (held->n == CLI_MOST_CLAIMS)
        return at_fail(err, AT_EINPUT, "at most %d questions", CLI_MOST_CLAIMS);
    at_status s = at_problem_open_over(problem, alphabet, &q->problem, err);
    if (s)
        return s;
    held->problems[held->n_problems++] = q->problem;
    s = at_claim_ask(q, &held->files[held->n], left_out, err);
    if (!s)
        *out = at_claim_file_claim(held->files[held->n++]);
    return s;
}

at_status cli_claim_params(const cli_args *a, const at_claim *c, const char *base, at_params *p,
                           const at_task **t, at_params *tp, at_err *err)
{
    at_params_init(p, c->params, c->n_params);
    p->of = c->problem;
    at_status s = base ? at_params_parse(p, base, err) : AT_OK;
    if (!s && a->set)
        s = at_params_parse(p, a->set, err);
    return s ? s : at_claim_task(c, p, t, tp, err);
}

at_status cli_subject_load(const cli_args *a, at_model *m, const char **input, at_err *err)
{
    const at_claim *c = at_claim_find(a->words[0]);
    if (!c && a->set)
        return at_fail(err, AT_EINPUT, "--set is for claims, and '%.60s' is none (attest list claims)",
                       a->words[0]);
    if (!c)
        return at_model_load(m, a->words[0], err);
    const at_task *task;
    at_params p, tp;
    at_status s = cli_claim_params(a, c, input ? c->look_params : NULL, &p, &task, &tp, err);
    if (input)
        *input = c->look;
    return s ? s : at_claim_model(c, &p, m, err);
}

static void count_print(at_text *out, size_t n, const char *noun)
{
    at_text_addf(out, "%zu %s%s, ", n, noun, n == 1 ? "" : "s");
}

void cli_size_print(const at_size *z, at_text *out)
{
    count_print(out, (size_t)z->layers, "attention layer");
    if (z->layers) {
        count_print(out, (size_t)z->heads, "head");
        at_text_addf(out, "head width %d, ", z->head_dim);
    }
    count_print(out, (size_t)z->mlps, "MLP");
    if (z->rnns)
        count_print(out, (size_t)z->rnns, "RNN");
    if (z->mlps || z->rnns)
        at_text_addf(out, "hidden %d, ", z->hidden);
    at_text_addf(out, "width %d, ", z->width);
    count_print(out, z->parameters, "parameter");
    at_text_addf(out, "%zu not zero, largest %.3g", z->nonzero, z->largest);
}

json_t *cli_size_json(const at_size *z)
{
    json_t *j = json_object();
    j = cli_json_set(j, "layers", json_integer(z->layers));
    j = cli_json_set(j, "heads", json_integer(z->heads));
    j = cli_json_set(j, "head_width", json_integer(z->head_dim));
    j = cli_json_set(j, "mlps", json_integer(z->mlps));
    if (z->rnns)
        j = cli_json_set(j, "rnns", json_integer(z->rnns));
    j = cli_json_set(j, "hidden", json_integer(z->hidden));
    j = cli_json_set(j, "width", json_integer(z->width));
    j = cli_json_set(j, "parameters", json_integer((json_int_t)z->parameters));
    j = cli_json_set(j, "nonzero", json_integer((json_int_t)z->nonzero));
    return cli_json_set(j, "largest", cli_json_number(z->largest));
}
