/* claim_law.h: the size law of decoders (size_law.c), shared by claims about recurrences and about expressions. */
#ifndef ATTEST_CLAIM_LAW_H
#define ATTEST_CLAIM_LAW_H

#include "claim_internal.h"

typedef struct {
    const at_chain *chain;
    at_status (*model)(const at_params *p, at_model *m, at_err *err);
    /* Shapes, which need no weights, and the rows of the longest prompt and of the longest chain. */
    at_status (*shape)(const at_params *p, at_model *m, int *prompt, int *rows, at_err *err);
} claim_law;

/* Columns of a table of the law; the first names what the row is of and is the caller's. */
#define CLAIM_LAW_COLUMNS(FIRST)                                                                             \
    FIRST, "L", "layers", "heads", "width", "units", "parameters", "dense", "attention", "total", "width ^", \
        "dense ^", "attention ^", "total ^", NULL
extern const char *const claim_law_plots[];
/* The columns from L on. Fails when an assembled decoder counts other than the shapes say. */
at_status claim_law_row(const claim_law *c, const at_params *p, const at_params *quarter, double *out,
                        at_err *err);

#endif
