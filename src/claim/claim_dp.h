/* claim_dp.h: what the claims about compiled recurrences share (chain_dp.c, size_law.c). */
#ifndef ATTEST_CLAIM_DP_H
#define ATTEST_CLAIM_DP_H

#include "claim_internal.h"

#include <attest/front.h>

extern const at_param claim_dp_params[];
extern const int claim_dp_n_params;
extern const at_chain claim_dp_chain;

/* The recurrence that the parameters name, at their sizes. */
at_status claim_dp_bind(const at_params *p, at_dp **d, at_dp_instance **x, at_err *err);
at_status claim_dp_program(const at_params *p, at_dp_attention kind, at_program **out, at_err *err);
at_status claim_dp_model(const at_params *p, at_dp_attention kind, at_model *m, at_err *err);

/* The size law (size_law.c): what a table of it is made of. */
extern const char *const claim_dp_law_columns[], *const claim_dp_law_rows[], *const claim_dp_law_local_rows[];
extern const char *const claim_dp_law_plots[];
at_status claim_dp_law_row(const at_params *p, at_dp_attention kind, double *out, at_err *err);

#endif
