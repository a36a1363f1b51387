/* stream.c: the circuit of a unique-hard model, printed by one program for all n that keeps nothing of it.
 *
 * Uniformity. A state is told by its history: after layer l, at position i, what the position was before it, and for each head the position that it chose with
 * what that was. A history is a tree of letters and positions, of a size that depends on the blocks alone, so it is a constant number of
 * counters up to n: O(log n) bits. There is one gate a history,
 *     g(l, i, h) = g(l-1, i, own) AND g(l-1, j, key) for each head AND NOT g(l-1, j', key') for all keys that come before it,
 * and its wires are found by counting through all histories of keys and comparing scores, which are computed from histories again
 * each time. So the program keeps a few histories, a few states and a name. What it takes is counted in words and said; nothing
 * else grows with n, and numbers of a position have O(log n) bits.
 *
 * Histories that differ may be one state, so this circuit is larger than make.c's, by a power of n. */
#include <string.h>

#include "numbers.h"

enum { NAME_MAX = 4096, DEEP = 16 };

/* Scratch of one layer of histories: a state is made from states of the layer before. */
typedef struct {
    cell *x, *y, *q, *k, *v, *mixed;
} level;

/* What is done with the wires of a gate. */
typedef struct stream stream;
typedef at_status wire_fn(stream *s, const char *name, bool negated);

struct stream {
    const at_model *m;
    numbers *N;
    at_err *err;
    int n, T, letters, bits;
    int layers, block[DEEP + 1]; /* attention: layer l is block[l], l from 1 */
    int heads[DEEP + 1];         /* of all groups of a layer */
    int size[DEEP + 1];          /* numbers in a history */
    level at[DEEP + 1];
    int *own, *key;       /* histories: of a gate, and of a key beside it */
    cell *query, *beside; /* projections */
    char *name;
    at_arena a;
    size_t words;
    at_circuit_streamed *out;
    /* BLIF */
    at_circuit_sink *sink;
    void *ctx;
    /* a circuit */
    at_circuit *c;
    at_wire *wires;
    size_t n_wires, room_wires;
    at_text names; /* of gates, one behind the other */
    size_t *name_at, room_names;
    at_wire *made;
    size_t n_made, room_made;
    uint32_t *table;
    size_t slots;
};

/* ---- histories ----------------------------------------------------------------------------------------------------------- */

/* Head k of a layer: its group. */
static const at_group *head_group(const stream *s, int l, int k, int *g, int *h)
{
    const at_block *b = &s->m->blocks[s->block[l]];
    for (*g = 0; k >= b->groups[*g].heads; k -= b->groups[(*g)++].heads)
        ;
    *h = k;
    return &b->groups[*g];
}

static bool is_hidden(const stream *s, int i)
{
    return i < s->m->n_prefix || i >= s->m->n_prefix + s->n;
}

/* The next position after j that query i may see by head k; -1: none. */
static int next_key(const stream *s, int l, int k, int i, int j)
{
    int g, h;
    const at_group *a = head_group(s, l, k, &g, &h);
    for (j++; j < s->T; j++)
        if (at_mask_allows(&a->mask, i, j))
            return j;
    return -1;
}

/* Head k in a history of layer l: its position, and behind it what that was. */
static int *head_part(const stream *s, int l, int k, int *h)
{
    return h + s->size[l - 1] + k * (1 + s->size[l - 1]);
}

static void history_first(const stream *s, int l, int i, int *h)
{
    if (l == 0) {
        h[0] = 0;
        return;
    }
    history_first(s, l - 1, i, h);
    for (int k = 0; k < s->heads[l]; k++) {
        int *part = head_part(s, l, k, h);
        part[0] = next_key(s, l, k, i, -1);
        history_first(s, l - 1, part[0], part + 1);
    }
}

