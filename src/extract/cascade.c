/* cascade.c: an automaton without periods as a formula that looks back.
 *
 * Krohn and Rhodes: such an automaton is a cascade of resets (at_cascade): level t has a coordinate, which a letter keeps or sets to a
 * value that depends on the letter and on the coordinates of the levels above, as they were before the letter. Let before(t, v) say
 * of a position that coordinate t has value v just before it, and set(t, v) that its letter sets it to v. Then
 *
 *     before(t, v) = (NOT set(t, any other)) S set(t, v),   or, for the value that it begins with, nothing set it yet,
 *     set(t, v)    = OR over the rows of coordinates above and the letters that set it to v.
 *
 * Behind the word the coordinates say the state. With positions modulo m the letters of the automaton are pairs of a letter and a
 * class of positions (modular.c), where that makes it one without periods. */
#include "extract_internal.h"

typedef struct {
    past p;
    const at_cascade *c;
    int modulus; /* of positions; 1: there are none */
    at_arena *a;
    at_formula **row;    /* (nodes): the coordinates before this position are these */
    at_formula ***value; /* (levels, size): set(t, v) */
} maker;

static at_formula *letter_make(maker *k, int letter)
{
    int m = k->modulus;
    at_formula *x = at_formula_letter(k->p.f, letter / m);
    if (m == 1)
        return x;
    /* positions are counted from 0 there */
    return past_and(
        &k->p, x,
        at_formula_make(k->p.f, (at_formula){.op = AT_F_CLASS, .index = (letter % m + 1) % m, .modulus = m}));
}

/* set(t, v) for all v, where the rows above t are known. */
static at_status sets_make(maker *k, int t, at_err *err)
{
    const at_cascade *c = k->c;
    k->value[t] = at_new(k->a, at_formula *, c->size[t] + 1);
    if (!k->value[t])
        return at_oom(err);
    for (int v = 0; v < c->size[t]; v++) {
        at_formula *x = past_const(&k->p, false);
        for (int n = 0; n < c->nodes; n++) {
            if (c->depth[n] != t)
                continue;
            at_formula *letters = past_const(&k->p, false);
            for (int a = 0; a < c->letters; a++)
                if (c->reset[n * c->letters + a] == v)
                    letters = past_or(&k->p, letters, letter_make(k, a));
            x = past_or(&k->p, x, past_and(&k->p, letters, k->row[n]));
        }
        k->value[t][v] = past_name(&k->p, "set", x);
    }
    return past_status(&k->p, err);
}

/* before(t, v) */
static at_formula *before_make(maker *k, int t, int v)
{
    past *p = &k->p;
    at_formula *good = k->value[t][v], *bad = past_const(p, false);
    for (int w = 0; w < k->c->size[t]; w++)
        if (w != v)
            bad = past_or(p, bad, k->value[t][w]);
    at_formula *x = past_found(p, false, good, bad, past_or(p, good, bad));
    return v == k->c->initial[t] ? past_or(p, x, past_not(p, past_any(p, past_or(p, good, bad)))) : x;
}

static at_status rows_make(maker *k, at_err *err)
{
    const at_cascade *c = k->c;
    at_status s = AT_OK;
    k->row = at_new(k->a, at_formula *, c->nodes);
    k->value = at_new(k->a, at_formula **, c->levels + 1);
    if (!k->row || !k->value)
        return at_oom(err);
    k->row[0] = past_const(&k->p, true);
    for (int t = 0; t < c->levels && !s; t++) {
        s = sets_make(k, t, err);
        for (int n = 0; n < c->nodes && !s; n++)
            if (c->depth[n] == t + 1)
                k->row[n] = past_name(&k->p, "row",
                                      past_and(&k->p, k->row[c->parent[n]],
                                               past_name(&k->p, "at", before_make(k, t, c->value[n]))));
        if (!s)
            s = past_status(&k->p, err);
    }
    return s;
}

static at_formula *accept_make(maker *k, const at_dfa *d)
{
    const at_cascade *c = k->c;
    int of = 0, all = 0;
    for (int n = 0; n < c->nodes; n++)
        if (c->depth[n] == c->levels) {
            all++;
            of += d->accept[c->state[n]];
        }
    bool turned = 2 * of > all;
    at_formula *x = past_const(&k->p, false);
    for (int n = 0; n < c->nodes; n++)
        if (c->depth[n] == c->levels && d->accept[c->state[n]] != turned)
            x = past_or(&k->p, x, k->row[n]);
    return turned ? past_not(&k->p, x) : x;
}

at_status cascade_past(const at_extracted *d, at_logic logic, at_arena *a, at_extracted_past *out,
                       at_err *err)
{
    at_arena scratch;
    at_place own, modular, *place = &own;
    at_cascade *c = NULL;
    at_arena_init(&scratch);
    maker k = {.a = &scratch, .modulus = 1, .p.named = logic == AT_LOGIC_BRASP};
    at_status s = at_place_find(d->dfa, &scratch, &own, err);
    if (!s && own.star_free == AT_UNKNOWN)
        s = at_fail(err, AT_EBUDGET, "its automaton of %d states has a monoid of more than %d elements",
                    own.states, AT_MONOID_MAX);
    if (!s && own.star_free == AT_FALSE && d->period == 1)
        s = at_fail(
            err, AT_EREFUSED,
            "its automaton has a period, and a unique-hard model without positions has none; this is a "
            "fault of attest");
    if (!s && own.star_free == AT_FALSE && logic == AT_LOGIC_BRASP)
        s = at_fail(
            err, AT_EREFUSED,
            "its positions repeat every %d and decide, and B-RASP knows no positions; temporal logic has "
            "mod(i, m): --to ltl",
            d->period);
    if (!s && own.star_free == AT_FALSE) {
        s = at_place_modular(&own, &scratch, &k.modulus, &modular, err);
        place = &modular;
    }
    if (!s)
        s = at_cascade_make(place->m, &scratch, &c, err);
    k.c = c;
    if (!s)
        s = at_formulas_new(&d->dfa->sigma, a, &k.p.f, err);
    if (!s)
        s = rows_make(&k, err);
    if (!s)
        s = past_accept(&k.p, accept_make(&k, place->least), err);
    *out = (at_extracted_past){.formulas = k.p.f, .period = d->period, .rounded = d->rounded};
    at_arena_release(&scratch);
    return s;
}
