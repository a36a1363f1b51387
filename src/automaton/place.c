/* place.c: where a regular language lies, from the syntactic monoid M.
 *
 * Star-free (FO[<]) if and only if no element has a period above 1 (Schützenberger 1965; McNaughton, Papert 1971).
 * FO[<, MOD], which is what AC0 has of the regular languages, if and only if no element of the images of all words of
 * length s, 2s, 3s, ... has: s is the least number with eta(Sigma^s) = eta(Sigma^2s) (Barrington, Compton, Straubing,
 * Therien 1992). ACC0 has it if every group in M is solvable; else it is complete for NC1 (Barrington 1989; Barrington,
 * Therien 1988). */
#include <attest/automaton.h>

#include <string.h>

enum { WORK = 1 << 29, LAYERS = 1 << 27 }; /* products for s; bytes of the sets on the way to a witness */

/* to = what words do that are one letter longer than those of from */
static void longer(const at_monoid *m, const bool *from, bool *to)
{
    int letters = m->d->sigma.n;
    memset(to, 0, (size_t)m->n * sizeof *to);
    for (int k = 0; k < m->n; k++)
        for (int c = 0; from[k] && c < letters; c++)
            to[m->right[k * letters + c]] = true;
}

static void first_set(const at_monoid *m, bool *set)
{
    memset(set, 0, (size_t)m->n * sizeof *set);
    for (int c = 0; c < m->d->sigma.n; c++)
        set[m->right[c]] = true;
}

static bool same(const at_monoid *m, const bool *x, const bool *y)
{
    return memcmp(x, y, (size_t)m->n * sizeof *x) == 0;
}

static void step(const at_monoid *m, bool **set, bool **spare)
{
    longer(m, *set, *spare);
    bool *t = *set;
    *set = *spare;
    *spare = t;
}

/* The sets eta(Sigma^1), eta(Sigma^2), ... come back: from length `from` on with period `period` (Brent). The least s with
 * equal sets at s and 2s is the least multiple of the period that is not before `from`. 0: too long to find. */
static int64_t stable_find(const at_monoid *m, bool *x, bool *y, bool *spare)
{
    int64_t budget = WORK / ((int64_t)m->n * m->d->sigma.n + 1) + 64, power = 1, period = 1, from = 1;
    first_set(m, x);
    first_set(m, y);
    for (step(m, &y, &spare); !same(m, x, y); step(m, &y, &spare), period++) {
        if (power == period) {
            memcpy(x, y, (size_t)m->n * sizeof *x);
            power *= 2;
            period = 0;
        }
        if (--budget < 0)
            return 0;
    }
    first_set(m, x);
    first_set(m, y);
    for (int64_t k = 0; k < period; k++)
        step(m, &y, &spare);
    for (; !same(m, x, y); from++) {
        step(m, &x, &spare);
        step(m, &y, &spare);
    }
    return (from + period - 1) / period * period;
}

/* A word of length s for element f: backwards through the sets of all lengths. None is kept when they are too many. */
static at_status word_of_length(const at_monoid *m, int64_t s, int f, at_arena *a, int **word, int *n,
                                at_err *err)
{
    *n = 0;
    if (s * m->n > LAYERS)
        return AT_OK;
    at_arena scratch;
    at_arena_init(&scratch);
    size_t M = (size_t)m->n;
    int letters = m->d->sigma.n;
    bool *set = at_new(&scratch, bool, (size_t)s *M);
    *word = at_new(a, int, s);
    at_status st = set && *word ? AT_OK : at_oom(err);
    if (!st) {
        first_set(m, set);
        for (int64_t k = 1; k < s; k++)
            longer(m, set + (size_t)(k - 1) * M, set + (size_t)k * M);
        for (int64_t k = s - 1; k >= 0; k--) {
            int before = -1;
            for (int g = 0; g < m->n && before < 0; g++)
                for (int c = 0; c < letters && before < 0; c++)
                    if (m->right[g * letters + c] == f &&
                        (k ? set[(size_t)(k - 1) * M + (size_t)g] : g == 0)) {
                        (*word)[k] = c;
                        before = g;
                    }
            f = before;
        }
        *n = (int)s;
    }
    at_arena_release(&scratch);
    return st;
}

static at_status star_free_find(const at_monoid *m, int *period, at_arena *a, at_place *out, at_err *err)
{
    out->star_free = AT_TRUE;
    for (int f = 0; f < m->n; f++) {
        period[f] = at_monoid_period(m, f);
        if (period[f] == 1 || out->star_free == AT_FALSE)
            continue;
        out->star_free = AT_FALSE;
        out->period = period[f];
        out->n_witness = at_monoid_length(m, f);
        if (!(out->witness = at_new(a, int, out->n_witness)))
            return at_oom(err);
        at_monoid_word(m, f, out->witness);
    }
    return AT_OK;
}

static at_status fo_mod_find(const at_monoid *m, const int *period, at_arena *a, at_place *out, at_err *err)
{
    at_arena scratch;
    at_arena_init(&scratch);
    bool *x = at_new(&scratch, bool, m->n), *y = at_new(&scratch, bool, m->n);
    bool *spare = at_new(&scratch, bool, m->n);
    at_status s = x && y && spare ? AT_OK : at_oom(err);
    int64_t stable = s ? 0 : stable_find(m, x, y, spare);
    if (stable && stable <= INT32_MAX) {
        out->modulus = (int)stable;
        out->fo_mod = AT_TRUE;
        first_set(m, x);
        for (int64_t k = 1; k < stable; k++)
            step(m, &x, &spare);
        for (int f = 0; f < m->n && out->fo_mod == AT_TRUE; f++)
            if (x[f] && period[f] > 1) {
                out->fo_mod = AT_FALSE;
                out->mod_period = period[f];
                s = word_of_length(m, stable, f, a, &out->mod_witness, &out->n_mod_witness, err);
            }
    }
    at_arena_release(&scratch);
    return s;
}

static at_status groups_find(const at_monoid *m, at_arena *a, at_place *out, at_err *err)
{
    int n;
    at_subgroup *all;
    at_status s = at_monoid_subgroups(m, a, &all, &n, err);
    out->solvable = s ? AT_UNKNOWN : AT_TRUE;
    for (int k = 0; !s && k < n; k++) {
        if (all[k].core > 1)
            out->solvable = AT_FALSE;
        if (all[k].order > 1)
            all[out->n_groups++] = all[k];
    }
    out->groups = all;
    return s;
}

at_status at_place_find(const at_dfa *d, at_arena *a, at_place *out, at_err *err)
{
    *out = (at_place){.monoid = -1, .star_free = AT_UNKNOWN, .fo_mod = AT_UNKNOWN, .solvable = AT_UNKNOWN};
    at_status s = at_dfa_minimize(d, a, &out->least, err);
    if (s)
        return s;
    out->states = out->least->states;
    s = at_monoid_make(out->least, AT_MONOID_MAX, a, &out->m, err);
    if (s || !out->m)
        return s;
    out->monoid = out->m->n;
    int *period = at_new(a, int, out->monoid);
    if (!period)
        return at_oom(err);
    s = star_free_find(out->m, period, a, out, err);
    if (!s && out->star_free == AT_TRUE) {
        out->fo_mod = out->solvable = AT_TRUE;
        out->modulus = 1;
        return AT_OK;
    }
    if (!s)
        s = fo_mod_find(out->m, period, a, out, err);
    return s ? s : groups_find(out->m, a, out, err);
}
