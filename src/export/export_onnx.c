/* export_onnx.c: a model as a graph of ONNX operators, opset 17, that onnxruntime runs unchanged.
 *
 * Inputs are the fields, all sequences of a batch equally long: tokens (batch, n), subsets (batch, n, pick) and integers (batch, n,
 * size) as int64, reals (batch, n, size) as numbers. Hidden rows are inside. Outputs:
 *
 *   values     (batch, n or 1, R)  what `attest run` decides from; probabilities of softmax and sparsemax readouts
 *   decisions  (batch, n or 1) or (batch, n or 1, R)  of argmax, sign, threshold and round, as int64
 *   next       of decoders: the decisions at the last position, which are the row that follows
 *
 * With a cache a decoder's inputs are new rows alone, and past_B_G_k, past_B_G_v: what present_B_G_* gave before, at
 * first of length 0 (recurrent blocks: past_B_state, at first zeros). A first call may have the whole prompt. Positions go on
 * where the past ends, and the model's prefix is put before the first row.
 *
 * Features of the position that do not depend on the length are a table with a row a position, correctly rounded; rows that
 * a sequence lacks are cut off, and one that is longer than the domain fails. onnxruntime has no erf in double: there GeLU is
 * written out (gelu64). */
#include "onnx_graph.h"
#include "../model/tensors.h"

#include <math.h>
#include <stdio.h>

#define TABLE_MOST ((int64_t)1 << 22) /* numbers of a table of positions */

/* ---- the embedding ---------------------------------------------------------------------------------------- */

/* Columns col..col+width-1 of D; the others are 0. */
static onnx_value widened(onnx_emit *e, onnx_value x, const at_embed *at, int rank)
{
    int64_t pads[6] = {0};
    if (at->width == e->m->width)
        return x;
    pads[rank - 1] = at->col;
    pads[2 * rank - 1] = e->m->width - at->col - at->width;
    return onnx_op(e->g, "Pad", ONNX_IN(x, onnx_whole(e->g, 2 * rank, pads), onnx_number(e->g, 0)));
}

/* The rank of a subset in colexicographic order: the sum of C(e - 1, c + 1) over its elements e, of which c others are smaller; from a table. No
 * operator sorts: onnxruntime 1.30 ends with a division by zero where TopK gets no rows. */
static at_status subset_rank(onnx_graph *g, const at_field *f, onnx_value x, onnx_value *out, at_err *err)
{
    int64_t *choose = at_new(g->arena, int64_t, f->pick * f->size);
    if (!choose)
        return at_oom(err);
    for (int c = 0; c < f->pick; c++)
        for (int k = 0; k < f->size; k++)
            choose[c * f->size + k] = at_choose(k, c + 1);
    onnx_value row = onnx_op(g, "Unsqueeze", ONNX_IN(x, ONNX_WHOLE(g, 3)));
    onnx_value column = onnx_op(g, "Unsqueeze", ONNX_IN(x, ONNX_WHOLE(g, 2)));
    onnx_value less = onnx_cast(g, onnx_op(g, "Less", ONNX_IN(column, row)), ONNX_INT64);
    onnx_value place = onnx_reduce(g, "ReduceSum", less, false); /* how many are smaller */
    onnx_value first = onnx_op(g, "Mul", ONNX_IN(place, onnx_index(g, f->size)));
    onnx_value at = onnx_op(g, "Add", ONNX_IN(onnx_op(g, "Sub", ONNX_IN(x, onnx_index(g, 1))), first));
    onnx_value terms = onnx_op(g, "Gather", ONNX_IN(onnx_whole(g, f->pick * f->size, choose), at));
    *out = onnx_reduce(g, "ReduceSum", terms, false);
    return AT_OK;
}

static at_status field(onnx_emit *e, int k, onnx_value *out, at_err *err)
{
    onnx_graph *g = e->g;
    const at_field *f = &e->m->fields[k];
    char name[EXPORT_NAME];
    bool token = f->kind == AT_FIELD_TOKEN;
    export_field_name(e->m, k, name);
    onnx_port *in = onnx_input(g, name, f->kind == AT_FIELD_REAL ? onnx_real(g) : ONNX_INT64, token ? 2 : 3);
    onnx_dim(in, 0, "batch", 0);
    onnx_dim(in, 1, "n", 0);
    onnx_dim(in, 2, NULL, at_field_width(f));
    onnx_value x = in->value, table = onnx_weight(g, f->embed.tensor);
    at_status s = f->kind == AT_FIELD_SUBSET ? subset_rank(g, f, x, &x, err) : AT_OK;
    if (token || f->kind == AT_FIELD_SUBSET)
        x = onnx_op(g, "Gather", ONNX_IN(table, x));
    else
        x = onnx_op(g, "MatMul", ONNX_IN(f->kind == AT_FIELD_INT ? onnx_cast(g, x, onnx_real(g)) : x, table));
    *out = widened(e, x, &f->embed, 3);
    return s;
}

