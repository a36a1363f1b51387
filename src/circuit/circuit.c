/* circuit.c: circuits while they are made: gates that are there are found by their contents, constants are folded.
 *
 * Gate 0 is false, then come the inputs, then what is made, each after all that it reads: the order of gates is one in which they
 * can be run. Wire 2 k is gate k, wire 2 k + 1 its negation. The wires of an AND, an OR or a sum are a list, and lists are found by
 * their contents, too: all threshold gates over one sum share it, so that whoever runs or expands them adds up once. */
#include <stdlib.h>
#include <string.h>

#include "circuit_internal.h"

enum {
    GATES_USUAL = 4000000,
    WIRES_USUAL = 64000000,
    VALUES_USUAL = 40000,
    SUMS_USUAL = 40000,
    FOLDED_USUAL = 14
};
enum { FOLDED_WORDS = 1 << 25 }; /* of all gates together */

bool room_make(void **array, size_t *room, size_t n, size_t size)
{
    if (n <= *room)
        return true;
    size_t more = *room ? *room : 16;
    while (more < n)
        more *= 2;
    void *p = more > SIZE_MAX / size ? NULL : at_realloc(*array, more * size);
    if (!p)
        return false;
    *array = p;
    *room = more;
    return true;
}

/* ---- beginning and end ------------------------------------------------------------------------------------- */

static at_wire failed(at_circuit *c, at_status code, const char *why)
{
    if (!c->err.code)
        at_fail(&c->err, code, "%s", why);
    return AT_WIRE_FALSE;
}

/* Gates are not run any more: it would take too much. */
static void made_end(at_circuit *c)
{
    at_free(c->made.bits);
    at_free(c->made.slice);
    c->made = (runner){0};
    c->room_bits = 0;
}

/* The gate on all inputs. *constant: it is false on all, or true, which `is` says. */
static void made_run(at_circuit *c, const gate *g, bool *constant, at_wire *is)
{
    runner *r = &c->made;
    size_t words = r->words, at = c->n_gates * words;
    *constant = false;
    if (!words)
        return;
    if (at + words > FOLDED_WORDS) {
        made_end(c);
        return;
    }
    if (!ROOM(r->bits, c->room_bits, at + words)) {
        failed(c, AT_ENOMEM, "out of memory");
        return;
    }
    uint64_t *bits = r->bits + at, any = 0, all = UINT64_MAX;
    runner_gate(r, g, 0, bits);
    for (size_t x = 0; x < words; x++) {
        any |= bits[x];
        all &= bits[x];
    }
    *constant = !any || all == UINT64_MAX;
    *is = any ? AT_WIRE_TRUE : AT_WIRE_FALSE;
}

bool circuit_never(const at_circuit *c, const at_wire *w, size_t n)
{
    const runner *r = &c->made;
    for (size_t x = 0; x < r->words; x++) {
        uint64_t all = UINT64_MAX;
        for (size_t k = 0; k < n; k++)
            all &= r->bits[gate_of(w[k]) * r->words + x] ^ (w[k] & 1 ? UINT64_MAX : 0);
        if (all)
            return false;
    }
    return r->words > 0;
}

static at_wire gate_add(at_circuit *c, gate g)
{
    bool constant;
    at_wire is;
    if (c->n_gates >= c->budget.gates) {
        if (!c->err.code)
            at_fail(&c->err, AT_EBUDGET, "the circuit has more than %ju gates", (uintmax_t)c->budget.gates);
        return AT_WIRE_FALSE;
    }
    if (!ROOM(c->gates, c->room_gates, c->n_gates + 1))
        return failed(c, AT_ENOMEM, "out of memory");
    made_run(c, &g, &constant, &is);
    if (c->err.code || (constant && g.kind != GATE_FALSE))
        return c->err.code ? AT_WIRE_FALSE : is;
    c->gates[c->n_gates] = g;
    return (at_wire)(2 * c->n_gates++);
}

