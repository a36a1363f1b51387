/* affine.c: a model's outputs as a function of the reals it reads, the other numbers of its input being given: read off
 * its weights.
 *
 * One run at reals 0, with its attention weights, gives the constants. Coefficients start at the real's own position
 * and go through the blocks. Attention whose queries and keys have coefficient 0 mixes them with the weights of that run,
 * which are then those of every run. A ReLU is the identity or 0 where its argument keeps its sign over the whole box;
 * where it reaches across by no more than the rounding of the sums before it, that much is put into the
 * spread of its form, which goes through the blocks in absolute value. Where it reaches across by more, relu(z) = z/2 + |z|/2, and
 * |z| gets a column, a kink, that relu(-z) shares: relu(z) - relu(-z), by which an MLP carries a number, is z again. A kink
 * must be gone where the MLP ends. All else (norms, GeLU, three-wise attention, ...) is not affine; the coefficients are
 * then those of the slopes at 0, good for a guess.
 *
 * Keys and values, constants and coefficients, go into a digest. Where it is the same whatever the positions ask, what a
 * position asks moves only its own query: by induction over the blocks its state, and so its output, is a function
 * of the reals, its index and its own question.
 *
 * Coefficients are lists of terms (form.h): a residual coordinate of a position depends on the few reals that its position has
 * seen in that coordinate, and under a sparse mask these lie far apart.
 *
 * T positions, D residual width, n reals: columns 0..n-1, kinks being those behind them. */
#include "check_internal.h"
#include "form.h"

#include <math.h>
#include <string.h>

#define KINKS 6 /* in one MLP at one position */

/* The weights of a tensor (rows, columns) that are not 0. */
typedef struct {
    int rows;
    int *start; /* (rows + 1) */
    int *column;
    double *w;
} sparse;

typedef struct {
    const at_model *m;
    const at_trace *trace;
    at_arena *arena;
    int n, T, D;
    form *a;      /* (T, D) */
    form_sum sum; /* empty between uses */
    bool *any;    /* (D): some position has a coefficient there; set by any_look */
    bool affine;
    uint64_t digest[2];
} flow;

static void digest_add(flow *f, double x)
{
    double v = x + 0.0; /* no -0 */
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    f->digest[0] = (f->digest[0] ^ bits) * 0x9e3779b97f4a7c15u;
    f->digest[0] ^= f->digest[0] >> 29;
    f->digest[1] = (f->digest[1] + bits) * 0xd1342543de82ef95u;
    f->digest[1] ^= f->digest[1] >> 31;
}

/* Which reals, not only how much: the same coefficient of another real is another form. */
static void digest_form(flow *f, const form *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->term[i].value != 0) {
            digest_add(f, x->term[i].column);
            digest_add(f, x->term[i].value);
        }
    digest_add(f, -1); /* no column: the end */
    digest_add(f, x->spread);
}

static form *at(const flow *f, int t, int d)
{
    return &f->a[(size_t)t * (size_t)f->D + (size_t)d];
}

static at_status sparse_make(const flow *f, int tensor, int rows, int columns, sparse *out, at_err *err)
{
    const double *w = at_model_data(f->m, tensor);
    size_t all = (size_t)rows * (size_t)columns, some = 0;
    for (size_t i = 0; i < all; i++)
        some += w[i] != 0;
    *out = (sparse){rows, at_new(f->arena, int, rows + 1), at_new(f->arena, int, some),
                    at_new(f->arena, double, some)};
    if (!out->start || !out->column || !out->w)
        return at_oom(err);
    int k = 0;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++, w++)
            if (*w != 0) {
                out->column[k] = c;
                out->w[k++] = *w;
            }
        out->start[r + 1] = k;
    }
    return AT_OK;
}

static void any_look(flow *f)
{
    memset(f->any, 0, (size_t)f->D * sizeof *f->any);
    for (int t = 0; t < f->T; t++)
        for (int d = 0; d < f->D; d++)
            f->any[d] = f->any[d] || form_live(at(f, t, d));
}

