/* refute_internal.h: what the files of this module share. */
#ifndef ATTEST_REFUTE_INTERNAL_H
#define ATTEST_REFUTE_INTERNAL_H

#include <attest/refute.h>

/* Rows and numbers of an input of the subject. */
int subject_row(const at_subject *s);
int subject_length_max(const at_subject *s); /* of an input: N, or the longest prompt */
/* Is all that is known of the problem a list of inputs, as a file of cases is? */
bool subject_listed(const at_subject *s);
/* Input number i of a seed: drawn from the task (every other one near the boundary) or from the chain. x has room for
 * length_max rows. */
at_status subject_draw(const at_subject *s, uint64_t seed, uint64_t i, double *x, int *n, at_err *err);
/* Outputs at most so far apart are equal. */
double subject_same(const at_subject *s);
/* Decoders: the readout (R) after the prompt x and after each row of y, (*count) numbers in all. Margins alone would not tell prompts
 * apart: a tie has margin 0, whatever the numbers that tie. */
at_status subject_readouts(const at_subject *s, const at_input *x, const at_answer *y, at_arena *a,
                           const double **value, size_t *count, at_err *err);
/* Do two answers agree at position i in the sense of at_pair_verify, and do the targets there not? */
bool answers_collide(const at_subject *s, const at_answer *x, const at_answer *y, int i);

/* Is all attention leftmost- or rightmost-hard, and is there some? Else AT_EREFUSED, with what works. */
at_status unique_hard_fits(const at_model *m, at_err *err);

/* A pair that verifies, or a single wrong input, made simpler while it does; at most `runs` candidates are run. */
at_status pair_shrink(const at_subject *s, bool single, uint64_t runs, at_arena *a, at_pair *p, at_err *err);

/* ---- work (work.c) ---- */

#define WORK_STATE     1000.0 /* what is done for an input besides running the model */
#define WORK_LOOKED_UP 64.0   /* for a state that is put together from sums that are looked up */
/* Multiply-adds of a pass over so many rows, WORK_STATE among them. */
double work_of_rows(const at_model *m, int rows);
/* Of one input of the subject, run and judged: of a decoder, with the longest chain. */
double work_of_input(const at_subject *s);
/* What a budget leaves, as a number of states (at least 1) of this cost. */
at_refute_env work_left(const at_refute_env *env, const at_pair *spent, double cost);
void work_spend(at_pair *out, uint64_t states, double cost);

#endif
