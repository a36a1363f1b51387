/* formulas.c: formulas that claims are about, and models of them. */
#include "claim_formulas.h"
#include "claim_text.h"

#include <string.h>

at_status claim_formula_asks(claim_formula *all, int k, const at_problem **out, at_err *err)
{
    claim_formula *f = &all[k];
    return claim_text_asks(f->lang, f->name, f->text, &f->made, out, err);
}

/* The formula as it is to be compiled: a copy, whose parts are shared. */
static at_status formula_of(claim_formula *all, int k, const claim_formula_how *how, at_arena *a,
                            at_formulas **out, at_err *err)
{
    const at_problem *q;
    at_status s = claim_formula_asks(all, k, &q, err);
    if (s)
        return s;
    at_formulas *f = at_new(a, at_formulas, 1);
    if (!f)
        return at_oom(err);
    *f = *at_recogniser_of(q)->formulas;
    f->attend = how->attend;
    for (int n = 0; n < f->n_sets && how->off; n++) {
        bool *in = at_new(a, bool, AT_FORMULA_LONGEST + 1);
        if (!in)
            return at_oom(err);
        memcpy(in + 1, f->sets[n].in, AT_FORMULA_LONGEST);
        f->sets[n].in = in;
    }
    *out = f;
    return AT_OK;
}

at_status claim_formula_program(claim_formula *all, int k, int N, const claim_formula_how *how,
                                at_program **out, at_err *err)
{
    at_arena a;
    at_formulas *f;
    at_arena_init(&a);
    at_status s = formula_of(all, k, how, &a, &f, err);
    if (!s)
        s = at_formulas_program(f, N, &how->options, out, err);
    at_arena_release(&a);
    return s;
}

at_status claim_formula_model(claim_formula *all, int k, int N, const claim_formula_how *how, at_model *m,
                              at_err *err)
{
    at_arena a;
    at_formulas *f;
    at_arena_init(&a);
    at_status s = formula_of(all, k, how, &a, &f, err);
    if (!s)
        s = at_formulas_model(f, N, &how->options, m, err);
    at_arena_release(&a);
    return s;
}

at_status claim_formula_row(const at_claim *c, const at_params *p, claim_formula *all, int k, uint64_t inputs,
                            int threads, double out[7], at_err *err)
{
    const at_problem *q;
    at_model m;
    at_size z;
    at_status s = claim_formula_asks(all, k, &q, err);
    if (!s)
        s = claim_least_precision(c, p, inputs, threads, &out[6], err);
    if (!s)
        s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    const at_formulas *f = at_recogniser_of(q)->formulas;
    at_model_size(&m, &z);
    at_model_release(&m);
    out[0] = at_formula_depth(f, f->accept);
    out[1] = z.layers;
    out[2] = z.heads;
    out[3] = z.hidden;
    out[4] = z.width;
    out[5] = (double)z.parameters;
    return AT_OK;
}

const char *const claim_counts_weightings[] = {"softmax", "average-hard", NULL};

claim_formula_how claim_counts_how(const at_params *p)
{
    return (claim_formula_how){.attend = at_params_int(p, "weighting") ? AT_ATTEND_AVERAGE : AT_ATTEND_OWN,
                               .options = {.slope = at_params_get(p, "slope")}};
}