/* Counts on; false: that was the last, and it is the first again. */
static bool history_next(const stream *s, int l, int i, int *h)
{
    if (l == 0) {
        h[0] = i < 0 || is_hidden(s, i) || h[0] + 1 == s->letters ? 0 : h[0] + 1;
        return h[0] != 0;
    }
    if (history_next(s, l - 1, i, h))
        return true;
    for (int k = 0; k < s->heads[l]; k++) {
        int *part = head_part(s, l, k, h);
        if (part[0] >= 0 && history_next(s, l - 1, part[0], part + 1))
            return true;
        int j = part[0] < 0 ? -1 : next_key(s, l, k, i, part[0]);
        part[0] = j < 0 ? next_key(s, l, k, i, -1) : j;
        history_first(s, l - 1, part[0], part + 1);
        if (j >= 0)
            return true;
    }
    return false;
}

/* A history that says two things of its own position is none. */
static bool history_fits(const stream *s, int l, int i, int *h)
{
    if (l == 0)
        return true;
    bool fits = history_fits(s, l - 1, i, h);
    for (int k = 0; k < s->heads[l] && fits; k++) {
        int *part = head_part(s, l, k, h);
        if (part[0] < 0)
            continue;
        fits = history_fits(s, l - 1, part[0], part + 1) &&
               (part[0] != i || memcmp(part + 1, h, (size_t)s->size[l - 1] * sizeof *h) == 0);
    }
    return fits;
}

/* g2_5_0_3_1: layer 2, position 5, and its history. A hidden position is `one` before the first layer. */
static char *number_write(char *to, char *end, int x)
{
    char digits[12];
    int n = 0;
    if (x < 0) { /* no key */
        digits[n++] = 'n';
        x = 0;
    } else
        do
            digits[n++] = (char)('0' + x % 10);
        while (x /= 10);
    for (*to++ = '_'; n && to < end; n--)
        *to++ = digits[n - 1];
    return to;
}

static const char *history_name(stream *s, int l, int i, const int *h)
{
    if (l == 0 && is_hidden(s, i))
        return "one";
    char *to = s->name, *end = s->name + NAME_MAX - 2;
    *to++ = 'g';
    to = number_write(to, end, l);
    to = number_write(to, end, i);
    for (int k = 0; k < s->size[l] && to < end; k++)
        to = number_write(to, end, h[k]);
    *to = 0;
    return s->name;
}

/* ---- states of histories ---------------------------------------------------------------------------------------------------- */

/* MLPs behind layer l, in place. */
static at_status points_run(stream *s, int l, cell *x)
{
    int last = l < s->layers ? s->block[l + 1] : s->m->n_blocks;
    at_status st = AT_OK;
    for (int b = l ? s->block[l] + 1 : 0; b < last && !st; b++) {
        st = numbers_block(s->N, b, x, NULL, s->at[l].y, s->err);
        memcpy(x, s->at[l].y, (size_t)s->m->width * sizeof *x);
    }
    return st;
}

/* out (D): the state of position i after layer l. */
static at_status state_of(stream *s, int l, int i, int *h, cell *out)
{
    level *v = &s->at[l];
    at_status st = AT_OK;
    if (l == 0) {
        st = numbers_embed(s->N, is_hidden(s, i) ? -1 : h[0], i, s->T, out, s->err);
        return st ? st : points_run(s, 0, out);
    }
    int at = 0;
    for (int k = 0; k < s->heads[l] && !st; k++) {
        int g, head, *part = head_part(s, l, k, h);
        const at_group *a = head_group(s, l, k, &g, &head);
        memset(v->mixed + at, 0, (size_t)a->dv * sizeof *v->mixed);
        if (part[0] >= 0) {
            st = state_of(s, l - 1, part[0], part + 1, v->x);
            if (!st)
                st = numbers_project(s->N, s->block[l], g, v->x, v->q, v->k, v->v, s->err);
            memcpy(v->mixed + at, v->v + head * a->dv, (size_t)a->dv * sizeof *v->mixed);
        }
        at += a->dv;
    }
    if (!st)
        st = state_of(s, l - 1, i, h, v->x);
    if (!st)
        st = numbers_block(s->N, s->block[l], v->x, v->mixed, v->y, s->err);
    memcpy(out, v->y, (size_t)s->m->width * sizeof *out);
    return st ? st : points_run(s, l, out);
}

