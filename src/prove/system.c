/* system.c: counting programs and automata, side by side, as one transition system.
 *
 * What a program says at a letter is in truths.c, how a state is run through in states.c.
 *
 * A count that is only ever compared by itself with numbers up to k behaves the same from k + 1 on, and is kept at that: a program
 * of which all counts are so is a finite automaton, and the search decides it. */
#include "prove_internal.h"

#include <stdlib.h>
#include <string.h>

enum { CAP_MOST = 64 };

void *prove_keep(prove_system *s, size_t n, size_t bytes)
{
    void *p = s->err.code ? NULL : at_arena_alloc(s->arena, n ? n : 1, bytes);
    if (!p && !s->err.code)
        at_oom(&s->err);
    return p;
}

int prove_part_add(prove_system *s, prove_part x)
{
    prove_part *p = prove_push(s, &s->parts);
    if (!p)
        return -1;
    *p = x;
    return s->parts.n - 1;
}

const char *const at_prove_words_text[AT_WORDS_KINDS] = {
    "accepting at the last letter: words of one letter or more, nothing is said of the empty word",
    "accepting at the end marker: all words, the empty one among them",
    ("one accepting at the last letter, one at the end marker: words of one letter or more, nothing is said "
     "of the empty word")};

at_prove_words prove_words_of(const at_prove_question *q)
{
    bool a = q->a->at == AT_AT_END, b = q->b ? q->b->at == AT_AT_END : a;
    return a && b ? AT_WORDS_END : a || b ? AT_WORDS_MIXED : AT_WORDS_LAST;
}

static at_status automaton_make(prove_system *s, const at_dfa *d, const int *letter, int *out)
{
    int *to = prove_keep(s, (size_t)d->states * (size_t)s->S, sizeof *to);
    bool *in = prove_keep(s, (size_t)d->states, sizeof *in);
    for (int q = 0; to && q < d->states; q++)
        for (int a = 0; a < s->S; a++)
            to[q * s->S + a] = d->to[q * s->S + letter[a]];
    int part =
        to && in ? prove_part_add(s, (prove_part){.states = d->states, .start = d->start, .to = to}) : -1;
    if (part < 0)
        return s->err.code;
    for (int a = 0; a <= s->S; a++) {
        for (int q = 0; q < d->states; q++)
            in[q] = d->accept[a < s->S ? to[q * s->S + a] : q];
        out[a] = prove_in(s, part, in);
    }
    return s->err.code;
}

/* True from the first letter on. */
static int begun_make(prove_system *s)
{
    int *next = prove_keep(s, (size_t)s->S, sizeof *next),
        *key = prove_keep(s, 2 * (size_t)s->S, sizeof *key);
    for (int a = 0; next && a < s->S; a++)
        next[a] = 1;
    prove_bit *b = next && key ? prove_push(s, &s->bits) : NULL;
    if (!b)
        return 0;
    memset(key, -2, 2 * (size_t)s->S * sizeof *key);
    *b = (prove_bit){.next = next, .key = key};
    return prove_bit_node(s, s->bits.n - 1);
}

static at_status bad_make(prove_system *s, const at_prove_question *q, const int *x, const int *y)
{
    int from = s->at_end ? s->S : 0, to = s->at_end ? s->S + 1 : s->S;
    int begun = prove_words_of(q) == AT_WORDS_MIXED ? begun_make(s) : 1;
    for (int a = from; a < to; a++) {
        int one = prove_and(s, x[a], prove_not(s, y[a])), two = prove_and(s, y[a], prove_not(s, x[a]));
        int bad = q->what == AT_PROVE_EQUAL ? prove_or(s, one, two) : one;
        s->bad[a] = prove_and(s, begun, bad);
    }
    return s->err.code;
}

/* ---- what matters ----------------------------------------------------------------------------------------------------------------- */

static void mark(prove_system *s, bool *live, int node);

static void form_mark(prove_system *s, bool *live, const prove_node *x)
{
    const prove_form *f = &s->forms.at[x->a];
    for (int i = 0; i < f->n; i++) {
        prove_count *c = &s->counts.at[f->count[i]];
        bool new = !c->live;
        c->live = true;
        for (int a = 0; new &&a < s->S; a++)
            mark(s, live, c->by[a]);
    }
}

