/* compose_packed.h: the program of compose-one where a number holds several values of g. */
#ifndef ATTEST_COMPOSE_PACKED_H
#define ATTEST_COMPOSE_PACKED_H

#include "../shared/claim_compose.h"

/* Of the parameters n, bits (above 0), more and scale. */
at_status compose_packed(const at_params *p, at_program **out, at_err *err);

#endif
