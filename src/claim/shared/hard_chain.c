/* hard_chain.c: trials of decoders: small ones with linear or block-sparse attention on a chain.
 *
 * Linear: layers * heads * dk * (dv + 1) numbers of state, up to 32 bits: 2 or 4 of them by turns at p4e4 (8 bits a number), 2
 * at p11e5 (16). Sparse: one
 * layer, which keeps nothing of a block, and two, which keep one vector of D = 4 numbers, by turns. */
#include "hard_nets.h"

#define STATE_BITS 32
#define WIDE       8 /* dk and dv of a wide decoder: 72 numbers a layer */

static at_status make(const void *ctx, uint64_t i, at_model *m, at_subject *s, at_err *err)
{
    static const struct {
        int layers, heads, dk, dv;
    } shapes[] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}, {1, 1, 2, 1}, {1, 1, 1, 3}};
    const hard_chain *c = ctx;
    *s = (at_subject){.m = m,
                      .arith = c->arith,
                      .chain = c->chain,
                      .self = c->self,
                      .rounded_sums = c->arith.kind == AT_PBIT};
    if (c->weights == HARD_RIGHT)
        return c->right ? c->right(c->p, c->sparse, m, err)
                        : at_fail(err, AT_EREFUSED, "the catalogue has no right decoder of this kind");
    hard_decoder d = c->shape;
    bool room = !c->arith.bits || 4 * (c->arith.bits + c->arith.exp_bits) <= STATE_BITS; /* for 4 numbers */
    uint64_t k = room ? i % COUNT(shapes) : 0;
    bool wide = c->weights == HARD_WIDE;
    d.weighting = c->sparse ? AT_SOFTMAX : AT_LINEAR;
    d.mask = c->sparse ? (at_mask){AT_MASK_BLOCK_SPARSE, c->block, 1, 1} : (at_mask){.kind = AT_MASK_CAUSAL};
    d.layers = c->sparse ? 2 - (int)(i % 2) : shapes[k].layers;
    d.heads = c->sparse ? 1 : shapes[k].heads;
    d.dk = wide ? WIDE : c->sparse ? 2 : shapes[k].dk;
    d.dv = wide ? WIDE : c->sparse ? 2 : shapes[k].dv;
    d.width = wide ? 2 * WIDE : c->sparse ? 4 : 6;
    d.hidden = 2 * d.width;
    d.seed = c->seed + i;
    at_status bad = hard_decoder_random(&d, m, err);
    if (bad || c->weights != HARD_TRAINED)
        return bad;
    bad = c->row ? hard_decoder_train(m, c->row, c->lessons, c->steps, d.seed, err)
                 : at_fail(err, AT_EREFUSED, "rows of integers are not trained on; take tokens");
    if (bad)
        at_model_release(m);
    return bad;
}

at_status hard_chain_trial(hard_chain *c, uint64_t models, const at_check_env *env, at_arena *a,
                           at_verdict *out, at_err *err)
{
    hard_trial t = {.refuter = c->sparse ? "one-block" : "running-sums",
                    .models = c->weights == HARD_RIGHT  ? "the catalogue's decoder"
                              : c->weights == HARD_WIDE ? "decoders with 72 numbers a layer"
                              : c->sparse               ? "block-sparse decoders of 1 and 2 layers, width 4"
                                                        : "linear decoders with up to 32 bits of state",
                    .weights = c->weights,
                    .states = c->states,
                    .make = make,
                    .ctx = c};
    return hard_trial_run(&t, models, c->seed, env, a, out, err);
}
