/* affine.c: a model's outputs as a function of the reals it reads, the other numbers of its input being given: read off
 * its weights.
 *
 * One run at reals 0, with its attention weights, gives the constants. Coefficients start at the real's own position
 * and go through the blocks. Attention whose queries and keys have coefficient 0 mixes them with the weights of that run,
 * which are then those of every run. A ReLU is the identity or 0 where its argument keeps its sign over the whole box;
 * where it reaches across by no more than the rounding of the sums before it, that much is put into one more column, the
 * spread, which goes through the blocks in absolute value. Where it reaches across by more, relu(z) = z/2 + |z|/2, and
 * |z| gets a column, a kink, that relu(-z) shares: relu(z) - relu(-z), by which an MLP carries a number, is z again. A kink
 * must be gone where the MLP ends. All else (norms, GeLU, three-wise attention, ...) is not affine; the coefficients are
 * then those of the slopes at 0, good for a guess.
 *
 * Keys and values, constants and coefficients, go into a digest. Where it is the same whatever the positions ask, what a
 * position asks moves only its own query: by induction over the blocks its state, and so its output, is a function
 * of the reals, its index and its own question.
 *
 * T positions, D residual width, n reals (columns), the spread being column n, kinks those behind it. */
#include "check_internal.h"

#include <math.h>
#include <string.h>

#define KINKS 6 /* in one MLP at one position */

static size_t widest(const at_model *m)
{
    size_t most = (size_t)m->width;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *x = &m->blocks[b];
        for (int l = 0; x->kind == AT_BLOCK_MLP && l < x->n_dense; l++)
            most = (size_t)x->dense[l].rows > most ? (size_t)x->dense[l].rows : most;
    }
    return most;
}

typedef struct {
    const at_model *m;
    const at_trace *trace;
    at_arena *arena;
    int n, T, D, cols; /* cols: n + 1 + KINKS */
    double *a;         /* (T, D, cols) */
    int *lo, *hi;      /* (T): columns below lo and from hi on are 0, but for the spread */
    bool *any;         /* (D): some position has a coefficient there */
    bool affine;
    uint64_t digest[2];
} flow;

static void digest_add(flow *f, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double v = x[i] + 0.0; /* no -0 */
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        f->digest[0] = (f->digest[0] ^ bits) * 0x9e3779b97f4a7c15u;
        f->digest[0] ^= f->digest[0] >> 29;
        f->digest[1] = (f->digest[1] + bits) * 0xd1342543de82ef95u;
        f->digest[1] ^= f->digest[1] >> 31;
    }
}

static double *at(const flow *f, int t, int d)
{
    return f->a + ((size_t)t * (size_t)f->D + (size_t)d) * (size_t)f->cols;
}

/* y += w x over lo..hi-1; the spread in absolute value. */
static void add(const flow *f, double *y, double w, const double *x, int lo, int hi)
{
    for (int j = lo; j < hi; j++)
        y[j] += w * x[j];
    y[f->n] += fabs(w) * x[f->n];
}

static double reach(const flow *f, const double *x, int lo, int hi)
{
    double sum = x[f->n];
    for (int j = lo; j < hi; j++)
        sum += fabs(x[j]);
    return sum;
}

/* Do queries or keys of a head read a coordinate that has coefficients? */
static bool reads(const flow *f, int tensor, int rows)
{
    const double *w = at_model_data(f->m, tensor);
    for (int r = 0; r < rows; r++)
        for (int d = 0; d < f->D; d++)
            if (f->any[d] && w[(size_t)r * (size_t)f->D + (size_t)d] != 0)
                return true;
    return false;
}

/* v (T, dv, cols): the coefficients of a head's values. False: there are none. */
static bool values_of(const flow *f, const at_group *g, int head, double *v)
{
    const double *w = at_model_data(f->m, g->v) + (size_t)head * (size_t)g->dv * (size_t)f->D;
    bool some = false;
    memset(v, 0, (size_t)f->T * (size_t)g->dv * (size_t)f->cols * sizeof *v);
    for (int c = 0; c < g->dv; c++)
        for (int d = 0; d < f->D; d++) {
            double k = w[(size_t)c * (size_t)f->D + (size_t)d];
            if (!f->any[d] || k == 0)
                continue;
            some = true;
            for (int t = 0; t < f->T; t++)
                add(f, v + ((size_t)t * (size_t)g->dv + (size_t)c) * (size_t)f->cols, k, at(f, t, d),
                    f->lo[t], f->hi[t]);
        }
    return some;
}

