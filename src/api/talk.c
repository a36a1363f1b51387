/* talk.c: a model that parties compute together, and the bits that they send. */
#include <attest/protocol.h>

#include "api_internal.h"

static json_t *talk_json(const at_talk *t, int parties, const char *word, const char *arith, bool same)
{
    json_t *sent = json_array(), *values = json_array();
    for (int p = 0; p < parties; p++)
        sent = result_add(sent, result_number((double)t->sent[p]));
    for (int k = 0; k < t->n; k++)
        values = result_add(values, result_numbers(t->value + (size_t)k * (size_t)t->rows, t->rows));
    json_t *j = result_set(json_object(), "verdict", result_text(same ? "holds" : "fails"));
    j = result_set(j, "arithmetic", result_text(arith));
    j = result_set(j, "parties", result_text(word));
    j = result_set(j, "number_bits", result_number(t->number));
    j = result_set(j, "sum_bits_each", result_number(t->A));
    j = result_set(j, "epochs", result_number(t->epochs));
    j = result_set(j, "messages", result_number((double)t->messages));
    j = result_set(j, "bits", result_number((double)t->bits));
    j = result_set(j, "query_bits", result_number((double)t->query_bits));
    j = result_set(j, "peak_bits", result_number((double)t->peak_bits));
    j = result_set(j, "sum_bits", result_number((double)t->sum_bits));
    j = result_set(j, "budget", result_number((double)t->budget));
    j = result_set(j, "sent", sent);
    return result_set(j, "values", values);
}

at_status at_net_protocol(const at_net *net, const char *parties, const double *x, int n, const char *how,
                          at_result **out, at_err *err)
{
    api_begin(err);
    if (api_need("parties", parties, err))
        return AT_EINPUT;
    const char *precision = "p24e8";
    const option known[] = {{"precision", OPTION_TEXT, &precision}};
    at_shared *shared = NULL;
    at_input input = {n, x};
    at_model m;
    at_arith arith;
    at_talk t;
    at_arena a;
    char *word = NULL, name[16];
    int count = 0, *owner = NULL;
    bool same = false;
    at_arena_init(&a);
    at_status s = options_read(how, known, OPTIONS(known), &a, err);
    if (!s)
        s = api_precision(precision, &arith, err);
    if (!s)
        s = api_model(net, &m, err);
    if (!s)
        s = at_input_check(&m, &input, err);
    if (!s)
        s = at_parties_read(parties, n, &a, &word, &owner, &count, err);
    if (!s)
        s = at_shared_new(&m, arith, n, &(at_shared_plan){.parties = count, .owner = owner, .query = -1},
                          &shared, err);
    if (!s)
        s = at_shared_run(shared, &input, &a, &t, err);
    if (!s)
        s = at_talk_agrees(&m, arith, &input, &t, &a, &same, err);
    if (!s) {
        at_arith_name(arith, name);
        s = result_end(talk_json(&t, count, word, name, same), out, err);
    }
    at_shared_free(shared);
    at_arena_release(&a);
    return s;
}
