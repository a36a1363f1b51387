/* regular_program.c: a program of C-RASP for an automaton whose states have classes of their own (regular.c): the proof of "yes".
 *
 * All counts are of what stands before: #[j < i]. Said of a component C of the automaton, at a position:
 *
 *     entered e   #[a letter took the run from outside to e] >= 1; of the start, true. At most one e of C ever holds
 *     H           sum h(s, b) #[entered C, letter s, class b of the round before]: the potential of the state less that of e
 *     class c     entered e and H = p(c) - p(e), for some e and every map h; and the class before of c
 *     left        #[entered C, in the class of u, and a letter that leads from u out of C] >= 1
 *     in u        entered C, not left, in the class of u
 *
 * As long as the run is in C classes are right, so the first letter that leads out of C is seen as such, and none before it.
 * After it "left" holds whatever classes say, and C is not entered again. So "in u" holds exactly when the run is in u. */
#include "regular.h"

#include <stdio.h>

typedef struct {
    const regular_parts *r;
    at_formulas *f;
    int tag, named;
    at_formula **in;  /* (states) */
    at_formula **raw; /* (states): the class of the state alone */
} writer;

/* ---- formulas, with true and false folded ------------------------------------------------------------------------------------------- */

static bool is(const at_formula *x, bool value)
{
    return x && x->op == AT_F_CONST && (x->value != 0) == value;
}

static at_formula *both(writer *w, at_formula *x, at_formula *y)
{
    return is(x, true) || is(y, false)   ? y
           : is(y, true) || is(x, false) ? x
                                         : at_formula_two(w->f, AT_F_AND, x, y);
}

static at_formula *either(writer *w, at_formula *x, at_formula *y)
{
    return is(x, false) || is(y, true)   ? y
           : is(y, false) || is(x, true) ? x
                                         : at_formula_two(w->f, AT_F_OR, x, y);
}

/* A definition, so that what is used often is written once. */
static at_formula *name(writer *w, const char *word, at_formula *x)
{
    char text[40];
    if (!x || x->op == AT_F_CONST || x->op == AT_F_NAME || x->op == AT_F_LETTER)
        return x;
    snprintf(text, sizeof text, "%s%d_%d", word, w->tag, w->named++);
    int k = at_formulas_define(w->f, text, x);
    return k < 0 ? NULL : at_formula_make(w->f, (at_formula){.op = AT_F_NAME, .index = k});
}

static at_formula *count(writer *w, at_formula *x)
{
    return at_formula_make(w->f, (at_formula){.op = AT_F_COUNT, .see = AT_SEE_BEFORE, .arg = {x}});
}

static at_formula *some_before(writer *w, at_formula *x)
{
    return is(x, false) ? x : at_formula_two(w->f, AT_F_LESS_EQUAL, at_formula_number(w->f, 1), count(w, x));
}

/* ---- one component ------------------------------------------------------------------------------------------------------------------ */

/* (states): entered here; false where no letter leads in. */
static at_formula *entered(writer *w, int id, int e)
{
    const at_dfa *d = w->r->d;
    at_formula *by = at_formula_const(w->f, false);
    if (e == d->start)
        return at_formula_const(w->f, true);
    for (int u = 0; u < d->states; u++)
        for (int s = 0; s < d->sigma.n && w->r->of[u] != id; s++)
            if (d->to[u * d->sigma.n + s] == e)
                by = either(w, by, both(w, w->in[u], at_formula_letter(w->f, s)));
    return name(w, "entered", some_before(w, name(w, "into", by)));
}

/* H of one map: (letters, classes before) of sums. */
static at_formula *sum_of(writer *w, const regular_round *r, const int64_t *map, at_formula *const *counts)
{
    at_formula *sum = NULL;
    int n = w->r->d->sigma.n * r->n_before;
    for (int l = 0; l < n; l++) {
        if (!map[l] || !counts[l])
            continue;
        at_formula *term =
            at_formula_make(w->f, (at_formula){.op = AT_F_TIMES, .value = map[l], .arg = {counts[l]}});
        sum = sum           ? at_formula_two(w->f, AT_F_ADD, sum, map[l] == 1 ? counts[l] : term)
              : map[l] == 1 ? counts[l]
                            : term;
    }
    return sum ? sum : at_formula_number(w->f, 0);
}

