/* heads.c: from the keys that a query may see to the vectors that a head may give, each with its wire. Everything here is said given that the
 * query's own wire is true, and is joined to it by an AND afterwards.
 *
 * The query is known: position t has state `own`, so its own key is that of `own`, surely. Every other key (j, v) is there when its wire
 * g[j][v] is true. Keys are ordered by score in levels; let level l be the highest that is there. With
 *     some_l = OR of the wires of level l,        none_l = AND of NOT some_k over the levels k above l,
 * level l is the highest when none_l AND some_l. No l below the lowest level of any one position's keys is ever the highest.
 *
 * Unique-hard. The keys within the tie of l are a window of levels. Key (j, v) of the window is chosen when
 *     none_l AND g[j][v] AND NOT (a key of the window is at j') for all j' that come before j (after it, rightmost-hard),
 * and, where the window has further levels, some_l. All in ANDs and ORs: CLAIM ac0.
 *
 * Sums. Average-hard, softmax and linear attention give sum of w v over sum of w, where the weight w of a key is a function of its score
 * and of l (linear: of its score). Per coordinate the terms w v are whole multiples t of a unit (numbers.h). What sums are possible
 * is found position by position: each adds the term of one of its keys that are not above l. A sum over positions is at least s when
 *     sum over (j, v) of (t(j, v) - m_j) g[j][v]  >=  s - sum over j of m_j,         m_j the least term of j,
 * given none_l, because then each j has exactly one of these keys. That is a threshold gate, and the sum is s when it is at
 * least s and not at least the next one that is possible; sums that are rounded to one number are asked about together. A vector of sums is the AND over coordinates, and becomes the quotient
 * as the arithmetic computes it: CLAIM tc0. Sums that become the same quotient meet in an OR. */
#include <stdlib.h>
#include <string.h>

#include "maker.h"

enum { TOGETHER = 2000 }; /* rounded sums: so many are looked at together, beyond each by itself */
#define WEIGHTS_MAX ((int64_t)1 << 61) /* of a threshold gate, all together */

/* ---- levels -------------------------------------------------------------------------------------------------------- */

typedef struct {
    cell score;
    int key;
} scored;

/* Places of scores, by falling score: a merge sort, because what compares needs the arithmetic. */
static void scores_sort(const numbers *N, scored *s, scored *spare, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2, x = 0, y = half;
    scores_sort(N, s, spare, half);
    scores_sort(N, s + half, spare, n - half);
    memcpy(spare, s, n * sizeof *s);
    for (size_t k = 0; k < n; k++)
        if (y >= n || (x < half && numbers_order(N, spare[x].score, spare[y].score) >= 0))
            s[k] = spare[x++];
        else
            s[k] = spare[y++];
}

/* The levels of all keys of a head, as a query sees them. */
static at_status ranking_make(maker *k, head *h, int query, ranking *r)
{
    size_t n = h->key.n;
    scored *s = at_malloc(2 * (n + 1) * sizeof *s);
    at_status st = s ? AT_OK : at_oom(k->err);
    r->level = st ? NULL : at_new(&k->a, int, n);
    r->score = st ? NULL : at_new(&k->a, cell, n);
    if (!st && (!r->level || !r->score))
        st = at_oom(k->err);
    for (size_t i = 0; i < n && !st; i++) {
        s[i].key = (int)i;
        st = numbers_score(k->N, h->b, h->g, h->h, vectors_at(&h->query, query), vectors_at(&h->key, (int)i),
                           &s[i].score, k->err);
    }
    if (!st)
        scores_sort(k->N, s, s + n + 1, n);
    r->n = 0;
    for (size_t i = 0; i < n && !st; i++) {
        if (!i || s[i].score != s[i - 1].score)
            r->score[r->n++] = s[i].score;
        r->level[s[i].key] = r->n - 1;
    }
    at_free(s);
    return st;
}

static int keys_order(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->level != y->level)
        return (x->level > y->level) - (x->level < y->level);
    return x->position != y->position ? (x->position > y->position) - (x->position < y->position)
                                      : (x->value > y->value) - (x->value < y->value);
}

static int keys_by_position(const void *a, const void *b)
{
    const key *x = a, *y = b;
    return x->position != y->position ? (x->position > y->position) - (x->position < y->position)
                                      : keys_order(a, b);
}

/* k->keys: what the query at t may see, by level, then by position; those that are never there when w is true are left out. *lowest: no
 * level below it is ever the highest. */
