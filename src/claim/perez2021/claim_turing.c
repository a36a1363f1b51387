/* CLAIM turing: a decoder of two or three layers, whose size depends on the machine alone, runs any Turing machine, a token a step.
 *
 * Source: Pérez, Barceló, Marinković 2021, "Attention is Turing-Complete" (positions i, 1/i, 1/i^2, average-hard attention); Merrill,
 * Sabharwal 2024, "The Expressive Power of Transformers with Chain of Thought" (decoders that write the run).
 * Statement: for every Turing machine there is a decoder with one head a layer (three without positions) that after the input writes the run,
 * one token (written, move, state) a step, then the verdict. Its size does not depend on the lengths of input and run. With positions i and
 * i^2 and softmax: three layers. With 1/i and 1/i^2 and average-hard attention: two. Without positions: three.
 *
 * Proof (src/front/compile_tm.c has the steps, their scores and gaps):
 *   1. The state is that of the last token; the head's cell h is the sum of the moves, and its mean h/i comes by uniform attention.
 *   2. Integers: the count look-up of |h|/i makes |h| and h^2. Rational, none: h/i stays as it is.
 *   3. One head finds the last token that wrote on h, or BOS, which is the blank. One unit a transition gives the next token.
 * Differs from the papers: the tape has no ends; cells are found by products (integers) or by -|.| (rational) in one head; there is no layer
 * norm; <end> follows the verdict, so that one token stops the decoder. */
#include "../claim_internal.h"
#include "../shared/claim_words.h"

#include <attest/front.h>

static const char *const machines[] = {"bb3",      "bb4",       "increment", "palindrome", "copy",
                                       "multiply", "universal", "counter",   NULL};

static const at_param params[] = {
    {"machine", "one of examples/*.tm", 0, 7, 1, true, machines},
    {"N", "the most letters of an input", 0, AT_TM_WORD, 0, true, NULL},
    {"T", "the most steps of a run", 1, AT_TM_STEPS, 107, true, NULL},
    {"form", "positions i and i^2, 1/i and 1/i^2, or none", 0, 2, 0, true, at_tm_form_names},
    {"recency", "1: the last token that wrote on a cell is found; 0: all of them", 0, 1, 1, true, NULL},
    {"blank", "factor on the weight by which BOS is the blank", 0.01, 100, 1, false, NULL},
    {"scale", "factor on the scales of softmax", 0.001, 16, 1, false, NULL},
};

static at_status machine_load(const at_params *p, at_arena *a, at_tm **t, at_err *err)
{
    return at_tm_example_load(machines[at_params_int(p, "machine")], a, t, err);
}

/* A machine that has no letters has one input. */
static int letters_of(const at_params *p, const at_tm *t)
{
    return t->letters ? at_params_int(p, "N") : 0;
}

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    at_arena own;
    at_tm *t;
    at_arena_init(&own);
    at_status s = machine_load(p, &own, &t, err);
    if (s) {
        at_arena_release(&own);
        return s;
    }
    return at_tm_chain_open(t, &own, letters_of(p, t), at_params_int(p, "T"), self, err);
}

static const at_chain chain = {
    .id = "run", .params = params, .n_params = 3, .open = chain_open, AT_TM_CHAIN_FIELDS};

static at_tm_options options_of(const at_params *p, const at_tm *t)
{
    return (at_tm_options){.letters = letters_of(p, t),
                           .steps = at_params_int(p, "T"),
                           .form = (at_tm_form)at_params_int(p, "form"),
                           .forgets = !at_params_int(p, "recency"),
                           .blank = at_params_get(p, "blank"),
                           .scale = at_params_get(p, "scale")};
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    at_arena a;
    at_tm *t;
    at_arena_init(&a);
    at_status s = machine_load(p, &a, &t, err);
    if (!s) {
        at_tm_options o = options_of(p, t);
        s = at_tm_program(t, &o, out, err);
    }
    at_arena_release(&a);
    return s;
}

static at_status decoder(const at_params *p, at_model *m, at_err *err)
{
    at_arena a;
    at_tm *t;
    at_arena_init(&a);
    at_status s = machine_load(p, &a, &t, err);
    if (!s) {
        at_tm_options o = options_of(p, t);
        s = at_tm_model(t, &o, m, err);
    }
    at_arena_release(&a);
    return s;
}

/* ---- tables and cells ------------------------------------------------------------------------------------------------------------ */

#define INPUTS 6 /* at each p */

/* Scores of the integer form are about L^2, and 1/4L apart: 3 log2 L bits and some. Those of the rational one are 1/L^2, and apart by
 * 1/3L^4: what the mean h/i loses is multiplied by 1/L there, which leaves 3 log2 L, too. */
static at_status precision_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    double L = at_params_get(p, "N") + at_params_get(p, "T") + 4;
    at_model m;
    at_size z;
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    at_model_size(&m, &z);
    at_model_release(&m);
    out[4] = z.layers;
    out[5] = z.width;
    out[6] = z.hidden;
    out[7] = (double)z.parameters;
    out[0] = at_params_get(p, "form");
    out[1] = L;
    out[3] = 3 * at_log2(L);
    return claim_least_precision(c, p, INPUTS, threads, &out[2], err);
}