/* Hidden rows for every sequence of the batch; of a prefix only those that the past does not have. */
static onnx_value hidden(onnx_emit *e, const at_embed *at, int count, bool prefix)
{
    onnx_graph *g = e->g;
    onnx_value x = widened(e, onnx_weight(g, at->tensor), at, 2);
    if (prefix && e->past)
        x = onnx_slice(g, x, e->past, ONNX_WHOLE(g, count), 0);
    onnx_value shape = onnx_concat(g, 0, ONNX_IN(e->batch, ONNX_WHOLE(g, 1, 1)));
    return onnx_op(g, "Expand", ONNX_IN(x, shape));
}

/* Features that depend on the length, of the indices i (rows, 1) and the number of positions T (1), in double. */
static onnx_value part_of_n(onnx_graph *g, onnx_value i, onnx_value T)
{
    return onnx_op(g, "Div", ONNX_IN(i, T));
}

static onnx_value part_of_n3(onnx_graph *g, onnx_value i, onnx_value T)
{
    return onnx_op(g, "Div", ONNX_IN(i, onnx_op(g, "Mul", ONNX_IN(T, onnx_op(g, "Mul", ONNX_IN(T, T))))));
}

static onnx_value only_n(onnx_graph *g, onnx_value i, onnx_value T)
{
    return onnx_op(g, "Add", ONNX_IN(onnx_op(g, "Mul", ONNX_IN(i, onnx_double(g, 0))), T));
}

static onnx_value (*const moving_features[AT_POS_KINDS])(onnx_graph *g, onnx_value i, onnx_value T) = {
    [AT_POS_I_OVER_N] = part_of_n, [AT_POS_I_OVER_N3] = part_of_n3, [AT_POS_N] = only_n};

static at_status moving(onnx_emit *e, const at_pos *p, onnx_value *out, at_err *err)
{
    onnx_graph *g = e->g;
    if (!moving_features[p->kind])
        return at_fail(err, AT_EREFUSED, "the position feature %s has no operators in onnx",
                       at_pos_names[p->kind]);
    onnx_value i = onnx_op(g, "Add", ONNX_IN(e->t, onnx_index(g, e->m->pos_origin)));
    onnx_value f =
        moving_features[p->kind](g, onnx_cast(g, i, ONNX_DOUBLE), onnx_cast(g, e->rows, ONNX_DOUBLE));
    *out = onnx_cast(g, f, onnx_real(g));
    return AT_OK;
}

static at_status position(onnx_emit *e, int k, onnx_value *out, at_err *err)
{
    onnx_graph *g = e->g;
    const at_model *m = e->m;
    const at_pos *p = &m->pos[k];
    int64_t T = m->n_prefix + m->n_max + m->n_suffix, n = at_pos_features(p);
    onnx_value end = e->past ? onnx_op(g, "Add", ONNX_IN(e->past, e->rows)) : e->rows;
    onnx_value begin = e->past ? e->past : ONNX_WHOLE(g, 0), f = NULL, w = onnx_weight(g, p->embed.tensor);
    if (at_pos_is(p->kind, AT_IS_ROWS)) {
        *out = widened(e, onnx_slice(g, w, begin, end, 0), &p->embed, 2);
        return AT_OK;
    }
    if (at_pos_is(p->kind, AT_IS_MOVING)) {
        at_status s = moving(e, p, &f, err);
        if (s)
            return s;
    } else {
        if (T * n > TABLE_MOST)
            return at_fail(err, AT_EREFUSED,
                           "position feature %d (%s) at %jd positions is a table of %jd numbers; at most %jd "
                           "are written",
                           k, at_pos_names[p->kind], (intmax_t)T, (intmax_t)(T * n), (intmax_t)TABLE_MOST);
        double *table = at_new(g->arena, double, T *n);
        const char *name = at_arena_printf(g->arena, "pos.%d.features", k);
        if (!table || !name)
            return at_oom(err);
        for (int64_t i = 0; i < T; i++)
            for (int64_t c = 0; c < n; c++)
                table[i * n + c] = at_pos_value(p, (int)c, m->pos_origin + i, T);
        f = onnx_slice(g, onnx_matrix(g, name, T, n, table), begin, end, 0);
    }
    *out = widened(e, onnx_op(g, "MatMul", ONNX_IN(f, w)), &p->embed, 2);
    return AT_OK;
}

