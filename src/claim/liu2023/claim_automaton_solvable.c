/* CLAIM automaton-solvable: automata of permutations and resets whose group is solvable, at constant depth.
 *
 * Source: Liu, Ash, Goel, Krishnamurthy, Zhang 2023 ("Transformers learn shortcuts to automata"), theorem 2.
 * Statement: let every letter permute the states or take all of them to one, and let the group of the permutations be
 * solvable. Then a model whose layers depend on the group alone, two a step of its derived series and one for resets, decides
 * all words of at most N letters.
 *
 * Proof: src/front/compile_solvable.c has it beside the weights. The product of the letters up to i is a row of exponents, one
 * for each cyclic factor of the group; what a letter adds to one of them is a function of the letter and of those above it, so
 * each is a sum of counts modulo the factor's order.
 * Controls: what a letter adds does not depend on the exponents above it (nothing is conjugated); the order of the first factor
 * is off by one; resets are not read.
 * Differs from the paper: its theorem takes any automaton whose groups are solvable, by Krohn and Rhodes, in O(|Q|^2 log |Q|)
 * layers; here resets stand beside one group, and layers are as few as its derived series lets them be. */
#include "../shared/claim_regular.h"

#include <string.h>

static const char *const heads[] = {"softmax", "average-hard", NULL};
static const char *const breaks[] = {"nothing", "conjugation", "order", "resets", NULL};

static const at_param params[] = {
    {"language", "which language", 0, CLAIM_REGULAR - 1, CLAIM_REGULAR_PARITY, true, claim_regular_names},
    CLAIM_WORD_PARAMS(8),
    {"head", "what counts and finds", 0, 1, 0, true, heads},
    {"without", "what is left out: conjugation, the right order of a factor, resets", 0, 3, 0, true, breaks},
};

static at_solvable_options options_of(const at_params *p)
{
    int without = at_params_int(p, "without");
    return (at_solvable_options){.hard = at_params_int(p, "head"),
                                 .straight = without == 1,
                                 .off = without == 2,
                                 .forgets = without == 3};
}

CLAIM_REGULAR_FUNCTIONS(solvable)

#define INPUTS 20 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    enum { LAYERS = 2, WIDTH = 4 }; /* of a claim's usual row */
    double usual[7];
    at_arena a;
    at_arena_init(&a);
    at_place place;
    at_tower *g;
    at_status s = claim_regular_place(p, &a, &place, err);
    if (!s)
        s = at_monoid_tower(place.m, &a, &g, err);
    if (!s)
        s = claim_regular_row(c, p, INPUTS, threads, usual, err);
    if (!s) {
        out[0] = at_params_get(p, "N");
        out[1] = at_log2(out[0]);
        out[2] = g->order;
        out[3] = g->length;
        out[4] = g->derived;
        out[5] = usual[LAYERS];
        memcpy(out + 6, usual + WIDTH, 3 * sizeof *out); /* width, parameters, least p */
    }
    at_arena_release(&a);
    return s;
}

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title = "layers beside log2 N; order, composition length and derived length of the group; what it "
                 "takes, and "
                 "the least p from which on it holds (" CLAIM_TEXT(INPUTS) " words at each p)",
        .columns = (const char *const[]){"N", "log2 N", "order", "length", "derived", "layers", "width",
                                         "parameters", "least p", NULL},
        .rows = (const char *const[]){"language=parity N=4", "language=s3 N=4", "language=parity N=16",
                                      "language=parity N=64", "language=parity N=256", "language=s3 N=16",
                                      "language=s3 N=64", "language=s3 N=256", "language=a4 N=16",
                                      "language=a4 N=64", "language=q8 N=16", "language=q8 N=64",
                                      "language=d4 N=16", "language=d4 N=64", "language=s4 N=16",
                                      "language=s4 N=64", "language=s3-reset N=16", "language=s3-reset N=64",
                                      NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    CLAIM_F32("S3: scores to N that are 1/(N + 1) apart take 2 log2(N + 1) bits and some, and f32 has 24",
              "language=s3 N=16", "language=s3 N=64", "language=s3 N=256", "language=s3 N=1024",
              "language=s3 N=2048", "language=s3 N=4096")};

#define SAMPLED(language, N, inputs)                                                                         \
    {                                                                                                        \
        "language=" language " N=" #N, NULL, AT_EV_SAMPLED, 0, "f64", inputs, AT_TIER_FULL, NULL             \
    }
#define CONTROL(language, N, without)                                                                        \
    {                                                                                                        \
        "language=" language CLAIM_TO(N), "without=" without, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,      \
            AT_TIER_QUICK, NULL                                                                              \
    }
static const at_cell cells[] = {
    CLAIM_REGULAR_ALL("parity", 16, 10),
    CLAIM_REGULAR_ALL("thirds-of-a", 16, 9),
    CLAIM_REGULAR_ALL("s3", 16, 10),
    CLAIM_REGULAR_ALL("a4", 16, 9),
    CLAIM_REGULAR_ALL("d4", 16, 9),
    CLAIM_REGULAR_ALL("q8", 16, 9),
    CLAIM_REGULAR_ALL("s4", 16, 8),
    CLAIM_REGULAR_ALL("even-since-b", 16, 8),
    CLAIM_REGULAR_ALL("s3-reset", 10, 6),
    CLAIM_REGULAR_ALL("a4-reset", 10, 6),
    {"language=s3 N=0..12 most=12 head=average-hard", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,
     AT_TIER_QUICK, "language=s3 N=0..8 most=8 head=average-hard"},
    {"language=s3 N=0..8 most=8", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},
    {"language=s3-reset" CLAIM_TO_OF_LONG(7), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "language=s3-reset" CLAIM_TO_OF_LONG(4)},
    {"language=s3-reset N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    SAMPLED("parity", 1000, 50),
    SAMPLED("s3", 1000, 50),
    SAMPLED("a4", 1000, 50),
    SAMPLED("q8", 1000, 50),
    SAMPLED("s4", 1000, 50),
    SAMPLED("a4-reset", 1000, 50),
    CONTROL("s3", 6, "conjugation"),
    CONTROL("a4", 6, "conjugation"),
    CONTROL("d4", 6, "conjugation"),
    CONTROL("q8", 8, "conjugation"),
    CONTROL("parity", 6, "order"),
    CONTROL("s3", 6, "order"),
    CONTROL("s3-reset", 4, "resets"),
};

const at_claim claim_automaton_solvable = {
    .id = "automaton-solvable",
    .title = "Permutations and resets with a solvable group run at constant depth",
    .source = "Liu, Ash, Goel, Krishnamurthy, Zhang 2023, theorem 2",
    .group = "Languages",
    .statement =
        "If every letter permutes the states or takes all of them to one, and the group of the permutations "
        "is solvable, "
        "then a model of two layers a step of the group's derived series, and one for resets, decides every "
        "word of at most N letters.",
    .proof =
        "The product of the letters up to i is a row of exponents, one a cyclic factor of the group. What "
        "a letter adds "
        "to one is a function of the letter and of the exponents above it, so each is a sum of counts "
        "modulo the order "
        "of its factor: a mean, then a look-up of each count. The last reset writes down the state that "
        "the product of the letters so far takes to its own.",
    .asks = claim_regular_asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "aba",
    .look_params = "language=parity N=3",
};
