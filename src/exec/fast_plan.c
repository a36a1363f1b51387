/* fast_plan.c: from a model to a plan (see fast.h).
 *
 * Rounding. Every weight is rounded to F once, as the reference does. Position features are then computed in double
 * and rounded to F once. Scores stay as q.k gives them, so that scores that are equal stay equal and integers stay
 * integers; softmax and three-wise attention multiply only the difference from the largest one, by scale * log2(e),
 * before the exponential.
 *
 * Backwards from the readout, a block computes only the positions that are read: all T below an attention
 * block, only the read-out ones above the last. */
#include "exec_internal.h"
#include "fast.h"

#include <limits.h>
#include <string.h>

#define LOG2E      1.4426950408889634074
#define TABLE_MAX  ((size_t)1 << 22) /* numbers in all tables; above, projections are computed */
#define PLACES_MAX ((size_t)1 << 19) /* the same of tables with a row a place: what a cache holds */

/* A matrix without its zeros: where at most half of its weights are none. (A test plans without it, test_sparse.c.) */
#ifndef FAST_COMPRESSES
#define FAST_COMPRESSES(nonzero, all) (2 * (nonzero) <= (all))
#endif

static double rounded(const at_exec *e, double x)
{
    return e->single ? (double)(float)x : x;
}

static void put(const at_exec *e, void *p, size_t i, double x)
{
    if (e->single)
        ((float *)p)[i] = (float)x;
    else
        ((double *)p)[i] = x;
}

static void *numbers_new(at_exec *e, size_t count)
{
    return at_arena_alloc(&e->arena, count, e->single ? sizeof(float) : sizeof(double));
}

static at_status numbers_copy(at_exec *e, const double *from, size_t count, void **out, at_err *err)
{
    *out = NULL;
    if (!from)
        return AT_OK;
    if (!(*out = numbers_new(e, count)))
        return at_oom(err);
    for (size_t i = 0; i < count; i++)
        put(e, *out, i, from[i]);
    return AT_OK;
}

/* Rows of a matrix under construction: up to two row blocks (keys above values), each with a bias. */
typedef struct {
    const double *w, *b; /* first row; b may be NULL */
    int rows;
    int step; /* from one row to the next */
} row_block;

static at_status matrix_make(at_exec *e, fast_matrix *A, int cols, const row_block *part, int parts,
                             at_err *err)
{
    size_t nonzero = 0;
    bool bias = false;
    A->rows = 0;
    A->cols = cols;
    for (int p = 0; p < parts; p++) {
        A->rows += part[p].rows;
        bias |= part[p].b != NULL;
        for (int r = 0; r < part[p].rows; r++)
            for (int c = 0; c < cols; c++)
                nonzero += part[p].w[(size_t)r * (size_t)part[p].step + (size_t)c] != 0;
    }
    size_t all = (size_t)A->rows * (size_t)cols;
    bool sparse = FAST_COMPRESSES(nonzero, all) && nonzero <= INT_MAX;
    A->w = numbers_new(e, sparse ? nonzero : all);
    A->b = bias ? numbers_new(e, (size_t)A->rows) : NULL;
    A->start = sparse ? at_new(&e->arena, int, A->rows + 1) : NULL;
    A->col = sparse ? at_new(&e->arena, int, nonzero) : NULL;
    if (!A->w || (bias && !A->b) || (sparse && (!A->start || !A->col)))
        return at_oom(err);
    size_t k = 0;
    int row = 0;
    for (int p = 0; p < parts; p++)
        for (int r = 0; r < part[p].rows; r++, row++) {
            for (int c = 0; c < cols; c++) {
                double x = part[p].w[(size_t)r * (size_t)part[p].step + (size_t)c];
                if (sparse && x == 0)
                    continue;
                if (sparse)
                    A->col[k] = c;
                put(e, A->w, k++, x);
            }
            if (sparse)
                A->start[row + 1] = (int)k;
            if (part[p].b)
                put(e, A->b, (size_t)row, part[p].b[r]);
        }
    return AT_OK;
}

/* ---- embedding --------------------------------------------------------------------------------- */

static int table_rows(const at_field *f)
{
    return f->kind == AT_FIELD_SUBSET ? (int)at_choose(f->size, f->pick) : f->size;
}

static bool is_symbol(at_field_kind k)
{
    return k == AT_FIELD_TOKEN || k == AT_FIELD_SUBSET;
}

