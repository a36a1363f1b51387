/* naive.c: see naive.h. Plain loops over positions, heads and coordinates; every number is an mpfr_t in an
 * array of fixed size. One operation is one MPFR call followed by fit(), which in a p-bit run brings the
 * result into the exponent range with gradual underflow; the mantissa has p bits already. */
#include "naive.h"

#include <stdlib.h>

#define N MPFR_RNDN
typedef mpfr_t row[NAIVE_MAX];

static int bits, exponent_bits; /* of the run; exponent_bits 0: the real twin */

/* Rounds z, which has `bits` bits and ternary value t, into the exponent range (see MPFR's manual on
 * mpfr_subnormalize). Numbers of the format are 0.1xxx * 2^E in MPFR, so E runs to emax + 1. */
static void fit(mpfr_t z, int t)
{
    if (!exponent_bits)
        return;
    long emax = (1L << (exponent_bits - 1)) - 1, emin = 1 - emax;
    mpfr_exp_t lo = mpfr_get_emin(), hi = mpfr_get_emax();
    mpfr_set_emin(emin - bits + 2);
    mpfr_set_emax(emax + 1);
    t = mpfr_check_range(z, t, N);
    mpfr_subnormalize(z, t, N);
    mpfr_set_emin(lo);
    mpfr_set_emax(hi);
}

static void make(mpfr_t z)
{
    mpfr_init2(z, bits);
    mpfr_set_zero(z, 1);
}
static void make_row(row r)
{
    for (int k = 0; k < NAIVE_MAX; k++)
        make(r[k]);
}
static void clear_row(row r)
{
    for (int k = 0; k < NAIVE_MAX; k++)
        mpfr_clear(r[k]);
}
static row *make_rows(void)
{
    row *r = malloc(NAIVE_MAX * sizeof *r);
    if (!r)
        abort();
    for (int t = 0; t < NAIVE_MAX; t++)
        make_row(r[t]);
    return r;
}
static void clear_rows(row *r)
{
    for (int t = 0; t < NAIVE_MAX; t++)
        clear_row(r[t]);
    free(r);
}

static void add(mpfr_t z, mpfr_t a, mpfr_t b)
{
    fit(z, mpfr_add(z, a, b, N));
}
static void sub(mpfr_t z, mpfr_t a, mpfr_t b)
{
    fit(z, mpfr_sub(z, a, b, N));
}
static void mul(mpfr_t z, mpfr_t a, mpfr_t b)
{
    fit(z, mpfr_mul(z, a, b, N));
}
static void divide(mpfr_t z, mpfr_t a, mpfr_t b)
{
    fit(z, mpfr_div(z, a, b, N));
}
static void from_double(mpfr_t z, double d)
{
    fit(z, mpfr_set_d(z, d, N));
}
static void multiply_add(mpfr_t z, mpfr_t a, mpfr_t b)
{
    mpfr_t t;
    make(t);
    mul(t, a, b);
    add(z, z, t);
    mpfr_clear(t);
}

/* z += w * a for a weight w stored as a double; a zero weight is no term at all, even of an infinite a */
static void weight_add(mpfr_t z, double w, mpfr_t a)
{
    mpfr_t t;
    if (w == 0)
        return;
    make(t);
    from_double(t, w);
    if (a)
        multiply_add(z, t, a);
    else
        add(z, z, t);
    mpfr_clear(t);
}

/* A number held with many bits, rounded once into z. */
static void round_wide(mpfr_t z, mpfr_t wide)
{
    fit(z, mpfr_set(z, wide, N));
}

static void gelu(mpfr_t z, mpfr_t x)
{
    if (mpfr_inf_p(x) && mpfr_sgn(x) < 0) {
        mpfr_set_zero(z, 1);
        return;
    }
    mpfr_t a, b;
    mpfr_init2(a, bits + 300);
    mpfr_init2(b, bits + 300);
    mpfr_set_d(b, 0.5, N);
    mpfr_sqrt(b, b, N);
    mpfr_mul(a, x, b, N);
    mpfr_neg(a, a, N);
    mpfr_erfc(a, a, N);
    mpfr_mul(a, a, x, N);
    mpfr_div_2ui(a, a, 1, N);
    round_wide(z, a);
    mpfr_clear(a);
    mpfr_clear(b);
}