/* ---- attention -------------------------------------------------------------------------------------------- */

/* Do queries or keys read a coordinate that has coefficients? */
static bool reads(const flow *f, const sparse *w)
{
    for (int k = 0; k < w->start[w->rows]; k++)
        if (f->any[w->column[k]])
            return true;
    return false;
}

/* Constants of rows of a tensor at every position; biases are the same under all questions. */
static void digest_rows(flow *f, int block, const sparse *w)
{
    for (int t = 0; t < f->T; t++) {
        const double *x = f->trace->state[block] + (size_t)t * (size_t)f->D;
        for (int r = 0; r < w->rows; r++) {
            double sum = 0;
            for (int k = w->start[r]; k < w->start[r + 1]; k++)
                sum += w->w[k] * x[w->column[k]];
            digest_add(f, sum);
        }
    }
}

typedef struct {
    const at_group *g;
    sparse o;         /* (D, heads * dv) */
    form *v;          /* (T, heads * dv): the coefficients of values */
    form *mixed;      /* (heads * dv): of what a position gets */
    const double **w; /* (heads): (T, T) */
} group_flow;

static at_status group_make(flow *f, const at_group *g, int index, int block, group_flow *out, at_err *err)
{
    int K = g->heads * g->dk, V = g->heads * g->dv;
    sparse q, k, v;
    *out = (group_flow){.g = g,
                        .v = at_new(f->arena, form, (size_t)f->T * (size_t)V),
                        .mixed = at_new(f->arena, form, V),
                        .w = at_new(f->arena, const double *, g->heads)};
    at_status s = out->v && out->mixed && out->w ? AT_OK : at_oom(err);
    s = s ? s : sparse_make(f, g->q, K, f->D, &q, err);
    s = s ? s : sparse_make(f, g->k, K, f->D, &k, err);
    s = s ? s : sparse_make(f, g->v, V, f->D, &v, err);
    s = s ? s : sparse_make(f, g->o, f->D, V, &out->o, err);
    if (s)
        return s;
    for (int i = 0; i < f->trace->n_heads; i++) {
        const at_trace_head *h = &f->trace->heads[i];
        if (h->block == block && h->group == index)
            out->w[h->head] = h->w;
    }
    for (int h = 0; h < g->heads; h++)
        f->affine = f->affine && out->w[h];
    if (at_weighting_is(g->weighting, AT_IS_PAIRS) || reads(f, &q) || reads(f, &k))
        f->affine = false;
    digest_rows(f, block, &k);
    digest_rows(f, block, &v);
    for (int t = 0; t < f->T && !s; t++)
        for (int c = 0; c < V && !s; c++) {
            for (int i = v.start[c]; i < v.start[c + 1]; i++)
                form_add(&f->sum, v.w[i], at(f, t, v.column[i]));
            form *x = &out->v[(size_t)t * (size_t)V + (size_t)c];
            s = form_take(&f->sum, f->arena, x, err);
            if (!s)
                digest_form(f, x);
        }
    return s;
}

/* What position t gets from the heads of a group. keys: room for T. */
static at_status group_mix(flow *f, group_flow *x, int t, int *keys, at_arena *arena, at_err *err)
{
    at_status s = AT_OK;
    int dv = x->g->dv, V = x->g->heads * dv;
    for (int h = 0; h < x->g->heads && !s; h++) {
        if (!x->w[h])
            continue;
        const double *w = x->w[h] + (size_t)t * (size_t)f->T;
        int n = 0;
        for (int j = 0; j < f->T; j++)
            if (w[j] != 0)
                keys[n++] = j;
        for (int c = h * dv; c < (h + 1) * dv && !s; c++) {
            for (int k = 0; k < n; k++)
                form_add(&f->sum, w[keys[k]], &x->v[(size_t)keys[k] * (size_t)V + (size_t)c]);
            s = form_take(&f->sum, arena, &x->mixed[c], err);
        }
    }
    return s;
}

