/* cascade.c: an automaton without periods as a cascade of resets.
 *
 * Let I be the sets Q f (f in the monoid), Q itself and the single states. P <= R when P is part of some R f: that is reachability by
 * letters and by taking a part. Sets that reach one another are one class; they have one size, and between two of them the
 * monoid has one map only (another would give a permutation that is not the identity, hence a period). The height of
 * single states is 0, that of R one more than the largest of a set strictly below.
 *
 * A state is written as a descent Q > R > ... > {q}. From a set of height h one goes to one of its tiles, the maximal
 * proper parts in I; tiles have numbers, those of the class's representative, carried over by that one map. Coordinate h
 * is the tile's number; a level whose height the descent jumps over has 0.
 *
 * Letter a, level h: let R be the set above level h before a, and R' after it; R a is part of R'. If the height of R' is
 * not h, the coordinate is reset to 0. If R a = R', then R and R' are of one class and tiles go to tiles of the same number:
 * it is kept. Else R a lies in a tile of R', whatever the coordinate was: it is reset to that. So what happens depends
 * on the letter and on the coordinates above, which is the invariant of the cascade. */
#include "automaton_internal.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 1 << 20 };

/* Sets of states, S words of bits each. */
typedef struct {
    const at_monoid *m;
    int Q, letters, words;
    int n, room;
    uint64_t *set; /* (n, words) */
    int *slot;
    size_t slots;
    int *to;              /* (n, letters): the image under a letter */
    int *class, *size;    /* (n); sets of one class are of one size */
    int *height, *rep;    /* (n): rep is the first set of the class */
    uint16_t *carry;      /* (n, Q): where the map from the representative takes its states */
    int *n_tiles, **tile; /* (n): of representatives, numbers of sets */
    uint64_t *spare;      /* (words) */
    at_arena *a;
} sets;

static uint64_t *set_of(const sets *w, int k)
{
    return w->set + (size_t)k * (size_t)w->words;
}

static size_t slot_of(const sets *w, const uint64_t *set)
{
    size_t bytes = (size_t)w->words * sizeof *set, k = at_hash64(set, bytes, 3) & (w->slots - 1);
    while (w->slot[k] >= 0 && memcmp(set_of(w, w->slot[k]), set, bytes) != 0)
        k = (k + 1) & (w->slots - 1);
    return k;
}

/* The number of a set, which is entered when it is new; -1: out of memory. */
static int set_meet(sets *w, const uint64_t *set)
{
    size_t words = (size_t)w->words;
    if (w->n == w->room) {
        int room = w->room ? w->room * 2 : 64;
        uint64_t *more = at_new(w->a, uint64_t, (size_t)room * words);
        int *slot = at_new(w->a, int, (size_t)room * 4);
        if (!more || !slot)
            return -1;
        if (w->n)
            memcpy(more, w->set, (size_t)w->n * words * sizeof *more);
        w->set = more;
        w->slot = slot;
        w->slots = (size_t)room * 4;
        w->room = room;
        memset(slot, -1, w->slots * sizeof *slot);
        for (int k = 0; k < w->n; k++)
            slot[slot_of(w, set_of(w, k))] = k;
    }
    size_t at = slot_of(w, set);
    if (w->slot[at] < 0) {
        memcpy(set_of(w, w->n), set, words * sizeof *set);
        w->slot[at] = w->n++;
    }
    return w->slot[at];
}

static bool has(const uint64_t *set, int q)
{
    return set[q / 64] >> (q % 64) & 1;
}

static int count(const sets *w, int k)
{
    int n = 0;
    for (int i = 0; i < w->words; i++)
        n += __builtin_popcountll(set_of(w, k)[i]);
    return n;
}

static bool part_of(const sets *w, const uint64_t *p, const uint64_t *r)
{
    for (int i = 0; i < w->words; i++)
        if (p[i] & ~r[i])
            return false;
    return true;
}

