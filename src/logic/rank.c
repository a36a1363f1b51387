/* rank.c: ranks of M_v, the 0/1 matrix with a one where f is v.
 *
 * Over GF(2): rows as bits, elimination word by word. Over Q: the entries are integers, so a minor that is not zero modulo a prime is
 * not zero, and the rank modulo any prime is a lower bound. Elimination modulo 2^31 - 1 gives one (and nearly always the rank). An
 * upper bound is the number of different rows, or columns, that are not zero; where the two do not meet, FLINT eliminates over the
 * integers.
 *
 * Legend: R different rows, C different columns that are not zero. */
#include "logic_internal.h"

#include "../num/flint_compat.h"

#include <string.h>

#define PRIME    (((uint64_t)1 << 31) - 1)
#define MODULAR  1024 /* sides up to which the rank modulo PRIME is computed */
#define INTEGERS 128  /* and over the integers */

int logic_rank_gf2(uint64_t *bits, size_t rows, size_t words)
{
    size_t rank = 0;
    for (size_t w = 0; w < words; w++)
        for (int b = 0; b < 64 && rank < rows; b++) {
            size_t pivot = rank;
            while (pivot < rows && !(bits[pivot * words + w] >> b & 1))
                pivot++;
            if (pivot == rows)
                continue;
            uint64_t *top = bits + rank * words, *p = bits + pivot * words;
            if (p != top)
                for (size_t k = w; k < words; k++) {
                    uint64_t t = top[k];
                    top[k] = p[k];
                    p[k] = t;
                }
            for (size_t r = pivot + 1; r < rows; r++) /* those before it have no bit there */
                if (bits[r * words + w] >> b & 1) {
                    uint64_t *row = bits + r * words;
                    for (size_t k = w; k < words; k++)
                        row[k] ^= top[k];
                }
            rank++;
        }
    return (int)rank;
}

static at_status core_rank_gf2(const at_cc_matrix *m, int v, const logic_core *c, int *rank, at_err *err)
{
    size_t words = ((size_t)c->C + 63) / 64;
    uint64_t *bits = at_calloc((size_t)c->R * words, sizeof *bits); /* (R, words) */
    if (!bits)
        return at_oom(err);
    for (int i = 0; i < c->R; i++)
        for (int k = 0; k < c->C; k++)
            if (cell_at(m, c->row[i], c->col[k]) == v)
                bits[(size_t)i * words + (size_t)k / 64] |= (uint64_t)1 << k % 64;
    *rank = logic_rank_gf2(bits, (size_t)c->R, words);
    at_free(bits);
    return AT_OK;
}

at_status at_cc_rank_gf2(const at_cc_matrix *m, int v, int *rank, at_err *err)
{
    logic_core c;
    at_status s = logic_core_make(m, v, &c, err);
    if (s)
        return s;
    s = core_rank_gf2(m, v, &c, rank, err);
    logic_core_release(&c);
    return s;
}

/* ---- over Q ---------------------------------------------------------------------------------------------- */

static uint64_t inverse(uint64_t x) /* x^(PRIME - 2) */
{
    uint64_t y = 1;
    for (uint64_t e = PRIME - 2; e; e >>= 1, x = x * x % PRIME)
        if (e & 1)
            y = y * x % PRIME;
    return y;
}

static at_status core_rank_modular(const at_cc_matrix *m, int v, const logic_core *c, int *rank, at_err *err)
{
    size_t R = (size_t)c->R, C = (size_t)c->C, r = 0;
    uint32_t *x = at_malloc(R * C * sizeof *x); /* (R, C) */
    if (!x)
        return at_oom(err);
    for (size_t i = 0; i < R; i++)
        for (size_t k = 0; k < C; k++)
            x[i * C + k] = cell_at(m, c->row[i], c->col[k]) == v;
    for (size_t k = 0; k < C && r < R; k++) {
        size_t pivot = r;
        while (pivot < R && !x[pivot * C + k])
            pivot++;
        if (pivot == R)
            continue;
        for (size_t l = k; l < C; l++) {
            uint32_t t = x[r * C + l];
            x[r * C + l] = x[pivot * C + l];
            x[pivot * C + l] = t;
        }
        uint64_t scale = PRIME - inverse(x[r * C + k]);
        for (size_t i = pivot + 1; i < R; i++)
            if (x[i * C + k]) {
                uint64_t f = x[i * C + k] * scale % PRIME;
                for (size_t l = k; l < C; l++)
                    x[i * C + l] = (uint32_t)((x[i * C + l] + f * x[r * C + l]) % PRIME);
            }
        r++;
    }
    at_free(x);
    *rank = (int)r;
    return AT_OK;
}

static int core_rank_integers(const at_cc_matrix *m, int v, const logic_core *c)
{
    fmpz_mat_t x;
    fmpz_mat_init(x, c->R, c->C);
    for (int i = 0; i < c->R; i++)
        for (int k = 0; k < c->C; k++)
            fmpz_set_si(fmpz_mat_entry(x, i, k), cell_at(m, c->row[i], c->col[k]) == v);
    int rank = (int)fmpz_mat_rank(x);
    fmpz_mat_clear(x);
    return rank;
}

at_status at_cc_rank_q(const at_cc_matrix *m, int v, at_cc_rank *out, at_err *err)
{
    logic_core c;
    int modular = 0;
    at_cc_rank r = {0};
    at_status s = logic_core_make(m, v, &c, err);
    if (s)
        return s;
    int most = c.R < c.C ? c.R : c.C;
    s = core_rank_gf2(m, v, &c, &r.least, err);
    if (!s && r.least < most && c.R <= MODULAR && c.C <= MODULAR)
        s = core_rank_modular(m, v, &c, &modular, err);
    if (!s) {
        r.least = modular > r.least ? modular : r.least;
        r.exact = r.least == most;
        if (!r.exact && c.R <= INTEGERS && c.C <= INTEGERS)
            r = (at_cc_rank){core_rank_integers(m, v, &c), true};
        *out = r;
    }
    logic_core_release(&c);
    return s;
}
