/* CLAIM parity: two softmax layers decide whether the number of ones is odd, two ways; what differs is the margin.
 *
 * Source: Strobl et al. 2024 (survey); Chiang, Cholak 2022, "Overcoming a theoretical limitation of self-attention" (positions i/n and
 * (-1)^i). Hahn 2020: a softmax network whose answers stay away from 1/2 by a constant cannot, at a fixed Lipschitz bound.
 * Statement: for every N there are two softmax layers of one head that decide for every word over {0, 1} of at most N letters, the empty
 * word included, whether its number of ones is odd: with positions i/n and (-1)^i, weights that do not depend on N and a margin of
 * 1/(n + 1)^2 (form=tent); with positions j, j^2 and (-1)^j, weights that grow with N and a margin near 1/2 (form=count).
 *
 * Proof. A hidden position stands before the word, index 0; c is the number of ones and e = 1/(n + 1), n the length.
 *   1. Uniform attention gives c e and e (count: over all positions up to the last one, which reads).
 * tent:
 *   2. At position i let d = (c - i) e. relu(d - e) - 2 relu(d) + relu(d + e) is e at i = c, and 0 at all others: d is a multiple of e.
 *      There is such a position, 0..n.
 *   3. Six units, three for even i and three for odd ones, which 3 [i odd] or 3 [i even] less switches off, give it the sign (-1)^i.
 *   4. Uniform attention gives e e (-1)^c: below 0 where c is odd, and 1/(n + 1)^2 away from 0.
 * count:
 *   5. The score u (2 c j - j^2), u = e, is largest at j = c, by u >= 1/(N + 1); [j is odd] is fetched.
 * Bits: (4) is e^2 as a sum over numbers of size up to 1, rounded: about 2 log2 N. (5) needs c u right to within u/2 j.
 * Differs from the paper: the hidden position is index 0, so that words without ones need no case of their own. */
#include "../shared/claim_words.h"

enum { TENT, COUNT_FORM };
static const char *const forms[] = {"tent", "count", NULL};

static const at_param params[] = {
    CLAIM_WORD_PARAMS(8),
    {"form", "tent: positions i/n and (-1)^i; count: positions j, j^2 and (-1)^j", TENT, COUNT_FORM, TENT, true, forms},
    {"wide", "half the width of the tent, in units of 1/(n + 1)", 0.125, 8, 1, false},
    {"gap", "of scores (count), in units of 1/(N + 1); more than 1 is not so", 0.125, 1000, 1, false},
};

static const at_mask all = {.kind = AT_MASK_NONE};

/* e times the tent, at positions where the boolean `off` is 0; 0 elsewhere. */
static at_var tent(at_program *P, at_var d, at_var e, at_var off, double wide)
{
    at_var up = at_relu(P, "tent", at_sum(P, NULL, AT_VEC(d, e, off), (double[]){1, wide, -3 * wide}, 0));
    at_var top = at_relu(P, "tent", at_sum(P, NULL, AT_VEC(d, off), (double[]){1, -3 * wide}, 0));
    at_var down = at_relu(P, "tent", at_sum(P, NULL, AT_VEC(d, e, off), (double[]){1, -wide, -3 * wide}, 0));
    return at_sum(P, "tent", AT_VEC(up, top, down), (double[]){1, -2, 1}, 0);
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    claim_word w;
    at_status s = claim_word_new("parity", p, 2, &w, err);
    if (s)
        return s;
    at_program *P = w.P;
    at_var one = claim_word_is(&w, "one", (double[]){0, 1}), odd =
        at_sum(P, "odd", AT_VEC(at_position(P, "sign", AT_POS_ALTERNATE)), (double[]){-0.5}, 0.5);
    at_var mean = at_mean(P, "ones", AT_VEC(one, w.begin), AT_SOFTMAX, all), e = mean + 1; /* step 1 */
    if (at_params_int(p, "form") == TENT) {
        double wide = at_params_get(p, "wide");
        at_var d = at_sub(P, mean, at_position(P, "place", AT_POS_I_OVER_N)); /* step 2 */
        at_var even = tent(P, d, e, odd, wide), odds = tent(P, d, e, at_not(P, odd), wide);
        at_var sign = at_mean(P, "parity", AT_VEC(at_sub(P, odds, even)), AT_SOFTMAX, all); /* step 4 */
        at_emit_last(P, AT_VEC(sign), AT_READ_THRESHOLD, 0);
    } else {
        at_var here = at_position(P, "j", AT_POS_I), here2 = at_position(P, "j2", AT_POS_I2);
        at_var at = at_at_count(P, "parity", mean, e, AT_VEC(odd), /* step 5 */
                                &(at_counting){AT_SOFTMAX, all, here, here2, at_params_get(p, "gap") / (w.N + 1), 0x1p-24});
        at_emit_last(P, AT_VEC(at), AT_READ_THRESHOLD, 0.5);
    }
    *out = P;
    return AT_OK;
}

#define INPUTS 100 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double N = at_params_get(p, "N");
    return claim_word_row(c, p, 2 * at_log2(N + 1), INPUTS, threads, out, err);
}

#define TABLE(ID, ROWS, WHAT)                                                                                \
    {                                                                                                        \
        .id = ID,                                                                                            \
        .title = "least p from which on it holds (" CLAIM_TEXT(INPUTS) " words at each p), and the size, against N: " WHAT, \
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS("2 log2(N + 1)"), NULL}, .x = "N", .logx = true, \
        .plots = (const char *const[]){"least p", NULL}, .rows = ROWS, .quick_rows = 4, .row = precision_row \
    }
static const char *const tent_rows[] = {"N=4", "N=8", "N=16", "N=32", "N=64", "N=128", "N=256", NULL};
static const char *const count_rows[] = {"N=4 form=count",  "N=8 form=count",   "N=16 form=count", "N=32 form=count",
                                         "N=64 form=count", "N=128 form=count", "N=256 form=count", NULL};
static const at_claim_table tables[] = {
    TABLE("precision-tent", tent_rows, "positions i/n and (-1)^i"),
    TABLE("precision-count", count_rows, "the count look-up"),
};

static const at_cell cells[] = {
    {"N=0..16 most=16", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..13 most=13"},
    {"N=0..16 most=16 form=count", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..13 most=13 form=count"},
    {"N=0..12 most=12", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, "N=0..9 most=9"},
    {"N=0..12 most=12 form=count", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, "N=0..9 most=9 form=count"},
    {"N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 400, AT_TIER_QUICK, NULL},
    {"N=1000 form=count", NULL, AT_EV_SAMPLED, 0, "f64", 400, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8", "wide=2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8 form=count", "gap=100", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8", "arith=p4", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8 form=count", "arith=p4", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_parity = {
    .id = "parity",
    .title = "Two softmax layers decide parity, at a margin of 1/(n + 1)^2 or of 1/2",
    .source = "Strobl et al. 2024, after Chiang and Cholak 2022",
    .statement = "For every N two softmax layers of one head decide for every word over {0, 1} of at most N letters, the empty word "
                 "included, whether its number of ones is odd: with positions i/n and (-1)^i at a margin of 1/(n + 1)^2, or with "
                 "positions j, j^2 and (-1)^j by a look-up at a margin of 1/2.",
    .proof = "A mean counts the ones. A tent of six units is not 0 at the position that the count names only, with the sign of that "
             "position, and a second mean shows it; or the second head finds that position by the score u (2 c j - j^2) and "
             "fetches whether it is odd.",
    .task = "parity",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "01101",
    .look_params = "N=6",
};
