/* expand.c: a circuit without threshold gates.
 *
 * A sum of n wires with weights is added up by full adders: column s holds wires of weight 2^s; three of them become one of the same column
 * and one of the next, until every column has at most one, which is bit s of the sum. A column of n wires takes less than n adders, and all threshold gates
 * over a sum share its bits. A comparison with a constant goes from the lowest bit up, an AND or an OR a bit. */
#include <string.h>

#include "circuit_internal.h"

enum { COLUMNS = 64 };

typedef struct {
    at_wire *w;
    size_t n, room;
} column;

typedef struct {
    at_circuit *to;
    at_wire *of;             /* (n_gates) of the old circuit */
    at_wire (*sum)[COLUMNS]; /* (n_lists), where has_sum */
    uint8_t *has_sum;
    column columns[COLUMNS];
    bool oom;
} expansion;

static void column_add(expansion *e, int at, at_wire w)
{
    column *c = &e->columns[at];
    if (w == AT_WIRE_FALSE)
        return;
    if (!ROOM(c->w, c->room, c->n + 1)) {
        e->oom = true;
        return;
    }
    c->w[c->n++] = w;
}

static at_wire both(at_circuit *c, at_wire a, at_wire b)
{
    return at_circuit_and(c, (at_wire[]){a, b}, 2);
}

static at_wire either(at_circuit *c, at_wire a, at_wire b)
{
    return at_circuit_or(c, (at_wire[]){a, b}, 2);
}

/* One of them and not both. */
static at_wire unequal(at_circuit *c, at_wire a, at_wire b)
{
    return both(c, either(c, a, b), at_wire_not(both(c, a, b)));
}

/* Three wires of a column, the oldest, so that a tree comes out and no chain; or two. */
static void adder(expansion *e, int at, size_t *first)
{
    column *c = &e->columns[at];
    at_wire a = c->w[*first], b = c->w[*first + 1],
            last = *first + 2 < c->n ? c->w[*first + 2] : AT_WIRE_FALSE;
    at_wire half = unequal(e->to, a, b);
    *first += *first + 2 < c->n ? 3 : 2;
    column_add(e, at, unequal(e->to, half, last));
    column_add(e, at + 1, either(e->to, both(e->to, a, b), both(e->to, half, last)));
}

static void sum_make(expansion *e, const at_circuit *c, uint32_t list)
{
    const wire_list *l = &c->lists[list];
    e->has_sum[list] = 1;
    for (int s = 0; s < COLUMNS; s++)
        e->columns[s].n = 0;
    for (size_t k = 0; k < l->n; k++) {
        at_wire w = c->wires[l->first + k], now = e->of[gate_of(w)] ^ (w & 1);
        for (int64_t rest = c->weights[l->first + k]; rest; rest &= rest - 1)
            column_add(e, __builtin_ctzll((uint64_t)rest), now);
    }
    for (int s = 0; s < COLUMNS; s++) {
        size_t first = 0;
        while (first + 1 < e->columns[s].n && s + 1 < COLUMNS && !e->oom)
            adder(e, s, &first);
        e->sum[list][s] = first < e->columns[s].n ? e->columns[s].w[first] : AT_WIRE_FALSE;
    }
}

static at_wire threshold_make(expansion *e, const at_circuit *c, const gate *g)
{
    if (!e->has_sum[g->list])
        sum_make(e, c, g->list);
    const at_wire *bit = e->sum[g->list];
    at_wire reached = AT_WIRE_TRUE;
    for (int s = 0; s < COLUMNS - 1; s++)
        reached = g->least >> s & 1 ? both(e->to, bit[s], reached) : either(e->to, bit[s], reached);
    return reached;
}

static at_status gates_make(expansion *e, const at_circuit *c, const uint8_t *live, at_wire *wires,
                            at_err *err)
{
    for (size_t k = 0; k < c->n_gates; k++) {
        const gate *g = &c->gates[k];
        if (!live[k] || g->kind == GATE_FALSE)
            continue;
        if (g->kind == GATE_INPUT) {
            e->of[k] = at_circuit_input(e->to, (int)g->least);
            continue;
        }
        if ((k & 1023) == 0 && at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted");
        const wire_list *l = &c->lists[g->list];
        for (size_t i = 0; i < l->n; i++)
            wires[i] = e->of[gate_of(c->wires[l->first + i])] ^ (c->wires[l->first + i] & 1);
        e->of[k] = g->kind == GATE_AND  ? at_circuit_and(e->to, wires, l->n)
                   : g->kind == GATE_OR ? at_circuit_or(e->to, wires, l->n)
                                        : threshold_make(e, c, g);
    }
    return e->oom ? at_oom(err) : AT_OK;
}

at_status at_circuit_expand(const at_circuit *c, at_circuit **out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    expansion e = {0};
    size_t widest = 0;
    for (size_t k = 0; k < c->n_lists; k++)
        widest = c->lists[k].n > widest ? c->lists[k].n : widest;
    uint8_t *live = circuit_live(c, &a);
    at_wire *wires = at_new(&a, at_wire, widest + 1);
    e.of = at_new(&a, at_wire, c->n_gates);
    e.has_sum = at_new(&a, uint8_t, c->n_lists + 1);
    e.sum = (at_wire(*)[COLUMNS])at_new(&a, at_wire, COLUMNS * (c->n_lists + 1));
    at_status s = live && wires && e.of && e.has_sum && e.sum ? AT_OK : at_oom(err);
    if (!s)
        s = at_circuit_new(
            c->inputs, &(at_circuit_budget){.gates = UINT32_MAX / 4, .wires = UINT64_MAX / 2, .folded = -1},
            &e.to, err);
    if (!s)
        s = gates_make(&e, c, live, wires, err);
    for (int k = 0; k < c->inputs && !s; k++)
        if (c->input_name[k])
            at_circuit_name_input(e.to, k, c->input_name[k]);
    for (size_t k = 0; k < c->n_outputs && !s; k++)
        at_circuit_output(e.to, e.of[gate_of(c->output[k])] ^ (c->output[k] & 1), c->output_name[k]);
    if (!s)
        s = at_circuit_status(e.to, err);
    for (int k = 0; k < COLUMNS; k++)
        at_free(e.columns[k].w);
    at_arena_release(&a);
    if (s)
        at_circuit_free(e.to);
    else
        *out = e.to;
    return s;
}
