/* CLAIM parity: two softmax layers decide whether the number of ones is odd, three ways; what differs is the margin.
 *
 * Source: Strobl et al. 2024 (survey); Chiang, Cholak 2022, "Overcoming a theoretical limitation of self-attention"
 * (positions i/n and (-1)^i). Hahn 2020: a softmax network whose answers stay away from 1/2 by a constant cannot, at
 * a fixed Lipschitz bound.
 * Statement: for every N there are two softmax layers of one head that decide for every word over {0, 1} of at most N
 * letters, the empty word included, whether its number of ones is odd: with positions i/n and (-1)^i, weights that do
 * not depend on N and a margin of 1/(n + 1)^2 (form=tent), or 1 by a layer norm (form=norm); with positions j, j^2
 * and (-1)^j, weights that grow with N and a margin near 1/2 (form=count).
 *
 * Proof. A hidden position stands before the word, index 0; c is the number of ones and e = 1/(n + 1), n the length.
 *   1. Uniform attention gives c e and e (count: over all positions up to the last one, which reads).
 * tent:
 *   2. At position i let d = (c - i) e. relu(d - e) - 2 relu(d) + relu(d + e) is e at i = c, and 0 at all others:
 *      d is a multiple of e. There is such a position, 0..n.
 *   3. Six units, three for even i and three for odd ones, which 3 [i odd] or 3 [i even] less switches off, give
 *      it the sign (-1)^i.
 *   4. Uniform attention gives e e (-1)^c: below 0 where c is odd, and 1/(n + 1)^2 away from 0.
 * count:
 *   5. The score u (2 c j - j^2), u = e, is largest at j = c, by u >= 1/(N + 1); [j is odd] is fetched.
 * norm:
 *   6. tent, and two units that leave (v, -v) of what the last position holds, v the output of step 4. Their mean
 *      is 0 and their size that of v, so a layer norm (without epsilon) gives v/|v|: a margin of 1 at every length.
 * Bits: what counts in (2) is d, a difference of numbers up to 1 that must be right to a part of e: about log2 N. The
 * margin e^2 costs none, for a float keeps its sign however small it is; a fixed-point output would need 2 log2 N.
 * Scores in (5) are as large as n, and their gap is 1/(n + 1): about 2 log2 N, although the margin is 1/2. The larger
 * margin is the form that needs more bits.
 * Differs from the paper: the hidden position is index 0, so that words without ones need no case of their own. */
#include "../shared/claim_words.h"

enum { TENT, COUNT_FORM, NORM };
static const char *const forms[] = {"tent", "count", "norm", NULL};

static const at_param params[] = {
    CLAIM_WORD_PARAMS(8),
    {"form", "tent: positions i/n and (-1)^i; norm: the same, then a layer norm; count: j, j^2 and (-1)^j",
     TENT, NORM, TENT, true, forms},
    {"shift", "of the place of the tent, in positions", -1, 1, 0, true},
    {"gap", "of scores (count), in units of 1/(N + 1); more than 1 is not so", 0.125, 1000, 1, false},
};

static const at_mask all = {.kind = AT_MASK_NONE};

/* e times the tent, at positions where the boolean `off` is 0; 0 elsewhere. */
static at_var tent(at_program *P, at_var d, at_var e, at_var off)
{
    at_var up = at_relu(P, "tent", at_sum(P, NULL, AT_VEC(d, e, off), (double[]){1, 1, -3}, 0));
    at_var top = at_relu(P, "tent", at_sum(P, NULL, AT_VEC(d, off), (double[]){1, -3}, 0));
    at_var down = at_relu(P, "tent", at_sum(P, NULL, AT_VEC(d, e, off), (double[]){1, -1, -3}, 0));
    return at_sum(P, "tent", AT_VEC(up, top, down), (double[]){1, -2, 1}, 0);
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    claim_word w;
    at_status s = claim_word_new("parity", p, 2, &w, err);
    if (s)
        return s;
    at_program *P = w.P;
    at_var one = claim_word_is(&w, "one", (double[]){0, 1}),
           odd = at_sum(P, "odd", AT_VEC(at_position(P, "sign", AT_POS_ALTERNATE)), (double[]){-0.5}, 0.5);
    at_var mean = at_mean(P, "ones", AT_VEC(one, w.begin), AT_SOFTMAX, all), e = mean + 1; /* step 1 */
    if (at_params_int(p, "form") != COUNT_FORM) {
        at_var place = at_position(P, "place", AT_POS_I_OVER_N);
        at_var d = at_sum(P, NULL, AT_VEC(mean, place, e), (double[]){1, -1, at_params_get(p, "shift")},
                          0);                                                               /* step 2 */
        at_var even = tent(P, d, e, odd), odds = tent(P, d, e, at_not(P, odd));             /* step 3 */
        at_var sign = at_mean(P, "parity", AT_VEC(at_sub(P, odds, even)), AT_SOFTMAX, all); /* step 4 */
        if (at_params_int(p, "form") == NORM)                                               /* step 6 */
            at_emit_normed(P, sign, 1 / ((w.N + 1.) * (w.N + 1.)));
        else
            at_emit_last(P, AT_VEC(sign), AT_READ_THRESHOLD, 0);
    } else {
        at_var here = at_position(P, "j", AT_POS_I), here2 = at_position(P, "j2", AT_POS_I2);
        at_var at = at_at_count(
            P, "parity", mean, e, AT_VEC(odd), /* step 5 */
            &(at_counting){AT_SOFTMAX, all, here, here2, at_params_get(p, "gap") / (w.N + 1), 0x1p-24});
        at_emit_last(P, AT_VEC(at), AT_READ_THRESHOLD, 0.5);
    }
    *out = P;
    return AT_OK;
}

