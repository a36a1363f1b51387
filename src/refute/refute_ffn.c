/* refute_ffn.c: null-space: a feed-forward net whose first layer has fewer units than there are numbers to read.
 *
 * Source: Sanford, Hsu, Telgarsky 2023 (sparse averaging): the first layer of a feed-forward net for qSA must have width
 * of the order N d. The idea made to bite: hold the questions y fixed; what the first layer sees of the vectors z (N d numbers) is
 * A z with A (units, N d). Where A v = 0, the inputs z = v and z' = -v are one to all that follows, while the answers to
 * a question S are the mean of v over S and its negative.
 *
 *   1. An orthonormal basis of A's rows (Gram-Schmidt, twice, largest row first): rank r.
 *   2. v = what is left of a vector u without its part in that basis. Begin with u = one coordinate; ask for the S that sees most
 *      of v; take u = the indicator of S along that coordinate; again, three times. Every coordinate is a beginning.
 *   3. v scaled so that its longest position has norm 1 (a little less, so that it is in the ball), v and -v with S asked
 *      everywhere.
 *
 * The first layer is that of the first FLATTEN; blocks before it may be linear maps of a position. With a skip around
 * the FLATTEN a position also keeps its own row: then v is 0 at the position that answers, and blocks after it must not mix
 * positions. Rounding makes the two outputs equal up to some units in the last place: `same` allows for it, and the pair is run again.
 *
 * Legend: n = N d numbers of all vectors, D width, r rank. */
#include "qsa.h"

#include <math.h>
#include <string.h>

#define NUMBERS_MAX 4096 /* n: the basis has r n numbers, at most n^2 */
#define ROUNDS      3

/* The block that is the first FLATTEN when only linear maps of a position come before it. */
static at_status flatten_find(const at_model *m, int *out, at_err *why)
{
    at_status taken = at_model_takes(m, AT_IN_ANALYSE, "linear maps before a flatten", why);
    if (taken)
        return taken;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        if (k->kind != AT_BLOCK_FLATTEN && k->kind != AT_BLOCK_MLP)
            return at_fail(why, AT_EREFUSED, "block %d is %s: no feed-forward net", b,
                           at_block_names[k->kind]);
        if (k->norm == AT_NORM_PRE || (k->kind == AT_BLOCK_MLP && k->norm != AT_NORM_NONE))
            return at_fail(why, AT_EREFUSED, "block %d has a norm before the first layer: not linear", b);
        if (k->kind == AT_BLOCK_FLATTEN) {
            *out = b;
            return AT_OK;
        }
        if (k->n_dense > 1)
            return at_fail(why, AT_EREFUSED, "block %d is not linear and comes before the first flatten", b);
    }
    return at_fail(why, AT_EREFUSED, "there is no flatten: positions do not meet");
}

static at_status ffn_fits(const at_subject *s, at_err *why)
{
    qsa_sizes z;
    int first;
    at_status bad = qsa_fits(s, &z, why);
    if (!bad)
        bad = flatten_find(s->m, &first, why);
    if (bad)
        return bad;
    for (int b = first + 1; s->m->blocks[first].residual && b < s->m->n_blocks; b++)
        if (s->m->blocks[b].kind != AT_BLOCK_MLP)
            return at_fail(why, AT_EREFUSED,
                           "a skip leads around the first layer to block %d, which mixes positions", b);
    if ((int64_t)z.N * z.d > NUMBERS_MAX)
        return at_fail(why, AT_EREFUSED, "N d = %lld numbers; at most %d", (long long)z.N * z.d, NUMBERS_MAX);
    return AT_OK;
}

