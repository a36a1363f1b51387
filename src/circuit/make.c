/* make.c: the circuit of a model at one length.
 *
 * CLAIMS ac0, tc0. Fix n. After each block the state of position i is one of finitely many vectors v, and for each the circuit has a wire
 *     g[i][v]: position i has v.
 * Of one position exactly one is true. At first v is the embedding of a letter, and g a conjunction of its input bits. A block that reads its own position only
 * (an MLP) maps v to v', and g'[i][v'] is the OR of g[i][v] over what is mapped to v'. Attention at position i with state v: heads.c gives, for each head, the
 * vectors u that it may give with a wire each; for each choice of one of them a head,
 *     g'[i][v'] = OR over (v, u_1, .., u_H) that make v' of  g[i][v] AND w_1 AND .. AND w_H.
 * Each block adds a constant number of levels, whatever n is (at_circuit_depth_bound). With one head, unique-hard, a position has at most
 * as many states as before times the states of all keys: polynomially many in n, and the exponent grows by H + 1 a layer at most.
 *
 * The circuit does not know which states exclude each other at different positions, so some of its wires may be false on all inputs. They cost size,
 * nothing else. Of the last attention, and after it, only positions that are read are computed. */
#include <stdlib.h>
#include <string.h>

#include "maker.h"

/* ---- vectors, bags -------------------------------------------------------------------------------------------------------- */

static size_t vector_slot(const vectors *w, const cell *v)
{
    return at_hash64(v, (size_t)w->width * sizeof *v, 0) & (w->slots - 1);
}

static bool vectors_room(vectors *w)
{
    if (!ROOM(w->v, w->room, (w->n + 1) * (size_t)w->width + 1))
        return false;
    if (2 * (w->n + 1) <= w->slots)
        return true;
    size_t more = w->slots ? 2 * w->slots : 64;
    uint32_t *t = at_calloc(more, sizeof *t);
    if (!t)
        return false;
    at_free(w->table);
    w->table = t;
    w->slots = more;
    for (size_t k = 0; k < w->n; k++) {
        size_t at = vector_slot(w, vectors_at(w, (int)k));
        while (t[at])
            at = (at + 1) & (more - 1);
        t[at] = (uint32_t)k + 1;
    }
    return true;
}

int vectors_meet(vectors *w, const cell *v)
{
    if (!vectors_room(w))
        return -1;
    size_t at = vector_slot(w, v), bytes = (size_t)w->width * sizeof *v;
    for (; w->table[at]; at = (at + 1) & (w->slots - 1))
        if (memcmp(vectors_at(w, (int)w->table[at] - 1), v, bytes) == 0)
            return (int)w->table[at] - 1;
    memcpy(w->v + w->n * (size_t)w->width, v, bytes);
    w->table[at] = (uint32_t)w->n + 1;
    return (int)w->n++;
}

void vectors_clear(vectors *w)
{
    w->n = 0;
    if (w->table)
        memset(w->table, 0, w->slots * sizeof *w->table);
}

void vectors_release(vectors *w)
{
    at_free(w->v);
    at_free(w->table);
    *w = (vectors){.width = w->width};
}

bool bag_add(bag *b, int id, at_wire w)
{
    if (w == AT_WIRE_FALSE)
        return true;
    if (!ROOM(b->all, b->room, b->n + 1))
        return false;
    b->all[b->n] = (said){id, (uint32_t)b->n, w};
    b->n++;
    return true;
}

static int said_order(const void *a, const void *b)
{
    const said *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->order > y->order) - (x->order < y->order);
}

bool bag_close(bag *b, at_circuit *c, values *out)
{
    out->n = 0;
    at_wire *w = at_malloc((b->n + 1) * sizeof *w);
    bool enough = w && ROOM(out->id, out->room_id, b->n + 1) && ROOM(out->w, out->room_w, b->n + 1);
    if (enough && b->n)
        qsort(b->all, b->n, sizeof *b->all, said_order);
    for (size_t k = 0, n; enough && k < b->n; k += n) {
        for (n = 0; k + n < b->n && b->all[k + n].id == b->all[k].id; n++)
            w[n] = b->all[k + n].w;
        out->id[out->n] = b->all[k].id;
        out->w[out->n++] = at_circuit_or(c, w, n);
    }
    b->n = 0;
    at_free(w);
    return enough;
}

/* ---- what is taken ------------------------------------------------------------------------------------------------------------ */

