/* hull.c: affine hulls of integer points, by exact null spaces. */
#include "../num/flint_compat.h"
#include "prove_internal.h"

#include <string.h>

at_status prove_hull_init(prove_hull *h, int n, at_arena *a, at_err *err)
{
    size_t m = (size_t)n + 1;
    *h = (prove_hull){.n = n, .point = at_new(a, int64_t, m * m), .equation = at_new(a, int64_t, m * m)};
    return h->point && h->equation ? AT_OK : at_oom(err);
}

bool prove_hull_has(const prove_hull *h, const int64_t *x)
{
    if (!h->points)
        return false;
    for (int e = 0; e < h->equations; e++) {
        const int64_t *row = h->equation + (size_t)e * (size_t)(h->n + 1);
        __int128 sum = row[h->n];
        for (int i = 0; i < h->n; i++)
            sum += (__int128)row[i] * x[i];
        if (sum)
            return false;
    }
    return true;
}

/* Equations of the points: rows e with sum e[i] p[i] + e[n] = 0 for every point. Those that do not fit into 40 bits are left out, which
 * makes the space larger. */
static void equations_find(prove_hull *h)
{
    int m = h->n + 1;
    fmpz_mat_t points, null;
    fmpz_mat_init(points, h->points, m);
    fmpz_mat_init(null, m, m);
    for (int p = 0; p < h->points; p++) {
        for (int i = 0; i < h->n; i++)
            fmpz_set_si(fmpz_mat_entry(points, p, i), h->point[(size_t)p * (size_t)h->n + (size_t)i]);
        fmpz_set_si(fmpz_mat_entry(points, p, h->n), 1);
    }
    slong free = fmpz_mat_nullspace(null, points);
    h->equations = 0;
    fmpz_t g;
    fmpz_init(g);
    for (slong e = 0; e < free; e++) {
        int64_t *row = h->equation + (size_t)h->equations * (size_t)m;
        bool fits = true;
        fmpz_zero(g);
        for (int i = 0; i < m; i++)
            fmpz_gcd(g, g, fmpz_mat_entry(null, i, e));
        for (int i = 0; i < m; i++) {
            if (!fmpz_is_zero(g))
                fmpz_divexact(fmpz_mat_entry(null, i, e), fmpz_mat_entry(null, i, e), g);
            fits = fits && fmpz_bits(fmpz_mat_entry(null, i, e)) <= 40;
            row[i] = fits ? fmpz_get_si(fmpz_mat_entry(null, i, e)) : 0;
        }
        h->equations += fits;
    }
    fmpz_clear(g);
    fmpz_mat_clear(points);
    fmpz_mat_clear(null);
}

at_status prove_hull_join(prove_hull *h, const int64_t *x, at_err *err)
{
    if (h->points > h->n)
        return at_fail(err, AT_EBUDGET, "numbers of a hull grow too large");
    memcpy(h->point + (size_t)h->points * (size_t)h->n, x, (size_t)h->n * sizeof *x);
    h->points++;
    equations_find(h);
    return AT_OK;
}