at_status at_circuit_new(int inputs, const at_circuit_budget *budget, at_circuit **out, at_err *err)
{
    at_circuit *c = at_calloc(1, sizeof *c);
    if (!c)
        return at_oom(err);
    c->inputs = inputs;
    if (budget)
        c->budget = *budget;
    at_circuit_budget *b = &c->budget;
    b->gates = b->gates ? b->gates : GATES_USUAL;
    b->wires = b->wires ? b->wires : WIRES_USUAL;
    b->values = b->values ? b->values : VALUES_USUAL;
    b->sums = b->sums ? b->sums : SUMS_USUAL;
    if (b->gates > UINT32_MAX / 4)
        b->gates = UINT32_MAX / 4; /* wires have 32 bits */
    int folded = b->folded ? b->folded : FOLDED_USUAL;
    c->made = (runner){.c = c, .list = UINT32_MAX};
    if (inputs <= folded && inputs <= FOLDED_USUAL) {
        c->made.words = inputs > 6 ? (size_t)1 << (inputs - 6) : 1;
        if (!(c->made.slice = at_calloc(RUN_SLICES * c->made.words, sizeof *c->made.slice)))
            failed(c, AT_ENOMEM, "out of memory");
    }
    gate_add(c, (gate){.kind = GATE_FALSE});
    for (int k = 0; k < inputs; k++)
        gate_add(c, (gate){.kind = GATE_INPUT, .least = k});
    c->input_name = at_calloc((size_t)inputs + 1, sizeof *c->input_name);
    if (!c->input_name)
        failed(c, AT_ENOMEM, "out of memory");
    at_status s = at_circuit_status(c, err);
    if (s)
        at_circuit_free(c);
    else
        *out = c;
    return s;
}

void at_circuit_free(at_circuit *c)
{
    if (!c)
        return;
    for (size_t k = 0; k < c->n_outputs; k++)
        at_free(c->output_name[k]);
    for (int k = 0; c->input_name && k < c->inputs; k++)
        at_free(c->input_name[k]);
    made_end(c);
    void *all[] = {c->gates,   c->lists,           c->wires,  c->weights,     c->gate_table, c->list_table,
                   c->scratch, c->scratch_weights, c->output, c->output_name, c->input_name, c};
    for (int k = 0; k < COUNT(all); k++)
        at_free(all[k]);
}

at_status at_circuit_status(const at_circuit *c, at_err *err)
{
    return c->err.code ? at_fail(err, c->err.code, "%s", c->err.text) : AT_OK;
}

int at_circuit_inputs(const at_circuit *c)
{
    return c->inputs;
}

int at_circuit_outputs(const at_circuit *c)
{
    return (int)c->n_outputs;
}

at_wire at_circuit_input(const at_circuit *c, int k)
{
    (void)c;
    return (at_wire)(2 * (k + 1));
}

static char *name_copy(at_circuit *c, const char *name)
{
    size_t n = strlen(name) + 1;
    char *copy = at_malloc(n);
    if (copy)
        memcpy(copy, name, n);
    else
        failed(c, AT_ENOMEM, "out of memory");
    return copy;
}

void at_circuit_output(at_circuit *c, at_wire w, const char *name)
{
    if (!ROOM(c->output, c->room_outputs, c->n_outputs + 1) ||
        !ROOM(c->output_name, c->room_names, c->n_outputs + 1)) {
        failed(c, AT_ENOMEM, "out of memory");
        return;
    }
    char *copy = name_copy(c, name);
    if (!copy)
        return;
    c->output[c->n_outputs] = w;
    c->output_name[c->n_outputs++] = copy;
}

void at_circuit_name_input(at_circuit *c, int k, const char *name)
{
    char *copy = name_copy(c, name);
    if (!copy)
        return;
    at_free(c->input_name[k]);
    c->input_name[k] = copy;
}

/* ---- hash tables of places -------------------------------------------------------------------------------------- */

static uint64_t list_hash(const at_circuit *c, const wire_list *l)
{
    uint64_t h = at_hash64(c->wires + l->first, l->n * sizeof *c->wires, l->weighted);
    return l->weighted ? at_hash64(c->weights + l->first, l->n * sizeof *c->weights, h) : h;
}

static uint64_t gate_hash(const gate *g)
{
    uint64_t key[3] = {g->kind, g->list, (uint64_t)g->least};
    return at_hash64(key, sizeof key, 0);
}

