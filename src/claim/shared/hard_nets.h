/* hard_nets.h: models for the claims of what small models cannot do: random, trained, and right ones to compare with
 * (hard_qsa.c, hard_decoder.c), and the trial that puts refuters on them (hard_trial.c). */
#ifndef ATTEST_HARD_NETS_H
#define ATTEST_HARD_NETS_H

#include <attest/train.h>
#include <attest/refute.h>

#include "../claim_internal.h"

/* ---- nets on sparse averaging, with vectors as reals ------------------------------------------------------------ */

typedef struct {
    int N, q, d;
    int units;        /* of the first layer, or numbers of the state */
    bool recurrent;   /* an RNN, which answers at the last position; else a feed-forward net, at all */
    bool skip;        /* feed-forward: around the flatten */
    at_rnn_cell cell; /* recurrent */
    double gain;      /* of recurrent weights */
    uint64_t seed;
    int idle;     /* right: so many units of the first layer, or numbers of the state, hold nothing */
    double small; /* right, recurrent: tanh(z/small) is kept; 0: 8 */
} hard_qsa;
/* What its models are made of: all but the fields and the readout; these; the layers of a block. */
at_status hard_qsa_shape(const hard_qsa *z, int width, at_model *m, at_err *err);
void hard_qsa_fields(const hard_qsa *z, at_embed vector, at_embed subset, at_model *m);
at_status hard_qsa_layers(at_model *m, at_block *b, int n, const int *rows, at_err *err);
at_status hard_qsa_random(const hard_qsa *z, at_model *m, at_err *err);
/* From such a random net (d = q = 1, no skip), `steps` steps of AdamW. */
at_status hard_qsa_trained(const hard_qsa *z, int steps, at_model *m, at_err *err);
/* One that is right (hard_right.c): N d units in the first layer, or (N-1) d numbers of state; units, cell, gain and seed do not count. */
at_status hard_qsa_right(const hard_qsa *z, at_model *m, at_err *err);
/* The same at a claim's N, q, d, idle and, recurrent, small. */
at_status hard_qsa_right_of(const at_params *p, bool recurrent, at_model *m, at_err *err);
/* A self-attention unit that is right in floats of 24 bits (hard_bits.c): of width 2 ceil(N/R) + 5. */
enum { HARD_BITS_MOST = 16 }; /* q */
typedef struct {
    int N, q, d, R;
    bool idle; /* without the numbers that make sums round */
} hard_bits;
at_status hard_bits_model(const hard_bits *b, at_model *out, at_err *err);
/* Is it right? Asked for every subset by some position that answers, and on `limit` drawn and adversarial inputs. */
typedef struct {
    at_params task;
    at_arith arith;
    uint64_t seed;
    double tolerance;
    int size; /* as the note says it: "12 units in the first layer" */
    const char *of;
} hard_right;
at_status hard_right_trial(const hard_right *r, const at_model *m, uint64_t limit, const at_check_env *env,
                           at_arena *a, at_verdict *out, at_err *err);

/* A claim about such nets; its parameters have N, q, d, weights, steps and tolerance. */
typedef struct {
    const at_params *p;
    at_params task;
    at_arith arith;
    uint64_t seed;
} hard_qsa_claim;
/* hard_right_trial of the right net at its parameters. */
at_status hard_qsa_right_trial(const at_params *p, const at_cell *cell, bool recurrent, uint64_t limit,
                               uint64_t seed, const at_check_env *env, at_arena *a, at_verdict *out,
                               at_err *err);
at_status hard_qsa_open(const at_params *p, const at_cell *cell, uint64_t seed, hard_qsa_claim *out,
                        at_err *err);
/* The net, with weights as the claim wants them, and what it is asked. */
at_status hard_qsa_make(const hard_qsa_claim *c, const hard_qsa *z, at_model *m, at_subject *s, at_err *err);

/* ---- decoders ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int words;        /* tokens; 0: rows of integers */
    at_field *fields; /* rows of integers: what they are made of, (n_fields), without embedding */
    int n_fields;
    at_decode rule; /* with it n_max = prompt_max + max_steps */
    at_weighting weighting;
    at_mask mask;
    int layers, heads, dk, dv, width, hidden;
    uint64_t seed;
} hard_decoder;
/* Learned positions; layers of x += attend(x), x += MLP(x) without norms. */
at_status hard_decoder_random(const hard_decoder *d, at_model *m, at_err *err);
/* One row to learn from: tokens of prompt and chain; room for n_max. */
typedef at_status hard_row(const void *self, at_rng *r, int *token, int *prompt, int *n, at_err *err);
/* `steps` steps of AdamW on 16 rows each. */
at_status hard_decoder_train(at_model *m, hard_row *row, const void *self, int steps, uint64_t seed,
                             at_err *err);

