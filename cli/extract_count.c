/* extract_count.c: `attest extract MODEL --to crasp|foc`: softmax whose quotients alone are rounded, as counts. */
#include "extract.h"

#define PARTS_MOST 200000 /* of a formula without names */

static at_status count_make(const cli_extract_asked *q, bool ordered, at_arena *a, cli_extracted *out,
                            at_err *err)
{
    at_extracted_count x;
    char name[16];
    at_status s =
        (ordered ? at_extract_crasp : at_extract_foc)(q->m, q->args->precision, q->values, a, &x, err);
    if (s)
        return s;
    double parts = at_formula_written(x.formulas, x.formulas->accept);
    if (!ordered && parts > PARTS_MOST)
        return at_fail(err, AT_EBUDGET, "written out the formula has %.3g parts; %d are written", parts,
                       PARTS_MOST);
    (ordered ? at_crasp_print : at_foc_print)(x.formulas, &out->file);
    at_arith_name(q->args->precision, name);
    if (ordered)
        at_text_addf(&out->said, "a program of %d definition%s", x.formulas->n_names,
                     x.formulas->n_names == 1 ? "" : "s");
    else
        at_text_addf(&out->said, "a formula of %.0f parts", parts);
    at_text_addf(&out->said, ", for words of all lengths, of the model in %s\n", name);
    at_text_addf(&out->said, "  %d layer%s, at most %d value%s before one, %d inequalit%s\n", x.layers,
                 x.layers == 1 ? "" : "s", x.values, x.values == 1 ? "" : "s", x.inequalities,
                 x.inequalities == 1 ? "y" : "ies");
    if (x.period > 1)
        at_text_addf(&out->said,
                     "  its positions repeat every %d, also beyond the words that its file takes\n",
                     x.period);
    out->facts = cli_json_set(out->facts, "arithmetic", cli_json_text(name));
    out->facts =
        cli_json_set(out->facts, "parts", json_integer(ordered ? x.formulas->n_names : (json_int_t)parts));
    out->facts = cli_json_set(out->facts, "values", json_integer(x.values));
    out->facts = cli_json_set(out->facts, "inequalities", json_integer(x.inequalities));
    out->facts = cli_json_set(out->facts, "period", json_integer(x.period));
    return AT_OK;
}

static at_status crasp_make(const cli_extract_asked *q, at_arena *a, cli_extracted *out, at_err *err)
{
    return count_make(q, true, a, out, err);
}

static at_status foc_make(const cli_extract_asked *q, at_arena *a, cli_extracted *out, at_err *err)
{
    return count_make(q, false, a, out, err);
}

const cli_extract_kind cli_extract_crasp = {
    "crasp", "a program in C-RASP: causal softmax in qNeE, all lengths", crasp_make, false};
const cli_extract_kind cli_extract_foc = {
    "foc", "a formula of FOC[MOD;+]: softmax without masks in qNeE, all lengths", foc_make, false};
