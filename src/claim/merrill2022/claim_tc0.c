/* CLAIM tc0: at every length, average-hard attention, and softmax at p bits, is a circuit of constant depth with threshold gates.
 *
 * Source: Merrill, Sabharwal, Smith 2022 ("Saturated transformers are constant-depth threshold circuits"); Merrill, Sabharwal 2023 ("The parallelism
 * tradeoff"), for rounded numbers. Strobl et al. 2024 (survey).
 * Statement: for every model of average-hard attention, over the rationals, and every model of softmax attention at p bits, and every n
 * there is a circuit of AND, OR, NOT and threshold gates that answers as the model does on all words of n letters, of a depth that
 * depends on the number of blocks alone.
 *
 * Proof: src/circuit/make.c and src/circuit/heads.c have it beside the code. The highest score that is there is found as in claim ac0;
 *   given it, weights are known, sums over keys are of known whole numbers, and "the sum is at least s" is a threshold gate.
 *   Weights of gates are whole numbers of at most 50 bits: adding up n such numbers is itself in TC0. How many sums there
 *   are is polynomial in n for one layer of whole numbers; after averages of averages it may not be, and what is too
 *   large is counted, not passed over. At p bits sums that are rounded to one number are one. At p bits the sums are those before rounding, so this is the p-bit attention that attest runs: both sums
 *   rounded once, then their quotient.
 *   part=drawn: models of whole weights, without positions, with i, and with a table; masks drawn.
 *   part=compiled: models of claims majority, crasp, foc and others.
 * Controls: average-hard ties read as leftmost ones; a circuit of one bit less than the model. */
#include "../shared/claim_circuit.h"

static const char *const weightings[] = {"average-hard", "softmax", NULL};
static const at_weighting weighting_of[] = {AT_AVERAGE_HARD, AT_SOFTMAX};

static const at_param params[] = {
    CLAIM_CIRCUIT_PARAMS(CLAIM_CIRCUIT_TRAINED),
    {"weighting", "of the models", 0, 1, 0, true, weightings},
};

static const claim_circuit_model average[] = {
    {"majority", "weighting=average-hard"},
    {"crasp", "language=majority weighting=average-hard"},
    {"crasp", "language=dyck-1 weighting=average-hard"},
    {"crasp", "language=abba weighting=average-hard"},
    {"foc", "language=parity weighting=average-hard"},
    {"foc", "language=shares weighting=average-hard"},
    {"ltl-c", "formula=majority"},
    {"ltl-c", "formula=dyck"},
    {NULL, NULL},
};
static const claim_circuit_model softmax[] = {
    {"majority", ""},           {"crasp", "language=majority"}, {"crasp", "language=dyck-1"},
    {"crasp", "language=abba"}, {"foc", "language=parity"},     {"foc", "language=shares"},
    {"foc", "language=thirds"}, {"foc", "language=few-zeros"},  {NULL, NULL},
};
static const claim_circuit_model *const compiled_of[] = {average, softmax};

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int w = at_params_int(p, "weighting");
    claim_circuit_kind kind = {weighting_of[w], compiled_of[w]};
    return claim_circuit_trial(&kind, p, cell, limit, seed, env, a, out, err);
}

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c, (void)threads;
    bool soft = at_params_int(p, "weighting");
    at_arith arith =
        soft ? (at_arith){.kind = AT_PBIT, .bits = 4, .exp_bits = 6} : (at_arith){.kind = AT_EXACT};
    out[0] = soft;
    return claim_circuit_size_row(soft ? AT_SOFTMAX : AT_AVERAGE_HARD, arith, p, out + 1, err);
}

static at_status growth_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c, (void)threads;
    return claim_circuit_growth_row(AT_AVERAGE_HARD, (at_arith){.kind = AT_EXACT}, p, 16, 64, out, err);
}