static bool list_same(const at_circuit *c, const wire_list *x, const wire_list *y)
{
    return x->n == y->n && x->weighted == y->weighted &&
           memcmp(c->wires + x->first, c->wires + y->first, x->n * sizeof *c->wires) == 0 &&
           (!x->weighted ||
            memcmp(c->weights + x->first, c->weights + y->first, x->n * sizeof *c->weights) == 0);
}

static uint64_t place_hash(const at_circuit *c, bool of_gates, size_t place)
{
    return of_gates ? gate_hash(&c->gates[place]) : list_hash(c, &c->lists[place]);
}

/* A table of at least twice as many slots as there are places, of those from `first` on. */
static bool table_grow(at_circuit *c, bool of_gates, size_t first, size_t n)
{
    uint32_t **table = of_gates ? &c->gate_table : &c->list_table;
    size_t *slots = of_gates ? &c->gate_slots : &c->list_slots, more = *slots ? 2 * *slots : 64;
    if (2 * (n + 1) <= *slots)
        return true;
    uint32_t *t = at_calloc(more, sizeof *t);
    if (!t)
        return failed(c, AT_ENOMEM, "out of memory"), false;
    for (size_t k = first; k < n; k++) {
        size_t at = place_hash(c, of_gates, k) & (more - 1);
        while (t[at])
            at = (at + 1) & (more - 1);
        t[at] = (uint32_t)k + 1;
    }
    at_free(*table);
    *table = t;
    *slots = more;
    return true;
}

/* The list of n wires (and weights, NULL: none); UINT32_MAX: a failure. */
static uint32_t list_meet(at_circuit *c, const at_wire *w, const int64_t *weight, size_t n)
{
    if (c->n_wires + n > c->budget.wires) {
        if (!c->err.code)
            at_fail(&c->err, AT_EBUDGET, "the circuit has more than %ju wires, after %zu gates",
                    (uintmax_t)c->budget.wires, c->n_gates);
        return UINT32_MAX;
    }
    if (!ROOM(c->wires, c->room_wires, c->n_wires + n + 1) ||
        !ROOM(c->weights, c->room_weights, c->n_wires + n + 1) ||
        !ROOM(c->lists, c->room_lists, c->n_lists + 1))
        return failed(c, AT_ENOMEM, "out of memory"), UINT32_MAX;
    if (!table_grow(c, false, 0, c->n_lists))
        return UINT32_MAX;
    wire_list l = {.first = c->n_wires, .n = (uint32_t)n, .weighted = weight != NULL};
    if (n)
        memcpy(c->wires + l.first, w, n * sizeof *w);
    for (size_t k = 0; k < n; k++)
        c->weights[l.first + k] = weight ? weight[k] : 1;
    size_t at = list_hash(c, &l) & (c->list_slots - 1);
    for (; c->list_table[at]; at = (at + 1) & (c->list_slots - 1))
        if (list_same(c, &c->lists[c->list_table[at] - 1], &l)) {
            c->list_new = false;
            return c->list_table[at] - 1;
        }
    c->lists[c->n_lists] = l;
    c->list_table[at] = (uint32_t)c->n_lists + 1;
    c->n_wires += n;
    c->list_new = true;
    return (uint32_t)c->n_lists++;
}

/* The last list goes again, if it was made for a gate that turned out to be constant: it is the last of every chain of slots. */
static void list_forget(at_circuit *c)
{
    const wire_list *l = &c->lists[c->n_lists - 1];
    size_t at = list_hash(c, l) & (c->list_slots - 1);
    if (!c->list_new)
        return;
    while (c->list_table[at] != c->n_lists)
        at = (at + 1) & (c->list_slots - 1);
    c->list_table[at] = 0;
    c->n_wires -= l->n;
    c->n_lists--;
    c->made.list = UINT32_MAX;
}

static int list_depth(const at_circuit *c, uint32_t list)
{
    const wire_list *l = &c->lists[list];
    int depth = 0;
    for (size_t k = 0; k < l->n; k++) {
        int d = c->gates[gate_of(c->wires[l->first + k])].depth;
        depth = d > depth ? d : depth;
    }
    return depth;
}