/* How one position's vector reaches the first layer's input: image (d, D). */
static at_status image_make(const at_model *m, int first, int d, at_arena *a, double **out, at_err *err)
{
    size_t D = (size_t)m->width;
    double *image = at_new(a, double, (size_t)d *D), *next = at_new(a, double, D);
    if (!image || !next)
        return at_oom(err);
    const at_embed *e = &m->fields[0].embed;
    const double *w = at_model_data(m, e->tensor); /* (d, width) */
    for (int c = 0; c < d; c++) {
        double *row = image + (size_t)c * D;
        memcpy(row + e->col, w + (size_t)c * (size_t)e->width, (size_t)e->width * sizeof *w);
        for (int b = 0; b < first; b++) {
            const at_block *k = &m->blocks[b];
            const double *dense = at_model_data(m, k->dense[0].w); /* (D, D) */
            for (size_t r = 0; r < D; r++) {
                next[r] = k->residual ? row[r] : 0;
                for (size_t i = 0; i < D; i++)
                    next[r] += dense[r * D + i] * row[i];
            }
            memcpy(row, next, D * sizeof *row);
        }
    }
    *out = image;
    return AT_OK;
}

/* A (units, n) of the first layer; columns of the position `skipped` are 0. */
static at_status layer_make(const at_subject *s, const qsa_sizes *z, int first, int skipped, at_arena *a,
                            double **out, at_err *err)
{
    const at_model *m = s->m;
    const at_dense *layer = &m->blocks[first].dense[0];
    size_t D = (size_t)m->width, n = (size_t)z->N * (size_t)z->d,
           in = (size_t)at_block_inputs(m, &m->blocks[first]);
    const double *w = at_model_data(m, layer->w);
    double *image = NULL, *A = at_new(a, double, (size_t)layer->rows *n);
    at_status bad = A ? image_make(m, first, z->d, a, &image, err) : at_oom(err);
    for (size_t r = 0; !bad && r < (size_t)layer->rows; r++)
        for (int j = 0; j < z->N; j++)
            for (int c = 0; c < z->d && j != skipped; c++) {
                const double *row = w + r * in + (size_t)(m->n_prefix + j) * D, *e = image + (size_t)c * D;
                double sum = 0;
                for (size_t i = 0; i < D; i++)
                    sum += row[i] * e[i];
                A[r * n + (size_t)(j * z->d + c)] = sum;
            }
    *out = A;
    return bad;
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

/* v without its part in the first r rows of the basis; twice, so that what rounding left of it goes too. */
static void without(const double *basis, size_t r, size_t n, double *v)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < r; k++) {
            double part = dot(basis + k * n, v, n);
            for (size_t i = 0; i < n; i++)
                v[i] -= part * basis[k * n + i];
        }
}

/* The rows of A (rows, n) become an orthonormal basis of what they span, largest first; returns their number. A row counts as
 * dependent when less than n 2^-50 of the largest is left of it: what rounding leaves. */
static size_t basis_make(double *A, size_t rows, size_t n)
{
    double largest = 0;
    for (size_t r = 0; r < rows && r < n; r++) {
        size_t best = r;
        double most = -1;
        for (size_t k = r; k < rows; k++) {
            double norm = sqrt(dot(A + k * n, A + k * n, n));
            if (norm > most) {
                most = norm;
                best = k;
            }
        }
        largest = fmax(largest, most);
        if (!(most > (double)n * 0x1p-50 * largest) || !isfinite(most))
            return r;
        for (size_t i = 0; i < n; i++) {
            double t = A[best * n + i];
            A[best * n + i] = A[r * n + i];
            A[r * n + i] = t / most;
        }
        without(A, r, n, A + r * n);
        double norm = sqrt(dot(A + r * n, A + r * n, n));
        for (size_t i = 0; i < n; i++)
            A[r * n + i] /= norm;
        for (size_t k = r + 1; k < rows; k++)
            without(A + r * n, 1, n, A + k * n);
    }
    return rows < n ? rows : n;
}

/* v scaled into the unit balls. False: nothing was left of it. */
static bool scale(const qsa_sizes *z, double *v)
{
    double longest = 0;
    for (int j = 0; j < z->N; j++)
        longest = fmax(longest, sqrt(dot(v + j * z->d, v + j * z->d, (size_t)z->d)));
    if (!(longest > 0x1p-20)) /* the beginning had norm 1 or more: all but rounding was in the basis */
        return false;
    for (int i = 0; i < z->N * z->d; i++)
        v[i] *= (1 - (z->d + 8) * 0x1p-53) / longest;
    return true;
}