/* x / (1 + exp(-u)), u = x or the polynomial of gelu-tanh, one operation after the other. */
static void swish(mpfr_t z, mpfr_t x, bool polynomial)
{
    mpfr_t u, c;
    make(u);
    make(c);
    mpfr_set(u, x, N);
    if (polynomial) {
        mul(u, x, x);
        mul(u, u, x);
        from_double(c, AT_GELU_CUBE);
        mul(u, u, c);
        add(u, x, u);
        from_double(c, AT_GELU_SLOPE);
        mul(u, u, c);
    }
    mpfr_neg(u, u, N);
    fit(u, mpfr_exp(u, u, N));
    fit(u, mpfr_add_si(u, u, 1, N));
    divide(z, x, u);
    mpfr_clear(c);
    mpfr_clear(u);
}

static void activation(at_act act, mpfr_t z)
{
    switch (act) {
    case AT_ACT_RELU:
        if (!mpfr_nan_p(z) && mpfr_sgn(z) < 0)
            mpfr_set_zero(z, 1);
        break;
    case AT_ACT_GELU:
        gelu(z, z);
        break;
    case AT_ACT_GELU_TANH:
        swish(z, z, true);
        break;
    case AT_ACT_SILU:
        swish(z, z, false);
        break;
    }
}

/* The pair (u, v) of a head, number p, turned by the angle of index i. */
static void turn(const at_rotary *r, int p, long i, mpfr_t u, mpfr_t v)
{
    mpfr_t angle, power, c, s, a, b, t;
    mpfr_inits2(bits + 300, angle, power, c, s, (mpfr_ptr)0);
    mpfr_set_d(angle, r->theta, N);
    mpfr_set_si(power, 2 * p, N);
    mpfr_div_si(power, power, r->width, N);
    mpfr_pow(power, angle, power, N);
    mpfr_si_div(angle, i, power, N);
    mpfr_cos(c, angle, N);
    mpfr_sin(s, angle, N);
    make(a);
    make(b);
    make(t);
    mpfr_t cosine, sine;
    make(cosine);
    make(sine);
    round_wide(cosine, c);
    round_wide(sine, s);
    mul(a, u, cosine);
    mul(t, v, sine);
    sub(a, a, t);
    mul(b, v, cosine);
    mul(t, u, sine);
    add(b, b, t);
    mpfr_set(u, a, N);
    mpfr_set(v, b, N);
    mpfr_clears(angle, power, c, s, a, b, t, cosine, sine, (mpfr_ptr)0);
}

static void turn_heads(const at_group *g, long i, mpfr_t *x)
{
    for (int h = 0; h < g->heads; h++)
        for (int p = 0; 2 * p < g->rotary.width; p++) {
            mpfr_t *y = x + h * g->dk;
            if (g->rotary.pairing == AT_PAIR_ADJACENT)
                turn(&g->rotary, p, i, y[2 * p], y[2 * p + 1]);
            else
                turn(&g->rotary, p, i, y[p], y[p + g->rotary.width / 2]);
        }
}

/* 1-based, from the definition in model.h */
static bool allowed(const at_mask *m, int i, int j)
{
    switch (m->kind) {
    case AT_MASK_NONE:
        return true;
    case AT_MASK_CAUSAL:
        return j <= i;
    case AT_MASK_STRICT:
        return j < i;
    case AT_MASK_FUTURE:
        return j >= i;
    case AT_MASK_STRICT_FUTURE:
        return j > i;
    case AT_MASK_BLOCK_SPARSE:
    default:
        return (i - m->windows * m->block < j && j <= i) ||
               (j <= i && (j - 1) % m->block >= m->block - m->ends);
    }
}

