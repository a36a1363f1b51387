/* match3_local.c: match3 with both partners within K positions: |i - j1| <= K and |i - j2| <= K.
 *
 * The answer keeps one residue set and slides it: each window is added, asked and removed again, so N(2K+1)
 * steps and no counting. The adversarial inputs plant partners at distance K (which count), at K+1 (which
 * do not), or one of each, over a background that never sums to 0 or that misses 0 by one. */
#include "../problem_internal.h"

static const at_param schema[] = {
    AT_PARAM_LENGTH(7),
    AT_PARAM_MODULUS(5),
    {"K", "window: partners are at most K positions away", 0, AT_LENGTH_MAX, 1, true},
};

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M"), K = at_params_int(p, "K");
    uint16_t v[AT_LENGTH_MAX];
    at_residues seen;
    at_tokens_read(x, N, M, v);
    at_residues_clear(&seen, M);
    for (int i = 0; i < N; i++) {
        int lo = i < K ? 0 : i - K, hi = i + K < N ? i + K : N - 1;
        for (int j = lo; j <= hi; j++)
            at_residues_add(&seen, v[j]);
        y[i] = at_tokens_pair(&seen, v + lo, hi - lo + 1, v[i], M);
        for (int j = lo; j <= hi; j++)
            at_residues_remove(&seen, v[j]);
    }
}

/* Writes a at the position at distance `far` from query, on a random side that exists; nothing if none. */
static void plant(at_rng *r, int N, int query, int far, int a, double *x)
{
    int left = query - far, right = query + far;
    bool goes_left = at_rng_below(r, 2);
    if (left >= 0 && (goes_left || right >= N))
        x[left] = a;
    else if (right < N)
        x[right] = a;
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), M = at_params_int(p, "M"), K = at_params_int(p, "K");
    int query = (int)at_rng_below(r, (uint64_t)N);
    int b = at_tokens_draw(r, M), a;
    switch (at_rng_below(r, 3)) {
    case 0: /* background in the lower third: only planted triples sum to 0 */
        for (int i = 0; i < N; i++)
            x[i] = at_tokens_low(r, M, 3);
        a = (int)x[query];
        b = (int)x[query ? query - 1 : N - 1];
        break;
    case 1: /* a crowd of b with a + 2b = +-1 */
        a = at_mod(-2 * (int64_t)b + at_tokens_miss(r), M);
        for (int i = 0; i < N; i++)
            x[i] = b;
        break;
    default: /* all equal, three times the token near 0 */
        a = b = at_tokens_fold(r, M, 3);
        for (int i = 0; i < N; i++)
            x[i] = a;
        break;
    }
    int third = at_mod(-(int64_t)a - b, M); /* completes query + b */
    int one = at_tokens_draw(r, M), other = at_mod(-(int64_t)a - one, M);
    switch (at_rng_below(r, 5)) {
    case 0: /* just inside */
        plant(r, N, query, K, third, x);
        break;
    case 1: /* just outside */
        plant(r, N, query, K + 1, third, x);
        break;
    case 2: /* a whole pair just outside */
        plant(r, N, query, K + 1, one, x);
        plant(r, N, query, K + 2, other, x);
        break;
    case 3: /* one partner inside, the other outside */
        plant(r, N, query, K, one, x);
        plant(r, N, query, K + 1, other, x);
        break;
    default:
        break;
    }
    x[query] = a;
}

AT_DECISION_DEFINE

const at_task at_task_match3_local = {
    .id = "match3-local",
    .title = "Triples that sum to zero within a window",
    .definition =
        "y_i = 1 iff there are j1, j2 with |i-j1| <= K, |i-j2| <= K and x_i + x_j1 + x_j2 = 0 mod M",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .enums = 1u << AT_ENUM_SEQUENCES,
    .input_help = "N integers in 0..M-1 separated by blanks, as in \"3 1 0 4 2 2 1\"",
    AT_TOKENS_VERBS,
    .answers = at_decision_answers,
    .answer = answer,
    .adversarial = adversarial,
    AT_CASES,
};
