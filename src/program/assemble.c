/* assemble.c: a program becomes a plain model.
 *
 * Phase by phase, coordinates of the residual stream are handed out and taken back:
 * - a block after which nothing older is needed has no residual connection and leaves all other
 *   coordinates zero ("clean");
 * - an attention layer writes to clean coordinates, or adds to its base's own;
 * - an MLP may also take over a coordinate whose variable is dead ("dirty"): it subtracts the old value. Only
 *   integers take over from integers, so that they stay exact in every arithmetic that can hold them.
 *   In a narrow program (at_program_narrow) the MLP before an attention layer also clears what is dead, by its negative.
 * The plan (forms over coordinates) is made first; the width is known after it; then weights are written.
 *
 * Invariant: a variable v with until[v] > p has coord[v] >= 0 after phase p, or is a linear expression
 * of such. Every weight is an entry of a form in the plan. */
#include "schedule.h"

#include <math.h>
#include <string.h>

typedef struct {
    int step;
    form **q, **k, **v, **k2, **v2, **w; /* w: what wipes */
    int *dest;                           /* coordinate of each value component, -1 when it is not needed */
} head_plan;

typedef struct {
    bool attn, residual;
    int n_heads;
    head_plan *heads;
    mlp_net net;
} block_plan;

typedef struct {
    at_program *P;
    schedule S;
    int *coord;     /* (n_vars) coordinate that holds v, or held it last, or -1 */
    int *home;      /* (n_vars) coordinate of an input in the embedding, or -1 */
    at_var *owner;  /* (cap) variable alive in a coordinate, or -1 */
    at_var *dirt;   /* (cap) dead variable whose value is still there, or -1 */
    extent *x;      /* (cap) what a coordinate holds */
    at_text *names; /* (cap) everything that lived there */
    int cap, D;
    bool again; /* a remedy is wanted: plan anew */
    block_plan *blocks;
    int n_blocks;
    form **out;      /* the readout's rows */
    at_arena *arena; /* scratch */
    at_err *err;
} plan;

/* ---- coordinates ---------------------------------------------------------------------------------------- */

static void coord_give(plan *L, at_var v, int c)
{
    if (L->P->vars[v].name) {
        if (L->names[c].n)
            at_text_add(&L->names[c], " ");
        at_text_add(&L->names[c], L->P->vars[v].name);
    }
    L->coord[v] = c;
    L->owner[c] = v;
    L->dirt[c] = -1;
    L->x[c] = extent_of(&L->P->vars[v]);
    if (c >= L->D)
        L->D = c + 1;
}

static int coord_free(const plan *L, bool clean)
{
    int c = 0;
    while (L->owner[c] >= 0 || (clean && L->dirt[c] >= 0))
        c++;
    return c; /* cap is larger than the number of variables, so one is free */
}

/* After phase p: variables read no more leave dirt behind. */
static void coord_retire(plan *L, int p)
{
    for (int c = 0; c < L->D; c++)
        if (L->owner[c] >= 0 && L->S.until[L->owner[c]] <= p) {
            L->dirt[c] = L->owner[c];
            L->owner[c] = -1;
        }
}

/* A block without residual connection: whatever was there is gone. */
static void coord_wipe(plan *L)
{
    for (int c = 0; c < L->cap; c++) {
        if (L->owner[c] >= 0)
            L->coord[L->owner[c]] = -1;
        L->owner[c] = L->dirt[c] = -1;
    }
}

static bool any_survivor(const plan *L, int p)
{
    for (int c = 0; c < L->D; c++)
        if (L->owner[c] >= 0 && L->S.until[L->owner[c]] > p)
            return true;
    return false;
}

static bool kept(const plan *L, at_var v, int p)
{
    return L->S.phase[v] == p && L->S.until[v] > p;
}

/* ---- planning ----------------------------------------------------------------------------------------------- */

static mlp_site site(const plan *L, int p)
{
    return (mlp_site){L->P, L->coord, L->S.phase, p, L->S.level, L->x, L->arena, L->err, L->cap, L->P};
}

static form **forms_of(const plan *L, at_vec v)
{
    mlp_site s = site(L, 0);
    form **f = at_new(L->arena, form *, v.n + 1);
    for (int k = 0; f && k < v.n; k++)
        if (!(f[k] = residual_form(&s, v.v[k])))
            return NULL;
    return f;
}

/* Inputs come in groups that each have one tensor: position tables, then single features and marks, then
 * the fields one by one. The variables of a group lie side by side. */