static at_status keys_list(maker *k, const head *h, const ranking *r, int t, int own, at_wire w, int *lowest)
{
    k->n_keys = 0;
    *lowest = r->n - 1;
    for (int j = 0; j < k->T; j++) {
        int n = j == t ? 1 : k->at[j].n, worst = 0;
        size_t first = k->n_keys;
        if (!at_mask_allows(&h->a->mask, t, j))
            continue;
        if (!ROOM(k->keys, k->room_keys, k->n_keys + (size_t)n + 1))
            return at_oom(k->err);
        for (int i = 0; i < n; i++) {
            int state = j == t ? own : k->at[j].id[i], level = r->level[h->of_key[state]];
            at_wire is = j == t ? AT_WIRE_TRUE : k->at[j].w[i];
            if (circuit_never(k->c, (at_wire[]){w, is}, 2))
                continue;
            worst = level > worst ? level : worst;
            k->keys[k->n_keys++] = (key){level, j, h->of_value[state], 0, is};
        }
        for (size_t i = first; i < k->n_keys; i++)
            k->keys[i].alternatives = (int)(k->n_keys - first);
        *lowest = worst < *lowest ? worst : *lowest;
    }
    if (k->n_keys > 1)
        qsort(k->keys, k->n_keys, sizeof *k->keys, keys_order);
    return AT_OK;
}

/* Keys first .. end - 1 have one level. Is one there? */
static at_wire level_some(maker *k, size_t first, size_t end)
{
    for (size_t i = first, n; i < end; i += n) { /* all that a position may have: one is */
        for (n = 1; i + n < end && k->keys[i + n].position == k->keys[i].position; n++)
            ;
        if ((int)n == k->keys[i].alternatives)
            return AT_WIRE_TRUE;
    }
    for (size_t i = first; i < end; i++)
        k->wires[i - first] = k->keys[i].w;
    return at_circuit_or(k->c, k->wires, end - first);
}

static at_status given_add(maker *k, head *h, const cell *v, at_wire w)
{
    int id = w == AT_WIRE_FALSE ? 0 : vectors_meet(&h->out, v);
    return id < 0 || !bag_add(&k->given, id, w) ? at_oom(k->err) : AT_OK;
}

/* ---- one key ------------------------------------------------------------------------------------------------------------- */

/* Keys `first` to the last are those not above the highest level; the first `window` of them are within its tie. `when` is what is asked besides. */
static at_status one_choose(maker *k, head *h, size_t first, size_t window, at_wire when)
{
    bool last = at_weighting_is(h->a->weighting, AT_IS_LAST);
    at_status s = AT_OK;
    key *w = at_malloc((window + 1) * sizeof *w);
    int *below =
        at_calloc((size_t)k->T, sizeof *below); /* of a position: keys that are not above the highest level */
    at_wire *before = at_malloc(((size_t)k->T + 2) * sizeof *before);
    size_t n_before = 0, n;
    if (!w || !below || !before)
        s = at_oom(k->err);
    for (size_t i = first; i < k->n_keys && !s; i++)
        below[k->keys[i].position]++;
    if (!s) {
        memcpy(w, k->keys + first, window * sizeof *w);
        qsort(w, window, sizeof *w, keys_by_position);
        before[n_before++] = when;
    }
    for (size_t i = 0; i < window && !s; i += n) {
        size_t at = last ? window - 1 - i : i; /* a key of the position at hand; the others are beside it */
        for (n = 1; i + n < window && w[last ? at - n : at + n].position == w[at].position; n++)
            ;
        size_t low = last ? at - (n - 1) : at;
        for (size_t j = low; j < low + n && !s; j++) {
            before[n_before] = w[j].w;
            s = given_add(k, h, vectors_at(&h->value, w[j].value),
                          at_circuit_and(k->c, before, n_before + 1));
            k->wires[j - low] = w[j].w;
        }
        if ((int)n == below[w[at].position]) /* one of them is there, so nobody further is asked */
            break;
        before[n_before++] = at_wire_not(at_circuit_or(k->c, k->wires, n));
    }
    at_free(w);
    at_free(below);
    at_free(before);
    return s;
}

/* ---- sums ---------------------------------------------------------------------------------------------------------------- */

/* Sums over keys first .. n_keys - 1, of which each position has one; coordinates C = 1 + dv, and one more: is a key of the highest
 * level there? */