static at_status weighting_fits(const at_group *g, at_arith a, at_err *err)
{
    const char *name = at_weighting_names[g->weighting];
    if (at_weighting_hard(g->weighting))
        return AT_OK;
    if (a.kind == AT_EXACT && at_weighting_is(g->weighting, AT_IS_EXP | AT_IS_PHI))
        return at_fail(
            err, AT_EREFUSED,
            "%s attention has irrational weights: its circuit is that of rounded numbers (--precision p4e4); "
            "hard attention has an exact one",
            name);
    if (at_weighting_is(g->weighting, AT_IS_PAIRS) || !at_weighting_is(g->weighting, AT_IS_EXP | AT_IS_PHI))
        return at_fail(err, AT_EREFUSED,
                       "%s attention is no sum over keys; circuits are made of leftmost-, rightmost- and "
                       "average-hard, softmax and linear attention",
                       name);
    return AT_OK;
}

static at_status model_fits(const at_model *m, at_arith a, int n, at_err *err)
{
    /* At p bits every step is one of at_stage, which takes what split sums take; exact numbers have steps of their own. */
    at_err own = {0};
    at_status s = at_model_takes(m, AT_IN_SPLIT, "circuits", err);
    if (!s && a.kind == AT_EXACT && (s = at_model_takes(m, AT_IN_ANALYSE, "exact circuits", &own)))
        return at_fail(err, s, "%s; at p bits there is one (--precision p8e6)", own.text);
    if (s)
        return s;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN)
        return at_fail(err, AT_EREFUSED,
                       "a circuit reads words: models of one token field, and this one has %d field%s",
                       m->n_fields, m->n_fields == 1 ? " of another kind" : "s");
    if (m->decode.enabled)
        return at_fail(err, AT_EREFUSED, "a decoder writes words; circuits are of models that answer once");
    if (m->readout.kind != AT_READ_THRESHOLD && m->readout.kind != AT_READ_SIGN &&
        m->readout.kind != AT_READ_ARGMAX)
        return at_fail(err, AT_EREFUSED,
                       "its readout is %s, which are numbers; a circuit has those of %s, %s and %s",
                       at_read_names[m->readout.kind], at_read_names[AT_READ_THRESHOLD],
                       at_read_names[AT_READ_SIGN], at_read_names[AT_READ_ARGMAX]);
    if (n < m->n_min || n > m->n_max)
        return at_fail(err, AT_EDOMAIN, "it takes words of %d to %d letters, not of %d", m->n_min, m->n_max,
                       n);
    for (int b = 0; b < m->n_blocks && !s; b++) {
        const at_block *block = &m->blocks[b];
        if (block->kind != AT_BLOCK_ATTN && block->kind != AT_BLOCK_MLP)
            return at_fail(err, AT_EREFUSED, "block %d is %s; circuits are made of attention and MLPs", b + 1,
                           at_block_names[block->kind]);
        for (int g = 0; block->kind == AT_BLOCK_ATTN && g < block->n_groups && !s; g++)
            s = weighting_fits(&block->groups[g], a, err);
    }
    return s;
}

static int letter_bits(int letters)
{
    int bits = 0;
    while (1 << bits < letters)
        bits++;
    return bits;
}

int at_circuit_depth_bound(const at_model *m)
{
    int depth = 3; /* the bits of a letter, letters of one embedding; the readout */
    for (int b = 0; b < m->n_blocks; b++)
        depth += m->blocks[b].kind == AT_BLOCK_ATTN ? 6 : 1;
    return depth;
}

/* ---- embedding and readout -------------------------------------------------------------------------------------------------------- */

static bool is_user(const maker *k, int t)
{
    return t >= k->m->n_prefix && t < k->m->n_prefix + k->n;
}

static bool is_read(const maker *k, int t)
{
    return k->m->readout.last ? t == k->T - 1 : is_user(k, t);
}

/* Position i of the word has this letter. */
static at_wire letter_wire(maker *k, int i, int letter, int bits)
{
    at_wire w[32];
    for (int s = 0; s < bits; s++)
        w[s] = at_circuit_input(k->c, i * bits + s) ^ (letter >> s & 1 ? 0 : 1);
    return at_circuit_and(k->c, w, (size_t)bits);
}

static at_status words_embed(maker *k)
{
    int letters = k->m->fields[0].size, bits = letter_bits(letters);
    cell *x = at_new(&k->a, cell, numbers_width(k->N));
    bag b = {0};
    at_status s = x ? AT_OK : at_oom(k->err);
    for (int t = 0; t < k->T && !s; t++) {
        for (int a = is_user(k, t) ? 0 : -1; a < (is_user(k, t) ? letters : 0) && !s; a++) {
            s = numbers_embed(k->N, a, t, k->T, x, k->err);
            int id = s ? 0 : vectors_meet(&k->states, x);
            if (id < 0 ||
                (!s && !bag_add(&b, id, a < 0 ? AT_WIRE_TRUE : letter_wire(k, t - k->m->n_prefix, a, bits))))
                s = at_oom(k->err);
        }
        if (!s && !bag_close(&b, k->c, &k->at[t]))
            s = at_oom(k->err);
    }
    at_free(b.all);
    return s;
}

