/* extract_layers.c: a model of unique-hard attention, layer by layer: which values its stream has before each attention, and what each of
 * them becomes by what its heads choose.
 *
 * extract.c has found all states. Every letter is run from every state once more, and one who looks on (extract_search.h) notes the
 * stream before each attention layer, as one of finitely many vectors, and which keys were chosen. So the notes hold for words
 * of all lengths, and have nothing in them that no word makes.
 *
 * Which key is chosen is a matter of levels and order. The keys of a head are sorted by the score that a query gives them, and cut
 * where two neighbours are further apart than the tie; inside of a level all must be within it. Then the last (or first) key of the
 * best level that occurs is the chosen one. Where scores lie otherwise, or rounding may decide, the model is refused. */
#include <stdlib.h>
#include <string.h>

#include "extract_search.h"

typedef struct {
    at_layers *out;
    at_arena *a;
    bool end, counts; /* behind the word; of the word or behind it */
    int most;
    vectors *values; /* (n + 1) */
    int *room;       /* (n): of steps */
    int now, first;  /* the value before the layer at hand; before the first one */
} notes;

static int heads_before(const at_layers *l, int layer)
{
    int n = 0;
    for (int k = 0; k < layer; k++)
        n += l->layer[k].n_heads;
    return n;
}

static bool step_is(const at_layer *l, const at_layer_step *s, const notes *w, const int *chosen, int next)
{
    return s->value == w->now && s->next == next && s->end == w->end &&
           memcmp(s->chosen, chosen, (size_t)l->n_heads * sizeof *chosen) == 0;
}

/* What became of value w->now, by these keys. */
static at_status step_note(search *e, notes *w, int layer, int next)
{
    at_layer *l = &w->out->layer[layer];
    int at = heads_before(w->out, layer);
    const int *chosen = e->chosen + at;
    for (int h = 0; h < l->n_heads; h++) {
        l->query[w->now * l->n_heads + h] = e->asked[at + h];
        l->key[w->now * l->n_heads + h] = e->had[at + h];
    }
    for (int k = 0; k < l->n_steps; k++)
        if (step_is(l, &l->steps[k], w, chosen, next))
            return AT_OK;
    if (l->n_steps == w->room[layer]) {
        int room = w->room[layer] ? 2 * w->room[layer] : 16;
        at_layer_step *more = at_new(w->a, at_layer_step, room);
        if (!more)
            return at_oom(e->err);
        if (l->n_steps)
            memcpy(more, l->steps, (size_t)l->n_steps * sizeof *more);
        l->steps = more;
        w->room[layer] = room;
    }
    int *kept = at_new(w->a, int, l->n_heads + 1);
    if (!kept)
        return at_oom(e->err);
    memcpy(kept, chosen, (size_t)l->n_heads * sizeof *kept);
    l->steps[l->n_steps++] = (at_layer_step){w->now, next, w->end, kept};
    return AT_OK;
}

static at_status note(search *e, int layer, void *own)
{
    notes *w = own;
    bool is_new;
    if (!w->counts)
        return AT_OK;
    vectors *v = &w->values[layer];
    int value = search_meet(e, v, e->x, &is_new);
    if (value < 0)
        return e->err->code;
    if (v->n > w->most)
        return at_fail(e->err, AT_EBUDGET, "before layer %d of %d its stream has more than %d values",
                       layer + 1, w->out->n, w->most);
    at_status s = layer ? step_note(e, w, layer - 1, value) : AT_OK;
    w->first = layer ? w->first : value;
    w->now = value;
    return s;
}

/* ---- levels --------------------------------------------------------------------------------------------------------------- */

typedef struct {
    double at;
    int key;
} rated;

static int higher_first(const void *a, const void *b)
{
    const rated *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at) - (x->at > y->at) : x->key - y->key;
}

static at_status query_levels(search *e, const head *h, int query, rated *r, int *level)
{
    double off = h->query.off[query];
    at_status s = AT_OK;
    for (int k = 0; k < h->key.n && !s; k++) {
        number x;
        s = search_score(e, h, query, k, &x);
        off = x.off > off ? x.off : off;
        r[k] = (rated){x.at, k};
    }
    if (s || !h->key.n)
        return s;
    qsort(r, (size_t)h->key.n, sizeof *r, higher_first);
    int now = 0;
    double top = r[0].at;
    for (int k = 0; k < h->key.n && !s; k++) {
        bool near = true, beside = false;
        if (k)
            s = search_within(e, h, off, top, r[k].at, &near);
        if (!s && !near)
            s = search_within(e, h, off, r[k - 1].at, r[k].at, &beside);
        if (!s && beside)
            s = at_fail(e->err, AT_EREFUSED,
                        "scores that are within the tie of a score between them, but not of one another");
        if (!near) {
            now++;
            top = r[k].at;
        }
        level[r[k].key] = now;
    }
    return s;
}

