/* extract_circuit.c: `attest extract MODEL --to circuit --length N`: gates that answer as the model does, on all words of N letters. */
#include "extract.h"

#include <math.h>

#include <attest/circuit.h>

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void size_say(const cli_extract_asked *q, at_arith a, const at_circuit_size *z,
                     const at_circuit_file *f, int inputs, at_text *out)
{
    char name[16], gates[32], wires[32], table[32];
    at_arith_name(a, name);
    at_text_addf(
        out, "a circuit of %s gate%s and %s wire%s, depth %d, for words of %d letter%s in %s arithmetic\n",
        at_count_text(gates, z->gates), plural(z->gates), at_count_text(wires, z->wires), plural(z->wires),
        z->depth, q->length, plural((uint64_t)q->length), name);
    at_text_addf(out, "%ju AND, %ju OR, %ju NOT, %ju threshold%s: %s; at every length at most %d deep\n",
                 (uintmax_t)z->ands, (uintmax_t)z->ors, (uintmax_t)z->nots, (uintmax_t)z->thresholds,
                 plural(z->thresholds), z->thresholds ? "TC0" : "AC0", at_circuit_depth_bound(q->m));
    if (inputs < 63)
        at_text_addf(out, "beside it a table of all inputs has %s rows\n",
                     at_count_text(table, (uint64_t)1 << inputs));
    at_text_addf(out, "in the file: %s gate%s, depth %d, of AND, OR and NOT alone\n",
                 at_count_text(gates, f->gates), plural(f->gates), f->depth);
}

static json_t *size_facts(json_t *j, at_arith a, const at_circuit_size *z, const at_circuit_file *f,
                          int inputs)
{
    char name[16];
    at_arith_name(a, name);
    j = cli_json_set(j, "precision", cli_json_text(name));
    j = cli_json_set(j, "inputs", json_integer(inputs));
    j = cli_json_set(j, "gates", json_integer((json_int_t)z->gates));
    j = cli_json_set(j, "ands", json_integer((json_int_t)z->ands));
    j = cli_json_set(j, "ors", json_integer((json_int_t)z->ors));
    j = cli_json_set(j, "nots", json_integer((json_int_t)z->nots));
    j = cli_json_set(j, "thresholds", json_integer((json_int_t)z->thresholds));
    j = cli_json_set(j, "wires", json_integer((json_int_t)z->wires));
    j = cli_json_set(j, "depth", json_integer(z->depth));
    j = cli_json_set(j, "table", json_real(ldexp(1, inputs)));
    j = cli_json_set(j, "file_gates", json_integer((json_int_t)f->gates));
    return cli_json_set(j, "file_depth", json_integer(f->depth));
}

static at_status make(const cli_extract_asked *q, at_arena *arena, cli_extracted *out, at_err *err)
{
    (void)arena;
    at_arith a = q->args->has_precision ? q->args->precision : (at_arith){.kind = AT_EXACT};
    at_circuit_format format = AT_CIRCUIT_BLIF;
    at_circuit *c;
    at_circuit_size z;
    at_circuit_file file;
    at_status s = q->args->out ? at_circuit_format_of(q->args->out, &format, err) : AT_OK;
    if (!s)
        s = at_circuit_of_model(
            q->m, a, q->length,
            &(at_circuit_budget){.gates = (uint64_t)q->gates, .values = (uint64_t)q->values}, &c, err);
    if (s)
        return s;
    s = at_circuit_measure(c, &z, err);
    if (!s)
        s = at_circuit_write(c, format, &out->file, &file, err);
    if (!s) {
        size_say(q, a, &z, &file, at_circuit_inputs(c), &out->said);
        out->facts = size_facts(out->facts, a, &z, &file, at_circuit_inputs(c));
    }
    at_circuit_free(c);
    return s;
}

const cli_extract_kind cli_extract_circuit = {
    "circuit", "AND, OR, NOT, threshold gates, words of N letters: .blif .aag .aig", make, true};
