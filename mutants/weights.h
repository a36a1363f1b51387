/* weights.h: mutants of weights, for mutants_weights only (docs/mutants.md).
 *
 *     change c;
 *     if (change_draw(&model, &rng, &c)) change_apply(&mutant, &c);
 *     search_run(&q, &mutant, seed, &found, &err);
 */
#ifndef ATTEST_MUTANTS_WEIGHTS_H
#define ATTEST_MUTANTS_WEIGHTS_H

#include <attest/claim.h>

/* ---- one change of one model ------------------------------------------------------------------------------- */

typedef enum { CHANGE_SIGN, CHANGE_ZERO, CHANGE_LARGER, CHANGE_SWAP, CHANGE_HEAD, CHANGES } change_kind;
extern const char *const change_names[CHANGES];

typedef struct {
    change_kind kind;
    int tensor;
    int64_t row, column; /* SIGN, ZERO, LARGER: the weight */
    int64_t other;       /* SWAP: rows `row` and `other`; HEAD: columns column..other-1 of O become 0 */
} change;

/* Draws a kind, then a place where it changes at least one byte. False: the model has no such place. */
bool change_draw(const at_model *m, at_rng *r, change *out);
void change_apply(at_model *m, const change *c);
void change_print(const at_model *m, const change *c, at_text *out); /* "sign block.0.attn.0.q[1,2]" */

/* ---- a question, and whether a model answers it rightly ------------------------------------------------------ */

typedef struct {
    const at_claim *claim;
    const at_cell *cell;
    at_params p;    /* of the claim, at one point of the cell */
    uint64_t limit; /* sampled inputs */
    at_arith arith; /* of the cell; balls are searched in f64 */
    double tolerance;
    const at_task *task; /* NULL: a decoder */
    at_params tp;
    void *chain; /* opened */
} question;

at_status question_open(const at_claim *c, const at_cell *cell, question *out, at_err *err);
void question_close(question *q);
void question_print(const question *q, at_text *out); /* "N=5 M=11 exact sequences f64" */

/* Is m wrong on this input (n rows), by the generic executor and the brute-force answer? Wrong means: an answer differs, lies
 * outside the tolerance, or is not decided. */
at_status question_wrong(const question *q, const at_model *m, const double *x, int n, bool *wrong,
                         at_err *err);

typedef struct {
    bool wrong;      /* an input was found on which the model is wrong */
    bool whole;      /* every input of the domain was run */
    uint64_t inputs; /* run */
    at_text input;   /* the one found, as a person writes it */
} found;

/* Looks for an input of the domain on which m is wrong. The whole domain where that is within the budget, enumerated from the
 * model's own fields; else inputs drawn from `seed`. */
at_status search_run(const question *q, const at_model *m, uint64_t seed, found *out, at_err *err);

#endif