static void position_feature(mpfr_t z, const at_pos *p, int f, long i, long T)
{
    mpfr_t a, b;
    mpfr_init2(a, bits + 300);
    mpfr_init2(b, bits + 300);
    mpfr_set_si(a, i, N);
    mpfr_set_si(b, 1, N);
    switch (p->kind) {
    case AT_POS_I:
        break;
    case AT_POS_I2:
        mpfr_sqr(a, a, N);
        break;
    case AT_POS_INV_I:
        mpfr_div(a, b, a, N);
        break;
    case AT_POS_INV_I2:
        mpfr_sqr(a, a, N);
        mpfr_div(a, b, a, N);
        break;
    case AT_POS_I_OVER_N:
        mpfr_div_si(a, a, T, N);
        break;
    case AT_POS_I_OVER_N3:
        mpfr_div_si(a, a, T * T * T, N);
        break;
    case AT_POS_N:
        mpfr_set_si(a, T, N);
        break;
    case AT_POS_ALTERNATE:
        mpfr_set_si(a, i % 2 ? -1 : 1, N);
        break;
    case AT_POS_SINUSOIDAL:
        mpfr_set_si(b, 2 * (f / 2), N);
        mpfr_div_si(b, b, p->size, N);
        mpfr_ui_pow(b, 10000, b, N);
        mpfr_div(a, a, b, N);
        if (f % 2)
            mpfr_cos(a, a, N);
        else
            mpfr_sin(a, a, N);
        break;
    case AT_POS_SQRT_PAIR:
    case AT_POS_TABLE:
    default:
        mpfr_add_si(a, a, p->shift, N);
        mpfr_div(a, b, a, N);
        if (f)
            mpfr_sub(a, b, a, N);
        mpfr_sqrt(a, a, N);
    }
    round_wide(z, a);
    mpfr_clear(a);
    mpfr_clear(b);
}

/* Colexicographic: ascending e_1 < e_2 < ... has rank sum C(e_k - 1, k). */
static long subset_row(const double *v, int pick)
{
    long rank = 0;
    for (int e = 0; e < pick; e++) {
        int place = 1;
        for (int o = 0; o < pick; o++)
            place += v[o] < v[e];
        long choose = 1;
        for (int k = 1; k <= place; k++)
            choose = choose * ((long)v[e] - 1 - place + k) / k;
        rank += (long)v[e] - 1 >= place ? choose : 0;
    }
    return rank;
}

static void embed_add(const at_model *m, const at_embed *e, long r, mpfr_t coefficient, row x)
{
    for (int k = 0; k < e->width; k++)
        weight_add(x[e->col + k], at_model_data(m, e->tensor)[r * e->width + k], coefficient);
}

static void embedding(const at_model *m, const at_input *in, int T, row *x)
{
    mpfr_t c;
    make(c);
    for (int t = 0; t < T; t++) {
        if (t < m->n_prefix)
            embed_add(m, &m->prefix, t, NULL, x[t]);
        else if (t >= m->n_prefix + in->n)
            embed_add(m, &m->suffix, t - m->n_prefix - in->n, NULL, x[t]);
        else {
            const double *v = in->v + (t - m->n_prefix) * at_model_row_width(m);
            for (int f = 0; f < m->n_fields; f++) {
                const at_field *field = &m->fields[f];
                switch (field->kind) {
                case AT_FIELD_TOKEN:
                    embed_add(m, &field->embed, (long)*v++, NULL, x[t]);
                    break;
                case AT_FIELD_SUBSET:
                    embed_add(m, &field->embed, subset_row(v, field->pick), NULL, x[t]);
                    v += field->pick;
                    break;
                case AT_FIELD_REAL:
                case AT_FIELD_INT:
                default:
                    for (int k = 0; k < field->size; k++) {
                        from_double(c, *v++);
                        embed_add(m, &field->embed, k, c, x[t]);
                    }
                }
            }
        }
        for (int k = 0; k < m->n_pos; k++) {
            if (m->pos[k].kind == AT_POS_TABLE) {
                embed_add(m, &m->pos[k].embed, t, NULL, x[t]);
                continue;
            }
            int features = m->pos[k].kind == AT_POS_SINUSOIDAL  ? m->pos[k].size
                           : m->pos[k].kind == AT_POS_SQRT_PAIR ? 2
                                                                : 1;
            for (int f = 0; f < features; f++) {
                position_feature(c, &m->pos[k], f, t + m->pos_origin, T);
                embed_add(m, &m->pos[k].embed, f, c, x[t]);
            }
        }
    }
    mpfr_clear(c);
}

