/* nfa.c: automata that choose, and how choices are removed: a state of the deterministic one is the set of states that one may be
 * in. Only states that a letter leaves, and the last one, tell such sets apart. */
#include <attest/automaton.h>

#include <stdlib.h>
#include <string.h>

enum { SUBSET_NUMBERS = 1 << 26 }; /* of all sets together: 256 MiB */

void at_nfa_init(at_nfa *x, const at_alphabet *sigma)
{
    *x = (at_nfa){.sigma = *sigma};
}

void at_nfa_release(at_nfa *x)
{
    at_free(x->edge);
    *x = (at_nfa){0};
}

int at_nfa_state(at_nfa *x)
{
    if (x->states >= AT_NFA_MAX) {
        x->failed = x->failed ? x->failed : AT_EBUDGET;
        return 0;
    }
    return x->states++;
}

void at_nfa_edge(at_nfa *x, int from, int letter, int to)
{
    if (x->failed)
        return;
    if (x->n >= (size_t)AT_NFA_MAX * 8) {
        x->failed = AT_EBUDGET;
        return;
    }
    if (x->n == x->room) {
        size_t room = x->room ? x->room * 2 : 256;
        at_edge *e = at_realloc(x->edge, room * sizeof *e);
        if (!e) {
            x->failed = AT_ENOMEM;
            return;
        }
        x->edge = e;
        x->room = room;
    }
    x->edge[x->n++] = (at_edge){from, letter, to};
}

void at_nfa_embed(at_nfa *x, const at_dfa *d, int from, int to)
{
    if (x->failed)
        return;
    if (x->states > AT_NFA_MAX - d->states) {
        x->failed = AT_EBUDGET;
        return;
    }
    int first = x->states;
    x->states += d->states;
    at_nfa_edge(x, from, -1, first + d->start);
    for (int q = 0; q < d->states; q++) {
        for (int a = 0; a < d->sigma.n; a++)
            at_nfa_edge(x, first + q, a, first + d->to[q * d->sigma.n + a]);
        if (d->accept[q])
            at_nfa_edge(x, first + q, -1, to);
    }
}

/* ---- subsets -------------------------------------------------------------------------------------------------------- */

typedef struct {
    const at_nfa *x;
    size_t *first; /* (states + 1): the edges of a state are sorted[first[q] .. first[q + 1]) */
    at_edge *sorted;
    bool *kept;       /* (states): is it left by a letter, or the last? */
    int *stamp, time; /* (states): met in this round */
    int *stack;       /* (states) */
    int *set, n_set;  /* the set that is being made */
    /* sets: numbers number[begin[k] .. begin[k + 1]) */
    int *number;
    size_t n_numbers, room_numbers, *begin;
    int n, room;
    int *slot;
    size_t slots;
} subsets;

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void reach(subsets *w, int q)
{
    int n = 0;
    if (w->stamp[q] == w->time)
        return;
    w->stamp[q] = w->time;
    w->stack[n++] = q;
    while (n) {
        q = w->stack[--n];
        if (w->kept[q])
            w->set[w->n_set++] = q;
        for (size_t e = w->first[q]; e < w->first[q + 1]; e++) {
            int to = w->sorted[e].to;
            if (w->sorted[e].letter < 0 && w->stamp[to] != w->time) {
                w->stamp[to] = w->time;
                w->stack[n++] = to;
            }
        }
    }
}

static size_t subset_slot(const subsets *w, const int *set, size_t n)
{
    size_t k = at_hash64(set, n * sizeof *set, 7) & (w->slots - 1);
    for (; w->slot[k] >= 0; k = (k + 1) & (w->slots - 1)) {
        size_t b = w->begin[w->slot[k]];
        if (w->begin[w->slot[k] + 1] - b == n && memcmp(w->number + b, set, n * sizeof *set) == 0)
            break;
    }
    return k;
}

static at_status subset_room(subsets *w, at_err *err)
{
    if (!w->number ||
        w->n_numbers + (size_t)w->n_set > w->room_numbers) { /* there is one, also for empty sets */
        size_t room = (w->n_numbers + (size_t)w->n_set) * 2 + 1;
        int *more = room > SUBSET_NUMBERS ? NULL : at_realloc(w->number, room * sizeof *more);
        if (!more && room > SUBSET_NUMBERS)
            return at_fail(err, AT_EBUDGET, "the automaton without choices is too large to be made here");
        if (!more)
            return at_oom(err);
        w->number = more;
        w->room_numbers = room;
    }
    if (w->n < w->room)
        return AT_OK;
    int room = w->room ? w->room * 2 : 64;
    size_t *begin = at_realloc(w->begin, ((size_t)room + 1) * sizeof *begin);
    if (!begin)
        return at_oom(err);
    begin[0] = 0;
    w->begin = begin;
    int *slot = at_realloc(w->slot, (size_t)room * 2 * sizeof *slot);
    if (!slot)
        return at_oom(err);
    w->slot = slot;
    w->room = room;
    w->slots = (size_t)room * 2;
    memset(slot, -1, w->slots * sizeof *slot);
    for (int k = 0; k < w->n; k++)
        w->slot[subset_slot(w, w->number + w->begin[k], w->begin[k + 1] - w->begin[k])] = k;
    return AT_OK;
}