/* Output `row` of position t: bit `bit` of its decision. */
static at_status output_make(maker *k, int t, const int *decision, int width, int row, int bit)
{
    const values *v = &k->at[t];
    char name[64];
    size_t n = 0;
    if (!ROOM(k->wires, k->room_wires, (size_t)v->n + 1))
        return at_oom(k->err);
    for (int i = 0; i < v->n; i++)
        if (decision[v->id[i] * width + row] >> bit & 1)
            k->wires[n++] = v->w[i];
    at_text text;
    at_text_init(&text);
    at_text_add(&text, "y");
    if (!k->m->readout.last)
        at_text_addf(&text, "_%d", t - k->m->n_prefix + 1);
    if (k->m->readout.rows > 1)
        at_text_addf(&text, "_%d", row + bit);
    bool whole = !text.oom && text.n < sizeof name;
    if (whole)
        memcpy(name, text.s, text.n + 1);
    at_text_release(&text);
    if (!whole)
        return at_oom(k->err);
    at_circuit_output(k->c, at_circuit_or(k->c, k->wires, n), name);
    return AT_OK;
}

static at_status outputs_make(maker *k)
{
    const at_readout *r = &k->m->readout;
    bool index = r->kind == AT_READ_ARGMAX;
    int width = index ? 1 : r->rows, bits = index ? letter_bits(r->rows) : 1;
    int *decision = at_new(&k->a, int, k->states.n *(size_t)width + 1);
    at_status s = decision ? AT_OK : at_oom(k->err);
    for (size_t v = 0; v < k->states.n && !s; v++)
        s = numbers_decide(k->N, vectors_at(&k->states, (int)v), decision + v * (size_t)width, k->err);
    for (int t = 0; t < k->T && !s; t++)
        for (int row = 0; is_read(k, t) && row < width && !s; row++)
            for (int bit = 0; bit < bits && !s; bit++)
                s = output_make(k, t, decision, width, row, bit);
    return s;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------------------ */

at_status maker_status(const maker *k)
{
    at_err own = {0};
    at_status s = at_circuit_status(k->c, &own);
    if (s == AT_EBUDGET)
        return at_fail(k->err, s, "%s, at position %d of %d of block %d of %d", own.text, k->place + 1, k->T,
                       k->block + 1, k->m->n_blocks);
    return s ? at_fail(k->err, s, "%s", own.text) : AT_OK;
}

static at_status values_count(const maker *k, int b, int t, uint64_t total)
{
    at_status s = maker_status(k);
    if (s)
        return s;
    if (total <= k->c->budget.values)
        return AT_OK;
    return at_fail(
        k->err, AT_EBUDGET,
        "block %d of %d has more than %ju states, at position %d of %d; the circuit had %zu gates by then",
        b + 1, k->m->n_blocks, (uintmax_t)k->c->budget.values, t + 1, k->T, k->c->n_gates);
}

static at_status mlp_run(maker *k, int b, int first)
{
    cell *y = at_new(&k->a, cell, numbers_width(k->N));
    int *to = at_new(&k->a, int, k->states.n + 1);
    vectors next = {.width = numbers_width(k->N)};
    bag g = {0};
    at_status s = y && to ? AT_OK : at_oom(k->err);
    for (int t = 0; t < k->T && !s; t++) {
        if (b >= first && !is_read(k, t))
            continue;
        k->place = t;
        for (int i = 0; i < k->at[t].n && !s; i++) {
            int id = k->at[t].id[i];
            if (!to[id]) {
                s = numbers_block(k->N, b, vectors_at(&k->states, id), NULL, y, k->err);
                to[id] = s ? 0 : 1 + vectors_meet(&next, y);
            }
            if (!s && (!to[id] || !bag_add(&g, to[id] - 1, k->at[t].w[i])))
                s = at_oom(k->err);
        }
        if (!s && !bag_close(&g, k->c, &k->at[t]))
            s = at_oom(k->err);
    }
    at_free(g.all);
    vectors_release(&k->states);
    k->states = next;
    return s;
}

/* Queries, keys and values of all states, head by head. */
static at_status heads_project(maker *k, int b, head *heads)
{
    const at_block *block = &k->m->blocks[b];
    at_status s = AT_OK;
    for (int g = 0; g < block->n_groups && !s; g++) {
        const at_group *a = &block->groups[g];
        int wide = numbers_key_width(k->N, a);
        size_t K = (size_t)a->heads * (size_t)wide, V = (size_t)a->heads * (size_t)a->dv;
        cell *q = at_new(&k->a, cell, K), *key_row = at_new(&k->a, cell, K), *v = at_new(&k->a, cell, V);
        for (int h = 0; h < a->heads; h++) {
            head *at = &heads[h];
            *at = (head){.b = b, .g = g, .h = h, .a = a};
            at->query.width = at->key.width = wide;
            at->value.width = at->out.width = a->dv;
            at->of_query = at_new(&k->a, int, k->states.n);
            at->of_key = at_new(&k->a, int, k->states.n);
            at->of_value = at_new(&k->a, int, k->states.n);
            at->ranks = at_new(&k->a, ranking, k->states.n);
            if (!q || !key_row || !v || !at->of_query || !at->of_key || !at->of_value || !at->ranks)
                return at_oom(k->err);
        }
        for (size_t i = 0; i < k->states.n && !s; i++) {
            s = numbers_project(k->N, b, g, vectors_at(&k->states, (int)i), q, key_row, v, k->err);
            for (int h = 0; h < a->heads && !s; h++) {
                head *at = &heads[h];
                at->of_query[i] = vectors_meet(&at->query, q + h * wide);
                at->of_key[i] = vectors_meet(&at->key, key_row + h * wide);
                at->of_value[i] = vectors_meet(&at->value, v + h * a->dv);
                if (at->of_query[i] < 0 || at->of_key[i] < 0 || at->of_value[i] < 0)
                    s = at_oom(k->err);
            }
        }
        heads += a->heads;
    }
    return s;
}

/* What a position can become, from one state of it: all choices of one given vector a head. */
typedef struct {
    int b, t, own, heads;
    const head *head;
    const values *given; /* (heads) */
    at_wire *wires;      /* (heads + 1) */
    cell *mixed, *y;
    vectors *next;
    bag *bag;
    uint64_t choices;
} choosing;

static at_status choose(maker *k, choosing *c, int h, cell *mixed)
{
    if (h == c->heads) {
        at_wire w = at_circuit_and(k->c, c->wires, (size_t)c->heads + 1);
        if (w == AT_WIRE_FALSE)
            return AT_OK;
        if (++c->choices > 16 * k->c->budget.values)
            return values_count(k, c->b, c->t, UINT64_MAX);
        at_status s = numbers_block(k->N, c->b, vectors_at(&k->states, c->own), c->mixed, c->y, k->err);
        int id = s ? 0 : vectors_meet(c->next, c->y);
        return s ? s : id < 0 || !bag_add(c->bag, id, w) ? at_oom(k->err) : AT_OK;
    }
    at_status s = AT_OK;
    int dv = c->head[h].a->dv;
    for (int i = 0; i < c->given[h].n && !s; i++) {
        c->wires[h + 1] = c->given[h].w[i];
        if (h + 1 < c->heads && circuit_never(k->c, c->wires, (size_t)h + 2))
            continue;
        memcpy(mixed, vectors_at(&c->head[h].out, c->given[h].id[i]), (size_t)dv * sizeof *mixed);
        s = choose(k, c, h + 1, mixed + dv);
    }
    return s;
}

/* Position t after attention. */
static at_status position_run(maker *k, choosing *c, head *heads, values *given, values *out)
{
    at_status s = AT_OK;
    const values *v = &k->at[c->t];
    c->choices = 0;
    for (int i = 0; i < v->n && !s; i++) {
        if (at_cancel_pending())
            return at_fail(k->err, AT_ECANCEL, "interrupted");
        c->own = v->id[i];
        c->wires[0] = v->w[i];
        for (int h = 0; h < c->heads && !s; h++)
            s = head_run(k, &heads[h], c->t, c->own, v->w[i], &given[h]);
        if (!s)
            s = choose(k, c, 0, c->mixed);
        if (!s)
            s = maker_status(k);
    }
    return s ? s : bag_close(c->bag, k->c, out) ? AT_OK : at_oom(k->err);
}

static void heads_release(head *heads, int n)
{
    for (int h = 0; h < n; h++) {
        vectors_release(&heads[h].query);
        vectors_release(&heads[h].key);
        vectors_release(&heads[h].value);
        vectors_release(&heads[h].out);
    }
}

static void values_release(values *v, int n)
{
    for (int k = 0; k < n; k++) {
        at_free(v[k].id);
        at_free(v[k].w);
    }
}

static at_status attention_run(maker *k, int b, int first)
{
    const at_block *block = &k->m->blocks[b];
    int heads_n = 0, wide = 0;
    for (int g = 0; g < block->n_groups; g++) {
        heads_n += block->groups[g].heads;
        wide += block->groups[g].heads * block->groups[g].dv;
    }
    vectors next = {.width = numbers_width(k->N)};
    bag g = {0};
    uint64_t total = 0;
    head *heads = at_new(&k->a, head, heads_n + 1);
    values *given = at_new(&k->a, values, heads_n + 1), *after = at_new(&k->a, values, k->T);
    choosing c = {.b = b, .heads = heads_n, .head = heads, .given = given, .next = &next, .bag = &g};
    c.wires = at_new(&k->a, at_wire, heads_n + 1);
    c.mixed = at_new(&k->a, cell, wide + 1);
    c.y = at_new(&k->a, cell, numbers_width(k->N));
    if (!heads || !given || !after || !c.wires || !c.mixed || !c.y)
        return at_oom(k->err);
    at_status s = heads_project(k, b, heads);
    for (int t = 0; t < k->T && !s; t++) {
        if (b >= first && !is_read(k, t))
            continue;
        c.t = k->place = t;
        s = position_run(k, &c, heads, given, &after[t]);
        total += (uint64_t)after[t].n;
        if (!s)
            s = values_count(k, b, t, total);
    }
    heads_release(heads, heads_n);
    values_release(given, heads_n);
    values_release(k->at, k->T);
    memcpy(k->at, after, (size_t)k->T * sizeof *after);
    vectors_release(&k->states);
    k->states = next;
    at_free(g.all);
    return s;
}

static at_status blocks_run(maker *k)
{
    int last = 0; /* the last attention: nobody reads what others have from there on */
    at_status s = AT_OK;
    for (int b = 0; b < k->m->n_blocks; b++)
        last = k->m->blocks[b].kind == AT_BLOCK_ATTN ? b : last;
    for (int b = 0; b < k->m->n_blocks && !s; b++) {
        at_mark mark = at_arena_mark(&k->a);
        k->block = b;
        s = k->m->blocks[b].kind == AT_BLOCK_ATTN ? attention_run(k, b, last) : mlp_run(k, b, last);
        at_arena_reset(&k->a, mark);
    }
    return s;
}

/* ---- all -------------------------------------------------------------------------------------------------------------------------- */

static at_status inputs_name(maker *k, int bits)
{
    for (int i = 0; i < k->n * bits; i++) {
        char name[32];
        at_text t;
        at_text_init(&t);
        at_text_addf(&t, bits > 1 ? "x_%d_%d" : "x_%d", i / bits + 1, i % bits);
        bool whole = !t.oom && t.n < sizeof name;
        if (whole)
            memcpy(name, t.s, t.n + 1);
        at_text_release(&t);
        if (!whole)
            return at_oom(k->err);
        at_circuit_name_input(k->c, i, name);
    }
    return AT_OK;
}

static void maker_release(maker *k)
{
    if (k->at)
        values_release(k->at, k->T);
    vectors_release(&k->states);
    vectors_release(&k->sums[0]);
    vectors_release(&k->sums[1]);
    at_free(k->keys);
    at_free(k->wires);
    at_free(k->weights);
    at_free(k->given.all);
    at_arena_release(&k->a);
    numbers_free(k->N);
}

at_status at_circuit_of_model(const at_model *m, at_arith a, int n, const at_circuit_budget *budget,
                              at_circuit **out, at_err *err)
{
    at_err own = {0};
    maker k = {.m = m, .n = n, .err = err ? err : &own};
    at_status s = model_fits(m, a, n, k.err);
    if (s)
        return s;
    int bits = letter_bits(m->fields[0].size);
    k.T = m->n_prefix + n + m->n_suffix;
    at_arena_init(&k.a);
    at_arena kept;
    at_arena_init(&kept);
    k.at = at_new(&kept, values, k.T + 1);
    s = k.at ? numbers_new(m, a, &k.N, k.err) : at_oom(k.err);
    k.states.width = s ? 0 : numbers_width(k.N);
    if (!s)
        s = at_circuit_new(n * bits, budget, &k.c, k.err);
    if (!s)
        s = inputs_name(&k, bits);
    if (!s)
        s = words_embed(&k);
    if (!s)
        s = blocks_run(&k);
    if (!s)
        s = outputs_make(&k);
    if (!s)
        s = maker_status(&k);
    maker_release(&k);
    at_arena_release(&kept);
    if (s)
        at_circuit_free(k.c);
    else
        *out = k.c;
    return s;
}
