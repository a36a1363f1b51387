/* extract_dfa.c: `attest extract MODEL --to dfa`: the least automaton of a model of unique-hard attention. */
#include "extract.h"

static at_status make(const cli_extract_asked *q, at_arena *a, cli_extracted *out, at_err *err)
{
    at_extracted found;
    at_dfa *least;
    at_status s = at_extract_dfa(q->m, a, &found, err);
    if (!s)
        s = at_dfa_minimize(found.dfa, a, &least, err);
    if (s)
        return s;
    at_dfa_print(least, &out->file);
    at_text_addf(&out->said, "an automaton of %d state%s, for words of all lengths\n", least->states,
                 least->states == 1 ? "" : "s");
    if (found.period > 1)
        at_text_addf(&out->said, "its positions repeat every %d, also beyond the words that its file takes\n",
                     found.period);
    if (found.rounded)
        at_text_add(&out->said,
                    "its numbers are rounded: so in the reals and in f64, whatever the order of sums\n");
    out->facts = cli_json_set(out->facts, "states", json_integer(least->states));
    out->facts = cli_json_set(out->facts, "period", json_integer(found.period));
    out->facts = cli_json_set(out->facts, "rounded", json_boolean(found.rounded));
    return AT_OK;
}

const cli_extract_kind cli_extract_dfa = {"dfa", "the least automaton, for words of all lengths", make,
                                          false};
