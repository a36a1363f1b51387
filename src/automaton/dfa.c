/* dfa.c: complete deterministic automata. The least one is found by Hopcroft's algorithm: split blocks by where they go,
 * always going on with the smaller half (J. Hopcroft, An n log n algorithm for minimizing states in a finite automaton,
 * 1971). */
#include <attest/automaton.h>

#include <string.h>

at_status at_dfa_new(const at_alphabet *sigma, int states, at_arena *a, at_dfa **out, at_err *err)
{
    *out = NULL;
    if (states > AT_STATES_MAX)
        return at_fail(err, AT_EBUDGET, "an automaton of %d states; at most %d are worked with", states,
                       AT_STATES_MAX);
    at_dfa *d = at_new(a, at_dfa, 1);
    if (!d || !(d->to = at_new(a, int, (size_t)states *(size_t)sigma->n)) ||
        !(d->accept = at_new(a, bool, states)))
        return at_oom(err);
    d->sigma = *sigma;
    d->states = states;
    *out = d;
    return AT_OK;
}

bool at_dfa_accepts(const at_dfa *d, const int *word, int n)
{
    int q = d->start;
    for (int i = 0; i < n; i++)
        q = d->to[q * d->sigma.n + word[i]];
    return d->accept[q];
}

/* ---- the least automaton -------------------------------------------------------------------------------------- */

/* n states in blocks: those of block b are elem[first[b] .. end[b]), of which the first `marked[b]` are marked. */
typedef struct {
    int n, blocks;
    int *elem, *place, *block;     /* (n): place[elem[i]] = i */
    int *first, *end, *marked;     /* (n) */
    int *work, n_work, *touched;   /* (n): blocks to split by; blocks with marks */
    bool *waits;                   /* (n): is the block in work? */
    int *copy, *pred, *pred_first; /* (n); (n letters): states before, by letter and state */
} partition;

static void mark(partition *p, int q, int *n_touched)
{
    int b = p->block[q], at = p->place[q], to = p->first[b] + p->marked[b];
    if (at < to)
        return;
    if (p->marked[b]++ == 0)
        p->touched[(*n_touched)++] = b;
    int other = p->elem[to];
    p->elem[to] = q;
    p->elem[at] = other;
    p->place[q] = to;
    p->place[other] = at;
}

/* What is marked in block b becomes a block of its own, unless that is all of it. */
static void split(partition *p, int b)
{
    int n_marked = p->marked[b];
    p->marked[b] = 0;
    if (n_marked == p->end[b] - p->first[b])
        return;
    int new = p->blocks++;
    p->first[new] = p->first[b];
    p->end[new] = p->first[b] += n_marked;
    p->marked[new] = 0;
    for (int i = p->first[new]; i < p->end[new]; i++)
        p->block[p->elem[i]] = new;
    int add = p->waits[b] || p->end[new] - p->first[new] <= p->end[b] - p->first[b] ? new : b;
    p->work[p->n_work++] = add;
    p->waits[add] = true;
}

/* states before each, by letter: those of (a, q) are pred[pred_first[a n + q] .. pred_first[a n + q + 1]) */
static void before_make(partition *p, const at_dfa *d)
{
    int n = p->n, letters = d->sigma.n;
    for (int q = 0; q < n; q++)
        for (int a = 0; a < letters; a++)
            p->pred_first[a * n + d->to[q * letters + a] + 1]++;
    for (int k = 0; k < n * letters; k++)
        p->pred_first[k + 1] += p->pred_first[k];
    for (int q = n - 1; q >= 0;
         q--) /* pred_first[k + 1] is counted down to the begin of k, then all move one on */
        for (int a = 0; a < letters; a++)
            p->pred[--p->pred_first[a * n + d->to[q * letters + a] + 1]] = q;
    for (int k = 0; k < n * letters; k++)
        p->pred_first[k] = p->pred_first[k + 1];
    p->pred_first[n * letters] = n * letters;
}

static bool partition_make(partition *p, const at_dfa *d, at_arena *a)
{
    size_t n = (size_t)d->states, all = n * (size_t)d->sigma.n;
    *p = (partition){.n = d->states,
                     .elem = at_new(a, int, n),
                     .place = at_new(a, int, n),
                     .block = at_new(a, int, n),
                     .first = at_new(a, int, n),
                     .end = at_new(a, int, n),
                     .marked = at_new(a, int, n),
                     .work = at_new(a, int, n + 1),
                     .touched = at_new(a, int, n),
                     .waits = at_new(a, bool, n),
                     .copy = at_new(a, int, n),
                     .pred = at_new(a, int, all),
                     .pred_first = at_new(a, int, all + 1)};
    return p->elem && p->place && p->block && p->first && p->end && p->marked && p->work && p->touched &&
           p->waits && p->copy && p->pred && p->pred_first;
}

