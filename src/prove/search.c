/* search.c: states by breadth: the first bad one has a shortest word. Words that count alike meet in one state, so that words of n
 * letters make some n^c states, not 2^n. */
#include "prove_internal.h"

#include <string.h>

typedef struct {
    prove_system *s;
    prove_search *x;
    size_t room, slots, most;
    uint32_t *slot; /* state + 1 */
} searcher;

static int *state_at(const searcher *w, size_t k)
{
    return w->x->states + k * (size_t)w->s->fields;
}

static at_status room_make(searcher *w, at_err *err)
{
    prove_search *x = w->x;
    if (x->n < w->room)
        return AT_OK;
    size_t room = w->room ? 2 * w->room : 1024, bytes = (size_t)w->s->fields * sizeof(int);
    room = room > w->most ? w->most : room;
    int *states = at_realloc(x->states, room * (bytes ? bytes : 1));
    x->states = states ? states : x->states;
    int *parent = states ? at_realloc(x->parent, room * sizeof *parent) : NULL;
    x->parent = parent ? parent : x->parent;
    int *letter = parent ? at_realloc(x->letter, room * sizeof *letter) : NULL;
    x->letter = letter ? letter : x->letter;
    uint32_t *slot = letter ? at_calloc(4 * room, sizeof *slot) : NULL;
    if (!slot)
        return at_oom(err);
    size_t slots = 1;
    while (slots < 2 * room)
        slots *= 2;
    for (size_t k = 0; k < x->n; k++) {
        size_t at = at_hash64(state_at(w, k), bytes, 7) & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)k + 1;
    }
    at_free(w->slot);
    w->slot = slot;
    w->slots = slots;
    w->room = room;
    return AT_OK;
}

/* False: it was there. */
static bool state_add(searcher *w, const int *state, int parent, int letter)
{
    size_t bytes = (size_t)w->s->fields * sizeof *state;
    size_t at = at_hash64(state, bytes, 7) & (w->slots - 1);
    for (; w->slot[at]; at = (at + 1) & (w->slots - 1))
        if (!memcmp(state_at(w, w->slot[at] - 1), state, bytes))
            return false;
    w->x->parent[w->x->n] = parent;
    w->x->letter[w->x->n] = letter;
    memcpy(state_at(w, w->x->n++), state, bytes);
    w->slot[at] = (uint32_t)w->x->n;
    return true;
}

/* The word to state k, then `last` unless that is -1. */
static at_status word_make(searcher *w, int k, int last, at_arena *a, at_err *err)
{
    int n = last >= 0;
    for (int i = k; w->x->parent[i] >= 0; i = w->x->parent[i])
        n++;
    int *word = at_new(a, int, n + 1);
    if (!word)
        return at_oom(err);
    w->x->word = word;
    w->x->n_word = n;
    if (last >= 0)
        word[--n] = last;
    for (int i = k; w->x->parent[i] >= 0; i = w->x->parent[i])
        word[--n] = w->x->letter[i];
    return AT_OK;
}

/* All words one letter longer than that of state k. *full: there is no room for them. */
static at_status expand(searcher *w, int k, int *next, at_arena *a, bool *full, at_err *err)
{
    prove_system *s = w->s;
    for (int letter = 0; letter < s->S; letter++) {
        if (w->x->n == w->most) {
            *full = true;
            return AT_OK;
        }
        at_status st = room_make(w, err);
        if (st)
            return st;
        prove_state_look(s);
        if (!s->at_end && prove_value(s, s->bad[letter], state_at(w, (size_t)k)))
            return word_make(w, k, letter, a, err);
        prove_state_step(s, state_at(w, (size_t)k), letter, next);
        if (!state_add(w, next, k, letter) || !s->at_end)
            continue;
        prove_state_look(s);
        if (prove_value(s, s->bad[s->S], next))
            return word_make(w, (int)w->x->n - 1, -1, a, err);
    }
    return AT_OK;
}

static at_status search(searcher *w, at_arena *a, at_err *err)
{
    prove_system *s = w->s;
    prove_search *x = w->x;
    int *next = at_new(a, int, s->fields + 1);
    at_status st = next ? room_make(w, err) : at_oom(err);
    if (st)
        return st;
    prove_state_start(s, next);
    state_add(w, next, -1, -1);
    prove_state_look(s);
    if (s->at_end && prove_value(s, s->bad[s->S], next))
        return word_make(w, 0, -1, a, err);
    size_t level = 1; /* states before this one have words of at most `depth` letters */
    bool full = false;
    for (size_t k = 0; k < x->n && x->n_word < 0 && !full && !st; k++) {
        if (k == level) {
            x->depth++;
            level = x->n;
        }
        if (k % 4096 == 0 && at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted");
        st = expand(w, (int)k, next, a, &full, err);
    }
    x->whole = !st && !full && x->n_word < 0;
    return st;
}

at_status prove_search_run(prove_system *s, size_t most, at_arena *a, prove_search *out, at_err *err)
{
    *out = (prove_search){.n_word = -1};
    /* at most a quarter of a gigabyte */
    size_t bytes = ((size_t)s->fields + 8) * sizeof(int), fit = ((size_t)1 << 28) / bytes;
    searcher w = {.s = s, .x = out, .most = most < fit ? most : fit};
    if (w.most < 2)
        w.most = 2;
    at_status st = search(&w, a, err);
    at_free(w.slot);
    return st;
}

void prove_search_release(prove_search *x)
{
    at_free(x->states);
    at_free(x->parent);
    at_free(x->letter);
    *x = (prove_search){.n_word = -1};
}