static int lanes_up(const at_exec *e, int k)
{
    int L = e->kernel->lanes;
    return (k + L - 1) / L * L;
}

static at_status fields_plan(at_exec *e, const at_model *m, at_err *err)
{
    e->n_fields = m->n_fields;
    e->fields = at_new(&e->arena, fast_field, m->n_fields);
    if (!e->fields)
        return at_oom(err);
    int at = 0;
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        fast_field *g = &e->fields[k];
        *g = (fast_field){f->kind, f->pick, f->size, at, f->embed.col, f->embed.width, f->embed.width, NULL};
        at += at_field_width(f);
        if (is_symbol(f->kind))
            g->table_row = lanes_up(e, g->width);
        size_t rows = (size_t)table_rows(f), width = (size_t)g->width, stride = (size_t)g->table_row;
        const double *w = at_model_data(m, f->embed.tensor);
        if (!(g->table = numbers_new(e, rows * stride)))
            return at_oom(err);
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < width; c++)
                put(e, g->table, r * stride + c, w[r * width + c]);
    }
    return AT_OK;
}

static at_status base_plan(at_exec *e, const at_model *m, at_err *err)
{
    size_t D = (size_t)e->D;
    at_pfmt format = at_pfmt_of((at_arith){.kind = e->single ? AT_F32 : AT_F64});
    double *row = at_new(&e->arena, double, e->D);
    e->base = numbers_new(e, (size_t)e->T * D);
    if (!e->base || !row)
        return at_oom(err);
    for (int t = 0; t < e->T; t++) {
        memset(row, 0, D * sizeof *row);
        int after = t - m->n_prefix - e->n;
        const at_embed *own = t < m->n_prefix ? &m->prefix : after >= 0 ? &m->suffix : NULL;
        if (own) {
            const double *w =
                at_model_data(m, own->tensor) + (size_t)(own == &m->prefix ? t : after) * (size_t)own->width;
            for (int c = 0; c < own->width; c++)
                row[own->col + c] += rounded(e, w[c]);
        }
        for (int k = 0; k < m->n_pos; k++) {
            const at_pos *p = &m->pos[k];
            const double *w = at_model_data(m, p->embed.tensor);
            int features = at_pos_is(p->kind, AT_IS_ROWS) ? 1 : at_pos_features(p);
            for (int f = 0; f < features; f++) {
                bool table = at_pos_is(p->kind, AT_IS_ROWS);
                double x = table ? 1 : ref_feature_double(p, f, (int64_t)t + m->pos_origin, e->T, &format);
                const double *wf = w + (size_t)(table ? t : f) * (size_t)p->embed.width;
                for (int c = 0; c < p->embed.width; c++)
                    row[p->embed.col + c] += x * rounded(e, wf[c]);
            }
        }
        for (size_t d = 0; d < D; d++)
            put(e, e->base, (size_t)t * D + d, row[d]);
    }
    return AT_OK;
}

/* ---- attention --------------------------------------------------------------------------------- */

unsigned fast_mask_run(const at_mask *m, int T, int i, int rows, int j, int *end)
{
    unsigned all = (1u << rows) - 1;
    int last = i + rows - 1, shift = at_mask_is(m->kind, AT_IS_STRICT);
    switch (m->kind) {
    case AT_MASK_CAUSAL:
    case AT_MASK_STRICT: /* query i+r sees j <= i+r-shift */
        if (j <= i - shift) {
            *end = i - shift + 1;
            return all;
        }
        if (j > last - shift) {
            *end = T;
            return 0;
        }
        *end = j + 1;
        return all & ~((1u << (j - i + shift)) - 1);
    case AT_MASK_FUTURE:
    case AT_MASK_STRICT_FUTURE: /* query i+r sees j >= i+r+shift */
        if (j < i + shift) {
            *end = i + shift < T ? i + shift : T;
            return 0;
        }
        if (j >= last + shift) {
            *end = T;
            return all;
        }
        *end = j + 1;
        return (1u << (j - i - shift + 1)) - 1;
    case AT_MASK_BLOCK_SPARSE: {
        int64_t reach = (int64_t)m->windows * m->block; /* the window of query i starts at i - reach + 1 */
        int first = i - reach + 1 > 0 ? (int)(i - reach + 1) : 0;
        int common = last - reach + 1 > 0 ? (int)(last - reach + 1) : 0;
        int phase = j % m->block, bound;
        if (j < first) { /* block ends only, the same for all queries */
            bool ends = phase >= m->block - m->ends;
            bound = j - phase + (ends ? m->block : m->block - m->ends);
            *end = bound < first ? bound : first;
            return ends ? all : 0;
        }
        if (j >= common && j <= i) {
            *end = i + 1;
            return all;
        }
        if (j > last) {
            *end = T;
            return 0;
        }
        unsigned who = 0;
        for (int r = 0; r < rows; r++)
            who |= (unsigned)at_mask_allows(m, i + r, j) << r;
        *end = j + 1;
        return who;
    }
    case AT_MASK_NONE:
        break;
    }
    *end = T;
    return all;
}

