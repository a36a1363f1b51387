/* compile_dp_fetch.c: what the next row needs of others, copied, and its values. */
#include "compile_dp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What steers a look-up must be exact, since its error is multiplied by positions. A table rounds it, a few units for each
 * value that it can have; where those are many the copy itself is made more exact. */
enum { ROUNDED = 256 };

static bool rounds(const dp_compiler *c, at_var v)
{
    at_var_info r = at_program_var(c->P, v);
    return r.hi - r.lo < ROUNDED;
}

static at_var rounded(dp_compiler *c, at_var got)
{
    double same[ROUNDED];
    if (got < 0)
        return got;
    at_var_info r = at_program_var(c->P, got);
    for (int v = 0; v <= (int)(r.hi - r.lo); v++)
        same[v] = r.lo + v;
    return at_table(c->P, dpc_fresh(c), got, same);
}

/* What a copy is called: as in the file, or by its number where it is read in place. */
static const char *copy_name(const at_dp_name *n, const char *kind, int k, char buf[32])
{
    if (n->name[0])
        return n->name;
    snprintf(buf, 32, "%s%d", kind, k + 1);
    return buf;
}

static at_var take_copy(dp_compiler *c, int k, at_var target)
{
    char own[32];
    const char *name = copy_name(&c->d->takes[k].name, "in", k, own);
    bool steers = c->d->steering >> k & 1, few = rounds(c, c->s);
    at_program_label(c->P, name); /* whatever heads the copy takes */
    at_var got = c->copy(c->copier, name, target, AT_VEC(c->s), steers && !few);
    at_program_label(c->P, NULL);
    return steers && few ? rounded(c, got) : got;
}

at_var dpc_take(dp_compiler *c, int k)
{
    const at_dp *d = c->d;
    if (c->take[k] >= 0)
        return c->take[k];
    at_var index = dpc_translate(c, d->takes[k].index);
    dpc_place_name(c, &d->takes[k].name);
    at_var target = at_sum(c->P, NULL, AT_VEC(index), NULL, (double)c->x->input_first[d->takes[k].input]);
    return c->take[k] = take_copy(c, k, target);
}

static void copied_note(dp_compiler *c, int k)
{
    if (c->place_of[k] < 0) {
        c->place_of[k] = c->n_copied;
        c->copied[c->n_copied++] = k;
    }
}

/* Of the answer, too: it may ask for a state that is not the last. */
static void copied_find(dp_compiler *c, const at_dpx *e)
{
    if (!e)
        return;
    if (e->op == AT_DPX_NEED || (e->op == AT_DPX_VALUE && c->d->answer_state[0]))
        copied_note(c, e->op == AT_DPX_NEED ? e->field : e->index);
    for (int i = 0; i < 3; i++)
        copied_find(c, e->arg[i]);
}

/* Which values are read of other states at all: those are copied, in the order of the file. */
void dpc_copied_find(dp_compiler *c)
{
    const at_dp *d = c->d;
    bool used[AT_DP_MAX];
    for (int k = 0; k < AT_DP_MAX; k++)
        c->place_of[k] = -1;
    for (int l = 0; l < d->n_lets; l++)
        copied_find(c, d->lets[l].rule);
    for (int k = 0; k < d->n_values; k++)
        copied_find(c, d->values[k].rule);
    copied_find(c, d->answer);
    for (int t = 0; t < d->n_takes; t++) {
        copied_find(c, d->takes[t].index);
        copied_find(c, d->takes[t].when);
    }
    for (int n = 0; n < d->n_needs; n++) {
        copied_find(c, d->needs[n].when);
        for (int m = 0; m < d->n_counters; m++)
            copied_find(c, d->needs[n].counter[m]);
    }
    for (int k = 0; k < AT_DP_MAX; k++)
        used[k] = c->place_of[k] >= 0;
    c->n_copied = 0;
    for (int k = 0; k < d->n_values; k++) {
        c->place_of[k] = -1;
        if (used[k])
            copied_note(c, k);
    }
}

/* The columns that dependencies are copied for. */
at_vec dpc_copied(const dp_compiler *c, at_var out[AT_DP_MAX])
{
    for (int k = 0; k < c->n_copied; k++)
        out[k] = c->value[c->copied[k]];
    return (at_vec){c->n_copied, out};
}

static void need_fetch(dp_compiler *c, int k)
{
    const at_dp *d = c->d;
    at_var at[AT_DP_MAX], columns[AT_DP_MAX];
    char own[32];
    for (int m = 0; m < d->n_counters; m++)
        at[m] = dpc_translate(c, d->needs[k].counter[m]);
    dpc_place_name(c, &d->needs[k].name);
    at_var rank = dpc_rank(c, d->needs[k].counter, at);
    at_var target = at_sum(c->P, NULL, AT_VEC(rank), NULL, (double)c->x->n_input + 2);
    dpc_place_name(c, &d->needs[k].name);
    const char *name = copy_name(&d->needs[k].name, "need", k, own);
    bool few = true;
    for (int v = 0; v < c->n_copied; v++)
        few = few && rounds(c, c->value[c->copied[v]]);
    at_program_label(c->P, name);
    c->need[k] = c->copy(c->copier, name, target, dpc_copied(c, columns), d->needs[k].steers && !few);
    at_program_label(c->P, NULL);
}

at_var dpc_need(dp_compiler *c, int k, int field)
{
    if (c->need[k] < 0)
        need_fetch(c, k);
    if (c->need[k] < 0)
        return -1;
    at_var got = c->need[k] + c->place_of[field];
    if (!c->d->needs[k].steers || !rounds(c, got))
        return got;
    if (c->exact[k][field] < 0)
        c->exact[k][field] = rounded(c, got);
    return c->exact[k][field];
}

/* All values of every dependency, and of the state that the answer asks for. */
static void packed_fetch(dp_compiler *c)
{
    at_var last = -1;
    c->n_copied = c->d->n_values;
    for (int k = 0; k < c->n_copied; k++)
        c->copied[k] = c->place_of[k] = k;
    dp_pack_fetch(c->pack, c->P, c->s, c->value, c->take, c->need, &last);
    for (int k = 0; k < c->n_copied; k++)
        c->final[k] = last + k;
}

void dpc_fetch(dp_compiler *c)
{
    if (c->pack) {
        packed_fetch(c);
        return;
    }
    for (int k = 0; k < c->d->n_takes; k++)
        dpc_take(c, k);
    for (int k = 0; k < c->d->n_needs; k++)
        if (c->need[k] < 0 && c->n_copied)
            need_fetch(c, k);
}

/* Step 4: value k of the next state. */
at_var dpc_value(dp_compiler *c, int k)
{
    const at_dp_value *v = &c->d->values[k];
    if (c->now[k] >= 0)
        return c->now[k];
    at_var rule = dpc_translate(c, v->rule);
    if (v->own) {
        at_var own = dpc_translate(c, v->own);
        rule = at_select(c->P, dpc_fresh(c), own, rule, at_const(c->P, 0));
    }
    return c->now[k] = rule;
}
