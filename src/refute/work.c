/* work.c: what looking at one state costs, and what a budget leaves.
 *
 * A budget is a number of multiply-adds, counted from shapes, not a time: two runs with the same seed look at the same states on
 * any machine, however busy it is. The count is nominal, as in docs/decode.md: as if no weight were 0, nothing were masked, and
 * nothing that prompts begin with alike were kept. What is done besides (drawing an input, the right answer, a table) is
 * charged as a constant, so that tiny models do not have endless budgets.
 *
 * Legend: T positions with the hidden ones, D width, H heads. */
#include "refute_internal.h"

#include <math.h>

static double group_cost(const at_group *g, double D, double T)
{
    bool three = at_weighting_is(g->weighting, AT_IS_PAIRS);
    double H = g->heads, dk = g->dk, dv = g->dv, parts = three ? 3 : 2;
    double keys = three ? T + T * T : T;
    return T * H * D * parts * (dk + dv) + T * keys * H * (dk + (three ? 2 : 1) * dv);
}

static double block_cost(const at_model *m, const at_block *b, double T)
{
    double D = m->width, sum = 0, in = D, times = T;
    switch (b->kind) {
    case AT_BLOCK_ATTN:
        for (int g = 0; g < b->n_groups; g++)
            sum += group_cost(&b->groups[g], D, T);
        return sum;
    case AT_BLOCK_RNN: {
        double G = at_rnn_parts(b->rnn.cell), S = b->rnn.state;
        return T * (G * S * (D + S) + D * S);
    }
    case AT_BLOCK_FLATTEN:
        in = (double)at_block_inputs(m, b);
        times = 1;
        break;
    case AT_BLOCK_MLP:
        break;
    }
    for (int l = 0; l < b->n_dense; l++) {
        sum += times * in * b->dense[l].rows;
        in = b->dense[l].rows;
    }
    return sum;
}

double work_of_rows(const at_model *m, int rows)
{
    double T = (double)m->n_prefix + rows + m->n_suffix, sum = WORK_STATE;
    for (int b = 0; b < m->n_blocks; b++)
        sum += block_cost(m, &m->blocks[b], T);
    double width = at_model_row_width(m) + m->n_pos; /* numbers that are embedded, and what is read */
    return sum + T * m->width * (width + m->readout.rows);
}

double work_of_input(const at_subject *s)
{
    int rows = subject_length_max(s);
    return work_of_rows(s->m, s->chain ? rows + s->chain->rows_max(s->self) : rows);
}

bool at_refute_over(const at_refute_env *env, uint64_t states, double work)
{
    if (!env)
        return at_cancel_pending();
    return at_cancel_pending() || (env->states && states >= env->states) ||
           (env->work > 0 && work >= env->work);
}

at_refute_env work_left(const at_refute_env *env, const at_pair *spent, double cost)
{
    at_refute_env left = *env;
    if (env->states)
        left.states = env->states > spent->states ? env->states - spent->states : 1;
    if (env->work > 0) {
        double most = floor((env->work - spent->work) / cost);
        uint64_t states = most < 1 ? 1 : most < 0x1p62 ? (uint64_t)most : (uint64_t)1 << 62;
        left.states = left.states && left.states < states ? left.states : states;
    }
    left.work = 0;
    return left;
}

void work_spend(at_pair *out, uint64_t states, double cost)
{
    out->states += states;
    out->work += (double)states * cost;
}
