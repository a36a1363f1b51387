/* extract.h: what `attest extract` makes of a model: a kind a row of the table in cmd_extract.c, its maker in a file of its own.
 *
 *     static at_status parity_make(const cli_extract_asked *q, at_arena *a, cli_extracted *out, at_err *err);
 *     const cli_extract_kind cli_extract_parity = {"parity", "whether it is PARITY", parity_make}; */
#ifndef ATTEST_CLI_EXTRACT_H
#define ATTEST_CLI_EXTRACT_H

#include <attest/extract.h>

#include "cli.h"

/* What is asked. */
typedef struct {
    const at_model *m;
    const cli_args *args; /* precision, seed, threads */
    int length;           /* of the words, for what exists at one length only; 0: not said */
    int values;           /* before one layer, at most; 0: not said */
    int gates;            /* of a circuit, at most; 0: not said */
} cli_extract_asked;

/* What comes out. `file` goes to -o, or to standard output; `said` are lines about it, `facts` the same for machines: an object, to
 * which the kind adds its keys. */
typedef struct {
    at_text file, said;
    json_t *facts;
} cli_extracted;

typedef struct {
    const char *name, *about;
    /* Fails with AT_EREFUSED for a model outside the class, in words, with the nearest thing that works. */
    at_status (*make)(const cli_extract_asked *q, at_arena *a, cli_extracted *out, at_err *err);
    bool sized; /* exists at one length only: --length is needed; else it is refused */
} cli_extract_kind;

extern const cli_extract_kind cli_extract_dfa, cli_extract_circuit;
extern const cli_extract_kind cli_extract_ltl, cli_extract_brasp, cli_extract_crasp, cli_extract_foc,
    cli_extract_fom;

#endif