static int input_group(const var *v)
{
    return v->op == OP_ROWS ? -2 : v->op == OP_POS || v->field < 0 ? -1 : v->field;
}

static void plan_embedding(plan *L)
{
    const at_program *P = L->P;
    for (int g = -2; g < P->n_fields; g++)
        for (at_var v = 0; v < P->n_vars; v++) {
            const var *x = &P->vars[v];
            if (!op_is_input(x->op) || x->op == OP_FIELD || input_group(x) != g || L->S.until[v] <= 0)
                continue;
            coord_give(L, v, coord_free(L, true));
            L->home[v] = L->coord[v];
        }
}

/* mu (f - 1) for each form; NULL stays NULL. */
static form **forms_minus_one(const plan *L, form **f, int n, double mu)
{
    form *copy = f ? at_new(L->arena, form, n) : NULL;
    if (!copy)
        return NULL;
    for (int k = 0; k < n; k++) {
        copy[k] = *f[k];
        copy[k].run = INFINITY; /* of the form before */
        copy[k].spared[0] = copy[k].spared[1] = 0;
        if (!(copy[k].coef = at_new(L->arena, double, f[k]->n + 1)))
            return NULL;
        for (int i = 0; i < f[k]->n; i++)
            copy[k].coef[i] = mu * f[k]->coef[i];
        copy[k].c0 = mu * (f[k]->c0 - 1);
        f[k] = &copy[k];
    }
    return f;
}

/* s becomes s + by g, where s does not have the units of g; false when out of memory. */
static bool form_extend(const plan *L, form *s, const form *g, double by)
{
    int *unit = at_new(L->arena, int, s->n + g->n);
    double *coef = at_new(L->arena, double, s->n + g->n);
    if (!unit || !coef)
        return false;
    for (int i = 0, j = 0, t = 0; t < s->n + g->n; t++) {
        bool own = j >= g->n || (i < s->n && s->unit[i] < g->unit[j]);
        unit[t] = own ? s->unit[i] : g->unit[j];
        coef[t] = own ? s->coef[i++] : by * g->coef[j++];
    }
    s->unit = unit;
    s->coef = coef;
    s->n += g->n;
    return true;
}

/* f + AT_ANCHOR g for each of the n forms f; NULL when out of memory. */
static form **forms_anchored(const plan *L, form **f, int n, const form *g)
{
    for (int k = 0; k < n; k++)
        if (!form_extend(L, f[k], g, AT_ANCHOR))
            return NULL;
    return f;
}

/* AT_ANCHOR f for each of the n forms f, in place: they are of values alone. */
static form **forms_raised(const plan *L, form **f, int n)
{
    for (int k = 0; k < n; k++) {
        double *coef = at_new(L->arena, double, f[k]->n + 1);
        if (!coef)
            return NULL;
        for (int i = 0; i < f[k]->n; i++)
            coef[i] = AT_ANCHOR * f[k]->coef[i];
        f[k]->coef = coef;
        f[k]->c0 *= AT_ANCHOR;
    }
    return f;
}

/* The values f of a head and what wipes them, w, are each one number of the stream, and what wipes is exact: then their sum is, where
 * one of them is 0. */
static bool forms_wipe(const plan *L, form *const *f, form *const *w, int n)
{
    for (int k = 0; k < n; k++) {
        extent z;
        double off = w[k]->slop + form_rounding(L->P, w[k], L->x, &z) + w[k]->err + w[k]->over;
        if (f[k]->n != 1 || w[k]->n != 1 || f[k]->c0 != 0 || w[k]->c0 != 0 ||
            f[k]->unit[0] == w[k]->unit[0] || off > 0)
            return false;
    }
    return true;
}

/* What the forms f of the variables v give, as computed; they may have been multiplied by mu. */
static void operands_project(const plan *L, at_vec v, form *const *f, double mu, operand *to)
{
    for (int k = 0; k < v.n; k++) {
        var *x = &L->P->vars[v.v[k]];
        extent z;
        x->err = f[k]->err; /* of a linear expression, which is made here */
        x->over = f[k]->over;
        double r = f[k]->slop + form_rounding(L->P, f[k], L->x, &z);
        double err = bound_of(f[k]->err + r / mu), over = bound_of(f[k]->over + r / mu);
        to[k] = (operand){{x->lo - over, x->hi + over, x->grain > GRAIN_NONE ? err : 0, x->grain}, err, over};
    }
}

