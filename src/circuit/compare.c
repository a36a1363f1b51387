/* compare.c: a circuit beside the executor, on all words of one length. */
#include <string.h>

#include "circuit_internal.h"

enum { STRETCH = 64 }; /* words that a worker takes at once */

typedef struct {
    const at_circuit *c;
    const at_model *m;
    at_arith a;
    int n, letters, bits, outputs, output_bits;
    uint64_t words;            /* letters^n */
    size_t stride;             /* of an output in `run` */
    const uint64_t *run;       /* (outputs, stride) */
    at_circuit_compared *slot; /* (stretches) */
    at_status *status;
    at_err *err;
} comparison;

/* Word number k: its letters, and the input that it is. */
static uint64_t word_of(const comparison *q, uint64_t k, double *x)
{
    uint64_t input = 0;
    for (int i = 0; i < q->n; i++, k /= (uint64_t)q->letters) {
        uint64_t letter = k % (uint64_t)q->letters;
        x[i] = (double)letter;
        input |= letter << (i * q->bits);
    }
    return input;
}

/* Is output o of the model's answer what the circuit has? */
static bool word_same(const comparison *q, const at_output *y, uint64_t input)
{
    for (int o = 0; o < q->outputs; o++) {
        int at = o / q->output_bits, bit = o % q->output_bits;
        bool model = (uint64_t)y->decision[at] >> bit & 1;
        bool circuit = q->run[(size_t)o * q->stride + input / 64] >> (input % 64) & 1;
        if (y->decided[at] != AT_TRUE || model != circuit)
            return false;
    }
    return true;
}

static void stretch_compare(void *ctx, size_t i, int worker)
{
    comparison *q = ctx;
    at_circuit_compared *r = &q->slot[i];
    at_arena a;
    (void)worker;
    at_arena_init(&a);
    double *x = at_new(&a, double, q->n + 1);
    q->status[i] = x ? AT_OK : at_oom(&q->err[i]);
    for (uint64_t k = i * STRETCH; k < (i + 1) * STRETCH && k < q->words && !q->status[i]; k++) {
        at_output y;
        at_mark mark = at_arena_mark(&a);
        uint64_t input = word_of(q, k, x);
        q->status[i] = at_run(q->m, q->a, &(at_input){q->n, x}, NULL, &a, &y, &q->err[i]);
        if (!q->status[i] && at_cancel_pending())
            q->status[i] = at_fail(&q->err[i], AT_ECANCEL, "interrupted");
        if (!q->status[i]) {
            bool same = word_same(q, &y, input);
            r->first = !same && !r->differ ? input : r->first;
            r->differ += !same;
            r->yes += y.decided[0] == AT_TRUE && ((uint64_t)y.decision[0] & 1);
            r->words++;
        }
        at_arena_reset(&a, mark);
    }
    at_arena_release(&a);
}

static at_status comparison_init(comparison *q, at_arena *a, at_err *err)
{
    const at_readout *r = &q->m->readout;
    q->letters = q->m->fields[0].size;
    while (1 << q->bits < q->letters)
        q->bits++;
    q->words = 1;
    for (int i = 0; i < q->n; i++)
        q->words *= (uint64_t)q->letters;
    q->output_bits = 1;
    if (r->kind == AT_READ_ARGMAX)
        for (q->output_bits = 0; 1 << q->output_bits < r->rows;)
            q->output_bits++;
    q->outputs = at_circuit_outputs(q->c);
    q->stride = q->c->inputs > 6 ? (size_t)1 << (q->c->inputs - 6) : 1;
    at_status s = at_circuit_run(q->c, a, &q->run, err);
    size_t n = (size_t)((q->words + STRETCH - 1) / STRETCH);
    q->slot = at_new(a, at_circuit_compared, n);
    q->status = at_new(a, at_status, n);
    q->err = at_new(a, at_err, n);
    return s ? s : q->slot && q->status && q->err ? AT_OK : at_oom(err);
}

at_status at_circuit_compare(const at_circuit *c, const at_model *m, at_arith a, int n, int threads,
                             at_circuit_compared *out, at_err *err)
{
    comparison q = {.c = c, .m = m, .a = a, .n = n};
    at_arena arena;
    *out = (at_circuit_compared){0};
    if (c->inputs > AT_CIRCUIT_INPUTS)
        return at_fail(err, AT_EBUDGET, "all words are compared to %d input bits, and there are %d",
                       AT_CIRCUIT_INPUTS, c->inputs);
    at_arena_init(&arena);
    at_status s = comparison_init(&q, &arena, err);
    size_t stretches = (size_t)((q.words + STRETCH - 1) / STRETCH);
    if (!s)
        s = at_parallel(threads, stretches, stretch_compare, &q, err);
    for (size_t i = 0; i < stretches && !s; i++) {
        if (q.status[i])
            s = at_fail(err, q.status[i], "%s", q.err[i].text);
        out->first = !out->differ ? q.slot[i].first : out->first;
        out->words += q.slot[i].words;
        out->differ += q.slot[i].differ;
        out->yes += q.slot[i].yes;
    }
    at_arena_release(&arena);
    return s;
}