/* Constants of rows of a tensor at every position; biases are the same under all questions. */
static void digest_rows(flow *f, int block, int tensor, int rows)
{
    const double *w = at_model_data(f->m, tensor);
    for (int t = 0; w && t < f->T; t++)
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int d = 0; d < f->D; d++)
                if (w[(size_t)r * (size_t)f->D + (size_t)d] != 0)
                    sum += w[(size_t)r * (size_t)f->D + (size_t)d] *
                           f->trace->state[block][(size_t)t * (size_t)f->D + (size_t)d];
            digest_add(f, &sum, 1);
        }
}

typedef struct {
    const at_group *g;
    const double *w; /* (T, T) */
    double *v;       /* NULL: no coefficients */
    int head;
} head_flow;

static at_status attention_flow(flow *f, const at_block *x, int block, at_err *err)
{
    int heads = 0;
    for (int g = 0; g < x->n_groups; g++)
        heads += x->groups[g].heads;
    head_flow *h = at_new(f->arena, head_flow, heads);
    int *lo = at_new(f->arena, int, f->T), *hi = at_new(f->arena, int, f->T);
    if (!h || !lo || !hi)
        return at_oom(err);
    int n = 0;
    for (int g = 0; g < x->n_groups; g++) {
        const at_group *group = &x->groups[g];
        int K = group->heads * group->dk;
        if (group->weighting == AT_THREEWISE || reads(f, group->q, K) || reads(f, group->k, K))
            f->affine = false;
        digest_rows(f, block, group->k, K);
        digest_rows(f, block, group->v, group->heads * group->dv);
        for (int k = 0; k < group->heads; k++, n++) {
            h[n] = (head_flow){.g = group, .head = k};
            for (int i = 0; i < f->trace->n_heads; i++) {
                const at_trace_head *s = &f->trace->heads[i];
                if (s->block == block && s->group == g && s->head == k)
                    h[n].w = s->w;
            }
            double *v = at_new(f->arena, double, (size_t)f->T *(size_t)group->dv *(size_t)f->cols);
            if (!v)
                return at_oom(err);
            h[n].v = values_of(f, group, k, v) ? v : NULL;
            for (int t = 0; h[n].v && t < f->T; t++)
                for (int c = 0; c < group->dv && f->lo[t] < f->hi[t]; c++)
                    digest_add(f,
                               v + ((size_t)t * (size_t)group->dv + (size_t)c) * (size_t)f->cols + f->lo[t],
                               (size_t)(f->hi[t] - f->lo[t]));
        }
    }
    if (!x->residual)
        memset(f->a, 0, (size_t)f->T * (size_t)f->D * (size_t)f->cols * sizeof *f->a);
    double *sum = at_new(f->arena, double, f->cols);
    if (!sum)
        return at_oom(err);
    for (int i = 0; i < f->T; i++) {
        lo[i] = x->residual ? f->lo[i] : f->n;
        hi[i] = x->residual ? f->hi[i] : 0;
    }
    for (int k = 0; k < n; k++) {
        const at_group *g = h[k].g;
        const double *o = at_model_data(f->m, g->o);
        int V = g->heads * g->dv;
        for (int i = 0; h[k].v && h[k].w && i < f->T; i++)
            for (int c = 0; c < g->dv; c++) {
                int from = f->n, to = 0;
                memset(sum, 0, (size_t)f->cols * sizeof *sum);
                for (int j = 0; j < f->T; j++) {
                    double w = h[k].w[(size_t)i * (size_t)f->T + (size_t)j];
                    if (w == 0)
                        continue;
                    add(f, sum, w, h[k].v + ((size_t)j * (size_t)g->dv + (size_t)c) * (size_t)f->cols,
                        f->lo[j], f->hi[j]);
                    from = f->lo[j] < from ? f->lo[j] : from;
                    to = f->hi[j] > to ? f->hi[j] : to;
                }
                for (int d = 0; d < f->D; d++) {
                    double w = o[(size_t)d * (size_t)V + (size_t)(h[k].head * g->dv + c)];
                    if (w == 0)
                        continue;
                    add(f, at(f, i, d), w, sum, from, to);
                    f->any[d] = true;
                }
                lo[i] = from < lo[i] ? from : lo[i];
                hi[i] = to > hi[i] ? to : hi[i];
            }
    }
    memcpy(f->lo, lo, (size_t)f->T * sizeof *lo);
    memcpy(f->hi, hi, (size_t)f->T * sizeof *hi);
    return AT_OK;
}