/* Numbers of queries and keys. */
static void indices(onnx_emit *e)
{
    onnx_graph *g = e->g;
    onnx_value one = onnx_index(g, 1), zero = onnx_index(g, 0);
    onnx_value begin = e->past ? onnx_op(g, "Squeeze", ONNX_IN(e->past)) : zero;
    onnx_value end = onnx_op(g, "Add", ONNX_IN(begin, onnx_op(g, "Squeeze", ONNX_IN(e->rows))));
    e->t = onnx_op(g, "Unsqueeze", ONNX_IN(onnx_op(g, "Range", ONNX_IN(begin, end, one)), ONNX_WHOLE(g, 1)));
    e->j = onnx_op(g, "Unsqueeze", ONNX_IN(onnx_op(g, "Range", ONNX_IN(zero, end, one)), ONNX_WHOLE(g, 0)));
}

/* What was kept of the rows before: inputs after those of the fields. */
static void pasts(onnx_emit *e)
{
    static const char *const parts[] = {"k", "v", "k2", "v2"};
    for (int b = 0; b < e->m->n_blocks; b++)
        for (int k = 0; e->m->blocks[b].kind == AT_BLOCK_ATTN && k < e->m->blocks[b].n_groups; k++) {
            const at_group *group = &e->m->blocks[b].groups[k];
            for (int part = 0; part < (at_weighting_is(group->weighting, AT_IS_PAIRS) ? 4 : 2); part++) {
                char name[64];
                snprintf(name, sizeof name, "past_%d_%d_%s", b, k, parts[part]);
                onnx_port *p = onnx_input(e->g, name, onnx_real(e->g), 4);
                onnx_dim(p, 0, "batch", 0);
                onnx_dim(p, 1, NULL, group->heads);
                onnx_dim(p, 2, "past", 0);
                onnx_dim(p, 3, NULL, part % 2 ? group->dv : group->dk);
                if (!e->past)
                    e->past = onnx_size(e->g, p->value, 2);
            }
        }
}

static at_status embedding(onnx_emit *e, onnx_value *out, at_err *err)
{
    onnx_graph *g = e->g;
    const at_model *m = e->m;
    onnx_value x = NULL, one = NULL, parts[3];
    int n = 0;
    at_status s = AT_OK;
    for (int k = 0; k < m->n_fields && !s; k++) {
        s = field(e, k, &one, err);
        x = x ? onnx_op(g, "Add", ONNX_IN(x, one)) : one;
    }
    if (s)
        return s;
    if (e->cache)
        pasts(e);
    if (e->cache && !e->past)
        return at_fail(err, AT_EREFUSED,
                       "no attention, so there are no keys to keep: export it without --cache");
    e->batch = onnx_size(g, g->inputs ? g->inputs->value : "", 0);
    if (m->n_prefix)
        parts[n++] = hidden(e, &m->prefix, m->n_prefix, true);
    parts[n++] = x;
    if (m->n_suffix)
        parts[n++] = hidden(e, &m->suffix, m->n_suffix, false);
    if (n > 1)
        x = onnx_concat(g, 1, parts, n);
    e->rows = onnx_size(g, x, 1);
    indices(e);
    for (int k = 0; k < m->n_pos && !s; k++) {
        s = position(e, k, &one, err);
        x = onnx_op(g, "Add", ONNX_IN(x, one));
    }
    *out = x;
    return s;
}

/* ---- blocks -------------------------------------------------------------------------------------------------- */

static onnx_value norm(onnx_graph *g, onnx_value x, double eps, int gain, int bias)
{
    onnx_value apart = onnx_op(g, "Sub", ONNX_IN(x, onnx_reduce(g, "ReduceMean", x, true)));
    onnx_value var = onnx_reduce(g, "ReduceMean", onnx_op(g, "Mul", ONNX_IN(apart, apart)), true);
    onnx_value root = onnx_op(g, "Sqrt", ONNX_IN(onnx_op(g, "Add", ONNX_IN(var, onnx_number(g, eps)))));
    onnx_value y = onnx_op(g, "Mul", ONNX_IN(onnx_op(g, "Div", ONNX_IN(apart, root)), onnx_weight(g, gain)));
    return onnx_op(g, "Add", ONNX_IN(y, onnx_weight(g, bias)));
}

