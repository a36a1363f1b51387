/* claim_copy.h: what the lemmas on AGG and COPY (lemma-a9 to lemma-a12) share. */
#ifndef ATTEST_CLAIM_COPY_H
#define ATTEST_CLAIM_COPY_H

#include "../claim_internal.h"

#define COPY_VALUES                                                                                          \
    {                                                                                                        \
        "M", "bound of the values", 0.001, 1000000, 1, false                                                 \
    }
#define COPY_EPS                                                                                             \
    {                                                                                                        \
        "eps", "wanted error, at most M", 1e-6, 0.5, 0.01, false                                             \
    }
/* eps <= M: above, 0 is an answer nearly, and the scales, logarithms of M/eps, need not be positive. */
at_status claim_copy_domain(const at_params *p, at_err *err);

/* The fields that come from the names `params`, `program`, `cells`, `tables` of a file. */
#define COPY_FIELDS CLAIM_FIELDS, CLAIM_TABLES, .tolerance = claim_eps

/* The table `precision` but for its columns and rows. INPUTS, precision_row: the file's. */
#define COPY_PRECISION(AGAINST)                                                                              \
    .id = "precision",                                                                                       \
    .title = "least p from which on it holds, and the largest weight, against " AGAINST                      \
             " (eps = 0.01, " CLAIM_TEXT(INPUTS) " inputs at each p)",                                       \
    .x = "L", .logx = true, .row = precision_row

#endif
