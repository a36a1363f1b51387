/* bench_pbit.c: p-bit arithmetic against MPFR on the same stream of operations, as JSON lines.
 *
 * Both sides compute the same numbers in the same format (p bits, 10 exponent bits, gradual underflow) from
 * operands that are ready in their own representation; MPFR therefore pays for the operation and for
 * mpfr_subnormalize, not for conversions (mpfr_bare_ns is the operation alone). Results are compared bit for
 * bit off the clock. ns: ours through the row kernels at_p_row_* (a is negative, as what attention exponentiates);
 * call_ns: add, mul, div one public call at a time, no vectors; ratios are of ns, call_ratio of call_ns.
 * `dot64` is 64 rounded products and 64 rounded sums in order, per row of a matrix, ns for the whole dot.
 * `acc64` is the exact dot: 64 exact products accumulated and rounded once, against mpfr_dot.
 * The best of several rounds counts, on both sides.
 *
 * Then whole models, us for one run: `softmax-head` is one head of width 8 on 64 positions with dense
 * random weights; `match2` and `qsa-rip` are models of the catalogue, which are sparse and sharp (most of their
 * exponentials underflow, at which MPFR is quick too). Ours is at_run, from input to decisions; the rival
 * below has its weights in MPFR already and sums exactly by mpfr_sum and mpfr_dot. */
#include "../src/num/pbit_rows.h"
#include <attest/claim.h>
#include <attest/exec.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096, K = 64, ROWS = N / K, ROUNDS = 15 };

typedef enum { ADD, MUL, DIV, EXP, DOT, ACC, OPS } op;
static const char *const op_name[OPS] = {"add", "mul", "div", "exp", "dot64", "acc64"};

static double a[N], b[N], out[N]; /* operands and results; a dot uses rows of a against b[0..K) */
static mpfr_t ma[N], mb[N], mz[N], product;
static mpfr_ptr pa[N], pb[N];

static int ours(const at_pfmt *f, op o)
{
    switch (o) {
    case ADD:
        at_p_row_add(f, N, a, b, out);
        return N;
    case MUL:
        at_p_row_mul(f, N, a, b, out);
        return N;
    case DIV:
        at_p_row_div(f, N, a, b, out);
        return N;
    case EXP:
        at_p_row_exp(f, N, a, 0, out);
        return N;
    case DOT:
        memset(out, 0, sizeof(double) * ROWS);
        at_p_row_dots(f, ROWS, K, a, K, NULL, b, out);
        return ROWS;
    case ACC:
    case OPS:
    default:
        for (int r = 0; r < ROWS; r++)
            out[r] = at_p_row_sum(f, K, a + r * K, b, 1, NULL);
        return ROWS;
    }
}

/* One operation a call, as a program without rows would do; the table keeps the calls. Only add, mul, div. */
static double calls_measure(const at_pfmt *f, op o)
{
    static double (*const fn[])(const at_pfmt *, double, double) = {at_p_add, at_p_mul, at_p_div};
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = at_now();
        for (int i = 0; i < 20 * N; i++)
            out[i % N] = fn[o](f, a[i % N], b[i % N]);
        double t = (at_now() - start) / (20 * N) * 1e9;
        best = t < best ? t : best;
    }
    return best;
}

