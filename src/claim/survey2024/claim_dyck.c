/* CLAIM dyck: k kinds of brackets, closed in the order of a stack: by softmax; by softmax and leftmost-hard attention
 * in one network; and to depth D by unique-hard attention without positions.
 *
 * Source: Strobl et al. 2024 (survey); Yao, Peng, Papadimitriou, Narasimhan 2021, "Self-attention networks can
 * process bounded hierarchical languages", whose Dyck-k network has softmax and leftmost-hard heads and positions
 * i/n, i/n^3 and n.
 * Statement: for all k and N there are four causal layers of one head, with positions j and j^2, that decide for
 * every word of at most N brackets of k kinds, the empty word included, whether it is balanced: all softmax
 * (form=softmax), or two of them softmax and two leftmost-hard (form=leftmost). For all k and D there are D + 1
 * layers of at most two heads, unique-hard, without positions, that decide whether a word of any length is balanced
 * at depth at most D (form=depth).
 *
 * Proof of the first two. A hidden position stands before the word, index 0; u = 1/(j + 1) at letter j.
 *   1. Uniform attention gives d u and u, d the number of open brackets after letter j. below = [d < 0], exactly
 *      (shuffle-dyck, step 2).
 *   2. The integer d itself stands at position d: score u (2 d j - j^2), largest at j = d, by u. Fetched: j and
 *      j^2. Where d < 0 it is position 0, and below tells.
 *   3. A closing bracket at i closes the last opening bracket before i after which d_i + 1 are open, in words
 *      whose prefixes are all fine. Its score is s = (N + 2)(2 (d_i + 1) d_j - d_j^2 - 2 [j opens nothing]) + j,
 *      under the strict mask: of opening brackets at that depth the last one is largest; all others are lower by (N +
 *      2) or more, but for at most N of j. All scores are integers, and no two are equal, since j differs by less
 *      than N + 2: the gap is 1. Fetched: the kinds that it opens, as booleans.
 *   4. bad = below, or it closes a kind that the fetched one did not open. Before the first bad letter all
 *      prefixes are fine, so the first bad letter is bad indeed, and if there is none every bracket closes the right
 *      one.
 *   5. The mean of bad is c u, c the number of bad letters so far; accepted at the last position where c = 0 and d < 1.
 * Why not one layer less: the ratio match -|d_i - d_j| u_i u_j + recency finds partners without step 2, but its gap
 * is 1/(3N^3) in numbers that are rounded before (docs/errata.md); integers have a gap of 1.
 *
 * Proof of the third.
 *   6. All brackets live at first. Round r: an opening bracket looks at the first living bracket behind it, a
 *      closing one at the last living one before it; the two die together where they are of one kind and look at each
 *      other.
 *   7. A bracket is looked at by its partner exactly when nothing between them lives. So in a balanced word the
 *      innermost pairs die in each round, depth falls by one, and after D rounds nothing lives iff the depth was at
 *      most D. In any other word, at any time, what lives is the word without balanced pieces, and that is never
 *      nothing.
 *   8. A hidden position behind the word, which never lives, asks whether anybody does. All scores and values are
 *      0 or 1: nothing is rounded.
 * Differs from the paper: positions j and j^2 instead of i/n, i/n^3 and n. */
#include "../shared/claim_words.h"

#include <stdio.h>

enum { KINDS = 8 };
enum { SOFTMAX, LEFTMOST, DEPTH };
static const char *const forms[] = {"softmax", "leftmost", "depth", NULL};

static const at_param params[] = {
    CLAIM_WORD_PARAMS(8),
    {"k", "kinds of brackets", 1, KINDS, 2, true},
    {"form", "softmax: all heads; leftmost: those that find; depth: unique-hard, to depth D", SOFTMAX, DEPTH,
     SOFTMAX, true, forms},
    {"D", "greatest depth (form=depth); 0: any", 0, 64, 0, true},
    {"fewer", "rounds fewer than D", 0, 8, 0, true},
    {"late", "how much a later opening bracket is preferred", -1, 1, 1, true},
};

/* Booleans for each kind: this letter opens it (closes = 0), or closes it. */
static void letters_of(const claim_word *w, int k, int closes, at_var *out)
{
    for (int t = 0; t < k; t++) {
        double is[2 * KINDS] = {0};
        is[2 * t + closes] = 1;
        out[t] = claim_word_is(w, closes ? "closes" : "opens", is);
    }
}

static at_var sum_of(at_program *P, const char *name, int k, const at_var *v)
{
    return at_known(P, name, at_sum(P, name, (at_vec){k, v}, NULL, 0), 0, 1, true,
                    -1); /* a letter is one of them */
}

/* ---- steps 1 to 5 ---------------------------------------------------------------------------------------------- */