/* The errors of the head that begins with variable v, from what its forms give. */
static at_status head_errors(const plan *L, at_var v, const head_plan *h)
{
    at_program *P = L->P;
    step *s = &P->steps[h->step];
    const at_attention *a = &s->a;
    double mu = at_weighting_is(a->weighting, AT_IS_PHI) && !a->kernel ? s->scale : 1;
    at_mark before = at_arena_mark(L->arena);
    operands *o = operands_new(a, L->arena);
    if (!o)
        return at_oom(L->err);
    o->rounded = true;
    o->wiped = a->wipe.n && forms_wipe(L, h->v, h->w, a->wipe.n);
    operands_project(L, a->query, h->q, mu, o->q);
    operands_project(L, (at_vec){a->query.n, a->key.v}, h->k, mu, o->k); /* of sums, without the anchor */
    operands_project(L, a->value, h->v, 1, o->v);
    if (at_weighting_is(a->weighting, AT_IS_PAIRS)) {
        operands_project(L, a->key2, h->k2, 1, o->k2);
        operands_project(L, a->value2, h->v2, 1, o->v2);
    }
    operands_sum(P, a, o);
    at_status st = AT_OK;
    for (int k = 0; k < a->value.n && !st; k++)
        st = attention_error(P, v + k, s, o, &P->vars[v + k].err, &P->vars[v + k].over, L->err);
    at_arena_reset(L->arena, before);
    return st;
}

/* base + attention, in place: one addition. */
static void accumulate_error(at_program *P, var *v)
{
    const var *x = &P->vars[v->args[0]], *y = &P->vars[v->args[1]];
    tally t = TALLY_NONE;
    tally_add(&t, 1, extent_of(x));
    tally_add(&t, 1, extent_of(y));
    v->err = bound_of(x->err + y->err + tally_rounding(P, &t) + meaning_rounding(P, v));
    v->over = v->err < x->over + y->over + tally_rounding(P, &t) ? v->err
                                                                 : x->over + y->over + tally_rounding(P, &t);
}

static at_status plan_attention(plan *L, int p)
{
    at_program *P = L->P;
    block_plan *b = &L->blocks[L->n_blocks];
    b->heads = at_new(L->arena, head_plan, P->n_steps + 1);
    if (!b->heads)
        return at_oom(L->err);
    /* Forms are taken before anything moves. */
    for (at_var v = 0; v < P->n_vars; v++) {
        const var *x = &P->vars[v];
        if (x->op != OP_ATTEND || x->component || L->S.phase[v] != p || !L->S.live[v])
            continue;
        const at_attention *a = &P->steps[x->step].a;
        head_plan *h = &b->heads[b->n_heads++];
        h->step = x->step;
        h->q = forms_of(L, a->query);
        h->k = forms_of(L, a->key);
        h->v = forms_of(L, a->value);
        h->w = forms_of(L, a->wipe);
        h->dest = at_new(L->arena, int, a->value.n);
        if (at_weighting_is(a->weighting, AT_IS_PHI) &&
            !a->kernel) { /* lemma A.9: mu (e - 1) on both sides */
            double mu = P->steps[x->step].scale * P->weaken;
            h->q = forms_minus_one(L, h->q, a->query.n, mu);
            h->k = forms_minus_one(L, h->k, a->query.n, mu);
        }
        if (at_weighting_is(a->weighting, AT_IS_PAIRS)) {
            h->k2 = forms_of(L, a->key2);
            h->v2 = forms_of(L, a->value2);
        }
        if (!h->q || !h->k || !h->v || !h->w || !h->dest ||
            (at_weighting_is(a->weighting, AT_IS_PAIRS) && (!h->k2 || !h->v2)))
            return at_oom(L->err);
        at_status st = head_errors(L, v, h);
        if (st)
            return st;
        if (a->adds > 0 &&
            (!forms_anchored(L, h->k, a->query.n, h->k[a->query.n]) || !forms_raised(L, h->v, a->value.n)))
            return at_oom(L->err);
        for (int k = 0; k < a->wipe.n; k++)
            if (!form_extend(L, h->v[k], h->w[k], AT_ANCHOR * wipe_size(P)))
                return at_oom(L->err);
    }
    if (!b->n_heads)
        return AT_OK;
    b->attn = true;
    b->residual = any_survivor(L, p);
    for (at_var v = 0; v < P->n_vars; v++)
        b->residual = b->residual || (L->S.in_place[v] && L->S.phase[v] == p);
    if (!b->residual)
        coord_wipe(L);
    int h = -1;
    for (at_var v = 0; v < P->n_vars; v++) {
        const var *x = &P->vars[v];
        if (x->op != OP_ATTEND || L->S.phase[v] != p || !L->S.live[v - x->component])
            continue;
        h += x->component == 0;
        b->heads[h].dest[x->component] = -1;
        if (kept(L, v, p)) {
            int c = coord_free(L, true);
            coord_give(L, v, c);
            b->heads[h].dest[x->component] = c;
        }
    }
    for (at_var v = 0; v < P->n_vars; v++) { /* base + attention: the sum takes over base's coordinate */
        const var *x = &P->vars[v];
        if (!L->S.in_place[v] || L->S.phase[v] != p)
            continue;
        int c = L->coord[x->args[0]];
        for (int k = 0; k < b->n_heads; k++)
            if (b->heads[k].step == P->vars[x->args[1]].step)
                b->heads[k].dest[0] = c;
        accumulate_error(P, &P->vars[v]);
        coord_give(L, v, c);
    }
    coord_retire(L, p);
    L->n_blocks++;
    return AT_OK;
}