/* The number of the set that was made. */
static at_status subset_meet(subsets *w, int *out, at_err *err)
{
    at_status s = subset_room(w, err);
    if (s)
        return s;
    qsort(w->set, (size_t)w->n_set, sizeof *w->set, compare);
    size_t k = subset_slot(w, w->set, (size_t)w->n_set);
    if (w->slot[k] < 0) {
        memcpy(w->number + w->n_numbers, w->set, (size_t)w->n_set * sizeof *w->set);
        w->n_numbers += (size_t)w->n_set;
        w->slot[k] = w->n++;
        w->begin[w->n] = w->n_numbers;
    }
    *out = w->slot[k];
    return AT_OK;
}

static bool edges_sort(subsets *w, int last, at_arena *a)
{
    const at_nfa *x = w->x;
    size_t n = (size_t)x->states;
    w->first = at_new(a, size_t, n + 2);
    w->sorted = at_new(a, at_edge, x->n + 1);
    w->kept = at_new(a, bool, n);
    w->stamp = at_new(a, int, n);
    w->stack = at_new(a, int, n);
    w->set = at_new(a, int, n);
    if (!w->first || !w->sorted || !w->kept || !w->stamp || !w->stack || !w->set)
        return false;
    for (size_t e = 0; e < x->n; e++)
        w->first[x->edge[e].from + 2]++;
    for (size_t q = 0; q < n; q++)
        w->first[q + 2] += w->first[q + 1];
    for (size_t e = 0; e < x->n; e++) {
        w->sorted[w->first[x->edge[e].from + 1]++] = x->edge[e];
        if (x->edge[e].letter >= 0)
            w->kept[x->edge[e].from] = true;
    }
    w->kept[last] = true;
    return true;
}

at_status at_nfa_determinize(const at_nfa *x, int from, int to, at_arena *a, at_dfa **out, at_err *err)
{
    if (x->failed == AT_ENOMEM)
        return at_oom(err);
    if (x->failed)
        return at_fail(err, AT_EBUDGET, "an automaton of more than %d states before choices are removed",
                       AT_NFA_MAX);
    at_arena scratch;
    at_arena_init(&scratch);
    subsets w = {.x = x, .time = 1};
    int letters = x->sigma.n, k = 0, room = 0, *next = NULL;
    at_status s = edges_sort(&w, to, &scratch) ? AT_OK : at_oom(err);
    if (!s) {
        reach(&w, from);
        s = subset_meet(&w, &k, err);
    }
    for (int i = 0; !s && i < w.n; i++) {
        if (w.n > AT_STATES_MAX)
            s = at_fail(err, AT_EBUDGET, "an automaton of more than %d states; that many are worked with",
                        AT_STATES_MAX);
        if (!s && i >= room) {
            int *more =
                at_realloc(next, sizeof *more * (size_t)(room = room ? room * 2 : 64) * (size_t)letters);
            next = more ? more : next;
            s = more ? AT_OK : at_oom(err);
        }
        for (int c = 0; !s && c < letters; c++) {
            w.time++;
            w.n_set = 0;
            for (size_t j = w.begin[i]; j < w.begin[i + 1]; j++)
                for (size_t e = w.first[w.number[j]]; e < w.first[w.number[j] + 1]; e++)
                    if (w.sorted[e].letter == c)
                        reach(&w, w.sorted[e].to);
            s = subset_meet(&w, &k, err);
            next[i * letters + c] = k;
        }
    }
    at_dfa all = {.sigma = x->sigma, .states = w.n, .to = next};
    if (!s && !(all.accept = at_new(&scratch, bool, w.n)))
        s = at_oom(err);
    for (int i = 0; !s && i < w.n; i++)
        for (size_t j = w.begin[i]; j < w.begin[i + 1]; j++)
            all.accept[i] = all.accept[i] || w.number[j] == to;
    if (!s)
        s = at_dfa_minimize(&all, a, out, err);
    at_free(next);
    at_free(w.number);
    at_free(w.begin);
    at_free(w.slot);
    at_arena_release(&scratch);
    return s;
}
