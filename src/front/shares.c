/* shares.c: rows of probabilities that are fractions, made by heads that divide (shares_maker.h has the proof). */
#include "shares_maker.h"

#include <stdio.h>

shares_context *shares_add(shares_maker *k)
{
    if (!k->c && !(k->c = at_new(k->a, shares_context, AT_PFSA_COMPILED_CONTEXTS))) {
        at_oom(k->err);
        return NULL;
    }
    if (k->n == AT_PFSA_COMPILED_CONTEXTS) {
        at_fail(k->err, AT_EBUDGET, "more than %d contexts; at most so many are compiled",
                AT_PFSA_COMPILED_CONTEXTS);
        return NULL;
    }
    shares_context *c = &k->c[k->n];
    if (!(c->count = at_new(k->a, uint32_t, k->V))) {
        at_oom(k->err);
        return NULL;
    }
    k->n++;
    return c;
}

at_status shares_added(shares_maker *k)
{
    const shares_context *c = &k->c[k->n - 1];
    if (c->under > AT_PFSA_COMPILED_UNDER)
        return at_fail(k->err, AT_EBUDGET,
                       "probabilities over %u; compiled are those over at most %d: a hidden row each",
                       c->under, AT_PFSA_COMPILED_UNDER);
    k->rows = (int)c->under > k->rows ? (int)c->under : k->rows;
    return AT_OK;
}

at_status shares_program(shares_maker *k, const char *name, int N, const at_arith *arith)
{
    k->P = at_program_new(name, N);
    if (k->P && arith)
        at_program_arithmetic(k->P, *arith);
    return k->P ? AT_OK : at_oom(k->err);
}

at_status shares_end(shares_maker *k, at_status made, at_program **out)
{
    at_status s = made ? made : at_program_status(k->P, k->err);
    if (s)
        at_program_free(k->P);
    *out = s ? NULL : k->P;
    return s;
}

at_attention shares_head(const shares_maker *k)
{
    return (at_attention){.weighting = k->weighting, .mask = {.kind = AT_MASK_CAUSAL}, .gap = 1};
}

at_status shares_tokens(shares_maker *k, at_var *own, at_var *first, at_var *begin)
{
    int W = k->V - 1;
    double *is = at_calloc((size_t)W * (size_t)W + 1, sizeof *is);
    if (!is)
        return at_oom(k->err);
    at_program_lengths(k->P, 0);
    at_var token = at_token(k->P, "token", W);
    at_prefix(k->P, k->rows);
    for (int t = 0; t < W; t++)
        is[t * W + t] = 1;
    *own = at_lookup_rows(k->P, "is", token, W, is);
    at_free(is);
    *begin = at_mark_prefix(k->P, "begin", k->rows - 1);
    *first = k->rows > 1 ? at_mark_prefix(k->P, "first", 0) : *begin;
    return at_program_status(k->P, k->err);
}

at_status shares_emit(shares_maker *k, at_var first, at_var here)
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
    at_attention a = shares_head(k);
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

at_status shares_model(at_program *P, int words,
                       void (*word)(const void *of, int token, char out[AT_WORD_MAX + 1]), const void *of,
                       at_model *m, at_err *err)
{
    at_status s = front_assemble(P, m, err);
    if (s)
        return s;
    at_word *w = at_new(&m->arena, at_word, words);
    for (int t = 0; w && t < words; t++)
        word(of, t, w[t].s);
    m->fields[0].words = w;
    s = w ? at_model_validate(m, err) : at_oom(err);
    if (s)
        at_model_release(m);
    return s;
}

at_status shares_compile(const at_reading *r, const char *set, const at_front_options *o, int extra,
                         const char *each, int letters, at_model *m, at_said *said, at_err *err)
{
    at_status s = front_problem_compile(r, set, o, m, said, err);
    if (s)
        return s;
    at_fact_number(said, "extra_symbols", extra);
    at_text_addf(&said->lines, "extra symbols: %d, %s, beside %d letter%s and the end\n", extra, each,
                 letters, letters == 1 ? "" : "s");
    return AT_OK;
}
