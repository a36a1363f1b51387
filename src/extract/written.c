/* written.c: formulas that are short enough to be written. */
#include "extract_internal.h"

static bool is_short(const at_extracted_past *x)
{
    return at_formula_written(x->formulas, x->formulas->accept) <= AT_EXTRACT_WRITTEN;
}

at_status at_extract_past_written(const at_model *m, const at_extract_options *o, at_arena *a,
                                  at_extracted_past *out, at_err *err)
{
    at_extracted_past x, y;
    at_err unsaid = {0};
    at_extract_options other = *o;
    at_status s = at_extract_past(m, o, a, &x, err);
    if (!s && o->logic == AT_LOGIC_LTL && !is_short(&x)) {
        other.automaton = true;
        if (x.why || at_extract_past(m, &other, a, &y, &unsaid) || !is_short(&y))
            return at_fail(err, AT_EBUDGET, "written out the formula has %.3g parts, and %d are written; %s",
                           at_formula_written(x.formulas, x.formulas->accept), AT_EXTRACT_WRITTEN,
                           x.period > 1 ? "B-RASP, whose parts have names, knows no positions"
                                        : "parts have names in B-RASP: --to brasp");
        y.why = "that of its layers is too long to be written out";
        x = y;
    }
    if (!s)
        *out = x;
    return s;
}