/* The variable whose value is in coordinate c, dead or alive, or -1. */
static at_var occupant(const plan *L, int c)
{
    return L->owner[c] >= 0 ? L->owner[c] : L->dirt[c];
}

static bool is_exact(const plan *L, at_var v)
{
    return L->P->vars[v].integer && L->P->vars[v].real == 0;
}

#define MUCH 0x1p-20 /* rounding that is worth a coordinate */

/* old + (new - old) is not new in floating point unless both are integers, and an integer that is off by one
 * rounding breaks ties: an integer takes over the place of another one only. Nobody takes over from what is so large that its
 * rounding would be seen. */
static bool takes_over(const plan *L, const block_plan *b, at_var v, int c)
{
    at_var old = b->residual ? occupant(L, c) : -1;
    if (old < 0)
        return true;
    const var *x = &L->P->vars[v];
    double most = ldexp(0.999, L->P->fmt.p); /* their difference is exact */
    double was = extent_size(L->x[c]), is = extent_size((extent){x->lo, x->hi, 0, 0});
    bool one_sign = L->P->few && L->x[c].lo >= 0 && x->lo >= 0; /* then it is no larger than they */
    bool integers = x->integer && L->P->vars[old].integer && (one_sign ? fmax(was, is) : was + is) <= most;
    if (!integers && 4 * L->P->unit * extent_size(L->x[c]) > MUCH)
        return false;
    return !is_exact(L, v) || is_exact(L, old);
}

/* What nobody reads after phase p and nobody takes over, to be cleared for the attention of the next phase: -1 in want. owner: after p. */
static int clearing(const plan *L, int p, const at_var *owner, int n, at_var *want, int *at)
{
    for (int c = 0; c < L->D && L->P->few && p < L->S.last; c++)
        if (owner[c] < 0 && occupant(L, c) >= 0) {
            want[n] = -1;
            at[n++] = c;
        }
    return n;
}

static at_status plan_mlp(plan *L, int p)
{
    const at_program *P = L->P;
    block_plan *b = &L->blocks[L->n_blocks];
    at_var *want = at_new(L->arena, at_var, L->cap), *erase = at_new(L->arena, at_var, L->cap);
    int *at = at_new(L->arena, int, L->cap), n = 0, levels = 0;
    if (!want || !erase || !at)
        return at_oom(L->err);
    for (at_var v = 0; v < P->n_vars; v++)
        if (kept(L, v, p)) {
            want[n++] = v;
            if (L->S.level[v] > levels)
                levels = L->S.level[v];
        }
    if (!n)
        return AT_OK;
    b->residual = any_survivor(L, p);
    /* Places are chosen first, given after the forms are taken. */
    at_var *owner = at_new(L->arena, at_var, L->cap);
    if (!owner)
        return at_oom(L->err);
    for (int c = 0; c < L->cap; c++)
        owner[c] = b->residual && L->owner[c] >= 0 && L->S.until[L->owner[c]] > p ? L->owner[c] : -1;
    for (int pass = 0; pass < 2; pass++) /* the choosy ones first */
        for (int k = 0; k < n; k++) {
            if (is_exact(L, want[k]) != (pass == 0))
                continue;
            int c = 0;
            while (owner[c] >= 0 || !takes_over(L, b, want[k], c))
                c++;
            owner[c] = want[k];
            at[k] = c;
            erase[k] = b->residual ? occupant(L, c) : -1;
        }
    int all = b->residual ? clearing(L, p, owner, n, want, at) : n;
    mlp_site s = site(L, p);
    at_status st = mlp_synthesise(&s, want, at, erase, all, levels, &b->net);
    L->again = L->again || b->net.again;
    if (st)
        return st;
    if (!b->residual)
        coord_wipe(L);
    for (int k = 0; k < n; k++)
        coord_give(L, want[k], at[k]);
    for (int k = n; k < all; k++)
        L->owner[at[k]] = L->dirt[at[k]] = -1;
    coord_retire(L, p);
    L->n_blocks++;
    return AT_OK;
}