static void mark(prove_system *s, bool *live, int node)
{
    const prove_node *x = &s->nodes.at[node];
    if (live[node])
        return;
    live[node] = true;
    switch (x->op) {
    case PN_FALSE:
    case PN_TRUE:
        return;
    case PN_BIT:
        if (!s->bits.at[x->a].live) {
            s->bits.at[x->a].live = true;
            for (int a = 0; a < s->S; a++)
                mark(s, live, s->bits.at[x->a].next[a]);
        }
        return;
    case PN_IN:
        s->parts.at[x->a].live = true;
        return;
    case PN_AND:
    case PN_OR:
        mark(s, live, x->b);
        mark(s, live, x->a);
        return;
    case PN_NOT:
        mark(s, live, x->a);
        return;
    case PN_LESS:
        form_mark(s, live, x);
        return;
    }
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static at_status cuts_find(prove_system *s, const bool *live)
{
    for (int k = 0; k < s->nodes.n; k++)
        if (live[k] && s->nodes.at[k].op == PN_LESS)
            s->forms.at[s->nodes.at[k].a].n_cuts++;
    for (int k = 0; k < s->forms.n; k++) {
        s->forms.at[k].cut = prove_keep(s, (size_t)s->forms.at[k].n_cuts, sizeof(int64_t));
        s->forms.at[k].n_cuts = 0;
        if (!s->forms.at[k].cut)
            return s->err.code;
    }
    for (int k = 0; k < s->nodes.n; k++)
        if (live[k] && s->nodes.at[k].op == PN_LESS) {
            prove_form *f = &s->forms.at[s->nodes.at[k].a];
            f->cut[f->n_cuts++] = s->nodes.at[k].k;
        }
    for (int k = 0; k < s->forms.n; k++)
        qsort(s->forms.at[k].cut, (size_t)s->forms.at[k].n_cuts, sizeof(int64_t), ascending);
    return AT_OK;
}

static at_status caps_find(prove_system *s)
{
    s->free = prove_keep(s, (size_t)s->counts.n, sizeof *s->free);
    for (int c = 0; s->free && c < s->counts.n; c++) {
        int64_t most = -1;
        for (int k = 0; k < s->forms.n; k++) {
            const prove_form *f = &s->forms.at[k];
            for (int i = 0; i < f->n && f->n_cuts; i++)
                if (f->count[i] == c)
                    most = f->n > 1                       ? INT64_MAX - 1
                           : f->cut[f->n_cuts - 1] > most ? f->cut[f->n_cuts - 1]
                                                          : most;
        }
        if (s->counts.at[c].live && most + 1 <= CAP_MOST)
            s->counts.at[c].cap = (int)most + 1;
        else if (s->counts.at[c].live)
            s->free[s->n_free++] = c;
    }
    return s->err.code;
}

static at_status matter_find(prove_system *s)
{
    bool *live = prove_keep(s, (size_t)s->nodes.n, sizeof *live);
    for (int a = 0; live && a <= s->S; a++)
        mark(s, live, s->bad[a]);
    at_status st = live ? cuts_find(s, live) : s->err.code;
    if (!st)
        st = caps_find(s);
    s->fields = s->counts.n + s->bits.n + s->parts.n;
    s->seen = prove_keep(s, (size_t)s->nodes.n, sizeof *s->seen);
    s->value = prove_keep(s, (size_t)s->nodes.n, sizeof *s->value);
    return s->err.code;
}

int *prove_letters(const at_alphabet *ours, const at_alphabet *theirs, at_arena *a, at_err *err)
{
    int *out = at_new(a, int, ours->n + 1);
    bool same = ours->n == theirs->n;
    if (!out) {
        at_oom(err);
        return NULL;
    }
    for (int k = 0; k < ours->n && same; k++) {
        out[k] = at_alphabet_find(theirs, ours->letter[k], strlen(ours->letter[k]));
        same = out[k] >= 0;
    }
    if (same)
        return out;
    at_fail(err, AT_EINPUT, "the two have other letters; a line \"alphabet\" in both says them");
    return NULL;
}

at_status prove_system_make(const at_prove_question *q, at_arena *a, prove_system **out, at_err *err)
{
    const at_alphabet *sigma = &q->a->sigma;
    const int *own = prove_letters(sigma, sigma, a, err),
              *theirs = q->b || q->language
                            ? prove_letters(sigma, q->b ? &q->b->sigma : &q->language->sigma, a, err)
                            : own;
    prove_system *s = own && theirs ? at_new(a, prove_system, 1) : NULL;
    if (!s)
        return err->code ? err->code : at_oom(err);
    *s = (prove_system){.arena = a, .S = sigma->n, .at_end = prove_words_of(q) != AT_WORDS_LAST};
    s->bad = prove_keep(s, (size_t)s->S + 1, sizeof *s->bad);
    int *says[2] = {prove_keep(s, (size_t)s->S + 1, sizeof(int)),
                    prove_keep(s, (size_t)s->S + 1, sizeof(int))};
    prove_node *no = prove_push(s, &s->nodes), *yes = no ? prove_push(s, &s->nodes) : NULL;
    if (yes)
        yes->op = PN_TRUE;
    at_status st = s->err.code;
    if (!st)
        st = prove_program_make(s, q->a, own, says[0]);
    if (!st && q->b)
        st = prove_program_make(s, q->b, theirs, says[1]);
    else if (!st && q->language)
        st = automaton_make(s, q->language, theirs, says[1]);
    if (!st)
        st = bad_make(s, q, says[0], says[1]);
    if (!st)
        st = matter_find(s);
    if (st) {
        if (err && !err->code)
            *err = s->err;
        return st;
    }
    *out = s;
    return AT_OK;
}