static void image(const sets *w, const uint64_t *set, int letter, uint64_t *out)
{
    memset(out, 0, (size_t)w->words * sizeof *out);
    for (int q = 0; q < w->Q; q++)
        if (has(set, q)) {
            int to = w->m->d->to[q * w->letters + letter];
            out[to / 64] |= (uint64_t)1 << (to % 64);
        }
}

/* I: closed under letters from Q, and single states go to single states. */
static bool sets_make(sets *w)
{
    uint64_t *one = at_new(w->a, uint64_t, w->words), *next = at_new(w->a, uint64_t, w->words);
    if (!one || !next)
        return false;
    for (int q = 0; q < w->Q; q++)
        one[q / 64] |= (uint64_t)1 << (q % 64);
    if (set_meet(w, one) < 0)
        return false;
    for (int q = 0; q < w->Q; q++) {
        memset(one, 0, (size_t)w->words * sizeof *one);
        one[q / 64] = (uint64_t)1 << (q % 64);
        if (set_meet(w, one) < 0)
            return false;
    }
    for (int k = 0; k < w->n; k++)
        for (int c = 0; c < w->letters; c++) {
            image(w, set_of(w, k), c, next);
            if (set_meet(w, next) < 0)
                return false;
        }
    if (!(w->to = at_new(w->a, int, (size_t)w->n *(size_t)w->letters)))
        return false;
    for (int k = 0; k < w->n; k++)
        for (int c = 0; c < w->letters; c++) {
            image(w, set_of(w, k), c, next);
            w->to[k * w->letters + c] = set_meet(w, next);
        }
    return true;
}

/* ---- classes, heights, tiles ---------------------------------------------------------------------------------------------- */

/* Sets of one class have one size, so letters alone join them. */
static bool classes_make(sets *w)
{
    size_t n = (size_t)w->n, letters = (size_t)w->letters;
    int *next = at_new(w->a, int, n *letters);
    w->class = at_new(w->a, int, n);
    w->size = at_new(w->a, int, n);
    if (!next || !w->class || !w->size)
        return false;
    for (int k = 0; k < w->n; k++)
        w->size[k] = count(w, k);
    for (int k = 0; k < w->n * w->letters; k++)
        next[k] = w->size[w->to[k]] == w->size[k / w->letters] ? w->to[k] : -1;
    return graph_components(w->n, w->letters, next, w->class, w->a);
}

/* The map from the representative to each set of its class, breadth first. */
static bool carry_make(sets *w)
{
    size_t Q = (size_t)w->Q;
    int *queue = at_new(w->a, int, w->n), letters = w->letters;
    w->rep = at_new(w->a, int, w->n);
    w->carry = at_new(w->a, uint16_t, (size_t)w->n * Q);
    if (!queue || !w->rep || !w->carry)
        return false;
    for (int k = 0; k < w->n; k++)
        w->rep[k] = -1;
    for (int root = 0; root < w->n; root++) {
        int met = 0;
        if (w->rep[root] >= 0)
            continue;
        w->rep[root] = root;
        queue[met++] = root;
        for (size_t q = 0; q < Q; q++)
            w->carry[(size_t)root * Q + q] = (uint16_t)q;
        for (int i = 0; i < met; i++)
            for (int c = 0; c < letters; c++) {
                int from = queue[i], to = w->to[from * letters + c];
                if (w->class[to] != w->class[root] || w->rep[to] >= 0)
                    continue;
                w->rep[to] = root;
                queue[met++] = to;
                for (size_t q = 0; q < Q; q++)
                    w->carry[(size_t)to * Q + q] =
                        (uint16_t)w->m->d->to[w->carry[(size_t)from * Q + q] * letters + c];
            }
    }
    return true;
}

static _Thread_local const sets *sorting;

/* Smaller sets first; of one size, classes that are reached by others first. */
static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    int d = sorting->size[x] - sorting->size[y], e = sorting->class[x] - sorting->class[y];
    return d ? d : e ? e : (x > y) - (x < y);
}