#define NORM_ROUNDINGS                                                                                       \
    16 /* of v/|v|: a square, a sum of two, a quotient, a root, a quotient, and the readout, twice each */

/* The sign is right where the error is below half; then what is left is the rounding of the norm: (v, -v) sums up to 0. */
static at_status plan_normed(plan *L)
{
    at_program *P = L->P;
    var *v = &P->vars[P->out.v[0]];
    if (!(v->err < P->half))
        return step_fail(P, v, L->err,
                         "normed, and its error of %.3g is not below the %.3g that it is away from 0 by",
                         v->err, P->half);
    v->err = NORM_ROUNDINGS * P->unit;
    L->D = L->D < 2 ? 2 : L->D;
    return AT_OK;
}

/* An output is as good as the readout computes it. */
static at_status plan_readout(plan *L)
{
    at_program *P = L->P;
    if (!(L->out = forms_of(L, P->out)))
        return at_oom(L->err);
    for (int k = 0; k < P->out.n; k++) {
        extent z;
        double r = L->out[k]->slop + form_rounding(P, L->out[k], L->x, &z);
        var *v = &P->vars[P->out.v[k]];
        v->err = bound_of(L->out[k]->err + r);
        if (v->err < INFINITY || P->unit == 0)
            continue;
        char arith[16];
        at_arith_name(P->arith, arith);
        return step_fail(P, v, L->err, "an output, whose error in %s has no bound", arith);
    }
    return P->half > 0 ? plan_normed(L) : AT_OK;
}

static at_status plan_all(plan *L)
{
    at_program *P = L->P;
    at_arena *a = L->arena;
    L->cap = P->n_vars + 2;
    L->S = (schedule){.phase = at_new(a, int, P->n_vars),
                      .level = at_new(a, int, P->n_vars),
                      .until = at_new(a, int, P->n_vars),
                      .live = at_new(a, bool, P->n_vars),
                      .wide = at_new(a, bool, P->n_vars),
                      .in_place = at_new(a, bool, P->n_vars)};
    L->coord = at_new(a, int, P->n_vars);
    L->home = at_new(a, int, P->n_vars);
    L->owner = at_new(a, at_var, L->cap);
    L->dirt = at_new(a, at_var, L->cap);
    L->x = at_new(a, extent, L->cap);
    L->names = at_new(a, at_text, L->cap);
    if (!L->S.phase || !L->S.level || !L->S.until || !L->S.live || !L->S.wide || !L->S.in_place ||
        !L->coord || !L->home || !L->owner || !L->dirt || !L->names || !L->x)
        return at_oom(L->err);
    for (int k = 0; k < L->cap; k++)
        L->owner[k] = L->dirt[k] = -1;
    for (at_var v = 0; v < P->n_vars; v++)
        L->coord[v] = L->home[v] = -1;
    at_status st = schedule_errors(P, a, L->err);
    if (st)
        return st;
    if ((st = schedule_phases(P, &L->S, a, L->err)))
        return st;
    schedule_lifetimes(P, &L->S);
    L->blocks = at_new(a, block_plan, L->S.last + 1);
    if (!L->blocks)
        return at_oom(L->err);
    plan_embedding(L);
    for (int p = 1; p <= L->S.last && !st; p++)
        st = p % 2 ? plan_mlp(L, p) : plan_attention(L, p);
    if (L->D == 0)
        L->D = 1; /* a constant output */
    return st ? st : plan_readout(L);
}

/* ---- writing weights -------------------------------------------------------------------------------------------- */

static void row_write(double *row, const form *f)
{
    for (int k = 0; k < f->n; k++)
        row[f->unit[k]] = f->coef[k];
}

static bool forms_have_constant(form **f, int n)
{
    for (int k = 0; k < n; k++)
        if (f[k]->c0 != 0)
            return true;
    return false;
}

