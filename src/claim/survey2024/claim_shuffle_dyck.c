/* CLAIM shuffle-dyck: two softmax layers of one head, without positions, count k kinds of brackets at once.
 *
 * Source: Strobl et al. 2024 (survey); Bhattamishra, Ahuja, Goyal 2020, "On the ability and limitations of
 * transformers to recognize formal languages".
 * Statement: for all k and N there are two causal softmax layers of one head each, without positions, that decide for
 * every word of at most N brackets of k kinds, the empty word included, whether each kind is balanced for itself.
 *
 * Proof. A hidden position stands before the word; u_i = 1/(i + 1) at letter i, and d_t is the number of brackets of
 * kind t that are open after it:
 *   1. All scores are 0, so the first head averages over the positions up to i. Of +1 for an opening bracket of
 *      kind t and -1 for a closing one that is d_t u; of the hidden position's mark it is u.
 *   2. [d_t < 0] = 1 - [d_t >= 0], and (d_t + 1/2) u is at least u/2 >= 1/(2(N + 1)) away from 0: two units decide it,
 *      without an error. bad = some d_t < 0.
 *   3. The second head averages bad: c u, c the number of bad prefixes so far. ever = [c >= 1], as in step 2.
 *   4. At the last position: accepted where not ever and no d_t >= 1. Without a bad prefix d_t >= 0, so d_t = 0.
 * The margin before a unit is 1/(2(N + 1)), so about log2 N bits are needed. */
#include "../shared/claim_words.h"

enum { KINDS = 8 };

static const at_param params[] = {
    CLAIM_WORD_PARAMS(8),
    {"k", "kinds of brackets", 1, KINDS, 2, true},
    {"slope", "of the units that compare, in units of N + 1", 0.01, 1, 1, false},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    static const at_mask past = {.kind = AT_MASK_CAUSAL};
    int k = at_params_int(p, "k");
    double steep = at_params_get(p, "slope");
    claim_word w;
    at_status s = claim_word_new("shuffle-dyck", p, 2 * k, &w, err);
    if (s)
        return s;
    at_program *P = w.P;
    at_var values[KINDS + 1], below[KINDS], no[KINDS + 1];
    for (int t = 0; t < k; t++) {
        double step[2 * KINDS] = {0};
        step[2 * t] = 1;
        step[2 * t + 1] = -1;
        values[t] = claim_word_is(&w, "step", step);
    }
    values[k] = w.begin;
    at_var mean = at_mean(P, "depth", (at_vec){k + 1, values}, AT_SOFTMAX, past), u = mean + k; /* step 1 */
    for (int t = 0; t < k; t++)                                                                 /* step 2 */
        below[t] = at_not(P, claim_at_least(&w, "above", mean + t, u, 0, steep));
    at_var bad = at_any(P, "bad", (at_vec){k, below});
    at_var bads = at_mean(P, "bads", AT_VEC(bad), AT_SOFTMAX, past); /* step 3 */
    no[k] = at_not(P, claim_at_least(&w, "ever", bads, u, 1, steep));
    for (int t = 0; t < k; t++) /* step 4 */
        no[t] = at_not(P, claim_at_least(&w, "open", mean + t, u, 1, steep));
    at_emit_last(P, AT_VEC(at_all(P, "balanced", (at_vec){k + 1, no})), AT_READ_THRESHOLD, 0.5);
    *out = P;
    return AT_OK;
}

#define INPUTS 100 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_word_row(c, p, at_log2(at_params_get(p, "N")) + 3, INPUTS, threads, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "precision",
        .title = "least p from which on it holds (" CLAIM_TEXT(
            INPUTS) " words at each p), and the size, against N (k = 2)",
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS("log2 N + 3"), NULL},
        .x = "N",
        .logx = true,
        .plots = (const char *const[]){"least p", NULL},
        .rows = (const char *const[]){"N=4", "N=8", "N=16", "N=32", "N=64", "N=128", "N=256", NULL},
        .quick_rows = 4,
        .row = precision_row,
    },
    CLAIM_F32("log2 N + 3 bits are enough, and f32 has 24", "N=64", "N=256", "N=1024", "N=4096")};

static const at_cell cells[] = {
    {"N=0..16 most=16 k=1", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..13 most=13 k=1"},
    {"N=0..8 most=8 k=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..6 most=6 k=2"},
    {"N=0..5 most=5 k=3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..4 most=4 k=3"},
    {"N=0..12 most=12 k=1", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK,
     "N=0..9 most=9 k=1"},
    {"N=0..6 most=1000 k=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..4 most=1000 k=2"},
    {"N=1000 k=3", NULL, AT_EV_SAMPLED, 0, "f64", 400, AT_TIER_QUICK, NULL},
    {"N=1000 k=3", NULL, AT_EV_SAMPLED, 0, "f32", 400, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8 k=1", "slope=0.3", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8 k=1", "arith=p3", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_shuffle_dyck = {
    .id = "shuffle-dyck",
    .title = "Two softmax layers without positions balance k kinds of brackets, each for itself",
    .source = "Strobl et al. 2024, after Bhattamishra et al. 2020",
    .group = "Languages",
    .statement = "For all k and N two causal softmax layers of one head each, without positions, decide for "
                 "every word of at most N "
                 "brackets of k kinds, the empty word included, whether each kind is balanced for itself.",
    .proof = "Uniform attention over a prefix makes counts over its length; units of slope N + 1 tell counts "
             "below 0 from others "
             "exactly; a second mean tells whether any prefix had one; at the end no kind is open.",
    .task = "shuffle-dyck",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "([)]",
    .look_params = "N=6 k=2",
};