/* Constants c (n) and coefficients a (n, cols) of what a dense layer reads or gives; live: has coefficients. */
typedef struct {
    double *c, *a;
    bool *live;
} units;

static units units_new(at_arena *arena, size_t n, int cols)
{
    return (units){at_new(arena, double, n), at_new(arena, double, n *(size_t)cols), at_new(arena, bool, n)};
}

/* |z| for the arguments z of units that change their sign. */
typedef struct {
    int n;
    double most[KINKS]; /* of |z| */
    double c[KINKS];    /* z: constant, coefficients (cols) in a */
    double *a;
} kinks;

/* The kink of |c + a x|, an old one if it is one's z or -z; -1: there is no room. */
static int kink_find(const flow *f, kinks *k, double c, const double *a, int lo, int hi, double most)
{
    for (int i = 0; i < k->n; i++) {
        const double *b = k->a + (size_t)i * (size_t)f->cols;
        bool same = c == k->c[i], opposite = c == -k->c[i];
        for (int j = lo; j < hi && (same || opposite); j++) {
            same = same && a[j] == b[j];
            opposite = opposite && a[j] == -b[j];
        }
        if (same || opposite)
            return i;
    }
    if (k->n == KINKS)
        return -1;
    k->most[k->n] = most;
    k->c[k->n] = c;
    memcpy(k->a + (size_t)k->n * (size_t)f->cols, a, (size_t)f->cols * sizeof *a);
    return k->n++;
}

/* The unit with argument c + a x: what comes out of it, in place. size: of the numbers that were summed up. */
static void relu_flow(flow *f, kinks *k, double *c, double *a, int lo, int hi, int terms, double size)
{
    double far = reach(f, a, lo, hi), low = *c - far, high = *c + far;
    bool bent = false;
    for (int i = 0; i < k->n; i++) {
        double b = a[f->n + 1 + i];
        low += fmin(b * k->most[i], 0);
        high += fmax(b * k->most[i], 0);
        bent = bent || b != 0;
    }
    double slack = (f->m->n_blocks + 1.) * (terms + f->cols + f->T) * 0x1p-52 * size;
    if (low >= -slack)
        a[f->n] += low < 0 ? slack : 0;
    else if (high <= slack) {
        memset(a + lo, 0, (size_t)(hi > lo ? hi - lo : 0) * sizeof *a);
        memset(a + f->n, 0, (size_t)(f->cols - f->n) * sizeof *a);
        a[f->n] = high > 0 ? slack : 0;
        *c = 0;
    } else {
        int kink = bent || a[f->n] > 0 ? -1 : kink_find(f, k, *c, a, lo, hi, fmax(-low, high));
        if (kink < 0) {
            f->affine = false;
            return; /* as if it were open */
        }
        *c /= 2;
        for (int j = lo; j < hi; j++)
            a[j] /= 2;
        a[f->n + 1 + kink] = 0.5;
    }
}

/* Position t through the dense layers of x. */
static void dense_flow(flow *f, const at_block *x, int t, units in, units out, double *room)
{
    int n = f->D, lo = f->lo[t], hi = f->hi[t], cols = f->cols;
    kinks k = {.a = room};
    for (int l = 0; l < x->n_dense; l++) {
        const double *w = at_model_data(f->m, x->dense[l].w), *b = at_model_data(f->m, x->dense[l].b);
        int rows = x->dense[l].rows;
        bool last = l + 1 == x->n_dense;
        for (int r = 0; r < rows; r++, w += n) {
            double c = b ? b[r] : 0, size = fabs(c), *a = out.a + (size_t)r * (size_t)cols;
            bool live = false;
            memset(a + lo, 0, (size_t)(hi > lo ? hi - lo : 0) * sizeof *a);
            memset(a + f->n, 0, (size_t)(cols - f->n) * sizeof *a);
            for (int i = 0; i < n; i++) {
                if (w[i] == 0)
                    continue;
                c += w[i] * in.c[i];
                size += fabs(w[i] * in.c[i]);
                if (!in.live[i])
                    continue;
                live = true;
                const double *from = in.a + (size_t)i * (size_t)cols;
                add(f, a, w[i], from, lo, hi);
                for (int j = f->n + 1; j < cols; j++)
                    a[j] += w[i] * from[j];
                size += fabs(w[i]) * reach(f, from, lo, hi);
            }
            if (!last && !live)
                c = fmax(c, 0); /* GeLU: used for units with coefficients only, which are not affine anyway */
            else if (!last) {
                if (x->act != AT_ACT_RELU)
                    f->affine = false;
                relu_flow(f, &k, &c, a, lo, hi, n, size);
            }
            out.c[r] = c;
            out.live[r] = live;
        }
        n = rows;
        units swap = in;
        in = out;
        out = swap;
    }
    for (int d = 0; d < f->D; d++) {
        if (!x->residual)
            memset(at(f, t, d), 0, (size_t)cols * sizeof(double));
        if (!in.live[d])
            continue;
        const double *from = in.a + (size_t)d * (size_t)cols;
        for (int j = f->n + 1; j < cols; j++)
            f->affine = f->affine && from[j] == 0;
        add(f, at(f, t, d), 1, from, lo, hi);
        f->any[d] = true;
    }
}

