/* rip.c: keys u_1..u_N of +-1/sqrt(m) such that for every q-subset S the vector w_S in their span with
 * <w_S, u_i> = 1 on S has small inner products elsewhere (restricted isometry, Candes and Tao 2005).
 *
 * w_S = U_S G_S^-1 1 with the Gram matrix G_S, so <w_S, u_j> = g_j . G_S^-1 1: only inner products of signs
 * enter, integers between -m and m. For q <= 4 the solution is a ratio of integers by Cramer's rule, and as
 * long as q q! m^q < 2^53 every number on the way is an integer that a double holds exactly. So "off-support
 * values are at most o, for every q-subset" is decided without rounding: that is the certificate. */
#include "rip.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

void rip_draw(int N, int m, uint64_t seed, int8_t *sign)
{
    at_rng r = at_rng_at(seed, (uint64_t)m);
    uint64_t bits = 0;
    for (int64_t k = 0; k < (int64_t)N * m; k++) {
        if (k % 64 == 0)
            bits = at_rng_u64(&r);
        sign[k] = bits >> (k % 64) & 1 ? 1 : -1;
    }
}

int rip_inner(const int8_t *a, const int8_t *b, int m)
{
    int s = 0;
    for (int k = 0; k < m; k++)
        s += a[k] * b[k];
    return s;
}

/* Determinant by expansion along the first row of the submatrix given by its rows and columns. */
static int64_t minor_det(const int *g, int q, const int *rows, const int *cols, int n)
{
    if (n == 1)
        return g[rows[0] * q + cols[0]];
    int64_t d = 0;
    for (int c = 0; c < n; c++) {
        int rest[RIP_EXACT_MAX], k = 0;
        for (int j = 0; j < n; j++)
            if (j != c)
                rest[k++] = cols[j];
        int64_t sub = minor_det(g, q, rows + 1, rest, n - 1);
        d += (c % 2 ? -1 : 1) * (int64_t)g[rows[0] * q + cols[c]] * sub;
    }
    return d;
}

void rip_dual_solve(const int *gram, int q, rip_dual *out)
{
    static const int all[RIP_EXACT_MAX] = {0, 1, 2, 3};
    out->den = minor_det(gram, q, all, all, q);
    for (int k = 0; k < q; k++) { /* column k replaced by ones */
        int g[RIP_EXACT_MAX * RIP_EXACT_MAX];
        memcpy(g, gram, (size_t)(q * q) * sizeof *g);
        for (int r = 0; r < q; r++)
            g[r * q + k] = 1;
        out->num[k] = minor_det(g, q, all, all, q);
    }
    if (out->den < 0) {
        out->den = -out->den;
        for (int k = 0; k < q; k++)
            out->num[k] = -out->num[k];
    }
}

/* ---- the certificate --------------------------------------------------------------------------------- */

typedef struct {
    const double *gram; /* (N, N) integers as doubles: products below stay under 2^53, hence exact */
    int N, q;
    double limit;
    double *worst;      /* (N) by the smallest element of the subset */
    atomic_bool passed; /* some value is above the limit: stop */
} survey;

/* All subsets whose smallest element is `first`. */
static void survey_first(void *ctx, size_t first, int worker)
{
    survey *s = ctx;
    (void)worker;
    int N = s->N, q = s->q, S[RIP_EXACT_MAX];
    double *v = at_malloc((size_t)N * sizeof *v);
    s->worst[first] = v ? 0 : INFINITY; /* out of memory: nothing is shown */
    if ((int)first > N - q) {
        at_free(v);
        return;
    }
    for (int k = 0; k < q; k++)
        S[k] = (int)first + k;
    while (v && !atomic_load_explicit(&s->passed, memory_order_relaxed)) {
        int g[RIP_EXACT_MAX * RIP_EXACT_MAX];
        for (int a = 0; a < q; a++)
            for (int b = 0; b < q; b++)
                g[a * q + b] = (int)s->gram[S[a] * N + S[b]];
        rip_dual w;
        rip_dual_solve(g, q, &w);
        memset(v, 0, (size_t)N * sizeof *v);
        for (int a = 0; a < q; a++) {
            const double *row = s->gram + (size_t)S[a] * (size_t)N;
            double c = (double)w.num[a];
            for (int j = 0; j < N; j++)
                v[j] += row[j] * c;
        }
        for (int a = 0; a < q; a++)
            v[S[a]] = 0;
        double most = 0;
        for (int j = 0; j < N; j++)
            most = fabs(v[j]) > most ? fabs(v[j]) : most;
        /* The quotient of two exact integers, rounded up. */
        double off = w.den == 0 ? INFINITY : nextafter(most / (double)w.den, INFINITY);
        s->worst[first] = fmax(s->worst[first], off);
        if (off > s->limit)
            atomic_store(&s->passed, true);
        int k = q - 1; /* the next subset with the same first element */
        while (k > 0 && S[k] == N - q + k)
            k--;
        if (k == 0)
            break;
        S[k]++;
        for (int a = k + 1; a < q; a++)
            S[a] = S[a - 1] + 1;
    }
    at_free(v);
}

double rip_off_support(const int8_t *sign, int N, int m, int q, double limit, int threads)
{
    double largest = q; /* q q! m^q bounds every determinant, and every sum of q products below */
    for (int k = 1; k <= q; k++)
        largest *= (double)k * m;
    double *gram = at_malloc((size_t)N * (size_t)N * sizeof *gram),
           *worst = at_calloc((size_t)N, sizeof *worst);
    if (!gram || !worst || largest > 0x1p53) {
        at_free(gram);
        at_free(worst);
        return INFINITY; /* nothing is shown */
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            gram[i * N + j] = gram[j * N + i] = rip_inner(sign + (int64_t)i * m, sign + (int64_t)j * m, m);
    survey s = {.gram = gram, .N = N, .q = q, .limit = limit, .worst = worst};
    double off = at_parallel(threads, (size_t)N, survey_first, &s, NULL) ? INFINITY : 0;
    for (int i = 0; i < N; i++)
        off = fmax(off, worst[i]);
    at_free(gram);
    at_free(worst);
    return off;
}

bool rip_find(int N, int m, int q, double limit, int tries, int threads, int8_t *sign, double *off)
{
    for (int t = 0; t < tries; t++) {
        rip_draw(N, m, (uint64_t)t, sign);
        *off = rip_off_support(sign, N, m, q, limit, threads);
        if (*off <= limit)
            return true;
    }
    return false;
}
