/* shared_dp.c: what the four claims about compiled recurrences share: parameters and models. Their chain is that of the
 * recurrence (lang.h), which the parameters name. */
#include "claim_dp.h"

/* The values of the parameter `problem`; sizes beyond the second do not occur. */
const char *const claim_dp_problems[] = {
    "edit-distance", "edit-distance-local", "lis",        "lcs", "knapsack", "coins",
    "grid",          "prefix-sum",          "palindrome", NULL};

/* Of all four claims, then of packed decoders. */
#define COMMON                                                                                               \
    {"problem", "which recurrence", 0, COUNT(claim_dp_problems) - 2, 0, true, claim_dp_problems},            \
        {"a", "its first size", 0, 1 << 20, 3, true},                                                        \
        {"b", "its second size, where it has two", 0, 1 << 20, 3, true},                                     \
        {"letters", "prompts use so many of the lowest values of each input", 1, 999, 26, true},             \
        {"scale", "factor on the scale of softmax and on the features of linear attention", 0.001, 16, 1,    \
         false},                                                                                             \
        {"fewer", "blocks (linear) or slots (sparse, local) left out", 0, 8, 0, true},                       \
        {"pack", "fewer and smaller heads, or a smaller width", 0, 1, 0, true},                              \
    {                                                                                                        \
        "more", "packed: digits more than a number holds; below 0: fewer", -9, 4, 0, true                    \
    }
const at_param claim_dp_params[claim_dp_n_packed] = {
    COMMON,
    {"less", "packed: what is kept modulo m is kept modulo m minus this", 0, 4, 0, true},
    {"clear", "packed, for f32: numbers are cleared by rounding, and used again", 0, 1, 0, true},
    {"keep", "cleared: used again, but not cleared", 0, 1, 0, true},
};
const at_param claim_dp_blocks[claim_dp_n_blocks] = {
    COMMON,
    {"block", "packed: rows of a block, 0: a power of two", 0, 4096, 0, true},
};

typedef struct {
    int64_t size[AT_DP_MAX];
} sizes;

static sizes sizes_of(const at_params *p)
{
    return (sizes){{at_params_int(p, "a"), at_params_int(p, "b")}};
}

at_status claim_dp_bind(const at_params *p, at_dp **d, at_dp_instance **x, at_err *err)
{
    at_status s = at_dp_example_load(claim_dp_problems[at_params_int(p, "problem")], d, err);
    if (s)
        return s;
    s = at_dp_bind(*d, sizes_of(p).size, x, err);
    if (s)
        at_dp_free(*d);
    return s;
}

static at_dp_options options_of(const at_params *p, at_attention_kind kind)
{
    bool packs = at_params_has(p, "pack"), clear = at_params_has(p, "clear") && at_params_int(p, "clear");
    return (at_dp_options){.attention = kind,
                           .scale = at_params_get(p, "scale"),
                           .fewer = at_params_int(p, "fewer"),
                           .pack = packs && at_params_int(p, "pack"),
                           .more = packs ? at_params_int(p, "more") : 0,
                           .less = at_params_has(p, "less") ? at_params_int(p, "less") : 0,
                           .block = at_params_has(p, "block") ? at_params_int(p, "block") : 0,
                           .clear = clear,
                           .keep = clear && at_params_int(p, "keep"),
                           .arith = clear ? &at_f32 : NULL};
}

at_status claim_dp_program(const at_params *p, at_attention_kind kind, at_program **out, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    at_dp_options o = options_of(p, kind);
    s = at_dp_program(x, &o, out, err);
    at_dp_instance_free(x);
    at_dp_free(d);
    return s;
}

at_status claim_dp_model(const at_params *p, at_attention_kind kind, at_model *m, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    at_dp_options o = options_of(p, kind);
    s = at_dp_model(x, &o, m, err);
    at_dp_instance_free(x);
    at_dp_free(d);
    return s;
}

/* ---- the chain ----------------------------------------------------------------------------------------------- */

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    at_dp *d;
    at_status s = at_dp_example_load(claim_dp_problems[at_params_int(p, "problem")], &d, err);
    return s ? s : at_dp_chain_open(d, true, sizes_of(p).size, at_params_int(p, "letters"), self, err);
}

const at_chain claim_dp_chain = {.id = "recurrence", .open = chain_open, AT_DP_CHAIN_FIELDS};

/* ---- precision ------------------------------------------------------------------------------------------------ */

const char *const claim_dp_precision_rows[] = {"a=2 b=2",   "a=3 b=3",   "a=5 b=5",   "a=7 b=7", "a=10 b=10",
                                               "a=15 b=15", "a=20 b=20", "a=31 b=31", NULL};

at_status claim_dp_precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    double L = (double)x->L;
    at_dp_instance_free(x);
    at_dp_free(d);
    return claim_chain_precision_row(c, p, L, CLAIM_DP_INPUTS, threads, out, err);
}
