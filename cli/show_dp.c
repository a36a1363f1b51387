/* show_dp.c: `attest show FILE.dp`: a recurrence, and at given sizes what its analysis says: the length L of the whole
 * sequence, the locality m, and whether it is regular (different inputs have different chains). */
#include "cli.h"

#include <inttypes.h>

#define MOST_INPUTS ((uint64_t)1 << 22) /* of the regularity test: what it keeps of each fits in memory */

typedef struct {
    uint64_t limit; /* inputs that the budget is for */
    at_tri regular;
    int64_t *first, *second;
    uint64_t distinct;
} regularity;

static void input_print(const at_dp_instance *x, const int64_t *in, at_text *t)
{
    for (int64_t i = 0; i < x->n_input; i++)
        at_text_addf(t, "%s%" PRId64, i ? " " : "", in[i]);
}

void cli_unproved_print(const at_dp *d, const at_dp_instance *x, at_text *t)
{
    if (x->proved == AT_TRUE)
        return;
    at_text line;
    at_text_init(&line);
    at_text_addf(
        &line,
        "unproved: that no input leads outside a range, an input or the states; inputs steer in too many "
        "ways to try them all, first in %.100s:%d:%d. Single prompts can be tried: attest generate MODEL "
        "PROMPT --beside %.100s",
        d->path, x->doubt_line, x->doubt_column, d->path);
    cli_wrap(t, line.oom ? "" : line.s, 0, cli_columns());
    t->oom |= line.oom;
    at_text_release(&line);
}

static void analysis_print(const at_dp *d, const at_dp_instance *x, const regularity *r, at_text *t)
{
    at_text_add(t, "\nat");
    for (int k = 0; k < d->n_sizes; k++)
        at_text_addf(t, " %s=%" PRId64, d->sizes[k].name, x->size[k]);
    at_text_addf(t,
                 "\n  inputs       %" PRId64 "\n  states       %" PRId64 "\n  L            %" PRId64
                 " rows: inputs, separator, states, answer\n",
                 x->n_input, x->n_states, x->L);
    at_text_addf(t, "  dependencies %d states and %d inputs a state\n", d->n_needs, d->n_takes);
    if (x->locality >= 0)
        at_text_addf(t,
                     "  local        every row after the inputs depends on the %" PRId64 " rows before it\n",
                     x->locality);
    else
        at_text_add(t, "  local        unknown: inputs steer in too many ways\n");
    if (r->regular == AT_TRUE)
        at_text_addf(t, "  regular      yes: %" PRIu64 " inputs, each with a chain of its own\n",
                     r->distinct);
    else if (r->regular == AT_UNKNOWN)
        at_text_addf(t, "  regular      not decided: more than %" PRIu64 " inputs, %s; none was tried\n",
                     r->limit, r->limit < MOST_INPUTS ? "which --budget allows" : "the most that are tried");
    else {
        at_text_addf(t, "  regular      no: %" PRIu64 " chains; the same one for\n               ",
                     r->distinct);
        input_print(x, r->first, t);
        at_text_add(t, "   and\n               ");
        input_print(x, r->second, t);
        at_text_add(t, "\n");
    }
    cli_unproved_print(d, x, t);
}

static json_t *input_json(const at_dp_instance *x, const int64_t *in)
{
    json_t *j = json_array();
    for (int64_t i = 0; in && i < x->n_input; i++)
        j = cli_json_add(j, json_integer((json_int_t)in[i]));
    return j;
}

static json_t *analysis_json(const at_dp_instance *x, const regularity *r)
{
    json_t *j = cli_json_set(json_object(), "inputs", json_integer((json_int_t)x->n_input));
    j = cli_json_set(j, "states", json_integer((json_int_t)x->n_states));
    j = cli_json_set(j, "length", json_integer((json_int_t)x->L));
    j = cli_json_set(j, "locality", x->locality < 0 ? json_null() : json_integer((json_int_t)x->locality));
    j = cli_json_set(j, "proved", x->proved == AT_TRUE ? json_true() : json_null());
    j = cli_json_set(j, "regular",
                     r->regular == AT_UNKNOWN ? json_null() : json_boolean(r->regular == AT_TRUE));
    if (r->regular != AT_UNKNOWN)
        j = cli_json_set(j, "chains", json_integer((json_int_t)r->distinct));
    if (r->regular == AT_FALSE) {
        j = cli_json_set(j, "first", input_json(x, r->first));
        j = cli_json_set(j, "second", input_json(x, r->second));
    }
    return j;
}

/* Inputs whose chains a budget is for: a chain evaluates every operation at every state. */
static uint64_t inputs_most(double budget, const at_dp *d, const at_dp_instance *x)
{
    double chain = ((double)x->n_states + 1) * ((double)d->n_nodes + 1), most = 1e6 * budget / chain;
    return most < 1 ? 1 : most < (double)MOST_INPUTS ? (uint64_t)most : MOST_INPUTS;
}

int cli_dp_show(const cli_args *a, double budget)
{
    at_err err = {0};
    at_dp *d;
    if (at_dp_load(a->words[0], &d, &err))
        return cli_fail(a, &err);
    at_dp_instance *x = NULL;
    int64_t size[AT_DP_MAX];
    regularity r = {0};
    at_arena arena;
    at_arena_init(&arena);
    at_text text;
    at_text_init(&text);
    at_status s = at_dp_print(d, &text);
    if (s)
        at_oom(&err);
    if (!s && a->set)
        s = at_dp_sizes_parse(d, a->set, size, &err);
    if (!s && a->set)
        s = at_dp_bind_all(d, size, &x, &err);
    if (!s && x)
        s = at_dp_regular(x, r.limit = inputs_most(budget, d, x), &arena, &r.regular, &r.first, &r.second,
                          &r.distinct, &err);
    int code;
    if (s) {
        code = cli_fail(a, &err);
        at_text_release(&text);
    } else if (a->json) {
        json_t *j = cli_json_set(json_object(), "problem", cli_json_text(d->title));
        j = cli_json_set(j, "text", cli_json_text(text.s));
        code = cli_put_json(a, x ? cli_json_set(j, "analysis", analysis_json(x, &r)) : j, CLI_HOLDS);
        at_text_release(&text);
    } else {
        if (x)
            analysis_print(d, x, &r, &text);
        else
            at_text_add(&text, "\n(with --set SIZE=N... : length, locality, regularity)\n");
        code = cli_put_text(a, &text, CLI_HOLDS);
    }
    at_dp_instance_free(x);
    at_arena_release(&arena);
    at_dp_free(d);
    return code;
}