static at_wire gate_meet(at_circuit *c, gate_kind kind, uint32_t list, int64_t least)
{
    gate g = {.kind = (uint8_t)kind, .list = list, .least = least};
    size_t first = (size_t)c->inputs + 1;
    if (list == UINT32_MAX || !table_grow(c, true, first, c->n_gates))
        return AT_WIRE_FALSE;
    size_t at = gate_hash(&g) & (c->gate_slots - 1);
    for (; c->gate_table[at]; at = (at + 1) & (c->gate_slots - 1)) {
        const gate *o = &c->gates[c->gate_table[at] - 1];
        if (o->kind == g.kind && o->list == list && o->least == least)
            return (at_wire)(2 * (c->gate_table[at] - 1));
    }
    g.depth = 1 + list_depth(c, list);
    at_wire w = gate_add(c, g);
    if (w > AT_WIRE_TRUE)
        c->gate_table[at] = gate_of(w) + 1;
    else
        list_forget(c);
    return w;
}

/* ---- AND and OR ----------------------------------------------------------------------------------------------------- */

static int wires_order(const void *a, const void *b)
{
    at_wire x = *(const at_wire *)a, y = *(const at_wire *)b;
    return (x > y) - (x < y);
}

/* AND of n wires; an OR is the negation of the AND of negations, and is kept as an OR. */
static at_wire join(at_circuit *c, bool is_or, const at_wire *w, size_t n)
{
    at_wire nothing = is_or ? AT_WIRE_FALSE : AT_WIRE_TRUE; /* what changes nothing */
    size_t m = 0;
    if (c->err.code)
        return AT_WIRE_FALSE;
    if (!ROOM(c->scratch, c->room_scratch, n + 1))
        return failed(c, AT_ENOMEM, "out of memory");
    at_wire *s = c->scratch;
    for (size_t k = 0; k < n; k++) {
        if (w[k] == at_wire_not(nothing))
            return w[k];
        if (w[k] != nothing)
            s[m++] = w[k];
    }
    if (m > 1)
        qsort(s, m, sizeof *s, wires_order);
    size_t kept = 0;
    for (size_t k = 0; k < m; k++) {
        if (kept && s[kept - 1] == s[k])
            continue;
        if (kept && s[kept - 1] == at_wire_not(s[k])) /* a wire and its negation stand side by side */
            return at_wire_not(nothing);
        s[kept++] = s[k];
    }
    if (kept == 0)
        return nothing;
    if (kept == 1)
        return s[0];
    return gate_meet(c, is_or ? GATE_OR : GATE_AND, list_meet(c, s, NULL, kept), 0);
}

at_wire at_circuit_and(at_circuit *c, const at_wire *w, size_t n)
{
    return join(c, false, w, n);
}

at_wire at_circuit_or(at_circuit *c, const at_wire *w, size_t n)
{
    return join(c, true, w, n);
}

/* ---- thresholds -------------------------------------------------------------------------------------------------------- */

typedef struct {
    at_wire w;
    int64_t weight;
} term;

static int terms_order(const void *a, const void *b)
{
    at_wire x = ((const term *)a)->w, y = ((const term *)b)->w;
    return (x > y) - (x < y);
}

static int64_t common(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Terms in order, one a gate, weights positive; what was taken out of the sum is taken off least. Returns how many are left. */
static size_t terms_settle(term *t, size_t n, int64_t *least)
{
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) { /* g and not g: all as weights of g */
        if (t[k].w & 1) {
            *least -= t[k].weight; /* weight (1 - g) */
            t[k].weight = -t[k].weight;
        }
        t[k].w &= ~(at_wire)1;
    }
    if (n > 1)
        qsort(t, n, sizeof *t, terms_order);
    for (size_t k = 0; k < n; k++) {
        if (t[k].w == AT_WIRE_FALSE) /* constants: true was turned, above */
            continue;
        if (kept && t[kept - 1].w == t[k].w)
            t[kept - 1].weight += t[k].weight;
        else
            t[kept++] = t[k];
        if (t[kept - 1].weight == 0)
            kept--;
    }
    for (size_t k = 0; k < kept; k++)
        if (t[k].weight < 0) { /* weight g = weight - weight (not g) */
            *least -= t[k].weight;
            t[k].weight = -t[k].weight;
            t[k].w |= 1;
        }
    return kept;
}