/* Maximal proper parts of the representative r; parts of its are among the sets before it in order. */
static bool tiles_make(sets *w, int r, const int *order, int before)
{
    int n = 0, *found = at_new(w->a, int, before);
    if (!found)
        return false;
    for (int i = before - 1; i >= 0; i--) { /* large ones first */
        int p = order[i];
        bool maximal = w->size[p] < w->size[r] && part_of(w, set_of(w, p), set_of(w, r));
        for (int k = 0; k < n && maximal; k++)
            maximal = !part_of(w, set_of(w, p), set_of(w, found[k]));
        if (maximal)
            found[n++] = p;
    }
    w->n_tiles[r] = n;
    w->tile[r] = found;
    return true;
}

/* One class after the other, those below it before it. What is strictly below a set is below a part of it, or below what
 * a letter makes of a set of its class. */
static bool heights_make(sets *w)
{
    int *order = at_new(w->a, int, w->n);
    w->height = at_new(w->a, int, w->n);
    w->n_tiles = at_new(w->a, int, w->n);
    w->tile = at_new(w->a, int *, w->n);
    if (!order || !w->height || !w->n_tiles || !w->tile)
        return false;
    for (int k = 0; k < w->n; k++)
        order[k] = k;
    sorting = w;
    qsort(order, (size_t)w->n, sizeof *order, compare);
    for (int i = 0, end; i < w->n; i = end) {
        int r = order[i], height = 0; /* the first of its class, which is the representative */
        for (end = i; end < w->n && w->class[order[end]] == w->class[r] && w->size[order[end]] == w->size[r];)
            end++;
        if (w->size[r] == 1)
            continue;
        if (!tiles_make(w, r, order, i))
            return false;
        for (int k = 0; k < w->n_tiles[r]; k++)
            height = height > w->height[w->tile[r][k]] + 1 ? height : w->height[w->tile[r][k]] + 1;
        for (int k = i; k < end; k++)
            for (int c = 0; c < w->letters; c++) {
                int to = w->to[order[k] * w->letters + c];
                if (w->class[to] != w->class[r] && height < w->height[to] + 1)
                    height = w->height[to] + 1;
            }
        for (int k = i; k < end; k++)
            w->height[order[k]] = height;
    }
    return true;
}

/* Tile x of any set r; -1: out of memory (never: it is one of the sets). */
static int tile_of(sets *w, int r, int x)
{
    const uint64_t *tile = set_of(w, w->tile[w->rep[r]][x]);
    memset(w->spare, 0, (size_t)w->words * sizeof *w->spare);
    for (int q = 0; q < w->Q; q++)
        if (has(tile, q)) {
            int to = w->carry[(size_t)r * (size_t)w->Q + (size_t)q];
            w->spare[to / 64] |= (uint64_t)1 << (to % 64);
        }
    return w->slot[slot_of(w, w->spare)];
}

/* The first tile of r that the set p is part of. */
static int tile_with(sets *w, int r, const uint64_t *p)
{
    for (int x = 0; x < w->n_tiles[w->rep[r]]; x++)
        if (part_of(w, p, set_of(w, tile_of(w, r, x))))
            return x;
    return -1;
}

/* ---- the rows that are met --------------------------------------------------------------------------------------------------- */

typedef struct {
    sets *w;
    at_cascade *c;
    int room;
    int *set, *child, *sibling; /* (nodes): the set that the row descends to */
    int *next; /* (nodes, letters): the row after a letter, of the same depth; -1: not asked yet */
    at_status status;
    at_err *err;
} rows;

static bool grow(int **array, size_t bytes)
{
    int *more = at_realloc(*array, bytes);
    *array = more ? more : *array;
    return more != NULL;
}

static bool rows_room(rows *s)
{
    at_cascade *c = s->c;
    if (c->nodes < s->room)
        return true;
    size_t room = s->room ? (size_t)s->room * 2 : 64, each = room * sizeof(int),
           all = each * (size_t)c->letters;
    if (room > ROWS_MAX) {
        s->status =
            at_fail(s->err, AT_EBUDGET, "a cascade of more than %d rows of coordinates", ROWS_MAX / 2);
        return false;
    }
    if (!grow(&c->depth, each) || !grow(&c->parent, each) || !grow(&c->value, each) ||
        !grow(&c->state, each) || !grow(&s->set, each) || !grow(&s->child, each) ||
        !grow(&s->sibling, each) || !grow(&c->reset, all) || !grow(&s->next, all)) {
        s->status = at_oom(s->err);
        return false;
    }
    s->room = (int)room;
    return true;
}

