/* ngram.c: what claims about n-gram language models share. */
#include "claim_ngram.h"

#include <math.h>

const char *const claim_ngram_weightings[] = {"average-hard", "sparsemax", "softmax", "rightmost-hard", NULL};
static const at_weighting weighting_of[] = {AT_AVERAGE_HARD, AT_SPARSEMAX, AT_SOFTMAX, AT_RIGHTMOST_HARD};
const char *const claim_ngram_reads[] = {"softmax", "sparsemax", NULL};

/* The task's rows as tables, without back-off. */
static at_status model_make(const at_params *p, at_arena *a, at_ngram **out, at_err *err)
{
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    int W = at_params_int(p, "W"), n = at_params_int(p, "n");
    uint64_t histories = 1, all = 1;
    for (int k = 1; k < n; k++)
        histories += all *= (uint64_t)W;
    uint64_t *count = at_new(a, uint64_t, histories * (uint64_t)(W + 1));
    if (!count)
        return at_oom(err);
    for (uint64_t i = 0; i < histories; i++)
        at_next_word_counts(p, i, count + i * (uint64_t)(W + 1));
    return at_ngram_of_counts(n, W, names, count, a, out, err);
}

at_status claim_ngram_program(const at_params *p, at_ngram_form form, at_program **out, at_err *err)
{
    at_arena a;
    at_ngram *g;
    at_weighting by = weighting_of[at_params_int(p, "weighting")];
    at_ngram_options o = {.form = form,
                          .weighting = by,
                          .read = at_params_int(p, "read") ? AT_READ_SPARSEMAX : AT_READ_SOFTMAX,
                          .error = at_weighting_is(by, AT_IS_EXP) ? at_params_get(p, "eps") / 1e4 : 0,
                          .broken = at_params_int(p, "broken")};
    at_arena_init(&a);
    at_status s = model_make(p, &a, &g, err);
    if (!s)
        s = at_ngram_program(g, claim_word_longest(p), &o, out, err);
    at_arena_release(&a);
    return s;
}

at_status claim_ngram_row(const at_claim *c, const at_params *p, double *out, at_err *err)
{
    at_model m;
    at_size z;
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    at_model_size(&m, &z);
    at_model_release(&m);
    double W = at_params_get(p, "W"), histories = 1, all = 1;
    for (int k = 1; k < at_params_int(p, "n"); k++)
        histories += all *= W;
    out[0] = at_params_get(p, "n");
    out[1] = W;
    out[2] = out[0] * W;
    out[3] = z.width;
    out[4] = all;
    out[5] = histories;
    out[6] = z.hidden;
    out[7] = z.layers;
    out[8] = z.heads;
    out[9] = (double)z.parameters;
    return AT_OK;
}

/* The score of e(s) and e(t), each operation rounded. */
static double score(bool f32, int s, int t)
{
    double q[] = {sqrt(1.0 / s), sqrt(1 - 1.0 / s)}, k[] = {sqrt(1.0 / t), sqrt(1 - 1.0 / t)};
    volatile double sum = 0; /* a product and a sum are two operations */
    for (int d = 0; d < 2; d++) {
        volatile double term = f32 ? (double)((float)q[d] * (float)k[d]) : q[d] * k[d];
        term = f32 ? (double)(float)term : term;
        sum = f32 ? (double)((float)sum + (float)term) : sum + term;
    }
    return sum;
}

/* Row s sees t = 1 + back .. s + back; the largest score is meant to be at t = s. Where it is not, a neighbour's is as large. */
int claim_ngram_break(bool f32, int back, int most)
{
    for (int s = back + 1; s <= most; s++) {
        double here = score(f32, s, s);
        bool below = s == back + 1 || score(f32, s, s - 1) < here,
             above = !back || score(f32, s, s + 1) < here;
        if (!below || !above)
            return s;
    }
    return most + 1;
}

at_status claim_ngram_break_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c, (void)threads, (void)err;
    int back = at_params_int(p, "n") - 2;
    out[0] = back;
    out[1] = claim_ngram_break(true, back, 1000000);
    out[2] = 128;
    out[3] = claim_ngram_break(false, back, 1000000);
    out[4] = floor(at_exp2(50.0 / 3));
    return AT_OK;
}
