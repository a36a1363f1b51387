/* monoid.c: the monoid of an automaton's transitions: what words do to all states at once, by the shortest word of each. */
#include "automaton_internal.h"

#include <string.h>

enum { IMAGE_NUMBERS = 1 << 27 }; /* of all elements together: 256 MiB */

static uint64_t mix(uint64_t h, uint16_t q)
{
    h = (h ^ q) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

/* Where f, then g, stands in the table, or the empty place where it would. f and g are images of all states. */
static size_t slot_of(const at_monoid *m, const uint16_t *f, const uint16_t *g)
{
    int Q = m->d->states;
    uint64_t h = 1;
    for (int q = 0; q < Q; q++)
        h = mix(h, g[f[q]]);
    size_t k = h & (m->slots - 1);
    for (; m->slot[k] >= 0; k = (k + 1) & (m->slots - 1)) {
        const uint16_t *other = m->image + (size_t)m->slot[k] * (size_t)Q;
        int q = 0;
        while (q < Q && other[q] == g[f[q]])
            q++;
        if (q == Q)
            break;
    }
    return k;
}

int at_monoid_times(const at_monoid *m, int f, int g)
{
    size_t Q = (size_t)m->d->states;
    return m->slot[slot_of(m, m->image + (size_t)f * Q, m->image + (size_t)g * Q)];
}

/* Room for `most` elements, shrunk by nobody: the arena is the caller's. */
static bool room_make(at_monoid *m, size_t most, at_arena *a)
{
    size_t Q = (size_t)m->d->states, letters = (size_t)m->d->sigma.n;
    for (m->slots = 16; m->slots < 2 * most; m->slots *= 2)
        ;
    m->image = at_new(a, uint16_t, most * Q);
    m->before = at_new(a, int, most);
    m->by = at_new(a, int, most);
    m->right = at_new(a, int, most *letters);
    m->left = at_new(a, int, most *letters);
    m->slot = at_new(a, int, m->slots);
    return m->image && m->before && m->by && m->right && m->left && m->slot;
}

/* All elements if there are at most `most`; *all says whether. */
static at_status elements_make(at_monoid *m, size_t most, const uint16_t *letter, at_arena *a, bool *all,
                               at_err *err)
{
    size_t Q = (size_t)m->d->states;
    int letters = m->d->sigma.n;
    if (!room_make(m, most, a))
        return at_oom(err);
    memset(m->slot, -1, m->slots * sizeof *m->slot);
    for (size_t q = 0; q < Q; q++)
        m->image[q] = (uint16_t)q;
    m->before[0] = m->by[0] = -1;
    m->n = 1;
    m->slot[slot_of(m, m->image, m->image)] = 0;
    *all = false;
    for (int k = 0; k < m->n; k++)
        for (int c = 0; c < letters; c++) {
            const uint16_t *f = m->image + (size_t)k * Q, *g = letter + (size_t)c * Q;
            size_t at = slot_of(m, f, g);
            if (m->slot[at] < 0) {
                if ((size_t)m->n == most)
                    return AT_OK;
                uint16_t *new = m->image + (size_t)m->n *Q;
                for (size_t q = 0; q < Q; q++)
                    new[q] = g[f[q]];
                m->before[m->n] = k;
                m->by[m->n] = c;
                m->slot[at] = m->n++;
            }
            m->right[k * letters + c] = m->slot[at];
        }
    *all = true;
    return AT_OK;
}

at_status at_monoid_make(const at_dfa *d, int limit, at_arena *a, at_monoid **out, at_err *err)
{
    size_t Q = (size_t)d->states, most = 256;
    int letters = d->sigma.n;
    *out = NULL;
    if ((size_t)limit * Q > IMAGE_NUMBERS)
        limit = (int)(IMAGE_NUMBERS / Q);
    at_arena scratch;
    at_arena_init(&scratch);
    uint16_t *letter = at_new(&scratch, uint16_t, (size_t)letters * Q);
    at_monoid *m = at_new(a, at_monoid, 1);
    at_status s = letter && m ? AT_OK : at_oom(err);
    for (int c = 0; !s && c < letters; c++)
        for (size_t q = 0; q < Q; q++)
            letter[(size_t)c * Q + q] = (uint16_t)d->to[q * (size_t)letters + (size_t)c];
    at_mark empty = at_arena_mark(a);
    for (bool all = false; !s && !all; most *= 4) {
        most = most < (size_t)limit ? most : (size_t)limit;
        at_arena_reset(a, empty);
        *m = (at_monoid){.d = d};
        s = elements_make(m, most, letter, a, &all, err);
        if (!s && !all && most == (size_t)limit) {
            m = NULL;
            break;
        }
    }
    at_arena_release(&scratch);
    if (s || !m)
        return s;
    for (int k = 0; k < m->n; k++) /* a, then (before, then by) = (a, then before), then by */
        for (int c = 0; c < letters; c++)
            m->left[k * letters + c] =
                k == 0 ? m->right[c] : m->right[m->left[m->before[k] * letters + c] * letters + m->by[k]];
    *out = m;
    return AT_OK;
}

int at_monoid_length(const at_monoid *m, int f)
{
    int n = 0;
    for (; m->before[f] >= 0; f = m->before[f])
        n++;
    return n;
}

void at_monoid_word(const at_monoid *m, int f, int *word)
{
    for (int n = at_monoid_length(m, f); m->before[f] >= 0; f = m->before[f])
        word[--n] = m->by[f];
}

static int gcd(int a, int b)
{
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* The lengths of the cycles that states end in. A state on a cycle comes back to itself, the others do not. */
int at_monoid_period(const at_monoid *m, int f)
{
    const uint16_t *g = m->image + (size_t)f * (size_t)m->d->states;
    int Q = m->d->states, period = 1;
    for (int q = 0; q < Q; q++) {
        int slow = g[q], fast = g[g[q]], n = 1;
        while (slow != fast) {
            slow = g[slow];
            fast = g[g[fast]];
        }
        for (int p = g[slow]; p != slow; p = g[p])
            n++;
        period = period / gcd(period, n) * n;
    }
    return period;
}

/* ---- Green's relations ------------------------------------------------------------------------------------------------ */

static int root_of(int *up, int v)
{
    while (up[v] != v)
        v = up[v] = up[up[v]];
    return v;
}

at_status at_monoid_green(const at_monoid *m, at_arena *a, at_green *out, at_err *err)
{
    at_arena scratch;
    at_arena_init(&scratch);
    int n = m->n, *up = at_new(&scratch, int, n), *of_r = at_new(&scratch, int, n);
    int *of_l = at_new(&scratch, int, n);
    *out = (at_green){at_new(a, int, n), at_new(a, int, n), at_new(a, int, n)};
    at_status s = up && of_r && of_l && out->r && out->l && out->d ? AT_OK : at_oom(err);
    if (!s && (!graph_components(n, m->d->sigma.n, m->right, out->r, &scratch) ||
               !graph_components(n, m->d->sigma.n, m->left, out->l, &scratch)))
        s = at_oom(err);
    if (!s) {
        for (int k = 0; k < n; k++)
            up[k] = of_r[k] = of_l[k] = k;
        for (int k = n - 1; k >= 0; k--) /* any element of each class; here the first */
            of_r[out->r[k]] = of_l[out->l[k]] = k;
        for (int k = 0; k < n; k++) {
            up[root_of(up, k)] = root_of(up, of_r[out->r[k]]);
            up[root_of(up, k)] = root_of(up, of_l[out->l[k]]);
        }
        for (int k = 0; k < n; k++)
            out->d[k] = root_of(up, k);
    }
    at_arena_release(&scratch);
    return s;
}
