/* groups.c: the groups inside a monoid, whether they are solvable, and the series of one that is.
 *
 * The maximal subgroups are the classes H = R and L that hold an idempotent; those of one class D are isomorphic, so one of
 * each is looked at. A group is solvable when its derived series, G, [G,G], ..., ends in the trivial one. The
 * derived group is the least normal subgroup with the commutators of the generators: they are conjugated by the generators
 * until nothing new comes.
 *
 * A series with cyclic factors. Between G and its derived group D the quotient is abelian, so it is a product of cyclic groups of
 * prime-power order, and every group between D and G is normal in G. They are found from D upwards: of the elements of
 * prime-power order modulo D that no power takes into what there is already, but for D, one of largest order comes next.
 * (Modulo what there is already it has the same order, so it spans a direct factor there, as elements of largest order in
 * an abelian p-group do.) */
#include <attest/automaton.h>

#include <string.h>

/* A subgroup as the elements that its generators make. */
typedef struct {
    const at_monoid *m;
    int identity;
    int n_generators,
        *generator;      /* room for 32: each new one doubles the group at least, and it has at most 20,000 */
    int order, *element; /* (m->n) */
    bool *has;           /* (m->n) */
} group;

enum { GENERATORS = 32 };

static bool group_make(group *g, const at_monoid *m, int identity, at_arena *a)
{
    *g = (group){.m = m,
                 .identity = identity,
                 .generator = at_new(a, int, GENERATORS),
                 .element = at_new(a, int, m->n),
                 .has = at_new(a, bool, m->n)};
    return g->generator && g->element && g->has;
}

static void group_trivial(group *g, int identity)
{
    for (int k = 0; k < g->order; k++)
        g->has[g->element[k]] = false;
    g->identity = identity;
    g->n_generators = 0;
    g->order = 1;
    g->element[0] = identity;
    g->has[identity] = true;
}

/* One more generator, unless it is there already; then all products anew. */
static void group_add(group *g, int f)
{
    if (g->has[f])
        return;
    g->generator[g->n_generators++] = f;
    for (int k = 0; k < g->order; k++)
        g->has[g->element[k]] = false;
    g->order = 1;
    g->element[0] = g->identity;
    g->has[g->identity] = true;
    for (int k = 0; k < g->order; k++)
        for (int j = 0; j < g->n_generators; j++) {
            int to = at_monoid_times(g->m, g->element[k], g->generator[j]);
            if (!g->has[to]) {
                g->has[to] = true;
                g->element[g->order++] = to;
            }
        }
}

static int inverse(const group *g, int f)
{
    int before = g->identity;
    for (int p = f; p != g->identity; p = at_monoid_times(g->m, p, f))
        before = p;
    return before;
}

static void derive(const group *g, group *out)
{
    const at_monoid *m = g->m;
    int back[GENERATORS];
    group_trivial(out, g->identity);
    for (int i = 0; i < g->n_generators; i++)
        back[i] = inverse(g, g->generator[i]);
    for (int i = 0; i < g->n_generators; i++)
        for (int j = 0; j < i; j++)
            group_add(out, at_monoid_times(m, at_monoid_times(m, back[i], back[j]),
                                           at_monoid_times(m, g->generator[i], g->generator[j])));
    for (int k = 0; k < out->n_generators; k++)
        for (int i = 0; i < g->n_generators; i++)
            group_add(out,
                      at_monoid_times(m, at_monoid_times(m, back[i], out->generator[k]), g->generator[i]));
}

/* The class H of the idempotent e as a group. */
static at_status subgroup_find(const at_monoid *m, const at_green *green, int e, group *g, group *h,
                               at_arena *a, at_subgroup *out, at_err *err)
{
    group_trivial(g, e);
    for (int f = 0; f < m->n; f++)
        if (green->r[f] == green->r[e] && green->l[f] == green->l[e])
            group_add(g, f);
    *out = (at_subgroup){.identity = e, .order = g->order, .n_generators = g->n_generators};
    if (!(out->generator = at_new(a, int, g->n_generators + 1)))
        return at_oom(err);
    for (int k = 0; k < g->n_generators; k++)
        out->generator[k] = g->generator[k];
    for (;;) {
        derive(g, h);
        if (h->order == g->order)
            break;
        group t = *g;
        *g = *h;
        *h = t;
    }
    out->core = g->order;
    return AT_OK;
}

at_status at_monoid_subgroups(const at_monoid *m, at_arena *a, at_subgroup **out, int *n, at_err *err)
{
    at_arena scratch;
    at_arena_init(&scratch);
    at_green green;
    group g, h;
    bool *seen = at_new(&scratch, bool, m->n);
    int *found = at_new(&scratch, int, m->n);
    *n = 0;
    at_status s = !seen || !found || !group_make(&g, m, 0, &scratch) || !group_make(&h, m, 0, &scratch)
                      ? at_oom(err)
                      : at_monoid_green(m, &scratch, &green, err);
    for (int e = 0; !s && e < m->n; e++) { /* the idempotents, one of each class D */
        if (seen[green.d[e]] || at_monoid_times(m, e, e) != e)
            continue;
        seen[green.d[e]] = true;
        found[(*n)++] = e;
    }
    if (!s && !(*out = at_new(a, at_subgroup, *n + 1)))
        s = at_oom(err);
    for (int k = 0; !s && k < *n; k++)
        s = subgroup_find(m, &green, found[k], &g, &h, a, &(*out)[k], err);
    at_arena_release(&scratch);
    return s;
}

/* ---- series ------------------------------------------------------------------------------------------------------- */