static double scores_count(const at_exec *e, const fast_head *h, int lo, int hi)
{
    double total = 0;
    for (int i = lo; i < hi; i++) {
        double keys = 0;
        for (int j = 0, end; j < e->T; j = end)
            if (fast_mask_run(&h->mask, e->T, i, 1, j, &end))
                keys += end - j;
        total += at_weighting_is(h->weighting, AT_IS_PAIRS) ? keys * keys : keys;
    }
    return total;
}

/* Rows h*k..h*k+k-1 of a stacked tensor and its bias. */
static row_block head_rows(const at_exec *e, const at_model *m, int w, int b, int h, int k)
{
    const double *bias = at_model_data(m, b);
    return (row_block){at_model_data(m, w) + (size_t)h * (size_t)k * (size_t)e->D,
                       bias ? bias + (size_t)h * (size_t)k : NULL, k, e->D};
}

static void raise_to(int *most, int x)
{
    if (x > *most)
        *most = x;
}

/* The angles of a group; those of the head before it, where they are the same. */
static at_status turn_plan(at_exec *e, const at_model *m, const at_rotary *r, const fast_head *before,
                           fast_head *out, at_err *err)
{
    size_t width = (size_t)r->width;
    at_pfmt format = at_pfmt_of((at_arith){.kind = e->single ? AT_F32 : AT_F64});
    out->rotary = *r;
    if (!width)
        return AT_OK;
    if (before && before->turn && ref_turns_alike(&before->rotary, r)) {
        out->turn = before->turn;
        return AT_OK;
    }
    if (!(out->turn = numbers_new(e, (size_t)e->T * width)))
        return at_oom(err);
    for (size_t t = 0; t < (size_t)e->T; t++)
        for (size_t k = 0; k < width; k++)
            put(e, out->turn, t * width + k,
                ref_turn_double(r, (int)(k / 2), k % 2, (int64_t)t + m->pos_origin, &format));
    return AT_OK;
}

static at_status head_plan(at_exec *e, const at_model *m, const at_group *g, int h, fast_head *out,
                           at_err *err)
{
    /* A positive scale without a post function moves the largest score nowhere: it can wait. */
    bool late = at_weighting_is(g->weighting, AT_IS_EXP) && at_post_is(g->post, AT_IS_SAME) && g->scale > 0 &&
                !g->alibi;
    *out = (fast_head){.weighting = g->weighting,
                       .post = g->post,
                       .mask = g->mask,
                       .dk = g->dk,
                       .dv = g->dv,
                       .scale = late ? 1 : g->scale,
                       .factor = late ? g->scale * LOG2E : LOG2E,
                       .tie = g->tie,
                       .slope = g->alibi ? rounded(e, at_model_data(m, g->slope)[h]) : 0};
    if (at_weighting_is(g->weighting, AT_IS_PAIRS) && !at_weighting_is(g->weighting, AT_IS_FAMILIES))
        return at_fail(err, AT_EREFUSED,
                       "the fast executor has no kernel for %s attention over pairs of keys",
                       at_weighting_names[g->weighting]);
    row_block q = head_rows(e, m, g->q, g->qb, h, g->dk);
    row_block kv[2] = {head_rows(e, m, g->k, g->kb, h, g->dk), head_rows(e, m, g->v, g->vb, h, g->dv)};
    row_block o = {at_model_data(m, g->o) + (size_t)h * (size_t)g->dv, NULL, e->D, g->heads * g->dv};
    at_status s;
    if ((s = matrix_make(e, &out->q, e->D, &q, 1, err)) || (s = matrix_make(e, &out->kv, e->D, kv, 2, err)) ||
        (s = matrix_make(e, &out->o, g->dv, &o, 1, err)))
        return s;
    if (at_weighting_is(g->weighting, AT_IS_PAIRS)) {
        row_block kv2[2] = {head_rows(e, m, g->k2, g->k2b, h, g->dk),
                            head_rows(e, m, g->v2, g->v2b, h, g->dv)};
        if ((s = matrix_make(e, &out->kv2, e->D, kv2, 2, err)))
            return s;
    }
    raise_to(&e->max_dk, g->dk);
    raise_to(&e->max_dv, g->dv);
    raise_to(&e->max_kv, g->dk + g->dv);
    raise_to(&e->max_kv2, out->kv2.rows);
    e->any_lane |= !at_weighting_is(g->weighting, AT_IS_FAMILIES);
    e->all_scores |= at_weighting_is(g->weighting, AT_IS_LEVEL) || e->any_lane;
    return AT_OK;
}

