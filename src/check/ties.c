/* ties.c: does a check rest on hard choices that rounding may turn?
 *
 * A model of leftmost-, rightmost- or average-hard attention can be right on every input only because rounding broke its ties
 * well: in another order of the same sums it would be wrong. So when such a model was right in f32, f64 or at p bits,
 * some of the inputs are run once more with the rounding errors of every operation enclosed (at_run_ties): all of them where
 * they are few, else evenly spaced ones, by the work that it takes and not by a clock. */
#include "check_internal.h"

#include <stdio.h>

#define LOOK_WORK   1e7 /* operations on balls: a second or two */
#define LOOKS_LEAST 16
#define LOOKS_MOST  4096

static bool is_hard(const at_model *m)
{
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            if (at_weighting_hard(m->blocks[b].groups[g].weighting))
                return true;
    return false;
}

static uint64_t looks_of(const at_model *m, int n, uint64_t total)
{
    double T = m->n_prefix + n + m->n_suffix, cost = T * (double)m->n_weights;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            const at_group *a = &m->blocks[b].groups[g];
            cost += T * T * a->heads * (a->dk + a->dv);
        }
    double looks = LOOK_WORK / cost;
    looks = looks < LOOKS_LEAST ? LOOKS_LEAST : looks > LOOKS_MOST ? LOOKS_MOST : looks;
    return (double)total < looks ? total : (uint64_t)looks;
}

static at_status note_add(at_verdict *v, const char *text, at_arena *a, at_err *err)
{
    char both[512];
    snprintf(both, sizeof both, "%s%s%s", v->note ? v->note : "", v->note ? "; " : "", text);
    v->note = at_arena_strdup(a, both);
    return v->note ? AT_OK : at_oom(err);
}

at_status ties_look(const at_model *m, at_arith arith, int n, uint64_t total, ties_input *make, void *ctx,
                    at_arena *a, at_verdict *v, at_err *err)
{
    if (!is_hard(m) || arith.kind == AT_BALL || arith.kind == AT_EXACT)
        return AT_OK; /* balls have decided, or not, already */
    uint64_t looks = looks_of(m, n, total), turns = 0;
    at_ties first = {0};
    for (uint64_t k = 0; k < looks; k++) {
        at_input x;
        at_ties t;
        at_status s = make(ctx, (uint64_t)((unsigned __int128)k * total / looks), &x, err);
        if (!s)
            s = at_run_ties(m, arith, &x, &t, err);
        if (s)
            return s;
        if (t.unsure && !turns)
            first = t;
        turns += t.unsure > 0;
    }
    char text[256];
    if (!turns) {
        snprintf(text, sizeof text, "no hard choice hangs on rounding (%s%ju inputs looked at)",
                 looks == total ? "all " : "", (uintmax_t)looks);
        return note_add(v, text, a, err);
    }
    if (v->evidence == AT_EV_EXACT)
        v->evidence = AT_EV_SAMPLED; /* of the orders in which sums can be rounded, one */
    snprintf(text, sizeof text,
             "rounding may turn a hard choice on %ju of %ju inputs looked at, first in block %d, group %d, "
             "head %d, row %d",
             (uintmax_t)turns, (uintmax_t)looks, first.block, first.group, first.head, first.query + 1);
    return note_add(v, text, a, err);
}