typedef struct {
    size_t first, n, peaks; /* keys; the first `peaks` of them are of the highest level */
    int C;
    terms t;        /* (n, C) */
    size_t *order;  /* (n) of keys, by position */
    int64_t *least; /* (C) the sum of least terms */
    int64_t *most;  /* (C) the sum of largest terms */
    int64_t floor;  /* the sum of weights is no less: that of a key of the highest level */
    int64_t *off;   /* (n, C): what a term is above the least of its position */
} summing;

static at_status sums_too_many(maker *k, int position)
{
    return at_fail(k->err, AT_EBUDGET,
                   "a head's sums over keys can be more than %ju, at position %d of %d; the circuit had %zu "
                   "gates by then",
                   (uintmax_t)k->c->budget.sums, position + 1, k->T, k->c->n_gates);
}

/* All that sums can be, in k->sums[0], and behind them the mark of a peak. */
static at_status sums_reach(maker *k, const summing *q, uint64_t budget)
{
    size_t n_sums = (size_t)q->C, width = n_sums + 1;
    int64_t *v = at_malloc(width * sizeof *v);
    vectors *now = &k->sums[0], *next = &k->sums[1];
    at_status s = v ? AT_OK : at_oom(k->err);
    now->width = next->width = (int)width;
    vectors_clear(now);
    if (!s) {
        memset(v, 0, width * sizeof *v);
        if (vectors_meet(now, (const cell *)v) < 0)
            s = at_oom(k->err);
    }
    for (size_t i = 0, n; i < q->n && !s; i += n) {
        int position = k->keys[q->first + q->order[i]].position;
        for (n = 1; i + n < q->n && k->keys[q->first + q->order[i + n]].position == position; n++)
            ;
        vectors_clear(next);
        if (at_cancel_pending())
            s = at_fail(k->err, AT_ECANCEL, "interrupted");
        for (size_t old = 0; old < now->n && !s; old++)
            for (size_t j = i; j < i + n && !s; j++) {
                const int64_t *term = q->t.term + q->order[j] * n_sums;
                memcpy(v, vectors_at(now, (int)old), width * sizeof *v);
                for (size_t c = 0; c < n_sums; c++)
                    v[c] += term[c];
                v[n_sums] |= q->order[j] < q->peaks;
                if (vectors_meet(next, (const cell *)v) < 0)
                    s = at_oom(k->err);
                if (!s && next->n > budget)
                    s = sums_too_many(k, position);
            }
        vectors swap = *now;
        *now = *next;
        *next = swap;
    }
    at_free(v);
    return s;
}

/* Terms above the least of their position; the weights of a gate stay small enough to be added up. */
static at_status terms_off(maker *k, summing *q)
{
    for (int c = 0; c < q->C; c++) {
        int64_t total = 0;
        q->least[c] = q->most[c] = 0;
        for (size_t i = 0, n; i < q->n; i += n) {
            int position = k->keys[q->first + q->order[i]].position;
            int64_t least = INT64_MAX, most = INT64_MIN;
            for (n = 0; i + n < q->n && k->keys[q->first + q->order[i + n]].position == position; n++) {
                int64_t x = q->t.term[q->order[i + n] * (size_t)q->C + (size_t)c];
                least = x < least ? x : least;
                most = x > most ? x : most;
            }
            for (size_t j = i; j < i + n; j++) {
                size_t at = q->order[j] * (size_t)q->C + (size_t)c;
                q->off[at] = q->t.term[at] - least;
                total = total > WEIGHTS_MAX ? total : total + q->off[at];
            }
            q->least[c] += least;
            q->most[c] += most;
        }
        if (total > WEIGHTS_MAX)
            return at_fail(
                k->err, AT_EREFUSED,
                "the weights of a threshold gate sum to more than 2^61; fewer bits make them smaller");
    }
    return AT_OK;
}

static int whole_order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* What one coordinate of a sum can be, ascending, in classes of what the arithmetic rounds to the same number. */
typedef struct {
    int64_t *value; /* (n) */
    int *class;     /* (n) of a value */
    size_t n, classes, room_value, room_class, room_first, room_step;
    size_t *first; /* (classes) the first value of one */
    at_wire *step; /* (classes) it is at least that; step 0 is true */
} steps;

static void steps_release(steps *t)
{
    at_free(t->value);
    at_free(t->class);
    at_free(t->first);
    at_free(t->step);
}

/* The wires of coordinate c, for steps_add. */
static at_status steps_begin(maker *k, const summing *q, int c)
{
    if (!ROOM(k->wires, k->room_wires, q->n + 1) || !ROOM(k->weights, k->room_weights, q->n + 1))
        return at_oom(k->err);
    for (size_t i = 0; i < q->n; i++) {
        k->wires[i] = k->keys[q->first + i].w;
        k->weights[i] = q->off[i * (size_t)q->C + (size_t)c];
    }
    return AT_OK;
}