static void refine(partition *p, const at_dfa *d)
{
    int n_touched = 0;
    for (int q = 0; q < p->n; q++)
        p->elem[q] = p->place[q] = q;
    p->blocks = 1;
    p->end[0] = p->n;
    p->work[p->n_work++] = 0; /* both sides of the first split: nothing has been split by the whole */
    p->waits[0] = true;
    for (int q = 0; q < p->n; q++)
        if (d->accept[q])
            mark(p, q, &n_touched);
    if (n_touched)
        split(p, 0);
    while (p->n_work) {
        int b = p->work[--p->n_work], n_copy = p->end[b] - p->first[b];
        p->waits[b] = false;
        memcpy(p->copy, p->elem + p->first[b], sizeof(int) * (size_t)n_copy);
        for (int a = 0; a < d->sigma.n; a++) {
            n_touched = 0;
            for (int i = 0; i < n_copy; i++) {
                int k = a * p->n + p->copy[i];
                for (int j = p->pred_first[k]; j < p->pred_first[k + 1]; j++)
                    mark(p, p->pred[j], &n_touched);
            }
            for (int t = 0; t < n_touched; t++)
                split(p, p->touched[t]);
        }
    }
}

/* Blocks as they are met from the start; number: (blocks), -1 for those that are not met. Returns how many are. */
static int number_blocks(const partition *p, const at_dfa *d, int *number, int *order)
{
    int n = 0;
    for (int b = 0; b < p->blocks; b++)
        number[b] = -1;
    number[p->block[d->start]] = n;
    order[n++] = p->block[d->start];
    for (int k = 0; k < n; k++)
        for (int a = 0; a < d->sigma.n; a++) {
            int b = p->block[d->to[p->elem[p->first[order[k]]] * d->sigma.n + a]];
            if (number[b] < 0) {
                number[b] = n;
                order[n++] = b;
            }
        }
    return n;
}

at_status at_dfa_minimize(const at_dfa *d, at_arena *a, at_dfa **out, at_err *err)
{
    at_arena scratch;
    at_arena_init(&scratch);
    partition p;
    int *number = at_new(&scratch, int, d->states), *order = at_new(&scratch, int, d->states);
    at_status s = number && order && partition_make(&p, d, &scratch) ? AT_OK : at_oom(err);
    if (!s) {
        before_make(&p, d);
        refine(&p, d);
        int n = number_blocks(&p, d, number, order);
        s = at_dfa_new(&d->sigma, n, a, out, err);
        for (int k = 0; !s && k < n; k++) {
            int q = p.elem[p.first[order[k]]];
            (*out)->accept[k] = d->accept[q];
            for (int c = 0; c < d->sigma.n; c++)
                (*out)->to[k * d->sigma.n + c] = number[p.block[d->to[q * d->sigma.n + c]]];
        }
    }
    at_arena_release(&scratch);
    return s;
}

bool at_dfa_equal(const at_dfa *a, const at_dfa *b)
{
    if (a->sigma.n != b->sigma.n || a->states != b->states || a->start != b->start)
        return false;
    for (int k = 0; k < a->sigma.n; k++)
        if (strcmp(a->sigma.letter[k], b->sigma.letter[k]) != 0)
            return false;
    return memcmp(a->to, b->to, sizeof(int) * (size_t)a->states * (size_t)a->sigma.n) == 0 &&
           memcmp(a->accept, b->accept, sizeof(bool) * (size_t)a->states) == 0;
}

/* ---- two automata at once --------------------------------------------------------------------------------------- */

/* Pairs of states that are met from the starts, in order of shortest words. */
typedef struct {
    int n, room;
    int *x, *y, *before, *by; /* (n) */
    int *slot;
    size_t slots;
} pairs;

static void pairs_release(pairs *p)
{
    at_free(p->x);
    at_free(p->y);
    at_free(p->before);
    at_free(p->by);
    at_free(p->slot);
}

static bool grow(int **v, int room)
{
    int *w = at_realloc(*v, sizeof **v * (size_t)room);
    *v = w ? w : *v;
    return w != NULL;
}