static void affine(const at_model *m, int w, int b, int rows, int in, row x, row y)
{
    row z; /* y may be x */
    make_row(z);
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < in; k++)
            weight_add(z[r], at_model_data(m, w)[r * in + k], x[k]);
        if (b >= 0)
            weight_add(z[r], at_model_data(m, b)[r], NULL);
    }
    for (int r = 0; r < rows; r++)
        mpfr_set(y[r], z[r], N);
    clear_row(z);
}

static void normalise(const at_model *m, at_norm_kind kind, int g, int b, double eps, row x, row y)
{
    mpfr_t mean, var, t;
    make(mean);
    make(var);
    make(t);
    for (int d = 0; d < m->width; d++)
        add(mean, mean, x[d]);
    from_double(t, m->width);
    divide(mean, mean, t);
    if (kind == AT_NORM_RMS)
        mpfr_set_zero(mean, 1);
    for (int d = 0; d < m->width; d++) {
        sub(y[d], x[d], mean);
        multiply_add(var, y[d], y[d]);
    }
    divide(var, var, t);
    from_double(t, eps);
    add(var, var, t);
    fit(var, mpfr_sqrt(var, var, N));
    for (int d = 0; d < m->width; d++) {
        divide(y[d], y[d], var);
        from_double(t, at_model_data(m, g)[d]);
        mul(y[d], y[d], t);
        from_double(t, at_model_data(m, b)[d]);
        add(y[d], y[d], t);
    }
    mpfr_clear(t);
    mpfr_clear(var);
    mpfr_clear(mean);
}

/* The sign of a - b; real scores nearer than 2^-250 are tied. */
static int compare(mpfr_t a, mpfr_t b)
{
    mpfr_t d;
    mpfr_init2(d, 64);
    mpfr_sub(d, a, b, N);
    int s = mpfr_nan_p(d) ? mpfr_cmp(a, b) : mpfr_sgn(d);
    if (!exponent_bits && mpfr_regular_p(d) && mpfr_get_exp(d) < -250)
        s = 0;
    mpfr_clear(d);
    return s;
}

static void phi(mpfr_t z, mpfr_t x)
{
    if (mpfr_sgn(x) > 0)
        fit(z, mpfr_add_si(z, x, 1, N));
    else
        fit(z, mpfr_exp(z, x, N));
}

static void scale_post(const at_group *g, mpfr_t s)
{
    mpfr_t c;
    make(c);
    from_double(c, g->scale);
    if (g->scale != 1)
        mul(s, s, c);
    mpfr_clear(c);
    bool flip = g->post == AT_POST_NEG_RELU || (g->post == AT_POST_NEG_ABS && mpfr_sgn(s) > 0);
    if (g->post == AT_POST_NEG_RELU && !mpfr_nan_p(s) && mpfr_sgn(s) < 0)
        mpfr_set_zero(s, 1);
    if (flip)
        mpfr_neg(s, s, N);
}

static int larger_first(const void *a, const void *b)
{
    return mpfr_cmp(*(mpfr_t *)b, *(mpfr_t *)a);
}

/* Textbook: the support has the k largest with k maximal such that 1 + k z_k > z_1 + ... + z_k. The p-bit rule
 * instead: z = s - max, tau = max_k (S_k - 1)/k with each operation rounded. w gets the weights. */
static void sparsemax(mpfr_t *s, int n, mpfr_t *w)
{
    row z;
    mpfr_t sum, tau, t, one, count;
    make_row(z);
    make(sum);
    make(tau);
    make(t);
    make(one);
    make(count);
    mpfr_set_si(one, 1, N);
    int best = 0;
    for (int j = 1; j < n; j++)
        best = mpfr_cmp(s[j], s[best]) > 0 ? j : best;
    mpfr_set(count, s[best], N);
    bool bad = false;
    for (int j = 0; j < n; j++) {
        sub(w[j], s[j], count);
        bad = bad || mpfr_nan_p(w[j]);
        mpfr_set(z[j], w[j], N);
    }
    if (!bad)
        qsort(z, (size_t)n, sizeof *z, larger_first);
    for (int k = 1; k <= n; k++) {
        from_double(count, k);
        add(sum, sum, z[k - 1]);
        sub(t, sum, one);
        divide(t, t, count);
        if (exponent_bits) {
            if (k == 1 || mpfr_cmp(t, tau) > 0)
                mpfr_set(tau, t, N);
        } else {
            mpfr_t edge;
            make(edge);
            mpfr_mul_si(edge, z[k - 1], k, N);
            mpfr_add_si(edge, edge, 1, N);
            if (mpfr_cmp(edge, sum) > 0)
                mpfr_set(tau, t, N);
            mpfr_clear(edge);
        }
    }
    for (int j = 0; j < n; j++) {
        sub(w[j], w[j], tau);
        if (bad)
            mpfr_set_nan(w[j]);
        else if (mpfr_sgn(w[j]) < 0)
            mpfr_set_zero(w[j], 1);
    }
    mpfr_clears(sum, tau, t, one, count, (mpfr_ptr)0);
    clear_row(z);
}

