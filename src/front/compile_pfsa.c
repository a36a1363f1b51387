/* compile_pfsa.c: a probabilistic automaton as a decoder that writes letters and states, [q] a [r] b [r] </s>.
 *
 * CLAIM pfsa-cot (Nowak, Svete, Butoi and Cotterell 2024). Rows are counted from 1. The first P are hidden, P the largest denominator of a
 * row of probabilities, and the last of them stands for the empty text. What comes next depends on the last two tokens (at_pfsa_next).
 * 1. Head "before" finds the row before, i - 1, by the score 2(i-1)j - j^2, which is largest there by 1, and fetches which state it is.
 * 2. A context is the empty text, a state, or a letter behind a state: 0 or 1, by one unit. At most one of them is there.
 * 3. The probabilities of a context are whole numbers over D. Weights are binary fractions, which 1/3 is not; so attention divides: head
 *    "share" sees the rows 1 .. D alike, by the score -relu(j - D), and the mean of "this is row 1" over them is u = 1/D. All are
 *    hidden, so a row behind them sees all.
 * 4. relu(u + c - 1) is u in the context c and 0 elsewhere; it adds its whole numbers times u. Where there is no context comes the end.
 * 5. Rows are probabilities, which sparsemax leaves as they are. All weights are whole numbers and nothing but u is not: over the rationals
 *    the probabilities are the automaton's, not rounded. */
#include "front_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    at_var in;       /* is this the context? */
    uint32_t *count; /* (V) */
    uint32_t under;
} context;

typedef struct {
    at_program *P;
    const at_pfsa *p;
    const at_pfsa_options *o;
    at_arena *a;
    int V, rows; /* tokens with the end; hidden rows */
    context *c;
    int n;
    at_err *err;
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
    k->c = at_new(k->a, context, 1 + p->states * (1 + p->letters));
    if (!k->c)
        return at_oom(k->err);
    for (int q = -1; q < p->states; q++)
        for (int l = -1; l < (q < 0 ? 0 : p->letters); l++) {
            if (l >= 0 && !can_follow(p, q, l))
                continue;
            context *c = &k->c[k->n++];
            if (!(c->count = at_new(k->a, uint32_t, k->V)))
                return at_oom(k->err);
            at_pfsa_next(p, q, l, c->count, &c->under);
            if (c->under > AT_PFSA_COMPILED_UNDER)
                return at_fail(k->err, AT_EBUDGET,
                               "probabilities over %u; compiled are those over at most %d: a hidden row each",
                               c->under, AT_PFSA_COMPILED_UNDER);
            k->rows = (int)c->under > k->rows ? (int)c->under : k->rows;
        }
    return k->n > AT_PFSA_COMPILED_CONTEXTS
               ? at_fail(k->err, AT_EBUDGET, "%d contexts; at most %d are compiled", k->n,
                         AT_PFSA_COMPILED_CONTEXTS)
               : AT_OK;
}

static at_attention head_of(const maker *k)
{
    return (at_attention){.weighting = k->o->weighting, .mask = {.kind = AT_MASK_CAUSAL}, .gap = 1};
}

/* own (V - 1): is the token of this row this one? */
static void contexts_find(maker *k, at_var own, at_var begin, at_var here, at_var here2)
{
    at_program *P = k->P;
    const at_pfsa *p = k->p;
    at_var state[AT_PFSA_STATES];
    for (int q = 0; q < p->states; q++)
        state[q] = own + p->letters + q;
    at_attention a = head_of(k);
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
    k->c[n++].in = begin;
    for (int q = 0; q < p->states; q++) {
        k->c[n++].in = state[q];
        for (int l = 0; l < p->letters; l++)
            if (can_follow(p, q, l)) {
                snprintf(name, sizeof name, "behind_%d_%d", q, l);
                k->c[n++].in = at_and(P, name, before + q, own + l);
            }
    }
}

/* ---- steps 3 to 5 -------------------------------------------------------------------------------------------------- */