static size_t pairs_slot(const pairs *p, int x, int y)
{
    int key[2] = {x, y};
    size_t k = at_hash64(key, sizeof key, 1) & (p->slots - 1);
    while (p->slot[k] >= 0 && (p->x[p->slot[k]] != x || p->y[p->slot[k]] != y))
        k = (k + 1) & (p->slots - 1);
    return k;
}

static bool pairs_room(pairs *p)
{
    if (p->n < p->room)
        return true;
    int room = p->room ? p->room * 2 : 64;
    if (!grow(&p->x, room) || !grow(&p->y, room) || !grow(&p->before, room) || !grow(&p->by, room) ||
        !grow(&p->slot, room * 2))
        return false;
    p->room = room;
    p->slots = (size_t)room * 2;
    for (size_t k = 0; k < p->slots; k++)
        p->slot[k] = -1;
    for (int i = 0; i < p->n; i++)
        p->slot[pairs_slot(p, p->x[i], p->y[i])] = i;
    return true;
}

static at_status pairs_meet(pairs *p, int x, int y, int before, int by, int *index, at_err *err)
{
    if (!pairs_room(p))
        return at_oom(err);
    size_t k = pairs_slot(p, x, y);
    if (p->slot[k] < 0) {
        p->x[p->n] = x;
        p->y[p->n] = y;
        p->before[p->n] = before;
        p->by[p->n] = by;
        p->slot[k] = p->n++;
    }
    *index = p->slot[k];
    return AT_OK;
}

at_status at_dfa_intersect(const at_dfa *x, const at_dfa *y, at_arena *a, at_dfa **out, at_err *err)
{
    pairs p = {0};
    int letters = x->sigma.n, k, *to = NULL, room = 0;
    at_status s = pairs_meet(&p, x->start, y->start, -1, -1, &k, err);
    for (int i = 0; !s && i < p.n; i++) {
        if (p.n > AT_STATES_MAX)
            s = at_fail(err, AT_EBUDGET, "an automaton of more than %d states; that many are worked with",
                        AT_STATES_MAX);
        if (!s && i >= room && !grow(&to, (room = room ? room * 2 : 64) * letters))
            s = at_oom(err);
        for (int c = 0; !s && c < letters; c++) {
            s = pairs_meet(&p, x->to[p.x[i] * letters + c], y->to[p.y[i] * letters + c], i, c, &k, err);
            to[i * letters + c] = k;
        }
    }
    at_dfa all = {.sigma = x->sigma, .states = p.n, .to = to};
    if (!s && !(all.accept = at_calloc((size_t)p.n, sizeof(bool))))
        s = at_oom(err);
    for (int i = 0; !s && i < p.n; i++)
        all.accept[i] = x->accept[p.x[i]] && y->accept[p.y[i]];
    if (!s)
        s = at_dfa_minimize(&all, a, out, err);
    at_free(to);
    at_free(all.accept);
    pairs_release(&p);
    return s;
}

at_status at_dfa_differ(const at_dfa *x, const at_dfa *y, at_arena *a, int **word, int *n, at_err *err)
{
    pairs p = {0};
    int letters = x->sigma.n, k, found = -1;
    *n = -1;
    at_status s = pairs_meet(&p, x->start, y->start, -1, -1, &k, err);
    for (int i = 0; !s && i < p.n && found < 0; i++) {
        if (x->accept[p.x[i]] != y->accept[p.y[i]])
            found = i;
        for (int c = 0; !s && found < 0 && c < letters; c++)
            s = pairs_meet(&p, x->to[p.x[i] * letters + c], y->to[p.y[i] * letters + c], i, c, &k, err);
    }
    if (!s && found >= 0) {
        int length = 0;
        for (int i = found; p.before[i] >= 0; i = p.before[i])
            length++;
        if (!(*word = at_new(a, int, length + 1)))
            s = at_oom(err);
        else {
            *n = length;
            for (int i = found; p.before[i] >= 0; i = p.before[i])
                (*word)[--length] = p.by[i];
        }
    }
    pairs_release(&p);
    return s;
}

at_status at_dfa_complement(const at_dfa *d, at_arena *a, at_dfa **out, at_err *err)
{
    at_status s = at_dfa_new(&d->sigma, d->states, a, out, err);
    if (s)
        return s;
    (*out)->start = d->start;
    memcpy((*out)->to, d->to, sizeof(int) * (size_t)d->states * (size_t)d->sigma.n);
    for (int q = 0; q < d->states; q++)
        (*out)->accept[q] = !d->accept[q];
    return AT_OK;
}
