/* match3_bigram.c: y_i = 1 iff some neighbours j, j+1 have x_i + x_j + x_{j+1} = 0 mod M, 1 <= j <= N-1.
 *
 * Order matters, so there are no multisets; with N = 1 there is no pair and the answer is 0. A model errs in
 * two ways: in the residue (a neighbour sum off by one) and in what counts as neighbours (the last with the
 * first, a token with itself, or a token with the next but one). The adversarial inputs do both. */
#include "../problem_internal.h"

static const at_param schema[] = {AT_PARAM_LENGTH(6), AT_PARAM_MODULUS(7)};

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M");
    uint16_t v[AT_LENGTH_MAX];
    at_residues sums;
    at_tokens_read(x, N, M, v);
    at_residues_clear(&sums, M);
    for (int j = 0; j + 1 < N; j++)
        at_residues_add(&sums, at_mod_add(v[j], v[j + 1], M));
    for (int i = 0; i < N; i++)
        y[i] = at_residues_has(&sums, at_mod_neg(v[i], M));
}

/* From position `from` outwards, neighbour sums are s-1 or s+1; the sum of pair (hit, hit+1) is s itself. */
static void chain(at_rng *r, int N, int M, int from, int s, int hit, double *x)
{
    for (int j = from; j + 1 < N; j++)
        x[j + 1] = at_mod(s + (j == hit ? 0 : at_tokens_miss(r)) - (int64_t)x[j], M);
    for (int j = from - 1; j >= 0; j--)
        x[j] = at_mod(s + (j == hit ? 0 : at_tokens_miss(r)) - (int64_t)x[j + 1], M);
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M");
    int query = (int)at_rng_below(r, (uint64_t)N);
    int s = at_tokens_draw(r, M); /* the sum that the query waits for */
    x[query] = at_mod_neg(s, M);
    switch (at_rng_below(r, 6)) {
    case 0: /* near misses only */
        chain(r, N, M, query, s, -1, x);
        break;
    case 1: /* one hit, anywhere */
        chain(r, N, M, query, s, N > 1 ? (int)at_rng_below(r, (uint64_t)N - 1) : -1, x);
        break;
    case 2: /* one hit, in the first or the last pair */
        chain(r, N, M, query, s, at_rng_below(r, 2) ? 0 : N - 2, x);
        break;
    case 3: /* the last with the first, which is no pair */
        chain(r, N, M, query, s, -1, x);
        if (N > 1 && query == N - 1)
            x[0] = at_mod(s - (int64_t)x[N - 1], M);
        else if (N > 1)
            x[N - 1] = at_mod(s - (int64_t)x[0], M);
        break;
    case 4: { /* the next but one, which is no pair either */
        chain(r, N, M, query, s, -1, x);
        int j = N > 2 ? (int)at_rng_below(r, (uint64_t)N - 2) : 0;
        if (N > 2 && query == j + 2)
            x[j] = at_mod(s - (int64_t)x[j + 2], M);
        else if (N > 2)
            x[j + 2] = at_mod(s - (int64_t)x[j], M);
        break;
    }
    default: { /* all equal, three times the token near 0 */
        int a = at_tokens_fold(r, M, 3);
        for (int i = 0; i < N; i++)
            x[i] = a;
        break;
    }
    }
}

AT_DECISION_DEFINE

const at_task at_task_match3_bigram = {
    .id = "match3-bigram",
    .title = "A token and two neighbours that sum to zero",
    .definition = "y_i = 1 iff there is j in 1..N-1 with x_i + x_j + x_{j+1} = 0 mod M",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .enums = 1u << AT_ENUM_SEQUENCES,
    .input_help = "N integers in 0..M-1 separated by blanks, as in \"3 5 0 1 6 2\"",
    AT_TOKENS_VERBS,
    .answers = at_decision_answers,
    .answer = answer,
    .adversarial = adversarial,
    AT_CASES,
};