static at_status shape_block(const plan *L, const block_plan *b, at_block *out, at_arena *a, at_err *err)
{
    const at_program *P = L->P;
    *out = (at_block){.kind = b->attn ? AT_BLOCK_ATTN : AT_BLOCK_MLP,
                      .residual = b->residual,
                      .norm_g = -1,
                      .norm_b = -1,
                      .act = P->lambda > 0 ? AT_ACT_GELU : AT_ACT_RELU};
    if (!b->attn) {
        out->n_dense = b->net.n_levels + 1;
        out->dense = at_new(a, at_dense, out->n_dense);
        if (!out->dense)
            return at_oom(err);
        for (int l = 0; l < out->n_dense; l++)
            out->dense[l].rows = l + 1 < out->n_dense ? b->net.units[l + 1] : L->D;
        return AT_OK;
    }
    out->n_groups = b->n_heads;
    out->groups = at_new(a, at_group, b->n_heads);
    if (!out->groups)
        return at_oom(err);
    for (int h = 0; h < b->n_heads; h++) {
        const head_plan *hp = &b->heads[h];
        const step *s = &P->steps[hp->step];
        const at_attention *t = &s->a;
        bool three = at_weighting_is(t->weighting, AT_IS_PAIRS);
        double scale = s->scale * P->weaken;
        out->groups[h] = (at_group){.heads = 1,
                                    .dk = t->query.n,
                                    .dv = t->value.n,
                                    .weighting = t->weighting,
                                    .post = t->post,
                                    .scale = at_weighting_is(t->weighting, AT_IS_PHI) ? 1 : scale,
                                    .tie = s->tie * scale,
                                    .mask = t->mask,
                                    .rounded = t->wipe.n ? P->fmt.p : 0,
                                    .bias = forms_have_constant(hp->q, t->query.n) ||
                                            forms_have_constant(hp->k, t->key.n) ||
                                            forms_have_constant(hp->v, t->value.n) ||
                                            (three && (forms_have_constant(hp->k2, t->key2.n) ||
                                                       forms_have_constant(hp->v2, t->value2.n)))};
    }
    return AT_OK;
}

static void forms_write(const at_model *m, int w, int bias, form **f, int n)
{
    for (int k = 0; k < n; k++) {
        row_write(at_model_data(m, w) + (size_t)k * (size_t)m->width, f[k]);
        if (bias >= 0)
            at_model_data(m, bias)[k] = f[k]->c0;
    }
}

static void write_block(const plan *L, const block_plan *b, const at_block *out, const at_model *m)
{
    if (!b->attn) {
        for (int l = 0; l < out->n_dense; l++) {
            bool last = l + 1 == out->n_dense;
            int cols = l ? b->net.units[l] : L->D;
            for (int r = 0; r < out->dense[l].rows; r++) {
                const form *f = last ? &b->net.out[r] : &b->net.pre[l + 1][r];
                row_write(at_model_data(m, out->dense[l].w) + (size_t)r * (size_t)cols, f);
                at_model_data(m, out->dense[l].b)[r] = f->c0;
            }
        }
        return;
    }
    for (int h = 0; h < b->n_heads; h++) {
        const head_plan *hp = &b->heads[h];
        const at_group *g = &out->groups[h];
        forms_write(m, g->q, g->qb, hp->q, g->dk);
        forms_write(m, g->k, g->kb, hp->k, g->dk);
        forms_write(m, g->v, g->vb, hp->v, g->dv);
        if (at_weighting_is(g->weighting, AT_IS_PAIRS)) {
            forms_write(m, g->k2, g->k2b, hp->k2, g->dk);
            forms_write(m, g->v2, g->v2b, hp->v2, g->dv);
        }
        for (int k = 0; k < g->dv; k++)
            if (hp->dest[k] >= 0)
                at_model_data(m, g->o)[(size_t)hp->dest[k] * (size_t)g->dv + (size_t)k] = 1;
    }
}

/* The coordinates first..last that variables satisfying a test occupy in the embedding. */
typedef bool var_test(const var *v, int arg);

static bool is_of_field(const var *v, int f)
{
    return (v->op == OP_EMBED || v->op == OP_REAL) && v->field == f;
}

static bool is_rows(const var *v, int arg)
{
    (void)arg;
    return v->op == OP_ROWS;
}