#define COUNTER(N, T, FORM) "machine=counter N=" N " T=" T " form=" FORM
#define ROWS(FORM)                                                                                           \
    COUNTER("1", "6", FORM), COUNTER("2", "14", FORM), COUNTER("3", "30", FORM), COUNTER("4", "62", FORM),   \
        COUNTER("5", "126", FORM), COUNTER("6", "254", FORM)

static const at_claim_table tables[] = {
    {
        .id = "precision",
        .title = "least p from which on runs of a binary counter are right, against L (" CLAIM_TEXT(
            INPUTS) " inputs at each p), and the size, which depends on the machine alone",
        .columns = (const char *const[]){"form", "L", "least p", "3 log2 L", "layers", "width", "hidden",
                                         "parameters", NULL},
        .x = "L",
        .by = "form",
        .logx = true,
        .plots = (const char *const[]){"least p", NULL},
        .rows = (const char *const[]){ROWS("integers"), ROWS("rational"), ROWS("none"), NULL},
        .quick_rows = 5,
        .row = precision_row,
    },
    CLAIM_F32("a binary counter of N digits, each form: 3 log2 L bits for runs of L = 2^(N+2) tokens, and "
              "f32 has 24, enough to L = 256",
              COUNTER("4", "62", "integers"), COUNTER("6", "254", "integers"),
              COUNTER("8", "1022", "integers"), COUNTER("4", "62", "rational"),
              COUNTER("6", "254", "rational"), COUNTER("8", "1022", "rational"), COUNTER("4", "62", "none"),
              COUNTER("6", "254", "none"), COUNTER("8", "1022", "none"))};

#define EXACT(PARAMS, ARITH, TIER)                                                                           \
    {                                                                                                        \
        PARAMS, NULL, AT_EV_EXACT, 0, ARITH, 0, TIER, NULL                                                   \
    }
#define CONTROL(PARAMS, CHANGE)                                                                              \
    {                                                                                                        \
        PARAMS, CHANGE, AT_EV_EXACT, 0, "f64", 0, AT_TIER_QUICK, NULL                                        \
    }

static const at_cell cells[] = {
    EXACT("machine=bb3 T=14", "f64", AT_TIER_QUICK),
    EXACT("machine=bb4 T=107", "f64", AT_TIER_QUICK),
    EXACT("machine=bb4 T=107", "f32", AT_TIER_QUICK),
    EXACT("machine=bb4 T=107 form=rational", "f64", AT_TIER_QUICK),
    EXACT("machine=bb4 T=107 form=none", "f64", AT_TIER_QUICK),
    EXACT("machine=increment N=10 T=24", "f64", AT_TIER_QUICK),
    EXACT("machine=increment N=10 T=24 form=rational", "f64", AT_TIER_QUICK),
    EXACT("machine=palindrome N=10 T=80", "f64", AT_TIER_QUICK),
    EXACT("machine=palindrome N=8 T=60 form=none", "f64", AT_TIER_QUICK),
    EXACT("machine=copy N=6 T=200", "f64", AT_TIER_QUICK),
    EXACT("machine=copy N=6 T=200 form=rational", "f64", AT_TIER_FULL),
    EXACT("machine=multiply N=7 T=600", "f64", AT_TIER_QUICK),
    EXACT("machine=universal N=4 T=300", "f64", AT_TIER_QUICK),
    EXACT("machine=universal N=6 T=400", "f64", AT_TIER_FULL),
    {"machine=counter N=11 T=10000", NULL, AT_EV_SAMPLED, 0, "f64", 20, AT_TIER_QUICK, NULL},
    CONTROL("machine=bb4 T=107", "recency=0"),
    CONTROL("machine=bb4 T=107 form=rational", "recency=0"),
    CONTROL("machine=bb4 T=107 form=none", "recency=0"),
    CONTROL("machine=increment N=4 T=16", "blank=6"),
    CONTROL("machine=increment N=4 T=16 form=rational", "blank=6"),
    CONTROL("machine=palindrome N=4 T=40", "scale=0.02"),
    CONTROL("machine=bb4 T=107", "arith=p12"),
};

const at_claim claim_turing = {
    .id = "turing",
    .title = "A decoder whose size depends on the machine alone runs a Turing machine, a token a step",
    .source = "Pérez, Barceló, Marinković 2021; Merrill, Sabharwal 2024",
    .group = "Languages",
    .statement = "For every Turing machine a decoder of two layers (average-hard, positions 1/i and 1/i^2), "
                 "or of three (softmax, "
                 "positions i and i^2; average-hard without positions), writes after any input the run of "
                 "the machine, one "
                 "token a step, and its verdict. Its size depends neither on the input nor on the run.",
    .proof = "The mean of the moves is h/i, h the cell of the head. One head finds the last token that wrote "
             "on h, or BOS, which "
             "is the blank: by the score h^2 - (h-c)^2 + j/4L of integers, or -|(h-c)/ij + 1/3i^2j| of "
             "fractions. One unit a "
             "transition gives the next token.",
    .params = params,
    .n_params = COUNT(params),
    .chain = &chain,
    .decoder = decoder,
    CLAIM_CELLS,
    CLAIM_TABLES,
    .look = "1 1 <start> 1/R/right 1/R/right _/L/carry 0/L/carry 0/L/carry",
    .look_params = "machine=increment N=5 T=16",
};
