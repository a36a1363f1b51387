/* extract_past.c: `attest extract MODEL --to ltl|brasp`: a model of unique-hard attention as a formula that looks back. */
#include "extract.h"

static at_status past_make(const cli_extract_asked *q, at_logic logic, at_arena *a, cli_extracted *out,
                           at_err *err)
{
    at_extracted_past x;
    at_dfa *least;
    at_place place;
    at_extract_options o = {.logic = logic, .values = q->values};
    bool ltl = logic == AT_LOGIC_LTL;
    at_status s = at_extract_past_written(q->m, &o, a, &x, err);
    if (s)
        return s;
    (ltl ? at_ltl_print : at_brasp_print)(x.formulas, &out->file);
    s = at_formulas_dfa(x.formulas, false, a, &least, err);
    if (!s)
        s = at_place_find(least, a, &place, err);
    if (s)
        return s;
    double parts = ltl ? at_formula_written(x.formulas, x.formulas->accept) : x.formulas->n_names;
    at_text_addf(&out->said, "%s of %.0f %s, for words of all lengths, read behind them\n",
                 ltl ? "a formula" : "a program", parts,
                 ltl          ? "parts"
                 : parts == 1 ? "definition"
                              : "definitions");
    if (x.why)
        at_text_addf(&out->said, "  from the automaton: %s\n", x.why);
    else
        at_text_addf(&out->said, "  layer by layer: %d layer%s, at most %d values before one\n", x.layers,
                     x.layers == 1 ? "" : "s", x.values);
    at_text_addf(&out->said, "  its least automaton has %d state%s, %s\n", least->states,
                 least->states == 1 ? "" : "s",
                 place.star_free == AT_TRUE    ? "without periods"
                 : place.star_free == AT_FALSE ? "with a period"
                                               : "too large a monoid to look for periods");
    if (x.period > 1)
        at_text_addf(&out->said,
                     "  its positions repeat every %d, also beyond the words that its file takes\n",
                     x.period);
    if (x.rounded)
        at_text_add(&out->said,
                    "  its numbers are rounded: so in the reals and in f64, whatever the order of sums\n");
    out->facts = cli_json_set(out->facts, "parts", json_integer((json_int_t)parts));
    out->facts = cli_json_set(out->facts, "values", x.why ? json_null() : json_integer(x.values));
    out->facts = cli_json_set(out->facts, "layered", json_boolean(!x.why));
    out->facts = cli_json_set(out->facts, "states", json_integer(least->states));
    out->facts =
        cli_json_set(out->facts, "star_free",
                     place.star_free == AT_UNKNOWN ? json_null() : json_boolean(place.star_free == AT_TRUE));
    out->facts = cli_json_set(out->facts, "period", json_integer(x.period));
    out->facts = cli_json_set(out->facts, "rounded", json_boolean(x.rounded));
    return AT_OK;
}

static at_status ltl_make(const cli_extract_asked *q, at_arena *a, cli_extracted *out, at_err *err)
{
    return past_make(q, AT_LOGIC_LTL, a, out, err);
}

static at_status brasp_make(const cli_extract_asked *q, at_arena *a, cli_extracted *out, at_err *err)
{
    return past_make(q, AT_LOGIC_BRASP, a, out, err);
}

const cli_extract_kind cli_extract_ltl = {"ltl", "a formula of temporal logic, for words of all lengths",
                                          ltl_make, false};
const cli_extract_kind cli_extract_brasp = {"brasp", "a program in B-RASP, for words of all lengths",
                                            brasp_make, false};
