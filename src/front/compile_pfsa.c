/* compile_pfsa.c: a probabilistic automaton as a decoder that writes letters and states, [q] a [r] b [r] </s>.
 *
 * CLAIM pfsa-cot (Nowak, Svete, Butoi and Cotterell 2024). Rows are counted from 1. The first P are hidden, P the largest denominator of a
 * row of probabilities, and the last of them stands for the empty text. What comes next depends on the last two tokens (at_pfsa_next).
 * 1. Head "before" finds the row before, i - 1, by the score 2(i-1)j - j^2, which is largest there by 1, and fetches which state it is.
 * 2. A context is the empty text, a state, or a letter behind a state: 0 or 1, by one unit. At most one of them is there.
 * 3. The probabilities of a context are whole numbers over its denominator, made exactly: shares_maker.h. */
#include "shares_maker.h"

#include <stdio.h>

typedef struct {
    shares_maker s;
    const at_pfsa *p;
    const at_pfsa_options *o;
} maker;

/* ---- steps 1 and 2 ------------------------------------------------------------------------------------------------- */

static bool can_follow(const at_pfsa *p, int state, int letter)
{
    for (int k = p->first[state]; k < p->first[state + 1]; k++)
        if (p->arc[k].letter == letter)
            return true;
    return false;
}

/* All rows of probabilities, in the order of contexts_find; in is not set yet. */
static at_status contexts_list(maker *k)
{
    const at_pfsa *p = k->p;
    at_status s = AT_OK;
    for (int q = -1; q < p->states && !s; q++)
        for (int l = -1; l < (q < 0 ? 0 : p->letters) && !s; l++) {
            if (l >= 0 && !can_follow(p, q, l))
                continue;
            shares_context *c = shares_add(&k->s);
            if (!c)
                return k->s.err->code;
            at_pfsa_next(p, q, l, c->count, &c->under);
            s = shares_added(&k->s);
        }
    return s;
}

/* own (V - 1): is the token of this row this one? */
static void contexts_find(maker *k, at_var own, at_var begin, at_var here, at_var here2)
{
    at_program *P = k->s.P;
    shares_context *c = k->s.c;
    const at_pfsa *p = k->p;
    at_var state[AT_PFSA_STATES];
    for (int q = 0; q < p->states; q++)
        state[q] = own + p->letters + q;
    at_attention a = shares_head(&k->s);
    /* the control: the row itself, which is no state where a letter is */
    at_var target = at_sum(P, "target", AT_VEC(here), NULL, k->o->blind ? 0 : -1);
    a.query = AT_VEC(at_scaled(P, 2, target), at_const(P, -1));
    a.key = AT_VEC(here, here2);
    a.value = (at_vec){p->states, state};
    a.unique = true;
    a.most = 1;
    at_var before = at_attend(P, "before", &a);
    char name[64];
    int n = 0;
    c[n++].in = begin;
    for (int q = 0; q < p->states; q++) {
        c[n++].in = state[q];
        for (int l = 0; l < p->letters; l++)
            if (can_follow(p, q, l)) {
                snprintf(name, sizeof name, "behind_%d_%d", q, l);
                c[n++].in = at_and(P, name, before + q, own + l);
            }
    }
}

/* ---- the program ---------------------------------------------------------------------------------------------------- */

static at_status pfsa_make(maker *k)
{
    at_program *P = k->s.P;
    at_var own, first, begin;
    at_status s = shares_tokens(&k->s, &own, &first, &begin);
    if (s)
        return s;
    at_var here = at_position(P, "here", AT_POS_I), here2 = at_position(P, "here^2", AT_POS_I2);
    contexts_find(k, own, begin, here, here2);
    s = at_program_status(P, k->s.err);
    return s ? s : shares_emit(&k->s, first, here);
}

at_status at_pfsa_program(const at_pfsa *p, int N, const at_pfsa_options *o, at_program **out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    maker k = {.s = {.weighting = o->weighting, .V = at_pfsa_tokens(p), .rows = 1, .a = &a, .err = err},
               .p = p,
               .o = o};
    at_status s = contexts_list(&k);
    if (!s)
        s = shares_program(&k.s, "pfsa", N, o->arith);
    if (!s)
        s = shares_end(&k.s, pfsa_make(&k), out);
    at_arena_release(&a);
    return s;
}

static void word(const void *of, int token, char out[AT_WORD_MAX + 1])
{
    at_pfsa_word(of, token, out);
}

at_status at_pfsa_model(const at_pfsa *p, int N, const at_pfsa_options *o, at_model *m, at_err *err)
{
    at_program *P;
    at_status s = at_pfsa_program(p, N, o, &P, err);
    return s ? s : shares_model(P, at_pfsa_tokens(p) - 1, word, p, m, err);
}

/* ---- the front end ------------------------------------------------------------------------------------------------------ */

static const char *const kinds[] = {"hard", "sparsemax", NULL};

static at_status front_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    static const at_weighting by[] = {AT_AVERAGE_HARD, AT_SPARSEMAX};
    const at_problem *of = p->of;
    at_pfsa_options how = {.arith = o->arith, .weighting = by[o->attention]};
    at_status s = at_pfsa_model(at_pfsa_of(of), at_params_int(p, "N"), &how, m, err);
    return s ? s : front_remember(p, m, err);
}

static at_status front_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                               at_said *said, at_err *err)
{
    const at_pfsa *p = at_pfsa_of(r->problem);
    return shares_compile(r, set, o, p->states, "a state each", p->letters, m, said, err);
}

const at_front at_front_pfsa = {.lang = &at_lang_pfsa,
                                .about = "a head finds the state before, another divides",
                                .kinds = kinds,
                                .model = front_model,
                                .compile = front_compile};