/* Coordinate d of position t after the block. */
static at_status attention_at(flow *f, const at_block *x, const group_flow *g, int t, int d, at_err *err)
{
    bool live = false;
    for (int k = 0; k < x->n_groups; k++)
        for (int i = g[k].o.start[d]; i < g[k].o.start[d + 1]; i++)
            live = live || form_live(&g[k].mixed[g[k].o.column[i]]);
    if (x->residual && !live)
        return AT_OK;
    if (x->residual)
        form_add(&f->sum, 1, at(f, t, d));
    for (int k = 0; k < x->n_groups; k++)
        for (int i = g[k].o.start[d]; i < g[k].o.start[d + 1]; i++)
            form_add(&f->sum, g[k].o.w[i], &g[k].mixed[g[k].o.column[i]]);
    return form_take(&f->sum, f->arena, at(f, t, d), err);
}

static at_status attention_flow(flow *f, const at_block *x, int block, at_err *err)
{
    group_flow *g = at_new(f->arena, group_flow, x->n_groups);
    int *keys = at_new(f->arena, int, f->T);
    at_status s = g && keys ? AT_OK : at_oom(err);
    any_look(f);
    for (int k = 0; k < x->n_groups && !s; k++)
        s = group_make(f, &x->groups[k], k, block, &g[k], err);
    at_arena scratch;
    at_arena_init(&scratch);
    for (int t = 0; t < f->T && !s; t++) {
        for (int k = 0; k < x->n_groups && !s; k++)
            s = group_mix(f, &g[k], t, keys, &scratch, err);
        for (int d = 0; d < f->D && !s; d++)
            s = attention_at(f, x, g, t, d, err);
        at_arena_reset(&scratch, (at_mark){NULL, 0});
    }
    at_arena_release(&scratch);
    return s;
}

/* ---- MLPs ------------------------------------------------------------------------------------------------- */

/* Constants and coefficients of what a dense layer reads or gives, (n) each; reach: how far x in the box moves it, kinks
 * aside. */
typedef struct {
    double *c, *reach;
    form *a;
} units;

static units units_new(at_arena *arena, size_t n)
{
    return (units){at_new(arena, double, n), at_new(arena, double, n), at_new(arena, form, n)};
}

static double reach(const flow *f, const form *x)
{
    double sum = x->spread;
    for (int i = 0; i < x->n && x->term[i].column < f->n; i++)
        sum += fabs(x->term[i].value);
    return sum;
}

/* |z| for the arguments z of units that change their sign. */
typedef struct {
    int n;
    double most[KINKS]; /* of |z| */
    double c[KINKS];    /* z: constant, coefficients */
    form a[KINKS];
} kinks;

/* The kink of |c + a x|, an old one if it is one's z or -z; -1: there is no room. */
static int kink_find(kinks *k, double c, const form *a, double most)
{
    for (int i = 0; i < k->n; i++)
        if ((c == k->c[i] && form_equal(a, &k->a[i], 1)) || (c == -k->c[i] && form_equal(a, &k->a[i], -1)))
            return i;
    if (k->n == KINKS)
        return -1;
    k->most[k->n] = most;
    k->c[k->n] = c;
    k->a[k->n] = *a;
    return k->n++;
}