enum {
    SERIES_MAX = 16,      /* factors: the group has at most 20,000 elements */
    SERIES_WORK = 1 << 22 /* elements times states */
};

bool at_monoid_permutes(const at_monoid *m, int f)
{
    uint64_t seen[AT_STATES_MAX / 64 + 1] = {0};
    int Q = m->d->states;
    const uint16_t *to = m->image + (size_t)f * (size_t)Q;
    for (int q = 0; q < Q; q++) {
        uint64_t bit = (uint64_t)1 << to[q] % 64, *word = &seen[to[q] / 64];
        if (*word & bit)
            return false;
        *word |= bit;
    }
    return true;
}

/* The least k >= 1 with f^k in the subgroup; 0: more than AT_FACTOR_MAX. */
static int order_modulo(const group *sub, int f)
{
    int k = 1;
    for (int p = f; !sub->has[p]; p = at_monoid_times(sub->m, p, f))
        if (++k > AT_FACTOR_MAX)
            return 0;
    return k;
}

static int primes_of(int k, bool *one_prime)
{
    int n = 0, first = 0;
    *one_prime = true;
    for (int p = 2; k > 1; p++)
        for (; k % p == 0; k /= p, n++) {
            *one_prime = *one_prime && (!first || first == p);
            first = p;
        }
    return n;
}

static void group_copy(const group *from, group *to)
{
    group_trivial(to, from->identity);
    to->n_generators = from->n_generators;
    memcpy(to->generator, from->generator, (size_t)from->n_generators * sizeof *to->generator);
    to->order = from->order;
    memcpy(to->element, from->element, (size_t)from->order * sizeof *to->element);
    for (int k = 0; k < to->order; k++)
        to->has[to->element[k]] = true;
}

/* The factors between g and its derived group d, which come behind those of `out`, the topmost first. h is made. */
static at_status section_make(const group *g, const group *d, group *h, at_tower *out, at_err *err)
{
    int first = out->n;
    group_copy(d, h);
    while (h->order < g->order) {
        int best = -1, order = 1;
        for (int k = 0; k < g->order; k++) {
            int f = g->element[k], o = h->has[f] ? 0 : order_modulo(d, f);
            bool one_prime = false;
            if (o > order)
                primes_of(o, &one_prime);
            if (one_prime && order_modulo(h, f) == o) {
                best = f;
                order = o;
            }
        }
        if (best < 0 || out->n == SERIES_MAX)
            return at_fail(err, AT_EBUDGET,
                           "a group with a cyclic factor of order above %d, or with more than %d",
                           AT_FACTOR_MAX, SERIES_MAX);
        memmove(out->factor + first + 1, out->factor + first, (size_t)(out->n - first) * sizeof(int));
        memmove(out->by + first + 1, out->by + first, (size_t)(out->n - first) * sizeof(int));
        out->factor[first] = order;
        out->by[first] = best;
        out->n++;
        bool one_prime;
        out->length += primes_of(order, &one_prime);
        group_add(h, best);
    }
    return AT_OK;
}

/* All elements by their exponents, the last one's fastest. */
static at_status exponents_make(const at_monoid *m, at_tower *out, at_arena *a, at_err *err)
{
    size_t n = (size_t)out->n;
    out->element = at_new(a, int, out->order);
    out->exponent = at_new(a, int, (size_t)m->n *n + 1);
    if (!out->element || !out->exponent)
        return at_oom(err);
    int made = 1; /* the identity */
    for (int k = out->n - 1; k >= 0; k--)
        for (int block = made, s = 1; s < out->factor[k]; s++)
            for (int j = 0; j < block; j++, made++) {
                int before = out->element[made - block], f = at_monoid_times(m, before, out->by[k]);
                out->element[made] = f;
                memcpy(out->exponent + (size_t)f * n, out->exponent + (size_t)before * n, n * sizeof(int));
                out->exponent[(size_t)f * n + (size_t)k] = s;
            }
    return AT_OK;
}

at_status at_monoid_tower(const at_monoid *m, at_arena *a, at_tower **out, at_err *err)
{
    at_arena scratch;
    at_arena_init(&scratch);
    group g, d, h;
    at_tower *x = *out = at_new(a, at_tower, 1);
    if (x) {
        x->factor = at_new(a, int, SERIES_MAX);
        x->by = at_new(a, int, SERIES_MAX);
    }
    at_status s = !x || !x->factor || !x->by || !group_make(&g, m, 0, &scratch) ||
                          !group_make(&d, m, 0, &scratch) || !group_make(&h, m, 0, &scratch)
                      ? at_oom(err)
                      : AT_OK;
    if (!s) {
        group_trivial(&g, 0);
        for (int c = 0; c < m->d->sigma.n; c++)
            if (at_monoid_permutes(m, m->right[c]))
                group_add(&g, m->right[c]);
        x->order = g.order;
        if ((int64_t)g.order * m->d->states > SERIES_WORK)
            s = at_fail(err, AT_EBUDGET, "a group of %d permutations of %d states", g.order, m->d->states);
    }
    while (!s && g.order > 1) {
        derive(&g, &d);
        if (d.order == g.order)
            s = at_fail(err, AT_EREFUSED,
                        "its group, of order %d, is not solvable: the derived series ends in a perfect group "
                        "of order %d",
                        x->order, g.order);
        else
            s = section_make(&g, &d, &h, x, err);
        x->derived++;
        group_copy(&d, &g);
    }
    if (!s)
        s = exponents_make(m, x, a, err);
    at_arena_release(&scratch);
    return s;
}