/* erfc(z) for z >= 0 is exp(-z^2) p(t) / (1 + 2z) with t = (z - 3.75) / (z + 3.75): p is smooth on -1..1, and these are the coefficients
 * of t^0, t^1, ... of its Chebyshev series to degree 26 (computed in 50 digits; the next term is below 10^-18). The sum errs by
 * less than 5 10^-16. */
static const double erfc_terms[] = {
    1.2375126308378275,     -0.14024059858554702,   0.00358541548546369,     0.08227673849015102,
    -0.10880393014170746,   0.09230432116019834,    -0.05869339859054762,    0.0283622774215156,
    -0.009746579547619623,  0.0017556258324217529,  0.00029371359480570737,  -0.00029015397928986765,
    5.164940777546399e-05,  2.2383912036550678e-05, -1.1445049125831309e-05, -9.72849582211122e-07,
    1.7534434251106334e-06, -5.826281078800777e-08, -2.6114702359900956e-07, 2.4289762925488707e-08,
    4.0971223152703005e-08, -4.389284159986328e-09, -6.545560212480267e-09,  5.457157304704688e-10,
    9.02214970034059e-10,   -3.75315827795962e-11,  -7.33950500852954e-11};
enum { ERFC_TERMS = sizeof erfc_terms / sizeof *erfc_terms };

/* x Phi(x) in double: with E = erfc(|x|/sqrt 2)/2 it is x E for x <= 0, and x - x E above. */
static onnx_value gelu64(onnx_graph *g, onnx_value x)
{
    onnx_value z = onnx_op(g, "Mul", ONNX_IN(onnx_op(g, "Abs", ONNX_IN(x)), onnx_number(g, sqrt(0.5))));
    onnx_value k = onnx_number(g, 3.75), p = onnx_number(g, erfc_terms[ERFC_TERMS - 1]);
    onnx_value t =
        onnx_op(g, "Div", ONNX_IN(onnx_op(g, "Sub", ONNX_IN(z, k)), onnx_op(g, "Add", ONNX_IN(z, k))));
    for (int i = ERFC_TERMS - 2; i >= 0; i--)
        p = onnx_op(g, "Add", ONNX_IN(onnx_op(g, "Mul", ONNX_IN(p, t)), onnx_number(g, erfc_terms[i])));
    onnx_value bell =
        onnx_op(g, "Exp", ONNX_IN(onnx_op(g, "Neg", ONNX_IN(onnx_op(g, "Mul", ONNX_IN(z, z))))));
    onnx_value two = onnx_number(g, 2),
               below = onnx_op(g, "Add", ONNX_IN(onnx_op(g, "Mul", ONNX_IN(z, two)), onnx_number(g, 1)));
    onnx_value half = onnx_op(
        g, "Mul",
        ONNX_IN(onnx_op(g, "Div", ONNX_IN(onnx_op(g, "Mul", ONNX_IN(bell, p)), below)), onnx_number(g, 0.5)));
    onnx_value low = onnx_op(g, "Mul", ONNX_IN(x, half));
    onnx_value up = onnx_op(g, "Greater", ONNX_IN(x, onnx_number(g, 0)));
    return onnx_op(g, "Where", ONNX_IN(up, onnx_op(g, "Sub", ONNX_IN(x, low)), low));
}

static onnx_value gelu(onnx_graph *g, onnx_value x)
{
    if (!g->m->f32)
        return gelu64(g, x);
    onnx_value erf = onnx_op(g, "Erf", ONNX_IN(onnx_op(g, "Mul", ONNX_IN(x, onnx_number(g, sqrt(0.5))))));
    onnx_value half = onnx_op(g, "Mul", ONNX_IN(x, onnx_number(g, 0.5)));
    return onnx_op(g, "Mul", ONNX_IN(half, onnx_op(g, "Add", ONNX_IN(erf, onnx_number(g, 1)))));
}