/* The unit with argument c + a x: what comes out of it, in place. size: of the numbers that were summed up. */
static at_status relu_flow(flow *f, kinks *k, double *c, form *a, int terms, double size, at_arena *arena,
                           at_err *err)
{
    double far = reach(f, a), low = *c - far, high = *c + far;
    bool bent = false;
    for (int i = a->n - 1; i >= 0 && a->term[i].column >= f->n; i--) {
        double b = a->term[i].value, most = k->most[a->term[i].column - f->n];
        low += fmin(b * most, 0);
        high += fmax(b * most, 0);
        bent = bent || b != 0;
    }
    double slack = (f->m->n_blocks + 1.) * (terms + f->n + KINKS + f->T) * 0x1p-52 * size;
    if (low >= -slack)
        a->spread += low < 0 ? slack : 0;
    else if (high <= slack) {
        *a = (form){.spread = high > 0 ? slack : 0};
        *c = 0;
    } else {
        int kink = bent || a->spread > 0 ? -1 : kink_find(k, *c, a, fmax(-low, high));
        if (kink < 0) {
            f->affine = false;
            return AT_OK; /* as if it were open */
        }
        form half = {.term = at_new(arena, form_term, a->n + 1)}; /* *a may be that of the kink */
        if (!half.term)
            return at_oom(err);
        for (; half.n < a->n && a->term[half.n].column < f->n; half.n++)
            half.term[half.n] = (form_term){a->term[half.n].column, a->term[half.n].value / 2};
        half.term[half.n++] = (form_term){f->n + kink, 0.5};
        *a = half;
        *c /= 2;
    }
    return AT_OK;
}

/* One layer with n inputs; act: an activation follows. */
static at_status layer_flow(flow *f, const at_block *x, const sparse *w, const double *b, int n, bool act,
                            kinks *k, units in, units out, at_arena *arena, at_err *err)
{
    at_status s = AT_OK;
    for (int r = 0; r < w->rows && !s; r++) {
        double c = b ? b[r] : 0, size = fabs(c);
        for (int i = w->start[r]; i < w->start[r + 1]; i++) {
            int from = w->column[i];
            c += w->w[i] * in.c[from];
            size += fabs(w->w[i] * in.c[from]);
            form_add(&f->sum, w->w[i], &in.a[from]);
            size += fabs(w->w[i]) * in.reach[from];
        }
        s = form_take(&f->sum, arena, &out.a[r], err);
        if (act && !s && !form_live(&out.a[r]))
            c = fmax(c, 0); /* GeLU: used for units with coefficients only, which are not affine anyway */
        else if (act && !s) {
            if (!at_act_is(x->act, AT_IS_RELU))
                f->affine = false;
            s = relu_flow(f, k, &c, &out.a[r], n, size, arena, err);
        }
        out.c[r] = c;
        out.reach[r] = reach(f, &out.a[r]);
    }
    return s;
}

/* Position t through the dense layers of x, whose weights are w. */
static at_status dense_flow(flow *f, const at_block *x, const sparse *w, int t, units in, units out,
                            at_arena *arena, at_err *err)
{
    at_status s = AT_OK;
    kinks k = {0};
    for (int l = 0, n = f->D; l < x->n_dense && !s; n = w[l++].rows) {
        s = layer_flow(f, x, &w[l], at_model_data(f->m, x->dense[l].b), n, l + 1 < x->n_dense, &k, in, out,
                       arena, err);
        units swap = in;
        in = out;
        out = swap;
    }
    for (int d = 0; d < f->D && !s; d++) {
        form *y = &in.a[d];
        for (; y->n && y->term[y->n - 1].column >= f->n; y->n--)
            f->affine = f->affine && y->term[y->n - 1].value == 0;
        if (x->residual && !form_live(y))
            continue;
        if (x->residual)
            form_add(&f->sum, 1, at(f, t, d));
        form_add(&f->sum, 1, y);
        s = form_take(&f->sum, f->arena, at(f, t, d), err);
    }
    return s;
}

