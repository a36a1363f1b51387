/* write.c: circuits as files that other tools read.
 *
 * BLIF (Berkeley, 1992): a gate is a .names of one row: an AND is 1 where every input has the digit of the row, an OR is 0 where every
 * input has it. Gates keep their fan-in, so the depth in the file is that of the circuit.
 * AIGER (Biere, 2007): ANDs of two. Variables are the inputs, then the ANDs; literal 2 v is variable v, 2 v + 1 its negation, 0 and 1 are
 * false and true. In the binary form an AND is its literal less the larger of the two that it reads, and the larger less
 * the smaller, each in bytes of seven bits. An AND or OR of more is a tree of least depth. */
#include <stdlib.h>
#include <string.h>

#include "circuit_internal.h"

static const struct {
    const char *end;
    at_circuit_format format;
} ends[] = {{".blif", AT_CIRCUIT_BLIF}, {".aag", AT_CIRCUIT_AAG}, {".aig", AT_CIRCUIT_AIG}};

at_status at_circuit_format_of(const char *path, at_circuit_format *out, at_err *err)
{
    for (int k = 0; k < COUNT(ends); k++)
        if (at_ends_with(path, ends[k].end)) {
            *out = ends[k].format;
            return AT_OK;
        }
    return at_fail(err, AT_EINPUT, "%s: a circuit is written as .blif, .aag or .aig", path);
}

static void input_name(const at_circuit *c, int k, at_text *out)
{
    if (c->input_name[k])
        at_text_add(out, c->input_name[k]);
    else
        at_text_addf(out, "x%d", k);
}

/* ---- BLIF ---------------------------------------------------------------------------------------------------------- */

enum { LINE = 16 }; /* names in a line */

static void gate_name(const at_circuit *c, size_t k, at_text *out)
{
    if (c->gates[k].kind == GATE_INPUT)
        input_name(c, (int)c->gates[k].least, out);
    else
        at_text_addf(out, "g%zu", k);
}

static void blif_gate(const at_circuit *c, size_t k, at_text *out)
{
    const gate *g = &c->gates[k];
    const wire_list *l = &c->lists[g->list];
    bool is_or = g->kind == GATE_OR;
    at_text_add(out, ".names");
    for (size_t i = 0; i < l->n; i++) {
        at_text_add(out, i % LINE == LINE - 1 ? " \\\n " : " ");
        gate_name(c, gate_of(c->wires[l->first + i]), out);
    }
    at_text_add(out, " ");
    gate_name(c, k, out);
    at_text_add(out, "\n");
    for (size_t i = 0; i < l->n; i++)
        at_text_add(out, (c->wires[l->first + i] & 1) == is_or ? "1" : "0");
    at_text_add(out, is_or ? " 0\n" : " 1\n");
}

static void blif_output(const at_circuit *c, size_t k, at_text *out)
{
    at_wire w = c->output[k];
    at_text_add(out, ".names ");
    if (gate_of(w)) {
        gate_name(c, gate_of(w), out);
        at_text_add(out, " ");
    }
    at_text_add(out, c->output_name[k]);
    at_text_add(out, gate_of(w) ? (w & 1 ? "\n0 1\n" : "\n1 1\n") : w & 1 ? "\n1\n" : "\n");
}

static at_status blif_write(const at_circuit *c, at_text *out, at_circuit_file *said, at_err *err)
{
    at_arena a;
    at_circuit_size z;
    at_arena_init(&a);
    uint8_t *live = circuit_live(c, &a);
    at_status s = live ? at_circuit_measure(c, &z, err) : at_oom(err);
    at_text_add(out, s ? "" : ".model attest\n.inputs");
    for (int k = 0; k < c->inputs && !s; k++) {
        at_text_add(out, k % LINE == LINE - 1 ? " \\\n " : " ");
        input_name(c, k, out);
    }
    at_text_add(out, s ? "" : "\n.outputs");
    for (size_t k = 0; k < c->n_outputs && !s; k++) {
        at_text_add(out, k % LINE == LINE - 1 ? " \\\n " : " ");
        at_text_add(out, c->output_name[k]);
    }
    at_text_add(out, s ? "" : "\n");
    for (size_t k = (size_t)c->inputs + 1; k < c->n_gates && !s; k++)
        if (live[k])
            blif_gate(c, k, out);
    for (size_t k = 0; k < c->n_outputs && !s; k++)
        blif_output(c, k, out);
    at_text_add(out, s ? "" : ".end\n");
    if (!s)
        *said = (at_circuit_file){z.ands + z.ors, z.depth};
    at_arena_release(&a);
    return s;
}

