/* CLAIM ac0: at every length, unique-hard attention is a circuit of constant depth and polynomial size.
 *
 * Source: Hao, Angluin, Frank 2022 ("Formal language recognition by hard attention transformers: perspectives from circuit
 * complexity"); Hahn 2020 by restrictions. Strobl et al. 2024 (survey).
 * Statement: for every model of leftmost- or rightmost-hard attention, any masks and positions, and every n there is a circuit of AND, OR and NOT
 * gates of unbounded fan-in that answers as the model does on all words of n letters. Its depth depends on the
 * number of blocks alone, and its size is polynomial in n.
 *
 * Proof: src/circuit/make.c and src/circuit/heads.c have it beside the code. A wire says "position i has state v"; a head chooses a key when it is
 *   there and none is that comes before it by score, then by place: one AND. With one head a position has at most V (n V) states after
 *   one layer, V the letters: each new state is its old one and that of a key.
 *   part=drawn: models of whole weights, without positions, with i, and with a table; masks and ties drawn. Circuits are made in
 *     exact arithmetic, from the weights alone; the executor runs every word.
 *   part=compiled: models of claims fo, fo-mod and parity-tree.
 *   part=printed: uniformity. One program prints the circuits of a model for all n and keeps a constant number of letters, positions and
 *     numbers while it does (src/circuit/stream.c); what it takes is counted, and grows no faster than log n.
 * Controls: ties read from the right instead of the left; the other way round.
 * Differs from the paper: it normalises states to be their histories and bounds their number; here states are the vectors themselves, so that equal ones
 * meet, and sizes are smaller. */
#include "../shared/claim_circuit.h"

static const char *const weightings[] = {"leftmost-hard", "rightmost-hard", NULL};
static const at_weighting weighting_of[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD};

static const at_param params[] = {
    CLAIM_CIRCUIT_PARAMS(CLAIM_CIRCUIT_PRINTED),
    {"weighting", "of drawn models", 0, 1, 0, true, weightings},
};

static const claim_circuit_model compiled[] = {
    {"fo", "language=ab-star"},     {"fo", "language=a-then-b"},     {"fo", "language=no-aa"},
    {"fo", "language=ends-abab"},   {"fo", "language=third-last-a"}, {"fo", "language=depth-3"},
    {"fo-mod", "language=aa-star"}, {"parity-tree", "H=1 L=4"},      {NULL, NULL},
};

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    claim_circuit_kind kind = {weighting_of[at_params_int(p, "weighting")], compiled};
    return claim_circuit_trial(&kind, p, cell, limit, seed, env, a, out, err);
}

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c, (void)threads;
    return claim_circuit_size_row(AT_LEFTMOST_HARD, (at_arith){.kind = AT_EXACT}, p, out, err);
}

static at_status growth_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c, (void)threads;
    bool one = at_params_int(p, "L") == 1;
    return claim_circuit_growth_row(AT_LEFTMOST_HARD, (at_arith){.kind = AT_EXACT}, p, one ? 16 : 8,
                                    one ? 64 : 32, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title = "circuits of drawn leftmost-hard models of one head, mean of " CLAIM_TEXT(
            CLAIM_CIRCUIT_MODELS) ": size and depth against n, beside a table of all words",
        .columns = (const char *const[]){CLAIM_CIRCUIT_COLUMNS},
        .x = "n",
        .logx = true,
        .logy = true,
        .by = "L",
        .plots = (const char *const[]){"gates", "wires", NULL},
        .rows = (const char *const[]){"L=1 n=4", "L=2 n=4", "L=1 n=8", "L=2 n=8", "L=1 n=16", "L=1 n=32",
                                      "L=1 n=64", "L=2 n=16", "L=2 n=24", "L=2 n=32", NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    {
        .id = "growth",
        .title = "the power of n with which gates and wires grow, fitted",
        .columns = (const char *const[]){CLAIM_CIRCUIT_GROWTH},
        .rows = (const char *const[]){"L=1", "L=2", NULL},
        .quick_rows = 1,
        .row = growth_row,
    },
};

static const at_cell cells[] = {
    {"L=1 n=8", NULL, AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"L=2 n=7", NULL, AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"L=2 H=2 n=5", NULL, AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"L=2 n=7 weighting=rightmost-hard", NULL, AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"L=2 n=5", NULL, AT_EV_SIMULATED, 0, "exact", 240, AT_TIER_QUICK, NULL},
    {"part=compiled n=14", NULL, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, "part=compiled n=8"},
    {"part=trained n=8", NULL, AT_EV_SIMULATED, 0, "f64", 80, AT_TIER_QUICK, NULL},
    {"part=printed L=1 n=8", NULL, AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"part=printed L=2 n=3", NULL, AT_EV_SIMULATED, 0, "f64", 20, AT_TIER_QUICK, NULL},
    {"L=1 n=14", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"L=2 n=14", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"L=2 n=14 weighting=rightmost-hard", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"L=2 H=2 n=14", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"L=3 H=2 n=10", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"part=printed L=1 n=14", NULL, AT_EV_SIMULATED, 0, "f64", 24, AT_TIER_FULL, NULL},
    {"L=1 n=8", "read=rightmost", AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"L=1 n=8 weighting=rightmost-hard", "read=leftmost", AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK,
     NULL},
    {"part=printed L=1 n=8", "read=rightmost", AT_EV_SIMULATED, 0, "f64", 240, AT_TIER_QUICK, NULL},
    {"part=compiled n=8", "read=leftmost", AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_ac0 = {
    .id = "ac0",
    .title = "Unique-hard attention is a circuit of constant depth: AC0",
    .source = "Hao, Angluin, Frank 2022; Hahn 2020; Strobl et al. 2024 (survey)",
    .group = "Languages",
    .statement = "For every model of leftmost- or rightmost-hard attention and every n, a circuit of AND, OR "
                 "and NOT gates of "
                 "unbounded fan-in answers as it does on all words of n letters; its depth depends on the "
                 "blocks alone, its "
                 "size is polynomial in n.",
    .proof = "A wire says that a position has a state. A head chooses a key that is there when no key is "
             "that comes before it, by "
             "score, then by place: one AND of negations. States of a position are at most those before "
             "times those of its "
             "keys, a power for each head.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    CLAIM_TABLES,
};