static at_status attention_plan(at_exec *e, const at_model *m, const at_block *b, const fast_head *turned,
                                fast_block *out, at_err *err)
{
    for (int g = 0; g < b->n_groups; g++)
        out->n_heads += b->groups[g].heads;
    out->heads = at_new(&e->arena, fast_head, out->n_heads);
    double *bias = at_new(&e->arena, double, e->D);
    if (!out->heads || !bias)
        return at_oom(err);
    bool any = false;
    fast_head *h = out->heads;
    const fast_head *before = turned; /* some head with angles */
    for (int g = 0; g < b->n_groups; g++) {
        const double *ob = at_model_data(m, b->groups[g].ob);
        for (int d = 0; ob && d < e->D; d++)
            bias[d] += rounded(e, ob[d]);
        any |= ob != NULL;
        for (int k = 0; k < b->groups[g].heads; k++, h++) {
            at_status s = head_plan(e, m, &b->groups[g], k, h, err);
            if (!s)
                s = turn_plan(e, m, &b->groups[g].rotary, before, h, err);
            if (s)
                return s;
            before = h->turn ? h : before;
        }
        e->scores += b->groups[g].heads * scores_count(e, h - 1, out->lo, out->hi);
    }
    return any ? numbers_copy(e, bias, (size_t)e->D, &out->ob, err) : AT_OK;
}

static size_t head_numbers(const at_exec *e, const fast_head *h)
{
    return (size_t)lanes_up(e, h->q.rows + h->kv.rows + h->kv2.rows);
}

/* Up to the projections of the first attention block, nothing at a position depends on the others: where there is one
 * symbol a position, its rows are tables. The kernel fills them, by what it would do without them: not a bit changes.
 * */
