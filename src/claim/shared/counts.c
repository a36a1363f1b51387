/* counts.c: what the claims about languages that count share. */
#include "claim_counts.h"
#include "claim_text.h"

const char *const claim_counts_weightings[] = {"softmax", "average-hard", NULL};

at_status claim_counts_asks(claim_counts *all, const at_params *p, const at_problem **out, at_err *err)
{
    int k = at_params_int(p, "language");
    return claim_text_asks(all->lang, all->names[k], all->texts[k], &all->made[k], out, err);
}

/* The formulas with the weighting that is asked for; freed with at_free. */
static at_status formulas_of(claim_counts *all, const at_params *p, at_formulas **out, at_formulas_options *o,
                             int *N, at_err *err)
{
    const at_problem *q;
    at_status s = claim_counts_asks(all, p, &q, err);
    if (s)
        return s;
    *out = at_malloc(sizeof **out);
    if (!*out)
        return at_oom(err);
    **out = *at_recogniser_of(q)->formulas;
    (*out)->attend = at_params_int(p, "weighting") ? AT_ATTEND_AVERAGE : AT_ATTEND_OWN;
    *o = (at_formulas_options){.slope = at_params_get(p, "slope")};
    *N = at_params_int(p, "N");
    *N = *N < 1 ? 1 : *N; /* a model of the empty word takes one letter, too */
    return AT_OK;
}

at_status claim_counts_program(claim_counts *all, const at_params *p, at_program **out, at_err *err)
{
    at_formulas *f;
    at_formulas_options o;
    int N;
    at_status s = formulas_of(all, p, &f, &o, &N, err);
    if (s)
        return s;
    s = at_formulas_program(f, N, &o, out, err);
    at_free(f);
    return s;
}

at_status claim_counts_model(claim_counts *all, const at_params *p, at_model *m, at_err *err)
{
    at_formulas *f;
    at_formulas_options o;
    int N;
    at_status s = formulas_of(all, p, &f, &o, &N, err);
    if (s)
        return s;
    s = at_formulas_model(f, N, &o, m, err);
    at_free(f);
    return s;
}