static at_status mlp_flow(flow *f, const at_block *x, int block, at_err *err)
{
    int wide = f->D;
    for (int l = 0; l < x->n_dense; l++)
        wide = x->dense[l].rows > wide ? x->dense[l].rows : wide;
    units a = units_new(f->arena, (size_t)wide), b = units_new(f->arena, (size_t)wide);
    sparse *w = at_new(f->arena, sparse, x->n_dense);
    if (!w || !a.c || !a.reach || !a.a || !b.c || !b.reach || !b.a)
        return at_oom(err);
    at_status s = AT_OK;
    for (int l = 0; l < x->n_dense && !s; l++)
        s = sparse_make(f, x->dense[l].w, x->dense[l].rows, l ? x->dense[l - 1].rows : f->D, &w[l], err);
    at_arena scratch;
    at_arena_init(&scratch);
    for (int t = 0; t < f->T && !s; t++) {
        for (int d = 0; d < f->D; d++) {
            a.c[d] = f->trace->state[block][(size_t)t * (size_t)f->D + (size_t)d];
            a.a[d] = *at(f, t, d);
            a.reach[d] = reach(f, &a.a[d]);
        }
        s = dense_flow(f, x, w, t, a, b, &scratch, err);
        at_arena_reset(&scratch, (at_mark){NULL, 0});
    }
    at_arena_release(&scratch);
    return s;
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

/* Each real at its own position: w is its row in the embedding `where`. */
static at_status reals_embed(flow *f, at_embed where, const double *w, double unit, at_err *err)
{
    for (int j = 0; j < f->n; j++)
        for (int c = 0; c < where.width; c++) {
            form *x = at(f, f->m->n_prefix + j, where.col + c);
            if (w[c] == 0)
                continue;
            *x = (form){.n = 1, .term = at_new(f->arena, form_term, 1)};
            if (!x->term)
                return at_oom(err);
            x->term[0] = (form_term){j, unit * w[c]};
        }
    return AT_OK;
}

at_status affine_make(const at_model *m, const at_input *zero, int column, double unit, at_arena *arena,
                      affine *out, at_err *err)
{
    at_trace trace;
    at_output y;
    at_status s = at_run(m, at_f64, zero, &trace, arena, &y, err);
    if (s)
        return s;
    flow f = {m, &trace, arena, zero->n, trace.T, m->width};
    f.a = at_new(arena, form, (size_t)f.T * (size_t)f.D);
    f.any = at_new(arena, bool, f.D);
    out->coefficient = at_new(arena, double, (size_t)y.n *((size_t)f.n + 1));
    out->at_zero = y.value;
    if (!f.a || !f.any || !out->coefficient)
        return at_oom(err);
    s = form_sum_init(&f.sum, f.n + KINKS, arena, err);
    const double *w = NULL; /* the row of the real in its field's matrix */
    at_embed where = {0};
    for (int k = 0, first = 0; k < m->n_fields; first += at_field_width(&m->fields[k]), k++)
        if (m->fields[k].kind == AT_FIELD_REAL && column >= first &&
            column < first + at_field_width(&m->fields[k])) {
            where = m->fields[k].embed;
            w = at_model_data(m, where.tensor) + (size_t)(column - first) * (size_t)where.width;
        }
    if (!s && w)
        s = reals_embed(&f, where, w, unit, err);
    bool taken = !at_model_takes(m, AT_IN_ANALYSE, "affine forms", NULL);
    f.affine = taken && w && m->readout.kind == AT_READ_RAW && m->readout.rows == 1 && !m->readout.last &&
               !m->readout.final_norm;
    for (int b = 0; b < m->n_blocks && taken && !s; b++) {
        const at_block *x = &m->blocks[b];
        if (x->norm != AT_NORM_NONE)
            f.affine = false;
        if (x->kind == AT_BLOCK_ATTN)
            s = attention_flow(&f, x, b, err);
        else if (x->kind == AT_BLOCK_MLP)
            s = mlp_flow(&f, x, b, err);
        else
            f.affine = false;
    }
    const double *r = at_model_data(m, m->readout.w);
    for (int i = 0; i < y.n && !s && !m->readout.last; i++) {
        double *to = out->coefficient + (size_t)i * ((size_t)f.n + 1);
        for (int d = 0; d < f.D; d++) {
            const form *x = at(&f, m->n_prefix + i, d);
            for (int k = 0; k < x->n && r[d] != 0; k++)
                to[x->term[k].column] += r[d] * x->term[k].value;
            to[f.n] += fabs(r[d]) * x->spread;
        }
    }
    out->affine = f.affine;
    memcpy(out->digest, f.digest, sizeof out->digest);
    return s;
}
