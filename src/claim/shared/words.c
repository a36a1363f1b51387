/* words.c: what claims about languages of words share. */
#include "claim_words.h"

int claim_word_longest(const at_params *p)
{
    int N = at_params_int(p, "N"), most = at_params_int(p, "most");
    most = most > N ? most : N;
    return most > 1 ? most : 1;
}

at_status claim_word_new(const char *name, const at_params *p, int letters, claim_word *out, at_err *err)
{
    claim_word w = {.N = claim_word_longest(p)};
    if (!(w.P = at_program_new(name, w.N)))
        return at_oom(err);
    at_prefix(w.P, 1);
    at_program_lengths(w.P, 0);
    at_origin(w.P, 0);
    w.letter = at_token(w.P, "letter", letters);
    w.begin = at_mark_prefix(w.P, "begin", 0);
    *out = w;
    return AT_OK;
}

at_var claim_word_is(const claim_word *w, const char *name, const double *is)
{
    return at_lookup(w->P, name, w->letter, is);
}

at_var claim_at_least(const claim_word *w, const char *name, at_var cu, at_var u, double t, double steep)
{
    at_var over = at_sum(w->P, NULL, AT_VEC(cu, u), (double[]){1, 0.5 - t}, 0); /* (c - t + 1/2) u */
    return at_compare(w->P, name, over, 0.5 / (w->N + 1) / steep);
}

at_status claim_word_row(const at_claim *c, const at_params *p, double theory, uint64_t inputs, int threads,
                         double *out, at_err *err)
{
    at_model m;
    at_size z;
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    at_model_size(&m, &z);
    at_model_release(&m);
    out[0] = at_params_get(p, "N");
    out[2] = theory;
    out[3] = z.layers;
    out[4] = z.heads;
    out[5] = z.width;
    out[6] = z.hidden;
    out[7] = (double)z.parameters;
    return claim_least_precision(c, p, inputs, threads, &out[1], err);
}

at_status claim_word_f32_row(const at_claim *c, const at_params *p, uint64_t inputs, int threads, double *out,
                             at_err *err)
{
    static const char *const ariths[] = {"f32", "f64"};
    at_check_env env = {.threads = threads};
    at_model m;
    out[0] = at_params_get(p, "N");
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    for (int k = 0; k < 2 && !s; k++) {
        at_cell cell = {.evidence = AT_EV_SAMPLED, .arith = ariths[k], .count_all = true, .plain = true};
        at_arena a;
        at_verdict v;
        at_arena_init(&a);
        s = at_claim_check(c, &cell, p, &m, inputs, 1, &env, &a, &v, err);
        out[1 + k] = (double)v.wrong;
        at_arena_release(&a);
    }
    at_model_release(&m);
    return s;
}

at_status claim_f32_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    at_err why = {0};
    at_status s = claim_word_f32_row(c, p, CLAIM_F32_WORDS, threads, out, &why);
    return s == AT_EREFUSED || s == AT_EDOMAIN ? AT_OK : s ? at_fail(err, s, "%s", why.text) : AT_OK;
}
