/* recurrence.c: a recurrent net taken position by position: what follows a position depends on the states of its rnn blocks
 * alone, and a state is S numbers that the caller keeps. recurrence.inc has the arithmetic.
 *
 * Positions of an rnn see what is before them only, and those of an mlp themselves: with both alone, a net is a function
 * (state, row) -> (state, values). The length of the input is given beforehand, because position features may depend on it. */
#include <string.h>

#include "recurrence.h"

static at_status blocks_check(const at_model *m, at_err *err)
{
    int rnns = 0;
    for (int b = 0; b < m->n_blocks; b++) {
        at_block_kind kind = m->blocks[b].kind;
        if (kind != AT_BLOCK_RNN && kind != AT_BLOCK_MLP)
            return at_fail(err, AT_EREFUSED, "block %d is %s: only rnn and mlp go position by position", b,
                           at_block_names[kind]);
        if (m->blocks[b].parallel)
            return at_fail(err, AT_EREFUSED, "block %d is parallel: that does not go position by position",
                           b);
        rnns += kind == AT_BLOCK_RNN;
    }
    return rnns ? AT_OK : at_fail(err, AT_EREFUSED, "no block is an rnn");
}

static int widest(const at_model *m, int *gates, int *state, int *numbers)
{
    int w = m->width;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        for (int l = 0; at_block_dense(k) && l < k->n_dense; l++)
            w = k->dense[l].rows > w ? k->dense[l].rows : w;
        if (k->kind != AT_BLOCK_RNN)
            continue;
        int S = k->rnn.state, G = at_rnn_parts(k->rnn.cell) * S;
        w = S > w ? S : w;
        *state = S > *state ? S : *state;
        *gates = G > *gates ? G : *gates;
        *numbers += S;
    }
    return w;
}

static at_status memory_make(at_recurrence *r, at_err *err)
{
    const at_model *m = r->c.m;
    int gates = 0, state = 0, line = widest(m, &gates, &state, &r->numbers);
    const struct {
        void **p;
        int n;
    } arrays[] = {
        {&r->x, m->width}, {&r->normed, m->width}, {&r->result, m->width}, {&r->a, gates},
        {&r->u, gates},    {&r->h, state},         {&r->line, line},       {&r->read, m->readout.rows}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k].p = at_arena_alloc(&r->arena, (size_t)arrays[k].n, r->ops->size)))
            return at_oom(err);
    r->index = at_new(&r->arena, int, line);
    r->first = at_new(&r->arena, double, r->numbers);
    return r->index && r->first ? AT_OK : at_oom(err);
}

at_status at_recurrence_new(const at_model *m, at_arith a, int n, at_recurrence **out, at_err *err)
{
    static const recur_ops *const ops[AT_ARITH_KINDS] = {
        [AT_F32] = &ref_forward_f32_recur,
        [AT_F64] = &ref_forward_f64_recur,
        [AT_PBIT] = &ref_forward_pbit_recur,
    };
    if ((unsigned)a.kind >= AT_ARITH_KINDS || !ops[a.kind])
        return at_fail(err, AT_EREFUSED, "position by position is done in f32, f64 or p-bit arithmetic");
    at_status st = blocks_check(m, err);
    if (!st && (n < m->n_min || n > m->n_max))
        st = at_fail(err, AT_EDOMAIN, "length %d out of range %d..%d", n, m->n_min, m->n_max);
    if (st)
        return st;
    at_recurrence *r = at_calloc(1, sizeof *r);
    if (!r)
        return at_oom(err);
    at_arena_init(&r->arena);
    r->c = (ref_ctx){.m = m, .arena = &r->arena, .err = err, .f = at_pfmt_of(a)};
    r->ops = ops[a.kind];
    r->T = m->n_prefix + n + m->n_suffix;
    st = memory_make(r, err);
    for (int t = 0; t < m->n_prefix && !st; t++)
        st = r->ops->step(r, t, NULL, r->first, NULL);
    if (st)
        at_recurrence_free(r);
    else
        *out = r;
    return st;
}

void at_recurrence_free(at_recurrence *r)
{
    if (!r)
        return;
    at_arena_release(&r->arena);
    at_free(r);
}

int at_recurrence_numbers(const at_recurrence *r)
{
    return r->numbers;
}

void at_recurrence_begin(const at_recurrence *r, double *state)
{
    memcpy(state, r->first, (size_t)r->numbers * sizeof *state);
}

at_status at_recurrence_step(at_recurrence *r, int i, const double *row, double *state, double *value,
                             at_err *err)
{
    r->c.err = err;
    return r->ops->step(r, r->c.m->n_prefix + i, row, state, value);
}
