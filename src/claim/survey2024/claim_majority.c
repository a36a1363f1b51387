/* CLAIM majority: one head that attends to all letters alike decides whether more than half of them are ones.
 *
 * Source: Strobl, Merrill, Weiss, Chiang, Angluin 2024, "What formal languages can transformers express? A survey"
 * (its first row; Pérez, Marinkovic, Barceló 2019).
 * Statement: one head, softmax or average-hard, without positions, mask and MLP, answers for every word over {0, 1},
 * the empty word included, whether it has more ones than zeros.
 *
 * Proof, of a word of length n:
 *   1. A one is 1, a zero is -1, and a hidden position behind the word is -1/2.
 *   2. All scores are 0, so the head averages over n + 1 positions: (#1 - #0 - 1/2)/(n + 1).
 *   3. #1 - #0 is an integer, so the sign is that of #1 - #0 where this is not 0, and no where it is; the value is
 *      at least 1/(2(n + 1)) away from 0.
 * A sum that is rounded once, at the end, keeps its sign: p = 2 bits are enough at every length (docs/arithmetic.md).
 * Differs from the paper: the 1/2, without which words with as many ones as zeros give 0, on which a sign says
 * nothing. */
#include "../shared/claim_words.h"

static const char *const weightings[] = {"softmax", "average-hard", "leftmost-hard", NULL};
static const at_weighting weighting_of[] = {AT_SOFTMAX, AT_AVERAGE_HARD, AT_LEFTMOST_HARD};

static const at_param params[] = {
    CLAIM_WORD_PARAMS(8),
    {"weighting", "how weights come from equal scores", 0, 2, 0, true, weightings},
    {"end", "value of the hidden position", -8, 8, -0.5, false},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    at_program *P = at_program_new("majority", claim_word_longest(p));
    if (!P)
        return at_oom(err);
    at_suffix(P, 1);
    at_program_lengths(P, 0);
    at_var sign = at_lookup(P, "sign", at_token(P, "letter", 2), (double[]){-1, 1}); /* step 1 */
    at_hidden_suffix(P, sign, 0, at_params_get(p, "end"));
    at_var mean = at_mean(P, "mean", AT_VEC(sign), weighting_of[at_params_int(p, "weighting")],
                          (at_mask){.kind = AT_MASK_NONE}); /* step 2 */
    at_emit_last(P, AT_VEC(mean), AT_READ_THRESHOLD, 0);    /* step 3 */
    *out = P;
    return AT_OK;
}

#define INPUTS 200 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_word_row(c, p, at_log2(at_params_get(p, "N") + 1) + 1, INPUTS, threads, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "precision",
        .title = "least p from which on it holds (" CLAIM_TEXT(
            INPUTS) " words at each p: sums at p bits are rounded once, "
                    "which keeps a sign), and the size, against N",
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS("log2 1/margin"), NULL},
        .x = "N",
        .logx = true,
        .plots = (const char *const[]){"least p", NULL},
        .rows = (const char *const[]){"N=4", "N=8", "N=16", "N=32", "N=64", "N=128", "N=256", "N=512", NULL},
        .quick_rows = 4,
        .row = precision_row,
    },
    CLAIM_F32("each sum is rounded once, and a margin of 1/(2(N + 1)) is seen with log2(N + 1) + 1 bits, of "
              "which f32 has 24",
              "N=64", "N=256", "N=1024", "N=4096")};

static const at_cell cells[] = {
    {"N=0..16 most=16", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..13 most=13"},
    {"N=0..16 most=16 weighting=average-hard", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..13 most=13 weighting=average-hard"},
    {"N=0..12 most=12", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, "N=0..9 most=9"},
    {"N=0..9 most=9", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p2", 0, AT_TIER_QUICK, NULL},
    {"N=0..12 most=1000", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..9 most=1000"},
    {"N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
    {"N=1000", NULL, AT_EV_SAMPLED, 0, "f32", 2000, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8", "end=-1.5", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8", "weighting=leftmost-hard", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
};

const at_claim claim_majority = {
    .id = "majority",
    .title = "One head that attends to all letters alike decides majority",
    .source = "Strobl et al. 2024, after Pérez et al. 2019",
    .group = "Languages",
    .statement = "One head, softmax or average-hard, without positions, mask and MLP, decides for every word "
                 "over {0, 1}, the "
                 "empty word included, whether it has more ones than zeros.",
    .proof = "All scores are equal, so the head averages +1 for ones, -1 for zeros and -1/2 for a hidden "
             "end: (#1 - #0 - "
             "1/2)/(n + 1), whose sign decides, at least 1/(2(n + 1)) away from 0.",
    .task = "majority",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "01101",
    .look_params = "N=6",
};
