/* parts.c: parts of formulas as their readers make them: what fails, fails at its place in the text, once. */
#include "formulas.h"

at_formula *ftext_part(ftext *x, at_formulas *f, at_formula part, const char *from)
{
    at_formula *a = x->status ? NULL : at_formula_make(f, part);
    ftext_made(x, f, from);
    return x->status ? NULL : a;
}

at_formula *ftext_is_truth(ftext *x, const at_formulas *f, at_formula *a, const char *from)
{
    if (a && !x->status && at_formula_is_number(f, a))
        ftext_fail(x, from, "a number stands where a truth must; compare it, as in #[a] >= 1");
    return x->status ? NULL : a;
}

at_formula *ftext_is_number(ftext *x, const at_formulas *f, at_formula *a, const char *from)
{
    if (a && !x->status && !at_formula_is_number(f, a))
        ftext_fail(x, from, "a truth stands where a number must; comparisons are of counts and numbers");
    return x->status ? NULL : a;
}

at_formula *ftext_times(ftext *x, at_formulas *f, int64_t value, at_formula *a, const char *from)
{
    if (!ftext_is_number(x, f, a, from))
        return NULL;
    at_formula part = {.op = AT_F_TIMES, .value = value, .arg = {a}};
    if (a->op == AT_F_NUMBER || a->op == AT_F_TIMES) {
        part = *a;
        part.value = value * a->value; /* of two to AT_FORMULA_NUMBER */
    }
    if (part.value > AT_FORMULA_NUMBER || part.value < -AT_FORMULA_NUMBER) {
        ftext_fail(x, from, "a number beyond %d", AT_FORMULA_NUMBER);
        return NULL;
    }
    return ftext_part(x, f, part, from);
}
