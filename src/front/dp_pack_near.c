/* dp_pack_near.c: what a packed decoder keeps modulo a small number.
 *
 * A fetched value that is proved to lie in from..from+m-1 above something that the row knows needs to be kept modulo m only. What
 * the row knows: 0, the row before (which is the row that asks), and needs that were rebuilt before. Which of these it is, and
 * `from`, may differ from step to step, since both are known before there is an input: of edit distance `diag` is counted from the
 * row before; `up` from diag, and in the first column from 0.
 *
 * The needs of a value are taken one by one, always the one for which the widest interval of all its steps is smallest, given what
 * is known by then. Intervals are those of at_dp_apart, which holds for every input. */
#include "dp_pack.h"

#include <math.h>
#include <string.h>

#define ITEMS     (AT_DP_NEED + AT_DP_MAX)
#define MOST_LONG 65536 /* numbers of more values are not divided here */

typedef struct {
    dp_pack *k;
    at_dp_apart *apart;
    int v;             /* the value */
    bool known[ITEMS]; /* what the row knows by now */
} near_plan;

/* The fetch of need n. */
static pack_fetch *need_of(const near_plan *p, int n)
{
    return &p->k->fetch[p->k->n_takes + n];
}

/* Whether value v of need n comes from a head. */
static bool comes(const near_plan *p, int n)
{
    const pack_fetch *f = need_of(p, n);
    return f->head >= 0 && f->used[p->v];
}

/* Of need n at step s: the narrowest interval, and above what. */
static at_dp_range narrowest(const near_plan *p, int64_t s, int n, int *base)
{
    int items = AT_DP_NEED + p->k->x->d->n_needs;
    at_dp_range between[ITEMS * ITEMS], best = {0, 0};
    bool here[ITEMS], any = false;
    at_dp_apart_at(p->apart, s, p->v, between, here);
    for (int b = 0; b < items; b++) {
        at_dp_range r = between[(AT_DP_NEED + n) * items + b];
        if (!p->known[b] || !here[b] || (any && r.hi - r.lo >= best.hi - best.lo))
            continue;
        best = r;
        *base = b;
        any = true;
    }
    return best;
}

/* The values that need n can have above what is known, at most. */
static int64_t width_of(const near_plan *p, int n)
{
    const pack_fetch *f = need_of(p, n);
    int64_t wide = 1;
    for (int64_t s = 0; s < p->k->x->n_states; s++) {
        int base;
        if (f->at[s] < 0)
            continue;
        at_dp_range r = narrowest(p, s, n, &base);
        wide = r.hi - r.lo + 1 > wide ? r.hi - r.lo + 1 : wide;
    }
    return wide;
}

static at_status need_fill(const near_plan *p, int n, int64_t mod, at_err *err)
{
    const pack_fetch *f = need_of(p, n);
    int64_t steps = p->k->x->n_states + 1;
    pack_near *near = &f->near[p->v];
    near->mod = mod;
    near->base = at_new(&p->k->arena, int, steps);
    near->from = at_new(&p->k->arena, int64_t, steps);
    if (!near->base || !near->from)
        return at_oom(err);
    for (int64_t s = 0; s < steps; s++) {
        near->base[s] = AT_DP_ZERO;
        near->from[s] = p->k->x->value_lo[p->v];
        if (f->at[s] >= 0)
            near->from[s] = narrowest(p, s, n, &near->base[s]).lo;
    }
    return AT_OK;
}

/* A column that someone reads whole is kept whole. */
static bool shared_whole(const near_plan *p, int n)
{
    const dp_pack *k = p->k;
    const pack_fetch *mine = need_of(p, n);
    for (int f = k->n_takes; f < k->n_fetches; f++)
        if (k->fetch[f].head == mine->head && k->fetch[f].used[p->v] && !k->fetch[f].near[p->v].mod)
            return true;
    return false;
}

static at_status value_plan(near_plan *p, const at_dp_options *o, double most, at_err *err)
{
    const at_dp_instance *x = p->k->x;
    int needs = x->d->n_needs,
        whole = dp_pack_digits((double)(x->value_hi[p->v] - x->value_lo[p->v] + 1), most);
    int64_t mod = 0;
    memset(p->known, 0, sizeof p->known);
    p->known[AT_DP_ZERO] = p->known[AT_DP_BEFORE] = true;
    for (;;) {
        int best = -1;
        int64_t least = 0;
        for (int n = 0; n < needs; n++) {
            int64_t w = comes(p, n) && !p->known[AT_DP_NEED + n] ? width_of(p, n) : 0;
            if (w && (best < 0 || w < least))
                best = n, least = w;
        }
        if (best < 0)
            break;
        bool pays = least <= MOST_LONG && dp_pack_digits((double)least, most) > whole;
        at_status st = need_fill(p, best, pays ? least : 0, err);
        if (st)
            return st;
        mod = pays && least > mod ? least : mod;
        p->known[AT_DP_NEED + best] = true;
    }
    for (int again = 0; again < needs; again++) /* what is whole makes others whole */
        for (int n = 0; n < needs; n++)
            if (comes(p, n) && need_of(p, n)->near[p->v].mod)
                need_of(p, n)->near[p->v].mod = shared_whole(p, n) ? 0 : mod - o->less;
    return AT_OK;
}

at_status dp_pack_near(dp_pack *k, const at_dp_options *o, double most, at_err *err)
{
    near_plan p = {.k = k};
    const at_dp_instance *x = k->x;
    bool any = false;
    for (int f = 0; f < k->n_fetches; f++) {
        if (!(k->fetch[f].near = at_new(&k->arena, pack_near, x->d->n_values)))
            return at_oom(err);
        any = any || (f >= k->n_takes && f < k->n_fetches - 1 && k->fetch[f].head >= 0);
    }
    if (!any || x->proved != AT_TRUE)
        return AT_OK;
    at_status st = at_dp_apart_new(x, &p.apart, err);
    for (p.v = 0; p.v < x->d->n_values && !st; p.v++)
        if (x->value_hi[p.v] - x->value_lo[p.v] < MOST_LONG)
            st = value_plan(&p, o, most, err);
    at_dp_apart_free(p.apart);
    return st;
}
