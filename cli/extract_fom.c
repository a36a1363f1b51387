/* extract_fom.c: `attest extract MODEL --to fom`: one sentence of first-order logic with majority and BIT for all lengths n, where the model is
 * run with ceil(log2 n) bits. */
#include "extract.h"

static at_status make(const cli_extract_asked *q, at_arena *arena, cli_extracted *out, at_err *err)
{
    at_fom_options o = {.c = 1, .exp_bits = 5};
    at_extracted_fom x;
    if (q->args->has_precision)
        return at_fail(
            err, AT_EREFUSED,
            "--precision has no effect: a sentence is of ceil(log2 n) bits at length n; at one precision: "
            "--to crasp or foc");
    at_status s = at_extract_fom(q->m, &o, arena, &x, err);
    if (s)
        return s;
    at_fom_print(x.sentence, &out->file);
    at_text_addf(
        &out->said,
        "a sentence of FOM[BIT] of %zu parts, %d exponentials: words of n letters in q⌈log2 n⌉e%d, all n\n",
        x.parts, x.exponentials, o.exp_bits);
    out->facts = cli_json_set(out->facts, "parts", json_integer((json_int_t)x.parts));
    out->facts = cli_json_set(out->facts, "exponentials", json_integer(x.exponentials));
    return AT_OK;
}

const cli_extract_kind cli_extract_fom = {"fom", "a sentence of FOM[BIT]: softmax at log n bits, all lengths",
                                          make, false};
