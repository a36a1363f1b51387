/* flint_compat.h: one place that knows where FLINT and Arb keep their headers.
 *
 * FLINT 2 has <flint/...> and Arb is a library of its own with headers at the top (<arb.h>); FLINT 3
 * took Arb in (<flint/arb.h>). The build probes which one is there and defines AT_FLINT3 for the
 * latter. Everything that needs rationals or balls includes this file and neither library directly
 * (tools/check_layers.sh insists). */
#ifndef ATTEST_FLINT_COMPAT_H
#define ATTEST_FLINT_COMPAT_H

#include <gmp.h>
#include <mpfr.h>

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpq.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpq_mat.h>

#ifdef AT_FLINT3
#include <flint/mag.h>
#include <flint/arf.h>
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#else
#include <mag.h>
#include <arf.h>
#include <arb.h>
#include <arb_hypgeom.h>
#endif

#endif
