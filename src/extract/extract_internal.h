/* extract_internal.h: formulas that look back, written in temporal logic or with names, as B-RASP must have them.
 *
 * Both logics get the same two questions: is there an earlier position where s holds (past_any), and is the last, or first,
 * earlier position that is good or bad a good one (past_found). Names are for what B-RASP cannot write inside of something else. */
#ifndef ATTEST_EXTRACT_INTERNAL_H
#define ATTEST_EXTRACT_INTERNAL_H

#include <attest/exec.h>
#include <attest/extract.h>

typedef struct {
    at_formulas *f;
    bool named; /* B-RASP */
} past;

/* With constants folded; failures stick to f. */
at_formula *past_const(past *p, bool value);
at_formula *past_not(past *p, at_formula *x);
at_formula *past_and(past *p, at_formula *x, at_formula *y);
at_formula *past_or(past *p, at_formula *x, at_formula *y);
bool past_is(const at_formula *x, bool value); /* a constant */

at_formula *past_any(past *p, at_formula *s);
at_formula *past_found(past *p, bool first, at_formula *good, at_formula *bad, at_formula *either);
/* v at the position just before; `none` where there is none. */
at_formula *past_previous(past *p, at_formula *v, bool none);
/* x, under a name of this beginning where names are used and x is more than a letter. */
at_formula *past_name(past *p, const char *begin, at_formula *x);
/* The whole is said. */
at_status past_accept(past *p, at_formula *x, at_err *err);
/* Whether all parts were made; AT_EBUDGET where there are more than a text may have. */
at_status past_status(const past *p, at_err *err);

/* By the least automaton. */
at_status cascade_past(const at_extracted *d, at_logic logic, at_arena *a, at_extracted_past *out,
                       at_err *err);

/* ---- softmax that rounds its quotients alone (mean.c) ----------------------------------------------------------------------- */

enum { OFFERS = 48 }; /* different keys that a query tells apart */

/* constant + sum of[k] n_k >= 0, where n_k counts the positions that make offer k */
typedef struct {
    int64_t constant, of[OFFERS];
} condition;
/* Can these hold at once, for whole numbers n_k >= 0? false: surely not (feasible.c). */
bool conditions_meet(const condition *c, int n, int offers);

/* Positions that all have the same stream: how many of them a query sees. */
typedef struct {
    const double *x;   /* (D) before the layer */
    at_formula *count; /* a number; NULL: `constant` of them */
    int constant;
    bool some; /* one at least: the position itself */
} offer;

/* What becomes of queries: a decision, by conditions on the counts, or `leaf` >= 0. */
typedef struct choice choice;
struct choice {
    int leaf, n, id;
    const choice **to; /* (n) */
    condition *from;   /* (n): to[k] from here on, of k >= 1 */
};

typedef struct mixing {
    past *p;
    at_stage *stage;
    at_arena *a;
    at_err *err;
    int block, n_offers, n_queries, most; /* most: outcomes of one mean */
    const offer *offers;
    const double **query; /* (n_queries) streams (D) */
    /* The number of what came out: next (n_queries, D) streams, up to the next attention layer. */
    at_status (*meet)(void *own, const double *next, int *leaf, at_err *err);
    void *own;
    /* own of mean.c */
    double *q, *k, *v, *score, *mixed;
    int made;
    const choice **kept;
    int n_kept, room;
} mixing;
at_status mixing_run(mixing *w, const choice **out);
/* The counts are such that the leaf is reached. */
at_formula *choice_reaches(const mixing *w, const choice *c, int leaf);
/* constant + sum of[k] n_k >= 0, written. */
at_formula *condition_make(const mixing *w, const condition *c);

/* A model that is turned into counts: what it must be, its stage, its period. */
typedef struct {
    past p;
    const at_model *m;
    at_stage *stage;
    at_arena *a;
    at_err *err;
    int period, most;
    bool ordered; /* masks look back, else there are none */
} counting;
at_status counting_open(counting *k, const at_model *m, at_arith arith, bool ordered, int most,
                        at_arena *scratch, at_arena *kept, at_err *err);
/* Ends with status s: what is said of the result, or the failure (k->err) for the caller. */
at_status counting_close(counting *k, at_status s, at_extracted_count *out, at_err *err);
/* x goes through the blocks that are no attention, from block *b on; *b: the next attention, or the end. Behind the last one x becomes its answer, in
 * x[0], and zeros, where it is the position that answers. */
at_status counting_advance(counting *k, bool answers, int *b, double *x);
/* The stream of a letter at a position that is row + 1 modulo the period; of hidden position `hidden` before the word (letter -1), or the one
 * behind a word of row letters modulo the period (hidden -1). */
void counting_embed(counting *k, int letter, int hidden, int row, double *x);
/* Streams (or rows of them) before one layer, each once, and when they are so. */
typedef struct {
    int n, room;
    double *x; /* (n, width) */
    at_formula **holds;
} streams;
/* The number of x (width) among them, from now on. AT_EBUDGET: there would be more than k->most before that block. */
at_status streams_meet(counting *k, streams *s, size_t width, const double *x, int block, int *out);
at_formula *class_truth(past *p, int period, int r); /* the position is r modulo the period */

#endif