static at_embed embed_range(const plan *L, var_test *test, int arg)
{
    int lo = L->D, hi = -1;
    for (at_var v = 0; v < L->P->n_vars; v++)
        if (L->home[v] >= 0 && test(&L->P->vars[v], arg)) {
            lo = L->home[v] < lo ? L->home[v] : lo;
            hi = L->home[v] > hi ? L->home[v] : hi;
        }
    return hi < 0 ? (at_embed){0, 1, -1} : (at_embed){lo, hi - lo + 1, -1};
}

static at_status shape_input(const plan *L, at_model *m, at_err *err)
{
    const at_program *P = L->P;
    m->n_fields = P->n_fields;
    m->fields = at_new(&m->arena, at_field, P->n_fields + 1);
    m->pos = at_new(&m->arena, at_pos, P->n_vars + 1);
    if (!m->fields || !m->pos)
        return at_oom(err);
    for (int f = 0; f < P->n_fields; f++) {
        m->fields[f] = P->fields[f];
        m->fields[f].embed = embed_range(L, is_of_field, f);
    }
    bool rows = false;
    for (at_var v = 0; v < P->n_vars; v++) {
        if (L->home[v] < 0)
            continue;
        if (P->vars[v].op == OP_POS)
            m->pos[m->n_pos++] = (at_pos){P->vars[v].pos, 0, 0, {L->home[v], 1, -1}};
        rows = rows || P->vars[v].op == OP_ROWS;
    }
    if (rows)
        m->pos[m->n_pos++] = (at_pos){AT_POS_TABLE, program_longest(P), 0, embed_range(L, is_rows, 0)};
    m->n_prefix = P->n_prefix;
    m->n_suffix = P->n_suffix;
    m->prefix = m->suffix = (at_embed){0, L->D, -1};
    return AT_OK;
}

static void write_input(const plan *L, const at_model *m)
{
    const at_program *P = L->P;
    int one = 0;
    for (at_var v = 0; v < P->n_vars; v++) {
        const var *x = &P->vars[v];
        if (L->home[v] < 0)
            continue;
        if (x->op == OP_POS) {
            at_model_data(m, m->pos[one++].embed.tensor)[0] = 1;
            continue;
        }
        const at_embed *e = x->op == OP_ROWS ? &m->pos[m->n_pos - 1].embed
                            : x->field >= 0  ? &m->fields[x->field].embed
                                             : NULL;
        double *t = e ? at_model_data(m, e->tensor) : NULL;
        int64_t n = x->op == OP_ROWS   ? program_longest(P)
                    : x->op == OP_REAL ? 0
                    : e                ? field_rows(&P->fields[x->field])
                                       : 0;
        for (int64_t r = 0; r < n; r++)
            t[r * e->width + L->home[v] - e->col] = x->table[r * x->stride];
        if (x->op == OP_REAL)
            t[x->component * e->width + L->home[v] - e->col] = 1;
        for (int k = 0; x->prefix && k < P->n_prefix; k++)
            at_model_data(m, m->prefix.tensor)[(size_t)k * (size_t)L->D + (size_t)L->home[v]] = x->prefix[k];
        for (int k = 0; x->suffix && k < P->n_suffix; k++)
            at_model_data(m, m->suffix.tensor)[(size_t)k * (size_t)L->D + (size_t)L->home[v]] = x->suffix[k];
    }
}

/* (v, -v) and nothing else, by two units: a block of its own, after all others. */
static at_status shape_normed(const plan *L, at_block *out, at_arena *a, at_err *err)
{
    *out = (at_block){.kind = AT_BLOCK_MLP,
                      .norm_g = -1,
                      .norm_b = -1,
                      .act = L->P->lambda > 0 ? AT_ACT_GELU : AT_ACT_RELU,
                      .n_dense = 2,
                      .dense = at_new(a, at_dense, 2)};
    if (!out->dense)
        return at_oom(err);
    out->dense[0].rows = 2;
    out->dense[1].rows = L->D;
    return AT_OK;
}

static void write_normed(const plan *L, const at_block *b, const at_model *m)
{
    double *in = at_model_data(m, b->dense[0].w), *out = at_model_data(m, b->dense[1].w);
    const form *f = L->out[0];
    row_write(in, f);
    at_model_data(m, b->dense[0].b)[0] = f->c0;
    for (int c = 0; c < L->D; c++)
        in[L->D + c] = -in[c];
    at_model_data(m, b->dense[0].b)[1] = -f->c0;
    out[0] = out[3] = 1; /* relu(v) - relu(-v) = v, and the same of -v */
    out[1] = out[2] = -1;
    for (int c = 0; c < L->D; c++)
        at_model_data(m, m->readout.norm_g)[c] = 1;
    at_model_data(m, m->readout.w)[0] = sqrt(2. / L->D); /* of D numbers two are not 0 */
}