/* ---- AIGER ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t left, right; /* literals, left > right; the AND itself is greater than both */
    int depth;
} pair;

typedef struct {
    uint32_t first; /* variable of the first AND */
    pair *pairs;
    size_t n, room;
    uint32_t *table; /* of places + 1, by what they read */
    size_t slots;
    bool oom;
} pairs;

static int literal_depth(const pairs *p, uint32_t literal)
{
    return literal / 2 < p->first ? 0 : p->pairs[literal / 2 - p->first].depth;
}

static size_t pair_slot(const pairs *p, uint32_t left, uint32_t right)
{
    uint32_t key[2] = {left, right};
    return at_hash64(key, sizeof key, 0) & (p->slots - 1);
}

static bool pairs_room(pairs *p)
{
    if (!ROOM(p->pairs, p->room, p->n + 1))
        return false;
    if (2 * (p->n + 1) <= p->slots)
        return true;
    size_t more = p->slots ? 2 * p->slots : 64;
    uint32_t *t = at_calloc(more, sizeof *t);
    if (!t)
        return false;
    at_free(p->table);
    p->table = t;
    p->slots = more;
    for (size_t k = 0; k < p->n; k++) {
        size_t at = pair_slot(p, p->pairs[k].left, p->pairs[k].right);
        while (t[at])
            at = (at + 1) & (more - 1);
        t[at] = (uint32_t)k + 1;
    }
    return true;
}

static uint32_t pair_meet(pairs *p, uint32_t a, uint32_t b)
{
    uint32_t left = a > b ? a : b, right = a > b ? b : a;
    if (right == 0 || left == (right ^ 1))
        return 0;
    if (right == 1 || left == right)
        return left;
    if (p->oom || !pairs_room(p)) {
        p->oom = true;
        return 0;
    }
    size_t at = pair_slot(p, left, right);
    for (; p->table[at]; at = (at + 1) & (p->slots - 1)) {
        const pair *o = &p->pairs[p->table[at] - 1];
        if (o->left == left && o->right == right)
            return 2 * (p->first + p->table[at] - 1);
    }
    int x = literal_depth(p, left), y = literal_depth(p, right);
    p->pairs[p->n] = (pair){left, right, 1 + (x > y ? x : y)};
    p->table[at] = (uint32_t)p->n + 1;
    return 2 * (p->first + (uint32_t)p->n++);
}

typedef struct {
    uint32_t literal;
    int depth;
} leaf;

static int leaves_order(const void *a, const void *b)
{
    const leaf *x = a, *y = b;
    return x->depth != y->depth ? (x->depth > y->depth) - (x->depth < y->depth)
                                : (x->literal > y->literal) - (x->literal < y->literal);
}

/* The AND of n literals. By depth, the shallow ones first: two neighbours are joined in a round while others wait that are deeper. */
static uint32_t tree(pairs *p, leaf *l, size_t n)
{
    qsort(l, n, sizeof *l, leaves_order);
    while (n > 1) {
        size_t kept = 0, k = 0;
        int now = l[1].depth; /* what can be joined without waiting */
        for (; k + 1 < n && l[k + 1].depth <= now; k += 2) {
            uint32_t literal = pair_meet(p, l[k].literal, l[k + 1].literal);
            l[kept++] = (leaf){literal, literal_depth(p, literal)};
        }
        for (; k < n; k++)
            l[kept++] = l[k];
        n = kept;
        qsort(l, n, sizeof *l, leaves_order);
    }
    return l[0].literal;
}