/* The classes of a round by those of the round before: (n_classes). */
static at_status round_write(writer *w, int id, const regular_round *r, at_formula *const *enter,
                             at_formula *any, at_formula **before, at_formula **out, at_arena *a)
{
    const at_dfa *d = w->r->d;
    const regular_component *c = &w->r->at[id];
    int S = d->sigma.n;
    at_formula **counts = at_new(a, at_formula *, S * r->n_before + 1);
    at_formula **sums = at_new(a, at_formula *, r->n_maps + 1);
    if (!counts || !sums)
        return AT_ENOMEM;
    for (int s = 0; s < S; s++)
        for (int b = 0; b < r->n_before; b++)
            counts[s * r->n_before + b] =
                name(w, "seen", count(w, both(w, both(w, any, before[b]), at_formula_letter(w->f, s))));
    for (int k = 0; k < r->n_maps; k++)
        sums[k] = name(w, "sum", sum_of(w, r, r->map + (size_t)k * (size_t)(S * r->n_before), counts));
    for (int k = 0; k < c->n; k++) {
        int u = c->state[k];
        if (out[r->class[u]])
            continue;
        at_formula *here = at_formula_const(w->f, false);
        for (int i = 0; i < c->n; i++) {
            int e = c->state[i];
            at_formula *all = enter[e];
            for (int m = 0; m < r->n_maps && !is(all, false); m++) {
                const int64_t *p = r->potential + (size_t)m * (size_t)d->states;
                all = both(w, all,
                           at_formula_two(w->f, AT_F_EQUAL, sums[m], at_formula_number(w->f, p[u] - p[e])));
            }
            here = either(w, here, all);
        }
        out[r->class[u]] = name(w, "class", both(w, here, before[r->before[u]]));
    }
    return AT_OK;
}

static at_status component_write(writer *w, int id, at_arena *a)
{
    const at_dfa *d = w->r->d;
    const regular_component *c = &w->r->at[id];
    at_formula **enter = at_new(a, at_formula *, d->states), *any = at_formula_const(w->f, false);
    at_formula **before = at_new(a, at_formula *, c->n + 1);
    if (!enter || !before)
        return AT_ENOMEM;
    for (int k = 0; k < c->n; k++) {
        enter[c->state[k]] = entered(w, id, c->state[k]);
        any = either(w, any, enter[c->state[k]]);
    }
    any = name(w, "component", any);
    before[0] = at_formula_const(w->f, true);
    for (int r = 0; r < c->n_rounds; r++) {
        at_formula **now = at_new(a, at_formula *, c->n + 1);
        at_status st = now ? round_write(w, id, &c->round[r], enter, any, before, now, a) : AT_ENOMEM;
        if (st)
            return st;
        before = now;
    }
    at_formula *leave = at_formula_const(w->f, false);
    for (int k = 0; k < c->n; k++) {
        int u = c->state[k];
        w->raw[u] = c->n_rounds ? before[c->round[c->n_rounds - 1].class[u]] : before[0];
        for (int s = 0; s < d->sigma.n; s++)
            if (w->r->of[d->to[u * d->sigma.n + s]] != id)
                leave = either(w, leave, both(w, both(w, any, w->raw[u]), at_formula_letter(w->f, s)));
    }
    leave = name(w, "leaves", leave);
    at_formula *left = some_before(w, leave);
    at_formula *stays = is(left, false) ? at_formula_const(w->f, true) : at_formula_one(w->f, AT_F_NOT, left);
    at_formula *inside = name(w, "inside", both(w, any, stays));
    for (int k = 0; k < c->n; k++)
        w->in[c->state[k]] = name(w, "state", both(w, inside, w->raw[c->state[k]]));
    return AT_OK;
}

at_formula *regular_program(const regular_parts *r, at_formulas *f, int tag, at_arena *a)
{
    writer w = {.r = r,
                .f = f,
                .tag = tag,
                .in = at_new(a, at_formula *, r->d->states),
                .raw = at_new(a, at_formula *, r->d->states)};
    at_status st = w.in && w.raw ? AT_OK : AT_ENOMEM;
    for (int k = 0; k < r->n && !st && !f->err.code; k++)
        st = component_write(&w, k, a);
    if (st && !f->err.code)
        at_oom(&f->err);
    at_formula *out = at_formula_const(f, false);
    for (int q = 0; q < r->d->states && !st && !f->err.code; q++)
        if (r->d->accept[q])
            out = either(&w, out, w.in[q]);
    return f->err.code ? NULL : out;
}