#define WORDS  400 /* of a row of f32 */
#define INPUTS 100 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double N = at_params_get(p, "N");
    bool tent_form = at_params_int(p, "form") != COUNT_FORM;
    return claim_word_row(c, p, (tent_form ? 1 : 2) * at_log2(N) + 2, INPUTS, threads, out, err);
}

static at_status f32_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_word_f32_row(c, p, WORDS, threads, out, err);
}

#define TABLE(ID, ROWS, THEORY, WHAT)                                                                        \
    {                                                                                                        \
        .id = ID,                                                                                            \
        .title = "least p from which on it holds (" CLAIM_TEXT(                                              \
            INPUTS) " words at each p), and the size, against N: " WHAT,                                     \
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS(THEORY), NULL}, .x = "N", .logx = true,          \
        .plots = (const char *const[]){"least p", NULL}, .rows = ROWS, .quick_rows = 4, .row = precision_row \
    }
static const char *const tent_rows[] = {"N=4", "N=8", "N=16", "N=32", "N=64", "N=128", "N=256", NULL};
static const char *const count_rows[] = {
    "N=4 form=count",  "N=8 form=count",   "N=16 form=count",  "N=32 form=count",
    "N=64 form=count", "N=128 form=count", "N=256 form=count", NULL};
static const char *const norm_rows[] = {"N=4 form=norm",  "N=8 form=norm",  "N=16 form=norm",
                                        "N=32 form=norm", "N=64 form=norm", NULL};
static const at_claim_table tables[] = {
    TABLE("precision-tent", tent_rows, "log2 N + 2", "positions i/n and (-1)^i"),
    TABLE("precision-count", count_rows, "2 log2 N + 2", "the count look-up"),
    TABLE("precision-norm", norm_rows, "log2 N + 2", "positions i/n and (-1)^i, and a layer norm"),
    CLAIM_WORD_F32("the count look-up", WORDS, "N=128 form=count", "N=256 form=count", "N=512 form=count",
                   "N=1024 form=count", "N=2048 form=count"),
};

static const at_cell cells[] = {
    {"N=0..16 most=16", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..13 most=13"},
    {"N=0..16 most=16 form=count", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..13 most=13 form=count"},
    {"N=0..16 most=16 form=norm", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..13 most=13 form=norm"},
    {"N=0..12 most=12 form=norm", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK,
     "N=0..9 most=9 form=norm"},
    {"N=1000 form=norm", NULL, AT_EV_SAMPLED, 0, "f64", 400, AT_TIER_QUICK, NULL},
    {"N=0..12 most=12", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, "N=0..9 most=9"},
    {"N=0..12 most=12 form=count", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK,
     "N=0..9 most=9 form=count"},
    {"N=0..12 most=1000", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..9 most=1000"},
    {"N=0..12 most=1000 form=count", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..9 most=1000 form=count"},
    {"N=0..12 most=1000 form=norm", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..9 most=1000 form=norm"},
    {"N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 400, AT_TIER_QUICK, NULL},
    {"N=1000 form=count", NULL, AT_EV_SAMPLED, 0, "f64", 400, AT_TIER_QUICK, NULL},
    {"N=1..8 most=8", "shift=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=1..8 most=8 form=norm", "shift=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8 form=count", "gap=100", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..8 most=8 form=count", "arith=p4", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_parity = {
    .id = "parity",
    .title = "Two softmax layers decide parity, at a margin of 1/(n + 1)^2, of 1/2, or of 1 by a layer norm",
    .source = "Strobl et al. 2024, after Chiang and Cholak 2022",
    .group = "Languages",
    .statement =
        "For every N two softmax layers of one head decide for every word over {0, 1} of at most N letters, "
        "the empty word included, whether its number of ones is odd: with positions i/n and (-1)^i at a "
        "margin of 1/(n + 1)^2, or of 1 after a layer norm; or with positions j, j^2 and (-1)^j by a "
        "look-up at a margin of 1/2.",
    .proof = "A mean counts the ones. A tent of six units is not 0 at the position that the count names "
             "only, with "
             "the sign of that position, and a second mean shows it; a layer norm of (v, -v) makes it v/|v|. "
             "Or the "
             "second head finds that position by the score u (2 c j - j^2) and fetches whether it is odd.",
    .task = "parity",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "01101",
    .look_params = "N=6",
};