/* The score of key j with history h for the query that s->query has, head k of layer l. */
static at_status score_of(stream *s, int l, int k, int j, int *h, cell *out)
{
    int g, head;
    const at_group *a = head_group(s, l, k, &g, &head);
    level *v = &s->at[l];
    at_status st = state_of(s, l - 1, j, h, v->x);
    if (!st)
        st = numbers_project(s->N, s->block[l], g, v->x, v->q, v->k, v->v, s->err);
    return st ? st : numbers_score(s->N, s->block[l], g, head, s->query, v->k + head * a->dk, out, s->err);
}

/* ---- gates -------------------------------------------------------------------------------------------------------------------- */

/* Does key j' come before key j, where their scores are s' and s? */
static bool comes_before(const stream *s, const at_group *a, int j2, cell s2, int j, cell s1)
{
    int order = numbers_order(s->N, s2, s1);
    return order > 0 || (order == 0 && (at_weighting_is(a->weighting, AT_IS_LAST) ? j2 > j : j2 < j));
}

/* Head k of a gate: its key, and all that come before it, negated. */
static at_status head_wires(stream *s, int l, int i, int k, int *h, wire_fn *wire)
{
    int g, head, *part = head_part(s, l, k, h), j = part[0];
    const at_group *a = head_group(s, l, k, &g, &head);
    level *v = &s->at[l];
    cell chosen, other;
    if (j < 0)
        return AT_OK;
    size_t mark = numbers_mark(s->N);
    at_status st = state_of(s, l - 1, i, h, v->x);
    if (!st)
        st = numbers_project(s->N, s->block[l], g, v->x, v->q, v->k, v->v, s->err);
    memcpy(s->query, v->q + head * a->dk, (size_t)a->dk * sizeof *s->query);
    if (!st)
        st = score_of(s, l, k, j, part + 1, &chosen);
    if (!st)
        st = wire(s, history_name(s, l - 1, j, part + 1), false);
    size_t after = numbers_mark(s->N);
    for (int j2 = next_key(s, l, k, i, -1); j2 >= 0 && !st; j2 = next_key(s, l, k, i, j2)) {
        if (j2 == j)
            continue;
        if (at_cancel_pending())
            return at_fail(s->err, AT_ECANCEL, "interrupted");
        history_first(s, l - 1, j2, s->key);
        do {
            bool is_own = memcmp(s->key, h, (size_t)s->size[l - 1] * sizeof *h) == 0;
            if ((j2 == i && !is_own) || !history_fits(s, l - 1, j2, s->key))
                continue;
            st = score_of(s, l, k, j2, s->key, &other);
            if (!st && comes_before(s, a, j2, other, j, chosen))
                st = wire(s, history_name(s, l - 1, j2, s->key), true);
            numbers_forget(s->N, after);
        } while (!st && history_next(s, l - 1, j2, s->key));
    }
    numbers_forget(s->N, mark);
    return st;
}

static at_status gate_wires(stream *s, int l, int i, int *h, wire_fn *wire)
{
    at_status st = AT_OK;
    if (l == 0) { /* a letter, by its bits */
        for (int b = 0; b < s->bits && !st; b++) {
            char *to = s->name;
            *to++ = 'x';
            to = number_write(to, s->name + NAME_MAX - 2, i - s->m->n_prefix + 1);
            if (s->bits > 1)
                to = number_write(to, s->name + NAME_MAX - 2, b);
            *to = 0;
            st = wire(s, s->name, !(h[0] >> b & 1));
        }
        return st;
    }
    st = wire(s, history_name(s, l - 1, i, h), false);
    for (int k = 0; k < s->heads[l] && !st; k++)
        st = head_wires(s, l, i, k, h, wire);
    return st;
}

/* Histories of the last position whose state is answered yes. */
static at_status answer_wires(stream *s, wire_fn *wire)
{
    at_status st = AT_OK;
    int l = s->layers, decision, *h = s->own;
    history_first(s, l, s->T - 1, h);
    do {
        size_t mark = numbers_mark(s->N);
        if (!history_fits(s, l, s->T - 1, h))
            continue;
        st = state_of(s, l, s->T - 1, h, s->beside);
        if (!st)
            st = numbers_decide(s->N, s->beside, &decision, s->err);
        if (!st && decision)
            st = wire(s, history_name(s, l, s->T - 1, h), false);
        numbers_forget(s->N, mark);
    } while (!st && history_next(s, l, s->T - 1, h));
    return st;
}