/* Scores s (n) to unnormalised weights w (n); returns whether they are to be divided by their sum. */
static bool weigh(const at_group *g, mpfr_t *s, int n, mpfr_t *w)
{
    bool bad = false;
    int best = 0;
    for (int j = 0; j < n; j++)
        bad = bad || mpfr_nan_p(s[j]);
    for (int j = 0; j < n; j++)
        if (bad)
            mpfr_set_nan(w[j]);
        else
            mpfr_set_zero(w[j], 1);
    if (bad)
        return true;
    for (int j = 1; j < n; j++)
        if (compare(s[j], s[best]) > 0)
            best = j;
    mpfr_t t, tie;
    make(t);
    make(tie);
    from_double(tie, g->tie);
    switch (g->weighting) {
    case AT_LEFTMOST_HARD:
    case AT_RIGHTMOST_HARD:
    case AT_AVERAGE_HARD:
        sub(t, s[best], tie);
        for (int j = 0, found = -1; j < n; j++)
            if (compare(s[j], t) >= 0) {
                if (found >= 0 && g->weighting == AT_LEFTMOST_HARD)
                    break;
                if (found >= 0 && g->weighting == AT_RIGHTMOST_HARD)
                    mpfr_set_zero(w[found], 1);
                mpfr_set_si(w[found = j], 1, N);
            }
        break;
    case AT_SPARSEMAX:
        sparsemax(s, n, w);
        break;
    case AT_LINEAR:
        for (int j = 0; j < n; j++)
            mpfr_set(w[j], s[j], N);
        break;
    case AT_SOFTMAX:
    case AT_THREEWISE:
    default:
        for (int j = 0; j < n; j++) {
            sub(w[j], s[j], s[best]);
            fit(w[j], mpfr_exp(w[j], w[j], N));
        }
    }
    mpfr_clear(t);
    mpfr_clear(tie);
    return g->weighting != AT_SPARSEMAX;
}

#define WIDE 5000 /* bits: any sum of products of two numbers of 11-bit exponents is exact */

bool naive_quotient;

/* out = sum w v / sum w: both sums exact, each rounded once, one division; or the quotient alone is rounded. */
static void mean(mpfr_t *w, mpfr_t *v, int n, bool division, mpfr_t out)
{
    mpfr_t num, den, t, d;
    mpfr_init2(num, WIDE);
    mpfr_init2(den, WIDE);
    mpfr_init2(t, WIDE);
    make(d);
    mpfr_set_zero(num, 1);
    mpfr_set_zero(den, 1);
    for (int j = 0; j < n; j++) {
        mpfr_mul(t, w[j], v[j], N);
        mpfr_add(num, num, t, N);
        mpfr_add(den, den, w[j], N);
    }
    if (division && naive_quotient && !mpfr_zero_p(den))
        divide(out, num, den);
    else {
        round_wide(out, num);
        round_wide(d, den);
        if (division)
            divide(out, out, d);
    }
    mpfr_clears(num, den, t, d, (mpfr_ptr)0);
}