/* One more class, whose first value is t->value[i]. */
static at_status steps_add(maker *k, const summing *q, int c, steps *t, size_t i)
{
    if (!ROOM(t->first, t->room_first, t->classes + 1) || !ROOM(t->step, t->room_step, t->classes + 1))
        return at_oom(k->err);
    t->first[t->classes] = i;
    t->step[t->classes++] =
        i ? at_circuit_threshold(k->c, k->wires, k->weights, q->n, t->value[i] - q->least[c]) : AT_WIRE_TRUE;
    return AT_OK;
}

/* Of coordinate c: the values that k->sums[0] has of it. */
static at_status steps_make(maker *k, const summing *q, int c, steps *t)
{
    const vectors *all = &k->sums[0];
    at_status s = steps_begin(k, q, c);
    if (!s && (!ROOM(t->value, t->room_value, all->n + 1) || !ROOM(t->class, t->room_class, all->n + 1)))
        s = at_oom(k->err);
    if (s)
        return s;
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (vectors_at(all, (int)i)[q->C])
            t->value[n++] = (int64_t)vectors_at(all, (int)i)[c];
    if (n > 1)
        qsort(t->value, n, sizeof *t->value, whole_order);
    for (size_t i = 0; i < n; i++)
        if (!t->n || t->value[t->n - 1] != t->value[i])
            t->value[t->n++] = t->value[i];
    cell before = 0;
    for (size_t i = 0; i < t->n && !s; i++) {
        cell now = numbers_rounded(k->N, c, t->value[i], q->t.unit);
        if (!i || now != before)
            s = steps_add(k, q, c, t, i);
        t->class[i] = (int)t->classes - 1;
        before = now;
    }
    return s;
}

/* Of coordinate c: the first of each class between its least and its largest value, whether it can be or not. Rounding never falls where its
 * argument rises, so a class is a stretch, and its end is found by bisection. */
static at_status steps_span(maker *k, const summing *q, int c, steps *t)
{
    at_status s = steps_begin(k, q, c);
    int64_t floor = c == 0 && q->floor > q->least[0] ? q->floor : q->least[c];
    for (int64_t at = floor; !s; t->n++) {
        if (!ROOM(t->value, t->room_value, t->n + 1))
            return at_oom(k->err);
        t->value[t->n] = at;
        s = t->n >= k->c->budget.sums ? sums_too_many(k, k->T - 1) : steps_add(k, q, c, t, t->n);
        cell now = numbers_rounded(k->N, c, at, q->t.unit);
        int64_t in = at, out = q->most[c] + 1; /* of the class; behind it, or behind all */
        while (out - in > 1) {
            int64_t mid = in + (out - in) / 2;
            if (numbers_rounded(k->N, c, mid, q->t.unit) == now)
                in = mid;
            else
                out = mid;
        }
        if (out > q->most[c]) {
            t->n++;
            break;
        }
        at = out;
    }
    return s;
}