/* ---- BLIF ------------------------------------------------------------------------------------------------------------------------ */

static at_status put(stream *s, const char *text)
{
    return s->sink(s->ctx, text, strlen(text), s->err);
}

static at_status name_put(stream *s, const char *name, bool negated)
{
    (void)negated;
    s->out->wires++;
    at_status st = s->sink(s->ctx, " ", 1, s->err);
    return st ? st : put(s, name);
}

static at_status digit_put(stream *s, const char *name, bool negated)
{
    (void)name;
    return put(s, negated ? "0" : "1");
}

static at_status zero_put(stream *s, const char *name, bool negated)
{
    (void)name, (void)negated;
    return put(s, "0");
}

static at_status gate_put(stream *s, int l, int i, int *h)
{
    s->out->gates++;
    at_status st = put(s, ".names");
    if (!st)
        st = gate_wires(s, l, i, h, name_put);
    if (!st)
        st = put(s, " ");
    if (!st)
        st = put(s, history_name(s, l, i, h));
    if (!st)
        st = put(s, "\n");
    if (!st)
        st = gate_wires(s, l, i, h, digit_put);
    return st ? st : put(s, " 1\n");
}

static at_status head_put(stream *s)
{
    at_status st = put(s, ".model attest\n.inputs");
    for (int k = 0; k < s->n * s->bits && !st; k++) {
        char *to = s->name;
        *to++ = ' ';
        *to++ = 'x';
        to = number_write(to, s->name + NAME_MAX - 2, k / s->bits + 1);
        if (s->bits > 1)
            to = number_write(to, s->name + NAME_MAX - 2, k % s->bits);
        *to = 0;
        st = put(s, s->name);
    }
    return st ? st : put(s, "\n.outputs y\n.names one\n1\n");
}

static at_status answer_put(stream *s)
{
    uint64_t before = s->out->wires;
    at_status st = put(s, ".names");
    if (!st)
        st = answer_wires(s, name_put);
    if (!st)
        st = put(s, " y\n");
    if (!st && s->out->wires > before) /* of nothing it is false */
        st = answer_wires(s, zero_put);
    if (!st && s->out->wires > before)
        st = put(s, " 0\n");
    s->out->gates++;
    return st ? st : put(s, ".end\n");
}

/* ---- a circuit ---------------------------------------------------------------------------------------------------------------------- */

static size_t name_slot(const stream *s, const char *name)
{
    return at_hash64(name, strlen(name), 0) & (s->slots - 1);
}

static at_wire *name_find(stream *s, const char *name)
{
    for (size_t at = s->slots ? name_slot(s, name) : 0; s->slots && s->table[at];
         at = (at + 1) & (s->slots - 1))
        if (!strcmp(s->names.s + s->name_at[s->table[at] - 1], name))
            return &s->made[s->table[at] - 1];
    return NULL;
}

static at_status name_add(stream *s, const char *name, at_wire w)
{
    if (!ROOM(s->name_at, s->room_names, s->n_made + 1) || !ROOM(s->made, s->room_made, s->n_made + 1))
        return at_oom(s->err);
    s->name_at[s->n_made] = s->names.n;
    s->made[s->n_made++] = w;
    at_text_addn(&s->names, name, strlen(name) + 1);
    if (s->names.oom)
        return at_oom(s->err);
    bool grow = 2 * s->n_made > s->slots;
    if (grow) {
        at_free(s->table);
        s->slots = s->slots ? 2 * s->slots : 64;
        if (!(s->table = at_calloc(s->slots, sizeof *s->table))) {
            s->slots = 0;
            return at_oom(s->err);
        }
    }
    for (size_t k = grow ? 0 : s->n_made - 1; k < s->n_made; k++) {
        size_t at = name_slot(s, s->names.s + s->name_at[k]);
        while (s->table[at])
            at = (at + 1) & (s->slots - 1);
        s->table[at] = (uint32_t)k + 1;
    }
    return AT_OK;
}