static onnx_value sigmoid(onnx_graph *g, onnx_value x)
{
    onnx_value one = onnx_number(g, 1);
    return onnx_op(
        g, "Div",
        ONNX_IN(one,
                onnx_op(g, "Add", ONNX_IN(one, onnx_op(g, "Exp", ONNX_IN(onnx_op(g, "Neg", ONNX_IN(x))))))));
}

/* x sigmoid(slope (x + cube x^3)) */
static onnx_value gelu_tanh(onnx_graph *g, onnx_value x)
{
    onnx_value square = onnx_op(g, "Mul", ONNX_IN(x, x));
    onnx_value more = onnx_op(g, "Mul", ONNX_IN(square, onnx_number(g, AT_GELU_CUBE * AT_GELU_SLOPE)));
    onnx_value by = onnx_op(g, "Add", ONNX_IN(more, onnx_number(g, AT_GELU_SLOPE)));
    return onnx_op(g, "Mul", ONNX_IN(x, sigmoid(g, onnx_op(g, "Mul", ONNX_IN(x, by)))));
}

static onnx_value activation(onnx_graph *g, at_act act, onnx_value x)
{
    switch (act) {
    case AT_ACT_RELU:
        return onnx_op(g, "Relu", ONNX_IN(x));
    case AT_ACT_GELU:
        return gelu(g, x);
    case AT_ACT_GELU_TANH:
        return gelu_tanh(g, x);
    case AT_ACT_SILU:
        return onnx_op(g, "Mul", ONNX_IN(x, sigmoid(g, x)));
    }
    return x;
}

static onnx_value dense(onnx_emit *e, const at_block *b, onnx_value y)
{
    bool flat = b->kind == AT_BLOCK_FLATTEN;
    int64_t all = at_block_inputs(e->m, b), D = e->m->width;
    if (flat)
        y = onnx_reshape(e->g, y, 2, (int64_t[]){-1, all});
    for (int l = 0; l < b->n_dense; l++) {
        y = onnx_linear(e->g, y, b->dense[l].w, b->dense[l].b);
        if (l < b->n_dense - 1)
            y = activation(e->g, b->act, y);
    }
    return flat ? onnx_reshape(e->g, y, 3, (int64_t[]){-1, all / D, D}) : y;
}

static onnx_value part(onnx_graph *g, onnx_value x, int64_t from, int64_t to)
{
    return onnx_slice(g, x, ONNX_WHOLE(g, from), ONNX_WHOLE(g, to), -1);
}

/* One step: a (B, G*S) what is read, h (B, S) the state, to the next state. */
static onnx_value step(onnx_graph *g, const at_rnn *r, onnx_value a, onnx_value h)
{
    int64_t S = r->state;
    onnx_value u = onnx_linear(g, h, r->u, -1);
    if (r->cell == AT_CELL_TANH)
        return onnx_op(g, "Tanh", ONNX_IN(onnx_op(g, "Add", ONNX_IN(a, u))));
    onnx_value gates = sigmoid(g, onnx_op(g, "Add", ONNX_IN(part(g, a, 0, 2 * S), part(g, u, 0, 2 * S))));
    onnx_value reset = part(g, gates, 0, S), z = part(g, gates, S, 2 * S);
    onnx_value inner = onnx_op(g, "Add", ONNX_IN(part(g, u, 2 * S, 3 * S), onnx_weight(g, r->ub)));
    onnx_value c =
        onnx_op(g, "Tanh",
                ONNX_IN(onnx_op(
                    g, "Add", ONNX_IN(part(g, a, 2 * S, 3 * S), onnx_op(g, "Mul", ONNX_IN(reset, inner))))));
    onnx_value rest = onnx_op(g, "Sub", ONNX_IN(onnx_number(g, 1), z));
    return onnx_op(g, "Add", ONNX_IN(onnx_op(g, "Mul", ONNX_IN(rest, c)), onnx_op(g, "Mul", ONNX_IN(z, h))));
}

static onnx_port *state_port(onnx_port *p, const char *rows, int64_t n)
{
    onnx_dim(p, 0, rows, 0);
    onnx_dim(p, 1, NULL, n);
    return p;
}