static at_status pairs_make(const at_circuit *c, at_arena *a, pairs *p, uint32_t *of, at_err *err)
{
    size_t widest = 1;
    for (size_t k = 0; k < c->n_lists; k++)
        widest = c->lists[k].n > widest ? c->lists[k].n : widest;
    uint8_t *live = circuit_live(c, a);
    leaf *leaves = at_new(a, leaf, widest);
    if (!live || !leaves)
        return at_oom(err);
    for (size_t k = 0; k < c->n_gates && !p->oom; k++) {
        const gate *g = &c->gates[k];
        if (!live[k] || g->kind == GATE_FALSE)
            continue;
        if (g->kind == GATE_INPUT) {
            of[k] = 2 * ((uint32_t)g->least + 1);
            continue;
        }
        const wire_list *l = &c->lists[g->list];
        uint32_t turn = g->kind == GATE_OR;
        for (size_t i = 0; i < l->n; i++) {
            uint32_t literal = of[gate_of(c->wires[l->first + i])] ^ (c->wires[l->first + i] & 1) ^ turn;
            leaves[i] = (leaf){literal, literal_depth(p, literal)};
        }
        of[k] = tree(p, leaves, l->n) ^ turn;
    }
    return p->oom ? at_oom(err) : AT_OK;
}

static void delta_write(at_text *out, uint32_t x)
{
    for (; x >= 128; x >>= 7)
        at_text_addn(out, &(char){(char)((x & 127) | 128)}, 1);
    at_text_addn(out, &(char){(char)x}, 1);
}

static void aiger_print(const at_circuit *c, const pairs *p, const uint32_t *of, bool binary, at_text *out)
{
    uint32_t I = (uint32_t)c->inputs;
    at_text_addf(out, "%s %zu %u 0 %zu %zu\n", binary ? "aig" : "aag", I + p->n, I, c->n_outputs, p->n);
    for (uint32_t k = 0; k < I && !binary; k++)
        at_text_addf(out, "%u\n", 2 * (k + 1));
    for (size_t k = 0; k < c->n_outputs; k++)
        at_text_addf(out, "%u\n", of[gate_of(c->output[k])] ^ (c->output[k] & 1));
    for (size_t k = 0; k < p->n; k++) {
        uint32_t literal = 2 * (p->first + (uint32_t)k);
        if (!binary)
            at_text_addf(out, "%u %u %u\n", literal, p->pairs[k].left, p->pairs[k].right);
        else {
            delta_write(out, literal - p->pairs[k].left);
            delta_write(out, p->pairs[k].left - p->pairs[k].right);
        }
    }
    for (int k = 0; k < c->inputs; k++) {
        at_text_addf(out, "i%d ", k);
        input_name(c, k, out);
        at_text_add(out, "\n");
    }
    for (size_t k = 0; k < c->n_outputs; k++)
        at_text_addf(out, "o%zu %s\n", k, c->output_name[k]);
}

static at_status aiger_write(const at_circuit *c, bool binary, at_text *out, at_circuit_file *said,
                             at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    pairs p = {.first = (uint32_t)c->inputs + 1};
    uint32_t *of = at_new(&a, uint32_t, c->n_gates);
    at_status s = of ? pairs_make(c, &a, &p, of, err) : at_oom(err);
    *said = (at_circuit_file){.gates = p.n};
    for (size_t k = 0; k < c->n_outputs && !s; k++) {
        int d = literal_depth(&p, of[gate_of(c->output[k])]);
        said->depth = d > said->depth ? d : said->depth;
    }
    if (!s)
        aiger_print(c, &p, of, binary, out);
    at_free(p.pairs);
    at_free(p.table);
    at_arena_release(&a);
    return s;
}

at_status at_circuit_write(const at_circuit *c, at_circuit_format f, at_text *out, at_circuit_file *said,
                           at_err *err)
{
    at_circuit *plain;
    at_text text;
    at_circuit_file own = {0};
    at_status s = at_circuit_expand(c, &plain, err);
    if (s)
        return s;
    at_text_init(&text);
    s = f == AT_CIRCUIT_BLIF ? blif_write(plain, &text, &own, err)
                             : aiger_write(plain, f == AT_CIRCUIT_AIG, &text, &own, err);
    at_circuit_free(plain);
    if (said)
        *said = own;
    return at_text_end(s, &text, out, err);
}
