/* bounds.c: every bound, one row each. */
#include "bound_internal.h"

#include <string.h>

const char *const at_bound_verdict_names[AT_BOUND_VERDICTS] = {"binding", "vacuous", "up to a constant"};

const char *const at_bound_bits_names[AT_BITS_KINDS] = {
    [AT_BITS_UNSAID] = "unsaid",           [AT_BITS_REALS] = "reals",
    [AT_BITS_STATE] = "bits of state",     [AT_BITS_SOURCE] = "p bits, as the source counts",
    [AT_BITS_FLOATS] = "floats",           [AT_BITS_ROUNDED] = "floats, rounded sums",
    [AT_BITS_EXACT] = "floats, exact sums"};

#define BOUNDS(ROW)                                                                                          \
    ROW(match3_hard)                                                                                         \
    ROW(match3_sets)                                                                                         \
    ROW(triangle)                                                                                            \
    ROW(triangle_row)                                                                                        \
    ROW(qsa_attention_hard)                                                                                  \
    ROW(qsa_radon)                                                                                           \
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
const at_registry at_bound_registry = AT_REGISTRY("bound", "attest bound", at_bounds, COUNT(at_bounds), id);

#define REFER_LIMIT(name) &limit_##name,
static const limit *const limits[] = {BOUNDS(REFER_LIMIT)};

const at_bound *at_bound_find(const char *id)
{
    return at_registry_find(&at_bound_registry, id);
}

/* A set of parameters belongs to the bound whose table it was made from; -1: to none. */
static int row_of(const at_params *p)
{
    for (int i = 0; i < at_n_bounds; i++)
        if (at_bounds[i]->params == p->schema)
            return i;
    return -1;
}

at_status bound_compute(const at_params *p, at_arena *a, at_bound_result *out, at_err *err)
{
    int i = row_of(p);
    return i < 0 ? at_fail(err, AT_EINPUT, "these are not the parameters of a bound")
                 : limit_compute(limits[i], p, a, out, err);
}

/* p with b's own table, if it has the same names: a caller may have a copy of the table. */
static at_status own_params(const at_bound *b, const at_params *p, at_params *own, at_err *err)
{
    bool same = p->n == b->n_params;
    for (int i = 0; same && p->schema != b->params && i < p->n; i++)
        same = !strcmp(p->schema[i].name, b->params[i].name);
    *own = *p;
    own->schema = b->params;
    return same ? AT_OK : at_fail(err, AT_EINPUT, "these are not the parameters of the bound %s", b->id);
}

at_status at_bound_compute(const at_bound *b, const at_params *p, at_arena *a, at_bound_result *out,
                           at_err *err)
{
    at_params own;
    at_status s = own_params(b, p, &own, err);
    return s ? s : b->compute(&own, a, out, err);
}

at_status at_bound_binds(const at_bound *b, const at_params *p, bool *out, at_err *err)
{
    at_params own;
    at_status s = own_params(b, p, &own, err);
    int i = s ? -1 : row_of(&own);
    if (!s && i < 0)
        s = at_fail(err, AT_EINPUT, "%s: not a bound of the table", b->id);
    return s ? s : limit_decide(limits[i], &own, out, err);
}