static at_status stack_program(const at_params *p, at_program **out, at_err *err)
{
    static const at_mask past = {.kind = AT_MASK_CAUSAL}, before = {.kind = AT_MASK_STRICT};
    int k = at_params_int(p, "k");
    at_weighting finds = at_params_int(p, "form") == LEFTMOST ? AT_LEFTMOST_HARD : AT_SOFTMAX;
    claim_word w;
    at_status s = claim_word_new("dyck", p, 2 * k, &w, err);
    if (s)
        return s;
    at_program *P = w.P;
    double far = w.N + 2;
    at_var opens[KINDS], closes[KINDS], here = at_position(P, "j", AT_POS_I),
                                        here2 = at_position(P, "j2", AT_POS_I2);
    letters_of(&w, k, 0, opens);
    letters_of(&w, k, 1, closes);
    at_var open = sum_of(P, "open", k, opens), close = sum_of(P, "close", k, closes);
    at_var mean = at_mean(P, "depth", AT_VEC(at_sub(P, open, close), w.begin), AT_SOFTMAX, past),
           u = mean + 1; /* step 1 */
    at_var below = at_not(P, claim_at_least(&w, "above", mean, u, 0, 1));
    at_var level = at_at_count(P, "level", mean, u, AT_VEC(here, here2), /* step 2 */
                               &(at_counting){finds, past, here, here2, 0, 1 / (64 * far * far)});
    at_var wanted = at_sum(P, NULL, AT_VEC(level), (double[]){2 * far}, 2 * far);
    at_var other = at_sum(P, NULL, AT_VEC(level + 1, open, here),
                          (double[]){-far, 2 * far, at_params_get(p, "late")}, -2 * far);
    at_var opened = at_attend(P, "opened", /* step 3 */
                              &(at_attention){.query = AT_VEC(wanted, at_const(P, 1)),
                                              .key = AT_VEC(level, other),
                                              .value = {k, opens},
                                              .weighting = finds,
                                              .mask = before,
                                              .gap = 1,
                                              .unique = true,
                                              .most = 1});
    at_var wrong[KINDS + 1];
    for (int t = 0; t < k; t++) /* step 4 */
        wrong[t] = at_relu(P, "wrong", at_sub(P, closes[t], opened + t));
    wrong[k] = below;
    at_var bad = at_any(P, "bad", (at_vec){k + 1, wrong});
    at_var bads = at_mean(P, "bads", AT_VEC(bad), AT_SOFTMAX, past); /* step 5 */
    at_var no[] = {at_not(P, claim_at_least(&w, "ever", bads, u, 1, 1)),
                   at_not(P, claim_at_least(&w, "left", mean, u, 1, 1))};
    at_emit_last(P, AT_VEC(at_all(P, "balanced", (at_vec){2, no})), AT_READ_THRESHOLD, 0.5);
    *out = P;
    return AT_OK;
}

/* ---- steps 6 to 8 ---------------------------------------------------------------------------------------------- */

/* The nearest living letter on one side: for each kind, is it one of `who`? */
static at_var nearest(at_program *P, int round, bool back, at_var live, int k, const at_var *who)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d", back ? "last" : "next", round);
    return at_attend(P, name,
                     &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                     .key = AT_VEC(live),
                                     .value = {k, who},
                                     .weighting = back ? AT_RIGHTMOST_HARD : AT_LEFTMOST_HARD,
                                     .mask = {.kind = back ? AT_MASK_STRICT : AT_MASK_STRICT_FUTURE},
                                     .gap = 1});
}

static at_status depth_program(const at_params *p, at_program **out, at_err *err)
{
    int k = at_params_int(p, "k"), D = at_params_int(p, "D"), rounds = D - at_params_int(p, "fewer");
    if (rounds < 1)
        return at_fail(err, AT_EDOMAIN, "form=depth takes D - fewer of at least 1, not %d", rounds);
    claim_word w = {.N = claim_word_longest(p), .P = at_program_new("dyck-depth", claim_word_longest(p))};
    if (!w.P)
        return at_oom(err);
    at_program *P = w.P;
    at_var opens[KINDS], closes[KINDS];
    at_suffix(P, 1);
    at_program_lengths(P, 0);
    w.letter = at_token(P, "letter", 2 * k);
    letters_of(&w, k, 0, opens);
    letters_of(&w, k, 1, closes);
    for (int r = 1; r <= rounds; r++) { /* step 6: of a kind, 1 where it lives */
        at_var live = at_known(
            P, "live", at_add(P, sum_of(P, "live", k, opens), sum_of(P, "live", k, closes)), 0, 1, true, -1);
        at_var next = nearest(P, r, false, live, k, closes), last = nearest(P, r, true, live, k, opens);
        for (int t = 0; t < k; t++) {
            opens[t] = at_relu(P, "opens", at_sub(P, opens[t], next + t));
            closes[t] = at_relu(P, "closes", at_sub(P, closes[t], last + t));
        }
    }
    at_var live = at_known(P, "live", at_add(P, sum_of(P, "live", k, opens), sum_of(P, "live", k, closes)), 0,
                           1, true, -1);
    at_var any = at_attend(P, "any", /* step 8 */
                           &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                           .key = AT_VEC(live),
                                           .value = AT_VEC(live),
                                           .weighting = AT_LEFTMOST_HARD,
                                           .gap = 1,
                                           .unique = true});
    at_emit_last(P, AT_VEC(at_not(P, any)), AT_READ_THRESHOLD, 0.5);
    *out = P;
    return AT_OK;
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    bool depth = at_params_int(p, "form") == DEPTH;
    if (!depth && at_params_int(p, "D"))
        return at_fail(err, AT_EDOMAIN, "D=%d: the depth is bounded by form=depth alone",
                       at_params_int(p, "D"));
    return (depth ? depth_program : stack_program)(p, out, err);
}