static at_status wire_keep(stream *s, const char *name, bool negated)
{
    const at_wire *w = name_find(s, name);
    if (!w)
        return at_fail(s->err, AT_EINPUT, "gate %s is read before it is made", name);
    if (!ROOM(s->wires, s->room_wires, s->n_wires + 1))
        return at_oom(s->err);
    s->wires[s->n_wires++] = negated ? at_wire_not(*w) : *w;
    return AT_OK;
}

static at_status gate_make(stream *s, int l, int i, int *h)
{
    s->n_wires = 0;
    at_status st = gate_wires(s, l, i, h, wire_keep);
    if (!st)
        st = name_add(s, history_name(s, l, i, h), at_circuit_and(s->c, s->wires, s->n_wires));
    return st ? st : at_circuit_status(s->c, s->err);
}

static at_status inputs_make(stream *s)
{
    at_status st = name_add(s, "one", AT_WIRE_TRUE);
    for (int k = 0; k < s->n * s->bits && !st; k++) {
        char *to = s->name;
        *to++ = 'x';
        to = number_write(to, s->name + NAME_MAX - 2, k / s->bits + 1);
        if (s->bits > 1)
            to = number_write(to, s->name + NAME_MAX - 2, k % s->bits);
        *to = 0;
        at_circuit_name_input(s->c, k, s->name);
        st = name_add(s, s->name, at_circuit_input(s->c, k));
    }
    return st;
}

static at_status answer_make(stream *s)
{
    s->n_wires = 0;
    at_status st = answer_wires(s, wire_keep);
    if (!st)
        at_circuit_output(s->c, at_circuit_or(s->c, s->wires, s->n_wires), "y");
    return st ? st : at_circuit_status(s->c, s->err);
}

/* ---- all ------------------------------------------------------------------------------------------------------------------------------- */

static at_status stream_fits(const at_model *m, int n, at_err *err)
{
    at_status taken = at_model_takes(m, AT_IN_ANALYSE, "circuits", err);
    if (taken)
        return taken;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN || m->decode.enabled || !m->readout.last ||
        m->readout.rows != 1 || m->readout.kind != AT_READ_THRESHOLD)
        return at_fail(err, AT_EREFUSED,
                       "circuits are printed for models of one token field that answer yes or no once for "
                       "the whole word");
    if (n < m->n_min || n > m->n_max)
        return at_fail(err, AT_EDOMAIN, "it takes words of %d to %d letters, not of %d", m->n_min, m->n_max,
                       n);
    int layers = 0;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        if (k->kind != AT_BLOCK_ATTN && k->kind != AT_BLOCK_MLP)
            return at_fail(err, AT_EREFUSED, "block %d is %s; circuits are made of attention and MLPs", b + 1,
                           at_block_names[k->kind]);
        layers += k->kind == AT_BLOCK_ATTN;
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++)
            if (!at_weighting_is(k->groups[g].weighting, AT_IS_ONE) || k->groups[g].tie != 0)
                return at_fail(err, AT_EREFUSED,
                               "block %d: circuits are printed for leftmost- and rightmost-hard attention "
                               "with a tie of 0; "
                               "`attest extract --to circuit` makes others",
                               b + 1);
    }
    return layers > DEEP
               ? at_fail(err, AT_EBUDGET, "it has %d layers of attention, and %d are printed", layers, DEEP)
               : AT_OK;
}

static void *work(stream *s, size_t n, size_t size)
{
    s->words += (n * size + 7) / 8;
    return at_arena_alloc(&s->a, n, size);
}

