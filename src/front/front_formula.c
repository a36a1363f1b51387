/* front_formula.c: languages of formulas as front ends: one compiler for all of them. */
#include <stdio.h>

#include "front_internal.h"

at_status at_model_verdicts(at_model *m, at_err *err)
{
    at_word *verdict = at_new(&m->arena, at_word, 2);
    if (!verdict)
        return at_oom(err);
    snprintf(verdict[0].s, sizeof verdict[0].s, "no");
    snprintf(verdict[1].s, sizeof verdict[1].s, "yes");
    m->readout.words = verdict;
    return at_model_validate(m, err);
}

at_status at_model_letters(at_model *m, const at_alphabet *sigma, at_err *err)
{
    at_word *words = at_new(&m->arena, at_word, sigma->n);
    for (int a = 0; words && a < sigma->n; a++)
        snprintf(words[a].s, sizeof words[a].s, "%s", sigma->letter[a]);
    m->fields[0].words = words;
    at_status s = words ? at_model_verdicts(m, err) : at_oom(err);
    if (s)
        at_model_release(m);
    return s;
}

at_status at_formulas_model(const at_formulas *f, int N, const at_formulas_options *o, at_model *m,
                            at_err *err)
{
    at_program *P;
    at_status s = at_formulas_program(f, N, o, &P, err);
    return s ? s : front_words_assemble(P, &f->sigma, m, err);
}

/* at_front.model of a language whose problems are formulas. */
at_status at_front_formula_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    const at_problem *of = p->of;
    const at_recogniser *w = at_recogniser_of(of);
    int N = at_params_int(p, "N");
    at_status s =
        at_formulas_model(w->formulas, N < 1 ? 1 : N, &(at_formulas_options){.arith = o->arith}, m, err);
    return s ? s : front_remember(p, m, err);
}