static int row_add(rows *s, int parent, int value, int set)
{
    at_cascade *c = s->c;
    if (s->status || !rows_room(s))
        return -1;
    int k = c->nodes++;
    c->depth[k] = parent < 0 ? 0 : c->depth[parent] + 1;
    c->parent[k] = parent;
    c->value[k] = value;
    c->state[k] = -1;
    s->set[k] = set;
    s->child[k] = s->sibling[k] = -1;
    for (int a = 0; a < c->letters; a++)
        c->reset[k * c->letters + a] = s->next[k * c->letters + a] = -1;
    if (parent >= 0) {
        s->sibling[k] = s->child[parent];
        s->child[parent] = k;
    }
    for (int q = 0; q < s->w->Q && c->depth[k] == c->levels; q++)
        if (has(set_of(s->w, set), q))
            c->state[k] = q;
    return k;
}

static int height_of(const rows *s, int node)
{
    return s->w->height[s->set[node]];
}

static int row_child(rows *s, int node, int value)
{
    for (int k = s->child[node]; k >= 0; k = s->sibling[k])
        if (s->c->value[k] == value)
            return k;
    bool level = height_of(s, node) == s->c->levels - s->c->depth[node];
    return row_add(s, node, value, level ? tile_of(s->w, s->set[node], value) : s->set[node]);
}

/* What letter a does to the coordinate below row `old`, whose row after the letter is `new`: -1, it is kept. */
static int reset_of(rows *s, int old, int new, int a)
{
    sets *w = s->w;
    int moved = w->to[s->set[old] * w->letters + a];
    if (height_of(s, new) != s->c->levels - s->c->depth[new])
        return 0;
    return moved == s->set[new] ? -1 : tile_with(w, s->set[new], set_of(w, moved));
}

/* The row after a letter; path: the rows from the empty one to `leaf`. */
static void row_step(rows *s, int leaf, int a, int *path)
{
    at_cascade *c = s->c;
    for (int k = leaf; k >= 0; k = c->parent[k])
        path[c->depth[k]] = k;
    s->next[a] = 0;
    for (int t = 0; t < c->levels && !s->status; t++) {
        int old = path[t], new = s->next[old * c->letters + a], r = reset_of(s, old, new, a);
        c->reset[old * c->letters + a] = r;
        int child = row_child(s, new, r < 0 ? c->value[path[t + 1]] : r);
        if (child >= 0)
            s->next[path[t + 1] * c->letters + a] = child;
    }
}

/* Values as they are numbered by tiles become 0, 1, ... of those that are met. */
static bool values_renumber(at_cascade *c, at_arena *a)
{
    int most = 0;
    for (int k = 1; k < c->nodes; k++)
        most = most > c->value[k] ? most : c->value[k];
    int *new = at_new(a, int, (size_t)(c->levels + 1) * (size_t)(most + 1));
    if (!new)
        return false;
    for (int k = 1; k < c->nodes; k++) { /* 1 + the number, 0: not met */
        int t = c->depth[k] - 1, *slot = &new[t * (most + 1) + c->value[k]];
        if (!*slot)
            *slot = ++c->size[t];
    }
    for (int k = 0; k < c->nodes; k++) {
        int *slot = &new[c->depth[k] * (most + 1)];
        for (int e = 0; e < c->letters && c->depth[k] < c->levels; e++)
            if (c->reset[k * c->letters + e] >= 0)
                c->reset[k * c->letters + e] = slot[c->reset[k * c->letters + e]] - 1;
    }
    for (int t = 0; t < c->levels; t++)
        c->initial[t] = new[t * (most + 1) + c->initial[t]] - 1;
    for (int k = 1; k < c->nodes; k++)
        c->value[k] = new[(c->depth[k] - 1) * (most + 1) + c->value[k]] - 1;
    return true;
}