/* One head, one query; q k v k2 v2 are (T, H*width), of which this head's columns start at ko, vo. */
static void head(const at_group *g, double slope, int i, int T, int ko, int vo, row *q, row *k, row *v,
                 row *k2, row *v2, mpfr_t *out)
{
    bool three = g->weighting == AT_THREEWISE;
    int pair[NAIVE_MAX * NAIVE_MAX][2], n = 0;
    for (int j = 0; j < T; j++)
        for (int l = 0; l < (three ? T : 1); l++)
            if (allowed(&g->mask, i + 1, j + 1) && (!three || allowed(&g->mask, i + 1, l + 1))) {
                pair[n][0] = j;
                pair[n++][1] = l;
            }
    if (n == 0) {
        for (int e = 0; e < g->dv; e++)
            mpfr_set_zero(out[e], 1);
        return;
    }
    mpfr_t *s = malloc(3 * (size_t)n * sizeof *s), *w = s + n, *value = w + n;
    if (!s)
        abort();
    for (int a = 0; a < 3 * n; a++)
        make(s[a]);
    mpfr_t t, u;
    make(t);
    make(u);
    for (int a = 0; a < n; a++) {
        for (int e = 0; e < g->dk; e++) {
            mpfr_set(t, q[i][ko + e], N);
            mpfr_set(u, k[pair[a][0]][ko + e], N);
            if (g->weighting == AT_LINEAR) {
                phi(t, t);
                phi(u, u);
            }
            if (three) {
                mul(t, t, u);
                mpfr_set(u, k2[pair[a][1]][ko + e], N);
            }
            multiply_add(s[a], t, u);
        }
        if (g->weighting != AT_LINEAR)
            scale_post(g, s[a]);
        if (g->alibi) {
            from_double(t, abs(i - pair[a][0]));
            from_double(u, slope);
            mul(t, t, u);
            sub(s[a], s[a], t);
        }
    }
    bool division = weigh(g, s, n, w);
    bool hard = g->weighting == AT_LEFTMOST_HARD || g->weighting == AT_RIGHTMOST_HARD;
    for (int e = 0; e < g->dv; e++) {
        for (int a = 0; a < n; a++) {
            mpfr_set(value[a], v[pair[a][0]][vo + e], N);
            if (three)
                mul(value[a], value[a], v2[pair[a][1]][vo + e]);
        }
        int chosen = 0;
        while (hard && chosen < n && mpfr_zero_p(w[chosen]))
            chosen++;
        if (hard && !mpfr_nan_p(w[chosen]))
            mpfr_set(out[e], value[chosen], N);
        else
            mean(w, value, n, division, out[e]);
    }
    mpfr_clear(u);
    mpfr_clear(t);
    for (int a = 0; a < 3 * n; a++)
        mpfr_clear(s[a]);
    free(s);
}

/* y (T, D) = the sum of the groups on x (T, D) */
static void attention(const at_model *m, const at_block *b, int T, row *x, row *y)
{
    row *q = make_rows(), *k = make_rows(), *v = make_rows(), *k2 = make_rows(), *v2 = make_rows(),
        *mix = make_rows();
    for (int g = 0; g < b->n_groups; g++) {
        const at_group *a = &b->groups[g];
        int K = a->heads * a->dk, V = a->heads * a->dv;
        for (int t = 0; t < T; t++) {
            affine(m, a->q, a->qb, K, m->width, x[t], q[t]);
            affine(m, a->k, a->kb, K, m->width, x[t], k[t]);
            affine(m, a->v, a->vb, V, m->width, x[t], v[t]);
            turn_heads(a, t + m->pos_origin, q[t]);
            turn_heads(a, t + m->pos_origin, k[t]);
            if (a->weighting == AT_THREEWISE) {
                affine(m, a->k2, a->k2b, K, m->width, x[t], k2[t]);
                affine(m, a->v2, a->v2b, V, m->width, x[t], v2[t]);
            }
        }
        for (int t = 0; t < T; t++) {
            for (int h = 0; h < a->heads; h++)
                head(a, a->alibi ? at_model_data(m, a->slope)[h] : 0, t, T, h * a->dk, h * a->dv, q, k, v, k2,
                     v2, &mix[t][h * a->dv]);
            affine(m, a->o, a->ob, m->width, V, mix[t], mix[t]);
            for (int d = 0; d < m->width; d++)
                add(y[t][d], y[t][d], mix[t][d]);
        }
    }
    clear_rows(q);
    clear_rows(k);
    clear_rows(v);
    clear_rows(k2);
    clear_rows(v2);
    clear_rows(mix);
}