#define WORDS  200 /* of a row of f32 */
#define INPUTS 60  /* at each p */

static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double bits = 3 * at_log2(at_params_get(p, "N"));
    return claim_word_row(c, p, at_params_int(p, "form") == DEPTH ? 2 : bits, INPUTS, threads, out, err);
}

static at_status f32_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    return claim_word_f32_row(c, p, WORDS, threads, out, err);
}

#define TABLE(ID, ROWS, WHAT, QUICK)                                                                         \
    {                                                                                                        \
        .id = ID,                                                                                            \
        .title = "least p from which on it holds (" CLAIM_TEXT(                                              \
            INPUTS) " words at each p), and the size, against N: " WHAT,                                     \
        .columns = (const char *const[]){CLAIM_WORD_COLUMNS("3 log2 N"), NULL}, .x = "N", .logx = true,      \
        .plots = (const char *const[]){"least p", NULL}, .rows = ROWS, .quick_rows = QUICK,                  \
        .row = precision_row                                                                                 \
    }
static const char *const softmax_rows[] = {"N=4", "N=8", "N=16", "N=32", "N=64", "N=128", NULL};
static const char *const leftmost_rows[] = {"N=4 form=leftmost", "N=8 form=leftmost", "N=16 form=leftmost",
                                            "N=32 form=leftmost", NULL};
static const at_claim_table tables[] = {
    TABLE("precision-softmax", softmax_rows, "all softmax, k = 2", 4),
    TABLE("precision-leftmost", leftmost_rows, "softmax and leftmost-hard, k = 2", 3),
    CLAIM_WORD_F32("all softmax, k = 2", WORDS, "N=32", "N=64", "N=128", "N=256", "N=512", "N=1024"),
};

static const at_cell cells[] = {
    {"N=0..16 most=16 k=1", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..12 most=12 k=1"},
    {"N=0..8 most=8 k=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, "N=0..6 most=6 k=2"},
    {"N=0..16 most=16 k=1 form=leftmost", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..12 most=12 k=1 form=leftmost"},
    {"N=0..8 most=8 k=2 form=leftmost", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..6 most=6 k=2 form=leftmost"},
    {"N=0..16 most=16 k=1 form=depth D=3", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..12 most=12 k=1 form=depth D=3"},
    {"N=0..8 most=8 k=2 form=depth D=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..6 most=6 k=2 form=depth D=2"},
    {"N=0..10 most=10 k=1", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK,
     "N=0..8 most=8 k=1"},
    {"N=0..10 most=10 k=1 form=leftmost", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK,
     "N=0..8 most=8 k=1 form=leftmost"},
    {"N=0..8 most=8 k=1 form=depth D=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "p2", 0, AT_TIER_QUICK, NULL},
    {"N=0..6 most=1000 k=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..4 most=1000 k=2"},
    {"N=0..6 most=100 k=2 form=leftmost", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "N=0..4 most=100 k=2 form=leftmost"},
    {"N=40 k=3", NULL, AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
    {"N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"N=100 form=leftmost", NULL, AT_EV_SAMPLED, 0, "f64", 200, AT_TIER_QUICK, NULL},
    {"N=100 form=depth D=4", NULL, AT_EV_SAMPLED, 0, "f32", 200, AT_TIER_QUICK, NULL},
    {"N=1000 form=leftmost", NULL, AT_EV_SAMPLED, 0, "f64", 4, AT_TIER_FULL, NULL},
    {"N=1000 form=depth D=4", NULL, AT_EV_SAMPLED, 0, "f32", 4, AT_TIER_FULL, NULL},
    {"N=0..6 most=6 k=2", "late=0", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=0..6 most=6 k=2 form=leftmost", "late=-1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"N=0..8 most=8 k=1 form=depth D=3", "fewer=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     NULL},
    {"N=0..8 most=8 k=1", "arith=p4", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_dyck = {
    .id = "dyck",
    .title =
        "Balanced brackets of k kinds: softmax, softmax and leftmost-hard, and to depth D by unique-hard",
    .source = "Strobl et al. 2024, after Yao et al. 2021",
    .group = "Languages",
    .statement = "For all k and N four causal layers of one head decide for every word of at most N brackets "
                 "of k kinds, the empty word "
                 "included, whether it is balanced: all softmax, or two of them leftmost-hard. For all k and "
                 "D, D + 1 layers of two "
                 "unique-hard heads without positions decide whether it is balanced at depth at most D.",
    .proof = "A mean over the prefix counts open brackets, a look-up by that count makes the integer, and a "
             "closing bracket finds the "
             "last opening one at its depth by a score of integers; a mean over what is wrong decides. To "
             "depth D: neighbours that "
             "open and close die together, round by round.",
    .task = "dyck",
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "([]())",
    .look_params = "N=6 k=2",
};
