/* match2.c: y_i = 1 iff some j (j = i allowed) has x_i + x_j = 0 mod M.
 *
 * The boundary is one unit of residue: cos(2 pi/M) differs from cos(0) by about 2(pi/M)^2 and a model must
 * see that through the sum over a crowd of N-1 near misses. So the adversarial inputs are crowds at distance
 * one from a partner, with no hit, with exactly one, and with hits that only the diagonal j = i provides. */
#include "../problem_internal.h"

static const at_param schema[] = {AT_PARAM_LENGTH(6), AT_PARAM_MODULUS(11)};

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
        y[i] = at_residues_has(&seen, at_mod_neg(v[i], M));
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M");
    int query = (int)at_rng_below(r, (uint64_t)N), hit = (int)at_rng_below(r, (uint64_t)N);
    int a = at_tokens_draw(r, M), side = at_tokens_miss(r);
    bool plant = at_rng_below(r, 2); /* exactly one partner for the query, unless hit = query */
    switch (at_rng_below(r, 5)) {
    case 0: /* the query among near misses on both sides */
        for (int i = 0; i < N; i++)
            x[i] = at_mod(-a + at_tokens_miss(r), M);
        break;
    case 1: /* among a crowd of one near miss */
        for (int i = 0; i < N; i++)
            x[i] = at_mod(-a + side, M);
        break;
    case 2: /* all in the lower half: no pair sums to 0 */
        for (int i = 0; i < N; i++)
            x[i] = at_tokens_low(r, M, 2);
        a = (int)x[query];
        break;
    case 3: /* all equal, twice the token near 0: the diagonal decides */
        a = at_tokens_fold(r, M, 2);
        plant = false;
        for (int i = 0; i < N; i++)
            x[i] = a;
        break;
    default: /* neighbours sum to -1, 0 or 1 */
        plant = false;
        for (int i = 0; i < N; i++)
            x[i] = i % 2 ? at_mod(-(int64_t)x[i - 1] + (int)at_rng_below(r, 3) - 1, M) : at_tokens_draw(r, M);
        a = (int)x[query];
        break;
    }
    if (plant)
        x[hit] = at_mod_neg(a, M);
    x[query] = a;
}

AT_DECISION_DEFINE

const at_task at_task_match2 = {
    .id = "match2",
    .title = "Pairs that sum to zero",
    .definition = "y_i = 1 iff there is j with x_i + x_j = 0 mod M (j = i allowed)",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .symmetric = true,
    .enums = 1u << AT_ENUM_SEQUENCES | 1u << AT_ENUM_MULTISETS,
    .input_help = "N integers in 0..M-1 separated by blanks, as in \"3 8 5 0 1 9\"",
    AT_TOKENS_VERBS,
    .answers = at_decision_answers,
    .answer = answer,
    .adversarial = adversarial,
    AT_CASES,
};
