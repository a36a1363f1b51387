/* claim_simulate.h: protocols beside models, over many inputs: what the claims about communication share.
 *
 *     claim_sim s = {.m = &m, .arith = p8, .n = 9, .count = 256, .input = gadget, .ctx = &g, .shared = &plan};
 *     claim_tally t = {0};
 *     claim_simulate(&s, env, arena, &t, &err);
 *     claim_tally_verdict(...)                            */
#ifndef ATTEST_CLAIM_SIMULATE_H
#define ATTEST_CLAIM_SIMULATE_H

#include <attest/logic.h>
#include <attest/protocol.h>

#include "../claim_internal.h"
#include "hard_layers.h"

/* One model, the protocol it is run by, and `count` inputs. */
typedef struct {
    const at_model *m;
    at_arith arith;
    int n; /* positions */
    uint64_t count;
    void (*input)(const void *ctx, uint64_t i, double *x);
    const void *ctx;
    /* one of these: */
    const at_shared_plan *shared;
    const at_congest_plan *congest;
    int handed; /* the query's position; used when the others are NULL */
    bool query_only;
    bool told; /* the row at `teller` is told, and that at `handed` is known (query_only: nothing is told) */
    int teller;
    /* 0, or: of inputs 0..alike-1, alike..2*alike-1, ... each what party 0 sends must be the same bits (shared only). */
    uint64_t alike;
    /* NULL, or: is this readout what it should be for input i? For models that do what the limit speaks of. */
    bool (*right)(const void *ctx, uint64_t i, const double *value);
} claim_sim;

/* Over all runs of all models. */
typedef struct {
    uint64_t models, runs, differ, over, wrong; /* over: a message was longer than its budget */
    uint64_t unlike; /* runs in which party 0 sent other bits than in the first that is alike */
    char first[256]; /* where the first of these was, and the words */
    uint64_t bits, answered,
        budget; /* the most in a run: sent; by those who answer (the largest party's); allowed */
    uint64_t query_bits, peak_bits, sum_bits; /* of the run with most bits */
    uint64_t rounds, cut_bits, edge_bits;
    int A, number, longest_sum;
    bool shown;            /* a run that differs, to whoever writes a certificate */
    uint64_t first_unlike; /* the input */
} claim_tally;

/* Runs every input, on several threads; adds to t. Of inputs that are to be alike nothing is shown (claim_simulate_show). */
at_status claim_simulate(const claim_sim *s, const at_check_env *env, claim_tally *t, at_err *err);
/* The same for models 0..count-1 of a claim: make gives number i (s->m is set to it in turn). */
typedef at_status claim_make(const at_params *p, uint64_t i, uint64_t seed, at_model *m, at_err *err);
at_status claim_simulate_each(claim_sim *s, claim_make *make, const at_params *p, uint64_t count,
                              uint64_t seed, const at_check_env *env, claim_tally *t, at_err *err);
/* Shows two runs, of inputs i and j, to whoever writes a certificate, and whether party 0 says the same in both. */
at_status claim_simulate_show(const claim_sim *s, uint64_t i, uint64_t j, const at_check_env *env,
                              at_err *err);
/* The verdict on them: FALSE when an output differed, else TRUE; the note has the counts, and `more` at its end. */
at_status claim_tally_verdict(const claim_tally *t, const char *more, at_arena *a, at_verdict *out,
                              at_err *err);
/* A verdict of a count: holds unless `bad`; note formatted. */
at_status claim_count_verdict(at_evidence e, uint64_t inputs, bool holds, at_arena *a, at_verdict *out,
                              at_err *err, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

/* Where models come from, as a parameter. */
typedef enum { CLAIM_RANDOM, CLAIM_TRAINED, CLAIM_COMPILED, CLAIM_SOURCES } claim_source;
extern const char *const claim_source_names[CLAIM_SOURCES + 1];
#define CLAIM_PARAM_SOURCE                                                                                   \
    {                                                                                                        \
        "model", "where models come from", 0, CLAIM_SOURCES - 1, 0, true, claim_source_names                 \
    }
#define CLAIM_PARAM_MERGE                                                                                    \
    {                                                                                                        \
        "merge", "partial sums are sent as they are, or rounded to p bits first", 0, 1, 0, true,             \
            claim_merge_names                                                                                \
    }
extern const char *const claim_merge_names[];
/* Inputs of a task: every one of them, or drawn by number. */
typedef struct {
    const at_task *t;
    at_params p;
    bool all;
    uint64_t seed;
} claim_prompts;
void claim_prompt_nth(const void *prompts, uint64_t i, double *x); /* a claim_sim's input */
/* The model of a claim of the catalogue, at these parameters. */
at_status claim_compiled(const char *id, const char *params, at_model *m, at_err *err);
/* Bits a and b of a pair number i of 2n bits: a is the lower half. */
static inline bool claim_bit(uint64_t i, int k)
{
    return i >> k & 1;
}

#endif
