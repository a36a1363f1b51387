/* prompts.h: prompts as items of a collision search, their states read from decoders (prompts.c). */
#ifndef ATTEST_REFUTE_PROMPTS_H
#define ATTEST_REFUTE_PROMPTS_H

#include "refute_internal.h"

typedef struct {
    at_generator *g;
    double *prompt; /* (prompt_max, row) */
} prompt_reader;

typedef struct prompts {
    const at_subject *s;
    uint64_t seed, count; /* of items */
    size_t row;           /* numbers a row */
    size_t bytes;         /* of a state with its last row */
    int workers;
    prompt_reader *reader; /* (workers) */
    double *pair[2], *rows[2];
    /* Item i as a prompt. */
    at_status (*make)(const struct prompts *p, uint64_t i, double *prompt, int *n, at_err *err);
    int read; /* rows that are read before the state is taken; 0: all but the last */
    /* One block: items are `base` with rows from..to-1 of drawn prompts. */
    double *base; /* (prompt_max, row) */
    int n_base, from, to;
} prompts;

/* Readers and rooms; p->s, seed, make and the block are set. Close also when it fails. */
at_status prompts_open(prompts *p, const at_refute_env *env, at_arena *a, at_err *err);
void prompts_close(prompts *p);
/* Prompt number i of the subject's chain: by its order where it can be counted, else drawn. */
at_status prompts_nth(const prompts *p, uint64_t i, double *prompt, int *n, at_err *err);
uint64_t prompts_count(const at_subject *s);
/* Two prompts with the same state and different chains; found: they are put into out. */
at_status prompts_collide(prompts *p, const at_refute_env *env, at_arena *a, at_collision *got, at_pair *out,
                          at_err *err);
double number_bits(at_arith a); /* sign, exponent and mantissa of a number of the arithmetic */

/* Is the subject a decoder with a chain? */
at_status decoder_check(const at_subject *s, at_err *why);

#endif
