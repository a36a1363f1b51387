/* groups.c: the groups inside a monoid, and whether they are solvable.
 *
 * The maximal subgroups are the classes H = R and L that hold an idempotent; those of one class D are isomorphic, so one of
 * each is looked at. A group is solvable when its derived series, G, [G,G], ..., ends in the trivial one. The
 * derived group is the least normal subgroup with the commutators of the generators: they are conjugated by the generators
 * until nothing new comes. */
#include <attest/automaton.h>

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
