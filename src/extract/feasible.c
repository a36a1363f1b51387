/* feasible.c: can linear conditions on counts hold at once? By elimination (Fourier and Motzkin), variable after variable.
 *
 * Conditions are constant + sum of[k] n_k >= 0 with whole coefficients, n_k >= 0 whole. Two of them that bound a variable from both
 * sides are added so that it goes; what is left without variables is true or false. A condition is divided by what divides all its
 * coefficients, and its constant is rounded down, which no whole solution notices. So `false` is certain: no counts do. It is used
 * to leave out what never happens, and when there is too much to do, or numbers grow too large, the answer is true: nothing is left out. */
#include "extract_internal.h"

#include <string.h>

enum { ROWS = 400, TRIED = 12 }; /* conditions at once; variables, beyond which nothing is tried */

typedef struct {
    int64_t v[OFFERS + 1]; /* [offers]: the constant */
} row;

typedef struct {
    int n, width;
    row *r;
    uint64_t *hash; /* (n) of the coefficients, so that most rows are seen to differ without a look at them */
} rows;

static int64_t divisor(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* One more condition; false: it cannot hold. *full: there is no room. */
static bool row_add(rows *s, const __int128 *v, bool *full)
{
    row x;
    int64_t g = 0;
    uint64_t hash = 0;
    for (int k = 0; k <= s->width; k++) {
        if (v[k] > (__int128)1 << 60 || v[k] < -((__int128)1 << 60)) {
            *full = true;
            return true;
        }
        x.v[k] = (int64_t)v[k];
        g = k < s->width ? divisor(g, x.v[k]) : g;
    }
    if (!g)
        return x.v[s->width] >= 0;
    for (int k = 0; k < s->width; k++) {
        x.v[k] /= g;
        hash = (hash ^ (uint64_t)x.v[k]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    x.v[s->width] = down(x.v[s->width], g);
    for (int n = 0; n < s->n; n++)
        if (s->hash[n] == hash &&
            memcmp(s->r[n].v, x.v, (size_t)s->width * sizeof *x.v) == 0) { /* the stronger one stays */
            if (x.v[s->width] < s->r[n].v[s->width])
                s->r[n].v[s->width] = x.v[s->width];
            return true;
        }
    if (s->n == ROWS) {
        *full = true;
        return true;
    }
    s->hash[s->n] = hash;
    memcpy(s->r[s->n++].v, x.v, ((size_t)s->width + 1) * sizeof *x.v);
    return true;
}

/* Variable k goes. */
static bool eliminate(const rows *from, rows *to, int k, bool *full)
{
    bool holds = true;
    __int128 v[OFFERS + 1];
    to->n = 0;
    for (int a = 0; a < from->n && holds && !*full; a++) {
        const row *x = &from->r[a];
        if (x->v[k] == 0) {
            for (int c = 0; c <= from->width; c++)
                v[c] = x->v[c];
            holds = row_add(to, v, full);
        }
        for (int b = 0; b < from->n && x->v[k] > 0 && holds && !*full; b++) {
            const row *y = &from->r[b];
            if (y->v[k] >= 0)
                continue;
            for (int c = 0; c <= from->width; c++)
                v[c] = (__int128)x->v[c] * -y->v[k] + (__int128)y->v[c] * x->v[k];
            holds = row_add(to, v, full);
        }
    }
    return holds;
}

bool conditions_meet(const condition *c, int n, int offers)
{
    static _Thread_local row room[2][ROWS];
    static _Thread_local uint64_t hashes[2][ROWS];
    rows s[2] = {{0, offers, room[0], hashes[0]}, {0, offers, room[1], hashes[1]}};
    bool full = false, holds = true;
    __int128 v[OFFERS + 1];
    for (int k = 0; k < n && holds && !full; k++) {
        for (int o = 0; o < offers; o++)
            v[o] = c[k].of[o];
        v[offers] = c[k].constant;
        holds = row_add(&s[0], v, &full);
    }
    if (offers > TRIED)
        return holds;
    for (int o = 0; o < offers && holds && !full; o++) {
        memset(v, 0, sizeof v);
        v[o] = 1;
        holds = row_add(&s[0], v, &full);
    }
    for (int o = 0; o < offers && holds && !full; o++)
        holds = eliminate(&s[o % 2], &s[(o + 1) % 2], o, &full);
    return holds;
}