static at_status fold_plan(at_exec *e, const at_model *m, at_err *err)
{
    int first = 0;
    while (first < e->n_blocks && e->blocks[first].kind != AT_BLOCK_ATTN)
        first++;
    if (e->n_fields != 1 || !is_symbol(e->fields[0].kind) || first == e->n_blocks)
        return AT_OK;
    for (int k = 0; k <= first; k++)
        if (e->blocks[k].parallel) /* what it reads is not kept in tables */
            return AT_OK;
    fast_block *b = &e->blocks[first];
    e->fold_block = first;
    e->symbols = table_rows(&m->fields[0]);
    e->places = m->n_pos && e->n ? e->n : 1;
    e->fold_x_row = b->residual ? lanes_up(e, e->D) : 0;
    size_t rows = (size_t)e->symbols * (size_t)e->places + (size_t)m->n_prefix + (size_t)m->n_suffix;
    size_t numbers = (size_t)e->fold_x_row;
    for (int h = 0; h < b->n_heads; h++)
        numbers += head_numbers(e, &b->heads[h]);
    if (numbers > (m->n_pos ? PLACES_MAX : TABLE_MAX) / rows)
        return AT_OK;
    for (int h = 0; h < b->n_heads; h++) {
        b->heads[h].table_row = (int)head_numbers(e, &b->heads[h]);
        if (!(b->heads[h].table = numbers_new(e, rows * head_numbers(e, &b->heads[h]))))
            return at_oom(err);
    }
    if (b->residual && !(e->fold_x = numbers_new(e, rows * (size_t)e->fold_x_row)))
        return at_oom(err);
    e->folded = true;
    return AT_OK;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static at_status mlp_plan(at_exec *e, const at_model *m, const at_block *b, fast_block *out, at_err *err)
{
    out->act = b->act;
    out->n_dense = b->n_dense;
    out->dense = at_new(&e->arena, fast_matrix, b->n_dense);
    bool gated = at_block_gated(b);
    if (!out->dense || (gated && !(out->gate = at_new(&e->arena, fast_matrix, b->n_dense))))
        return at_oom(err);
    e->any_gate |= gated;
    int cols = e->D;
    for (int l = 0; l < b->n_dense; l++) {
        int rows = b->dense[l].rows;
        row_block part = {at_model_data(m, b->dense[l].w), at_model_data(m, b->dense[l].b), rows, cols};
        row_block gate = {at_model_data(m, b->dense[l].gw), at_model_data(m, b->dense[l].gb), rows, cols};
        at_status s = matrix_make(e, &out->dense[l], cols, &part, 1, err);
        if (!s && gated && l + 1 < b->n_dense)
            s = matrix_make(e, &out->gate[l], cols, &gate, 1, err);
        if (s)
            return s;
        raise_to(&e->max_hidden, rows);
        cols = rows;
    }
    return AT_OK;
}

at_status fast_plan(at_exec *e, const at_model *m, at_err *err)
{
    at_status s;
    const at_readout *r = &m->readout;
    e->T = m->n_prefix + e->n + m->n_suffix;
    e->D = m->width;
    e->R = r->rows;
    e->ro = *r;
    e->n_prefix = m->n_prefix;
    e->row_width = at_model_row_width(m);
    e->read_lo = r->last ? e->T - 1 : m->n_prefix;
    e->read_hi = r->last ? e->T : m->n_prefix + e->n;
    e->max_hidden = e->max_dk = e->max_dv = e->max_kv = e->max_kv2 = 1;
    e->n_blocks = m->n_blocks;
    e->blocks = at_new(&e->arena, fast_block, m->n_blocks);
    if (!e->blocks)
        return at_oom(err);
    if ((s = fields_plan(e, m, err)) || (s = base_plan(e, m, err)))
        return s;
    int lo = e->read_lo, hi = e->read_hi;
    const fast_head *turned = NULL;
    size_t D = (size_t)e->D;
    for (int k = m->n_blocks - 1; k >= 0; k--) {
        const at_block *b = &m->blocks[k];
        fast_block *out = &e->blocks[k];
        if (b->kind != AT_BLOCK_ATTN && b->kind != AT_BLOCK_MLP)
            return at_fail(err, AT_EREFUSED, "block %d: the fast executor has no kernel for %s", k,
                           at_block_names[b->kind]);
        *out = (fast_block){.kind = b->kind,
                            .residual = b->residual,
                            .parallel = b->parallel,
                            .kept = !b->parallel && k + 1 < m->n_blocks && m->blocks[k + 1].parallel,
                            .norm = b->norm,
                            .norm_kind = b->norm_kind,
                            .norm_eps = b->norm_eps,
                            .lo = lo,
                            .hi = hi};
        e->any_norm |= b->norm != AT_NORM_NONE;
        e->any_parallel |= b->parallel;
        if (b->norm != AT_NORM_NONE &&
            ((s = numbers_copy(e, at_model_data(m, b->norm_g), D, &out->norm_g, err)) ||
             (s = numbers_copy(e, at_model_data(m, b->norm_b), D, &out->norm_b, err))))
            return s;
        if (b->kind == AT_BLOCK_ATTN) {
            if ((s = attention_plan(e, m, b, turned, out, err)))
                return s;
            if (out->heads[out->n_heads - 1].turn)
                turned = &out->heads[out->n_heads - 1];
            lo = 0;
            hi = e->T;
        } else if ((s = mlp_plan(e, m, b, out, err))) {
            return s;
        }
    }
    e->final_norm = r->final_norm;
    e->any_norm |= r->final_norm;
    e->norm_kind = r->norm_kind;
    e->norm_eps = r->norm_eps;
    row_block part = {at_model_data(m, r->w), at_model_data(m, r->b), r->rows, e->D};
    if (r->final_norm && ((s = numbers_copy(e, at_model_data(m, r->norm_g), D, &e->norm_g, err)) ||
                          (s = numbers_copy(e, at_model_data(m, r->norm_b), D, &e->norm_b, err))))
        return s;
    raise_to(&e->max_hidden, r->rows);
    if ((s = matrix_make(e, &e->readout, e->D, &part, 1, err)))
        return s;
    return fold_plan(e, m, err);
}
