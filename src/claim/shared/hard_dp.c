/* hard_dp.c: trials of decoders on recurrences, and the hypothesis of the lower bounds: is the recurrence regular?
 *
 * A recurrence is regular when different inputs have different chains. Only then do states of as many bits as the input has
 * follow; else as many as the chains have. It is checked here by running every input. */
#include "claim_dp.h"
#include "hard_nets.h"

#include <inttypes.h>
#include <string.h>

#define PREFIX_SUM "prefix-sum"
#define INPUTS     ((uint64_t)1 << 20) /* that are run to see whether chains differ */

/* The parameters of shared_dp.c with ours in them. */
static at_status dp_params(const at_params *p, at_params *out, at_err *err)
{
    const char *const shared[] = {"problem", "a", "b", "letters"};
    at_params_init(out, claim_dp_params, claim_dp_n_params);
    at_status s = AT_OK;
    for (int k = 0; k < COUNT(shared) && !s; k++)
        s = at_params_set(out, shared[k], at_params_get(p, shared[k]), err);
    return s;
}

static at_status dp_right(const at_params *p, bool sparse, at_model *m, at_err *err)
{
    at_params dp;
    at_status s = dp_params(p, &dp, err);
    return s ? s : claim_dp_model(&dp, sparse ? AT_ATTENTION_SPARSE : AT_ATTENTION_LINEAR, m, err);
}

/* Rows and rule of a small decoder, as the catalogue's standard decoder of the recurrence has them. */
static at_status rows_of(const at_params *dp, at_arena *a, hard_decoder *out, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_model shape;
    at_status s = claim_dp_bind(dp, &d, &x, err);
    if (s)
        return s;
    s = at_dp_shape(x, &(at_dp_options){.attention = AT_ATTENTION_STANDARD}, &shape, err);
    at_dp_instance_free(x);
    at_dp_free(d);
    if (s)
        return s;
    out->n_fields = shape.n_fields;
    out->rule = shape.decode;
    out->rule.prompt = NULL; /* small decoders say nothing of their prompts */
    out->rule.n_prompt = 0;
    if ((out->fields = at_new(a, at_field, shape.n_fields)))
        memcpy(out->fields, shape.fields, (size_t)shape.n_fields * sizeof *shape.fields);
    for (int f = 0; out->fields && f < shape.n_fields; f++)
        out->fields[f].words = NULL;
    at_model_release(&shape);
    return out->fields ? AT_OK : at_oom(err);
}

at_status hard_dp_trial(const at_params *p, const at_cell *cell, bool sparse, uint64_t limit, uint64_t seed,
                        const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    at_params dp;
    hard_running running = {.n = at_params_int(p, "a"), .q = at_params_int(p, "b")};
    hard_chain c = {.sparse = sparse,
                    .block = at_params_int(p, "block"),
                    .weights = at_params_int(p, "weights"),
                    .steps = at_params_int(p, "steps"),
                    .states = (uint64_t)at_params_get(p, "states"),
                    .seed = seed,
                    .right = dp_right,
                    .p = p};
    bool tokens = at_params_int(p, "tokens") && c.weights != HARD_RIGHT;
    at_status s = at_arith_parse(at_cell_arith(cell), &c.arith, err);
    if (!s)
        s = dp_params(p, &dp, err);
    if (!s && tokens && strcmp(claim_dp_problems[at_params_int(p, "problem")], PREFIX_SUM))
        s = at_fail(err, AT_EREFUSED, "tokens=1: only " PREFIX_SUM " has tokens");
    if (!s && tokens && (running.n < 1 || running.q < 2))
        s = at_fail(err, AT_EDOMAIN, "a=%d b=%d; allowed: a from 1, b from 2", running.n, running.q);
    if (s)
        return s;
    if (tokens) {
        c.chain = &hard_running_chain;
        c.self = &running;
        c.row = hard_running_row;
        c.lessons = &running;
        c.shape.words = AT_TOKEN_FIRST + running.q;
        c.shape.rule = (at_decode){.stop = AT_STOP_EQUALS,
                                   .value = AT_TOKEN_EOS,
                                   .max_steps = running.n + 3,
                                   .prompt_min = running.n + 1,
                                   .prompt_max = running.n + 1};
        return hard_chain_trial(&c, limit, env, a, out, err);
    }
    c.chain = &claim_dp_chain;
    s = rows_of(&dp, a, &c.shape, err);
    if (!s)
        s = c.chain->open(&dp, &c.self, err);
    if (s)
        return s;
    s = hard_chain_trial(&c, limit, env, a, out, err);
    c.chain->close(c.self);
    return s;
}

/* ---- regular ------------------------------------------------------------------------------------------------------- */

static void input_print(at_text *x, const int64_t *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        at_text_addf(x, "%s%" PRId64, i ? " " : "", v[i]);
}

at_status hard_dp_regular(const at_params *p, at_arena *a, at_verdict *out, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_params dp;
    at_status s = dp_params(p, &dp, err);
    if (!s)
        s = claim_dp_bind(&dp, &d, &x, err);
    if (s)
        return s;
    at_tri regular;
    int64_t *first, *second;
    uint64_t distinct;
    at_text t;
    at_text_init(&t);
    s = at_dp_regular(x, INPUTS, a, &regular, &first, &second, &distinct, err);
    const char *name = claim_dp_problems[at_params_int(&dp, "problem")];
    if (!s && regular == AT_TRUE)
        at_text_addf(&t,
                     "%s with %" PRId64 " inputs is regular: %" PRIu64 " different chains of %" PRId64
                     " rows, locality %" PRId64,
                     name, x->n_input, distinct, x->L, x->locality);
    else if (!s && regular == AT_FALSE) {
        at_text_addf(&t, "%s is not regular: %" PRIu64 " chains; the inputs ", name, distinct);
        input_print(&t, first, x->n_input);
        at_text_add(&t, " and ");
        input_print(&t, second, x->n_input);
        at_text_add(&t, " have the same");
    } else if (!s)
        at_text_addf(&t, "%s has too many inputs to run them all", name);
    if (!s) {
        *out = (at_verdict){.holds = regular, .evidence = AT_EV_EXACT, .inputs = distinct};
        out->note = t.oom || !t.s ? NULL : at_arena_strdup(a, t.s);
        s = out->note ? AT_OK : at_oom(err);
    }
    at_text_release(&t);
    at_dp_instance_free(x);
    at_dp_free(d);
    return s;
}
