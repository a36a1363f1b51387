/* extract.c: what a model accepts as something that is not a model, in text. A kind a row. */
#include <string.h>

#include <attest/circuit.h>
#include <attest/extract.h>
#include <attest/lang.h>

#include "api_internal.h"

/* What is asked, and where it goes: the text, and an object to which the kind adds its keys. */
typedef struct {
    const at_model *m;
    at_arith arith;
    bool has_arith;
    int length, values, gates; /* 0: not said */
    at_arena *arena;
    at_text text;
    json_t *facts;
} extraction;

static void fact(extraction *x, const char *key, double value)
{
    x->facts = result_set(x->facts, key, result_number(value));
}

static at_status dfa_make(extraction *x, at_err *err)
{
    at_extracted found;
    at_dfa *least;
    at_status s = at_extract_dfa(x->m, x->arena, &found, err);
    if (!s)
        s = at_dfa_minimize(found.dfa, x->arena, &least, err);
    if (s)
        return s;
    at_dfa_print(least, &x->text);
    fact(x, "states", least->states);
    fact(x, "period", found.period);
    x->facts = result_set(x->facts, "rounded", json_boolean(found.rounded));
    return AT_OK;
}

static at_status past_make(extraction *x, at_logic logic, at_err *err)
{
    at_extracted_past found;
    at_extract_options o = {.logic = logic, .values = x->values};
    at_status s = at_extract_past_written(x->m, &o, x->arena, &found, err);
    if (s)
        return s;
    (logic == AT_LOGIC_LTL ? at_ltl_print : at_brasp_print)(found.formulas, &x->text);
    fact(x, "layers", found.layers);
    fact(x, "period", found.period);
    x->facts = result_set(x->facts, "layered", json_boolean(!found.why));
    x->facts = result_set(x->facts, "rounded", json_boolean(found.rounded));
    return AT_OK;
}

static at_status ltl_make(extraction *x, at_err *err)
{
    return past_make(x, AT_LOGIC_LTL, err);
}

static at_status brasp_make(extraction *x, at_err *err)
{
    return past_make(x, AT_LOGIC_BRASP, err);
}

static at_status crasp_make(extraction *x, at_err *err)
{
    at_extracted_count found;
    at_status s = at_extract_crasp(x->m, x->arith, x->values, x->arena, &found, err);
    if (s)
        return s;
    at_crasp_print(found.formulas, &x->text);
    fact(x, "layers", found.layers);
    fact(x, "values", found.values);
    fact(x, "inequalities", found.inequalities);
    fact(x, "period", found.period);
    return AT_OK;
}

static at_status circuit_make(extraction *x, at_err *err)
{
    at_circuit *c;
    at_circuit_size z;
    at_status s = at_circuit_of_model(
        x->m, x->has_arith ? x->arith : (at_arith){.kind = AT_EXACT}, x->length,
        &(at_circuit_budget){.gates = (uint64_t)x->gates, .values = (uint64_t)x->values}, &c, err);
    if (s)
        return s;
    s = at_circuit_measure(c, &z, err);
    if (!s)
        s = at_circuit_write(c, AT_CIRCUIT_BLIF, &x->text, NULL, err);
    if (!s) {
        fact(x, "inputs", at_circuit_inputs(c));
        fact(x, "gates", (double)z.gates);
        fact(x, "wires", (double)z.wires);
        fact(x, "thresholds", (double)z.thresholds);
        fact(x, "depth", z.depth);
    }
    at_circuit_free(c);
    return s;
}

static const struct kind {
    const char *name;
    at_status (*make)(extraction *x, at_err *err);
    bool sized; /* of words of one length, which must be said */
} kinds[] = {{"dfa", dfa_make, false},
             {"ltl", ltl_make, false},
             {"brasp", brasp_make, false},
             {"crasp", crasp_make, false},
             {"circuit", circuit_make, true}};

static at_status kind_find(const char *to, uint64_t length, const struct kind **out, at_err *err)
{
    *out = NULL;
    for (int k = 0; k < OPTIONS(kinds) && !*out; k++)
        *out = strcmp(kinds[k].name, to) == 0 ? &kinds[k] : NULL;
    if (!*out)
        return at_fail(err, AT_EINPUT, "extract to '%.40s': must be dfa, ltl, brasp, crasp or circuit", to);
    if ((*out)->sized && !length)
        return at_fail(err, AT_EINPUT, "%s is of words of one length: length=N", to);
    if (!(*out)->sized && length)
        return at_fail(err, AT_EINPUT, "length has no effect: %s is of words of all lengths", to);
    return AT_OK;
}

at_status at_net_extract(const at_net *net, const char *to, const char *how, at_result **out, at_err *err)
{
    api_begin(err);
    if (api_need("to", to, err))
        return AT_EINPUT;
    const char *precision = NULL;
    uint64_t length = 0, values = 0, gates = 0;
    const option known[] = {{"length", OPTION_COUNT, &length},
                            {"values", OPTION_COUNT, &values},
                            {"gates", OPTION_COUNT, &gates},
                            {"precision", OPTION_TEXT, &precision}};
    const struct kind *kind;
    at_model m;
    at_arena a;
    extraction x = {.m = &m, .arena = &a, .facts = json_object()};
    at_arena_init(&a);
    at_text_init(&x.text);
    at_status s = options_read(how, known, OPTIONS(known), &a, err);
    if (!s)
        s = kind_find(to, length, &kind, err);
    if (!s && (length > 4096 || values > 10000000 || gates > 100000000))
        s = at_fail(err, AT_EDOMAIN, "length is at most 4096, values 10000000, gates 100000000");
    if (!s)
        s = api_precision(precision, &x.arith, err);
    if (!s)
        s = api_model(net, &m, err);
    if (!s) {
        x.has_arith = precision != NULL;
        x.length = (int)length, x.values = (int)values, x.gates = (int)gates;
        x.facts = result_set(x.facts, "to", result_text(to));
        s = kind->make(&x, err);
    }
    if (s) {
        json_decref(x.facts);
        at_text_release(&x.text);
    } else
        s = result_end(result_set(x.facts, "text", result_taken(&x.text)), out, err);
    at_arena_release(&a);
    return s;
}
