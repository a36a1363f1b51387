/* compose.c: reading tables by index, and sizes: what the claims about function composition share. */
#include "claim_compose.h"

#include <math.h>

claim_reader claim_reader_new(at_program *P, at_mask_kind mask, int N, double values, double scale)
{
    at_program_weaken(P, scale);
    return (claim_reader){
        P, at_position(P, "here", AT_POS_I), at_position(P, "here^2", AT_POS_I2), mask, N, fmax(values, 1)};
}

at_var claim_read(const claim_reader *r, const char *name, at_var target, at_var value)
{
    at_program *P = r->P;
    return at_attend(P, name,
                     &(at_attention){.query = AT_VEC(at_scaled(P, 2, target), at_const(P, 1)),
                                     .key = AT_VEC(r->here, at_neg(P, r->here2)),
                                     .value = AT_VEC(value),
                                     .weighting = AT_SOFTMAX,
                                     .mask = {.kind = r->mask},
                                     .gap = 1,
                                     .scale = at_log(32 * r->values * r->N),
                                     .error = 1. / (8 * r->N),
                                     .unique = true});
}

at_status claim_compose_task(const char *id, const at_params *p, const at_task **t, at_params *tp,
                             at_err *err)
{
    return at_claim_task(&(at_claim){.id = id, .task = id}, p, t, tp, err);
}

at_status claim_compose_size(const at_claim *c, const at_params *p, uint64_t inputs, int threads,
                             double out[4], at_err *err)
{
    at_model m;
    at_size z;
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    at_model_size(&m, &z);
    at_model_release(&m);
    out[1] = z.width;
    out[2] = z.head_dim;
    out[3] = (double)z.parameters;
    return claim_least_precision(c, p, inputs, threads, &out[0], err);
}