static at_status head_levels(search *e, int index, const int *start, at_arena *a, at_layer_head *out)
{
    const head *h = &e->heads[index];
    int Q = h->query.n, K = h->key.n;
    *out = (at_layer_head){.last = at_weighting_is(h->g->weighting, AT_IS_LAST),
                           .strict = at_mask_is(h->g->mask.kind, AT_IS_STRICT),
                           .queries = Q,
                           .keys = K};
    out->level = at_new(a, int, (size_t)Q *(size_t)K + 1);
    out->before = at_new(a, int, Q + 1);
    rated *r = at_new(a, rated, K + 1);
    if (!out->level || !out->before || !r)
        return at_oom(e->err);
    at_status s = AT_OK;
    for (int q = 0; q < Q && !s; q++) {
        out->before[q] = start[h->slot + 2 * q + 1];
        s = query_levels(e, h, q, r, out->level + (size_t)q * (size_t)K);
    }
    return s;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------------------- */

static at_status notes_make(search *e, notes *w)
{
    const at_model *m = e->m;
    at_layers *l = w->out;
    for (int k = 0; k < m->n_blocks; k++)
        l->n += m->blocks[k].kind == AT_BLOCK_ATTN;
    l->layer = at_new(w->a, at_layer, l->n + 1);
    w->values = at_new(e->a, vectors, l->n + 1);
    w->room = at_new(e->a, int, l->n + 1);
    l->first = at_new(w->a, int, (size_t)e->period *(size_t)l->sigma.n);
    l->first_end = at_new(w->a, int, e->period);
    if (!l->layer || !w->values || !w->room || !l->first || !l->first_end)
        return at_oom(e->err);
    memset(l->first, -1, (size_t)e->period * (size_t)l->sigma.n * sizeof *l->first);
    memset(l->first_end, -1, (size_t)e->period * sizeof *l->first_end);
    int layer = 0;
    for (int k = 0; k < m->n_blocks; k++) {
        at_layer *at = &l->layer[layer];
        if (m->blocks[k].kind != AT_BLOCK_ATTN)
            continue;
        for (int g = 0; g < m->blocks[k].n_groups; g++)
            at->n_heads += m->blocks[k].groups[g].heads;
        size_t room = ((size_t)w->most + 1) * (size_t)at->n_heads + 1;
        at->query = at_new(w->a, int, room);
        at->key = at_new(w->a, int, room);
        at->heads = at_new(w->a, at_layer_head, at->n_heads + 1);
        if (!at->query || !at->key || !at->heads)
            return at_oom(e->err);
        layer++;
    }
    for (int k = 0; k <= l->n; k++)
        w->values[k].width = m->width;
    return AT_OK;
}

/* The answer of the position that was run last, for its value. */
static void answer_note(const search *e, const notes *w, const int *to)
{
    w->out->accepts[w->now] = to[e->slots - 1] == 1;
}

/* Every letter after every state, and the hidden position behind it. */
static at_status states_note(search *e, notes *w, int *to)
{
    const at_model *m = e->m;
    at_layers *l = w->out;
    at_status s = AT_OK;
    int before = m->n_prefix % e->period;
    for (int k = 0; k < e->n && !s; k++) {
        const int *from = search_state(e, k);
        int row = ((from[e->slots - 2] - before) % e->period + e->period) % e->period; /* letters so far */
        for (int a = 0; a < l->sigma.n && !s; a++) {
            if (at_cancel_pending())
                return at_fail(e->err, AT_ECANCEL, "interrupted");
            w->end = false;
            s = search_step(e, &m->fields[0].embed, a, from, to);
            l->first[row * l->sigma.n + a] = w->first;
            if (!s && !l->has_end)
                answer_note(e, w, to);
        }
        w->end = true;
        if (!s && l->has_end) {
            s = search_step(e, &m->suffix, 0, from, to);
            l->first_end[row] = w->first;
            if (!s)
                answer_note(e, w, to);
        }
    }
    return s;
}

static at_status layers_find(search *e, notes *w, const bool *accept)
{
    at_layers *l = w->out;
    int *start = at_new(e->a, int, e->slots), *to = at_new(e->a, int, e->slots);
    l->accepts = at_new(w->a, bool, w->most + 1);
    at_status s = start && to && l->accepts ? notes_make(e, w) : at_oom(e->err);
    if (s)
        return s;
    e->watch = note;
    e->watcher = w;
    s = search_start(e, start, to); /* nothing is noted of what stands before the word */
    w->counts = true;
    if (!s)
        s = states_note(e, w, to);
    e->watch = NULL;
    for (int k = 0; k <= l->n; k++)
        l->layer[k].values = w->values[k].n;
    int index = 0;
    for (int k = 0; k < l->n && !s; k++)
        for (int h = 0; h < l->layer[k].n_heads && !s; h++)
            s = head_levels(e, index++, start, w->a, &l->layer[k].heads[h]);
    l->empty = accept[0];
    return s;
}

at_status at_extract_layers(const at_model *m, int most, at_arena *a, at_layers *out, at_err *err)
{
    at_err own = {0};
    at_arena kept, scratch;
    search e;
    bool *accept;
    *out = (at_layers){0};
    at_arena_init(&kept);
    at_arena_init(&scratch);
    notes w = {.out = out, .a = a, .most = most};
    at_status s = search_open(&e, m, &kept, err ? err : &own);
    if (!s && m->n_suffix > 1)
        s = at_fail(e.err, AT_EREFUSED,
                    "there are %d hidden positions behind the word; layer by layer there may be one",
                    m->n_suffix);
    if (!s)
        s = search_letters(m, a, &out->sigma, e.err);
    if (!s)
        s = search_settle(&e, &scratch, &accept);
    out->has_end = m->n_suffix == 1;
    if (!s)
        s = layers_find(&e, &w, accept);
    out->period = e.period;
    out->rounded = e.rounded;
    at_arena_release(&scratch);
    at_arena_release(&kept);
    return s;
}