static at_status mlp_flow(flow *f, const at_block *x, int block, at_err *err)
{
    size_t wide = widest(f->m);
    units a = units_new(f->arena, wide, f->cols), b = units_new(f->arena, wide, f->cols);
    bool *was = at_new(f->arena, bool, f->D);
    double *room = at_new(f->arena, double, KINKS * f->cols);
    if (!room || !a.c || !a.a || !a.live || !b.c || !b.a || !b.live || !was)
        return at_oom(err);
    memcpy(was, f->any, (size_t)f->D * sizeof *was);
    for (int t = 0; t < f->T; t++) {
        for (int d = 0; d < f->D; d++) {
            a.c[d] = f->trace->state[block][(size_t)t * (size_t)f->D + (size_t)d];
            a.live[d] = was[d];
            if (was[d])
                memcpy(a.a + (size_t)d * (size_t)f->cols, at(f, t, d), (size_t)f->cols * sizeof *a.a);
        }
        dense_flow(f, x, t, a, b, room);
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
    flow f = {m, &trace, arena, zero->n, trace.T, m->width, zero->n + 1 + KINKS, .affine = true};
    size_t numbers = (size_t)f.T * (size_t)f.D * (size_t)f.cols;
    f.a = at_new(arena, double, numbers);
    f.lo = at_new(arena, int, f.T);
    f.hi = at_new(arena, int, f.T);
    f.any = at_new(arena, bool, f.D);
    out->coefficient = at_new(arena, double, (size_t)y.n *((size_t)f.n + 1));
    out->at_zero = y.value;
    if (!f.a || !f.lo || !f.hi || !f.any || !out->coefficient)
        return at_oom(err);
    const double *w = NULL; /* the row of the real in its field's matrix */
    at_embed where = {0};
    for (int k = 0, first = 0; k < m->n_fields; first += at_field_width(&m->fields[k]), k++)
        if (m->fields[k].kind == AT_FIELD_REAL && column >= first &&
            column < first + at_field_width(&m->fields[k])) {
            where = m->fields[k].embed;
            w = at_model_data(m, where.tensor) + (size_t)(column - first) * (size_t)where.width;
        }
    for (int t = 0; t < f.T; t++) {
        int j = t - m->n_prefix;
        bool user = w && j >= 0 && j < f.n;
        f.lo[t] = user ? j : f.n;
        f.hi[t] = user ? j + 1 : 0;
        for (int c = 0; user && c < where.width; c++) {
            at(&f, t, where.col + c)[j] = unit * w[c];
            f.any[where.col + c] |= w[c] != 0;
        }
    }
    f.affine = w && m->readout.kind == AT_READ_RAW && m->readout.rows == 1 && !m->readout.last &&
               !m->readout.final_norm;
    for (int b = 0; b < m->n_blocks && !s; b++) {
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
    for (int i = 0; i < y.n && !s && !m->readout.last; i++)
        for (int d = 0; d < f.D; d++)
            if (r[d] != 0)
                add(&f, out->coefficient + (size_t)i * ((size_t)f.n + 1), r[d], at(&f, m->n_prefix + i, d), 0,
                    f.n);
    out->affine = f.affine;
    memcpy(out->digest, f.digest, sizeof out->digest);
    return s;
}
