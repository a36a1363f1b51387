/* CLAIM parity-tree: L layers of H unique-hard heads that look where positions say decide parity to length (H + 1)^L,
 * and no further.
 *
 * Source: Hahn 2020, "Theoretical limitations of self-attention in neural sequence models": unique-hard attention
 * decides no parity of long words; this is the construction that goes as far as positions reach. Strobl et al. 2024
 * (survey).
 * Statement: for all H and L there are L layers of H leftmost-hard heads, with positions j and j^2, that decide for
 * every word over {0, 1} of at most (H + 1)^L letters, the empty word included, whether its number of ones is odd. Of
 * longer words the first letters are not seen.
 *
 * Proof. A hidden position stands before the word, index 0.
 *   1. Before layer l position i holds the parity of the last B = (H + 1)^(l-1) letters up to i, which are those
 *      at i - B + 1..i; there is nothing before position 1, and position 0 holds 0.
 *   2. Head m looks at position t = i - m B, m = 1..H, by the score 2 t j - j^2 = t^2 - (j - t)^2, largest at t,
 *      by 1; where t < 0 it is largest at 0, by more. The scores are integers.
 *   3. The sum of the H + 1 bits, mod 2, is the parity of the last (H + 1) B letters: one table of H + 2 integers.
 * A word of (H + 1)^L + 1 letters has a first letter that nobody has seen: flipping it changes the answer and nothing
 * else. */
#include "../shared/claim_words.h"

#include <math.h>
#include <stdio.h>

enum { HEADS = 8 };

static const at_param params[] = {
    CLAIM_WORD_PARAMS(9),
    {"H", "heads", 1, HEADS, 2, true},
    {"L", "layers", 1, 12, 2, true},
};

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    int H = at_params_int(p, "H"), L = at_params_int(p, "L");
    claim_word w;
    at_status s = claim_word_new("parity-tree", p, 2, &w, err);
    if (s)
        return s;
    at_program *P = w.P;
    at_var here = at_position(P, "j", AT_POS_I), here2 = at_position(P, "j2", AT_POS_I2);
    at_var bit = claim_word_is(&w, "one", (double[]){0, 1}), bits[HEADS + 1];
    double mod2[HEADS + 2], B = 1;
    for (int k = 0; k < HEADS + 2; k++)
        mod2[k] = k % 2;
    for (int l = 1; l <= L; l++, B *= H + 1) {
        char name[32];
        bits[0] = bit;
        for (int m = 1; m <= H; m++) { /* step 2 */
            double back = fmin(m * B, w.N);
            snprintf(name, sizeof name, "look%d_%d", l, m);
            at_var target = at_sum(P, NULL, AT_VEC(here), (double[]){2}, -2 * back);
            bits[m] = at_attend(P, name,
                                &(at_attention){.query = AT_VEC(target, at_const(P, -1)),
                                                .key = AT_VEC(here, here2),
                                                .value = AT_VEC(bit),
                                                .weighting = AT_LEFTMOST_HARD,
                                                .mask = {.kind = AT_MASK_CAUSAL},
                                                .gap = 1,
                                                .unique = true,
                                                .most = 1});
        }
        snprintf(name, sizeof name, "parity%d", l);
        bit = at_table(P, name, at_sum(P, NULL, (at_vec){H + 1, bits}, NULL, 0), mod2); /* step 3 */
    }
    at_emit_last(P, AT_VEC(bit), AT_READ_THRESHOLD, 0.5);
    *out = P;
    return AT_OK;
}

/* ---- how far it goes ------------------------------------------------------------------------------------------- */

#define FAR 18 /* lengths are asked up to here */