/* Running sums modulo q as tokens: s_1 ... s_n <sep> p_1 ... p_n <sep> p_n <eos>; self is one of these. */
typedef struct {
    int n, q;
} hard_running;
extern const at_chain hard_running_chain;
hard_row hard_running_row,
    hard_expression_row; /* of the second, self is an at_expr_space: its prime, and few operators */

/* ---- trials --------------------------------------------------------------------------------------------------------- */

enum { HARD_RANDOM, HARD_TRAINED, HARD_RIGHT, HARD_WIDE };
/* Names of the values of the parameter `weights`; wide (decoders only): random, with so many numbers of state that few inputs
 * cannot collide. */
extern const char *const hard_weights[];

typedef struct {
    const char *refuter; /* NULL: all that fit, the search for anything among them */
    const char *models;  /* what they are, for the note: "first layers of 1..19 units" */
    int weights;
    uint64_t states; /* budget a model */
    uint64_t
        luck; /* inputs of random search, and of the search for anything, at most; 0: as many as the states */
    bool layer; /* of one attention layer: count the pairs with equal states behind it apart */
    /* Model i and the subject around it; both are zero. */
    at_status (*make)(const void *ctx, uint64_t i, at_model *m, at_subject *s, at_err *err);
    const void *ctx;
} hard_trial;
/* Every model must be refuted by a pair that verifies: TRUE, and a note with counts, also of random search with as many
 * inputs. Right and wide models: FALSE, when none is. */
at_status hard_trial_run(const hard_trial *t, uint64_t models, uint64_t seed, const at_check_env *env,
                         at_arena *a, at_verdict *out, at_err *err);

/* The model that `right` makes, of n_max rows, on a task whose one parameter is N, asked as a cell says, or on drawn inputs where that says
 * none (a cell of another part, at parameters of a user's); shown (hard_rights_show) if it is right. size: the model's. */
typedef at_status hard_right_make(const at_params *p, at_model *m, at_err *err);
at_status hard_right_check(hard_right_make *right, const at_params *p, const char *task, const at_cell *cell,
                           uint64_t limit, uint64_t seed, const at_check_env *env, at_arena *a, at_size *size,
                           at_verdict *out, at_err *err);
/* A few drawn inputs, which the model answers rightly: all that a certificate can show of a model that is not refuted. */
at_status hard_rights_show(const at_witness *model, uint64_t seed, const at_check_env *env, at_err *err);

/* Decoders and the chain they should write: what `make` of a trial needs (hard_chain.c). */
typedef struct {
    const at_chain *chain;
    void *self;
    at_arith arith;
    bool sparse;         /* one-block on block-sparse attention; else running-sums on linear attention */
    int block;           /* sparse: B */
    hard_decoder shape;  /* of small decoders: rows and rule */
    hard_row *row;       /* what they learn from; NULL: they cannot */
    const void *lessons; /* its self */
    int weights, steps;
    uint64_t states, seed;
    /* The right model; NULL: there is none. */
    at_status (*right)(const at_params *p, bool sparse, at_model *m, at_err *err);
    const at_params *p;
} hard_chain;
at_status hard_chain_trial(hard_chain *c, uint64_t models, const at_check_env *env, at_arena *a,
                           at_verdict *out, at_err *err);

/* The recurrences of shared_dp.c, as rows of integers or (prefix-sum) as tokens (hard_dp.c). Parameters: HARD_DP_PARAMS. */
#define HARD_DP_PARAMS(PROBLEM, A, B)                                                                        \
    {"problem", "which recurrence", 0, 8, PROBLEM, true, claim_dp_problems},                                 \
        {"a", "its first size", 0, 4096, A, true},                                                           \
        {"b", "its second size, where it has two", 0, 4096, B, true},                                        \
        {"letters", "prompts use so many of the lowest values of each input", 1, 999, 26, true},             \
        {"tokens", "1: prefix-sum as tokens, which small decoders may learn", 0, 1, 1, true},                \
        {"block", "sparse: rows of a block", 2, 256, 8, true},                                               \
        {"weights", "of the decoders", 0, 3, HARD_RANDOM, true, hard_weights},                               \
        {"steps", "of a training", 1, 10000, 100, true},                                                     \
    {                                                                                                        \
        "states", "prompts looked at for a decoder, at most", 1, 1e9, 1 << 18, true                          \
    }
extern const char *const claim_dp_problems[];
at_status hard_dp_trial(const at_params *p, const at_cell *cell, bool sparse, uint64_t limit, uint64_t seed,
                        const at_check_env *env, at_arena *a, at_verdict *out, at_err *err);
/* Is every chain another's? TRUE or FALSE with the counts, and the pair that has one chain. */
at_status hard_dp_regular(const at_params *p, at_arena *a, at_verdict *out, at_err *err);

#endif
