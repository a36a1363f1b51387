/* rip.c: keys u_1..u_N of +-1/sqrt(m) such that for every q-subset S the vector w_S in their span with
 * <w_S, u_i> = 1 on S has small inner products elsewhere (restricted isometry, Candes and Tao 2005).
 *
 * w_S = U_S G_S^-1 1 with the Gram matrix G_S, so <w_S, u_j> = g_j . G_S^-1 1: only inner products of signs
 * enter, integers between -m and m. For q <= 4 the solution is a ratio of integers by Cramer's rule, exact
 * in 64 bits (m <= 8192: determinants stay below 4! m^4 < 2^57). So "off-support values are at most o,
 * for every q-subset" is decided in integer arithmetic: that is the certificate. */
#include "claim_internal.h"

#include <math.h>
#include <stdlib.h>
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

double rip_off_support(const int8_t *sign, int N, int m, int q, double limit)
{
    int *gram = at_malloc((size_t)N * (size_t)N * sizeof *gram);
    if (!gram)
        return INFINITY; /* nothing is shown */
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            gram[i * N + j] = gram[j * N + i] = rip_inner(sign + (int64_t)i * m, sign + (int64_t)j * m, m);
    int S[RIP_EXACT_MAX];
    double worst = 0;
    for (int k = 0; k < q; k++)
        S[k] = k;
    for (;;) {
        int g[RIP_EXACT_MAX * RIP_EXACT_MAX];
        for (int a = 0; a < q; a++)
            for (int b = 0; b < q; b++)
                g[a * q + b] = gram[S[a] * N + S[b]];
        rip_dual w;
        rip_dual_solve(g, q, &w);
        int64_t most = 0;
        for (int j = 0, k = 0; j < N; j++) {
            if (k < q && S[k] == j) {
                k++;
                continue;
            }
            int64_t v = 0;
            for (int a = 0; a < q; a++)
                v += gram[S[a] * N + j] * w.num[a];
            v = v < 0 ? -v : v;
            most = v > most ? v : most;
        }
        /* The quotient of two exact integers, rounded up. */
        double off = w.den == 0 ? INFINITY : nextafter((double)most / (double)w.den, INFINITY);
        worst = fmax(worst, off);
        if (worst > limit)
            break;
        int k = q - 1; /* next subset */
        while (k >= 0 && S[k] == N - q + k)
            k--;
        if (k < 0)
            break;
        S[k]++;
        for (int a = k + 1; a < q; a++)
            S[a] = S[a - 1] + 1;
    }
    at_free(gram);
    return worst;
}

bool rip_find(int N, int m, int q, double limit, int tries, int8_t *sign, double *off)
{
    for (int t = 0; t < tries; t++) {
        rip_draw(N, m, (uint64_t)t, sign);
        *off = rip_off_support(sign, N, m, q, limit);
        if (*off <= limit)
            return true;
    }
    return false;
}
