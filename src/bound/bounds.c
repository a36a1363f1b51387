/* bounds.c: every bound, one row each. */
#include "bound_internal.h"

#include <assert.h>
#include <string.h>

const char *const at_bound_verdict_names[AT_BOUND_VERDICTS] = {"binding", "vacuous", "up to a constant"};

const char *const at_bound_bits_names[AT_BITS_KINDS] = {
    [AT_BITS_UNSAID] = "unsaid",           [AT_BITS_REALS] = "reals",
    [AT_BITS_STATE] = "bits of state",     [AT_BITS_SOURCE] = "p bits, as the source counts",
    [AT_BITS_FLOATS] = "floats",           [AT_BITS_ROUNDED] = "floats, rounded sums",
    [AT_BITS_EXACT] = "floats, exact sums"};

#define BOUNDS(ROW)                                                                                          \
    ROW(match3_hard)                                                                                         \
    ROW(triangle)                                                                                            \
    ROW(qsa_attention_hard)                                                                                  \
    ROW(qsa_fnn_hard)                                                                                        \
    ROW(qsa_rnn_hard)                                                                                        \
    ROW(compose_bound)                                                                                       \
    ROW(compose_cot)                                                                                         \
    ROW(funccomp_params)                                                                                     \
    ROW(dp_hard)                                                                                             \
    ROW(arith_hard)                                                                                          \
    ROW(dp_local_hard)

#define DECLARE(name)                                                                                        \
    extern const at_bound bound_##name;                                                                      \
    extern const limit limit_##name;
BOUNDS(DECLARE)

#define REFER(name) &bound_##name,
const at_bound *const at_bounds[] = {BOUNDS(REFER)};
const int at_n_bounds = COUNT(at_bounds);

#define REFER_LIMIT(name) &limit_##name,
static const limit *const limits[] = {BOUNDS(REFER_LIMIT)};

const at_bound *at_bound_find(const char *id)
{
    for (int i = 0; i < at_n_bounds; i++)
        if (strcmp(at_bounds[i]->id, id) == 0)
            return at_bounds[i];
    return NULL;
}

/* A set of parameters belongs to the bound whose table it was made from. */
static int row_of(const at_params *p)
{
    int i = 0;
    while (at_bounds[i]->params != p->schema)
        i++;
    return i;
}

at_status bound_compute(const at_params *p, at_arena *a, at_bound_result *out, at_err *err)
{
    return limit_compute(limits[row_of(p)], p, a, out, err);
}

at_status at_bound_compute(const at_bound *b, const at_params *p, at_arena *a, at_bound_result *out,
                           at_err *err)
{
    assert(p->schema == b->params);
    return b->compute(p, a, out, err);
}

at_status at_bound_binds(const at_bound *b, const at_params *p, bool *out, at_err *err)
{
    assert(p->schema == b->params);
    return limit_decide(limits[row_of(p)], p, out, err);
}
