/* equal.h: the inputs on which two models are compared. */
#ifndef ATTEST_CHECK_EQUAL_H
#define ATTEST_CHECK_EQUAL_H

#include "check_internal.h"

#define EQUAL_NO_LENGTH (-1) /* the prompts of a problem: as long as they are */

typedef struct {
    const at_model *m[2];
    const at_asked *asked; /* NULL: the ranges of the fields */
    uint64_t seed;
    int row;          /* numbers a row */
    int least, most;  /* lengths that there are; EQUAL_NO_LENGTH */
    at_params params; /* of a task */
} domain;

/* Refuses models that cannot be compared. */
at_status domain_make(const at_model *a, const at_model *b, const at_asked *asked, uint64_t seed, domain *out,
                      at_err *err);
/* Are there inputs of this length? Then: how many, UINT64_MAX when they cannot be listed; do they stand for all? */
bool domain_has(const domain *d, int n);
uint64_t domain_count(const domain *d, int n, bool *all);
/* Are its inputs a list of some, as cases of a file are? */
bool domain_listed(const domain *d);
int domain_rows(const domain *d, int n); /* room for an input of "length" n, in rows */
/* Input i of the listing, or the i-th drawn one; *rows: how long it is. */
at_status domain_nth(const domain *d, int n, uint64_t i, double *x, int *rows, at_err *err);
at_status domain_draw(const domain *d, int n, uint64_t i, double *x, int *rows, at_err *err);
/* The k-th simpler input; false when there is no k-th. It need not be one of the domain: domain_holds tells. */
bool domain_simpler(const domain *d, const double *x, int rows, int k, double *out, int *out_rows);
bool domain_holds(const domain *d, const double *x, int rows);

#endif