static bool rows_keep(const rows *s, at_arena *a)
{
    at_cascade *c = s->c;
    size_t n = (size_t)c->nodes * sizeof(int), all = n * (size_t)c->letters;
    int **each[] = {&c->depth, &c->parent, &c->value, &c->state, &c->reset};
    bool ok = true;
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
        size_t bytes = each[k] == &c->reset ? all : n;
        int *kept = at_arena_alloc(a, 1, bytes);
        if (kept && bytes)
            memcpy(kept, *each[k], bytes);
        ok = ok && kept;
        at_free(*each[k]);
        *each[k] = kept;
    }
    return ok;
}

static at_status rows_make(sets *w, at_cascade *c, at_arena *a, at_err *err)
{
    rows s = {.w = w, .c = c, .err = err};
    int *path = at_new(w->a, int, c->levels + 2), at = row_add(&s, -1, 0, 0), q = w->m->d->start;
    uint64_t *one = at_new(w->a, uint64_t, w->words);
    if (!path || !one)
        s.status = s.status ? s.status : at_oom(err);
    else
        one[q / 64] = (uint64_t)1 << (q % 64);
    for (int t = 0; t < c->levels && !s.status; t++) {
        c->initial[t] = height_of(&s, at) == c->levels - t ? tile_with(w, s.set[at], one) : 0;
        at = row_child(&s, at, c->initial[t]);
    }
    for (int k = 0; k < c->nodes && !s.status; k++)
        for (int e = 0; e < c->letters && c->depth[k] == c->levels && !s.status; e++)
            row_step(&s, k, e, path);
    if (!rows_keep(&s, a) && !s.status)
        s.status = at_oom(err);
    if (!s.status && !values_renumber(c, w->a))
        s.status = at_oom(err);
    at_free(s.set);
    at_free(s.child);
    at_free(s.sibling);
    at_free(s.next);
    return s.status;
}

at_status at_cascade_make(const at_monoid *m, at_arena *a, at_cascade **out, at_err *err)
{
    for (int f = 0; f < m->n; f++)
        if (at_monoid_period(m, f) > 1)
            return at_fail(err, AT_EREFUSED, "the monoid has a period, so there is no cascade of resets");
    at_arena scratch;
    at_arena_init(&scratch);
    sets w = {.m = m,
              .Q = m->d->states,
              .letters = m->d->sigma.n,
              .words = (m->d->states + 63) / 64,
              .a = &scratch};
    at_cascade *c = at_new(a, at_cascade, 1);
    w.spare = at_new(&scratch, uint64_t, w.words);
    at_status s = c && w.spare && sets_make(&w) && classes_make(&w) && carry_make(&w) && heights_make(&w)
                      ? AT_OK
                      : at_oom(err);
    if (!s) {
        c->letters = w.letters;
        c->levels = w.height[0];
        c->size = at_new(a, int, c->levels + 1);
        c->initial = at_new(a, int, c->levels + 1);
        s = c->size && c->initial ? rows_make(&w, c, a, err) : at_oom(err);
    }
    at_arena_release(&scratch);
    *out = s ? NULL : c;
    return s;
}

/* ---- the reference ------------------------------------------------------------------------------------------------------------ */

static int child_of(const at_cascade *c, int node, int value)
{
    for (int k = node + 1; k < c->nodes; k++)
        if (c->parent[k] == node && c->value[k] == value)
            return k;
    return -1;
}

void at_cascade_step(const at_cascade *c, int letter, int *coordinate)
{
    int node = 0;
    for (int t = 0; t < c->levels && node >= 0; t++) {
        int r = c->reset[node * c->letters + letter];
        node = child_of(c, node, coordinate[t]); /* what happens below depends on what was there before */
        coordinate[t] = r < 0 ? coordinate[t] : r;
    }
}

int at_cascade_state(const at_cascade *c, const int *coordinate)
{
    int node = 0;
    for (int t = 0; t < c->levels && node >= 0; t++)
        node = child_of(c, node, coordinate[t]);
    return node < 0 ? -1 : c->state[node];
}