/* From one coordinate: the best v and its question. Returns the distance of the targets of v and -v. */
static double ascend(const qsa_sizes *z, const double *basis, size_t r, int begin, int skipped, double *v,
                     double *subset)
{
    size_t n = (size_t)z->N * (size_t)z->d;
    double gain = 0;
    memset(v, 0, n * sizeof *v);
    v[begin] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        int side;
        without(basis, r, n, v);
        if (!scale(z, v))
            return 0;
        gain = 2 * qsa_ask(z, v, subset, &side);
        if (round + 1 == ROUNDS)
            break;
        int c = side < 0 ? -1 - side : side;
        memset(v, 0, n * sizeof *v);
        for (int k = 0; k < z->q; k++)
            if ((int)subset[k] - 1 != skipped)
                v[((int)subset[k] - 1) * z->d + c] = side < 0 ? -1 : 1;
    }
    return gain;
}

static void pair_fill(const qsa_sizes *z, const double *v, const double *subset, double *x[2])
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < z->N; i++) {
            double *row = x[k] + i * z->row;
            for (int c = 0; c < z->d; c++)
                row[c] = (k ? -1 : 1) * v[i * z->d + c] + 0.0; /* no -0 */
            memcpy(row + z->d, subset, (size_t)z->q * sizeof *row);
        }
}

static at_status ffn_search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out,
                            at_err *err)
{
    qsa_sizes z;
    int first;
    at_status bad = qsa_fits(s, &z, err);
    if (!bad)
        bad = flatten_find(s->m, &first, err);
    if (bad)
        return bad;
    /* With a skip, the position that answers must not know its own vector's part of v. */
    bool skip = s->m->blocks[first].residual && !(s->m->readout.last && s->m->n_suffix);
    int skipped = skip ? z.N - 1 : -1, n = z.N * z.d, free_numbers = n - (skip ? z.d : 0);
    int units = s->m->blocks[first].dense[0].rows;
    double *A, *v = at_new(a, double, n), *best = at_new(a, double, n), most = 0;
    double *subset = at_new(a, double, 2 * z.q), *asked = subset + z.q;
    double *x[2] = {at_new(a, double, z.N *z.row), at_new(a, double, z.N *z.row)};
    if (!v || !best || !subset || !x[0] || !x[1])
        return at_oom(err);
    bad = layer_make(s, &z, first, skipped, a, &A, err);
    if (bad)
        return bad;
    size_t r = basis_make(A, (size_t)units, (size_t)n);
    *out = (at_pair){.bits = NAN};
    if (r >= (size_t)free_numbers)
        return at_fail(err, AT_EBUDGET,
                       "the first layer (%d units) has rank %d: it tells all %d numbers apart", units, (int)r,
                       free_numbers);
    double cost = WORK_STATE + (double)ROUNDS * (double)n * (double)n; /* a vector against a basis */
    for (int i = 0; i < n && !at_refute_over(env, out->states, out->work); i++) {
        if (i / z.d == skipped)
            continue;
        double gain = ascend(&z, A, r, i, skipped, v, subset);
        work_spend(out, 1, cost);
        if (gain > most) {
            most = gain;
            memcpy(best, v, (size_t)n * sizeof *v);
            memcpy(asked, subset, (size_t)z.q * sizeof *subset);
        }
    }
    if (!(most > 2 * s->tolerance + subject_same(s)))
        return at_fail(
            err, AT_EBUDGET,
            "null space of dimension %d of %d: targets differ by %.3g at most, not by twice the tolerance",
            free_numbers - (int)r, free_numbers, most);
    pair_fill(&z, best, asked, x);
    out->x[0] = (at_input){z.N, x[0]};
    out->x[1] = (at_input){z.N, x[1]};
    out->note = at_arena_printf(
        a, "z - z' is in the null space of the first layer (%d units, rank %d of %d); targets differ by %.3g",
        units, (int)r, free_numbers, most);
    return out->note ? AT_OK : at_oom(err);
}

const at_refuter refuter_ffn = {
    .id = "null-space",
    .about = "feed-forward nets on qSA: two inputs whose difference the first layer does not see",
    .fits = ffn_fits,
    .search = ffn_search,
};
