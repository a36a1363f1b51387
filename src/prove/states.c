/* states.c: running a transition system: its first state, truths at a state, the state behind a letter. */
#include "prove_internal.h"

#include <string.h>

void prove_state_start(const prove_system *s, int *state)
{
    memset(state, 0, (size_t)s->fields * sizeof *state);
    for (int b = 0; b < s->bits.n; b++)
        state[s->counts.n + b] = s->bits.at[b].live && s->bits.at[b].initial;
    for (int p = 0; p < s->parts.n; p++)
        state[s->counts.n + s->bits.n + p] = s->parts.at[p].live ? s->parts.at[p].start : 0;
}

void prove_state_look(prove_system *s)
{
    s->stamp++;
}

int64_t prove_form_value(const prove_form *f, const int *state)
{
    int64_t v = 0;
    for (int i = 0; i < f->n; i++)
        v += f->coef[i] * state[f->count[i]];
    return v;
}

bool prove_value(prove_system *s, int node, const int *state)
{
    const prove_node *x = &s->nodes.at[node];
    if (node <= 1)
        return node;
    if (s->seen[node] == s->stamp)
        return s->value[node];
    bool v = false;
    switch (x->op) {
    case PN_FALSE:
    case PN_TRUE:
        break;
    case PN_BIT:
        v = state[s->counts.n + x->a];
        break;
    case PN_IN:
        v = s->sets.at[x->b].in[state[s->counts.n + s->bits.n + x->a]];
        break;
    case PN_NOT:
        v = !prove_value(s, x->a, state);
        break;
    case PN_AND:
        v = prove_value(s, x->a, state) && prove_value(s, x->b, state);
        break;
    case PN_OR:
        v = prove_value(s, x->a, state) || prove_value(s, x->b, state);
        break;
    case PN_LESS:
        v = prove_form_value(&s->forms.at[x->a], state) <= x->k;
        break;
    }
    s->seen[node] = s->stamp;
    return s->value[node] = v;
}

void prove_state_step(prove_system *s, const int *state, int letter, int *next)
{
    memcpy(next, state, (size_t)s->fields * sizeof *next);
    for (int c = 0; c < s->counts.n; c++) {
        const prove_count *x = &s->counts.at[c];
        if (x->live && !(x->cap && state[c] >= x->cap))
            next[c] += prove_value(s, x->by[letter], state);
    }
    for (int b = 0; b < s->bits.n; b++)
        if (s->bits.at[b].live)
            next[s->counts.n + b] = prove_value(s, s->bits.at[b].next[letter], state);
    for (int p = 0; p < s->parts.n; p++) {
        int at = s->counts.n + s->bits.n + p;
        if (s->parts.at[p].live)
            next[at] = s->parts.at[p].to[state[at] * s->S + letter];
    }
}