static const at_claim_table tables[] = {
    {
        .id = "size",
        .title = "circuits of drawn models of one layer and one head, mean of " CLAIM_TEXT(
            CLAIM_CIRCUIT_MODELS) ": average-hard (0), softmax at 4 bits (1): size and depth against n, "
                                  "beside a table of "
                                  "all words",
        .columns = (const char *const[]){"softmax", CLAIM_CIRCUIT_COLUMNS},
        .x = "n",
        .logx = true,
        .logy = true,
        .by = "softmax",
        .plots = (const char *const[]){"gates", "wires", NULL},
        .rows =
            (const char *const[]){"n=4", "n=4 weighting=softmax", "n=8", "n=8 weighting=softmax", "n=16",
                                  "n=16 weighting=softmax", "n=32", "n=32 weighting=softmax", "n=64", NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    {
        .id = "growth",
        .title = "the power of n with which gates and wires of average-hard models of one layer grow, fitted",
        .columns = (const char *const[]){CLAIM_CIRCUIT_GROWTH},
        .rows = (const char *const[]){"L=1", NULL},
        .quick_rows = 1,
        .row = growth_row,
    },
};

static const at_cell cells[] = {
    {"L=1 n=7", NULL, AT_EV_SIMULATED, 0, "exact", 240, AT_TIER_QUICK, NULL},
    {"L=1 H=2 n=5", NULL, AT_EV_SIMULATED, 0, "exact", 240, AT_TIER_QUICK, NULL},
    {"L=2 n=4", NULL, AT_EV_SIMULATED, 0, "exact", 240, AT_TIER_QUICK, NULL},
    {"L=1 n=7 weighting=softmax", NULL, AT_EV_SIMULATED, 0, "p4e5", 240, AT_TIER_QUICK, NULL},
    {"L=2 n=4 weighting=softmax", NULL, AT_EV_SIMULATED, 0, "p3e5", 240, AT_TIER_QUICK, NULL},
    {"part=compiled n=14", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, "part=compiled n=6"},
    {"part=compiled n=14 weighting=softmax", NULL, AT_EV_EXACT, 0, "p6e5", 0, AT_TIER_QUICK,
     "part=compiled n=6 weighting=softmax"},
    {"part=trained n=6", NULL, AT_EV_SIMULATED, 0, "exact", 80, AT_TIER_QUICK, NULL},
    {"part=trained n=6 weighting=softmax", NULL, AT_EV_SIMULATED, 0, "p4e5", 80, AT_TIER_QUICK, NULL},
    {"L=1 n=14", NULL, AT_EV_SIMULATED, 0, "exact", 24, AT_TIER_FULL, NULL},
    {"L=1 H=2 n=14", NULL, AT_EV_SIMULATED, 0, "exact", 24, AT_TIER_FULL, NULL},
    {"L=2 n=14", NULL, AT_EV_SIMULATED, 0, "exact", 24, AT_TIER_FULL, NULL},
    {"L=1 n=14 weighting=softmax", NULL, AT_EV_SIMULATED, 0, "p4e5", 24, AT_TIER_FULL, NULL},
    {"L=2 n=14 weighting=softmax", NULL, AT_EV_SIMULATED, 0, "p3e5", 24, AT_TIER_FULL, NULL},
    {"L=1 n=6", "read=leftmost", AT_EV_SIMULATED, 0, "exact", 240, AT_TIER_QUICK, NULL},
    {"L=1 n=6 weighting=softmax", "off=1", AT_EV_SIMULATED, 0, "p4e5", 240, AT_TIER_QUICK, NULL},
};

const at_claim claim_tc0 = {
    .id = "tc0",
    .title = "Average-hard attention, and softmax at p bits, is a threshold circuit of constant depth: TC0",
    .source = "Merrill, Sabharwal, Smith 2022; Merrill, Sabharwal 2023; Strobl et al. 2024 (survey)",
    .group = "Languages",
    .statement = "For every model of average-hard attention over the rationals, or of softmax attention at p "
                 "bits, and every n, a "
                 "circuit of AND, OR, NOT and threshold gates answers as it does on all words of n letters; "
                 "its depth depends "
                 "on the blocks alone.",
    .proof = "Given the highest score that is there, weights are known numbers, and a sum over keys is a sum "
             "of whole multiples of a "
             "unit over wires: that it is at least s is a threshold gate. Every sum that is possible is "
             "found, and becomes the "
             "quotient as the arithmetic has it.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    CLAIM_TABLES,
};
