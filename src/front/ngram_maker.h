/* ngram_maker.h: what the compilers of n-gram models share: the words of the history (compile_ngram.c has the proof). */
#ifndef ATTEST_NGRAM_MAKER_H
#define ATTEST_NGRAM_MAKER_H

#include "front_internal.h"

#define NGRAM_ZERO 800.0 /* minus the logarithm of zero: exp(-800) is 0 in f64 and f32 */
#define NGRAM_SAME                                                                                           \
    1e-12 /* logarithms that differ by no more are one: sums of back-off weights in another order */

typedef struct {
    at_program *P;
    const at_ngram *g;
    const at_ngram_options *o;
    int T;      /* rows: <s> and the longest text */
    int places; /* words of the history, the own one among them */
    at_arena *a;
    at_err *err;
} ngram_maker;

at_status ngram_check(const at_ngram *g, const at_ngram_options *o, at_err *err);
/* The input, and what stands where: word (places, V): is the word of row s - h this one? V = W + 1, the last is <s>. own (V): of the row
 * itself. */
at_status ngram_history(ngram_maker *k, at_var *own, at_var *word);
/* Of n numbers, the one of which there are most within NGRAM_SAME; copy (n) is scratch. */
double ngram_most_common(const double *x, int n, double *copy);
/* The model gets its words; it is released when this fails. */
at_status ngram_words(const at_ngram *g, at_model *m, at_err *err);

#endif
