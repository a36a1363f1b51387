/* run.c: all inputs of a circuit at once: a gate is a vector of bits, a bit an input.
 *
 * Inputs are taken in stretches, so that the vectors of all gates fit in STRETCH_BYTES. A sum is added up in bit slices: slice s has bit s of
 * the sum for each input, and a wire of weight w is added by a ripple from each bit of w on; all threshold gates over one sum that follow
 * each other compare the same slices. */
#include <string.h>

#include "circuit_internal.h"

enum { STRETCH_BYTES = 1 << 26, STRETCH_WORDS = 64 };

static uint64_t *vector_of(const runner *r, size_t k)
{
    return r->bits + (r->place ? r->place[k] : k) * r->words;
}

/* Bit x of input k, for the 64 inputs x from 64 `word` on. */
static uint64_t input_word(int k, uint64_t word)
{
    static const uint64_t pattern[6] = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
                                        0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
    return k < 6 ? pattern[k] : word >> (k - 6) & 1 ? UINT64_MAX : 0;
}

static void join_run(const runner *r, const gate *g, uint64_t *out)
{
    const wire_list *l = &r->c->lists[g->list];
    bool is_or = g->kind == GATE_OR;
    memset(out, is_or ? 0 : 0xFF, r->words * sizeof *out);
    for (size_t k = 0; k < l->n; k++) {
        at_wire w = r->c->wires[l->first + k];
        const uint64_t *v = vector_of(r, gate_of(w));
        uint64_t turn = w & 1 ? UINT64_MAX : 0;
        if (is_or)
            for (size_t x = 0; x < r->words; x++)
                out[x] |= v[x] ^ turn;
        else
            for (size_t x = 0; x < r->words; x++)
                out[x] &= v[x] ^ turn;
    }
}

/* The slices of the sum + 2^at v. */
static void slices_add(runner *r, int at, const uint64_t *v, uint64_t turn)
{
    uint64_t carry[RUN_WORDS];
    for (size_t x = 0; x < r->words; x++)
        carry[x] = v[x] ^ turn;
    for (int s = at;; s++) {
        uint64_t any = 0, *slice = r->slice + (size_t)s * r->words;
        for (; r->slices <= s; r->slices++)
            memset(r->slice + (size_t)r->slices * r->words, 0, r->words * sizeof *slice);
        for (size_t x = 0; x < r->words; x++) {
            uint64_t both = slice[x] & carry[x];
            slice[x] ^= carry[x];
            any |= carry[x] = both;
        }
        if (!any)
            return;
    }
}

static void threshold_run(runner *r, const gate *g, uint64_t *out)
{
    const wire_list *l = &r->c->lists[g->list];
    if (r->list != g->list) {
        r->list = g->list;
        r->slices = 0;
        for (size_t k = 0; k < l->n; k++) {
            at_wire w = r->c->wires[l->first + k];
            for (int64_t rest = r->c->weights[l->first + k]; rest; rest &= rest - 1)
                slices_add(r, __builtin_ctzll((uint64_t)rest), vector_of(r, gate_of(w)),
                           w & 1 ? UINT64_MAX : 0);
        }
    }
    memset(out, 0xFF,
           r->words * sizeof *out); /* of the bits so far: is the sum's part at least that of least? */
    for (int s = 0; s < RUN_SLICES - 1; s++) {
        const uint64_t *slice = r->slice + (size_t)s * r->words;
        bool asked = g->least >> s & 1;
        for (size_t x = 0; x < r->words; x++) {
            uint64_t bit = s < r->slices ? slice[x] : 0;
            out[x] = asked ? out[x] & bit : out[x] | bit;
        }
    }
}

void runner_gate(runner *r, const gate *g, uint64_t first, uint64_t *out)
{
    if (g->kind == GATE_INPUT)
        for (size_t x = 0; x < r->words; x++)
            out[x] = input_word((int)g->least, first + x);
    else if (g->kind == GATE_FALSE)
        memset(out, 0, r->words * sizeof *out);
    else if (g->kind == GATE_THRESHOLD)
        threshold_run(r, g, out);
    else
        join_run(r, g, out);
}

/* `words` words of all gates, from word `first` on. */
static void stretch_run(runner *r, const uint8_t *live, uint64_t first)
{
    r->list = UINT32_MAX;
    for (size_t k = 0; k < r->c->n_gates; k++)
        if (live[k])
            runner_gate(r, &r->c->gates[k], first, vector_of(r, k));
}

at_status at_circuit_run(const at_circuit *c, at_arena *a, const uint64_t **out, at_err *err)
{
    if (c->inputs > AT_CIRCUIT_INPUTS)
        return at_fail(err, AT_EBUDGET, "all inputs are gone through to %d of them, and there are %d",
                       AT_CIRCUIT_INPUTS, c->inputs);
    size_t all = c->inputs > 6 ? (size_t)1 << (c->inputs - 6) : 1, n = 0;
    uint64_t *result = at_new(a, uint64_t, all * (c->n_outputs + 1));
    if (!result)
        return at_oom(err);
    at_arena scratch;
    at_arena_init(&scratch);
    uint8_t *live = circuit_live(c, &scratch);
    uint32_t *place = at_new(&scratch, uint32_t, c->n_gates);
    for (size_t k = 0; live && place && k < c->n_gates; k++)
        place[k] = live[k] ? (uint32_t)n++ : 0;
    runner r = {.c = c, .place = place, .words = STRETCH_WORDS};
    while (r.words > 1 && (r.words > all || n * r.words * sizeof *r.bits > STRETCH_BYTES))
        r.words /= 2;
    r.bits = at_new(&scratch, uint64_t, (n + 1) * r.words);
    r.slice = at_new(&scratch, uint64_t, RUN_SLICES * r.words);
    at_status s = live && place && r.bits && r.slice ? AT_OK : at_oom(err);
    for (uint64_t first = 0; first < all && !s; first += r.words) {
        if (at_cancel_pending())
            s = at_fail(err, AT_ECANCEL, "interrupted");
        else
            stretch_run(&r, live, first);
        for (size_t k = 0; k < c->n_outputs && !s; k++) {
            const uint64_t *v = vector_of(&r, gate_of(c->output[k]));
            for (size_t x = 0; x < r.words; x++)
                result[k * all + first + x] = v[x] ^ (c->output[k] & 1 ? UINT64_MAX : 0);
        }
    }
    at_arena_release(&scratch);
    *out = result;
    return s;
}