static at_status build_model(const plan *L, bool weights, at_model *m, at_err *err)
{
    const at_program *P = L->P;
    name_copy(m->name, P->name);
    m->width = L->D;
    m->n_min = P->n_min;
    m->n_max = P->N;
    m->pos_origin = P->origin;
    char arith[16];
    at_arith_name(P->arith, arith);
    at_status st = at_model_made_for(m, arith, err);
    if (!st)
        st = shape_input(L, m, err);
    bool normed = P->half > 0;
    m->n_blocks = L->n_blocks + normed;
    m->blocks = at_new(&m->arena, at_block, L->n_blocks + 1); /* one more: the last, of what is normed */
    m->n_subspaces = L->D;
    m->subspaces = at_new(&m->arena, at_subspace, L->D);
    if (!m->blocks || !m->subspaces)
        return at_oom(err);
    for (int b = 0; b < L->n_blocks && !st; b++)
        st = shape_block(L, &L->blocks[b], &m->blocks[b], &m->arena, err);
    for (int b = 0; b < L->n_blocks; b++)
        for (int h = 0; L->blocks[b].attn && h < L->blocks[b].n_heads && !st; h++)
            st = at_model_name_head(m, b, h, P->steps[L->blocks[b].heads[h].step].label, err);
    if (!st && normed)
        st = shape_normed(L, &m->blocks[L->n_blocks], &m->arena, err);
    for (int c = 0; c < L->D; c++) {
        name_copy(m->subspaces[c].name, L->names[c].n ? L->names[c].s : "-");
        m->subspaces[c].col = c;
        m->subspaces[c].width = 1;
        st = st ? st : L->names[c].oom ? at_oom(err) : AT_OK;
    }
    m->readout = (at_readout){
        .kind = P->read, .rows = P->out.n, .threshold = P->threshold, .last = P->last, .final_norm = normed};
    form **out = L->out;
    if (!st)
        st = weights ? at_model_layout(m, err) : at_model_shape(m, err);
    if (st || !weights)
        return st;
    write_input(L, m);
    for (int b = 0; b < L->n_blocks; b++)
        write_block(L, &L->blocks[b], &m->blocks[b], m);
    if (normed)
        write_normed(L, &m->blocks[L->n_blocks], m);
    else
        forms_write(m, m->readout.w, m->readout.b, out, P->out.n);
    return at_model_validate(m, err);
}

static void plan_release(plan *L)
{
    for (int c = 0; c < L->cap && L->names; c++)
        at_text_release(&L->names[c]);
    at_arena_release(L->arena);
}

static at_status assemble(at_program *P, bool weights, at_model *m, double *out_error, at_err *err)
{
    at_model_init(m);
    at_status st = at_program_status(P, err);
    if (!st && P->out.n == 0)
        st = at_fail(err, AT_EDOMAIN, "program %s has no output", P->name);
    if (!st && weights && P->meaning == 0)
        st = at_fail(err, AT_EREFUSED, "program %s: it is for its shape alone, over the reals", P->name);
    if (st)
        return st;
    at_arena scratch;
    at_arena_init(&scratch);
    at_err why = {0};
    plan L = {.P = P, .arena = &scratch, .err = &why};
    while ((st = plan_all(&L)) != AT_ENOMEM &&
           L.again) { /* each time more variables are marked, so it ends */
        plan_release(&L);
        at_arena_init(&scratch);
        why = (at_err){0};
        L = (plan){.P = P, .arena = &scratch, .err = &why};
    }
    st = st ? at_fail(err, st, "%s", why.text) : build_model(&L, weights, m, err);
    if (out_error && !st) {
        *out_error = 0;
        for (int k = 0; k < P->out.n; k++)
            if (P->vars[P->out.v[k]].err > *out_error)
                *out_error = P->vars[P->out.v[k]].err;
    }
    plan_release(&L);
    if (st)
        at_model_release(m);
    return st;
}

at_status at_assemble(at_program *P, at_model *m, double *out_error, at_err *err)
{
    return assemble(P, true, m, out_error, err);
}

at_status at_program_shape(at_program *P, at_model *m, at_err *err)
{
    return assemble(P, false, m, NULL, err);
}
