/* CLAIM match3-slots: one softmax head of width N finds triples: it carries every token to every position.
 *
 * Source: Sanford, Hsu, Telgarsky 2023: one layer needs a width that grows with N (bound match3-hard). This is the trivial layer that has it.
 * Statement: one softmax head of width N between an MLP of N units and one of O(N^2) computes match3 on every X in {0..M-1}^N.
 *
 * Proof:
 *   1. An MLP puts x_j into slot j of the value of position j, and 0 into the others.
 *   2. All scores are 0: slot j of the head's mean is x_j/N, at every position. N times that is x_j.
 *   3. An MLP tries all pairs of slots, with trapezoids around 0, M and 2M. */
#include "../claim_internal.h"

#include <stdio.h>

enum { MOST = 32 };
static const at_param params[] = {
    {"N", "length", 1, MOST, 4, true},
    {"M", "modulus", 2, 65536, 5, true},
    {"missing", "slots fewer than N", 0, MOST, 0, true},
};

static void steps(at_program *P, int N, int M, int slots, const double *here)
{
    at_var x = at_number(P, "x", at_token(P, "x", M)), value[MOST], slot[MOST], hit[MOST * (MOST + 1) / 2];
    at_var mark = at_position_rows(P, "here", N, here), zero = at_const(P, 0);
    double centres[3] = {0, M, 2. * M};
    char name[32];
    int n = 0;
    if (mark < 0)
        return;
    for (int j = 0; j < N; j++) { /* step 1 */
        snprintf(name, sizeof name, "put%d", j + 1);
        value[j] = j < slots ? at_select(P, name, mark + j, x, zero) : zero;
    }
    at_var mean = at_mean(P, "mean", (at_vec){N, value}, AT_SOFTMAX, (at_mask){0}); /* step 2 */
    for (int j = 0; j < N && mean >= 0; j++) {
        snprintf(name, sizeof name, "x%d", j + 1);
        slot[j] = at_known(P, name, at_scaled(P, N, mean + j), 0, M - 1, true, -1);
    }
    for (int a = 0; a < N && mean >= 0; a++) /* step 3 */
        for (int b = a; b < N; b++) {
            snprintf(name, sizeof name, "hit%d,%d", a + 1, b + 1);
            at_var sum = at_sum(P, NULL, AT_VEC(x, slot[a], slot[b]), NULL, 0);
            hit[n++] = at_near(P, name, sum, centres, 3, 0.25, 0.5);
        }
    if (mean >= 0)
        at_emit(P, AT_VEC(at_sum(P, "hits", (at_vec){n, hit}, NULL, 0)), AT_READ_THRESHOLD, 0.5);
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int N = at_params_int(p, "N"), missing = at_params_int(p, "missing");
    if (missing > N)
        return at_fail(err, AT_EDOMAIN, "missing=%d: must be at most N, and N is %d", missing, N);
    double *here = at_calloc((size_t)N * (size_t)N, sizeof *here);
    at_program *P = here ? at_program_new("match3-slots", N) : NULL;
    if (!P) {
        at_free(here);
        return at_oom(err);
    }
    for (int j = 0; j < N; j++)
        here[j * N + j] = 1;
    at_program_lengths(P, N);
    steps(P, N, at_params_int(p, "M"), N - missing, here);
    at_free(here);
    *out = P;
    return AT_OK;
}

static const at_cell cells[] = {
    {"N=2..4 M=7", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p24e8", 0, AT_TIER_QUICK, NULL},
    {"N=12 M=50", NULL, AT_EV_SAMPLED, 0, "p24e8", 400, AT_TIER_QUICK, NULL},
    {"N=16 M=65536", NULL, AT_EV_SAMPLED, 0, "p24e8", 400, AT_TIER_QUICK, NULL},
    {"N=4 M=7", "missing=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "p24e8", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_match3_slots = {
    .id = "match3-slots",
    .title = "One head of width N that carries all tokens finds triples",
    .source = "Sanford, Hsu, Telgarsky 2023 (beside their bound for one layer)",
    .statement = "One softmax head of width N between MLPs computes match3 on every X in {0..M-1}^N.",
    .proof = "Uniform attention brings x_j in slot j to all positions; an MLP tries all pairs of slots.",
    .task = "match3",
    CLAIM_FIELDS,
    .look = "1 2",
    .look_params = "N=2 M=5",
};
