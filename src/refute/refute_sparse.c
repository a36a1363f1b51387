/* refute_sparse.c: one-block: two prompts that differ inside one block only, and are one to a block-sparse decoder.
 *
 * Source: Yang et al. 2024, theorem B.6, which counts all block ends and the window together; here by a single block. A later
 * query sees the last c positions of every block and a window of k blocks. What lies inside a block leaves the windows of
 * layer 1 after k blocks, those of layer 2 after 2k, ...; what remains of it then are block ends that saw it: in layer l
 * the c ends of the k (l-1) blocks after it (and of itself), so in M layers k c M (M-1)/2 vectors of D numbers of b bits. One layer
 * keeps nothing: any two insides will do. Two layers keep k c vectors: the birthday paradox.
 *
 *      . . . . | x x x e | . . . e | . . . e | . . |     B = 4, c = 1: x is drawn, e are ends, the state is compared where
 *                block     M k blocks later  ^            the insides have left all windows
 *
 * Items are one drawn prompt with the block's inside taken from others, so rows after the block are the same: equal states there
 * are equal ever after.
 *
 * Legend: M attention blocks, B, k, c the mask, P prefix rows of the model. */
#include "prompts.h"

#include <math.h>
#include <string.h>

static at_status mask_find(const at_subject *s, at_mask *out, int *layers, at_err *why)
{
    *layers = 0;
    for (int b = 0; b < s->m->n_blocks; b++) {
        const at_block *k = &s->m->blocks[b];
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            const at_mask *m = &k->groups[g].mask;
            if (!at_mask_is(m->kind, AT_IS_BLOCKS))
                return at_fail(why, AT_EREFUSED, "block %d, group %d is not block-sparse but %s", b, g,
                               at_mask_names[m->kind]);
            if (*layers + g > 0 &&
                (m->block != out->block || m->windows != out->windows || m->ends != out->ends))
                return at_fail(why, AT_EREFUSED, "block %d, group %d has another mask than those before it",
                               b, g);
            *out = *m;
        }
        *layers += k->kind == AT_BLOCK_ATTN;
    }
    return *layers ? AT_OK : at_fail(why, AT_EREFUSED, "no block attends");
}

static at_status sparse_fits(const at_subject *s, at_err *why)
{
    at_mask mask;
    int layers;
    at_status bad = decoder_check(s, why);
    if (!bad)
        bad = mask_find(s, &mask, &layers, why);
    if (bad)
        return bad;
    int64_t need = (int64_t)mask.block * (1 + (int64_t)layers * mask.windows) + mask.block;
    if (mask.ends >= mask.block)
        return at_fail(why, AT_EREFUSED, "every position is a block end: nothing is inside");
    if (s->m->n_prefix + (int64_t)s->chain->prompt_max(s->self) < need - mask.block + 1)
        return at_fail(
            why, AT_EREFUSED,
            "prompts of at most %d rows: none is longer than a block and %d windows of %d (B=%d, k=%d)",
            s->chain->prompt_max(s->self), layers, mask.block * mask.windows, mask.block, mask.windows);
    return AT_OK;
}

/* The base with the inside of the block from drawn prompt i; one of another length leaves the base as it is. */
static at_status splice(const prompts *p, uint64_t i, double *prompt, int *n, at_err *err)
{
    size_t from = (size_t)p->from * p->row, to = (size_t)p->to * p->row;
    at_rng r = at_rng_at(p->seed, i + 1);
    int drawn;
    at_status bad = p->s->chain->sample(p->s->self, &r, prompt, &drawn, err);
    if (bad)
        return bad;
    if (drawn == p->n_base) {
        memcpy(prompt, p->base, from * sizeof *prompt);
        memcpy(prompt + to, p->base + to, ((size_t)p->n_base * p->row - to) * sizeof *prompt);
    } else
        memcpy(prompt, p->base, (size_t)p->n_base * p->row * sizeof *prompt);
    *n = p->n_base;
    return AT_OK;
}

static at_status sparse_search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out,
                               at_err *err)
{
    at_mask mask;
    int layers;
    at_status bad = mask_find(s, &mask, &layers, err);
    if (bad)
        return bad;
    double vectors = (double)mask.windows * mask.ends * layers * (layers - 1) / 2;
    *out = (at_pair){.bits = vectors * s->m->width * number_bits(s->arith)};
    prompts p = {.s = s, .seed = env->seed, .count = INT64_MAX, .make = splice};
    if (!(p.base = at_new(a, double, s->chain->prompt_max(s->self) * subject_row(s))))
        return at_oom(err);
    at_rng r = at_rng_at(env->seed, 0);
    bad = s->chain->sample(s->self, &r, p.base, &p.n_base, err);
    if (bad)
        return bad;
    /* the first block all of whose inside are rows of the prompt */
    int P = s->m->n_prefix, begin = (P + mask.block - 1) / mask.block * mask.block - P;
    p.from = begin;
    p.to = begin + mask.block - mask.ends;
    p.read = begin + mask.block * (1 + layers * mask.windows);
    if (p.read > p.n_base - 1)
        return at_fail(err, AT_EBUDGET, "a prompt of %d rows: a block must lie %d rows before its last",
                       p.n_base, mask.block * layers * mask.windows);
    at_collision got = {0};
    bad = prompts_open(&p, env, a, err);
    if (!bad)
        bad = prompts_collide(&p, env, a, &got, out, err);
    prompts_close(&p);
    if (bad)
        return bad;
    if (!got.found)
        return at_fail(
            err, AT_EBUDGET,
            "%llu insides of rows %d..%d: no two with different chains leave the same ends and window",
            (unsigned long long)got.states, p.from + 1, p.to);
    out->note =
        at_arena_printf(a, "rows %d..%d differ; from row %d on all that is seen, in %d layers, is the same",
                        p.from + 1, p.to, p.read + 1, layers);
    return out->note ? AT_OK : at_oom(err);
}

const at_refuter refuter_sparse = {
    .id = "one-block",
    .about = "block-sparse decoders: two prompts that differ inside one block and leave the same block ends "
             "and window",
    .fits = sparse_fits,
    .search = sparse_search,
};