static at_status stream_open(stream *s, at_arith a)
{
    const at_model *m = s->m;
    int wide = 1, mixed = 1, D = m->width;
    bool enough = true;
    s->T = m->n_prefix + s->n + m->n_suffix;
    s->letters = m->fields[0].size;
    while (1 << s->bits < s->letters)
        s->bits++;
    s->size[0] = 1;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        if (k->kind != AT_BLOCK_ATTN)
            continue;
        int l = ++s->layers, all = 0;
        s->block[l] = b;
        for (int g = 0; g < k->n_groups; g++) {
            int row =
                k->groups[g].heads * (k->groups[g].dk > k->groups[g].dv ? k->groups[g].dk : k->groups[g].dv);
            s->heads[l] += k->groups[g].heads;
            all += k->groups[g].heads * k->groups[g].dv;
            wide = row > wide ? row : wide;
        }
        mixed = all > mixed ? all : mixed;
        s->size[l] = s->size[l - 1] + s->heads[l] * (1 + s->size[l - 1]);
        if (s->size[l] > NAME_MAX / 16)
            return at_fail(s->err, AT_EBUDGET, "a history of layer %d has %d numbers, and %d are printed", l,
                           s->size[l], NAME_MAX / 16);
    }
    for (int l = 0; l <= s->layers; l++) {
        cell **all[] = {&s->at[l].x, &s->at[l].y, &s->at[l].q, &s->at[l].k, &s->at[l].v, &s->at[l].mixed};
        size_t widths[] = {(size_t)D, (size_t)D, (size_t)wide, (size_t)wide, (size_t)wide, (size_t)mixed};
        for (int k = 0; k < COUNT(all); k++)
            enough &= (*all[k] = work(s, widths[k], sizeof(cell))) != NULL;
    }
    enough &= (s->own = work(s, (size_t)s->size[s->layers], sizeof(int))) != NULL;
    enough &= (s->key = work(s, (size_t)s->size[s->layers], sizeof(int))) != NULL;
    enough &= (s->query = work(s, (size_t)wide, sizeof(cell))) != NULL;
    enough &= (s->beside = work(s, (size_t)D, sizeof(cell))) != NULL;
    enough &= (s->name = work(s, NAME_MAX, 1)) != NULL;
    at_status st = enough ? numbers_new(m, a, &s->N, s->err) : at_oom(s->err);
    return st ? st : numbers_settle(s->N, s->err);
}

/* Gates of all layers, in an order in which they can be run. */
static at_status gates_each(stream *s, at_status (*each)(stream *s, int l, int i, int *h))
{
    at_status st = AT_OK;
    for (int l = 0; l <= s->layers && !st; l++)
        for (int i = l && l == s->layers ? s->T - 1 : 0; i < s->T && !st; i++) {
            if (l == 0 && is_hidden(s, i))
                continue;
            history_first(s, l, i, s->own);
            do
                if (history_fits(s, l, i, s->own))
                    st = each(s, l, i, s->own);
            while (!st && history_next(s, l, i, s->own));
        }
    return st;
}

static void stream_close(stream *s)
{
    numbers_free(s->N);
    at_arena_release(&s->a);
    at_free(s->wires);
    at_free(s->name_at);
    at_free(s->made);
    at_free(s->table);
    at_text_release(&s->names);
}

at_status at_circuit_stream(const at_model *m, at_arith a, int n, at_circuit_sink *sink, void *ctx,
                            at_circuit_streamed *out, at_err *err)
{
    at_err own = {0};
    stream s = {.m = m, .n = n, .err = err ? err : &own, .sink = sink, .ctx = ctx, .out = out};
    *out = (at_circuit_streamed){0};
    at_status st = stream_fits(m, n, s.err);
    if (st)
        return st;
    at_arena_init(&s.a);
    at_text_init(&s.names);
    st = stream_open(&s, a);
    if (!st)
        st = head_put(&s);
    if (!st)
        st = gates_each(&s, gate_put);
    if (!st)
        st = answer_put(&s);
    out->words = s.words + sizeof s / 8 + (s.N ? numbers_words(s.N) : 0);
    stream_close(&s);
    return st;
}

at_status at_circuit_of_stream(const at_model *m, at_arith a, int n, const at_circuit_budget *budget,
                               at_circuit **out, at_err *err)
{
    at_err own = {0};
    stream s = {.m = m, .n = n, .err = err ? err : &own};
    at_status st = stream_fits(m, n, s.err);
    if (st)
        return st;
    at_arena_init(&s.a);
    at_text_init(&s.names);
    st = stream_open(&s, a);
    if (!st)
        st = at_circuit_new(n * s.bits, budget, &s.c, s.err);
    if (!st)
        st = inputs_make(&s);
    if (!st)
        st = gates_each(&s, gate_make);
    if (!st)
        st = answer_make(&s);
    stream_close(&s);
    if (st)
        at_circuit_free(s.c);
    else
        *out = s.c;
    return st;
}