static at_status recurrent(onnx_emit *e, int block, onnx_value y, onnx_value *out, at_err *err)
{
    onnx_graph *g = e->g, *body = at_new(g->arena, onnx_graph, 1);
    const at_rnn *r = &e->m->blocks[block].rnn;
    int64_t S = r->state, G = at_rnn_parts(r->cell);
    double *zeros = at_new(g->arena, double, S);
    char name[64], h_in[64], a_in[64];
    if (!body || !zeros)
        return at_oom(err);
    onnx_value a = onnx_transpose(g, onnx_linear(g, y, r->w, r->b), 3, (int64_t[]){1, 0, 2}), first;
    if (e->cache) {
        snprintf(name, sizeof name, "past_%d_state", block);
        first = state_port(onnx_input(g, name, onnx_real(g), 2), "batch", S)->value;
    } else {
        snprintf(name, sizeof name, "block.%d.rnn.zeros", block);
        const char *own = at_arena_strdup(g->arena, name);
        onnx_value shape = onnx_concat(g, 0, ONNX_IN(e->batch, ONNX_WHOLE(g, 1)));
        first = onnx_op(g, "Expand", ONNX_IN(onnx_matrix(g, own ? own : "", S, 0, zeros), shape));
        g->oom = g->oom || !own;
    }
    onnx_graph_init(body, e->m, g->arena, g);
    snprintf(h_in, sizeof h_in, "block_%d_h", block);
    snprintf(a_in, sizeof a_in, "block_%d_a", block);
    onnx_value h = state_port(onnx_input(body, h_in, onnx_real(g), 2), "batch", S)->value;
    onnx_value one = state_port(onnx_input(body, a_in, onnx_real(g), 2), "batch", G * S)->value;
    onnx_value next = step(body, r, one, h), ends[2];
    snprintf(h_in, sizeof h_in, "block_%d_h_next", block);
    snprintf(a_in, sizeof a_in, "block_%d_h_out", block);
    state_port(onnx_output(body, h_in, next, onnx_real(g), 2), "batch", S);
    state_port(onnx_output(body, a_in, next, onnx_real(g), 2), "batch", S);
    onnx_op_many(g, "Scan", ONNX_IN(first, a), ends, 2);
    onnx_body(g, "body", body);
    onnx_int(g, "num_scan_inputs", 1);
    if (e->cache) {
        snprintf(name, sizeof name, "present_%d_state", block);
        state_port(onnx_output(g, name, ends[0], onnx_real(g), 2), "batch", S);
    }
    *out = onnx_linear(g, onnx_transpose(g, ends[1], 3, (int64_t[]){1, 0, 2}), r->o, r->ob);
    return AT_OK;
}

static at_status block(onnx_emit *e, int i, onnx_value *x, at_err *err)
{
    onnx_graph *g = e->g;
    const at_block *b = &e->m->blocks[i];
    at_status s = AT_OK;
    g->label = at_arena_printf(g->arena, "block.%d.%s", i, at_block_names[b->kind]);
    if (!g->label)
        return at_oom(err);
    onnx_value y = b->norm == AT_NORM_PRE ? norm(g, *x, b->norm_eps, b->norm_g, b->norm_b) : *x, r = NULL,
               one;
    for (int k = 0; b->kind == AT_BLOCK_ATTN && k < b->n_groups && !s; k++) {
        const char *name = b->groups[k].name;
        g->label = at_arena_printf(g->arena, "block.%d.attn.%d%s%s", i, k, name ? " " : "", name ? name : "");
        s = g->label ? onnx_group(e, i, k, y, &one, err) : at_oom(err);
        if (!s)
            r = r ? onnx_op(g, "Add", ONNX_IN(r, one)) : one;
    }
    if (at_block_dense(b))
        r = dense(e, b, y);
    else if (b->kind == AT_BLOCK_RNN)
        s = recurrent(e, i, y, &r, err);
    if (s)
        return s;
    *x = b->residual ? onnx_op(g, "Add", ONNX_IN(*x, r)) : r;
    if (b->norm == AT_NORM_POST)
        *x = norm(g, *x, b->norm_eps, b->norm_g, b->norm_b);
    return AT_OK;
}

/* ---- the readout ------------------------------------------------------------------------------------------------ */