static void perceptron(const at_model *m, const at_block *b, row x, row y)
{
    int in = m->width;
    for (int d = 0; d < in; d++)
        mpfr_set(y[d], x[d], N);
    row gate;
    make_row(gate);
    for (int l = 0; l < b->n_dense; l++) {
        bool gated = b->gated && l + 1 < b->n_dense;
        if (gated)
            affine(m, b->dense[l].gw, b->dense[l].gb, b->dense[l].rows, in, y, gate);
        affine(m, b->dense[l].w, b->dense[l].b, b->dense[l].rows, in, y, y);
        in = b->dense[l].rows;
        for (int r = 0; l + 1 < b->n_dense && r < in; r++)
            if (gated) {
                activation(b->act, gate[r]);
                mul(y[r], gate[r], y[r]);
            } else
                activation(b->act, y[r]);
    }
    clear_row(gate);
}

/* A readout that is a distribution: y (R) becomes what attention would weigh keys of these scores with, over the sum. */
static void distribution(const at_model *m, row y)
{
    int R = m->readout.rows;
    row w, one, p;
    if (!at_read_distribution(m->readout.kind))
        return;
    make_row(w);
    make_row(one);
    make_row(p);
    at_group g = {.weighting = m->readout.kind == AT_READ_SOFTMAX ? AT_SOFTMAX : AT_SPARSEMAX};
    bool division = weigh(&g, y, R, w), quotient = naive_quotient;
    naive_quotient = false; /* which is of attention alone */
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < R; k++)
            mpfr_set_si(one[k], k == r, N);
        mean(w, one, R, division, p[r]);
    }
    naive_quotient = quotient;
    for (int r = 0; r < R; r++)
        mpfr_set(y[r], p[r], N);
    clear_row(p);
    clear_row(one);
    clear_row(w);
}

int naive_run(const at_model *m, int p, int exp_bits, const at_input *in, mpfr_t *out)
{
    bits = p ? p : NAIVE_BITS;
    exponent_bits = p ? exp_bits : 0;
    int T = m->n_prefix + in->n + m->n_suffix, R = m->readout.rows, count = 0;
    row *x = make_rows(), *z = make_rows();
    embedding(m, in, T, x);
    for (int k = 0; k < m->n_blocks; k++) {
        const at_block *b = &m->blocks[k];
        row *y = make_rows(), *r = make_rows();
        for (int t = 0; t < T; t++)
            for (int d = 0; !b->parallel && d < m->width; d++)
                mpfr_set(z[t][d], x[t][d], N);
        for (int t = 0; t < T; t++)
            if (b->norm == AT_NORM_PRE)
                normalise(m, b->norm_kind, b->norm_g, b->norm_b, b->norm_eps, z[t], y[t]);
            else
                for (int d = 0; d < m->width; d++)
                    mpfr_set(y[t][d], z[t][d], N);
        if (b->kind == AT_BLOCK_ATTN)
            attention(m, b, T, y, r);
        for (int t = 0; t < T; t++) {
            if (b->kind == AT_BLOCK_MLP)
                perceptron(m, b, y[t], r[t]);
            for (int d = 0; d < m->width; d++)
                if (b->residual)
                    add(x[t][d], x[t][d], r[t][d]);
                else
                    mpfr_set(x[t][d], r[t][d], N);
            if (b->norm == AT_NORM_POST)
                normalise(m, b->norm_kind, b->norm_g, b->norm_b, b->norm_eps, x[t], x[t]);
        }
        clear_rows(y);
        clear_rows(r);
    }
    for (int t = 0; t < T; t++) {
        if (m->readout.last ? t < T - 1 : t < m->n_prefix || t >= m->n_prefix + in->n)
            continue;
        if (m->readout.final_norm)
            normalise(m, m->readout.norm_kind, m->readout.norm_g, m->readout.norm_b, m->readout.norm_eps,
                      x[t], x[t]);
        affine(m, m->readout.w, m->readout.b, R, m->width, x[t], x[t]);
        distribution(m, x[t]);
        for (int r = 0; r < R; r++) {
            make(out[count]);
            mpfr_set(out[count++], x[t][r], N);
        }
    }
    clear_rows(x);
    clear_rows(z);
    return count;
}
