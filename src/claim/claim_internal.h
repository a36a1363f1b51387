/* claim_internal.h: what the files of the catalogue share. */
#ifndef ATTEST_CLAIM_INTERNAL_H
#define ATTEST_CLAIM_INTERNAL_H

#include <attest/claim.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* The fields of a claim that come from the names `params`, `program`, `cells`, `tables` of its file. */
#define CLAIM_CELLS  .program = program, .cells = cells, .n_cells = COUNT(cells)
#define CLAIM_TABLES .tables = tables, .n_tables = COUNT(tables)
#define CLAIM_FIELDS .params = params, .n_params = COUNT(params), CLAIM_CELLS

/* Of claims that were read from a file (file.c). */
at_status claim_file_program(const at_claim_file *f, const at_params *p, at_program **out, at_err *err);
at_status claim_file_model(const at_claim_file *f, const at_params *p, at_model *m, at_err *err);
bool claim_file_has_program(const at_claim_file *f);
const at_problem *claim_file_problem(const at_claim_file *f, const at_params *p);
double claim_file_tolerance(const at_claim_file *f);

/* How all inputs of a problem with positions are certified: c->split or c->box is the catalogue's for this problem; else both stay
 * NULL, and they are enumerated in balls. Refused where none of the three can be. */
at_status claim_certificate_of(const at_problem *p, at_claim *c, at_err *err);

double claim_eps(const at_params *p); /* the tolerance of claims with a parameter eps */

/* A number that a macro names, as text: what a title states is then what the code takes. */
#define CLAIM_TEXT(x)  CLAIM_TEXT_(x)
#define CLAIM_TEXT_(x) #x

/* The least p such that the claim's model is right at p and at every larger number of bits up to 53, on `inputs`
 * random and adversarial inputs. NAN when 53 bits fail. */
at_status claim_least_precision(const at_claim *c, const at_params *p, uint64_t inputs, int threads,
                                double *least, at_err *err);

/* The same, and the largest weight of the model. */
at_status claim_precision_and_size(const at_claim *c, const at_params *p, uint64_t inputs, int threads,
                                   double *least, double *largest, at_err *err);

/* Looks up the angle 2 pi x / M of a token: its cosine and sine. */
void claim_circle(at_program *P, at_var x, int M, at_var *cosx, at_var *sinx);

/* One softmax head that averages the vectors z over the subset y (q-sparse averaging): keys (N, m) by
 * position, queries (C(N,q), m) by subset. Emits the mean. */
typedef struct {
    int N, q, d, m;
    const double *keys, *queries;
    double scale, gap, eps;
} claim_average;
void claim_average_emit(at_program *P, const claim_average *a);

#endif