at_wire at_circuit_threshold(at_circuit *c, const at_wire *w, const int64_t *weight, size_t n, int64_t least)
{
    if (c->err.code)
        return AT_WIRE_FALSE;
    term *t = at_malloc((n + 1) * sizeof *t);
    if (!t || !ROOM(c->scratch, c->room_scratch, n + 1) ||
        !ROOM(c->scratch_weights, c->room_scratch_weights, n + 1)) {
        at_free(t);
        return failed(c, AT_ENOMEM, "out of memory");
    }
    for (size_t k = 0; k < n; k++)
        t[k] = (term){w[k], weight ? weight[k] : 1};
    n = terms_settle(t, n, &least);
    int64_t total = 0, unit = 0, lowest = INT64_MAX;
    for (size_t k = 0; k < n; k++)
        unit = common(t[k].weight, unit);
    if (n && least > 0)
        least = (least + unit - 1) / unit; /* of multiples of the unit */
    for (size_t k = 0; k < n; k++) {
        c->scratch[k] = t[k].w;
        c->scratch_weights[k] = t[k].weight / unit;
        total += c->scratch_weights[k];
        lowest = c->scratch_weights[k] < lowest ? c->scratch_weights[k] : lowest;
    }
    at_free(t);
    if (least <= 0)
        return AT_WIRE_TRUE;
    if (least > total)
        return AT_WIRE_FALSE;
    if (lowest >= least || n == 1) /* any is enough */
        return n == 1 ? c->scratch[0] : gate_meet(c, GATE_OR, list_meet(c, c->scratch, NULL, n), 0);
    if (total - lowest < least) /* all are needed */
        return gate_meet(c, GATE_AND, list_meet(c, c->scratch, NULL, n), 0);
    return gate_meet(c, GATE_THRESHOLD, list_meet(c, c->scratch, c->scratch_weights, n), least);
}

/* ---- size ------------------------------------------------------------------------------------------------------------------ */

uint8_t *circuit_live(const at_circuit *c, at_arena *a)
{
    uint8_t *live = at_new(a, uint8_t, c->n_gates);
    for (size_t k = 0; live && k < c->n_outputs; k++)
        live[gate_of(c->output[k])] = 1;
    for (size_t g = c->n_gates; live && g-- > (size_t)c->inputs + 1;)
        if (live[g]) {
            const wire_list *l = &c->lists[c->gates[g].list];
            for (size_t k = 0; k < l->n; k++)
                live[gate_of(c->wires[l->first + k])] = 1;
        }
    return live;
}

static void gate_count(const at_circuit *c, const gate *g, uint8_t *negated, at_circuit_size *out)
{
    const wire_list *l = &c->lists[g->list];
    out->ands += g->kind == GATE_AND;
    out->ors += g->kind == GATE_OR;
    out->thresholds += g->kind == GATE_THRESHOLD;
    out->wires += l->n;
    for (size_t k = 0; k < l->n; k++) {
        negated[gate_of(c->wires[l->first + k])] |= c->wires[l->first + k] & 1;
        if (g->kind == GATE_THRESHOLD && c->weights[l->first + k] > out->weight)
            out->weight = c->weights[l->first + k];
    }
}

at_status at_circuit_measure(const at_circuit *c, at_circuit_size *out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    *out = (at_circuit_size){0};
    uint8_t *live = circuit_live(c, &a), *negated = at_new(&a, uint8_t, c->n_gates);
    bool enough = live && negated;
    for (size_t g = 1; enough && g < c->n_gates; g++) {
        if (live[g] && c->gates[g].kind == GATE_INPUT)
            out->inputs++;
        else if (live[g])
            gate_count(c, &c->gates[g], negated, out);
    }
    for (size_t k = 0; enough && k < c->n_outputs; k++) {
        int d = c->gates[gate_of(c->output[k])].depth;
        out->depth = d > out->depth ? d : out->depth;
        negated[gate_of(c->output[k])] |= gate_of(c->output[k]) && (c->output[k] & 1);
    }
    for (size_t g = 0; enough && g < c->n_gates; g++)
        out->nots += negated[g];
    out->gates = out->ands + out->ors + out->thresholds + out->nots;
    at_arena_release(&a);
    return enough ? AT_OK : at_oom(err);
}
