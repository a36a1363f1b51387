/* bounds.c: every bound, one row each. */
#include "bound_internal.h"

#include <string.h>

const char *const at_bound_verdict_names[AT_BOUND_VERDICTS] = {"binding", "vacuous", "up to a constant"};

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

#define DECLARE(name) extern const at_bound bound_##name;
BOUNDS(DECLARE)

#define REFER(name) &bound_##name,
const at_bound *const at_bounds[] = {BOUNDS(REFER)};
const int at_n_bounds = COUNT(at_bounds);

const at_bound *at_bound_find(const char *id)
{
    for (int i = 0; i < at_n_bounds; i++)
        if (strcmp(at_bounds[i]->id, id) == 0)
            return at_bounds[i];
    return NULL;
}

at_status at_bound_compute(const at_bound *b, const at_params *p, at_arena *a, at_bound_result *out,
                           at_err *err)
{
    return b->compute(p, a, out, err);
}