static at_status rows_emit(maker *k, at_var first, at_var here)
{
    at_program *P = k->P;
    at_var *in = at_new(k->a, at_var, k->n), *part = at_new(k->a, at_var, 2 * k->n),
           *out = at_new(k->a, at_var, k->V);
    double *weight = at_new(k->a, double, 2 * k->n);
    if (!in || !part || !out || !weight)
        return at_oom(k->err);
    for (int c = 0; c < k->n; c++) {
        in[c] = k->c[c].in;
        weight[c] = k->c[c].under - 1.0;
    }
    at_var under = at_sum(P, "under", (at_vec){k->n, in}, weight, 1);
    under = at_known(P, "under", under, 1, k->rows, true, -1);
    at_attention a = head_of(k);
    a.query = AT_VEC(at_const(P, 1), under);
    a.key = AT_VEC(here, at_const(P, -1));
    a.value = AT_VEC(first);
    a.post = AT_POST_NEG_RELU;
    a.most = k->rows;
    at_var share = at_known(P, "share", at_attend(P, "share", &a), 0, 1, false, -1);
    char name[64];
    for (int c = 0; c < k->n; c++) {
        snprintf(name, sizeof name, "share_%d", c);
        part[c] = at_relu(P, name, at_sum(P, name, AT_VEC(share, in[c]), NULL, -1));
    }
    for (int t = 0; t < k->V; t++) {
        bool end = t == k->V - 1;
        int n = 0;
        at_var *term = part + k->n;
        for (int c = 0; c < k->n; c++)
            if (k->c[c].count[t]) {
                term[n] = part[c];
                weight[n++] = k->c[c].count[t];
            }
        snprintf(name, sizeof name, "next_%d", t);
        at_var sum = at_sum(P, name, (at_vec){n, term}, weight, 0);
        for (int c = 0; c < k->n; c++)
            weight[c] = -1;
        out[t] = end ? at_add(P, sum, at_sum(P, "nowhere", (at_vec){k->n, in}, weight, 1)) : sum;
    }
    at_emit_last(P, (at_vec){k->V, out}, AT_READ_SPARSEMAX, 0);
    return AT_OK;
}

static at_status pfsa_make(maker *k)
{
    at_program *P = k->P;
    int W = k->V - 1;
    double *is = at_calloc((size_t)W * (size_t)W, sizeof *is);
    if (!is)
        return at_oom(k->err);
    at_program_lengths(P, 0);
    at_var token = at_token(P, "token", W);
    at_prefix(P, k->rows);
    for (int t = 0; t < W; t++)
        is[t * W + t] = 1;
    at_var own = at_lookup_rows(P, "is", token, W, is);
    at_free(is);
    at_var begin = at_mark_prefix(P, "begin", k->rows - 1);
    at_var first = k->rows > 1 ? at_mark_prefix(P, "first", 0) : begin;
    at_var here = at_position(P, "here", AT_POS_I), here2 = at_position(P, "here^2", AT_POS_I2);
    contexts_find(k, own, begin, here, here2);
    at_status s = at_program_status(P, k->err);
    return s ? s : rows_emit(k, first, here);
}

at_status at_pfsa_program(const at_pfsa *p, int N, const at_pfsa_options *o, at_program **out, at_err *err)
{
    at_arena a;
    *out = NULL;
    at_arena_init(&a);
    maker k = {.p = p, .o = o, .a = &a, .V = at_pfsa_tokens(p), .rows = 1, .err = err};
    at_status s = contexts_list(&k);
    if (!s) {
        k.P = at_program_new("pfsa", N);
        s = k.P ? AT_OK : at_oom(err);
    }
    if (!s && o->arith)
        at_program_arithmetic(k.P, *o->arith);
    if (!s)
        s = pfsa_make(&k);
    if (!s)
        s = at_program_status(k.P, err);
    if (s)
        at_program_free(k.P);
    else
        *out = k.P;
    at_arena_release(&a);
    return s;
}

at_status at_pfsa_model(const at_pfsa *p, int N, const at_pfsa_options *o, at_model *m, at_err *err)
{
    at_program *P;
    at_status s = at_pfsa_program(p, N, o, &P, err);
    if (s)
        return s;
    s = front_assemble(P, m, err);
    if (s)
        return s;
    int W = at_pfsa_tokens(p) - 1;
    at_word *words = at_new(&m->arena, at_word, W);
    for (int t = 0; words && t < W; t++)
        at_pfsa_word(p, t, words[t].s);
    m->fields[0].words = words;
    s = words ? at_model_validate(m, err) : at_oom(err);
    if (s)
        at_model_release(m);
    return s;
}

/* ---- the front end ------------------------------------------------------------------------------------------------------ */

static const char *const kinds[] = {"hard", "sparsemax", NULL};

static at_status front_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    static const at_weighting by[] = {AT_AVERAGE_HARD, AT_SPARSEMAX};
    const at_problem *of = p->of;
    at_pfsa_options how = {.arith = o->arith, .weighting = by[o->attention]};
    at_status s = at_pfsa_model(at_pfsa_of(of), at_params_int(p, "N"), &how, m, err);
    if (s)
        return s;
    s = at_problem_remember(of->id, of->digest, p, m, err);
    if (s)
        at_model_release(m);
    return s;
}

static at_status front_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                               at_said *said, at_err *err)
{
    const at_pfsa *p = at_pfsa_of(r->problem);
    at_status s = front_problem_compile(r, set, o, m, said, err);
    if (s)
        return s;
    at_fact_number(said, "extra_symbols", p->states);
    at_text_addf(&said->lines, "extra symbols: %d, a state each, beside %d letter%s and the end\n", p->states,
                 p->letters, p->letters == 1 ? "" : "s");
    return AT_OK;
}

const at_front at_front_pfsa = {.lang = &at_lang_pfsa,
                                .about = "a head finds the state before, another divides",
                                .kinds = kinds,
                                .model = front_model,
                                .compile = front_compile};