typedef int binary(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

static int theirs(op o, bool subnormal)
{
    static binary *const fn[] = {mpfr_add, mpfr_mul, mpfr_div};
    switch (o) {
    case ADD:
    case MUL:
    case DIV:
        for (int i = 0; i < N; i++) {
            int t = fn[o](mz[i], ma[i], mb[i], MPFR_RNDN);
            if (subnormal)
                mpfr_subnormalize(mz[i], t, MPFR_RNDN);
        }
        return N;
    case EXP:
        for (int i = 0; i < N; i++) {
            int t = mpfr_exp(mz[i], ma[i], MPFR_RNDN);
            if (subnormal)
                mpfr_subnormalize(mz[i], t, MPFR_RNDN);
        }
        return N;
    case DOT:
        for (int r = 0; r < ROWS; r++) {
            mpfr_set_zero(mz[r], 1);
            for (int k = 0; k < K; k++) {
                int t = mpfr_mul(product, ma[r * K + k], mb[k], MPFR_RNDN);
                if (subnormal)
                    mpfr_subnormalize(product, t, MPFR_RNDN);
                t = mpfr_add(mz[r], mz[r], product, MPFR_RNDN);
                if (subnormal)
                    mpfr_subnormalize(mz[r], t, MPFR_RNDN);
            }
        }
        return ROWS;
    case ACC:
    case OPS:
    default:
        for (int r = 0; r < ROWS; r++) {
            int t = mpfr_dot(mz[r], pa + r * K, pb, K, MPFR_RNDN);
            if (subnormal)
                mpfr_subnormalize(mz[r], t, MPFR_RNDN);
        }
        return ROWS;
    }
}

/* Nanoseconds of one operation: the best round of enough repetitions for the clock. f NULL: MPFR. */
static double measure(const at_pfmt *f, op o, bool subnormal)
{
    double best = INFINITY;
    int repeat = f ? (o == EXP ? 4 : 20) : o == EXP ? 1 : 2;
    for (int round = 0; round < ROUNDS; round++) {
        double start = at_now();
        long n = 0;
        for (int i = 0; i < repeat; i++)
            n += f ? ours(f, o) : theirs(o, subnormal);
        double t = (at_now() - start) / (double)n * 1e9;
        best = t < best ? t : best;
    }
    return best;
}

/* ---- whole models ------------------------------------------------------------------------------------- */

/* The forward pass in MPFR, for models with softmax heads without masks and ReLU: the rounding rules of
 * docs/exec.md, zero weights skipped, every result made subnormal where the format asks for it.
 * Letters: T positions, D width, H heads, dk, dv head widths. */
typedef struct {
    const at_model *m;
    long p;
    mpfr_t *w;                 /* the weights, rounded */
    mpfr_t *x, *y;             /* (T, widest) residual stream, and results */
    mpfr_t *q, *k, *v, *mixed; /* (T, H*dk or H*dv) */
    mpfr_t *e, t, peak;        /* (T) weights of a query; scratch */
    mpfr_ptr *pe, *pv;         /* (T) */
    int T, *used;
} rival;

static mpfr_t *rival_numbers(size_t n, long p)
{
    mpfr_t *x = malloc(n * sizeof *x);
    if (!x)
        abort();
    for (size_t i = 0; i < n; i++) {
        mpfr_init2(x[i], p);
        mpfr_set_zero(x[i], 1);
    }
    return x;
}

static void rival_open(rival *r, const at_model *m, int n, long p)
{
    size_t T = (size_t)(m->n_prefix + n + m->n_suffix), wide = (size_t)m->width + 64;
    *r = (rival){.m = m, .p = p, .T = (int)T, .w = rival_numbers(m->n_weights, p)};
    for (size_t i = 0; i < m->n_weights; i++)
        mpfr_set_d(r->w[i], m->weights[i], MPFR_RNDN);
    mpfr_t **all[] = {&r->x, &r->y, &r->q, &r->k, &r->v, &r->mixed};
    for (int i = 0; i < 6; i++)
        *all[i] = rival_numbers(T * wide, p);
    r->e = rival_numbers(T, p);
    r->pe = malloc(T * sizeof *r->pe);
    r->pv = malloc(T * sizeof *r->pv);
    r->used = malloc(wide * sizeof *r->used);
    if (!r->pe || !r->pv || !r->used)
        abort();
    mpfr_inits2(p, r->t, r->peak, (mpfr_ptr)0);
}

static void rival_close(rival *r)
{
    size_t wide = (size_t)r->T * ((size_t)r->m->width + 64);
    mpfr_t *all[] = {r->x, r->y, r->q, r->k, r->v, r->mixed, r->e, r->w};
    for (int i = 0; i < 8; i++) {
        for (size_t j = 0; j < (i < 6 ? wide : i == 6 ? (size_t)r->T : r->m->n_weights); j++)
            mpfr_clear(all[i][j]);
        free(all[i]);
    }
    mpfr_clears(r->t, r->peak, (mpfr_ptr)0);
    free(r->pe);
    free(r->pv);
    free(r->used);
}

static void r_add(mpfr_t z, const mpfr_t x, const mpfr_t y)
{
    mpfr_subnormalize(z, mpfr_add(z, x, y, MPFR_RNDN), MPFR_RNDN);
}
static void r_mul(mpfr_t z, const mpfr_t x, const mpfr_t y)
{
    mpfr_subnormalize(z, mpfr_mul(z, x, y, MPFR_RNDN), MPFR_RNDN);
}

/* x += row of a table, times the number c when there is one. */
static void rival_load(rival *r, const at_embed *e, int64_t row, const double *c, mpfr_t *x)
{
    size_t at = r->m->tensors[e->tensor].offset + (size_t)row * (size_t)e->width;
    for (int k = 0; k < e->width; k++) {
        if (r->m->weights[at + (size_t)k] == 0)
            continue;
        mpfr_set(r->t, r->w[at + (size_t)k], MPFR_RNDN);
        if (c) {
            mpfr_set_d(r->peak, *c, MPFR_RNDN);
            r_mul(r->t, r->peak, r->t);
        }
        r_add(x[e->col + k], x[e->col + k], r->t);
    }
}

static void rival_embed(rival *r, const at_input *in)
{
    const at_model *m = r->m;
    const double *v = in->v;
    for (int t = 0; t < r->T; t++) {
        mpfr_t *x = r->x + (size_t)t * (size_t)m->width;
        int u = t - m->n_prefix;
        for (int d = 0; d < m->width; d++)
            mpfr_set_zero(x[d], 1);
        if (u >= in->n)
            rival_load(r, &m->suffix, u - in->n, NULL, x);
        for (int f = 0; u < in->n && f < m->n_fields; v += at_field_width(&m->fields[f++])) {
            const at_field *field = &m->fields[f];
            if (field->kind == AT_FIELD_TOKEN)
                rival_load(r, &field->embed, (int64_t)*v, NULL, x);
            else if (field->kind == AT_FIELD_SUBSET)
                rival_load(r, &field->embed, at_subset_rank(v, field->pick), NULL, x);
            else
                for (int k = 0; k < field->size; k++)
                    rival_load(r, &field->embed, k, &v[k], x);
        }
        for (int k = 0; k < m->n_pos; k++)
            rival_load(r, &m->pos[k].embed, t, NULL, x);
    }
}

static void rival_affine(rival *r, int w, int bias, int rows, int in, mpfr_t *x, mpfr_t *y)
{
    for (int i = 0; i < rows; i++) {
        size_t at = r->m->tensors[w].offset + (size_t)i * (size_t)in;
        int n = 0;
        for (int k = 0; k < in; k++)
            if (r->m->weights[at + (size_t)k] != 0)
                r->used[n++] = k;
        for (int t = 0; t < r->T; t++) {
            mpfr_t *s = &y[(size_t)t * (size_t)rows + (size_t)i];
            mpfr_set_zero(*s, 1);
            for (int k = 0; k < n; k++) {
                r_mul(r->t, r->w[at + (size_t)r->used[k]], x[(size_t)t * (size_t)in + (size_t)r->used[k]]);
                r_add(*s, *s, r->t);
            }
            if (bias >= 0)
                r_add(*s, *s, r->w[r->m->tensors[bias].offset + (size_t)i]);
        }
    }
}

/* Query q (dk) of one head: dot scores, maximum, exp, exact sums, division. k, v: the head's columns. */
static void rival_query(rival *r, const at_group *g, mpfr_t *q, mpfr_t *k, mpfr_t *v, mpfr_t *mix)
{
    size_t ks = (size_t)g->heads * (size_t)g->dk, vs = (size_t)g->heads * (size_t)g->dv, T = (size_t)r->T;
    MPFR_DECL_INIT(scale, 64);
    mpfr_prec_round(scale, r->p, MPFR_RNDN);
    mpfr_set_d(scale, g->scale, MPFR_RNDN);
    for (size_t j = 0; j < T; j++) {
        mpfr_set_zero(r->e[j], 1);
        for (int d = 0; d < g->dk; d++) {
            r_mul(r->t, q[d], k[j * ks + (size_t)d]);
            r_add(r->e[j], r->e[j], r->t);
        }
        if (g->scale != 1)
            r_mul(r->e[j], r->e[j], scale);
        if (j == 0 || mpfr_cmp(r->e[j], r->peak) > 0)
            mpfr_set(r->peak, r->e[j], MPFR_RNDN);
    }
    for (size_t j = 0; j < T; j++) {
        mpfr_subnormalize(r->e[j], mpfr_sub(r->e[j], r->e[j], r->peak, MPFR_RNDN), MPFR_RNDN);
        mpfr_subnormalize(r->e[j], mpfr_exp(r->e[j], r->e[j], MPFR_RNDN), MPFR_RNDN);
        r->pe[j] = r->e[j];
    }
    mpfr_subnormalize(r->peak, mpfr_sum(r->peak, r->pe, T, MPFR_RNDN), MPFR_RNDN);
    for (int d = 0; d < g->dv; d++) {
        for (size_t j = 0; j < T; j++)
            r->pv[j] = v[j * vs + (size_t)d];
        mpfr_subnormalize(r->t, mpfr_dot(r->t, r->pe, r->pv, T, MPFR_RNDN), MPFR_RNDN);
        mpfr_subnormalize(mix[d], mpfr_div(mix[d], r->t, r->peak, MPFR_RNDN), MPFR_RNDN);
    }
}

static void rival_run(rival *r, const at_input *in)
{
    const at_model *m = r->m;
    rival_embed(r, in);
    for (int i = 0; i < m->n_blocks; i++) {
        const at_block *k = &m->blocks[i];
        if (k->kind == AT_BLOCK_MLP) {
            rival_affine(r, k->dense[0].w, k->dense[0].b, k->dense[0].rows, m->width, r->x, r->q);
            for (int j = 0; j < r->T * k->dense[0].rows; j++)
                if (mpfr_sgn(r->q[j]) < 0)
                    mpfr_set_zero(r->q[j], 1);
            rival_affine(r, k->dense[1].w, k->dense[1].b, m->width, k->dense[0].rows, r->q, r->y);
        } else {
            const at_group *g = &k->groups[0];
            int ks = g->heads * g->dk, vs = g->heads * g->dv;
            rival_affine(r, g->q, g->qb, ks, m->width, r->x, r->q);
            rival_affine(r, g->k, g->kb, ks, m->width, r->x, r->k);
            rival_affine(r, g->v, g->vb, vs, m->width, r->x, r->v);
            for (int h = 0; h < g->heads; h++)
                for (int t = 0; t < r->T; t++)
                    rival_query(r, g, r->q + t * ks + h * g->dk, r->k + h * g->dk, r->v + h * g->dv,
                                r->mixed + t * vs + h * g->dv);
            rival_affine(r, g->o, g->ob, m->width, vs, r->mixed, r->y);
        }
        for (int j = 0; j < r->T * m->width; j++)
            if (k->residual)
                r_add(r->x[j], r->x[j], r->y[j]);
            else
                mpfr_set(r->x[j], r->y[j], MPFR_RNDN);
    }
    rival_affine(r, m->readout.w, m->readout.b, m->readout.rows, m->width, r->x, r->y);
}

/* Both run one input; prints the line and says whether every value is the same. */
static bool model_measure(const char *name, const at_model *m, const at_input *in, int p)
{
    at_arith arith = {AT_PBIT, p, 10};
    at_pfmt f = at_pfmt_of(arith);
    at_arena arena;
    at_output y;
    rival r;
    double us = INFINITY, theirs_us = INFINITY;
    int wrong = 0;
    at_arena_init(&arena);
    at_mark mark = at_arena_mark(&arena);
    for (int round = 0; round < 20 * ROUNDS; round++) {
        at_arena_reset(&arena, mark);
        double start = at_now();
        if (at_run(m, arith, in, NULL, &arena, &y, NULL))
            abort();
        us = fmin(us, (at_now() - start) * 1e6);
    }
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    rival_open(&r, m, in->n, p);
    mpfr_set_emin(f.emin - f.p + 2);
    mpfr_set_emax(f.emax + 1);
    for (int round = 0; round < ROUNDS; round++) {
        double start = at_now();
        rival_run(&r, in);
        theirs_us = fmin(theirs_us, (at_now() - start) * 1e6);
    }
    int n = y.n * y.rows;
    for (int i = 0; i < n; i++)
        wrong += y.value[i] != mpfr_get_d(r.y[m->n_prefix * y.rows + i], MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    rival_close(&r);
    at_arena_release(&arena);
    printf("{\"bench\":\"pbit\",\"op\":\"%s\",\"p\":%d,\"us\":%.1f,\"mpfr_us\":%.1f,\"ratio\":%.1f,"
           "\"checked\":%d,\"correct\":%d}\n",
           name, p, us, theirs_us, theirs_us / us, n, n - wrong);
    fflush(stdout);
    return wrong == 0;
}

/* One head on T = 64 real vectors of width 8, dk = dv = 8, dense weights of variance 1/8. */
static bool head_measure(int p)
{
    enum { T = 64, D = 8 };
    at_model m;
    double v[T * D];
    at_rng rng = at_rng_at(11, 0);
    at_model_init(&m);
    m.width = D;
    m.n_max = T;
    m.n_fields = m.n_blocks = 1;
    m.fields = at_new(&m.arena, at_field, 1);
    m.blocks = at_new(&m.arena, at_block, 1);
    at_group *g = at_new(&m.arena, at_group, 1);
    if (!m.fields || !m.blocks || !g)
        abort();
    m.fields[0] = (at_field){"x", AT_FIELD_REAL, .size = D, .lo = -8, .hi = 8, .embed = {.width = D}};
    *g = (at_group){.heads = 1, .dk = D, .dv = D, .scale = 1};
    m.blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .groups = g, .n_groups = 1};
    m.readout = (at_readout){.kind = AT_READ_RAW, .rows = D};
    if (at_model_layout(&m, NULL))
        abort();
    for (size_t i = 0; i < m.n_weights; i++)
        m.weights[i] = at_rng_normal(&rng) / sqrt(D);
    for (int i = 0; i < T * D; i++)
        v[i] = fmax(-8, fmin(8, at_rng_normal(&rng)));
    bool good = model_measure("softmax-head", &m, &(at_input){T, v}, p);
    at_model_release(&m);
    return good;
}

static bool claim_measure(const char *id, const char *params, int p)
{
    at_err err = {0};
    at_params cp, tp;
    const at_claim *c;
    const at_task *t;
    at_model m;
    at_rng rng = at_rng_at(12, 0);
    if (at_claim_need(id, &c, &err))
        abort();
    at_params_init(&cp, c->params, c->n_params);
    if (at_params_parse(&cp, params, &err) || at_claim_model(c, &cp, &m, &err) ||
        at_claim_task(c, &cp, &t, &tp, &err))
        abort();
    int n = at_params_int(&tp, "N");
    double *v = calloc((size_t)n * (size_t)t->row_width(&tp), sizeof *v);
    if (!v)
        abort();
    t->sample(&tp, &rng, v);
    bool good = model_measure(id, &m, &(at_input){n, v}, p);
    free(v);
    at_model_release(&m);
    return good;
}

int main(void)
{
    static const int ps[] = {8, 11, 16, 24, 25};
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    bool good = true;
    for (size_t c = 0; c < sizeof ps / sizeof *ps; c++) {
        at_pfmt f = at_pfmt_of((at_arith){AT_PBIT, ps[c], 10});
        at_rng r = at_rng_at(7, c);
        mpfr_init2(product, f.p);
        for (int i = 0; i < N; i++) {
            a[i] = at_p_round(&f, -fabs(at_rng_normal(&r)));
            b[i] = at_p_round(&f, at_rng_normal(&r));
            mpfr_init2(ma[i], f.p);
            mpfr_init2(mb[i], f.p);
            mpfr_init2(mz[i], f.p);
            mpfr_set_d(ma[i], a[i], MPFR_RNDN);
            mpfr_set_d(mb[i], b[i], MPFR_RNDN);
            pa[i] = ma[i];
            pb[i] = mb[i];
        }
        mpfr_set_emin(f.emin - f.p + 2);
        mpfr_set_emax(f.emax + 1);
        for (op o = 0; o < OPS; o++) {
            int n = ours(&f, o), wrong = 0;
            theirs(o, true);
            for (int i = 0; i < n; i++)
                wrong += out[i] != mpfr_get_d(mz[i], MPFR_RNDN);
            good = good && wrong == 0;
            double us = measure(&f, o, true), mpfr = measure(NULL, o, true), bare = measure(NULL, o, false);
            printf("{\"bench\":\"pbit\",\"op\":\"%s\",\"p\":%d,\"ns\":%.3f,\"mpfr_ns\":%.2f,\"mpfr_bare_ns\":"
                   "%.2f,"
                   "\"ratio\":%.1f,\"ratio_bare\":%.1f,",
                   op_name[o], f.p, us, mpfr, bare, mpfr / us, bare / us);
            if (o <= DIV) {
                double call = calls_measure(&f, o);
                printf("\"call_ns\":%.3f,\"call_ratio\":%.1f,", call, mpfr / call);
            }
            printf("\"checked\":%d,\"correct\":%d}\n", n, n - wrong);
            fflush(stdout);
        }
        mpfr_set_emin(emin);
        mpfr_set_emax(emax);
        for (int i = 0; i < N; i++)
            mpfr_clears(ma[i], mb[i], mz[i], (mpfr_ptr)0);
        mpfr_clear(product);
    }
    static const int few[] = {8, 12, 16, 25};
    for (size_t c = 0; c < sizeof few / sizeof *few; c++) {
        good = head_measure(few[c]) && good;
        good = claim_measure("match2", "N=64 M=128", few[c]) && good;
        good = claim_measure("qsa-rip", "N=32 q=2", few[c]) && good;
    }
    mpfr_free_cache();
    return good ? 0 : 1;
}
