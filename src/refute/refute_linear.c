/* refute_linear.c: running-sums: two prompts after which a linear-attention decoder holds the same sums in every layer.
 *
 * Source: Yang et al. 2024, theorems B.5 and C.1: what a linear-attention decoder writes depends on its running sums s and z
 * and on the last row of the prompt, a fixed separator (lemma-a8). There are layers * H * (dk * dv + dk) numbers of b bits,
 * S bits in all; more chains than 2^S cannot all be written. Made to bite: among about 2^(S/2) prompts two have the
 * same sums by the birthday paradox, and mostly far fewer do, because sums of positive numbers are not spread evenly.
 *
 * At p bits the sums are a state only when they are rounded after every token (subject.rounded_sums); exact sums grow
 * with the length, and the model that keeps them is refused here by name. In f32 and f64 they are rounded anyway, and the state is
 * long: 32 or 64 bits a number. */
#include "prompts.h"

#include <math.h>

static at_status linear_fits(const at_subject *s, at_err *why)
{
    at_status bad = decoder_check(s, why);
    int groups = 0;
    for (int b = 0; b < s->m->n_blocks && !bad; b++)
        for (int g = 0; s->m->blocks[b].kind == AT_BLOCK_ATTN && g < s->m->blocks[b].n_groups && !bad; g++) {
            const at_group *k = &s->m->blocks[b].groups[g];
            groups++;
            if (!at_weighting_is(k->weighting, AT_IS_PHI) || !at_mask_is(k->mask.kind, AT_IS_GROWING))
                bad = at_fail(why, AT_EREFUSED, "block %d, group %d keeps keys (%s, %s): no running sums", b,
                              g, at_weighting_names[k->weighting], at_mask_names[k->mask.kind]);
        }
    if (!bad && !groups)
        bad = at_fail(why, AT_EREFUSED, "no block attends");
    if (!bad && s->arith.kind == AT_PBIT && !s->rounded_sums)
        bad = at_fail(why, AT_EREFUSED, "exact running sums have no fixed size; rounded ones have");
    return bad;
}

/* S of the theorem. */
static double state_bits(const at_subject *s)
{
    double numbers = 0;
    for (int b = 0; b < s->m->n_blocks; b++)
        for (int g = 0; s->m->blocks[b].kind == AT_BLOCK_ATTN && g < s->m->blocks[b].n_groups; g++) {
            const at_group *k = &s->m->blocks[b].groups[g];
            numbers += (double)k->heads * k->dk * (k->dv + 1.0);
        }
    return numbers * number_bits(s->arith);
}

static at_status linear_search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out,
                               at_err *err)
{
    prompts p = {.s = s, .seed = env->seed, .count = prompts_count(s), .make = prompts_nth};
    *out = (at_pair){.bits = state_bits(s)};
    at_collision got = {0};
    at_status bad = prompts_open(&p, env, a, err);
    if (!bad)
        bad = prompts_collide(&p, env, a, &got, out, err);
    prompts_close(&p);
    if (bad)
        return bad;
    if (!got.found)
        return at_fail(err, AT_EBUDGET,
                       "%llu prompts: no two with different chains have the same running sums (%g bits)",
                       (unsigned long long)got.states, out->bits);
    out->note = at_arena_printf(
        a, "the running sums of every layer (%g bits) are the same after both prompts", out->bits);
    return out->note ? AT_OK : at_oom(err);
}

const at_refuter refuter_linear = {
    .id = "running-sums",
    .about = "linear-attention decoders: two prompts with the same running sums in every layer",
    .fits = linear_fits,
    .search = linear_search,
};