/* Values and, NULL of numbers, decisions at rows x of the stream. */
static void readout(onnx_emit *e, onnx_value x, onnx_value *values, onnx_value *decisions)
{
    onnx_graph *g = e->g;
    const at_readout *r = &e->m->readout;
    if (r->final_norm)
        x = norm(g, x, r->norm_eps, r->norm_g, r->norm_b);
    x = onnx_linear(g, x, r->w, r->b);
    *decisions = NULL;
    switch (r->kind) {
    case AT_READ_ARGMAX:
        *decisions = onnx_op(g, "ArgMax", ONNX_IN(x));
        onnx_int(g, "axis", -1);
        onnx_int(g, "keepdims", 0);
        break;
    case AT_READ_SIGN:
    case AT_READ_THRESHOLD:
        *decisions =
            onnx_op(g, "Greater", ONNX_IN(x, onnx_number(g, r->kind == AT_READ_SIGN ? 0 : r->threshold)));
        break;
    case AT_READ_ROUND:
        *decisions = onnx_op(g, "Round", ONNX_IN(x));
        break;
    case AT_READ_SOFTMAX:
        x = onnx_op(g, "Softmax", ONNX_IN(x));
        onnx_int(g, "axis", -1);
        break;
    case AT_READ_SPARSEMAX:
        x = onnx_sparsemax(g, x, NULL);
        break;
    case AT_READ_RAW:
        break;
    }
    if (*decisions && r->kind != AT_READ_ARGMAX)
        *decisions = onnx_cast(g, *decisions, ONNX_INT64);
    *values = x;
}

static void answers(onnx_emit *e, const char *name, onnx_value v, bool numbers, const char *rows)
{
    bool one = !numbers && e->m->readout.kind == AT_READ_ARGMAX;
    onnx_port *p = onnx_output(e->g, name, v, numbers ? onnx_real(e->g) : ONNX_INT64, one ? 2 : 3);
    onnx_dim(p, 0, "batch", 0);
    onnx_dim(p, 1, rows, 1);
    onnx_dim(p, 2, NULL, e->m->readout.rows);
}

static void outputs(onnx_emit *e, onnx_value x)
{
    onnx_graph *g = e->g;
    const at_model *m = e->m;
    const char *rows = m->readout.last ? NULL : "n";
    onnx_value values, decisions, end = ONNX_WHOLE(g, INT64_MAX);
    g->label = "readout";
    onnx_value last = onnx_slice(g, x, ONNX_WHOLE(g, -1), end, 1);
    if (m->readout.last)
        x = last;
    else if (e->past) /* without a suffix */
        x = onnx_slice(
            g, x, onnx_op(g, "Sub", ONNX_IN(e->rows, onnx_size(g, g->inputs ? g->inputs->value : "", 1))),
            end, 1);
    else if (m->n_prefix || m->n_suffix)
        x = onnx_slice(g, x, ONNX_WHOLE(g, m->n_prefix), m->n_suffix ? ONNX_WHOLE(g, -m->n_suffix) : end, 1);
    readout(e, x, &values, &decisions);
    answers(e, "values", values, true, rows);
    if (decisions)
        answers(e, "decisions", decisions, false, rows);
    if (!m->decode.enabled)
        return;
    g->label = "next";
    if (!m->readout.last)
        readout(e, last, &values, &decisions);
    answers(e, "next", decisions, false, NULL);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static at_status graph(onnx_emit *e, at_err *err)
{
    onnx_value x = NULL;
    e->g->label = "embedding";
    at_status s = embedding(e, &x, err);
    for (int b = 0; b < e->m->n_blocks && !s; b++)
        s = block(e, b, &x, err);
    if (!s)
        outputs(e, x);
    return s ? s : e->g->oom ? at_oom(err) : AT_OK;
}

at_status export_onnx(const at_model *m, const at_export_as *as, export_files *out, at_err *err)
{
    at_arena arena;
    onnx_graph g;
    at_text names, heads;
    at_arena_init(&arena);
    at_text_init(&names);
    at_text_init(&heads);
    onnx_graph_init(&g, m, &arena, NULL);
    onnx_emit e = {.g = &g, .m = m, .cache = as->cache};
    at_status s = graph(&e, err);
    char *arch = s ? NULL : model_arch_print(m, err);
    if (!s)
        s = arch ? at_export_names_print(m, &names, err) : err->code;
    if (!s) {
        export_heads_print(m, &heads);
        const archive_note notes[] = {{"arithmetic", m->arithmetic},
                                      {"attest", arch},
                                      {"names", names.s},
                                      {"heads", heads.n ? heads.s : NULL},
                                      {"problem", m->problem}};
        s = heads.oom ? at_oom(err)
                      : onnx_pack(&g, notes, sizeof notes / sizeof *notes, export_file(out, ""), err);
    }
    at_free(arch);
    at_text_release(&heads);
    at_text_release(&names);
    at_arena_release(&arena);
    return s;
}
