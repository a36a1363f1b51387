/* match3.c: y_i = 1 iff some j1, j2 (all may coincide) have x_i + x_j1 + x_j2 = 0 mod M.
 *
 * The answer marks the residues that occur and asks, for each i and j1, for the third: N^2 look-ups
 * instead of N^3 sums. The adversarial inputs let triple sums miss 0 by one, in crowds, with at most one
 * planted triple. */
#include "../problem_internal.h"

static const at_param schema[] = {AT_PARAM_LENGTH(5), AT_PARAM_MODULUS(9)};

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M");
    uint16_t v[AT_LENGTH_MAX];
    at_residues seen;
    at_tokens_read(x, N, M, v);
    at_residues_clear(&seen, M);
    for (int i = 0; i < N; i++)
        at_residues_add(&seen, v[i]);
    for (int i = 0; i < N; i++)
        y[i] = at_tokens_pair(&seen, v, N, v[i], M);
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M");
    int query = (int)at_rng_below(r, (uint64_t)N), hit = (int)at_rng_below(r, (uint64_t)N);
    int b = at_tokens_draw(r, M), side = at_tokens_miss(r), a;
    bool plant = at_rng_below(r, 2); /* the third of query + b, at one position */
    switch (at_rng_below(r, 5)) {
    case 0: /* a crowd of b with a + 2b = +-1 */
        a = at_mod(-2 * (int64_t)b + side, M);
        for (int i = 0; i < N; i++)
            x[i] = b;
        break;
    case 1: { /* two crowds b, c with a + b + c = +-1 */
        int c = at_tokens_draw(r, M);
        a = at_mod(-(int64_t)b - c + side, M);
        for (int i = 0; i < N; i++)
            x[i] = at_rng_below(r, 2) ? b : c;
        break;
    }
    case 2: /* all in the lower third: no triple sums to 0 */
        for (int i = 0; i < N; i++)
            x[i] = at_tokens_low(r, M, 3);
        a = (int)x[query];
        b = (int)x[(query + 1) % N];
        break;
    case 3: /* all equal, three times the token near 0: j1 = j2 = i decides */
        a = at_tokens_fold(r, M, 3);
        plant = false;
        for (int i = 0; i < N; i++)
            x[i] = a;
        break;
    default: /* a crowd one off the b with a + 2b = 0; planted, b is hit by itself and the query alone */
        a = at_mod(-2 * (int64_t)b, M);
        for (int i = 0; i < N; i++)
            x[i] = at_mod(b + side, M);
        break;
    }
    if (plant)
        x[hit] = at_mod(-(int64_t)a - b, M);
    x[query] = a;
}

AT_DECISION_DEFINE

const at_task at_task_match3 = {
    .id = "match3",
    .title = "Triples that sum to zero",
    .definition = "y_i = 1 iff there are j1, j2 with x_i + x_j1 + x_j2 = 0 mod M (i, j1, j2 may coincide)",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .symmetric = true,
    .enums = 1u << AT_ENUM_SEQUENCES | 1u << AT_ENUM_MULTISETS,
    .input_help = "N integers in 0..M-1 separated by blanks, as in \"3 8 5 0 1\"",
    AT_TOKENS_VERBS,
    .answers = at_decision_answers,
    .answer = answer,
    .adversarial = adversarial,
    AT_CASES,
};