/* The first length of which some word is answered wrongly, all words asked; NAN: none to FAR. */
static at_status reach_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    at_model m;
    at_params q = *p;
    at_check_env env = {.threads = threads};
    at_cell cell = {.evidence = AT_EV_EXACT, .how = AT_ENUM_SEQUENCES, .arith = "f64"};
    at_status s = at_params_set(&q, "most", FAR, err);
    if (!s)
        s = at_claim_model(c, &q, &m, err);
    if (s)
        return s;
    double H = at_params_get(p, "H"), L = at_params_get(p, "L"), first = NAN;
    for (int n = 0; n <= FAR && isnan(first) && !s; n++) {
        at_arena a;
        at_verdict v;
        at_arena_init(&a);
        s = at_params_set(&q, "N", n, err);
        if (!s)
            s = at_claim_check(c, &cell, &q, &m, 0, 1, &env, &a, &v, err);
        if (!s && v.holds != AT_TRUE)
            first = n;
        at_arena_release(&a);
    }
    at_model_release(&m);
    out[0] = H;
    out[1] = L;
    out[2] = first;
    out[3] = 1;
    for (int l = 0; l < (int)L; l++)
        out[3] *= H + 1;
    out[3] += 1;
    return s;
}

#define INPUTS 20 /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_word_row(c, p, 2 * at_log2(at_params_get(p, "N") + 1), INPUTS, threads, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "reach",
        .title = "the first length of which a word is wrong, all words to length " CLAIM_TEXT(
            FAR) " asked, beside (H + 1)^L + 1",
        .columns = (const char *const[]){"H", "L", "first wrong", "(H + 1)^L + 1", NULL},
        .rows = (const char *const[]){"H=1 L=1", "H=1 L=2", "H=2 L=1", "H=3 L=1", "H=1 L=3", "H=2 L=2",
                                      "H=3 L=2", "H=1 L=4", NULL},
        .quick_rows = 6,
        .row = reach_row,
    },
    {
        .id = "precision",
        .title = "least p from which on it holds (" CLAIM_TEXT(
            INPUTS) " words at each p) beside log2 of the largest j^2, and the size: L = log2 N layers of "
                    "one head",
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS("2 log2(N+1)"), NULL},
        .x = "N",
        .logx = true,
        .plots = (const char *const[]){"least p", NULL},
        .rows = (const char *const[]){"H=1 L=2 N=4", "H=1 L=3 N=8", "H=1 L=4 N=16", "H=1 L=5 N=32",
                                      "H=1 L=6 N=64", "H=1 L=7 N=128", NULL},
        .quick_rows = 3,
        .row = precision_row,
    },
    CLAIM_F32("positions j^2 take 2 log2 N bits, and f32 has 24", "H=1 L=5 N=32", "H=1 L=7 N=128",
              "H=1 L=9 N=512", "H=1 L=11 N=2048")};

static const at_cell cells[] = {
    {"N=0..9 most=9", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..16 most=16 H=1 L=4", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..13 most=13 H=1 L=4"},
    {"N=0..16 most=16 H=3 L=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..13 most=13 H=3 L=2"},
    {"N=0..9 most=9", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},
    {"N=0..9 most=9", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p8", 0, AT_TIER_QUICK, NULL},
    {"N=0..10 most=100 H=4 L=3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..7 most=100 H=4 L=3"},
    {"N=100 H=4 L=3", NULL, AT_EV_SAMPLED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"N=1000 H=1 L=10", NULL, AT_EV_SAMPLED, 0, "f64", 4, AT_TIER_FULL, NULL},
    {"N=9", "N=10", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 H=1 L=4", "L=3", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_parity_tree = {
    .id = "parity-tree",
    .title = "L layers of H unique-hard heads by position decide parity to length (H + 1)^L, and no further",
    .source = "Strobl et al. 2024, after Hahn 2020",
    .group = "Languages",
    .statement = "For all H and L, L layers of H leftmost-hard heads with positions j and j^2 decide for "
                 "every word over {0, 1} of at "
                 "most (H + 1)^L letters, the empty word included, whether its number of ones is odd; of "
                 "longer words they do not see "
                 "the first letters.",
    .proof = "Before layer l a position holds the parity of the last (H + 1)^(l-1) letters; H heads fetch "
             "the parities of the H blocks "
             "before these, by the score 2 t j - j^2, and the sum mod 2 is that of all.",
    .task = "parity",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "01101",
    .look_params = "N=6",
};