static int class_find(const steps *t, int64_t x)
{
    size_t lo = 0, hi = t->n - 1;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (t->value[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return t->class[lo];
}

/* Coordinate c is in class[c], for all c: what the head gives then. */
static at_status classes_give(maker *k, head *h, const summing *q, const steps *t, const int *class,
                              at_wire when, at_wire *all, int64_t *sum, cell *out)
{
    size_t m = 0;
    all[m++] = when;
    for (int c = 0; c < q->C; c++) {
        size_t at = (size_t) class[c];
        sum[c] = t[c].value[t[c].first[at]];
        all[m++] = t[c].step[at];
        if (at + 1 < t[c].classes)
            all[m++] = at_wire_not(t[c].step[at + 1]);
    }
    at_wire w = at_circuit_and(k->c, all, m);
    if (w == AT_WIRE_FALSE)
        return AT_OK;
    at_status s = numbers_divide(k->N, h->b, h->g, sum, q->t.unit, out, k->err);
    return s ? s : given_add(k, h, out, w);
}

/* Classes of coordinates that go together, from sums that do; each once. k->sums[1] remembers which. */
static at_status together_give(maker *k, head *h, const summing *q, const steps *t, at_wire when,
                               at_wire *all, int64_t *sum, int *class, cell *out)
{
    vectors *met = &k->sums[1];
    at_status s = AT_OK;
    vectors_clear(met);
    met->width = q->C;
    for (size_t i = 0; i < k->sums[0].n && !s; i++) {
        const cell *v = vectors_at(&k->sums[0], (int)i);
        if (!v[q->C])
            continue;
        for (int c = 0; c < q->C; c++) {
            class[c] = class_find(&t[c], (int64_t)v[c]);
            out[c] = (cell) class[c];
        }
        size_t before = met->n;
        if (vectors_meet(met, out) < 0)
            s = at_oom(k->err);
        if (!s && met->n > before)
            s = classes_give(k, h, q, t, class, when, all, sum, out);
    }
    return s;
}

/* All classes of one coordinate with all of the others. */
static at_status apart_give(maker *k, head *h, const summing *q, const steps *t, at_wire when, at_wire *all,
                            int64_t *sum, int *class, cell *out)
{
    at_status s = AT_OK;
    uint64_t tried = 0;
    int c = 0;
    memset(class, 0, (size_t)q->C * sizeof *class);
    while (c < q->C && !s) {
        s = ++tried > k->c->budget.sums ? sums_too_many(k, k->T - 1)
                                        : classes_give(k, h, q, t, class, when, all, sum, out);
        for (c = 0; c < q->C && ++class[c] == (int)t[c].classes; c++)
            class[c] = 0;
    }
    return s;
}

/* Every sum that a peak makes possible, as what the head gives. Where too many are possible together each coordinate is taken by itself:
 * rounded, they are few. */
static at_status sums_give(maker *k, head *h, const summing *q, at_wire when)
{
    size_t C = (size_t)q->C;
    steps *t = at_calloc(C, sizeof *t);
    at_wire *all = at_malloc((2 * C + 1) * sizeof *all);
    int64_t *sum = at_malloc(C * sizeof *sum);
    int *class = at_malloc(C * sizeof *class);
    cell *out = at_malloc((C + 1) * sizeof *out);
    at_status s = t && all && sum && class && out ? AT_OK : at_oom(k->err);
    at_err together = {0}, *err = k->err;
    k->err = &together;
    bool whole = numbers_rounds_nothing(k->N);
    uint64_t budget = k->c->budget.sums;
    at_status many = s ? s : sums_reach(k, q, whole || budget < TOGETHER ? budget : TOGETHER);
    k->err = err;
    if (!s && many && (many != AT_EBUDGET || whole))
        s = at_fail(k->err, many, "%s", together.text);
    for (int c = 0; c < q->C && !s; c++)
        s = (many ? steps_span : steps_make)(k, q, c, &t[c]);
    if (!s)
        s = (many ? apart_give : together_give)(k, h, q, t, when, all, sum, class, out);
    for (size_t c = 0; c < C && t; c++)
        steps_release(&t[c]);
    at_free(t);
    at_free(all);
    at_free(sum);
    at_free(class);
    at_free(out);
    return s;
}

static int sort_position(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Keys first.. with weights by level, weight[level - the level of first]. The first `peaks` keys are of the highest level. */
static at_status sums_run(maker *k, head *h, size_t first, size_t peaks, const cell *weight, at_wire when)
{
    size_t n = k->n_keys - first, C = (size_t)h->a->dv + 1;
    int level = k->keys[first].level;
    at_mark mark = at_arena_mark(&k->a);
    summing q = {.first = first, .n = n, .peaks = peaks, .C = (int)C};
    cell *w = at_new(&k->a, cell, n);
    const cell **v = at_new(&k->a, const cell *, n);
    int64_t(*order)[2] = (int64_t(*)[2])at_new(&k->a, int64_t, 2 * n);
    q.order = at_new(&k->a, size_t, n);
    q.t.term = at_new(&k->a, int64_t, n * C);
    q.t.unit = at_arena_alloc(&k->a, C, numbers_unit_bytes(k->N));
    q.off = at_new(&k->a, int64_t, n * C);
    q.least = at_new(&k->a, int64_t, C);
    q.most = at_new(&k->a, int64_t, C);
    at_status s = w && v && order && q.order && q.t.term && q.t.unit && q.off && q.least && q.most
                      ? AT_OK
                      : at_oom(k->err);
    for (size_t i = 0; i < n && !s; i++) {
        w[i] = weight[k->keys[first + i].level - level];
        v[i] = vectors_at(&h->value, k->keys[first + i].value);
        order[i][0] = k->keys[first + i].position;
        order[i][1] = (int64_t)i;
    }
    if (!s)
        qsort(order, n, sizeof *order, sort_position);
    for (size_t i = 0; i < n && !s; i++)
        q.order[i] = (size_t)order[i][1];
    if (!s)
        s = numbers_terms(k->N, w, v, (int)n, h->a->dv, &q.t, k->err);
    if (!s)
        s = terms_off(k, &q);
    if (!s && !at_weighting_is(h->a->weighting, AT_IS_PHI))
        q.floor = q.t.term[0];
    if (!s)
        s = sums_give(k, h, &q, when);
    at_arena_reset(&k->a, mark);
    return s;
}

/* ---- heads ---------------------------------------------------------------------------------------------------------------- */

/* The level of keys first .. end - 1 is the highest, which is so when none is true and some is there. */
static at_status level_run(maker *k, head *h, const ranking *r, size_t first, size_t end, at_wire none,
                           at_wire some)
{
    int level = k->keys[first].level, levels = k->keys[k->n_keys - 1].level - level + 1;
    cell *weight = at_malloc((size_t)levels * sizeof *weight);
    at_status s = weight ? AT_OK : at_oom(k->err);
    if (!s)
        s = numbers_weigh(k->N, h->b, h->g, r->score + level, levels, r->score[level], weight, k->err);
    if (!s && at_weighting_is(h->a->weighting, AT_IS_ONE)) {
        size_t window = end;
        while (window < k->n_keys && !numbers_zero(k->N, weight[k->keys[window].level - level]))
            window++;
        at_wire when = window == end ? none : at_circuit_and(k->c, (at_wire[]){none, some}, 2);
        s = one_choose(k, h, first, window - first, when);
    } else if (!s)
        s = sums_run(k, h, first, end - first, weight, at_circuit_and(k->c, (at_wire[]){none, some}, 2));
    at_free(weight);
    return s;
}

/* Linear attention has no highest level: the weight of a key is its score. */
static at_status linear_run(maker *k, head *h, const ranking *r)
{
    cell *weight = at_malloc((size_t)r->n * sizeof *weight);
    int first = k->keys[0].level;
    at_status s = weight ? AT_OK : at_oom(k->err);
    if (!s)
        s = numbers_weigh(k->N, h->b, h->g, r->score + first, r->n - first, r->score[first], weight, k->err);
    if (!s)
        s = sums_run(k, h, 0, k->n_keys, weight, AT_WIRE_TRUE);
    at_free(weight);
    return s;
}

static at_status levels_run(maker *k, head *h, const ranking *r, int lowest)
{
    at_wire *above = at_malloc(((size_t)r->n + 1) * sizeof *above); /* no key of these levels */
    at_status s = above ? AT_OK : at_oom(k->err);
    size_t n = 0, end;
    if (!s && !ROOM(k->wires, k->room_wires, k->n_keys + 1))
        s = at_oom(k->err);
    for (size_t first = 0; first < k->n_keys && !s && k->keys[first].level <= lowest; first = end) {
        for (end = first; end < k->n_keys && k->keys[end].level == k->keys[first].level; end++)
            ;
        at_wire some = level_some(k, first, end), none = at_circuit_and(k->c, above, n);
        if (none == AT_WIRE_FALSE)
            break;
        if (some != AT_WIRE_FALSE)
            s = level_run(k, h, r, first, end, none, some);
        above[n++] = at_wire_not(some);
        if (!s && !ROOM(k->wires, k->room_wires, k->n_keys + 1))
            s = at_oom(k->err);
    }
    at_free(above);
    return s;
}

at_status head_run(maker *k, head *h, int t, int own, at_wire w, values *out)
{
    int query = h->of_query[own], lowest;
    ranking *r = &h->ranks[query];
    at_status s = r->level ? AT_OK : ranking_make(k, h, query, r);
    if (!s)
        s = keys_list(k, h, r, t, own, w, &lowest);
    k->given.n = 0;
    if (!s && k->n_keys == 0) { /* a row that is masked throughout gives zeros */
        cell *zero = at_calloc((size_t)h->a->dv + 1, sizeof *zero);
        s = zero ? given_add(k, h, zero, AT_WIRE_TRUE) : at_oom(k->err);
        at_free(zero);
    } else if (!s)
        s = at_weighting_is(h->a->weighting, AT_IS_PHI) ? linear_run(k, h, r) : levels_run(k, h, r, lowest);
    if (!s && !bag_close(&k->given, k->c, out))
        s = at_oom(k->err);
    return s ? s : maker_status(k);
}
